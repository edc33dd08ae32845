/*
 * Looking at a stream of events while it passes: where events begin, and where the last one is. No
 * byte is changed. Bytes go on as they come, except the end mark, which is held back, and an event
 * that was not asked for. Pure.
 */
#ifndef CORE_WIRE_REPLY_SCAN_H
#define CORE_WIRE_REPLY_SCAN_H

#include "base/memory/buf.h"
#include "core/wire/wire.h"

struct wire_scan {
    enum wire wire;
    bool drop_usage; /* chat: leave out the event that has only usage */
    bool ended;      /* the end mark has come: it and what follows are in `held` */
    struct buf held; /* bytes that were not given yet */
    char head[40];   /* the first bytes of the event */
    size_t nhead;
    bool decided;     /* the event is not the end mark */
    bool passing;     /* the event is too large to be held */
    bool line_begun;  /* the line has a byte besides its end */
    bool event_begun; /* the event has such a line */
};

/* Gets the bytes that may go on, in order. */
typedef void wire_scan_fn(void *user, const char *p, size_t n);

void wire_scan_init(struct wire_scan *s, enum wire wire, bool drop_usage);
void wire_scan_finish(struct wire_scan *s);

/* Feed the next bytes. One byte at a time gives the same bytes as all at once. */
void wire_scan_feed(struct wire_scan *s, const char *p, size_t n, wire_scan_fn *give, void *user);
/* Has all of the end mark come? Its event may be long: that of responses has the whole reply. */
bool wire_scan_complete(const struct wire_scan *s);
/* No more bytes come: give what is held. */
void wire_scan_flush(struct wire_scan *s, wire_scan_fn *give, void *user);

#endif
