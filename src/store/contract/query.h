/* Read-only SQL queries of a user on the tables of a store: rows and values. The query itself is
 * backend_ops.query. */
#ifndef STORE_CONTRACT_QUERY_H
#define STORE_CONTRACT_QUERY_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stdint.h>

enum query_type { QUERY_NULL, QUERY_INT, QUERY_REAL, QUERY_TEXT, QUERY_BLOB };

struct query_value {
    enum query_type type;
    int64_t i;
    double d;
    struct bough_str s; /* text or blob; valid until the callback returns */
};

struct query_row {
    const char *const *names;
    const struct query_value *values; /* NULL: column names only; sent once, before the first row */
    size_t n;
};

typedef bool query_fn(void *user, const struct query_row *row); /* return false to stop */

#endif
