/* Messages of the chat wire: JSON to entries and back. Hecate's API and the gateway use it. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "core/wire/part.h"
#include "core/wire/wire.h"

/* ---- writing ---- */

static struct part_view *views_of(struct bough_arena *a, const struct bough_entry *e)
{
    struct part_view *v = arena_array(a, e->nparts + 1, sizeof *v);

    for (size_t i = 0; i < e->nparts; i++)
        view_part(a, &e->parts[i], &v[i]);
    return v;
}

/* A refusal is text, but not content. */
static bool is_text(const struct part_view *v)
{
    return v->kind == VIEW_TEXT && !cstr_eq(v->word, "refusal");
}

static bool is_call(const struct part_view *v)
{
    return v->kind == VIEW_CALL || v->kind == VIEW_TOOL;
}

/* Text parts are joined by a blank line; null only for a message that has nothing but calls (C14,
 * 7.4). */
static void put_content(struct json_writer *w, struct json data, const struct part_view *v,
                        size_t n)
{
    struct json flat = json_member(data, "hecate.content");
    bool calls = false;
    struct buf b;

    if (json_type(flat) == JSON_STRING) {
        jw_kv_raw(w, "content", json_raw(flat));
        return;
    }
    buf_init(&b, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < n; i++) {
        calls = calls || is_call(&v[i]);
        if (!is_text(&v[i]))
            continue;
        if (b.n)
            buf_puts(&b, "\n\n");
        buf_put_str(&b, v[i].text);
    }
    jw_key(w, "content");
    if (b.n || !calls)
        jw_str(w, buf_str(&b));
    else
        jw_null(w);
    buf_finish(&b);
}

static void put_one_call(struct json_writer *w, const struct part_view *v)
{
    if (cstr_eq(v->word, "function")) {
        jw_raw(w, v->raw);
        return;
    }
    jw_obj(w);
    jw_kv_cstr(w, "id", v->call);
    jw_kv_cstr(w, "type", "function");
    jw_key(w, "function");
    jw_obj(w);
    jw_kv_cstr(w, "name", v->tool);
    jw_kv_str(w, "arguments", v->input.n ? v->input : str_of("{}"));
    jw_end_obj(w);
    jw_end_obj(w);
}

static void put_calls(struct json_writer *w, struct json data, const struct part_view *v, size_t n)
{
    struct json kept = json_member(data, "hecate.tool_calls");
    bool any = false;

    for (size_t i = 0; i < n; i++)
        any = any || is_call(&v[i]);
    if (json_type(kept) == JSON_ARRAY) {
        jw_kv_raw(w, "tool_calls", json_raw(kept));
    } else if (any) {
        jw_key(w, "tool_calls");
        jw_arr(w);
        for (size_t i = 0; i < n; i++)
            if (is_call(&v[i]))
                put_one_call(w, &v[i]);
        jw_end_arr(w);
    }
}

/* The member beside the content that a reasoning part came as; NULL: it came as a block. */
static const char *member_of(struct bough_arena *a, const struct part_view *v)
{
    return v->kind == VIEW_REASONING ? json_cstr(a, view_json(a, v), "member") : NULL;
}

static void put_reasoning(struct json_writer *w, struct bough_arena *a, const struct part_view *v,
                          size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (member_of(a, &v[i]))
            jw_kv_raw(w, member_of(a, &v[i]), json_raw(json_member(view_json(a, &v[i]), "text")));
}

/* Hecate calls a reasoning part "thinking". */
static void put_block(struct json_writer *w, struct bough_arena *a, const struct part_view *v)
{
    struct json text = { 0 };

    if (cstr_eq(v->word, "reasoning"))
        text = json_member(view_json(a, v), "text");
    if (json_type(text) != JSON_STRING) {
        jw_raw(w, wire_part_raw(a, v->raw));
        return;
    }
    jw_obj(w);
    jw_kv_cstr(w, "type", "thinking");
    jw_kv_raw(w, "thinking", json_raw(text));
    jw_end_obj(w);
}

/* Parts that neither the flat text nor tool_calls can represent. */
static bool is_rich(struct bough_arena *a, const struct part_view *v)
{
    return !member_of(a, v) && !cstr_eq(v->word, "text") && !cstr_eq(v->word, "function") &&
           !cstr_eq(v->word, "tool");
}

static void put_blocks(struct json_writer *w, struct bough_arena *a, struct json data,
                       const struct part_view *v, size_t n)
{
    bool rich = json_type(json_member(data, "hecate.content")) != JSON_NULL;
    size_t texts = 0;

    for (size_t i = 0; i < n; i++) {
        rich = rich || is_rich(a, &v[i]);
        texts += is_text(&v[i]);
    }
    if (!rich && texts < 2)
        return;
    jw_key(w, "content_blocks");
    jw_arr(w);
    for (size_t i = 0; i < n; i++)
        if (is_text(&v[i]) || is_rich(a, &v[i]))
            put_block(w, a, &v[i]);
    jw_end_arr(w);
}

/* Members that only the client knows, as they came. */
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

void chat_message_write(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e)
{
    struct json data = view_data(a, e);
    struct part_view *v = views_of(a, e);
    bool wrong = false;

    put_role(w, e);
    put_content(w, data, v, e->nparts);
    jw_opt_cstr(w, "name", json_cstr(a, data, "name"));
    jw_opt_cstr(w, "tool_call_id", json_cstr(a, data, "tool_call_id"));
    put_reasoning(w, a, v, e->nparts);
    put_calls(w, data, v, e->nparts);
    put_blocks(w, a, data, v, e->nparts);
    if (json_bool(json_member(data, "tool_error"), &wrong) && wrong)
        jw_kv_bool(w, "tool_error", true);
    put_more(w, a, data);
}

/* ---- reading ---- */

static bool has_block(struct json blocks, const char *type)
{
    struct json_iter it = json_iter(blocks);

    while (json_next(&it))
        if (json_is(json_member(it.value, "type"), type))
            return true;
    return false;
}

/* A refusal is content: it becomes a part, unless the blocks have it. */
static void add_refusal(struct wire_parts *l, struct json m)
{
    struct json refusal = json_member(m, "refusal");

    if (json_type(refusal) == JSON_STRING &&
        !has_block(json_member(m, "content_blocks"), "refusal") &&
        !has_block(json_member(m, "content"), "refusal"))
        wire_part_make(l, "refusal", "refusal", json_raw(refusal));
}

/* The member that holds reasoning, where chat servers put it beside the content; NULL: none. */
static const char *reasoning_member(struct json m)
{
    static const char *const names[] = { "reasoning_content", "reasoning" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct json text = json_member(m, names[i]);

        if (json_type(text) == JSON_STRING && json_raw(text).n > 2)
            return names[i];
    }
    return NULL;
}

static void add_reasoning(struct wire_parts *l, struct json m, const char *member)
{
    struct json_writer w;
    struct buf b;

    if (!member)
        return;
    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "reasoning");
    jw_kv_raw(&w, "text", json_raw(json_member(m, member)));
    jw_kv_cstr(&w, "member", member);
    jw_end_obj(&w);
    wire_part_add(l, text_keep(l->a, &b));
    buf_finish(&b);
}

/* Calls in the old form: one, without an id. */
static void add_old_call(struct wire_parts *l, struct json m)
{
    struct json call = json_member(m, "function_call");
    struct json_writer w;
    struct buf b;

    if (json_type(call) != JSON_OBJECT)
        return;
    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "function");
    jw_kv_cstr(&w, "id", "");
    jw_kv_raw(&w, "function", json_raw(call));
    jw_end_obj(&w);
    wire_part_add(l, text_keep(l->a, &b));
    buf_finish(&b);
}

/* Members that are not kept as parts, so that they read back unchanged. Those that a GET adds are
 * not kept. */
static struct bough_str rest_of(struct bough_arena *a, struct json m, bool blocks, bool twice,
                                const char *reasoning)
{
    const char *const known[] = { "id",         "sequence",   "produced_by_call_id", "role",
                                  "content",    "name",       "tool_calls",          "tool_call_id",
                                  "tool_error", "created_at", "content_blocks",      reasoning,
                                  NULL };
    static const char *const plain[] = { "name", "tool_call_id", "tool_error" };
    struct bough_str out = { "", 0 }, more = wire_members_but(a, m, known);
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
    jw_opt_raw(&w, "hecate.more", more);
    jw_end_obj(&w);
    if (b.n > 2)
        out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

enum bough_rc chat_message_read(struct bough_arena *a, struct json m, struct bough_entry_new *out,
                                struct bough_error *err)
{
    const char *role = json_cstr(a, m, "role");
    struct json content = json_member(m, "content"), blocks = json_member(m, "content_blocks"),
                calls = json_member(m, "tool_calls");
    bool rich = json_type(blocks) == JSON_ARRAY && json_count(blocks);
    bool twice = rich && has_block(blocks, "tool_use");
    const char *reasoning = rich ? NULL : reasoning_member(m);
    struct wire_parts l = { .a = a };

    *out = (struct bough_entry_new){ .role = bough_role_parse(role ? role : "") };
    if (json_type(m) != JSON_OBJECT || cstr_empty(role))
        return bough_fail(err, BOUGH_INVALID, "a message must be an object with a role");
    if (json_type(content) == JSON_FALSE || json_type(content) == JSON_TRUE ||
        json_type(content) == JSON_NUMBER || json_type(content) == JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "content must be a string, null or a list of blocks");
    add_reasoning(&l, m, reasoning);
    if (rich)
        wire_parts_add(&l, blocks);
    else if (json_type(content) != JSON_STRING || json_raw(content).n > 2)
        wire_parts_add(&l, content);
    if (json_type(calls) == JSON_ARRAY && !twice)
        wire_parts_add(&l, calls);
    add_old_call(&l, m);
    add_refusal(&l, m);
    out->parts = l.at;
    out->nparts = l.n;
    out->data = view_keep_role(a, role, rest_of(a, m, rich, twice, reasoning));
    return BOUGH_OK;
}
