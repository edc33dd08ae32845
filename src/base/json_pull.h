/* JSON, pull mode: one event at a time, no tree, no memory. Included by json.h. */
#ifndef BASE_JSON_PULL_H
#define BASE_JSON_PULL_H

#include "base/json.h"
#include "base/limits.h"

/* Where a reader is; only json_scan.h looks inside. */
struct json_scan {
    const unsigned char *p;
    const unsigned char *end;
    const unsigned char *start;
    const char *why; /* what is wrong, when something is */
    uint32_t depth;
    uint32_t max;
    uint8_t want;
    bool object; /* the innermost open container is an object */
    bool too_deep;
    uint64_t bits[LIMIT_JSON_DEPTH / 64]; /* per open container: is it an object? */
};

enum json_event_type {
    JSON_DONE,  /* the text ended where it should */
    JSON_KEY,   /* raw: the name with its quotes */
    JSON_VALUE, /* null, true, false, number or string */
    JSON_BEGIN, /* `{` or `[`, see `value` */
    JSON_END,   /* `}` or `]` */
};

struct json_event {
    enum json_event_type type;
    enum json_type value; /* for a key: JSON_STRING; for begin and end: which container */
    bool escaped;         /* a string with a backslash in it */
    struct bough_str raw; /* the exact span, inside the text given to json_pull_init */
};

struct json_pull {
    struct json_scan scan;
};

void json_pull_init(struct json_pull *p, struct bough_str text);

/* After an error or JSON_DONE every further call gives the same again. */
BOUGH_MUST_CHECK enum bough_rc json_pull_next(struct json_pull *p, struct json_event *ev,
                                              struct bough_error *err);

/* Right after JSON_BEGIN: run to its end. `raw`, if not NULL, gets the whole container's span. */
BOUGH_MUST_CHECK enum bough_rc json_pull_skip(struct json_pull *p, const struct json_event *begin,
                                              struct bough_str *raw, struct bough_error *err);

/* On the raw span of a key or string, quotes included, as the readers give it: */
bool json_span_is(struct bough_str raw, const char *s);
struct bough_str json_span_str(struct bough_arena *a, struct bough_str raw);
bool json_span_i64(struct bough_str raw, int64_t *v);
bool json_span_f64(struct bough_str raw, double *v);

#endif
