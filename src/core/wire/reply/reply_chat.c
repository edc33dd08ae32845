/* Replies of the chat wire: each choice is one message whose members come in pieces. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/reply/inside.h"

static const char *const of_choice[] = { "index",         "delta",    "message",
                                         "finish_reason", "logprobs", NULL };
static const char *const of_reply[] = { "id",      "object", "created", "model",
                                        "choices", "usage",  "error",   NULL };
static const char *const of_delta[] = { "tool_calls", NULL };

/* The call that a piece belongs to. Some servers give every call the index 0: a new id begins a new
 * call. */
static struct piece *call_of(struct piece *choice, struct bough_arena *tmp, struct json piece,
                             int64_t position)
{
    struct json id = json_member(piece, "id");
    int64_t index = position;
    struct piece *call;
    struct bough_str has;

    (void)json_i64(json_member(piece, "index"), &index);
    call = piece_of(&choice->inside, &choice->ninside, index);
    if (!call || json_type(id) != JSON_STRING || json_raw(id).n <= 2)
        return call;
    has = gather_string(&call->head, tmp, "id");
    if (has.n <= 2 || str_eq(has, json_raw(id)))
        return call;
    for (size_t i = 0; i < choice->ninside; i++) /* a call that came before under another index */
        if (str_eq(gather_string(&choice->inside[i].head, tmp, "id"), json_raw(id)))
            return &choice->inside[i];
    call->index = -1 - (int64_t)choice->ninside;
    return piece_of(&choice->inside, &choice->ninside, index);
}

static void tell_calls(struct reply *r, struct piece *choice, size_t upto)
{
    for (size_t i = 0; i < upto && choice->index == 0; i++) {
        struct piece *call = &choice->inside[i];

        if (!call->told)
            reply_step_part(r, reply_object(r, &call->head));
        call->told = true;
    }
}

static void take_calls(struct reply *r, struct piece *choice, struct json calls)
{
    static const char *const but[] = { "index", NULL };
    struct json_iter it = json_iter(calls);

    for (int64_t i = 0; json_type(calls) == JSON_ARRAY && json_next(&it); i++) {
        size_t before = choice->ninside;
        struct piece *call = call_of(choice, r->tmp, it.value, i);

        if (!call || !reply_room(r, json_raw(it.value).n)) {
            r->truncated = true;
            return;
        }
        if (choice->ninside > before)
            tell_calls(r, choice, before);
        r->text_bytes += (int64_t)json_raw(it.value).n;
        gather_all(&call->head, GATHER_GROW, it.value, but);
    }
}

/* A delta of a stream, or the message of a document. */
static void take_message(struct reply *r, struct piece *choice, struct json m)
{
    struct json reasoning = json_member(m, "reasoning_content");

    if (json_type(reasoning) != JSON_STRING)
        reasoning = json_member(m, "reasoning");
    if (!reply_room(r, json_raw(m).n))
        return;
    if (choice->index == 0) {
        if (json_type(reasoning) == JSON_STRING)
            reply_flow(r, FLOW_REASONING, 0, 0, reasoning);
        if (json_type(json_member(m, "content")) == JSON_STRING)
            reply_flow(r, FLOW_TEXT, 0, 0, json_member(m, "content"));
        if (json_type(json_member(m, "refusal")) == JSON_STRING)
            reply_flow(r, FLOW_TEXT, 1, 0, json_member(m, "refusal"));
    }
    gather_all(&choice->head, GATHER_GROW, m, of_delta);
    take_calls(r, choice, json_member(m, "tool_calls"));
}

static void take_choice(struct reply *r, struct json c, int64_t position, const char *member)
{
    struct json finish = json_member(c, "finish_reason");
    int64_t index = position;
    struct piece *choice;

    (void)json_i64(json_member(c, "index"), &index);
    choice = piece_of(&r->pieces, &r->npieces, index);
    if (!choice) {
        r->truncated = true;
        return;
    }
    take_message(r, choice, json_member(c, member));
    gather_all(&choice->more, GATHER_LAST, c, of_choice);
    if (reply_room(r, json_raw(json_member(c, "logprobs")).n))
        gather_add(&choice->more, GATHER_GROW, str_of("logprobs"), json_member(c, "logprobs"));
    if (json_type(finish) != JSON_STRING)
        return;
    gather_add(&choice->more, GATHER_LAST, str_of("finish_reason"), finish);
    tell_calls(r, choice, choice->ninside);
    if (index == 0)
        reply_set_last(&r->finish, r->tmp, finish);
}

static void take(struct reply *r, struct json j, const char *member)
{
    struct json choices = json_member(j, "choices");
    struct json_iter it = json_iter(choices);

    reply_set(&r->id, r->tmp, json_member(j, "id"));
    reply_set(&r->model, r->tmp, json_member(j, "model"));
    reply_set_raw(&r->usage, json_member(j, "usage"));
    reply_set_raw(&r->error, json_member(j, "error"));
    gather_all(&r->about, GATHER_LAST, j, of_reply);
    for (int64_t i = 0; json_type(choices) == JSON_ARRAY && json_next(&it); i++)
        take_choice(r, it.value, i, member);
}

static void event(struct reply *r, struct bough_str name, struct json data)
{
    (void)name;
    take(r, data, "delta");
}

static void document(struct reply *r, struct json body)
{
    take(r, body, "message");
}

/* ---- the messages ---- */

/* The whole message as one JSON object, as a document would have it. */
static struct bough_str whole(struct reply *r, const struct piece *choice)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    if (!gather_has(&choice->head, "role"))
        jw_kv_cstr(&w, "role", "assistant");
    gather_write(&choice->head, &w);
    if (choice->ninside) {
        jw_key(&w, "tool_calls");
        jw_arr(&w);
        for (size_t i = 0; i < choice->ninside; i++)
            jw_raw(&w, reply_object(r, &choice->inside[i].head));
        jw_end_arr(&w);
    }
    jw_end_obj(&w);
    out = text_keep(r->a, &b);
    buf_finish(&b);
    return out;
}

/* The data of a message, with the members of its choice and of the reply. */
static struct bough_str data_of(struct reply *r, const struct piece *choice, struct bough_str data)
{
    static const char *const but[] = { "finish_reason", NULL };
    struct json j = { 0 };
    struct gather g = { 0 };
    struct bough_str out = data;

    if (json_parse(r->tmp, reply_object(r, &choice->more), &j, NULL) == BOUGH_OK)
        gather_all(&g, GATHER_LAST, j, but);
    if (choice->index == 0 && json_parse(r->tmp, reply_object(r, &r->about), &j, NULL) == BOUGH_OK)
        gather_all(&g, GATHER_LAST, j, but);
    if (data.n && json_parse(r->tmp, data, &j, NULL) == BOUGH_OK)
        gather_all(&g, GATHER_LAST, j, but);
    if (g.n)
        out = reply_object(r, &g);
    gather_finish(&g);
    return out;
}

static void give_choice(struct reply *r, const struct piece *choice, struct reply_choice *out)
{
    struct bough_entry_new e = { 0 };
    const char *finish;
    struct json j;

    bough_arena_reset(r->tmp);
    if (json_parse(r->a, whole(r, choice), &j, NULL) == BOUGH_OK &&
        chat_message_read(r->a, j, &e, NULL) == BOUGH_OK) {
        out->parts = e.parts;
        out->nparts = e.nparts;
        out->data = data_of(r, choice, e.data);
    }
    if (json_parse(r->a, reply_object(r, &choice->more), &j, NULL) == BOUGH_OK) {
        finish = json_cstr(r->a, j, "finish_reason");
        out->finish = finish ? finish : "";
    } else {
        out->finish = "";
    }
    out->cut = r->cut || (!*out->finish && r->stream);
    out->refused =
        strcmp(out->finish, "content_filter") == 0 || gather_has(&choice->head, "refusal");
}

static void choices(struct reply *r, struct reply_choice **out, size_t *n)
{
    size_t at = 1;

    *out = arena_array(r->a, r->npieces + 1, sizeof **out);
    (*out)[0].finish = "";
    (*out)[0].cut = true;
    for (size_t i = 0; i < r->npieces; i++)
        give_choice(r, &r->pieces[i], r->pieces[i].index == 0 ? *out : &(*out)[at++]);
    *n = r->npieces ? at : 0;
}

const struct reply_wire reply_chat = { .event = event, .document = document, .choices = choices };
