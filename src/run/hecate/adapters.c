/* Agent adapters: the external agents of this server, whether they are there and work. */
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"
#include "run/external/agents.h"
#include "run/hecate/hecate.h"
#include "run/inside.h"

static enum bough_rc find(struct http_req *req, struct agents **all, const struct adapter **out,
                          struct bough_error *err)
{
    const char *id = http_param(req, "adapter");
    struct runner *r;
    enum bough_rc rc = hecate_runner(req, &r, err);

    if (rc)
        return rc;
    *all = runner_agents(r);
    *out = *all ? adapter_find(agents_list(*all), id) : NULL;
    if (*out)
        return BOUGH_OK;
    (void)bough_fail(err, BOUGH_NOT_FOUND, "no agent adapter %.60s", id);
    return BOUGH_NOT_FOUND;
}

enum bough_rc hecate_check_adapter(struct http_req *req, struct http_res *res, const char *adapter,
                                   struct bough_error *err)
{
    const struct adapter *found;
    struct agents *all;
    struct runner *r;
    enum bough_rc rc = hecate_runner(req, &r, err);

    if (rc)
        return rc;
    all = runner_agents(r);
    found = all ? adapter_find(agents_list(all), adapter) : NULL;
    if (found && !found->off)
        return BOUGH_OK;
    return hecate_refuse(res, 400, "agent_chat.adapter_not_found", str_of(""),
                         "there is no agent %.80s here", adapter);
}

void hecate_end_agent(const struct http_req *req, const struct bough_run *run)
{
    struct runner *r = api_runner(req);
    struct agents *all = r ? runner_agents(r) : NULL;
    const struct adapter *ad = all ? adapter_find(agents_list(all), run->adapter) : NULL;
    struct warm *w = ad ? agents_take(all, run->session, ad, run->workspace) : NULL;

    if (w)
        agents_end(all, w);
}

/* ---- JSON ---- */

static void put_args(struct json_writer *w, const struct adapter *ad)
{
    jw_key(w, "args");
    jw_arr(w);
    for (size_t i = 1; i < ad->command.n; i++)
        jw_cstr(w, ad->command.at[i]);
    jw_end_arr(w);
}

static const char *auth_status(const struct acp_probe *p)
{
    if (!p)
        return "unknown";
    return p->health == ACP_IS_READY     ? "ok"
           : p->health == ACP_NEEDS_AUTH ? "unauthenticated"
                                         : "unknown";
}

/* `p` is what a probe found; NULL: none was made. */
static void put_adapter(struct json_writer *w, struct bough_arena *a, const struct adapter *ad,
                        const struct acp_probe *p)
{
    const char *command = ad->command.n ? ad->command.at[0] : "";
    const char *path = child_lookup(a, command, (const char *const *)environ);
    bool there = !cstr_empty(path) && !ad->off;

    jw_obj(w);
    jw_kv_cstr(w, "id", ad->name);
    jw_kv_cstr(w, "name", *ad->title ? ad->title : ad->name);
    jw_kv_cstr(w, "kind", "acp");
    jw_kv_cstr(w, "command", command);
    put_args(w, ad);
    jw_kv_bool(w, "managed", false);
    jw_kv_bool(w, "available", there);
    jw_kv_cstr(w, "status", there ? "available" : "missing");
    jw_opt_cstr(w, "path", path);
    if (!there)
        jw_kv_cstr(w, "error",
                   ad->off ? "it is switched off in the configuration"
                           : arena_printf(a, "%s is not installed%s%s", command,
                                          *ad->install ? ": " : "", ad->install));
    jw_kv_cstr(w, "cost_mode", "external");
    jw_opt_cstr(w, "version", p ? p->version : "");
    jw_kv_cstr(w, "auth_status", auth_status(p));
    jw_opt_cstr(w, "auth_error", p && p->health == ACP_NEEDS_AUTH ? p->error : "");
    jw_end_obj(w);
}

static void put_health(struct json_writer *w, const struct adapter *ad, const struct acp_probe *p,
                       int64_t ms)
{
    jw_obj(w);
    jw_kv_cstr(w, "adapter_id", ad->name);
    jw_kv_cstr(w, "status", acp_health_name(p->health));
    jw_kv_cstr(w, "stage", acp_stage_name(p->stage));
    jw_opt_cstr(w, "path", p->path);
    jw_opt_cstr(w, "version", p->version);
    jw_opt_cstr(w, "error", p->error);
    jw_opt_cstr(w, "hint", p->hint);
    jw_opt_str(w, "stderr", p->err_tail);
    jw_kv_i64(w, "duration_ms", ms);
    jw_end_obj(w);
}

/* ---- routes ---- */

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct adapters *all;
    struct json_writer *w;
    struct runner *r;
    enum bough_rc rc = hecate_runner(req, &r, err);

    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "agent_adapters");
    jw_arr(w);
    all = runner_agents(r) ? agents_list(runner_agents(r)) : NULL;
    for (size_t i = 0; all && i < all->n; i++)
        put_adapter(w, req->arena, &all->at[i], NULL);
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc look(struct http_req *req, const struct adapter **ad, struct acp_probe *p,
                          int64_t *ms, struct bough_error *err)
{
    int64_t began = mono_us();
    struct agents *all;
    enum bough_rc rc = find(req, &all, ad, err);

    if (!rc)
        rc = agents_probe(all, req->arena, (*ad)->name, NULL, req->cancel, p, err);
    *ms = (mono_us() - began) / 1000;
    return rc;
}

static enum bough_rc probe(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct adapter *ad;
    struct acp_probe p;
    struct json_writer *w;
    int64_t ms;
    enum bough_rc rc = look(req, &ad, &p, &ms, err);

    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "agent_adapter_probe");
    jw_obj(w);
    jw_key(w, "adapter");
    put_adapter(w, req->arena, ad, &p);
    jw_key(w, "health");
    put_health(w, ad, &p, ms);
    jw_end_obj(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc health(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct adapter *ad;
    struct acp_probe p;
    struct json_writer *w;
    int64_t ms;
    enum bough_rc rc = look(req, &ad, &p, &ms, err);

    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "agent_adapter_health");
    put_health(w, ad, &p, ms);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* Hecate installs launchers itself; here they are the administrator's. */
static enum bough_rc refresh(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct adapter *ad;
    struct agents *all;
    enum bough_rc rc = find(req, &all, &ad, err);

    if (!rc)
        return http_refuse(res, 409, "conflict", "%s is not installed by this server%s%s", ad->name,
                           *ad->install ? ": " : "", ad->install);
    return hecate_done(res, rc, err);
}

const struct http_route hecate_adapter_routes[] = {
    { "GET", "/hecate/v1/agent-adapters", list, AUTH_READ, "Hecate: list the external agents.",
      .gives = "HecateAdapters", .errors = &hecate_errors },
    { "POST", "/hecate/v1/agent-adapters/{adapter}/probe", probe, AUTH_RUN,
      "Hecate: start an agent, begin a session and end it.", .gives = "HecateAdapterProbe",
      .flags = HTTP_STREAMS, .errors = &hecate_errors },
    { "GET", "/hecate/v1/agent-adapters/{adapter}/health", health, AUTH_RUN,
      "Hecate: the same, without the agent's settings.", .gives = "HecateAdapterHealth",
      .flags = HTTP_STREAMS, .errors = &hecate_errors },
    { "POST", "/hecate/v1/agent-adapters/{adapter}/refresh-launcher", refresh, AUTH_RUN,
      "Hecate: always 409: agents are installed by their administrator.", .gives = "HecateAdapters",
      .errors = &hecate_errors },
    { 0 },
};
