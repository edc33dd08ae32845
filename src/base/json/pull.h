/* JSON, pull mode: one event at a time, no tree, no allocation. Included by json.h. */
#ifndef BASE_JSON_PULL_H
#define BASE_JSON_PULL_H

#include "base/json/json.h"
#include "base/limits.h"

/* State of a scan; private to json_scan.h and json_lex.h. */
struct json_scan {
    const unsigned char *p;
    const unsigned char *end;
    const unsigned char *start;
    const char *why; /* NULL, or what is wrong at p */
    uint32_t depth;
    uint32_t max;
    uint8_t want; /* enum json_want */
    bool object;  /* the innermost open container is an object */
    bool too_deep;
    uint64_t bits[LIMIT_JSON_DEPTH / 64]; /* per open container: is it an object? */
};

enum json_event_type {
    JSON_DONE,  /* end of the text, after one complete value */
    JSON_KEY,   /* raw: the name with its quotes */
    JSON_VALUE, /* null, true, false, number or string */
    JSON_BEGIN, /* `{` or `[`; `value` is the container's type */
    JSON_END,   /* `}` or `]` */
};

struct json_event {
    enum json_event_type type;
    enum json_type value; /* for a key: JSON_STRING; for begin and end: the container's type */
    bool escaped;         /* key or string: contains a backslash */
    struct bough_str raw; /* the exact span in the text; for begin and end one character */
};

struct json_pull {
    struct json_scan scan;
};

/* `text` is borrowed and must outlive the reader and the spans of its events. Nothing to free. */
void json_pull_init(struct json_pull *p, struct bough_str text);

/* Read the next event. After an error or JSON_DONE, further calls return the same again. */
BOUGH_MUST_CHECK enum bough_rc json_pull_next(struct json_pull *p, struct json_event *ev,
                                              struct bough_error *err);

/* Right after a JSON_BEGIN event `begin`: skip to the end of that container. `raw`, if not NULL,
 * is set to the container's whole span. */
BOUGH_MUST_CHECK enum bough_rc json_pull_skip(struct json_pull *p, const struct json_event *begin,
                                              struct bough_str *raw, struct bough_error *err);

/* Like json_is, json_str, json_i64 and json_f64, on the raw span of an event: of a key or string
 * (quotes included) for the first two, of a number for the others. */
bool json_span_is(struct bough_str raw, const char *s);
struct bough_str json_span_str(struct bough_arena *a, struct bough_str raw);
bool json_span_i64(struct bough_str raw, int64_t *v);
bool json_span_f64(struct bough_str raw, double *v);

#endif
