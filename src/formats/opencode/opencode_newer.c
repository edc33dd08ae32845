/* opencode's newer tables, reader. A row of `session_message` is a message, or an event between
 * messages; its column `type` tells which. A row of `session_input` is a waiting prompt. Fields
 * without an equivalent stay in the entry's data, with the type. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "formats/common/rows.h"
#include "formats/opencode/opencode.h"

#define TYPE_KEY "opencode.type"   /* in data: the row's type */
#define PART_KEY "opencode.part"   /* in a tool part: the original part */
#define INPUT_KEY "opencode.input" /* in a prompt's data: the row's prompt */

/* ---- parts ---- */

static void put_time(struct json_writer *w, const char *key, struct json time, const char *name,
                     const char *other)
{
    int64_t at = number_of(time, name);

    jw_kv_i64(w, key, at ? at : number_of(time, other));
}

/* The output of a tool, as one text. */
static struct bough_str output_of(struct reading *r, struct json content)
{
    struct json_iter it = json_iter(content);
    struct bough_str text, out;
    struct buf b;

    buf_init(&b, LIMIT_MESSAGE_BYTES);
    while (json_type(content) == JSON_ARRAY && json_next(&it))
        if (json_str(r->a, json_member(it.value, "text"), &text)) {
            if (b.n)
                buf_putc(&b, '\n');
            buf_put_str(&b, text);
        }
    out = text_keep(r->a, &b);
    buf_finish(&b);
    return out;
}

static void put_object(struct json_writer *w, const char *key, struct json value)
{
    bool object = json_type(value) == JSON_OBJECT;

    jw_kv_raw(w, key, object ? json_raw(value) : str_of("{}"));
}

static void put_state(struct reading *r, struct json_writer *w, struct json state, struct json time)
{
    const char *status = json_cstr(r->a, state, "status"),
               *why = json_cstr(r->a, json_member(state, "error"), "message");
    bool done = cstr_eq(status, "completed"), failed = cstr_eq(status, "error"),
         runs = cstr_eq(status, "running");
    struct bough_str raw = { "", 0 };

    jw_obj(w);
    jw_kv_cstr(w, "status", done || failed || runs ? status : "pending");
    put_object(w, "input", json_member(state, "input"));
    if (done) {
        jw_kv_str(w, "output", output_of(r, json_member(state, "content")));
        jw_kv_cstr(w, "title", "");
        put_object(w, "metadata", json_member(state, "metadata"));
    } else if (failed) {
        jw_kv_cstr(w, "error", why ? why : "");
    } else if (!runs) {
        json_str(r->a, json_member(state, "input"), &raw);
        jw_kv_str(w, "raw", raw);
    }
    jw_key(w, "time");
    jw_obj(w);
    put_time(w, "start", time, "ran", "created");
    if (done || failed)
        put_time(w, "end", time, "completed", "created");
    jw_end_obj(w);
    jw_end_obj(w);
}

static struct bough_str tool_part(struct reading *r, struct json part)
{
    const char *id = json_cstr(r->a, part, "id"), *name = json_cstr(r->a, part, "name");
    struct bough_str out;
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_MESSAGE_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "tool");
    jw_kv_cstr(&w, "callID", id ? id : "");
    jw_kv_cstr(&w, "tool", name ? name : "");
    jw_key(&w, "state");
    put_state(r, &w, json_member(part, "state"), json_member(part, "time"));
    jw_kv_raw(&w, PART_KEY, json_raw(part));
    jw_end_obj(&w);
    out = b.over ? json_raw(part) : text_keep(r->a, &b);
    buf_finish(&b);
    return out;
}

static void take_content(struct reading *r, struct json content, struct bough_entry_new *e)
{
    struct json_iter it = json_iter(content);
    struct bough_str *parts = arena_array(r->a, json_count(content) + 1, sizeof *parts);

    while (json_type(content) == JSON_ARRAY && json_next(&it)) {
        bool tool = cstr_eq(json_cstr(r->a, it.value, "type"), "tool");

        parts[e->nparts++] = tool ? tool_part(r, it.value) : json_raw(it.value);
    }
    e->parts = parts;
}

/* A message with a single text. */
static void take_text(struct reading *r, struct json data, struct bough_entry_new *e)
{
    struct bough_str *part = arena_array(r->a, 1, sizeof *part),
                     text = json_raw(json_member(data, "text"));

    if (json_type(json_member(data, "text")) != JSON_STRING)
        return;
    *part = str_of(arena_printf(r->a, "{\"type\":\"text\",\"text\":%.*s}", (int)text.n, text.p));
    e->parts = part;
    e->nparts = 1;
}

/* ---- rows ---- */

static void take_answer(struct reading *r, struct json data, struct bough_entry_new *e)
{
    struct json error = json_member(data, "error"), model = json_member(data, "model");

    e->kind = BOUGH_ENTRY_MESSAGE;
    e->role = BOUGH_ROLE_ASSISTANT;
    e->finish = json_cstr(r->a, data, "finish");
    e->error = json_type(error) == JSON_OBJECT ? json_raw(error) : str_of("");
    opencode_usage(r, data, e);
    e->call_provider = json_cstr(r->a, model, "providerID");
    e->call_model = json_cstr(r->a, model, "id");
    take_content(r, json_member(data, "content"), e);
}

static const char *model_members(struct reading *r, struct json model, const char *more)
{
    struct bough_str provider = json_raw(json_member(model, "providerID")),
                     id = json_raw(json_member(model, "id"));

    if (json_type(json_member(model, "providerID")) != JSON_STRING ||
        json_type(json_member(model, "id")) != JSON_STRING)
        return NULL;
    return arena_printf(r->a, "\"provider\":%.*s,\"modelId\":%.*s,%s", (int)provider.n, provider.p,
                        (int)id.n, id.p, more);
}

/* Set the kind by the row's type; members without an equivalent stay in the entry's data. */
static void take_row(struct reading *r, const char *type, struct json data,
                     struct bough_entry_new *e)
{
    static const char *const text[] = { "text", NULL }, *const content[] = { "content", NULL };
    const char *more = arena_printf(r->a, "\"" TYPE_KEY "\":\"%s\"", type), *model;
    const char *const *but = NULL;

    e->kind = BOUGH_ENTRY_OTHER;
    e->kind_name = type;
    if (cstr_eq(type, "assistant")) {
        take_answer(r, data, e);
        but = content;
    } else if (cstr_eq(type, "user") || cstr_eq(type, "synthetic") || cstr_eq(type, "skill") ||
               cstr_eq(type, "system")) {
        e->kind = BOUGH_ENTRY_MESSAGE;
        e->role = cstr_eq(type, "system") ? BOUGH_ROLE_SYSTEM : BOUGH_ROLE_USER;
        take_text(r, data, e);
        but = text;
    } else if (cstr_eq(type, "compaction") && json_cstr(r->a, data, "summary") &&
               !cstr_eq(json_cstr(r->a, data, "status"), "running") &&
               !cstr_eq(json_cstr(r->a, data, "status"), "failed")) {
        e->kind = BOUGH_ENTRY_COMPACTION;
    } else if (cstr_eq(type, "model-switched") &&
               (model = model_members(r, json_member(data, "model"), more)) != NULL) {
        e->kind = BOUGH_ENTRY_MODEL_CHANGE;
        more = model;
    }
    e->data = members_but(r->a, data, but, more);
}

static bool is_word(const char *s)
{
    size_t n = s ? strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_.") : 0;

    return n && !s[n];
}

enum bough_rc opencode_newer(struct reading *r, struct opencode_session *oc, struct json row,
                             struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    const char *id = json_cstr(r->a, row, "id"), *type = json_cstr(r->a, row, "type");
    struct json data;

    if (cstr_empty(id) || strlen(id) >= sizeof oc->last || !is_word(type) ||
        json_parse(r->a, column_json(r, row, "data", JSON_OBJECT), &data, NULL))
        return give_problem(r, err, "message %.60s is no object, or of no type: it was left out",
                            id ? id : "");
    item.u.entry.id = id;
    item.u.entry.parent = *oc->last ? arena_strdup(r->a, oc->last) : NULL;
    e->time = number_of(row, "time_created");
    take_row(r, type, data, e);
    memcpy(oc->last, id, strlen(id) + 1);
    return give_entry(r, &item, err);
}

/* ---- prompts ---- */

enum bough_rc opencode_waiting(struct reading *r, struct json row, struct bough_error *err)
{
    struct bough_str raw = column_json(r, row, "prompt", JSON_OBJECT);
    struct item item = { .kind = ITEM_PROMPT };
    struct json prompt = { 0 };

    if (raw.n && json_parse(r->a, raw, &prompt, NULL))
        prompt = (struct json){ 0 };
    item.u.prompt.content = json_cstr(r->a, prompt, "text");
    if (cstr_empty(item.u.prompt.content))
        return give_problem(r, err, "a prompt that waits has no text: it was left out");
    item.u.prompt.data = str_of(arena_printf(r->a, "{\"" INPUT_KEY "\":%.*s}", (int)raw.n, raw.p));
    item.u.prompt.created = item.u.prompt.updated = number_of(row, "time_created");
    return give(r, &item, err);
}
