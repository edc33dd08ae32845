/* The session of an agent: a warm process, or a new one that goes on with the session or begins
 * one. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "run/external/inside.h"
#include "tools/tools.h"

enum { DATA_MOST = 8 << 20 };

static struct acp_wait patience(struct ext *x)
{
    return (struct acp_wait){ .ms = ACP_INITIALIZE_MS, .cancel = &x->w->cancel };
}

/* ---- failures ---- */

/* Details that agents put into `data`, as text. */
static const char *details(struct ext *x, const struct acp_failure *f)
{
    struct json root, inner;
    struct bough_str text;

    if (!f->data.n || json_parse(x->scratch, f->data, &root, NULL))
        return "";
    if (json_get(root, "details", &inner) || json_get(root, "message", &inner))
        root = inner;
    text = json_raw(root);
    (void)json_str(x->scratch, root, &text);
    return arena_printf(x->scratch, ": %.*s", (int)utf8_cut(text.p, text.n, 1000), text.p);
}

void ext_end_failed(struct ext *x, const struct acp_failure *f)
{
    const char *hint = acp_hint(x->scratch, x->ad, acp_agent(x->acp), f);

    if (work_flag(&x->w->cancel))
        work_end_cancelled(x->w);
    else if (f->code == ACP_AUTH_REQUIRED)
        work_end(x->w, BOUGH_RUN_FAILED, "auth", "%s: %s", f->message, hint);
    else if (f->code)
        work_end(x->w, BOUGH_RUN_FAILED, "agent_error", "%s (%d)%s", f->message, f->code,
                 details(x, f));
    else
        work_end(x->w, BOUGH_RUN_FAILED, "agent_gone", "%s", f->message);
}

/* ---- what is remembered in the session's data ---- */

/* The member `agent` of the session's data, if it is about this adapter; else nothing. */
static struct json remembered(struct ext *x)
{
    struct bough_session *s;
    struct json root, agent = { 0 };

    if (bough_session_get(x->w->store, x->scratch, x->w->run->session, &s, NULL) ||
        json_parse(x->scratch, s->data, &root, NULL))
        return agent;
    agent = json_member(root, "agent");
    return json_is(json_member(agent, "adapter"), x->ad->name) ? agent : (struct json){ 0 };
}

double ext_cost_before(struct ext *x)
{
    struct json agent = remembered(x);
    double cost = -1;

    if (json_is(json_member(agent, "native"), acp_session_id(x->acp)))
        (void)json_f64(json_member(agent, "cost"), &cost);
    return cost;
}

static void put_agent(struct ext *x, struct json_writer *w, struct json before)
{
    struct json wanted = json_member(before, "wanted");
    double cost = x->cost;

    if (cost < 0)
        cost = ext_cost_before(x);
    jw_obj(w);
    jw_kv_cstr(w, "adapter", x->ad->name);
    jw_kv_cstr(w, "native", acp_session_id(x->acp));
    if (cost >= 0) {
        jw_key(w, "cost");
        jw_f64(w, cost);
    }
    if (wanted.doc)
        jw_kv_raw(w, "wanted", json_raw(wanted));
    jw_kv_raw(w, "options", acp_options(x->acp, x->scratch));
    jw_end_obj(w);
}

void ext_remember(struct ext *x)
{
    struct bough_session_update_options edit = { 0 };
    struct json before = remembered(x), root;
    struct bough_session *s;
    struct json_writer w;
    struct json_iter it;
    struct buf b;

    if (bough_session_get(x->w->store, x->scratch, x->w->run->session, &s, NULL) ||
        json_parse(x->scratch, s->data, &root, NULL))
        return;
    buf_init(&b, DATA_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    it = json_iter(root);
    while (json_next(&it)) {
        struct bough_str key;

        if (json_str(x->scratch, it.key, &key) && !str_is(key, "agent")) {
            jw_key_str(&w, key);
            jw_raw(&w, json_raw(it.value));
        }
    }
    jw_key(&w, "agent");
    put_agent(x, &w, before);
    jw_end_obj(&w);
    edit.data = buf_str(&b);
    if (!b.over)
        ext_warn(x, bough_session_update(x->w->store, x->w->run->session, &edit, NULL),
                 "the options of the agent were not stored");
    buf_finish(&b);
}

/* ---- options ---- */

static void set_option(struct ext *x, const char *name, struct bough_str value)
{
    struct acp_wait wait = patience(x);
    struct acp_failure f;

    if (!acp_set_option(x->acp, x->scratch, name, value, &wait, &f))
        work_tell(x->w, "output", "failed",
                  arena_printf(x->scratch, "The option %s was not set", name), f.message);
}

/* The adapter's mode for a new session, what the person has set, and the run's model. */
static void set_options(struct ext *x, bool is_new)
{
    struct json_iter it = json_iter(json_member(remembered(x), "wanted"));

    if (is_new && *x->ad->mode)
        set_option(x, "mode", str_of(x->ad->mode));
    while (json_next(&it)) {
        struct bough_str name, value = json_raw(it.value);

        (void)json_str(x->scratch, it.value, &value);
        if (json_str(x->scratch, it.key, &name))
            set_option(x, name.p, value);
    }
    if (*x->w->run->model && strcmp(x->w->run->model, acp_model(x->acp, x->scratch)) != 0)
        set_option(x, "model", str_of(x->w->run->model));
}

/* ---- the session ---- */

/* The MCP servers that the run names, for the agent to start. */
static struct bough_str servers_of(struct ext *x)
{
    struct tool_host *host = runner_tools(x->w->all);
    struct tool_pass_on in = { .workspace = x->w->run->workspace,
                               .http = acp_agent(x->acp)->mcp_http };
    const char **names;
    struct bough_error err;
    struct bough_str out;
    struct json root;
    struct json_iter it;

    if (!host || json_parse(x->scratch, x->w->run->servers, &root, NULL))
        return str_of("[]");
    names = arena_array(x->scratch, json_count(root) + 1, sizeof *names);
    it = json_iter(root);
    while (json_next(&it)) {
        struct bough_str name;

        if (json_str(x->scratch, it.value, &name))
            names[in.n++] = name.p;
    }
    in.servers = names;
    if (!tool_host_pass_on(host, x->scratch, &in, &out, &err))
        return out;
    work_tell(x->w, "output", "failed", "Tool servers were not passed on", err.msg);
    return str_of("[]");
}

/* Go on with a session of the agent. False: *why it could not be. */
static bool go_on(struct ext *x, const char *native, struct bough_str servers,
                  struct acp_failure *why)
{
    const struct acp_agent *can = acp_agent(x->acp);
    struct acp_wait wait = patience(x);
    const char *dir = x->w->run->workspace;

    *why = (struct acp_failure){ .message = "the agent cannot go on with a session" };
    if (can->resume &&
        acp_session(x->acp, x->scratch, ACP_RESUME, native, dir, servers, &wait, why))
        return true;
    return can->load && !acp_gone(x->acp) &&
           acp_session(x->acp, x->scratch, ACP_LOAD, native, dir, servers, &wait, why);
}

static bool begin_session(struct ext *x, const char *native, bool *is_new)
{
    struct acp_wait wait = patience(x);
    struct bough_str servers;
    struct acp_failure f;

    if (!acp_initialize(x->acp, x->scratch, &wait, &f) ||
        (*x->ad->auth && !acp_authenticate(x->acp, x->scratch, x->ad->auth, &wait, &f))) {
        ext_end_failed(x, &f);
        return false;
    }
    servers = servers_of(x);
    *is_new = !*native || !go_on(x, native, servers, &f);
    if (!*is_new)
        return true;
    if (*native)
        work_tell(x->w, "recovered", "completed", "A new session of the agent was begun",
                  f.message ? f.message : "");
    if (acp_session(x->acp, x->scratch, ACP_NEW, NULL, x->w->run->workspace, servers, &wait, &f))
        return true;
    ext_end_failed(x, &f);
    return false;
}

static bool start(struct ext *x, struct bough_error *err)
{
    enum bough_rc rc = agents_start(x->agents, x->scratch, x->w->run->session, x->ad,
                                    x->w->run->workspace, &x->warm, err);

    if (rc) {
        work_end(x->w, BOUGH_RUN_FAILED, rc == BOUGH_OVERLOADED ? "overloaded" : "not_ready",
                 "%s%s%s", err->msg, *x->ad->install && rc == BOUGH_NOT_FOUND ? ": " : "",
                 rc == BOUGH_NOT_FOUND ? x->ad->install : "");
        return false;
    }
    x->acp = x->warm->acp;
    return true;
}

/* The session that this run goes on with. What is done again has another history. */
static const char *native_of(const struct bough_run *run)
{
    return run->why == BOUGH_RUN_RETRY ? "" : run->native_id;
}

bool ext_connect(struct ext *x, bool *is_new)
{
    struct bough_run_set_options set = BOUGH_RUN_SET_NOTHING;
    const char *native = native_of(x->w->run);
    struct bough_error err;

    *is_new = false;
    x->warm = agents_take(x->agents, x->w->run->session, x->ad, x->w->run->workspace);
    if (x->warm && strcmp(acp_session_id(x->warm->acp), native) != 0) {
        agents_end(x->agents, x->warm);
        x->warm = NULL;
    }
    if (x->warm)
        x->acp = x->warm->acp;
    else if (!start(x, &err) || !begin_session(x, native, is_new))
        return false;
    set_options(x, *is_new);
    set.native_id = acp_session_id(x->acp);
    x->failed.rc = work_set(x->w, &set, &x->failed);
    ext_remember(x);
    return !x->failed.rc;
}
