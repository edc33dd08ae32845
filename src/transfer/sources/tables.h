/* The tables of a SQLite file, and which format they belong to. Pure. */
#ifndef TRANSFER_SOURCES_TABLES_H
#define TRANSFER_SOURCES_TABLES_H

#include "formats/common/rows.h"

struct tables { /* all zero is empty */
    const char **at;
    size_t n;
    char prefix[64]; /* replaces "$" in names and SQL */
};

void tables_add(struct tables *t, struct bough_arena *a, const char *name);
bool tables_have(const struct tables *t, const char *name);
/* Replace "$" by the prefix. The result is in `a`, or `text` itself. */
const char *tables_text(const struct tables *t, struct bough_arena *a, const char *text);
/* The format whose tables all exist, or NULL; only the one called `name` unless that is NULL. Sets
 * the prefix. */
const struct format *tables_format(struct tables *t, struct bough_arena *a, const char *name);

#endif
