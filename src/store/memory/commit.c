/* The memory backend's commit: check everything a txn assumes, then apply it. Applying
 * cannot fail. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/pack/pack.h"
#include "store/memory/blob.h"
#include "store/memory/seen.h"

static const char *guard_lost(struct memory *m, const struct guard *g)
{
    struct mem_session *s;
    struct mem_open *open;

    switch (g->op) {
    case GUARD_HEAD:
        s = mem_session(m, g->sid);
        return s && s->head_there && s->head.ver == g->ver ? NULL : "head";
    case GUARD_ENTRY:
        return mem_entry(m, g->entry.branch, g->entry.depth) ? NULL : "entry";
    case GUARD_WATERMARK:
        return m->watermark == g->applied ? NULL : "watermark";
    case GUARD_OPEN:
        open = mem_open(m, g->entry.branch, g->entry.depth);
        return open && open->row.ver == g->ver ? NULL : "open";
    case GUARD_FULLTEXT:
        return m->fulltext_mark == g->applied ? NULL : "watermark";
    case GUARD_NO_SLUG:
        return smap_get(&m->slugs, str_of(g->name), NULL) ? "slug" : NULL;
    case GUARD_NO_ALIAS:
        return mem_alias(m, g->name, 0) ? "alias" : NULL;
    case GUARD_SEEN:
        return mem_seen_last(m, g->key) == g->applied ? NULL : "seen";
    }
    return NULL;
}

static const char *session_lost(struct memory *m, const struct session_row *row, bool fresh)
{
    struct mem_session *s = fresh ? NULL : mem_session(m, row->sid);
    uint64_t owner = 0;

    if (!fresh && (!s || s->row.ver != row->ver))
        return "session";
    if (*row->slug && !row->purged && smap_get(&m->slugs, str_of(row->slug), &owner) &&
        (fresh || (int64_t)owner != row->sid))
        return "slug";
    return NULL;
}

static const char *record_lost(struct memory *m, const struct record_row *row)
{
    struct mem_record *r;

    if (row->ord == 0)
        return NULL;
    r = mem_record(m, row->sid, row->kind, row->ord);
    return r && r->ver == row->ver ? NULL : "record";
}

/* An expired key may be replaced. */
static const char *key_lost(struct memory *m, const struct key_row *row)
{
    struct mem_key *k = mem_key(m, row->key);

    return k && k->row.expires > row->expires - KEY_DAYS_MS ? "key" : NULL;
}

/* Returns what does not hold, or NULL. `grown` counts the entries that earlier changes of this txn
 * add to the same branch. */
static const char *change_lost(struct memory *m, const struct change *c, const struct change *all)
{
    struct mem_session *s;
    struct mem_branch *b;
    int64_t grown = 0;

    switch (c->op) {
    case CHANGE_SESSION_NEW:
        return session_lost(m, &c->u.session.row, true);
    case CHANGE_SESSION_SET:
        return session_lost(m, &c->u.session.row, false);
    case CHANGE_HEAD_SET:
        s = mem_session(m, c->u.head.sid);
        return c->u.head.sid == NEW_SESSION || (s && s->head_there && s->head.ver == c->u.head.ver)
                   ? NULL
                   : "head";
    case CHANGE_ENTRY_ADD:
        b = mem_branch(m, c->u.entry.bid);
        for (const struct change *i = all; i < c; i++)
            grown += i->op == CHANGE_ENTRY_ADD && i->u.entry.bid == c->u.entry.bid;
        return c->u.entry.bid < 0 || (b && mem_tip(b) + grown + 1 == c->u.entry.depth) ? NULL
                                                                                       : "tip";
    case CHANGE_ENTRY_SET:
        return mem_entry(m, c->u.entry.bid, c->u.entry.depth) ? NULL : "entry";
    case CHANGE_ENTRY_SEAL:
    case CHANGE_OPEN_ADD:
    case CHANGE_OPEN_SET:
    case CHANGE_OPEN_DEL:
    case CHANGE_DRAFT_ADD:
        return mem_draft_lost(m, c);
    case CHANGE_RECORD_PUT:
        return record_lost(m, &c->u.record);
    case CHANGE_ALIAS_ADD:
        return c->u.alias.scope != NEW_SESSION && mem_alias(m, c->u.alias.id, c->u.alias.scope)
                   ? "alias"
                   : NULL;
    case CHANGE_KEY_PUT:
        return key_lost(m, &c->u.key);
    case CHANGE_BLOB_LINK:
        return mem_link_lost(m, c) ? "blob" : NULL;
    case CHANGE_BRANCH_NEW:
    case CHANGE_ALIAS_DEL:
    case CHANGE_LIST_PUT:
    case CHANGE_LIST_DEL:
    case CHANGE_WATERMARK:
    case CHANGE_FULLTEXT_PUT:
    case CHANGE_FULLTEXT_MARK:
    case CHANGE_FULLTEXT_CLEAR:
    case CHANGE_SPEND_ADD:
    case CHANGE_SPEND_DROP:
    case CHANGE_SPEND_CLEAR:
    case CHANGE_SEEN_ADD:
    case CHANGE_SEEN_CLEAR:
        return NULL;
    }
    return NULL;
}

/* New numbers of this txn. Most txns need only a few, which fit into `few`; larger ones
 * allocate. */
enum { FEW = 16 };

struct new_numbers {
    int64_t sid;
    int64_t few[2 * FEW];
    int64_t *bids, *ords;
    size_t nbids, nords;
    int64_t next_no;
};

static void new_numbers_init(struct new_numbers *made, const struct txn *t, int64_t next_no)
{
    bool many = t->nchanges > FEW;

    memset(made, 0, sizeof *made);
    made->bids = many ? mem_zalloc(mem_array(2 * t->nchanges, sizeof *made->bids)) : made->few;
    made->ords = made->bids + (many ? t->nchanges : FEW);
    made->next_no = next_no;
}

static void new_numbers_finish(struct new_numbers *made)
{
    if (made->bids != made->few)
        mem_free(made->bids);
}

static int64_t sid_of(const struct new_numbers *made, int64_t sid)
{
    return sid == NEW_SESSION ? made->sid : sid;
}

static int64_t bid_of(const struct new_numbers *made, int64_t bid)
{
    return bid < 0 ? made->bids[-1 - bid] : bid;
}

static int64_t ord_of(const struct new_numbers *made, int64_t ord)
{
    return ord < 0 ? made->ords[-1 - ord] : ord;
}

static void apply_session_new(struct memory *m, const struct change *c, struct new_numbers *made)
{
    struct session_row row = c->u.session.row;
    struct head_row head = c->u.session.head;

    made->sid = row.sid = head.sid = (int64_t)m->nsessions;
    row.ver = head.ver = 1;
    head.bid = bid_of(made, head.bid);
    mem_put_session(m, &row);
    mem_put_head(m, &head);
}

static void apply_entry_add(struct memory *m, struct change *c, struct new_numbers *made)
{
    struct entry_row row = c->u.entry;

    row.bid = bid_of(made, row.bid);
    pack_entry_patch((char *)(uintptr_t)row.body.p, made->next_no++,
                     c->call_new ? made->ords[c->call_new - 1] : 0);
    mem_put_entry(m, &row);
}

static void apply_record(struct memory *m, const struct change *c, struct new_numbers *made)
{
    struct record_row row = c->u.record;

    row.sid = sid_of(made, row.sid);
    if (row.ord == 0) {
        row.ord = (int64_t)m->sessions[row.sid].records[row.kind].n + 1;
        made->ords[made->nords++] = row.ord;
    }
    row.ver++;
    mem_put_record(m, &row);
}

static void apply_alias(struct memory *m, const struct change *c, const struct new_numbers *made)
{
    struct alias_row row = c->u.alias;

    row.scope = sid_of(made, row.scope);
    if ((row.what & 0xff) == ALIAS_SESSION) {
        row.a = sid_of(made, row.a);
    } else if ((row.what & 0xff) == ALIAS_ENTRY) {
        row.a = bid_of(made, row.a);
    } else {
        row.a = sid_of(made, row.a);
        row.b = row.b < 0 ? (row.what >> 8) << 28 | ord_of(made, row.b) : row.b;
    }
    mem_put_alias(m, &row);
}

static void apply_rest(struct memory *m, const struct change *c, struct new_numbers *made)
{
    struct branch_row branch = c->u.branch;
    struct session_row session = c->u.session.row;
    struct head_row head = c->u.head;

    if (c->op == CHANGE_BRANCH_NEW) {
        branch.bid = (int64_t)m->nbranches;
        branch.sid = sid_of(made, branch.sid);
        branch.parent = bid_of(made, branch.parent);
        branch.cut = -1;
        made->bids[made->nbids++] = branch.bid;
        mem_put_branch(m, &branch);
    } else if (c->op == CHANGE_SESSION_SET) {
        session.ver++;
        mem_put_session(m, &session);
    } else if (c->op == CHANGE_HEAD_SET) {
        head.sid = sid_of(made, head.sid);
        head.ver++;
        head.bid = bid_of(made, head.bid);
        mem_put_head(m, &head);
    }
}

static void apply(struct memory *m, struct change *c, struct new_numbers *made, int64_t last_no)
{
    struct seen_row seen;
    struct key_row key;

    switch (c->op) {
    case CHANGE_SESSION_NEW:
        apply_session_new(m, c, made);
        break;
    case CHANGE_BRANCH_NEW:
    case CHANGE_SESSION_SET:
    case CHANGE_HEAD_SET:
        apply_rest(m, c, made);
        break;
    case CHANGE_ENTRY_ADD:
        apply_entry_add(m, c, made);
        break;
    case CHANGE_ENTRY_SET:
        mem_entry(m, c->u.entry.bid, c->u.entry.depth)->deleted = c->u.entry.deleted;
        mem_entry(m, c->u.entry.bid, c->u.entry.depth)->mask = c->u.entry.mask;
        break;
    case CHANGE_ENTRY_SEAL:
    case CHANGE_OPEN_ADD:
    case CHANGE_OPEN_SET:
    case CHANGE_OPEN_DEL:
    case CHANGE_DRAFT_ADD:
        mem_draft_apply(m, c, bid_of(made, c->u.open.bid),
                        c->call_new ? made->ords[c->call_new - 1] : 0);
        break;
    case CHANGE_RECORD_PUT:
        apply_record(m, c, made);
        break;
    case CHANGE_ALIAS_ADD:
        apply_alias(m, c, made);
        break;
    case CHANGE_ALIAS_DEL:
        mem_del_alias(m, c->u.alias.id, c->u.alias.scope);
        break;
    case CHANGE_KEY_PUT:
        key = c->u.key;
        key.no = last_no;
        mem_put_key(m, &key);
        break;
    case CHANGE_LIST_PUT:
        mem_put_list(m, &c->u.list);
        break;
    case CHANGE_LIST_DEL:
        mem_del_list(m, c->u.list.sid);
        break;
    case CHANGE_WATERMARK:
        m->watermark = c->u.watermark;
        break;
    case CHANGE_BLOB_LINK:
        mem_apply_link(m, c, bid_of(made, c->u.link.bid));
        break;
    case CHANGE_FULLTEXT_PUT:
        mem_put_text(m, &c->u.text);
        break;
    case CHANGE_FULLTEXT_MARK:
        m->fulltext_mark = c->u.watermark;
        break;
    case CHANGE_FULLTEXT_CLEAR:
        mem_clear_texts(m);
        break;
    case CHANGE_SPEND_ADD:
        mem_add_spend(m, &c->u.spend);
        break;
    case CHANGE_SPEND_DROP:
        mem_drop_spends(m, c->u.spend.sid);
        break;
    case CHANGE_SPEND_CLEAR:
        mem_clear_spends(m);
        break;
    case CHANGE_SEEN_ADD:
        seen = c->u.seen;
        seen.no = seen.no ? seen.no : last_no;
        seen.bid = bid_of(made, seen.bid);
        seen.depth = seen.bid ? seen.depth : sid_of(made, seen.depth);
        mem_put_seen(m, &seen);
        break;
    case CHANGE_SEEN_CLEAR:
        mem_clear_seen(m);
        break;
    }
}

static const char *find_lost(struct memory *m, const struct txn *t)
{
    const char *lost = NULL;

    for (size_t i = 0; i < t->nguards && !lost; i++)
        lost = guard_lost(m, &t->guards[i]);
    for (size_t i = 0; i < t->nchanges && !lost; i++)
        lost = change_lost(m, &t->changes[i], t->changes);
    return lost;
}

static void commit_one(struct memory *m, struct txn *t)
{
    struct new_numbers made;
    int64_t last_no = m->last_no + t->log.n;
    struct changelog_row log = t->log;

    t->lost = find_lost(m, t);
    t->state = t->lost ? TXN_LOST : TXN_DONE;
    if (t->lost)
        return;
    new_numbers_init(&made, t, m->last_no + 1);
    for (size_t i = 0; i < t->nchanges; i++)
        apply(m, &t->changes[i], &made, last_no);
    if (t->log.kind) {
        log.no = last_no;
        log.sid = sid_of(&made, log.sid);
        log.bid = bid_of(&made, log.bid);
        log.record = ord_of(&made, log.record);
        log.aux = log.aux < 0 ? ord_of(&made, log.aux) : log.aux;
        mem_put_log(m, &log);
    }
    t->sid = made.sid;
    memcpy(t->bids, made.bids, sizeof t->bids);
    memcpy(t->ords, made.ords, sizeof t->ords);
    t->no = last_no;
    new_numbers_finish(&made);
}

enum bough_rc memory_commit(struct backend *b, struct txn *const *txns, size_t n,
                            const struct deadline *p, struct bough_error *err)
{
    struct memory *m = memory_of(b);

    (void)p;
    (void)err;
    pthread_rwlock_wrlock(&m->lock);
    for (size_t i = 0; i < n; i++)
        commit_one(m, txns[i]);
    pthread_rwlock_unlock(&m->lock);
    return BOUGH_OK;
}

/* ---- purge ---- */

enum bough_rc memory_branch_cut(struct backend *b, const struct branch_row *rows, size_t n,
                                const struct deadline *p, struct bough_error *err)
{
    struct memory *m = memory_of(b);

    (void)p;
    (void)err;
    pthread_rwlock_wrlock(&m->lock);
    for (size_t i = 0; i < n; i++)
        if (mem_branch(m, rows[i].bid))
            m->branches[rows[i].bid].row.cut = rows[i].cut;
    pthread_rwlock_unlock(&m->lock);
    return BOUGH_OK;
}

static int64_t purge_branch(struct memory *m, struct mem_branch *b, int64_t limit)
{
    int64_t done = 0;

    if (b->row.cut >= 0)
        mem_purge_opens(m, &b->row);
    for (int64_t d = mem_tip(b); b->row.cut >= 0 && d > b->row.cut && done < limit; d--) {
        mem_del_entry_text(m, b->row.bid, d);
        done += mem_del_entry(m, b->row.bid, d);
    }
    if (b->row.cut >= 0)
        mem_purge_links(m, b->row.bid, b->row.cut, LIMIT_DEPTH);
    return done;
}

static int64_t purge_records(struct mem_session *s, int64_t limit)
{
    int64_t done = 0;

    for (int k = 0; k < 16; k++)
        for (; s->records[k].n && done < limit; s->records[k].n--) {
            mem_free(s->records[k].at[s->records[k].n - 1]);
            s->records[k].at[s->records[k].n - 1] = NULL;
            done++;
        }
    return done;
}

/* Does the idempotency key belong to the session? The session number is the second of its three
 * fields. */
static bool key_of(const char *key, int64_t sid)
{
    const char *p = strchr(key, 0x1f);
    int64_t n = 0;

    for (p = p ? p + 1 : ""; *p >= '0' && *p <= '9'; p++)
        n = n * 10 + (*p - '0');
    return *p == 0x1f && n == sid;
}

static void purge_names(struct memory *m, int64_t sid)
{
    for (size_t i = 0; i < m->naliases; i++)
        if (m->aliases[i].there &&
            (m->aliases[i].row.scope == sid ||
             (m->aliases[i].row.what == ALIAS_SESSION && m->aliases[i].row.a == sid)))
            mem_del_alias(m, m->aliases[i].row.id, m->aliases[i].row.scope);
    for (size_t i = 0; i < m->nkeys; i++)
        if (m->keys[i].there && key_of(m->keys[i].row.key, sid)) {
            smap_del(&m->key_ids, str_of(m->keys[i].row.key));
            mem_free((void *)(uintptr_t)m->keys[i].row.key);
            m->keys[i] = (struct mem_key){ 0 };
        }
}

enum bough_rc memory_purge_slice(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                 int64_t *entries, int64_t *records, const struct deadline *p,
                                 struct bough_error *err)
{
    struct memory *m = memory_of(b);
    int64_t done = 0, gone;

    (void)p;
    (void)err;
    pthread_rwlock_wrlock(&m->lock);
    mem_del_text(m, m->sessions[sid].title_order);
    for (size_t i = 1; i < m->nbranches && done < limit; i++)
        if (m->branches[i].there && m->branches[i].row.sid == sid)
            done += purge_branch(m, &m->branches[i], limit - done);
    *entries += done;
    gone = done < limit ? purge_records(&m->sessions[sid], limit - done) : 0;
    *records += gone;
    *left = done + gone >= limit;
    if (!*left) {
        mem_purge_seen(m, sid);
        purge_names(m, sid);
    }
    pthread_rwlock_unlock(&m->lock);
    return BOUGH_OK;
}
