/* Attachments: store an uploaded file as it arrives, and send ranges of a stored one. */
#include <stdlib.h>
#include <string.h>

#include "api/kit/api.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

enum { PULL_BYTES = 256 * 1024 };

static void put_one(struct json_writer *w, const struct bough_attachment *at)
{
    jw_obj(w);
    jw_kv_cstr(w, "url", at->url);
    jw_kv_i64(w, "size", at->size);
    jw_end_obj(w);
}

/* ---- upload ---- */

static enum bough_rc store_begin(struct http_req *req, struct bough_error *err)
{
    struct bough_attachment_writer *writer = NULL;
    enum bough_rc rc = BOUGH_OK;

    if (!req->state)
        rc = bough_attachment_begin(api_of(req)->store, &writer, err);
    if (writer)
        req->state = writer;
    return rc;
}

static enum bough_rc store_piece(struct http_req *req, struct bough_str piece,
                                 struct bough_error *err)
{
    enum bough_rc rc = store_begin(req, err);

    return rc ? rc : bough_attachment_write(req->state, piece.p, piece.n, err);
}

static enum bough_rc store_end(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_attachment_writer *writer;
    struct bough_attachment out = { 0 };
    enum bough_rc rc = store_begin(req, err); /* an empty file never calls store_piece() */

    if (rc)
        return rc;
    writer = req->state;
    rc = bough_attachment_finish(&writer, &out, err);
    req->state = NULL;
    if (!rc)
        put_one(http_json(res, 201), &out);
    return rc;
}

static void store_drop(struct http_req *req)
{
    struct bough_attachment_writer *writer = req->state;

    bough_attachment_cancel(&writer);
    req->state = NULL;
}

/* ---- download ---- */

static enum bough_rc find(struct http_req *req, struct bough_session **s, struct bough_entry **e,
                          struct bough_attachments *out, struct bough_error *err)
{
    enum bough_rc rc = api_session(req, s, err);

    if (!rc)
        rc = api_entry(req, (*s)->id, http_param(req, "entry"), e, err);
    if (!rc)
        rc = bough_attachment_list(api_of(req)->store, req->arena, (*s)->id, (*e)->id, out, err);
    return rc;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_attachments found;
    struct bough_session *s;
    struct bough_entry *e;
    struct json_writer *w;
    enum bough_rc rc = find(req, &s, &e, &found, err);

    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++) {
        jw_obj(w);
        jw_kv_i64(w, "number", (int64_t)i);
        jw_kv_cstr(w, "url", found.at[i].url);
        jw_kv_i64(w, "size", found.at[i].size);
        jw_kv_i64(w, "part", (int64_t)found.at[i].part);
        jw_kv_cstr(w, "mime", found.at[i].mime);
        jw_kv_cstr(w, "name", found.at[i].name);
        jw_end_obj(w);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

/* Types that a browser shows without running scripts. Everything else is only offered as a
 * download. */
static const char *safe_type(const char *mime)
{
    static const char *const shown[] = { "image/png",  "image/jpeg", "image/gif",
                                         "image/webp", "audio/mpeg", "audio/wav",
                                         "video/mp4",  "video/webm", NULL };

    for (size_t i = 0; shown[i]; i++)
        if (strcmp(shown[i], mime) == 0)
            return shown[i];
    return "application/octet-stream";
}

struct reading {
    const char *session, *entry;
    size_t n;
    int64_t from, left;
};

static bool take(void *user, const void *p, size_t n)
{
    http_write(user, p, n);
    return true;
}

static enum bough_rc pull(struct http_req *req, struct http_res *res, enum http_more *more,
                          struct bough_error *err)
{
    struct reading *r = req->state;
    int64_t n = r->left < PULL_BYTES ? r->left : PULL_BYTES;
    enum bough_rc rc = BOUGH_OK;

    if (n)
        rc = bough_attachment_read(
            api_of(req)->store, r->session, r->entry,
            &(struct bough_attachment_read_options){
                .index = r->n, .from = r->from, .length = n, .write = take, .user = res },
            err);
    r->from += n;
    r->left -= n;
    *more = r->left ? HTTP_MORE : HTTP_END;
    return rc;
}

static enum bough_rc get_bytes(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct reading *r = arena_zalloc(req->arena, sizeof *r);
    const char *text = http_param(req, "number");
    struct bough_attachments found = { 0 };
    struct bough_session *s;
    struct bough_entry *e;
    int64_t number;
    enum bough_rc rc = find(req, &s, &e, &found, err);

    if (rc)
        return rc;
    if (!json_span_i64(str_of(text), &number) || number < 0 || (uint64_t)number >= found.n)
        return bough_fail(err, BOUGH_NOT_FOUND, "this entry has no attachment %.20s", text);
    http_text(res, 200, safe_type(found.at[number].mime));
    http_set(res, "Content-Disposition", "attachment");
    http_etag(res, "%s", strchr(found.at[number].url, '-') + 1);
    rc = http_range(req, res, found.at[number].size, &r->from, &r->left, err);
    if (rc)
        return rc;
    http_length(res, r->left);
    r->session = s->id;
    r->entry = e->id;
    r->n = (size_t)number;
    req->state = r;
    http_pull(res, pull, 0);
    return BOUGH_OK;
}

const struct http_route api_attachment_routes[] = {
    { "POST", "/api/v1/attachments", store_end, AUTH_APPEND,
      "Upload a file. It is removed after a day unless a file part with its url was appended.",
      .takes = "bytes", .gives = "Stored", .status = 201, .flags = HTTP_RAW_BODY,
      .body_max = (size_t)LIMIT_ATTACHMENT_BYTES, .piece = store_piece, .drop = store_drop },
    { "GET", "/api/v1/sessions/{id}/entries/{entry}/attachments", list, AUTH_READ,
      "List the attachments of an entry, in the order of its parts.", .gives = "Attachments" },
    { "GET", "/api/v1/sessions/{id}/entries/{entry}/attachments/{number}", get_bytes, AUTH_READ,
      "Download an attachment by its number, from 0, or a range of it.", .gives = "bytes",
      .flags = HTTP_TAGS | HTTP_RANGES | HTTP_DOWNLOADS },
    { 0 },
};
