/* Spend rows, in pages in order of their key. */
#include <string.h>

#include "store/postgres/read/page.h"
#include "store/postgres/read/read.h"
#include "store/postgres/wire/array.h"

enum { FIRST_KEY = 3 }; /* index of the first parameter of the key */

/* Continue behind this row. Its texts live in the page, so they are copied. */
static void go_behind(struct page *p, struct bough_arena *keep, const struct spend_row *row)
{
    struct args args = { 0 }, old;

    args_copy(&old, &p->args);
    bough_arena_reset(keep);
    args_ints(&args, (int64_t[]){ row->day, row->sid, row->project, row->account }, 4);
    args_text(&args, arena_strdup(keep, row->provider));
    args_text(&args, arena_strdup(keep, row->model));
    args_text(&args, arena_strdup(keep, row->principal));
    old.n = FIRST_KEY;
    for (int i = 0; i < 4; i++)
        args_int(&old, args_number(&args, i));
    for (int i = 4; i < 7; i++)
        args_str(&old, (struct bough_str){ args.p[i], (size_t)args.len[i] });
    args_copy(&p->args, &old);
}

static enum sql statement(const struct spend_query *q)
{
    return q->within                       ? SQL_SPEND_SESSIONS
           : q->project                    ? SQL_SPEND_PROJECT
           : q->account                    ? SQL_SPEND_ACCOUNT
           : q->principal && *q->principal ? SQL_SPEND_PRINCIPAL
                                           : SQL_SPEND_DAYS;
}

enum bough_rc postgres_spend_scan(struct snapshot *v, const struct spend_query *q, spend_fn fn,
                                  void *user, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create(), *keep = bough_arena_create();
    struct spend_row row;
    struct page p;
    enum bough_rc rc;

    page_begin(&p, v, statement(q));
    p.limit = 1024; /* rows are short, and usually all are wanted */
    args_ints(&p.args, (int64_t[]){ q->from, q->to }, 2);
    if (q->within)
        args_str(&p.args, array_of_numbers(a, q->sids, q->nsids));
    else if (p.id == SQL_SPEND_PRINCIPAL)
        args_text(&p.args, q->principal);
    else
        args_int(&p.args, q->project ? q->project : q->account);
    args_ints(&p.args, (int64_t[]){ q->from - 1, 0, 0, 0 }, 4);
    for (int i = 0; i < 3; i++)
        args_text(&p.args, "");
    while (page_next(&p, err)) {
        pg_row_spend(p.r, p.i, &row);
        if (p.i + 1 == p.n)
            go_behind(&p, keep, &row);
        if (spend_matches(q, &row) && !fn(user, &row))
            break;
    }
    rc = page_end(&p, err);
    bough_arena_destroy(a);
    bough_arena_destroy(keep);
    return rc;
}
