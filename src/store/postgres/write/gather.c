/*
 * Rows of a batch that use the same statement are collected and sent as one statement with arrays,
 * so that its cost is paid once. They wait until a statement that must come after them is queued,
 * or until the results are read.
 */
#include "store/postgres/wire/array.h"
#include "store/postgres/write/batch.h"

enum { ROWS_MOST = 1024, BYTES_MOST = 1024 * 1024 }; /* per statement */

/* The statements that take arrays of rows. */
static const enum sql gathered[GATHERED] = {
    [GATHER_HEADS] = SQL_HEADS_ARE,    [GATHER_ENTRIES] = SQL_ENTRY_ADD,
    [GATHER_RECORDS] = SQL_RECORD_ADD, [GATHER_LISTS] = SQL_LIST_PUT,
    [GATHER_SPEND] = SQL_SPEND_ADD,    [GATHER_SEEN] = SQL_SEEN_ADD,
    [GATHER_LOG] = SQL_LOG_ADD,
};

/* These statements do not depend on waiting rows, nor waiting rows on them. */
static bool comes_freely(enum sql id)
{
    return id == SQL_SESSION_ADD || id == SQL_HEAD_ADD || id == SQL_BRANCH_ADD ||
           id == SQL_ALIAS_ADD || id == SQL_KEY_PUT;
}

/* ---- one statement ---- */

static enum bough_rc send_now(struct batch *b, enum sql id, const struct args *a,
                              const struct sent *sent, struct bough_error *err)
{
    if (b->n == b->cap) {
        size_t cap = b->cap ? 2 * b->cap : 64;

        b->sent = arena_resize(b->a, b->sent, b->cap * sizeof *b->sent, cap * sizeof *b->sent);
        b->cap = cap;
    }
    b->sent[b->n++] = *sent;
    return pg_send(b->s->writer, id, a, err);
}

static enum bough_rc send_rows(struct batch *b, int k, struct bough_error *err)
{
    struct gather *g = &b->gather[k];
    struct args a = { 0 };
    size_t n = g->n;

    args_columns(b->a, &a, g->rows, n, pg_sql[gathered[k]].types);
    g->n = g->bytes = 0;
    return send_now(b, gathered[k], &a, &(struct sent){ g->t, g->lost, g->must, (int64_t)n }, err);
}

enum bough_rc gather_flush(struct batch *b, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (int k = 0; k < GATHERED && !rc; k++)
        if (b->gather[k].n)
            rc = send_rows(b, k, err);
    return rc;
}

/* ---- rows ---- */

static int place_of(enum sql id)
{
    for (int k = 0; k < GATHERED; k++)
        if (gathered[k] == id)
            return k;
    return -1;
}

static struct args *push(struct batch *b, struct gather *g)
{
    if (g->n == g->cap) {
        size_t cap = g->cap ? 2 * g->cap : 16;
        struct args *rows = arena_array(b->a, cap, sizeof *rows);

        for (size_t i = 0; i < g->n; i++)
            args_copy(&rows[i], &g->rows[i]);
        g->rows = rows;
        g->cap = cap;
    }
    return &g->rows[g->n++];
}

enum bough_rc batch_send(struct batch *b, enum sql id, const struct args *a, enum must must,
                         int64_t want, const char *lost, struct bough_error *err)
{
    int k = place_of(id);
    struct gather *g = &b->gather[k < 0 ? 0 : k];
    enum bough_rc rc = BOUGH_OK;

    if (k < 0) {
        if (!comes_freely(id))
            rc = gather_flush(b, err);
        return rc ? rc : send_now(b, id, a, &(struct sent){ b->t, lost, must, want }, err);
    }
    if (g->n >= ROWS_MOST || g->bytes >= BYTES_MOST)
        rc = gather_flush(b, err);
    if (!g->n) {
        g->t = b->t;
        g->lost = lost;
        g->must = must;
    }
    args_copy(push(b, g), a);
    for (int i = 0; i < a->n; i++)
        g->bytes += a->p[i] ? (size_t)a->len[i] : 0;
    return rc;
}

bool gather_tip(const struct batch *b, int64_t bid, int64_t *depth)
{
    const struct gather *g = &b->gather[GATHER_ENTRIES];

    for (size_t i = g->n; i-- > 0;)
        if (args_number(&g->rows[i], 0) == bid) {
            *depth = args_number(&g->rows[i], 1);
            return true;
        }
    return false;
}
