/* Spans of a part: one function per shape. Pure. */
#include "core/part/spans.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/part.h"

static struct bough_str none(void)
{
    return (struct bough_str){ "", 0 };
}

static struct bough_str string(struct fields *f, const char *key)
{
    return fields_raw(f, key, JSON_STRING);
}

/* The raw span of a member; empty when missing or null. */
static struct bough_str value(struct fields *f, const char *key)
{
    const struct field_span *m = fields_get(f, key);

    return m && m->type != JSON_NULL ? m->raw : none();
}

static struct bough_str either(struct fields *f, const char *key, const char *other)
{
    struct bough_str v = value(f, key);

    return v.n ? v : value(f, other);
}

static bool truth(struct fields *f, const char *key)
{
    return fields_raw(f, key, JSON_TRUE).n > 0;
}

/* Read a member that is an object. False: it is not there. */
static bool inner(struct fields *f, const char *key, struct fields *in)
{
    struct bough_str raw = fields_raw(f, key, JSON_OBJECT);

    return raw.n && fields_scan(in, raw);
}

static bool filled(struct bough_str string)
{
    return string.n > 2; /* more than the quotes */
}

/* ---- signatures ---- */

/* As the AI SDK and opencode keep them: {"anthropic":{"signature":...},"openai":{...},...}. */
static void signed_by(struct part_spans *s, struct fields *metadata)
{
    static const struct {
        const char *provider, *member;
        enum part_signer signer;
    } rows[] = {
        { "anthropic", "signature", SIGNER_ANTHROPIC },
        { "anthropic", "redactedData", SIGNER_REDACTED },
        { "openai", "reasoningEncryptedContent", SIGNER_OPENAI },
        { "azure", "reasoningEncryptedContent", SIGNER_OPENAI },
        { "google", "thoughtSignature", SIGNER_GOOGLE },
        { "vertex", "thoughtSignature", SIGNER_GOOGLE },
    };
    struct fields of;

    for (size_t i = 0; i < sizeof rows / sizeof *rows && !s->signer; i++) {
        if (!inner(metadata, rows[i].provider, &of))
            continue;
        s->signature = string(&of, rows[i].member);
        if (filled(s->signature)) {
            s->signer = rows[i].signer;
            s->item = string(&of, "itemId");
        }
    }
}

static void signed_in(struct part_spans *s, struct fields *f, const char *const *members)
{
    struct fields metadata;

    for (; *members && !s->signer; members++)
        if (inner(f, *members, &metadata))
            signed_by(s, &metadata);
}

static void sign(struct part_spans *s, enum part_signer signer, struct bough_str signature)
{
    if (s->signer || !filled(signature))
        return;
    s->signer = signer;
    s->signature = signature;
}

/* ---- one function per shape ---- */

static void fill_text(struct part_spans *s, struct fields *f)
{
    s->kind = VIEW_TEXT;
    s->text = string(f, json_span_is(s->word, "refusal") ? "refusal" : "text");
    if (f->n == 2 && s->text.n)
        return; /* the usual part: a type and a text */
    s->ignored = truth(f, "ignored");
    s->synthetic = truth(f, "synthetic");
}

static void fill_reasoning(struct part_spans *s, struct fields *f)
{
    static const char *const members[] = { "metadata", "providerMetadata", "providerOptions",
                                           NULL };

    s->kind = VIEW_REASONING;
    s->text = string(f, "text");
    if (!filled(s->text))
        s->text = string(f, "thinking");
    if (!filled(s->text))
        s->blocks = fields_raw(f, "summary", JSON_ARRAY);
    if (!filled(s->text) && !filled(s->blocks))
        s->blocks = fields_raw(f, "content", JSON_ARRAY);
    s->item = string(f, "id");
    s->item_wise = fields_get(f, "summary") != NULL;
    sign(s, SIGNER_PI, string(f, "thinkingSignature"));
    sign(s, SIGNER_ANTHROPIC, string(f, "signature"));
    sign(s, SIGNER_OPENAI, string(f, "encrypted_content"));
    if (json_span_is(s->word, "redacted_thinking"))
        sign(s, SIGNER_REDACTED, string(f, "data"));
    if (s->signer == SIGNER_PI && truth(f, "redacted"))
        s->signer = SIGNER_REDACTED;
    signed_in(s, f, members);
}

static void fill_tool(struct part_spans *s, struct fields *f)
{
    static const char *const members[] = { "metadata", NULL };
    struct fields state, in;

    s->kind = VIEW_TOOL;
    s->call = string(f, "callID");
    s->tool = string(f, "tool");
    signed_in(s, f, members);
    if (!inner(f, "state", &state))
        return;
    s->input = value(&state, "input");
    s->state = part_state_parse(string(&state, "status"));
    s->failed = s->state == BOUGH_TOOL_ERROR;
    s->output = value(&state, s->failed ? "error" : "output");
    s->files = fields_raw(&state, "attachments", JSON_ARRAY);
    s->cleared = inner(&state, "time", &in) && value(&in, "compacted").n;
    if (s->failed && inner(&state, "metadata", &in) && truth(&in, "interrupted"))
        s->partial = string(&in, "output");
}

static void fill_use(struct part_spans *s, struct fields *f) /* hygge, Anthropic, pi */
{
    s->kind = VIEW_CALL;
    s->call = string(f, "id");
    s->tool = string(f, "name");
    s->input = either(f, "input", "arguments");
    s->server = json_span_is(s->word, "server_tool_use") || json_span_is(s->word, "mcp_tool_use");
    sign(s, SIGNER_GOOGLE, string(f, "thoughtSignature"));
}

static void fill_result(struct part_spans *s, struct fields *f) /* hygge, Anthropic */
{
    s->kind = VIEW_RESULT;
    s->call = string(f, "tool_use_id");
    s->output = value(f, "content");
    s->failed = truth(f, "is_error");
    s->server = json_span_is(s->word, "mcp_tool_result");
}

static void fill_function(struct part_spans *s, struct fields *f) /* OpenAI chat */
{
    struct fields function;

    s->kind = VIEW_CALL;
    s->call = string(f, "id");
    if (!inner(f, "function", &function))
        return;
    s->tool = string(&function, "name");
    s->input = value(&function, "arguments");
    s->quoted = s->input.n && *s->input.p == '"';
}

static void fill_item_call(struct part_spans *s, struct fields *f) /* OpenAI responses */
{
    s->kind = VIEW_CALL;
    s->item_wise = true;
    s->freeform = json_span_is(s->word, "custom_tool_call");
    s->call = string(f, "call_id");
    if (!s->call.n)
        s->call = string(f, "callId"); /* OpenAI's Agents SDK */
    s->tool = string(f, "name");
    s->input = value(f, s->freeform ? "input" : "arguments");
    s->quoted = !s->freeform && s->input.n && *s->input.p == '"';
}

static void fill_item_output(struct part_spans *s, struct fields *f)
{
    s->kind = VIEW_RESULT;
    s->freeform = json_span_is(s->word, "custom_tool_call_output");
    s->call = string(f, "call_id");
    if (!s->call.n)
        s->call = string(f, "callId");
    s->output = value(f, "output");
}

static void fill_model_call(struct part_spans *s, struct fields *f) /* AI SDK model messages */
{
    static const char *const members[] = { "providerOptions", "providerMetadata", NULL };

    s->kind = VIEW_CALL;
    s->call = string(f, "toolCallId");
    s->tool = string(f, "toolName");
    s->input = either(f, "input", "args");
    s->server = truth(f, "providerExecuted");
    signed_in(s, f, members);
}

static void fill_model_result(struct part_spans *s, struct fields *f)
{
    struct fields output;

    s->kind = VIEW_RESULT;
    s->call = string(f, "toolCallId");
    s->tool = string(f, "toolName");
    s->failed = truth(f, "isError");
    if (inner(f, "output", &output)) { /* {type, value} */
        s->output = value(&output, "value");
        s->failed = s->failed || str_starts(string(&output, "type"), "\"error");
    }
    if (!s->output.n)
        s->output = either(f, "output", "result");
}

/* The name in "tool-<name>". */
static struct bough_str named_by(struct bough_arena *a, struct bough_str word)
{
    static const char prefix[] = "\"tool-";
    char *name;

    if (!str_starts(word, prefix))
        return none();
    name = arena_alloc(a, word.n);
    *name = '"';
    memcpy(name + 1, word.p + strlen(prefix), word.n - strlen(prefix));
    return str_make(name, word.n - strlen(prefix) + 1);
}

static void fill_ui_tool(struct bough_arena *a, struct part_spans *s, struct fields *f)
{
    static const char *const members[] = { "callProviderMetadata", NULL };
    struct fields older; /* the AI SDK's `toolInvocation` */
    struct fields *in = inner(f, "toolInvocation", &older) ? &older : f;

    s->kind = VIEW_TOOL;
    s->call = string(in, "toolCallId");
    s->tool = string(in, "toolName");
    if (!filled(s->tool))
        s->tool = named_by(a, s->word);
    s->input = either(in, "input", "args");
    s->server = truth(in, "providerExecuted");
    s->state = part_state_parse(string(in, "state"));
    s->failed = s->state == BOUGH_TOOL_ERROR;
    s->output = s->failed ? value(in, "errorText") : either(in, "output", "result");
    signed_in(s, f, members);
}

/* The URL without the escapes of some writers: "data:image\/png". */
static void plain_url(struct bough_arena *a, struct part_spans *s)
{
    struct buf b;

    buf_init(&b, 6 * s->url.n + 2);
    buf_putc(&b, '"');
    json_escape(&b, json_span_text(a, s->url));
    buf_putc(&b, '"');
    s->url = arena_str(a, buf_str(&b));
    buf_finish(&b);
}

/* "data:<mime>;base64,<bytes>" */
static void split_data_url(struct bough_arena *a, struct part_spans *s)
{
    enum { HEAD = 128 };
    struct bough_str url;
    const char *comma;
    size_t head;

    if (!str_starts(s->url, "\"data:"))
        return;
    if (memchr(s->url.p, '\\', s->url.n < HEAD ? s->url.n : HEAD))
        plain_url(a, s);
    url = str_make(s->url.p + 1, s->url.n - 2);
    comma = memchr(url.p, ',', url.n);
    head = comma ? (size_t)(comma - url.p) : 0;
    if (head < strlen("data:;base64") || memcmp(comma - 7, ";base64", 7) != 0)
        return;
    s->base64 = str_make(comma + 1, url.n - head - 1);
    if (!filled(s->mime))
        s->mime = str_of(arena_printf(a, "\"%.*s\"", (int)(head - 5 - 7), url.p + 5));
}

/* The first of several string members that is not empty. */
static struct bough_str any_string(struct fields *f, const char *const *keys)
{
    struct bough_str s = none();

    for (; *keys && !filled(s); keys++)
        s = string(f, *keys);
    return filled(s) ? s : none();
}

static void fill_file(struct bough_arena *a, struct part_spans *s, struct fields *f)
{
    static const char *const mimes[] = { "mime",       "mediaType",       "mimeType",
                                         "media_type", "image_mime_type", NULL };
    static const char *const urls[] = { "url", "image_url", "file_url", "image", NULL };
    static const char *const bytes[] = { "image_base64", "data", "file_data", NULL };
    static const char *const filenames[] = { "filename", "title", "name", NULL };
    static const char *const inners[] = { "source", "image_url", "file", "input_audio", NULL };
    struct fields in, *from = f;
    struct bough_str data;

    s->kind = VIEW_FILE;
    /* Not with "mime": the canonical `source` only cites a file. */
    for (size_t i = 0; inners[i] && !value(f, "mime").n; i++)
        if (inner(f, inners[i], &in))
            from = &in;
    s->mime = any_string(from, mimes);
    s->url = any_string(from, urls);
    s->filename = any_string(f, filenames);
    if (!filled(s->filename) && from != f)
        s->filename = any_string(from, filenames);
    data = any_string(from, bytes);
    if (!s->url.n && str_starts(data, "\"data:"))
        s->url = data;
    else if (data.n)
        s->base64 = str_make(data.p + 1, data.n - 2);
    if (s->url.n)
        split_data_url(a, s);
}

static const struct {
    const char *word;
    void (*fill)(struct part_spans *s, struct fields *f);
} tool_words[] = {
    { "tool", fill_tool },
    { "tool_use", fill_use },
    { "server_tool_use", fill_use },
    { "mcp_tool_use", fill_use },
    { "toolCall", fill_use },
    { "tool_result", fill_result },
    { "mcp_tool_result", fill_result },
    { "function", fill_function },
    { "function_call", fill_item_call },
    { "custom_tool_call", fill_item_call },
    { "function_call_output", fill_item_output },
    { "function_call_result", fill_item_output },
    { "custom_tool_call_output", fill_item_output },
};

static void fill_any_tool(struct bough_arena *a, struct part_spans *s, struct fields *f)
{
    bool model = value(f, "toolName").n > 0;

    for (size_t i = 0; i < sizeof tool_words / sizeof *tool_words; i++) {
        if (json_span_is(s->word, tool_words[i].word)) {
            tool_words[i].fill(s, f);
            return;
        }
    }
    if (model && json_span_is(s->word, "tool-call"))
        fill_model_call(s, f);
    else if (model && json_span_is(s->word, "tool-result"))
        fill_model_result(s, f);
    else
        fill_ui_tool(a, s, f);
}

void part_spans_read(struct bough_arena *a, const struct bough_part *part, struct part_spans *s)
{
#define EMPTY                                                                                      \
    {                                                                                              \
        "", 0                                                                                      \
    }
    static const struct part_spans empty = { .kind = VIEW_OTHER,
                                             .state = BOUGH_TOOL_NONE,
                                             .word = EMPTY,
                                             .text = EMPTY,
                                             .blocks = EMPTY,
                                             .signature = EMPTY,
                                             .item = EMPTY,
                                             .call = EMPTY,
                                             .tool = EMPTY,
                                             .input = EMPTY,
                                             .output = EMPTY,
                                             .partial = EMPTY,
                                             .files = EMPTY,
                                             .mime = EMPTY,
                                             .filename = EMPTY,
                                             .url = EMPTY,
                                             .base64 = EMPTY };
#undef EMPTY
    struct fields f;

    *s = empty;
    s->type = part->type;
    s->raw = part->json;
    if (!fields_scan(&f, part->json))
        return;
    s->surrogates = json_span_surrogates(part->json);
    s->word = string(&f, "type");
    switch (part->type) {
    case BOUGH_PART_TEXT:
        fill_text(s, &f);
        s->item_wise = s->word.n == 13 && json_span_is(s->word, "output_text");
        break;
    case BOUGH_PART_REASONING:
        fill_reasoning(s, &f);
        break;
    case BOUGH_PART_TOOL:
        fill_any_tool(a, s, &f);
        break;
    case BOUGH_PART_FILE:
        fill_file(a, s, &f);
        break;
    case BOUGH_PART_STEP_START:
    case BOUGH_PART_STEP_FINISH:
    case BOUGH_PART_PATCH:
    case BOUGH_PART_SNAPSHOT:
    case BOUGH_PART_AGENT:
    case BOUGH_PART_COMPACTION:
    case BOUGH_PART_SUBTASK:
    case BOUGH_PART_RETRY:
    case BOUGH_PART_OTHER:
        break;
    }
}

/* ---- blocks ---- */

bool span_block_texts(struct buf *out, struct bough_str blocks)
{
    size_t was = out->n;
    struct json_event ev;
    struct json_pull p;
    struct fields f;
    bool any = false;

    json_pull_init(&p, blocks);
    if (!blocks.n || json_pull_next(&p, &ev, NULL) || ev.type != JSON_BEGIN ||
        ev.value != JSON_ARRAY)
        return false;
    while (json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type != JSON_END) {
        struct bough_str block, text = { "", 0 };

        if (ev.type == JSON_BEGIN && ev.value == JSON_OBJECT &&
            json_pull_skip(&p, &ev, &block, NULL) == BOUGH_OK &&
            fields_read(&f, block, NULL) == BOUGH_OK)
            text = fields_raw(&f, "text", JSON_STRING);
        if (!text.n) {
            out->n = was;
            buf_end(out);
            return false;
        }
        if (any && out->n > was)
            buf_put(out, "\\n", 2);
        buf_put(out, text.p + 1, text.n - 2);
        any = true;
    }
    return true;
}
