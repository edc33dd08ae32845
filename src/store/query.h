/* SQL of a person over the tables of a store: reading only, whatever the text says. */
#ifndef STORE_QUERY_H
#define STORE_QUERY_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stdint.h>

enum query_type { QUERY_NULL, QUERY_INT, QUERY_REAL, QUERY_TEXT, QUERY_BLOB };

struct query_value {
    enum query_type type;
    int64_t i;
    double d;
    struct bough_str s; /* text or blob; good until the callback returns */
};

struct query_row {
    const char *const *names;
    const struct query_value *values; /* NULL: only the names, before the first row */
    size_t n;
};

typedef bool query_fn(void *user, const struct query_row *row); /* false ends it */

/*
 * Run the statements of `sql` on the file at `path`, which is a store. Only what reads is run:
 * anything else, and what would reach other files, is BOUGH_INVALID before it does anything.
 */
BOUGH_MUST_CHECK enum bough_rc sqlite_query(struct bough_arena *a, const char *path,
                                            const char *sql, query_fn *row, void *user,
                                            struct bough_error *err);

/*
 * The same on the store at postgres:`rest`: its schema comes first where names are looked up, all
 * statements see one snapshot, and each has 60 seconds (for every 1000 rows it gives).
 */
BOUGH_MUST_CHECK enum bough_rc postgres_query(struct bough_arena *a, const char *rest,
                                              const char *sql, query_fn *row, void *user,
                                              struct bough_error *err);

#endif
