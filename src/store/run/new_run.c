/* A new run: its record, its place in the order of the store, and the lease that it gets. */
#include "base/limits.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/run/run.h"

/* The changes that make the run, beside those of its prompt. */
static enum bough_rc add_run(struct prep *p, struct append_job *job, int64_t first,
                             struct bough_error *err)
{
    struct run_new *n = job->extra->user;
    struct plan_entry *prompt = job->plan.n ? &job->plan.entries[0] : NULL;

    (void)err;
    n->b.first = first;
    if (prompt) {
        n->b.last = first;
        n->b.prompt_made = prompt->x.made;
        n->b.prompt_chk = prompt->x.chk;
        prompt->e.data = str_of(arena_printf(p->a, "{\"run\":\"%s\"}", n->id));
        plan_repack(n->s, p->a, prompt);
    }
    txn_change(p, CHANGE_RECORD_PUT)->u.record = (struct record_row){
        .sid = job->sid, .kind = RECORD_STATE, .body = body_pack(p->a, run_fields, &n->b)
    };
    order_put(p, ORDER_RUN, job->sid, n->ord);
    return BOUGH_OK;
}

/* A run without a prompt: the head stays, or moves to the entry that is answered. */
static enum bough_rc put_bare(struct prep *p, struct snap *snap, struct run_new *n,
                              struct append_job *job, const struct head_now *now,
                              struct bough_error *err)
{
    struct head_row row = n->extra.lease;
    struct branch_row b;
    int64_t depth = now->depth, tip;
    enum bough_rc rc;

    if (job->at_set) {
        rc = snap_branch(snap, job->at.branch, &b, err);
        if (!rc)
            rc = snap->ops->branch_tip(snap->v, &b, &tip, err);
        if (rc)
            return rc;
        depth = job->at.depth;
        row.bid = job->at.branch;
        row.depth = b.sid == job->sid && tip == depth ? 0 : depth;
        txn_guard(p, guard_entry(row.bid, depth));
    }
    rc = add_run(p, job, depth + 1, err);
    run_head_put(p, &row);
    txn_changelog(p, CHANGELOG_RUN, job->sid, 1);
    p->t->log.record = n->ord;
    p->t->log.ended = n->ended;
    return rc;
}

enum bough_rc run_new_put(struct prep *p, struct snap *snap, struct run_new *n,
                          struct append_job *job, const struct head_now *now,
                          struct bough_error *err)
{
    struct run_last last;
    enum bough_rc rc = run_last(snap, job->sid, &last, err);

    if (rc)
        return rc;
    n->ord = last.ord + 1;
    if (n->ord > LIMIT_RECORD)
        return bough_fail(err, BOUGH_FULL, "session #%lld has no room for another run",
                          (long long)job->sid);
    n->b.name = RUN_NAME;
    n->b.number = last.number + 1;
    n->b.made = n->b.time = p->now;
    n->b.chk = (int64_t)(env_u64(&p->e->env) & 0xffff);
    n->b.status = n->claim ? BOUGH_RUN_RUNNING : BOUGH_RUN_QUEUED;
    n->b.started = n->claim ? p->now : 0;
    id_record(n->b.made, job->sid, RECORD_STATE, n->ord, n->b.chk, n->id);
    n->extra = (struct append_extra){ .add = add_run,
                                      .user = n,
                                      .lease = now->row,
                                      .log = CHANGELOG_RUN,
                                      .record = n->ord,
                                      .aux = n->ended };
    run_take_lease(p, &n->extra.lease, n->id, n->claim, n->lease_ms);
    job->extra = &n->extra;
    /* The cached state of the session may be newer than the snapshot. */
    txn_guard(p, guard_head(job->sid, now->row.ver));
    return job->plan.n ? append_prepare(p, job, err) : put_bare(p, snap, n, job, now, err);
}
