/* What a gateway says when it cannot go on: an error body, or an error event in a stream. Pure. */
#ifndef CORE_WIRE_FAULT_H
#define CORE_WIRE_FAULT_H

#include "core/wire/wire.h"

struct wire_fault {
    int status;            /* HTTP: 400, 402, 404, ... */
    const char *code;      /* "budget_exceeded"; NULL: made from the status */
    const char *message;   /* a sentence */
    struct bough_str more; /* a raw JSON object whose members are added; may be empty */
    int64_t sequence;      /* responses: the sequence number of the event */
};

/* The body of an answer with fault->status, as the wire's own provider writes it. */
struct bough_str wire_fault_body(struct bough_arena *a, enum wire wire,
                                 const struct wire_fault *fault);

/* The same as a whole event of a stream that has begun, blank line included. */
struct bough_str wire_fault_event(struct bough_arena *a, enum wire wire,
                                  const struct wire_fault *fault);

/* The body of a failed answer as raw JSON to keep in a call: the JSON itself, or a string of at
 * most `most` bytes of text. */
struct bough_str wire_fault_keep(struct bough_arena *a, struct bough_str body, size_t most);

#endif
