/* A provider for tests: an HTTP/1.1 server on loopback that answers as it is told, and remembers
 * what it was asked. */
#ifndef GATEWAY_FAKE_H
#define GATEWAY_FAKE_H

#include "lib/test.h"

struct fake;

/* One answer: raw bytes, head included. */
struct fake_answer {
    struct bough_str bytes;
    size_t piece;    /* bytes of a write; 0: all in one */
    size_t stop_at;  /* behind this many bytes wait for fake_go(); 0: never */
    bool cut;        /* close the connection behind the bytes; without it, wait for a request */
    bool reset;      /* ... with a reset */
    bool reset_next; /* wait until the next request begins, and reset the connection unread */
    bool endless; /* write the bytes behind `stop_at` again and again until the other side ends */
};

struct fake *fake_start(struct test *t);
void fake_stop(struct fake *u); /* NULL is allowed */
int fake_port(const struct fake *u);

/* The answer to the next request that has none yet; in the order of the calls. Copied. */
void fake_say(struct fake *u, const struct fake_answer *a);
/* The same for a whole JSON answer, and for a stream of events. */
void fake_json(struct fake *u, int status, const char *body);
void fake_events(struct fake *u, const char *events);
/* What a request gets when nothing is left to say: 500 by default. */
void fake_otherwise(struct fake *u, const struct fake_answer *a);

/* Let an answer that waits go on. */
void fake_go(struct fake *u);

/* The text of the request number `i` from 0, head and body, in t->arena. Waits for it; NULL: it
 * does not come. */
const char *fake_asked(struct fake *u, size_t i);
size_t fake_count(struct fake *u); /* requests so far */
/* Answers that could not be written to their end because the other side ended. Waits for `n`. */
bool fake_left(struct fake *u, size_t n);
/* Waits until an answer that was being written cannot be written for a while. */
bool fake_stalls(struct fake *u);
size_t fake_connections(struct fake *u); /* accepted so far */

#endif
