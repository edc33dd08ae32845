/* Full text of the PostgreSQL backend: the index finds words; phrases are checked in the documents
 * found. */
#include <stdio.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "core/pack/pack.h"
#include "core/search/search.h"
#include "store/postgres/conn/ahead.h"
#include "store/postgres/wire/array.h"

enum { FIRST = 32, NEXT = 256, QUERY_MAX = 4 * 1024 * 1024 };

struct finding {
    struct snapshot *v;
    const struct fulltext_query *q;
    bool exact; /* the index alone decides; no second check is needed */
    struct bough_arena *a;
    char name[32]; /* of the cursor */
};

/* ---- queries ---- */

/* $1 words, $2 before, $3 since, $4 until, $5 to $8 roles and kinds, $9 branches, $10 sessions */
#define TYPES "tiiiiiiiII"
#define BIT(column) "(1::bigint << " column "::int)"

static void write_sql(struct buf *out, const struct finding *f, bool words)
{
    const struct search_query *q = f->q->q;

    buf_printf(out,
               "DECLARE %s NO SCROLL CURSOR FOR SELECT d.id, d.bid, d.depth, d.time, d.words,"
               " d.cut::int::bigint, (SELECT b.sid FROM branch b WHERE b.bid = d.bid)%s FROM"
               " text_doc d%s WHERE d.id < $2 AND d.time >= $3"
               " AND d.time < $4",
               f->name, f->exact ? "" : ", e.body, e.parts",
               f->exact ? "" : " LEFT JOIN entry e ON e.bid = d.bid AND e.depth = d.depth");
    if (words)
        buf_puts(out, " AND d.vec @@ $1::tsquery");
    if (q->roles)
        buf_puts(out, " AND d.bid <> 0 AND (" BIT("d.role") " & $5) <> 0");
    if (q->not_roles)
        buf_puts(out, " AND (d.bid = 0 OR (" BIT("d.role") " & $6) = 0)");
    if (q->kinds)
        buf_puts(out, " AND d.bid <> 0 AND (" BIT("d.kind") " & $7) <> 0");
    if (q->not_kinds)
        buf_puts(out, " AND (d.bid = 0 OR (" BIT("d.kind") " & $8) = 0)");
    if (f->q->within)
        buf_puts(out, " AND (d.bid = ANY ($9) OR (d.bid = 0 AND d.depth = ANY ($10)))");
    buf_puts(out, " ORDER BY d.id DESC");
}

static enum bough_rc declare(struct finding *f, struct bough_error *err)
{
    const struct search_query *q = f->q->q;
    struct conn *c = conn_of(f->v);
    struct buf words, text;
    struct args a = { 0 };
    PGresult *r;
    enum bough_rc rc = pg_ask_begin(f->v, err);

    snprintf(f->name, sizeof f->name, "text_%u", c->cursors++);
    buf_init(&words, QUERY_MAX);
    buf_init(&text, QUERY_MAX);
    f->exact = words_query(&words, q);
    write_sql(&text, f, words.n > 0);
    args_str(&a, buf_str(&words));
    args_ints(&a,
              (int64_t[]){ f->q->before, q->since ? q->since : INT64_MIN,
                           q->before ? q->before : INT64_MAX, q->roles, q->not_roles, q->kinds,
                           q->not_kinds },
              7);
    args_str(&a, array_of_numbers(f->a, f->q->bids, f->q->nbids));
    args_str(&a, array_of_numbers(f->a, f->q->sids, f->q->nsids));
    if (!rc)
        rc = pg_send_text(c, NULL, NULL, text.p, TYPES, &a, err);
    if (!rc)
        rc = pg_answer(f->v, &r, err);
    if (!rc)
        PQclear(r);
    buf_finish(&words);
    buf_finish(&text);
    return rc;
}

static enum bough_rc fetch(struct finding *f, int n, PGresult **out, struct bough_error *err)
{
    char text[80];
    enum bough_rc rc = pg_ask_begin(f->v, err);

    snprintf(text, sizeof text, "FETCH %d FROM %s", n, f->name);
    if (!rc)
        rc = pg_send_text(conn_of(f->v), NULL, NULL, text, "", NULL, err);
    return rc ? rc : pg_answer(f->v, out, err);
}

static void close_cursor(struct finding *f)
{
    char text[64];
    PGresult *r;

    if (pg_over(f->v, NULL))
        return; /* closed with the transaction */
    snprintf(text, sizeof text, "CLOSE %s", f->name);
    if (!pg_send_text(conn_of(f->v), NULL, NULL, text, "", NULL, NULL) &&
        !pg_answer(f->v, &r, NULL))
        PQclear(r);
}

/* ---- checking documents ---- */

/* Do the words of the document itself match the query? */
static bool matches(struct finding *f, const PGresult *r, int i, const struct fulltext_row *row)
{
    struct search_words words = { 0 };
    struct bough_entry e;
    struct bough_str body = got_bytes(r, i, 7);

    bough_arena_reset(f->a);
    if (!row->bid) {
        for (int k = 0; k < SEARCH_FIELDS; k++)
            words.field[k] = str_make(NULL, 0);
        words.field[SEARCH_TITLE] = got_bytes(r, i, 4);
        return search_match(f->q->q, &words);
    }
    if (!PQgetisnull(r, i, 8))
        body = pack_join(f->a, body, got_bytes(r, i, 8));
    return search_packed_words(f->a, body, &e, &words) && search_match(f->q->q, &words);
}

/* The caller reads the session, branch and entry of every document next. */
static void read_ahead(struct finding *f, const PGresult *r)
{
    struct wanted want[3 * NEXT];
    size_t n = 0;

    for (int i = 0; i < PQntuples(r) && i < NEXT; i++) {
        int64_t bid = got_int(r, i, 1), depth = got_int(r, i, 2);

        want[n++] = (struct wanted){ WANT_SESSION, bid ? got_int(r, i, 6) : depth, 0 };
        if (!bid)
            continue;
        want[n++] = (struct wanted){ WANT_BRANCH, bid, 0 };
        if (f->exact) /* otherwise most entries may not match */
            want[n++] = (struct wanted){ WANT_ENTRY, bid, depth };
    }
    if (PQntuples(r) > 1)
        postgres_ahead(f->v, want, n);
}

/* False: the callback stopped. */
static bool hand_out(struct finding *f, const PGresult *r, fulltext_fn fn, void *user)
{
    for (int i = 0; i < PQntuples(r); i++) {
        struct fulltext_row row;

        pg_row_text(NULL, r, i, &row);
        if ((f->exact || matches(f, r, i, &row)) && !fn(user, &row))
            return false;
    }
    return true;
}

enum bough_rc postgres_text_find(struct snapshot *v, const struct fulltext_query *q, fulltext_fn fn,
                                 void *user, struct bough_error *err)
{
    struct finding f = { .v = v, .q = q };
    bool more = true;
    enum bough_rc rc;

    if (q->within && !q->nbids && !q->nsids)
        return BOUGH_OK;
    f.a = bough_arena_create();
    rc = declare(&f, err);
    for (int n = FIRST; !rc && more; n = NEXT) {
        PGresult *r;

        rc = fetch(&f, n, &r, err);
        if (rc)
            break;
        read_ahead(&f, r);
        more = hand_out(&f, r, fn, user) && PQntuples(r) == n;
        PQclear(r);
    }
    if (!rc)
        close_cursor(&f);
    bough_arena_destroy(f.a);
    return rc ? rc : pg_over(v, err);
}
