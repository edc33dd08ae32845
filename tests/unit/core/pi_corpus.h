/* Reads pi's session files for tests: lines to entries, and the path to a leaf. */
#ifndef TESTS_PI_CORPUS_H
#define TESTS_PI_CORPUS_H

#include <bough/model.h>

#include "base/json/json.h"
#include "lib/test.h"

struct pi_file {
    struct bough_entry *at; /* in file order */
    const char **parents;   /* pi's ids; NULL for a root */
    size_t n;
};

/* The text of a file, NULL if it does not exist: of tests/data if the path begins so, else of the
 * corpora. */
const char *corpus_text(struct test *t, const char *path, size_t *n);
/* Are the corpora here? If not, a note says so once. */
bool corpora_here(void);

/* Every part must pass bough_part_check(); otherwise the test fails. */
struct pi_file pi_corpus_read(struct test *t, const char *path);

/* The path to the entry with pi's id `leaf`, with depths. *n is 0 if there is none. */
struct bough_entry *pi_corpus_path(struct test *t, const struct pi_file *f, const char *leaf,
                                   size_t *n);

/* The SHA-256 of a JSON value printed as JavaScript does: sorted keys, its number format. */
void pi_corpus_hash(struct bough_str json, char out[65]);

#endif
