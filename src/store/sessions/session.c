/* Sessions: create and read. */
#include "store/sessions/session.h"

#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/model/slug.h"
#include "store/contract/id.h"
#include "store/live/open_message.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/write/import_api.h"

static enum bough_rc parent_id(struct snap *snap, struct bough_arena *a, int64_t parent,
                               const char **out, struct bough_error *err)
{
    char *id = arena_zalloc(a, BOUGH_ID_LEN + 1);
    bool purged = true;
    struct identity who = { 0 };
    enum bough_rc rc;

    *out = id;

    /* A purged parent counts as none. */
    if (!parent)
        return BOUGH_OK;
    rc = snap_purged(snap, parent, &purged, err);
    if (!rc && !purged)
        rc = snap_identity(snap, parent, &who, err);
    if (!rc && !purged)
        id_session(who.made, who.sid, who.chk, id);
    return rc;
}

static enum bough_rc fill_groups(struct snap *snap, struct bough_arena *a,
                                 const struct session_body *body, struct bough_session *out,
                                 struct bough_error *err)
{
    enum bough_rc rc = snap_group(snap, a, RECORD_PROJECT, body->project, &out->project, err);

    if (!rc)
        rc = snap_group(snap, a, RECORD_WORKSPACE, body->workspace, &out->workspace, err);
    if (!rc)
        rc = snap_group(snap, a, RECORD_ACCOUNT, body->account, &out->account, err);
    return rc;
}

static void fill_shown(const struct summary *sh, struct bough_session *out)
{
    out->own = sh->body.own;
    out->rolled = summary_rolled(&sh->body);
    out->adjusted = sh->body.adjust;
    out->messages = sh->body.messages;
    out->calls = sh->body.calls;
    out->last_model = sh->body.last_model;
    out->last_provider = sh->body.last_provider;
    out->last_request_id = sh->body.last_request_id;
    out->last_cost = sh->body.last_cost;
    out->first_user = sh->body.first_user;
    out->last_user = sh->body.last_user;
    out->last_agent = sh->body.last_agent;
    out->updated = sh->row.updated;
    out->modified = sh->row.modified;
    out->rev = sh->body.rev;
    out->errors = sh->body.errors;
    out->last_state = (enum bough_outcome)sh->body.last_state;
}

static struct bough_str object_or_empty(struct bough_str s)
{
    return s.n ? s : str_of("{}");
}

static const struct bough_lease *lease_of(struct bough_arena *a, const struct head_row *h)
{
    struct bough_lease *l = arena_zalloc(a, sizeof *l);

    *l = (struct bough_lease){ .owner = h->lease_owner,
                               .epoch = h->lease_epoch,
                               .since = h->lease_since,
                               .expires = h->lease_expires };
    return l;
}

enum bough_rc session_fill(struct snap *snap, struct bough_arena *a, const struct session_loaded *l,
                           const struct summary *shown, struct bough_session *out,
                           struct bough_error *err)
{
    const struct session_body *b = &l->body;
    const struct head_row *h = &l->head.row;
    enum bough_rc rc;

    *out = (struct bough_session){ .number = l->row.sid, .slug = l->row.slug };
    id_session(l->row.made, l->row.sid, l->row.chk, out->id);
    out->origin = b->origin;
    out->kind = (enum bough_session_kind)l->row.kind;
    out->fork_entry = b->fork_entry;
    out->parent_tool_use_id = b->parent_tool_use_id;
    out->title = b->title;
    out->status = (enum bough_status)h->status;
    if (h->status == BOUGH_STATUS_BUSY)
        out->lease = lease_of(a, h);
    out->provider_path = b->provider_path;
    out->role_name = b->role_name;
    out->model_provider = b->model_provider;
    out->model_name = b->model_name;
    out->system_prompt = b->system_prompt;
    out->user_name = b->user_name;
    out->version = *b->version ? b->version : "1";
    out->data = object_or_empty(b->data);
    out->metadata = object_or_empty(b->metadata);
    out->totals_mode = (enum bough_totals_mode)b->totals_mode;
    out->created = b->created;
    out->deleted = h->deleted;
    out->head = (struct bough_head){ h->bid, l->head.depth };
    fill_shown(shown, out);
    rc = parent_id(snap, a, l->row.parent, &out->parent, err);
    return rc ? rc : fill_groups(snap, a, b, out, err);
}

static enum bough_rc give(struct snap *snap, struct bough_arena *a, int64_t sid,
                          struct bough_session **out, struct bough_error *err)
{
    struct session_loaded l;
    struct summary shown;
    enum bough_rc rc = session_load(snap, a, sid, &l, err);

    if (!rc)
        rc = summary_get(snap, a, sid, &shown, err);
    if (rc)
        return rc;
    *out = arena_alloc(a, sizeof **out);
    return session_fill(snap, a, &l, &shown, *out, err);
}

enum bough_rc session_give(struct bough_store *s, struct bough_arena *a, int64_t sid,
                           struct bough_session **out, struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = give(&snap, a, sid, out, err);
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_session_get(struct bough_store *s, struct bough_arena *a, const char *id,
                                struct bough_session **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct snap snap;
    int64_t sid;
    enum bough_rc rc = snap_session(s, id, &snap, &sid, err);

    if (rc)
        return rc;
    rc = give(&snap, a, sid, out, err);
    snap_end(&snap);
    return rc;
}

/* ---- creating ---- */

enum bough_rc session_make_prepare(struct prep *p, struct session_make *m, struct bough_error *err)
{
    struct change *c;
    struct snap *snap;
    const char *slug;
    int64_t chk;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc && m->key)
        rc = session_key_prepare(p, snap, m, err);
    if (!rc)
        rc = session_slug_choose(p, snap, m, &slug, err);
    if (rc)
        return rc;
    chk = (int64_t)(env_u64(&p->e->env) & 0xffff);
    if (!m->body.created)
        m->body.created = p->now;
    c = txn_change(p, CHANGE_SESSION_NEW);
    c->u.session.row = (struct session_row){ .made = p->now,
                                             .chk = chk,
                                             .parent = m->parent,
                                             .kind = m->kind,
                                             .slug = slug,
                                             .body = body_pack(p->a, session_fields, &m->body) };
    c->u.session.head = (struct head_row){ .lease_owner = "" };
    if (m->on_branch) {
        if (m->base.branch)
            txn_guard(p, guard_entry(m->base.branch, m->base.depth));
        txn_change(p, CHANGE_BRANCH_NEW)->u.branch = (struct branch_row){ .sid = NEW_SESSION,
                                                                          .parent = m->base.branch,
                                                                          .base = m->base.depth };
        txn_change(p, CHANGE_HEAD_SET)->u.head = (struct head_row){
            .sid = NEW_SESSION, .ver = 1, .bid = NEW_BRANCH(0), .lease_owner = ""
        };
    }
    if (!cstr_empty(m->body.origin))
        rc = session_origin_put(p, snap, m, err);
    txn_changelog(p, CHANGELOG_SESSION_NEW, NEW_SESSION, 1);
    p->t->log.chk = chk + 1;
    return rc;
}

static enum bough_rc prepare_make(struct prep *p, void *user, struct bough_error *err)
{
    return session_make_prepare(p, user, err);
}

enum bough_rc session_make(struct bough_store *s, struct bough_arena *a, struct session_make *m,
                           int64_t *sid, struct bough_error *err)
{
    struct request r = { .prepare = prepare_make, .user = m };
    enum bough_rc rc = write_run(s, a, &r, err);

    *sid = r.txn.sid;
    return rc;
}

static enum bough_rc check_new(const struct bough_session_create_options *in,
                               struct bough_error *err)
{
    const struct {
        const char *what, *text;
        int64_t most;
    } texts[] = {
        { "the id", in->id, LIMIT_ID },
        { "the title", in->title, LIMIT_TITLE },
        { "the slug", in->slug, LIMIT_NAME },
        { "the project", in->project, LIMIT_PATH },
        { "the workspace", in->workspace, LIMIT_PATH },
        { "the account", in->account, LIMIT_NAME },
        { "the provider path", in->provider_path, LIMIT_NAME },
        { "the role", in->role_name, LIMIT_NAME },
        { "the model's provider", in->model_provider, LIMIT_NAME },
        { "the model", in->model_name, LIMIT_NAME },
        { "the tool use id", in->parent_tool_use_id, LIMIT_ID },
        { "the system prompt", in->system_prompt, LIMIT_TEXT },
        { "the user", in->user_name, LIMIT_NAME },
        { "the version", in->version, LIMIT_NAME },
    };
    enum bough_rc rc = BOUGH_OK;

    /* hygge's checks, in hygge's order (H6). */
    if (in->require & BOUGH_REQUIRE_PROJECT && cstr_empty(in->project))
        return bough_fail(err, BOUGH_INVALID, "a project is required");
    if (in->require & BOUGH_REQUIRE_MODEL &&
        (cstr_empty(in->model_provider) || cstr_empty(in->model_name)))
        return bough_fail(err, BOUGH_INVALID, "a model's provider and name are required");
    if (in->kind != BOUGH_PRIMARY && in->kind != BOUGH_SUBAGENT)
        return bough_fail(err, BOUGH_INVALID, "a session is primary or a subagent");
    if (!cstr_empty(in->parent) && in->kind != BOUGH_SUBAGENT && cstr_empty(in->fork_entry))
        return bough_fail(err, BOUGH_INVALID,
                          "a session with a parent is a subagent, or needs a fork point");
    if (cstr_empty(in->parent) && !cstr_empty(in->fork_entry))
        return bough_fail(err, BOUGH_INVALID,
                          "a fork point needs the session it is in as the parent");
    if (!cstr_empty(in->slug) && !slug_valid(in->slug))
        return bough_fail(err, BOUGH_INVALID, "a slug is 1 to 64 of a-z, 0-9 and hyphens");
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        rc = check_text(texts[i].what, texts[i].text, texts[i].most, err);
    if (!rc)
        rc = check_object("data", in->data, LIMIT_DATA, err);
    return rc ? rc : check_object("metadata", in->metadata, LIMIT_METADATA, err);
}

static void body_of(const struct bough_session_create_options *in, struct session_body *b)
{
    *b = (struct session_body){
        .title = in->title,
        .origin = in->id,
        .parent_tool_use_id = in->parent_tool_use_id,
        .provider_path = in->provider_path,
        .role_name = in->role_name,
        .model_provider = in->model_provider,
        .model_name = in->model_name,
        .system_prompt = in->system_prompt,
        .user_name = in->user_name,
        .version = in->version,
        .data = in->data,
        .metadata = in->metadata,
        .totals_mode = in->totals_mode,
        .created = in->created,
    };
}

/* The parent session and, for a fork, the fork entry by the branch that owns it (U2).
 * BOUGH_CONFLICT if its path contains an open message. */
static enum bough_rc resolve_parent(struct bough_store *s, struct bough_arena *a,
                                    const struct bough_session_create_options *in,
                                    struct session_make *m, struct bough_error *err)
{
    struct bough_entry *e;
    struct snap snap;
    enum bough_rc rc;

    if (cstr_empty(in->parent))
        return BOUGH_OK;
    rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = find_session(&snap, in->parent, &m->parent, err);
    if (!rc && !cstr_empty(in->fork_entry)) {
        rc = find_entry(&snap, m->parent, in->fork_entry, &m->base, err);
        if (!rc)
            rc = open_none_on(&snap, m->base, err);
        if (!rc)
            rc = entry_load(&snap, a, m->base, &e, err);
        if (!rc) {
            m->on_branch = true;
            m->body.fork_entry = arena_strdup(a, e->id);
            m->body.fork_bid = m->base.branch;
            m->body.fork_depth = m->base.depth;
        }
    }
    snap_end(&snap);
    return rc;
}

enum bough_rc session_create_from(struct bough_store *s, struct bough_arena *a,
                                  const struct bough_session_create_options *in, int64_t from,
                                  struct bough_session **out, struct bough_error *err)
{
    static const struct bough_session_create_options nothing;
    struct session_make m = { .kind = in ? in->kind : BOUGH_PRIMARY, .from = from };
    struct bough_error why = { 0 };
    bool known = false;
    int64_t sid;
    enum bough_rc rc;

    in = in ? in : &nothing;
    rc = RESERVED_CHECK(bough_session_create_options, in, err);
    if (!rc)
        rc = check_new(in, err);
    if (!rc)
        rc = session_key(s, a, in, &m, err);
    if (!rc) /* before anything that a first request may have changed, such as its slug */
        rc = session_known(s, a, &m, &known, &sid, err);
    if (rc || known)
        return rc ? rc : session_give(s, a, sid, out, err);
    body_of(in, &m.body);
    m.slug = in->slug;
    rc = resolve_parent(s, a, in, &m, err);
    if (!rc)
        rc = group_ensure(s, RECORD_PROJECT, in->project, &m.body.project, err);
    if (!rc)
        rc = group_ensure(s, RECORD_WORKSPACE, in->workspace, &m.body.workspace, err);
    if (!rc)
        rc = group_ensure(s, RECORD_ACCOUNT, in->account, &m.body.account, err);
    if (rc)
        return rc;
    rc = session_make(s, a, &m, &sid, &why);
    if (rc == BOUGH_KEY_CONFLICT) /* an equal request was faster */
        rc = session_known(s, a, &m, &known, &sid, &why);
    if (rc && err)
        *err = why;
    return rc ? rc : session_give(s, a, sid, out, err);
}

enum bough_rc bough_session_create(struct bough_store *s, struct bough_arena *a,
                                   const struct bough_session_create_options *in,
                                   struct bough_session **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    return session_create_from(s, a, in, ORIGIN_CALLER, out, err);
}

/* ---- lineage ---- */

enum bough_rc bough_session_root(struct bough_store *s, const char *id, char out[BOUGH_ID_LEN + 1],
                                 struct bough_error *err)
{
    REQUIRE(s && out, err);

    struct snap snap;
    struct identity who, up;
    bool purged = false;
    int64_t sid;
    enum bough_rc rc = snap_session(s, id, &snap, &sid, err);

    if (rc)
        return rc;
    rc = snap_identity(&snap, sid, &who, err);
    /* Ends: a parent has a smaller number than its child. */
    while (!rc && who.parent && who.parent < who.sid) {
        rc = snap_identity(&snap, who.parent, &up, err);
        if (!rc)
            rc = snap_purged(&snap, up.sid, &purged, err);
        if (rc || purged)
            break;
        who = up;
    }
    if (!rc)
        id_session(who.made, who.sid, who.chk, out);
    snap_end(&snap);
    return rc;
}
