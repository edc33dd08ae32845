/* Repair open messages: leases without a message, messages without a lease, and unreadable drafts.
 * Drafts are kept up to the first damaged one; the rest is quarantined. */
#include "store/care/repair.h"
#include "store/live/open_message.h"

struct steps {
    struct repair *r;
    struct snap *snap;
    const struct bough_finding *f;
    int64_t sid;
    struct draft draft;
    bool bad;
    enum bough_rc rc;
};

/* Quarantine the first draft that is damaged or does not start where the previous one ended. */
static bool check_step(void *user, const struct draft_row *row)
{
    struct steps *s = user;
    struct raw_row raw = { .table = RAW_DRAFT, .u.draft = *row };
    int64_t ord;

    raw.u.draft.body.p = arena_dup(s->r->a, row->body.p, row->body.n);
    s->bad = s->bad || draft_unpack(&s->draft, row->body, row->step, NULL) ||
             (int64_t)draft_size(&s->draft) != row->end;
    if (!s->bad)
        return true;
    s->rc = quarantine_row(s->r, s->snap, s->sid, &raw, s->f->where, s->f->text, &ord);
    if (s->rc)
        return false;
    repair_write(s->r, &raw, true);
    repair_report(s->r, s->f->code, s->f->where, "steps are quarantined as record %lld.%d.%lld",
                  (long long)s->sid, RECORD_QUARANTINE, (long long)ord);
    s->r->again = true; /* one per snapshot: each quarantine record takes the next ordinal */
    return false;
}

static enum bough_rc fix_steps(struct repair *r, struct snap *snap, const struct bough_finding *f,
                               struct bough_head at, int64_t sid, bool all)
{
    struct steps s = { .r = r, .snap = snap, .f = f, .sid = sid, .bad = all };
    enum bough_rc rc;

    draft_init(&s.draft);
    rc = snap->ops->draft_scan(snap->v, at.branch, at.depth, 0, check_step, &s, r->err);
    draft_finish(&s.draft);
    return rc ? rc : s.rc;
}

static void fix_lease(struct repair *r, const struct bough_finding *f, struct bough_head at,
                      int64_t sid)
{
    struct raw_row put = { .table = RAW_OPEN };

    /* Already expired, so that recovery seals the message as interrupted. */
    put.u.open = (struct open_row){ .bid = at.branch,
                                    .depth = at.depth,
                                    .sid = sid,
                                    .ver = 1,
                                    .epoch = 1,
                                    .owner = "",
                                    .process = "",
                                    .wanted = "" };
    repair_write(r, &put, false);
    repair_report(r, f->code, f->where, "it has a lease that is over");
}

/* An entry that has its parts is sealed, whatever its mask says. */
static bool really_open(struct repair *r, struct entry_row *row)
{
    struct bough_entry e;
    struct pack_extra x;

    return row->mask & MASK_OPEN && pack_entry_read(r->a, row->body, &e, &x, NULL) == BOUGH_OK &&
           !e.nparts && !e.usage && e.kind == BOUGH_ENTRY_MESSAGE;
}

enum bough_rc repair_open(struct repair *r, struct snap *snap, const struct bough_finding *f,
                          int64_t bid, int64_t depth)
{
    struct bough_head at = { bid, depth };
    struct raw_row entry = { .table = RAW_ENTRY }, lease = { .table = RAW_OPEN };
    struct branch_row b = { 0 };
    bool there, open, found;
    enum bough_rc rc;

    found = snap->ops->entry_get(snap->v, r->a, bid, depth, &entry.u.entry, NULL) == BOUGH_OK;
    open = found && really_open(r, &entry.u.entry);
    if (snap->ops->branch_get(snap->v, bid, &b, NULL))
        b.sid = 0;
    rc = open_get(snap, r->a, at, &lease.u.open, &there, r->err);
    if (!rc)
        rc = fix_steps(r, snap, f, at, b.sid, !open);
    if (rc)
        return rc;
    if (found && !open && entry.u.entry.mask & MASK_OPEN) {
        entry.u.entry.mask &= ~(int64_t)MASK_OPEN;
        repair_write(r, &entry, false);
        repair_report(r, f->code, f->where, "it is whole, and not open any more");
    }
    if (there && !open) {
        repair_write(r, &lease, true);
        repair_report(r, f->code, f->where, "its lease is removed");
    } else if (open && (!there || lease.u.open.sid != b.sid)) {
        fix_lease(r, f, at, b.sid);
    }
    return BOUGH_OK;
}
