/* Writes of open messages: their leases, their drafts, and the sealed body. */
#include "store/sqlite/rows/apply.h"

#include "core/pack/pack.h"

static enum bough_rc entry_seal(struct apply *ap, const struct change *c, struct bough_error *err)
{
    const struct entry_row *row = &c->u.entry;
    const struct new_record *call = record_of(&ap->made, NEW_RECORD(c->call_new - 1));
    struct pack_head h;
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_ENTRY_SEAL, &st, err);

    if (rc)
        return rc;
    /* The entry keeps its number; its call is known only now. */
    if (call && pack_entry_head(row->body, &h))
        pack_entry_patch((char *)(uintptr_t)row->body.p, h.no, call->ord);
    sqlite3_bind_int64(st, 1, entry_key(row->bid, row->depth));
    sqlite3_bind_int64(st, 2, row->mask);
    bind_bytes(st, 3, row->body);
    return apply_set(ap, st, "entry", "entry", err);
}

static enum bough_rc open_put(struct apply *ap, const struct open_row *row, bool add,
                              struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, add ? SQL_OPEN_ADD : SQL_OPEN_SET, &st, err);

    if (rc)
        return rc;
    bind_open(st, row, branch_of(&ap->made, row->bid));
    return apply_set(ap, st, "open", "open", err);
}

static enum bough_rc open_del(struct apply *ap, const struct open_row *row, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_OPEN_DEL, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, entry_key(row->bid, row->depth));
    sqlite3_bind_int64(st, 2, row->ver);
    rc = apply_set(ap, st, "open", "open", err);
    if (rc || ap->t->lost)
        return rc;
    rc = conn_stmt(ap->c, SQL_DRAFT_DEL, &st, err);
    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, entry_key(row->bid, row->depth));
    return apply_put(ap, st, "draft", err);
}

enum bough_rc apply_draft(struct apply *ap, struct change *c, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc;

    switch (c->op) {
    case CHANGE_ENTRY_SEAL:
        return entry_seal(ap, c, err);
    case CHANGE_OPEN_ADD:
    case CHANGE_OPEN_SET:
        return open_put(ap, &c->u.open, c->op == CHANGE_OPEN_ADD, err);
    case CHANGE_OPEN_DEL:
        return open_del(ap, &c->u.open, err);
    default:
        break;
    }
    rc = conn_stmt(ap->c, SQL_DRAFT_ADD, &st, err);
    if (rc)
        return rc;
    bind_draft(st, &c->u.draft);
    return apply_put(ap, st, "draft", err);
}
