/* JSON, reading (strict RFC 8259): a tree of small nodes that point into the unchanged text. */
#ifndef BASE_JSON_JSON_H
#define BASE_JSON_JSON_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * All readers (json_check, json_parse, json_pull_next) accept the same texts, because they share
 * one scanner: any RFC 8259 text in valid UTF-8, nested at most LIMIT_JSON_DEPTH deep. Values are
 * spans of the input, so number text, key order, duplicate keys and escapes (lone surrogates
 * included) are preserved. No reader recurses.
 *
 * Errors: BOUGH_INVALID (the message has the byte offset), BOUGH_TOO_DEEP, BOUGH_TOO_LARGE (more
 * than LIMIT_JSON_BYTES).
 */
enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json_doc;

/*
 * A value of a document, passed by value. All zero is "nothing": it reads as null with an empty
 * span. Valid as long as the arena and the text given to json_parse().
 */
struct json {
    const struct json_doc *doc;
    uint32_t at;
};

/* Validate only: no tree, no allocation. `depth` is the maximum nesting, up to LIMIT_JSON_DEPTH. */
BOUGH_MUST_CHECK enum bough_rc json_check(struct bough_str text, unsigned depth,
                                          struct bough_error *err);

/*
 * Build a tree in the arena, 16 bytes a node. `text` is borrowed and must outlive the tree. On
 * failure the arena is as before and *root is untouched.
 */
BOUGH_MUST_CHECK enum bough_rc json_parse(struct bough_arena *a, struct bough_str text,
                                          struct json *root, struct bough_error *err);

enum json_type json_type(struct json j);
struct bough_str json_raw(struct json j); /* the exact span in the text, quotes included */
uint32_t json_count(struct json j);       /* members (duplicates counted) or elements; else 0 */

/*
 * Find a member of an object. Names are compared with escapes decoded; of duplicates the last is
 * returned. Scans all members. False, with *out untouched: no such member, or not an object.
 */
bool json_get(struct json j, const char *key, struct json *out);

/* The same, returning "nothing" instead of false. */
struct json json_member(struct json j, const char *key);

/* Does an object have two members of one name? *key: that name, escapes decoded, from the text or
 * in the arena. */
bool json_repeated(struct bough_arena *a, struct json object, struct bough_str *key);

/*
 * The value of a string, in the arena: escapes decoded, lone surrogates as U+FFFD, NUL added.
 * False: not a string.
 */
bool json_str(struct bough_arena *a, struct json j, struct bough_str *out);

/* A string member as a C string; NULL when missing, not a string, or containing a NUL. */
const char *json_cstr(struct bough_arena *a, struct json j, const char *key);

/* False, with *v untouched, for other types and for numbers out of range. json_i64 accepts only
 * literals such as 42 and -7, not 1.0 or 1e2. */
bool json_i64(struct json j, int64_t *v);
bool json_f64(struct json j, double *v); /* the nearest double; false when infinite */
bool json_bool(struct json j, bool *v);

/* Is it a string equal to s, escapes decoded? */
bool json_is(struct json j, const char *s);

/*
 * Decode the escape at *p, a backslash in validated text, and move *p past it. A surrogate pair is
 * joined to one code point; a lone surrogate is returned as it is.
 */
uint32_t json_take_escape(const unsigned char **p, const unsigned char *end);

/* Iterates over an array or object in text order; over no element for other values. */
struct json_iter {
    struct json key; /* the member's name as a string; "nothing" in arrays */
    struct json value;
    uint32_t next;
    uint32_t end;
    bool object;
};

struct json_iter json_iter(struct json j);
bool json_next(struct json_iter *it);

#include "base/json/pull.h"
#include "base/json/write.h"

#endif
