/* The loopback: runs the steps of an exchange in the caller's thread, without sockets. */
#include "http/loopback.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "http/exchange.h"

/* Parse the head of the answer, as a client would. */
static void read_reply(struct bough_arena *a, struct buf *head, struct http_reply *out)
{
    char *p = arena_strndup(a, head->p, head->n), *line, *rest = p;

    out->headers = arena_array(a, PARSE_HEADERS_MAX, sizeof *out->headers);
    line = strsep(&rest, "\n");
    out->status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    while ((line = strsep(&rest, "\n")) && *line != '\r' && out->nheaders < PARSE_HEADERS_MAX) {
        char *colon = strchr(line, ':'), *end = strchr(line, '\r');

        if (!colon || !end)
            continue;
        *end = '\0';
        for (char *c = line; c < colon; c++)
            if (*c >= 'A' && *c <= 'Z')
                *c = (char)(*c + 32);
        out->headers[out->nheaders++] =
            (struct http_header){ str_make(line, (size_t)(colon - line)), str_of(colon + 2) };
    }
}

const char *http_reply_header(const struct http_reply *r, const char *name)
{
    for (size_t i = 0; i < r->nheaders; i++)
        if (str_is(r->headers[i].name, name))
            return r->headers[i].value.p;
    return NULL;
}

static void give_body(struct exchange *x, struct bough_arena *a, struct bough_str body)
{
    if (!x->req.route->piece) {
        x->req.body = str_make(arena_strndup(a, body.p, body.n), body.n);
        return;
    }
    exchange_run(x, EXCHANGE_GATE);
    while (body.n && !x->answered) {
        size_t n = body.n < PIECE ? body.n : PIECE;

        buf_put(&x->piece, body.p, n);
        exchange_run(x, EXCHANGE_PIECE);
        body = str_make(body.p + n, body.n - n);
    }
}

/* Take what fits; the rest of the answer is not asked for. */
static void take(struct exchange *x, struct buf *body, bool wanted)
{
    size_t room = body->max - body->n;

    if (!wanted)
        return;
    buf_put(body, x->res.out.p, x->res.out.n < room ? x->res.out.n : room);
    if (x->res.out.n > room)
        x->cut = true;
}

static void converse(struct exchange *x, struct bough_arena *a, const struct http_ask *ask,
                     struct http_reply *out)
{
    struct buf head, body;
    bool chunked, wanted;
    int later = 0;

    buf_init(&head, 64 * 1024);
    buf_init(&body, ask->most ? ask->most : OUT_MAX);
    if (!x->answered)
        give_body(x, a, ask->body);
    if (!x->answered)
        exchange_run(x, EXCHANGE_CALL);
    answer_head(x, &head, false, &chunked, &wanted);
    take(x, &body, wanted);
    while (x->res.events && !x->over && !x->cut && x->res.sse.at < http_hub_at(x->res.sse.hub)) {
        exchange_run(x, EXCHANGE_REPLAY);
        take(x, &body, wanted);
    }
    while (!x->res.events && !x->over && x->more != HTTP_END && !x->cut) {
        if (x->more == HTTP_LATER && later++ >= ask->pulls)
            break;
        exchange_run(x, EXCHANGE_PULL);
        take(x, &body, wanted);
    }
    if (exchange_unfinished(x))
        exchange_run(x, EXCHANGE_END);
    read_reply(a, &head, out);
    out->cut = x->cut;
    out->body = str_make(arena_strndup(a, body.p, body.n), body.n);
    buf_finish(&head);
    buf_finish(&body);
}

static void refused(struct bough_arena *a, const struct parse_error *bad, struct http_reply *out)
{
    struct buf b;
    const char *end;

    buf_init(&b, 64 * 1024);
    answer_bad(&b, bad);
    read_reply(a, &b, out);
    end = strstr(b.p, "\r\n\r\n");
    out->body = str_of(arena_strdup(a, end ? end + 4 : ""));
    buf_finish(&b);
}

void http_loopback(const struct http_app *app, struct bough_arena *a, const struct http_ask *ask,
                   struct http_reply *out)
{
    struct parse_head *head = arena_alloc(a, sizeof *head);
    struct parse_scan scan = { 0 };
    struct parse_error bad;
    struct exchange *x;
    struct buf text;

    *out = (struct http_reply){ 0 };
    buf_init(&text, 1024 * 1024);
    buf_printf(&text, "%s %s HTTP/1.1\r\n", ask->method, ask->target);
    if (!ask->headers || !strcasestr(ask->headers, "Host:"))
        buf_puts(&text, "Host: localhost\r\n");
    if (ask->body.n)
        buf_printf(&text, "Content-Length: %zu\r\n", ask->body.n);
    buf_puts(&text, ask->headers ? ask->headers : "");
    buf_puts(&text, "\r\n");
    if (parse_scan(&scan, text.p, text.n, &bad) != PARSE_DONE ||
        parse_head(head, text.p, text.n, &bad) != PARSE_DONE) {
        refused(a, &bad, out);
    } else {
        x = exchange_create(app, head, ask->via, ask->via == HTTP_VIA_UNIX ? "unix" : "127.0.0.1");
        converse(x, a, ask, out);
        exchange_destroy(x);
    }
    buf_finish(&text);
}
