/* Helpers for tests: files of other tools, and importing and exporting them. tests/data has files
 * of our own and is in every clone. The corpora, written by the real tools, are kept elsewhere. */
#ifndef TRANSFER_CORPUS_H
#define TRANSFER_CORPUS_H

#include "lib/store_test.h"

/* The path of a file in tests/data. */
const char *data_path(struct test *t, const char *name);
/* The path of a corpus file. SKIPs if the corpora are not installed. */
const char *corpus_path(struct test *t, const char *name);
/* Run `check` on files of tests/data, then on corpus files if the corpora are installed. Both lists
 * end with NULL. The check must not change the files. */
void each_file(struct test *t, const char *const *ours, const char *const *theirs,
               void (*check)(struct test *t, const char *path));
#define FILES(...) ((const char *const[]){ __VA_ARGS__, NULL })
/* True if the corpora are installed; otherwise prints a note, once. */
bool corpora_here(void);
/* The whole file with a NUL added; NULL if it does not exist. */
char *file_text(struct test *t, const char *path, size_t *n);
/* Write a file in the test's directory and return its path. */
const char *file_make(struct test *t, const char *name, const char *text, size_t n);

struct bough_import_file_result import_file(struct test *t, const char *path);
/* Import the file as a follower does. */
struct bough_import_file_result follow_file(struct test *t, const char *path);
enum bough_rc import_rc(struct test *t, const char *path, struct bough_import_file_result *out);
enum bough_rc export_rc(struct test *t, const char *session, const char *format);
/* The session exported in that format. */
struct bough_str export_text(struct test *t, const char *session, const char *format);

/* Check t->store with fsck, then replace it by an empty memory store. */
void fresh_store(struct test *t);
/* The same on the test's own backend instead of memory: for the next file. */
void next_store(struct test *t);
/* Compare lines of JSON by value; the order of members does not matter. */
void check_same_lines(struct test *t, struct bough_str want, struct bough_str got);
void check_same_json(struct test *t, struct bough_str want, struct bough_str got);
/* Import a file, again (nothing new), export it, import the export into a fresh store and export
 * again: the same bytes. Returns the first export. t->store is the fresh store afterwards. */
struct bough_str check_round(struct test *t, const char *path, const char *format);
/*
 * Import the file cut after every byte (or about 1,500 cuts): complete entries are imported, the
 * rest is reported or refused with BOUGH_INVALID, never a crash. The whole file adds at least
 * `least` entries.
 */
void check_cuts(struct test *t, const char *name, struct bough_str text, int64_t least);

#endif
