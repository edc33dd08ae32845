/* A small application and clients on real sockets. Every wait has a time limit. */
#ifndef HTTP_WORLD_H
#define HTTP_WORLD_H

#include "http/loopback.h"
#include "http/server/server.h"
#include "http/sse.h"
#include "lib/test.h"

extern const struct http_app world_app;
extern struct http_hub *world_hub; /* the hub of /events */

/* Counters of what the handlers have seen. */
struct world_seen {
    int64_t calls, dropped, pieces, cancelled, closed_streams;
    int holding; /* handlers waiting for world_release() */
};

void world_reset(void);
struct world_seen world_look(void);
void world_release(void); /* let /hold continue */
bool world_wait(int64_t (*what)(const struct world_seen *s), int64_t least); /* waits at most 5 s */

/* Start a server on 127.0.0.1, ::1 (if there is IPv6) and a Unix socket in the test's directory. */
struct http_server *world_start(struct test *t, const struct http_limits *limits);
const char *world_socket(struct test *t);

/* ---- a client ---- */

struct client {
    int fd;
    struct buf got;
};

void client_tcp(struct test *t, struct client *c, const struct http_server *s);
void client_unix(struct test *t, struct client *c);
void client_close(struct client *c);
void client_say(struct client *c, const char *text);
void client_send(struct client *c, const void *p, size_t n);
/* Read until `text` has occurred `times` times. False on timeout or end of stream. */
bool client_hears(struct client *c, const char *text, int times, int ms);
bool client_ended(struct client *c, int ms); /* reads to the end; false on timeout */

/* Send one request on a new connection and return everything received, in t->arena. */
const char *world_ask(struct test *t, const struct http_server *s, const char *text);
int status_of(const char *answer);

#endif
