/* The tree of a session: branches, children of an entry, comparing paths, cherry-picks. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static void put_entries(struct http_res *res, const struct bough_entries *found)
{
    struct json_writer *w = api_items(res);

    for (size_t i = 0; i < found->n; i++) {
        form_entry(w, &found->at[i]);
        http_spill(res);
    }
    api_items_end(w, found->next);
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
    struct bough_tree_entries_options how;
    struct api_page page = { 0 };
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_page(req, &page, err);
    how = (struct bough_tree_entries_options){ .limit = page.limit, .cursor = page.cursor };
    if (!rc)
        rc = bough_tree_entries(api_of(req)->store, req->arena, s->id, &how, &found, err);
    if (!rc)
        put_entries(res, &found);
    return rc;
}

static enum bough_rc followers(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *entry = http_param(req, "entry"); /* NULL for /roots */
    struct bough_entries found;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_entry_id(req, s->id, &entry, err);
    if (!rc)
        rc = bough_tree_children(api_of(req)->store, req->arena, s->id, entry, &found, err);
    if (!rc)
        put_entries(res, &found);
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
        rc = bough_fail(err, BOUGH_INVALID, "one and other are required");
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
    { "one", HTTP_STRING, "An entry of this session (default: its head)." },
    { "session", HTTP_STRING, "The other session (default: this one)." },
    { "other", HTTP_STRING, "An entry of the other session (default: its head)." },
    { 0 },
};

static enum bough_rc diff(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *one = http_query(req, "one"), *other = http_query(req, "other");
    const char *session = http_query(req, "session");
    struct bough_session *s, *with = NULL;
    struct bough_tree_diff_result d;
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
        rc = bough_tree_diff(
            api_of(req)->store, req->arena,
            &(struct bough_tree_diff_options){
                .session = s->id, .one = one, .other_session = with->id, .other = other },
            &d, err);
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

/* ---- branch with a summary ---- */

#define BRANCH(field) offsetof(struct bough_branch_with_summary_options, field)

static const struct api_member branch_members[] = {
    { "target", API_TEXT, BRANCH(target) },
    { "summary", API_TEXT, BRANCH(summary) },
    { "details", API_RAW, BRANCH(details) },
    { "from_hook", API_FLAG, BRANCH(from_hook) },
    { 0 },
};

static enum bough_rc branch(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_branch_with_summary_options in = { 0 };
    char id[BOUGH_ID_LEN + 1];
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, branch_members, &in, err);
    if (!rc && !in.summary)
        rc = bough_fail(err, BOUGH_INVALID, "summary is required");
    if (!rc)
        rc = api_entry_id(req, s->id, &in.target, err);
    if (!rc)
        rc = bough_branch_with_summary(api_of(req)->store, s->id, &in, id, err);
    if (!rc)
        api_put_id(res, 201, id);
    return rc;
}

/* ---- cherry-pick ---- */

struct picking {
    struct bough_pick_options how;
    struct json entries;
    const char *expect;
};

#define HOW(field) offsetof(struct picking, how.field)

static const struct api_member pick_members[] = {
    { "entries", API_LIST, offsetof(struct picking, entries) },
    { "from", API_TEXT, HOW(from) },
    { "at", API_TEXT, HOW(at) },
    { "at_root", API_FLAG, HOW(at_root) },
    { "keep_head", API_FLAG, HOW(keep_head) },
    { "expect_head", API_TEXT, offsetof(struct picking, expect) },
    { 0 },
};

/* The ids of the entries in the body, which must be of the session `from`. */
static enum bough_rc pick_entries(struct http_req *req, const char *from, struct picking *x,
                                  struct bough_error *err)
{
    struct json_iter it = json_iter(x->entries);
    const char **ids;
    enum bough_rc rc = BOUGH_OK;

    if (json_count(x->entries) > LIMIT_APPEND_ENTRIES)
        return bough_fail(err, BOUGH_TOO_LARGE, "a pick has at most %d entries",
                          LIMIT_APPEND_ENTRIES);
    ids = arena_array(req->arena, json_count(x->entries) + 1, sizeof *ids);
    while (!rc && json_next(&it)) {
        struct bough_str text;

        if (!json_str(req->arena, it.value, &text))
            return bough_fail(err, BOUGH_INVALID, "entries is a list of ids");
        ids[x->how.n] = text.p;
        rc = api_entry_id(req, from, &ids[x->how.n++], err);
    }
    x->how.entries = ids;
    return rc;
}

static enum bough_rc pick(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct picking x = { 0 };
    struct bough_session *s, *from = NULL;
    struct bough_pick_result out;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, pick_members, &x, err);
    if (!rc && x.how.from)
        rc = api_session_named(req, x.how.from, &from, err);
    if (rc)
        return rc;
    x.how.from = from ? from->id : s->id;
    rc = pick_entries(req, x.how.from, &x, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &x.how.at, err);
    if (!rc)
        rc = api_expect(req, res, x.expect, &x.how.expect_head, err);
    if (!rc)
        rc = api_head_lost(
            req, res, bough_pick(api_of(req)->store, req->arena, s->id, &x.how, &out, err), err);
    if (rc == BOUGH_BUSY)
        api_busy(req, res, s->id);
    if (rc)
        return rc;
    api_head_etag(res, out.head);
    w = http_json(res, 201);
    jw_obj(w);
    form_in_picked(w, &out);
    jw_end_obj(w);
    return BOUGH_OK;
}

static const struct http_field hash_query[] = {
    { "at", HTTP_STRING, "The path to this entry instead of the head." },
    { 0 },
};

const struct http_route api_tree_routes[] = {
    { "GET", "/api/v1/sessions/{id}/branches", branches, AUTH_READ,
      "List the session's own branches, then the inherited branches on its paths.",
      .gives = "Branches" },
    { "POST", "/api/v1/sessions/{id}/branches", branch, AUTH_APPEND,
      "Move the head to an entry, or before the first one, and add a summary of the abandoned "
      "branch there.",
      .takes = "BranchNew", .gives = "Id", .status = 201 },
    { "GET", "/api/v1/sessions/{id}/common", common, AUTH_READ,
      "Get the last common entry of two paths.", two_query, .gives = "Entry" },
    { "GET", "/api/v1/sessions/{id}/diff", diff, AUTH_READ,
      "Compare two paths: their last common entry, and what each adds.", diff_query,
      .gives = "Diff" },
    { "GET", "/api/v1/sessions/{id}/entries/{entry}/children", followers, AUTH_READ,
      "List the entries directly after an entry, oldest first.", .gives = "Entries" },
    { "GET", "/api/v1/sessions/{id}/hash", hash, AUTH_READ,
      "Get the SHA-256 of a path. Equal conversations have equal hashes.", hash_query,
      .gives = "Hash" },
    { "POST", "/api/v1/sessions/{id}/pick", pick, AUTH_READ | AUTH_APPEND,
      "Cherry-pick: put entries of another branch or session onto this one. Those that follow "
      "there already are shared; the others are copied, with the results of their tool calls.",
      .takes = "Pick", .gives = "Picked", .status = 201, .flags = HTTP_MATCHES | HTTP_TAGS },
    { "GET", "/api/v1/sessions/{id}/roots", followers, AUTH_READ, "List the root entries.",
      .gives = "Entries" },
    { "GET", "/api/v1/sessions/{id}/tree", in_time, AUTH_READ,
      "List all entries of the session's own branches, in order of time.", api_page_query,
      .gives = "Entries" },
    { 0 },
};
