/* Replies of Anthropic's messages: a list of content blocks, each with a beginning and deltas. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/part.h"
#include "core/wire/reply/inside.h"

/* Members that the entry or the call has, not data. */
static const char *const of_message[] = { "id",      "type",  "role",        "model",
                                          "content", "usage", "stop_reason", NULL };

/* ---- usage: later numbers replace earlier ones, null keeps ---- */

static void merge_usage(struct reply *r, struct json usage)
{
    static const char *const none[] = { NULL };
    struct gather g = { 0 };
    struct json was;
    struct bough_str out;

    if (json_type(usage) != JSON_OBJECT)
        return;
    if (r->usage.n &&
        json_parse(r->tmp, arena_str(r->tmp, buf_str(&r->usage)), &was, NULL) == BOUGH_OK)
        gather_all(&g, GATHER_LAST, was, none);
    gather_all(&g, GATHER_LAST, usage, none);
    out = reply_object(r, &g);
    buf_reset(&r->usage);
    buf_put_str(&r->usage, out);
    gather_finish(&g);
}

/* ---- events ---- */

static void message_start(struct reply *r, struct json m)
{
    reply_set(&r->id, r->tmp, json_member(m, "id"));
    reply_set(&r->model, r->tmp, json_member(m, "model"));
    merge_usage(r, json_member(m, "usage"));
    gather_all(&r->about, GATHER_LAST, m, of_message);
}

static struct piece *block_of(struct reply *r, struct json data)
{
    int64_t index = 0;
    struct piece *p;

    (void)json_i64(json_member(data, "index"), &index);
    p = piece_of(&r->pieces, &r->npieces, index);
    if (!p || !reply_room(r, json_raw(data).n)) {
        r->truncated = true;
        return NULL;
    }
    return p;
}

static void block_start(struct reply *r, struct json data)
{
    static const char *const none[] = { NULL };
    struct piece *p = block_of(r, data);
    struct json block = json_member(data, "content_block");

    if (!p)
        return;
    gather_all(&p->head, GATHER_GROW, block, none);
    if (json_type(json_member(block, "text")) == JSON_STRING)
        reply_flow(r, FLOW_TEXT, p->index, 0, json_member(block, "text"));
}

static void block_delta(struct reply *r, struct json data)
{
    struct piece *p = block_of(r, data);
    struct json delta = json_member(data, "delta"), type = json_member(delta, "type");

    if (!p)
        return;
    if (json_is(type, "text_delta")) {
        gather_add(&p->head, GATHER_GROW, str_of("text"), json_member(delta, "text"));
        reply_flow(r, FLOW_TEXT, p->index, 0, json_member(delta, "text"));
    } else if (json_is(type, "thinking_delta")) {
        gather_add(&p->head, GATHER_GROW, str_of("thinking"), json_member(delta, "thinking"));
        reply_flow(r, FLOW_REASONING, p->index, 0, json_member(delta, "thinking"));
    } else if (json_is(type, "signature_delta")) {
        gather_add(&p->head, GATHER_GROW, str_of("signature"), json_member(delta, "signature"));
    } else if (json_is(type, "input_json_delta")) {
        r->text_bytes += (int64_t)json_raw(json_member(delta, "partial_json")).n;
        gather_add(&p->more, GATHER_GROW, str_of("input"), json_member(delta, "partial_json"));
    } else if (json_is(type, "citations_delta")) {
        gather_push(&p->head, "citations", json_raw(json_member(delta, "citation")));
    } else {
        gather_push(&p->head, "bough.deltas", json_raw(delta));
    }
}

/* The block as JSON. The arguments of a call came as text in pieces; if that is not JSON, because
 * the stream was cut, it is kept beside an empty input. */
static struct bough_str block_json(struct reply *r, struct piece *p)
{
    struct bough_str raw = gather_string(&p->more, r->a, "input"), text = str_make(NULL, 0), out;
    struct json j;
    struct json_writer w;
    struct buf b;
    bool good;

    if (raw.n <= 2)
        return reply_object(r, &p->head);
    if (json_parse(r->a, raw, &j, NULL) == BOUGH_OK)
        (void)json_str(r->a, j, &text);
    good = text.n && json_check(text, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK;
    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    if (json_parse(r->a, reply_object(r, &p->head), &j, NULL) == BOUGH_OK) {
        static const char *const but[] = { "input", NULL };
        struct gather g = { .most = p->head.most };

        gather_all(&g, GATHER_LAST, j, but);
        gather_write(&g, &w);
        gather_finish(&g);
    }
    jw_kv_raw(&w, "input", good ? text : str_of("{}"));
    if (!good)
        jw_kv_raw(&w, "bough.partial", raw);
    jw_end_obj(&w);
    out = text_keep(r->a, &b);
    buf_finish(&b);
    return out;
}

/* False: only the end of the block came. */
static bool has_content(const struct piece *p)
{
    return p->whole.n || p->head.n || p->more.n;
}

static void block_stop(struct reply *r, struct json data)
{
    struct piece *p = block_of(r, data);
    struct bough_str type;

    if (!p || !has_content(p))
        return;
    type = gather_string(&p->head, r->tmp, "type");
    if (!p->told && !str_is(type, "\"text\"") && !str_is(type, "\"thinking\""))
        reply_step_part(r, block_json(r, p));
    p->told = true;
}

static void message_delta(struct reply *r, struct json data)
{
    static const char *const but[] = { "type", "delta", "usage", NULL };
    static const char *const stop[] = { "stop_reason", NULL };
    struct json delta = json_member(data, "delta");

    reply_set_last(&r->finish, r->tmp, json_member(delta, "stop_reason"));
    gather_all(&r->about, GATHER_LAST, delta, stop);
    gather_all(&r->about, GATHER_LAST, data, but);
    merge_usage(r, json_member(data, "usage"));
}

static void event(struct reply *r, struct bough_str name, struct json data)
{
    struct json type = json_member(data, "type");

    (void)name;
    if (json_is(type, "message_start"))
        message_start(r, json_member(data, "message"));
    else if (json_is(type, "content_block_start"))
        block_start(r, data);
    else if (json_is(type, "content_block_delta"))
        block_delta(r, data);
    else if (json_is(type, "content_block_stop"))
        block_stop(r, data);
    else if (json_is(type, "message_delta"))
        message_delta(r, data);
    else if (json_is(type, "message_stop"))
        r->ended = true;
    else if (json_is(type, "error"))
        reply_set_raw(&r->error, json_member(data, "error"));
    else if (!json_is(type, "ping"))
        gather_push(&r->about, "bough.events", json_raw(data));
}

static void document(struct reply *r, struct json body)
{
    struct json content = json_member(body, "content");
    struct json_iter it = json_iter(content);

    message_start(r, body);
    reply_set_last(&r->finish, r->tmp, json_member(body, "stop_reason"));
    for (int64_t i = 0; json_type(content) == JSON_ARRAY && json_next(&it); i++) {
        struct piece *p = piece_of(&r->pieces, &r->npieces, i);

        r->text_bytes += (int64_t)json_raw(it.value).n;
        if (p && reply_room(r, json_raw(it.value).n))
            buf_put_str(&p->whole, json_raw(it.value));
        else
            r->truncated = true;
    }
}

static void choices(struct reply *r, struct reply_choice **out, size_t *n)
{
    struct wire_parts l = { .a = r->a };
    struct reply_choice *one = arena_zalloc(r->a, sizeof *one);

    for (size_t i = 0; i < r->npieces; i++)
        if (has_content(&r->pieces[i]))
            wire_part_add(&l, r->pieces[i].whole.n ? arena_str(r->a, buf_str(&r->pieces[i].whole))
                                                   : block_json(r, &r->pieces[i]));
    one->parts = l.at;
    one->nparts = l.n;
    one->finish = reply_word(r, &r->finish);
    one->refused = strcmp(one->finish, "refusal") == 0;
    one->cut = r->cut;
    if (r->about.n)
        one->data = reply_object(r, &r->about);
    *out = one;
    *n = 1;
}

const struct reply_wire reply_blocks = { .event = event, .document = document, .choices = choices };
