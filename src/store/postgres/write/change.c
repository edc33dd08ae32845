/* The changes of a txn, one or two statements each. */
#include "base/limits.h"
#include "core/pack/pack.h"
#include "store/postgres/write/batch.h"

static enum bough_rc touch(struct batch *b, enum sql id, const struct args *a, const char *lost,
                           struct bough_error *err)
{
    return batch_send(b, id, a, MUST_TOUCH, 1, lost, err);
}

static enum bough_rc work(struct batch *b, enum sql id, const struct args *a,
                          struct bough_error *err)
{
    return batch_send(b, id, a, MUST_WORK, 0, "row", err);
}

/* ---- sessions ---- */

static enum bough_rc head_put(struct batch *b, enum sql id, const struct head_row *row, int64_t sid,
                              int64_t ver, struct bough_error *err)
{
    struct head_row head = *row;
    struct args a = { 0 };

    head.sid = sid;
    head.ver = ver;
    head.bid = branch_of(&b->made, row->bid);
    args_head(&a, &head);
    return touch(b, id, &a, "head", err);
}

static enum bough_rc session_new(struct batch *b, const struct change *c, struct bough_error *err)
{
    struct session_row row = c->u.session.row;
    struct args a = { 0 };
    enum bough_rc rc;

    row.sid = b->made.sid;
    row.ver = 1;
    args_session(b->a, &a, &row);
    rc = touch(b, SQL_SESSION_ADD, &a, "slug", err);
    return rc ? rc : head_put(b, SQL_HEAD_ADD, &c->u.session.head, b->made.sid, 1, err);
}

/* A slug that is taken loses the txn too: batch_settle() handles the uniqueness violation. */
static enum bough_rc session_set(struct batch *b, const struct session_row *row,
                                 struct bough_error *err)
{
    struct args a = { 0 };

    args_ints(&a,
              (int64_t[]){ session_of(&b->made, row->sid), row->ver, row->parent, row->kind,
                           row->purged },
              5);
    args_text(&a, row->slug);
    args_str(&a, row->body);
    args_session_docs(b->a, &a, row);
    return touch(b, SQL_SESSION_SET, &a, "session", err);
}

static enum bough_rc branch_new(struct batch *b, const struct branch_row *row,
                                struct bough_error *err)
{
    struct args a = { 0 };

    args_ints(&a,
              (int64_t[]){ b->made.bids[b->branches_used++], session_of(&b->made, row->sid),
                           branch_of(&b->made, row->parent), row->base, -1 },
              5);
    return touch(b, SQL_BRANCH_ADD, &a, "branch", err);
}

/* ---- entries ---- */

static enum bough_rc entry_add(struct batch *b, struct change *c, struct bough_error *err)
{
    const struct new_record *call = record_of(&b->made, NEW_RECORD(c->call_new - 1));
    struct entry_row row = c->u.entry;
    struct args a = { 0 };
    enum bough_rc rc = BOUGH_OK;
    int64_t tip = 0;
    bool more;

    row.bid = branch_of(&b->made, row.bid);
    if (row.depth > LIMIT_DEPTH)
        return bough_fail(err, BOUGH_FULL, "branch %lld cannot grow further", (long long)row.bid);
    more = gather_tip(b, row.bid, &tip) && row.depth == tip + 1;
    if (tip && !more) /* its tip can be checked only after the waiting entries are sent */
        rc = gather_flush(b, err);
    if (rc)
        return rc;
    /* The entry's number is known only now; the contract allows patching the body in place. */
    pack_entry_patch((char *)(uintptr_t)row.body.p, b->entry_no++, call ? call->ord : 0);
    args_entry(b->a, &a, &row);
    if (more)
        args_null(&a);
    else
        args_int(&a, row.depth - 1);
    return touch(b, SQL_ENTRY_ADD, &a, "tip", err);
}

static enum bough_rc entry_over(struct batch *b, const struct entry_row *row,
                                struct bough_error *err)
{
    struct args a = { 0 };

    args_ints(&a, (int64_t[]){ branch_of(&b->made, row->bid), row->depth, row->deleted, row->mask },
              4);
    return touch(b, SQL_ENTRY_SET, &a, "entry", err);
}

static enum bough_rc entry_seal(struct batch *b, const struct change *c, struct bough_error *err)
{
    const struct new_record *call = record_of(&b->made, NEW_RECORD(c->call_new - 1));
    struct args a = { 0 };
    struct pack_head h;

    /* The entry keeps its number; its call is known only now. */
    if (call && pack_entry_head(c->u.entry.body, &h))
        pack_entry_patch((char *)(uintptr_t)c->u.entry.body.p, h.no, call->ord);
    args_entry(b->a, &a, &c->u.entry);
    return touch(b, SQL_ENTRY_SEAL, &a, "entry", err);
}

/* ---- open messages ---- */

static enum bough_rc open_put(struct batch *b, const struct open_row *row, bool add,
                              struct bough_error *err)
{
    struct open_row open = *row;
    struct args a = { 0 };

    open.bid = branch_of(&b->made, row->bid);
    if (add) {
        args_open(&a, &open);
        return touch(b, SQL_OPEN_ADD, &a, "open", err);
    }
    args_ints(&a,
              (int64_t[]){ open.bid, open.depth, open.ver, open.epoch, open.since, open.expires,
                           open.lease_ms },
              7);
    args_text(&a, open.owner);
    args_text(&a, open.process);
    args_ints(&a, &open.client, 1);
    args_text(&a, open.wanted);
    return touch(b, SQL_OPEN_SET, &a, "open", err);
}

static enum bough_rc open_del(struct batch *b, const struct open_row *row, struct bough_error *err)
{
    struct args a = { 0 }, drafts = { 0 };
    enum bough_rc rc;

    args_ints(&a, (int64_t[]){ row->bid, row->depth, row->ver }, 3);
    rc = touch(b, SQL_OPEN_DEL, &a, "open", err);
    args_ints(&drafts, (int64_t[]){ row->bid, row->depth }, 2);
    return rc ? rc : work(b, SQL_DRAFT_DEL, &drafts, err);
}

static enum bough_rc draft_add(struct batch *b, const struct draft_row *row,
                               struct bough_error *err)
{
    struct args a = { 0 };

    args_ints(&a, (int64_t[]){ row->bid, row->depth, row->end, row->step }, 4);
    args_str(&a, row->body);
    return touch(b, SQL_DRAFT_ADD, &a, "draft", err);
}

/* ---- records and names ---- */

static enum bough_rc record_put(struct batch *b, const struct record_row *given,
                                struct bough_error *err)
{
    struct record_row row = *given;
    struct args a = { 0 };
    bool new = row.ord == 0;

    row.sid = session_of(&b->made, row.sid);
    if (new) {
        row.ord = b->made.records[b->records_used++].ord;
        row.ver = 1;
    }
    args_record(b->a, &a, &row);
    return touch(b, new ? SQL_RECORD_ADD : SQL_RECORD_SET, &a, "record", err);
}

static enum bough_rc alias_add(struct batch *b, const struct alias_row *given,
                               struct bough_error *err)
{
    struct alias_row row = new_numbers_alias(&b->made, given);
    struct args a = { 0 };

    args_text(&a, row.id);
    args_ints(&a, (int64_t[]){ row.scope, row.what, row.a, row.b }, 4);
    return touch(b, SQL_ALIAS_ADD, &a, "alias", err);
}

static enum bough_rc alias_del(struct batch *b, const struct alias_row *row,
                               struct bough_error *err)
{
    struct args a = { 0 };

    args_text(&a, row->id);
    args_int(&a, row->scope);
    return work(b, SQL_ALIAS_DEL, &a, err);
}

static enum bough_rc key_put(struct batch *b, const struct key_row *row, struct bough_error *err)
{
    struct args a = { 0 };

    args_int(&a, key_session(row->key));
    args_text(&a, row->key);
    args_str(&a, (struct bough_str){ row->hash, sizeof row->hash });
    args_ints(&a,
              (int64_t[]){ b->no, row->expires, row->bid, row->depth, row->expires - KEY_DAYS_MS },
              5);
    return touch(b, SQL_KEY_PUT, &a, "key", err);
}

static enum bough_rc link_add(struct batch *b, const struct change *c, struct bough_error *err)
{
    struct args a = { 0 };

    args_ints(&a, (int64_t[]){ branch_of(&b->made, c->u.link.bid), c->u.link.depth }, 2);
    args_str(&a, (struct bough_str){ (const char *)c->u.link.hash, 32 });
    return touch(b, SQL_LINK_ADD, &a, "blob", err);
}

/* ---- projections ---- */

static enum bough_rc list_put(struct batch *b, const struct list_row *row, struct bough_error *err)
{
    struct args a = { 0 };

    args_list(&a, row);
    return work(b, SQL_LIST_PUT, &a, err);
}

static enum bough_rc one_number(struct batch *b, enum sql id, int64_t number,
                                struct bough_error *err)
{
    struct args a = { 0 };

    args_int(&a, number);
    return work(b, id, &a, err);
}

static enum bough_rc spend_put(struct batch *b, const struct spend_row *row,
                               struct bough_error *err)
{
    struct args a = { 0 };

    args_spend(&a, row);
    return work(b, SQL_SPEND_ADD, &a, err);
}

static enum bough_rc seen_add(struct batch *b, const struct seen_row *row, struct bough_error *err)
{
    struct seen_row *seen = arena_alloc(b->a, sizeof *seen); /* lives until it is sent */
    struct args a = { 0 };

    *seen = new_numbers_seen(&b->made, row, b->no);
    args_seen(&a, seen);
    return work(b, SQL_SEEN_ADD, &a, err);
}

static enum bough_rc text_put(struct batch *b, const struct fulltext_row *row,
                              struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    struct args a = { 0 };

    if (!row->bid)
        rc = one_number(b, SQL_TEXT_DEL_TITLE, row->depth, err);
    if (rc || !row->words)
        return rc;
    args_document(b->a, &a, row);
    return work(b, row->bid ? SQL_TEXT_ADD : SQL_TEXT_ADD_TITLE, &a, err);
}

static enum bough_rc text_clear(struct batch *b, struct bough_error *err)
{
    enum bough_rc rc = work(b, SQL_TEXT_CLEAR, NULL, err);

    return rc ? rc : one_number(b, SQL_TEXT_MARK_SET, 0, err);
}

enum bough_rc batch_change(struct batch *b, struct change *c, struct bough_error *err)
{
    switch (c->op) {
    case CHANGE_SESSION_NEW:
        return session_new(b, c, err);
    case CHANGE_SESSION_SET:
        return session_set(b, &c->u.session.row, err);
    case CHANGE_BRANCH_NEW:
        return branch_new(b, &c->u.branch, err);
    case CHANGE_HEAD_SET:
        return head_put(b, SQL_HEAD_SET, &c->u.head, session_of(&b->made, c->u.head.sid),
                        c->u.head.ver, err);
    case CHANGE_ENTRY_ADD:
        return entry_add(b, c, err);
    case CHANGE_ENTRY_SET:
        return entry_over(b, &c->u.entry, err);
    case CHANGE_ENTRY_SEAL:
        return entry_seal(b, c, err);
    case CHANGE_OPEN_ADD:
    case CHANGE_OPEN_SET:
        return open_put(b, &c->u.open, c->op == CHANGE_OPEN_ADD, err);
    case CHANGE_OPEN_DEL:
        return open_del(b, &c->u.open, err);
    case CHANGE_DRAFT_ADD:
        return draft_add(b, &c->u.draft, err);
    case CHANGE_RECORD_PUT:
        return record_put(b, &c->u.record, err);
    case CHANGE_ALIAS_ADD:
        return alias_add(b, &c->u.alias, err);
    case CHANGE_ALIAS_DEL:
        return alias_del(b, &c->u.alias, err);
    case CHANGE_KEY_PUT:
        return key_put(b, &c->u.key, err);
    case CHANGE_LIST_PUT:
        return list_put(b, &c->u.list, err);
    case CHANGE_LIST_DEL:
        return one_number(b, SQL_LIST_DEL, c->u.list.sid, err);
    case CHANGE_WATERMARK:
        return one_number(b, SQL_WATERMARK_SET, c->u.watermark, err);
    case CHANGE_BLOB_LINK:
        return link_add(b, c, err);
    case CHANGE_FULLTEXT_PUT:
        return text_put(b, &c->u.text, err);
    case CHANGE_FULLTEXT_MARK:
        return one_number(b, SQL_TEXT_MARK_SET, c->u.watermark, err);
    case CHANGE_FULLTEXT_CLEAR:
        return text_clear(b, err);
    case CHANGE_SPEND_ADD:
        return spend_put(b, &c->u.spend, err);
    case CHANGE_SPEND_DROP:
        return one_number(b, SQL_SPEND_DROP, c->u.spend.sid, err);
    case CHANGE_SPEND_CLEAR:
        return work(b, SQL_SPEND_CLEAR, NULL, err);
    case CHANGE_SEEN_ADD:
        return seen_add(b, &c->u.seen, err);
    case CHANGE_SEEN_CLEAR:
        return work(b, SQL_SEEN_CLEAR, NULL, err);
    }
    return bough_fail(err, BOUGH_INVALID, "unknown change");
}
