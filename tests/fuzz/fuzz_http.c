/*
 * Fuzz: a request parses the same in one piece and in many, all spans lie inside the input, and
 * (with llhttp) llhttp accepts every request we accept, with the same method, target, headers and
 * body.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "fuzz/llhttp_shim.h"
#include "http/parse/parse.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { BODY_MAX = 1 << 20 };

struct heard {
    enum parse_rc rc;
    struct parse_head head;
    struct parse_error bad;
    struct buf body;
    size_t used;
};

static void hear_body(struct heard *h, const char *p, size_t n, size_t step)
{
    struct parse_chunks c = { 0 };
    size_t at = 0;

    if (!h->head.chunked) {
        size_t want = h->head.length > 0 ? (size_t)h->head.length : 0;

        h->rc = n < want ? PARSE_MORE : PARSE_DONE;
        if (h->rc == PARSE_DONE)
            buf_put(&h->body, p, want);
        h->used += n < want ? n : want;
        return;
    }
    h->rc = PARSE_MORE;
    while (h->rc == PARSE_MORE && at < n) {
        size_t take = step < n - at ? step : n - at, used;
        struct bough_str data;

        h->rc = parse_chunks(&c, p + at, take, &used, &data, &h->bad);
        MUST(used <= take &&
             (data.n == 0 || (data.p >= p + at && data.p + data.n <= p + at + used)));
        MUST(used > 0 || h->rc != PARSE_MORE);
        buf_put_str(&h->body, data);
        at += used;
    }
    MUST(h->rc == PARSE_BAD || c.total == (int64_t)h->body.n || h->body.over);
    h->used += at;
}

static void hear(struct bough_arena *a, struct heard *h, const char *text, size_t n, size_t step)
{
    struct parse_scan scan = { 0 };
    char *p = arena_dup(a, text, n);
    size_t seen = 0;

    memset(h, 0, sizeof *h);
    buf_init(&h->body, BODY_MAX);
    do {
        seen = step < n - seen ? seen + step : n;
        h->rc = parse_scan(&scan, p, seen, &h->bad);
    } while (h->rc == PARSE_MORE && seen < n);
    if (h->rc != PARSE_DONE)
        return;
    MUST(scan.at <= n && scan.begins < scan.at);
    h->rc = parse_head(&h->head, p + scan.begins, scan.at - scan.begins, &h->bad);
    MUST(h->rc != PARSE_MORE);
    h->used = scan.at;
    if (h->rc == PARSE_DONE)
        hear_body(h, p + scan.at, n - scan.at, step);
}

static void check_targets(struct bough_arena *a, const struct parse_head *h)
{
    struct bough_str rest = h->query;
    const char *path, *name, *value;
    bool ok;

    if (parse_path(a, h->path, &path)) {
        MUST(utf8_valid(path, strlen(path)) == strlen(path));
        MUST(!strstr(path, "/../") && !strstr(path, "//") && !strstr(path, "/./"));
    }
    while (parse_query(a, &rest, &name, &value, &ok))
        MUST(utf8_valid(name, strlen(name)) == strlen(name));
}

#ifdef WITH_LLHTTP
/* One "name:value" line per header, the format that the shim writes for llhttp's headers. */
static void our_headers(const struct parse_head *h, struct buf *out)
{
    for (size_t i = 0; i < h->nheaders; i++) {
        buf_put_str(out, h->headers[i].name);
        buf_putc(out, ':');
        buf_put_str(out, h->headers[i].value);
        buf_putc(out, '\n');
    }
}

static void compare(const struct heard *ours, const char *text)
{
    static const char *const methods[] = { "GET",   "HEAD",   "POST",    "PUT",
                                           "PATCH", "DELETE", "OPTIONS", "" };
    struct llhttp_heard t;
    struct buf mine;

    buf_init(&mine, BODY_MAX);
    llhttp_hear(&t, text, ours->used);
    if (!t.accepted) {
        fprintf(stderr, "llhttp refuses what we accept: %s\n", t.why);
        abort();
    }
    MUST(strcmp(methods[ours->head.method], t.method) == 0);
    if (t.target.n && t.target.p[0] == '/')
        MUST(str_eq(buf_str(&t.target), ours->head.target));
    our_headers(&ours->head, &mine);
    MUST(str_eq(buf_str(&mine), buf_str(&t.headers)));
    if (!t.upgrade)
        MUST(str_eq(buf_str(&t.body), buf_str(&ours->body)));
    MUST(t.minor == ours->head.minor);
    llhttp_forget(&t);
    buf_finish(&mine);
}
#endif

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    static struct heard whole, pieces;

    hear(a, &whole, (const char *)data, n, n ? n : 1);
    for (size_t step = 1; step < 20; step += 6) {
        hear(a, &pieces, (const char *)data, n, step);
        MUST(pieces.rc == whole.rc && pieces.used == whole.used);
        MUST(whole.rc != PARSE_BAD || pieces.bad.status == whole.bad.status);
        MUST(str_eq(buf_str(&pieces.body), buf_str(&whole.body)));
        buf_finish(&pieces.body);
    }
    if (whole.rc == PARSE_DONE) {
        check_targets(a, &whole.head);
#ifdef WITH_LLHTTP
        if (whole.body.n < BODY_MAX)
            compare(&whole, (const char *)data);
#endif
    }
    buf_finish(&whole.body);
    bough_arena_destroy(a);
    return 0;
}
