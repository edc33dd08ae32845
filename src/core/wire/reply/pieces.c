/* Replies: the pieces that a wire assembles, and the steps of an open message. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/reply/inside.h"

enum {
    PIECES = BOUGH_LIMIT_PARTS,
    FLOWS = BOUGH_LIMIT_PARTS,
};
/* Of a reply: what does not fit into a message is not recorded. */
#define RECORD_MOST ((size_t)LIMIT_MESSAGE_BYTES - EVENT_MOST)

void piece_finish(struct piece *p)
{
    gather_finish(&p->head);
    gather_finish(&p->more);
    for (size_t i = 0; i < p->ninside; i++)
        piece_finish(&p->inside[i]);
    mem_free(p->inside);
    buf_finish(&p->whole);
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

/* ---- results ---- */

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
