/* The strict HTTP parser: refused and parsed input, and the same result for pieces of any size. */
#include "http/parse/parse.h"
#include "http/framings.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "lib/test.h"

/* A whole message, parsed as by a connection. */
struct heard {
    struct parse_head head;
    struct parse_error bad;
    struct buf body;
    size_t used; /* bytes of head and body */
    enum parse_rc rc;
};

static void hear_chunks(struct heard *h, const char *p, size_t n, size_t step)
{
    struct parse_chunks c = { 0 };
    size_t at = 0;

    h->rc = PARSE_MORE;
    while (h->rc == PARSE_MORE && at < n) {
        size_t take = step && step < n - at ? step : n - at, used;
        struct bough_str data;

        h->rc = parse_chunks(&c, p + at, take, &used, &data, &h->bad);
        buf_put_str(&h->body, data);
        at += used;
    }
    h->used += at;
}

/* Parse a message that arrives `step` bytes at a time; 0: all at once. */
static void hear(struct test *t, struct heard *h, const char *text, size_t n, size_t step)
{
    struct parse_scan scan = { 0 };
    char *p = arena_dup(t->arena, text, n);
    size_t seen = 0;

    memset(h, 0, sizeof *h);
    buf_init(&h->body, 1 << 20);
    do {
        seen = step && seen + step < n ? seen + step : n;
        h->rc = parse_scan(&scan, p, seen, &h->bad);
    } while (h->rc == PARSE_MORE && seen < n);
    if (h->rc != PARSE_DONE)
        return;
    h->rc = parse_head(&h->head, p + scan.begins, scan.at - scan.begins, &h->bad);
    h->used = scan.at;
    if (h->rc != PARSE_DONE)
        return;
    if (h->head.chunked) {
        hear_chunks(h, p + scan.at, n - scan.at, step);
    } else if (h->head.length > 0) {
        size_t have = n - scan.at, want = (size_t)h->head.length;

        h->rc = have < want ? PARSE_MORE : PARSE_DONE;
        buf_put(&h->body, p + scan.at, have < want ? have : want);
        h->used += h->body.n;
    }
}

TEST(everything_that_two_readers_could_frame_differently_is_refused)
{
    static const size_t steps[] = { 0, 1, 7 };

    for (size_t i = 0; i < FRAMINGS; i++) {
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            const struct refused_framing *r = &framings[i];
            struct heard h;

            hear(t, &h, r->text, r->n, steps[k]);
            buf_finish(&h.body);
            if (h.rc != PARSE_BAD)
                FAIL("%s: %s (pieces of %zu)", r->name, h.rc == PARSE_DONE ? "accepted" : "waits",
                     steps[k]);
            if (h.bad.status != r->status)
                FAIL("%s: %d (%s), not %d", r->name, h.bad.status, h.bad.why, r->status);
        }
    }
}

TEST(a_request_reads_the_same_in_pieces_of_any_size)
{
    static const char text[] =
        "\r\nPOST /a%20b/c?x=1&y HTTP/1.1\r\nHost: Example.org:80\r\n"
        "X-Empty:\r\nX-Mixed: \t a  b \t\r\nConnection: keep-alive, Close\r\n"
        "Expect: 100-Continue\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "3;a;b=c;d=\"q x\"\r\nabc\r\n00A\r\n0123456789\r\n0\r\nT: v\r\n\r\n"
        "GET";

    for (size_t step = 0; step < sizeof text; step++) {
        struct heard h;

        hear(t, &h, text, sizeof text - 1, step);
        if (h.rc != PARSE_DONE)
            FAIL("pieces of %zu: %s", step, h.bad.why ? h.bad.why : "waits");
        CHECK_INT(HTTP_POST, h.head.method);
        CHECK_SPAN("/a%20b/c?x=1&y", h.head.target);
        CHECK_SPAN("/a%20b/c", h.head.path);
        CHECK_SPAN("x=1&y", h.head.query);
        CHECK_SPAN("Example.org:80", h.head.host);
        CHECK_INT(6, h.head.nheaders);
        CHECK_SPAN("", *parse_header(&h.head, "x-empty"));
        CHECK_SPAN("a  b", *parse_header(&h.head, "x-mixed"));
        CHECK(!h.head.keep_alive && h.head.expects && h.head.chunked);
        CHECK_STR("abc0123456789", h.body.p);
        CHECK_INT(sizeof text - 1 - 3, h.used); /* the next request is not consumed */
        buf_finish(&h.body);
    }
}

TEST(an_absolute_target_of_this_host_is_cut_down_to_its_path)
{
    struct heard h;

    hear(t, &h, BYTES("GET HTTP://H:1/x?y HTTP/1.1\r\nHost: h:1\r\n\r\n"), 0);
    CHECK_INT(PARSE_DONE, h.rc);
    CHECK_SPAN("/x?y", h.head.target);
    buf_finish(&h.body);
    hear(t, &h, BYTES("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n"), 0);
    CHECK_INT(PARSE_DONE, h.rc);
    CHECK_SPAN("/", h.head.path);
    buf_finish(&h.body);
}

TEST(hosts_are_names_addresses_and_ports)
{
    static const char *const good[] = { "localhost", "127.0.0.1:80", "[::1]", "[::1]:8080",
                                        "a_b-c.d:1" };
    static const char *const bad[] = { "[",    "[]",  "[::1", "[::1]x", "::1",
                                       "h:8a", ":80", "h h",  "[g::]" };
    struct heard h;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const char *text = arena_printf(t->arena, GET "Host: %s\r\n\r\n", good[i]);

        hear(t, &h, text, strlen(text), 0);
        buf_finish(&h.body);
        if (h.rc != PARSE_DONE)
            FAIL("%s is refused", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *text = arena_printf(t->arena, GET "Host: %s\r\n\r\n", bad[i]);

        hear(t, &h, text, strlen(text), 0);
        buf_finish(&h.body);
        if (h.rc != PARSE_BAD)
            FAIL("%s is accepted", bad[i]);
    }
}

TEST(keep_alive_follows_the_version_and_the_header)
{
    static const struct {
        const char *text;
        bool keep;
    } rows[] = {
        { "GET / HTTP/1.1\r\nHost: h\r\n\r\n", true },
        { "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false },
        { "GET / HTTP/1.1\r\nHost: h\r\nConnection: x\r\nConnection: CLOSE\r\n\r\n", false },
        { "GET / HTTP/1.0\r\nHost: h\r\n\r\n", false },
        { "GET / HTTP/1.0\r\nHost: h\r\nConnection: Keep-Alive\r\n\r\n", true },
    };
    struct heard h;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hear(t, &h, rows[i].text, strlen(rows[i].text), 0);
        CHECK_INT(PARSE_DONE, h.rc);
        CHECK_INT(rows[i].keep, h.head.keep_alive);
        buf_finish(&h.body);
    }
}

static int status_of(struct test *t, struct buf *b)
{
    struct heard h;

    hear(t, &h, b->p, b->n, 0);
    buf_finish(&h.body);
    buf_finish(b);
    return h.rc == PARSE_BAD ? h.bad.status : h.rc == PARSE_DONE ? 200 : 0;
}

TEST(heads_are_bounded_in_bytes_headers_and_target)
{
    struct buf b;

    for (int over = 0; over < 2; over++) {
        buf_init(&b, 1 << 20);
        buf_puts(&b, GET "Host: h\r\n");
        for (int i = 0; i < 99 + over; i++)
            buf_printf(&b, "X-%d: y\r\n", i);
        buf_puts(&b, "\r\n");
        CHECK_INT(over ? 431 : 200, status_of(t, &b));

        buf_init(&b, 1 << 20);
        buf_printf(&b, "GET /%0*d HTTP/1.1\r\nHost: h\r\n\r\n", PARSE_TARGET_MAX - 1 + over, 0);
        CHECK_INT(over ? 414 : 200, status_of(t, &b));

        buf_init(&b, 1 << 20);
        buf_puts(&b, GET "Host: h\r\nX: ");
        while (b.n < (size_t)PARSE_HEAD_MAX - 4 + (size_t)over)
            buf_putc(&b, 'x');
        buf_puts(&b, "\r\n\r\n");
        CHECK_INT(over ? 431 : 200, status_of(t, &b));
    }
}

TEST(a_head_without_end_is_refused_as_soon_as_it_is_too_long)
{
    struct buf b;

    buf_init(&b, 1 << 20);
    while (b.n <= PARSE_HEAD_MAX)
        buf_putc(&b, 'x');
    CHECK_INT(431, status_of(t, &b));
}

TEST(chunk_extensions_and_trailers_are_bounded_over_the_whole_body)
{
    for (int trailers = 0; trailers < 2; trailers++) {
        struct buf b;

        buf_init(&b, 1 << 20);
        buf_puts(&b, CHUNKED);
        if (trailers)
            buf_puts(&b, "0\r\n");
        for (int i = 0; i < PARSE_EXTRA_MAX / 16 + 1; i++)
            buf_puts(&b, trailers ? "X: 0123456789abcdef\r\n" : "1;0123456789abcdef\r\nx\r\n");
        CHECK_INT(400, status_of(t, &b));
    }
}

TEST(paths_are_decoded_and_never_climb)
{
    static const struct {
        const char *raw, *path; /* NULL: refused */
    } rows[] = {
        { "/", "/" },           { "/a/b", "/a/b" },  { "/a%20b/%c3%A4", "/a b/\xc3\xa4" },
        { "/a/", "/a/" },       { "/...", "/..." },  { "/.a", "/.a" },
        { "//", NULL },         { "/a//b", NULL },   { "/.", NULL },
        { "/..", NULL },        { "/a/../b", NULL }, { "/%2e%2E/b", NULL },
        { "/a%2fb", NULL },     { "/a%5cb", NULL },  { "/a%00b", NULL },
        { "/a%0ab", NULL },     { "/a%7f", NULL },   { "/%ff", NULL },
        { "/%c0%ae", NULL }, /* an overlong dot */
        { "/%ed%a0%80", NULL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = NULL;
        bool ok = parse_path(t->arena, str_of(rows[i].raw), &got);

        if (ok != (rows[i].path != NULL))
            FAIL("%s is %s", rows[i].raw, ok ? "taken" : "refused");
        if (ok)
            CHECK_STR(rows[i].path, got);
    }
}

TEST(queries_are_decoded_pair_by_pair)
{
    struct bough_str rest = str_of("&a=1+2&&b=%26%3d%2B&c&=d&");
    const char *name, *value;
    bool ok;

    CHECK(parse_query(t->arena, &rest, &name, &value, &ok));
    CHECK_STR("a", name);
    CHECK_STR("1 2", value);
    CHECK(parse_query(t->arena, &rest, &name, &value, &ok));
    CHECK_STR("b", name);
    CHECK_STR("&=+", value);
    CHECK(parse_query(t->arena, &rest, &name, &value, &ok));
    CHECK_STR("c", name);
    CHECK_STR("", value);
    CHECK(parse_query(t->arena, &rest, &name, &value, &ok));
    CHECK_STR("", name);
    CHECK(!parse_query(t->arena, &rest, &name, &value, &ok));
    CHECK(ok);
    rest = str_of("a=%00");
    CHECK(!parse_query(t->arena, &rest, &name, &value, &ok));
    CHECK(!ok);
}
