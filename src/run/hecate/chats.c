/* Agent chat sessions: list, create, get, delete, cancel, close. */
#include <stdlib.h>
#include <string.h>

#include "api/kit/body.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "run/hecate/hecate.h"

enum { STOP_MS = 3000 };

/* ---- list ---- */

struct chat_list {
    struct bough_session **at;
    size_t n;
    struct smap seen;
};

static void add_chat(struct http_req *req, struct chat_list *l, struct bough_session *s)
{
    uint64_t at;

    if (s->deleted || hecate_is_task(s) || smap_get(&l->seen, str_of(s->id), &at))
        return;
    smap_put(&l->seen, str_of(s->id), l->n);
    l->at = arena_room(req->arena, l->at, l->n, sizeof *l->at);
    l->at[l->n++] = s;
}

/* Sessions that were created here, and those of the latest runs. */
static enum bough_rc find_chats(struct http_req *req, struct chat_list *l, int64_t limit,
                                struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_session_list_options made = { .project = call->who->project,
                                               .role_name = HECATE_ROLE_CHAT,
                                               .order = BOUGH_BY_UPDATED,
                                               .limit = limit };
    struct bough_run_list_options ran = { .project = call->who->project, .limit = HECATE_RUNS_MAX };
    struct bough_sessions sessions;
    struct bough_session *s;
    struct bough_runs runs;
    enum bough_rc rc = bough_session_list(call->store, req->arena, &made, &sessions, err);

    if (!rc)
        rc = bough_run_list(call->store, req->arena, &ran, &runs, err);
    for (size_t i = 0; !rc && i < sessions.n; i++)
        add_chat(req, l, &sessions.at[i]);
    for (size_t i = 0; !rc && i < runs.n; i++) {
        uint64_t at;

        if (!smap_get(&l->seen, str_of(runs.at[i].session), &at) &&
            api_session_named(req, runs.at[i].session, &s, NULL) == BOUGH_OK)
            add_chat(req, l, s);
    }
    return rc;
}

static int newest_first(const void *x, const void *y)
{
    const struct bough_session *a = *(struct bough_session *const *)x;
    const struct bough_session *b = *(struct bough_session *const *)y;

    return a->updated != b->updated ? (a->updated < b->updated ? 1 : -1) : strcmp(b->id, a->id);
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct chat_list l = { 0 };
    struct hecate_chat chat;
    struct json_writer *w;
    int64_t limit;
    enum bough_rc rc = http_query_i64(req, "limit", HECATE_LIST, 1, HECATE_LIST_MAX, &limit, err);

    if (rc)
        return hecate_done(res, rc, err);
    smap_init(&l.seen);
    rc = find_chats(req, &l, limit, err);
    smap_finish(&l.seen);
    if (rc)
        return hecate_done(res, rc, err);
    if (l.n)
        qsort(l.at, l.n, sizeof *l.at, newest_first);
    w = hecate_begin(res, "agent_chat_sessions");
    jw_arr(w);
    for (size_t i = 0; !rc && i < l.n && i < (size_t)limit; i++) {
        rc = hecate_chat_read(req, req->arena, l.at[i], false, &chat, err);
        if (!rc)
            hecate_put_summary(w, &chat);
    }
    jw_end_arr(w);
    jw_end_obj(w);
    return hecate_done(res, rc, err);
}

/* ---- create ---- */

struct chat_new {
    const char *title, *runtime, *adapter, *workspace, *provider, *model;
};

static const char *or_empty(struct bough_arena *a, const char *text)
{
    size_t n;

    if (!text)
        return "";
    while (*text && strchr(" \t\r\n", *text))
        text++;
    for (n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
        ;
    return arena_strndup(a, text, n);
}

static void fill(struct http_req *req, struct chat_new *in)
{
    const char **members[] = { &in->title,     &in->runtime,  &in->adapter,
                               &in->workspace, &in->provider, &in->model };

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        *members[i] = or_empty(req->arena, *members[i]);
    if (!*in->runtime)
        in->runtime = *in->adapter ? "external_agent" : "model";
}

static enum bough_rc check(struct http_req *req, struct http_res *res, struct chat_new *in,
                           struct bough_error *err)
{
    bool model = strcmp(in->runtime, "model") == 0;
    bool external = strcmp(in->runtime, "external_agent") == 0;
    enum bough_rc rc;

    if (!model && !external && strcmp(in->runtime, "agent") != 0)
        return hecate_refuse(res, 400, "agent_chat.runtime_kind_invalid", str_of(""),
                             "runtime_kind must be model, agent or external_agent");
    rc = hecate_check_workspace(req, res, !model, &in->workspace, err);
    if (rc)
        return rc;
    return external ? hecate_check_adapter(req, res, in->adapter, err)
                    : hecate_check_model(req, res, in->provider, in->model, !model, err);
}

static const char *title_of(struct http_req *req, const struct chat_new *in)
{
    if (*in->title)
        return in->title;
    if (strcmp(in->runtime, "external_agent") == 0)
        return arena_printf(req->arena, "%s chat", in->adapter);
    return strcmp(in->runtime, "agent") == 0 ? "Hecate Agent chat" : "Hecate Chat";
}

static enum bough_rc create(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "title", API_TEXT, offsetof(struct chat_new, title) },
        { "runtime_kind", API_TEXT, offsetof(struct chat_new, runtime) },
        { "adapter_id", API_TEXT, offsetof(struct chat_new, adapter) },
        { "workspace", API_TEXT, offsetof(struct chat_new, workspace) },
        { "provider", API_TEXT, offsetof(struct chat_new, provider) },
        { "model", API_TEXT, offsetof(struct chat_new, model) },
        { 0 },
    };
    struct bough_session_create_options how = { .project = api_of(req)->who->project,
                                                .role_name = HECATE_ROLE_CHAT };
    struct hecate_settings set;
    struct chat_new in = { 0 };
    struct bough_session *s;
    enum bough_rc rc = api_body(req, members, &in, err);

    if (!rc) {
        fill(req, &in);
        rc = check(req, res, &in, err);
    }
    if (rc)
        return hecate_done(res, rc, err);
    set = (struct hecate_settings){ in.runtime, in.adapter, in.workspace,
                                    hecate_branch(req->arena, in.workspace), 0 };
    how.title = title_of(req, &in);
    how.workspace = in.workspace;
    how.model_provider = in.provider;
    how.model_name = in.model;
    how.metadata = hecate_settings_write(req->arena, str_of(""), &set);
    rc = bough_session_create(api_of(req)->store, req->arena, &how, &s, err);
    if (!rc)
        rc = hecate_write_chat(req, http_json(res, 200), s->id, err);
    return hecate_done(res, rc, err);
}

/* ---- one session ---- */

static enum bough_rc get(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = hecate_chat_session(req, &s, err);

    if (!rc)
        rc = hecate_write_chat(req, http_json(res, 200), s->id, err);
    return hecate_done(res, rc, err);
}

/* Cancel the live run, if there is one, and wait for its end. Answers 409 when it takes longer. */
static enum bough_rc stop(struct http_req *req, struct http_res *res, const char *session,
                          struct bough_error *err)
{
    struct bough_run_cancel_options how = { .keep_queue = true };
    struct bough_run *run;
    bool ended = false;
    enum bough_rc rc = hecate_latest(req, req->arena, session, &run, err);

    if (rc || !run || bough_run_ended(run->status))
        return rc;
    rc = bough_run_cancel(api_of(req)->store, req->arena, run->id, &how, &run, err);
    if (rc == BOUGH_CONFLICT) /* it has ended meanwhile */
        return BOUGH_OK;
    if (!rc)
        rc = hecate_wait_end(req, run->id, STOP_MS, &ended, err);
    if (!rc && !ended)
        return hecate_refuse(res, 409, "agent_chat.session_stopping", str_of(""),
                             "run %s is still stopping", run->id);
    return rc;
}

static enum bough_rc destroy(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = hecate_chat_session(req, &s, err);

    if (!rc)
        rc = stop(req, res, s->id, err);
    if (!rc)
        rc = bough_session_purge(api_of(req)->store, req->arena, s->id, NULL, err);
    return hecate_done(res, api_done(res, rc), err);
}

static enum bough_rc cancel(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    struct bough_run *run = NULL;
    enum bough_rc rc = hecate_chat_session(req, &s, err);

    if (!rc)
        rc = hecate_latest(req, req->arena, s->id, &run, err);
    if (!rc && run && !bough_run_ended(run->status))
        rc = bough_run_cancel(api_of(req)->store, req->arena, run->id, NULL, &run, err);
    else if (!rc)
        rc = BOUGH_CONFLICT;
    if (rc == BOUGH_CONFLICT)
        return hecate_refuse(res, 409, "agent_chat.session_not_running", str_of(""),
                             "no run of this session is running");
    if (!rc)
        rc = hecate_write_chat(req, http_json(res, 202), s->id, err);
    return hecate_done(res, rc, err);
}

/* The agent's own session is forgotten; the history stays. */
static enum bough_rc close_chat(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_update_options edit = { 0 };
    struct hecate_settings set;
    struct bough_session *s;
    struct bough_run *run;
    enum bough_rc rc = hecate_chat_session(req, &s, err);

    if (!rc)
        rc = stop(req, res, s->id, err);
    if (!rc)
        rc = hecate_latest(req, req->arena, s->id, &run, err);
    if (!rc && run) {
        hecate_end_agent(req, run);
        hecate_settings_read(req->arena, s, &set);
        set.closed = run->number;
        edit.metadata = hecate_settings_write(req->arena, s->metadata, &set);
        rc = bough_session_update(api_of(req)->store, s->id, &edit, err);
    }
    if (!rc)
        rc = hecate_write_chat(req, http_json(res, 200), s->id, err);
    return hecate_done(res, rc, err);
}

static const struct http_field list_query[] = {
    { "limit", HTTP_INTEGER, "Maximum number of sessions (default 50).", .least = 1,
      .most = HECATE_LIST_MAX },
    { 0 },
};

const struct http_route hecate_chat_routes[] = {
    { "GET", "/hecate/v1/agent-chat/sessions", list, AUTH_READ,
      "Hecate: list agent chats: sessions that were created as such, or that have runs.",
      list_query, .gives = "HecateAgentChats", .errors = &hecate_errors },
    { "POST", "/hecate/v1/agent-chat/sessions", create, AUTH_APPEND,
      "Hecate: create an agent chat.", .takes = "HecateAgentChatNew",
      .gives = "HecateAgentChatAnswer", .errors = &hecate_errors },
    { "GET", "/hecate/v1/agent-chat/sessions/{id}", get, AUTH_READ,
      "Hecate: get an agent chat with its segments and messages.", .gives = "HecateAgentChatAnswer",
      .errors = &hecate_errors },
    { "DELETE", "/hecate/v1/agent-chat/sessions/{id}", destroy, AUTH_DELETE,
      "Hecate: permanently delete an agent chat; a run is cancelled first.", .status = 204,
      .errors = &hecate_errors },
    { "POST", "/hecate/v1/agent-chat/sessions/{id}/cancel", cancel, AUTH_RUN,
      "Hecate: stop the run of an agent chat.", .gives = "HecateAgentChatAnswer", .status = 202,
      .errors = &hecate_errors },
    { "POST", "/hecate/v1/agent-chat/sessions/{id}/close", close_chat, AUTH_RUN,
      "Hecate: stop the run and forget the agent's own session; the history stays.",
      .gives = "HecateAgentChatAnswer", .errors = &hecate_errors },
    { 0 },
};
