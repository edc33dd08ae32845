/* The JSON of tasks, runs, steps, artifacts and their approvals. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/part/spans.h"
#include "run/hecate/hecate.h"

enum { CONTENT_MOST = 1 << 20 };

static int64_t cost_of(const struct bough_calls *calls)
{
    int64_t sum = 0;

    for (size_t i = 0; i < calls->n; i++)
        sum += calls->at[i].used.cost;
    return sum;
}

/* ---- tasks ---- */

static int64_t count_pending(const struct hecate_task *task)
{
    int64_t n = 0;

    for (size_t i = 0; i < task->n; i++)
        if (!bough_run_ended(task->runs[i]->status))
            n += task->runs[i]->approvals - task->runs[i]->settled;
    return n;
}

static int64_t count_steps(const struct hecate_task *task)
{
    int64_t n = 0;

    for (size_t i = 0; i < task->n; i++)
        n += task->runs[i]->turns + task->runs[i]->tools;
    return n;
}

static void put_servers(struct json_writer *w, struct bough_arena *a, struct bough_str names)
{
    struct json_iter it;
    struct json list;

    if (!names.n || json_parse(a, names, &list, NULL) || !json_count(list))
        return;
    jw_key(w, "mcp_servers");
    jw_arr(w);
    it = json_iter(list);
    while (json_next(&it)) {
        jw_obj(w);
        jw_kv_raw(w, "name", json_raw(it.value));
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

static void put_origin(struct json_writer *w, const struct hecate_task *task)
{
    if (task->made)
        return;
    jw_kv_cstr(w, "origin_kind", "agent_chat");
    hecate_id(w, "origin_id", HECATE_CHAT, task->session->id);
}

static void put_latest(struct json_writer *w, const struct hecate_task *task)
{
    const struct bough_session *s = task->session;

    if (!task->n) {
        hecate_time(w, "created_at", s->created);
        hecate_time(w, "updated_at", s->updated);
        return;
    }
    hecate_id(w, "latest_run_id", HECATE_RUN, task->runs[0]->id);
    jw_opt_cstr(w, "latest_model", task->runs[0]->model);
    jw_opt_cstr(w, "latest_provider", task->runs[0]->provider);
    jw_opt_i64(w, "pending_approval_count", count_pending(task));
    jw_opt_i64(w, "step_count", count_steps(task));
    jw_opt_cstr(w, "last_error", task->runs[0]->error);
    hecate_time(w, "created_at", task->made ? s->created : task->runs[task->n - 1]->created);
    hecate_time(w, "updated_at", task->runs[0]->updated);
    hecate_time(w, "started_at", task->runs[task->n - 1]->started);
    hecate_time(w, "finished_at", task->runs[0]->ended);
}

void hecate_put_task(struct json_writer *w, struct http_req *req, const struct hecate_task *task)
{
    const struct bough_session *s = task->session;
    bool chain = !task->made && task->n; /* of a chat: as its first run was started */
    const struct bough_run *first = chain ? task->runs[task->n - 1] : NULL;

    jw_obj(w);
    hecate_id(w, "id", HECATE_TASK, task->id);
    jw_kv_cstr(w, "title", s->title);
    jw_kv_cstr(w, "prompt", task->order.prompt);
    jw_opt_cstr(w, "system_prompt", chain ? first->system_prompt : s->system_prompt);
    jw_opt_cstr(w, "execution_profile", task->order.profile);
    put_origin(w, task);
    jw_kv_cstr(w, "workspace_mode", "in_place");
    jw_kv_cstr(w, "execution_kind", "agent_loop");
    jw_opt_cstr(w, "working_directory", task->order.workspace);
    jw_opt_i64(w, "timeout_ms", task->order.timeout_ms);
    jw_kv_cstr(w, "status", task->n ? bough_run_status_name(task->runs[0]->status) : "created");
    jw_opt_cstr(w, "requested_model", chain ? first->model : s->model_name);
    jw_opt_cstr(w, "requested_provider", chain ? first->provider : s->model_provider);
    jw_opt_i64(w, "budget_micros_usd", task->order.budget);
    put_latest(w, task);
    put_servers(w, req->arena, task->order.servers);
    jw_end_obj(w);
}

/* ---- runs ---- */

static int64_t count_artifacts(const struct hecate_run *x)
{
    int64_t n = 0;

    for (size_t i = 0; i < x->did.n; i++)
        n += *x->did.at[i].artifact != '\0';
    return n;
}

void hecate_put_run(struct json_writer *w, const struct hecate_task *task,
                    const struct hecate_run *x)
{
    const struct bough_run *run = x->run;

    jw_obj(w);
    hecate_id(w, "id", HECATE_RUN, run->id);
    hecate_id(w, "task_id", HECATE_TASK, task->id);
    jw_kv_i64(w, "number", run->number);
    jw_kv_cstr(w, "status", bough_run_status_name(run->status));
    jw_kv_cstr(w, "orchestrator", "agent_loop");
    jw_opt_cstr(w, "model", run->model);
    jw_opt_cstr(w, "provider", run->provider);
    jw_opt_cstr(w, "workspace_path", run->workspace);
    jw_opt_i64(w, "step_count", (int64_t)x->did.nsteps);
    jw_opt_i64(w, "approval_count", run->approvals);
    jw_opt_i64(w, "artifact_count", count_artifacts(x));
    jw_opt_i64(w, "total_cost_micros_usd", bough_money_micros(cost_of(&x->calls)));
    jw_opt_i64(w, "prior_cost_micros_usd", bough_money_micros(x->prior));
    jw_opt_cstr(w, "last_error", run->error);
    hecate_time(w, "started_at", run->started);
    hecate_time(w, "finished_at", run->ended);
    jw_end_obj(w);
}

/* ---- steps ---- */

/* The part of a run with this id, "<entry id>.<4 hex digits>"; NULL: there is none. */
static const struct bough_part *part_of(const struct hecate_run *x, const char *id)
{
    size_t number = 0;

    if (strlen(id) != BOUGH_PART_ID_LEN)
        return NULL;
    for (const char *p = id + BOUGH_ID_LEN + 1; *p; p++)
        number = number * 16 + (size_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
    for (size_t i = 0; i < x->n; i++)
        if (strncmp(x->entries[i].id, id, BOUGH_ID_LEN) == 0)
            return number < x->entries[i].nparts ? &x->entries[i].parts[number] : NULL;
    return NULL;
}

static void put_input(struct json_writer *w, struct bough_arena *a, const struct hecate_run *x,
                      const struct activity_step *step)
{
    const struct bough_part *part = step->tool ? part_of(x, step->id) : NULL;
    struct bough_str input;
    struct part_spans s;

    if (!part)
        return;
    part_spans_read(a, part, &s);
    input = s.quoted ? json_span_text(a, s.input) : s.input; /* a string as the model wrote it */
    if (input.n && *input.p == '{' && json_check(input, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK)
        jw_kv_raw(w, "input", input);
}

void hecate_put_step(struct json_writer *w, struct bough_arena *a, const struct hecate_task *task,
                     const struct hecate_run *x, const struct activity_step *step)
{
    const struct activity *row = &x->did.at[step->activity];
    bool failed = step->status == ACTIVITY_IS_FAILED;

    jw_obj(w);
    jw_kv_cstr(w, "id", step->id);
    hecate_id(w, "task_id", HECATE_TASK, task->id);
    hecate_id(w, "run_id", HECATE_RUN, x->run->id);
    jw_kv_i64(w, "index", (int64_t)step->number);
    jw_kv_cstr(w, "kind", step->tool ? "tool" : "model");
    jw_kv_cstr(w, "title", row->title);
    jw_kv_cstr(w, "status", activity_status_name(step->status));
    jw_kv_cstr(w, "phase", "execution");
    jw_opt_cstr(w, "tool_name", step->tool ? step->name : "");
    put_input(w, a, x, step);
    if (*row->detail) {
        jw_key(w, "output_summary");
        jw_obj(w);
        jw_kv_cstr(w, "detail", row->detail);
        jw_end_obj(w);
    }
    if (failed) {
        jw_kv_i64(w, "exit_code", 1);
        jw_opt_cstr(w, "error", row->preview);
    }
    if (*step->approval)
        hecate_id(w, "approval_id", HECATE_APPROVAL, step->approval);
    hecate_time(w, "started_at", step->started);
    if (step->started && step->ms)
        hecate_time(w, "finished_at", step->started + step->ms);
    jw_end_obj(w);
}

/* ---- artifacts ---- */

static bool take(void *user, const void *p, size_t n)
{
    buf_put(user, p, n);
    return true;
}

/* The attachment of an entry that the part `id` shows; false: there is none. */
static bool find_attachment(struct http_req *req, const char *session, const char *entry,
                            const char *part, struct bough_attachment *out, size_t *index)
{
    char id[BOUGH_PART_ID_LEN + 8];
    struct bough_attachments all;

    if (bough_attachment_list(api_of(req)->store, req->arena, session, entry, &all, NULL))
        return false;
    for (size_t i = 0; i < all.n; i++) {
        snprintf(id, sizeof id, "%s.%04zx", entry, all.at[i].part);
        if (strcmp(id, part) == 0) {
            *out = all.at[i];
            *index = i;
            return true;
        }
    }
    return false;
}

struct bough_str hecate_artifact_text(struct http_req *req, const char *session, const char *part,
                                      size_t most, struct bough_attachment *out)
{
    const char *entry = arena_strndup(req->arena, part, BOUGH_ID_LEN);
    struct buf b;
    struct bough_attachment_read_options how = { .length = (int64_t)most,
                                                 .write = take,
                                                 .user = &b };
    struct bough_str text = { "", 0 };

    *out = (struct bough_attachment){ 0 };
    if (!find_attachment(req, session, entry, part, out, &how.index))
        return text;
    buf_init(&b, most);
    if (bough_attachment_read(api_of(req)->store, session, entry, &how, NULL) == BOUGH_OK && b.n) {
        size_t n = utf8_valid(b.p, b.n);

        if (n == b.n || (b.n == most && n + 4 > most)) /* a character may be cut */
            text = arena_str(req->arena, str_make(b.p, n));
    }
    buf_finish(&b);
    return text;
}

/* The bytes of an artifact, if they are text and not too long. */
static void put_content(struct http_req *req, struct json_writer *w, const struct hecate_run *x,
                        const char *part)
{
    struct bough_attachment found;
    struct bough_str text = hecate_artifact_text(req, x->session->id, part, CONTENT_MOST, &found);

    if (!*found.url)
        return;
    jw_opt_cstr(w, "mime_type", found.mime);
    jw_kv_cstr(w, "sha256", strchr(found.url, '-') + 1);
    if (text.n && found.size <= CONTENT_MOST)
        jw_kv_str(w, "content_text", text);
}

void hecate_put_artifact(struct http_req *req, struct json_writer *w,
                         const struct hecate_task *task, const struct hecate_run *x,
                         const struct activity *row, bool content)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", row->artifact);
    hecate_id(w, "task_id", HECATE_TASK, task->id);
    hecate_id(w, "run_id", HECATE_RUN, x->run->id);
    jw_opt_cstr(w, "step_id", row->step);
    jw_kv_cstr(w, "kind", *row->kind ? row->kind : "file");
    jw_opt_cstr(w, "name", row->title);
    jw_kv_cstr(w, "storage_kind", "attachment");
    if (content)
        put_content(req, w, x, row->artifact);
    jw_opt_i64(w, "size_bytes", row->artifact_size);
    jw_kv_cstr(w, "status", "ready");
    hecate_time(w, "created_at", row->created);
    jw_end_obj(w);
}

/* ---- approvals ---- */

void hecate_put_task_approval(struct json_writer *w, const struct hecate_task *task,
                              const struct bough_approval *x)
{
    char step[BOUGH_PART_ID_LEN + 8];

    snprintf(step, sizeof step, "%s.%04llx", x->entry, (unsigned long long)x->part);
    jw_obj(w);
    hecate_id(w, "id", HECATE_APPROVAL, x->id);
    hecate_id(w, "task_id", HECATE_TASK, task->id);
    hecate_id(w, "run_id", HECATE_RUN, x->run);
    jw_kv_cstr(w, "step_id", step);
    jw_kv_cstr(w, "kind", "agent_loop_tool_call");
    jw_kv_cstr(w, "status", bough_approval_status_name(x->status));
    jw_kv_cstr(w, "reason", *x->title ? x->title : x->tool);
    jw_kv_cstr(w, "requested_by", "agent_loop");
    jw_opt_cstr(w, "resolved_by", x->by);
    jw_opt_cstr(w, "resolution_note", x->note);
    hecate_time(w, "created_at", x->created);
    hecate_time(w, "resolved_at", x->settled);
    jw_end_obj(w);
}
