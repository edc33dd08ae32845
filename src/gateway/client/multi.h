/*
 * Requests to providers on the loop thread: libcurl's multi interface, driven by libuv. Connections
 * are pooled; one that dies before a byte of the answer is dialled again, once. Loop thread only,
 * but for multi_destroy().
 */
#ifndef GATEWAY_CLIENT_MULTI_H
#define GATEWAY_CLIENT_MULTI_H

#include "gateway/client/easy.h"

struct multi;
struct uv_loop_s;

struct multi *multi_create(struct uv_loop_s *loop);
/* After the loop has ended, and with no transfer left. NULL is allowed. */
void multi_destroy(struct multi *m);

/* Called about ten times a second while it is in the list. It may remove itself. */
struct ticking {
    struct ticking *prev, *next;
    void (*tick)(struct ticking *t, int64_t now_us);
};
void multi_tick(struct multi *m, struct ticking *t);
void multi_untick(struct multi *m, struct ticking *t);

/* How a transfer ended. */
enum transfer_how {
    TRANSFER_DONE,        /* the answer is complete */
    TRANSFER_NOT_SENT,    /* the provider was not reached: it has seen nothing of the request */
    TRANSFER_NOT_ALLOWED, /* the same, because of its address */
    TRANSFER_SLOW,        /* it took too long */
    TRANSFER_CUT,         /* the connection ended early */
};

struct transfer_events {
    /* The head has come; `lines` are its fields, "name: value\r\n" each. */
    void (*head)(void *user, int status, struct bough_str lines);
    /* Bytes of the body. False: not now; the same bytes come again after transfer_resume(). */
    bool (*bytes)(void *user, const char *p, size_t n);
    /* It has ended, and is gone. `why` is one sentence unless it is DONE. */
    void (*done)(void *user, enum transfer_how how, const char *why);
};

struct transfer;

/* Begin. The strings of `how` and `on` must live until the transfer is gone. NULL: out of memory.
 */
struct transfer *transfer_start(struct multi *m, const struct easy_options *how,
                                const struct transfer_events *on, void *user);
void transfer_resume(struct transfer *t);
void transfer_cancel(struct transfer *t); /* no event comes any more */

#endif
