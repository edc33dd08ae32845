/* Ending a run: its approvals, the session, and the run of the next queued prompt in one txn. */
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/live/open_message.h"
#include "store/lookup/check.h"
#include "store/notes/queue.h"
#include "store/run/run.h"

/* ---- the next prompt ---- */

static int64_t number(struct json j, const char *key)
{
    int64_t n = 0;

    return json_i64(json_member(j, key), &n) && n > 0 ? n : 0;
}

/* The settings that the prompt was queued with: see queued_data() in start.c. */
static void read_settings(struct bough_arena *a, const struct queue_body *q, struct run_body *b)
{
    enum bough_run_runtime runtime = BOUGH_RUNTIME_MODEL;
    const char *host;
    struct json j;

    (void)bough_run_runtime_parse(q->runtime_kind, &runtime);
    if (runtime == BOUGH_RUNTIME_MODEL && *q->adapter_id)
        runtime = BOUGH_RUNTIME_EXTERNAL;
    *b = (struct run_body){ .runtime = runtime,
                            .task = "",
                            .after = "",
                            .adapter = q->adapter_id,
                            .native = "",
                            .provider = q->provider,
                            .model = q->model,
                            .host = "",
                            .workspace = q->workspace,
                            .system_prompt = q->system_prompt,
                            .cancel_by = "",
                            .cancel_note = "",
                            .error_code = "",
                            .error = "" };
    if (!q->data.n || json_parse(a, q->data, &j, NULL))
        return;
    j = json_member(j, "run");
    host = json_cstr(a, j, "host");
    b->host = host ? host : "";
    if (json_type(json_member(j, "servers")) == JSON_ARRAY)
        b->servers = json_raw(json_member(j, "servers"));
    if (json_type(json_member(j, "data")) == JSON_OBJECT)
        b->data = json_raw(json_member(j, "data"));
    b->max_turns = number(j, "turns");
    b->max_time = number(j, "time_ms");
    b->max_cost = number(j, "cost");
}

/* A prompt with tools goes on with the task of the run before it, if that had the same model. An
 * external agent goes on with its own session. */
static void chain(const struct run_at *x, struct run_body *b)
{
    bool same = x->b.runtime == b->runtime && strcmp(x->b.workspace, b->workspace) == 0;

    if (b->runtime == BOUGH_RUNTIME_AGENT)
        same = same && strcmp(x->b.provider, b->provider) == 0 && strcmp(x->b.model, b->model) == 0;
    else
        same =
            same && b->runtime == BOUGH_RUNTIME_EXTERNAL && strcmp(x->b.adapter, b->adapter) == 0;
    if (!same)
        return;
    b->why = BOUGH_RUN_CONTINUE;
    b->after = x->id;
    b->task = *x->b.task ? x->b.task : x->id;
    b->native = x->b.native;
    if (!*b->host)
        b->host = x->b.host;
}

/* Make the next queued prompt a run. *made: there was one, and it could be appended. */
static enum bough_rc put_next(struct prep *p, struct run_at *x, struct run_ending *e, bool *made,
                              struct bough_error *err)
{
    struct append_job *job = arena_zalloc(p->a, sizeof *job);
    struct bough_entry_new *prompt = arena_zalloc(p->a, sizeof *prompt);
    struct queue_body q;
    struct record_row row;
    enum bough_rc rc = queue_next_in(p, x->snap, x->row.sid, &row, &q, err);

    *made = false;
    e->next = (struct run_new){ .s = e->s, .ended = x->row.ord };
    if (rc || !row.ord || x->l.head.depth >= LIMIT_DEPTH)
        return rc;
    *prompt = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = q.content };
    rc = plan_build(e->s, p->a, prompt, 1, NULL, &job->plan, err);
    if (rc)
        return rc;
    row.deleted = p->now;
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
    read_settings(p->a, &q, &e->next.b);
    e->next.b.by = x->b.by;
    chain(x, &e->next.b);
    job->s = e->s;
    job->sid = x->row.sid;
    *made = true;
    return run_new_put(p, x->snap, &e->next, job, &x->l.head, err);
}

/* ---- ending ---- */

static bool is_open(void *user, const struct open_row *row)
{
    *(bool *)user = row->bid != 0;
    return false;
}

/* The owner seals its messages before it ends the run. */
static enum bough_rc check_sealed(struct run_at *x, struct bough_error *err)
{
    bool open = false;
    enum bough_rc rc = run_depths(x, err);

    if (!rc && x->b.bid)
        rc = x->snap->ops->open_scan(x->snap->v, x->b.bid, x->b.first, LIMIT_DEPTH, is_open, &open,
                                     err);
    if (!rc && open)
        rc = bough_fail(err, BOUGH_CONFLICT, "a message of run %s is still open", x->id);
    return rc;
}

enum bough_rc run_finish(struct prep *p, struct run_at *x, struct run_ending *e,
                         struct bough_error *err)
{
    int64_t cancelled = 0;
    bool next = false;
    enum bough_rc rc = check_sealed(x, err);

    e->next.ord = 0;
    if (!rc)
        rc = approvals_cancel(p, x, &cancelled, err);
    if (rc)
        return rc;
    x->b.settled += cancelled;
    x->b.status = e->status;
    x->b.error_code = e->error_code ? e->error_code : "";
    x->b.error = e->error ? e->error : "";
    x->b.ended = p->now;
    run_wait_over(&x->b, p->now);
    rc = run_put(p, x, false, err);
    if (!rc && !e->keep_queue)
        rc = put_next(p, x, e, &next, err);
    if (rc || next)
        return rc;
    x->l.head.row.status = BOUGH_STATUS_IDLE;
    x->l.head.row.lease_owner = "";
    x->l.head.row.lease_since = x->l.head.row.lease_expires = 0;
    run_head_put(p, &x->l.head.row);
    run_log(p, x);
    return BOUGH_OK;
}

/* ---- the public calls ---- */

struct ending {
    const char *id;
    int64_t epoch;
    const struct bough_run_end_options *in;
    const struct bough_run_cancel_options *cancel;
    struct run_ending e;
    struct run_at x;
};

static enum bough_rc end_it(struct bough_store *s, struct bough_arena *a, struct ending *j,
                            enum bough_rc (*prepare)(struct prep *, void *, struct bough_error *),
                            struct bough_run_end_result *out, struct bough_error *err)
{
    struct request r = { .prepare = prepare, .user = j };
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc;

    j->e.s = s;
    rc = write_run(s, tmp, &r, err);
    if (!rc && out)
        rc = run_read(s, a, j->x.row.sid, j->x.row.ord, &out->run, err);
    if (!rc && out && j->e.next.ord)
        rc = run_read(s, a, j->x.row.sid, j->e.next.ord, &out->next, err);
    bough_arena_destroy(tmp);
    return rc;
}

static enum bough_rc prepare_end(struct prep *p, void *user, struct bough_error *err)
{
    struct ending *j = user;
    enum bough_rc rc = run_load(p, j->id, &j->x, err);

    if (!rc)
        rc = run_check_owner(p, &j->x, j->epoch, err);
    if (!rc && j->in->status == BOUGH_RUN_COMPLETED && j->x.b.status != BOUGH_RUN_RUNNING)
        rc = bough_fail(err, BOUGH_CONFLICT, "run %s is %s: only a running run completes", j->x.id,
                        bough_run_status_name((enum bough_run_status)j->x.b.status));
    if (rc)
        return rc;
    if (j->in->set)
        run_set_apply(&j->x.b, j->in->set);
    return run_finish(p, &j->x, &j->e, err);
}

static enum bough_rc check_end(const struct bough_run_end_options *in, struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_run_end_options, in, err);

    if (!rc && (!bough_run_ended(in->status) || (unsigned)in->status > BOUGH_RUN_STATUS_LAST))
        rc = bough_fail(err, BOUGH_INVALID, "a run ends as completed, failed or cancelled");
    if (!rc && (in->status == BOUGH_RUN_FAILED) == cstr_empty(in->error_code))
        rc =
            bough_fail(err, BOUGH_INVALID, "a failed run, and only that, has the code of an error");
    if (!rc)
        rc = check_text("the code of the error", in->error_code, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the error", in->error, LIMIT_METADATA, err);
    return rc || !in->set ? rc : run_set_check(in->set, err);
}

enum bough_rc bough_run_end(struct bough_store *s, struct bough_arena *a, const char *id,
                            int64_t epoch, const struct bough_run_end_options *in,
                            struct bough_run_end_result *out, struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    struct ending j = { .id = id,
                        .epoch = epoch,
                        .in = in,
                        .e = { .status = in->status,
                               .error_code = in->error_code,
                               .error = in->error,
                               .keep_queue = in->keep_queue } };
    enum bough_rc rc = check_end(in, err);

    *out = (struct bough_run_end_result){ 0 };
    return rc ? rc : end_it(s, a, &j, prepare_end, out, err);
}

/* ---- cancelling ---- */

static enum bough_rc prepare_cancel(struct prep *p, void *user, struct bough_error *err)
{
    struct ending *j = user;
    struct run_at *x = &j->x;
    bool first;
    enum bough_rc rc = run_load(p, j->id, x, err);

    if (!rc && bough_run_ended((enum bough_run_status)x->b.status))
        rc = bough_fail(err, BOUGH_CONFLICT, "run %s has ended: it is %s", x->id,
                        bough_run_status_name((enum bough_run_status)x->b.status));
    if (rc)
        return rc;
    first = !x->b.cancel_time;
    if (first) {
        x->b.cancel_time = p->now;
        x->b.cancel_by = j->e.s->principal;
        x->b.cancel_note = j->cancel && j->cancel->note ? j->cancel->note : "";
    }
    if (!run_owned(x))
        return run_finish(p, x, &j->e, err);
    if (!first)
        return BOUGH_OK;
    rc = run_put(p, x, false, err);
    run_log(p, x);
    return rc;
}

enum bough_rc bough_run_cancel(struct bough_store *s, struct bough_arena *a, const char *id,
                               const struct bough_run_cancel_options *in, struct bough_run **out,
                               struct bough_error *err)
{
    REQUIRE(s && a, err);

    struct bough_run_end_result ended = { 0 };
    struct ending j = { .id = id,
                        .cancel = in,
                        .e = { .status = BOUGH_RUN_CANCELLED,
                               .keep_queue = in && in->keep_queue } };
    enum bough_rc rc = RESERVED_CHECK(bough_run_cancel_options, in, err);

    if (!rc && in)
        rc = check_text("the note", in->note, LIMIT_METADATA, err);
    if (!rc)
        rc = end_it(s, a, &j, prepare_cancel, &ended, err);
    if (!rc && out)
        *out = ended.run;
    return rc;
}
