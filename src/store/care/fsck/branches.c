/* fsck, branches: their rows and parents, then what refers to them: heads, forks, labels. */
#include <inttypes.h>

#include "base/limits.h"
#include "store/care/fsck/fsck.h"

/* Link the newest branch to its session. Only a purge sets `cut`, and on all branches of the
 * session. */
static void check_owner(struct fsck *f, const struct fsck_branch *b)
{
    struct fsck_session *s = fsck_session_of(f, b->row.sid);
    struct fsck_where at = at_branch(b->row.bid);

    if (!s) {
        fsck_report(f, RULE_BRANCH, at, "its session #%" PRId64 " does not exist", b->row.sid);
        return;
    }
    if (s->last)
        f->branches[s->last - 1].next = f->nbranches;
    else
        s->first = f->nbranches;
    s->last = f->nbranches;
    if (s->purged && b->row.cut < 0)
        fsck_leftover(f, s);
    else if (!s->purged && b->row.cut >= 0)
        fsck_report(f, RULE_KEPT, at,
                    "it is cut at depth %" PRId64 ", but its session was not purged", b->row.cut);
    else if (b->row.cut >= 0)
        fsck_range(f, at, "its cut", b->row.cut, b->row.base, LIMIT_DEPTH);
}

/* A parent must have a smaller number. So it was read before, and walking up always ends. */
static void check_hanging(struct fsck *f, struct fsck_branch *b)
{
    const struct branch_row *row = &b->row;
    struct fsck_where at = at_branch(row->bid);
    const struct fsck_branch *up;

    if (!row->parent) {
        if (row->base)
            fsck_report(f, RULE_BRANCH, at, "it is a root, but begins behind depth %" PRId64,
                        row->base);
        return;
    }
    up = row->parent < row->bid ? fsck_branch_of(f, row->parent) : NULL;
    if (!up && row->parent >= row->bid)
        fsck_report(f, RULE_BRANCH, at, "its parent, branch %" PRId64 ", is not older",
                    row->parent);
    else if (!up)
        fsck_report(f, RULE_BRANCH, at, "its parent, branch %" PRId64 ", does not exist",
                    row->parent);
    else if (row->base <= up->row.base)
        fsck_report(f, RULE_BRANCH, at,
                    "it hangs on depth %" PRId64 " of branch %" PRId64
                    ", which owns only what is deeper than %" PRId64,
                    row->base, row->parent, up->row.base);
    b->hangs = up && row->base > up->row.base;
}

static bool each_branch(void *user, const struct raw_row *raw)
{
    const struct branch_row *row = &raw->u.branch;
    struct fsck_where at = at_branch(row->bid);
    struct fsck *f = user;
    struct fsck_branch *b;

    f->report->branches++;
    if (!fsck_range(f, at, "its number", row->bid, 1, LIMIT_BRANCH) ||
        !fsck_range(f, at, "its base", row->base, 0, LIMIT_DEPTH) ||
        !fsck_range(f, at, "its cut", row->cut, -1, LIMIT_DEPTH))
        return true;
    f->branches = fsck_push(f->branches, &f->nbranches, &f->branches_cap, sizeof *f->branches);
    b = &f->branches[f->nbranches - 1];
    map_put(&f->by_bid, (uint64_t)row->bid, f->nbranches - 1);
    b->row = *row;
    b->tip = b->logged = row->base;
    b->base_no = b->base_mno = row->parent ? -1 : 0;
    check_owner(f, b);
    check_hanging(f, b);
    return true;
}

enum bough_rc fsck_branches(struct fsck *f)
{
    return f->ops->raw_scan(f->v, RAW_BRANCH, each_branch, f, f->err);
}

/* For the quick level: the backend finds each tip without reading the entries. */
enum bough_rc fsck_tips(struct fsck *f)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < f->nbranches && !rc; i++) {
        struct fsck_branch *b = &f->branches[i];

        rc = f->ops->branch_tip(f->v, &b->row, &b->tip, f->err);
        if (b->row.cut >= 0 && b->tip > b->row.cut)
            b->tip = b->row.cut > b->row.base ? b->row.cut : b->row.base;
    }
    return rc;
}

/* ---- checks that need the tips ---- */

/* A purged entry must not be shown any more, neither by a living session nor by entries kept for
 * one. */
static void check_base(struct fsck *f, const struct fsck_branch *b)
{
    const struct fsck_session *s = fsck_session_of(f, b->row.sid);
    const struct fsck_branch *up = fsck_branch_of(f, b->row.parent);
    bool shown = (s && !s->purged) || b->tip > b->row.base;

    if (!b->hangs || !up || b->row.base <= up->tip || !shown)
        return;
    if (up->row.cut >= 0 && b->row.base > up->row.cut)
        fsck_report(f, RULE_KEPT, at_branch(b->row.bid),
                    "it hangs on #%" PRId64 ".%" PRId64 ", which was purged", b->row.parent,
                    b->row.base);
    else
        fsck_report(f, RULE_BRANCH, at_branch(b->row.bid),
                    "it hangs on #%" PRId64 ".%" PRId64 ", which does not exist", b->row.parent,
                    b->row.base);
}

static void check_head(struct fsck *f, const struct fsck_session *s)
{
    const struct fsck_branch *b = fsck_branch_of(f, s->bid);
    struct fsck_where at = at_session(s->sid);

    if (!s->bid && !s->depth)
        return;
    if (!b)
        fsck_report(f, RULE_HEAD, at, "its head is on branch %" PRId64 ", which does not exist",
                    s->bid);
    else if (!s->depth && b->row.sid != s->sid)
        fsck_report(f, RULE_HEAD, at,
                    "its head is the tip of branch %" PRId64 " of session #%" PRId64, s->bid,
                    b->row.sid);
    else if (s->depth && (s->depth < b->row.base || s->depth > b->tip))
        fsck_report(f, RULE_HEAD, at,
                    "its head is at #%" PRId64 ".%" PRId64 ", but the branch ends at %" PRId64,
                    s->bid, s->depth, b->tip);
    else if (!fsck_visible(f, s, s->bid, s->depth))
        fsck_report(f, RULE_HEAD, at, "its head is at #%" PRId64 ".%" PRId64 ", on no path of it",
                    s->bid, s->depth);
}

static void check_fork(struct fsck *f, const struct fsck_session *s)
{
    const struct fsck_branch *b = s->first ? &f->branches[s->first - 1] : NULL;
    const struct fsck_session *up = fsck_session_of(f, s->parent);
    struct fsck_where at = at_session(s->sid);

    if (!s->forked || !s->parent)
        return;
    if (!b || b->row.parent != s->fork_bid || b->row.base != s->fork_depth)
        fsck_report(f, RULE_FORK, at,
                    "it was forked at #%" PRId64 ".%" PRId64 ", but begins elsewhere", s->fork_bid,
                    s->fork_depth);
    else if (!s->fork_id)
        fsck_report(f, RULE_FORK, at,
                    "the id of its fork point is not that of #%" PRId64 ".%" PRId64, s->fork_bid,
                    s->fork_depth);
    else if (up && b->hangs && !fsck_visible(f, up, s->fork_bid, s->fork_depth))
        fsck_report(f, RULE_FORK, at,
                    "it was forked at #%" PRId64 ".%" PRId64 ", on no path of #%" PRId64,
                    s->fork_bid, s->fork_depth, s->parent);
}

static void check_groups(struct fsck *f, const struct fsck_session *s)
{
    const struct {
        const char *word;
        int64_t kind, ord;
    } groups[] = {
        { "project", RECORD_PROJECT, s->project },
        { "workspace", RECORD_WORKSPACE, s->workspace },
        { "account", RECORD_ACCOUNT, s->account },
    };

    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i].ord && !fsck_group_of(f, groups[i].kind, groups[i].ord))
            fsck_report(f, RULE_GROUP, at_session(s->sid),
                        "its %s, number %" PRId64 ", does not exist", groups[i].word,
                        groups[i].ord);
}

static void check_label(struct fsck *f, const struct fsck_note *n)
{
    const struct fsck_session *s = fsck_session_of(f, n->sid);
    struct fsck_where at = at_record(n->sid, n->kind, n->ord);
    int64_t bid = n->a;

    if (!bid && s && s->first) /* in a copied session, branch 0 means its first branch */
        bid = f->branches[s->first - 1].row.bid;
    if (!fsck_entry_there(f, bid, n->b))
        fsck_report(f, RULE_NOTE, at, "it labels #%" PRId64 ".%" PRId64 ", which does not exist",
                    bid, n->b);
    else if (s && !fsck_visible(f, s, bid, n->b))
        fsck_report(f, RULE_NOTE, at,
                    "it labels #%" PRId64 ".%" PRId64 ", on no path of its session", bid, n->b);
}

static void check_note(struct fsck *f, const struct fsck_note *n)
{
    if (n->kind == RECORD_LABEL)
        check_label(f, n);
    else if (!fsck_group_of(f, RECORD_PROJECT, n->a))
        fsck_report(f, RULE_NOTE, at_record(n->sid, n->kind, n->ord),
                    "its project, number %" PRId64 ", does not exist", n->a);
}

void fsck_relations(struct fsck *f)
{
    for (size_t i = 0; i < f->nbranches; i++)
        check_base(f, &f->branches[i]);
    for (size_t i = 0; i < f->nsessions; i++) {
        const struct fsck_session *s = &f->sessions[i];

        if (s->purged)
            continue;
        if (s->has_head)
            check_head(f, s);
        check_fork(f, s);
        if (f->level >= BOUGH_FSCK_FULL)
            check_groups(f, s);
    }
    for (size_t i = 0; i < f->nnotes; i++)
        check_note(f, &f->notes[i]);
}
