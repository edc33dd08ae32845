/* The JSON of agent chats: sessions, segments, messages, activities. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "run/hecate/hecate.h"

/* What a message shows of its artifacts: their beginning. The whole is at the task's artifacts and
 * the message's files. */
enum { RAW_MOST = 16 * 1024, DIFF_MOST = 64 * 1024 };

const char *hecate_runtime_name(enum bough_run_runtime runtime)
{
    return runtime == BOUGH_RUNTIME_EXTERNAL ? "external_agent" : bough_run_runtime_name(runtime);
}

static void opt_id(struct json_writer *w, const char *key, const char *word, const char *id)
{
    if (!cstr_empty(id))
        hecate_id(w, key, word, id);
}

/* ---- activities and timing ---- */

void hecate_put_activity(struct json_writer *w, const struct activity *x)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", x->id);
    jw_kv_cstr(w, "type", activity_type_name(x->type));
    jw_kv_cstr(w, "status", activity_status_name(x->status));
    jw_opt_cstr(w, "kind", x->kind);
    jw_kv_cstr(w, "title", x->title);
    jw_opt_cstr(w, "detail", x->detail);
    hecate_time(w, "created_at", x->created);
    jw_opt_cstr(w, "artifact_id", x->artifact);
    jw_opt_i64(w, "artifact_size_bytes", x->artifact_size);
    jw_opt_cstr(w, "artifact_preview", x->preview);
    opt_id(w, "approval_id", HECATE_APPROVAL, x->approval);
    if (x->needs_action)
        jw_kv_bool(w, "needs_action", true);
    jw_end_obj(w);
}

static void put_timing(struct json_writer *w, const struct activity_timing *t)
{
    jw_key(w, "timing");
    jw_obj(w);
    jw_opt_i64(w, "total_ms", t->total);
    jw_opt_i64(w, "queue_ms", t->queue);
    jw_opt_i64(w, "model_ms", t->model);
    jw_opt_i64(w, "tool_ms", t->tool);
    jw_opt_i64(w, "approval_wait_ms", t->approval_wait);
    jw_opt_i64(w, "overhead_ms", t->overhead);
    jw_opt_i64(w, "turn_count", (int64_t)t->turns);
    jw_opt_i64(w, "tool_count", (int64_t)t->tools);
    jw_opt_cstr(w, "bottleneck", t->bottleneck);
    jw_opt_i64(w, "bottleneck_ms", t->bottleneck_ms);
    jw_end_obj(w);
}

static int64_t cost_of(const struct hecate_run *x)
{
    int64_t sum = 0;

    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; *x->entries[i].call && k < x->calls.n; k++)
            if (strcmp(x->calls.at[k].id, x->entries[i].call) == 0)
                sum += x->calls.at[k].used.cost;
    return sum;
}

static void put_usage(struct json_writer *w, const struct hecate_run *x)
{
    int64_t cost = x->run->runtime == BOUGH_RUNTIME_EXTERNAL ? cost_of(x) : 0;

    if (!x->run->context_size && !x->run->context_used && !cost)
        return;
    jw_key(w, "usage");
    jw_obj(w);
    jw_opt_i64(w, "context_size", x->run->context_size);
    jw_opt_i64(w, "context_used", x->run->context_used);
    if (cost) {
        hecate_cost(w, "reported_cost_amount", cost);
        jw_kv_cstr(w, "reported_cost_currency", "USD");
    }
    jw_end_obj(w);
}

/* ---- messages ---- */

/* The texts of a message, one below the other. */
static const char *text_of(struct bough_arena *a, const struct bough_entry *e)
{
    struct buf b;
    const char *out;

    buf_init(&b, LIMIT_MESSAGE_BYTES);
    for (size_t i = 0; i < e->nparts; i++) {
        struct bough_str text;

        if (e->parts[i].type != BOUGH_PART_TEXT)
            continue;
        text = bough_part_plain(a, &e->parts[i]);
        if (text.n && b.n)
            buf_puts(&b, "\n\n");
        buf_put(&b, text.p, text.n);
    }
    out = arena_strndup(a, b.p ? b.p : "", b.n);
    buf_finish(&b);
    return out;
}

/* What a run answered: the text of its last message that has any. */
static const char *answer_of(struct bough_arena *a, const struct hecate_run *x)
{
    const struct bough_run *run = x->run;
    const char *text = "";

    for (size_t i = x->n; i-- && !*text;)
        if (x->entries[i].role == BOUGH_ROLE_ASSISTANT && !x->entries[i].deleted)
            text = text_of(a, &x->entries[i]);
    if (*text || !bough_run_ended(run->status))
        return text;
    if (run->status == BOUGH_RUN_COMPLETED)
        return "(agent completed without output)";
    return run->status == BOUGH_RUN_CANCELLED || !*run->error ? "agent run cancelled" : run->error;
}

/* Where ids of sessions and tasks are part of a longer id, they have their prefix too. */
static const char *segment_id(struct bough_arena *a, const struct segment *s)
{
    if (strncmp(s->id, "task:", 5) == 0)
        return arena_printf(a, "task:" HECATE_TASK "%s", s->id + 5);
    if (strncmp(s->id, "session:", 8) == 0)
        return arena_printf(a, "session:" HECATE_CHAT "%s", s->id + 8);
    return s->id;
}

static void put_runtime(struct json_writer *w, struct bough_arena *a, const struct bough_run *run,
                        const struct segment *s)
{
    jw_kv_cstr(w, "runtime_kind", hecate_runtime_name(run ? run->runtime : BOUGH_RUNTIME_MODEL));
    if (s)
        jw_kv_cstr(w, "segment_id", segment_id(a, s));
    if (run && run->runtime != BOUGH_RUNTIME_MODEL)
        hecate_id(w, "task_id", HECATE_TASK, run->task);
    if (run)
        hecate_id(w, "run_id", HECATE_RUN, run->id);
}

static void put_prompt(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e,
                       const struct bough_run *run, const struct segment *s)
{
    jw_obj(w);
    hecate_id(w, "id", HECATE_MESSAGE, e->id);
    put_runtime(w, a, run, s);
    jw_kv_cstr(w, "role", bough_role_name(e->role));
    jw_kv_cstr(w, "content", text_of(a, e));
    hecate_time(w, "created_at", e->time);
    jw_end_obj(w);
}

static const struct bough_call *last_call(const struct hecate_run *x)
{
    for (size_t i = x->n; i--;)
        for (size_t k = 0; *x->entries[i].call && k < x->calls.n; k++)
            if (strcmp(x->calls.at[k].id, x->entries[i].call) == 0)
                return &x->calls.at[k];
    return NULL;
}

static void put_agent(struct json_writer *w, const struct bough_run *run)
{
    if (run->runtime != BOUGH_RUNTIME_EXTERNAL)
        return;
    jw_opt_cstr(w, "adapter_id", run->adapter);
    jw_opt_cstr(w, "adapter_name", run->adapter);
    jw_kv_cstr(w, "driver_kind", "acp");
    jw_opt_cstr(w, "native_session_id", run->native_id);
}

/* The beginning of the artifact of this kind that a run left last. */
static void put_artifact(struct http_req *req, struct json_writer *w, const char *key,
                         const struct hecate_run *x, const char *kind, size_t most)
{
    struct bough_attachment found;

    for (size_t i = x->did.n; i--;)
        if (*x->did.at[i].artifact && strcmp(x->did.at[i].kind, kind) == 0) {
            struct bough_str text =
                hecate_artifact_text(req, x->session->id, x->did.at[i].artifact, most, &found);

            if (text.n)
                jw_kv_str(w, key, text);
            return;
        }
}

const char *hecate_diff_stat(struct bough_arena *a, size_t files, int64_t additions,
                             int64_t deletions)
{
    if (!files)
        return "";
    return arena_printf(a, "%zu files changed, %lld insertions(+), %lld deletions(-)", files,
                        (long long)additions, (long long)deletions);
}

/* How much has changed, from the patch part of the run's last message, and the diff. */
static void put_diff(struct http_req *req, struct json_writer *w, struct bough_arena *a,
                     const struct hecate_run *x)
{
    const struct bough_part *patch = NULL;
    int64_t additions = 0, deletions = 0;
    struct json j;

    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < x->entries[i].nparts; k++)
            if (x->entries[i].parts[k].type == BOUGH_PART_PATCH)
                patch = &x->entries[i].parts[k];
    if (!patch || json_parse(a, patch->json, &j, NULL))
        return;
    (void)json_i64(json_member(j, "additions"), &additions);
    (void)json_i64(json_member(j, "deletions"), &deletions);
    jw_kv_cstr(
        w, "diff_stat",
        hecate_diff_stat(a, (size_t)json_count(json_member(j, "files")), additions, deletions));
    put_artifact(req, w, "diff", x, "patch", DIFF_MOST);
}

static void put_answer_of(struct http_req *req, struct json_writer *w, struct bough_arena *a,
                          const struct hecate_chat *chat, size_t index, const struct segment *s)
{
    const struct bough_call *call;
    const struct bough_run *run;
    struct hecate_run x;

    hecate_chat_run(req, a, chat, index, &x);
    call = last_call(&x);
    run = x.run;
    jw_obj(w);
    hecate_id(w, "id", HECATE_MESSAGE, run->id);
    put_runtime(w, a, run, s);
    jw_opt_cstr(w, "request_id", call ? call->request_id : "");
    jw_kv_cstr(w, "role", "assistant");
    jw_kv_cstr(w, "content", answer_of(a, &x));
    put_agent(w, run);
    jw_kv_cstr(w, "status", bough_run_status_name(run->status));
    if (run->status == BOUGH_RUN_FAILED || run->status == BOUGH_RUN_CANCELLED)
        jw_kv_i64(w, "exit_code", 1);
    jw_kv_cstr(w, "cost_mode", run->runtime == BOUGH_RUNTIME_EXTERNAL ? "external" : "hecate");
    jw_opt_cstr(w, "provider", call ? call->provider : run->provider);
    jw_opt_cstr(w, "model", call ? call->model : run->model);
    hecate_put_capabilities(w, hecate_model_tools(req, call ? call->provider : run->provider,
                                                  call ? call->model : run->model));
    jw_opt_cstr(w, "workspace", run->workspace);
    put_artifact(req, w, "raw_output", &x, "protocol", RAW_MOST);
    put_diff(req, w, a, &x);
    hecate_time(w, "created_at", run->created);
    hecate_time(w, "started_at", run->started);
    hecate_time(w, "completed_at", run->ended);
    if (run->started && run->ended)
        jw_opt_i64(w, "duration_ms", run->ended - run->started);
    jw_opt_cstr(w, "error", run->error);
    jw_key(w, "activities");
    jw_arr(w);
    for (size_t i = 0; i < x.did.n; i++)
        hecate_put_activity(w, &x.did.at[i]);
    jw_end_arr(w);
    put_usage(w, &x);
    put_timing(w, &x.did.timing);
    jw_end_obj(w);
}

/* An answer without a run: recorded or imported. */
static void put_recorded(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e,
                         const struct segment *s)
{
    jw_obj(w);
    hecate_id(w, "id", HECATE_MESSAGE, e->id);
    put_runtime(w, a, NULL, s);
    jw_kv_cstr(w, "role", "assistant");
    jw_kv_cstr(w, "content", text_of(a, e));
    jw_kv_cstr(w, "status",
               e->open              ? "running"
               : message_stopped(e) ? "cancelled"
               : message_failed(e)  ? "failed"
                                    : "completed");
    hecate_time(w, "created_at", e->time);
    jw_end_obj(w);
}

/* What is shown for an entry: a prompt, and all that a run answered, at the place of its first
 * entry; or an answer without a run. */
enum { SHOWS_PROMPT = 1, SHOWS_RUN = 2, SHOWS_ANSWER = 4 };

static unsigned shows(const struct hecate_chat *chat, size_t i, bool *told)
{
    const struct bough_entry *e = &chat->entries[i];
    bool message = e->kind == BOUGH_ENTRY_MESSAGE && !e->deleted;
    size_t run = chat->segments.run[i];
    unsigned what = message && e->role == BOUGH_ROLE_USER ? SHOWS_PROMPT : 0;

    if (run == SEGMENT_NONE)
        return message && e->role == BOUGH_ROLE_ASSISTANT ? SHOWS_ANSWER : what;
    what |= told[run] ? 0 : SHOWS_RUN;
    told[run] = true;
    return what;
}

static void put_messages(struct http_req *req, struct json_writer *w, struct bough_arena *a,
                         const struct hecate_chat *chat)
{
    bool *told = arena_zalloc(a, chat->runs.n + 1);

    for (size_t i = 0; i < chat->n; i++) {
        size_t run = chat->segments.run[i], of = chat->segments.of[i];
        const struct segment *s = of == SEGMENT_NONE ? NULL : &chat->segments.at[of];
        unsigned what = shows(chat, i, told);

        if (what & SHOWS_PROMPT)
            put_prompt(w, a, &chat->entries[i], run == SEGMENT_NONE ? NULL : &chat->runs.at[run],
                       s);
        if (what & SHOWS_RUN)
            put_answer_of(req, w, a, chat, run, s);
        if (what & SHOWS_ANSWER)
            put_recorded(w, a, &chat->entries[i], s);
    }
    /* A run that goes on without a prompt has no entry yet. */
    if (chat->runs.n && !told[0] && !bough_run_ended(chat->runs.at[0].status))
        put_answer_of(req, w, a, chat, 0, NULL);
}

/* How many of these messages each segment has. */
static int64_t *count_messages(struct bough_arena *a, const struct hecate_chat *chat)
{
    int64_t *counts = arena_zalloc(a, (chat->segments.n + 1) * sizeof *counts);
    bool *told = arena_zalloc(a, chat->runs.n + 1);

    for (size_t i = 0; i < chat->n; i++) {
        unsigned what = shows(chat, i, told);

        if (chat->segments.of[i] != SEGMENT_NONE)
            counts[chat->segments.of[i]] +=
                !!(what & SHOWS_PROMPT) + !!(what & SHOWS_RUN) + !!(what & SHOWS_ANSWER);
    }
    return counts;
}

/* ---- sessions ---- */

/* The latest run that is an agent's: its task is the chat's. */
static const struct bough_run *latest_task(const struct hecate_chat *chat)
{
    for (size_t i = 0; i < chat->runs.n; i++)
        if (chat->runs.at[i].runtime != BOUGH_RUNTIME_MODEL)
            return &chat->runs.at[i];
    return NULL;
}

static void put_native(struct json_writer *w, const struct hecate_chat *chat)
{
    const struct bough_run *run = chat->runs.n ? &chat->runs.at[0] : NULL;
    bool external = run ? run->runtime == BOUGH_RUNTIME_EXTERNAL
                        : strcmp(chat->set.runtime, "external_agent") == 0;

    if (!external)
        return;
    jw_opt_cstr(w, "adapter_id", run ? run->adapter : chat->set.adapter);
    if (chat->idle || (run && run->number <= chat->set.closed))
        return;
    jw_kv_cstr(w, "driver_kind", "acp");
    jw_opt_cstr(w, "native_session_id", run ? run->native_id : "");
}

static void put_head(struct json_writer *w, const struct hecate_chat *chat)
{
    const struct bough_session *s = chat->session;
    const struct bough_run *run = chat->runs.n ? &chat->runs.at[0] : NULL;
    const struct bough_run *task = latest_task(chat);

    hecate_id(w, "id", HECATE_CHAT, s->id);
    jw_kv_cstr(w, "title", s->title);
    jw_kv_cstr(w, "runtime_kind", run ? hecate_runtime_name(run->runtime) : chat->set.runtime);
    put_native(w, chat);
    if (task)
        hecate_id(w, "task_id", HECATE_TASK, task->task);
    if (run)
        hecate_id(w, "latest_run_id", HECATE_RUN, run->id);
    jw_opt_cstr(w, "provider", chat->provider);
    jw_opt_cstr(w, "model", chat->model);
    hecate_put_capabilities(w, chat->tools);
    jw_kv_cstr(w, "workspace", run && *run->workspace ? run->workspace : chat->set.workspace);
    jw_opt_cstr(w, "workspace_branch", chat->set.branch);
    jw_kv_cstr(w, "status", run ? bough_run_status_name(run->status) : "idle");
}

void hecate_put_summary(struct json_writer *w, const struct hecate_chat *chat)
{
    jw_obj(w);
    put_head(w, chat);
    jw_kv_i64(w, "message_count", chat->session->messages);
    hecate_time(w, "created_at", chat->session->created);
    hecate_time(w, "updated_at", chat->session->updated);
    jw_end_obj(w);
}

static void put_segment(struct json_writer *w, struct bough_arena *a, const struct segment *s,
                        int64_t messages)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", segment_id(a, s));
    jw_kv_cstr(w, "runtime_kind", hecate_runtime_name(s->runtime));
    jw_opt_cstr(w, "provider", s->provider);
    jw_opt_cstr(w, "model", s->model);
    opt_id(w, "task_id", HECATE_TASK, s->task);
    opt_id(w, "latest_run_id", HECATE_RUN, s->latest_run);
    jw_opt_cstr(w, "workspace", s->workspace);
    jw_opt_cstr(w, "status", s->status);
    jw_kv_i64(w, "message_count", messages);
    hecate_time(w, "started_at", s->started);
    hecate_time(w, "updated_at", s->updated);
    jw_end_obj(w);
}

void hecate_put_chat(struct http_req *req, struct json_writer *w, struct bough_arena *a,
                     const struct hecate_chat *chat)
{
    int64_t *counts = count_messages(a, chat);

    jw_obj(w);
    put_head(w, chat);
    jw_kv_i64(w, "turns_used", chat->runs.n ? chat->runs.at[0].number : 0);
    hecate_time(w, "session_started_at", chat->session->created);
    hecate_time(w, "created_at", chat->session->created);
    hecate_time(w, "updated_at", chat->session->updated);
    jw_key(w, "segments");
    jw_arr(w);
    for (size_t i = 0; i < chat->segments.n; i++)
        put_segment(w, a, &chat->segments.at[i], counts[i]);
    jw_end_arr(w);
    jw_key(w, "messages");
    jw_arr(w);
    put_messages(req, w, a, chat);
    jw_end_arr(w);
    jw_end_obj(w);
}

enum bough_rc hecate_write_chat(struct http_req *req, struct json_writer *w, const char *session,
                                struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_session *s;
    struct hecate_chat chat;
    enum bough_rc rc = bough_session_get(api_of(req)->store, a, session, &s, err);

    if (!rc)
        rc = hecate_chat_read(req, a, s, true, &chat, err);
    if (!rc) {
        jw_obj(w);
        jw_kv_cstr(w, "object", "agent_chat_session");
        jw_key(w, "data");
        hecate_put_chat(req, w, a, &chat);
        jw_end_obj(w);
    }
    bough_arena_destroy(a);
    return rc;
}
