/* Scans in pages: small pages first, larger ones while the rows are small. */
#include "store/postgres/read/page.h"

enum { FIRST = 32, MOST = 2048, SMALL = 512 * 1024, LARGE = 8 * 1024 * 1024 };

void page_begin(struct page *p, struct snapshot *v, enum sql id)
{
    *p = (struct page){ .v = v, .id = id, .limit = FIRST, .a = bough_arena_create() };
}

static bool fetch(struct page *p, struct bough_error *err)
{
    int64_t asked = p->limit;
    struct args args;

    args_copy(&args, &p->args);
    args_int(&args, asked);
    PQclear(p->r);
    p->r = NULL;
    p->rc = pg_ask(p->v, p->id, &args, &p->r, err);
    if (p->rc)
        return false;
    p->n = PQntuples(p->r);
    p->i = 0;
    if (PQresultMemorySize(p->r) < SMALL)
        p->limit = asked * 4 < MOST ? asked * 4 : MOST;
    else if (PQresultMemorySize(p->r) > LARGE)
        p->limit = asked / 8 > 1 ? asked / 8 : 1;
    if (p->n < asked)
        p->limit = 0; /* this was the last page */
    return p->n > 0;
}

bool page_next(struct page *p, struct bough_error *err)
{
    bough_arena_reset(p->a);
    if (p->r && ++p->i < p->n)
        return true;
    return p->limit > 0 && fetch(p, err);
}

enum bough_rc page_end(struct page *p, struct bough_error *err)
{
    PQclear(p->r);
    bough_arena_destroy(p->a);
    /* A callback may have got an error from the same snapshot and not reported it. */
    return p->rc ? p->rc : pg_over(p->v, err);
}
