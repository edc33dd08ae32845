/* Hecate's queued prompts (C22). Each keeps the model, provider and workspace it
 * was queued with. */
#include "api/kit/body.h"
#include "api/originals/hecate.h"
#include "base/text/str.h"

static void put_prompt(struct json_writer *w, const struct bough_prompt *p)
{
    jw_obj(w);
    hecate_id(w, "id", "prompt_", p->id);
    hecate_id(w, "session_id", "chat_", p->session);
    jw_kv_cstr(w, "content", p->content);
    jw_kv_cstr(w, "runtime_kind", p->runtime_kind);
    jw_kv_cstr(w, "provider_filter", p->provider);
    jw_kv_cstr(w, "model", p->model);
    jw_kv_cstr(w, "workspace", p->workspace);
    jw_kv_cstr(w, "system_prompt", p->system_prompt);
    jw_kv_cstr(w, "adapter_id", p->adapter_id);
    hecate_time(w, "created_at", p->created);
    jw_end_obj(w);
}

static void answer(struct http_res *res, const struct bough_prompt *p)
{
    struct json_writer *w = hecate_begin(res, "queued_prompt");

    put_prompt(w, p);
    jw_end_obj(w);
}

static const char *prompt_of(const struct http_req *req)
{
    return hecate_id_read("prompt_", http_param(req, "prompt"));
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_prompts waiting;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = bough_queue_list(api_of(req)->store, req->arena, s->id, &waiting, err);
    if (rc)
        return rc;
    w = hecate_begin(res, "queued_prompts");
    jw_arr(w);
    for (size_t i = 0; i < waiting.n; i++)
        put_prompt(w, &waiting.at[i]);
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc add(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "content", API_TEXT, offsetof(struct bough_prompt, content) },
        { "runtime_kind", API_TEXT, offsetof(struct bough_prompt, runtime_kind) },
        { "provider_filter", API_TEXT, offsetof(struct bough_prompt, provider) },
        { "model", API_TEXT, offsetof(struct bough_prompt, model) },
        { "workspace", API_TEXT, offsetof(struct bough_prompt, workspace) },
        { "system_prompt", API_TEXT, offsetof(struct bough_prompt, system_prompt) },
        { "adapter_id", API_TEXT, offsetof(struct bough_prompt, adapter_id) },
        { 0 },
    };
    struct bough_prompt in = { 0 }, *out;
    struct bough_session *s;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &in, err);
    if (!rc)
        rc = bough_queue_add(api_of(req)->store, req->arena, s->id, &in, &out, err);
    if (!rc)
        answer(res, out);
    return rc;
}

static enum bough_rc edit(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "content", API_TEXT, offsetof(struct bough_queue_edit_options, content) },
        { 0 },
    };
    struct bough_queue_edit_options to = { 0 };
    struct bough_prompt *out;
    struct bough_session *s;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &to, err);
    if (!rc)
        rc =
            bough_queue_edit(api_of(req)->store, req->arena, s->id, prompt_of(req), &to, &out, err);
    if (!rc)
        answer(res, out);
    return rc;
}

static enum bough_rc drop(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = bough_queue_remove(api_of(req)->store, s->id, prompt_of(req), err);
    return api_done(res, rc);
}

static enum bough_rc promote(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = bough_queue_promote(api_of(req)->store, s->id, prompt_of(req), err);
    return rc ? rc : list(req, res, err);
}

/* Refused while the session is leased: prompts wait for it to become idle (C22). */
static enum bough_rc take(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_prompt *out;
    struct bough_session *s;
    enum bough_rc rc = hecate_session(req, &s, err);

    if (!rc)
        rc = hecate_idle(req, res, s, NULL);
    if (!rc)
        rc = bough_queue_take(api_of(req)->store, req->arena, s->id, &out, err);
    if (!rc)
        answer(res, out);
    return rc;
}

const struct http_route api_hecate_queue_routes[] = {
    { "GET", "/hecate/v1/chat/sessions/{id}/queue", list, AUTH_READ,
      "Hecate: list the queued prompts, the next one first.", .gives = "HecatePrompts" },
    { "POST", "/hecate/v1/chat/sessions/{id}/queue", add, AUTH_APPEND,
      "Hecate: add a prompt to the end of the queue.", .takes = "HecatePromptNew",
      .gives = "HecatePrompt" },
    { "POST", "/hecate/v1/chat/sessions/{id}/queue/take", take, AUTH_APPEND,
      "Hecate: take the next prompt off the queue; 409 while the session is busy.",
      .gives = "HecatePrompt" },
    { "PATCH", "/hecate/v1/chat/sessions/{id}/queue/{prompt}", edit, AUTH_APPEND,
      "Hecate: change a queued prompt.", .takes = "HecatePromptEdit", .gives = "HecatePrompt" },
    { "DELETE", "/hecate/v1/chat/sessions/{id}/queue/{prompt}", drop, AUTH_APPEND,
      "Hecate: remove a queued prompt.", .status = 204 },
    { "POST", "/hecate/v1/chat/sessions/{id}/queue/{prompt}/promote", promote, AUTH_APPEND,
      "Hecate: move a queued prompt to the front.", .gives = "HecatePrompts" },
    { 0 },
};
