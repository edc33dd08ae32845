/* /hecate/v1/chat/sessions: Hecate's chat sessions. */
#include "api/originals/hecate.h"
#include "api/kit/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/sessions/session.h"

enum { LIST_DEFAULT = 50, LIST_MAX = 200, OFFSET_MAX = LIMIT_PAGE - LIST_MAX - 1, PAGE = 500 };

enum bough_rc hecate_session(struct http_req *req, struct bough_session **out,
                             struct bough_error *err)
{
    enum bough_rc rc;

    for (size_t i = 0; i < req->nparams; i++)
        if (strcmp(req->params[i].name, "id") == 0)
            req->params[i].value = hecate_id_read("chat_", req->params[i].value);
    rc = api_session(req, out, err);
    if (rc == BOUGH_GONE || (!rc && (*out)->deleted))
        return bough_fail(err, BOUGH_NOT_FOUND, "no session %.60s", http_param(req, "id"));
    return rc;
}

enum bough_rc hecate_idle(struct http_req *req, struct http_res *res, const struct bough_session *s,
                          const char *owner)
{
    struct json_writer w;
    struct buf b;

    if (!session_held(api_of(req)->store, s) || (owner && strcmp(owner, s->lease->owner) == 0))
        return BOUGH_OK;
    buf_init(&b, 64 * 1024);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "owner", s->lease->owner);
    hecate_time(&w, "since", s->lease->since);
    jw_end_obj(&w);
    http_detail(res, buf_str(&b));
    buf_finish(&b);
    return http_refuse(res, 409, "busy", "the session is in use by %.80s", s->lease->owner);
}

/* ---- list ---- */

/* Parse a non-negative number, capped at `most`; absent is `fallback`. False is answered with 400
 * (C12). */
static bool read_count(const char *text, int64_t fallback, int64_t most, int64_t *out)
{
    *out = fallback;
    if (!text || !*text)
        return true;
    if (!json_span_i64(str_of(text), out) || *out < 0)
        return false;
    *out = *out > most ? most : *out;
    return true;
}

struct json_writer *hecate_begin(struct http_res *res, const char *object)
{
    struct json_writer *w = http_json(res, 200);

    jw_obj(w);
    jw_kv_cstr(w, "object", object);
    jw_key(w, "data");
    return w;
}

/* C16: `messages` is what a GET of the session shows. */
static void put_summary(struct json_writer *w, const struct bough_session *s, int64_t messages)
{
    jw_obj(w);
    hecate_id(w, "id", "chat_", s->id);
    jw_kv_cstr(w, "title", s->title);
    jw_kv_i64(w, "message_count", messages);
    jw_kv_i64(w, "provider_call_count", s->calls);
    hecate_time(w, "created_at", s->created);
    hecate_time(w, "updated_at", s->updated);
    if (s->calls) {
        jw_opt_cstr(w, "last_model", s->last_model);
        jw_opt_cstr(w, "last_provider", s->last_provider);
        hecate_cost(w, "last_cost_usd", s->last_cost);
        jw_opt_cstr(w, "last_request_id", s->last_request_id);
    }
    jw_end_obj(w);
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_session_list_options filter = { .project = call->who->project,
                                                 .order = BOUGH_BY_UPDATED };
    struct bough_sessions found;
    struct json_writer *w;
    int64_t limit, offset, *counts;
    enum bough_rc rc;

    if (!read_count(http_query(req, "limit"), LIST_DEFAULT, LIST_MAX, &limit) ||
        !read_count(http_query(req, "offset"), 0, OFFSET_MAX, &offset))
        return http_refuse(res, 400, "invalid_request",
                           "limit and offset must be non-negative integers");
    filter.limit = offset + limit + 1;
    rc = bough_session_list(call->store, req->arena, &filter, &found, err);
    if (rc)
        return rc;
    counts = arena_array(req->arena, found.n + 1, sizeof *counts);
    for (int64_t i = offset; !rc && i < (int64_t)found.n && i < offset + limit; i++)
        rc = session_path_messages(call->store, &found.at[i], &counts[i], err);
    if (rc)
        return rc;
    w = hecate_begin(res, "chat_sessions");
    jw_arr(w);
    for (int64_t i = offset; i < (int64_t)found.n && i < offset + limit; i++)
        put_summary(w, &found.at[i], counts[i]);
    jw_end_arr(w);
    jw_kv_bool(w, "has_more", (int64_t)found.n > offset + limit);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- one session ---- */

static enum bough_rc put_messages(struct http_req *req, struct http_res *res, struct json_writer *w,
                                  const char *id, struct bough_error *err)
{
    struct bough_entries_read_options how = { .what = BOUGH_ENTRIES_PATH,
                                              .messages = true,
                                              .limit = PAGE };
    struct bough_entries_read_result page;
    char cursor[BOUGH_CURSOR_LEN + 1];
    enum bough_rc rc;

    do {
        struct bough_arena *a = bough_arena_create();

        rc = bough_entries_read(api_of(req)->store, a, id, &how, &page, err);
        for (size_t i = 0; !rc && i < page.entries.n; i++)
            hecate_message(w, a, &page.entries.at[i]);
        snprintf(cursor, sizeof cursor, "%s", rc ? "" : page.entries.next);
        how.cursor = cursor;
        bough_arena_destroy(a);
        http_spill(res);
    } while (*cursor);
    return rc;
}

static enum bough_rc put_session(struct http_req *req, struct http_res *res,
                                 const struct bough_session *s, struct bough_error *err)
{
    struct bough_calls calls;
    struct json_writer *w;
    enum bough_rc rc = bough_call_list(api_of(req)->store, req->arena, s->id, &calls, err);

    if (rc)
        return rc;
    w = hecate_begin(res, "chat_session");
    jw_obj(w);
    hecate_id(w, "id", "chat_", s->id);
    jw_kv_cstr(w, "title", s->title);
    jw_kv_cstr(w, "system_prompt", s->system_prompt);
    jw_kv_cstr(w, "user", s->user_name);
    hecate_time(w, "created_at", s->created);
    hecate_time(w, "updated_at", s->updated);
    jw_key(w, "messages");
    jw_arr(w);
    rc = put_messages(req, res, w, s->id, err);
    jw_end_arr(w);
    jw_key(w, "provider_calls");
    jw_arr(w);
    for (size_t i = 0; i < calls.n; i++)
        hecate_call(w, &calls.at[i]);
    jw_end_arr(w);
    jw_end_obj(w);
    jw_end_obj(w);
    return rc;
}

static enum bough_rc get(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = hecate_session(req, &s, err);

    return rc ? rc : put_session(req, res, s, err);
}

/* ---- create, patch, delete ---- */

static const char *trim(struct bough_arena *a, const char *text)
{
    size_t n;

    while (*text && strchr(" \t\r\n", *text))
        text++;
    for (n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
        ;
    return arena_strndup(a, text, n);
}

static enum bough_rc create(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "title", API_TEXT, offsetof(struct bough_session_create_options, title) },
        { "system_prompt", API_TEXT, offsetof(struct bough_session_create_options, system_prompt) },
        { "user", API_TEXT, offsetof(struct bough_session_create_options, user_name) },
        { 0 },
    };
    const struct api_call *call = api_of(req);
    struct bough_session_create_options in = { .project = call->who->project };
    struct bough_session *s;
    enum bough_rc rc = api_body(req, members, &in, err);

    if (rc)
        return rc;
    in.title = trim(req->arena, in.title ? in.title : "");
    if (!*in.title)
        in.title = "New chat";
    rc = bough_session_create(call->store, req->arena, &in, &s, err);
    return rc ? rc : put_session(req, res, s, err);
}

static enum bough_rc patch(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "title", API_TEXT, offsetof(struct bough_session_update_options, title) },
        { "system_prompt", API_TEXT, offsetof(struct bough_session_update_options, system_prompt) },
        { 0 },
    };
    struct bough_session_update_options edit = { 0 };
    struct bough_session *s;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &edit, err);
    if (rc)
        return rc;
    if (!edit.title && !edit.system_prompt)
        return http_refuse(res, 400, "invalid_request", "title or system_prompt is required");
    if (edit.title)
        edit.title = trim(req->arena, edit.title);
    if (edit.title && !*edit.title)
        return http_refuse(res, 400, "invalid_request", "title must not be blank");
    rc = bough_session_update(api_of(req)->store, s->id, &edit, err);
    if (!rc)
        rc = bough_session_get(api_of(req)->store, req->arena, s->id, &s, err);
    return rc ? rc : put_session(req, res, s, err);
}

static enum bough_rc destroy(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_purge_result report;
    struct bough_session *s;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = bough_session_purge(api_of(req)->store, req->arena, s->id, &report, err);
    return api_done(res, rc);
}

/* ---- recording an exchange ---- */

static enum bough_rc read_history(struct http_req *req, struct json list,
                                  struct bough_record_options *out, struct bough_error *err)
{
    struct json_iter it = json_iter(list);
    struct bough_entry_new *history =
        arena_array(req->arena, json_count(list) + 1, sizeof *history);
    enum bough_rc rc = BOUGH_OK;

    if (json_type(list) != JSON_ARRAY)
        return bough_fail(err, BOUGH_INVALID, "messages must be a list");
    while (!rc && json_next(&it))
        rc = hecate_message_read(req->arena, it.value, &history[out->nhistory++], err);
    out->history = history;
    return rc;
}

struct exchange {
    struct json messages, reply, call;
    const char *owner;
};

static enum bough_rc read_exchange(struct http_req *req, struct exchange *x,
                                   struct bough_record_options *out, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "messages", API_LIST, offsetof(struct exchange, messages) },
        { "reply", API_OBJECT, offsetof(struct exchange, reply) },
        { "provider_call", API_OBJECT, offsetof(struct exchange, call) },
        { "owner", API_TEXT, offsetof(struct exchange, owner) },
        { 0 },
    };
    static const struct bough_totals nothing;
    struct bough_entry_new *reply = arena_zalloc(req->arena, sizeof *reply);
    struct bough_call_new *call = arena_zalloc(req->arena, sizeof *call);
    enum bough_rc rc = api_body(req, members, x, err);

    if (!rc)
        rc = read_history(req, x->messages, out, err);
    if (!rc && x->reply.doc) {
        rc = hecate_message_read(req->arena, x->reply, reply, err);
        out->reply = reply;
    }
    if (!rc && x->call.doc) {
        rc = hecate_call_read(req, x->call, call, err);
        out->call = call;
    }
    if (x->reply.doc && !x->call.doc) /* every reply has a call (C8): one is made for its usage */
        reply->usage = &nothing;
    return rc;
}

/* C21: the detail says who has the session and since when. */
static enum bough_rc busy(struct http_req *req, struct http_res *res, struct bough_session *s,
                          enum bough_rc why, struct bough_error *err)
{
    enum bough_rc rc = bough_session_get(api_of(req)->store, req->arena, s->id, &s, NULL);

    if (!rc)
        rc = hecate_idle(req, res, s, NULL);
    /* the lease has ended meanwhile */
    return rc ? rc : bough_fail(err, why, "the session was in use; try again");
}

static enum bough_rc record(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_record_options in = { .key = api_of(req)->key };
    struct exchange x = { .owner = NULL };
    struct bough_record_result out;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = read_exchange(req, &x, &in, err);
    in.owner = x.owner;
    if (!rc)
        rc = bough_record(api_of(req)->store, req->arena, s->id, &in, &out, err);
    if (rc == BOUGH_BUSY)
        return busy(req, res, s, rc, err);
    if (rc)
        return rc;
    w = hecate_begin(res, "chat_exchange");
    jw_obj(w);
    hecate_id(w, "session_id", "chat_", s->id);
    jw_kv_i64(w, "matched", (int64_t)out.matched);
    jw_kv_bool(w, "branched", out.branched);
    if (out.appended.call[0])
        hecate_id(w, "call_id", "call_", out.appended.call);
    jw_key(w, "message_ids");
    jw_arr(w);
    for (size_t i = 0; i < out.appended.n; i++)
        jw_cstr(w, arena_printf(req->arena, "msg_%s", out.appended.ids[i]));
    jw_end_arr(w);
    jw_end_obj(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static const struct http_field list_query[] = {
    { "limit", HTTP_STRING, "Maximum number of sessions (default 50, at most 200)." },
    { "offset", HTTP_STRING, "Number of newest sessions to skip." },
    { 0 },
};

const struct http_route api_hecate_routes[] = {
    { "GET", "/hecate/v1/chat/sessions", list, AUTH_READ,
      "Hecate: list chat sessions, newest first.", list_query, .gives = "HecateSessions" },
    { "POST", "/hecate/v1/chat/sessions", create, AUTH_APPEND, "Hecate: create a chat session.",
      .takes = "HecateSessionNew", .gives = "HecateSession", .flags = HTTP_BODY_OPTIONAL },
    { "GET", "/hecate/v1/chat/sessions/{id}", get, AUTH_READ,
      "Hecate: get a chat session with its messages and provider calls.",
      .gives = "HecateSession" },
    { "PATCH", "/hecate/v1/chat/sessions/{id}", patch, AUTH_APPEND,
      "Hecate: change the title or the system prompt.", .takes = "HecateSessionEdit",
      .gives = "HecateSession" },
    { "DELETE", "/hecate/v1/chat/sessions/{id}", destroy, AUTH_DELETE,
      "Hecate: permanently delete a chat session.", .status = 204 },
    { "POST", "/hecate/v1/chat/sessions/{id}/messages", record, AUTH_APPEND,
      "Hecate: record an exchange. Messages that are already stored are matched, not duplicated.",
      .takes = "HecateExchange", .gives = "HecateExchanged", .flags = HTTP_KEYED },
    { 0 },
};
