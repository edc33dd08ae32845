/* Requests: the members that all wires have, and the leading system text. */
#include "core/wire/request.h"

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "core/wire/inside.h"

static const char *word(struct bough_arena *a, struct json j, const char *key)
{
    const char *s = json_cstr(a, j, key);

    return cstr_empty(s) ? NULL : s;
}

/* ---- what the client asks for ---- */

static void read_usage(struct wire_request *r)
{
    struct json options = json_member(r->json, "stream_options");
    bool wanted;

    r->usage = WIRE_USAGE_ASKED;
    if (r->wire != WIRE_CHAT || !r->stream)
        return;
    r->usage = WIRE_USAGE_OPEN;
    if (json_bool(json_member(options, "include_usage"), &wanted))
        r->usage = wanted ? WIRE_USAGE_ASKED : WIRE_USAGE_REFUSED;
}

static void read_most(struct wire_request *r)
{
    static const char *const names[] = { "max_output_tokens", "max_completion_tokens", "max_tokens",
                                         NULL };

    r->max_output = -1;
    for (size_t i = 0; names[i] && r->max_output < 0; i++)
        (void)json_i64(json_member(r->json, names[i]), &r->max_output);
    r->choices = 1;
    (void)json_i64(json_member(r->json, "n"), &r->choices);
}

/* The JSON schema that the answer must follow, wherever the wire has it. */
static struct json answer_schema(struct json body)
{
    struct json chat = json_member(json_member(json_member(body, "response_format"), "json_schema"),
                                   "schema"),
                items = json_member(json_member(json_member(body, "text"), "format"), "schema"),
                blocks = json_member(json_member(json_member(body, "output_config"), "format"),
                                     "schema");

    if (json_type(chat) == JSON_OBJECT)
        return chat;
    if (json_type(items) == JSON_OBJECT)
        return items;
    return json_type(blocks) == JSON_OBJECT
               ? blocks
               : json_member(json_member(body, "output_format"), "schema");
}

static bool asks_only_title(struct json body)
{
    struct json properties = json_member(answer_schema(body), "properties"), title;

    return json_type(properties) == JSON_OBJECT && json_count(properties) == 1 &&
           json_get(properties, "title", &title);
}

static void read_ids(struct bough_arena *a, struct wire_request *r)
{
    struct json conversation = json_member(r->json, "conversation");

    r->session_id = word(a, r->json, "session_id");
    if (r->wire != WIRE_RESPONSES)
        return;
    r->previous_response_id = word(a, r->json, "previous_response_id");
    r->conversation = json_type(conversation) == JSON_OBJECT ? word(a, conversation, "id")
                                                             : word(a, r->json, "conversation");
}

/* Conversation, routing and metadata: not parameters of the model. Metadata changes with every
 * request, so it would make every request's parameters new. */
static const char *const not_parameters[] = {
    "messages",
    "input",
    "system",
    "instructions",
    "model",
    "stream",
    "stream_options",
    "session_id",
    "metadata",
    "client_metadata",
    "prompt_cache_key",
    "previous_response_id",
    "conversation",
    "user",
    "safety_identifier",
    NULL,
};

enum bough_rc wire_request_read(struct bough_arena *a, enum wire wire, struct bough_str body,
                                struct wire_request *out, struct bough_error *err)
{
    struct reading r = { .a = a, .system = { .a = a } };
    struct json tools;
    struct bough_error why;
    enum bough_rc rc;

    *out = (struct wire_request){ .wire = wire, .body = body };
    rc = json_parse(a, body, &out->json, &why);
    if (rc)
        return bough_fail(err, rc, "the body is not JSON: %.200s", why.msg);
    if (json_type(out->json) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "the body must be a JSON object");
    if (wire == WIRE_GEMINI)
        return bough_fail(err, BOUGH_INVALID, "requests in Gemini's format are not read");
    rc = wire == WIRE_CHAT        ? read_chat(&r, out->json, err)
         : wire == WIRE_RESPONSES ? read_items(&r, out->json, err)
                                  : read_blocks(&r, out->json, err);
    if (rc)
        return rc;
    out->system = r.system.at;
    out->nsystem = r.system.n;
    out->messages = r.messages;
    out->nmessages = r.n;
    out->model = json_cstr(a, out->json, "model");
    out->model = out->model ? out->model : "";
    (void)json_bool(json_member(out->json, "stream"), &out->stream);
    read_usage(out);
    read_most(out);
    read_ids(a, out);
    tools = json_member(out->json, "tools");
    out->tools = json_type(tools) == JSON_ARRAY && json_count(tools) > 0;
    out->only_title = asks_only_title(out->json);
    out->parameters = wire_members_but(a, out->json, not_parameters);
    return BOUGH_OK;
}

/* ---- the leading system text ---- */

struct bough_str wire_system_text(struct bough_arena *a, const struct bough_str *parts, size_t n)
{
    struct bough_str out;
    struct part_view v;
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    for (size_t i = 0; i < n; i++) {
        struct bough_part part = { BOUGH_PART_TEXT, parts[i] };

        if (bough_part_check(parts[i], &part.type, NULL))
            continue;
        view_part(a, &part, &v);
        if (v.kind != VIEW_TEXT || str_starts(v.text, "x-anthropic-billing-header:"))
            continue;
        if (b.n)
            buf_puts(&b, "\n\n");
        buf_put_str(&b, v.text);
    }
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}
