/* Numbers assigned to a txn's new rows, and putting them in the place of its NEW_* placeholders. */
#ifndef STORE_CONTRACT_NEW_NUMBERS_H
#define STORE_CONTRACT_NEW_NUMBERS_H

#include "store/contract/txn.h"

struct new_record {
    int64_t sid, kind, ord;
};

struct new_numbers {
    int64_t sid; /* of the new session */
    int64_t *bids;
    size_t nbids;
    struct new_record *records;
    size_t nrecords;
};

/* How many new numbers a txn needs. */
struct new_counts {
    size_t sessions, branches, records;
    int64_t numbers; /* of the changelog */
};

static inline struct new_counts txn_new_counts(const struct txn *t)
{
    struct new_counts n = { .numbers = !t->log.kind ? 0 : t->log.n > 0 ? t->log.n : 1 };

    for (size_t i = 0; i < t->nchanges; i++) {
        const struct change *c = &t->changes[i];

        n.sessions += c->op == CHANGE_SESSION_NEW;
        n.branches += c->op == CHANGE_BRANCH_NEW;
        n.records += c->op == CHANGE_RECORD_PUT && c->u.record.ord == 0;
    }
    return n;
}

static inline int64_t session_of(const struct new_numbers *m, int64_t sid)
{
    return sid == NEW_SESSION ? m->sid : sid;
}

static inline int64_t branch_of(const struct new_numbers *m, int64_t bid)
{
    if (bid >= 0)
        return bid;
    return (size_t)(-1 - bid) < m->nbids ? m->bids[-1 - bid] : 0;
}

static inline const struct new_record *record_of(const struct new_numbers *m, int64_t ref)
{
    return ref < 0 && (size_t)(-1 - ref) < m->nrecords ? &m->records[-1 - ref] : NULL;
}

/* The last ordinal assigned in (sid, kind); 0: none yet. */
static inline int64_t new_numbers_last(const struct new_numbers *m, int64_t sid, int64_t kind)
{
    for (size_t i = m->nrecords; i-- > 0;)
        if (m->records[i].sid == sid && m->records[i].kind == kind)
            return m->records[i].ord;
    return 0;
}

/* The changelog row without placeholders. */
static inline struct changelog_row
new_numbers_changelog(const struct new_numbers *m, const struct changelog_row *row, int64_t no)
{
    const struct new_record *r = record_of(m, row->record), *aux = record_of(m, row->aux);

    return (struct changelog_row){ .no = no,
                                   .n = row->n > 0 ? row->n : 1,
                                   .sid = session_of(m, row->sid),
                                   .kind = row->kind,
                                   .time = row->time,
                                   .bid = branch_of(m, row->bid),
                                   .depth = row->depth,
                                   .record = r ? r->ord : row->record,
                                   .aux = aux ? aux->ord : row->aux };
}

/* The alias row without placeholders. */
static inline struct alias_row new_numbers_alias(const struct new_numbers *m,
                                                 const struct alias_row *row)
{
    const struct new_record *r = record_of(m, row->b);
    bool entry = (row->what & 0xff) == ALIAS_ENTRY, record = (row->what & 0xff) == ALIAS_RECORD;

    return (struct alias_row){ .id = row->id,
                               .scope = session_of(m, row->scope),
                               .what = row->what,
                               .a = entry ? branch_of(m, row->a) : session_of(m, row->a),
                               .b = record && r ? r->kind << 28 | r->ord : row->b };
}

/* The seen row without placeholders. */
static inline struct seen_row new_numbers_seen(const struct new_numbers *m,
                                               const struct seen_row *row, int64_t no)
{
    struct seen_row out = *row;

    out.no = row->no ? row->no : no;
    out.bid = branch_of(m, row->bid);
    out.depth = row->bid ? row->depth : session_of(m, row->depth);
    return out;
}

/* Fill in the results of the txn. */
static inline void new_numbers_tell(const struct new_numbers *m, struct txn *t, int64_t no)
{
    t->sid = m->sid;
    t->no = no;
    for (size_t i = 0; i < 8; i++) {
        t->bids[i] = i < m->nbids ? m->bids[i] : 0;
        t->ords[i] = i < m->nrecords ? m->records[i].ord : 0;
    }
}

#endif
