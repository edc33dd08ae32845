/* What a chat needs before it can run: a model, a workspace. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "gateway/kit/state.h"
#include "gateway/kit/try.h"
#include "run/hecate/hecate.h"
#include "run/runner.h"

enum { SUGGESTED = 5, FIELDS_MOST = 64 * 1024, GIT_FILE_MOST = 4096, COMMIT_SHOWN = 12 };

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

enum bough_rc hecate_check_model(struct http_req *req, struct http_res *res, const char *provider,
                                 const char *model, struct bough_error *err)
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
    return rc;
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
    return rc;
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
