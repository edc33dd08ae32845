/* Replies: what all wires share. Bytes to events, steps, and the result. */
#include "core/wire/reply/reply.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/reply/inside.h"

enum {
    EVENT_MOST = 16 * 1024 * 1024,
    NAME_MOST = BOUGH_LIMIT_NAME,
    PIECES = BOUGH_LIMIT_PARTS,
    FLOWS = BOUGH_LIMIT_PARTS,
};
/* Of a reply: what does not fit into a message is not recorded. */
#define RECORD_MOST ((size_t)LIMIT_MESSAGE_BYTES - EVENT_MOST)

static const struct reply_wire *const wires[] = {
    [WIRE_CHAT] = &reply_chat,
    [WIRE_RESPONSES] = &reply_items,
    [WIRE_MESSAGES] = &reply_blocks,
};

struct reply *reply_create(enum wire wire, bool stream)
{
    struct reply *r = mem_zalloc(sizeof *r);

    r->wire = wire;
    r->stream = stream;
    r->how = wires[wire];
    r->sequence = -1;
    r->a = bough_arena_create();
    r->tmp = bough_arena_create();
    r->step_arena = bough_arena_create();
    sse_init(&r->sse, EVENT_MOST);
    buf_init(&r->body, (size_t)LIMIT_MESSAGE_BYTES);
    buf_init(&r->id, NAME_MOST);
    buf_init(&r->model, NAME_MOST);
    buf_init(&r->finish, NAME_MOST);
    buf_init(&r->usage, LIMIT_METADATA);
    buf_init(&r->error, LIMIT_METADATA);
    buf_init(&r->final, EVENT_MOST);
    return r;
}

void piece_finish(struct piece *p)
{
    gather_finish(&p->head);
    gather_finish(&p->more);
    for (size_t i = 0; i < p->ninside; i++)
        piece_finish(&p->inside[i]);
    mem_free(p->inside);
    buf_finish(&p->whole);
}

void reply_destroy(struct reply *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->npieces; i++)
        piece_finish(&r->pieces[i]);
    mem_free(r->pieces);
    gather_finish(&r->about);
    sse_finish(&r->sse);
    buf_finish(&r->body);
    buf_finish(&r->id);
    buf_finish(&r->model);
    buf_finish(&r->finish);
    buf_finish(&r->usage);
    buf_finish(&r->error);
    buf_finish(&r->final);
    mem_free(r->steps);
    mem_free(r->flows);
    bough_arena_destroy(r->a);
    bough_arena_destroy(r->tmp);
    bough_arena_destroy(r->step_arena);
    mem_free(r);
}

struct piece *piece_of(struct piece **at, size_t *n, int64_t index)
{
    for (size_t i = *n; i-- > 0;)
        if ((*at)[i].index == index)
            return &(*at)[i];
    if (*n >= PIECES)
        return NULL;
    *at = mem_room(*at, *n, sizeof **at);
    (*at)[*n] =
        (struct piece){ .index = index, .head = { .most = RECORD_MOST }, .more = { .most = 0 } };
    buf_init(&(*at)[*n].whole, EVENT_MOST);
    return &(*at)[(*n)++];
}

bool reply_room(struct reply *r, size_t n)
{
    if (r->truncated || r->bytes + n > RECORD_MOST) {
        r->truncated = true;
        return false;
    }
    r->bytes += n;
    return true;
}

void reply_set(struct buf *b, struct bough_arena *tmp, struct json string)
{
    struct bough_str s;

    if (!b->n && json_str(tmp, string, &s) && !memchr(s.p, '\0', s.n))
        buf_put_str(b, s);
}

void reply_set_last(struct buf *b, struct bough_arena *tmp, struct json string)
{
    if (json_type(string) == JSON_STRING)
        buf_reset(b);
    reply_set(b, tmp, string);
}

void reply_set_raw(struct buf *b, struct json value)
{
    if (json_type(value) == JSON_NULL)
        return;
    buf_reset(b);
    buf_put_str(b, json_raw(value));
}

/* ---- steps ---- */

static void push_step(struct reply *r, enum bough_step_kind kind, size_t part, struct bough_str s)
{
    r->steps = mem_room(r->steps, r->nsteps, sizeof *r->steps);
    r->steps[r->nsteps++] = (struct bough_step){ .kind = kind, .part = part, .bytes = s };
}

static struct flow *flow_of(struct reply *r, enum flow_kind kind, int64_t a, int64_t b)
{
    for (size_t i = r->nflows; i-- > 0;)
        if (r->flows[i].kind == (int64_t)kind && r->flows[i].a == a && r->flows[i].b == b)
            return &r->flows[i];
    if (r->nflows >= FLOWS || r->step_parts >= LIMIT_PARTS)
        return NULL;
    r->flows = mem_room(r->flows, r->nflows, sizeof *r->flows);
    r->flows[r->nflows] = (struct flow){ (int64_t)kind, a, b, r->step_parts++ };
    push_step(r, BOUGH_STEP_PART, 0,
              str_of(kind == FLOW_TEXT ? "{\"type\":\"text\",\"text\":\"\"}"
                                       : "{\"type\":\"reasoning\",\"text\":\"\"}"));
    return &r->flows[r->nflows++];
}

void reply_flow(struct reply *r, enum flow_kind kind, int64_t a, int64_t b, struct json piece)
{
    struct bough_str text;
    struct flow *f;

    r->text_bytes += (int64_t)json_raw(piece).n;
    if (!r->stream || r->truncated || !json_str(r->step_arena, piece, &text) || !text.n)
        return;
    f = flow_of(r, kind, a, b);
    if (f)
        push_step(r, BOUGH_STEP_TEXT, f->part, text);
}

void reply_step_part(struct reply *r, struct bough_str raw)
{
    struct wire_parts l = { .a = r->step_arena };

    if (!r->stream || r->truncated || r->step_parts >= LIMIT_PARTS)
        return;
    wire_part_add(&l, arena_str(r->step_arena, raw));
    push_step(r, BOUGH_STEP_PART, 0, l.at[0]);
    r->step_parts++;
}

const struct bough_step *reply_steps(struct reply *r, size_t *n)
{
    *n = r->nsteps - r->given;
    r->given = r->nsteps;
    return r->steps ? r->steps + r->nsteps - *n : NULL;
}

/* Steps that were given out are no longer needed when the next bytes arrive. */
static void drop_given(struct reply *r)
{
    if (r->given && r->given == r->nsteps) {
        r->given = r->nsteps = 0;
        mem_free(r->steps);
        r->steps = NULL;
        bough_arena_reset(r->step_arena);
    }
}

/* ---- bytes ---- */

static void take_event(void *user, const struct sse_event *event)
{
    struct reply *r = user;
    struct json data;

    if (str_is(event->data, "[DONE]")) {
        r->ended = true;
        return;
    }
    if (!event->data.n)
        return;
    bough_arena_reset(r->tmp);
    if (json_parse(r->tmp, event->data, &data, NULL) || json_type(data) != JSON_OBJECT) {
        r->malformed++;
        return;
    }
    r->how->event(r, event->name, data);
}

void reply_feed(struct reply *r, const char *p, size_t n)
{
    drop_given(r);
    if (r->stream)
        sse_feed(&r->sse, p, n, take_event, r);
    else
        buf_put(&r->body, p, n);
}

bool reply_ended(const struct reply *r)
{
    return r->ended;
}

/* ---- the result ---- */

const char *reply_word(struct reply *r, const struct buf *b)
{
    return arena_strndup(r->a, b->n ? b->p : "", b->n);
}

struct bough_str reply_object(struct reply *r, const struct gather *g)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    gather_write(g, &w);
    jw_end_obj(&w);
    out = text_keep(r->a, &b);
    buf_finish(&b);
    r->truncated = r->truncated || g->over;
    return out;
}

static void take_document(struct reply *r)
{
    struct json body;

    if (r->body.over || json_parse(r->tmp, buf_str(&r->body), &body, NULL) ||
        json_type(body) != JSON_OBJECT) {
        r->malformed++;
        r->truncated = r->body.over;
        return;
    }
    reply_set_raw(&r->error, json_member(body, "error"));
    r->how->document(r, body);
    r->ended = true;
}

const struct reply_result *reply_end(struct reply *r)
{
    struct reply_result *out = arena_zalloc(r->a, sizeof *out);
    struct reply_choice *choices = NULL;

    drop_given(r);
    if (r->stream)
        sse_end(&r->sse, take_event, r);
    else
        take_document(r);
    r->truncated = r->truncated || r->sse.dropped;
    r->malformed += r->sse.dropped;
    r->cut = r->cut || (!r->ended && !r->finish.n);
    r->how->choices(r, &choices, &out->nchoices);
    if (!out->nchoices) {
        choices = arena_zalloc(r->a, sizeof *choices);
        choices->finish = reply_word(r, &r->finish);
        choices->cut = r->cut;
        out->nchoices = 1;
    }
    out->choices = choices;
    out->id = reply_word(r, &r->id);
    out->model = reply_word(r, &r->model);
    out->usage = arena_str(r->a, buf_str(&r->usage));
    out->error = arena_str(r->a, buf_str(&r->error));
    out->ended = r->ended;
    out->truncated = r->truncated;
    out->malformed = r->malformed;
    out->sequence = r->sequence;
    out->text_bytes = r->text_bytes;
    return out;
}
