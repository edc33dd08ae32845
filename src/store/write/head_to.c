/* Moving the head to a place that is known, where nothing is appended. */
#include "base/text/str.h"
#include "store/lookup/session_load.h"
#include "store/write/append.h"

struct job {
    struct append_job *append;
    struct bough_head to;
};

static enum bough_rc prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    const struct bough_head *expect = j->append->expect_head;
    struct head_now now;
    struct session_state *st;
    struct branch_row b;
    struct snap *snap;
    int64_t tip = 0;
    enum bough_rc rc = state_load(p, j->append->sid, &st, err);

    if (!rc)
        rc = prep_snap(p, &snap, err);
    if (!rc)
        rc = snap->ops->head_get(snap->v, p->a, j->append->sid, &now, err);
    if (!rc && j->to.branch)
        rc = snap_branch(snap, j->to.branch, &b, err);
    if (!rc && j->to.branch)
        rc = snap->ops->branch_tip(snap->v, &b, &tip, err);
    if (rc)
        return rc;
    rc = check_no_run(&now.row, err);
    if (rc)
        return rc;
    if (now.row.status == BOUGH_STATUS_ARCHIVED)
        return bough_fail(err, BOUGH_ARCHIVED, "session #%lld is archived",
                          (long long)j->append->sid);
    if (expect &&
        (expect->branch != st->row.bid || expect->depth != st->depth || now.row.ver != st->row.ver))
        return bough_fail(err, BOUGH_CONFLICT, "the head has moved");
    now.row.bid = j->to.branch;
    /* At the tip of a branch of its own the head follows what is appended there. */
    now.row.depth = j->to.branch && b.sid == j->append->sid && tip == j->to.depth ? 0 : j->to.depth;
    txn_guard(p, guard_head(j->append->sid, st->row.ver));
    txn_change(p, CHANGE_HEAD_SET)->u.head = now.row;
    txn_changelog(p, CHANGELOG_HEAD, j->append->sid, 1);
    state_drop(p->e, j->append->sid);
    return BOUGH_OK;
}

enum bough_rc append_head_to(struct bough_store *s, struct bough_arena *a, struct append_job *job,
                             struct bough_head to, struct bough_error *err)
{
    struct job j = { job, to };
    struct request r = { .prepare = prepare, .user = &j, .sid = job->sid };

    return write_run(s, a, &r, err);
}
