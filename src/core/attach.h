/*
 * How parts speak of attachments. Pure.
 *
 * A file part may name one: its `url` is bough:sha256-<64 digits>. And base64 of some length inside
 * a file or tool part is kept as one: the part is then stored with that very name where the base64
 * stood, and is given back with the base64 in its place again, byte for byte.
 */
#ifndef CORE_ATTACH_H
#define CORE_ATTACH_H

#include <bough/model.h>

enum {
    ATTACH_PREFIX_LEN = 13, /* "bough:sha256-" */
    ATTACH_NAME_LEN = ATTACH_PREFIX_LEN + 64,
    ATTACH_RUNS = 64, /* a part: more stay where they are */
};

/* "bough:sha256-..." and a NUL. */
void attach_name(const unsigned char hash[32], char out[ATTACH_NAME_LEN + 1]);
bool attach_parse(struct bough_str name, unsigned char hash[32]);

/* Does this file part name one? *at is where in its JSON the name begins. */
bool attach_named(const struct bough_part *part, unsigned char hash[32], size_t *at);

struct attach_run {
    size_t at, n; /* where the base64 begins in the part's JSON, and its length */
};

/* Strings of a file or tool part that look like base64 of at least `min` characters, with or
 * without "data:...;base64," before it. Only their length and first character are looked at. */
size_t attach_runs(const struct bough_part *part, size_t min, struct attach_run runs[ATTACH_RUNS]);

/* What the part says about the attachment at `at`: its type and file name, "" when it does not. */
void attach_about(struct bough_arena *a, struct bough_str json, size_t at, const char **mime,
                  const char **name);

#endif
