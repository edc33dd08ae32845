/* Approvals: asking, settling once, and cancelling with the run. */
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/run/run.h"

/* ---- reading ---- */

static struct bough_str or_empty(struct bough_str json, const char *empty)
{
    return json.n ? json : str_of(empty);
}

enum bough_rc approval_fill(struct snap *snap, struct bough_arena *a, const struct record_row *row,
                            struct bough_approval *out, struct bough_error *err)
{
    struct bough_str copy = arena_str(a, row->body);
    char *run_id = arena_zalloc(a, BOUGH_ID_LEN + 1);
    struct record_row run = { 0 };
    struct approval_body b;
    struct run_body of;
    enum bough_rc rc = body_read(approval_fields, copy, &b, err);

    if (!rc)
        rc = snap->ops->record_get(snap->v, a, row->sid, RECORD_STATE, b.run, &run, err);
    if (!rc)
        rc = body_read(run_fields, run.body, &of, err);
    if (rc)
        return rc;
    id_record(of.made, row->sid, RECORD_STATE, b.run, of.chk, run_id);
    *out = (struct bough_approval){
        .run = run_id,
        .entry = b.entry,
        .part = b.part,
        .tool = b.tool,
        .kind = b.kind,
        .title = b.title,
        .options = or_empty(b.options, "[]"),
        .data = or_empty(b.data, "{}"),
        .status = (enum bough_approval_status)b.status,
        .scope = (enum bough_approval_scope)b.scope,
        .path = (enum bough_approval_path)b.path,
        .option = b.option,
        .note = b.note,
        .by = b.by,
        .stop = b.stop,
        .created = b.made,
        .expires = b.expires,
        .settled = b.settled,
    };
    id_record(b.made, row->sid, RECORD_STATE, row->ord, b.chk, out->id);
    return session_id(snap, a, row->sid, &out->session, err);
}

enum bough_rc bough_approval_get(struct bough_store *s, struct bough_arena *a, const char *id,
                                 struct bough_approval **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct approval_body b;
    struct record_row row;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = named_load(&snap, a, id, APPROVAL_NAME, &row, &b, err);
    if (!rc) {
        *out = arena_alloc(a, sizeof **out);
        rc = approval_fill(&snap, a, &row, *out, err);
    }
    snap_end(&snap);
    return rc;
}

/* A session has one live run at a time, so the approvals of a run lie between it and the next run.
 */
static bool scan_one(void *user, const struct record_row *row)
{
    struct approval_scan *s = user;
    struct record_row copy = *row;
    struct approval_body b;

    copy.body = arena_str(s->a, row->body);
    s->rc = body_read(approval_fields, copy.body, &b, s->err);
    if (s->rc || strcmp(b.name, RUN_NAME) == 0)
        return false;
    return strcmp(b.name, APPROVAL_NAME) != 0 || s->each(s->user, &copy, &b);
}

enum bough_rc approvals_of(struct snap *snap, int64_t sid, int64_t run, struct approval_scan *scan,
                           struct bough_error *err)
{
    enum bough_rc rc;

    scan->rc = BOUGH_OK;
    scan->err = err;
    rc = snap->ops->record_scan(snap->v, sid, RECORD_STATE, run + 1, false, scan_one, scan, err);
    return rc ? rc : scan->rc;
}

struct cancelling {
    struct prep *p;
    int64_t n;
};

static bool cancel_one(void *user, const struct record_row *row, const struct approval_body *b)
{
    struct cancelling *c = user;
    struct record_row now = *row;
    struct approval_body body = *b;

    if (b->status != BOUGH_APPROVAL_PENDING)
        return true;
    body.status = BOUGH_APPROVAL_CANCELLED;
    body.path = BOUGH_PATH_RUN_ENDED;
    body.settled = body.time = c->p->now;
    now.body = body_pack(c->p->a, approval_fields, &body);
    txn_change(c->p, CHANGE_RECORD_PUT)->u.record = now;
    c->n++;
    return true;
}

enum bough_rc approvals_cancel(struct prep *p, struct run_at *x, int64_t *n,
                               struct bough_error *err)
{
    struct cancelling c = { .p = p };
    struct approval_scan scan = { .a = p->a, .each = cancel_one, .user = &c };
    enum bough_rc rc = BOUGH_OK;

    if (x->b.approvals > x->b.settled)
        rc = approvals_of(x->snap, x->row.sid, x->row.ord, &scan, err);
    *n = c.n;
    return rc;
}

/* ---- asking ---- */

struct asking {
    const char *run;
    int64_t epoch;
    const struct bough_approval_add_options *in;
    struct approval_body b;
    struct record_row row;
    struct run_at x;
};

/* The tool call must be one of the run's. */
static enum bough_rc check_part(struct prep *p, struct asking *j, struct bough_error *err)
{
    struct bough_head at;
    enum bough_rc rc = find_entry(j->x.snap, j->x.row.sid, j->in->entry, &at, err);

    (void)p;
    if (!rc)
        rc = run_depths(&j->x, err);
    if (!rc && (at.branch != j->x.b.bid || at.depth < j->x.b.first))
        rc = bough_fail(err, BOUGH_INVALID, "message %.40s is not one of run %s", j->in->entry,
                        j->x.id);
    return rc;
}

static enum bough_rc prepare_add(struct prep *p, void *user, struct bough_error *err)
{
    struct asking *j = user;
    struct run_last last;
    enum bough_rc rc = run_load(p, j->run, &j->x, err);

    if (!rc)
        rc = run_check_owner(p, &j->x, j->epoch, err);
    if (!rc)
        rc = check_part(p, j, err);
    if (!rc && j->x.b.approvals - j->x.b.settled >= LIMIT_PENDING)
        rc = bough_fail(err, BOUGH_OVERLOADED, "%d approvals of this run are pending",
                        LIMIT_PENDING);
    if (!rc)
        rc = run_last(j->x.snap, j->x.row.sid, &last, err);
    if (rc)
        return rc;
    j->b.made = j->b.time = p->now;
    j->b.chk = (int64_t)(env_u64(&p->e->env) & 0xffff);
    j->b.run = j->x.row.ord;
    j->b.settled = j->b.status == BOUGH_APPROVAL_PENDING ? 0 : p->now;
    j->row = (struct record_row){ .sid = j->x.row.sid,
                                  .kind = RECORD_STATE,
                                  .body = body_pack(p->a, approval_fields, &j->b) };
    txn_change(p, CHANGE_RECORD_PUT)->u.record = j->row;
    j->row.ord = last.ord + 1;
    order_put(p, ORDER_APPROVAL, j->row.sid, j->row.ord);
    j->x.b.approvals++;
    j->x.b.settled += j->b.status != BOUGH_APPROVAL_PENDING;
    rc = run_put(p, &j->x, true, err);
    txn_changelog(p, CHANGELOG_APPROVAL, j->row.sid, 1);
    p->t->log.record = j->row.ord;
    return rc;
}

static enum bough_rc check_ask(const struct bough_approval_add_options *in, struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_approval_add_options, in, err);
    bool settled = in->status == BOUGH_APPROVAL_APPROVED || in->status == BOUGH_APPROVAL_REJECTED;

    if (!rc && cstr_empty(in->tool))
        rc = bough_fail(err, BOUGH_INVALID, "an approval names its tool");
    if (!rc && (in->part < 0 || in->part >= LIMIT_PARTS || in->expires < 0))
        rc = bough_fail(err, BOUGH_INVALID, "the part or the time is out of range");
    if (!rc && (!settled || (in->path != BOUGH_PATH_GRANT && in->path != BOUGH_PATH_POLICY)) &&
        (in->status != BOUGH_APPROVAL_PENDING || in->path != BOUGH_PATH_NONE))
        rc = bough_fail(err, BOUGH_INVALID,
                        "an approval is pending, or settled by a grant or by the policy");
    if (!rc)
        rc = check_text("the tool", in->tool, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the kind of the tool", in->kind, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the title", in->title, LIMIT_TITLE, err);
    if (!rc)
        rc = check_text("the note", in->note, LIMIT_METADATA, err);
    if (!rc)
        rc = check_json("the options", in->options, LIMIT_METADATA, err);
    return rc ? rc : check_object("the data", in->data, LIMIT_METADATA, err);
}

static const char *or_none(const char *text)
{
    return text ? text : "";
}

static enum bough_rc answer(struct bough_store *s, struct bough_arena *a,
                            const struct record_row *row, struct bough_approval **out,
                            struct bough_error *err)
{
    struct record_row now;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    *out = arena_alloc(a, sizeof **out);
    rc = snap.ops->record_get(snap.v, a, row->sid, RECORD_STATE, row->ord, &now, err);
    if (!rc)
        rc = approval_fill(&snap, a, &now, *out, err);
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_approval_add(struct bough_store *s, struct bough_arena *a, const char *run,
                                 int64_t epoch, const struct bough_approval_add_options *in,
                                 struct bough_approval **out, struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    struct asking j = { .run = run,
                        .epoch = epoch,
                        .in = in,
                        .b = { .name = APPROVAL_NAME,
                               .by = "",
                               .data = in->data,
                               .entry = or_none(in->entry),
                               .part = in->part,
                               .tool = or_none(in->tool),
                               .kind = or_none(in->kind),
                               .title = or_none(in->title),
                               .options = in->options,
                               .status = in->status,
                               .path = in->path,
                               .option = "",
                               .note = or_none(in->note),
                               .expires = in->expires } };
    struct request r = { .prepare = prepare_add, .user = &j };
    enum bough_rc rc = check_ask(in, err);

    if (!rc)
        rc = write_once(s, &r, err);
    return rc ? rc : answer(s, a, &j.row, out, err);
}

/* ---- settling ---- */

struct settling {
    struct bough_store *s;
    const char *id;
    const struct bough_approval_resolve_options *in;
    struct approval_body b;
    struct record_row row;
    struct run_at x;
    bool settled; /* it was before */
};

static enum bough_rc refuse(struct settling *j, struct bough_error *err)
{
    char when[ISO_TEXT];

    iso_print(j->b.settled, when);
    j->settled = true;
    return bough_fail(err, BOUGH_CONFLICT, "approval %.40s is %s since %s, by %.60s", j->id,
                      bough_approval_status_name((enum bough_approval_status)j->b.status), when,
                      *j->b.by ? j->b.by
                               : bough_approval_path_name((enum bough_approval_path)j->b.path));
}

/* The grant that the approval makes, if it reaches further than this call. */
static enum bough_rc add_grant(struct prep *p, struct settling *j, struct bough_error *err)
{
    struct grant_body g = { .by = j->s->principal,
                            .scope = j->in->scope,
                            .workspace =
                                j->in->scope == BOUGH_SCOPE_WORKSPACE ? j->x.b.workspace : "",
                            .tool = j->b.tool,
                            .approval = j->id };

    if (j->in->status != BOUGH_APPROVAL_APPROVED || j->in->scope == BOUGH_SCOPE_ONCE)
        return BOUGH_OK;
    if (j->in->scope == BOUGH_SCOPE_WORKSPACE && !*j->x.b.workspace)
        return bough_fail(err, BOUGH_INVALID, "run %s has no workspace", j->x.id);
    return grant_put(p, j->x.snap, j->in->scope == BOUGH_SCOPE_SESSION ? j->row.sid : 0, &g, err);
}

static enum bough_rc load(struct prep *p, struct settling *j, struct bough_error *err)
{
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    j->settled = false;
    j->x.snap = snap;
    if (!rc)
        rc = named_load(snap, p->a, j->id, APPROVAL_NAME, &j->row, &j->b, err);
    if (!rc)
        rc = snap->ops->record_get(snap->v, p->a, j->row.sid, RECORD_STATE, j->b.run, &j->x.row,
                                   err);
    if (!rc)
        rc = body_read(run_fields, j->x.row.body, &j->x.b, err);
    if (!rc)
        rc = session_load(snap, p->a, j->row.sid, &j->x.l, err);
    if (!rc)
        id_record(j->x.b.made, j->row.sid, RECORD_STATE, j->b.run, j->x.b.chk, j->x.id);
    return rc;
}

static enum bough_rc prepare_settle(struct prep *p, void *user, struct bough_error *err)
{
    struct settling *j = user;
    enum bough_rc rc = load(p, j, err);

    if (rc)
        return rc;
    if (j->b.status != BOUGH_APPROVAL_PENDING)
        return refuse(j, err);
    rc = add_grant(p, j, err);
    if (rc)
        return rc;
    j->b.status = j->in->status;
    j->b.scope = j->in->status == BOUGH_APPROVAL_APPROVED ? j->in->scope : BOUGH_SCOPE_ONCE;
    j->b.path = j->in->path ? j->in->path : BOUGH_PATH_PERSON;
    j->b.option = or_none(j->in->option);
    j->b.note = or_none(j->in->note);
    j->b.stop = j->in->stop;
    j->b.by = j->s->principal;
    j->b.settled = j->b.time = p->now;
    j->row.body = body_pack(p->a, approval_fields, &j->b);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = j->row;
    j->x.b.settled++;
    rc = run_put(p, &j->x, true, err);
    txn_changelog(p, CHANGELOG_APPROVAL, j->row.sid, 1);
    p->t->log.record = j->row.ord;
    return rc;
}

static enum bough_rc check_settle(const struct bough_approval_resolve_options *in,
                                  struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_approval_resolve_options, in, err);

    if (!rc &&
        (in->status == BOUGH_APPROVAL_PENDING || (unsigned)in->status > BOUGH_APPROVAL_LAST ||
         (unsigned)in->scope > BOUGH_SCOPE_LAST || (unsigned)in->path > BOUGH_PATH_LAST))
        rc = bough_fail(err, BOUGH_INVALID, "an approval is settled with a status and a scope");
    if (!rc && in->scope != BOUGH_SCOPE_ONCE && in->status != BOUGH_APPROVAL_APPROVED)
        rc = bough_fail(err, BOUGH_INVALID, "only what is approved reaches further than once");
    if (!rc && in->stop && in->status != BOUGH_APPROVAL_REJECTED)
        rc = bough_fail(err, BOUGH_INVALID, "only a rejection stops the run");
    if (!rc)
        rc = check_text("the option", in->option, LIMIT_NAME, err);
    return rc ? rc : check_text("the note", in->note, LIMIT_METADATA, err);
}

enum bough_rc bough_approval_resolve(struct bough_store *s, struct bough_arena *a, const char *id,
                                     const struct bough_approval_resolve_options *in,
                                     struct bough_approval **out, struct bough_error *err)
{
    REQUIRE(s && a && in, err);

    struct settling j = { .s = s, .id = id, .in = in };
    struct request r = { .prepare = prepare_settle, .user = &j };
    enum bough_rc rc = check_settle(in, err), rc2 = BOUGH_OK;

    if (out)
        *out = NULL;
    if (!rc)
        rc = write_once(s, &r, err);
    if (out && (!rc || j.settled))
        rc2 = answer(s, a, &j.row, out, rc ? NULL : err);
    return rc ? rc : rc2;
}
