/* Bulk insert of entries with COPY, in PostgreSQL's binary format. */
#ifndef STORE_POSTGRES_WRITE_COPY_H
#define STORE_POSTGRES_WRITE_COPY_H

#include "store/postgres/wire/db.h"

struct copying {
    struct postgres *s;
    struct buf out;
};

/* The pipeline must be empty from copy_begin() to copy_end(). */
enum bough_rc copy_begin(struct copying *c, struct postgres *s, struct bough_error *err);
enum bough_rc copy_entry(struct copying *c, const struct entry_row *row, struct bough_error *err);
/* `rc` is the result so far. After a failure the connection is marked lost, which rolls everything
 * back. */
enum bough_rc copy_end(struct copying *c, enum bough_rc rc, struct bough_error *err);

#endif
