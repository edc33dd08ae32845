/* Server-sent events, reading: bytes in any pieces to events. Pure. */
#ifndef CORE_WIRE_REPLY_SSE_H
#define CORE_WIRE_REPLY_SSE_H

#include "base/memory/buf.h"

struct sse_event {
    struct bough_str name; /* "" without an event line */
    struct bough_str data; /* its data lines, joined by line ends */
};

struct sse {
    struct buf line, name, data;
    struct buf id;    /* of the last event that had one; "" if none had */
    int64_t retry_ms; /* how long to wait before asking again; -1: the stream did not say */
    bool begun;       /* the first bytes were looked at: a byte order mark is skipped */
    bool cr;          /* the last byte was CR: an LF that follows is part of it */
    bool has_data;    /* a data line was seen */
    bool oversized;   /* the event is too large: it is dropped */
    size_t dropped;   /* events that were too large */
};

/* An event, and its lines, may have `most` bytes. */
void sse_init(struct sse *s, size_t most);
void sse_finish(struct sse *s);

/* Called for each event, in order; the spans are valid until it returns. */
typedef void sse_fn(void *user, const struct sse_event *event);

/* Feed the next bytes. One byte at a time gives the same events as all at once. An event ends with
 * a blank line; comments and events without data are skipped. */
void sse_feed(struct sse *s, const char *p, size_t n, sse_fn *fn, void *user);

/* The stream ended: give an event that lacks its blank line. Providers end streams so. */
void sse_end(struct sse *s, sse_fn *fn, void *user);

#endif
