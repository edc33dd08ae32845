/* Parts: the table of accepted shapes and the checks it uses. Pure, no allocation. */
#include "core/part/part.h"

#include "base/text/str.h"

#define STR (1u << JSON_STRING)
#define NUM (1u << JSON_NUMBER)
#define OBJ (1u << JSON_OBJECT)
#define ARR (1u << JSON_ARRAY)
#define BOOL ((1u << JSON_TRUE) | (1u << JSON_FALSE))
#define ANY (STR | NUM | OBJ | ARR | BOOL | (1u << JSON_NULL))
#define FILLED (STR | PART_FILLED)

static bool meets(const struct part_need *need, struct fields *f)
{
    const struct field_span *m = fields_get(f, need->name);

    if (!m || !(need->types & (1u << m->type)))
        return false;
    return !(need->types & PART_FILLED) || m->raw.n > 2; /* more than the two quotes */
}

const struct part_need *part_shape_lacks(const struct part_shape *shape, struct fields *f)
{
    size_t i;

    for (i = 0; i < sizeof shape->need / sizeof *shape->need && shape->need[i].name; i++) {
        if (!meets(&shape->need[i], f))
            return &shape->need[i];
    }
    return NULL;
}

static const char *type_words(unsigned types)
{
    if (types & PART_FILLED)
        return "a string that is not empty";
    switch (types) {
    case STR:
        return "a string";
    case NUM:
        return "a number";
    case OBJ:
        return "an object";
    case ARR:
        return "an array";
    case BOOL:
        return "true or false";
    }
    return "there";
}

enum bough_rc part_needs(struct fields *f, const struct part_need *need, size_t n, const char *word,
                         const char *where, struct bough_error *err)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (!meets(&need[i], f))
            return bough_fail(err, BOUGH_INVALID_PART, "%s part: %s%s%s must be %s", word, where,
                              *where ? "." : "", need[i].name, type_words(need[i].types));
    }
    return BOUGH_OK;
}

enum bough_rc part_object_needs(struct bough_str object, const struct part_need *need, size_t n,
                                const char *word, const char *where, struct bough_error *err)
{
    struct fields f;

    if (fields_read(&f, object, NULL) != BOUGH_OK)
        return bough_fail(err, BOUGH_INVALID_PART, "%s part: %s must be an object", word, where);
    return part_needs(&f, need, n, word, where, err);
}

#define NEEDS(object, word, where, err, ...)                                                       \
    part_object_needs(object, (const struct part_need[]){ __VA_ARGS__ },                           \
                      sizeof((const struct part_need[]){ __VA_ARGS__ }) /                          \
                          sizeof(struct part_need),                                                \
                      word, where, err)

static bool has(struct fields *f, const char *name)
{
    const struct field_span *m = fields_get(f, name);

    return m && m->type != JSON_NULL;
}

/* ---- checks of nested fields ---- */

static enum bough_rc deeper_tool(struct fields *f, const char *word, struct bough_error *err)
{
    (void)word;
    return part_tool_state_check(fields_raw(f, "state", JSON_OBJECT), err);
}

static enum bough_rc deeper_ui_tool(struct fields *f, const char *word, struct bough_error *err)
{
    struct bough_str state = fields_raw(f, "state", JSON_STRING);

    if (part_state_parse(state) == BOUGH_TOOL_NONE)
        return bough_fail(err, BOUGH_INVALID_PART, "%s part: unknown state %.*s", word,
                          (int)(state.n < 40 ? state.n : 40), state.p);
    return BOUGH_OK;
}

static enum bough_rc deeper_invocation(struct fields *f, const char *word, struct bough_error *err)
{
    return NEEDS(fields_raw(f, "toolInvocation", JSON_OBJECT), word, "toolInvocation", err,
                 { "toolCallId", STR }, { "toolName", STR });
}

static enum bough_rc deeper_function(struct fields *f, const char *word, struct bough_error *err)
{
    return NEEDS(fields_raw(f, "function", JSON_OBJECT), word, "function", err, { "name", FILLED });
}

static enum bough_rc deeper_file(struct fields *f, const char *word, struct bough_error *err)
{
    const struct field_span *source = fields_get(f, "source");

    (void)word;
    if (!source || source->type == JSON_NULL)
        return BOUGH_OK;
    return part_file_source_check(source->raw, err);
}

static enum bough_rc deeper_image_url(struct fields *f, const char *word, struct bough_error *err)
{
    const struct field_span *url = fields_get(f, "image_url");

    if (url->type == JSON_STRING)
        return BOUGH_OK;
    return NEEDS(url->raw, word, "image_url", err, { "url", STR });
}

static enum bough_rc deeper_block_source(struct fields *f, const char *word,
                                         struct bough_error *err)
{
    return NEEDS(fields_raw(f, "source", JSON_OBJECT), word, "source", err, { "type", STR });
}

static enum bough_rc deeper_tokens(struct fields *f, const char *word, struct bough_error *err)
{
    return NEEDS(fields_raw(f, "tokens", JSON_OBJECT), word, "tokens", err, { "input", NUM },
                 { "output", NUM });
}

static enum bough_rc deeper_patch(struct fields *f, const char *word, struct bough_error *err)
{
    struct json_pull p;
    struct json_event ev;
    enum bough_rc rc;

    json_pull_init(&p, fields_raw(f, "files", JSON_ARRAY));
    rc = json_pull_next(&p, &ev, err); /* [ */
    while (!rc) {
        rc = json_pull_next(&p, &ev, err);
        if (rc || ev.type == JSON_END)
            break;
        if (ev.type != JSON_VALUE || ev.value != JSON_STRING)
            return bough_fail(err, BOUGH_INVALID_PART, "%s part: files must hold strings", word);
    }
    return rc;
}

static enum bough_rc deeper_agent(struct fields *f, const char *word, struct bough_error *err)
{
    if (!has(f, "source"))
        return BOUGH_OK;
    return NEEDS(fields_get(f, "source")->raw, word, "source", err, { "value", STR },
                 { "start", NUM }, { "end", NUM });
}

enum bough_rc part_file_source_check(struct bough_str source, struct bough_error *err)
{
    struct fields f;
    enum bough_rc rc;

    if (fields_read(&f, source, NULL) != BOUGH_OK)
        return bough_fail(err, BOUGH_INVALID_PART, "file part: source must be an object");
    if (fields_is(&f, "type", "file"))
        rc = NEEDS(source, "file", "source", err, { "path", STR }, { "text", OBJ });
    else if (fields_is(&f, "type", "symbol"))
        rc = NEEDS(source, "file", "source", err, { "path", STR }, { "name", STR }, { "kind", NUM },
                   { "range", OBJ }, { "text", OBJ });
    else if (fields_is(&f, "type", "resource"))
        rc = NEEDS(source, "file", "source", err, { "clientName", STR }, { "uri", STR },
                   { "text", OBJ });
    else
        return bough_fail(err, BOUGH_INVALID_PART,
                          "file part: source.type must be file, symbol or resource");
    if (rc)
        return rc;
    return NEEDS(fields_raw(&f, "text", JSON_OBJECT), "file", "source.text", err, { "value", STR },
                 { "start", NUM }, { "end", NUM });
}

/*
 * ---- the table ----
 *
 * fsck holds stored parts against it. So a word keeps its type, and a row never demands more than
 * it did. A word without a row is stored as other, and stays that where a row comes later.
 */

const struct part_shape part_shapes[] = {
    /* Canonical; hygge, pi, OpenAI, Anthropic and the AI SDK share some of these. */
    { "text", false, BOUGH_PART_TEXT, { { "text", STR } }, NULL },
    { "reasoning", false, BOUGH_PART_REASONING, { { "text", STR } }, NULL },
    { "tool",
      false,
      BOUGH_PART_TOOL,
      { { "callID", STR }, { "tool", STR }, { "state", OBJ } },
      deeper_tool },
    { "file", false, BOUGH_PART_FILE, { { "mime", STR }, { "url", STR } }, deeper_file },
    { "step-start", false, BOUGH_PART_STEP_START, { { NULL, 0 } }, NULL },
    { "step-finish",
      false,
      BOUGH_PART_STEP_FINISH,
      { { "reason", STR }, { "tokens", OBJ } },
      deeper_tokens },
    { "patch", false, BOUGH_PART_PATCH, { { "hash", STR }, { "files", ARR } }, deeper_patch },
    { "snapshot", false, BOUGH_PART_SNAPSHOT, { { "snapshot", STR } }, NULL },
    { "agent", false, BOUGH_PART_AGENT, { { "name", STR } }, deeper_agent },
    { "compaction", false, BOUGH_PART_COMPACTION, { { "auto", BOOL } }, NULL },
    { "subtask",
      false,
      BOUGH_PART_SUBTASK,
      { { "prompt", STR }, { "description", STR }, { "agent", STR } },
      NULL },
    { "retry", false, BOUGH_PART_RETRY, { { "attempt", NUM }, { "error", OBJ } }, NULL },

    /* hygge and Anthropic */
    { "thinking", false, BOUGH_PART_REASONING, { { "text", STR } }, NULL },
    { "thinking", false, BOUGH_PART_REASONING, { { "thinking", STR } }, NULL }, /* pi too */
    { "redacted_thinking", false, BOUGH_PART_REASONING, { { "data", STR } }, NULL },
    { "tool_use", false, BOUGH_PART_TOOL, { { "id", FILLED }, { "name", FILLED } }, NULL },
    { "server_tool_use", false, BOUGH_PART_TOOL, { { "id", FILLED }, { "name", FILLED } }, NULL },
    { "mcp_tool_use", false, BOUGH_PART_TOOL, { { "id", FILLED }, { "name", FILLED } }, NULL },
    { "tool_result", false, BOUGH_PART_TOOL, { { "tool_use_id", FILLED } }, NULL },
    { "mcp_tool_result", false, BOUGH_PART_TOOL, { { "tool_use_id", FILLED } }, NULL },
    { "image",
      false,
      BOUGH_PART_FILE,
      { { "image_mime_type", FILLED }, { "image_base64", FILLED } },
      NULL },
    { "image", false, BOUGH_PART_FILE, { { "source", OBJ } }, deeper_block_source },
    { "document", false, BOUGH_PART_FILE, { { "source", OBJ } }, deeper_block_source },
    { "compaction", false, BOUGH_PART_COMPACTION, { { "content", ANY } }, NULL },

    /* pi */
    { "toolCall", false, BOUGH_PART_TOOL, { { "id", STR }, { "name", STR } }, NULL },
    { "image", false, BOUGH_PART_FILE, { { "data", STR }, { "mimeType", STR } }, NULL },

    /* OpenAI: chat, then responses */
    { "image_url", false, BOUGH_PART_FILE, { { "image_url", STR | OBJ } }, deeper_image_url },
    { "file", false, BOUGH_PART_FILE, { { "file", OBJ } }, NULL },
    { "input_audio", false, BOUGH_PART_FILE, { { "input_audio", OBJ } }, NULL },
    { "refusal", false, BOUGH_PART_TEXT, { { "refusal", STR } }, NULL },
    { "function", false, BOUGH_PART_TOOL, { { "id", STR }, { "function", OBJ } }, deeper_function },
    { "input_text", false, BOUGH_PART_TEXT, { { "text", STR } }, NULL },
    { "output_text", false, BOUGH_PART_TEXT, { { "text", STR } }, NULL },
    { "input_image", false, BOUGH_PART_FILE, { { "image_url", STR | OBJ } }, deeper_image_url },
    { "input_image", false, BOUGH_PART_FILE, { { "file_id", STR } }, NULL },
    { "input_file", false, BOUGH_PART_FILE, { { "file_data", STR } }, NULL },
    { "input_file", false, BOUGH_PART_FILE, { { "file_id", STR } }, NULL },
    { "input_file", false, BOUGH_PART_FILE, { { "file_url", STR } }, NULL },
    { "reasoning", false, BOUGH_PART_REASONING, { { "summary", ARR } }, NULL },
    { "reasoning", false, BOUGH_PART_REASONING, { { "content", ARR } }, NULL },
    { "function_call",
      false,
      BOUGH_PART_TOOL,
      { { "call_id", STR }, { "name", FILLED }, { "arguments", STR } },
      NULL },
    { "function_call_output",
      false,
      BOUGH_PART_TOOL,
      { { "call_id", STR }, { "output", ANY } },
      NULL },
    { "function_call", /* as OpenAI's Agents SDK keeps it, and its result */
      false,
      BOUGH_PART_TOOL,
      { { "callId", STR }, { "name", FILLED }, { "arguments", STR } },
      NULL },
    { "function_call_result",
      false,
      BOUGH_PART_TOOL,
      { { "callId", STR }, { "output", ANY } },
      NULL },
    { "custom_tool_call", false, BOUGH_PART_TOOL, { { "call_id", STR }, { "name", STR } }, NULL },
    { "custom_tool_call_output",
      false,
      BOUGH_PART_TOOL,
      { { "call_id", STR }, { "output", ANY } },
      NULL },

    /* AI SDK: model messages, then UI messages */
    { "tool-call", false, BOUGH_PART_TOOL, { { "toolCallId", STR }, { "toolName", STR } }, NULL },
    { "tool-result", false, BOUGH_PART_TOOL, { { "toolCallId", STR }, { "toolName", STR } }, NULL },
    { "tool-invocation", false, BOUGH_PART_TOOL, { { "toolInvocation", OBJ } }, deeper_invocation },
    { "file", false, BOUGH_PART_FILE, { { "mediaType", STR }, { "url", STR } }, NULL },
    { "file", false, BOUGH_PART_FILE, { { "mediaType", STR }, { "data", ANY } }, NULL },
    { "file", false, BOUGH_PART_FILE, { { "mimeType", STR }, { "data", STR } }, NULL },
    { "image", false, BOUGH_PART_FILE, { { "image", STR | OBJ } }, NULL },
    { "dynamic-tool",
      false,
      BOUGH_PART_TOOL,
      { { "toolName", STR }, { "toolCallId", STR }, { "state", STR } },
      deeper_ui_tool },
    { "tool-approval-request", false, BOUGH_PART_OTHER, { { "approvalId", STR } }, NULL },
    { "tool-approval-response", false, BOUGH_PART_OTHER, { { "approvalId", STR } }, NULL },
    { "tool-", true, BOUGH_PART_TOOL, { { "toolCallId", STR }, { "state", STR } }, deeper_ui_tool },
    { NULL, false, BOUGH_PART_OTHER, { { NULL, 0 } }, NULL },
};
