/* Grants: tools that may be used without asking, in a session, a workspace or everywhere. */
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/run/run.h"

/* ---- reading ---- */

struct reading {
    struct bough_arena *a;
    const struct bough_grant_list_options *filter;
    const char *session; /* id, or "" */
    struct bough_grants *out;
    const struct grant_body *like; /* find an equal one instead of listing */
    int64_t found, living;         /* its ordinal; how many there are */
    enum bough_rc rc;
    struct bough_error *err;
};

static void give(const struct record_row *row, const struct grant_body *b, const char *session,
                 struct bough_grant *out)
{
    *out = (struct bough_grant){ .scope = (enum bough_approval_scope)b->scope,
                                 .session = session,
                                 .workspace = b->workspace,
                                 .tool = b->tool,
                                 .approval = b->approval,
                                 .by = b->by,
                                 .created = b->made };
    id_record(b->made, row->sid, RECORD_STATE, row->ord, b->chk, out->id);
}

static bool is_equal(const struct grant_body *x, const struct grant_body *y)
{
    return x->scope == y->scope && strcmp(x->workspace, y->workspace) == 0 &&
           strcmp(x->tool, y->tool) == 0;
}

static bool is_listed(const struct bough_grant_list_options *f, const struct grant_body *b)
{
    if (!cstr_empty(f->tool) && strcmp(f->tool, b->tool) != 0)
        return false;
    return b->scope != BOUGH_SCOPE_WORKSPACE || !f->workspace ||
           strcmp(f->workspace, b->workspace) == 0;
}

static bool each(void *user, const struct record_row *row)
{
    struct reading *r = user;
    struct grant_body b;

    if (row->deleted)
        return true;
    r->rc = body_read(grant_fields, arena_str(r->a, row->body), &b, r->err);
    if (r->rc || strcmp(b.name, GRANT_NAME) != 0)
        return !r->rc;
    r->living++;
    if (r->like) {
        r->found = is_equal(r->like, &b) ? row->ord : r->found;
        return true;
    }
    if (!is_listed(r->filter, &b))
        return true;
    r->out->at = arena_room(r->a, r->out->at, r->out->n, sizeof *r->out->at);
    give(row, &b, r->session, &r->out->at[r->out->n++]);
    return true;
}

static enum bough_rc read_all(struct snap *snap, int64_t sid, struct reading *r,
                              struct bough_error *err)
{
    enum bough_rc rc;

    r->err = err;
    rc = snap->ops->record_scan(snap->v, sid, RECORD_STATE, 0, true, each, r, err);
    return rc ? rc : r->rc;
}

enum bough_rc bough_grant_list(struct bough_store *s, struct bough_arena *a,
                               const struct bough_grant_list_options *filter,
                               struct bough_grants *out, struct bough_error *err)
{
    REQUIRE(s && a && filter && out, err);

    struct reading r = { .a = a, .filter = filter, .session = "", .out = out };
    struct snap snap;
    int64_t sid = 0;
    enum bough_rc rc = RESERVED_CHECK(bough_grant_list_options, filter, err);

    *out = (struct bough_grants){ 0 };
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    if (!cstr_empty(filter->session))
        rc = find_session(&snap, filter->session, &sid, err);
    if (!rc && sid)
        rc = session_id(&snap, a, sid, &r.session, err);
    if (!rc && sid)
        rc = read_all(&snap, sid, &r, err);
    r.session = "";
    if (!rc && filter->whole_store)
        rc = read_all(&snap, 0, &r, err);
    snap_end(&snap);
    return rc;
}

static enum bough_rc taken_back(const char *id, struct bough_error *err)
{
    return bough_fail(err, BOUGH_NOT_FOUND, "grant %.40s was taken back", id);
}

enum bough_rc bough_grant_get(struct bough_store *s, struct bough_arena *a, const char *id,
                              struct bough_grant **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct record_row row = { 0 };
    const char *session = "";
    struct grant_body b;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = named_load(&snap, a, id, GRANT_NAME, &row, &b, err);
    if (!rc && row.deleted)
        rc = taken_back(id, err);
    if (!rc && row.sid)
        rc = session_id(&snap, a, row.sid, &session, err);
    if (!rc) {
        *out = arena_alloc(a, sizeof **out);
        give(&row, &b, session, *out);
    }
    snap_end(&snap);
    return rc;
}

/* ---- adding ---- */

enum bough_rc grant_put(struct prep *p, struct snap *snap, int64_t sid, struct grant_body *b,
                        struct bough_error *err)
{
    struct reading r = { .a = p->a, .like = b };
    enum bough_rc rc = read_all(snap, sid, &r, err);

    if (rc || r.found)
        return rc;
    if (r.living >= GRANTS_MOST)
        return bough_fail(err, BOUGH_OVERLOADED, "%d grants are there: take some back first",
                          GRANTS_MOST);
    b->name = GRANT_NAME;
    b->made = b->time = p->now;
    b->chk = (int64_t)(env_u64(&p->e->env) & 0xffff);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = (struct record_row){
        .sid = sid, .kind = RECORD_STATE, .body = body_pack(p->a, grant_fields, b)
    };
    return BOUGH_OK;
}

struct granting {
    int64_t sid;
    struct grant_body b;
    const char *id; /* the grant to remove */
    struct record_row row;
};

static enum bough_rc touch_head(struct prep *p, struct snap *snap, int64_t sid,
                                struct bough_error *err)
{
    struct session_loaded l;
    enum bough_rc rc = sid ? session_load_writable(snap, p->a, sid, &l, err) : BOUGH_OK;

    if (!rc && sid)
        run_head_put(p, &l.head.row);
    return rc;
}

static void log_grant(struct prep *p, int64_t sid, int64_t ord)
{
    txn_changelog(p, CHANGELOG_RECORD, sid, 1);
    p->t->log.record = ord ? ord : NEW_RECORD(0);
    p->t->log.record_kind = RECORD_STATE;
}

static enum bough_rc prepare_add(struct prep *p, void *user, struct bough_error *err)
{
    struct granting *j = user;
    struct snap *snap;
    size_t before;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = grant_put(p, snap, j->sid, &j->b, err);
    before = p->t->nchanges;
    if (rc || !before) /* it is there already */
        return rc;
    rc = touch_head(p, snap, j->sid, err);
    log_grant(p, j->sid, 0);
    return rc;
}

static enum bough_rc check_new(const struct bough_grant_add_options *in, struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_grant_add_options, in, err);
    bool session = in->scope == BOUGH_SCOPE_SESSION, folder = in->scope == BOUGH_SCOPE_WORKSPACE;

    if (!rc && (in->scope == BOUGH_SCOPE_ONCE || (unsigned)in->scope > BOUGH_SCOPE_LAST))
        rc = bough_fail(err, BOUGH_INVALID, "a grant is for a session, a workspace, or always");
    if (!rc && (session == cstr_empty(in->session) || folder == cstr_empty(in->workspace)))
        rc = bough_fail(err, BOUGH_INVALID,
                        "a grant names its session or its workspace, as its scope says");
    if (!rc && cstr_empty(in->tool))
        rc = bough_fail(err, BOUGH_INVALID, "a grant names its tool");
    if (!rc)
        rc = check_text("the tool", in->tool, LIMIT_NAME, err);
    return rc ? rc : check_text("the workspace", in->workspace, LIMIT_PATH, err);
}

/* The grant that was added, or was there before. */
static enum bough_rc find_equal(struct bough_store *s, struct bough_arena *a,
                                const struct granting *j, struct bough_grant **out,
                                struct bough_error *err)
{
    struct reading r = { .a = a, .like = &j->b };
    const char *session = "";
    struct record_row row = { 0 };
    struct grant_body b;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = read_all(&snap, j->sid, &r, err);
    if (!rc && !r.found)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "the grant was taken back at once");
    if (!rc)
        rc = snap.ops->record_get(snap.v, a, j->sid, RECORD_STATE, r.found, &row, err);
    if (!rc)
        rc = body_read(grant_fields, row.body, &b, err);
    if (!rc && j->sid)
        rc = session_id(&snap, a, j->sid, &session, err);
    if (!rc) {
        *out = arena_alloc(a, sizeof **out);
        give(&row, &b, session, *out);
    }
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_grant_add(struct bough_store *s, struct bough_arena *a,
                              const struct bough_grant_add_options *in, struct bough_grant **out,
                              struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    struct granting j = { .b = { .by = s->principal,
                                 .scope = in->scope,
                                 .workspace = in->workspace ? in->workspace : "",
                                 .tool = in->tool ? in->tool : "",
                                 .approval = "" } };
    struct request r = { .prepare = prepare_add, .user = &j };
    enum bough_rc rc = check_new(in, err);

    if (!rc && in->scope == BOUGH_SCOPE_SESSION)
        rc = find_session_fast(s, in->session, &j.sid, err);
    if (!rc)
        rc = write_once(s, &r, err);
    return rc ? rc : find_equal(s, a, &j, out, err);
}

/* ---- removing ---- */

static enum bough_rc prepare_remove(struct prep *p, void *user, struct bough_error *err)
{
    struct granting *j = user;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = named_load(snap, p->a, j->id, GRANT_NAME, &j->row, &j->b, err);
    if (!rc && j->row.deleted)
        rc = taken_back(j->id, err);
    if (rc)
        return rc;
    j->row.deleted = p->now;
    txn_change(p, CHANGE_RECORD_PUT)->u.record = j->row;
    log_grant(p, j->row.sid, j->row.ord);
    return BOUGH_OK;
}

enum bough_rc bough_grant_remove(struct bough_store *s, const char *id, struct bough_error *err)
{
    REQUIRE(s, err);

    struct granting j = { .id = id };
    struct request r = { .prepare = prepare_remove, .user = &j };

    return write_once(s, &r, err);
}
