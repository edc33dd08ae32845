/* Replies of the responses wire: items. The final object is the reply; deltas serve what is cut. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/part.h"
#include "core/wire/reply/inside.h"

/* Members of the response object that the call or the entry has, or that repeat the request. */
static const char *const of_response[] = { "id",
                                           "object",
                                           "created_at",
                                           "completed_at",
                                           "status",
                                           "model",
                                           "output",
                                           "usage",
                                           "error",
                                           "instructions",
                                           "tools",
                                           "tool_choice",
                                           "temperature",
                                           "top_p",
                                           "top_logprobs",
                                           "max_output_tokens",
                                           "max_tool_calls",
                                           "parallel_tool_calls",
                                           "previous_response_id",
                                           "prompt",
                                           "prompt_cache_key",
                                           "prompt_cache_retention",
                                           "reasoning",
                                           "safety_identifier",
                                           "store",
                                           "text",
                                           "truncation",
                                           "user",
                                           "background",
                                           "metadata",
                                           NULL };

enum { CONTENT = 0, SUMMARY = 1 }; /* even and odd indexes of what is inside an item */

static int64_t number(struct json data, const char *name)
{
    int64_t n = 0;

    (void)json_i64(json_member(data, name), &n);
    return n;
}

static struct piece *item_of(struct reply *r, struct json data)
{
    struct piece *p = piece_of(&r->pieces, &r->npieces, number(data, "output_index"));

    if (!p || !reply_room(r, json_raw(data).n)) {
        r->truncated = true;
        return NULL;
    }
    return p;
}

static struct piece *inside_of(struct reply *r, struct json data, int which)
{
    struct piece *item = item_of(r, data);
    int64_t index = 2 * number(data, which == SUMMARY ? "summary_index" : "content_index") + which;

    return item ? piece_of(&item->inside, &item->ninside, index) : NULL;
}

static void item_added(struct reply *r, struct json data)
{
    static const char *const lists[] = { "content", "summary", NULL };
    struct piece *p = item_of(r, data);

    if (p)
        gather_all(&p->head, GATHER_LAST, json_member(data, "item"), lists);
}

static void item_done(struct reply *r, struct json data)
{
    struct json item = json_member(data, "item");
    struct piece *p = item_of(r, data);

    if (!p)
        return;
    buf_reset(&p->whole);
    buf_put_str(&p->whole, json_raw(item));
    if (!p->told && !json_is(json_member(item, "type"), "message") &&
        !json_is(json_member(item, "type"), "reasoning"))
        reply_step_part(r, json_raw(item));
    p->told = true;
}

static void part_added(struct reply *r, struct json data, int which)
{
    static const char *const none[] = { NULL };
    struct piece *p = inside_of(r, data, which);

    if (p)
        gather_all(&p->head, GATHER_GROW, json_member(data, "part"), none);
}

/* A piece of a text inside an item. */
static void grow_inside(struct reply *r, struct json data, int which, const char *member,
                        const char *type, enum flow_kind kind)
{
    struct piece *p = inside_of(r, data, which);
    struct json t = { 0 };

    if (!p)
        return;
    if (!gather_has(&p->head, "type") &&
        json_parse(r->tmp, str_of(arena_printf(r->tmp, "\"%s\"", type)), &t, NULL) == BOUGH_OK)
        gather_add(&p->head, GATHER_LAST, str_of("type"), t);
    gather_add(&p->head, GATHER_GROW, str_of(member), json_member(data, "delta"));
    if (json_type(json_member(data, "logprobs")) == JSON_ARRAY)
        gather_add(&p->head, GATHER_GROW, str_of("logprobs"), json_member(data, "logprobs"));
    reply_flow(r, kind, number(data, "output_index"), p->index, json_member(data, "delta"));
}

/* A piece of a member of an item itself. */
static void grow_item(struct reply *r, struct json data, const char *member)
{
    struct piece *p = item_of(r, data);

    r->text_bytes += (int64_t)json_raw(json_member(data, "delta")).n;
    if (p) /* apart from the head, which has the empty value that the item began with */
        gather_add(&p->more, GATHER_GROW, str_of(member), json_member(data, "delta"));
}

static void annotation_added(struct reply *r, struct json data)
{
    struct piece *p = inside_of(r, data, CONTENT);

    if (p)
        gather_push(&p->head, "annotations", json_raw(json_member(data, "annotation")));
}

static void take_response(struct reply *r, struct json response)
{
    reply_set(&r->id, r->tmp, json_member(response, "id"));
    reply_set(&r->model, r->tmp, json_member(response, "model"));
    reply_set_raw(&r->usage, json_member(response, "usage"));
    reply_set_raw(&r->error, json_member(response, "error"));
}

/* completed, incomplete, failed, cancelled: the object is final. */
static void take_final(struct reply *r, struct json response)
{
    struct json output = json_member(response, "output"),
                why = json_member(json_member(response, "incomplete_details"), "reason");

    take_response(r, response);
    reply_set_last(&r->finish, r->tmp,
                   json_type(why) == JSON_STRING ? why : json_member(response, "status"));
    gather_all(&r->about, GATHER_LAST, response, of_response);
    r->cut = json_is(json_member(response, "status"), "cancelled");
    r->ended = true;
    if (json_type(output) != JSON_ARRAY || !json_count(output))
        return;
    buf_reset(&r->final);
    buf_put_str(&r->final, json_raw(output));
    r->truncated = r->truncated || r->final.over;
}

static const struct {
    const char *type;
    void (*take)(struct reply *r, struct json data);
} plain[] = {
    { "response.output_item.added", item_added },
    { "response.output_item.done", item_done },
    { "response.output_text.annotation.added", annotation_added },
};

static bool take_piece(struct reply *r, struct json type, struct json data)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (!json_is(type, plain[i].type))
            continue;
        plain[i].take(r, data);
        return true;
    }
    if (json_is(type, "response.content_part.added"))
        part_added(r, data, CONTENT);
    else if (json_is(type, "response.reasoning_summary_part.added"))
        part_added(r, data, SUMMARY);
    else if (json_is(type, "response.output_text.delta"))
        grow_inside(r, data, CONTENT, "text", "output_text", FLOW_TEXT);
    else if (json_is(type, "response.refusal.delta"))
        grow_inside(r, data, CONTENT, "refusal", "refusal", FLOW_TEXT);
    else if (json_is(type, "response.reasoning_summary_text.delta"))
        grow_inside(r, data, SUMMARY, "text", "summary_text", FLOW_REASONING);
    else if (json_is(type, "response.reasoning_text.delta"))
        grow_inside(r, data, CONTENT, "text", "reasoning_text", FLOW_REASONING);
    else if (json_is(type, "response.function_call_arguments.delta") ||
             json_is(type, "response.mcp_call_arguments.delta"))
        grow_item(r, data, "arguments");
    else if (json_is(type, "response.custom_tool_call_input.delta"))
        grow_item(r, data, "input");
    else
        return false;
    return true;
}

static void event(struct reply *r, struct bough_str name, struct json data)
{
    struct json type = json_member(data, "type");
    struct json response = json_member(data, "response");

    (void)name;
    (void)json_i64(json_member(data, "sequence_number"), &r->sequence);
    if (take_piece(r, type, data))
        return;
    if (json_is(type, "response.completed") || json_is(type, "response.incomplete") ||
        json_is(type, "response.failed") || json_is(type, "response.cancelled"))
        take_final(r, response);
    else if (json_is(type, "error"))
        reply_set_raw(&r->error, data);
    else if (json_type(response) == JSON_OBJECT)
        take_response(r, response);
}

static void document(struct reply *r, struct json body)
{
    r->text_bytes += (int64_t)json_raw(json_member(body, "output")).n;
    take_final(r, body);
}

/* ---- the reply ---- */

static void put_inside(struct reply *r, struct json_writer *w, const struct piece *item, int which,
                       const char *member)
{
    bool any = false;

    for (size_t i = 0; i < item->ninside; i++) {
        if (item->inside[i].index % 2 != which)
            continue;
        if (!any) {
            jw_key(w, member);
            jw_arr(w);
        }
        any = true;
        jw_raw(w, reply_object(r, &item->inside[i].head));
    }
    if (any)
        jw_end_arr(w);
    else if (which == SUMMARY && str_is(gather_string(&item->head, r->a, "type"), "\"reasoning\""))
        jw_kv_raw(w, member, str_of("[]"));
}

/* An item as far as it came. */
static struct bough_str assembled(struct reply *r, const struct piece *item)
{
    struct json head, more;
    struct gather g = { .most = item->head.most };
    static const char *const none[] = { NULL };
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    if (json_parse(r->a, reply_object(r, &item->head), &head, NULL) == BOUGH_OK)
        gather_all(&g, GATHER_LAST, head, none);
    if (json_parse(r->a, reply_object(r, &item->more), &more, NULL) == BOUGH_OK)
        gather_all(&g, GATHER_LAST, more, none);
    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    gather_write(&g, &w);
    put_inside(r, &w, item, CONTENT, "content");
    put_inside(r, &w, item, SUMMARY, "summary");
    jw_end_obj(&w);
    out = text_keep(r->a, &b);
    buf_finish(&b);
    gather_finish(&g);
    return out;
}

static void add_items(struct reply *r, struct wire_items *l)
{
    struct json j;
    struct json_iter it;

    if (r->final.n && json_parse(r->a, arena_str(r->a, buf_str(&r->final)), &j, NULL) == BOUGH_OK) {
        it = json_iter(j);
        while (json_next(&it))
            wire_item_add(l, it.value);
        return;
    }
    for (size_t i = 0; i < r->npieces; i++) {
        struct piece *p = &r->pieces[i];
        struct bough_str raw = p->whole.n ? arena_str(r->a, buf_str(&p->whole)) : assembled(r, p);

        if (json_parse(r->a, raw, &j, NULL) == BOUGH_OK)
            wire_item_add(l, j);
    }
}

static bool has_refusal(const struct wire_items *l)
{
    for (size_t i = 0; i < l->parts.n; i++)
        if (str_starts(l->parts.at[i], "{\"type\":\"refusal\""))
            return true;
    return false;
}

static void choices(struct reply *r, struct reply_choice **out, size_t *n)
{
    struct wire_items l = { .parts = { .a = r->a } };
    struct reply_choice *one = arena_zalloc(r->a, sizeof *one);
    struct bough_str about, rest;

    add_items(r, &l);
    about = wire_items_about(&l);
    rest = r->about.n ? reply_object(r, &r->about) : str_make(NULL, 0);
    one->parts = l.parts.at;
    one->nparts = l.parts.n;
    one->finish = reply_word(r, &r->finish);
    one->refused = strcmp(one->finish, "content_filter") == 0 || has_refusal(&l);
    one->cut = r->cut;
    if (about.n && rest.n > 2)
        one->data = str_of(arena_printf(r->a, "{%s,%s", about.p, rest.p + 1));
    else if (about.n)
        one->data = str_of(arena_printf(r->a, "{%s}", about.p));
    else
        one->data = rest;
    *out = one;
    *n = 1;
}

const struct reply_wire reply_items = { .event = event, .document = document, .choices = choices };
