/* Requests whose answers are waited for: initialize, sessions, options. */
#include <bough/bough.h>
#include <string.h>

#include "acp/inside.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

enum { SLICE_MS = 100 };

static bool stopped(const struct acp_wait *wait)
{
    return wait->cancel && __atomic_load_n(wait->cancel, __ATOMIC_ACQUIRE);
}

static bool fail(struct acp_failure *failure, const char *message)
{
    *failure = (struct acp_failure){ .message = message };
    return false;
}

/* One event while an answer is waited for. True: it is the answer, or the end. */
static bool is_over(struct acp *p, const struct acp_event *e, int64_t id,
                    const struct acp_wait *wait)
{
    switch (e->kind) {
    case ACP_UPDATED:
        if (wait->update)
            wait->update(wait->user, &e->update);
        return false;
    case ACP_ASKED:
        acp_cancel_ask(p, e->permission.id);
        return false;
    case ACP_ANSWERED:
        return e->answers == id;
    case ACP_ENDED:
        return true;
    case ACP_WITHDRAWN: /* it was answered when it came */
    case ACP_NOTHING:
        return false;
    }
    return false;
}

bool acp_call(struct acp *p, struct bough_arena *a, const char *method, struct bough_str params,
              const struct acp_wait *wait, struct json *result, struct acp_failure *failure)
{
    int64_t until = mono_us() / 1000 + wait->ms;
    int64_t id = acp_request(p, method, params);
    struct acp_event e;

    for (;;) {
        struct arena_mark mark = arena_mark(a);

        acp_next(p, a, SLICE_MS, &e);
        if (is_over(p, &e, id, wait))
            break;
        arena_rewind(a, mark);
        if (stopped(wait))
            return fail(failure, "it was cancelled");
        if (mono_us() / 1000 >= until)
            return fail(failure, arena_printf(a, "the agent did not answer %s in time", method));
    }
    *result = e.result;
    if (e.result.doc)
        return true;
    *failure = e.failure;
    return false;
}

/* ---- initialize ---- */

static const char *text_of(struct acp *p, struct json j, const char *key)
{
    const char *s = json_cstr(p->arena, j, key);

    return s ? s : "";
}

static bool is_there(struct json j, const char *key)
{
    struct json m = json_member(j, key);

    return m.doc && json_type(m) != JSON_NULL && json_type(m) != JSON_FALSE;
}

static void learn_agent(struct acp *p, struct json result)
{
    struct json can = json_member(result, "agentCapabilities");
    struct json prompt = json_member(can, "promptCapabilities");
    struct json session = json_member(can, "sessionCapabilities");
    struct json mcp = json_member(can, "mcpCapabilities");
    struct json info = json_member(result, "agentInfo");
    struct json auth = json_member(result, "authMethods");

    p->agent = (struct acp_agent){
        .name = text_of(p, info, "name"),
        .version = text_of(p, info, "version"),
        .load = is_there(can, "loadSession"),
        .resume = is_there(session, "resume"),
        .close = is_there(session, "close"),
        .image = is_there(prompt, "image"),
        .embedded = is_there(prompt, "embeddedContext"),
        .mcp_http = is_there(mcp, "http"),
        .mcp_sse = is_there(mcp, "sse"),
        .auth = str_of("[]"),
    };
    if (auth.doc && json_type(auth) == JSON_ARRAY)
        p->agent.auth = arena_str(p->arena, json_raw(auth));
}

const struct acp_agent *acp_agent(const struct acp *p)
{
    return &p->agent;
}

bool acp_initialize(struct acp *p, struct bough_arena *a, const struct acp_wait *wait,
                    struct acp_failure *failure)
{
    static const char params[] =
        "{\"protocolVersion\":1,\"clientInfo\":{\"name\":\"bough\",\"title\":\"bough\","
        "\"version\":\"" BOUGH_VERSION_TEXT "\"},\"clientCapabilities\":{\"fs\":{\"readTextFile\":"
        "false,\"writeTextFile\":false},\"terminal\":false,\"session\":{\"configOptions\":"
        "{\"boolean\":{}}}}}";
    struct json result;
    int64_t version = 1;

    if (!acp_call(p, a, "initialize", str_of(params), wait, &result, failure))
        return false;
    (void)json_i64(json_member(result, "protocolVersion"), &version);
    if (version != 1)
        return fail(failure, arena_printf(a, "the agent speaks version %lld of the protocol, not 1",
                                          (long long)version));
    learn_agent(p, result);
    return true;
}

/* {"NAME":"VALUE"} with the session in front. */
static struct bough_str pair(struct acp *p, struct bough_arena *a, const char *name,
                             const char *value)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 1 << 20);
    jw_init(&w, &b);
    jw_obj(&w);
    if (*p->session)
        jw_kv_cstr(&w, "sessionId", p->session);
    if (name)
        jw_kv_cstr(&w, name, value);
    jw_end_obj(&w);
    return buf_give(&b, a);
}

bool acp_authenticate(struct acp *p, struct bough_arena *a, const char *method,
                      const struct acp_wait *wait, struct acp_failure *failure)
{
    struct json result;

    return acp_call(p, a, "authenticate", pair(p, a, "methodId", method), wait, &result, failure);
}

/* ---- sessions ---- */

static struct bough_str session_params(struct bough_arena *a, const char *id, const char *dir,
                                       struct bough_str servers)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, ACP_LINE_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    if (id)
        jw_kv_cstr(&w, "sessionId", id);
    jw_kv_cstr(&w, "cwd", dir);
    jw_kv_raw(&w, "mcpServers", servers.n ? servers : str_of("[]"));
    jw_end_obj(&w);
    return buf_give(&b, a);
}

bool acp_session(struct acp *p, struct bough_arena *a, enum acp_begin how, const char *id,
                 const char *dir, struct bough_str servers, const struct acp_wait *wait,
                 struct acp_failure *failure)
{
    static const char *const methods[] = { "session/new", "session/load", "session/resume" };
    struct acp_wait swallow = { wait->ms, wait->cancel, NULL, NULL }; /* replay is not new */
    struct json result;
    const char *got;

    p->session = how == ACP_NEW ? "" : arena_strdup(p->arena, id);
    acp_forget_options(p);
    if (!acp_call(p, a, methods[how], session_params(a, how == ACP_NEW ? NULL : id, dir, servers),
                  &swallow, &result, failure)) {
        p->session = "";
        return false;
    }
    got = json_cstr(a, result, "sessionId");
    if (how == ACP_NEW && cstr_empty(got))
        return fail(failure, "the agent's answer to session/new has no session id");
    if (!cstr_empty(got))
        p->session = arena_strdup(p->arena, got);
    acp_learn_result(p, result);
    return true;
}

const char *acp_session_id(const struct acp *p)
{
    return p->session;
}

/* ---- options ---- */

static struct bough_str config_params(struct acp *p, struct bough_arena *a, const char *id,
                                      struct bough_str value)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 1 << 20);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "sessionId", p->session);
    jw_kv_cstr(&w, "configId", id);
    if (str_is(value, "true") || str_is(value, "false")) {
        jw_kv_cstr(&w, "type", "boolean");
        jw_kv_raw(&w, "value", value);
    } else {
        jw_kv_str(&w, "value", value);
    }
    jw_end_obj(&w);
    return buf_give(&b, a);
}

/* The id of the config option with this id or category; NULL: there is none. */
static const char *config_id(struct acp *p, struct bough_arena *a, const char *name)
{
    struct json root;
    struct json_iter it;

    if (!p->has.config || json_parse(a, str_of(p->has.config), &root, NULL))
        return NULL;
    it = json_iter(root);
    while (json_next(&it))
        if (json_is(json_member(it.value, "id"), name) ||
            json_is(json_member(it.value, "category"), name))
            return json_cstr(a, it.value, "id");
    return NULL;
}

bool acp_set_option(struct acp *p, struct bough_arena *a, const char *name, struct bough_str value,
                    const struct acp_wait *wait, struct acp_failure *failure)
{
    const char *id = config_id(p, a, name), *method = "session/set_config_option";
    const char *text = arena_strndup(a, value.p, value.n);
    struct bough_str params;
    struct json result;

    if (id) {
        params = config_params(p, a, id, value);
    } else if (strcmp(name, "mode") == 0 && p->has.modes) {
        method = "session/set_mode";
        params = pair(p, a, "modeId", text);
    } else if (strcmp(name, "model") == 0 && p->has.models) {
        method = "session/set_model"; /* in no schema any more; agents with `models` have it */
        params = pair(p, a, "modelId", text);
    } else {
        return fail(failure, arena_printf(a, "the agent has no option \"%s\"", name));
    }
    if (!acp_call(p, a, method, params, wait, &result, failure))
        return false;
    acp_learn_result(p, result);
    if (!id && strcmp(name, "mode") == 0)
        acp_learn_update(p, &(struct acp_update){ .kind = ACP_MODE, .mode = text });
    return true;
}
