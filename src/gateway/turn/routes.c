/* Turns over HTTP. */
#include "gateway/turn/routes.h"

#include <string.h>

#include "api/kit/api.h"
#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "api/originals/ui.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/kit/state.h"
#include "gateway/summary/compact.h"
#include "gateway/summary/navigate.h"
#include "gateway/turn/turn.h"

struct asked {
    const char *content, *provider, *model, *at;
    struct json parts;
    bool at_root, retry, queue;
    int64_t max_output;
};

static const struct api_member members[] = {
    { "content", API_TEXT, offsetof(struct asked, content) },
    { "parts", API_LIST, offsetof(struct asked, parts) },
    { "provider", API_TEXT, offsetof(struct asked, provider) },
    { "model", API_TEXT, offsetof(struct asked, model) },
    { "at", API_TEXT, offsetof(struct asked, at) },
    { "at_root", API_FLAG, offsetof(struct asked, at_root) },
    { "retry", API_FLAG, offsetof(struct asked, retry) },
    { "queue", API_FLAG, offsetof(struct asked, queue) },
    { "max_output_tokens", API_INT, offsetof(struct asked, max_output) },
    { 0 },
};

/* ---- reading ---- */

static enum bough_rc read_parts(struct http_req *req, const struct asked *in,
                                struct turn_options *out, struct bough_error *err)
{
    size_t n = json_count(in->parts), k = 0;
    struct bough_str *parts = arena_array(req->arena, n + 1, sizeof *parts);
    struct json_iter it = json_iter(in->parts);

    if (in->content && *in->content)
        parts[k++] = bough_part_text(req->arena, str_of(in->content));
    while (json_next(&it))
        parts[k++] = json_raw(it.value);
    out->parts = parts;
    out->nparts = k;
    if (in->retry && k)
        return bough_fail(err, BOUGH_INVALID, "a retry has no content");
    if (!in->retry && !k)
        return bough_fail(err, BOUGH_INVALID, "content or parts is missing");
    if (in->max_output < 0)
        return bough_fail(err, BOUGH_INVALID, "max_output_tokens must not be negative");
    return BOUGH_OK;
}

/* ---- answers ---- */

static bool wants_stream(const struct http_req *req)
{
    const char *accept = http_header(req, "accept");

    return accept && strstr(accept, "text/event-stream");
}

static void put_begun(struct http_res *res, const struct turn_begun *t)
{
    struct json_writer *w = http_json(res, 202);

    jw_obj(w);
    jw_kv_cstr(w, "user", t->user);
    jw_kv_cstr(w, "reply", *t->reply ? t->reply : NULL);
    jw_kv_cstr(w, "provider", t->provider);
    jw_kv_cstr(w, "model", t->model);
    jw_kv_cstr(w, "queued", NULL);
    jw_end_obj(w);
}

/* The session is busy: the prompt waits. */
static enum bough_rc put_queued(struct http_req *req, struct http_res *res, const char *session,
                                const struct asked *in, struct bough_error *err)
{
    struct bough_prompt prompt = { .content = in->content ? in->content : "",
                                   .provider = in->provider ? in->provider : "",
                                   .model = in->model ? in->model : "" };
    struct bough_prompt *out;
    struct json_writer *w;
    enum bough_rc rc;

    rc = bough_queue_add(api_of(req)->store, req->arena, session, &prompt, &out, err);
    if (rc)
        return rc;
    w = http_json(res, 202);
    jw_obj(w);
    jw_kv_cstr(w, "user", NULL);
    jw_kv_cstr(w, "reply", NULL);
    jw_kv_cstr(w, "provider", NULL);
    jw_kv_cstr(w, "model", NULL);
    jw_key(w, "queued");
    form_prompt(w, out);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc begin(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct auth_who *who = api_of(req)->who;
    struct turn_options how = { .key = api_of(req)->key };
    struct asked in = { 0 };
    struct turn_begun begun = { 0 };
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &in, err);
    if (!rc)
        rc = read_parts(req, &in, &how, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &in.at, err);
    if (rc)
        return rc;
    how.principal = strncmp(who->name, "token:", 6) == 0 ? who->name : NULL;
    how.session = s->id;
    how.at = in.at;
    how.at_root = in.at_root;
    how.provider = in.provider;
    how.model = in.model;
    how.max_output = in.max_output;
    rc = turn_begin(gateway_turns(gateway_of(req)), req->arena, &how, &begun, err);
    if (rc == BOUGH_BUSY && in.queue && in.content)
        return put_queued(req, res, s->id, &in, err);
    if (rc == BOUGH_BUSY)
        api_busy(req, res, s->id);
    if (rc)
        return rc;
    if (wants_stream(req) && *begun.reply)
        ui_follow(req, res, begun.reply);
    else
        put_begun(res, &begun);
    return BOUGH_OK;
}

static enum bough_rc cancel(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = turn_cancel(gateway_turns(gateway_of(req)), s->id, err);
    return api_done(res, rc);
}

/* ---- compaction ---- */

static const struct api_member compact_members[] = {
    { "provider", API_TEXT, offsetof(struct compact_options, provider) },
    { "model", API_TEXT, offsetof(struct compact_options, model) },
    { "keep_tokens", API_INT, offsetof(struct compact_options, keep_tokens) },
    { "instructions", API_TEXT, offsetof(struct compact_options, instructions) },
    { 0 },
};

/* The model's answer takes a while: the call must not end with the time of a request. */
static struct bough_store *own_handle(struct http_req *req)
{
    const char *name = api_of(req)->who->name;

    return bough_store_scoped(
        gateway_store(gateway_of(req)),
        &(struct bough_store_scoped_options){
            .cancel = req->cancel, .principal = strncmp(name, "token:", 6) == 0 ? name : NULL });
}

static enum bough_rc compact(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct compact_options in = { 0 };
    struct compact_result out;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, compact_members, &in, err);
    if (!rc && in.keep_tokens < 0)
        rc = bough_fail(err, BOUGH_INVALID, "keep_tokens must not be negative");
    if (rc)
        return rc;
    in.session = s->id;
    in.store = own_handle(req);
    rc = compact_session(gateway_of(req), req->arena, &in, &out, err);
    bough_store_close(&in.store);
    if (rc)
        return rc;
    w = http_json(res, 201);
    jw_obj(w);
    jw_kv_cstr(w, "marker", out.marker);
    jw_kv_cstr(w, "summary", out.summary);
    jw_kv_cstr(w, "first_kept", out.first_kept);
    jw_kv_i64(w, "tokens_before", out.tokens_before);
    jw_kv_i64(w, "tokens_kept", out.tokens_kept);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- another place of the tree ---- */

static const struct api_member navigate_members[] = {
    { "entry", API_TEXT, offsetof(struct navigate_options, entry) },
    { "summarize", API_FLAG, offsetof(struct navigate_options, summarize) },
    { "provider", API_TEXT, offsetof(struct navigate_options, provider) },
    { "model", API_TEXT, offsetof(struct navigate_options, model) },
    { "instructions", API_TEXT, offsetof(struct navigate_options, instructions) },
    { "label", API_TEXT, offsetof(struct navigate_options, label) },
    { 0 },
};

static enum bough_rc go_to(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct navigate_options in = { 0 };
    struct navigate_result out;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, navigate_members, &in, err);
    if (!rc && (!in.entry || !*in.entry))
        rc = bough_fail(err, BOUGH_INVALID, "entry is missing");
    if (!rc)
        rc = api_entry_id(req, s->id, &in.entry, err);
    if (rc)
        return rc;
    in.session = s->id;
    in.store = own_handle(req);
    rc = navigate(gateway_of(req), req->arena, &in, &out, err);
    bough_store_close(&in.store);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_bool(w, "moved", out.moved);
    jw_kv_cstr(w, "head", out.head);
    jw_kv_cstr(w, "text", out.text);
    jw_kv_cstr(w, "summary", *out.summary ? out.summary : NULL);
    jw_end_obj(w);
    return BOUGH_OK;
}

const struct http_route gateway_turn_routes[] = {
    { "POST", "/api/v1/sessions/{id}/turns", begin, AUTH_APPEND | AUTH_GATEWAY,
      "Send a prompt to a model and store its reply, which comes as an open message. With "
      "Accept: text/event-stream the answer is the AI SDK's UI message stream.",
      .takes = "TurnNew", .gives = "Turn", .also = "text/event-stream", .status = 202,
      .flags = HTTP_STREAMS | HTTP_KEYED, .drop = ui_follow_drop },
    { "DELETE", "/api/v1/sessions/{id}/turns", cancel, AUTH_APPEND | AUTH_GATEWAY,
      "Stop the turn that runs; what came of its reply is kept.", .status = 204 },
    { "POST", "/api/v1/sessions/{id}/compact", compact, AUTH_APPEND | AUTH_GATEWAY,
      "Let a model summarise the older part of the conversation, and append the marker.",
      .takes = "CompactNew", .gives = "Compacted", .status = 201,
      .flags = HTTP_STREAMS | HTTP_BODY_OPTIONAL },
    { "POST", "/api/v1/sessions/{id}/navigate", go_to, AUTH_APPEND | AUTH_GATEWAY,
      "Go to another entry of the tree, and let a model summarise the branch that is left. A "
      "prompt that is chosen is left out, and its text comes back.",
      .takes = "Navigate", .gives = "Navigated", .flags = HTTP_STREAMS },
    { 0 },
};
