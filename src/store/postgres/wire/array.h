/* Arrays in PostgreSQL's binary format: a header, then each value with its length. */
#ifndef STORE_POSTGRES_WIRE_ARRAY_H
#define STORE_POSTGRES_WIRE_ARRAY_H

#include "store/postgres/wire/db.h"

enum { OID_BYTEA = 17, OID_BIGINT = 20, OID_TEXT = 25 };
/* Header size in bytes; the length that stands for NULL. */
enum { ARRAY_HEAD = 20, ARRAY_NULL = -1 };

char *put_u32(char *p, uint32_t v); /* returns the position behind it */
/* Write the header for n values into ARRAY_HEAD bytes. Returns its real size, which is smaller for
 * an empty array. */
size_t array_head(char *p, uint32_t oid, size_t n, bool nulls);

struct bough_str array_of_numbers(struct bough_arena *a, const int64_t *at, size_t n);
/* Turn n rows of parameters into one row of arrays, one per column; `types` as in sql.h. */
void args_columns(struct bough_arena *a, struct args *out, const struct args *rows, size_t n,
                  const char *types);

#endif
