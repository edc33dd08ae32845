/* Attachments of the PostgreSQL backend: pieces are rows, and a complete blob is found by
 * its hash. */
#include "base/limits.h"
#include "store/postgres/conn/writer.h"
#include "store/postgres/read/page.h"
#include "store/postgres/read/read.h"

static struct bough_str hash_str(const unsigned char hash[32], bool there)
{
    return (struct bough_str){ (const char *)hash, there ? 32 : 0 };
}

/* Run a statement with n numbers. */
static enum bough_rc run(struct postgres *s, enum sql id, const int64_t *numbers, int n,
                         int64_t *rows, struct bough_error *err)
{
    struct args a = { 0 };

    args_ints(&a, numbers, n);
    return pg_writer_run(s, id, &a, rows, err);
}

static enum bough_rc number(struct postgres *s, enum sql id, int64_t by, int64_t *out,
                            struct bough_error *err)
{
    struct args a = { 0 };

    args_int(&a, by);
    return pg_writer_int(s, id, &a, 0, out, err);
}

static void args_blob(struct args *a, const struct blob_row *row)
{
    args_ints(a, (int64_t[]){ row->bno, row->state, row->size, row->since }, 4);
    args_str(a, hash_str(row->hash, row->state != 0));
}

/* ---- writing ---- */

struct put {
    int64_t bno;
    const struct chunk_row *chunk;
};

static enum bough_rc begin_blob(struct postgres *s, int64_t *bno, struct bough_error *err)
{
    struct blob_row row = { .since = env_now(s->env) };
    struct args a = { 0 };
    enum bough_rc rc = pg_writer_int(s, SQL_BLOB_NUMBER, NULL, 0, &row.bno, err);

    args_blob(&a, &row);
    *bno = row.bno;
    return rc ? rc : pg_writer_run(s, SQL_BLOB_ADD, &a, NULL, err);
}

static enum bough_rc put_piece(struct postgres *s, void *user, struct bough_error *err)
{
    struct put *put = user;
    struct args a = { 0 };
    int64_t bno = put->bno, rows = 1;
    enum bough_rc rc;

    if (!bno)
        rc = begin_blob(s, &bno, err);
    else
        rc = run(s, SQL_BLOB_TOUCH, (int64_t[]){ bno, env_now(s->env) }, 2, &rows, err);
    if (!rc && !rows)
        return bough_fail(err, BOUGH_GONE, "the attachment was not finished within a day");
    args_ints(&a, (int64_t[]){ bno, put->chunk->index, put->chunk->sum }, 3);
    args_str(&a, put->chunk->body);
    if (!rc)
        rc = pg_writer_run(s, SQL_CHUNK_ADD, &a, NULL, err);
    if (!rc)
        put->bno = bno;
    return rc;
}

enum bough_rc postgres_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                                const struct deadline *p, struct bough_error *err)
{
    struct put put = { *bno, chunk };
    enum bough_rc rc = pg_writer_txn(postgres_of(b), true, p, put_piece, &put, err);

    if (!rc)
        *bno = put.bno;
    return rc;
}

static enum bough_rc seal_new(struct postgres *s, struct blob_row *row, struct bough_error *err)
{
    struct args a = { 0 };
    int64_t bytes, rows = 0;
    enum bough_rc rc = number(s, SQL_CHUNK_BYTES, row->bno, &bytes, err);

    if (!rc && bytes != row->size)
        return bough_fail(err, BOUGH_CORRUPT, "%lld bytes of the attachment are there, not %lld",
                          (long long)bytes, (long long)row->size);
    row->state = BLOB_LOOSE;
    args_blob(&a, row);
    if (!rc)
        rc = pg_writer_run(s, SQL_BLOB_SEAL, &a, &rows, err);
    if (!rc && !rows)
        return bough_fail(err, BOUGH_GONE, "the attachment was not finished within a day");
    return rc;
}

/* The input is not changed: after a conflict the transaction runs again with the same values. */
struct seal {
    const struct blob_row *in;
    struct blob_row out;
};

/* Find a complete blob by its hash; out->bno 0: there is none. */
static enum bough_rc find_twin(struct postgres *s, const unsigned char hash[32],
                               struct blob_row *out, struct bough_error *err)
{
    struct args a = { 0 };
    PGresult *r;
    enum bough_rc rc;

    *out = (struct blob_row){ 0 };
    args_str(&a, hash_str(hash, true));
    rc = pg_writer_ask(s, SQL_BLOB_FIND, &a, &r, err);
    if (rc)
        return rc;
    if (PQntuples(r))
        pg_row_blob(r, 0, out);
    PQclear(r);
    return BOUGH_OK;
}

static enum bough_rc seal(struct postgres *s, void *user, struct bough_error *err)
{
    struct seal *se = user;
    const struct blob_row *in = se->in;
    enum bough_rc rc = find_twin(s, in->hash, &se->out, err);

    if (rc)
        return rc;
    if (!se->out.bno) {
        se->out = *in;
        return seal_new(s, &se->out, err);
    }
    if (se->out.since < in->since)
        se->out.since = in->since;
    rc = run(s, SQL_BLOB_SEEN, (int64_t[]){ se->out.bno, in->since }, 2, NULL, err);
    return rc ? rc : run(s, SQL_BLOB_GIVE_UP, &in->bno, 1, NULL, err);
}

enum bough_rc postgres_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                                 const struct deadline *p, struct bough_error *err)
{
    struct seal se = { .in = row };
    enum bough_rc rc = pg_writer_txn(postgres_of(b), relaxed, p, seal, &se, err);

    if (!rc)
        *row = se.out;
    return rc;
}

/* ---- removing ---- */

struct sweep {
    int64_t only, room, before;
};

/* Remove an unlinked blob. It is hidden first, so that a partly removed blob cannot be found. */
static enum bough_rc remove_blob(struct postgres *s, int64_t bno, struct sweep *w,
                                 struct bough_error *err)
{
    int64_t rows = 0;
    enum bough_rc rc = run(s, SQL_BLOB_GIVE_UP, &bno, 1, NULL, err);

    if (!rc)
        rc = run(s, SQL_PURGE_CHUNKS, (int64_t[]){ bno, w->room }, 2, &rows, err);
    w->room -= rows;
    if (rc || w->room <= 0)
        return rc;
    w->room--;
    return run(s, SQL_BLOB_DEL, &bno, 1, NULL, err);
}

static enum bough_rc sweep_some(struct postgres *s, void *user, struct bough_error *err)
{
    struct sweep *w = user;
    enum bough_rc rc = BOUGH_OK;
    int64_t bno = 0, links = 0;

    while (!rc && w->room > 0) {
        rc = w->only ? number(s, SQL_BLOB_WRITING, w->only, &bno, err)
                     : number(s, SQL_BLOB_OLD, w->before, &bno, err);
        if (rc || !bno)
            break;
        rc = number(s, SQL_LINK_ANY, bno, &links, err);
        if (!rc && links) {
            rc = run(s, SQL_BLOB_LINKED, &bno, 1, NULL, err);
            w->room--;
        } else if (!rc) {
            rc = remove_blob(s, bno, w, err);
        }
    }
    return rc;
}

/* Usually nothing is loose. Check this in a snapshot, without the write lock. */
static enum bough_rc loose_since(struct backend *b, const struct deadline *p, int64_t *since,
                                 struct bough_error *err)
{
    struct snapshot *v;
    PGresult *r;
    enum bough_rc rc = postgres_snapshot_begin(b, &v, p, err);

    if (rc)
        return rc;
    rc = pg_ask(v, SQL_BLOB_OLDEST, NULL, &r, err);
    if (!rc) {
        *since = PQntuples(r) ? got_int(r, 0, 0) : -1;
        PQclear(r);
    }
    postgres_snapshot_end(v);
    return rc;
}

enum bough_rc postgres_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                  const struct deadline *p, struct bough_error *err)
{
    struct postgres *s = postgres_of(b);
    struct sweep w = { .only = only, .room = limit > 0 ? limit : 1 };
    int64_t since = 0;
    enum bough_rc rc = BOUGH_OK;

    *left = false;
    if (!only) {
        rc = loose_since(b, p, &since, err);
        if (rc || since < 0)
            return rc;
        w.before = env_now(s->env) - LIMIT_LOOSE_MS;
        if (since > w.before)
            return BOUGH_OK;
    }
    rc = pg_writer_txn(s, false, p, sweep_some, &w, err);
    *left = !rc && w.room <= 0;
    return rc;
}

/* ---- reading ---- */

enum bough_rc postgres_blob_find(struct snapshot *v, const unsigned char hash[32],
                                 struct blob_row *out, struct bough_error *err)
{
    struct args a = { 0 };
    PGresult *r;
    enum bough_rc rc;

    args_str(&a, (struct bough_str){ (const char *)hash, 32 });
    rc = pg_ask(v, SQL_BLOB_FIND, &a, &r, err);
    if (rc)
        return rc;
    if (PQntuples(r))
        pg_row_blob(r, 0, out);
    else
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no such attachment");
    PQclear(r);
    return rc;
}

enum bough_rc postgres_chunk_get(struct snapshot *v, struct bough_arena *a, int64_t bno,
                                 int64_t index, struct chunk_row *out, struct bough_error *err)
{
    const int64_t at[] = { bno, index };
    struct args args = { 0 };
    PGresult *r;
    enum bough_rc rc;

    args_ints(&args, at, 2);
    rc = pg_ask(v, SQL_CHUNK_GET, &args, &r, err);
    if (rc)
        return rc;
    if (PQntuples(r)) {
        pg_row_chunk(r, 0, out);
        out->body = keep_bytes(a, out->body);
    } else {
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no such piece of the attachment: %lld",
                        (long long)index);
    }
    PQclear(r);
    return rc;
}

enum bough_rc postgres_link_scan(struct snapshot *v, int64_t bno, link_fn fn, void *user,
                                 struct bough_error *err)
{
    struct link_row row;
    struct page p;

    page_begin(&p, v, SQL_LINK_OF);
    args_ints(&p.args, (int64_t[]){ bno, 0, 0 }, 3);
    while (page_next(&p, err)) {
        pg_row_link(p.r, p.i, &row);
        args_set(&p.args, 1, row.bid);
        args_set(&p.args, 2, row.depth);
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}
