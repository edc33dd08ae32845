/* Columns of the rows that a format reads from a tool's SQLite file. */
#ifndef FORMATS_COMMON_ROWS_H
#define FORMATS_COMMON_ROWS_H

#include "formats/common/format.h"

/* The JSON text in a text column, if it is of this type; else empty. */
struct bough_str column_json(struct reading *r, struct json row, const char *name,
                             enum json_type type);
/* The parts in a text column: the elements of a JSON list, or its whole content as one part. */
void column_parts(struct reading *r, struct json row, const char *name, struct bough_entry_new *e);
/* All columns except `but` under one name: {"hygge.row":{...}}; empty if none is left. */
struct bough_str row_rest(struct reading *r, struct json row, const char *const *but,
                          const char *name);

#endif
