/* Files of the corpora, and importing and exporting them, for tests. */
#ifndef TRANSFER_CORPUS_H
#define TRANSFER_CORPUS_H

#include "lib/store_test.h"

/* The path of a corpus file; skips the test when the corpora are not here. */
const char *corpus_path(struct test *t, const char *name);
/* All of a file, NUL added; NULL when it is not there. */
char *file_text(struct test *t, const char *path, size_t *n);
/* A file in the test's own folder. */
const char *file_make(struct test *t, const char *name, const char *text, size_t n);

struct bough_imported import_file(struct test *t, const char *path);
/* As somebody who follows it. */
struct bough_imported follow_file(struct test *t, const char *path);
enum bough_rc import_rc(struct test *t, const char *path, struct bough_imported *out);
enum bough_rc export_rc(struct test *t, const char *session, const char *format);
/* The session in that format. */
struct bough_str export_text(struct test *t, const char *session, const char *format);

/* An empty store in memory instead, after a look at the old one. */
void fresh_store(struct test *t);
/* The same lines of JSON by value, whatever the order of their members. */
void check_same_lines(struct test *t, struct bough_str want, struct bough_str got);
void check_same_json(struct test *t, struct bough_str want, struct bough_str got);
/* Import a file, again (nothing new), export it, import that elsewhere, export again: the same
 * bytes. Gives the first export; the store is the second one. */
struct bough_str check_round(struct test *t, const char *path, const char *format);
/* Cut after every byte (or 1,500 of them): what was whole is imported, the rest reported or
 * refused, never a crash. The whole file gives at least `least` entries. */
void check_cuts(struct test *t, const char *name, struct bough_str text, int64_t least);

#endif
