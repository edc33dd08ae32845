/* Answers of the demo provider, as the Chat Completions API gives them. */
#include <string.h>

#include "base/json/json.h"
#include "base/text/str.h"
#include "gateway/demo/inside.h"

enum { BYTES_PER_TOKEN = 4, CONTEXT = 128000 };

static const char answer_id[] = "chatcmpl-demo";

static int64_t tokens_of(const char *text)
{
    return text ? ((int64_t)strlen(text) + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN : 0;
}

static void put_usage(struct json_writer *w, const struct demo_reply *r)
{
    int64_t thought = tokens_of(r->thought), text = tokens_of(r->text) + 10 * (int64_t)r->ncalls;

    jw_key(w, "usage");
    jw_obj(w);
    jw_kv_i64(w, "prompt_tokens", r->input);
    jw_kv_i64(w, "completion_tokens", thought + text);
    jw_kv_i64(w, "total_tokens", r->input + thought + text);
    jw_key(w, "completion_tokens_details");
    jw_obj(w);
    jw_kv_i64(w, "reasoning_tokens", thought);
    jw_end_obj(w);
    jw_end_obj(w);
}

static void put_call(struct json_writer *w, const struct demo_reply *r, size_t i, bool numbered)
{
    char id[] = "call_demo_0";

    id[sizeof id - 2] = (char)('0' + i);
    jw_obj(w);
    if (numbered)
        jw_kv_i64(w, "index", (int64_t)i);
    jw_kv_cstr(w, "id", id);
    jw_kv_cstr(w, "type", "function");
    jw_key(w, "function");
    jw_obj(w);
    jw_kv_cstr(w, "name", r->calls[i].name);
    jw_kv_str(w, "arguments", r->calls[i].arguments);
    jw_end_obj(w);
    jw_end_obj(w);
}

static const char *finish_of(const struct demo_reply *r)
{
    return r->ncalls ? "tool_calls" : "stop";
}

/* ---- as one object ---- */

static void print_error(struct json_writer *w, const struct demo_reply *r)
{
    jw_obj(w);
    jw_key(w, "error");
    jw_obj(w);
    jw_kv_cstr(w, "message", r->text);
    jw_kv_cstr(w, "type", r->status == 400 ? "invalid_request_error" : "demo_error");
    jw_end_obj(w);
    jw_end_obj(w);
}

static void put_message(struct json_writer *w, const struct demo_reply *r)
{
    jw_key(w, "message");
    jw_obj(w);
    jw_kv_cstr(w, "role", "assistant");
    jw_opt_cstr(w, "reasoning_content", r->thought);
    jw_kv_cstr(w, "content", r->text);
    if (r->ncalls) {
        jw_key(w, "tool_calls");
        jw_arr(w);
        for (size_t i = 0; i < r->ncalls; i++)
            put_call(w, r, i, false);
        jw_end_arr(w);
    }
    jw_end_obj(w);
}

void demo_print(struct buf *out, const struct demo_reply *r)
{
    struct json_writer w;

    jw_init(&w, out);
    if (r->status != 200) {
        print_error(&w, r);
        return;
    }
    jw_obj(&w);
    jw_kv_cstr(&w, "id", answer_id);
    jw_kv_cstr(&w, "object", "chat.completion");
    jw_kv_cstr(&w, "model", r->model);
    jw_key(&w, "choices");
    jw_arr(&w);
    jw_obj(&w);
    jw_kv_i64(&w, "index", 0);
    put_message(&w, r);
    jw_kv_cstr(&w, "finish_reason", finish_of(r));
    jw_end_obj(&w);
    jw_end_arr(&w);
    put_usage(&w, r);
    jw_end_obj(&w);
}

void demo_print_models(struct buf *out)
{
    static const char *const names[] = { "demo-small", "demo-large" };
    struct json_writer w;

    jw_init(&w, out);
    jw_obj(&w);
    jw_kv_cstr(&w, "object", "list");
    jw_key(&w, "data");
    jw_arr(&w);
    for (size_t i = 0; i < 2; i++) {
        jw_obj(&w);
        jw_kv_cstr(&w, "id", names[i]);
        jw_kv_cstr(&w, "object", "model");
        jw_kv_cstr(&w, "owned_by", "demo");
        jw_kv_i64(&w, "context_length", CONTEXT);
        jw_end_obj(&w);
    }
    jw_end_arr(&w);
    jw_end_obj(&w);
}

/* ---- as a stream ---- */

enum step { STEP_ROLE, STEP_THOUGHT, STEP_TEXT, STEP_CALLS, STEP_FINISH, STEP_USAGE, STEP_DONE };

/* The next word of the text, with the blanks behind it. */
static struct bough_str next_word(const char *text, size_t *at)
{
    const char *from = text + *at;
    size_t n = strcspn(from, " \n");

    n += strspn(from + n, " \n");
    *at += n;
    return str_make(from, n);
}

static void open_chunk(struct json_writer *w, struct buf *out, const struct demo_reply *r)
{
    buf_puts(out, "data: ");
    jw_init(w, out);
    jw_obj(w);
    jw_kv_cstr(w, "id", answer_id);
    jw_kv_cstr(w, "object", "chat.completion.chunk");
    jw_kv_cstr(w, "model", r->model);
    jw_key(w, "choices");
    jw_arr(w);
}

static void open_delta(struct json_writer *w)
{
    jw_obj(w);
    jw_kv_i64(w, "index", 0);
    jw_key(w, "delta");
    jw_obj(w);
}

static void close_delta(struct json_writer *w, const char *finish)
{
    jw_end_obj(w);
    jw_kv_cstr(w, "finish_reason", finish);
    jw_end_obj(w);
}

static void put_piece(struct json_writer *w, const char *member, const char *text, size_t *at)
{
    open_delta(w);
    jw_kv_str(w, member, next_word(text, at));
    close_delta(w, NULL);
}

static void put_step(struct json_writer *w, const struct demo_reply *r, struct demo_place *place)
{
    switch ((enum step)place->step) {
    case STEP_ROLE:
        open_delta(w);
        jw_kv_cstr(w, "role", "assistant");
        close_delta(w, NULL);
        break;
    case STEP_THOUGHT:
        put_piece(w, "reasoning_content", r->thought, &place->at);
        break;
    case STEP_TEXT:
        put_piece(w, "content", r->text, &place->at);
        break;
    case STEP_CALLS:
        open_delta(w);
        jw_key(w, "tool_calls");
        jw_arr(w);
        put_call(w, r, place->at++, true);
        jw_end_arr(w);
        close_delta(w, NULL);
        break;
    case STEP_FINISH:
        open_delta(w);
        close_delta(w, finish_of(r));
        break;
    case STEP_USAGE:
    case STEP_DONE:
        break;
    }
}

/* Is there more to print in this step? */
static bool has_more(const struct demo_reply *r, const struct demo_place *place)
{
    switch ((enum step)place->step) {
    case STEP_THOUGHT:
        return r->thought && r->thought[place->at];
    case STEP_TEXT:
        return r->text && r->text[place->at];
    case STEP_CALLS:
        return place->at < r->ncalls;
    case STEP_USAGE:
        return r->usage && !place->at;
    case STEP_ROLE:
    case STEP_FINISH:
    case STEP_DONE:
        return !place->at;
    }
    return false;
}

bool demo_print_next(struct buf *out, const struct demo_reply *r, struct demo_place *place)
{
    struct json_writer w;

    while (place->step <= STEP_DONE && !has_more(r, place))
        *place = (struct demo_place){ .step = place->step + 1 };
    if (place->step > STEP_DONE)
        return false;
    if (place->step == STEP_DONE) {
        buf_puts(out, "data: [DONE]\n\n");
        place->at = 1;
        return true;
    }
    open_chunk(&w, out, r);
    put_step(&w, r, place);
    jw_end_arr(&w);
    if (place->step == STEP_USAGE)
        put_usage(&w, r);
    jw_end_obj(&w);
    buf_puts(out, "\n\n");
    if (place->step == STEP_ROLE || place->step >= STEP_FINISH)
        place->at = 1;
    return true;
}
