/* What OpenAI refuses: chat completions and responses. */
#include <string.h>

#include "base/text/str.h"
#include "lib/strict_in.h"

/* ---- chat ---- */

static bool chat_part(struct strict *s, struct json part)
{
    struct json in;

    if (strict_is(part, "type", "text"))
        return strict_keys(s, part, KEYS("!type", "!text")) &&
               strict_text(s, json_member(part, "text"), "a text");
    if (strict_is(part, "type", "image_url")) {
        in = json_member(part, "image_url");
        return strict_keys(s, part, KEYS("!type", "!image_url")) &&
               strict_keys(s, in, KEYS("!url", "detail")) && strict_url(s, json_member(in, "url"));
    }
    if (strict_is(part, "type", "file")) {
        in = json_member(part, "file");
        return strict_keys(s, part, KEYS("!type", "!file")) &&
               strict_keys(s, in, KEYS("!file_data", "!filename")) &&
               strict_url(s, json_member(in, "file_data"));
    }
    if (strict_is(part, "type", "input_audio")) {
        in = json_member(part, "input_audio");
        return strict_keys(s, part, KEYS("!type", "!input_audio")) &&
               strict_keys(s, in, KEYS("!data", "!format")) &&
               strict_base64(s, json_member(in, "data"));
    }
    return strict_no(s, "a part that chat does not have");
}

static bool chat_content(struct strict *s, struct json content)
{
    struct json_iter it = json_iter(content);

    if (json_type(content) == JSON_STRING)
        return strict_text(s, content, "the content");
    if (json_type(content) != JSON_ARRAY || !json_count(content))
        return strict_no(s, "the content is empty");
    while (json_next(&it))
        if (!chat_part(s, it.value))
            return false;
    return true;
}

static bool chat_calls(struct strict *s, struct json calls)
{
    struct json_iter it = json_iter(calls);

    if (json_type(calls) != JSON_ARRAY || !json_count(calls))
        return strict_no(s, "tool_calls is empty");
    while (json_next(&it)) {
        struct json f = json_member(it.value, "function");

        if (!strict_keys(s, it.value, KEYS("!id", "!type", "!function")) ||
            !strict_keys(s, f, KEYS("!name", "!arguments")) ||
            !strict_call_id(s, json_member(it.value, "id"), "", 40, false) ||
            !strict_name(s, json_member(f, "name"), 64, false) ||
            !strict_arguments(s, json_member(f, "arguments")))
            return false;
    }
    return true;
}

/* The calls that wait, in order: tool messages must answer all of them, right behind. */
static struct strict_id *first_open(struct strict *s)
{
    struct strict_id *open = NULL;

    for (struct strict_id *i = s->ids; i; i = i->next)
        if (!i->answered)
            open = i;
    return open;
}

static bool chat_message(struct strict *s, struct json m)
{
    struct strict_id *open = first_open(s);
    struct json content = json_member(m, "content"), calls;

    if (strict_is(m, "role", "tool")) {
        if (!open || !strict_is(m, "tool_call_id", open->id))
            return strict_no(s, "a tool message that answers no call before it");
        open->answered = true;
        return strict_keys(s, m, KEYS("!role", "!tool_call_id", "!content")) &&
               chat_content(s, content);
    }
    if (open)
        return strict_no(s, "the call %s has no tool message behind it", open->id);
    if (strict_is(m, "role", "assistant")) {
        bool called = json_get(m, "tool_calls", &calls);

        if (!strict_keys(s, m, KEYS("!role", "!content", "tool_calls")))
            return false;
        if (json_type(content) == JSON_NULL ? !called : !strict_text(s, content, "the content"))
            return strict_no(s, "an empty answer");
        return !called || chat_calls(s, calls);
    }
    if (!strict_is(m, "role", "user") && !strict_is(m, "role", "system") &&
        !strict_is(m, "role", "developer"))
        return strict_no(s, "a role that chat does not have");
    return strict_keys(s, m, KEYS("!role", "!content")) && chat_content(s, content);
}

void strict_chat(struct strict *s, struct json messages)
{
    struct json_iter it = json_iter(messages);
    bool model = false;

    for (; json_next(&it); s->at++) {
        if (!chat_message(s, it.value))
            return;
        model = strict_is(it.value, "role", "assistant");
    }
    if (first_open(s))
        strict_no(s, "the list ends before all calls are answered");
    else if (model && !s->trailing)
        strict_no(s, "the last message is the model's");
}

/* ---- responses ---- */

static bool item_part(struct strict *s, struct json part, bool model)
{
    if (strict_is(part, "type", model ? "output_text" : "input_text"))
        return strict_keys(s, part, KEYS("!type", "!text")) &&
               strict_text(s, json_member(part, "text"), "a text");
    if (!model && strict_is(part, "type", "input_image"))
        return strict_keys(s, part, KEYS("!type", "!image_url")) &&
               strict_url(s, json_member(part, "image_url"));
    if (!model && strict_is(part, "type", "input_file") &&
        json_type(json_member(part, "file_url")) == JSON_STRING)
        return strict_keys(s, part, KEYS("!type", "!file_url")) &&
               strict_url(s, json_member(part, "file_url"));
    if (!model && strict_is(part, "type", "input_file"))
        return strict_keys(s, part, KEYS("!type", "!filename", "!file_data")) &&
               strict_url(s, json_member(part, "file_data"));
    return strict_no(s, "a part that responses do not have there");
}

static bool item_content(struct strict *s, struct json content, bool model)
{
    struct json_iter it = json_iter(content);

    if (json_type(content) != JSON_ARRAY || !json_count(content))
        return strict_no(s, "the content is empty");
    while (json_next(&it))
        if (!item_part(s, it.value, model))
            return false;
    return true;
}

static bool item_message(struct strict *s, struct json item)
{
    bool model = strict_is(item, "role", "assistant");

    if (!model && !strict_is(item, "role", "user") && !strict_is(item, "role", "system") &&
        !strict_is(item, "role", "developer"))
        return strict_no(s, "a role that responses do not have");
    return strict_keys(s, item, KEYS("!type", "!role", "!content")) &&
           item_content(s, json_member(item, "content"), model);
}

static bool item_output(struct strict *s, struct json item, const char *kind)
{
    struct json output = json_member(item, "output");
    struct strict_id *of = s->ids;

    while (of && !strict_is(item, "call_id", of->id))
        of = of->next;
    if (!of || strcmp(of->name, kind) != 0)
        return strict_no(s, "an output without its call");
    if (of->answered)
        return strict_no(s, "two outputs for %s", of->id);
    of->answered = true;
    if (!strict_keys(s, item, KEYS("!type", "!call_id", "!output")))
        return false;
    return json_type(output) == JSON_STRING ? strict_text(s, output, "the output")
                                            : item_content(s, output, false);
}

static bool item_call(struct strict *s, struct json item)
{
    if (strict_is(item, "type", "function_call"))
        return strict_keys(s, item, KEYS("!type", "!call_id", "!name", "!arguments")) &&
               strict_call_id(s, json_member(item, "call_id"), "function", 64, false) &&
               strict_name(s, json_member(item, "name"), 64, false) &&
               strict_arguments(s, json_member(item, "arguments"));
    return strict_keys(s, item, KEYS("!type", "!call_id", "!name", "!input")) &&
           strict_call_id(s, json_member(item, "call_id"), "custom", 64, false) &&
           strict_name(s, json_member(item, "name"), 64, false) &&
           (json_type(json_member(item, "input")) == JSON_STRING ||
            strict_no(s, "the input is not a string"));
}

static bool is_server(struct json item)
{
    return strict_is(item, "type", "web_search_call") ||
           strict_is(item, "type", "file_search_call") ||
           strict_is(item, "type", "code_interpreter_call") ||
           strict_is(item, "type", "image_generation_call") || strict_is(item, "type", "mcp_call");
}

static bool responses_item(struct strict *s, struct json item)
{
    if (strict_is(item, "type", "message"))
        return item_message(s, item);
    if (strict_is(item, "type", "function_call") || strict_is(item, "type", "custom_tool_call"))
        return item_call(s, item);
    if (strict_is(item, "type", "function_call_output"))
        return item_output(s, item, "function");
    if (strict_is(item, "type", "custom_tool_call_output"))
        return item_output(s, item, "custom");
    if (strict_is(item, "type", "reasoning"))
        return strict_keys(s, item, KEYS("!type", "id", "!summary", "!encrypted_content")) &&
               strict_text(s, json_member(item, "encrypted_content"), "encrypted content");
    return is_server(item) || strict_no(s, "an item that responses do not have");
}

/* What reasoning may lead to. */
static bool follows_reasoning(struct json item)
{
    return strict_is(item, "role", "assistant") || strict_is(item, "type", "function_call") ||
           strict_is(item, "type", "custom_tool_call") || is_server(item);
}

void strict_responses(struct strict *s, struct json items)
{
    struct json_iter it = json_iter(items);
    bool reasoning = false, model = false;

    for (; json_next(&it); s->at++) {
        if (!responses_item(s, it.value))
            return;
        if (reasoning && !follows_reasoning(it.value)) {
            strict_no(s, "reasoning without the item it led to");
            return;
        }
        reasoning = strict_is(it.value, "type", "reasoning");
        model = follows_reasoning(it.value);
    }
    for (const struct strict_id *i = s->ids; i; i = i->next)
        if (!i->answered)
            strict_no(s, "the call %s has no output", i->id);
    if (reasoning)
        strict_no(s, "the list ends with reasoning");
    else if (model && !s->trailing)
        strict_no(s, "the last item is the model's");
}
