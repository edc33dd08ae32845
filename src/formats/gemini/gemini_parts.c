/* Messages of Gemini CLI as parts: texts, thoughts, files, tool calls and their results. */
#include <string.h>

#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/model/totals.h"
#include "core/price/price.h"
#include "formats/gemini/gemini.h"

/* A list of parts that grows. */
struct list {
    struct reading *r;
    struct bough_str *at;
    size_t n;
};

static struct json_writer begin(struct buf *b, const char *type)
{
    struct json_writer w;

    buf_init(b, LIMIT_MESSAGE_BYTES);
    jw_init(&w, b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", type);
    return w;
}

static void push(struct list *l, struct bough_str part)
{
    l->at = arena_room(l->r->a, l->at, l->n, sizeof *l->at);
    l->at[l->n++] = part;
}

static void end(struct list *l, struct json_writer *w, struct buf *b)
{
    jw_end_obj(w);
    if (!b->over)
        push(l, text_keep(l->r->a, b));
    buf_finish(b);
}

static void push_text(struct list *l, const char *type, struct bough_str json)
{
    struct buf b;
    struct json_writer w = begin(&b, type);

    jw_key(&w, "text");
    jw_raw(&w, json);
    end(l, &w, &b);
}

/* ---- content ---- */

static void push_file(struct list *l, struct json data)
{
    const char *mime = json_cstr(l->r->a, data, "mimeType");
    struct buf b;
    struct json_writer w =
        begin(&b, mime && strncmp(mime, "image/", 6) == 0 ? "image" : "document");

    jw_key(&w, "source");
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "base64");
    jw_kv_cstr(&w, "media_type", mime ? mime : "application/octet-stream");
    jw_key(&w, "data");
    jw_raw(&w, json_raw(json_member(data, "data")));
    jw_end_obj(&w);
    end(l, &w, &b);
}

static void push_call(struct list *l, struct json call, const char *args)
{
    struct json input = json_member(call, args);
    struct buf b;
    struct json_writer w = begin(&b, "tool_use");

    jw_kv_cstr(&w, "id", json_cstr(l->r->a, call, "id"));
    jw_kv_cstr(&w, "name", json_cstr(l->r->a, call, "name"));
    jw_key(&w, "input");
    jw_raw(&w, json_type(input) == JSON_OBJECT ? json_raw(input) : str_of("{}"));
    end(l, &w, &b);
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

static void push_result(struct list *l, const char *id, struct bough_str output, bool failed)
{
    struct buf b;
    struct json_writer w = begin(&b, "tool_result");

    jw_kv_cstr(&w, "tool_use_id", id);
    if (failed)
        jw_kv_bool(&w, "is_error", true);
    jw_key(&w, "content");
    if (output.n && *output.p == '"')
        jw_raw(&w, output);
    else
        jw_str(&w, output);
    end(l, &w, &b);
}

static void push_part(struct list *l, struct json part)
{
    struct json value;
    bool thought = false;

    json_bool(json_member(part, "thought"), &thought);
    if (json_type(part) == JSON_STRING)
        push_text(l, "text", json_raw(part));
    else if (json_get(part, "text", &value) && json_type(value) == JSON_STRING)
        push_text(l, thought ? "reasoning" : "text", json_raw(value));
    else if (json_get(part, "inlineData", &value))
        push_file(l, value);
    else if (json_get(part, "functionCall", &value))
        push_call(l, value, "args");
    else if (json_get(part, "functionResponse", &value))
        push_result(l, json_cstr(l->r->a, value, "id"), output_of(json_member(value, "response")),
                    false);
    else
        push(l, json_raw(part)); /* kept as it is */
}

/* A text, a part, or a list of them. */
static void push_content(struct list *l, struct json content)
{
    struct json_iter it = json_iter(content);

    if (json_type(content) == JSON_ARRAY)
        while (json_next(&it))
            push_part(l, it.value);
    else if (json_type(content) == JSON_OBJECT ||
             (json_type(content) == JSON_STRING && !str_is(json_raw(content), "\"\"")))
        push_part(l, content);
}

static void push_thoughts(struct list *l, struct json thoughts)
{
    struct json_iter it = json_iter(thoughts);

    while (json_type(thoughts) == JSON_ARRAY && json_next(&it)) {
        const char *subject = json_cstr(l->r->a, it.value, "subject"),
                   *text = json_cstr(l->r->a, it.value, "description");
        struct buf b;
        struct json_writer w = begin(&b, "reasoning");

        jw_kv_cstr(&w, "text",
                   arena_printf(l->r->a, "%s%s%s", subject ? subject : "",
                                subject && text ? "\n" : "", text ? text : ""));
        end(l, &w, &b);
    }
}

/* ---- usage ---- */

/* The counts of the prompt include those that were cached. */
static void take_usage(struct reading *r, struct json j, struct bough_entry_new *e)
{
    struct json tokens = json_member(j, "tokens");
    int64_t in = number_of(tokens, "input") + number_of(tokens, "tool"),
            cached = number_of(tokens, "cached"), thoughts = number_of(tokens, "thoughts");
    struct bough_totals used = { .input = in > cached ? in - cached : 0,
                                 .cache_read = cached,
                                 .output = number_of(tokens, "output") + thoughts,
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
    struct list l = { .r = r };
    struct json calls = json_member(j, "toolCalls");
    struct json_iter it = json_iter(calls);
    bool model = cstr_eq(json_cstr(r->a, j, "type"), "gemini");

    if (model)
        push_thoughts(&l, json_member(j, "thoughts"));
    push_content(&l, json_member(j, "content"));
    while (json_type(calls) == JSON_ARRAY && json_next(&it))
        push_call(&l, it.value, "args");
    e->kind = BOUGH_ENTRY_MESSAGE;
    e->role = model ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER;
    e->parts = l.at;
    e->nparts = l.n;
    e->data = members_but(r->a, j, placed, NULL);
    if (model)
        take_usage(r, j, e);
}

size_t gemini_results(struct reading *r, struct json j, struct bough_str **parts)
{
    struct json calls = json_member(j, "toolCalls");
    struct json_iter it = json_iter(calls);
    struct list l = { .r = r };

    while (json_type(calls) == JSON_ARRAY && json_next(&it)) {
        const char *status = json_cstr(r->a, it.value, "status"),
                   *id = json_cstr(r->a, it.value, "id");
        bool failed = cstr_eq(status, "error") || cstr_eq(status, "cancelled");
        struct json result = json_member(it.value, "result"), first = result;
        struct json_iter in = json_iter(result);

        if (json_type(result) == JSON_ARRAY && json_next(&in))
            first = in.value;
        if (json_type(result) == JSON_OBJECT || json_type(result) == JSON_ARRAY)
            push_result(&l, id,
                        output_of(json_member(json_member(first, "functionResponse"), "response")),
                        failed);
        else if (json_type(result) == JSON_STRING)
            push_result(&l, id, json_raw(result), failed);
        else if (failed)
            push_result(&l, id, str_of("\"\""), true);
    }
    *parts = l.at;
    return l.n;
}
