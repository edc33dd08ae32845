/* Migration of stores: read the last numbers of a store, and load rows unchanged. */
#include <stdlib.h>

#include "store/postgres/conn/writer.h"
#include "store/postgres/write/copy.h"

enum bough_rc postgres_raw_numbers(struct snapshot *v, struct bough_arena *a,
                                   struct raw_numbers *out, struct bough_error *err)
{
    PGresult *r;
    enum bough_rc rc = pg_ask(v, SQL_NUMBERS, NULL, &r, err);

    if (rc)
        return rc;
    if (PQntuples(r) != 1) {
        PQclear(r);
        return bough_fail(err, BOUGH_CORRUPT, "%s is damaged: it has lost its counter",
                          conn_of(v)->store->name);
    }
    *out = (struct raw_numbers){ .no = got_int(r, 0, 0),
                                 .sessions = got_int(r, 0, 1),
                                 .branches = got_int(r, 0, 2),
                                 .blobs = got_int(r, 0, 3),
                                 .lists = got_int(r, 0, 4),
                                 .epoch = strtoll(got_text(r, 0, 5), NULL, 10),
                                 .store_id = arena_strdup(a, got_text(r, 0, 6)),
                                 .moving = arena_strdup(a, got_text(r, 0, 7)) };
    PQclear(r);
    return BOUGH_OK;
}

struct load {
    const struct raw_row *rows;
    size_t n;
    const struct raw_numbers *numbers;
};

static enum bough_rc set_numbers(struct postgres *s, const struct raw_numbers *n,
                                 struct bough_error *err)
{
    static const char *const keys[] = { "store", "epoch", "moving" };
    const char *values[] = { n->store_id, arena_printf(s->scratch, "%lld", (long long)n->epoch),
                             n->moving };
    struct args a = { 0 }, lists = { 0 };
    enum bough_rc rc;

    args_ints(&a, (int64_t[]){ n->no, n->sessions, n->branches, n->blobs }, 4);
    rc = pg_send(s->writer, SQL_NUMBERS_SET, &a, err);
    args_int(&lists, n->lists);
    if (!rc)
        rc = pg_send(s->writer, SQL_WATERMARK_SET, &lists, err);
    for (int i = 0; i < 3 && !rc; i++) {
        struct args pair = { 0 };

        args_text(&pair, keys[i]);
        args_text(&pair, values[i]);
        rc = pg_send(s->writer, SQL_META_SET, &pair, err);
    }
    return rc;
}

static enum bough_rc load_rows(struct postgres *s, void *user, struct bough_error *err)
{
    const struct load *l = user;
    enum bough_rc rc = BOUGH_OK;

    if (l->n && l->rows->table == RAW_ENTRY) {
        struct copying c;

        rc = copy_begin(&c, s, err);
        for (size_t i = 0; i < l->n && !rc; i++)
            rc = copy_entry(&c, &l->rows[i].u.entry, err);
        rc = copy_end(&c, rc, err);
    } else {
        for (size_t i = 0; i < l->n && !rc; i++)
            rc = pg_raw_send(s, &l->rows[i], false, err);
    }
    if (!rc)
        rc = set_numbers(s, l->numbers, err);
    if (!rc)
        rc = pg_sync(s->writer, err);
    return rc ? rc : pg_drain(s->writer, err);
}

enum bough_rc postgres_raw_load(struct backend *b, const struct raw_row *rows, size_t n,
                                const struct raw_numbers *numbers, struct bough_error *err)
{
    struct deadline p = { mono_us() + 60000000, NULL };
    struct load l = { rows, n, numbers };

    return pg_writer_txn(postgres_of(b), false, &p, load_rows, &l, err);
}
