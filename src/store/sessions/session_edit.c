/* Change a session: title, fields, status, lease, deletion. Each change is one txn guarded by the
 * rows it read. */
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/engine/lease.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"
#include "store/write/audit.h"
#include "store/write/import_api.h"

struct edit {
    struct bough_store *s;
    int64_t sid;
    /* Modify `l` and set session_row or head_row. BOUGH_OK with neither set is a no-op. */
    enum bough_rc (*change)(struct prep *p, struct edit *e, struct session_loaded *l,
                            struct bough_error *err);
    const void *in;
    bool session_row, head_row; /* set by `change`: which rows to write */
    enum changelog_kind log;
    const char *audit;
    int64_t time;    /* time of deletion; 0: now */
    int64_t created; /* new time of creation; 0: as it is */
    /* input of change_status */
    enum bough_status status;
    const char *owner;
    int64_t lease_ms, epoch;
    int64_t project, workspace, account;
    bool unchanged;
    bool even_archived;
};

static enum bough_rc prepare_edit(struct prep *p, void *user, struct bough_error *err)
{
    struct edit *e = user;
    struct session_loaded l;
    struct snap *snap;
    char id[BOUGH_ID_LEN + 1];
    struct change *c;
    enum bough_rc rc = prep_snap(p, &snap, err);

    e->session_row = e->head_row = e->unchanged = false;
    if (!rc)
        rc = session_load(snap, p->a, e->sid, &l, err);
    if (!rc)
        rc = e->change(p, e, &l, err);
    if (rc)
        return rc;
    if (e->session_row) {
        c = txn_change(p, CHANGE_SESSION_SET);
        c->u.session.row = l.row;
        c->u.session.row.body = body_pack(p->a, session_fields, &l.body);
    }
    if (e->head_row)
        txn_change(p, CHANGE_HEAD_SET)->u.head = l.head.row;
    e->unchanged = !p->t->nchanges;
    if (e->unchanged)
        return BOUGH_OK;
    if (e->audit) {
        id_session(l.row.made, l.row.sid, l.row.chk, id);
        audit_put(p, e->s->principal, e->audit, arena_strdup(p->a, id), "");
    }
    txn_changelog(p, e->log, e->sid, 1);
    return BOUGH_OK;
}

static enum bough_rc run_edit(struct bough_store *s, const char *id, struct edit *e,
                              struct bough_error *err)
{
    struct request r = { .prepare = prepare_edit, .user = e };
    enum bough_rc rc;

    e->s = s;
    rc = find_session_fast(s, id, &e->sid, err);
    if (rc)
        return rc;
    r.sid = e->sid;
    return write_once(s, &r, err);
}

/* ---- title and other fields ---- */

static enum bough_rc change_title(struct prep *p, struct edit *e, struct session_loaded *l,
                                  struct bough_error *err)
{
    (void)p;
    if (check_writable(&l->head.row, err))
        return BOUGH_ARCHIVED;
    e->session_row = strcmp(l->body.title, e->in) != 0;
    l->body.title = e->in;
    return BOUGH_OK;
}

enum bough_rc bough_session_rename(struct bough_store *s, const char *id, const char *title,
                                   struct bough_error *err)
{
    REQUIRE(s, err);

    struct edit e = { .change = change_title, .in = title ? title : "", .log = CHANGELOG_SESSION };
    enum bough_rc rc = check_text("the title", title, LIMIT_TITLE, err);

    return rc ? rc : run_edit(s, id, &e, err);
}

static void set_text(const char **to, const char *from, bool *changed)
{
    if (!from || strcmp(*to, from) == 0)
        return;
    *to = from;
    *changed = true;
}

static void set_raw(struct bough_str *to, struct bough_str from, bool *changed)
{
    if (!from.n || str_eq(*to, from))
        return;
    *to = from;
    *changed = true;
}

static void set_place(int64_t *to, const char *name, int64_t ord, bool *changed)
{
    if (!name || *to == ord)
        return;
    *to = ord;
    *changed = true;
}

static enum bough_rc change_columns(struct prep *p, struct edit *e, struct session_loaded *l,
                                    struct bough_error *err)
{
    const struct bough_session_update_options *in = e->in;
    struct session_body *b = &l->body;
    bool *c = &e->session_row;

    (void)p;
    if (!e->even_archived && check_writable(&l->head.row, err))
        return BOUGH_ARCHIVED;
    set_text(&b->title, in->title, c);
    set_text(&b->provider_path, in->provider_path, c);
    set_text(&b->role_name, in->role_name, c);
    set_text(&b->model_provider, in->model_provider, c);
    set_text(&b->model_name, in->model_name, c);
    set_text(&b->system_prompt, in->system_prompt, c);
    set_text(&b->user_name, in->user_name, c);
    set_text(&b->version, in->version, c);
    set_raw(&b->data, in->data, c);
    set_raw(&b->metadata, in->metadata, c);
    set_place(&b->workspace, in->workspace, e->workspace, c);
    set_place(&b->created, e->created ? "" : NULL, e->created, c);
    /* These are kept with every call, so a cached state of the session must become stale. */
    set_place(&b->project, in->project, e->project, &e->head_row);
    set_place(&b->account, in->account, e->account, &e->head_row);
    e->session_row = e->session_row || e->head_row;
    return BOUGH_OK;
}

static enum bough_rc check_edit(const struct bough_session_update_options *in,
                                struct bough_error *err)
{
    const char *const names[] = { in->provider_path, in->role_name, in->model_provider,
                                  in->model_name,    in->user_name, in->version,
                                  in->account };
    enum bough_rc rc = check_text("the title", in->title, LIMIT_TITLE, err);

    for (size_t i = 0; i < sizeof names / sizeof *names && !rc; i++)
        rc = check_text("a name", names[i], LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the system prompt", in->system_prompt, LIMIT_TEXT, err);
    if (!rc)
        rc = check_text("the project", in->project, LIMIT_PATH, err);
    if (!rc)
        rc = check_text("the workspace", in->workspace, LIMIT_PATH, err);
    if (!rc)
        rc = check_object("data", in->data, LIMIT_DATA, err);
    return rc ? rc : check_object("metadata", in->metadata, LIMIT_METADATA, err);
}

enum bough_rc session_update_from(struct bough_store *s, const char *id,
                                  const struct bough_session_update_options *edit, int64_t created,
                                  struct bough_error *err)
{
    struct edit e = {
        .change = change_columns, .in = edit, .log = CHANGELOG_SESSION, .created = created
    };
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = RESERVED_CHECK(bough_session_update_options, edit, err);

    if (!rc)
        rc = check_edit(edit, err);
    /* Not from the cache, which does not see purges: no group is made for a session that is gone.
     */
    if (!rc)
        rc = snap_session(s, id, &snap, &sid, err);
    if (!rc)
        snap_end(&snap);
    if (!rc)
        rc = group_ensure(s, RECORD_PROJECT, edit->project, &e.project, err);
    if (!rc)
        rc = group_ensure(s, RECORD_WORKSPACE, edit->workspace, &e.workspace, err);
    if (!rc)
        rc = group_ensure(s, RECORD_ACCOUNT, edit->account, &e.account, err);
    return rc ? rc : run_edit(s, id, &e, err);
}

enum bough_rc bough_session_update(struct bough_store *s, const char *id,
                                   const struct bough_session_update_options *edit,
                                   struct bough_error *err)
{
    REQUIRE(s && edit, err);
    return session_update_from(s, id, edit, 0, err);
}

enum bough_rc session_unlink(struct bough_store *s, const char *id,
                             const struct bough_session_update_options *edit,
                             struct bough_error *err)
{
    struct edit e = {
        .change = change_columns, .in = edit, .log = CHANGELOG_SESSION, .even_archived = true
    };

    return run_edit(s, id, &e, err);
}

/* ---- status and lease ---- */

static bool may_become(enum bough_status from, enum bough_status to)
{
    switch (from) {
    case BOUGH_STATUS_IDLE:
        return to == BOUGH_STATUS_BUSY || to == BOUGH_STATUS_ARCHIVED;
    case BOUGH_STATUS_BUSY:
        return to == BOUGH_STATUS_IDLE || to == BOUGH_STATUS_RETRY || to == BOUGH_STATUS_BUSY;
    case BOUGH_STATUS_RETRY:
        return to == BOUGH_STATUS_BUSY || to == BOUGH_STATUS_IDLE || to == BOUGH_STATUS_ARCHIVED;
    case BOUGH_STATUS_ARCHIVED:
        return to == BOUGH_STATUS_IDLE;
    }
    return false;
}

static bool lease_lives(const struct head_row *h, int64_t now)
{
    return *h->lease_owner && h->lease_expires > now;
}

bool session_held(const struct bough_store *s, const struct bough_session *x)
{
    return x->lease && x->lease->expires > env_now(&s->e->env);
}

static enum bough_rc check_lease(struct prep *p, const struct edit *e, const struct head_row *h,
                                 struct bough_error *err)
{
    char since[ISO_TEXT];

    if (h->status != BOUGH_STATUS_BUSY || !lease_lives(h, p->now) ||
        strcmp(h->lease_owner, e->owner ? e->owner : "") == 0)
        return BOUGH_OK;
    iso_print(h->lease_since, since);
    return bough_hint(err,
                      bough_fail(err, BOUGH_BUSY, "session #%lld is busy: %.80s has it since %s",
                                 (long long)e->sid, h->lease_owner, since),
                      bough_rc_hint(BOUGH_BUSY));
}

static void take_lease(struct prep *p, const struct edit *e, struct head_row *h)
{
    bool renew = lease_lives(h, p->now) && strcmp(h->lease_owner, e->owner ? e->owner : "") == 0;

    if (!renew) {
        h->lease_epoch++;
        h->lease_since = p->now;
    }
    h->lease_owner = e->owner ? e->owner : "";
    h->lease_expires = lease_end(p->now, e->lease_ms);
}

static enum bough_rc change_status(struct prep *p, struct edit *e, struct session_loaded *l,
                                   struct bough_error *err)
{
    struct head_row *h = &l->head.row;
    enum bough_rc rc = check_no_run(h, err);

    if (!rc)
        rc = check_lease(p, e, h, err);
    if (rc)
        return rc;
    e->epoch = h->lease_epoch;
    if ((int64_t)e->status == h->status && e->status != BOUGH_STATUS_BUSY)
        return BOUGH_OK;
    if (!may_become((enum bough_status)h->status, e->status))
        return bough_fail(err, BOUGH_CONFLICT, "a session cannot change from %s to %s",
                          bough_status_name((enum bough_status)h->status),
                          bough_status_name(e->status));
    if (e->status == BOUGH_STATUS_BUSY) {
        take_lease(p, e, h);
    } else {
        h->lease_owner = "";
        h->lease_since = h->lease_expires = 0;
    }
    h->status = e->status;
    e->epoch = h->lease_epoch;
    e->head_row = true;
    return BOUGH_OK;
}

enum bough_rc bough_session_status(struct bough_store *s, const char *id, enum bough_status status,
                                   const char *owner, int64_t lease_ms, int64_t *epoch,
                                   struct bough_error *err)
{
    REQUIRE(s, err);

    struct edit e = { .change = change_status,
                      .status = status,
                      .owner = owner,
                      .lease_ms = lease_ms,
                      .log = CHANGELOG_STATUS };
    enum bough_rc rc = check_text("the owner", owner, LIMIT_NAME, err);

    if (!rc && owner && strncmp(owner, RUN_OWNER, strlen(RUN_OWNER)) == 0)
        rc = bough_fail(err, BOUGH_INVALID, "an owner that begins with " RUN_OWNER " is a run");
    if (!rc && (unsigned)status > BOUGH_STATUS_ARCHIVED)
        rc = bough_fail(err, BOUGH_INVALID, "no session has the status %d", (int)status);
    if (!rc)
        rc = lease_check(lease_ms, err);
    if (!rc)
        rc = run_edit(s, id, &e, err);
    if (!rc && epoch)
        *epoch = e.epoch;
    return rc;
}

enum bough_rc bough_session_archive(struct bough_store *s, const char *id, struct bough_error *err)
{
    REQUIRE(s, err);

    return bough_session_status(s, id, BOUGH_STATUS_ARCHIVED, NULL, 0, NULL, err);
}

static enum bough_rc change_unarchive(struct prep *p, struct edit *e, struct session_loaded *l,
                                      struct bough_error *err)
{
    if (l->head.row.status != BOUGH_STATUS_ARCHIVED)
        return bough_fail(err, BOUGH_CONFLICT, "session #%lld is not archived", (long long)e->sid);
    return change_status(p, e, l, err);
}

enum bough_rc bough_session_unarchive(struct bough_store *s, const char *id,
                                      struct bough_error *err)
{
    REQUIRE(s, err);

    struct edit e = { .change = change_unarchive,
                      .status = BOUGH_STATUS_IDLE,
                      .log = CHANGELOG_STATUS };

    return run_edit(s, id, &e, err);
}

/* ---- delete, restore, clear ---- */

static enum bough_rc change_deleted(struct prep *p, struct edit *e, struct session_loaded *l,
                                    struct bough_error *err)
{
    (void)err;
    e->head_row = !l->head.row.deleted;
    if (e->head_row)
        l->head.row.deleted = e->time ? e->time : p->now;
    return BOUGH_OK;
}

enum bough_rc session_delete_at(struct bough_store *s, const char *id, int64_t time,
                                struct bough_error *err)
{
    struct edit e = {
        .change = change_deleted, .log = CHANGELOG_DELETE, .audit = "delete", .time = time
    };

    return run_edit(s, id, &e, err);
}

enum bough_rc bough_session_delete(struct bough_store *s, const char *id, struct bough_error *err)
{
    REQUIRE(s, err);

    return session_delete_at(s, id, 0, err);
}

static enum bough_rc change_restored(struct prep *p, struct edit *e, struct session_loaded *l,
                                     struct bough_error *err)
{
    (void)p;
    (void)err;
    e->head_row = l->head.row.deleted != 0;
    l->head.row.deleted = 0;
    return BOUGH_OK;
}

enum bough_rc bough_session_restore(struct bough_store *s, const char *id, struct bough_error *err)
{
    REQUIRE(s, err);

    struct edit e = { .change = change_restored, .log = CHANGELOG_RESTORE, .audit = "restore" };

    return run_edit(s, id, &e, err);
}

static enum bough_rc change_cleared(struct prep *p, struct edit *e, struct session_loaded *l,
                                    struct bough_error *err)
{
    (void)p;
    if (check_writable(&l->head.row, err))
        return BOUGH_ARCHIVED;
    if (check_no_run(&l->head.row, err))
        return BOUGH_BUSY;
    e->head_row = l->head.row.bid != 0;
    l->head.row.bid = l->head.row.depth = 0;
    return BOUGH_OK;
}

enum bough_rc bough_session_clear(struct bough_store *s, const char *id, struct bough_error *err)
{
    REQUIRE(s, err);

    struct edit e = { .change = change_cleared, .log = CHANGELOG_HEAD };

    return run_edit(s, id, &e, err);
}

enum bough_rc bough_head_reset(struct bough_store *s, const char *session, struct bough_error *err)
{
    REQUIRE(s, err);

    return bough_session_clear(s, session, err);
}
