/* An API on real sockets, and clients that read its event streams. Every wait is bounded. */
#ifndef API_STREAM_H
#define API_STREAM_H

#include "api/world.h"
#include "base/buf.h"

struct live {
    struct world w;
    struct http_server *server;
    const char *path;
};

void live_start(struct test *t, struct live *l); /* over t->store */
void live_stop(struct live *l);

struct reader {
    int fd;
    struct buf got;
};

/* GET as the owner, over the Unix socket; `headers` are more lines. The answer's head was read. */
void reader_open(struct test *t, struct reader *r, const struct live *l, const char *target,
                 const char *headers);
/* The same without waiting for the head. */
void reader_open_only(struct test *t, struct reader *r, const struct live *l, const char *target,
                      const char *headers);
void reader_close(struct reader *r);
/* Read until `text` was seen `times` times; false when the time is over or the stream ended. */
bool reader_hears(struct reader *r, const char *text, int times, int ms);
/* The value of the last complete event's id; "" when there was none. */
const char *reader_last_id(struct test *t, const struct reader *r);

#endif
