/* The head of an answer as bytes: status line, framing, and security headers. */
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/text/str.h"
#include "http/exchange.h"

const char *http_reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {
        { 200, "OK" },
        { 201, "Created" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 206, "Partial Content" },
        { 303, "See Other" },
        { 304, "Not Modified" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 402, "Payment Required" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 408, "Request Timeout" },
        { 409, "Conflict" },
        { 410, "Gone" },
        { 412, "Precondition Failed" },
        { 413, "Content Too Large" },
        { 414, "URI Too Long" },
        { 415, "Unsupported Media Type" },
        { 416, "Range Not Satisfiable" },
        { 417, "Expectation Failed" },
        { 421, "Misdirected Request" },
        { 422, "Unprocessable Content" },
        { 426, "Upgrade Required" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" },
        { 505, "HTTP Version Not Supported" },
        { 507, "Insufficient Storage" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status)
            return rows[i].text;
    return "Status";
}

/* Did the handler set this header? */
static bool has(const struct buf *head, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = head->p; p && *p; p = strchr(p, '\n') + 1)
        if (strncasecmp(p, name, n) == 0 && p[n] == ':')
            return true;
    return false;
}

static void put_date(struct buf *out)
{
    static _Thread_local char text[48]; /* cached for one second */
    static _Thread_local time_t made;
    time_t now = time(NULL);
    struct tm tm;

    if (now != made && gmtime_r(&now, &tm) &&
        strftime(text, sizeof text, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &tm))
        made = now;
    buf_puts(out, text);
}

static void put_line(struct buf *out, const char *name, const char *value)
{
    buf_puts(out, name);
    buf_puts(out, value);
    buf_put(out, "\r\n", 2);
}

static void put_status(struct buf *out, int status)
{
    char line[16] = "HTTP/1.1 000 ";

    line[9] = (char)('0' + status / 100 % 10);
    line[10] = (char)('0' + status / 10 % 10);
    line[11] = (char)('0' + status % 10);
    put_line(out, line, http_reason(status));
}

/* Security headers for every answer. A page may set its own Content-Security-Policy. */
static void put_safety(const struct http_res *res, struct buf *out)
{
    static const char always[] =
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\n";

    buf_put(out, always, sizeof always - 1);
    if (!has(&res->head, "Content-Security-Policy"))
        buf_puts(
            out,
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'; sandbox\r\n");
    if (!has(&res->head, "Cache-Control"))
        buf_puts(out, res->etag[0] ? "Cache-Control: private, no-cache\r\n"
                                   : "Cache-Control: no-store\r\n");
}

bool answer_sane_trace(const char *s)
{
    static const size_t ends[] = { 2, 35, 52 };

    if (!s || strlen(s) != 55)
        return false;
    for (size_t i = 0; i < 55; i++) {
        bool dash = i == ends[0] || i == ends[1] || i == ends[2];

        if (dash ? s[i] != '-' : !strchr("0123456789abcdef", s[i]))
            return false;
    }
    return true;
}

static void put_length(struct exchange *x, struct buf *out, bool *chunked, bool *close)
{
    const struct http_res *res = &x->res;
    int64_t length = -1;

    if (!res->pull && !res->events && !res->flow && res->spill < 0)
        length = (int64_t)res->out.n;
    else if (!res->gzip)
        length = res->spill >= 0 ? res->spilled : res->length;
    if (length >= 0) {
        buf_printf(out, "Content-Length: %lld\r\n", (long long)length);
        return;
    }
    /* HTTP/1.0 and event streams: the body ends when the connection closes. */
    *chunked = !x->http10 && !res->events;
    if (*chunked)
        buf_puts(out, "Transfer-Encoding: chunked\r\n");
    else
        *close = true;
}

void answer_head(struct exchange *x, struct buf *out, bool close, bool *chunked, bool *body)
{
    const struct http_res *res = &x->res;
    const char *trace = http_header(&x->req, "traceparent");
    bool bare = res->status == 204 || res->status == 304;

    *chunked = false;
    *body = !bare && x->req.method != HTTP_HEAD;
    (void)buf_reserve(out, 1000); /* enough for a usual head */
    put_status(out, res->status);
    put_date(out);
    if (!bare) {
        if (res->type)
            put_line(out, "Content-Type: ", res->type);
        put_length(x, out, chunked, &close);
    }
    if (res->gzip)
        buf_puts(out, "Content-Encoding: gzip\r\n");
    if (res->type && !res->etag[0])
        buf_puts(out, "Vary: Accept-Encoding\r\n");
    if (res->etag[0] && !res->failed)
        buf_printf(out, "ETag: \"%s\"\r\n", res->etag);
    if (res->events)
        buf_puts(out, "X-Accel-Buffering: no\r\n");
    if (close)
        buf_puts(out, "Connection: close\r\n");
    else if (x->http10)
        buf_puts(out, "Connection: keep-alive\r\n");
    put_line(out, "X-Request-Id: ", res->id ? res->id : x->req.id);
    if (answer_sane_trace(trace))
        put_line(out, "traceparent: ", trace);
    buf_put_str(out, buf_str(&res->head));
    put_safety(res, out);
    buf_puts(out, "\r\n");
    x->keep_alive = x->keep_alive && !close;
}

void answer_bad(struct buf *out, const struct parse_error *bad)
{
    struct buf body;
    struct json_writer w;

    buf_init(&body, 4096);
    jw_init(&w, &body);
    jw_obj(&w);
    jw_key(&w, "error");
    jw_obj(&w);
    jw_kv_cstr(&w, "code", "bad_request");
    jw_kv_cstr(&w, "message", bad->why);
    jw_end_obj(&w);
    jw_end_obj(&w);
    put_status(out, bad->status);
    put_date(out);
    buf_printf(out,
               "Content-Type: application/json; charset=utf-8\r\nContent-Length: %zu\r\n"
               "Connection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n%s",
               body.n, body.p);
    buf_finish(&body);
}
