/* A small application and clients that talk to it over real sockets. Every wait is bounded. */
#ifndef HTTP_WORLD_H
#define HTTP_WORLD_H

#include "http/loopback.h"
#include "http/server.h"
#include "http/sse.h"
#include "lib/test.h"

extern const struct http_app world_app;
extern struct http_hub *world_hub; /* of /events, while a world is up */

/* What handlers have seen. */
struct world_seen {
    int64_t calls, dropped, pieces, cancelled, closed_streams;
    int holding; /* handlers that wait for world_release() */
};

void world_reset(void);
struct world_seen world_look(void);
void world_release(void);                                                    /* let /hold go on */
bool world_wait(int64_t (*what)(const struct world_seen *s), int64_t least); /* at most 5 s */

/* A server on 127.0.0.1, ::1 and a Unix socket in the test's folder. */
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
/* Read until `text` was seen `times` times, the end, or the time is over: was it? */
bool client_hears(struct client *c, const char *text, int times, int ms);
bool client_ended(struct client *c, int ms); /* reads to the end */

/* One request on a connection of its own; everything that came, in t->arena. */
const char *world_ask(struct test *t, const struct http_server *s, const char *text);
int status_of(const char *answer);

#endif
