/* A GET that waits for the whole answer: for asking providers how they are. It blocks, so it is
 * never called on a loop thread. */
#ifndef GATEWAY_CLIENT_FETCH_H
#define GATEWAY_CLIENT_FETCH_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stdint.h>

struct fetch_options {
    const char *url;
    const char *method;         /* NULL: GET, or POST with a body */
    const char *const *headers; /* lines "name: value", ends with NULL; may be NULL */
    struct bough_str body;      /* not empty: it is a POST of JSON */
    bool allow_private;
    int64_t connect_ms, whole_ms;
    size_t most; /* bytes of the body; a longer one is an error */
    /* Gets the bytes of a 2xx answer as they come; they are then not part of fetch_answer.body. */
    void (*take)(void *user, const char *p, size_t n);
    /* Gets each field of the answer's head, "name: value", before the bytes; may be NULL. */
    void (*field)(void *user, const char *line, size_t n);
    void *user;
    void (*beat)(void *user); /* called ten times a second or more while it runs; may be NULL */
    int64_t silent_ms;        /* with `take`: the longest time without a byte; 0: any */
    const bool *stop;         /* atomic: give up when it becomes true, within 100 ms; or NULL */
};

struct fetch_answer {
    int status;            /* of HTTP; a redirect is not followed */
    struct bough_str body; /* in the arena, NUL added */
    int64_t ms;            /* until the first byte of the answer */
    const char *why;       /* without an answer: why, one sentence; a constant */
};

/* False: there was no complete answer, see `why`. */
bool fetch(struct bough_arena *a, const struct fetch_options *how, struct fetch_answer *out);

#endif
