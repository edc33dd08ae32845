/* Attachments: store an uploaded file as it arrives, and send ranges of a stored one. */
#include <stdlib.h>
#include <string.h>

#include "api/kit/api.h"
#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "core/part/view.h"

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

/* Send attachment `n` of the entry, or a range of it. */
static enum bough_rc give(struct http_req *req, struct http_res *res, const struct bough_entry *e,
                          const char *session, const struct bough_attachment *at, size_t n,
                          struct bough_error *err)
{
    struct reading *r = arena_zalloc(req->arena, sizeof *r);
    enum bough_rc rc;

    http_text(res, 200, safe_type(at->mime));
    http_set(res, "Content-Disposition", "attachment");
    http_etag(res, "%s", strchr(at->url, '-') + 1);
    rc = http_range(req, res, at->size, &r->from, &r->left, err);
    if (rc)
        return rc;
    http_length(res, r->left);
    r->session = session;
    r->entry = e->id;
    r->n = n;
    req->state = r;
    http_pull(res, pull, 0);
    return BOUGH_OK;
}

static enum bough_rc get_bytes(struct http_req *req, struct http_res *res, struct bough_error *err)
{
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
    return give(req, res, e, s->id, &found.at[number], (size_t)number, err);
}

/* ---- the file of a part ---- */

/* The file that a part shows: the part itself, or the n-th image of a tool's output. */
static bool file_of(struct bough_arena *a, const struct bough_part *part, int64_t n,
                    struct part_view *v)
{
    struct json_iter it;
    struct json blocks;

    view_part(a, part, v);
    if (v->kind == VIEW_FILE)
        return n == 0;
    if (!v->output.n || json_parse(a, v->output, &blocks, NULL) != BOUGH_OK)
        return false;
    for (it = json_iter(blocks); json_next(&it);) {
        struct bough_part block = { BOUGH_PART_FILE, json_raw(it.value) };

        view_part(a, &block, v);
        if (v->kind == VIEW_FILE && v->base64.n && n-- == 0)
            return true;
    }
    return false;
}

/* A part that names its attachment: find it among those of the entry. */
static enum bough_rc give_stored(struct http_req *req, struct http_res *res,
                                 const struct bough_entry *e, const struct part_view *v,
                                 struct bough_error *err)
{
    struct bough_attachments found;
    enum bough_rc rc =
        bough_attachment_list(api_of(req)->store, req->arena, e->session, e->id, &found, err);

    for (size_t i = 0; !rc && i < found.n; i++)
        if (str_eq(v->url, str_of(found.at[i].url)))
            return give(req, res, e, e->session, &found.at[i], i, err);
    return rc ? rc : bough_fail(err, BOUGH_NOT_FOUND, "the bytes of this part are not stored");
}

static enum bough_rc give_decoded(struct http_req *req, struct http_res *res,
                                  const struct part_view *v, struct bough_error *err)
{
    unsigned char *bytes = arena_alloc(req->arena, v->base64.n + 1);
    unsigned char hash[SHA256_LEN];
    char text[2 * SHA256_LEN + 1];
    int64_t from, length;
    enum bough_rc rc;
    size_t n;

    if (!base64_decode(v->base64.p, v->base64.n, bytes, &n))
        return bough_fail(err, BOUGH_INVALID_PART, "the bytes of this part are not base64");
    http_text(res, 200, safe_type(v->mime));
    http_set(res, "Content-Disposition", "attachment");
    sha256(bytes, n, hash);
    sha256_hex(hash, text);
    http_etag(res, "%s", text);
    rc = http_range(req, res, (int64_t)n, &from, &length, err);
    if (!rc)
        http_write(res, bytes + from, (size_t)length);
    return rc;
}

static const struct http_field file_query[] = {
    { "index", HTTP_INTEGER, "Which image of a tool's output, from 0.", .most = 1000 },
    { 0 },
};

static enum bough_rc get_file(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *name = http_param(req, "part");
    struct bough_entry *e;
    struct bough_part part;
    struct part_view v;
    int64_t index;
    enum bough_rc rc = api_entry_anywhere(req, name, &e, err);

    if (!rc)
        rc = bough_part_get(api_of(req)->store, req->arena, name, &part, err);
    if (!rc)
        rc = http_query_i64(req, "index", 0, 0, 1000, &index, err);
    if (rc)
        return rc;
    if (!file_of(req->arena, &part, index, &v))
        return bough_fail(err, BOUGH_NOT_FOUND, "this part has no such file");
    return v.base64.n ? give_decoded(req, res, &v, err) : give_stored(req, res, e, &v, err);
}

const struct http_route api_attachment_routes[] = {
    { "POST", "/api/v1/attachments", store_end, AUTH_APPEND,
      "Upload a file. It is removed after a day unless a file part with its url was appended.",
      .takes = "bytes", .gives = "Stored", .status = 201, .flags = HTTP_RAW_BODY,
      .body_max = (size_t)LIMIT_ATTACHMENT_BYTES, .piece = store_piece, .drop = store_drop },
    { "GET", "/api/v1/parts/{part}/file", get_file, AUTH_READ,
      "Download the file that a part shows, or an image of a tool's output.", file_query,
      .gives = "bytes", .flags = HTTP_TAGS | HTTP_RANGES | HTTP_DOWNLOADS },
    { "GET", "/api/v1/sessions/{id}/entries/{entry}/attachments", list, AUTH_READ,
      "List the attachments of an entry, in the order of its parts.", .gives = "Attachments" },
    { "GET", "/api/v1/sessions/{id}/entries/{entry}/attachments/{number}", get_bytes, AUTH_READ,
      "Download an attachment by its number, from 0, or a range of it.", .gives = "bytes",
      .flags = HTTP_TAGS | HTTP_RANGES | HTTP_DOWNLOADS },
    { 0 },
};
