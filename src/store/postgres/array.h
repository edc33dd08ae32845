/* Arrays in PostgreSQL's own format: a head, then each value with its length in front. */
#ifndef STORE_POSTGRES_ARRAY_H
#define STORE_POSTGRES_ARRAY_H

#include "store/postgres/db.h"

enum { OID_BYTEA = 17, OID_BIGINT = 20, OID_TEXT = 25 };
enum { ARRAY_HEAD = 20, ARRAY_NULL = -1 }; /* bytes; instead of a length */

char *put_u32(char *p, uint32_t v); /* gives what is behind it */
/* The head of n values, ARRAY_HEAD bytes. Gives how many of them count: an empty one is shorter. */
size_t array_head(char *p, uint32_t oid, size_t n, bool nulls);

struct bough_str array_of_numbers(struct bough_arena *a, const int64_t *at, size_t n);
/* n rows of values as one row of arrays, a column each; `types` as in sql.h. */
void args_columns(struct bough_arena *a, struct args *out, const struct args *rows, size_t n,
                  const char *types);

#endif
