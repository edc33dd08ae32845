/*
 * The rows of a damaged store file, found page by page without SQLite: every page that looks like a
 * leaf of a table is read, whoever it belongs to. Nothing is believed: lengths, chains and page
 * numbers are bounded, and what a row says must be checked by whoever takes it. Only reads.
 */
#ifndef STORE_SQLITE_PAGES_H
#define STORE_SQLITE_PAGES_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

enum { PAGES_COLUMNS = 20 };

struct pages_value {
    enum pages_type { PAGES_NULL, PAGES_INT, PAGES_REAL, PAGES_TEXT, PAGES_BLOB } type;
    int64_t number;
    struct bough_str bytes;
};

/* A row; what it points to lives until the next one is read. */
struct pages_row {
    int64_t rowid;
    int n;
    struct pages_value at[PAGES_COLUMNS];
    uint64_t place; /* to read it again */
};

struct pages;

/* The file and, when there is one, the log beside it. */
enum bough_rc pages_open(const char *path, struct pages **out, struct bough_error *err);
void pages_close(struct pages *p); /* NULL is fine */

/* Every row: newest pages of the log first, then the file. `fn` returns false to stop. */
enum bough_rc pages_scan(struct pages *p, bool (*fn)(void *user, const struct pages_row *row),
                         void *user, struct bough_error *err);
/* A row that was scanned, once more. */
bool pages_again(struct pages *p, uint64_t place, struct pages_row *out);

int64_t pages_count(const struct pages *p);      /* of the file */
int64_t pages_unreadable(const struct pages *p); /* rows that run over the end of something */

#endif
