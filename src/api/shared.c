/* What handlers of every noun need: the session in the path, pages, heads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/arena.h"
#include "base/iso.h"
#include "base/str.h"

/* ---- sessions ---- */

enum bough_rc api_session_named(struct http_req *req, const char *name, struct bough_session **out,
                                struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    enum bough_rc rc = bough_session_get(call->store, req->arena, name, out, err);

    /* D13: one that is not theirs is not there, and says so in the same words. */
    if ((rc == BOUGH_GONE || rc == BOUGH_AMBIGUOUS) && *call->who->project)
        rc = BOUGH_NOT_FOUND;
    else if (!rc && !auth_sees(call->who, (*out)->project))
        rc = BOUGH_NOT_FOUND;
    if (rc == BOUGH_NOT_FOUND)
        return bough_fail(err, BOUGH_NOT_FOUND, "no session %.60s", name);
    return rc;
}

enum bough_rc api_session(struct http_req *req, struct bough_session **out, struct bough_error *err)
{
    return api_session_named(req, http_param(req, "id"), out, err);
}

void api_hide_parent(struct http_req *req, struct bough_session *s)
{
    struct bough_session *up;

    if (!*api_of(req)->who->project || cstr_empty(s->parent) ||
        api_session_named(req, s->parent, &up, NULL) == BOUGH_OK)
        return;
    s->parent = s->fork_entry = "";
}

enum bough_rc api_for_all(struct http_req *req, struct http_res *res)
{
    return *api_of(req)->who->project
               ? http_refuse(res, 403, "denied", "this token is for one project")
               : BOUGH_OK;
}

/* ---- entries ---- */

static enum bough_rc by_number(struct http_req *req, const char *session, const char *digits,
                               struct bough_entry **out, struct bough_error *err)
{
    int64_t n;

    if (!json_span_i64(str_of(digits), &n) || n < 1)
        return BOUGH_NOT_FOUND;
    return bough_entry_by_number(api_of(req)->store, req->arena, session, n, out, err);
}

enum bough_rc api_entry(struct http_req *req, const char *session, const char *name,
                        struct bough_entry **out, struct bough_error *err)
{
    enum bough_rc rc =
        name[0] == '@' ? by_number(req, session, name + 1, out, err)
                       : bough_entry_get(api_of(req)->store, req->arena, session, name, out, err);

    /* The library says of a foreign entry that it is foreign: more than everybody may know. */
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_INVALID || rc == BOUGH_GONE)
        return bough_fail(err, BOUGH_NOT_FOUND, "no entry %.60s in this session", name);
    return rc;
}

enum bough_rc api_entry_id(struct http_req *req, const char *session, const char **name,
                           struct bough_error *err)
{
    struct bough_entry *e = NULL;
    enum bough_rc rc = BOUGH_OK;

    if (*name)
        rc = api_entry(req, session, *name, &e, err);
    if (e && !rc)
        *name = e->id;
    return rc;
}

/* ---- queries and lists ---- */

enum bough_rc api_query_time(const struct http_req *req, const char *name, int64_t *out,
                             struct bough_error *err)
{
    const char *text = http_query(req, name);

    *out = 0;
    if (!text || json_span_i64(str_of(text), out))
        return BOUGH_OK;
    *out = iso_parse(text);
    return *out ? BOUGH_OK
                : bough_fail(err, BOUGH_INVALID,
                             "%s is a time in ISO 8601 or milliseconds since 1970", name);
}

enum bough_rc api_done(struct http_res *res, enum bough_rc rc)
{
    if (!rc)
        http_no_content(res);
    return rc;
}

struct json_writer *api_items(struct http_res *res)
{
    struct json_writer *w = http_json(res, 200);

    jw_obj(w);
    jw_key(w, "items");
    jw_arr(w);
    return w;
}

void api_items_end(struct json_writer *w, const char *next)
{
    jw_end_arr(w);
    jw_kv_cstr(w, "next", cstr_empty(next) ? NULL : next);
    jw_end_obj(w);
}

/* ---- pages ---- */

const struct http_field api_page_query[] = { API_PAGE_FIELDS, { 0 } };

enum bough_rc api_page(const struct http_req *req, struct api_page *out, struct bough_error *err)
{
    out->cursor = http_query(req, "cursor");
    if (out->cursor && !*out->cursor)
        out->cursor = NULL;
    return http_query_i64(req, "limit", API_PAGE, 1, API_PAGE_MAX, &out->limit, err);
}

const char *api_cursor(struct bough_arena *a, int64_t one, int64_t two)
{
    return arena_printf(a, "%lld.%lld", (long long)one, (long long)two);
}

bool api_cursor_read(const char *text, int64_t *one, int64_t *two)
{
    const char *dot = strchr(text, '.');

    return dot && json_span_i64(str_make(text, (size_t)(dot - text)), one) &&
           json_span_i64(str_of(dot + 1), two) && *one >= 0 && *two >= 0;
}

/* ---- heads ---- */

void api_head_etag(struct http_res *res, struct bough_head head)
{
    http_etag(res, "%lld.%lld", (long long)head.branch, (long long)head.depth);
}

enum bough_rc api_expect_head(const struct http_req *req, struct http_res *res, bool *has,
                              struct bough_head *out, struct bough_error *err)
{
    const char *tag = http_header(req, "if-match");
    size_t n = tag ? strlen(tag) : 0;

    (void)err;
    *has = false;
    if (!tag || strcmp(tag, "*") == 0)
        return BOUGH_OK;
    *has = n > 2 && tag[0] == '"' && tag[n - 1] == '"' &&
           api_cursor_read(arena_strndup(req->arena, tag + 1, n - 2), &out->branch, &out->depth);
    if (*has)
        return BOUGH_OK;
    return http_refuse(res, 412, "precondition_failed", "If-Match is the ETag of a head");
}
