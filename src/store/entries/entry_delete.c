/* Soft deletion and restoration of entries. Only the session that owns an entry may do either. */
#include "base/required.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"
#include "store/write/audit.h"
#include "store/write/import_api.h"

struct over {
    struct bough_store *s;
    int64_t sid;
    const char *entry;
    bool remove;
    int64_t time; /* 0: now */
};

static enum bough_rc prepare_over(struct prep *p, void *user, struct bough_error *err)
{
    struct over *o = user;
    struct session_loaded l;
    struct entry_row row = { 0 };
    struct bough_entry *e = NULL;
    struct branch_row b;
    struct bough_head at = { 0 };
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = session_load_writable(snap, p->a, o->sid, &l, err);
    if (!rc)
        rc = find_entry(snap, o->sid, o->entry, &at, err);
    if (!rc)
        rc = snap_branch(snap, at.branch, &b, err);
    if (!rc && b.sid != o->sid)
        rc = bough_fail(err, BOUGH_DENIED, "entry %.40s belongs to another session", o->entry);
    if (!rc)
        rc = entry_load(snap, p->a, at, &e, err);
    if (!rc)
        rc = snap->ops->entry_get(snap->v, p->a, at.branch, at.depth, &row, err);
    if (rc || !e || o->remove == (e->deleted != 0))
        return rc; /* already in the wanted state */
    if (e->open)
        return bough_fail(err, BOUGH_CONFLICT, "message %s is still being written", e->id);
    /* Guards against a concurrent deletion: only one of the two txns gets this head version. */
    txn_change(p, CHANGE_HEAD_SET)->u.head = l.head.row;
    row.deleted = !o->remove ? 0 : o->time ? o->time : p->now;
    txn_change(p, CHANGE_ENTRY_SET)->u.entry = row;
    audit_put(p, o->s->principal, o->remove ? "delete entry" : "restore entry", e->id, "");
    txn_changelog(p, o->remove ? CHANGELOG_ENTRY_DELETE : CHANGELOG_ENTRY_RESTORE, o->sid, 1);
    p->t->log.bid = at.branch;
    p->t->log.depth = at.depth;
    return BOUGH_OK;
}

static enum bough_rc run_over(struct bough_store *s, const char *session, struct over *o,
                              struct bough_error *err)
{
    struct request r = { .prepare = prepare_over, .user = o };
    enum bough_rc rc = find_session_fast(s, session, &o->sid, err);

    if (rc)
        return rc;
    r.sid = o->sid;
    return write_once(s, &r, err);
}

enum bough_rc entry_delete_at(struct bough_store *s, const char *session, const char *entry,
                              int64_t time, struct bough_error *err)
{
    struct over o = { .s = s, .entry = entry, .remove = true, .time = time };

    return run_over(s, session, &o, err);
}

enum bough_rc bough_entry_delete(struct bough_store *s, const char *session, const char *entry,
                                 struct bough_error *err)
{
    REQUIRE(s, err);

    return entry_delete_at(s, session, entry, 0, err);
}

enum bough_rc bough_entry_restore(struct bough_store *s, const char *session, const char *entry,
                                  struct bough_error *err)
{
    REQUIRE(s, err);

    return run_over(s, session, &(struct over){ .s = s, .entry = entry }, err);
}
