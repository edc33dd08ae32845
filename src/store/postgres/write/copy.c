/* Bulk insert of entries with COPY. A tuple is a column count, then each value with its length. */
#include "store/postgres/write/copy.h"

#include "base/limits.h"
#include "core/pack/pack.h"
#include "store/postgres/write/batch.h"

enum { PIECE = 1024 * 1024, TUPLE_MAX = 256 * 1024 * 1024 };

/* `width`: the size of a number whose column is narrower than a bigint; 0: as it is. */
static void put_value(struct buf *out, const char *p, int len, int width)
{
    uint32_t n = p ? (uint32_t)(width ? width : len) : UINT32_MAX;
    const char size[4] = { (char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n };

    buf_put(out, size, 4);
    if (p)
        buf_put(out, width ? p + len - width : p, n);
}

enum bough_rc copy_begin(struct copying *c, struct postgres *s, struct bough_error *err)
{
    c->s = s;
    buf_init(&c->out, TUPLE_MAX);
    return pg_copy_begin(s->writer, "COPY entry (" ENTRY_ALL ") FROM STDIN BINARY", err);
}

static enum bough_rc flush(struct copying *c, struct bough_error *err)
{
    enum bough_rc rc = c->out.over
                           ? bough_fail(err, BOUGH_TOO_LARGE, "an entry is too large to be copied")
                           : pg_copy_put(c->s->writer, buf_str(&c->out), err);

    buf_reset(&c->out);
    return rc;
}

enum bough_rc copy_entry(struct copying *c, const struct entry_row *row, struct bough_error *err)
{
    struct arena_mark mark = arena_mark(c->s->scratch);
    struct args a = { 0 };

    args_entry(c->s->scratch, &a, row);
    buf_put(&c->out, "\0\17", 2); /* 15 columns of ENTRY_ALL; the role is a smallint */
    for (int i = 0; i < a.n; i++)
        put_value(&c->out, a.p[i], a.len[i], i == 10 ? 2 : 0);
    arena_rewind(c->s->scratch, mark);
    return c->out.n >= PIECE || c->out.over ? flush(c, err) : BOUGH_OK;
}

enum bough_rc copy_end(struct copying *c, enum bough_rc rc, struct bough_error *err)
{
    if (!rc && c->out.n)
        rc = flush(c, err);
    if (!rc)
        rc = pg_copy_end(c->s->writer, err);
    else
        c->s->writer->lost = true;
    buf_finish(&c->out);
    return rc;
}

/* ---- in a batch ---- */

enum bough_rc batch_copy(struct batch *b, struct change *c, size_t n, struct bough_error *err)
{
    const struct entry_row *first = &c->u.entry;
    int64_t bid = branch_of(&b->made, first->bid);
    struct args a = { 0 };
    struct copying out;
    enum bough_rc rc;

    if (first->depth + (int64_t)n - 1 > LIMIT_DEPTH)
        return bough_fail(err, BOUGH_FULL, "branch %lld cannot grow further", (long long)bid);
    args_int(&a, bid);
    rc = batch_send(b, SQL_ENTRY_TIP, &a, MUST_BE, first->depth - 1, "tip", err);
    if (!rc)
        rc = batch_settle(b, err); /* COPY is not possible in a pipeline */
    if (rc || b->again)
        return rc;
    rc = copy_begin(&out, b->s, err);
    for (size_t i = 0; i < n && !rc; i++) {
        const struct new_record *call = record_of(&b->made, NEW_RECORD(c[i].call_new - 1));
        struct entry_row row = c[i].u.entry;

        row.bid = bid;
        pack_entry_patch((char *)(uintptr_t)row.body.p, b->entry_no++, call ? call->ord : 0);
        rc = copy_entry(&out, &row, err);
    }
    return copy_end(&out, rc, err);
}
