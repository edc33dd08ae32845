/* External agents over HTTP: which there are, whether they work, and their options. */
#include "run/external/agents.h"
#include "api/kit/body.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/api/kit.h"
#include "run/api/routes.h"
#include "run/inside.h"

enum { DATA_MOST = 8 << 20 };

static enum bough_rc agents_of(struct http_req *req, struct agents **out, struct bough_error *err)
{
    struct runner *r;
    enum bough_rc rc = run_api_runner(req, &r, err);

    if (!rc)
        *out = runner_agents(r);
    return rc;
}

/* ---- the list ---- */

static void put_adapter(struct http_req *req, struct json_writer *w, struct agents *g,
                        const struct adapter *ad)
{
    static const char *const approve[] = { "ask", "allow", "deny" };
    const char *path = agents_lookup(g, req->arena, ad);

    jw_obj(w);
    jw_kv_cstr(w, "name", ad->name);
    jw_kv_cstr(w, "title", ad->title);
    jw_kv_cstr(w, "program", ad->command.at[0]);
    jw_kv_bool(w, "installed", path != NULL);
    jw_kv_bool(w, "off", ad->off);
    jw_kv_cstr(w, "approve", approve[ad->approve]);
    jw_kv_cstr(w, "mode", ad->mode);
    jw_kv_bool(w, "handover", ad->handover);
    jw_kv_cstr(w, "install", ad->install);
    jw_kv_cstr(w, "login", ad->login);
    jw_end_obj(w);
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct adapters *all;
    struct json_writer *w;
    struct agents *g;
    enum bough_rc rc = agents_of(req, &g, err);

    if (rc)
        return rc;
    all = agents_list(g);
    w = api_items(res);
    for (size_t i = 0; i < all->n; i++)
        put_adapter(req, w, g, &all->at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc probe(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *name = http_param(req, "agent");
    struct acp_probe p;
    struct agents *g;
    enum bough_rc rc = agents_of(req, &g, err);

    if (!rc)
        rc = agents_probe(g, req->arena, name, NULL, NULL, &p, err);
    if (!rc)
        acp_probe_json(http_json(res, 200), name, &p);
    return rc;
}

/* ---- options of a session ---- */

static struct json agent_of(struct http_req *req, const struct bough_session *s)
{
    struct json root = { 0 };

    if (json_parse(req->arena, s->data, &root, NULL))
        return (struct json){ 0 };
    return json_member(root, "agent");
}

static void put_options(struct http_req *req, struct json_writer *w, struct json agent)
{
    struct json options = json_member(agent, "options"), wanted = json_member(agent, "wanted");

    jw_obj(w);
    jw_kv_cstr(w, "adapter", json_cstr(req->arena, agent, "adapter"));
    jw_kv_cstr(w, "native_id", json_cstr(req->arena, agent, "native"));
    jw_kv_raw(w, "options", options.doc ? json_raw(options) : str_of("{}"));
    jw_kv_raw(w, "wanted", wanted.doc ? json_raw(wanted) : str_of("{}"));
    jw_end_obj(w);
}

static enum bough_rc get_options(struct http_req *req, struct http_res *res,
                                 struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        put_options(req, http_json(res, 200), agent_of(req, s));
    return rc;
}

/* Modes in which an agent asks before it acts. Any other one may approve for itself. */
static bool asks_first(struct json mode)
{
    static const char *const known[] = {
        "default", "ask", "plan", "read-only", "readonly", "manual"
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (json_is(mode, known[i]))
            return true;
    return false;
}

/* Does the agent list this option as its mode? */
static bool is_mode(struct json agent, struct json name)
{
    struct json_iter it = json_iter(json_member(json_member(agent, "options"), "config"));

    if (json_is(name, "mode"))
        return true;
    while (json_next(&it))
        if (json_is(json_member(it.value, "category"), "mode") &&
            str_eq(json_raw(json_member(it.value, "id")), json_raw(name)))
            return true;
    return false;
}

static enum bough_rc check_wanted(struct http_req *req, struct json agent, struct json wanted,
                                  struct bough_error *err)
{
    bool may = (api_of(req)->who->scopes & AUTH_APPROVE) != 0;
    struct json_iter it = json_iter(wanted);

    if (json_type(wanted) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "options must be an object");
    while (json_next(&it)) {
        enum json_type type = json_type(it.value);

        if (type != JSON_STRING && type != JSON_TRUE && type != JSON_FALSE)
            return bough_fail(err, BOUGH_INVALID,
                              "the value of an option is a text, true or false");
        if (!may && is_mode(agent, it.key) && !asks_first(it.value))
            return bough_fail(err, BOUGH_DENIED,
                              "in this mode the agent may approve for itself: that needs the scope "
                              "approve");
    }
    return BOUGH_OK;
}

/* The session's data with `wanted` as that of its agent. */
static struct bough_str with_wanted(struct http_req *req, const struct bough_session *s,
                                    struct json agent, struct json wanted)
{
    struct json root = { 0 };
    struct json_iter it;
    struct json_writer w;
    struct buf b;

    if (json_parse(req->arena, s->data, &root, NULL))
        root = (struct json){ 0 };
    buf_init(&b, DATA_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    it = json_iter(root);
    while (json_next(&it)) {
        struct bough_str key;

        if (json_str(req->arena, it.key, &key) && !str_is(key, "agent")) {
            jw_key_str(&w, key);
            jw_raw(&w, json_raw(it.value));
        }
    }
    jw_key(&w, "agent");
    jw_obj(&w);
    it = json_iter(agent);
    while (json_next(&it)) {
        struct bough_str key;

        if (json_str(req->arena, it.key, &key) && !str_is(key, "wanted")) {
            jw_key_str(&w, key);
            jw_raw(&w, json_raw(it.value));
        }
    }
    jw_kv_raw(&w, "wanted", json_raw(wanted));
    jw_end_obj(&w);
    jw_end_obj(&w);
    return buf_give(&b, req->arena);
}

static enum bough_rc put_wanted(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct body {
        struct json options;
    } in = { 0 };
    static const struct api_member members[] = {
        { "options", API_OBJECT, offsetof(struct body, options) },
        { 0 },
    };
    struct bough_session_update_options edit = { 0 };
    struct bough_session *s;
    struct json agent;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &in, err);
    if (rc)
        return rc;
    agent = agent_of(req, s);
    if (!json_member(agent, "adapter").doc)
        return bough_fail(err, BOUGH_NOT_READY, "no external agent has worked in this session yet");
    rc = check_wanted(req, agent, in.options, err);
    if (rc)
        return rc;
    edit.data = with_wanted(req, s, agent, in.options);
    rc = bough_session_update(api_of(req)->store, s->id, &edit, err);
    if (!rc)
        rc = api_session(req, &s, err);
    if (!rc)
        put_options(req, http_json(res, 200), agent_of(req, s));
    return rc;
}

const struct http_route run_agent_routes[] = {
    { "GET", "/api/v1/agents", list, AUTH_READ, "List the external agents of this server.",
      .gives = "Agents" },
    { "POST", "/api/v1/agents/{agent}/probe", probe, AUTH_RUN,
      "Start an agent, begin a session and end it: what works, and what to do.",
      .gives = "AgentProbe", .flags = HTTP_STREAMS },
    { "GET", "/api/v1/sessions/{id}/agent-options", get_options, AUTH_READ,
      "What can be set for the external agent of a session.", .gives = "AgentOptions" },
    { "PUT", "/api/v1/sessions/{id}/agent-options", put_wanted, AUTH_RUN,
      "Set options of the external agent of a session; they count from its next turn on. A mode in "
      "which the agent may approve for itself needs the scope `approve`.",
      .takes = "AgentOptionsNew", .gives = "AgentOptions" },
    { 0 },
};
