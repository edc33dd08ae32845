/* fsck, seen rows: compare them with those that follow from entries, calls and sessions. */
#include <string.h>

#include "base/memory/mem.h"
#include "store/care/fsck/fsck.h"
#include "store/seen/trace.h"

/* Sums over the rows of a session. */
struct sums {
    uint64_t want, stored;
    uint64_t key; /* hash of the row of its client's key; 0: none */
};

struct seeing {
    struct fsck *f;
    struct sums *sums;  /* one for each session */
    struct sums *at;    /* of the session that is traced */
    struct map unknown; /* bid << 32 | depth: entries whose rows are not known */
};

static uint64_t hash_row(const struct seen_row *row)
{
    return fsck_mix(hash_bytes(row->key, sizeof row->key),
                    fsck_mix((uint64_t)row->bid, (uint64_t)row->depth));
}

static uint64_t slot(int64_t bid, int64_t depth)
{
    return (uint64_t)bid << 32 | (uint64_t)depth;
}

static void want_row(void *user, const struct seen_row *row)
{
    struct seeing *s = user;

    s->at->want += hash_row(row);
    if (!row->bid)
        s->at->key = hash_row(row);
}

static void not_known(void *user, int64_t bid, int64_t depth)
{
    struct seeing *s = user;

    map_put(&s->unknown, slot(bid, depth), 1);
}

/* Can the rows of the session be computed? */
static bool is_sound(const struct fsck *f, const struct fsck_session *s)
{
    if (s->purged || s->damaged)
        return false;
    for (size_t i = s->first; i; i = f->branches[i - 1].next)
        if (f->branches[i - 1].damaged || f->branches[i - 1].text_damaged)
            return false;
    return true;
}

/* Add a row to the sums of its session. A row of a failed first request looks like one of a key,
 * but is not derived. */
static void add_stored(struct seeing *x, const struct fsck_session *s, const struct seen_row *row)
{
    struct sums *sums = &x->sums[s - x->f->sessions];

    if (row->bid ? !map_get(&x->unknown, slot(row->bid, row->depth), NULL)
                 : hash_row(row) == sums->key)
        sums->stored += hash_row(row);
}

static bool each_row(void *user, const struct raw_row *raw)
{
    const struct seen_row *row = &raw->u.seen;
    struct seeing *x = user;
    const struct fsck_branch *b = row->bid ? fsck_branch_of(x->f, row->bid) : NULL;
    struct fsck_session *s = fsck_session_of(x->f, b ? b->row.sid : row->depth);

    if ((row->bid && !b) || !s) {
        fsck_report(x->f, RULE_SEEN, at_entry(row->bid, row->depth),
                    "requests are led to a session that does not exist");
        return true;
    }
    if (s->purged)
        fsck_leftover(x->f, s);
    else
        add_stored(x, s, row);
    fsck_range(x->f, at_entry(row->bid, row->depth), "the number of a seen row", row->no, 1,
               x->f->last_no);
    return true;
}

enum bough_rc fsck_seen(struct fsck *f)
{
    struct seeing x = { .f = f, .sums = mem_zalloc((f->nsessions + 1) * sizeof *x.sums) };
    const struct trace to = { want_row, not_known, &x };
    enum bough_rc rc = BOUGH_OK;

    map_init(&x.unknown);
    for (size_t i = 0; i < f->nsessions && !rc; i++) {
        x.at = &x.sums[i];
        if (f->sessions[i].exchanged && is_sound(f, &f->sessions[i]))
            rc = trace_session(f->snap, f->sessions[i].sid, &to, f->err);
    }
    if (!rc)
        rc = f->ops->raw_scan(f->v, RAW_SEEN, each_row, &x, f->err);
    for (size_t i = 0; i < f->nsessions && !rc; i++)
        if (is_sound(f, &f->sessions[i]) && x.sums[i].want != x.sums[i].stored)
            fsck_report(f, RULE_SEEN, at_session(f->sessions[i].sid),
                        "what requests are compared with is not what its replies say");
    map_finish(&x.unknown);
    mem_free(x.sums);
    return rc;
}
