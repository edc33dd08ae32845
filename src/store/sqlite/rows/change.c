/* The changes of a txn, one or two statements each. */
#include "store/sqlite/rows/apply.h"

#include "base/limits.h"
#include "core/pack/pack.h"

static void bind_head(struct apply *ap, sqlite3_stmt *st, const struct head_row *row, int64_t sid,
                      int64_t ver)
{
    const int64_t numbers[] = { sid,
                                ver,
                                branch_of(&ap->made, row->bid),
                                row->depth,
                                row->status,
                                row->deleted,
                                row->lease_epoch,
                                row->lease_since,
                                row->lease_expires };

    for (int i = 0; i < 9; i++)
        sqlite3_bind_int64(st, 1 + i, numbers[i]);
    bind_text(st, 10, row->lease_owner);
}

static enum bough_rc session_new(struct apply *ap, const struct session_row *row,
                                 const struct head_row *head, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_SESSION_ADD, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, ap->made.sid);
    sqlite3_bind_int64(st, 2, 1);
    sqlite3_bind_int64(st, 3, row->made);
    sqlite3_bind_int64(st, 4, row->chk);
    sqlite3_bind_int64(st, 5, row->parent);
    sqlite3_bind_int64(st, 6, row->kind);
    sqlite3_bind_int64(st, 7, row->purged);
    bind_text(st, 8, row->slug);
    bind_bytes(st, 9, row->body);
    rc = apply_put(ap, st, "slug", err);
    if (rc || ap->t->lost)
        return rc;
    rc = conn_stmt(ap->c, SQL_HEAD_ADD, &st, err);
    if (rc)
        return rc;
    bind_head(ap, st, head, ap->made.sid, 1);
    return apply_put(ap, st, "head", err);
}

static enum bough_rc session_set(struct apply *ap, const struct session_row *row,
                                 struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_SESSION_SET, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, session_of(&ap->made, row->sid));
    sqlite3_bind_int64(st, 2, row->ver);
    sqlite3_bind_int64(st, 3, row->parent);
    sqlite3_bind_int64(st, 4, row->kind);
    sqlite3_bind_int64(st, 5, row->purged);
    bind_text(st, 6, row->slug);
    bind_bytes(st, 7, row->body);
    return apply_set(ap, st, "slug", "session", err);
}

static enum bough_rc head_set(struct apply *ap, const struct head_row *row, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_HEAD_SET, &st, err);

    if (rc)
        return rc;
    bind_head(ap, st, row, session_of(&ap->made, row->sid), row->ver);
    return apply_set(ap, st, "head", "head", err);
}

static enum bough_rc branch_new(struct apply *ap, const struct branch_row *row,
                                struct bough_error *err)
{
    int64_t bid = ap->made.bids[ap->branches_used++];
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_BRANCH_ADD, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, bid);
    sqlite3_bind_int64(st, 2, session_of(&ap->made, row->sid));
    sqlite3_bind_int64(st, 3, branch_of(&ap->made, row->parent));
    sqlite3_bind_int64(st, 4, row->base);
    sqlite3_bind_int64(st, 5, -1);
    return apply_put(ap, st, "branch", err);
}

/* The last depth of a branch; -1 when the branch does not exist. Callers cache the result in
 * cache.tips. */
static enum bough_rc tip_of(struct apply *ap, int64_t bid, int64_t *tip, struct bough_error *err)
{
    int64_t k = 0;
    sqlite3_stmt *st;
    enum bough_rc rc;

    rc = apply_seek(ap->c, SQL_TIP, entry_key(bid, 0), entry_key(bid, LIMIT_DEPTH), -1, &k, err);
    if (rc)
        return rc;
    *tip = k < 0 ? -1 : k & LIMIT_DEPTH;
    if (k >= 0)
        return BOUGH_OK;
    rc = conn_stmt(ap->c, SQL_BRANCH_GET, &st, err);
    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, bid);
    switch (sqlite3_step(st)) {
    case SQLITE_ROW:
        *tip = sqlite3_column_int64(st, 3);
        break;
    case SQLITE_DONE:
        break;
    default:
        rc = conn_fail(ap->c, sqlite3_errcode(ap->c->db), err);
    }
    sqlite3_reset(st);
    return rc;
}

static enum bough_rc entry_add(struct apply *ap, struct change *c, struct bough_error *err)
{
    struct entry_row *row = &c->u.entry;
    int64_t bid = branch_of(&ap->made, row->bid);
    size_t slot = (size_t)bid & (TIP_CACHE - 1);
    int64_t tip = ap->s->cache.tips[slot].tip;
    const struct new_record *call;
    sqlite3_stmt *st;
    enum bough_rc rc = BOUGH_OK;

    if (ap->s->cache.tips[slot].bid != bid)
        rc = tip_of(ap, bid, &tip, err);
    if (rc)
        return rc;
    if (tip < 0 || row->depth != tip + 1) {
        ap->t->lost = "tip";
        return BOUGH_OK;
    }
    if (row->depth > LIMIT_DEPTH)
        return bough_fail(err, BOUGH_FULL, "branch %lld cannot grow further", (long long)bid);
    rc = conn_stmt(ap->c, SQL_ENTRY_ADD, &st, err);
    if (rc)
        return rc;
    call = record_of(&ap->made, NEW_RECORD(c->call_new - 1));
    /* The entry's number is known only now; the contract allows patching the body in place. */
    pack_entry_patch((char *)(uintptr_t)row->body.p, ap->entry_no++, call ? call->ord : 0);
    sqlite3_bind_int64(st, 1, entry_key(bid, row->depth));
    sqlite3_bind_int64(st, 2, row->kind);
    sqlite3_bind_int64(st, 3, row->mask);
    sqlite3_bind_int64(st, 4, row->deleted);
    bind_bytes(st, 5, row->body);
    rc = apply_put(ap, st, "tip", err);
    if (!rc && !ap->t->lost) {
        ap->s->cache.tips[slot].bid = bid;
        ap->s->cache.tips[slot].tip = row->depth;
    }
    return rc;
}

static enum bough_rc entry_over(struct apply *ap, const struct entry_row *row,
                                struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_ENTRY_SET, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, entry_key(branch_of(&ap->made, row->bid), row->depth));
    sqlite3_bind_int64(st, 2, row->deleted);
    sqlite3_bind_int64(st, 3, row->mask);
    return apply_set(ap, st, "entry", "entry", err);
}

static enum bough_rc record_put(struct apply *ap, const struct record_row *row,
                                struct bough_error *err)
{
    bool new = row->ord == 0;
    int64_t ord = new ? ap->made.records[ap->records_used++].ord : row->ord;
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, new ? SQL_RECORD_ADD : SQL_RECORD_SET, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, record_key(session_of(&ap->made, row->sid), row->kind, ord));
    sqlite3_bind_int64(st, 2, new ? 1 : row->ver);
    sqlite3_bind_int64(st, 3, row->deleted);
    bind_bytes(st, 4, row->body);
    return apply_set(ap, st, "record", "record", err);
}

static enum bough_rc alias_add(struct apply *ap, const struct alias_row *row,
                               struct bough_error *err)
{
    struct alias_row alias = new_numbers_alias(&ap->made, row);
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_ALIAS_ADD, &st, err);

    if (rc)
        return rc;
    bind_text(st, 1, alias.id);
    sqlite3_bind_int64(st, 2, alias.scope);
    sqlite3_bind_int64(st, 3, alias.what);
    sqlite3_bind_int64(st, 4, alias.a);
    sqlite3_bind_int64(st, 5, alias.b);
    return apply_put(ap, st, "alias", err);
}

static enum bough_rc key_put(struct apply *ap, const struct key_row *row, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_KEY_PUT, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, key_session(row->key));
    bind_text(st, 2, row->key);
    bind_bytes(st, 3, (struct bough_str){ row->hash, sizeof row->hash });
    sqlite3_bind_int64(st, 4, ap->no);
    sqlite3_bind_int64(st, 5, row->expires);
    sqlite3_bind_int64(st, 6, row->expires - KEY_DAYS_MS);
    sqlite3_bind_int64(st, 7, row->bid);
    sqlite3_bind_int64(st, 8, row->depth);
    return apply_set(ap, st, "key", "key", err);
}

static enum bough_rc list_put(struct apply *ap, const struct list_row *row, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_LIST_MOVE, &st, err);

    if (rc)
        return rc;
    bind_list(st, row);
    rc = apply_put(ap, st, "list", err);
    if (rc || sqlite3_changes(ap->c->db) > 0)
        return rc;
    rc = conn_stmt(ap->c, SQL_LIST_PUT, &st, err);
    if (rc)
        return rc;
    bind_list(st, row);
    return apply_put(ap, st, "list", err);
}

static enum bough_rc spend_put(struct apply *ap, const struct spend_row *row,
                               struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_SPEND_ADD, &st, err);

    if (rc)
        return rc;
    bind_spend(st, row);
    return apply_put(ap, st, "spend", err);
}

/* Run a statement with one number, or with a text and a number. */
static enum bough_rc simple(struct apply *ap, enum sql id, const char *text, int64_t number,
                            struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, id, &st, err);

    if (rc)
        return rc;
    if (text)
        bind_text(st, 1, text);
    sqlite3_bind_int64(st, text ? 2 : 1, number);
    return apply_put(ap, st, "row", err);
}

enum bough_rc apply_change(struct apply *ap, struct change *c, struct bough_error *err)
{
    switch (c->op) {
    case CHANGE_SESSION_NEW:
        return session_new(ap, &c->u.session.row, &c->u.session.head, err);
    case CHANGE_SESSION_SET:
        return session_set(ap, &c->u.session.row, err);
    case CHANGE_BRANCH_NEW:
        return branch_new(ap, &c->u.branch, err);
    case CHANGE_HEAD_SET:
        return head_set(ap, &c->u.head, err);
    case CHANGE_ENTRY_ADD:
        return entry_add(ap, c, err);
    case CHANGE_ENTRY_SET:
        return entry_over(ap, &c->u.entry, err);
    case CHANGE_ENTRY_SEAL:
    case CHANGE_OPEN_ADD:
    case CHANGE_OPEN_SET:
    case CHANGE_OPEN_DEL:
    case CHANGE_DRAFT_ADD:
        return apply_draft(ap, c, err);
    case CHANGE_RECORD_PUT:
        return record_put(ap, &c->u.record, err);
    case CHANGE_ALIAS_ADD:
        return alias_add(ap, &c->u.alias, err);
    case CHANGE_ALIAS_DEL:
        return simple(ap, SQL_ALIAS_DEL, c->u.alias.id, c->u.alias.scope, err);
    case CHANGE_KEY_PUT:
        return key_put(ap, &c->u.key, err);
    case CHANGE_LIST_PUT:
        return list_put(ap, &c->u.list, err);
    case CHANGE_LIST_DEL:
        return simple(ap, SQL_LIST_DEL, NULL, c->u.list.sid, err);
    case CHANGE_WATERMARK:
        return simple(ap, SQL_WATERMARK_SET, NULL, c->u.watermark, err);
    case CHANGE_BLOB_LINK:
        return apply_link(ap, c, err);
    case CHANGE_FULLTEXT_PUT:
        return text_put(ap->c, ap->s->scratch, &c->u.text, err);
    case CHANGE_FULLTEXT_MARK:
        return simple(ap, SQL_TEXT_MARK_SET, NULL, c->u.watermark, err);
    case CHANGE_FULLTEXT_CLEAR:
        return text_clear(ap->c, err);
    case CHANGE_SPEND_ADD:
        return spend_put(ap, &c->u.spend, err);
    case CHANGE_SPEND_DROP:
        return simple(ap, SQL_SPEND_DROP, NULL, c->u.spend.sid, err);
    case CHANGE_SPEND_CLEAR:
        return simple(ap, SQL_SPEND_CLEAR, NULL, 0, err);
    case CHANGE_SEEN_ADD:
        return apply_seen(ap, &c->u.seen, err);
    case CHANGE_SEEN_CLEAR:
        return simple(ap, SQL_SEEN_CLEAR, NULL, 0, err);
    }
    return bough_fail(err, BOUGH_INVALID, "unknown change");
}
