/* Error bodies and error events in the words of each wire. */
#include "core/wire/fault.h"

#include "base/limits.h"
#include "base/text/str.h"
#include "core/model/text.h"

/* What each status is called. */
static const struct {
    int status;
    const char *openai, *code, *anthropic;
} words[] = {
    { 400, "invalid_request_error", "invalid_request", "invalid_request_error" },
    { 401, "invalid_request_error", "invalid_api_key", "authentication_error" },
    { 402, "insufficient_quota", "budget_exceeded", "billing_error" },
    { 403, "invalid_request_error", "permission_denied", "permission_error" },
    { 404, "invalid_request_error", "model_not_found", "not_found_error" },
    { 413, "invalid_request_error", "request_too_large", "request_too_large" },
    { 415, "invalid_request_error", "unsupported_media_type", "invalid_request_error" },
    { 429, "rate_limit_error", "rate_limit_exceeded", "rate_limit_error" },
    { 502, "server_error", "upstream_unreachable", "api_error" },
    { 503, "server_error", "overloaded", "overloaded_error" },
    { 504, "server_error", "upstream_timeout", "timeout_error" },
    { 0, "server_error", "internal_error", "api_error" },
};

static size_t row_of(int status)
{
    size_t i = 0;

    while (words[i].status && words[i].status != status)
        i++;
    return i;
}

static void put_more(struct json_writer *w, struct bough_arena *a, struct bough_str more)
{
    struct json j = { 0 };
    struct json_iter it;
    struct bough_str key;

    if (!more.n || json_parse(a, more, &j, NULL))
        return;
    it = json_iter(j);
    while (json_next(&it)) {
        if (!json_str(a, it.key, &key))
            continue;
        jw_key_str(w, key);
        jw_raw(w, json_raw(it.value));
    }
}

static const char *code_of(const struct wire_fault *f)
{
    return f->code ? f->code : words[row_of(f->status)].code;
}

/* The members of OpenAI's error, into an open object. An event has a type of its own. */
static void put_openai(struct json_writer *w, struct bough_arena *a, const struct wire_fault *f,
                       bool event)
{
    jw_kv_cstr(w, "message", f->message);
    if (!event)
        jw_kv_cstr(w, "type", words[row_of(f->status)].openai);
    jw_key(w, "param");
    jw_null(w);
    jw_kv_cstr(w, "code", code_of(f));
    put_more(w, a, f->more);
}

static void put_body(struct json_writer *w, struct bough_arena *a, enum wire wire,
                     const struct wire_fault *f)
{
    jw_obj(w);
    if (wire == WIRE_MESSAGES)
        jw_kv_cstr(w, "type", "error");
    jw_key(w, "error");
    jw_obj(w);
    if (wire == WIRE_MESSAGES) {
        jw_kv_cstr(w, "type", words[row_of(f->status)].anthropic);
        jw_kv_cstr(w, "message", f->message);
        jw_kv_cstr(w, "code", code_of(f));
        put_more(w, a, f->more);
    } else {
        put_openai(w, a, f, false);
    }
    jw_end_obj(w);
    jw_end_obj(w);
}

struct bough_str wire_fault_body(struct bough_arena *a, enum wire wire, const struct wire_fault *f)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    put_body(&w, a, wire, f);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

struct bough_str wire_fault_event(struct bough_arena *a, enum wire wire, const struct wire_fault *f)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    buf_puts(&b, wire == WIRE_CHAT ? "data: " : "event: error\ndata: ");
    jw_init(&w, &b);
    if (wire == WIRE_RESPONSES) {
        jw_obj(&w);
        jw_kv_cstr(&w, "type", "error");
        jw_kv_i64(&w, "sequence_number", f->sequence);
        put_openai(&w, a, f, true);
        jw_end_obj(&w);
    } else {
        put_body(&w, a, wire, f);
    }
    buf_puts(&b, "\n\n");
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

struct bough_str wire_fault_keep(struct bough_arena *a, struct bough_str body, size_t most)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    if (body.n && body.n <= most && json_check(body, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK)
        return body;
    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_str(&w, str_make(body.p, body.n > most ? most : body.n));
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}
