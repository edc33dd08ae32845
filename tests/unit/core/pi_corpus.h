/* Reads pi's session files for tests only: lines to entries, and the path to a leaf. */
#ifndef TESTS_PI_CORPUS_H
#define TESTS_PI_CORPUS_H

#include <bough/model.h>

#include "base/json.h"
#include "lib/test.h"

struct pi_file {
    struct bough_entry *at; /* in file order */
    const char **parents;   /* pi's ids; NULL for a root */
    size_t n;
};

/* A file of the corpora as text, or NULL when it is not there. */
const char *corpus_text(struct test *t, const char *path, size_t *n);

/* Every part must pass bough_part_check; a failed check ends the test. */
struct pi_file pi_corpus_read(struct test *t, const char *path);

/* The path to the entry with that id of pi's, with depths; n 0 when there is none. */
struct bough_entry *pi_corpus_path(struct test *t, const struct pi_file *f, const char *leaf,
                                   size_t *n);

/* The SHA-256 of a value as JavaScript prints it: keys sorted, its form of numbers. */
void pi_corpus_hash(struct bough_str json, char out[65]);

#endif
