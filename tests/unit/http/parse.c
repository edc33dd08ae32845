/* The strict parser: what is refused, what is read, and that pieces of any size read the same. */
#include "http/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "lib/test.h"

/* A whole message, as a connection reads it. */
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

/* `step` bytes arrive at a time; 0: all at once. */
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

#define GET "GET / HTTP/1.1\r\n"
#define POST "POST / HTTP/1.1\r\nHost: h\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define BYTES(s) s, sizeof(s) - 1

struct refused {
    const char *name, *text;
    size_t n;
    int status;
};

/* Each is answered at once, without waiting for bytes that may never come. */
static const struct refused framings[] = {
    { "two different lengths", BYTES(POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
      400 },
    { "two equal lengths", BYTES(POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"), 400 },
    { "a list of lengths", BYTES(POST "Content-Length: 3, 3\r\n\r\nabc"), 400 },
    { "length and coding",
      BYTES(POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400 },
    { "coding and length",
      BYTES(POST "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"), 400 },
    { "a length with a plus", BYTES(POST "Content-Length: +3\r\n\r\nabc"), 400 },
    { "a length with a minus", BYTES(POST "Content-Length: -3\r\n\r\nabc"), 400 },
    { "a length in hex", BYTES(POST "Content-Length: 0x3\r\n\r\nabc"), 400 },
    { "an empty length", BYTES(POST "Content-Length: \r\n\r\nabc"), 400 },
    { "a length past any number", BYTES(POST "Content-Length: 18446744073709551619\r\n\r\nabc"),
      400 },
    { "xchunked", BYTES(POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), 501 },
    { "gzip, chunked", BYTES(POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 501 },
    { "chunked, identity", BYTES(POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
      501 },
    { "two codings",
      BYTES(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      400 },
    { "a coding in HTTP/1.0",
      BYTES("POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400 },
    { "a blank before the first header",
      BYTES("POST / HTTP/1.1\r\n Content-Length: 3\r\nHost: h\r\n\r\nabc"), 400 },
    { "a continuation that is a length", BYTES(POST " Content-Length: 3\r\n\r\nabc"), 400 },
    { "a folded value", BYTES(GET "Host: h\r\nX: a\r\n b\r\n\r\n"), 400 },
    { "a blank before the colon", BYTES(POST "Content-Length : 3\r\n\r\nabc"), 400 },
    { "an empty header name", BYTES(GET "Host: h\r\n: x\r\n\r\n"), 400 },
    { "a header without colon", BYTES(GET "Host: h\r\nnonsense\r\n\r\n"), 400 },
    { "a NUL in a value", BYTES(GET "Host: h\r\nX: a\0b\r\n\r\n"), 400 },
    { "a control character in a value",
      BYTES(GET "Host: h\r\nX: a\x01"
                "b\r\n\r\n"),
      400 },
    { "DEL in a value",
      BYTES(GET "Host: h\r\nX: a\x7f"
                "b\r\n\r\n"),
      400 },
    { "bare LF", BYTES("GET / HTTP/1.1\nHost: h\n\n"), 400 },
    { "bare LF in the headers", BYTES(GET "Host: h\nX: y\r\n\r\n"), 400 },
    { "bare CR in a value", BYTES(GET "Host: h\r\nX: a\rb\r\n\r\n"), 400 },
    { "CR CR LF", BYTES(GET "Host: h\r\r\n\r\n"), 400 },
    { "a head that ends in CR X", BYTES(GET "Host: h\r\n\rX"), 400 },
    { "no Host", BYTES(GET "\r\n"), 400 },
    { "no Host in HTTP/1.0", BYTES("GET / HTTP/1.0\r\n\r\n"), 400 },
    { "two Hosts", BYTES(GET "Host: h\r\nHost: h\r\n\r\n"), 400 },
    { "an empty Host", BYTES(GET "Host:\r\n\r\n"), 400 },
    { "a Host with a path", BYTES(GET "Host: h/x\r\n\r\n"), 400 },
    { "a Host with a user", BYTES(GET "Host: u@h\r\n\r\n"), 400 },
    { "a list of Hosts", BYTES(GET "Host: h, i\r\n\r\n"), 400 },
    { "a chunk size 0x3", BYTES(CHUNKED "0x3\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a chunk size +3", BYTES(CHUNKED "+3\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a chunk size -1", BYTES(CHUNKED "-1\r\nabc\r\n0\r\n\r\n"), 400 },
    { "no chunk size", BYTES(CHUNKED "\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a blank before a chunk size", BYTES(CHUNKED " 3\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a blank behind a chunk size", BYTES(CHUNKED "3 \r\nabc\r\n0\r\n\r\n"), 400 },
    { "a chunk size of sixteen digits", BYTES(CHUNKED "8000000000000003\r\nabc\r\n0\r\n\r\n"),
      400 },
    { "chunk data without CR LF", BYTES(CHUNKED "3\r\nabcX"), 400 },
    { "chunk data longer than said", BYTES(CHUNKED "3\r\nabcd\r\n0\r\n\r\n"), 400 },
    { "LF behind a chunk size", BYTES(CHUNKED "3\nabc\r\n0\r\n\r\n"), 400 },
    { "LF behind chunk data", BYTES(CHUNKED "3\r\nabc\n0\r\n\r\n"), 400 },
    { "CR X behind the last chunk", BYTES(CHUNKED "0\r\n\rX"), 400 },
    { "LF in a chunk extension", BYTES(CHUNKED "3;a\nbc\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a nameless chunk extension", BYTES(CHUNKED "3;\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a NUL in a quoted extension", BYTES(CHUNKED "3;a=\"\0\"\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a backslash in an extension", BYTES(CHUNKED "3;a=\"\\\"\"\r\nabc\r\n0\r\n\r\n"), 400 },
    { "a folded trailer", BYTES(CHUNKED "0\r\nX: y\r\n z\r\n\r\n"), 400 },
    { "a length as a trailer", BYTES(CHUNKED "0\r\nContent-length: 3\r\n\r\n"), 400 },
    { "a coding as a trailer", BYTES(CHUNKED "0\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n"),
      400 },
    { "a trailer without colon", BYTES(CHUNKED "0\r\nX\r\n\r\n"), 400 },
    { "two empty lines before it", BYTES("\r\n\r\n" GET "Host: h\r\n\r\n"), 400 },
    { "a blank before the method", BYTES(" GET / HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "two blanks in the request line", BYTES("GET  / HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a tab in the request line", BYTES("GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a blank behind the version", BYTES("GET / HTTP/1.1 \r\nHost: h\r\n\r\n"), 400 },
    { "no version", BYTES("GET /\r\nHost: h\r\n\r\n"), 400 },
    { "a small version", BYTES("GET / http/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "version 1.10", BYTES("GET / HTTP/1.10\r\nHost: h\r\n\r\n"), 400 },
    { "version 2", BYTES("PRI * HTTP/2.0\r\nHost: h\r\n\r\n"), 505 },
    { "an unknown method", BYTES("BREW / HTTP/1.1\r\nHost: h\r\n\r\n"), 501 },
    { "a small method", BYTES("get / HTTP/1.1\r\nHost: h\r\n\r\n"), 501 },
    { "CONNECT", BYTES("CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n"), 501 },
    { "a method with a colon", BYTES("GE:T / HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a target without a slash", BYTES("GET x HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "* for GET", BYTES("GET * HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a fragment", BYTES("GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a byte over 127 in the target", BYTES("GET /\xc3\xa4 HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a quote in the target", BYTES("GET /\" HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a backslash in the target", BYTES("GET /\\ HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a percent sign alone", BYTES("GET /% HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "a percent sign and no digit", BYTES("GET /%g0 HTTP/1.1\r\nHost: h\r\n\r\n"), 400 },
    { "an absolute target of another host", BYTES("GET http://i/x HTTP/1.1\r\nHost: h\r\n\r\n"),
      400 },
    { "an absolute target of another scheme", BYTES("GET ftp://h/x HTTP/1.1\r\nHost: h\r\n\r\n"),
      400 },
    { "two Authorizations", BYTES(GET "Host: h\r\nAuthorization: a\r\nAuthorization: a\r\n\r\n"),
      400 },
    { "another Expect", BYTES(POST "Expect: 200-ok\r\n\r\n"), 417 },
};

TEST(everything_that_two_readers_could_frame_differently_is_refused)
{
    static const size_t steps[] = { 0, 1, 7 };

    for (size_t i = 0; i < sizeof framings / sizeof *framings; i++) {
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            const struct refused *r = &framings[i];
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
        CHECK_INT(sizeof text - 1 - 3, h.used); /* the next request is left alone */
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
