/* Raw access to the memory backend for fsck and migrations: scan a whole table, write unchecked
 * rows. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/memory/blob.h"
#include "store/memory/seen.h"

static bool scan_sessions(struct memory *m, enum raw_table table, raw_fn fn, void *user)
{
    for (size_t i = 1; i < m->nsessions; i++) {
        struct mem_session *s = &m->sessions[i];
        struct raw_row row = { .table = table };

        if (table == RAW_SESSION && s->there)
            row.u.session = s->row;
        else if (table == RAW_HEAD && s->head_there)
            row.u.head = s->head;
        else if (table == RAW_LIST && s->list)
            row.u.list = *s->list;
        else
            continue;
        if (!fn(user, &row))
            return false;
    }
    return true;
}

static bool scan_branches(struct memory *m, enum raw_table table, raw_fn fn, void *user)
{
    for (size_t i = 1; i < m->nbranches; i++) {
        struct mem_branch *b = &m->branches[i];
        struct raw_row row = { .table = table };

        if (!b->there)
            continue;
        row.u.branch = b->row;
        if (table == RAW_BRANCH && !fn(user, &row))
            return false;
        for (size_t k = 0; table == RAW_ENTRY && k < b->n; k++) {
            struct mem_entry *e = b->at[k];

            if (!e)
                continue;
            row.u.entry =
                (struct entry_row){ b->row.bid, b->row.base + 1 + (int64_t)k, e->kind, e->mask,
                                    e->deleted, { e->body, e->len } };
            if (!fn(user, &row))
                return false;
        }
    }
    return true;
}

static bool scan_records(struct memory *m, raw_fn fn, void *user)
{
    for (size_t i = 0; i < m->nsessions; i++)
        for (int64_t k = 0; k < 16; k++) {
            struct mem_records *r = &m->sessions[i].records[k];

            for (size_t o = 0; o < r->n; o++) {
                struct raw_row row = { .table = RAW_RECORD };

                if (!r->at[o])
                    continue;
                row.u.record =
                    (struct record_row){ (int64_t)i,        k,
                                         (int64_t)o + 1,    r->at[o]->ver,
                                         r->at[o]->deleted, { r->at[o]->body, r->at[o]->len } };
                if (!fn(user, &row))
                    return false;
            }
        }
    return true;
}

static void scan_rest(struct memory *m, enum raw_table table, raw_fn fn, void *user)
{
    struct raw_row row = { .table = table };

    for (size_t i = 0; table == RAW_ALIAS && i < m->naliases; i++) {
        row.u.alias = m->aliases[i].row;
        if (m->aliases[i].there && !fn(user, &row))
            return;
    }
    for (size_t i = 0; table == RAW_KEY && i < m->nkeys; i++) {
        row.u.key = m->keys[i].row;
        if (m->keys[i].there && !fn(user, &row))
            return;
    }
    for (size_t i = 0; table == RAW_CHANGELOG && i < m->nlog; i++) {
        mem_log_row(mem_log_at(m, i), &row.u.log);
        if (!fn(user, &row))
            return;
    }
}

enum bough_rc memory_raw_scan(struct snapshot *v, enum raw_table table, raw_fn fn, void *user,
                              struct bough_error *err)
{
    struct memory *m = memory_in(v);

    (void)err;
    switch (table) {
    case RAW_SESSION:
    case RAW_HEAD:
    case RAW_LIST:
        scan_sessions(m, table, fn, user);
        break;
    case RAW_BRANCH:
    case RAW_ENTRY:
        scan_branches(m, table, fn, user);
        break;
    case RAW_RECORD:
        scan_records(m, fn, user);
        break;
    case RAW_ALIAS:
    case RAW_KEY:
    case RAW_CHANGELOG:
        scan_rest(m, table, fn, user);
        break;
    case RAW_OPEN:
    case RAW_DRAFT:
        mem_scan_opens(m, table, fn, user);
        break;
    case RAW_BLOB:
    case RAW_CHUNK:
    case RAW_LINK:
        mem_scan_blobs(m, table, fn, user);
        break;
    case RAW_FULLTEXT:
        mem_scan_texts(m, fn, user);
        break;
    case RAW_SEEN:
        mem_scan_seen(m, fn, user);
        break;
    case RAW_SPEND:
        mem_scan_spends(m, fn, user);
        break;
    case RAW_TABLES:
        break;
    }
    return BOUGH_OK;
}

static size_t log_index(const struct memory *m, int64_t no)
{
    size_t i = 0;

    while (i < m->nlog && mem_log_no(m, i) != no)
        i++;
    return i;
}

/* Keeps the rows sorted by number. */
static void fix_changelog(struct memory *m, const struct changelog_row *row, bool remove)
{
    size_t i = log_index(m, row->no);

    if (i < m->nlog) {
        for (; i + 1 < m->nlog; i++)
            *mem_log_at(m, i) = *mem_log_at(m, i + 1);
        m->nlog--;
    }
    if (remove)
        return;
    mem_put_log(m, row);
    for (size_t k = m->nlog - 1; k > 0 && mem_log_no(m, k - 1) > mem_log_no(m, k); k--) {
        struct mem_changelog t = *mem_log_at(m, k);

        *mem_log_at(m, k) = *mem_log_at(m, k - 1);
        *mem_log_at(m, k - 1) = t;
    }
}

static void remove_row(struct memory *m, const struct raw_row *row)
{
    struct mem_session *s;
    struct mem_key *k;

    switch (row->table) {
    case RAW_SESSION:
        s = mem_session(m, row->u.session.sid);
        if (s && *s->row.slug)
            smap_del(&m->slugs, str_of(s->row.slug));
        if (s) {
            mem_free((void *)(uintptr_t)s->row.slug);
            mem_free((void *)(uintptr_t)s->row.body.p);
            s->there = false;
        }
        break;
    case RAW_HEAD:
        s = &m->sessions[row->u.head.sid];
        if (s->head_there)
            mem_free((void *)(uintptr_t)s->head.lease_owner);
        s->head_there = false;
        break;
    case RAW_BRANCH:
        m->branches[row->u.branch.bid].there = false;
        break;
    case RAW_ENTRY:
        mem_del_entry(m, row->u.entry.bid, row->u.entry.depth);
        break;
    case RAW_RECORD:
        s = &m->sessions[row->u.record.sid];
        mem_free(s->records[row->u.record.kind].at[row->u.record.ord - 1]);
        s->records[row->u.record.kind].at[row->u.record.ord - 1] = NULL;
        break;
    case RAW_ALIAS:
        mem_del_alias(m, row->u.alias.id, row->u.alias.scope);
        break;
    case RAW_KEY:
        k = mem_key(m, row->u.key.key);
        if (k) {
            smap_del(&m->key_ids, str_of(row->u.key.key));
            mem_free((void *)(uintptr_t)k->row.key);
            *k = (struct mem_key){ 0 };
        }
        break;
    case RAW_CHANGELOG:
        fix_changelog(m, &row->u.log, true);
        break;
    case RAW_LIST:
        mem_del_list(m, row->u.list.sid);
        break;
    case RAW_OPEN:
        mem_del_open(m, row->u.open.bid, row->u.open.depth, false);
        break;
    case RAW_DRAFT:
        mem_del_draft(m, &row->u.draft);
        break;
    case RAW_BLOB:
        mem_del_blob(m, row->u.blob.bno);
        break;
    case RAW_CHUNK:
        mem_del_chunk(m, row->u.chunk.bno, row->u.chunk.index);
        break;
    case RAW_LINK:
        mem_del_link(m, &row->u.link);
        break;
    case RAW_FULLTEXT:
        mem_del_text(m, fulltext_order(&row->u.text));
        break;
    case RAW_SEEN:
        mem_del_seen(m, &row->u.seen);
        break;
    case RAW_SPEND:
        mem_del_spend(m, &row->u.spend);
        break;
    case RAW_TABLES:
        break;
    }
}

static void put_row(struct memory *m, const struct raw_row *row)
{
    switch (row->table) {
    case RAW_SESSION:
        mem_put_session(m, &row->u.session);
        break;
    case RAW_HEAD:
        mem_put_head(m, &row->u.head);
        break;
    case RAW_BRANCH:
        mem_put_branch(m, &row->u.branch);
        break;
    case RAW_ENTRY:
        mem_put_entry(m, &row->u.entry);
        break;
    case RAW_RECORD:
        mem_put_record(m, &row->u.record);
        break;
    case RAW_ALIAS:
        mem_put_alias(m, &row->u.alias);
        break;
    case RAW_KEY:
        mem_put_key(m, &row->u.key);
        break;
    case RAW_CHANGELOG:
        fix_changelog(m, &row->u.log, false);
        break;
    case RAW_LIST:
        mem_put_list(m, &row->u.list);
        break;
    case RAW_OPEN:
        mem_put_open(m, &row->u.open);
        break;
    case RAW_DRAFT:
        mem_put_draft(m, &row->u.draft);
        break;
    case RAW_BLOB:
        mem_put_blob(m, &row->u.blob);
        break;
    case RAW_CHUNK:
        mem_put_chunk(m, &row->u.chunk);
        break;
    case RAW_LINK:
        mem_del_link(m, &row->u.link);
        mem_put_link(m, &row->u.link);
        break;
    case RAW_FULLTEXT:
        mem_raw_text(m, &row->u.text);
        break;
    case RAW_SEEN:
        mem_put_seen(m, &row->u.seen);
        break;
    case RAW_SPEND:
        mem_put_spend(m, &row->u.spend);
        break;
    case RAW_TABLES:
        break;
    }
}

enum bough_rc memory_raw_fix(struct backend *b, const struct raw_row *row, bool remove,
                             struct bough_error *err)
{
    struct memory *m = memory_of(b);

    (void)err;
    pthread_rwlock_wrlock(&m->lock);
    if (remove)
        remove_row(m, row);
    else
        put_row(m, row);
    pthread_rwlock_unlock(&m->lock);
    return BOUGH_OK;
}

enum bough_rc memory_raw_numbers(struct snapshot *v, struct bough_arena *a, struct raw_numbers *out,
                                 struct bough_error *err)
{
    struct memory *m = memory_in(v);
    int64_t no;
    enum bough_rc rc = memory_log_last(v, &no, err);

    *out = (struct raw_numbers){ .no = no,
                                 .sessions = (int64_t)m->nsessions - 1,
                                 .branches = (int64_t)m->nbranches - 1,
                                 .blobs = m->nblobs ? (int64_t)m->nblobs - 1 : 0,
                                 .lists = m->watermark,
                                 .epoch = 1,
                                 .store_id = arena_strdup(a, m->store_id),
                                 .moving = "" };
    return rc;
}

/* The last numbers follow from the rows. `moving` is not stored: a memory store does not survive an
 * interrupted migration. */
enum bough_rc memory_raw_load(struct backend *b, const struct raw_row *rows, size_t n,
                              const struct raw_numbers *numbers, struct bough_error *err)
{
    struct memory *m = memory_of(b);
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n && !rc; i++)
        rc = memory_raw_fix(b, &rows[i], false, err);
    pthread_rwlock_wrlock(&m->lock);
    m->watermark = numbers->lists;
    pthread_rwlock_unlock(&m->lock);
    return rc;
}
