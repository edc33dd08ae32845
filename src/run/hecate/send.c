/* Sending a message to an agent chat, and waiting for the end of its turn. */
#include <string.h>

#include "api/kit/body.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/hecate/hecate.h"

enum { TURN_MS = 30 * 60 * 1000 };

struct sent {
    const char *content, *runtime, *provider, *model, *system_prompt, *workspace;
};

/* ---- waiting ---- */

struct waiting {
    const char *session, *run;
    int64_t until; /* on the monotonic clock, in ms */
};

/* The turn may take half an hour: each look is short, and no worker waits in between. */
static enum bough_rc pull(struct http_req *req, struct http_res *res, enum http_more *more,
                          struct bough_error *err)
{
    struct waiting *x = req->state;
    struct bough_arena *tmp = bough_arena_create();
    struct bough_run *run;
    enum bough_rc rc = bough_run_get(api_of(req)->store, tmp, x->run, &run, err);

    *more = HTTP_LATER;
    if (!rc && (bough_run_ended(run->status) || mono_us() / 1000 >= x->until)) {
        rc = hecate_write_chat(req, http_json_more(res), x->session, err);
        *more = HTTP_END;
    }
    bough_arena_destroy(tmp);
    return rc;
}

static void wait_for(struct http_req *req, struct http_res *res, const struct bough_run *run)
{
    struct waiting *x = arena_zalloc(req->arena, sizeof *x);

    x->session = arena_strdup(req->arena, run->session);
    x->run = arena_strdup(req->arena, run->id);
    x->until = mono_us() / 1000 + TURN_MS;
    req->state = x;
    (void)http_json(res, 200);
    http_pull(res, pull, HECATE_LOOK_MS);
}

/* ---- what is asked for ---- */

static bool is_blank(const char *text)
{
    return !text || text[strspn(text, " \t\r\n")] == '\0';
}

/* The kind of this turn, and whether the chat can have one: external chats stay external. */
static enum bough_rc read_runtime(struct http_res *res, const struct hecate_chat *chat,
                                  const char *asked, enum bough_run_runtime *out)
{
    bool external = chat->runs.n ? chat->runs.at[0].runtime == BOUGH_RUNTIME_EXTERNAL
                                 : strcmp(chat->set.runtime, "external_agent") == 0;
    const char *last =
        chat->runs.n ? hecate_runtime_name(chat->runs.at[0].runtime) : chat->set.runtime;
    const char *word = is_blank(asked) ? last : asked;

    if (strcmp(word, "external_agent") == 0)
        *out = BOUGH_RUNTIME_EXTERNAL;
    else if (strcmp(word, "external") == 0 || !bough_run_runtime_parse(word, out))
        return hecate_refuse(res, 400, "agent_chat.runtime_kind_invalid", str_of(""),
                             "runtime_kind must be model, agent or external_agent");
    if (external != (*out == BOUGH_RUNTIME_EXTERNAL))
        return hecate_refuse(res, 400, "agent_chat.runtime_mismatch", str_of(""),
                             external ? "the chat of an external agent has no other turns"
                                      : "only the chat of an external agent has its turns");
    return BOUGH_OK;
}

static const char *first_of(const char *a, const char *b, const char *c)
{
    return !cstr_empty(a) ? a : !cstr_empty(b) ? b : c;
}

static enum bough_rc check_needs(struct http_req *req, struct http_res *res,
                                 const struct hecate_chat *chat, const struct sent *in,
                                 struct run_begin_options *how, struct bough_error *err)
{
    const struct bough_run *last = chat->runs.n ? &chat->runs.at[0] : NULL;
    const struct bough_session *s = chat->session;
    bool external = how->runtime == BOUGH_RUNTIME_EXTERNAL;
    enum bough_rc rc;

    if (how->runtime != BOUGH_RUNTIME_MODEL)
        how->workspace = first_of(in->workspace, last ? last->workspace : "", chat->set.workspace);
    rc =
        hecate_check_workspace(req, res, how->runtime != BOUGH_RUNTIME_MODEL, &how->workspace, err);
    if (rc)
        return rc;
    if (external) {
        how->fresh = last && last->number <= chat->set.closed;
        how->adapter = first_of(last ? last->adapter : "", chat->set.adapter, "");
        return hecate_check_adapter(req, res, how->adapter, err);
    }
    how->model = first_of(in->model, last ? last->model : "", s->model_name);
    how->provider = !cstr_empty(in->model)
                        ? in->provider
                        : first_of(in->provider, last ? last->provider : "", s->model_provider);
    return hecate_check_model(req, res, how->provider, how->model,
                              how->runtime == BOUGH_RUNTIME_AGENT, err);
}

static enum bough_rc begin(struct http_req *req, struct http_res *res, struct bough_session *s,
                           const struct sent *in, struct run_begun *begun, struct bough_error *err)
{
    struct run_begin_options how = { .session = s->id,
                                     .principal = hecate_principal(req),
                                     .project = api_of(req)->who->project,
                                     .text = in->content,
                                     .system_prompt = in->system_prompt,
                                     .key = api_of(req)->key };
    struct hecate_chat chat;
    struct runner *r;
    enum bough_rc rc = hecate_chat_read(req, req->arena, s, false, &chat, err);

    if (!rc && is_blank(in->content))
        rc = bough_fail(err, BOUGH_INVALID, "content is required");
    if (!rc)
        rc = read_runtime(res, &chat, in->runtime, &how.runtime);
    /* C21: of a busy session the answer is that, whatever else is missing. */
    if (!rc && !how.key && chat.runs.n && !bough_run_ended(chat.runs.at[0].status))
        return hecate_busy(req, res, s->id, err);
    if (!rc && !how.key)
        rc = hecate_check_limits(req, res, &chat);
    if (!rc)
        rc = check_needs(req, res, &chat, in, &how, err);
    if (!rc)
        rc = hecate_runner(req, &r, err);
    if (!rc)
        rc = run_begin(r, req->arena, &how, begun, err);
    return rc == BOUGH_BUSY ? hecate_busy(req, res, s->id, err) : rc;
}

static enum bough_rc send(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "content", API_TEXT, offsetof(struct sent, content) },
        { "runtime_kind", API_TEXT, offsetof(struct sent, runtime) },
        { "provider", API_TEXT, offsetof(struct sent, provider) },
        { "model", API_TEXT, offsetof(struct sent, model) },
        { "system_prompt", API_TEXT, offsetof(struct sent, system_prompt) },
        { "workspace", API_TEXT, offsetof(struct sent, workspace) },
        { 0 },
    };
    struct run_begun begun = { 0 };
    struct sent in = { 0 };
    struct bough_session *s;
    enum bough_rc rc = hecate_chat_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &in, err);
    if (!rc)
        rc = begin(req, res, s, &in, &begun, err);
    if (!rc && begun.run)
        wait_for(req, res, begun.run);
    return hecate_done(res, rc, err);
}

const struct http_route hecate_send_routes[] = {
    { "POST", "/hecate/v1/agent-chat/sessions/{id}/messages", send, AUTH_RUN,
      "Hecate: send a message. The answer comes when the turn has ended: the whole chat, also of a "
      "turn that failed.",
      .takes = "HecateAgentMessageNew", .gives = "HecateAgentChatAnswer",
      .flags = HTTP_STREAMS | HTTP_KEYED, .errors = &hecate_errors },
    { 0 },
};
