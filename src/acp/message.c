/* Messages of an agent, one after the other, and what is sent to it. */
#include <string.h>

#include "acp/inside.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

/* ---- sending ---- */

static void begin(struct json_writer *w, struct buf *b)
{
    buf_init(b, ACP_LINE_MOST);
    jw_init(w, b);
    jw_obj(w);
    jw_kv_cstr(w, "jsonrpc", "2.0");
}

static void send_call(struct acp *p, int64_t id, const char *method, struct bough_str params)
{
    struct json_writer w;
    struct buf b;

    begin(&w, &b);
    if (id)
        jw_kv_i64(&w, "id", id);
    jw_kv_cstr(&w, "method", method);
    jw_kv_raw(&w, "params", params);
    rpc_end(&w);
    acp_send(p, &b);
    buf_finish(&b);
}

int64_t acp_request(struct acp *p, const char *method, struct bough_str params)
{
    send_call(p, ++p->requests, method, params);
    return p->requests;
}

void acp_notify(struct acp *p, const char *method, struct bough_str params)
{
    send_call(p, 0, method, params);
}

void acp_select(struct acp *p, struct json request, const char *option)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, ACP_LINE_MOST);
    rpc_begin_result(&w, &b, request);
    jw_obj(&w);
    jw_key(&w, "outcome");
    jw_obj(&w);
    jw_kv_cstr(&w, "outcome", option ? "selected" : "cancelled");
    if (option)
        jw_kv_cstr(&w, "optionId", option);
    jw_end_obj(&w);
    jw_end_obj(&w);
    rpc_end(&w);
    acp_send(p, &b);
    buf_finish(&b);
}

void acp_cancel_ask(struct acp *p, struct json request)
{
    acp_select(p, request, NULL);
}

void acp_refuse(struct acp *p, struct json request, int code, const char *why)
{
    struct buf b;

    buf_init(&b, ACP_LINE_MOST);
    rpc_error(&b, request, code, why, str_make("", 0));
    acp_send(p, &b);
    buf_finish(&b);
}

/* ---- receiving ---- */

/* Is it about our session? Before there is one, everything is. */
static bool is_ours(const struct acp *p, struct json params)
{
    struct json id = json_member(params, "sessionId");

    return !*p->session || !id.doc || json_type(id) != JSON_STRING || json_is(id, p->session);
}

static bool take_update(struct acp *p, struct bough_arena *a, struct json params,
                        struct acp_event *out)
{
    if (!is_ours(p, params) || !acp_update_read(a, json_member(params, "update"), &out->update))
        return false;
    acp_learn_update(p, &out->update);
    out->kind = ACP_UPDATED;
    return true;
}

static bool take_request(struct acp *p, struct bough_arena *a, const struct rpc_message *m,
                         struct acp_event *out)
{
    if (strcmp(m->method, "session/request_permission") != 0) {
        acp_refuse(p, m->id, RPC_NO_METHOD, "bough does not offer this");
        return false;
    }
    if (!acp_permission_read(a, m->params, &out->permission)) {
        acp_refuse(p, m->id, RPC_INVALID_PARAMS, "toolCall.toolCallId is missing");
        return false;
    }
    out->permission.id = m->id;
    out->kind = ACP_ASKED;
    return true;
}

static bool take_notification(struct acp *p, struct bough_arena *a, const struct rpc_message *m,
                              struct acp_event *out)
{
    if (strcmp(m->method, "session/update") == 0)
        return take_update(p, a, m->params, out);
    if (strcmp(m->method, "$/cancel_request") != 0)
        return false;
    out->id = json_member(m->params, "requestId");
    out->kind = ACP_WITHDRAWN;
    return out->id.doc != NULL;
}

static void read_failure(struct bough_arena *a, struct json error, struct acp_failure *out)
{
    struct json data = json_member(error, "data");
    const char *message = json_cstr(a, error, "message");
    int64_t code = RPC_INTERNAL;

    (void)json_i64(json_member(error, "code"), &code);
    *out = (struct acp_failure){ (int)code, message ? message : "the agent reported an error",
                                 data.doc ? json_raw(data) : str_make("", 0) };
}

/* Our requests have numbers; an agent that echoes them as text is understood too. */
static int64_t number_of(struct bough_arena *a, struct json id)
{
    struct bough_str text;
    int64_t n = 0;

    if (json_i64(id, &n))
        return n;
    if (json_str(a, id, &text))
        for (size_t i = 0; i < text.n && i < 15; i++)
            n = text.p[i] >= '0' && text.p[i] <= '9' ? n * 10 + (text.p[i] - '0') : 0;
    return n;
}

static bool take_answer(struct bough_arena *a, const struct rpc_message *m, struct acp_event *out)
{
    out->answers = number_of(a, m->id);
    out->result = m->result;
    if (m->error.doc)
        read_failure(a, m->error, &out->failure);
    out->kind = ACP_ANSWERED;
    return true;
}

/* True: *out is an event. */
static bool take_line(struct acp *p, struct bough_arena *a, struct bough_str line,
                      struct acp_event *out)
{
    struct rpc_message m;
    struct rpc_bad bad;

    if (!rpc_read(a, line, &m, &bad)) {
        if (bad.id.doc)
            acp_refuse(p, bad.id, bad.code, bad.why);
        return false;
    }
    switch (m.kind) {
    case RPC_REQUEST:
        return take_request(p, a, &m, out);
    case RPC_NOTIFICATION:
        return take_notification(p, a, &m, out);
    case RPC_ANSWER:
        return take_answer(a, &m, out);
    }
    return false;
}

static void say_gone(struct acp *p, struct bough_arena *a, struct acp_event *out)
{
    pthread_mutex_lock(&p->lock);
    if (p->too_long)
        out->failure.message = "the agent sent a line of more than 64 MB";
    else if (p->gone)
        out->failure.message = arena_strdup(a, p->why);
    pthread_mutex_unlock(&p->lock);
    if (out->failure.message)
        out->kind = ACP_ENDED;
}

void acp_next(struct acp *p, struct bough_arena *a, int64_t wait_ms, struct acp_event *out)
{
    int64_t until = 0;
    const struct acp_line *l;

    *out = (struct acp_event){ .kind = ACP_NOTHING };
    l = acp_take(p, 0); /* usually one is there: no clock is read then */
    if (!l) {
        until = mono_us() / 1000 + wait_ms;
        l = acp_take(p, wait_ms);
    }
    while (l) {
        if (take_line(p, a, arena_str(a, l->text), out))
            return;
        *out = (struct acp_event){ .kind = ACP_NOTHING };
        l = acp_take(p, until ? until - mono_us() / 1000 : 0);
    }
    say_gone(p, a, out);
}
