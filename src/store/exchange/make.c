/* New sessions of exchanges: plain ones, forks, subagents and side sessions; and giving a session
 * without a key the key of its client. */
#include <string.h>

#include "base/text/str.h"
#include "store/exchange/exchange.h"
#include "store/lookup/find.h"
#include "store/sessions/session.h"

struct job {
    const struct making *m;
    struct session_make make;
    unsigned char key[SEEN_KEY];
};

static void add_key(struct prep *p, struct job *j, int64_t sid)
{
    struct seen_row *row;

    if (!j->m->key)
        return;
    txn_guard(p, guard_seen(j->key, j->m->key_no));
    row = &txn_change(p, CHANGE_SEEN_ADD)->u.seen;
    memcpy(row->key, j->key, sizeof row->key);
    row->depth = sid;
}

static enum bough_rc prepare_make(struct prep *p, void *user, struct bough_error *err)
{
    struct request *r = (struct request *)(void *)((char *)p->t - offsetof(struct request, txn));
    struct job *j = user;
    enum bough_rc rc;

    if (r->tries && j->m->key)
        return bough_fail(err, BOUGH_CONFLICT, "another request has used this key meanwhile");
    rc = session_make_prepare(p, &j->make, err);
    if (!rc)
        add_key(p, j, NEW_SESSION);
    return rc;
}

/* Project and account: those of another session, or by name. */
static enum bough_rc take_groups(struct bough_store *s, struct bough_arena *a,
                                 const struct making *m, struct session_body *b,
                                 struct bough_error *err)
{
    struct session_loaded l;
    struct snap snap;
    enum bough_rc rc;

    if (!m->of) {
        rc = group_ensure(s, RECORD_PROJECT, m->in->project, &b->project, err);
        return rc ? rc : group_ensure(s, RECORD_ACCOUNT, m->in->account, &b->account, err);
    }
    rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = session_load(&snap, a, m->of, &l, err);
    snap_end(&snap);
    if (rc)
        return rc;
    b->project = l.body.project;
    b->workspace = l.body.workspace;
    b->account = l.body.account;
    b->system_prompt = arena_strdup(a, l.body.system_prompt);
    return BOUGH_OK;
}

static enum bough_rc take_fork(struct bough_store *s, struct bough_arena *a, const struct making *m,
                               struct session_make *make, struct bough_error *err)
{
    struct bough_entry *e;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = entry_load(&snap, a, m->fork, &e, err);
    snap_end(&snap);
    if (rc)
        return rc;
    make->on_branch = true;
    make->base = m->fork;
    make->parent = m->forked;
    make->body.fork_entry = arena_strdup(a, e->id);
    make->body.fork_bid = m->fork.branch;
    make->body.fork_depth = m->fork.depth;
    return BOUGH_OK;
}

enum bough_rc exchange_make(struct bough_store *s, struct bough_arena *a, const struct making *m,
                            int64_t *sid, struct bough_error *err)
{
    struct job j = { .m = m };
    struct request r = { .prepare = prepare_make, .user = &j };
    struct session_body *b = &j.make.body;
    enum bough_rc rc;

    body_clear(session_fields, b);
    b->provider_path = m->in->client;
    b->role_name = m->role_name;
    b->model_provider = m->in->model_provider;
    b->model_name = m->in->model_name;
    b->version = "1";
    if (m->key) {
        b->client_key = m->key;
        b->scope = m->scope;
        seen_key(SEEN_CLIENT, m->scope, m->key, strlen(m->key), j.key);
    }
    rc = take_groups(s, a, m, b, err);
    if (!rc && m->fork.branch)
        rc = take_fork(s, a, m, &j.make, err);
    if (rc)
        return rc;
    if (m->parent) {
        j.make.kind = BOUGH_SUBAGENT;
        j.make.parent = m->parent;
    }
    rc = write_run(s, a, &r, err);
    *sid = rc ? 0 : r.txn.sid;
    return rc;
}

/* ---- adopting ---- */

struct adoption {
    struct job job;
    int64_t sid;
};

static enum bough_rc prepare_adopt(struct prep *p, void *user, struct bough_error *err)
{
    struct adoption *x = user;
    struct session_loaded l;
    struct change *c;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = session_load_writable(snap, p->a, x->sid, &l, err);
    if (!rc && (*l.body.client_key || l.head.row.deleted))
        rc = bough_fail(err, BOUGH_CONFLICT, "the session has another name meanwhile");
    if (rc)
        return rc;
    l.body.client_key = x->job.m->key;
    l.body.scope = x->job.m->scope;
    c = txn_change(p, CHANGE_SESSION_SET);
    c->u.session.row = l.row;
    c->u.session.row.body = body_pack(p->a, session_fields, &l.body);
    add_key(p, &x->job, x->sid);
    txn_changelog(p, CHANGELOG_SESSION, x->sid, 1);
    return BOUGH_OK;
}

enum bough_rc exchange_adopt(struct bough_store *s, struct bough_arena *a, int64_t sid,
                             int64_t scope, const char *key, int64_t key_no,
                             struct bough_error *err)
{
    struct making m = { .scope = scope, .key = key, .key_no = key_no };
    struct adoption x = { .job = { .m = &m }, .sid = sid };
    struct request r = { .prepare = prepare_adopt, .user = &x, .sid = sid };

    seen_key(SEEN_CLIENT, scope, key, strlen(key), x.job.key);
    return write_run(s, a, &r, err);
}
