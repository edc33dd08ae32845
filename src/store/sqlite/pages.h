/*
 * Salvage of a damaged store file: reads rows page by page, without SQLite. Every page that looks
 * like a leaf of a table or a part of an index is read, whatever it belongs to. Lengths, chains and
 * page numbers are bounded. The caller must validate the values of a row. Nothing is written.
 */
#ifndef STORE_SQLITE_PAGES_H
#define STORE_SQLITE_PAGES_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

enum { PAGES_COLUMNS = 24 };

struct pages_value {
    enum pages_type { PAGES_NULL, PAGES_INT, PAGES_REAL, PAGES_TEXT, PAGES_BLOB } type;
    int64_t number;
    struct bough_str bytes;
};

/* A row. Its bytes are valid until the next row is read. */
struct pages_row {
    bool index;    /* of an index, or of a table without rowid */
    int64_t rowid; /* 0 in an index */
    int n;
    struct pages_value at[PAGES_COLUMNS];
    uint64_t place; /* pass it to pages_again() */
    bool stray;     /* of a WAL frame that SQLite ignores: perhaps it was never committed */
};

struct pages;

/* Open the file, and its WAL if there is one. */
enum bough_rc pages_open(const char *path, struct pages **out, struct bough_error *err);
void pages_close(struct pages *p); /* NULL is fine */

/* Every row: first of the last commit, page by page, then of WAL frames that SQLite ignores, newest
 * first. `fn` returns false to stop. */
void pages_scan(struct pages *p, bool (*fn)(void *user, const struct pages_row *row), void *user);
/* Read a scanned row again. False: it cannot be read any more. */
bool pages_again(struct pages *p, uint64_t place, struct pages_row *out);

int64_t pages_count(const struct pages *p);      /* pages in the main file */
int64_t pages_unreadable(const struct pages *p); /* rows skipped because they are malformed */

#endif
