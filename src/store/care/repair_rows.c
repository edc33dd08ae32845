/* Repair single rows: entries, records, sessions and heads. */
#include "store/care/repair.h"

#include <string.h>

#include "base/text/str.h"
#include "core/part/part.h"
#include "store/lookup/blob.h"
#include "store/lookup/path.h"

enum { FILL_MOST = 10000 }; /* missing rows to fill; a larger gap means a different file */

/* ---- entries ---- */

bool repair_reads(struct snap *snap, struct bough_arena *a, const struct entry_row *row)
{
    struct bough_entry e;
    struct pack_extra x;

    if (pack_entry_read(a, row->body, &e, &x, NULL) || e.at.depth != row->depth)
        return false;
    for (size_t i = 0; i < e.nparts; i++)
        if (part_stored_check(&e.parts[i], NULL))
            return false;
    return blob_expand(snap, a, &x, &e, NULL) == BOUGH_OK;
}

/* True if a newer bough wrote the entry. It is not damaged, so repair must not change it. */
static bool is_newer(struct repair *r, const struct entry_row *row)
{
    struct bough_entry e;
    struct pack_extra x;

    return pack_entry_read(r->a, row->body, &e, &x, NULL) == BOUGH_VERSION;
}

struct deletion {
    int64_t bid, depth;
    int64_t time; /* when it was last deleted; 0: never, or restored since */
};

static bool find_deletion(void *user, const struct changelog_row *row)
{
    struct deletion *d = user;

    if (row->bid != d->bid || row->depth != d->depth)
        return true;
    if (row->kind == CHANGELOG_ENTRY_DELETE)
        d->time = row->time ? row->time : 1;
    if (row->kind == CHANGELOG_ENTRY_RESTORE)
        d->time = 0;
    return true;
}

/* When the entry was deleted, according to the changelog; 0: it is not deleted. */
static enum bough_rc deleted_when(struct repair *r, struct snap *snap, const struct entry_row *row,
                                  int64_t made, int64_t *time)
{
    struct deletion d = { row->bid, row->depth, 0 };
    enum bough_rc rc = snap->ops->changelog_scan(snap->v, 0, find_deletion, &d, r->err);

    *time = row->deleted;
    if (!rc && d.time && row->deleted <= 0)
        *time = d.time;
    if (!rc && !d.time && row->deleted < made)
        *time = 0;
    return rc;
}

/* Restore the columns that duplicate body fields, and the time of the deletion. */
static enum bough_rc fix_columns(struct repair *r, struct snap *snap, const struct bough_finding *f,
                                 const struct entry_row *row)
{
    struct raw_row put = { .table = RAW_ENTRY, .u.entry = *row };
    struct entry_row *to = &put.u.entry;
    struct bough_entry e;
    struct pack_extra x;
    enum bough_rc rc;

    if (pack_entry_read(r->a, row->body, &e, &x, NULL) || x.newer)
        return BOUGH_OK;
    to->kind = e.kind;
    to->mask = entry_mask(&e) | (row->mask & MASK_UNLINKED);
    rc = deleted_when(r, snap, row, x.made, &to->deleted);
    if (rc || (to->kind == row->kind && to->mask == row->mask && to->deleted == row->deleted))
        return rc; /* the columns are right: the finding is about something else */
    repair_write(r, &put, false);
    repair_report(r, f->code, f->where, "its columns say again what its body and the log say");
    return BOUGH_OK;
}

enum bough_rc repair_entry(struct repair *r, struct snap *snap, const struct bough_finding *f,
                           int64_t bid, int64_t depth)
{
    struct raw_row row = { .table = RAW_ENTRY };
    struct branch_row b;
    int64_t ord;
    enum bough_rc rc = snap->ops->entry_get(snap->v, r->a, bid, depth, &row.u.entry, r->err);
    bool ghost;

    if (rc)
        return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
    if (is_newer(r, &row.u.entry))
        return BOUGH_OK;
    ghost = snap->ops->branch_get(snap->v, bid, &b, NULL) != BOUGH_OK;
    if (!ghost && repair_reads(snap, r->a, &row.u.entry))
        return fix_columns(r, snap, f, &row.u.entry);
    rc = quarantine_row(r, snap, ghost ? 0 : b.sid, &row, f->where, f->text, &ord);
    if (!rc && ghost)
        repair_write(r, &row, true);
    else if (!rc)
        rc = quarantine_stub(r, snap, &b, depth, &row.u.entry, ord);
    if (!rc)
        repair_report(r, f->code, f->where, "quarantined as record %lld.%d.%lld",
                      (long long)(ghost ? 0 : b.sid), RECORD_QUARANTINE, (long long)ord);
    return rc;
}

/* The branch that owns the entry which `b` hangs on, if that entry is missing; 0: it is there. */
static int64_t lost_base(struct repair *r, struct snap *snap, const struct branch_row *b)
{
    struct entry_row row;
    int64_t owner = 0;

    if (!b->parent ||
        path_owner(snap, (struct bough_head){ b->parent, b->base }, b->base, &owner, NULL) ||
        !owner ||
        snap->ops->entry_get(snap->v, r->a, owner, b->base, &row, NULL) != BOUGH_NOT_FOUND)
        return 0;
    return owner;
}

/* Fill the lowest missing slot up to `to` with a stub. */
enum bough_rc repair_fill_gap(struct repair *r, struct snap *snap, const struct bough_finding *f,
                              int64_t bid, int64_t to)
{
    size_t queued = r->nrows;
    struct entry_row row;
    struct branch_row b;
    int64_t from = to, owner;
    enum bough_rc rc;

    if (snap->ops->branch_get(snap->v, bid, &b, NULL))
        return BOUGH_OK;
    if (b.cut >= 0 && to > b.cut)
        to = from = b.cut;
    while (from > b.base && to - from < FILL_MOST &&
           snap->ops->entry_get(snap->v, r->a, bid, from, &row, NULL) == BOUGH_NOT_FOUND)
        from--;
    if (to == from)
        return BOUGH_OK;
    owner = from == b.base ? lost_base(r, snap, &b) : 0;
    if (owner) { /* a stub counts the messages before it, so the parent's come first */
        rc = repair_fill_gap(r, snap, f, owner, b.base);
        r->again = r->nrows > queued;
        return rc;
    }
    repair_report(r, f->code, f->where, "missing entry #%lld.%lld has something in its place",
                  (long long)bid, (long long)from + 1);
    r->again = to > from + 1; /* the next stub builds on this one */
    return quarantine_stub(r, snap, &b, from + 1, NULL, 0);
}

enum bough_rc repair_base(struct repair *r, struct snap *snap, const struct bough_finding *f,
                          int64_t bid)
{
    struct branch_row b;
    int64_t owner;

    if (snap->ops->branch_get(snap->v, bid, &b, NULL))
        return BOUGH_OK;
    owner = lost_base(r, snap, &b);
    return owner ? repair_fill_gap(r, snap, f, owner, b.base) : BOUGH_OK;
}

enum bough_rc repair_gap(struct repair *r, struct snap *snap, const struct bough_finding *f,
                         int64_t bid, int64_t depth)
{
    struct raw_row row = { .table = RAW_ENTRY }, back;
    struct entry_row other;
    struct branch_row b;
    struct pack_head h;
    int64_t ord;
    enum bough_rc rc = snap->ops->entry_get(snap->v, r->a, bid, depth, &row.u.entry, r->err);

    if (rc)
        return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
    if (!pack_entry_sound(row.u.entry.body) || !pack_entry_head(row.u.entry.body, &h) ||
        h.depth == depth || snap->ops->branch_get(snap->v, bid, &b, NULL))
        return repair_fill_gap(r, snap, f, bid, depth - 1);
    back = row;
    back.u.entry.depth = h.depth;
    rc = snap->ops->entry_get(snap->v, r->a, bid, h.depth, &other, NULL);
    if (h.depth > b.base && (rc == BOUGH_NOT_FOUND || (!rc && pack_is_stub(other.body))))
        repair_write(r, &back, false);
    else
        rc = quarantine_row(r, snap, b.sid, &row, f->where, f->text, &ord);
    if (rc && rc != BOUGH_NOT_FOUND)
        return rc;
    repair_write(r, &row, true);
    repair_report(r, f->code, f->where, "its body says depth %lld, so it is not here any more",
                  (long long)h.depth);
    return BOUGH_OK;
}

/* ---- records ---- */

struct record_by {
    const int64_t *at;
    struct bough_arena *a;
    struct raw_row *out;
    bool there;
};

/* Find the record by a raw scan: a record without a session is found in no other way. */
static bool by_number(void *user, const struct raw_row *raw)
{
    const struct record_row *row = &raw->u.record;
    struct record_by *b = user;

    if (row->sid != b->at[0] || row->kind != b->at[1] || row->ord != b->at[2])
        return true;
    *b->out = *raw;
    b->out->u.record.body = arena_str(b->a, row->body);
    b->there = true;
    return false;
}

enum bough_rc repair_record(struct repair *r, struct snap *snap, const struct bough_finding *f,
                            const int64_t at[3])
{
    struct raw_row row = { .table = RAW_RECORD };
    struct session_row s;
    bool ghost = at[0] && snap->ops->session_get(snap->v, r->a, at[0], &s, NULL) != BOUGH_OK;
    struct record_by by = { at, r->a, &row, false };
    int64_t ord;
    enum bough_rc rc = snap->ops->raw_scan(snap->v, RAW_RECORD, by_number, &by, r->err);

    if (rc || !by.there || at[1] == RECORD_QUARANTINE)
        return rc;
    rc = quarantine_row(r, snap, ghost ? 0 : at[0], &row, f->where, f->text, &ord);
    if (!rc && ghost)
        repair_write(r, &row, true);
    else if (!rc)
        rc = quarantine_record(r, snap, &row.u.record);
    if (!rc)
        repair_report(r, f->code, f->where, "quarantined as record %lld.%d.%lld",
                      (long long)(ghost ? 0 : at[0]), RECORD_QUARANTINE, (long long)ord);
    return rc;
}

enum bough_rc repair_fill_records(struct repair *r, struct snap *snap,
                                  const struct bough_finding *f, const int64_t at[3])
{
    struct record_row row;
    int64_t ord = at[2];
    enum bough_rc rc = BOUGH_OK;

    while (--ord > 0 && at[2] - ord < FILL_MOST && !rc &&
           snap->ops->record_get(snap->v, r->a, at[0], at[1], ord, &row, NULL) == BOUGH_NOT_FOUND)
        rc = quarantine_record(
            r, snap,
            &(struct record_row){ .sid = at[0], .kind = at[1], .ord = ord, .body = str_of("") });
    if (!rc)
        repair_report(r, f->code, f->where, "%lld missing records have something in their places",
                      (long long)(at[2] - 1 - ord));
    return rc;
}

/* ---- sessions ---- */

static bool last_branch(void *user, const struct branch_row *b)
{
    *(int64_t *)user = b->bid;
    return true;
}

/* Set the head to the tip of the newest branch, or to none when there is no branch. */
static enum bough_rc fix_head(struct repair *r, struct snap *snap, const struct bough_finding *f,
                              const struct session_row *s)
{
    struct raw_row put = { .table = RAW_HEAD };
    struct head_now now;
    enum bough_rc rc;

    put.u.head = (struct head_row){ .sid = s->sid, .ver = 1, .lease_owner = "" };
    if (snap->ops->head_get(snap->v, r->a, s->sid, &now, NULL) == BOUGH_OK) {
        put.u.head = now.row;
        put.u.head.ver++;
    }
    put.u.head.bid = put.u.head.depth = 0;
    rc = snap->ops->branch_of(snap->v, s->sid, last_branch, &put.u.head.bid, r->err);
    if (rc)
        return rc;
    repair_write(r, &put, false);
    repair_report(r, f->code, f->where, "its head is at the tip of branch %lld now",
                  (long long)put.u.head.bid);
    return BOUGH_OK;
}

struct made {
    int64_t sid, time, chk; /* chk 0: not known */
};

static bool find_made(void *user, const struct changelog_row *row)
{
    struct made *m = user;

    if (row->sid != m->sid || row->kind != CHANGELOG_SESSION_NEW)
        return true;
    m->time = row->time;
    m->chk = row->chk;
    return false;
}

/* The session's first changelog row has the time and the check bits that its id was made with. */
static enum bough_rc fix_made(struct repair *r, struct snap *snap, const struct bough_finding *f,
                              const struct raw_row *row)
{
    struct made m = { .sid = row->u.session.sid, .time = -1 };
    struct raw_row put = *row;
    enum bough_rc rc = snap->ops->changelog_scan(snap->v, 0, find_made, &m, r->err);

    if (rc || m.time < 0)
        return rc;
    if (!strstr(f->text, "check bits"))
        put.u.session.made = m.time;
    if (m.chk)
        put.u.session.chk = m.chk - 1;
    if (put.u.session.made == row->u.session.made && put.u.session.chk == row->u.session.chk)
        return BOUGH_OK;
    repair_write(r, &put, false);
    repair_report(r, f->code, f->where, "its id is the one again that it was made with");
    return BOUGH_OK;
}

enum bough_rc repair_session(struct repair *r, struct snap *snap, const struct bough_finding *f,
                             int64_t sid)
{
    struct raw_row row = { .table = RAW_SESSION };
    struct session_body body;
    struct head_now now;
    int64_t ord;
    enum bough_rc rc = snap->ops->session_get(snap->v, r->a, sid, &row.u.session, r->err);

    if (rc || row.u.session.purged)
        return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
    if (body_read(session_fields, row.u.session.body, &body, NULL)) {
        rc = quarantine_row(r, snap, sid, &row, f->where, f->text, &ord);
        if (!rc)
            rc = quarantine_session(r, snap, &row.u.session);
        if (!rc)
            repair_report(r, f->code, f->where, "quarantined as record %lld.%d.%lld",
                          (long long)sid, RECORD_QUARANTINE, (long long)ord);
        return rc;
    }
    if (strcmp(f->code, "I-12") == 0 ||
        (strcmp(f->code, "I-05") == 0 &&
         snap->ops->head_get(snap->v, r->a, sid, &now, NULL) == BOUGH_NOT_FOUND))
        return fix_head(r, snap, f, &row.u.session);
    if (strcmp(f->code, "I-04") == 0)
        return fix_made(r, snap, f, &row);
    return BOUGH_OK; /* list rows are rebuilt anyway */
}
