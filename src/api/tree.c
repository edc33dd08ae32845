/* The tree of a session: branches, what follows an entry, comparing paths. */
#include <string.h>

#include "api/body.h"
#include "api/forms.h"
#include "base/arena.h"
#include "base/str.h"

static void put_entries(struct http_res *res, const struct bough_entries *found, const char *next)
{
    struct json_writer *w = api_items(res);

    for (size_t i = 0; i < found->n; i++) {
        form_entry(w, &found->at[i]);
        http_spill(res);
    }
    api_items_end(w, next);
}

/* ---- branches and entries ---- */

static enum bough_rc branches(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_branches found;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_tree_branches(api_of(req)->store, req->arena, s->id, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++)
        form_branch(w, &found.at[i], found.at[i].number == s->head.branch);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc in_time(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_entries found;
    struct bough_session *s;
    struct api_page page = { 0 };
    int64_t after = 0;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_page(req, &page, err);
    if (!rc && page.cursor && !json_span_i64(str_of(page.cursor), &after))
        rc = bough_fail(err, BOUGH_INVALID, "this cursor belongs to another list");
    if (!rc)
        rc = bough_tree_entries(api_of(req)->store, req->arena, s->id, after, page.limit, &found,
                                err);
    if (rc)
        return rc;
    put_entries(res, &found,
                found.more && found.n
                    ? arena_printf(req->arena, "%lld", (long long)found.at[found.n - 1].no)
                    : NULL);
    return BOUGH_OK;
}

static enum bough_rc followers(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *entry = http_param(req, "entry"); /* none: the roots */
    struct bough_entries found;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_entry_id(req, s->id, &entry, err);
    if (!rc)
        rc = bough_tree_children(api_of(req)->store, req->arena, s->id, entry, &found, err);
    if (!rc)
        put_entries(res, &found, NULL);
    return rc;
}

/* ---- comparing ---- */

static const struct http_field two_query[] = {
    { "one", HTTP_STRING, "An entry." },
    { "other", HTTP_STRING, "An entry." },
    { 0 },
};

static enum bough_rc common(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *one = http_query(req, "one"), *other = http_query(req, "other");
    struct bough_session *s;
    struct bough_entry *e;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc && (!one || !other))
        rc = bough_fail(err, BOUGH_INVALID, "one and other are entries");
    if (!rc)
        rc = api_entry_id(req, s->id, &one, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &other, err);
    if (!rc)
        rc = bough_tree_common(api_of(req)->store, req->arena, s->id, one, other, &e, err);
    if (!rc)
        form_entry(http_json(res, 200), e);
    return rc;
}

static void put_side(struct json_writer *w, const char *name, const char *session,
                     const struct bough_entries *adds, const struct bough_totals *used)
{
    jw_key(w, name);
    jw_obj(w);
    jw_kv_cstr(w, "session", session);
    jw_key(w, "entries");
    jw_arr(w);
    for (size_t i = 0; i < adds->n; i++)
        jw_cstr(w, adds->at[i].id);
    jw_end_arr(w);
    form_totals(w, "used", used);
    jw_end_obj(w);
}

static const struct http_field diff_query[] = {
    { "one", HTTP_STRING, "An entry of this session; its head unless given." },
    { "session", HTTP_STRING, "The other session; this one unless given." },
    { "other", HTTP_STRING, "An entry of the other; its head unless given." },
    { 0 },
};

static enum bough_rc diff(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *one = http_query(req, "one"), *other = http_query(req, "other");
    const char *session = http_query(req, "session");
    struct bough_session *s, *with = NULL;
    struct bough_diff d;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc && session)
        rc = api_session_named(req, session, &with, err);
    if (!rc && !with)
        with = s;
    if (!rc)
        rc = api_entry_id(req, s->id, &one, err);
    if (!rc)
        rc = api_entry_id(req, with->id, &other, err);
    if (!rc)
        rc = bough_tree_diff(api_of(req)->store, req->arena, s->id, one, with->id, other, &d, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "common", d.common ? d.common->id : NULL);
    put_side(w, "one", s->id, &d.one, &d.one_used);
    put_side(w, "other", with->id, &d.other, &d.other_used);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc hash(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *at = http_query(req, "at");
    struct bough_session *s;
    struct json_writer *w;
    char text[65];
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_entry_id(req, s->id, &at, err);
    if (!rc)
        rc = bough_path_hash(api_of(req)->store, s->id, at, text, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "hash", text);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- a branch with a summary ---- */

struct branching {
    const char *target, *summary;
    struct bough_str details;
    bool from_hook;
};

static const struct api_member branch_members[] = {
    { "target", API_TEXT, offsetof(struct branching, target) },
    { "summary", API_TEXT, offsetof(struct branching, summary) },
    { "details", API_RAW, offsetof(struct branching, details) },
    { "from_hook", API_FLAG, offsetof(struct branching, from_hook) },
    { 0 },
};

static enum bough_rc branch(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct branching in = { 0 };
    char id[BOUGH_ID_LEN + 1];
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, branch_members, &in, err);
    if (!rc && !in.summary)
        rc = bough_fail(err, BOUGH_INVALID, "summary is missing");
    if (!rc)
        rc = api_entry_id(req, s->id, &in.target, err);
    if (!rc)
        rc = bough_branch_with_summary(api_of(req)->store, s->id, in.target, in.summary, in.details,
                                       in.from_hook, id, err);
    if (!rc)
        api_put_id(res, 201, id);
    return rc;
}

static const struct http_field hash_query[] = {
    { "at", HTTP_STRING, "The path to this entry instead of the head." },
    { 0 },
};

const struct http_route api_tree_routes[] = {
    { "GET", "/api/v1/sessions/{id}/branches", branches, AUTH_READ,
      "The branches it wrote, then those its paths run through.", .gives = "Branches" },
    { "POST", "/api/v1/sessions/{id}/branches", branch, AUTH_APPEND,
      "Go to an entry, or to nothing, and leave a summary of what was abandoned there.",
      .takes = "BranchNew", .gives = "Id", .status = 201 },
    { "GET", "/api/v1/sessions/{id}/common", common, AUTH_READ,
      "The deepest entry on the paths to both.", two_query, .gives = "Entry" },
    { "GET", "/api/v1/sessions/{id}/diff", diff, AUTH_READ,
      "What two paths share, and what each adds.", diff_query, .gives = "Diff" },
    { "GET", "/api/v1/sessions/{id}/entries/{entry}/children", followers, AUTH_READ,
      "What directly follows an entry, oldest first.", .gives = "Entries" },
    { "GET", "/api/v1/sessions/{id}/hash", hash, AUTH_READ,
      "SHA-256 over the path: equal conversations hash equal.", hash_query, .gives = "Hash" },
    { "GET", "/api/v1/sessions/{id}/roots", followers, AUTH_READ, "Entries that follow nothing.",
      .gives = "Entries" },
    { "GET", "/api/v1/sessions/{id}/tree", in_time, AUTH_READ,
      "All entries of its own branches in order of time.", api_page_query, .gives = "Entries" },
    { 0 },
};
