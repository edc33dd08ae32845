/* Probing an agent, stage by stage. */
#include "acp/probe.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"

enum { TAIL = 4096 }; /* bytes of standard error that a probe shows */

const char *acp_stage_name(enum acp_stage stage)
{
    static const char *const names[] = { "lookup", "spawn", "initialize", "new_session", "ready" };

    return names[stage];
}

const char *acp_health_name(enum acp_health health)
{
    static const char *const names[] = { "ready", "not_installed", "auth_required", "error" };

    return names[health];
}

/* The names of the ways to sign in, as the agent lists them. */
static const char *auth_names(struct bough_arena *a, struct bough_str methods)
{
    struct json root;
    struct json_iter it;
    const char *all = "";

    if (json_parse(a, methods, &root, NULL))
        return "";
    it = json_iter(root);
    while (json_next(&it)) {
        const char *name = json_cstr(a, it.value, "name");

        if (name)
            all = arena_printf(a, "%s%s%s", all, *all ? ", " : "", name);
    }
    return all;
}

const char *acp_hint(struct bough_arena *a, const struct adapter *ad, const struct acp_agent *agent,
                     const struct acp_failure *failure)
{
    const char *names;

    if (failure->code != ACP_AUTH_REQUIRED)
        return "";
    if (*ad->login)
        return ad->login;
    names = auth_names(a, agent->auth);
    return *names ? arena_printf(a, "sign in to the agent: %s", names) : "sign in to the agent";
}

static void failed(struct bough_arena *a, const struct acp_probe_options *in, struct acp *p,
                   const struct acp_failure *f, struct acp_probe *out)
{
    out->health = f->code == ACP_AUTH_REQUIRED ? ACP_NEEDS_AUTH : ACP_FAILS;
    out->error = arena_strdup(a, f->message);
    out->hint = acp_hint(a, in->adapter, acp_agent(p), f);
}

static void take_stages(struct bough_arena *a, const struct acp_probe_options *in, struct acp *p,
                        struct acp_probe *out)
{
    struct acp_wait wait = { in->ms ? in->ms : ACP_INITIALIZE_MS, in->cancel, NULL, NULL };
    const char *dir = in->dir ? in->dir : "/";
    struct acp_failure f;
    bool ok;

    out->stage = ACP_INITIALIZE;
    ok = acp_initialize(p, a, &wait, &f);
    if (ok) {
        out->agent = arena_strdup(a, acp_agent(p)->name);
        out->version = arena_strdup(a, acp_agent(p)->version);
    }
    if (ok && *in->adapter->auth)
        ok = acp_authenticate(p, a, in->adapter->auth, &wait, &f);
    if (ok) {
        out->stage = ACP_NEW_SESSION;
        ok = acp_session(p, a, ACP_NEW, NULL, dir, str_of("[]"), &wait, &f);
    }
    if (!ok) {
        failed(a, in, p, &f, out);
        return;
    }
    out->stage = ACP_READY;
    out->health = ACP_IS_READY;
    out->options = acp_options(p, a);
}

static struct bough_str tail(struct bough_str s)
{
    return s.n > TAIL ? str_make(s.p + s.n - TAIL, TAIL) : s;
}

void acp_probe(struct bough_arena *a, const struct acp_probe_options *in, struct acp_probe *out)
{
    const struct adapter *ad = in->adapter;
    struct adapter_environment env;
    struct bough_error err;
    struct acp *p = NULL;

    *out = (struct acp_probe){ .stage = ACP_LOOKUP,
                               .health = ACP_FAILS,
                               .path = "",
                               .agent = "",
                               .version = "",
                               .error = "",
                               .hint = "",
                               .options = str_of("{}"),
                               .err_tail = str_of("") };
    if (adapter_environment(a, ad, &in->variables, &env, &err)) {
        out->error = arena_strdup(a, err.msg);
        return;
    }
    out->path = child_lookup(a, ad->command.at[0], env.env);
    if (!out->path) {
        out->path = "";
        out->health = ACP_NOT_INSTALLED;
        out->error = arena_printf(a, "there is no program %s in the PATH", ad->command.at[0]);
        out->hint = ad->install;
        return;
    }
    out->stage = ACP_SPAWN;
    if (acp_open(&p,
                 &(struct acp_config){ in->children, ad->command.at, env.env, in->dir, ad->memory,
                                       env.secrets },
                 &err)) {
        out->error = arena_strdup(a, err.msg);
        return;
    }
    take_stages(a, in, p, out);
    out->err_tail = tail(acp_stderr(p, a));
    acp_close(p);
}

void acp_probe_json(struct json_writer *w, const char *name, const struct acp_probe *p)
{
    jw_obj(w);
    jw_kv_cstr(w, "name", name);
    jw_kv_cstr(w, "stage", acp_stage_name(p->stage));
    jw_kv_cstr(w, "status", acp_health_name(p->health));
    jw_kv_cstr(w, "program", p->path);
    jw_kv_cstr(w, "agent", p->agent);
    jw_kv_cstr(w, "version", p->version);
    jw_kv_cstr(w, "error", p->error);
    jw_kv_cstr(w, "hint", p->hint);
    jw_kv_str(w, "stderr", p->err_tail);
    jw_kv_raw(w, "options", p->options);
    jw_end_obj(w);
}
