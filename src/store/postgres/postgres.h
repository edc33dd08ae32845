/* The PostgreSQL backend: one schema of a database, which several processes may write. */
#ifndef STORE_POSTGRES_POSTGRES_H
#define STORE_POSTGRES_POSTGRES_H

#include "store/contract/backend.h"

extern const struct backend_ops postgres_backend;

/* See backend_ops.query. The store's schema is first on the search path. All statements see one
 * snapshot. Each has 60 seconds for every 1000 rows. */
enum bough_rc postgres_query(struct bough_arena *a, const char *rest, const char *sql,
                             query_fn *row, void *user, struct bough_error *err);

#endif
