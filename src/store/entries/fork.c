/* Forks: a new session that shows another session's history up to an entry, by reference or as a
 * copy. */
#include <string.h>

#include "base/limits.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/slug.h"
#include "store/contract/id.h"
#include "store/live/open_message.h"
#include "store/lookup/blob.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"

/* The entry to fork at: the requested one or the head. `before` selects its predecessor. Branch 0:
 * an empty history. BOUGH_CONFLICT if the path contains an open message. */
static enum bough_rc fork_point(struct snap *snap, struct bough_arena *a, int64_t sid,
                                const struct bough_session_fork_options *how,
                                struct bough_head *out, struct bough_error *err)
{
    struct head_now now;
    enum bough_rc rc;

    if (!cstr_empty(how->entry)) {
        rc = find_entry(snap, sid, how->entry, out, err);
    } else {
        rc = snap->ops->head_get(snap->v, a, sid, &now, err);
        *out = (struct bough_head){ now.row.bid, now.depth };
    }
    if (rc)
        return rc;
    if (how->before && out->depth)
        out->depth--;
    if (!out->depth)
        out->branch = 0;
    if (!out->branch)
        return BOUGH_OK;
    rc = path_owner(snap, *out, out->depth, &out->branch, err);
    return rc ? rc : open_none_on(snap, *out, err);
}

static const char *either(const char *asked, const char *inherited)
{
    return cstr_empty(asked) ? inherited : asked;
}

static void fork_body(const struct session_loaded *from,
                      const struct bough_session_fork_options *how, struct session_body *b)
{
    const struct session_body *p = &from->body;

    body_clear(session_fields, b);
    b->title = how->title;
    b->origin = how->id;
    b->project = p->project;
    b->workspace = p->workspace;
    b->account = p->account;
    b->provider_path = p->provider_path;
    b->role_name = p->role_name;
    b->model_provider = either(how->model_provider, p->model_provider);
    b->model_name = either(how->model_name, p->model_name);
    b->system_prompt = p->system_prompt;
    b->user_name = p->user_name;
    b->version = p->version;
    b->totals_mode = p->totals_mode;
}

/* ---- by reference ---- */

static enum bough_rc fork_by_reference(struct bough_store *s, struct bough_arena *a,
                                       struct snap *snap, struct session_make *m, int64_t *sid,
                                       struct bough_error *err)
{
    struct bough_entry *e;
    enum bough_rc rc = BOUGH_OK;

    if (m->base.branch) {
        rc = entry_load(snap, a, m->base, &e, err);
        if (rc)
            return rc;
        m->on_branch = true;
        m->body.fork_entry = arena_strdup(a, e->id);
        m->body.fork_bid = m->base.branch;
        m->body.fork_depth = m->base.depth;
    }
    snap_end(snap);
    return session_make(s, a, m, sid, err);
}

/* ---- as a copy ---- */

struct copying {
    struct session_make *m;
    struct bough_entries path;
    struct bough_labels labels;
    struct bough_store *s;
    struct smap ids;          /* foreign ids already copied: an id may occur twice across a fork */
    struct blob_parts *blobs; /* one per entry of the path */
};

/* A copy is found by its foreign id and by the id of its original. */
static void copy_alias(struct prep *p, int64_t what, const char *id, int64_t depth)
{
    txn_change(p, CHANGE_ALIAS_ADD)->u.alias = (struct alias_row){
        .id = id, .scope = NEW_SESSION, .what = what, .a = NEW_BRANCH(0), .b = depth
    };
}

static void copy_entry(struct prep *p, struct copying *c, size_t i, int64_t chk)
{
    const struct bough_entry *e = &c->path.at[i];
    const struct blob_parts *blobs = &c->blobs[i];
    struct bough_entry copy = *e;
    struct pack_extra x = { .made = p->now, .chk = chk };
    struct squeezed tail;
    struct change *ch;

    copy.at.branch = NEW_BRANCH(0);
    copy.origin =
        cstr_empty(e->origin) || smap_get(&c->ids, str_of(e->origin), NULL) ? e->id : e->origin;
    smap_put(&c->ids, str_of(copy.origin), 1);
    copy.parts = blobs->parts;
    pack_tail_moved(p->a, &copy, blobs->moved, blobs->nmoved, c->s->e->zstd_from, &tail);
    ch = txn_change(p, CHANGE_ENTRY_ADD);
    ch->u.entry = (struct entry_row){ .bid = NEW_BRANCH(0),
                                      .depth = e->at.depth,
                                      .kind = e->kind,
                                      .mask = entry_mask(e),
                                      .deleted = e->deleted,
                                      .body = pack_entry(p->a, &copy, &x, &tail) };
    blob_link(p, blobs, NEW_BRANCH(0), e->at.depth);
    copy_alias(p, ALIAS_ENTRY, copy.origin, e->at.depth);
    if (copy.origin != e->id)
        copy_alias(p, ALIAS_COPIED, e->id, e->at.depth);
}

/* Copy a label. The copy's branch number is assigned at commit, so the record stores bid 0, which
 * label.c reads as the session's first branch. */
static void copy_label(struct prep *p, const struct copying *c, const struct bough_label *l)
{
    struct label_body body = { .text = l->text, .time = l->time };

    for (size_t i = 0; i < c->path.n; i++)
        if (strcmp(c->path.at[i].id, l->entry) == 0)
            body.depth = c->path.at[i].at.depth;
    if (!body.depth)
        return;
    txn_change(p, CHANGE_RECORD_PUT)->u.record = (struct record_row){
        .sid = NEW_SESSION, .kind = RECORD_LABEL, .body = body_pack(p->a, label_fields, &body)
    };
}

static int64_t deleted_messages(const struct bough_entries *path)
{
    int64_t n = 0;

    for (size_t i = 0; i < path->n; i++)
        n += path->at[i].deleted && path->at[i].kind == BOUGH_ENTRY_MESSAGE;
    return n;
}

static enum bough_rc prepare_copy(struct prep *p, void *user, struct bough_error *err)
{
    struct copying *c = user;
    uint16_t *chk = arena_alloc(p->a, (c->path.n + 1) * sizeof *chk);
    enum bough_rc rc = session_make_prepare(p, c->m, err);

    if (rc)
        return rc;
    env_random(&p->e->env, chk, (c->path.n + 1) * sizeof *chk);
    smap_init(&c->ids);
    for (size_t i = 0; i < c->path.n; i++)
        copy_entry(p, c, i, chk[i]);
    smap_finish(&c->ids);
    for (size_t i = 0; i < c->labels.n; i++)
        copy_label(p, c, &c->labels.at[i]);
    if (c->path.n) {
        txn_changelog(p, CHANGELOG_APPEND, NEW_SESSION, (int64_t)c->path.n);
        p->t->log.bid = NEW_BRANCH(0);
        p->t->log.depth = (int64_t)c->path.n;
        p->t->log.ndeleted = deleted_messages(&c->path);
    }
    return BOUGH_OK;
}

static enum bough_rc fork_as_copy(struct bough_store *s, struct bough_arena *a, struct snap *snap,
                                  const char *id, struct session_make *m, int64_t *sid,
                                  struct bough_error *err)
{
    struct copying c = { .m = m, .s = s };
    struct request r = { .prepare = prepare_copy, .user = &c };
    struct entry_list list = { .a = a };
    struct path_filter all = { .deleted = true };
    struct segs segs;
    enum bough_rc rc = path_segs(snap, a, m->base, 1, &segs, err);

    if (!rc)
        rc = path_read(snap, &segs, &all, &list, NULL, err);
    snap_end(snap);
    if (!rc)
        rc = bough_label_list(s, a, id, &c.labels, err);
    if (rc)
        return rc;
    c.path = (struct bough_entries){ .at = list.at, .n = list.n, .next = "" };
    c.blobs = arena_array(a, list.n + 1, sizeof *c.blobs);
    for (size_t i = 0; i < list.n && !rc; i++) {
        blob_split(a, list.at[i].parts, list.at[i].nparts, &c.blobs[i]);
        rc = blob_store(s, &c.blobs[i], err);
    }
    if (rc)
        return rc;
    m->on_branch = list.n > 0;
    m->base = (struct bough_head){ 0, 0 };
    m->parent = 0; /* independent of the original */
    rc = write_run(s, a, &r, err);
    *sid = r.txn.sid;
    return rc;
}

static enum bough_rc try_fork(struct bough_store *s, struct bough_arena *a, const char *id,
                              const struct bough_session_fork_options *how,
                              struct bough_session **out, struct bough_error *err)
{
    struct session_make m = { .kind = BOUGH_PRIMARY, .from = ORIGIN_CALLER };
    struct session_loaded from;
    struct snap snap;
    bool known = false;
    int64_t sid;
    enum bough_rc rc;

    rc = check_text("the title", how->title, LIMIT_TITLE, err);
    if (!rc)
        rc = check_text("the id", how->id, LIMIT_ID, err);
    if (!rc)
        rc = check_text("the model", how->model_name, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the model's provider", how->model_provider, LIMIT_NAME, err);
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = find_session(&snap, id, &m.parent, err);
    if (!rc)
        rc = session_fork_key(s, a, how, &m, err);
    if (!rc)
        rc = session_known(s, a, &m, &known, &sid, err);
    if (rc || known) {
        snap_end(&snap);
        return rc ? rc : session_give(s, a, sid, out, err);
    }
    rc = session_load(&snap, a, m.parent, &from, err);
    if (!rc)
        rc = fork_point(&snap, a, m.parent, how, &m.base, err);
    if (!rc) {
        fork_body(&from, how, &m.body);
        rc = how->copy ? fork_as_copy(s, a, &snap, id, &m, &sid, err)
                       : fork_by_reference(s, a, &snap, &m, &sid, err);
    }
    snap_end(&snap);
    if (rc == BOUGH_KEY_CONFLICT) /* an equal request was faster */
        rc = session_known(s, a, &m, &known, &sid, err);
    return rc ? rc : session_give(s, a, sid, out, err);
}

enum bough_rc bough_session_fork(struct bough_store *s, struct bough_arena *a, const char *id,
                                 const struct bough_session_fork_options *how,
                                 struct bough_session **out, struct bough_error *err)
{
    static const struct bough_session_fork_options plain;
    int64_t sealed = 0;
    enum bough_rc rc = RESERVED_CHECK(bough_session_fork_options, how, err);

    if (rc)
        return rc;
    rc = try_fork(s, a, id, how ? how : &plain, out, err);
    /* An open message whose lease has ended does not block a fork: seal it and retry. */
    if (rc == BOUGH_CONFLICT && bough_message_recover(s, &sealed, NULL) == BOUGH_OK && sealed)
        rc = try_fork(s, a, id, how ? how : &plain, out, err);
    return rc;
}
