/* Views: reading a part's contents from any tool's format. Pure. */
#include "core/part/view.h"

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/part.h"

static const char *word_of(struct bough_arena *a, struct json j, const char *key)
{
    const char *s = json_cstr(a, j, key);

    return s ? s : "";
}

static struct bough_str text_of(struct bough_arena *a, struct json j, const char *key)
{
    struct bough_str s;

    return json_str(a, json_member(j, key), &s) ? s : str_make(NULL, 0);
}

/* The raw span of a member; empty when missing or null. */
static struct bough_str raw_of(struct json j, const char *key)
{
    struct json m = json_member(j, key);

    return json_type(m) == JSON_NULL ? str_make(NULL, 0) : json_raw(m);
}

static struct bough_str first_raw(struct json j, const char *key, const char *other)
{
    struct bough_str s = raw_of(j, key);

    return s.n ? s : raw_of(j, other);
}

/* Arguments given as a string of JSON become that JSON; other strings stay strings. */
static struct bough_str arguments(struct bough_arena *a, struct json j)
{
    struct bough_str s;

    if (!json_str(a, j, &s))
        return json_type(j) == JSON_NULL ? str_make(NULL, 0) : json_raw(j);
    if (!s.n)
        return str_of("{}");
    return json_check(s, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK ? s : json_raw(j);
}

/* The texts of an array of blocks, joined by newlines. False: no array, or a block without text. */
static bool block_texts(struct bough_arena *a, struct json blocks, struct bough_str *out)
{
    struct json_iter it = json_iter(blocks);
    struct bough_str s;
    struct buf b;
    bool all = json_type(blocks) == JSON_ARRAY;

    buf_init(&b, LIMIT_MESSAGE_BYTES);
    while (all && json_next(&it)) {
        all = json_str(a, json_member(it.value, "text"), &s);
        if (all && b.n)
            buf_putc(&b, '\n');
        if (all)
            buf_put_str(&b, s);
    }
    if (all)
        *out = text_keep(a, &b);
    buf_finish(&b);
    return all;
}

struct bough_str view_output_text(struct bough_arena *a, struct bough_str output)
{
    struct json j;
    struct bough_str s;

    if (!output.n || json_parse(a, output, &j, NULL) != BOUGH_OK || json_type(j) == JSON_NULL)
        return str_make(NULL, 0);
    if (json_str(a, j, &s) || block_texts(a, j, &s))
        return s;
    return output;
}

/* ---- one function per shape ---- */

static void fill_text(struct bough_arena *a, struct part_view *v)
{
    v->kind = VIEW_TEXT;
    v->text = text_of(a, v->json, cstr_eq(v->word, "refusal") ? "refusal" : "text");
    json_bool(json_member(v->json, "ignored"), &v->ignored);
}

static void fill_reasoning(struct bough_arena *a, struct part_view *v)
{
    v->kind = VIEW_REASONING;
    v->text = text_of(a, v->json, "text");
    if (!v->text.n)
        v->text = text_of(a, v->json, "thinking");
    if (!v->text.n)
        block_texts(a, json_member(v->json, "summary"), &v->text);
    if (!v->text.n)
        block_texts(a, json_member(v->json, "content"), &v->text);
}

static void fill_tool(struct bough_arena *a, struct part_view *v)
{
    struct json state = json_member(v->json, "state");

    v->kind = VIEW_TOOL;
    v->call = word_of(a, v->json, "callID");
    v->tool = word_of(a, v->json, "tool");
    v->input = raw_of(state, "input");
    v->state = part_state_parse(raw_of(state, "status"));
    v->failed = v->state == BOUGH_TOOL_ERROR;
    v->output = raw_of(state, v->failed ? "error" : "output");
}

static void fill_use(struct bough_arena *a, struct part_view *v) /* hygge, Anthropic, pi */
{
    v->kind = VIEW_CALL;
    v->call = word_of(a, v->json, "id");
    v->tool = word_of(a, v->json, "name");
    v->input = first_raw(v->json, "input", "arguments");
}

static void fill_result(struct bough_arena *a, struct part_view *v) /* hygge, Anthropic */
{
    v->kind = VIEW_RESULT;
    v->call = word_of(a, v->json, "tool_use_id");
    v->output = raw_of(v->json, "content");
    json_bool(json_member(v->json, "is_error"), &v->failed);
}

static void fill_function(struct bough_arena *a, struct part_view *v) /* OpenAI chat */
{
    struct json f = json_member(v->json, "function");

    v->kind = VIEW_CALL;
    v->call = word_of(a, v->json, "id");
    v->tool = word_of(a, f, "name");
    v->input = arguments(a, json_member(f, "arguments"));
}

static void fill_item_call(struct bough_arena *a, struct part_view *v) /* OpenAI responses */
{
    bool custom = cstr_eq(v->word, "custom_tool_call");

    v->kind = VIEW_CALL;
    v->call = word_of(a, v->json, "call_id");
    v->tool = word_of(a, v->json, "name");
    v->input = custom ? raw_of(v->json, "input") : arguments(a, json_member(v->json, "arguments"));
}

static void fill_item_output(struct bough_arena *a, struct part_view *v)
{
    v->kind = VIEW_RESULT;
    v->call = word_of(a, v->json, "call_id");
    v->output = raw_of(v->json, "output");
}

static void fill_model_call(struct bough_arena *a, struct part_view *v) /* AI SDK model messages */
{
    v->kind = VIEW_CALL;
    v->call = word_of(a, v->json, "toolCallId");
    v->tool = word_of(a, v->json, "toolName");
    v->input = first_raw(v->json, "input", "args");
}

static void fill_model_result(struct bough_arena *a, struct part_view *v)
{
    struct json out = json_member(v->json, "output");

    v->kind = VIEW_RESULT;
    v->call = word_of(a, v->json, "toolCallId");
    v->tool = word_of(a, v->json, "toolName");
    v->output = raw_of(out, "value"); /* {type, value} */
    if (!v->output.n)
        v->output = first_raw(v->json, "output", "result");
    json_bool(json_member(v->json, "isError"), &v->failed);
    if (str_starts(str_of(word_of(a, out, "type")), "error"))
        v->failed = true;
}

static void fill_ui_tool(struct bough_arena *a, struct part_view *v) /* AI SDK UI messages */
{
    struct json in = json_member(v->json, "toolInvocation");

    if (json_type(in) != JSON_OBJECT)
        in = v->json;
    v->kind = VIEW_TOOL;
    v->call = word_of(a, in, "toolCallId");
    v->tool = word_of(a, in, "toolName");
    if (!*v->tool && str_starts(str_of(v->word), "tool-"))
        v->tool = v->word + strlen("tool-");
    v->input = first_raw(in, "input", "args");
    v->state = part_state_parse(raw_of(in, "state"));
    v->failed = v->state == BOUGH_TOOL_ERROR;
    v->output = v->failed ? raw_of(in, "errorText") : first_raw(in, "output", "result");
}

/* "data:<mime>;base64,<bytes>" */
static void split_data_url(struct bough_arena *a, struct part_view *v)
{
    const char *comma;
    size_t head;

    if (!str_starts(v->url, "data:"))
        return;
    comma = memchr(v->url.p, ',', v->url.n);
    head = comma ? (size_t)(comma - v->url.p) : 0;
    if (head < strlen("data:;base64") || memcmp(comma - 7, ";base64", 7) != 0)
        return;
    v->base64 = str_make(comma + 1, v->url.n - head - 1);
    if (!*v->mime)
        v->mime = arena_strndup(a, v->url.p + 5, head - 5 - 7);
}

/* The first of several string members that is not empty. */
static struct bough_str any_text(struct bough_arena *a, struct json j, const char *const *keys)
{
    struct bough_str s = str_make(NULL, 0);

    for (; *keys && !s.n; keys++)
        s = text_of(a, j, *keys);
    return s;
}

static void fill_file(struct bough_arena *a, struct part_view *v)
{
    static const char *const mimes[] = { "mime",       "mediaType",       "mimeType",
                                         "media_type", "image_mime_type", NULL };
    static const char *const urls[] = { "url", "image_url", "file_url", "image", NULL };
    static const char *const bytes[] = { "image_base64", "data", "file_data", NULL };
    static const char *const names[] = { "filename", "title", "name", NULL };
    static const char *const inner[] = { "source", "image_url", "file", "input_audio", NULL };
    struct json from = v->json;
    size_t i;

    v->kind = VIEW_FILE;
    for (i = 0; inner[i]; i++) { /* not with "mime": the canonical `source` only cites a file */
        struct json in = json_member(v->json, inner[i]);

        if (json_type(in) == JSON_OBJECT && !raw_of(v->json, "mime").n)
            from = in;
    }
    v->mime = any_text(a, from, mimes).p;
    v->url = any_text(a, from, urls);
    v->base64 = any_text(a, from, bytes);
    v->filename = any_text(a, v->json, names).p;
    if (!v->url.n && str_starts(v->base64, "data:")) {
        v->url = v->base64;
        v->base64 = str_make(NULL, 0);
    }
    split_data_url(a, v);
}

struct bough_str view_url(struct bough_arena *a, const struct part_view *v)
{
    struct bough_str s;
    struct buf b;

    if (v->url.n || !v->base64.n)
        return v->url;
    buf_init(&b, LIMIT_APPEND_BYTES);
    buf_printf(&b, "data:%s;base64,", v->mime);
    buf_put_str(&b, v->base64);
    s = text_keep(a, &b);
    buf_finish(&b);
    return s;
}

static const struct {
    const char *word;
    void (*fill)(struct bough_arena *a, struct part_view *v);
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
    { "custom_tool_call_output", fill_item_output },
};

static void fill_any_tool(struct bough_arena *a, struct part_view *v)
{
    bool model = raw_of(v->json, "toolName").n > 0;
    size_t i;

    for (i = 0; i < sizeof tool_words / sizeof *tool_words; i++) {
        if (cstr_eq(v->word, tool_words[i].word)) {
            tool_words[i].fill(a, v);
            return;
        }
    }
    if (model && cstr_eq(v->word, "tool-call"))
        fill_model_call(a, v);
    else if (model && cstr_eq(v->word, "tool-result"))
        fill_model_result(a, v);
    else
        fill_ui_tool(a, v);
}

void view_part(struct bough_arena *a, const struct bough_part *part, struct part_view *v)
{
    struct bough_str none = str_make(NULL, 0);

    *v = (struct part_view){ .kind = VIEW_OTHER,
                             .type = part->type,
                             .raw = part->json,
                             .word = "",
                             .text = none,
                             .call = "",
                             .tool = "",
                             .input = none,
                             .state = BOUGH_TOOL_NONE,
                             .output = none,
                             .mime = "",
                             .filename = "",
                             .url = none,
                             .base64 = none };
    if (json_parse(a, part->json, &v->json, NULL) != BOUGH_OK)
        return;
    v->word = word_of(a, v->json, "type");
    switch (part->type) {
    case BOUGH_PART_TEXT:
        fill_text(a, v);
        break;
    case BOUGH_PART_REASONING:
        fill_reasoning(a, v);
        break;
    case BOUGH_PART_TOOL:
        fill_any_tool(a, v);
        break;
    case BOUGH_PART_FILE:
        fill_file(a, v);
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

struct part_view *view_parts(struct bough_arena *a, const struct bough_entry *e)
{
    struct part_view *v = arena_array(a, e->nparts + 1, sizeof *v);
    size_t i;

    for (i = 0; i < e->nparts; i++)
        view_part(a, &e->parts[i], &v[i]);
    return v;
}
