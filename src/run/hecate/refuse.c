/* Refusals: the form of errors, and the checks of what a chat needs before it can run. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "gateway/kit/state.h"
#include "gateway/kit/try.h"
#include "run/hecate/hecate.h"
#include "run/runner.h"

enum { SUGGESTED = 5, FIELDS_MOST = 64 * 1024, GIT_FILE_MOST = 4096, COMMIT_SHOWN = 12 };

/* What people are told besides the message: what happened, and what can be done about it. */
static const struct {
    const char *code, *user, *action;
} advice[] = {
    { "agent_chat.adapter_not_found", "This agent is not set up here.",
      "Name an agent of the configuration file, or use another one." },
    { "agent_chat.agent_session_busy", "The chat is working on an earlier message.",
      "Wait until it has ended, answer its approval, or stop it." },
    { "agent_chat.model_capability_required", "The model cannot use tools.",
      "Choose a model with tools, or send the message without them." },
    { "agent_chat.model_required", "A model must be chosen first.",
      "Name a model; GET /api/v1/providers lists them." },
    { "agent_chat.runtime_kind_invalid", "There is no such kind of chat.",
      "Use model, agent or external_agent." },
    { "agent_chat.runtime_mismatch", "The chat cannot change to this kind.",
      "Start a new chat for it." },
    { "agent_chat.session_duration_limit_exceeded", "The time of this chat is over.",
      "Start a new chat, or raise duration in [chats] of the configuration file." },
    { "agent_chat.session_idle_timeout", "This chat was closed because nothing happened in it.",
      "Start a new chat, or raise idle in [chats] of the configuration file." },
    { "agent_chat.session_limit_exceeded", "This chat has had all its turns.",
      "Start a new chat, or raise turns in [chats] of the configuration file." },
    { "agent_chat.session_not_running", "There is nothing to stop.",
      "Send a message to start a run." },
    { "agent_chat.session_stopping", "The chat is still stopping.", "Try again in a moment." },
    { "agent_chat.workspace_required", "A workspace must be chosen first.",
      "Name a folder under a root in [workspaces] of the configuration file." },
    { "model_not_configured", "The model cannot be used now.",
      "Look at GET /api/v1/providers, and choose a model that is ready." },
    { "not_ready", "Something that this needs is not ready.",
      "Do what the message says, then try again." },
    { NULL, "", "" },
};

/* Hecate's words for the codes that it does not know. */
static const char *code_of(const char *code)
{
    static const char *const words[][2] = {
        { "invalid", "invalid_request" },
        { "malformed", "invalid_request" },
        { "bad_request", "invalid_request" },
        { "invalid_part", "invalid_request" },
        { "too_large", "invalid_request" },
        { "busy", "agent_chat.agent_session_busy" },
        { "denied", "forbidden" },
        { "scope", "forbidden" },
        { "too_many", "rate_limit_exceeded" },
        { "gone", "not_found" },
        { "ambiguous", "not_found" },
        { "lease_lost", "conflict" },
        { "key_conflict", "conflict" },
        { "exists", "conflict" },
        { "archived", "conflict" },
        { "io", "gateway_error" },
        { "corrupt", "gateway_error" },
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(code, words[i][0]) == 0)
            return words[i][1];
    return code;
}

/* The trace id of a traceparent header, "00-<32 hex>-<16 hex>-01"; "" without. */
static struct bough_str trace_of(const struct http_req *req)
{
    const char *text = http_header(req, "traceparent");
    size_t n = text && strlen(text) > 35 ? strspn(text + 3, "0123456789abcdef") : 0;

    return n == 32 ? str_make(text + 3, n) : str_of("");
}

/* The members of a raw object. */
static void put_fields(struct json_writer *w, const struct http_req *req, struct bough_str fields)
{
    struct bough_str key;
    struct json_iter it;
    struct json j;

    if (!fields.n || json_parse(req->arena, fields, &j, NULL) || json_type(j) != JSON_OBJECT)
        return;
    it = json_iter(j);
    while (json_next(&it)) {
        if (!json_str(req->arena, it.key, &key))
            continue;
        jw_key_str(w, key);
        jw_raw(w, json_raw(it.value));
    }
}

static void write(struct json_writer *w, const struct http_req *req, const char *code,
                  const char *message, struct bough_str detail)
{
    const char *type = code_of(code);
    size_t i = 0;

    while (advice[i].code && strcmp(advice[i].code, type) != 0)
        i++;
    jw_obj(w);
    jw_key(w, "error");
    jw_obj(w);
    jw_kv_cstr(w, "type", type);
    jw_kv_cstr(w, "message", message);
    jw_kv_cstr(w, "user_message", *advice[i].user ? advice[i].user : message);
    jw_kv_cstr(w, "operator_action", advice[i].action);
    jw_kv_cstr(w, "request_id", req->id);
    jw_kv_str(w, "trace_id", trace_of(req));
    put_fields(w, req, detail);
    jw_end_obj(w);
    jw_end_obj(w);
}

const struct http_error_form hecate_errors = { "HecateAgentError", write };

enum bough_rc hecate_refuse(struct http_res *res, int status, const char *code,
                            struct bough_str fields, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    http_detail(res, fields);
    return http_refuse(res, status, code, "%s", text);
}

enum bough_rc hecate_busy(struct http_req *req, struct http_res *res, const char *session,
                          struct bough_error *err)
{
    struct bough_run *run = NULL;
    struct json_writer w;
    struct buf b;
    enum bough_rc rc = hecate_latest(req, req->arena, session, &run, err);

    if (rc)
        return rc;
    if (!run || bough_run_ended(run->status))
        return hecate_refuse(res, 409, "agent_chat.agent_session_busy", str_of(""),
                             "another program has this session");
    buf_init(&b, 4096);
    jw_init(&w, &b);
    jw_obj(&w);
    hecate_id(&w, "task_id", HECATE_TASK, run->task);
    hecate_id(&w, "latest_run_id", HECATE_RUN, run->id);
    jw_kv_cstr(&w, "run_status", bough_run_status_name(run->status));
    jw_end_obj(&w);
    rc = hecate_refuse(res, 409, "agent_chat.agent_session_busy", buf_str(&b),
                       "run %s of this session has not ended", run->id);
    buf_finish(&b);
    return rc;
}

enum bough_rc hecate_done(struct http_res *res, enum bough_rc rc, const struct bough_error *err)
{
    switch (rc) {
    case BOUGH_INVALID:
    case BOUGH_INVALID_PART:
    case BOUGH_UNKNOWN_PART:
    case BOUGH_TOO_DEEP:
        return http_refuse(res, 400, "invalid_request", "%s", err->msg);
    case BOUGH_GONE:
    case BOUGH_AMBIGUOUS:
        return http_refuse(res, 404, "not_found", "%s", err->msg);
    default:
        return rc;
    }
}

/* ---- the server ---- */

enum bough_rc hecate_runner(const struct http_req *req, struct runner **out,
                            struct bough_error *err)
{
    *out = api_runner(req);
    return *out ? BOUGH_OK
                : bough_fail(err, BOUGH_NOT_READY,
                             "messages are answered by a server: start `bough serve`");
}

const char *hecate_principal(const struct http_req *req)
{
    const char *name = api_of(req)->who->name;

    return strncmp(name, "token:", 6) == 0 ? name : NULL;
}

/* ---- the model ---- */

static const char *reason_of(enum bough_rc rc, bool known)
{
    if (rc == BOUGH_DENIED)
        return "no_key";
    if (rc == BOUGH_INVALID)
        return "unsupported_model";
    return known ? "model_not_found" : "provider_not_found";
}

static void put_suggested(struct json_writer *w, struct providers *p, struct bough_arena *a,
                          const char *provider)
{
    struct gateway_models models;
    size_t n = 0;

    providers_models(p, a, ~0u, &models);
    jw_key(w, "suggested_models");
    jw_arr(w);
    for (size_t i = 0; i < models.n && n < SUGGESTED; i++)
        if (cstr_empty(provider) || strcmp(models.at[i].provider, provider) == 0) {
            jw_cstr(w, models.at[i].id);
            n++;
        }
    jw_end_arr(w);
}

static enum bough_rc refuse_model(struct http_req *req, struct http_res *res, struct providers *p,
                                  const char *provider, const char *model,
                                  const struct bough_error *why)
{
    struct provider_info info = { 0 };
    bool known =
        !cstr_empty(provider) && providers_info(p, req->arena, provider, &info, NULL) == BOUGH_OK;
    struct json_writer w;
    struct buf b;
    enum bough_rc rc;

    buf_init(&b, FIELDS_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "provider", provider ? provider : "");
    jw_kv_cstr(&w, "matched_provider", known ? info.name : "");
    jw_kv_cstr(&w, "model", model);
    jw_kv_cstr(&w, "reason", reason_of(why->rc, known || cstr_empty(provider)));
    jw_kv_bool(&w, "routing_ready", known && !info.blocked);
    jw_kv_cstr(&w, "provider_status", !known ? "unknown" : info.blocked ? "blocked" : "ready");
    jw_kv_cstr(&w, "provider_blocked_reason", known && info.blocked ? info.blocked : "");
    put_suggested(&w, p, req->arena, known ? info.name : NULL);
    jw_end_obj(&w);
    rc = hecate_refuse(res, 422, "model_not_configured", buf_str(&b), "%s", why->msg);
    buf_finish(&b);
    return rc;
}

int hecate_model_tools(const struct http_req *req, const char *provider, const char *model)
{
    struct runner *r = api_runner(req);

    if (!r || cstr_empty(provider) || cstr_empty(model))
        return -1;
    return providers_tools(gateway_providers(runner_gateway(r)), provider, model);
}

void hecate_put_capabilities(struct json_writer *w, int tools)
{
    jw_key(w, "capabilities");
    jw_obj(w);
    if (tools >= 0)
        jw_kv_cstr(w, "tool_calling", tools ? "basic" : "none");
    jw_end_obj(w);
}

static enum bough_rc refuse_tools(struct http_res *res, const char *provider, const char *model)
{
    struct json_writer w;
    struct buf b;
    enum bough_rc rc;

    buf_init(&b, FIELDS_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "provider", provider);
    jw_kv_cstr(&w, "model", model);
    hecate_put_capabilities(&w, 0);
    jw_end_obj(&w);
    rc = hecate_refuse(res, 422, "agent_chat.model_capability_required", buf_str(&b),
                       "the model %.80s of %.40s takes no tools", model, provider);
    buf_finish(&b);
    return rc;
}

enum bough_rc hecate_check_model(struct http_req *req, struct http_res *res, const char *provider,
                                 const char *model, bool tools, struct bough_error *err)
{
    struct provider_ask ask = { .model = model, .name = cstr_empty(provider) ? NULL : provider };
    struct provider_route route;
    struct providers *p;
    struct runner *r;
    enum bough_rc rc;

    if (cstr_empty(model))
        return hecate_refuse(res, 400, "agent_chat.model_required", str_of(""),
                             "model is required for this chat");
    rc = hecate_runner(req, &r, err);
    if (rc)
        return rc;
    p = gateway_providers(runner_gateway(r));
    rc = providers_route_any(p, req->arena, &ask, &route, err);
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_INVALID || rc == BOUGH_DENIED)
        return refuse_model(req, res, p, provider, model, err);
    if (!rc && tools) {
        const struct provider_target *to = &route.targets[0];
        const char *name = to->model ? to->model : model;

        if (providers_tools(p, to->provider, name) == 0)
            return refuse_tools(res, to->provider, name);
    }
    return rc;
}

/* ---- limits of a chat ---- */

bool hecate_is_idle(const struct http_req *req, const struct bough_session *s,
                    const struct bough_run *run)
{
    struct runner *r = api_runner(req);

    return r && chat_is_idle(&r->settings, s, run, api_now(req));
}

/* A refusal with a figure and a second member, which is a time or a figure. */
static enum bough_rc refuse_limit(struct http_res *res, const char *code, const char *name,
                                  int64_t limit, const char *also, int64_t value, const char *why)
{
    struct json_writer w;
    struct buf b;
    enum bough_rc rc;

    buf_init(&b, FIELDS_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_i64(&w, name, limit);
    if (strcmp(also, "turns_used") == 0)
        jw_kv_i64(&w, also, value);
    else
        hecate_time(&w, also, value);
    jw_end_obj(&w);
    rc = hecate_refuse(res, 422, code, buf_str(&b), "%s", why);
    buf_finish(&b);
    return rc;
}

enum bough_rc hecate_check_limits(struct http_req *req, struct http_res *res,
                                  const struct hecate_chat *chat)
{
    const struct bough_session *s = chat->session;
    int64_t used = chat->runs.n ? chat->runs.at[0].number : 0;
    struct runner *r = api_runner(req);
    const struct chat_limits *most;

    if (!r)
        return BOUGH_OK;
    most = &r->settings.chat;
    if (most->turns && used >= most->turns)
        return refuse_limit(res, "agent_chat.session_limit_exceeded", "limit", most->turns,
                            "turns_used", used, "the chat has had all its turns");
    if (most->duration_ms && api_now(req) - s->created >= most->duration_ms)
        return refuse_limit(res, "agent_chat.session_duration_limit_exceeded", "limit_ms",
                            most->duration_ms, "started_at", s->created,
                            "the time of the chat is over");
    if (chat->idle)
        return refuse_limit(res, "agent_chat.session_idle_timeout", "limit_ms", most->idle_ms,
                            "updated_at", s->updated, "nothing happened in the chat for too long");
    return BOUGH_OK;
}

/* ---- the workspace ---- */

enum bough_rc hecate_check_workspace(struct http_req *req, struct http_res *res, bool needed,
                                     const char **folder, struct bough_error *err)
{
    struct runner *r;
    enum bough_rc rc;

    if (cstr_empty(*folder))
        return needed ? hecate_refuse(res, 400, "agent_chat.workspace_required", str_of(""),
                                      "workspace is required for this chat")
                      : BOUGH_OK;
    rc = hecate_runner(req, &r, err);
    if (rc)
        return rc;
    rc = workspace_resolve(&r->settings, req->arena, *folder, folder, err);
    if (rc == BOUGH_NOT_READY || rc == BOUGH_DENIED || rc == BOUGH_NOT_FOUND)
        return http_refuse(res, 400, "invalid_request", "%s", err->msg);
    return rc ? rc : workspace_check(*folder, api_of(req)->who->project, err);
}

static struct bough_str read_line(struct bough_arena *a, const char *dir, const char *name)
{
    struct bough_str text;

    if (fs_read(a, fs_join(a, dir, name), GIT_FILE_MOST, &text, NULL))
        return str_of("");
    while (text.n && strchr("\r\n ", text.p[text.n - 1]))
        text.n--;
    return text;
}

const char *hecate_branch(struct bough_arena *a, const char *folder)
{
    const char *git = fs_join(a, folder, ".git");
    struct bough_str text;

    if (cstr_empty(folder))
        return "";
    text = read_line(a, folder, ".git"); /* a work tree: the file names the folder */
    if (str_starts(text, "gitdir: "))
        git = arena_strndup(a, text.p + 8, text.n - 8);
    text = read_line(a, git, "HEAD");
    if (str_starts(text, "ref: refs/heads/"))
        return arena_strndup(a, text.p + 16, text.n - 16);
    if (text.n < COMMIT_SHOWN || strspn(text.p, "0123456789abcdef") < COMMIT_SHOWN)
        return "";
    return arena_printf(a, "detached@%.*s", COMMIT_SHOWN, text.p);
}
