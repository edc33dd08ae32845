/* Edits of a request: cutting members out of the original bytes, and putting some in. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/request.h"

/* Replace n bytes at `at`. */
struct edit {
    size_t at, n;
    struct bough_str with;
    size_t order; /* of two at one place, the first made comes first */
};

struct edits {
    struct bough_arena *a;
    const char *body;
    struct edit *at;
    size_t n;
};

static void put(struct edits *l, size_t at, size_t n, struct bough_str with)
{
    l->at = arena_room(l->a, l->at, l->n, sizeof *l->at);
    l->at[l->n] = (struct edit){ at, n, with, l->n };
    l->n++;
}

static size_t start_of(const struct edits *l, struct json j)
{
    return (size_t)(json_raw(j).p - l->body);
}

static size_t end_of(const struct edits *l, struct json j)
{
    return start_of(l, j) + json_raw(j).n;
}

static struct bough_str quoted(struct bough_arena *a, const char *text)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_cstr(&w, text);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

static bool is_one(struct json key, const char *const *names)
{
    for (; *names; names++)
        if (json_is(key, *names))
            return true;
    return false;
}

/*
 * Cut the members with these names out of an object, each with one comma. A run of cut members is
 * one cut: up to the next name, or at the end of the object from the value before the run on.
 */
static void cut_members(struct edits *l, struct json object, const char *const *names)
{
    struct json_iter it = json_iter(object);
    size_t from = 0, before = 0, end = 0;
    bool cutting = false;

    while (json_type(object) == JSON_OBJECT && json_next(&it)) {
        bool drop = is_one(it.key, names);

        if (cutting && !drop)
            put(l, from, start_of(l, it.key) - from, str_of(""));
        if (!cutting && drop) {
            from = start_of(l, it.key);
            before = end; /* of the value before it; 0: it is the first */
        }
        cutting = drop;
        end = end_of(l, it.value);
    }
    if (cutting)
        put(l, before ? before : from, end - (before ? before : from), str_of(""));
}

/* Put a member first into an object; `raw` is its name and value. */
static void put_member(struct edits *l, struct json object, const char *raw)
{
    put(l, start_of(l, object) + 1, 0,
        str_of(arena_printf(l->a, "%s%s", raw, json_count(object) ? "," : "")));
}

/* Set every member of that name; false: there is none. */
static bool set_member(struct edits *l, struct json object, const char *name,
                       struct bough_str value)
{
    struct json_iter it = json_iter(object);
    bool any = false;

    while (json_next(&it)) {
        if (!json_is(it.key, name))
            continue;
        put(l, start_of(l, it.value), json_raw(it.value).n, value);
        any = true;
    }
    return any;
}

static void cut_blocks(struct edits *l, struct json messages)
{
    static const char *const names[] = { "content_blocks", "tool_error", NULL };
    struct json_iter it = json_iter(messages);

    while (json_type(messages) == JSON_ARRAY && json_next(&it))
        cut_members(l, it.value, names);
}

/* Has the request a system text of its own? */
static bool has_system(const struct wire_request *r)
{
    struct json first = json_member(r->json, r->wire == WIRE_RESPONSES ? "input" : "messages"),
                own = json_member(r->json, r->wire == WIRE_RESPONSES ? "instructions" : "system");
    struct json_iter it = json_iter(first);
    struct bough_str role;
    struct bough_arena *tmp;
    bool is;

    if (r->wire != WIRE_CHAT && json_type(own) != JSON_NULL && json_raw(own).n > 2)
        return true;
    if (json_type(first) != JSON_ARRAY || !json_next(&it))
        return false;
    tmp = bough_arena_create();
    is = json_str(tmp, json_member(it.value, "role"), &role) &&
         (strcasecmp(role.p, "system") == 0 || strcasecmp(role.p, "developer") == 0);
    bough_arena_destroy(tmp);
    return is;
}

static void put_prompt(struct edits *l, const struct wire_request *r, const char *prompt)
{
    struct bough_str text = quoted(l->a, prompt);
    struct json messages = json_member(r->json, "messages");
    const char *name = r->wire == WIRE_RESPONSES ? "instructions" : "system";

    if (r->wire == WIRE_CHAT)
        put(l, start_of(l, messages) + 1, 0,
            str_of(arena_printf(l->a, "{\"role\":\"system\",\"content\":%s}%s", text.p,
                                json_count(messages) ? "," : "")));
    else if (!set_member(l, r->json, name, text))
        put_member(l, r->json, arena_printf(l->a, "\"%s\":%s", name, text.p));
}

static void put_usage(struct edits *l, const struct wire_request *r)
{
    struct json options = json_member(r->json, "stream_options");
    struct bough_str yes = str_of("{\"include_usage\":true}");

    if (json_type(options) == JSON_OBJECT) {
        if (!set_member(l, options, "include_usage", str_of("true")))
            put_member(l, options, "\"include_usage\":true");
    } else if (!set_member(l, r->json, "stream_options", yes)) {
        put_member(l, r->json, "\"stream_options\":{\"include_usage\":true}");
    }
}

static int by_place(const void *x, const void *y)
{
    const struct edit *a = x, *b = y;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static struct bough_str splice(struct edits *l, struct bough_str body)
{
    struct bough_str out;
    struct buf b;
    size_t at = 0;

    if (!l->n)
        return body;
    qsort(l->at, l->n, sizeof *l->at, by_place);
    buf_init(&b, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < l->n; i++) {
        const struct edit *e = &l->at[i];

        if (e->at > at)
            buf_put(&b, body.p + at, e->at - at);
        buf_put_str(&b, e->with);
        at = e->at + e->n > at ? e->at + e->n : at;
    }
    buf_put(&b, body.p + at, body.n - at);
    out = text_keep(l->a, &b);
    buf_finish(&b);
    return out;
}

struct bough_str wire_request_edit(struct bough_arena *a, const struct wire_request *r,
                                   const struct wire_edit_options *how)
{
    static const char *const always[] = { "session_id", NULL };
    static const char *const kept_here[] = { "session_id", "previous_response_id", "conversation",
                                             NULL };
    struct edits l = { .a = a, .body = r->body.p };

    if (!cstr_empty(how->prompt) && !has_system(r))
        put_prompt(&l, r, how->prompt);
    if (how->ask_usage && r->usage == WIRE_USAGE_OPEN)
        put_usage(&l, r);
    if (how->model)
        (void)set_member(&l, r->json, "model", quoted(a, how->model));
    cut_members(&l, r->json, how->drop_conversation ? kept_here : always);
    if (r->wire == WIRE_CHAT)
        cut_blocks(&l, json_member(r->json, "messages"));
    return splice(&l, r->body);
}
