/*
 * A scripted HTTP server on a port of loopback, for tests of programs that ask one. It answers each
 * request by the next script of its target, with exactly the bytes that were given, in the pieces
 * that were given, and remembers what it got.
 */
#ifndef UPSTREAM_H
#define UPSTREAM_H

#include "lib/test.h"

struct upstream;

/* A piece of an answer is one write. */
struct upstream_piece {
    const char *bytes;
    size_t n;  /* 0: up to the NUL */
    bool wait; /* not before the test has called upstream_let() once more */
};

enum upstream_end {
    UPSTREAM_CLOSE, /* a clean end of the connection */
    UPSTREAM_KEEP,  /* wait for the next request on it */
    UPSTREAM_RESET, /* cut it: the client gets a reset */
};

struct upstream_script {
    const struct upstream_piece *pieces;
    size_t n;
    enum upstream_end end;
    int times; /* how many requests it answers; 0: one, and all others if it is the last */
};

struct upstream *upstream_start(void);
void upstream_stop(struct upstream *u); /* cuts all connections; NULL is allowed */
int upstream_port(const struct upstream *u);
/* "http://127.0.0.1:PORT" and the path, in t->arena. */
const char *upstream_url(struct test *t, const struct upstream *u, const char *path);

/* Add a script for "GET /v1/models" (without query); "*" is for every other request. Everything is
 * copied. Requests without a script get 404. */
void upstream_script(struct upstream *u, const char *target, const struct upstream_script *script);
/* The same of a whole answer with this status and body: application/json. */
void upstream_say(struct upstream *u, const char *target, int status, const char *body);
/* Forget the scripts of a target. */
void upstream_forget(struct upstream *u, const char *target);
void upstream_let(struct upstream *u); /* lets one piece with `wait` go */

struct upstream_request {
    const char *line; /* "GET /v1/models HTTP/1.1" */
    const char *head; /* all header lines, each with its line end */
    struct bough_str body;
};

size_t upstream_count(struct upstream *u); /* of requests so far, also those being answered */
/* The i-th one, in t->arena. */
struct upstream_request upstream_request(struct test *t, struct upstream *u, size_t i);
/* A header of a request, by its name in any case, in t->arena; NULL: it has none. */
const char *upstream_header(struct test *t, const struct upstream_request *r, const char *name);
/* How many clients left while their answer waited for upstream_let(). */
size_t upstream_gone(struct upstream *u);
/* How many connections were accepted. */
size_t upstream_connections(struct upstream *u);

#endif
