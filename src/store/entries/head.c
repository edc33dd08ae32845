/* Read and move the head of a session. */
#include "base/required.h"
#include "base/text/str.h"
#include "store/engine/ahead.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"

enum bough_rc bough_head_get(struct bough_store *s, struct bough_arena *a, const char *session,
                             struct bough_head *at, struct bough_entry **entry,
                             struct bough_error *err)
{
    REQUIRE(s && a && at, err);

    struct head_now now;
    struct snap snap;
    int64_t sid, owner = 0;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    if (rc)
        return rc;
    rc = snap.ops->head_get(snap.v, a, sid, &now, err);
    if (rc)
        goto out;
    *at = (struct bough_head){ now.row.bid, now.depth };
    if (!entry)
        goto out;
    *entry = NULL;
    if (now.row.bid)
        rc = path_owner(&snap, *at, at->depth, &owner, err);
    if (!rc && owner && at->depth)
        rc = entry_load(&snap, a, (struct bough_head){ owner, at->depth }, entry, err);
out:
    snap_end(&snap);
    return rc;
}

static bool count_one(void *user, const struct entry_row *row)
{
    (void)row;
    ++*(int64_t *)user;
    return true;
}

/* Count the messages on the path one by one. */
static enum bough_rc count_path(struct snap *snap, struct bough_head head, int64_t *out,
                                struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct segs segs;
    enum bough_rc rc = path_segs(snap, tmp, head, 1, &segs, err);

    *out = 0;
    for (size_t i = 0; !rc && i < segs.n; i++) {
        struct entry_range range = { .bid = segs.at[i].bid,
                                     .from = segs.at[i].from,
                                     .to = segs.at[i].to,
                                     .kinds = 1 << BOUGH_ENTRY_MESSAGE,
                                     .fronts = true };

        rc = snap->ops->entry_scan(snap->v, &range, count_one, out, err);
    }
    bough_arena_destroy(tmp);
    return rc;
}

static bool count_branch(void *user, const struct branch_row *row)
{
    (void)row;
    return ++*(int64_t *)user < 2;
}

/* Usual case: the session has one branch and no deleted message, so the answer is the message
 * number of its head. */
static enum bough_rc count_messages(struct snap *snap, const struct bough_session *x, int64_t *out,
                                    struct bough_error *err)
{
    struct pack_head h;
    int64_t branches = 0;
    enum bough_rc rc;

    *out = 0;
    if (!x->head.branch)
        return BOUGH_OK;
    rc = entry_head_at(snap, x->head, &h, err);
    if (rc == BOUGH_NOT_FOUND) /* a fork without entries of its own */
        return count_path(snap, x->head, out, err);
    if (!rc && h.mno == x->messages)
        rc = snap->ops->branch_of(snap->v, x->number, count_branch, &branches, err);
    if (rc)
        return rc;
    *out = h.mno;
    return branches == 1 ? BOUGH_OK : count_path(snap, x->head, out, err);
}

enum bough_rc session_path_messages(struct bough_store *s, const struct bough_session *x, size_t n,
                                    int64_t *out, struct bough_error *err)
{
    struct ahead ahead;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    ahead = (struct ahead){ .snap = &snap, .a = bough_arena_create() };
    for (size_t i = 0; i < n; i++)
        if (x[i].head.branch)
            ahead_add(&ahead, WANT_FRONT, x[i].head.branch, x[i].head.depth);
    ahead_read(&ahead);
    for (size_t i = 0; i < n && !rc; i++)
        rc = count_messages(&snap, &x[i], &out[i], err);
    bough_arena_destroy(ahead.a);
    snap_end(&snap);
    return rc;
}

struct move {
    int64_t sid;
    const char *entry;
};

static enum bough_rc prepare_move(struct prep *p, void *user, struct bough_error *err)
{
    struct move *m = user;
    struct session_loaded l;
    struct bough_head to = { 0 };
    struct branch_row b;
    struct snap *snap;
    int64_t tip;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = session_load_writable(snap, p->a, m->sid, &l, err);
    if (!rc)
        rc = check_no_run(&l.head.row, err);
    if (!rc)
        rc = find_entry(snap, m->sid, m->entry, &to, err);
    if (!rc)
        rc = snap_branch(snap, to.branch, &b, err);
    if (!rc)
        rc = snap->ops->branch_tip(snap->v, &b, &tip, err);
    if (rc)
        return rc;
    if (l.head.row.bid == to.branch && l.head.depth == to.depth)
        return BOUGH_OK;
    l.head.row.bid = to.branch;
    /* At the tip of one of its own branches the head follows the tip. Elsewhere it is pinned. */
    l.head.row.depth = b.sid == m->sid && tip == to.depth ? 0 : to.depth;
    txn_change(p, CHANGE_HEAD_SET)->u.head = l.head.row;
    txn_guard(p, guard_entry(to.branch, to.depth));
    txn_changelog(p, CHANGELOG_HEAD, m->sid, 1);
    p->t->log.bid = to.branch;
    p->t->log.depth = to.depth;
    return BOUGH_OK;
}

enum bough_rc bough_head_move(struct bough_store *s, const char *session, const char *entry,
                              struct bough_error *err)
{
    REQUIRE(s, err);

    struct move m = { .entry = entry };
    struct request r = { .prepare = prepare_move, .user = &m };
    enum bough_rc rc = find_session_fast(s, session, &m.sid, err);

    if (rc)
        return rc;
    r.sid = m.sid;
    return write_once(s, &r, err);
}
