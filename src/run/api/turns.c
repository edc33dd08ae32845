/* Prompts over HTTP: a turn is a run. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "api/kit/forms_run.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/api/kit.h"
#include "run/api/routes.h"
#include "run/api/ui_run.h"

enum { SERVERS_MOST = 16 };

struct asked {
    const char *content, *provider, *model, *at, *runtime, *adapter, *workspace, *system_prompt;
    struct json parts, servers, limits;
    bool at_root, retry, queue;
    int64_t max_output;
};

static const struct api_member members[] = {
    { "content", API_TEXT, offsetof(struct asked, content) },
    { "parts", API_LIST, offsetof(struct asked, parts) },
    { "runtime", API_TEXT, offsetof(struct asked, runtime) },
    { "provider", API_TEXT, offsetof(struct asked, provider) },
    { "model", API_TEXT, offsetof(struct asked, model) },
    { "adapter", API_TEXT, offsetof(struct asked, adapter) },
    { "workspace", API_TEXT, offsetof(struct asked, workspace) },
    { "servers", API_LIST, offsetof(struct asked, servers) },
    { "limits", API_OBJECT, offsetof(struct asked, limits) },
    { "system_prompt", API_TEXT, offsetof(struct asked, system_prompt) },
    { "at", API_TEXT, offsetof(struct asked, at) },
    { "at_root", API_FLAG, offsetof(struct asked, at_root) },
    { "retry", API_FLAG, offsetof(struct asked, retry) },
    { "queue", API_FLAG, offsetof(struct asked, queue) },
    { "max_output_tokens", API_INT, offsetof(struct asked, max_output) },
    { 0 },
};

/* ---- reading ---- */

/* A prompt of text alone is given as text: only such a one can wait in a queue. */
static enum bough_rc read_parts(struct http_req *req, const struct asked *in,
                                struct run_begin_options *out, struct bough_error *err)
{
    bool has_text = in->content && *in->content;
    size_t n = json_count(in->parts), k = 0;
    struct bough_str *parts = arena_array(req->arena, n + 1, sizeof *parts);
    struct json_iter it = json_iter(in->parts);

    if (n && has_text)
        parts[k++] = bough_part_text(req->arena, str_of(in->content));
    while (n && json_next(&it))
        parts[k++] = json_raw(it.value);
    out->parts = parts;
    out->nparts = k;
    if (!n && has_text)
        out->text = in->content;
    if (in->retry && (k || out->text))
        return bough_fail(err, BOUGH_INVALID, "a retry has no content");
    if (!in->retry && !k && !out->text)
        return bough_fail(err, BOUGH_INVALID, "content or parts is missing");
    if (in->max_output < 0)
        return bough_fail(err, BOUGH_INVALID, "max_output_tokens must not be negative");
    out->why = in->retry ? BOUGH_RUN_RETRY : BOUGH_RUN_START;
    return BOUGH_OK;
}

static enum bough_rc read_servers(struct http_req *req, struct json list,
                                  struct run_begin_options *out, struct bough_error *err)
{
    size_t n = json_count(list);
    const char **names = arena_array(req->arena, n + 1, sizeof *names);
    struct json_iter it = json_iter(list);

    if (n > SERVERS_MOST)
        return bough_fail(err, BOUGH_INVALID, "servers has more than %d names", SERVERS_MOST);
    while (n && json_next(&it)) {
        struct bough_str name;

        if (!json_str(req->arena, it.value, &name))
            return bough_fail(err, BOUGH_INVALID, "servers must be names");
        names[out->nservers++] = arena_strndup(req->arena, name.p, name.n);
    }
    out->servers = names;
    return BOUGH_OK;
}

/* Without a word: an adapter is an external agent, servers are the loop, else it is a model. */
static enum bough_rc read_runtime(struct http_req *req, struct http_res *res,
                                  const struct asked *in, struct run_begin_options *out,
                                  struct bough_error *err)
{
    if (in->runtime) {
        if (!bough_run_runtime_parse(in->runtime, &out->runtime))
            return bough_fail(err, BOUGH_INVALID, "runtime is model, agent or external");
    } else if (!cstr_empty(in->adapter)) {
        out->runtime = BOUGH_RUNTIME_EXTERNAL;
    } else if (json_type(in->servers) == JSON_ARRAY) {
        out->runtime = BOUGH_RUNTIME_AGENT;
    }
    if (out->runtime == BOUGH_RUNTIME_EXTERNAL && cstr_empty(in->adapter))
        return bough_fail(err, BOUGH_INVALID, "an external agent needs its adapter");
    if (out->runtime != BOUGH_RUNTIME_MODEL && !(api_of(req)->who->scopes & AUTH_RUN))
        return http_refuse(res, 403, "denied", "this needs the scope run");
    return BOUGH_OK;
}

static enum bough_rc read_turn(struct http_req *req, struct http_res *res, const char *session,
                               struct asked *in, struct run_begin_options *how,
                               struct bough_error *err)
{
    enum bough_rc rc = api_body(req, members, in, err);

    if (!rc)
        rc = read_parts(req, in, how, err);
    if (!rc)
        rc = read_servers(req, in->servers, how, err);
    if (!rc)
        rc = run_api_limits(req, in->limits, &how->limits, err);
    if (!rc)
        rc = read_runtime(req, res, in, how, err);
    if (!rc)
        rc = api_entry_id(req, session, &in->at, err);
    how->principal = run_api_principal(req);
    how->project = api_of(req)->who->project;
    how->session = session;
    how->at = in->at;
    how->at_root = in->at_root;
    how->provider = in->provider;
    how->model = in->model;
    how->adapter = in->adapter;
    how->workspace = in->workspace;
    how->system_prompt = in->system_prompt;
    how->max_output = in->max_output;
    how->queue = in->queue;
    how->key = api_of(req)->key;
    return rc;
}

/* ---- answers ---- */

static bool wants_stream(const struct http_req *req)
{
    const char *accept = http_header(req, "accept");

    return accept && strstr(accept, "text/event-stream");
}

static void put_begun(struct http_res *res, const struct run_begun *t)
{
    struct json_writer *w = http_json(res, 202);

    jw_obj(w);
    jw_kv_cstr(w, "user", t->run && *t->run->prompt ? t->run->prompt : NULL);
    jw_kv_cstr(w, "reply", *t->reply ? t->reply : NULL);
    jw_kv_cstr(w, "provider", t->run ? t->provider : NULL);
    jw_kv_cstr(w, "model", t->run ? t->model : NULL);
    jw_key(w, "queued");
    if (t->queued)
        form_prompt(w, t->queued);
    else
        jw_null(w);
    jw_key(w, "run");
    if (t->run)
        form_run(w, t->run);
    else
        jw_null(w);
    jw_end_obj(w);
}

static enum bough_rc begin_run(struct http_req *req, struct http_res *res,
                               const struct run_begin_options *how, struct bough_error *err)
{
    struct run_begun begun = { 0 };
    struct runner *runner;
    enum bough_rc rc = run_api_runner(req, &runner, err);

    if (!rc)
        rc = run_begin(runner, req->arena, how, &begun, err);
    if (rc == BOUGH_BUSY)
        run_api_busy(req, res, how->session);
    if (rc)
        return rc;
    if (wants_stream(req) && begun.run)
        return run_ui_follow(req, res, begun.run);
    put_begun(res, &begun);
    return BOUGH_OK;
}

static enum bough_rc begin(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct run_begin_options how = { 0 };
    struct asked in = { 0 };
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = read_turn(req, res, s->id, &in, &how, err);
    return rc ? rc : begin_run(req, res, &how, err);
}

static enum bough_rc cancel(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_run_list_options live = { .status = "queued running awaiting_approval",
                                           .limit = 1 };
    struct bough_session *s;
    struct bough_runs runs;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc) {
        live.session = s->id;
        rc = bough_run_list(api_of(req)->store, req->arena, &live, &runs, err);
    }
    if (!rc && !runs.n)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "no turn of this session runs");
    if (!rc)
        rc = bough_run_cancel(api_of(req)->store, req->arena, runs.at[0].id, NULL, NULL, err);
    return api_done(res, rc);
}

/* ---- again ---- */

/* The run that the path names, which has ended, and what one like it begins with. */
static enum bough_rc find_ended(struct http_req *req, struct bough_run **run,
                                struct run_begin_options *how, struct bough_error *err)
{
    enum bough_rc rc = run_api_run(req, run, err);

    if (!rc && !bough_run_ended((*run)->status))
        rc = bough_fail(err, BOUGH_CONFLICT, "run %s has not ended: it is %s", (*run)->id,
                        bough_run_status_name((*run)->status));
    if (rc)
        return rc;
    run_like(req->arena, *run, how);
    how->principal = run_api_principal(req);
    how->project = api_of(req)->who->project;
    how->key = api_of(req)->key;
    return BOUGH_OK;
}

struct again {
    struct json limits;
    int64_t turn;
};

static const struct api_member resume_members[] = {
    { "limits", API_OBJECT, offsetof(struct again, limits) },
    { 0 },
};

/* What a run has cost counts on when it is resumed: the limit that stopped it must be raised. */
static enum bough_rc check_raised(const struct bough_run *run, const struct bough_run_limits *now,
                                  struct bough_error *err)
{
    bool stopped = strcmp(run->error_code, "budget") == 0 && run->limits.cost;

    return stopped && now->cost && now->cost <= run->limits.cost
               ? bough_fail(err, BOUGH_LIMIT, "run %s stopped at $%.6f: raise limits.cost_usd",
                            run->id, (double)run->limits.cost / 1e9)
               : BOUGH_OK;
}

static enum bough_rc resume(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct again in = { 0 };
    struct run_begin_options how;
    struct bough_run *run = NULL;
    enum bough_rc rc = api_body(req, resume_members, &in, err);

    if (!rc)
        rc = find_ended(req, &run, &how, err);
    if (!rc)
        rc = run_api_limits(req, in.limits, &how.limits, err);
    if (!rc)
        rc = check_raised(run, &how.limits, err);
    if (!rc && run->status == BOUGH_RUN_COMPLETED)
        rc = bough_fail(err, BOUGH_CONFLICT, "run %s is completed: send another prompt", run->id);
    how.why = BOUGH_RUN_RESUME;
    return rc ? rc : begin_run(req, res, &how, err);
}

static const struct api_member retry_members[] = {
    { "turn", API_INT, offsetof(struct again, turn) },
    { 0 },
};

static enum bough_rc retry(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct again in = { .turn = 1 };
    struct run_begin_options how;
    struct bough_run *run;
    enum bough_rc rc = api_body(req, retry_members, &in, err);

    if (!rc)
        rc = find_ended(req, &run, &how, err);
    if (!rc)
        rc = run_turn_at(api_of(req)->store, req->arena, run, in.turn, &how.at, err);
    how.why = BOUGH_RUN_RETRY;
    return rc ? rc : begin_run(req, res, &how, err);
}

const struct http_route run_turn_routes[] = {
    { "POST", "/api/v1/sessions/{id}/turns", begin, AUTH_APPEND | AUTH_GATEWAY,
      "Send a prompt to a model, to the agent loop with tools or to an external agent. The answer "
      "is the run; the reply comes as an open message. Tools and agents need the scope `run`. "
      "With Accept: text/event-stream the answer is the run as the AI SDK's UI message stream.",
      .takes = "TurnNew", .gives = "Turn", .also = "text/event-stream", .status = 202,
      .flags = HTTP_STREAMS | HTTP_KEYED, .drop = run_ui_drop },
    { "DELETE", "/api/v1/sessions/{id}/turns", cancel, AUTH_APPEND | AUTH_GATEWAY,
      "Stop the run of the session; what came of its reply is kept.", .status = 204 },
    { "POST", "/api/v1/runs/{run}/resume", resume, AUTH_RUN,
      "Go on where a run has failed or was cancelled, perhaps with other limits.",
      .takes = "RunResume", .gives = "Turn", .status = 202,
      .flags = HTTP_BODY_OPTIONAL | HTTP_KEYED },
    { "POST", "/api/v1/runs/{run}/retry", retry, AUTH_RUN,
      "Do again what a run did, from one of its model calls on; what it did stays on its branch.",
      .takes = "RunRetry", .gives = "Turn", .status = 202,
      .flags = HTTP_BODY_OPTIONAL | HTTP_KEYED },
    { 0 },
};
