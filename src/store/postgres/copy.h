/* Entries by the hundred: COPY, in PostgreSQL's binary form. */
#ifndef STORE_POSTGRES_COPY_H
#define STORE_POSTGRES_COPY_H

#include "store/postgres/db.h"

struct copying {
    struct postgres *s;
    struct buf out;
};

/* The pipeline must be empty from the beginning to the end. */
enum bough_rc copy_begin(struct copying *c, struct postgres *s, struct bough_error *err);
enum bough_rc copy_entry(struct copying *c, const struct entry_row *row, struct bough_error *err);
/* `rc`: how it went so far; after a failure the connection is given up, and everything undone. */
enum bough_rc copy_end(struct copying *c, enum bough_rc rc, struct bough_error *err);

#endif
