/* A scan: rows of a statement that ends with a LIMIT, fetched in pieces that go on behind the last
 * row. Between two rows the connection is free for other questions. */
#ifndef STORE_POSTGRES_PAGE_H
#define STORE_POSTGRES_PAGE_H

#include "store/postgres/db.h"

struct page {
    struct view *v;
    enum sql id;
    struct args args;      /* without the limit; the caller moves its keys on, row by row */
    PGresult *r;           /* the rows at hand */
    int i, n;              /* this one, of how many */
    int64_t limit;         /* of the next piece */
    struct bough_arena *a; /* for what a row is put together in; emptied before the next */
    enum bough_rc rc;
};

void page_begin(struct page *p, struct view *v, enum sql id);
bool page_next(struct page *p, struct bough_error *err); /* another row? */
enum bough_rc page_end(struct page *p, struct bough_error *err);

#endif
