/* Hecate's messages and provider calls: JSON to entries and back. */
#include <stdio.h>
#include <string.h>

#include "api/kit/body.h"
#include "api/originals/hecate.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "core/part/view.h"

/* ---- ids, times, costs ---- */

void hecate_id(struct json_writer *w, const char *key, const char *word, const char *id)
{
    char text[BOUGH_ID_LEN + 16];

    snprintf(text, sizeof text, "%s%s", word, id);
    jw_kv_cstr(w, key, text);
}

const char *hecate_id_read(const char *word, const char *text)
{
    size_t n = strlen(word);

    /* Ids imported from Hecate's own database are foreign ids of another length: they keep the
     * prefix. */
    return strncmp(text, word, n) == 0 && strlen(text + n) == BOUGH_ID_LEN ? text + n : text;
}

void hecate_time(struct json_writer *w, const char *key, int64_t ms)
{
    char text[ISO_TEXT];
    size_t n;

    iso_print(ms, text);
    n = strlen(text);
    if (!n)
        return;
    for (n--; text[n - 1] == '0' && strchr(text, '.'); n--)
        ;
    n -= text[n - 1] == '.';
    text[n] = 'Z';
    text[n + 1] = '\0';
    jw_kv_cstr(w, key, text);
}

void hecate_cost(struct json_writer *w, const char *key, int64_t nano)
{
    char text[48];

    bough_money_text(nano, text, sizeof text);
    jw_kv_cstr(w, key, text);
}

/* ---- writing JSON ---- */

static const char *type_of(struct bough_arena *a, struct json part)
{
    const char *type = json_cstr(a, part, "type");

    return type ? type : "";
}

static bool is_text(struct bough_arena *a, struct json part)
{
    return strcmp(type_of(a, part), "text") == 0;
}

/* A tool call in any of the three vocabularies. A tool result is not one. */
static bool is_call(struct bough_arena *a, struct json part)
{
    const char *type = type_of(a, part);

    return strcmp(type, "function") == 0 || strcmp(type, "tool_use") == 0 ||
           strcmp(type, "tool") == 0;
}

/* Text parts are joined by a blank line; null only for a message that has nothing but calls (C14,
 * 7.4). */
static void put_content(struct json_writer *w, struct bough_arena *a, struct json data,
                        const struct json *parts, size_t n)
{
    struct json flat = json_member(data, "hecate.content");
    struct bough_str text;
    bool calls = false;
    struct buf b;

    if (json_type(flat) == JSON_STRING) {
        jw_kv_raw(w, "content", json_raw(flat));
        return;
    }
    buf_init(&b, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < n; i++) {
        calls = calls || is_call(a, parts[i]);
        if (!is_text(a, parts[i]) || !json_str(a, json_member(parts[i], "text"), &text))
            continue;
        if (b.n)
            buf_puts(&b, "\n\n");
        buf_put_str(&b, text);
    }
    jw_key(w, "content");
    if (b.n || !calls)
        jw_str(w, buf_str(&b));
    else
        jw_null(w);
    buf_finish(&b);
}

static void put_one_call(struct json_writer *w, struct bough_arena *a, struct json part)
{
    bool ours = strcmp(type_of(a, part), "tool") == 0;
    struct json input = json_member(ours ? json_member(part, "state") : part, "input");
    struct bough_str raw = json_raw(input);

    if (strcmp(type_of(a, part), "function") == 0) {
        jw_raw(w, json_raw(part));
        return;
    }
    jw_obj(w);
    jw_kv_cstr(w, "id", json_cstr(a, part, ours ? "callID" : "id"));
    jw_kv_cstr(w, "type", "function");
    jw_key(w, "function");
    jw_obj(w);
    jw_kv_cstr(w, "name", json_cstr(a, part, ours ? "tool" : "name"));
    jw_kv_str(w, "arguments", raw.n ? raw : str_of("{}"));
    jw_end_obj(w);
    jw_end_obj(w);
}

static void put_calls(struct json_writer *w, struct bough_arena *a, struct json data,
                      const struct json *parts, size_t n)
{
    struct json kept = json_member(data, "hecate.tool_calls");
    bool any = false;

    for (size_t i = 0; i < n; i++)
        any = any || is_call(a, parts[i]);
    if (json_type(kept) == JSON_ARRAY) {
        jw_kv_raw(w, "tool_calls", json_raw(kept));
    } else if (any) {
        jw_key(w, "tool_calls");
        jw_arr(w);
        for (size_t i = 0; i < n; i++)
            if (is_call(a, parts[i]))
                put_one_call(w, a, parts[i]);
        jw_end_arr(w);
    }
}

/* Hecate calls a reasoning part "thinking". */
static void put_block(struct json_writer *w, struct bough_arena *a, struct json part)
{
    if (strcmp(type_of(a, part), "reasoning") != 0) {
        jw_raw(w, json_raw(part));
        return;
    }
    jw_obj(w);
    jw_kv_cstr(w, "type", "thinking");
    jw_kv_raw(w, "thinking", json_raw(json_member(part, "text")));
    jw_end_obj(w);
}

/* Parts that neither the flat text nor tool_calls can represent. */
static bool is_rich(struct bough_arena *a, struct json part)
{
    return !is_text(a, part) && strcmp(type_of(a, part), "function") != 0 &&
           strcmp(type_of(a, part), "tool") != 0;
}

static void put_blocks(struct json_writer *w, struct bough_arena *a, struct json data,
                       const struct json *parts, size_t n)
{
    bool rich = json_type(json_member(data, "hecate.content")) != JSON_NULL;
    size_t texts = 0;

    for (size_t i = 0; i < n; i++) {
        rich = rich || is_rich(a, parts[i]);
        texts += is_text(a, parts[i]);
    }
    if (!rich && texts < 2)
        return;
    jw_key(w, "content_blocks");
    jw_arr(w);
    for (size_t i = 0; i < n; i++)
        if (is_text(a, parts[i]) || is_rich(a, parts[i]))
            put_block(w, a, parts[i]);
    jw_end_arr(w);
}

/* Members that Hecate's document does not know, as they came. */
static void put_more(struct json_writer *w, struct bough_arena *a, struct json data)
{
    struct json_iter it = json_iter(json_member(data, "hecate.more"));
    struct bough_str key;

    while (json_next(&it)) {
        if (!json_str(a, it.key, &key))
            continue;
        jw_key_str(w, key);
        jw_raw(w, json_raw(it.value));
    }
}

static void put_role(struct json_writer *w, const struct bough_entry *e)
{
    struct bough_str word = view_role_raw(e);

    if (word.n)
        jw_kv_raw(w, "role", word);
    else
        jw_kv_cstr(w, "role", bough_role_name(e->role));
}

void hecate_message(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e)
{
    struct json data = { 0 }, *parts = arena_array(a, e->nparts + 1, sizeof *parts);
    bool wrong = false;

    if (e->data.n && json_parse(a, e->data, &data, NULL))
        data = (struct json){ 0 };
    for (size_t i = 0; i < e->nparts; i++)
        if (json_parse(a, e->parts[i].json, &parts[i], NULL))
            parts[i] = (struct json){ 0 };
    jw_obj(w);
    hecate_id(w, "id", "msg_", e->id);
    jw_kv_i64(w, "sequence", e->mno - 1);
    if (e->call[0])
        hecate_id(w, "produced_by_call_id", "call_", e->call);
    put_role(w, e);
    put_content(w, a, data, parts, e->nparts);
    jw_opt_cstr(w, "name", json_cstr(a, data, "name"));
    jw_opt_cstr(w, "tool_call_id", json_cstr(a, data, "tool_call_id"));
    put_calls(w, a, data, parts, e->nparts);
    put_blocks(w, a, data, parts, e->nparts);
    if (json_bool(json_member(data, "tool_error"), &wrong) && wrong)
        jw_kv_bool(w, "tool_error", true);
    put_more(w, a, data);
    hecate_time(w, "created_at", e->time);
    jw_end_obj(w);
}

void hecate_call(struct json_writer *w, const struct bough_call *c)
{
    jw_obj(w);
    hecate_id(w, "id", "call_", c->id);
    jw_kv_cstr(w, "request_id", c->request_id);
    jw_opt_cstr(w, "requested_provider", c->want_provider);
    jw_kv_cstr(w, "provider", c->provider);
    jw_opt_cstr(w, "provider_kind", c->kind);
    jw_opt_cstr(w, "requested_model", c->want_model);
    jw_kv_cstr(w, "model", c->model);
    jw_kv_i64(w, "cost_micros_usd", bough_money_micros(c->used.cost));
    hecate_cost(w, "cost_usd", c->used.cost);
    jw_kv_i64(w, "prompt_tokens", c->used.input);
    jw_kv_i64(w, "completion_tokens", c->used.output);
    jw_kv_i64(w, "total_tokens",
              c->total_tokens ? c->total_tokens : c->used.input + c->used.output);
    hecate_time(w, "created_at", c->time);
    jw_end_obj(w);
}

/* ---- reading JSON ---- */

static void add_parts(struct bough_arena *a, struct json list, struct bough_entry_new *out)
{
    struct bough_str *parts = arena_array(a, out->nparts + json_count(list) + 1, sizeof *parts);
    struct json_iter it = json_iter(list);

    for (size_t i = 0; i < out->nparts; i++)
        parts[i] = out->parts[i];
    while (json_next(&it))
        parts[out->nparts++] = json_raw(it.value);
    out->parts = parts;
}

static bool has_block(struct bough_arena *a, struct json blocks, const char *type)
{
    struct json_iter it = json_iter(blocks);

    while (json_next(&it))
        if (strcmp(type_of(a, it.value), type) == 0)
            return true;
    return false;
}

/* A refusal is content: it becomes a part, unless the blocks have it. */
static void add_refusal(struct bough_arena *a, struct json m, struct bough_entry_new *out)
{
    struct json refusal = json_member(m, "refusal");
    struct bough_str *parts = arena_array(a, out->nparts + 1, sizeof *parts);
    struct json_writer w;
    struct buf b;

    if (json_type(refusal) != JSON_STRING ||
        has_block(a, json_member(m, "content_blocks"), "refusal") ||
        has_block(a, json_member(m, "content"), "refusal"))
        return;
    buf_init(&b, LIMIT_MESSAGE_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "refusal");
    jw_kv_raw(&w, "refusal", json_raw(refusal));
    jw_end_obj(&w);
    for (size_t i = 0; i < out->nparts; i++)
        parts[i] = out->parts[i];
    parts[out->nparts++] = str_make(arena_strndup(a, b.p, b.n), b.n);
    out->parts = parts;
    buf_finish(&b);
}

/* Members that are neither parts nor in Hecate's document; those that a GET adds are not kept. */
static void keep_more(struct json_writer *w, struct bough_arena *a, struct json m)
{
    static const char *const known[] = { "id",         "sequence",       "produced_by_call_id",
                                         "role",       "content",        "name",
                                         "tool_calls", "tool_call_id",   "tool_error",
                                         "created_at", "content_blocks", NULL };
    struct json_iter it = json_iter(m);
    struct bough_str key;
    bool any = false;

    while (json_next(&it)) {
        size_t i = 0;

        while (known[i] && !json_is(it.key, known[i]))
            i++;
        if (known[i] || !json_str(a, it.key, &key))
            continue;
        if (!any) {
            jw_key(w, "hecate.more");
            jw_obj(w);
        }
        any = true;
        jw_key_str(w, key);
        jw_raw(w, json_raw(it.value));
    }
    if (any)
        jw_end_obj(w);
}

/* Members that are not kept as parts, stored as the entry's data so that they
 * read back unchanged. */
static struct bough_str rest_of(struct bough_arena *a, struct json m, bool blocks, bool twice)
{
    static const char *const plain[] = { "name", "tool_call_id", "tool_error" };
    struct bough_str out = { "", 0 };
    struct json_writer w;
    struct json member;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    for (size_t i = 0; i < 3; i++)
        if (json_get(m, plain[i], &member))
            jw_kv_raw(&w, plain[i], json_raw(member));
    if (blocks && json_get(m, "content", &member) && json_type(member) == JSON_STRING)
        jw_kv_raw(&w, "hecate.content", json_raw(member));
    if (twice && json_get(m, "tool_calls", &member))
        jw_kv_raw(&w, "hecate.tool_calls", json_raw(member));
    keep_more(&w, a, m);
    jw_end_obj(&w);
    if (b.n > 2)
        out = str_make(arena_strndup(a, b.p, b.n), b.n);
    buf_finish(&b);
    return out;
}

enum bough_rc hecate_message_read(struct bough_arena *a, struct json m, struct bough_entry_new *out,
                                  struct bough_error *err)
{
    const char *role = json_cstr(a, m, "role"), *made_by;
    struct json content = json_member(m, "content"), blocks = json_member(m, "content_blocks"),
                calls = json_member(m, "tool_calls");
    bool rich = json_type(blocks) == JSON_ARRAY && json_count(blocks);
    bool twice = rich && has_block(a, blocks, "tool_use");
    struct bough_str text;

    *out = (struct bough_entry_new){ .role = bough_role_parse(role ? role : "") };
    if (json_type(m) != JSON_OBJECT || cstr_empty(role))
        return bough_fail(err, BOUGH_INVALID, "a message must be an object with a role");
    if (json_type(content) == JSON_FALSE || json_type(content) == JSON_TRUE ||
        json_type(content) == JSON_NUMBER || json_type(content) == JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "content must be a string, null or a list of blocks");
    if (rich) {
        add_parts(a, blocks, out);
    } else if (json_type(content) == JSON_ARRAY) {
        add_parts(a, content, out);
    } else if (json_str(a, content, &text) && text.n) {
        struct bough_str *one = arena_alloc(a, sizeof *one);

        *one = bough_part_text(a, text);
        out->parts = one;
        out->nparts = 1;
    }
    if (json_type(calls) == JSON_ARRAY && !twice)
        add_parts(a, calls, out);
    add_refusal(a, m, out);
    /* C3: a tool's message may name the call that asked for it. Of other messages a GET tells it.
     */
    made_by = json_cstr(a, m, "produced_by_call_id");
    if (out->role == BOUGH_ROLE_TOOL && !cstr_empty(made_by))
        out->call = hecate_id_read("call_", made_by);
    out->data = view_keep_role(a, role, rest_of(a, m, rich, twice));
    return BOUGH_OK;
}

enum bough_rc hecate_call_read(struct http_req *req, struct json j, struct bough_call_new *out,
                               struct bough_error *err)
{
    static const struct api_member members[] = {
        { "request_id", API_TEXT, offsetof(struct bough_call_new, request_id) },
        { "provider", API_TEXT, offsetof(struct bough_call_new, provider) },
        { "requested_provider", API_TEXT, offsetof(struct bough_call_new, want_provider) },
        { "model", API_TEXT, offsetof(struct bough_call_new, model) },
        { "requested_model", API_TEXT, offsetof(struct bough_call_new, want_model) },
        { "provider_kind", API_TEXT, offsetof(struct bough_call_new, kind) },
        { "prompt_tokens", API_INT, offsetof(struct bough_call_new, used.input) },
        { "completion_tokens", API_INT, offsetof(struct bough_call_new, used.output) },
        { "total_tokens", API_INT, offsetof(struct bough_call_new, total_tokens) },
        { "cost_micros_usd", API_INT, offsetof(struct bough_call_new, used.cost) },
        { 0 },
    };
    enum bough_rc rc = api_read(req, j, NULL, members, out, err);

    if (!rc && (out->used.cost < 0 || out->used.cost > LIMIT_COST / 1000))
        return bough_fail(err, BOUGH_INVALID, "cost_micros_usd is out of range");
    out->used.cost *= 1000;
    return rc;
}
