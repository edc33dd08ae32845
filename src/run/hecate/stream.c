/* Event streams: a chat as it changes, and a run of a task. Each look is short; no worker waits. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "run/hecate/hecate.h"

enum {
    LOOK_MS = 100,
    BEAT_LOOKS = 15000 / LOOK_MS,
    SNAPSHOT_MOST = 64 << 20,
    APPROVALS_MOST = 1000,
    EVENTS_A_LOOK = 500,
};

/* What a stream has told. */
struct stream {
    struct api *api;
    const char *who;
    const char *session, *run; /* run: NULL in the stream of a chat */
    bool begun;
    bool live; /* a run was seen that had not ended */
    int quiet; /* looks since the last event */
    struct {
        int64_t rev, updated, counts, offset;
        char run[BOUGH_ID_LEN + 1], open[BOUGH_ID_LEN + 1];
        enum bough_run_status status;
    } seen;
    struct {
        char id[BOUGH_ID_LEN + 1];
        bool settled;
    } * asked; /* approvals that were told */
    size_t nasked;
    int64_t sequence, looked; /* of a run: the last event, and how far the changelog was read */
};

/* ---- events ---- */

static void send_event(struct http_res *res, struct stream *st, const char *name, int64_t sequence,
                       struct bough_str data)
{
    char id[32];

    snprintf(id, sizeof id, "%lld", (long long)sequence);
    http_sse_write(res,
                   &(struct http_event){
                       .at = sequence, .id = sequence ? id : NULL, .name = name, .data = data });
    st->quiet = 0;
}

static void beat(struct http_res *res, struct stream *st)
{
    if (++st->quiet % BEAT_LOOKS == 0)
        http_puts(res, ":\n\n");
}

static enum bough_rc send_chat(struct http_req *req, struct http_res *res, struct stream *st,
                               bool done, struct bough_error *err)
{
    struct json_writer w;
    struct buf b;
    enum bough_rc rc;

    buf_init(&b, SNAPSHOT_MOST);
    jw_init(&w, &b);
    rc = hecate_write_chat(req, &w, st->session, err);
    if (!rc)
        send_event(res, st, "snapshot", 0, buf_str(&b));
    if (!rc && done)
        send_event(res, st, "done", 0, buf_str(&b));
    buf_finish(&b);
    return rc;
}

/* ---- approvals ---- */

static void send_approval(struct http_res *res, struct stream *st, const struct bough_approval *x,
                          const struct bough_run *run)
{
    bool pending = x->status == BOUGH_APPROVAL_PENDING;
    struct json_writer w;
    struct buf b;

    buf_init(&b, SNAPSHOT_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    hecate_id(&w, "approval_id", HECATE_APPROVAL, x->id);
    hecate_id(&w, "session_id", HECATE_CHAT, x->session);
    if (pending) {
        jw_kv_cstr(&w, "adapter_id", *run->adapter ? run->adapter : "hecate");
        jw_kv_cstr(&w, "tool_kind", hecate_tool_kind(x->kind, x->tool));
        jw_kv_cstr(&w, "tool_name", *x->title ? x->title : x->tool);
        hecate_put_scopes(&w, run);
        hecate_time(&w, "created_at", x->created);
        hecate_time(&w, "expires_at", x->expires);
    } else {
        jw_kv_cstr(&w, "status", hecate_approval_status(x->status));
        if (x->status == BOUGH_APPROVAL_APPROVED || x->status == BOUGH_APPROVAL_REJECTED) {
            jw_kv_cstr(&w, "decision", x->status == BOUGH_APPROVAL_APPROVED ? "approve" : "deny");
            jw_kv_cstr(&w, "scope", hecate_scope_name(x->scope));
        }
        jw_kv_cstr(&w, "path", hecate_approval_path(x->path));
        jw_opt_cstr(&w, "selected_option", x->option);
        hecate_time(&w, "resolved_at", x->settled);
    }
    jw_end_obj(&w);
    send_event(res, st, pending ? "approval.requested" : "approval.resolved", 0, buf_str(&b));
    buf_finish(&b);
}

/* Tell of an approval what was not told. Of one that was settled before the stream saw it pending,
 * nothing is told. */
static void note_approval(struct http_res *res, struct stream *st, const struct bough_approval *x,
                          const struct bough_run *run)
{
    bool pending = x->status == BOUGH_APPROVAL_PENDING;
    size_t i = 0;

    while (i < st->nasked && strcmp(st->asked[i].id, x->id) != 0)
        i++;
    if (i == st->nasked && (!pending || i == APPROVALS_MOST))
        return;
    if (i == st->nasked) {
        if (!st->asked)
            st->asked = mem_zalloc(APPROVALS_MOST * sizeof *st->asked);
        memcpy(st->asked[st->nasked++].id, x->id, sizeof x->id);
        send_approval(res, st, x, run);
    } else if (!pending && !st->asked[i].settled) {
        st->asked[i].settled = true;
        send_approval(res, st, x, run);
    }
}

static enum bough_rc look_approvals(struct http_req *req, struct http_res *res,
                                    struct bough_arena *a, struct stream *st,
                                    const struct bough_run *run, struct bough_error *err)
{
    struct bough_approval_list_options of = { .run = run->id, .limit = APPROVALS_MOST };
    struct bough_approvals found;
    enum bough_rc rc;

    if (!run->approvals)
        return BOUGH_OK;
    rc = bough_approval_list(api_of(req)->store, a, &of, &found, err);
    for (size_t i = rc ? 0 : found.n; i--;)
        note_approval(res, st, &found.at[i], run);
    return rc;
}

/* ---- what has changed ---- */

/* Has an open message of the session grown? */
static bool has_grown(struct http_req *req, struct bough_arena *a, struct stream *st)
{
    struct bough_message_follow_result now;
    struct bough_open_messages open;
    bool grown;

    if (bough_message_list(api_of(req)->store, a, st->session, &open, NULL) || !open.n)
        return false;
    if (strcmp(st->seen.open, open.at[0].id) != 0)
        st->seen.offset = 0;
    memcpy(st->seen.open, open.at[0].id, sizeof st->seen.open);
    if (bough_message_follow(api_of(req)->store, a, open.at[0].id, st->seen.offset, 0, &now, NULL))
        return false;
    grown = now.sealed || now.ndeltas;
    if (!now.sealed)
        st->seen.offset = now.offset;
    return grown;
}

static bool run_changed(struct stream *st, const struct bough_run *run)
{
    int64_t counts = run->turns + run->tools + run->approvals + run->settled;
    bool changed = strcmp(st->seen.run, run->id) != 0 || st->seen.status != run->status ||
                   st->seen.updated != run->updated || st->seen.counts != counts;

    memcpy(st->seen.run, run->id, sizeof st->seen.run);
    st->seen.status = run->status;
    st->seen.updated = run->updated;
    st->seen.counts = counts;
    return changed;
}

/* ---- a chat ---- */

static enum bough_rc look_chat(struct http_req *req, struct http_res *res, struct bough_arena *a,
                               enum http_more *more, struct bough_error *err)
{
    struct stream *st = req->state;
    struct bough_session *s;
    struct bough_run *run = NULL;
    bool changed, done;
    enum bough_rc rc = bough_session_get(api_of(req)->store, a, st->session, &s, err);

    if (!rc)
        rc = hecate_latest(req, a, st->session, &run, err);
    if (rc)
        return rc;
    changed = !st->begun || s->rev != st->seen.rev;
    changed = (run && run_changed(st, run)) || changed;
    if (run && !bough_run_ended(run->status)) {
        st->live = true;
        changed = has_grown(req, a, st) || changed;
    }
    done = st->live && (!run || bough_run_ended(run->status));
    st->seen.rev = s->rev;
    if (run && changed)
        rc = look_approvals(req, res, a, st, run, err);
    if (!rc && (changed || done))
        rc = send_chat(req, res, st, done, err);
    st->begun = true;
    *more = done ? HTTP_END : HTTP_LATER;
    return rc;
}

/* ---- a run ---- */

static void put_activity(struct json_writer *w, const struct activity *x)
{
    bool terminal = x->type == ACTIVITY_COMPLETED || x->type == ACTIVITY_FAILED ||
                    x->type == ACTIVITY_CANCELLED || x->type == ACTIVITY_INTERRUPTED;

    jw_obj(w);
    jw_kv_cstr(w, "id", x->id);
    jw_kv_cstr(w, "type", activity_type_name(x->type));
    jw_kv_cstr(w, "status", activity_status_name(x->status));
    jw_kv_cstr(w, "title", x->title);
    jw_opt_cstr(w, "step_id", x->step);
    jw_opt_cstr(w, "artifact_id", x->artifact);
    if (*x->approval)
        hecate_id(w, "approval_id", HECATE_APPROVAL, x->approval);
    if (x->type == ACTIVITY_TOOL_CALL)
        jw_opt_cstr(w, "tool_name", x->kind);
    jw_opt_cstr(w, "kind", x->kind);
    hecate_time(w, "occurred_at", x->created);
    if (terminal)
        jw_kv_bool(w, "terminal", true);
    if (x->needs_action)
        jw_kv_bool(w, "needs_action", true);
    jw_end_obj(w);
}

static int64_t cost_of_step(const struct hecate_run *x, const char *entry)
{
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; strcmp(x->entries[i].id, entry) == 0 && k < x->calls.n; k++)
            if (strcmp(x->calls.at[k].id, x->entries[i].call) == 0)
                return x->calls.at[k].used.cost;
    return 0;
}

/* What the last turn cost, for the event that completes it. */
static void put_turn(struct json_writer *w, const struct hecate_run *x)
{
    const struct activity_step *last = NULL;
    int64_t run = 0, tools = 0;

    for (size_t i = 0; i < x->did.nsteps; i++)
        if (!x->did.steps[i].tool)
            last = &x->did.steps[i];
    for (size_t i = 0; last && i < x->did.nsteps; i++)
        tools += x->did.steps[i].tool && x->did.steps[i].turn == last->turn;
    for (size_t i = 0; i < x->calls.n; i++)
        run += x->calls.at[i].used.cost;
    if (!last)
        return;
    jw_key(w, "turn");
    jw_obj(w);
    jw_kv_i64(w, "turn_index", (int64_t)last->turn);
    jw_kv_cstr(w, "step_id", last->id);
    jw_kv_i64(w, "cost_micros_usd", bough_money_micros(cost_of_step(x, last->id)));
    jw_kv_i64(w, "run_cumulative_cost_micros_usd", bough_money_micros(run));
    jw_kv_i64(w, "task_cumulative_cost_micros_usd", bough_money_micros(run + x->prior));
    jw_opt_i64(w, "tool_calls", tools);
    jw_end_obj(w);
}

static void put_lists(struct http_req *req, struct json_writer *w, const struct hecate_task *task,
                      const struct hecate_run *x)
{
    jw_key(w, "steps");
    jw_arr(w);
    for (size_t i = 0; i < x->did.nsteps; i++)
        hecate_put_step(w, req->arena, task, x, &x->did.steps[i]);
    jw_end_arr(w);
    jw_key(w, "artifacts");
    jw_arr(w);
    for (size_t i = 0; i < x->did.n; i++)
        if (*x->did.at[i].artifact)
            hecate_put_artifact(req, w, task, x, &x->did.at[i], false);
    jw_end_arr(w);
    jw_key(w, "activity");
    jw_arr(w);
    for (size_t i = 0; i < x->did.n; i++)
        put_activity(w, &x->did.at[i]);
    jw_end_arr(w);
    jw_key(w, "approvals");
    jw_arr(w);
    for (size_t i = x->approvals.n; i--;)
        hecate_put_task_approval(w, task, &x->approvals.at[i]);
    jw_end_arr(w);
}

static void send_run(struct http_req *req, struct http_res *res, const struct hecate_task *task,
                     const struct hecate_run *x, const char *type)
{
    struct stream *st = req->state;
    bool terminal = bough_run_ended(x->run->status);
    struct json_writer w;
    struct buf b;

    buf_init(&b, SNAPSHOT_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "object", "task_run_stream_event");
    jw_key(&w, "data");
    jw_obj(&w);
    jw_kv_i64(&w, "sequence", st->sequence);
    jw_kv_bool(&w, "terminal", terminal);
    jw_key(&w, "run");
    hecate_put_run(&w, task, x);
    put_lists(req, &w, task, x);
    if (strcmp(type, "turn.completed") == 0 || strcmp(type, "assistant.final_answer") == 0)
        put_turn(&w, x);
    jw_kv_cstr(&w, "event_type", type);
    jw_end_obj(&w);
    jw_end_obj(&w);
    send_event(res, st, "snapshot", st->sequence, buf_str(&b));
    if (terminal)
        send_event(res, st, "done", st->sequence, buf_str(&b));
    buf_finish(&b);
}

static enum bough_rc look_run(struct http_req *req, struct http_res *res, enum http_more *more,
                              struct bough_error *err)
{
    struct stream *st = req->state;
    struct hecate_events news;
    struct hecate_task task;
    struct bough_run *run;
    struct hecate_run x;
    bool changed;
    enum bough_rc rc = hecate_task(req, &task, err);

    if (!rc)
        rc = hecate_task_run(req, &task, &run, err);
    if (rc)
        return rc;
    changed = run_changed(st, run) || !st->begun;
    changed = (!bough_run_ended(run->status) && has_grown(req, req->arena, st)) || changed;
    *more = bough_run_ended(run->status) ? HTTP_END : HTTP_LATER;
    if (!changed)
        return BOUGH_OK;
    rc = hecate_task_run_read(req, &task, run, &x, err);
    if (!rc)
        rc = hecate_events_read(req, req->arena, &x, st->looked, EVENTS_A_LOOK, &news, err);
    if (rc)
        return rc;
    if (news.n)
        st->sequence = news.at[news.n - 1].sequence;
    st->looked = news.looked > st->looked ? news.looked : st->looked;
    send_run(req, res, &task, &x, news.n ? news.at[news.n - 1].type : "snapshot");
    st->begun = true;
    return BOUGH_OK;
}

/* ---- both ---- */

/* A stream may last for hours: what one look reads is freed behind it, so the request's arena is
 * replaced meanwhile. */
static enum bough_rc pull(struct http_req *req, struct http_res *res, enum http_more *more,
                          struct bough_error *err)
{
    struct stream *st = req->state;
    struct bough_arena *own = req->arena, *tmp = bough_arena_create();
    enum bough_rc rc;

    req->arena = tmp;
    rc = st->run ? look_run(req, res, more, err) : look_chat(req, res, tmp, more, err);
    req->arena = own;
    bough_arena_destroy(tmp);
    if (!rc && *more == HTTP_LATER)
        beat(res, st);
    return rc;
}

static void drop(struct http_req *req)
{
    struct stream *st = req->state;

    if (!st)
        return;
    api_stream_end(st->api, st->who);
    mem_free(st->asked);
}

static enum bough_rc follow(struct http_req *req, struct http_res *res, const char *session,
                            const char *run, int64_t after)
{
    struct stream *st = arena_zalloc(req->arena, sizeof *st);

    st->api = api_of(req)->api;
    st->who = api_of(req)->who->name;
    if (!api_stream_begin(st->api, st->who))
        return http_refuse(res, 429, "too_many", "too many streams of this caller");
    st->session = arena_strdup(req->arena, session);
    st->run = arena_strdup(req->arena, run);
    st->sequence = st->looked = after;
    req->state = st;
    http_text(res, 200, "text/event-stream");
    http_set(res, "X-Accel-Buffering", "no");
    http_pull(res, pull, LOOK_MS);
    return BOUGH_OK;
}

static enum bough_rc stream_chat(struct http_req *req, struct http_res *res,
                                 struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = hecate_chat_session(req, &s, err);

    if (!rc)
        rc = follow(req, res, s->id, NULL, 0);
    return hecate_done(res, rc, err);
}

/* Where a client that reconnects goes on: Last-Event-ID, or after_sequence. */
static enum bough_rc read_after(struct http_req *req, int64_t *out, struct bough_error *err)
{
    const char *last = http_header(req, "last-event-id");

    if (last && json_span_i64(str_of(last), out) && *out >= 0)
        return BOUGH_OK;
    return http_query_i64(req, "after_sequence", 0, 0, INT64_MAX, out, err);
}

static enum bough_rc stream_run(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct hecate_task task;
    struct bough_run *run;
    int64_t after;
    enum bough_rc rc = hecate_task(req, &task, err);

    if (!rc)
        rc = hecate_task_run(req, &task, &run, err);
    if (!rc)
        rc = read_after(req, &after, err);
    if (!rc)
        rc = follow(req, res, task.session->id, run->id, after);
    return hecate_done(res, rc, err);
}

static const struct http_field run_query[] = {
    { "after_sequence", HTTP_INTEGER, "Only what happened after this event." },
    { 0 },
};

const struct http_route hecate_stream_routes[] = {
    { "GET", "/hecate/v1/agent-chat/sessions/{id}/stream", stream_chat, AUTH_READ,
      "Hecate: follow a chat: `snapshot`, `approval.requested`, `approval.resolved`, and `done` at "
      "the end of a run.",
      .gives = "events", .flags = HTTP_STREAMS, .drop = drop, .errors = &hecate_errors },
    { "GET", "/hecate/v1/tasks/{task}/runs/{run}/stream", stream_run, AUTH_READ,
      "Hecate: follow a run: `snapshot` at each change, and `done` at its end.", run_query,
      .gives = "events", .flags = HTTP_STREAMS | HTTP_RESUMES, .drop = drop,
      .errors = &hecate_errors },
    { 0 },
};
