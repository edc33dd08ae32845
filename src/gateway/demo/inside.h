/* What the files of this folder share: a request, and what is answered. */
#ifndef GATEWAY_DEMO_INSIDE_H
#define GATEWAY_DEMO_INSIDE_H

#include "base/memory/buf.h"

enum { DEMO_CALLS_MOST = 3, DEMO_CHUNK = 256 * 1024 };

struct demo_call {
    const char *name; /* as the request offers it */
    struct bough_str arguments;
};

/* What is answered. Strings live in the arena, or for ever. */
struct demo_reply {
    int status;         /* of HTTP; not 200: `text` is the error */
    const char *model;  /* as asked for */
    bool stream, usage; /* as asked for */
    const char *thought, *text;
    struct demo_call calls[DEMO_CALLS_MOST];
    size_t ncalls;
    int64_t input; /* tokens of the request, estimated */
};

/* ---- script.c ---- */

/* Decide what to answer to the body of a request. */
void demo_answer(struct bough_arena *a, struct bough_str body, struct demo_reply *out);

/* ---- print.c ---- */

/* The whole answer as one JSON object, or the error. */
void demo_print(struct buf *out, const struct demo_reply *r);

/* The list of models. */
void demo_print_models(struct buf *out);

/* Where a stream is. All zero: at its beginning. */
struct demo_place {
    int step;
    size_t at;
};

/* The next event of the stream, "data: ...\n\n". False: the stream is complete. */
bool demo_print_next(struct buf *out, const struct demo_reply *r, struct demo_place *place);

#endif
