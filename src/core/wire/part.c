/* Parts and messages as they came over a wire. */
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/inside.h"

static void push(struct wire_parts *l, struct bough_str raw)
{
    l->at = arena_room(l->a, l->at, l->n, sizeof *l->at);
    l->at[l->n++] = raw;
}

void wire_part_add(struct wire_parts *l, struct bough_str raw)
{
    enum bough_part_type type;

    if (bough_part_check(raw, &type, NULL) == BOUGH_OK)
        push(l, raw);
    else
        wire_part_make(l, "bough.raw", "raw", raw);
}

void wire_part_make(struct wire_parts *l, const char *type, const char *key, struct bough_str value)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", type);
    jw_kv_raw(&w, key, value);
    jw_end_obj(&w);
    push(l, text_keep(l->a, &b));
    buf_finish(&b);
}

void wire_parts_add(struct wire_parts *l, struct json content)
{
    struct json_iter it = json_iter(content);

    if (json_type(content) == JSON_STRING)
        wire_part_make(l, "text", "text", json_raw(content));
    else if (json_type(content) == JSON_ARRAY)
        while (json_next(&it))
            wire_part_add(l, json_raw(it.value));
    else if (json_type(content) != JSON_NULL)
        wire_part_add(l, json_raw(content));
}

struct bough_str wire_part_raw(struct bough_arena *a, struct bough_str part)
{
    struct json j;

    if (!memmem(part.p, part.n, "\"bough.raw\"", 11) || json_parse(a, part, &j, NULL) ||
        !json_is(json_member(j, "type"), "bough.raw"))
        return part;
    return json_raw(json_member(j, "raw"));
}

static bool among(struct json key, const char *const *names)
{
    for (; *names; names++)
        if (json_is(key, *names))
            return true;
    return false;
}

struct bough_str wire_members_but(struct bough_arena *a, struct json m, const char *const *but)
{
    struct json_iter it = json_iter(m);
    struct bough_str out = str_make(NULL, 0), name;
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    while (json_type(m) == JSON_OBJECT && json_next(&it)) {
        if (among(it.key, but) || !json_str(a, it.key, &name))
            continue;
        jw_key_str(&w, name);
        jw_raw(&w, json_raw(it.value));
    }
    jw_end_obj(&w);
    if (b.n > 2 && !b.over)
        out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

enum bough_rc reading_add(struct reading *r, const struct bough_entry_new *e,
                          struct bough_error *err)
{
    if (!r->n && e->role == BOUGH_ROLE_SYSTEM) {
        for (size_t i = 0; i < e->nparts; i++)
            wire_part_add(&r->system, e->parts[i]);
        return BOUGH_OK;
    }
    if (r->n >= LIMIT_APPEND_ENTRIES)
        return bough_fail(err, BOUGH_TOO_LARGE, "a request has at most %d messages",
                          LIMIT_APPEND_ENTRIES);
    r->messages = arena_room(r->a, r->messages, r->n, sizeof *r->messages);
    r->messages[r->n++] = *e;
    return BOUGH_OK;
}
