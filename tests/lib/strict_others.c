/* What Anthropic and Gemini refuse. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/strict_in.h"

/* ---- Anthropic ---- */

static bool source(struct strict *s, struct json j, bool image)
{
    if (strict_is(j, "type", "url"))
        return strict_keys(s, j, KEYS("!type", "!url")) && strict_url(s, json_member(j, "url"));
    if (!strict_is(j, "type", "base64"))
        return strict_no(s, "a source that Anthropic does not have");
    if (image && !strict_is(j, "media_type", "image/png") &&
        !strict_is(j, "media_type", "image/jpeg") && !strict_is(j, "media_type", "image/gif") &&
        !strict_is(j, "media_type", "image/webp"))
        return strict_no(s, "an image of another type");
    if (!image && !strict_is(j, "media_type", "application/pdf"))
        return strict_no(s, "a document of another type");
    return strict_keys(s, j, KEYS("!type", "!media_type", "!data")) &&
           strict_base64(s, json_member(j, "data"));
}

/* A text, an image or a document. *known: it is one of these. */
static bool plain_block(struct strict *s, struct json b, bool *known)
{
    *known = true;
    if (strict_is(b, "type", "text"))
        return strict_keys(s, b, KEYS("!type", "!text")) &&
               strict_text(s, json_member(b, "text"), "a text");
    if (strict_is(b, "type", "image"))
        return strict_keys(s, b, KEYS("!type", "!source")) &&
               source(s, json_member(b, "source"), true);
    if (strict_is(b, "type", "document"))
        return strict_keys(s, b, KEYS("!type", "!source", "title")) &&
               source(s, json_member(b, "source"), false);
    *known = false;
    return true;
}

static bool result_block(struct strict *s, struct json b)
{
    struct json content = json_member(b, "content");
    struct json_iter it = json_iter(content);
    struct strict_id *of = s->ids;
    bool known = true;

    while (of && !strict_is(b, "tool_use_id", of->id))
        of = of->next;
    if (!of)
        return strict_no(s, "a result without its call");
    if (of->answered)
        return strict_no(s, "two results for %s", of->id);
    of->answered = true;
    if (!strict_keys(s, b, KEYS("!type", "!tool_use_id", "content", "is_error")))
        return false;
    if (json_type(content) == JSON_STRING)
        return strict_text(s, content, "a result");
    if (json_type(content) != JSON_ARRAY || !json_count(content))
        return strict_no(s, "a result without content");
    while (json_next(&it))
        if (!plain_block(s, it.value, &known) || !known)
            return strict_no(s, "a block that a result does not have");
    return true;
}

/* Are there calls of the message before that wait for a result? */
static const char *waiting(const struct strict *s)
{
    for (const struct strict_id *i = s->ids; i; i = i->next)
        if (!i->answered)
            return i->id;
    return NULL;
}

static bool user_message(struct strict *s, struct json content)
{
    struct json_iter it = json_iter(content);
    bool said = false, known;

    while (json_next(&it)) {
        if (strict_is(it.value, "type", "tool_result")) {
            if (said)
                return strict_no(s, "a result behind other content");
            if (!result_block(s, it.value))
                return false;
            continue;
        }
        said = true;
        if (!plain_block(s, it.value, &known))
            return false;
        if (!known)
            return strict_no(s, "a block that a user cannot send");
    }
    return !waiting(s) || strict_no(s, "the call %s has no result", waiting(s));
}

/* Blocks of Anthropic's own tools come in pairs. */
static bool server_pair(struct strict *s, struct json content, struct json b)
{
    struct json_iter it = json_iter(content);
    struct bough_str id = json_raw(json_member(b, "id"));

    if (!strict_is(b, "type", "server_tool_use") && !strict_is(b, "type", "mcp_tool_use"))
        id = json_raw(json_member(b, "tool_use_id"));
    while (json_next(&it)) {
        bool same = str_eq(json_raw(it.value), json_raw(b));

        if (!same && (str_eq(json_raw(json_member(it.value, "id")), id) ||
                      str_eq(json_raw(json_member(it.value, "tool_use_id")), id)))
            return true;
    }
    return strict_no(s, "a block of a server tool is alone");
}

static bool model_block(struct strict *s, struct json content, struct json b)
{
    bool known;

    if (strict_is(b, "type", "thinking"))
        return strict_keys(s, b, KEYS("!type", "!thinking", "!signature")) &&
               strict_text(s, json_member(b, "signature"), "a signature");
    if (strict_is(b, "type", "redacted_thinking"))
        return strict_keys(s, b, KEYS("!type", "!data")) &&
               strict_text(s, json_member(b, "data"), "redacted thinking");
    if (strict_is(b, "type", "tool_use"))
        return strict_keys(s, b, KEYS("!type", "!id", "!name", "!input")) &&
               strict_call_id(s, json_member(b, "id"), "", 64, true) &&
               strict_name(s, json_member(b, "name"), 128, false) &&
               (json_type(json_member(b, "input")) == JSON_OBJECT ||
                strict_no(s, "the input is no object"));
    if (strict_is(b, "type", "text"))
        return plain_block(s, b, &known);
    if (json_type(json_member(b, "tool_use_id")) == JSON_STRING ||
        strict_is(b, "type", "server_tool_use") || strict_is(b, "type", "mcp_tool_use"))
        return server_pair(s, content, b);
    return strict_no(s, "a block that a model does not send");
}

static bool model_message(struct strict *s, struct json content)
{
    struct json_iter it = json_iter(content);
    bool thinking = false;

    while (json_next(&it)) {
        if (!model_block(s, content, it.value))
            return false;
        thinking = strict_is(it.value, "type", "thinking") ||
                   strict_is(it.value, "type", "redacted_thinking");
    }
    return !thinking || strict_no(s, "the last block is thinking");
}

/* A prefill may not end in white space. */
static bool ends_blank(struct strict *s, struct json content)
{
    struct json_iter it = json_iter(content);
    struct bough_str text = { "", 0 };

    while (json_next(&it))
        if (!json_str(s->a, json_member(it.value, "text"), &text))
            text = str_of("");
    return text.n && strchr(" \t\r\n", text.p[text.n - 1]);
}

void strict_anthropic(struct strict *s, struct json messages)
{
    struct json_iter it = json_iter(messages);
    bool model = true, blank = false;

    for (; json_next(&it); s->at++) {
        struct json content = json_member(it.value, "content");
        bool now = strict_is(it.value, "role", "assistant");

        if (!strict_keys(s, it.value, KEYS("!role", "!content")))
            return;
        if (!now && !strict_is(it.value, "role", "user"))
            strict_no(s, "a role that Anthropic does not have");
        else if (now == model)
            strict_no(s, s->at ? "two messages of one role" : "the first message is the model's");
        else if (json_type(content) != JSON_ARRAY || !json_count(content))
            strict_no(s, "the content is empty");
        else if (now ? model_message(s, content) : user_message(s, content))
            model = now;
        blank = ends_blank(s, content);
        if (s->why)
            return;
    }
    if (waiting(s))
        strict_no(s, "the list ends before the call %s is answered", waiting(s));
    else if (model && s->at && !s->trailing)
        strict_no(s, "the last message is the model's");
    else if (model && s->at && blank)
        strict_no(s, "the last message ends in white space");
}

/* ---- Gemini ---- */

struct gemini {
    size_t calls, responses, others;
    bool signed_first; /* the first call has a signature */
    const char *names; /* of calls or responses, in order */
};

static bool gemini_data(struct strict *s, struct json part)
{
    struct json in = json_member(part, "inlineData"), at = json_member(part, "fileData");

    if (json_type(in) == JSON_OBJECT)
        return strict_keys(s, part, KEYS("!inlineData")) &&
               strict_keys(s, in, KEYS("!mimeType", "!data")) &&
               strict_text(s, json_member(in, "mimeType"), "a type") &&
               strict_base64(s, json_member(in, "data"));
    if (json_type(at) == JSON_OBJECT)
        return strict_keys(s, part, KEYS("!fileData")) &&
               strict_keys(s, at, KEYS("!mimeType", "!fileUri")) &&
               strict_url(s, json_member(at, "fileUri"));
    return strict_keys(s, part, KEYS("!text", "thought", "thoughtSignature")) &&
           strict_text(s, json_member(part, "text"), "a text");
}

static bool gemini_part(struct strict *s, struct json part, bool model, struct gemini *g)
{
    struct json call = json_member(part, "functionCall"),
                response = json_member(part, "functionResponse");
    struct json of = json_type(call) == JSON_OBJECT ? call : response;

    if (json_type(of) != JSON_OBJECT) {
        g->others++;
        return gemini_data(s, part);
    }
    if (!strict_name(s, json_member(of, "name"), 64, true))
        return false;
    g->names = arena_printf(s->a, "%s %.*s", g->names, (int)json_raw(json_member(of, "name")).n,
                            json_raw(json_member(of, "name")).p);
    if (json_type(call) == JSON_OBJECT) {
        if (!g->calls++)
            g->signed_first = json_type(json_member(part, "thoughtSignature")) == JSON_STRING;
        return strict_keys(s, part, KEYS("!functionCall", "thoughtSignature")) &&
               strict_keys(s, call, KEYS("!name", "!args")) &&
               (model || strict_no(s, "a call of the user")) &&
               (json_type(json_member(call, "args")) == JSON_OBJECT ||
                strict_no(s, "the arguments are no object"));
    }
    g->responses++;
    return strict_keys(s, part, KEYS("!functionResponse")) &&
           strict_keys(s, response, KEYS("!name", "!response")) &&
           (!model || strict_no(s, "a response of the model")) &&
           (json_type(json_member(response, "response")) == JSON_OBJECT ||
            strict_no(s, "a response is no object"));
}

static bool gemini_content(struct strict *s, struct json content, bool model, struct gemini *g)
{
    struct json parts = json_member(content, "parts");
    struct json_iter it = json_iter(parts);

    *g = (struct gemini){ .signed_first = true, .names = "" };
    if (!strict_keys(s, content, KEYS("!role", "!parts")))
        return false;
    if (!model && !strict_is(content, "role", "user"))
        return strict_no(s, "a role that Gemini does not have");
    if (json_type(parts) != JSON_ARRAY || !json_count(parts))
        return strict_no(s, "no parts");
    while (json_next(&it))
        if (!gemini_part(s, it.value, model, g))
            return false;
    if (g->responses && g->others)
        return strict_no(s, "responses among other parts");
    return g->signed_first || strict_no(s, "the first call has no signature");
}

void strict_gemini(struct strict *s, struct json contents)
{
    struct json_iter it = json_iter(contents);
    struct gemini before = { .names = "" }, now;
    bool model = true;

    for (; json_next(&it); s->at++) {
        bool its = strict_is(it.value, "role", "model");

        if (!gemini_content(s, it.value, its, &now))
            return;
        if (its && model)
            strict_no(s, s->at ? "two turns of the model" : "the first turn is the model's");
        else if (before.calls ? strcmp(before.names, now.names) != 0 || now.calls
                              : now.responses > 0)
            strict_no(s, "calls and responses do not match:%s,%s", before.names, now.names);
        if (s->why)
            return;
        before = now;
        model = its;
    }
    if (before.calls)
        strict_no(s, "the list ends with a call");
    else if (model && s->at && !s->trailing)
        strict_no(s, "the last turn is the model's");
}
