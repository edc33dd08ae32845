/* Finds the tool call of a subagent: bisects branches by time, all searches in step, so that a
 * remote backend answers each step at once; then looks at the entries around. */
#include "store/tree/spawned.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/str.h"
#include "core/part/part.h"
#include "store/engine/ahead.h"
#include "store/lookup/path.h"

enum {
    AROUND = 12,          /* entries looked at before and behind the time */
    SEARCHES_EACH = 4,    /* branches looked at for one child */
    SEARCHES_MOST = 1024, /* of one page */
    CHUNK = 32,           /* searches whose entries are in memory together */
    SLACK_MS = 3600000,   /* a message may be stored that long after its tool began */
};

/* One child on one branch. */
struct search {
    const struct bough_session *child;
    struct bough_head *to;
    const struct bough_outline_branch *branch;
    int64_t lo, hi; /* the first entry at or after the child's creation lies in [lo, hi] */
};

static bool may_hold(const struct bough_outline_branch *b, int64_t time)
{
    return b->tip >= b->first && time >= b->created - SLACK_MS && time <= b->updated + SLACK_MS;
}

/* The searches of all subagents. Later branches go first: work goes on at the end of a session. */
static struct search *plan(struct outline *o, const struct bough_sessions *children,
                           struct bough_head *at, size_t *n)
{
    const struct bough_tree_outline_result *out = o->out;
    struct search *s = arena_array(o->tmp, SEARCHES_MOST, sizeof *s);

    *n = 0;
    for (size_t i = 0; i < children->n; i++) {
        const struct bough_session *child = &children->at[i];
        size_t most = *n + SEARCHES_EACH;

        if (child->kind != BOUGH_SUBAGENT || cstr_empty(child->parent_tool_use_id))
            continue;
        for (size_t b = out->nbranches; b-- > 0 && *n < most && *n < SEARCHES_MOST;)
            if (may_hold(&out->branches[b], child->created))
                s[(*n)++] = (struct search){ child, &at[i], &out->branches[b],
                                             out->branches[b].first, out->branches[b].tip };
    }
    return s;
}

static int64_t middle(const struct search *s)
{
    return s->lo + (s->hi - s->lo) / 2;
}

/* One step of every search that has not ended. *left: some have not. */
static enum bough_rc step(struct outline *o, struct search *s, size_t n, bool *left)
{
    struct ahead ahead = { .snap = o->snap, .a = o->tmp };
    struct pack_head h;
    enum bough_rc rc = BOUGH_OK;

    *left = false;
    for (size_t i = 0; i < n; i++)
        if (s[i].lo < s[i].hi)
            ahead_add(&ahead, WANT_FRONT, s[i].branch->number, middle(&s[i]));
    ahead_read(&ahead);
    for (size_t i = 0; i < n && !rc; i++) {
        if (s[i].lo >= s[i].hi)
            continue;
        rc = entry_head_at(o->snap, (struct bough_head){ s[i].branch->number, middle(&s[i]) }, &h,
                           o->err);
        if (rc)
            break;
        if (h.time < s[i].child->created)
            s[i].lo = middle(&s[i]) + 1;
        else
            s[i].hi = middle(&s[i]);
        *left = true;
    }
    return rc;
}

static int64_t from_of(const struct search *s)
{
    return s->lo - AROUND > s->branch->first ? s->lo - AROUND : s->branch->first;
}

static int64_t to_of(const struct search *s)
{
    return s->lo + AROUND < s->branch->tip ? s->lo + AROUND : s->branch->tip;
}

struct look {
    struct outline *o;
    struct search *s;
};

static bool look_at(void *user, const struct entry_row *row)
{
    struct look *l = user;
    struct arena_mark mark = arena_mark(l->o->tmp);
    struct pack_extra x;
    struct bough_entry e;
    bool found = false;

    if (!(row->mask & (int64_t)MASK_PART << BOUGH_PART_TOOL) || pack_is_stub(row->body) ||
        pack_entry_read(l->o->tmp, row->body, &e, &x, NULL))
        return true;
    for (size_t i = 0; i < e.nparts && !found; i++)
        found = e.parts[i].type == BOUGH_PART_TOOL &&
                strcmp(part_call_id(l->o->tmp, &e.parts[i]), l->s->child->parent_tool_use_id) == 0;
    arena_rewind(l->o->tmp, mark);
    if (found)
        *l->s->to = (struct bough_head){ row->bid, row->depth };
    return !found;
}

static enum bough_rc look_around(struct outline *o, struct search *s)
{
    struct entry_range range = {
        .bid = s->branch->number, .from = from_of(s), .to = to_of(s), .deleted = true
    };
    struct look l = { o, s };

    return o->snap->ops->entry_scan(o->snap->v, &range, look_at, &l, o->err);
}

static enum bough_rc look_chunk(struct outline *o, struct search *s, size_t n)
{
    struct ahead ahead = { .snap = o->snap, .a = o->tmp };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n; i++)
        for (int64_t d = from_of(&s[i]); d <= to_of(&s[i]); d++)
            ahead_add(&ahead, WANT_ENTRY, s[i].branch->number, d);
    ahead_read(&ahead);
    for (size_t i = 0; i < n && !rc; i++)
        if (!s[i].to->branch)
            rc = look_around(o, &s[i]);
    return rc;
}

enum bough_rc spawned_find(struct outline *o, const struct bough_sessions *children,
                           struct bough_head *at)
{
    size_t n;
    struct search *s = plan(o, children, at, &n);
    bool left = n > 0;
    enum bough_rc rc = BOUGH_OK;

    while (left && !rc)
        rc = step(o, s, n, &left);
    for (size_t i = 0; i < n && !rc; i += CHUNK)
        rc = look_chunk(o, s + i, n - i < CHUNK ? n - i : CHUNK);
    return rc;
}
