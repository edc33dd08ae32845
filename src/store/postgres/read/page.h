/* A scan in pages: a statement that ends with LIMIT is repeated from the key after the last row.
 * Between two rows the connection is free for other queries. */
#ifndef STORE_POSTGRES_READ_PAGE_H
#define STORE_POSTGRES_READ_PAGE_H

#include "store/postgres/wire/db.h"

struct page {
    struct snapshot *v;
    enum sql id;
    struct args args;      /* without the limit; the caller moves its keys on after every row */
    PGresult *r;           /* the current page */
    int i, n;              /* index of the current row, and rows in the page */
    int64_t limit;         /* rows in the next page; 0: there is none */
    struct bough_arena *a; /* for the current row; reset before the next one */
    enum bough_rc rc;
};

/* The caller adds the parameters to p->args after page_begin(). page_end() must follow; it returns
 * the error of the scan or of the snapshot. */
void page_begin(struct page *p, struct snapshot *v, enum sql id);
bool page_next(struct page *p, struct bough_error *err); /* false: the end, or an error */
enum bough_rc page_end(struct page *p, struct bough_error *err);

#endif
