/* The body of a turn's request, by wire. */
#include "gateway/kit/ask.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"

enum { BODY_MOST = 256 << 20, ANTHROPIC_TOKENS = 8192 };

static const char *dialect_of(enum wire wire)
{
    return wire == WIRE_MESSAGES    ? "anthropic"
           : wire == WIRE_RESPONSES ? "openai-responses"
                                    : "openai-chat";
}

/* The prompt of the session goes in front unless the conversation begins with one of its own. */
static void put_messages(struct json_writer *w, struct bough_arena *a, struct bough_str messages,
                         const char *prompt)
{
    struct bough_str system = str_of("\"role\":\"system\"");
    size_t look = messages.n < 40 ? messages.n : 40;
    struct json_writer first;
    struct buf b;

    if (!*prompt || memmem(messages.p, look, system.p, system.n)) {
        jw_kv_raw(w, "messages", messages);
        return;
    }
    buf_init(&b, BODY_MOST);
    buf_putc(&b, '[');
    jw_init(&first, &b);
    jw_obj(&first);
    jw_kv_cstr(&first, "role", "system");
    jw_kv_cstr(&first, "content", prompt);
    jw_end_obj(&first);
    if (messages.n > 2)
        buf_putc(&b, ',');
    buf_put(&b, messages.p + 1, messages.n - 1);
    jw_kv_raw(w, "messages", buf_give(&b, a));
}

static void put_chat(struct json_writer *w, struct bough_arena *a, const struct ask_options *in,
                     const struct bough_context_result *c, const char *prompt)
{
    put_messages(w, a, c->messages, prompt);
    if (in->to->ask_usage)
        jw_kv_raw(w, "stream_options", str_of("{\"include_usage\":true}"));
    if (in->max_output)
        jw_kv_i64(
            w, strcmp(in->to->price_name, "openai") == 0 ? "max_completion_tokens" : "max_tokens",
            in->max_output);
}

static void put_responses(struct json_writer *w, const struct ask_options *in,
                          const struct bough_context_result *c, const char *prompt)
{
    if (*prompt)
        jw_kv_cstr(w, "instructions", prompt);
    jw_kv_raw(w, "input", c->messages);
    jw_kv_bool(w, "store", false);
    if (in->max_output)
        jw_kv_i64(w, "max_output_tokens", in->max_output);
}

static void put_blocks(struct json_writer *w, const struct ask_options *in,
                       const struct bough_context_result *c, const char *prompt)
{
    if (c->system.n)
        jw_kv_raw(w, "system", c->system);
    else if (*prompt)
        jw_kv_cstr(w, "system", prompt);
    jw_kv_raw(w, "messages", c->messages);
    jw_kv_i64(w, "max_tokens", in->max_output ? in->max_output : ANTHROPIC_TOKENS);
}

/* One tool, in the words of its wire. */
static void put_tool(struct json_writer *w, enum wire wire, const struct ask_tool *t)
{
    jw_obj(w);
    if (wire != WIRE_MESSAGES)
        jw_kv_cstr(w, "type", "function");
    if (wire == WIRE_CHAT) {
        jw_key(w, "function");
        jw_obj(w);
    }
    jw_kv_cstr(w, "name", t->name);
    jw_kv_cstr(w, "description", t->description);
    jw_kv_raw(w, wire == WIRE_MESSAGES ? "input_schema" : "parameters", t->schema);
    if (wire == WIRE_RESPONSES)
        jw_kv_bool(w, "strict", false);
    if (wire == WIRE_CHAT)
        jw_end_obj(w);
    jw_end_obj(w);
}

static void put_tools(struct json_writer *w, const struct ask_options *in)
{
    if (!in->ntools)
        return;
    jw_key(w, "tools");
    jw_arr(w);
    for (size_t i = 0; i < in->ntools; i++)
        put_tool(w, in->wire, &in->tools[i]);
    jw_end_arr(w);
}

enum bough_rc ask_body(struct bough_store *s, struct bough_arena *a, const struct ask_options *in,
                       struct bough_str *out, struct bough_error *err)
{
    struct bough_context_options how = { .dialect = dialect_of(in->wire),
                                         .at = in->at,
                                         .memories = BOUGH_MEMORIES_ALL,
                                         .model = in->to->model ? in->to->model : in->model };
    struct bough_context_result c;
    const char *prompt = in->system_prompt;
    struct bough_session *session;
    struct json_writer w;
    struct buf b;
    enum bough_rc rc = bough_session_get(s, a, in->session, &session, err);

    if (!rc)
        rc = bough_context(s, a, in->session, &how, &c, err);
    if (rc)
        return rc;
    if (cstr_empty(prompt))
        prompt = session->system_prompt;
    buf_init(&b, BODY_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "model", how.model);
    jw_kv_bool(&w, "stream", true);
    if (in->wire == WIRE_MESSAGES)
        put_blocks(&w, in, &c, prompt);
    else if (in->wire == WIRE_RESPONSES)
        put_responses(&w, in, &c, prompt);
    else
        put_chat(&w, a, in, &c, prompt);
    put_tools(&w, in);
    jw_end_obj(&w);
    if (b.over)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "the context has more than 256 MB");
    *out = buf_give(&b, a);
    return rc;
}

const char *const *ask_headers(struct bough_arena *a, const struct provider_target *to)
{
    size_t n = 0;
    const char **lines;

    while (to->headers && to->headers[n])
        n++;
    lines = arena_array(a, n + 4, sizeof *lines);
    for (size_t i = 0; i < n; i++)
        lines[i] = to->headers[i];
    lines[n++] = "Content-Type: application/json";
    lines[n++] = "Accept: text/event-stream";
    lines[n] = "anthropic-version: 2023-06-01";
    return lines;
}
