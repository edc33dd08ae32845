/* A gateway over a store, on real sockets, with a provider that answers as it is told. */
#ifndef GATEWAY_WORLD_H
#define GATEWAY_WORLD_H

#include "gateway/fake.h"
#include "gateway/gateway.h"
#include "http/server/server.h"
#include "lib/store_test.h"
#include "run/run.h"

struct world {
    struct test *t;
    struct fake *up;
    struct gateway *gateway;
    struct children *children;
    struct tool_host *tools;
    struct runner *runner;
    const char *host; /* name of the server; NULL: "here" */
    struct auth *auth;
    struct api *api;
    struct http_server *server;
    const char *socket;
    struct gateway_setting settings[64];
    size_t nsettings;
};

/* Prepare a world: a provider "up" of each kind at it. Settings may be added before
 * world_start(). */
void world_prepare(struct test *t, struct world *w);
void world_set(struct world *w, const char *section, const char *name, const char *value);
void world_start(struct world *w);
void world_open(struct test *t, struct world *w); /* both */
void world_close(struct world *w);

/* An answer, as a client sees it. */
struct got {
    int status;
    const char *head;
    struct bough_str body; /* without its framing */
    bool complete;         /* the end of the body came */
};

/* A client that is connected and has sent its request. */
struct talk {
    struct world *w;
    int fd;
    struct buf in;
};

/* Send a request with these header lines over the Unix socket. */
struct talk talk_begin(struct world *w, const char *path, const char *headers, const char *body);
struct talk talk_begin_raw(struct world *w, const char *method, const char *path,
                           const char *headers, struct bough_str body);
/* Wait until the answer so far contains the text. */
bool talk_hears(struct talk *k, const char *text);
struct got talk_end(struct talk *k); /* read to the end and close */
void talk_leave(struct talk *k);     /* close at once */

struct got ask(struct world *w, const char *path, const char *headers, const char *body);
const char *head_value(struct test *t, const struct got *g, const char *name); /* NULL: absent */

/* The only session of the store, once it is there; its messages as "role:text" with blanks between,
 * and "(open)" behind an open one. */
const char *only_session(struct world *w);
const char *messages_text(struct world *w, const char *session);
/* The calls of the session as "status model tokens cost", one behind the other. */
const char *calls_text(struct world *w, const char *session);
/* Wait until messages_text() of the only session is this. */
void check_path(struct world *w, const char *want);

#endif
