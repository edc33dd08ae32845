/* Which place in a session: by the anchor if the chains are equal, else by reading the path. */
#include <string.h>

#include "base/text/str.h"
#include "store/exchange/exchange.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"

static bool ends_with_model(struct snap *snap, struct bough_arena *a, struct bough_head at)
{
    struct bough_entry *e;

    return at.branch && !entry_load(snap, a, at, &e, NULL) && !e->deleted &&
           e->role == BOUGH_ROLE_ASSISTANT;
}

/* What is new and the outcome, once all that agrees was followed. */
static void settle(struct snap *snap, struct bough_arena *a, const struct sent *sent, bool goes_on,
                   struct where *w)
{
    bool all = w->units == sent->h.units.n;

    if (goes_on)
        w->how = all ? BOUGH_EXCHANGE_SIBLING : BOUGH_EXCHANGE_BRANCHED;
    else if (all && w->message == sent->h.n && !ends_with_model(snap, a, w->at))
        w->how = BOUGH_EXCHANGE_REPLY;
    else
        w->how = BOUGH_EXCHANGE_APPENDED;
}

/* The first message of the request to store. */
static void find_rest(const struct sent *sent, struct where *w)
{
    struct history none = { 0 };
    struct place_input in = { &sent->h, &none, PLACE_BY_CONTENT, NULL, 0 };
    struct place p = { .units = w->units };

    place_rest(&in, &p);
    w->message = p.message;
    w->part = p.part;
}

/* Entries behind the place that have no units do not make a branch. A message without units that is
 * among them, because its reply failed or is to be made again, is not stored again. */
static enum bough_rc skip_soft(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                               bool goes_on, struct where *w, struct bough_error *err)
{
    struct stored s;
    struct place_input in = { &sent->h, &s.h, PLACE_BY_CONTENT, NULL, 0 };
    struct place p = { .units = w->units };
    struct branch_row b;
    int64_t tip = 0, from = w->at.depth;
    size_t first = 0;
    enum bough_rc rc;

    if (!w->at.branch)
        return BOUGH_OK;
    rc = snap_branch(snap, w->at.branch, &b, err);
    if (!rc)
        rc = snap->ops->branch_tip(snap->v, &b, &tip, err);
    if (rc || tip == w->at.depth || b.sid != w->sid)
        return rc;
    if (!goes_on)
        w->at.depth = tip;
    if (w->message >= sent->h.n || !units_none(&sent->h.units, w->message))
        return BOUGH_OK;
    rc = stored_read(snap, a, (struct bough_head){ w->at.branch, tip }, STORED_WHOLE, &s, err);
    while (!rc && first < s.h.n && s.slots[first].depth <= from)
        first++;
    p.at = first;
    if (rc)
        return rc;
    place_rest(&in, &p);
    if (p.message > w->message && p.at > first) {
        if (goes_on)
            w->at = s.slots[p.at - 1];
        w->message = p.message;
    }
    return BOUGH_OK;
}

static enum bough_rc rest_and_outcome(struct snap *snap, struct bough_arena *a,
                                      const struct sent *sent, bool goes_on, struct where *w,
                                      struct bough_error *err)
{
    enum bough_rc rc;

    find_rest(sent, w);
    rc = skip_soft(snap, a, sent, goes_on, w, err);
    settle(snap, a, sent, goes_on, w);
    return rc;
}

/* The last reply on a path, up to message `n`, that has a call. */
static struct bough_head last_reply(const struct stored *s, size_t n)
{
    while (n-- > 0)
        if (s->h.entries[n].role == BOUGH_ROLE_ASSISTANT && *s->h.entries[n].call &&
            s->slots[n].branch)
            return s->slots[n];
    return (struct bough_head){ 0, 0 };
}

static enum bough_exchange_how how_of(enum place_how how)
{
    switch (how) {
    case PLACE_APPEND:
        return BOUGH_EXCHANGE_APPENDED;
    case PLACE_REPLY:
        return BOUGH_EXCHANGE_REPLY;
    case PLACE_SIBLING:
        return BOUGH_EXCHANGE_SIBLING;
    case PLACE_BRANCH:
        return BOUGH_EXCHANGE_BRANCHED;
    case PLACE_TRIMMED:
        return BOUGH_EXCHANGE_TRIMMED;
    case PLACE_BEHIND:
        return BOUGH_EXCHANGE_BEHIND;
    case PLACE_COMPACTED:
        return BOUGH_EXCHANGE_COMPACTED;
    case PLACE_ROOT:
    case PLACE_NONE:
        break;
    }
    return BOUGH_EXCHANGE_ROOT;
}

/* Does the request begin where the path does, or with the window of its last marker? */
static bool sees_path(const struct stored *s, enum place_how how, struct bough_head at)
{
    const struct bough_entry *marker = stored_marker(s, at.depth);

    return how == PLACE_COMPACTED || (marker ? marker->at.depth : 0) == s->marker.depth;
}

static void take_place(struct bough_arena *a, const struct stored *s, const struct place *p,
                       struct where *w)
{
    w->how = how_of(p->how);
    w->at = stored_slot(s, p->at);
    w->units = p->units;
    w->message = p->message;
    w->part = p->part;
    w->stored = s;
    w->place = *p;
    w->reply = last_reply(s, p->at);
    w->from = p->how == PLACE_TRIMMED ? s->slots[p->from].depth : 0;
    w->exact = p->how != PLACE_TRIMMED && !s->holes && sees_path(s, p->how, w->at);
    where_differs(a, w, p->variants, p->nvariants, s->h.entries);
    if (p->at && !w->at.branch) /* it ends inside a window: nothing of it is on a path */
        *w = (struct where){ .how = BOUGH_EXCHANGE_ROOT, .sid = w->sid, .exact = true };
}

/* Compare the request with the path to `end`, as the client sees it, then whole. */
static enum bough_rc compare(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                             enum place_given given, struct bough_head end, struct where *w,
                             struct place *p, struct bough_error *err)
{
    struct stored *s = arena_zalloc(a, sizeof *s);
    struct place_input in = { &sent->h, &s->h, given, NULL, 0 };
    enum bough_rc rc = BOUGH_OK;

    if (sent->path)
        *s = *sent->path;
    else
        rc = stored_read(snap, a, end, 0, s, err);

    if (!rc && given != PLACE_BY_CONTENT) {
        struct bough_str *texts;

        rc = stored_summaries(snap, a, w->sid, &texts, &in.nsummaries, err);
        in.summaries = texts;
    }
    if (rc)
        return rc;
    place_decide(&in, p);
    if (s->marker.branch && (p->how == PLACE_NONE || p->how == PLACE_ROOT ||
                             p->how == PLACE_BEHIND || p->at <= s->window)) {
        struct stored *whole = arena_zalloc(a, sizeof *whole);
        struct place again;

        rc = stored_read(snap, a, end, STORED_WHOLE, whole, err);
        in.stored = &whole->h;
        if (rc)
            return rc;
        place_decide(&in, &again);
        if (again.how != PLACE_NONE && again.how != PLACE_ROOT && again.how != PLACE_BEHIND) {
            *p = again;
            s = whole;
        }
    }
    take_place(a, s, p, w);
    return BOUGH_OK;
}

/* Where the path differs, the request may go on along another branch. */
static enum bough_rc follow_on(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                               struct where *w, struct bough_error *err)
{
    struct where from = *w;
    bool goes_on = false;
    enum bough_rc rc;

    if (w->how != BOUGH_EXCHANGE_BRANCHED && w->how != BOUGH_EXCHANGE_ROOT &&
        w->how != BOUGH_EXCHANGE_APPENDED)
        return BOUGH_OK;
    rc = where_follow(snap, a, sent, w->sid, &from, &goes_on, err);
    if (rc || from.units <= w->units)
        return rc;
    *w = from;
    return rest_and_outcome(snap, a, sent, goes_on, w, err);
}

/* Everything up to the anchor is equal: only what follows it is read. */
static enum bough_rc from_anchor(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                                 const struct anchor *anchor, int64_t sid, struct where *w,
                                 struct bough_error *err)
{
    struct call_body call;
    bool goes_on = false;
    enum bough_rc rc;

    *w = (struct where){
        .sid = w->sid, .at = anchor->at, .units = anchor->units, .reply = anchor->at
    };
    /* The chain that the anchor was found by is that of the path, unless its call says otherwise.
     */
    w->exact = call_of_entry(snap, a, anchor->at, &call) &&
               !(call.notes.n && memmem(call.notes.p, call.notes.n, "\"chain\"", 7));
    rc = where_follow(snap, a, sent, sid, w, &goes_on, err);
    return rc ? rc : rest_and_outcome(snap, a, sent, goes_on, w, err);
}

/* The session that owns the entry's branch. */
static enum bough_rc owner_of(struct snap *snap, struct bough_head at, int64_t *sid,
                              struct bough_error *err)
{
    struct branch_row b;
    enum bough_rc rc = snap_branch(snap, at.branch, &b, err);

    *sid = rc ? 0 : b.sid;
    return rc;
}

/* The last entry of the branch on which the anchor is: the path that is compared goes on there. */
static enum bough_rc end_of(struct snap *snap, struct bough_head at, struct bough_head *out,
                            struct bough_error *err)
{
    struct branch_row b;
    enum bough_rc rc = snap_branch(snap, at.branch, &b, err);

    *out = at;
    return rc ? rc : snap->ops->branch_tip(snap->v, &b, &out->depth, err);
}

enum bough_rc decide_given(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                           int64_t sid, enum place_given given, const struct anchor *anchor,
                           struct where *w, struct bough_error *err)
{
    struct session_loaded l;
    struct bough_head end;
    struct place p;
    bool visible = false;
    enum bough_rc rc = session_load(snap, a, sid, &l, err);

    *w = (struct where){ .sid = sid, .exact = true };
    if (rc)
        return rc;
    if (anchor->found)
        rc = entry_visible(snap, sid, anchor->at, &visible, err);
    if (!rc && visible && anchor->strict)
        return from_anchor(snap, a, sent, anchor, sid, w, err);
    end = (struct bough_head){ l.head.row.bid, l.head.depth };
    if (!rc && visible)
        rc = end_of(snap, anchor->at, &end, err);
    if (!rc)
        rc = compare(snap, a, sent, given, end, w, &p, err);
    if (!rc && visible && (p.how == PLACE_ROOT || p.how == PLACE_BEHIND || p.how == PLACE_BRANCH)) {
        /* The anchor's branch did not help: the head's path may. */
        struct where other = { .sid = sid, .exact = true };
        struct bough_head head = { l.head.row.bid, l.head.depth };

        rc = compare(snap, a, sent, given, head, &other, &p, err);
        if (!rc && other.units > w->units)
            *w = other;
        else if (!rc && w->how == BOUGH_EXCHANGE_ROOT)
            *w = other;
    }
    return rc ? rc : follow_on(snap, a, sent, w, err);
}

enum bough_rc decide_anchored(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                              const struct anchor *anchor, struct where *w, bool *found,
                              struct bough_error *err)
{
    struct bough_head end;
    struct place p;
    enum bough_rc rc;

    *found = false;
    *w = (struct where){ .exact = true };
    if (!anchor->found)
        return BOUGH_OK;
    rc = owner_of(snap, anchor->at, &w->sid, err);
    if (rc)
        return rc;
    *found = true;
    if (anchor->strict)
        return from_anchor(snap, a, sent, anchor, w->sid, w, err);
    rc = end_of(snap, anchor->at, &end, err);
    if (!rc)
        rc = compare(snap, a, sent, PLACE_BY_CONTENT, end, w, &p, err);
    *found = !rc && p.how != PLACE_NONE;
    return rc || !*found ? rc : follow_on(snap, a, sent, w, err);
}
