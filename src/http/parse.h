/*
 * Reading HTTP/1.1 as RFC 9112 writes it, and nothing else: what two programs could read in two
 * ways is refused. Pure: no sockets, no memory of its own.
 */
#ifndef HTTP_PARSE_H
#define HTTP_PARSE_H

#include "http/http.h"

enum {
    PARSE_HEAD_MAX = 32 * 1024, /* request line and headers */
    PARSE_HEADERS_MAX = 100,
    PARSE_TARGET_MAX = 8 * 1024,
    PARSE_EXTRA_MAX = 4096, /* chunk extensions and trailers of one body, together */
};

enum parse_rc {
    PARSE_MORE, /* all is well so far */
    PARSE_DONE,
    PARSE_BAD, /* refuse it, and read nothing more from there */
};

/* Why something is refused: a status and a few words for the client. */
struct parse_error {
    int status;
    const char *why;
};

/* ---- where does the head end? ---- */

struct parse_scan {
    size_t at;     /* bytes looked at */
    size_t line;   /* where the current line begins */
    bool leading;  /* an empty line before the request line was skipped */
    size_t begins; /* where the request line begins */
};

/*
 * `p` is all that came so far, from its first byte on; each byte is looked at once. With PARSE_DONE
 * the head is p[s->begins .. s->at). A byte that cannot stand in any head is refused at once:
 * nobody waits for the end of what is wrong already.
 */
enum parse_rc parse_scan(struct parse_scan *s, const char *p, size_t n, struct parse_error *bad);

/* ---- what does it say? ---- */

struct parse_head {
    enum http_method method;
    struct bough_str target;      /* in origin form: an absolute one is cut down to its path */
    struct bough_str path, query; /* raw */
    int minor;                    /* HTTP/1.minor */
    struct http_header headers[PARSE_HEADERS_MAX]; /* names are made lower case in place */
    size_t nheaders;
    struct bough_str host;
    int64_t length; /* of the body; -1: none was said */
    bool chunked, keep_alive, expects;
};

/* `p` is written to (names become lower case) and must outlive the head. */
enum parse_rc parse_head(struct parse_head *h, char *p, size_t n, struct parse_error *bad);

/* A header by its lower-case name; NULL when there is none. */
const struct bough_str *parse_header(const struct parse_head *h, const char *name);

/* ---- bodies in chunks ---- */

struct parse_chunks {
    int state;
    int digits;
    int64_t left;   /* of the current chunk */
    int64_t total;  /* bytes of data so far */
    size_t extra;   /* bytes of extensions and trailers */
    bool line_used; /* the trailer line has bytes */
    bool colon;
    char name[20]; /* of the trailer: enough to know those that are refused */
    size_t name_n;
};

/*
 * Take what is at p: *used bytes of it, of which *data (may be empty) are the body's. PARSE_MORE:
 * call again with what follows; PARSE_DONE: the body is over, the rest is the next request.
 */
enum parse_rc parse_chunks(struct parse_chunks *c, const char *p, size_t n, size_t *used,
                           struct bough_str *data, struct parse_error *bad);

/* ---- paths and queries ---- */

/*
 * Undo percent-encoding segment by segment. Refused: %2F and %5C, control characters, what is not
 * UTF-8, and the segments "", "." and ".." in the middle. One slash at the end stays.
 */
bool parse_path(struct bough_arena *a, struct bough_str raw, const char **out);

/* The next name=value of a query, decoded, "+" as a blank. False at the end, and with *ok false
 * for one that is no UTF-8 or has a NUL. */
bool parse_query(struct bough_arena *a, struct bough_str *rest, const char **name,
                 const char **value, bool *ok);

/* ---- lists ---- */

/* The next element of a comma-separated list, trimmed; false at the end. Empty ones are skipped. */
bool parse_list(struct bough_str *rest, struct bough_str *item);
bool parse_token_is(struct bough_str s, const char *lower); /* case does not matter */

#endif
