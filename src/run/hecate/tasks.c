/* Tasks: list, create, get, delete; their approvals and artifacts. */
#include <stdlib.h>
#include <string.h>

#include "api/kit/body.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "run/hecate/hecate.h"

enum { TITLE_BYTES = 80, SERVERS_MOST = 16, METADATA_MOST = 2 << 20 };

bool hecate_is_task(const struct bough_session *s)
{
    return strcmp(s->role_name, HECATE_ROLE_TASK) == 0;
}

/* ---- finding ---- */

static const char *text_of(struct bough_arena *a, struct json j, const char *name)
{
    const char *text = json_cstr(a, j, name);

    return text ? text : "";
}

static void read_order(struct bough_arena *a, const struct bough_session *s,
                       struct hecate_order *out)
{
    struct json all, j;

    *out = (struct hecate_order){ "", "", "", str_of(""), 0, 0 };
    if (json_parse(a, s->metadata, &all, NULL) || !json_get(all, HECATE_ROLE_TASK, &j))
        return;
    out->prompt = text_of(a, j, "prompt");
    out->profile = text_of(a, j, "execution_profile");
    out->workspace = text_of(a, j, "working_directory");
    out->servers = json_raw(json_member(j, "mcp_servers"));
    (void)json_i64(json_member(j, "budget_micros_usd"), &out->budget);
    (void)json_i64(json_member(j, "timeout_ms"), &out->timeout_ms);
}

/* Of a chain of runs: what its first run was started with. */
static void order_of_run(struct http_req *req, const struct bough_run *first,
                         struct hecate_order *out)
{
    struct bough_entry *e;

    *out = (struct hecate_order){ .prompt = "",
                                  .profile = "",
                                  .workspace = first->workspace,
                                  .servers = first->servers,
                                  .budget = bough_money_micros(first->limits.cost),
                                  .timeout_ms = first->limits.time_ms };
    if (!*first->prompt ||
        bough_entry_get(api_of(req)->store, req->arena, first->session, first->prompt, &e, NULL))
        return;
    for (size_t i = 0; i < e->nparts && !*out->prompt; i++)
        if (e->parts[i].type == BOUGH_PART_TEXT) {
            struct bough_str text = bough_part_plain(req->arena, &e->parts[i]);

            out->prompt = arena_strndup(req->arena, text.p, text.n);
        }
}

enum bough_rc hecate_task_of(struct http_req *req, struct bough_session *s, const char *id,
                             struct hecate_task *out, struct bough_error *err)
{
    struct bough_run_list_options of = { .session = s->id, .limit = HECATE_RUNS_MAX };
    struct bough_runs runs;
    enum bough_rc rc = bough_run_list(api_of(req)->store, req->arena, &of, &runs, err);

    if (rc)
        return rc;
    *out = (struct hecate_task){ .session = s, .made = hecate_is_task(s) };
    out->id = out->made ? s->id : id;
    out->runs = arena_array(req->arena, runs.n + 1, sizeof *out->runs);
    out->costs = arena_array(req->arena, runs.n + 1, sizeof *out->costs);
    for (size_t i = 0; i < runs.n; i++)
        if (runs.at[i].runtime == BOUGH_RUNTIME_AGENT &&
            (out->made || strcmp(runs.at[i].task, id) == 0)) {
            out->costs[out->n] = -1;
            out->runs[out->n++] = &runs.at[i];
        }
    if (out->made)
        read_order(req->arena, s, &out->order);
    else if (out->n)
        order_of_run(req, out->runs[out->n - 1], &out->order);
    return out->n || out->made ? BOUGH_OK : bough_fail(err, BOUGH_NOT_FOUND, "no task %.60s", id);
}

/* {id} is that of a session, or of the first run of a chain. */
enum bough_rc hecate_task(struct http_req *req, struct hecate_task *out, struct bough_error *err)
{
    const char *id = hecate_id_read(HECATE_TASK, http_param(req, "task"));
    struct bough_store *store = api_of(req)->store;
    struct bough_session *s = NULL;
    struct bough_run *run;
    enum bough_rc rc = bough_run_get(store, req->arena, id, &run, NULL);

    *out = (struct hecate_task){ 0 };
    if (!rc)
        rc = api_session_named(req, run->session, &s, NULL);
    else if (strlen(id) == BOUGH_ID_LEN)
        rc = api_session_named(req, id, &s, NULL);
    if (rc || s->deleted || (strcmp(s->id, id) == 0 && !hecate_is_task(s)))
        return bough_fail(err, BOUGH_NOT_FOUND, "no task %.60s", id);
    return hecate_task_of(req, s, id, out, err);
}

enum bough_rc hecate_task_run(struct http_req *req, const struct hecate_task *task,
                              struct bough_run **out, struct bough_error *err)
{
    const char *id = hecate_id_read(HECATE_RUN, http_param(req, "run"));

    for (size_t i = 0; i < task->n; i++)
        if (strcmp(task->runs[i]->id, id) == 0) {
            *out = task->runs[i];
            return BOUGH_OK;
        }
    return bough_fail(err, BOUGH_NOT_FOUND, "no run %.60s in this task", id);
}

static enum bough_rc cost_of(struct http_req *req, const struct hecate_task *task, size_t i,
                             struct bough_error *err)
{
    struct bough_arena *tmp;
    struct hecate_run x;
    enum bough_rc rc;

    if (task->costs[i] >= 0)
        return BOUGH_OK;
    tmp = bough_arena_create();
    rc = hecate_run_read(req, tmp, task->session, task->runs[i], &x, err);
    task->costs[i] = 0;
    for (size_t k = 0; !rc && k < x.calls.n; k++)
        task->costs[i] += x.calls.at[k].used.cost;
    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc hecate_task_run_read(struct http_req *req, const struct hecate_task *task,
                                   struct bough_run *run, struct hecate_run *out,
                                   struct bough_error *err)
{
    enum bough_rc rc = hecate_run_read(req, req->arena, task->session, run, out, err);
    const char *before = run->after;

    /* Runs are newest first: the one before is behind. */
    for (size_t i = 0; !rc && i < task->n && *before; i++)
        if (strcmp(task->runs[i]->id, before) == 0) {
            rc = cost_of(req, task, i, err);
            out->prior += task->costs[i];
            before = task->runs[i]->after;
        }
    return rc;
}

/* ---- list ---- */

struct task_list {
    struct hecate_task *at;
    size_t n;
    struct smap seen;
};

static enum bough_rc add_task(struct http_req *req, struct task_list *l, struct bough_session *s,
                              const char *id, struct bough_error *err)
{
    const char *name = hecate_is_task(s) ? s->id : id;
    uint64_t at;
    enum bough_rc rc;

    if (s->deleted || smap_get(&l->seen, str_of(name), &at))
        return BOUGH_OK;
    smap_put(&l->seen, str_of(name), l->n);
    l->at = arena_room(req->arena, l->at, l->n, sizeof *l->at);
    rc = hecate_task_of(req, s, id, &l->at[l->n], err);
    l->n += rc == BOUGH_OK;
    return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
}

static enum bough_rc find_tasks(struct http_req *req, struct task_list *l, int64_t limit,
                                struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_session_list_options made = { .project = call->who->project,
                                               .role_name = HECATE_ROLE_TASK,
                                               .order = BOUGH_BY_UPDATED,
                                               .limit = limit };
    struct bough_run_list_options ran = { .project = call->who->project, .limit = HECATE_RUNS_MAX };
    struct bough_sessions sessions;
    struct bough_session *s;
    struct bough_runs runs = { 0 };
    enum bough_rc rc = bough_session_list(call->store, req->arena, &made, &sessions, err);

    if (!rc)
        rc = bough_run_list(call->store, req->arena, &ran, &runs, err);
    for (size_t i = 0; !rc && i < sessions.n; i++)
        rc = add_task(req, l, &sessions.at[i], sessions.at[i].id, err);
    for (size_t i = 0; !rc && i < runs.n && l->n < (size_t)limit * 2; i++) {
        uint64_t at;

        if (runs.at[i].runtime == BOUGH_RUNTIME_AGENT &&
            !smap_get(&l->seen, str_of(runs.at[i].task), &at) &&
            api_session_named(req, runs.at[i].session, &s, NULL) == BOUGH_OK)
            rc = add_task(req, l, s, runs.at[i].task, err);
    }
    return rc;
}

static int64_t time_of(const struct hecate_task *t)
{
    return t->n ? t->runs[0]->updated : t->session->updated;
}

static int newest_first(const void *x, const void *y)
{
    const struct hecate_task *a = x, *b = y;

    return time_of(a) != time_of(b) ? (time_of(a) < time_of(b) ? 1 : -1) : strcmp(b->id, a->id);
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct task_list l = { 0 };
    struct json_writer *w;
    int64_t limit;
    enum bough_rc rc = http_query_i64(req, "limit", HECATE_LIST, 1, HECATE_LIST_MAX, &limit, err);

    if (rc)
        return hecate_done(res, rc, err);
    smap_init(&l.seen);
    rc = find_tasks(req, &l, limit, err);
    smap_finish(&l.seen);
    if (rc)
        return hecate_done(res, rc, err);
    if (l.n)
        qsort(l.at, l.n, sizeof *l.at, newest_first);
    w = hecate_begin(res, "tasks");
    jw_arr(w);
    for (size_t i = 0; i < l.n && i < (size_t)limit; i++)
        hecate_put_task(w, req, &l.at[i]);
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- create ---- */

struct task_new {
    const char *title, *prompt, *system_prompt, *profile, *mode, *kind, *workspace, *model,
        *provider;
    int64_t timeout_ms, budget;
    struct json servers;
};

static enum bough_rc put_servers(struct http_req *req, struct json_writer *w, struct json list,
                                 struct bough_error *err)
{
    struct json_iter it = json_iter(list);

    jw_key(w, "mcp_servers");
    jw_arr(w);
    while (list.doc && json_next(&it)) {
        const char *name = json_cstr(req->arena, it.value, "name");
        struct json other;

        if (cstr_empty(name) || json_get(it.value, "command", &other) ||
            json_get(it.value, "url", &other))
            return bough_fail(err, BOUGH_NOT_READY,
                              "mcp_servers takes names: tool servers are configured on the server");
        jw_cstr(w, name);
    }
    jw_end_arr(w);
    return BOUGH_OK;
}

static enum bough_rc write_order(struct http_req *req, const struct task_new *in,
                                 struct bough_str *out, struct bough_error *err)
{
    struct json_writer w;
    struct buf b;
    enum bough_rc rc;

    buf_init(&b, METADATA_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_key(&w, HECATE_ROLE_TASK);
    jw_obj(&w);
    jw_kv_cstr(&w, "prompt", in->prompt);
    jw_opt_cstr(&w, "execution_profile", in->profile);
    jw_opt_cstr(&w, "working_directory", in->workspace);
    jw_opt_i64(&w, "budget_micros_usd", in->budget);
    jw_opt_i64(&w, "timeout_ms", in->timeout_ms);
    rc = put_servers(req, &w, in->servers, err);
    jw_end_obj(&w);
    jw_end_obj(&w);
    *out = buf_give(&b, req->arena);
    return rc;
}

static enum bough_rc check_new(struct http_req *req, struct http_res *res, struct task_new *in,
                               struct bough_error *err)
{
    if (cstr_empty(in->prompt) || in->prompt[strspn(in->prompt, " \t\r\n")] == '\0')
        return bough_fail(err, BOUGH_INVALID, "prompt is required");
    if (!cstr_empty(in->kind) && strcmp(in->kind, "agent_loop") != 0)
        return http_refuse(res, 422, "invalid_request",
                           "execution_kind %.40s is not done here: use agent_loop", in->kind);
    if (!cstr_empty(in->mode) && strcmp(in->mode, "in_place") != 0)
        return http_refuse(res, 422, "invalid_request",
                           "workspace_mode %.40s is not done here: use in_place, and a git "
                           "worktree for a copy",
                           in->mode);
    if (in->budget < 0 || in->timeout_ms < 0)
        return bough_fail(err, BOUGH_INVALID,
                          "budget_micros_usd and timeout_ms must not be negative");
    if (in->servers.doc && json_count(in->servers) > SERVERS_MOST)
        return bough_fail(err, BOUGH_INVALID, "at most %d mcp_servers", SERVERS_MOST);
    if (!in->workspace)
        in->workspace = "";
    return hecate_check_workspace(req, res, false, &in->workspace, err);
}

static const char *title_of(struct http_req *req, const struct task_new *in)
{
    if (!cstr_empty(in->title))
        return in->title;
    return arena_strndup(req->arena, in->prompt,
                         utf8_cut(in->prompt, strlen(in->prompt), TITLE_BYTES));
}

static enum bough_rc answer(struct http_req *req, struct http_res *res,
                            const struct hecate_task *task)
{
    struct json_writer *w = hecate_begin(res, "task");

    hecate_put_task(w, req, task);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc create(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "title", API_TEXT, offsetof(struct task_new, title) },
        { "prompt", API_TEXT, offsetof(struct task_new, prompt) },
        { "system_prompt", API_TEXT, offsetof(struct task_new, system_prompt) },
        { "execution_kind", API_TEXT, offsetof(struct task_new, kind) },
        { "execution_profile", API_TEXT, offsetof(struct task_new, profile) },
        { "workspace_mode", API_TEXT, offsetof(struct task_new, mode) },
        { "working_directory", API_TEXT, offsetof(struct task_new, workspace) },
        { "requested_model", API_TEXT, offsetof(struct task_new, model) },
        { "requested_provider", API_TEXT, offsetof(struct task_new, provider) },
        { "budget_micros_usd", API_INT, offsetof(struct task_new, budget) },
        { "timeout_ms", API_INT, offsetof(struct task_new, timeout_ms) },
        { "mcp_servers", API_LIST, offsetof(struct task_new, servers) },
        { 0 },
    };
    struct bough_session_create_options how = { .project = api_of(req)->who->project,
                                                .role_name = HECATE_ROLE_TASK };
    struct task_new in = { 0 };
    struct hecate_task task;
    struct bough_session *s;
    enum bough_rc rc = api_body(req, members, &in, err);

    if (!rc)
        rc = check_new(req, res, &in, err);
    if (!rc)
        rc = write_order(req, &in, &how.metadata, err);
    if (rc)
        return hecate_done(res, rc, err);
    how.title = title_of(req, &in);
    how.system_prompt = in.system_prompt;
    how.workspace = in.workspace;
    how.model_provider = in.provider;
    how.model_name = in.model;
    rc = bough_session_create(api_of(req)->store, req->arena, &how, &s, err);
    if (!rc)
        rc = hecate_task_of(req, s, s->id, &task, err);
    if (!rc)
        rc = answer(req, res, &task);
    return hecate_done(res, rc, err);
}

/* ---- one task ---- */

static enum bough_rc get(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    enum bough_rc rc = hecate_task(req, &task, err);

    if (!rc)
        rc = answer(req, res, &task);
    return hecate_done(res, rc, err);
}

/* A task that was created as one goes with its session; that of a chat is part of the chat. */
static enum bough_rc destroy(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    enum bough_rc rc = hecate_task(req, &task, err);

    if (rc)
        return hecate_done(res, rc, err);
    if (task.n && !bough_run_ended(task.runs[0]->status))
        return http_refuse(res, 409, "conflict", "run %s has not ended: cancel it first",
                           task.runs[0]->id);
    if (!task.made)
        return http_refuse(res, 409, "conflict", "the task is part of a chat: delete the chat");
    rc = bough_session_purge(api_of(req)->store, req->arena, task.session->id, NULL, err);
    return hecate_done(res, api_done(res, rc), err);
}

/* ---- approvals ---- */

static bool is_of_task(const struct hecate_task *task, const char *run)
{
    for (size_t i = 0; i < task->n; i++)
        if (strcmp(task->runs[i]->id, run) == 0)
            return true;
    return false;
}

static enum bough_rc approvals(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_approval_list_options of = { .limit = HECATE_RUNS_MAX };
    struct bough_approvals found;
    struct hecate_task task;
    struct json_writer *w;
    enum bough_rc rc = hecate_task(req, &task, err);

    of.session = rc ? NULL : task.session->id;
    if (!rc)
        rc = bough_approval_list(api_of(req)->store, req->arena, &of, &found, err);
    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "task_approvals");
    jw_arr(w);
    for (size_t i = found.n; i--;)
        if (is_of_task(&task, found.at[i].run))
            hecate_put_task_approval(w, &task, &found.at[i]);
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc find_approval(struct http_req *req, struct hecate_task *task,
                                   struct bough_approval **out, struct bough_error *err)
{
    const char *id = hecate_id_read(HECATE_APPROVAL, http_param(req, "approval"));
    enum bough_rc rc = hecate_task(req, task, err);

    if (rc)
        return rc;
    rc = bough_approval_get(api_of(req)->store, req->arena, id, out, err);
    if (rc == BOUGH_INVALID || (!rc && !is_of_task(task, (*out)->run)))
        rc = BOUGH_NOT_FOUND;
    return rc == BOUGH_NOT_FOUND ? bough_fail(err, rc, "no approval %.60s in this task", id) : rc;
}

static enum bough_rc put_approval(struct http_res *res, const struct hecate_task *task,
                                  const struct bough_approval *x)
{
    struct json_writer *w = hecate_begin(res, "task_approval");

    hecate_put_task_approval(w, task, x);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc approval(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    struct bough_approval *x;
    enum bough_rc rc = find_approval(req, &task, &x, err);

    if (!rc)
        rc = put_approval(res, &task, x);
    return hecate_done(res, rc, err);
}

struct task_decision {
    const char *decision, *note;
};

/* A rejection ends the run, as in Hecate. */
static enum bough_rc resolve(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "decision", API_TEXT, offsetof(struct task_decision, decision) },
        { "note", API_TEXT, offsetof(struct task_decision, note) },
        { 0 },
    };
    struct bough_approval_resolve_options how = { 0 };
    struct task_decision in = { 0 };
    struct bough_approval *x;
    struct hecate_task task;
    enum bough_rc rc = find_approval(req, &task, &x, err);

    if (!rc)
        rc = api_body(req, members, &in, err);
    if (!rc && !cstr_eq(in.decision, "approve") && !cstr_eq(in.decision, "reject"))
        rc = bough_fail(err, BOUGH_INVALID, "decision must be approve or reject");
    if (rc)
        return hecate_done(res, rc, err);
    how.stop = strcmp(in.decision, "reject") == 0;
    how.status = how.stop ? BOUGH_APPROVAL_REJECTED : BOUGH_APPROVAL_APPROVED;
    how.note = in.note;
    rc = bough_approval_resolve(api_of(req)->store, req->arena, x->id, &how, &x, err);
    if (!rc)
        rc = put_approval(res, &task, x);
    return hecate_done(res, rc, err);
}

/* ---- artifacts of all runs ---- */

static enum bough_rc artifacts(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    struct json_writer *w;
    enum bough_rc rc = hecate_task(req, &task, err);

    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "task_artifacts");
    jw_arr(w);
    for (size_t i = task.n; i-- && !rc;) {
        struct bough_arena *tmp = bough_arena_create();
        struct hecate_run x;

        rc = hecate_run_read(req, tmp, task.session, task.runs[i], &x, err);
        for (size_t k = 0; !rc && k < x.did.n; k++)
            if (*x.did.at[k].artifact)
                hecate_put_artifact(req, w, &task, &x, &x.did.at[k], false);
        bough_arena_destroy(tmp);
    }
    jw_end_arr(w);
    jw_end_obj(w);
    return hecate_done(res, rc, err);
}

static const struct http_field list_query[] = {
    { "limit", HTTP_INTEGER, "Maximum number of tasks (default 50).", .least = 1,
      .most = HECATE_LIST_MAX },
    { 0 },
};

const struct http_route hecate_task_routes[] = {
    { "GET", "/hecate/v1/tasks", list, AUTH_READ, "Hecate: list tasks, the last changed first.",
      list_query, .gives = "HecateTasks", .errors = &hecate_errors },
    { "POST", "/hecate/v1/tasks", create, AUTH_APPEND, "Hecate: create a task; it is not started.",
      .takes = "HecateTaskNew", .gives = "HecateTaskAnswer", .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}", get, AUTH_READ, "Hecate: get a task.",
      .gives = "HecateTaskAnswer", .errors = &hecate_errors },
    { "DELETE", "/hecate/v1/tasks/{task}", destroy, AUTH_DELETE,
      "Hecate: permanently delete a task.", .status = 204, .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/approvals", approvals, AUTH_READ,
      "Hecate: list the approvals of a task, oldest first.", .gives = "HecateTaskApprovals",
      .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/approvals/{approval}", approval, AUTH_READ,
      "Hecate: get an approval of a task.", .gives = "HecateTaskApprovalAnswer",
      .errors = &hecate_errors },
    { "POST", "/hecate/v1/tasks/{task}/approvals/{approval}/resolve", resolve, AUTH_APPROVE,
      "Hecate: approve or reject a tool call. A rejection ends the run.",
      .takes = "HecateTaskDecision", .gives = "HecateTaskApprovalAnswer",
      .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/artifacts", artifacts, AUTH_READ,
      "Hecate: list the artifacts of all runs of a task.", .gives = "HecateArtifacts",
      .errors = &hecate_errors },
    { 0 },
};
