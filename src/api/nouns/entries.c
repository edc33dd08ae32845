/* Entries: read a path, read one, delete and restore. append.c writes them. */
#include <stdio.h>
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

enum { PULL_ENTRIES = 50 }; /* entries in memory at a time when a whole path is sent */

enum { CUT_LEAST = 256, CUT_MOST = 1024 * 1024 };

/* How entries are written. */
struct show {
    struct form_show as;
    bool calls; /* write the calls, too */
};

#define SHOW_FIELDS                                                                                \
    { "cut", HTTP_INTEGER,                                                                         \
      "Cut strings inside parts, data, metadata and error that have more bytes than this; "        \
      "`bough.cut` of the object lists them. Without it nothing is cut.",                          \
      .least = CUT_LEAST, .most = CUT_MOST },                                                      \
        { "calls", HTTP_BOOLEAN, "Send the provider calls of the entries, too. Not with all." },   \
    {                                                                                              \
        "view", HTTP_BOOLEAN,                                                                      \
            "Send `view` instead of `parts`: each part with the same members in every format."     \
    }

static enum bough_rc read_show(const struct http_req *req, struct show *out,
                               struct bough_error *err)
{
    int64_t cut = 0;
    enum bough_rc rc = http_query_i64(req, "cut", 0, CUT_LEAST, CUT_MOST, &cut, err);

    out->as.cut = (size_t)cut;
    if (!rc)
        rc = http_query_bool(req, "calls", &out->calls, err);
    return rc ? rc : http_query_bool(req, "view", &out->as.view, err);
}

/* ---- a page, or the whole path ---- */

static const char *what_words(size_t i)
{
    static const char *const words[] = { "path", "direct", "since_marker", NULL };

    return http_word(words, i);
}

static const struct http_field read_query[] = {
    { "what", HTTP_STRING,
      "path (default), direct (only entries this session wrote) or since_marker.", what_words },
    { "at", HTTP_STRING, "The path to this entry instead of the head." },
    { "messages", HTTP_BOOLEAN, "Only messages." },
    { "user", HTTP_BOOLEAN, "Only user messages." },
    { "tool", HTTP_BOOLEAN, "Only entries with a tool part." },
    { "deleted", HTTP_BOOLEAN, "Include deleted entries." },
    { "newest", HTTP_BOOLEAN, "Page from the newest; within a page the oldest entry comes first." },
    { "inherit", HTTP_BOOLEAN,
      "since_marker: also use markers of the sessions it was forked from." },
    { "max_forks", HTTP_INTEGER, "Fail if the path has more forks than this; 0: no limit." },
    { "all", HTTP_BOOLEAN, "Send the whole path in one response." },
    { "from", HTTP_INTEGER,
      "Begin at this depth of the path. Not with cursor, newest, all or what=direct.", .least = 1,
      .most = LIMIT_DEPTH },
    SHOW_FIELDS,
    API_PAGE_FIELDS,
    { 0 },
};

static enum bough_rc read_flags(const struct http_req *req, struct bough_entries_read_options *how,
                                bool *all, struct bough_error *err)
{
    const struct {
        const char *name;
        bool *to;
    } flags[] = {
        { "messages", &how->messages },
        { "user", &how->user },
        { "tool", &how->tool },
        { "deleted", &how->deleted },
        { "newest", &how->newest },
        { "inherit", &how->inherit },
        { "all", all },
    };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; !rc && i < sizeof flags / sizeof *flags; i++)
        rc = http_query_bool(req, flags[i].name, flags[i].to, err);
    return rc ? rc : http_query_i64(req, "max_forks", 0, 0, 1000000, &how->max_forks, err);
}

static enum bough_rc read_what(const struct http_req *req, struct bough_entries_read_options *how,
                               struct bough_error *err)
{
    const char *what = http_query(req, "what");

    if (what && strcmp(what, "direct") == 0)
        how->what = BOUGH_ENTRIES_OWN;
    else if (what && strcmp(what, "since_marker") == 0)
        how->what = BOUGH_ENTRIES_SINCE_MARKER;
    else if (what && strcmp(what, "path") != 0)
        return bough_fail(err, BOUGH_INVALID, "what must be path, direct or since_marker");
    return BOUGH_OK;
}

static enum bough_rc read_how(struct http_req *req, const char *session,
                              struct bough_entries_read_options *how, struct show *show, bool *all,
                              struct bough_error *err)
{
    struct api_page page;
    enum bough_rc rc = api_page(req, &page, err);

    if (!rc)
        rc = read_flags(req, how, all, err);
    if (!rc)
        rc = read_show(req, show, err);
    if (!rc)
        rc = http_query_i64(req, "from", 0, 1, LIMIT_DEPTH, &how->from_depth, err);
    if (!rc)
        rc = read_what(req, how, err);
    if (rc)
        return rc;
    how->limit = page.limit;
    how->cursor = page.cursor;
    how->calls = show->calls;
    if (*all && (how->newest || page.cursor || how->calls))
        return bough_fail(err, BOUGH_INVALID, "all cannot be used with newest, cursor or calls");
    if (how->from_depth && (*all || how->newest || page.cursor))
        return bough_fail(err, BOUGH_INVALID, "from cannot be used with all, newest or cursor");
    how->at = http_query(req, "at");
    return api_entry_id(req, session, &how->at, err);
}

static void put_marker(struct json_writer *w, const struct bough_entry *marker)
{
    jw_key(w, "marker");
    if (marker)
        form_entry(w, marker);
    else
        jw_null(w);
}

/* What follows the items of a page. */
static void put_rest(struct json_writer *w, const struct bough_entries_read_result *path)
{
    jw_end_arr(w);
    jw_kv_cstr(w, "next", cstr_empty(path->entries.next) ? NULL : path->entries.next);
    jw_kv_i64(w, "depth", path->depth);
    if (path->calls)
        form_calls(w, "calls", path->calls);
    jw_end_obj(w);
}

static void put_page(struct http_res *res, const struct bough_entries_read_options *how,
                     const struct show *show, const struct bough_entries_read_result *path)
{
    const struct bough_entries *e = &path->entries;
    struct json_writer *w = http_json(res, 200);

    jw_obj(w);
    if (how->what == BOUGH_ENTRIES_SINCE_MARKER)
        put_marker(w, path->marker);
    jw_key(w, "items");
    jw_arr(w);
    for (size_t i = 0; i < e->n; i++) {
        form_entry_as(w, &e->at[i], show->as);
        http_spill(res);
    }
    put_rest(w, path);
}

/* State of a path that is sent whole: it is read page by page into its own arena. */
struct whole {
    struct bough_arena *a;
    const char *session;
    struct bough_entries_read_options how;
    struct show show;
    char cursor[BOUGH_CURSOR_LEN + 1];
    bool begun;
};

static enum bough_rc pull(struct http_req *req, struct http_res *res, enum http_more *more,
                          struct bough_error *err)
{
    struct whole *x = req->state;
    struct json_writer *w = http_json_more(res);
    struct bough_entries_read_result path;
    enum bough_rc rc;

    bough_arena_reset(x->a);
    rc = bough_entries_read(api_of(req)->store, x->a, x->session, &x->how, &path, err);
    if (rc)
        return rc;
    if (!x->begun) {
        jw_obj(w);
        if (x->how.what == BOUGH_ENTRIES_SINCE_MARKER)
            put_marker(w, path.marker);
        jw_key(w, "items");
        jw_arr(w);
        x->begun = true;
    }
    for (size_t i = 0; i < path.entries.n; i++)
        form_entry_as(w, &path.entries.at[i], x->show.as);
    snprintf(x->cursor, sizeof x->cursor, "%s", path.entries.next);
    x->how.cursor = x->cursor;
    *more = *x->cursor ? HTTP_MORE : HTTP_END;
    if (!*x->cursor)
        put_rest(w, &path);
    return BOUGH_OK;
}

/* The head may move while pages are sent, so the path is fixed to the current head first. */
static enum bough_rc give_whole(struct http_req *req, struct http_res *res, const char *session,
                                const struct bough_entries_read_options *how,
                                const struct show *show, struct bough_error *err)
{
    struct whole *x = arena_zalloc(req->arena, sizeof *x);
    struct bough_entry *head = NULL;
    struct bough_head at;
    enum bough_rc rc = BOUGH_OK;

    x->session = session;
    x->how = *how;
    x->show = *show;
    x->how.limit = PULL_ENTRIES;
    if (!how->at && how->what != BOUGH_ENTRIES_OWN) {
        rc = bough_head_get(api_of(req)->store, req->arena, session, &at, &head, err);
        x->how.at = head ? head->id : NULL;
    }
    if (rc)
        return rc;
    x->a = bough_arena_create();
    req->state = x;
    http_json(res, 200);
    http_pull(res, pull, 0);
    return BOUGH_OK;
}

static void drop(struct http_req *req)
{
    struct whole *x = req->state;

    if (x)
        bough_arena_destroy(x->a);
    req->state = NULL;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_entries_read_options how = { 0 };
    struct bough_session *s;
    struct bough_entries_read_result path;
    struct show show = { 0 };
    bool all = false;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = read_how(req, s->id, &how, &show, &all, err);
    if (!rc && all)
        return give_whole(req, res, s->id, &how, &show, err);
    if (!rc)
        rc = bough_entries_read(api_of(req)->store, req->arena, s->id, &how, &path, err);
    if (!rc)
        put_page(res, &how, &show, &path);
    return rc;
}

/* ---- one entry ---- */

static const struct http_field show_query[] = { SHOW_FIELDS, { 0 } };

static enum bough_rc give_one(struct http_req *req, struct http_res *res,
                              const struct bough_entry *e, struct bough_error *err)
{
    struct bough_calls calls = { 0 };
    struct bough_call *call = NULL;
    struct show show = { 0 };
    struct json_writer *w;
    enum bough_rc rc = read_show(req, &show, err);

    if (!rc && show.calls && *e->call)
        rc = bough_call_get(api_of(req)->store, req->arena, e->call, &call, err);
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_GONE) /* deleted meanwhile, or purged */
        rc = BOUGH_OK;
    if (rc)
        return rc;
    calls.at = call;
    calls.n = call != NULL;
    w = http_json(res, 200);
    jw_obj(w);
    form_in_entry(w, e, show.as);
    if (show.calls)
        form_calls(w, "calls", &calls);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc find(struct http_req *req, struct bough_session **s, struct bough_entry **e,
                          struct bough_error *err)
{
    enum bough_rc rc = api_session(req, s, err);

    return rc ? rc : api_entry(req, (*s)->id, http_param(req, "entry"), e, err);
}

static enum bough_rc get_one(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    struct bough_entry *e;
    enum bough_rc rc = find(req, &s, &e, err);

    return rc ? rc : give_one(req, res, e, err);
}

typedef enum bough_rc entry_op(struct bough_store *s, const char *session, const char *entry,
                               struct bough_error *err);

static enum bough_rc change(struct http_req *req, struct http_res *res, entry_op *op,
                            struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    struct bough_session *s;
    struct bough_entry *e;
    enum bough_rc rc = find(req, &s, &e, err);

    if (!rc)
        rc = op(store, s->id, e->id, err);
    if (!rc)
        rc = bough_entry_get(store, req->arena, s->id, e->id, &e, err);
    if (!rc)
        form_entry(http_json(res, 200), e);
    return rc;
}

static enum bough_rc del(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return change(req, res, bough_entry_delete, err);
}

static enum bough_rc restore(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return change(req, res, bough_entry_restore, err);
}

static enum bough_rc amend(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = { { "parts", API_RAW, 0 }, { 0 } };
    struct bough_str raw = { "", 0 }, *parts = NULL;
    char id[BOUGH_ID_LEN + 1];
    struct bough_session *s;
    struct bough_entry *e;
    size_t n = 0;
    enum bough_rc rc = find(req, &s, &e, err);

    if (!rc)
        rc = api_body(req, members, &raw, err);
    if (!rc && raw.n)
        rc = bough_parts_split(req->arena, raw, &parts, &n, err);
    if (!rc)
        rc = bough_entry_amend(api_of(req)->store, s->id, e->id, parts, n, id, err);
    if (!rc)
        api_put_id(res, 201, id);
    return rc;
}

static enum bough_rc compact(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = { { "part", API_INT, 0 }, { 0 } };
    char id[BOUGH_ID_LEN + 1];
    struct bough_session *s;
    struct bough_entry *e;
    int64_t part = -1;
    enum bough_rc rc = find(req, &s, &e, err);

    if (!rc)
        rc = api_body(req, members, &part, err);
    if (!rc && part < -1)
        rc = bough_fail(err, BOUGH_INVALID, "part must be the number of a part, from 0");
    if (!rc)
        rc = bough_entry_compact(api_of(req)->store, s->id, e->id, part, id, err);
    if (!rc)
        api_put_id(res, 201, id);
    return rc;
}

static enum bough_rc latest_user(struct http_req *req, struct http_res *res,
                                 struct bough_error *err)
{
    char id[BOUGH_ID_LEN + 1];
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_latest_user_entry(api_of(req)->store, s->id, id, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "id", *id ? id : NULL);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- by id alone ---- */

static enum bough_rc get_anywhere(struct http_req *req, struct http_res *res,
                                  struct bough_error *err)
{
    struct bough_entry *e;
    enum bough_rc rc = api_entry_anywhere(req, http_param(req, "entry"), &e, err);

    return rc ? rc : give_one(req, res, e, err);
}

static enum bough_rc get_part(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *name = http_param(req, "part");
    struct bough_entry *e;
    struct bough_part part;
    struct json_writer *w;
    enum bough_rc rc = api_entry_anywhere(req, name, &e, err);

    if (!rc)
        rc = bough_part_get(api_of(req)->store, req->arena, name, &part, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "id", name);
    jw_kv_cstr(w, "entry", e->id);
    jw_kv_cstr(w, "type", bough_part_type_name(part.type));
    jw_kv_raw(w, "part", part.json);
    jw_end_obj(w);
    return BOUGH_OK;
}

const struct http_route api_entry_routes[] = {
    { "GET", "/api/v1/entries/{entry}", get_anywhere, AUTH_READ, "Get an entry by its id.",
      show_query, .gives = "Entry" },
    { "GET", "/api/v1/parts/{part}", get_part, AUTH_READ, "Get a part by its id.",
      .gives = "Part" },
    { "GET", "/api/v1/sessions/{id}/entries", list, AUTH_READ,
      "List the entries on the path from the root to the head, in pages or whole.", read_query,
      .gives = "Path", .drop = drop },
    { "GET", "/api/v1/sessions/{id}/entries/{entry}", get_one, AUTH_READ,
      "Get an entry by its id, #branch.depth, the id it was imported with, or @3 for the third "
      "message.",
      show_query, .gives = "Entry" },
    { "DELETE", "/api/v1/sessions/{id}/entries/{entry}", del, AUTH_DELETE,
      "Delete (hide) an entry of this session, here and in every fork.", .gives = "Entry" },
    { "POST", "/api/v1/sessions/{id}/entries/{entry}/amend", amend, AUTH_APPEND,
      "Correct a sealed message: append an entry whose parts contexts show behind its own.",
      .takes = "Amendment", .gives = "Id", .status = 201 },
    { "POST", "/api/v1/sessions/{id}/entries/{entry}/compact", compact, AUTH_APPEND,
      "Mark outputs of tools in a sealed message as compacted: contexts show a short text instead.",
      .takes = "OutputCompaction", .gives = "Id", .status = 201, .flags = HTTP_BODY_OPTIONAL },
    { "POST", "/api/v1/sessions/{id}/entries/{entry}/restore", restore, AUTH_DELETE,
      "Restore a deleted entry.", .gives = "Entry" },
    { "GET", "/api/v1/sessions/{id}/latest-user", latest_user, AUTH_READ,
      "Get the id of the newest user message this session wrote that is not deleted.",
      .gives = "MaybeId" },
    { 0 },
};
