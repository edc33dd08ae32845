/* Helpers for all handlers: the session and entry in a path, lists and pages, heads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/kit/api.h"
#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "store/engine/engine.h"

/* ---- sessions ---- */

enum bough_rc api_session_named(struct http_req *req, const char *name, struct bough_session **out,
                                struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    enum bough_rc rc = bough_session_get(call->store, req->arena, name, out, err);

    /* D13: a session of another project must look like one that does not
     * exist, message included. */
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
    const char *name = http_param(req, "id");
    enum bough_rc rc = api_session_named(req, name, out, err);

    /* What removes something takes no slug, number or prefix: those may mean another session by
     * now. */
    if (!rc && (req->route->needs & AUTH_DELETE) && strcasecmp(name, (*out)->id) != 0 &&
        strcmp(name, (*out)->origin) != 0)
        return bough_fail(err, BOUGH_INVALID, "name the session by its full id: %s", (*out)->id);
    return rc;
}

void api_hide_parent(struct http_req *req, struct bough_session *s)
{
    struct bough_session *up;

    if (!*api_of(req)->who->project || cstr_empty(s->parent) ||
        api_session_named(req, s->parent, &up, NULL) == BOUGH_OK)
        return;
    s->parent = s->fork_entry = "";
}

enum bough_rc api_sees_parents(struct http_req *req, const struct bough_session *s,
                               struct bough_error *err)
{
    struct bough_session *up;
    enum bough_rc rc = BOUGH_OK;

    while (*api_of(req)->who->project && !rc && *s->parent) {
        rc = api_session_named(req, s->parent, &up, err);
        s = up;
    }
    /* The message must not reveal the parent's id. */
    if (rc == BOUGH_NOT_FOUND)
        return bough_fail(err, rc, "a parent of this session does not exist");
    return rc;
}

enum bough_rc api_for_all(struct http_req *req, struct http_res *res)
{
    return *api_of(req)->who->project
               ? http_refuse(res, 403, "denied", "this token is bound to one project")
               : BOUGH_OK;
}

enum bough_rc api_own_project(struct http_req *req, struct http_res *res, const char **project)
{
    const struct auth_who *who = api_of(req)->who;

    if (*project && !auth_sees(who, *project))
        return http_refuse(res, 403, "denied", "this token is bound to another project");
    if (!*project && *who->project)
        *project = who->project;
    return BOUGH_OK;
}

void api_busy(struct http_req *req, struct http_res *res, const char *session)
{
    struct bough_session *s;
    struct json_writer w;
    struct buf b;

    if (bough_session_get(api_of(req)->store, req->arena, session, &s, NULL) || !s->lease ||
        !*s->lease->owner)
        return;
    buf_init(&b, 64 * 1024);
    jw_init(&w, &b);
    jw_obj(&w);
    form_lease(&w, "lease", s->lease);
    jw_end_obj(&w);
    http_detail(res, buf_str(&b));
    buf_finish(&b);
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

    /* The library's message would reveal that the entry exists in another session. */
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_INVALID || rc == BOUGH_GONE)
        return bough_fail(err, BOUGH_NOT_FOUND, "no entry %.60s in this session", name);
    return rc;
}

enum bough_rc api_entry_anywhere(struct http_req *req, const char *name, struct bough_entry **out,
                                 struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_session *s;
    enum bough_rc rc = bough_entry_get(call->store, req->arena, NULL, name, out, err);

    if (!rc)
        rc = api_session_named(req, (*out)->session, &s, err);
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_INVALID || (rc && *call->who->project))
        return bough_fail(err, BOUGH_NOT_FOUND, "no entry %.60s", name);
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

int64_t api_now(const struct http_req *req)
{
    return env_now(&api_of(req)->store->e->env);
}

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
                             "%s must be a time in ISO 8601 or milliseconds since 1970", name);
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

void api_put_id(struct http_res *res, int status, const char *id)
{
    struct json_writer *w = http_json(res, status);

    jw_obj(w);
    jw_kv_cstr(w, "id", id);
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

/* ---- heads ---- */

bool api_head_read(const char *text, struct bough_head *out)
{
    const char *dot = strchr(text, '.');

    return dot && json_span_i64(str_make(text, (size_t)(dot - text)), &out->branch) &&
           json_span_i64(str_of(dot + 1), &out->depth) && out->branch >= 0 && out->depth >= 0;
}

void api_head_etag(struct http_res *res, struct bough_head head)
{
    http_etag(res, "%lld.%lld", (long long)head.branch, (long long)head.depth);
}

enum bough_rc api_expect_head(const struct http_req *req, struct http_res *res,
                              const struct bough_head **out, struct bough_error *err)
{
    const char *tag = http_header(req, "if-match");
    size_t n = tag ? strlen(tag) : 0;
    struct bough_head *head = arena_zalloc(req->arena, sizeof *head);

    (void)err;
    *out = NULL;
    if (!tag || strcmp(tag, "*") == 0)
        return BOUGH_OK;
    *out = head;
    if (n > 2 && tag[0] == '"' && tag[n - 1] == '"' &&
        api_head_read(arena_strndup(req->arena, tag + 1, n - 2), head))
        return BOUGH_OK;
    return http_refuse(res, 412, "precondition_failed", "If-Match must be the ETag of a head");
}

/* "#branch.depth", or "" for a session without entries. */
static enum bough_rc read_place(const char *text, struct bough_head *out, struct bough_error *err)
{
    *out = (struct bough_head){ 0 };
    if (!*text || (text[0] == '#' && api_head_read(text + 1, out)))
        return BOUGH_OK;
    return bough_fail(err, BOUGH_INVALID,
                      "expect_head must be \"#branch.depth\", or \"\" for no entry");
}

enum bough_rc api_expect(struct http_req *req, struct http_res *res, const char *place,
                         const struct bough_head **out, struct bough_error *err)
{
    enum bough_rc rc = api_expect_head(req, res, out, err);
    struct bough_head *head;

    if (rc || !place)
        return rc;
    head = arena_zalloc(req->arena, sizeof *head);
    *out = head;
    return read_place(place, head, err);
}

enum bough_rc api_head_lost(const struct http_req *req, struct http_res *res, enum bough_rc rc,
                            const struct bough_error *err)
{
    char text[96];

    if (rc != BOUGH_CONFLICT || !http_header(req, "if-match"))
        return rc;
    snprintf(text, sizeof text, "{\"head\":{\"branch\":%lld,\"depth\":%lld}}",
             (long long)err->head.branch, (long long)err->head.depth);
    http_detail(res, str_of(text));
    return http_refuse(res, 412, "precondition_failed", "%s", err->msg);
}
