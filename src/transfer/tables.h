/* The tables of a SQLite file, and whose they are. Pure. */
#ifndef TRANSFER_TABLES_H
#define TRANSFER_TABLES_H

#include "formats/format.h"

struct tables { /* all zero is empty */
    const char **at;
    size_t n, cap;
    char prefix[64]; /* what "$" stands for */
};

void tables_add(struct tables *t, struct bough_arena *a, const char *name);
bool tables_have(const struct tables *t, const char *name);
/* A name or SQL with the prefix put in. */
const char *tables_text(const struct tables *t, struct bough_arena *a, const char *text);
/* The format whose tables are all there, and its prefix; of that name unless NULL. NULL: none. */
const struct format *tables_format(struct tables *t, struct bough_arena *a, const char *name);

#endif
