/* Reading replies: the state that the wires share. */
#ifndef CORE_WIRE_REPLY_INSIDE_H
#define CORE_WIRE_REPLY_INSIDE_H

#include "core/wire/part.h"
#include "core/wire/reply/gather.h"
#include "core/wire/reply/reply.h"
#include "core/wire/reply/sse.h"

enum { EVENT_MOST = 16 * 1024 * 1024 }; /* bytes */

/* A message, block or item that is assembled from pieces. */
struct piece {
    int64_t index;        /* of the choice, block, item or call */
    struct gather head;   /* its members */
    struct piece *inside; /* chat: the calls; responses: content, at even numbers, and summary */
    size_t ninside;
    struct buf whole;   /* the finished JSON as the provider gave it; empty: not yet */
    struct gather more; /* chat: members of the choice */
    bool told;          /* a step gave it */
};

/* Text that grows in an open message. */
struct flow {
    int64_t kind, a, b; /* which text of the wire: kind is enum flow_kind */
    size_t part;
};
enum flow_kind { FLOW_TEXT, FLOW_REASONING };

struct reply {
    enum wire wire;
    bool stream;     /* events; else a document */
    bool form_known; /* `stream` is what the first bytes say */
    const struct reply_wire *how;
    struct bough_arena *a;   /* of the result */
    struct bough_arena *tmp; /* of one event; only while bytes are read */
    struct sse sse;
    struct buf body; /* of a document */

    struct piece *pieces; /* chat: choices; messages: blocks; responses: items */
    size_t npieces;
    struct gather about; /* members of the reply that are not in a part */
    struct buf id, model, finish, usage, error;
    struct buf final; /* responses: the output of the final object */
    bool ended, cut, refused, truncated;
    size_t malformed;
    int64_t sequence, text_bytes;
    size_t bytes; /* of everything recorded */

    struct bough_step *steps;
    size_t nsteps, given; /* given: reply_steps() has returned them */
    struct bough_arena *step_arena;
    struct flow *flows;
    size_t nflows, step_parts;
};

/* What a wire does with an event and a document, and how it gives out the choices. */
struct reply_wire {
    void (*event)(struct reply *r, struct bough_str name, struct json data);
    void (*document)(struct reply *r, struct json body);
    void (*choices)(struct reply *r, struct reply_choice **out, size_t *n);
};
extern const struct reply_wire reply_chat, reply_items, reply_blocks;

/* ---- pieces.c ---- */

/* The piece with that index, made when there is none. NULL: the reply is too large. */
struct piece *piece_of(struct piece **at, size_t *n, int64_t index);
void piece_finish(struct piece *p);

/* May `n` more bytes be recorded? If not, the reply is marked as truncated. */
bool reply_room(struct reply *r, size_t n);

/* Set a text that is given once: the first one counts. */
void reply_set(struct buf *b, struct bough_arena *tmp, struct json string);
/* The same, but the last one counts: of a string, of any value but null as raw JSON. */
void reply_set_last(struct buf *b, struct bough_arena *tmp, struct json string);
void reply_set_raw(struct buf *b, struct json value);

/* A piece of text or reasoning: a step. Only of choice 0. */
void reply_flow(struct reply *r, enum flow_kind kind, int64_t a, int64_t b, struct json piece);
/* A part that is complete: a step. */
void reply_step_part(struct reply *r, struct bough_str raw);

/* A gathered object as JSON, in r->a. */
struct bough_str reply_object(struct reply *r, const struct gather *g);
/* A C string of the buffer in r->a. */
const char *reply_word(struct reply *r, const struct buf *b);

#endif
