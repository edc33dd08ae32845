/* An API on real sockets, and clients that read its event streams. Every wait has a time limit. */
#ifndef API_STREAM_H
#define API_STREAM_H

#include "api/world.h"
#include "base/memory/buf.h"

struct live {
    struct world w;
    struct http_server *server;
    const char *path;
};

void live_start(struct test *t, struct live *l); /* serves t->store */
void live_stop(struct live *l);

struct reader {
    int fd;
    struct buf got;
};

/* Send GET as the owner over the Unix socket and read the reply's head. `headers`: more lines. */
void reader_open(struct test *t, struct reader *r, const struct live *l, const char *target,
                 const char *headers);
/* The same without waiting for the head. */
void reader_open_only(struct test *t, struct reader *r, const struct live *l, const char *target,
                      const char *headers);
void reader_close(struct reader *r);
/* Read until `text` has occurred `times` times in total. False on timeout or end of stream. */
bool reader_hears(struct reader *r, const char *text, int times, int ms);
/* The id of the last complete event; "" if there is none. */
const char *reader_last_id(struct test *t, const struct reader *r);

#endif
