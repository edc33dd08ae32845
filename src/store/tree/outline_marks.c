/* What stands on the entries of an outline: labels, compactions, summaries, forks. */
#include <stdlib.h>
#include <string.h>

#include "base/text/str.h"
#include "base/text/utf8.h"
#include "store/contract/id.h"
#include "store/engine/ahead.h"
#include "store/entries/label.h"
#include "store/tree/outline.h"
#include "store/tree/peek.h"
#include "store/tree/spawned.h"

/* ---- the entry that a mark stands on ---- */

struct filling {
    struct outline *o;
    struct bough_outline_mark *to;
    bool text, done;
};

static bool fill_one(void *user, const struct entry_row *row)
{
    struct filling *f = user;
    struct pack_head h;

    if (!pack_entry_head(row->body, &h))
        return false;
    f->done = true;
    id_entry(h.made, row->bid, row->depth, h.chk, f->to->entry);
    if (!f->text)
        return false;
    f->to->time = h.time;
    f->to->text = peek_text(f->o->a, f->o->tmp, row);
    return false;
}

/* Set the id of the entry; with `text`, also the mark's time and text. False: it is gone. */
static enum bough_rc fill(struct outline *o, struct bough_outline_mark *m, bool text, bool *there)
{
    struct entry_range range = { .bid = m->at.branch,
                                 .from = m->at.depth,
                                 .to = m->at.depth,
                                 .deleted = true,
                                 .fronts = !text };
    struct filling f = { .o = o, .to = m, .text = text };
    enum bough_rc rc = o->snap->ops->entry_scan(o->snap->v, &range, fill_one, &f, o->err);

    *there = f.done;
    return rc;
}

/* Fill the marks from number `from` on; drop those whose entry is gone. */
static enum bough_rc fill_from(struct outline *o, size_t from, bool text)
{
    struct bough_tree_outline_result *out = o->out;
    struct ahead ahead = { .snap = o->snap, .a = o->tmp };
    size_t n = from;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = from; i < out->nmarks; i++)
        ahead_add(&ahead, text ? WANT_ENTRY : WANT_FRONT, out->marks[i].at.branch,
                  out->marks[i].at.depth);
    ahead_read(&ahead);
    for (size_t i = from; i < out->nmarks && !rc; i++) {
        bool there;

        rc = fill(o, &out->marks[i], text, &there);
        if (there)
            out->marks[n++] = out->marks[i];
    }
    out->nmarks = n;
    return rc;
}

/* ---- labels, compactions, summaries ---- */

static enum bough_rc add_labels(struct outline *o)
{
    size_t from = o->out->nmarks;
    struct labels all;
    enum bough_rc rc = labels_read(o->snap, o->a, o->sid, &all, o->err);

    for (size_t i = 0; i < all.n && !rc; i++) {
        struct bough_outline_mark *m;

        if (cstr_empty(all.at[i].text) || !outline_branch(o, all.at[i].at))
            continue;
        m = outline_mark(o, BOUGH_OUTLINE_LABEL, all.at[i].at);
        m->text = all.at[i].text;
        m->time = all.at[i].time;
    }
    return rc ? rc : fill_from(o, from, false);
}

struct finding {
    struct outline *o;
    enum bough_outline_kind kind;
};

static bool found(void *user, int64_t bid, int64_t depth)
{
    struct finding *f = user;
    struct bough_head at = { bid, depth };

    if (outline_branch(f->o, at))
        outline_mark(f->o, f->kind, at);
    return true;
}

static int by_number(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return a < b ? -1 : a > b;
}

static enum bough_rc add_entries(struct outline *o, const int64_t *bids, size_t n,
                                 enum bough_outline_kind kind, enum bough_entry_kind of)
{
    size_t from = o->out->nmarks;
    struct finding f = { o, kind };
    enum bough_rc rc = o->snap->ops->mark_scan(o->snap->v, bids, n, of, found, &f, o->err);

    return rc ? rc : fill_from(o, from, true);
}

enum bough_rc outline_notes(struct outline *o)
{
    size_t n = o->out->nbranches;
    int64_t *bids = arena_array(o->tmp, n + 1, sizeof *bids);
    enum bough_rc rc = add_labels(o);

    for (size_t i = 0; i < n; i++)
        bids[i] = o->out->branches[i].number;
    qsort(bids, n, sizeof *bids, by_number);
    if (!rc)
        rc = add_entries(o, bids, n, BOUGH_OUTLINE_COMPACTION, BOUGH_ENTRY_COMPACTION);
    if (!rc)
        rc = add_entries(o, bids, n, BOUGH_OUTLINE_BRANCH_SUMMARY, BOUGH_ENTRY_BRANCH_SUMMARY);
    return rc;
}

/* ---- children ---- */

static void add_child(struct outline *o, const struct bough_session *child, struct bough_head at)
{
    struct bough_outline_mark *m = outline_mark(
        o, child->kind == BOUGH_SUBAGENT ? BOUGH_OUTLINE_SUBAGENT : BOUGH_OUTLINE_FORK, at);
    const char *text = *child->title ? child->title : child->first_user;

    m->child = child;
    m->time = child->created;
    m->text = arena_strndup(o->a, text, utf8_cut(text, strlen(text), PEEK_BYTES));
}

/* The entry that a fork hangs on; branch 0: it inherits nothing. */
static struct bough_head forked_at(const struct bough_session *child)
{
    struct id id;

    if (!id_parse(str_of(child->fork_entry), &id))
        return (struct bough_head){ 0 };
    return (struct bough_head){ id.number, id.position };
}

enum bough_rc outline_children(struct outline *o, const struct bough_sessions *children, bool last)
{
    struct bough_head *at = arena_array(o->tmp, children->n + 1, sizeof *at);
    size_t from = o->out->nmarks, n;
    enum bough_rc rc = spawned_find(o, children, at);

    for (size_t i = 0; i < children->n; i++)
        if (children->at[i].kind != BOUGH_SUBAGENT)
            at[i] = forked_at(&children->at[i]);
    for (size_t i = children->n; i-- > 0 && !rc;) /* the list is newest first */
        if (at[i].branch && outline_branch(o, at[i]))
            add_child(o, &children->at[i], at[i]);
    if (!rc)
        rc = fill_from(o, from, false);
    n = children->n;
    while (!rc && last && n-- > 0)
        if (!at[n].branch)
            add_child(o, &children->at[n], at[n]);
    return rc;
}
