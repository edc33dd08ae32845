/* A strict parser of HTTP/1.1 (RFC 9112). Input that two programs could interpret differently is
 * refused, which prevents request smuggling. Pure: no sockets, no memory of its own. */
#ifndef HTTP_PARSE_PARSE_H
#define HTTP_PARSE_PARSE_H

#include "http/http.h"

enum {
    PARSE_HEAD_MAX = 32 * 1024, /* request line and headers */
    PARSE_HEADERS_MAX = 100,
    PARSE_TARGET_MAX = 8 * 1024,
    PARSE_EXTRA_MAX = 4096, /* chunk extensions and trailers of one body, in total */
};

enum parse_rc {
    PARSE_MORE, /* valid so far */
    PARSE_DONE,
    PARSE_BAD, /* refuse the request, and read nothing more from the connection */
};

/* Why a request is refused: a status and a short text for the client. */
struct parse_error {
    int status;
    const char *why;
};

/* ---- finding the end of the head ---- */

struct parse_scan {
    size_t at;     /* bytes scanned */
    size_t line;   /* where the current line begins */
    bool leading;  /* an empty line before the request line was skipped */
    size_t begins; /* where the request line begins */
};

/* Scan for the end of the head. `p` is everything received so far, from its first byte; each byte
 * is scanned once. On PARSE_DONE the head is p[s->begins .. s->at). A byte that is not allowed in a
 * head is refused at once, without waiting for the end. */
enum parse_rc parse_scan(struct parse_scan *s, const char *p, size_t n, struct parse_error *bad);

/* ---- parsing the head ---- */

struct parse_head {
    enum http_method method;
    /* In origin form: the scheme and host of an absolute one are removed. */
    struct bough_str target;
    struct bough_str path, query;                  /* raw */
    int minor;                                     /* HTTP/1.minor */
    struct http_header headers[PARSE_HEADERS_MAX]; /* names are made lower case in place */
    size_t nheaders;
    struct bough_str host;
    int64_t length; /* Content-Length; -1: absent */
    bool chunked, keep_alive, expects;
};

/* Parse a complete head. `p` is modified (names become lower case) and must outlive `h`. */
enum parse_rc parse_head(struct parse_head *h, char *p, size_t n, struct parse_error *bad);

/* A header by its lower-case name; NULL when there is none. */
const struct bough_str *parse_header(const struct parse_head *h, const char *name);

/* ---- chunked bodies ---- */

struct parse_chunks {
    int state;
    int digits;
    int64_t left;   /* bytes left of the current chunk */
    int64_t total;  /* bytes of data so far */
    size_t extra;   /* bytes of extensions and trailers */
    bool line_used; /* the trailer line, or the extension's name or value, has bytes */
    /* the trailer line has its colon */
    bool colon;
    char name[20]; /* of the trailer: long enough for the names that are refused */
    size_t name_n;
};

/* Parse the bytes at p. *used: how many were consumed. *data: the body bytes among them (may be
 * empty). PARSE_MORE: call again with the bytes after them. PARSE_DONE: the body is complete, the
 * rest belongs to the next request. */
enum parse_rc parse_chunks(struct parse_chunks *c, const char *p, size_t n, size_t *used,
                           struct bough_str *data, struct parse_error *bad);

/* ---- paths and queries ---- */

/* Decode percent-encoding, segment by segment. False for %2F and %5C, control characters, invalid
 * UTF-8, and the segments "", "." and "..". A single slash at the end is allowed. */
bool parse_path(struct bough_arena *a, struct bough_str raw, const char **out);

/* The next name=value of a query, decoded; "+" becomes a blank. False at the end (*ok true), and
 * for a pair that is invalid UTF-8 or has a NUL (*ok false). */
bool parse_query(struct bough_arena *a, struct bough_str *rest, const char **name,
                 const char **value, bool *ok);

/* ---- lists ---- */

/* The next element of a comma-separated list, trimmed; false at the end. Empty elements are
 * skipped. */
bool parse_list(struct bough_str *rest, struct bough_str *item);
bool parse_token_is(struct bough_str s, const char *lower); /* ignores case */

#endif
