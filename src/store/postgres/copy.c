/* Entries by the hundred: COPY, in PostgreSQL's binary form. */
#include "base/limits.h"
#include "core/pack.h"
#include "store/postgres/batch.h"

enum { PIECE = 1024 * 1024, TUPLE_MAX = 256 * 1024 * 1024 };

/* A value of a row as COPY wants it: its length, then its bytes, `width` of a number. */
static void put_value(struct buf *out, const char *p, int len, int width)
{
    uint32_t n = p ? (uint32_t)(width ? width : len) : UINT32_MAX;
    const char size[4] = { (char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n };

    buf_put(out, size, 4);
    if (p)
        buf_put(out, width ? p + len - width : p, n);
}

/* The columns of ENTRY_ALL; the last two are narrow. */
static void put_row(struct buf *out, const struct args *a)
{
    buf_put(out, "\0\15", 2); /* thirteen */
    for (int i = 0; i < a->n; i++)
        put_value(out, a->p[i], a->len[i], i == 11 ? 4 : i == 12 ? 2 : 0);
}

static enum bough_rc put_rows(struct batch *b, struct change *c, size_t n, struct buf *out,
                              struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n && !rc; i++) {
        struct arena_mark mark = arena_mark(b->a);
        const struct made_record *call = record_of(&b->made, NEW_RECORD(c[i].call_new - 1));
        struct entry_row row = c[i].u.entry;
        struct args a = { 0 };

        row.bid = branch_of(&b->made, row.bid);
        pack_entry_patch((char *)(uintptr_t)row.body.p, b->entry_no++, call ? call->ord : 0);
        args_entry(b->a, &a, &row);
        put_row(out, &a);
        arena_rewind(b->a, mark);
        if (out->n >= PIECE || i + 1 == n) {
            rc = out->over ? bough_fail(err, BOUGH_TOO_LARGE, "an entry is too large to be copied")
                           : pg_copy_put(b->s->writer, buf_str(out), err);
            buf_reset(out);
        }
    }
    return rc;
}

enum bough_rc batch_copy(struct batch *b, struct change *c, size_t n, struct bough_error *err)
{
    const struct entry_row *first = &c->u.entry;
    int64_t bid = branch_of(&b->made, first->bid);
    struct args a = { 0 };
    struct buf out;
    enum bough_rc rc;

    if (first->depth + (int64_t)n - 1 > LIMIT_DEPTH)
        return bough_fail(err, BOUGH_FULL, "branch %lld cannot grow further", (long long)bid);
    args_int(&a, bid);
    rc = batch_send(b, SQL_ENTRY_TIP, &a, MUST_BE, first->depth - 1, "tip", err);
    if (!rc)
        rc = batch_settle(b, err); /* COPY does not fit into a pipeline */
    if (rc || b->again)
        return rc;
    buf_init(&out, TUPLE_MAX);
    rc = pg_copy_begin(b->s->writer, "COPY entry (" ENTRY_ALL ") FROM STDIN BINARY", err);
    if (!rc)
        rc = put_rows(b, c, n, &out, err);
    if (!rc)
        rc = pg_copy_end(b->s->writer, err);
    else
        b->s->writer->lost = true; /* in the middle of it: the server undoes everything */
    buf_finish(&out);
    b->run_bid = bid;
    b->run_at = first->depth + (int64_t)n - 1;
    return rc;
}
