/* fsck, one entry: what can be said about its row and body without looking at any other. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "core/totals.h"
#include "store/fsck/fsck.h"

static int64_t mask_of(const struct bough_entry *e)
{
    int64_t mask = (int64_t)MASK_ROLE << e->role | (e->has_usage ? MASK_USAGE : 0);

    for (size_t i = 0; i < e->nparts; i++)
        mask |= (int64_t)MASK_PART << e->parts[i].type;
    return mask;
}

static void check_parts(struct fsck *f, struct fsck_where at, const struct bough_entry *e)
{
    enum bough_part_type type;
    struct bough_error why;

    for (size_t i = 0; i < e->nparts; i++)
        if (bough_part_check(e->parts[i].json, &type, &why))
            fsck_say(f, RULE_VALUE, at, "part %zu: %.140s", i, why.msg);
        else if (type != e->parts[i].type)
            fsck_say(f, RULE_VALUE, at, "part %zu is kept as %s, but is %s", i,
                     bough_part_type_name(e->parts[i].type), bough_part_type_name(type));
}

static void check_fields(struct fsck *f, struct fsck_where at, const struct bough_entry *e)
{
    fsck_text(f, at, "its finish reason", str_of(e->finish));
    fsck_text(f, at, "the id it came with", str_of(e->origin));
    fsck_text(f, at, "its kind's name", str_of(e->kind_name));
    fsck_json(f, at, "its error", e->error);
    fsck_json(f, at, "its data", e->data);
    fsck_json(f, at, "its metadata", e->metadata);
    fsck_range(f, at, "its time", e->time, 0, INT64_MAX);
    fsck_range(f, at, "its duration", e->duration, 0, INT64_MAX);
    if (e->has_usage && !totals_valid(&e->usage))
        fsck_say(f, RULE_VALUE, at, "it used less than nothing");
    if (e->kind == BOUGH_ENTRY_MESSAGE && e->role == BOUGH_ROLE_NONE)
        fsck_say(f, RULE_VALUE, at, "it is a message without a role");
}

/* The call it names must be the one that was there when it was written. A deleted one is let go of.
 */
static void check_call(struct fsck *f, const struct entry_row *row, int64_t sid,
                       const struct pack_extra *x)
{
    const struct fsck_call *call = fsck_call_of(f, sid, x->call_ord);
    struct fsck_where at = at_entry(row->bid, row->depth);
    bool unlinked = row->mask & MASK_UNLINKED;

    if (!x->call_ord && !x->call_made && !unlinked)
        return;
    if (!call)
        fsck_say(f, RULE_CALL, at, "its call, number %" PRId64 ", does not exist", x->call_ord);
    else if (call->id && call->id != fsck_call_id(x->call_made, x->call_chk))
        fsck_say(f, RULE_CALL, at, "its call, number %" PRId64 ", is another one", x->call_ord);
    else if (unlinked != call->deleted)
        fsck_say(f, RULE_CALL, at, "its call, number %" PRId64 ", %s", x->call_ord,
                 unlinked ? "is there, but the entry has let go of it"
                          : "was deleted, but the entry still names it");
}

/* An open message has a lease, and no parts yet. */
static void check_open(struct fsck *f, const struct entry_row *row, const struct bough_entry *e)
{
    struct fsck_open *lease = fsck_open_of(f, row->bid, row->depth);
    struct fsck_where at = at_entry(row->bid, row->depth);

    if (!(row->mask & MASK_OPEN))
        return;
    if (!lease)
        fsck_say(f, RULE_OPEN, at, "it is open, but nobody has a lease on it");
    else
        lease->met = true;
    if (e->nparts || e->has_usage || e->kind != BOUGH_ENTRY_MESSAGE)
        fsck_say(f, RULE_OPEN, at, "it is open, but not an empty message");
}

bool fsck_entry(struct fsck *f, const struct entry_row *row, const struct fsck_branch *b,
                struct bough_entry *e, struct pack_extra *x)
{
    const struct fsck_session *s = fsck_session_of(f, b->row.sid);
    struct fsck_where at = at_entry(row->bid, row->depth);
    struct bough_error why;

    if (pack_entry_read(f->tmp, row->body, e, x, &why)) {
        fsck_say(f, RULE_VALUE, at, "%.150s", why.msg);
        return false;
    }
    fsck_range(f, at, "the time of its deletion", row->over, 0, INT64_MAX);
    if (row->kind != (int64_t)e->kind)
        fsck_say(f, RULE_VALUE, at, "its row is of kind %" PRId64 ", its body of kind %d",
                 row->kind, (int)e->kind);
    check_open(f, row, e);
    if ((row->mask & ~(int64_t)(MASK_UNLINKED | MASK_OPEN)) != mask_of(e))
        fsck_say(f, RULE_VALUE, at, "its mask is %" PRIx64 ", its parts and role make %" PRIx64,
                 (uint64_t)row->mask, (uint64_t)mask_of(e));
    if (e->at.depth != row->depth)
        fsck_say(f, RULE_DEPTH, at, "its body says depth %" PRId64, e->at.depth);
    check_parts(f, at, e);
    check_fields(f, at, e);
    if (e->keep_from < 0 || e->keep_from > row->depth)
        fsck_say(f, RULE_MARKER, at, "it keeps from depth %" PRId64 " on", e->keep_from);
    if (s && !s->purged)
        check_call(f, row, s->sid, x);
    return true;
}
