/* Answers of handlers: status, headers, JSON, errors, spilling to a file. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "http/exchange.h"

enum { JSON_FIRST = 2000 }; /* most answers are shorter */

static const char json_type_text[] = "application/json; charset=utf-8";

void response_init(struct http_res *res, struct http_req *req)
{
    *res = (struct http_res){ .req = req, .status = 200, .spill = -1, .length = -1 };
    buf_init(&res->head, 16 * 1024);
    buf_init(&res->out, OUT_MAX);
}

static void drop_spill(struct http_res *res)
{
    if (res->spill >= 0)
        close(res->spill);
    res->spill = -1;
    res->spilled = res->taken = 0;
    res->lost = false;
}

void response_finish(struct http_res *res)
{
    drop_spill(res);
    gzip_destroy(res->gzip);
    buf_finish(&res->head);
    buf_finish(&res->out);
}

void response_reset(struct http_res *res)
{
    drop_spill(res);
    buf_reset(&res->head);
    buf_reset(&res->out);
    res->type = NULL;
    res->pull = NULL;
    res->length = -1;
    res->etag[0] = '\0';
}

void http_status(struct http_res *res, int status)
{
    res->status = status;
}

void http_set(struct http_res *res, const char *name, const char *value)
{
    buf_puts(&res->head, name);
    buf_puts(&res->head, ": ");
    /* A header must stay one line, whatever value is passed. */
    for (; *value; value++)
        buf_putc(&res->head, (unsigned char)*value < 0x20 || *value == 0x7f ? ' ' : *value);
    buf_puts(&res->head, "\r\n");
}

void http_setf(struct http_res *res, const char *name, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    http_set(res, name, text);
}

struct json_writer *http_json(struct http_res *res, int status)
{
    http_text(res, status, json_type_text);
    (void)buf_reserve(&res->out, JSON_FIRST);
    jw_init(&res->json, &res->out);
    return &res->json;
}

struct json_writer *http_json_more(struct http_res *res)
{
    return &res->json;
}

void http_text(struct http_res *res, int status, const char *type)
{
    res->status = status;
    res->type = type;
}

void http_write(struct http_res *res, const void *p, size_t n)
{
    buf_put(&res->out, p, n);
    http_spill(res);
}

void http_puts(struct http_res *res, const char *text)
{
    http_write(res, text, strlen(text));
}

void http_no_content(struct http_res *res)
{
    res->status = 204;
}

void http_length(struct http_res *res, int64_t n)
{
    res->length = n;
}

void http_pull(struct http_res *res, http_puller *pull, int64_t later_ms)
{
    res->pull = pull;
    res->later_ms = later_ms;
}

void http_flow(struct http_res *res, const struct http_flow_events *on, void *user)
{
    res->flow = on;
    res->flow_user = user;
}

/* ---- spilling ---- */

static void spill_now(struct http_res *res)
{
    size_t at = 0;

    if (res->spill < 0 && !res->lost)
        res->spill = fs_nameless();
    while (res->spill >= 0 && at < res->out.n) {
        ssize_t n = write(res->spill, res->out.p + at, res->out.n - at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    res->lost = res->lost || at < res->out.n;
    res->spilled += (int64_t)at;
    buf_reset(&res->out);
}

void http_spill(struct http_res *res)
{
    /* The output of a pull is sent before the next pull, so it never grows large. */
    if (!res->pull && !res->events && res->out.n >= SPILL_AT)
        spill_now(res);
}

void response_settle(struct http_res *res)
{
    if (res->spill >= 0 && res->out.n)
        spill_now(res);
}

bool response_unspill(struct http_res *res)
{
    int64_t left = res->spilled - res->taken;
    size_t want = left < PIECE ? (size_t)left : PIECE;
    char *to = buf_reserve(&res->out, want);
    ssize_t n = to ? pread(res->spill, to, want, res->taken) : -1;

    if (n <= 0)
        return false;
    res->out.n += (size_t)n;
    buf_end(&res->out);
    res->taken += n;
    return true;
}

/* ---- errors ---- */

void http_detail(struct http_res *res, struct bough_str json)
{
    res->detail = arena_str(res->req->arena, json);
}

static void write_usual(struct http_res *res, struct json_writer *w, const char *code,
                        const char *message)
{
    jw_obj(w);
    jw_key(w, "error");
    jw_obj(w);
    jw_kv_cstr(w, "code", code);
    jw_kv_cstr(w, "message", message);
    if (res->detail.n)
        jw_kv_raw(w, "detail", res->detail);
    jw_end_obj(w);
    jw_end_obj(w);
}

static void write_error(struct http_res *res, int status, const char *code, const char *message)
{
    const struct http_route *row = res->req->route;
    struct json_writer *w;

    response_reset(res);
    w = http_json(res, status);
    if (row && row->errors)
        row->errors->write(w, res->req, code, message, res->detail);
    else
        write_usual(res, w, code, message);
    res->failed = true;
}

enum bough_rc http_refuse(struct http_res *res, int status, const char *code, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    write_error(res, status, code, text);
    res->refused = true;
    return BOUGH_DENIED;
}

void http_fail(struct http_res *res, const struct bough_error *err)
{
    int status = bough_rc_http(err->rc);

    if (err->rc == BOUGH_CONFLICT && err->head.branch && !res->detail.n) {
        char text[96];

        snprintf(text, sizeof text, "{\"head\":{\"branch\":%lld,\"depth\":%lld}}",
                 (long long)err->head.branch, (long long)err->head.depth);
        http_detail(res, str_of(text));
    }
    write_error(res, status, bough_rc_name(err->rc), err->msg);
    if (status == 503)
        http_set(res, "Retry-After", "1");
}

/* ---- ETags and ranges ---- */

void http_etag(struct http_res *res, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(res->etag, sizeof res->etag, fmt, ap);
    va_end(ap);
}

/* Is the tag in a list of quoted tags, or is the list "*"? `weak`: W/"x" matches too. */
static bool lists_tag(const char *list, const char *etag, bool weak)
{
    struct bough_str rest = str_of(list), item;

    while (parse_list(&rest, &item)) {
        if (str_is(item, "*"))
            return true;
        if (weak && str_starts(item, "W/"))
            item = str_make(item.p + 2, item.n - 2);
        if (item.n == strlen(etag) + 2 && item.p[0] == '"' && item.p[item.n - 1] == '"' &&
            memcmp(item.p + 1, etag, item.n - 2) == 0)
            return true;
    }
    return false;
}

bool response_none_match(const struct http_req *req, const char *etag)
{
    const char *list = http_header(req, "if-none-match");

    return list && lists_tag(list, etag, true);
}

enum bough_rc http_if_match(const struct http_req *req, struct http_res *res, const char *etag,
                            struct bough_error *err)
{
    const char *list = http_header(req, "if-match");

    (void)err;
    if (!list || lists_tag(list, etag, false))
        return BOUGH_OK;
    return http_refuse(res, 412, "precondition_failed", "it is \"%s\" now", etag);
}

/* Parse "bytes=5-9", "bytes=5-" or "bytes=-5". False for anything else: the header is ignored. */
static bool read_range(const char *text, int64_t size, int64_t *from, int64_t *to)
{
    const char *p = text + 6;
    char *end;

    if (strncmp(text, "bytes=", 6) != 0 || strchr(text, ','))
        return false;
    if (*p == '-') {
        *to = size - 1;
        *from = size - strtoll(p + 1, &end, 10);
        if (*from < 0)
            *from = 0;
        return end != p + 1 && !*end;
    }
    *from = strtoll(p, &end, 10);
    if (end == p || *end != '-' || *from < 0)
        return false;
    p = end + 1;
    *to = *p ? strtoll(p, &end, 10) : size - 1;
    if (*p && (*end || end == p || *to < *from))
        return false;
    if (*to >= size)
        *to = size - 1;
    return true;
}

/* If-Range: the range counts only for the state that the client knows. A date is never ours. */
static bool range_counts(const struct http_req *req, const char *etag)
{
    const char *tag = http_header(req, "if-range");
    size_t n = strlen(etag);

    return !tag || (*etag && strlen(tag) == n + 2 && tag[0] == '"' && tag[n + 1] == '"' &&
                    memcmp(tag + 1, etag, n) == 0);
}

enum bough_rc http_range(const struct http_req *req, struct http_res *res, int64_t size,
                         int64_t *from, int64_t *length, struct bough_error *err)
{
    const char *text = http_header(req, "range");
    int64_t to;

    (void)err;
    *from = 0;
    *length = size;
    http_set(res, "Accept-Ranges", "bytes");
    if (!text || !range_counts(req, res->etag) || !read_range(text, size, from, &to)) {
        *from = 0;
        return BOUGH_OK;
    }
    if (*from >= size) {
        enum bough_rc rc = http_refuse(res, 416, "range", "the range begins behind the end");

        http_setf(res, "Content-Range", "bytes */%lld", (long long)size);
        return rc;
    }
    *length = to - *from + 1;
    res->status = 206;
    http_setf(res, "Content-Range", "bytes %lld-%lld/%lld", (long long)*from, (long long)to,
              (long long)size);
    return BOUGH_OK;
}
