/* The queue of prompts waiting for a session. */
#include "api/kit/body.h"
#include "api/kit/forms.h"

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_prompts found;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_queue_list(api_of(req)->store, req->arena, s->id, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++)
        form_prompt(w, &found.at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static const struct api_member new_members[] = {
    { "content", API_TEXT, offsetof(struct bough_prompt, content) },
    { "runtime_kind", API_TEXT, offsetof(struct bough_prompt, runtime_kind) },
    { "provider", API_TEXT, offsetof(struct bough_prompt, provider) },
    { "model", API_TEXT, offsetof(struct bough_prompt, model) },
    { "workspace", API_TEXT, offsetof(struct bough_prompt, workspace) },
    { "system_prompt", API_TEXT, offsetof(struct bough_prompt, system_prompt) },
    { "adapter_id", API_TEXT, offsetof(struct bough_prompt, adapter_id) },
    { "data", API_RAW, offsetof(struct bough_prompt, data) },
    { 0 },
};

static enum bough_rc add(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_prompt in = { 0 }, *out;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, new_members, &in, err);
    if (!rc)
        rc = bough_queue_add(api_of(req)->store, req->arena, s->id, &in, &out, err);
    if (!rc)
        form_prompt(http_json(res, 201), out);
    return rc;
}

static enum bough_rc edit(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "content", API_TEXT, offsetof(struct bough_queue_edit_options, content) },
        { "data", API_RAW, offsetof(struct bough_queue_edit_options, data) },
        { 0 },
    };
    struct bough_queue_edit_options change = { 0 };
    struct bough_prompt *out;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &change, err);
    if (!rc)
        rc = bough_queue_edit(api_of(req)->store, req->arena, s->id, http_param(req, "prompt"),
                              &change, &out, err);
    if (!rc)
        form_prompt(http_json(res, 200), out);
    return rc;
}

static enum bough_rc take(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_prompt *out;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_queue_take(api_of(req)->store, req->arena, s->id, &out, err);
    if (!rc)
        form_prompt(http_json(res, 200), out);
    return rc;
}

typedef enum bough_rc prompt_op(struct bough_store *s, const char *session, const char *id,
                                struct bough_error *err);

static enum bough_rc change(struct http_req *req, struct http_res *res, prompt_op *op,
                            struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = op(api_of(req)->store, s->id, http_param(req, "prompt"), err);
    return api_done(res, rc);
}

static enum bough_rc drop(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return change(req, res, bough_queue_remove, err);
}

static enum bough_rc promote(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return change(req, res, bough_queue_promote, err);
}

const struct http_route api_queue_routes[] = {
    { "GET", "/api/v1/sessions/{id}/queue", list, AUTH_READ,
      "List the queued prompts, the next one first.", .gives = "Prompts" },
    { "POST", "/api/v1/sessions/{id}/queue", add, AUTH_APPEND,
      "Add a prompt to the end of the queue.", .takes = "PromptNew", .gives = "Prompt",
      .status = 201 },
    { "POST", "/api/v1/sessions/{id}/queue/take", take, AUTH_APPEND,
      "Take the next prompt off the queue. Each prompt is returned only once.", .gives = "Prompt" },
    { "PATCH", "/api/v1/sessions/{id}/queue/{prompt}", edit, AUTH_APPEND,
      "Change a queued prompt; it keeps its position.", .takes = "PromptEdit", .gives = "Prompt" },
    { "DELETE", "/api/v1/sessions/{id}/queue/{prompt}", drop, AUTH_APPEND,
      "Remove a queued prompt.", .status = 204 },
    { "POST", "/api/v1/sessions/{id}/queue/{prompt}/promote", promote, AUTH_APPEND,
      "Move a queued prompt to the front.", .status = 204 },
    { 0 },
};
