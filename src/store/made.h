/* The numbers a txn makes: what its NEW_* stand for once they are given out. Shared by the backends
 * that write rows with SQL. */
#ifndef STORE_MADE_H
#define STORE_MADE_H

#include "store/txn.h"

struct made_record {
    int64_t sid, kind, ord;
};

struct made {
    int64_t sid; /* of the session it makes */
    int64_t *bids;
    size_t nbids;
    struct made_record *records;
    size_t nrecords;
};

/* How many of each a txn makes. */
struct makes {
    size_t sessions, branches, records;
    int64_t numbers; /* of the log */
};

static inline struct makes txn_makes(const struct txn *t)
{
    struct makes n = { .numbers = !t->log.kind ? 0 : t->log.n > 0 ? t->log.n : 1 };

    for (size_t i = 0; i < t->nchanges; i++) {
        const struct change *c = &t->changes[i];

        n.sessions += c->op == CHANGE_SESSION_NEW;
        n.branches += c->op == CHANGE_BRANCH_NEW;
        n.records += c->op == CHANGE_RECORD_PUT && c->u.record.ord == 0;
    }
    return n;
}

static inline int64_t session_of(const struct made *m, int64_t sid)
{
    return sid == NEW_SESSION ? m->sid : sid;
}

static inline int64_t branch_of(const struct made *m, int64_t bid)
{
    if (bid >= 0)
        return bid;
    return (size_t)(-1 - bid) < m->nbids ? m->bids[-1 - bid] : 0;
}

static inline const struct made_record *record_of(const struct made *m, int64_t ref)
{
    return ref < 0 && (size_t)(-1 - ref) < m->nrecords ? &m->records[-1 - ref] : NULL;
}

/* The last ordinal this txn gave out in (sid, kind); 0: none yet. */
static inline int64_t made_last(const struct made *m, int64_t sid, int64_t kind)
{
    for (size_t i = m->nrecords; i-- > 0;)
        if (m->records[i].sid == sid && m->records[i].kind == kind)
            return m->records[i].ord;
    return 0;
}

/* The log row with every number in its place. */
static inline struct log_row made_log(const struct made *m, const struct log_row *row, int64_t no)
{
    const struct made_record *r = record_of(m, row->record), *aux = record_of(m, row->aux);

    return (struct log_row){ .no = no,
                             .n = row->n > 0 ? row->n : 1,
                             .sid = session_of(m, row->sid),
                             .kind = row->kind,
                             .time = row->time,
                             .bid = branch_of(m, row->bid),
                             .depth = row->depth,
                             .record = r ? r->ord : row->record,
                             .aux = aux ? aux->ord : row->aux };
}

/* What an alias names. */
static inline struct alias_row made_alias(const struct made *m, const struct alias_row *row)
{
    const struct made_record *r = record_of(m, row->b);
    bool entry = (row->what & 0xff) == ALIAS_ENTRY, record = (row->what & 0xff) == ALIAS_RECORD;

    return (struct alias_row){ .id = row->id,
                               .scope = session_of(m, row->scope),
                               .what = row->what,
                               .a = entry ? branch_of(m, row->a) : session_of(m, row->a),
                               .b = record && r ? r->kind << 28 | r->ord : row->b };
}

/* Tell the txn what it made. */
static inline void made_tell(const struct made *m, struct txn *t, int64_t no)
{
    t->sid = m->sid;
    t->no = no;
    for (size_t i = 0; i < 8; i++) {
        t->bids[i] = i < m->nbids ? m->bids[i] : 0;
        t->ords[i] = i < m->nrecords ? m->records[i].ord : 0;
    }
}

#endif
