/* Replies to requests for a compaction: what a client may send from now on in place of its history.
 */
#include <string.h>

#include "base/text/str.h"
#include "store/exchange/exchange.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"

enum { SUMMARIES = 8, CALLS_MOST = 512 }; /* calls that are looked at, from the newest on */

struct summaries {
    struct snap *snap;
    struct bough_arena *a;
    int64_t side; /* the side session for compactions; 0: there is none */
    struct bough_str *at;
    size_t n, calls;
};

static void add_text(struct summaries *l, const struct bough_entry *e)
{
    struct units u = { .a = l->a };
    struct bough_str all = { "", 0 };

    units_add(&u, e, false);
    for (size_t i = 0; i < u.n; i++)
        if (u.at[i].kind == UNIT_MODEL)
            all = str_of(arena_printf(l->a, "%s%s%.*s", all.p, all.n ? "\n\n" : "",
                                      (int)u.at[i].text.n, u.at[i].text.p));
    if (!all.n)
        return;
    l->at = arena_room(l->a, l->at, l->n, sizeof *l->at);
    l->at[l->n++] = all;
}

/* The reply to a call: the message of the model right behind the entry that was answered. */
static bool take_reply(struct summaries *l, struct bough_head at, int64_t ord)
{
    struct bough_entry *e;
    struct pack_head h;

    if (entry_head_at(l->snap, at, &h, NULL) || h.call_ord != ord ||
        entry_load(l->snap, l->a, at, &e, NULL))
        return false;
    add_text(l, e);
    return true;
}

struct beside {
    struct summaries *l;
    int64_t ord;
};

static bool each_child(void *user, const struct branch_row *b)
{
    struct beside *x = user;

    return !take_reply(x->l, (struct bough_head){ b->bid, b->base + 1 }, x->ord);
}

static bool each_call(void *user, const struct record_row *row)
{
    struct summaries *l = user;
    struct beside beside = { l, row->ord };
    struct call_body b;

    if (++l->calls > CALLS_MOST || l->n >= SUMMARIES)
        return false;
    if (row->deleted || body_read(call_fields, arena_str(l->a, row->body), &b, NULL) ||
        !cstr_eq(b.purpose, "compaction") || !b.at_bid)
        return true;
    if (!take_reply(l, (struct bough_head){ b.at_bid, b.at_depth + 1 }, row->ord))
        (void)l->snap->ops->branch_children(l->snap->v, b.at_bid, b.at_depth, b.at_depth,
                                            each_child, &beside, NULL);
    return true;
}

/* Side sessions for compactions, the newest last. */
static bool each_side(void *user, const struct session_row *row)
{
    struct summaries *l = user;
    struct session_body b;

    if (row->kind == BOUGH_SUBAGENT && !row->purged &&
        !body_read(session_fields, row->body, &b, NULL) && strcmp(b.role_name, "compaction") == 0)
        l->side = row->sid;
    return true;
}

enum bough_rc stored_summaries(struct snap *snap, struct bough_arena *a, int64_t sid,
                               struct bough_str **out, size_t *n, struct bough_error *err)
{
    struct summaries l = { .snap = snap, .a = a };
    enum bough_rc rc =
        snap->ops->record_scan(snap->v, sid, RECORD_CALL, 0, true, each_call, &l, err);

    if (!rc)
        rc = snap->ops->session_children(snap->v, sid, each_side, &l, err);
    l.calls = 0;
    if (!rc && l.side)
        rc = snap->ops->record_scan(snap->v, l.side, RECORD_CALL, 0, true, each_call, &l, err);

    *out = l.at;
    *n = l.n;
    return rc;
}
