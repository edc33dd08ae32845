/* Messages of Gemini CLI as parts: texts, thoughts, files, tool calls and their results. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "core/price/price.h"
#include "formats/common/made.h"
#include "formats/gemini/gemini.h"

#define LIMIT_COUNT INT64_C(1000000000000000)

/* ---- content ---- */

static void push_call(struct made *m, struct json call)
{
    made_call(m, json_cstr(m->r->a, call, "id"), json_cstr(m->r->a, call, "name"),
              json_raw(json_member(call, "args")));
}

/* What a tool answered: its output, or the whole response. */
static struct bough_str output_of(struct json response)
{
    struct json out;

    if (json_get(response, "output", &out) && json_type(out) == JSON_STRING)
        return json_raw(out);
    if (json_get(response, "error", &out) && json_type(out) == JSON_STRING)
        return json_raw(out);
    return json_raw(response);
}

static void push_part(struct made *m, struct json part)
{
    struct json value;
    bool thought = false;

    json_bool(json_member(part, "thought"), &thought);
    if (json_type(part) == JSON_STRING)
        made_text(m, "text", json_raw(part));
    else if (json_get(part, "text", &value) && json_type(value) == JSON_STRING)
        made_text(m, thought ? "reasoning" : "text", json_raw(value));
    else if (json_get(part, "inlineData", &value))
        made_file(m, json_cstr(m->r->a, value, "mimeType"), json_raw(json_member(value, "data")));
    else if (json_get(part, "functionCall", &value))
        push_call(m, value);
    else if (json_get(part, "functionResponse", &value))
        made_result(m, json_cstr(m->r->a, value, "id"), output_of(json_member(value, "response")),
                    false);
    else
        made_part(m, json_raw(part)); /* kept as it is */
}

/* A text, a part, or a list of them. */
static void push_content(struct made *m, struct json content)
{
    struct json_iter it = json_iter(content);

    if (json_type(content) == JSON_ARRAY)
        while (json_next(&it))
            push_part(m, it.value);
    else if (json_type(content) == JSON_OBJECT ||
             (json_type(content) == JSON_STRING && !str_is(json_raw(content), "\"\"")))
        push_part(m, content);
}

static void push_thoughts(struct made *m, struct json thoughts)
{
    struct json_iter it = json_iter(thoughts);

    while (json_type(thoughts) == JSON_ARRAY && json_next(&it)) {
        const char *subject = json_cstr(m->r->a, it.value, "subject"),
                   *text = json_cstr(m->r->a, it.value, "description");

        made_words(m, "reasoning",
                   arena_printf(m->r->a, "%s%s%s", subject ? subject : "",
                                subject && text ? "\n" : "", text ? text : ""));
    }
}

/* ---- usage ---- */

/* A count that can be added to another one. */
static int64_t count_of(struct json tokens, const char *name)
{
    int64_t n = number_of(tokens, name);

    return n < LIMIT_COUNT ? n : LIMIT_COUNT;
}

/* The counts of the prompt include those that were cached. */
static void take_usage(struct reading *r, struct json j, struct bough_entry_new *e)
{
    struct json tokens = json_member(j, "tokens");
    int64_t in = count_of(tokens, "input") + count_of(tokens, "tool"),
            cached = count_of(tokens, "cached"), thoughts = count_of(tokens, "thoughts");
    struct bough_totals used = { .input = in > cached ? in - cached : 0,
                                 .cache_read = cached,
                                 .output = count_of(tokens, "output") + thoughts,
                                 .reasoning = thoughts };
    struct usage u = usage_of_totals(&used);
    struct answered who = { .provider = "google",
                            .model = json_cstr(r->a, j, "model"),
                            .time = e->time };

    e->call_provider = who.provider;
    e->call_model = who.model;
    if (json_type(tokens) != JSON_OBJECT)
        return;
    e->call_cost_source = price_usage(r, &who, &u, &used);
    e->usage = totals_keep(r->a, &used);
}

/* ---- messages ---- */

void gemini_message(struct reading *r, struct json j, struct bough_entry_new *e)
{
    static const char *const placed[] = { "id", "timestamp", "content", "thoughts", NULL };
    struct made m = { .r = r };
    struct json calls = json_member(j, "toolCalls");
    struct json_iter it = json_iter(calls);
    bool model = cstr_eq(json_cstr(r->a, j, "type"), "gemini");

    if (model)
        push_thoughts(&m, json_member(j, "thoughts"));
    push_content(&m, json_member(j, "content"));
    while (json_type(calls) == JSON_ARRAY && json_next(&it))
        push_call(&m, it.value);
    e->kind = BOUGH_ENTRY_MESSAGE;
    e->role = model ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER;
    e->parts = m.at;
    e->nparts = m.n;
    e->data = members_but(r->a, j, placed, NULL);
    if (model)
        take_usage(r, j, e);
}

size_t gemini_results(struct reading *r, struct json j, struct bough_str **parts)
{
    struct json calls = json_member(j, "toolCalls");
    struct json_iter it = json_iter(calls);
    struct made m = { .r = r };

    while (json_type(calls) == JSON_ARRAY && json_next(&it)) {
        const char *status = json_cstr(r->a, it.value, "status"),
                   *id = json_cstr(r->a, it.value, "id");
        bool failed = cstr_eq(status, "error") || cstr_eq(status, "cancelled");
        struct json result = json_member(it.value, "result"), first = result;
        struct json_iter in = json_iter(result);

        if (json_type(result) == JSON_ARRAY && json_next(&in))
            first = in.value;
        if (json_type(result) == JSON_OBJECT || json_type(result) == JSON_ARRAY)
            made_result(&m, id,
                        output_of(json_member(json_member(first, "functionResponse"), "response")),
                        failed);
        else if (json_type(result) == JSON_STRING)
            made_result(&m, id, json_raw(result), failed);
        else if (failed)
            made_result(&m, id, str_of("\"\""), true);
    }
    *parts = m.at;
    return m.n;
}
