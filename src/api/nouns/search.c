/* Full-text search over entries. */
#include <string.h>

#include "api/kit/api.h"
#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/names.h"

static const struct http_field query_fields[] = {
    { "query", HTTP_STRING, "Words, \"phrases\", -not, prefix*, field:value, re:expression." },
    { "session", HTTP_STRING, "Only entries this session shows." },
    { "path", HTTP_BOOLEAN, "With session: only the path to its head." },
    { "at", HTTP_STRING, "With session: only the path to this entry." },
    { "project", HTTP_STRING, "Only entries that sessions of this project show." },
    { "branch", HTTP_INTEGER, "Only entries of this branch." },
    { "tool", HTTP_STRING, "Only entries that name this tool." },
    { "roles", HTTP_STRING, "Only messages with these roles, separated by blanks." },
    { "kinds", HTTP_STRING, "Only entries of these kinds, separated by blanks." },
    { "since", HTTP_STRING, "Only entries at this time or later." },
    { "until", HTTP_STRING, "Only entries before this time." },
    { "wait_ms", HTTP_INTEGER, "How long to update the index first (default 200)." },
    API_PAGE_FIELDS,
    { 0 },
};

static unsigned role_bit(const char *word)
{
    return 1u << bough_role_parse(word);
}

static unsigned kind_bit(const char *word)
{
    return 1u << entry_kind_parse(word);
}

static unsigned bits(struct http_req *req, const char *name, unsigned (*bit)(const char *word))
{
    const char *text = http_query(req, name);
    char *rest = text ? arena_strdup(req->arena, text) : NULL, *word;
    unsigned out = 0;

    while ((word = strsep(&rest, " ")))
        if (*word)
            out |= bit(word);
    return out;
}

/* Restrict the search to sessions the caller can see. */
static enum bough_rc read_place(struct http_req *req, struct bough_search_options *in,
                                struct bough_error *err)
{
    const struct auth_who *who = api_of(req)->who;
    const char *name = http_query(req, "session");
    struct bough_session *s;
    enum bough_rc rc = BOUGH_OK;

    in->at = http_query(req, "at");
    in->project = http_query(req, "project");
    if (*who->project && (!in->project || auth_sees(who, in->project)))
        in->project = who->project;
    else if (in->project && !auth_sees(who, in->project))
        in->project = ""; /* matches no session this caller can see */
    if (name) {
        rc = api_session_named(req, name, &s, err);
        if (!rc)
            in->session = s->id;
        if (!rc)
            rc = api_entry_id(req, s->id, &in->at, err);
    } else if (in->at) {
        rc = bough_fail(err, BOUGH_INVALID, "at requires session");
    }
    return rc;
}

static enum bough_rc read_query(struct http_req *req, struct bough_search_options *in,
                                struct bough_error *err)
{
    struct api_page page;
    enum bough_rc rc = api_page(req, &page, err);

    in->query = http_query(req, "query") ? http_query(req, "query") : "";
    in->tool = http_query(req, "tool");
    in->roles = bits(req, "roles", role_bit);
    in->kinds = bits(req, "kinds", kind_bit);
    in->limit = page.limit;
    in->cursor = page.cursor;
    if (!rc)
        rc = http_query_bool(req, "path", &in->path, err);
    if (!rc)
        rc = http_query_i64(req, "branch", 0, 0, INT64_MAX, &in->branch, err);
    if (!rc)
        rc = http_query_i64(req, "wait_ms", 0, 0, 5000, &in->wait_ms, err);
    if (!rc)
        rc = api_query_time(req, "since", &in->since, err);
    return rc ? rc : api_query_time(req, "until", &in->until, err);
}

static enum bough_rc search(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_search_options in = { 0 };
    struct bough_hits found = { .next = "", .complete = true, .refused = "" };
    struct json_writer *w;
    enum bough_rc rc = read_query(req, &in, err);

    if (!rc)
        rc = read_place(req, &in, err);
    if (!rc && !(in.project && !*in.project && *call->who->project))
        rc = bough_search(call->store, req->arena, &in, &found, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_key(w, "items");
    jw_arr(w);
    for (size_t i = 0; i < found.n; i++)
        form_hit(w, &found.at[i]);
    jw_end_arr(w);
    jw_kv_cstr(w, "next", *found.next ? found.next : NULL);
    jw_kv_bool(w, "complete", found.complete);
    jw_kv_i64(w, "pending", found.pending);
    jw_kv_i64(w, "ignored", (int64_t)found.ignored);
    jw_kv_cstr(w, "refused", cstr_empty(found.refused) ? NULL : found.refused);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc rebuild(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return api_done(res, bough_search_rebuild(api_of(req)->store, err));
}

const struct http_route api_search_routes[] = {
    { "GET", "/api/v1/search", search, AUTH_READ,
      "Search the text of all conversations, newest first.", query_fields, .gives = "Hits" },
    { "POST", "/api/v1/search/rebuild", rebuild, AUTH_ADMIN,
      "Drop the full-text index; it is rebuilt in the background.", .status = 204 },
    { 0 },
};
