/* Parser of request heads: the request line and the headers. Strict; see parse.h. */
#include "http/parse/parse.h"

#include <string.h>
#include <strings.h>

#include "base/text/str.h"
#include "http/parse/chars.h"

static enum parse_rc refuse(struct parse_error *bad, int status, const char *why)
{
    *bad = (struct parse_error){ status, why };
    return PARSE_BAD;
}

/* ---- finding the end of the head ---- */

/* At a "\n": does it end the empty line after the headers? */
static enum parse_rc line_end(struct parse_scan *s, const char *p, struct parse_error *bad)
{
    bool empty = s->at - s->line == 1;

    if (s->at == s->line || p[s->at - 1] != '\r')
        return refuse(bad, 400, "a line ends with CR LF");
    s->at++;
    s->line = s->at;
    if (!empty)
        return PARSE_MORE;
    if (s->at - 2 > s->begins)
        return PARSE_DONE;
    /* Some clients send an extra CR LF after a body: skip one. */
    if (s->leading)
        return refuse(bad, 400, "empty lines before a request");
    s->leading = true;
    s->begins = s->at;
    return PARSE_MORE;
}

enum parse_rc parse_scan(struct parse_scan *s, const char *p, size_t n, struct parse_error *bad)
{
    while (s->at < n) {
        unsigned char c = (unsigned char)p[s->at];

        if (s->at >= PARSE_HEAD_MAX)
            return refuse(bad, 431, "the head is over 32 KB");
        if (s->at > s->line && p[s->at - 1] == '\r' && c != '\n')
            return refuse(bad, 400, "CR stands only before LF");
        if (c == '\n') {
            enum parse_rc rc = line_end(s, p, bad);

            if (rc != PARSE_MORE)
                return rc;
            continue;
        }
        if (c < 0x20 && c != '\r' && c != '\t')
            return refuse(bad, 400, "a control character in the head");
        if (c == 0x7f)
            return refuse(bad, 400, "a control character in the head");
        s->at++;
    }
    return PARSE_MORE;
}

/* ---- the request line ---- */

static bool find_method(struct bough_str word, enum http_method *out)
{
    static const struct {
        const char *name;
        enum http_method method;
    } known[] = {
        { "GET", HTTP_GET },         { "HEAD", HTTP_HEAD },   { "POST", HTTP_POST },
        { "PUT", HTTP_PUT },         { "PATCH", HTTP_PATCH }, { "DELETE", HTTP_DELETE },
        { "OPTIONS", HTTP_OPTIONS },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (str_is(word, known[i].name)) {
            *out = known[i].method;
            return true;
        }
    }
    return false;
}

static enum parse_rc read_version(struct parse_head *h, struct bough_str v, struct parse_error *bad)
{
    if (str_is(v, "HTTP/1.1") || str_is(v, "HTTP/1.0")) {
        h->minor = v.p[7] - '0';
        return PARSE_MORE;
    }
    if (v.n == 8 && str_starts(v, "HTTP/") && chars_digit(v.p[5]) && v.p[6] == '.' &&
        chars_digit(v.p[7]))
        return refuse(bad, 505, "only HTTP/1.1 is spoken here");
    return refuse(bad, 400, "the request line has no version");
}

static enum parse_rc read_target(struct parse_head *h, struct parse_error *bad)
{
    struct bough_str t = h->target;

    if (t.n > PARSE_TARGET_MAX)
        return refuse(bad, 414, "the target is over 8 KB");
    if (t.n == 0)
        return refuse(bad, 400, "no target");
    for (size_t i = 0; i < t.n; i++) {
        if (!chars_is(t.p[i], CHARS_TARGET))
            return refuse(bad, 400, "a character that no target has");
        if (t.p[i] == '%' && (t.n - i < 3 || !chars_hex(t.p[i + 1]) || !chars_hex(t.p[i + 2])))
            return refuse(bad, 400, "% without two digits");
    }
    return PARSE_MORE;
}

static enum parse_rc read_line(struct parse_head *h, struct bough_str line, struct parse_error *bad)
{
    const char *end = line.p + line.n;
    const char *one = memchr(line.p, ' ', line.n);
    const char *two = one ? memchr(one + 1, ' ', (size_t)(end - one - 1)) : NULL;
    struct bough_str method;
    enum parse_rc rc;

    if (!two)
        return refuse(bad, 400, "a request line is METHOD TARGET VERSION");
    method = str_make(line.p, (size_t)(one - line.p));
    h->target = str_make(one + 1, (size_t)(two - one - 1));
    if (method.n == 0)
        return refuse(bad, 400, "no method");
    for (size_t i = 0; i < method.n; i++)
        if (!chars_is(method.p[i], CHARS_TOKEN))
            return refuse(bad, 400, "a character that no method has");
    rc = read_version(h, str_make(two + 1, (size_t)(end - two - 1)), bad);
    if (rc == PARSE_MORE)
        rc = read_target(h, bad);
    if (rc == PARSE_MORE && !find_method(method, &h->method))
        return refuse(bad, 501, "this method is not known here");
    return rc;
}

/* ---- headers ---- */

/* Headers that must not be repeated: readers disagree on which value counts. */
static const char *const once[] = {
    "host",
    "content-length",
    "transfer-encoding",
    "authorization",
    "content-type",
    "cookie",
    "expect",
    "origin",
    "range",
    "idempotency-key",
    "last-event-id",
    "sec-fetch-site",
    "content-encoding",
    "traceparent",
    "x-api-key",
    "x-bough-token",
    NULL,
};

static enum parse_rc read_header(struct parse_head *h, char *p, size_t n, struct parse_error *bad)
{
    struct http_header *to = &h->headers[h->nheaders];
    size_t name = 0, from, end = n;

    if (h->nheaders == PARSE_HEADERS_MAX)
        return refuse(bad, 431, "more than 100 headers");
    while (name < n && chars_is(p[name], CHARS_TOKEN)) {
        p[name] = chars_lower(p[name]);
        name++;
    }
    if (name == 0 || name == n || p[name] != ':')
        return refuse(bad, 400, "a header is NAME: VALUE on one line");
    for (from = name + 1; from < end && (p[from] == ' ' || p[from] == '\t');)
        from++;
    while (end > from && (p[end - 1] == ' ' || p[end - 1] == '\t'))
        end--;
    *to = (struct http_header){ str_make(p, name), str_make(p + from, end - from) };
    for (size_t i = 0; once[i]; i++) {
        if (str_is(to->name, once[i]) && parse_header(h, once[i]))
            return refuse(bad, 400, "a header that stands once came twice");
    }
    h->nheaders++;
    return PARSE_MORE;
}

static enum parse_rc read_headers(struct parse_head *h, char *p, size_t n, struct parse_error *bad)
{
    while (n > 2) { /* the final empty line is left over */
        char *cr = memchr(p, '\r', n);
        size_t line = cr ? (size_t)(cr - p) : n;
        enum parse_rc rc = read_header(h, p, line, bad);

        if (rc != PARSE_MORE)
            return rc;
        if (n - line < 2)
            break;
        p += line + 2;
        n -= line + 2;
    }
    return PARSE_MORE;
}

/* ---- meaning of the headers ---- */

static bool valid_host(struct bough_str v)
{
    size_t i = 0;

    if (v.n && v.p[0] == '[') {
        for (i = 1; i < v.n && (chars_hex(v.p[i]) || v.p[i] == ':' || v.p[i] == '.');)
            i++;
        if (i < 3 || i == v.n || v.p[i] != ']')
            return false;
        i++;
    } else {
        while (i < v.n && chars_is(v.p[i], CHARS_HOST))
            i++;
        if (i == 0)
            return false;
    }
    if (i < v.n && v.p[i] == ':')
        for (i++; i < v.n && chars_digit(v.p[i]);)
            i++;
    return i == v.n;
}

static enum parse_rc read_host(struct parse_head *h, struct parse_error *bad)
{
    const struct bough_str *v = parse_header(h, "host");

    if (!v)
        return refuse(bad, 400, "no Host");
    if (!valid_host(*v))
        return refuse(bad, 400, "Host is no name and port");
    h->host = *v;
    return PARSE_MORE;
}

/* An absolute target must name the same host as Host. Split the target into path and query; an
 * absolute target without a path means "/". */
static enum parse_rc split_target(struct parse_head *h, struct parse_error *bad)
{
    struct bough_str t = h->target;
    const char *q;

    if (str_is(t, "*") && h->method == HTTP_OPTIONS) {
        h->path = t;
        return PARSE_MORE;
    }
    if (t.n > 7 && parse_token_is(str_make(t.p, 7), "http://")) {
        size_t end = 7;

        while (end < t.n && t.p[end] != '/' && t.p[end] != '?')
            end++;
        if (end - 7 != h->host.n || strncasecmp(t.p + 7, h->host.p, h->host.n) != 0)
            return refuse(bad, 400, "the target names another host than Host");
        t = end < t.n ? str_make(t.p + end, t.n - end) : str_of("/");
    }
    if (t.p[0] != '/')
        return refuse(bad, 400, "a target begins with /");
    h->target = t;
    q = memchr(t.p, '?', t.n);
    h->path = str_make(t.p, q ? (size_t)(q - t.p) : t.n);
    h->query = q ? str_make(q + 1, t.n - h->path.n - 1) : str_of("");
    return PARSE_MORE;
}

static enum parse_rc read_length(struct parse_head *h, struct parse_error *bad)
{
    const struct bough_str *length = parse_header(h, "content-length");
    const struct bough_str *coding = parse_header(h, "transfer-encoding");

    if (length && coding)
        return refuse(bad, 400, "Content-Length and Transfer-Encoding");
    if (coding) {
        if (h->minor == 0)
            return refuse(bad, 400, "Transfer-Encoding in HTTP/1.0");
        if (!parse_token_is(*coding, "chunked"))
            return refuse(bad, 501, "the only Transfer-Encoding is chunked");
        h->chunked = true;
    }
    if (!length)
        return PARSE_MORE;
    if (length->n == 0 || length->n > 18)
        return refuse(bad, 400, "Content-Length is a number");
    h->length = 0;
    for (size_t i = 0; i < length->n; i++) {
        if (!chars_digit(length->p[i]))
            return refuse(bad, 400, "Content-Length is a number");
        h->length = h->length * 10 + (length->p[i] - '0');
    }
    return PARSE_MORE;
}

static enum parse_rc read_connection(struct parse_head *h, struct parse_error *bad)
{
    const struct bough_str *expect = parse_header(h, "expect");
    bool close = false, keep = false;

    for (size_t i = 0; i < h->nheaders; i++) {
        struct bough_str rest = h->headers[i].value, item;

        if (!str_is(h->headers[i].name, "connection"))
            continue;
        while (parse_list(&rest, &item)) {
            close = close || parse_token_is(item, "close");
            keep = keep || parse_token_is(item, "keep-alive");
        }
    }
    h->keep_alive = !close && (h->minor == 1 || keep);
    if (expect && !parse_token_is(*expect, "100-continue"))
        return refuse(bad, 417, "the only Expect is 100-continue");
    h->expects = expect && h->minor == 1;
    return PARSE_MORE;
}

enum parse_rc parse_head(struct parse_head *h, char *p, size_t n, struct parse_error *bad)
{
    char *cr = memchr(p, '\r', n);
    size_t line = cr ? (size_t)(cr - p) : n;
    enum parse_rc rc;

    h->nheaders = 0;
    h->target = h->path = h->query = h->host = str_of("");
    h->length = -1;
    h->minor = 1;
    h->chunked = h->keep_alive = h->expects = false;
    rc = read_line(h, str_make(p, line), bad);
    if (rc == PARSE_MORE && n - line >= 2)
        rc = read_headers(h, p + line + 2, n - line - 2, bad);
    if (rc == PARSE_MORE)
        rc = read_host(h, bad);
    if (rc == PARSE_MORE)
        rc = split_target(h, bad);
    if (rc == PARSE_MORE)
        rc = read_length(h, bad);
    if (rc == PARSE_MORE)
        rc = read_connection(h, bad);
    return rc == PARSE_MORE ? PARSE_DONE : rc;
}

const struct bough_str *parse_header(const struct parse_head *h, const char *name)
{
    for (size_t i = 0; i < h->nheaders; i++)
        if (str_is(h->headers[i].name, name))
            return &h->headers[i].value;
    return NULL;
}
