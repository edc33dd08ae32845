/* The runs of a task: start, retry, resume, continue, cancel; steps, artifacts, events. */
#include <stdio.h>
#include <string.h>

#include "api/kit/body.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/hecate/hecate.h"

enum { EVENTS = 200, EVENTS_MAX = 500, SERVERS_MOST = 16, NANO_IN_MICRO = 1000 };

/* ---- reading ---- */

/* The task and the run that the path names. */
static enum bough_rc find(struct http_req *req, struct hecate_task *task, struct bough_run **run,
                          struct bough_error *err)
{
    enum bough_rc rc = hecate_task(req, task, err);

    return rc ? rc : hecate_task_run(req, task, run, err);
}

static enum bough_rc read_run(struct http_req *req, struct hecate_task *task, struct hecate_run *x,
                              struct bough_error *err)
{
    struct bough_run *run;
    enum bough_rc rc = find(req, task, &run, err);

    return rc ? rc : hecate_task_run_read(req, task, run, x, err);
}

static enum bough_rc answer(struct http_req *req, struct http_res *res,
                            const struct hecate_task *task, struct bough_run *run,
                            struct bough_error *err)
{
    struct hecate_run x;
    struct json_writer *w;
    enum bough_rc rc = hecate_task_run_read(req, task, run, &x, err);

    if (rc)
        return rc;
    w = hecate_begin(res, "task_run");
    hecate_put_run(w, task, &x);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    struct json_writer *w;
    struct hecate_run x;
    int64_t limit;
    enum bough_rc rc = http_query_i64(req, "limit", HECATE_LIST, 1, HECATE_LIST_MAX, &limit, err);

    if (!rc)
        rc = hecate_task(req, &task, err);
    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "task_runs");
    jw_arr(w);
    for (size_t i = 0; !rc && i < task.n && i < (size_t)limit; i++) {
        rc = hecate_task_run_read(req, &task, task.runs[i], &x, err);
        if (!rc)
            hecate_put_run(w, &task, &x);
    }
    jw_end_arr(w);
    jw_end_obj(w);
    return hecate_done(res, rc, err);
}

static enum bough_rc get(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    struct bough_run *run;
    enum bough_rc rc = find(req, &task, &run, err);

    if (!rc)
        rc = answer(req, res, &task, run, err);
    return hecate_done(res, rc, err);
}

/* ---- starting ---- */

static void read_servers(struct http_req *req, struct bough_str names,
                         struct run_begin_options *how)
{
    const char **out = arena_array(req->arena, SERVERS_MOST, sizeof *out);
    struct bough_str name;
    struct json_iter it;
    struct json list;

    if (!names.n || json_parse(req->arena, names, &list, NULL))
        return;
    it = json_iter(list);
    while (json_next(&it) && how->nservers < SERVERS_MOST)
        if (json_str(req->arena, it.value, &name))
            out[how->nservers++] = arena_strndup(req->arena, name.p, name.n);
    how->servers = out;
}

/* What a task runs with; of a later run, what that one had. */
static struct run_begin_options settings_of(struct http_req *req, const struct hecate_task *task,
                                            const struct bough_run *after)
{
    struct run_begin_options how = {
        .session = task->session->id,
        .principal = hecate_principal(req),
        .project = api_of(req)->who->project,
        .key = api_of(req)->key,
        .runtime = BOUGH_RUNTIME_AGENT,
        .why = BOUGH_RUN_START,
        .model = task->session->model_name,
        .provider = task->session->model_provider,
        .workspace = task->order.workspace,
        .limits = { .cost = task->order.budget * NANO_IN_MICRO, .time_ms = task->order.timeout_ms },
    };

    read_servers(req, after ? after->servers : task->order.servers, &how);
    if (!after)
        return how;
    how.after = after->id;
    how.model = after->model;
    how.provider = after->provider;
    how.workspace = after->workspace;
    how.system_prompt = after->system_prompt;
    how.limits = after->limits;
    return how;
}

static bool is_busy(const struct hecate_task *task)
{
    return task->n && !bough_run_ended(task->runs[0]->status);
}

static enum bough_rc begin(struct http_req *req, struct http_res *res, struct hecate_task *task,
                           const struct run_begin_options *how, struct bough_error *err)
{
    struct run_begun begun;
    struct runner *r;
    enum bough_rc rc = BOUGH_OK;

    if (how->why == BOUGH_RUN_START || how->model)
        rc = hecate_check_model(req, res, how->provider, how->model, true, err);
    if (!rc)
        rc = hecate_runner(req, &r, err);
    if (!rc)
        rc = run_begin(r, req->arena, how, &begun, err);
    if (rc == BOUGH_BUSY)
        return hecate_busy(req, res, task->session->id, err);
    if (!rc)
        rc = hecate_task_of(req, task->session, task->id, task, err);
    return rc ? rc : answer(req, res, task, begun.run, err);
}

static enum bough_rc refuse_live(struct http_res *res, const struct hecate_task *task)
{
    return http_refuse(res, 409, "conflict", "run %s of this task has not ended",
                       task->runs[0]->id);
}

static enum bough_rc start(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct run_begin_options how;
    struct hecate_task task;
    enum bough_rc rc = hecate_task(req, &task, err);

    if (rc)
        return hecate_done(res, rc, err);
    if (is_busy(&task))
        return refuse_live(res, &task);
    how = settings_of(req, &task, task.made || !task.n ? NULL : task.runs[task.n - 1]);
    how.after = NULL;
    how.text = task.order.prompt;
    how.at_root = task.made && task.session->messages; /* again, from the beginning */
    return hecate_done(res, begin(req, res, &task, &how, err), err);
}

struct again {
    const char *reason, *prompt;
    int64_t budget, turn;
};

/* The run that a new one comes behind: it and the task's others have ended. */
static enum bough_rc find_ended(struct http_req *req, struct http_res *res,
                                const struct api_member *members, struct again *in,
                                struct hecate_task *task, struct bough_run **run,
                                struct bough_error *err)
{
    enum bough_rc rc = find(req, task, run, err);

    if (!rc)
        rc = api_body(req, members, in, err);
    return !rc && is_busy(task) ? refuse_live(res, task) : rc;
}

/* From the prompt of the task on, without what came behind it. */
static enum bough_rc retry(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "reason", API_TEXT, offsetof(struct again, reason) },
        { 0 },
    };
    struct run_begin_options how;
    struct hecate_task task;
    struct again in = { 0 };
    struct bough_run *run;
    enum bough_rc rc = find_ended(req, res, members, &in, &task, &run, err);

    if (rc)
        return hecate_done(res, rc, err);
    how = settings_of(req, &task, run);
    how.why = BOUGH_RUN_RETRY;
    for (size_t i = 0; i < task.n; i++)
        if (strcmp(task.runs[i]->id, run->task) == 0)
            how.at = task.runs[i]->prompt;
    return hecate_done(res, begin(req, res, &task, &how, err), err);
}

static enum bough_rc resume(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "reason", API_TEXT, offsetof(struct again, reason) },
        { "budget_micros_usd", API_INT, offsetof(struct again, budget) },
        { 0 },
    };
    struct run_begin_options how;
    struct hecate_task task;
    struct again in = { 0 };
    struct bough_run *run;
    enum bough_rc rc = find_ended(req, res, members, &in, &task, &run, err);

    if (!rc && in.budget && in.budget < bough_money_micros(run->limits.cost))
        rc = bough_fail(err, BOUGH_INVALID,
                        "budget_micros_usd must not be lower than that of the run");
    if (rc)
        return hecate_done(res, rc, err);
    how = settings_of(req, &task, run);
    how.why = BOUGH_RUN_RESUME;
    if (in.budget)
        how.limits.cost = in.budget * NANO_IN_MICRO;
    return hecate_done(res, begin(req, res, &task, &how, err), err);
}

static enum bough_rc go_on(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "prompt", API_TEXT, offsetof(struct again, prompt) },
        { 0 },
    };
    struct run_begin_options how;
    struct hecate_task task;
    struct again in = { 0 };
    struct bough_run *run;
    enum bough_rc rc = find_ended(req, res, members, &in, &task, &run, err);

    if (!rc && (!in.prompt || in.prompt[strspn(in.prompt, " \t\r\n")] == '\0'))
        rc = bough_fail(err, BOUGH_INVALID, "prompt is required");
    if (rc)
        return hecate_done(res, rc, err);
    how = settings_of(req, &task, run);
    how.why = BOUGH_RUN_CONTINUE;
    how.text = in.prompt;
    return hecate_done(res, begin(req, res, &task, &how, err), err);
}

/* The entry before the reply of a turn, from 1; NULL: there is no such turn. */
static const char *before_turn(const struct hecate_run *x, int64_t turn)
{
    const char *reply = NULL;

    for (size_t i = 0; i < x->did.nsteps && !reply; i++)
        if (!x->did.steps[i].tool && (int64_t)x->did.steps[i].turn == turn)
            reply = x->did.steps[i].id;
    for (size_t i = 1; reply && i < x->n; i++)
        if (strcmp(x->entries[i].id, reply) == 0)
            return x->entries[i - 1].id;
    return NULL;
}

static enum bough_rc retry_from(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "turn", API_INT, offsetof(struct again, turn) },
        { "reason", API_TEXT, offsetof(struct again, reason) },
        { 0 },
    };
    struct run_begin_options how;
    struct hecate_task task;
    struct hecate_run x;
    struct again in = { 0 };
    struct bough_run *run;
    enum bough_rc rc = find_ended(req, res, members, &in, &task, &run, err);

    if (!rc)
        rc = hecate_task_run_read(req, &task, run, &x, err);
    if (rc)
        return hecate_done(res, rc, err);
    how = settings_of(req, &task, run);
    how.why = BOUGH_RUN_RETRY;
    how.at = before_turn(&x, in.turn);
    if (!how.at)
        rc = bough_fail(err, BOUGH_INVALID, "turn must be one of the %lld turns of this run",
                        (long long)run->turns);
    return hecate_done(res, rc ? rc : begin(req, res, &task, &how, err), err);
}

/* A run that has ended stays as it is. */
static enum bough_rc cancel(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    struct bough_run *run;
    enum bough_rc rc = find(req, &task, &run, err);

    if (!rc && !bough_run_ended(run->status)) {
        rc = bough_run_cancel(api_of(req)->store, req->arena, run->id, NULL, NULL, err);
        if (!rc || rc == BOUGH_CONFLICT)
            rc = bough_run_get(api_of(req)->store, req->arena, run->id, &run, err);
    }
    if (!rc)
        rc = answer(req, res, &task, run, err);
    return hecate_done(res, rc, err);
}

/* ---- what a run did ---- */

static enum bough_rc steps(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    struct json_writer *w;
    struct hecate_run x;
    enum bough_rc rc = read_run(req, &task, &x, err);

    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "task_steps");
    jw_arr(w);
    for (size_t i = 0; i < x.did.nsteps; i++)
        hecate_put_step(w, req->arena, &task, &x, &x.did.steps[i]);
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc step(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *id = http_param(req, "step");
    struct hecate_task task;
    struct json_writer *w;
    struct hecate_run x;
    enum bough_rc rc = read_run(req, &task, &x, err);

    for (size_t i = 0; !rc && i < x.did.nsteps; i++)
        if (strcmp(x.did.steps[i].id, id) == 0) {
            w = hecate_begin(res, "task_step");
            hecate_put_step(w, req->arena, &task, &x, &x.did.steps[i]);
            jw_end_obj(w);
            return BOUGH_OK;
        }
    if (!rc)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "no step %.60s in this run", id);
    return hecate_done(res, rc, err);
}

static enum bough_rc artifacts(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    struct json_writer *w;
    struct hecate_run x;
    enum bough_rc rc = read_run(req, &task, &x, err);

    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "task_artifacts");
    jw_arr(w);
    for (size_t i = 0; i < x.did.n; i++)
        if (*x.did.at[i].artifact)
            hecate_put_artifact(req, w, &task, &x, &x.did.at[i], false);
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc artifact(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *id = http_param(req, "artifact");
    struct hecate_task task;
    struct json_writer *w;
    struct hecate_run x;
    enum bough_rc rc = read_run(req, &task, &x, err);

    for (size_t i = 0; !rc && i < x.did.n; i++)
        if (strcmp(x.did.at[i].artifact, id) == 0) {
            w = hecate_begin(res, "task_artifact");
            hecate_put_artifact(req, w, &task, &x, &x.did.at[i], true);
            jw_end_obj(w);
            return BOUGH_OK;
        }
    if (!rc)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "no artifact %.60s in this run", id);
    return hecate_done(res, rc, err);
}

static void put_event(struct json_writer *w, const struct hecate_task *task,
                      const struct hecate_run *x, const struct hecate_event *e)
{
    char id[40];

    snprintf(id, sizeof id, "evt_%lld", (long long)e->sequence);
    jw_obj(w);
    jw_kv_cstr(w, "schema_version", "1");
    jw_kv_cstr(w, "event_id", id);
    hecate_id(w, "run_id", HECATE_RUN, x->run->id);
    hecate_id(w, "task_id", HECATE_TASK, task->id);
    hecate_id(w, "session_id", HECATE_CHAT, x->session->id);
    jw_kv_i64(w, "sequence", e->sequence);
    hecate_time(w, "occurred_at", e->time);
    jw_kv_cstr(w, "type", e->type);
    jw_kv_raw(w, "data", e->data);
    jw_end_obj(w);
}

static enum bough_rc events(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_events found = { 0 };
    struct hecate_task task;
    struct json_writer *w;
    struct hecate_run x;
    int64_t after, limit;
    enum bough_rc rc = read_run(req, &task, &x, err);

    if (!rc)
        rc = http_query_i64(req, "after_sequence", 0, 0, INT64_MAX, &after, err);
    if (!rc)
        rc = http_query_i64(req, "limit", EVENTS, 1, EVENTS_MAX, &limit, err);
    if (!rc)
        rc = hecate_events_read(req, req->arena, &x, after, limit, &found, err);
    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "task_run_events");
    jw_arr(w);
    for (size_t i = 0; i < found.n; i++)
        put_event(w, &task, &x, &found.at[i]);
    jw_end_arr(w);
    jw_opt_i64(w, "next_after_sequence", found.n ? found.at[found.n - 1].sequence : 0);
    jw_end_obj(w);
    return BOUGH_OK;
}

static const struct http_field list_query[] = {
    { "limit", HTTP_INTEGER, "Maximum number of runs (default 50).", .least = 1,
      .most = HECATE_LIST_MAX },
    { 0 },
};

static const struct http_field events_query[] = {
    { "after_sequence", HTTP_INTEGER, "Only events after this one." },
    { "limit", HTTP_INTEGER, "Maximum number of events (default 200).", .least = 1,
      .most = EVENTS_MAX },
    { 0 },
};

const struct http_route hecate_task_run_routes[] = {
    { "POST", "/hecate/v1/tasks/{task}/start", start, AUTH_RUN,
      "Hecate: start a task; 409 while a run is active.", .gives = "HecateRunAnswer",
      .flags = HTTP_KEYED, .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/runs", list, AUTH_READ,
      "Hecate: list the runs of a task, newest first.", list_query, .gives = "HecateRuns",
      .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/runs/{run}", get, AUTH_READ, "Hecate: get a run.",
      .gives = "HecateRunAnswer", .errors = &hecate_errors },
    { "POST", "/hecate/v1/tasks/{task}/runs/{run}/retry", retry, AUTH_RUN,
      "Hecate: do the task again from its prompt, without what came behind it.",
      .takes = "HecateRetry", .gives = "HecateRunAnswer", .flags = HTTP_BODY_OPTIONAL | HTTP_KEYED,
      .errors = &hecate_errors },
    { "POST", "/hecate/v1/tasks/{task}/runs/{run}/retry-from-turn", retry_from, AUTH_RUN,
      "Hecate: do a run again from a turn on.", .takes = "HecateRetryFromTurn",
      .gives = "HecateRunAnswer", .flags = HTTP_KEYED, .errors = &hecate_errors },
    { "POST", "/hecate/v1/tasks/{task}/runs/{run}/resume", resume, AUTH_RUN,
      "Hecate: go on where a run ended.", .takes = "HecateResume", .gives = "HecateRunAnswer",
      .flags = HTTP_BODY_OPTIONAL | HTTP_KEYED, .errors = &hecate_errors },
    { "POST", "/hecate/v1/tasks/{task}/runs/{run}/continue", go_on, AUTH_RUN,
      "Hecate: go on with another prompt.", .takes = "HecateContinue", .gives = "HecateRunAnswer",
      .flags = HTTP_KEYED, .errors = &hecate_errors },
    { "POST", "/hecate/v1/tasks/{task}/runs/{run}/cancel", cancel, AUTH_RUN,
      "Hecate: stop a run; one that has ended stays as it is.", .gives = "HecateRunAnswer",
      .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/runs/{run}/steps", steps, AUTH_READ,
      "Hecate: list the model and tool calls of a run.", .gives = "HecateSteps",
      .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/runs/{run}/steps/{step}", step, AUTH_READ,
      "Hecate: get a step of a run.", .gives = "HecateStepAnswer", .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/runs/{run}/artifacts", artifacts, AUTH_READ,
      "Hecate: list the artifacts of a run.", .gives = "HecateArtifacts",
      .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/runs/{run}/artifacts/{artifact}", artifact, AUTH_READ,
      "Hecate: get an artifact of a run with its content.", .gives = "HecateArtifactAnswer",
      .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/runs/{run}/events", events, AUTH_READ,
      "Hecate: list the events of a run, oldest first.", events_query, .gives = "HecateRunEvents",
      .errors = &hecate_errors },
    { 0 },
};
