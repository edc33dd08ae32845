/* fsck, leases: open messages have theirs and whole steps; runs hold their sessions, and have their
 * approvals, their entries and their place in the order of the store. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "core/part/draft.h"
#include "store/care/fsck/fsck.h"
#include "store/contract/id.h"

/* ---- open messages ---- */

static bool each_open(void *user, const struct raw_row *raw)
{
    const struct open_row *row = &raw->u.open;
    struct fsck *f = user;
    struct fsck_where at = at_entry(row->bid, row->depth);
    const struct fsck_branch *b = fsck_branch_of(f, row->bid);

    f->opens = fsck_push(f->opens, &f->nopens, &f->opens_cap, sizeof *f->opens);
    f->opens[f->nopens - 1] = (struct fsck_open){ row->bid, row->depth, false };
    if (!b || b->row.sid != row->sid)
        fsck_report(f, RULE_OPEN, at,
                    "its lease is of session #%" PRId64 ", which has no such branch", row->sid);
    fsck_range(f, at, "the epoch of its lease", row->epoch, 1, INT64_MAX);
    fsck_range(f, at, "the time its lease ends", row->expires, 0, INT64_MAX);
    fsck_text(f, at, "the owner of its lease", str_of(row->owner));
    return true;
}

struct steps {
    struct fsck *f;
    int64_t bid, depth;
    struct draft draft;
    bool bad; /* already reported */
};

static bool each_draft(void *user, const struct raw_row *raw)
{
    const struct draft_row *row = &raw->u.draft;
    struct steps *s = user;
    struct fsck_where at = at_entry(row->bid, row->depth);
    struct bough_error why;
    int64_t last;

    if (row->bid != s->bid || row->depth != s->depth) {
        draft_finish(&s->draft);
        draft_init(&s->draft);
        s->bid = row->bid;
        s->depth = row->depth;
        s->bad = !fsck_open_of(s->f, row->bid, row->depth);
        if (s->bad)
            fsck_report(s->f, RULE_OPEN, at, "it has steps, but no lease");
    }
    last = s->draft.last;
    if (s->bad)
        return true;
    s->bad = true;
    if (draft_unpack(&s->draft, row->body, row->step, &why))
        fsck_report(s->f, RULE_OPEN, at, "%.150s", why.msg);
    else if ((int64_t)draft_size(&s->draft) != row->end)
        fsck_report(s->f, RULE_OPEN, at, "its steps come to %zu bytes, not %" PRId64,
                    draft_size(&s->draft), row->end);
    else if (row->step <= last)
        fsck_report(s->f, RULE_OPEN, at, "step %" PRId64 " comes after step %" PRId64, row->step,
                    last);
    else
        s->bad = false;
    return true;
}

enum bough_rc fsck_opens(struct fsck *f)
{
    struct steps s = { .f = f, .bid = -1 };
    enum bough_rc rc = f->ops->raw_scan(f->v, RAW_OPEN, each_open, f, f->err);

    draft_init(&s.draft);
    if (!rc)
        rc = f->ops->raw_scan(f->v, RAW_DRAFT, each_draft, &s, f->err);
    draft_finish(&s.draft);
    return rc;
}

void fsck_unmatched(struct fsck *f)
{
    for (size_t i = 0; i < f->nopens; i++) {
        const struct fsck_branch *b = fsck_branch_of(f, f->opens[i].bid);

        if (f->opens[i].matched)
            continue;
        if (b && b->row.cut >= 0 && f->opens[i].depth > b->row.cut &&
            fsck_session_of(f, b->row.sid))
            fsck_leftover(f, fsck_session_of(f, b->row.sid));
        else if (!b || !b->damaged)
            fsck_report(f, RULE_OPEN, at_entry(f->opens[i].bid, f->opens[i].depth),
                        "it has a lease, but is not open");
    }
}

/* ---- runs ---- */

/* A run, as it is compared with sessions and branches. */
struct fsck_run {
    int64_t sid, ord, status, bid, first, last, number;
    int64_t approvals, settled; /* as it says, less those that were found */
};

static uint64_t order_key(int64_t sid, int64_t ord)
{
    return (uint64_t)sid << 28 | (uint64_t)ord;
}

static bool is_live(int64_t status)
{
    return status == BOUGH_RUN_QUEUED || status == BOUGH_RUN_RUNNING ||
           status == BOUGH_RUN_AWAITING_APPROVAL;
}

void fsck_order(struct fsck *f, const struct record_row *row)
{
    struct fsck_where at = at_record(row->sid, row->kind, row->ord);
    struct order_body b;
    struct bough_error why;

    if (body_read(order_fields, row->body, &b, &why)) {
        fsck_report(f, RULE_VALUE, at, "%.150s", why.msg);
        return;
    }
    if (row->sid)
        fsck_report(f, RULE_RUN, at, "the order of runs is not one of a session");
    if (!fsck_range(f, at, "what it orders", b.what, ORDER_RUN, ORDER_LAST) ||
        !fsck_range(f, at, "its session", b.sid, 1, LIMIT_SESSION) ||
        !fsck_range(f, at, "its record", b.ord, 1, LIMIT_RECORD))
        return;
    if (map_get(&f->order, order_key(b.sid, b.ord), NULL))
        fsck_report(f, RULE_RUN, at, "record %" PRId64 ".15.%" PRId64 " is in the order twice",
                    b.sid, b.ord);
    map_put(&f->order, order_key(b.sid, b.ord), (uint64_t)b.what);
}

/* Every run and approval is in the order of the store. */
static void check_order(struct fsck *f, const struct record_row *row, enum order_what what)
{
    uint64_t is = 0;

    if (!map_get(&f->order, order_key(row->sid, row->ord), &is) || is != (uint64_t)what)
        fsck_report(f, RULE_RUN, at_record(row->sid, row->kind, row->ord),
                    "it is not in the order of the store");
    map_del(&f->order, order_key(row->sid, row->ord));
}

/* The last run of the session so far. */
static struct fsck_run *last_of(struct fsck *f, int64_t sid)
{
    struct fsck_run *r = f->nruns ? &f->runs[f->nruns - 1] : NULL;

    return r && r->sid == sid ? r : NULL;
}

void fsck_run(struct fsck *f, const struct record_row *row, const struct run_body *b)
{
    struct fsck_where at = at_record(row->sid, row->kind, row->ord);
    const struct fsck_run *before = last_of(f, row->sid);
    bool good = fsck_range(f, at, "its status", b->status, 0, BOUGH_RUN_STATUS_LAST);

    good &= fsck_range(f, at, "its runtime", b->runtime, 0, BOUGH_RUNTIME_LAST);
    good &= fsck_range(f, at, "its reason", b->why, 0, BOUGH_RUN_WHY_LAST);
    good &= fsck_range(f, at, "its check bits", b->chk, 0, 0xffff);
    check_order(f, row, ORDER_RUN);
    if (!row->sid)
        fsck_report(f, RULE_RUN, at, "the run is of no session");
    if (!good || !row->sid)
        return;
    if (b->number != (before ? before->number : 0) + 1)
        fsck_report(f, RULE_RUN, at,
                    "it is run %" PRId64 " of its session, but the one before is %" PRId64,
                    b->number, before ? before->number : 0);
    f->runs = fsck_push(f->runs, &f->nruns, &f->runs_cap, sizeof *f->runs);
    f->runs[f->nruns - 1] = (struct fsck_run){ .sid = row->sid,
                                               .ord = row->ord,
                                               .status = b->status,
                                               .bid = b->bid,
                                               .first = b->first,
                                               .last = b->last,
                                               .number = b->number,
                                               .approvals = b->approvals,
                                               .settled = b->settled };
}

void fsck_approval(struct fsck *f, const struct record_row *row, const struct approval_body *b)
{
    struct fsck_where at = at_record(row->sid, row->kind, row->ord);
    struct fsck_run *run = last_of(f, row->sid);
    bool pending = b->status == BOUGH_APPROVAL_PENDING;

    fsck_range(f, at, "its status", b->status, 0, BOUGH_APPROVAL_LAST);
    fsck_range(f, at, "its scope", b->scope, 0, BOUGH_SCOPE_LAST);
    fsck_range(f, at, "its path", b->path, 0, BOUGH_PATH_LAST);
    check_order(f, row, ORDER_APPROVAL);
    if (!run || run->ord != b->run) {
        fsck_report(f, RULE_RUN, at,
                    "it is an approval of record %" PRId64 ", which is not the run before it",
                    b->run);
        return;
    }
    if (pending && !is_live(run->status))
        fsck_report(f, RULE_RUN, at, "it is pending, but its run has ended");
    if (pending != (b->settled == 0) || pending != (b->path == BOUGH_PATH_NONE))
        fsck_report(f, RULE_RUN, at, "it is settled, and it is not");
    run->approvals--;
    run->settled -= !pending;
}

static void check_entries(struct fsck *f, const struct fsck_run *r)
{
    const struct fsck_branch *b = fsck_branch_of(f, r->bid);

    if (r->bid && (!b || b->row.sid != r->sid || r->first <= b->row.base || r->last < r->first ||
                   r->last > b->tip))
        fsck_report(f, RULE_RUN, at_record(r->sid, RECORD_STATE, r->ord),
                    "its entries, #%" PRId64 ".%" PRId64 " to %" PRId64
                    ", are not on a branch of its session",
                    r->bid, r->first, r->last);
}

static void check_run(struct fsck *f, const struct fsck_run *r)
{
    struct fsck_where at = at_record(r->sid, RECORD_STATE, r->ord);
    const struct fsck_session *s = fsck_session_of(f, r->sid);
    bool holds = s && s->run == r->ord;

    if (r->approvals || r->settled)
        fsck_report(f, RULE_RUN, at, "its approvals are not as many as it says");
    if (is_live(r->status) && !holds)
        fsck_report(f, RULE_RUN, at, "it is alive, but does not hold its session");
    if (!is_live(r->status) && holds)
        fsck_report(f, RULE_RUN, at, "it has ended, but holds its session");
    check_entries(f, r);
}

/* Runs are sorted, as they were read. A session must not be held by a record that is no run. */
static void check_holder(struct fsck *f, const struct fsck_session *s)
{
    size_t lo = 0, hi = f->nruns;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct fsck_run *r = &f->runs[mid];

        if (r->sid < s->sid || (r->sid == s->sid && r->ord < s->run))
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == f->nruns || f->runs[lo].sid != s->sid || f->runs[lo].ord != s->run)
        fsck_report(f, RULE_RUN, at_session(s->sid), "the run that holds it does not exist");
}

void fsck_runs(struct fsck *f)
{
    uint64_t key;

    for (size_t i = 0; i < f->nruns; i++)
        check_run(f, &f->runs[i]);
    for (size_t i = 0; i < f->nsessions; i++)
        if (f->sessions[i].run >= 0 && !f->sessions[i].purged && f->sessions[i].has_head)
            check_holder(f, &f->sessions[i]);
    for (size_t pos = 0; map_next(&f->order, &pos, &key, NULL);) {
        const struct fsck_session *s = fsck_session_of(f, (int64_t)(key >> 28));

        if (!s || !s->purged)
            fsck_report(
                f, RULE_RUN,
                at_record((int64_t)(key >> 28), RECORD_STATE, (int64_t)(key & LIMIT_RECORD)),
                "it is in the order of the store, but does not exist");
    }
}
