/* Writes parts as Anthropic's content blocks, or as OpenAI's messages. */
#include "formats/common/blocks.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static bool is_word(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* Recognize blocks by their type. Other vocabularies also use "thinking" and "image". */
static bool native(struct bough_arena *a, const struct part_view *v)
{
    static const char *const words[] = { "text",
                                         "redacted_thinking",
                                         "tool_use",
                                         "server_tool_use",
                                         "mcp_tool_use",
                                         "tool_result",
                                         "mcp_tool_result",
                                         "document",
                                         NULL };

    if (!v->raw.n)
        return false;
    if (strcmp(v->word, "thinking") == 0)
        return json_type(json_member(view_json(a, v), "thinking")) == JSON_STRING &&
               json_type(json_member(view_json(a, v), "thinkingSignature")) != JSON_STRING;
    if (strcmp(v->word, "image") == 0)
        return json_type(json_member(view_json(a, v), "source")) == JSON_OBJECT;
    return is_word(v->word, words);
}

bool blocks_native(const struct bough_entry *e)
{
    struct bough_arena *a = bough_arena_create();
    bool all = true;

    for (size_t i = 0; i < e->nparts && all; i++) {
        struct part_view v;

        view_part(a, &e->parts[i], &v);
        all = native(a, &v) || v.kind == VIEW_OTHER;
    }
    bough_arena_destroy(a);
    return all;
}

static void put_reasoning(struct bough_arena *a, struct json_writer *jw, const struct part_view *v)
{
    const char *signature = json_cstr(a, view_json(a, v), "signature");

    if (!signature)
        signature = json_cstr(a, view_json(a, v), "thinkingSignature"); /* pi */
    jw_obj(jw);
    jw_kv_cstr(jw, "type", "thinking");
    jw_kv_str(jw, "thinking", v->text);
    jw_kv_cstr(jw, "signature", signature ? signature : "");
    jw_end_obj(jw);
}

static void put_file(struct json_writer *jw, const struct part_view *v)
{
    bool image = strncmp(v->mime, "image/", 6) == 0;

    jw_obj(jw);
    jw_kv_cstr(jw, "type", image ? "image" : "document");
    jw_key(jw, "source");
    jw_obj(jw);
    if (v->base64.n) {
        jw_kv_cstr(jw, "type", "base64");
        jw_kv_cstr(jw, "media_type", v->mime);
        jw_kv_str(jw, "data", v->base64);
    } else {
        jw_kv_cstr(jw, "type", "url");
        jw_kv_str(jw, "url", v->url);
    }
    jw_end_obj(jw);
    jw_end_obj(jw);
}

static void put_result(struct bough_arena *a, struct json_writer *jw, const struct part_view *v)
{
    jw_obj(jw);
    jw_kv_cstr(jw, "type", "tool_result");
    jw_kv_cstr(jw, "tool_use_id", v->call);
    jw_kv_str(jw, "content", view_output_text(a, v->output));
    if (v->failed)
        jw_kv_bool(jw, "is_error", true);
    jw_end_obj(jw);
}

static void put_call(struct json_writer *jw, const struct part_view *v)
{
    jw_obj(jw);
    jw_kv_cstr(jw, "type", "tool_use");
    jw_kv_cstr(jw, "id", v->call);
    jw_kv_cstr(jw, "name", v->tool);
    jw_kv_raw(jw, "input", v->input.n ? v->input : str_of("{}"));
    jw_end_obj(jw);
}

void blocks_put(struct bough_arena *a, struct json_writer *jw, const struct view_run *run,
                bool other)
{
    for (size_t i = 0; i < run->n; i++) {
        const struct part_view *v = &run->at[i];

        if (native(a, v)) {
            jw_raw(jw, v->raw);
            continue;
        }
        switch (v->kind) {
        case VIEW_TEXT:
            jw_obj(jw);
            jw_kv_cstr(jw, "type", "text");
            jw_kv_str(jw, "text", v->text);
            jw_end_obj(jw);
            break;
        case VIEW_REASONING:
            put_reasoning(a, jw, v);
            break;
        case VIEW_CALL:
        case VIEW_TOOL:
            put_call(jw, v);
            break;
        case VIEW_RESULT:
            put_result(a, jw, v);
            break;
        case VIEW_FILE:
            put_file(jw, v);
            break;
        case VIEW_OTHER:
            if (other && v->raw.n)
                jw_raw(jw, v->raw);
            break;
        }
    }
}

/* ---- OpenAI's chat ---- */

static void chat_results(struct bough_arena *a, struct json_writer *jw, const struct view_run *run)
{
    for (size_t i = 0; i < run->n; i++) {
        jw_obj(jw);
        jw_kv_cstr(jw, "role", "tool");
        jw_kv_cstr(jw, "tool_call_id", run->at[i].call);
        jw_kv_str(jw, "content", view_output_text(a, run->at[i].output));
        jw_end_obj(jw);
    }
}

static void chat_call(struct json_writer *jw, const struct part_view *v)
{
    jw_obj(jw);
    jw_kv_cstr(jw, "id", v->call);
    jw_kv_cstr(jw, "type", "function");
    jw_key(jw, "function");
    jw_obj(jw);
    jw_kv_cstr(jw, "name", v->tool);
    jw_kv_str(jw, "arguments", v->input.n ? v->input : str_of("{}"));
    jw_end_obj(jw);
    jw_end_obj(jw);
}

static void chat_content(struct bough_arena *a, struct json_writer *jw, const struct view_run *run)
{
    jw_arr(jw);
    for (size_t i = 0; i < run->n; i++) {
        const struct part_view *v = &run->at[i];

        if (v->kind == VIEW_TEXT) {
            jw_obj(jw);
            jw_kv_cstr(jw, "type", "text");
            jw_kv_str(jw, "text", v->text);
            jw_end_obj(jw);
        } else if (v->kind == VIEW_FILE) {
            jw_obj(jw);
            jw_kv_cstr(jw, "type", "image_url");
            jw_key(jw, "image_url");
            jw_obj(jw);
            jw_kv_str(jw, "url", view_url(a, v));
            jw_end_obj(jw);
            jw_end_obj(jw);
        }
    }
    jw_end_arr(jw);
}

static size_t count(const struct view_run *run, enum view_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < run->n; i++)
        n += run->at[i].kind == kind;
    return n;
}

static struct bough_str only_text(const struct view_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        if (run->at[i].kind == VIEW_TEXT)
            return run->at[i].text;
    return str_of("");
}

void chat_put_run(struct bough_arena *a, struct json_writer *jw, const struct view_run *run,
                  const char *role)
{
    size_t calls = count(run, VIEW_CALL), texts = count(run, VIEW_TEXT);

    if (run->results) {
        chat_results(a, jw, run);
        return;
    }
    jw_obj(jw);
    jw_kv_cstr(jw, "role", role);
    jw_key(jw, "content");
    if (count(run, VIEW_FILE) || texts > 1)
        chat_content(a, jw, run);
    else if (!texts && calls)
        jw_null(jw);
    else
        jw_str(jw, only_text(run));
    if (calls) {
        jw_key(jw, "tool_calls");
        jw_arr(jw);
        for (size_t i = 0; i < run->n; i++)
            if (run->at[i].kind == VIEW_CALL)
                chat_call(jw, &run->at[i]);
        jw_end_arr(jw);
    }
    jw_end_obj(jw);
}
