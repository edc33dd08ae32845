/* JSON, strict RFC 8259, reading: a tree of small nodes over text that stays as it came. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * What every reader here (json_check, json_parse, json_pull_next) accepts is the same, because
 * they share one scanner: any RFC 8259 text in valid UTF-8, nested at most LIMIT_JSON_DEPTH deep.
 * Number text, key order, duplicate keys and escapes, lone surrogates included, are kept as spans
 * of the input. Nothing recurses.
 *
 * Errors: BOUGH_INVALID with the byte offset in its sentence, BOUGH_TOO_DEEP, BOUGH_TOO_LARGE.
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

/* A value inside a document. All zero is "nothing": it reads as null with an empty span. */
struct json {
    const struct json_doc *doc;
    uint32_t at;
};

/* Is it valid? No tree, no memory. `depth` at most LIMIT_JSON_DEPTH. */
BOUGH_MUST_CHECK enum bough_rc json_check(struct bough_str text, unsigned depth,
                                          struct bough_error *err);

/* Nodes go into the arena (16 bytes each); `text` is borrowed and must outlive them. */
BOUGH_MUST_CHECK enum bough_rc json_parse(struct bough_arena *a, struct bough_str text,
                                          struct json *root, struct bough_error *err);

enum json_type json_type(struct json j);
struct bough_str json_raw(struct json j); /* the exact span, quotes included */
uint32_t json_count(struct json j);       /* members or elements, duplicates counted; else 0 */

/* The member of an object by name, escapes undone; the last of duplicates. */
bool json_get(struct json j, const char *key, struct json *out);

/* What json_get finds, or "nothing" for a missing member or a value that is no object. */
struct json json_member(struct json j, const char *key);

/* String value, escapes undone, NUL added; lone surrogates become U+FFFD. False: no string. */
bool json_str(struct bough_arena *a, struct json j, struct bough_str *out);

/* A string member as a C string; NULL when missing, no string, or with a NUL inside. */
const char *json_cstr(struct bough_arena *a, struct json j, const char *key);

/* Only literals like 42 and -7 within range: 1.0 and 1e2 are no integers here. */
bool json_i64(struct json j, int64_t *v);
bool json_f64(struct json j, double *v); /* any number with a finite double nearest to it */
bool json_bool(struct json j, bool *v);

/* Does the string equal s after undoing escapes? */
bool json_is(struct json j, const char *s);
bool json_key_is(struct json key, const char *s);

/* Arrays and objects in order; other values have nothing inside. */
struct json_iter {
    struct json key; /* the name as a string value; "nothing" in arrays */
    struct json value;
    uint32_t next;
    uint32_t end;
    bool object;
};

struct json_iter json_iter(struct json j);
bool json_next(struct json_iter *it);

#include "base/json_pull.h"
#include "base/json_write.h"

#endif
