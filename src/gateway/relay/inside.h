/* Inside a relay: what its files share. Loop thread only, but for relay_work(). */
#ifndef GATEWAY_RELAY_INSIDE_H
#define GATEWAY_RELAY_INSIDE_H

#include "core/wire/reply/scan.h"
#include "gateway/client/multi.h"
#include "gateway/relay/relay.h"

enum {
    QUEUE_MOST = 8 << 20,    /* bytes for the recorder: more stop the provider */
    BATCH = 32 << 10,        /* bytes that the recorder gets without waiting */
    BATCH_US = 250000,       /* how long fewer bytes wait */
    BEGIN_US = 40000,        /* how long the recorder lets requests be sent on first */
    KEEP_US = 20000000,      /* how often an open reply is kept alive */
    SEAL_US = 10000000,      /* how long the last bytes wait for the store */
    FINISH_US = 120000000,   /* how long a reply is read on for a client that left */
    KEPT_MOST = 1 << 20,     /* bytes of an error that may be tried again */
    ERROR_MOST = 64 << 10,   /* bytes of an error that are recorded */
    RETRY_MOST_US = 20000000 /* the longest wait that a provider may ask for */
};

struct relay {
    struct relay_plan plan;
    struct http_req *req;
    struct http_flow *flow;
    struct multi *multi;
    struct ticking ticking;
    struct transfer *transfer;
    /* attempts */
    struct relay_attempt attempts[RELAY_ATTEMPTS];
    size_t nattempts, target;
    int retries; /* left */
    bool plain;  /* do not ask for usage */
    int64_t began_us, last_us, retry_us;
    /* the answer of this attempt */
    bool holding;         /* nothing is given until it is complete: it may be tried again */
    bool events, refused; /* it is a stream of events; its status is an error */
    bool paused;
    struct buf kept, lines; /* of a held answer; its head */
    struct wire_scan scan;
    bool in_line; /* the client has the beginning of a line */
    /* the recorder */
    struct buf queue; /* bytes for it; loop thread */
    struct buf batch; /* bytes that it has */
    bool working, final, finished, overflowed;
    bool mark_given; /* the end mark was given before the reply was stored */
    bool hopeless;   /* the beginning could not be stored */
    int64_t queued_us, worked_us;
    enum bough_rc begin_rc, finish_rc; /* of the worker, read when it has returned */
    bool begun, cut;
    struct bough_error err;
    /* the end */
    bool over, left, sealing_told;
    int64_t over_us, left_us;
};

/* The attempt that runs, or the last one. */
static inline struct relay_attempt *relay_now(struct relay *r)
{
    return &r->attempts[r->nattempts - 1];
}

/* Milliseconds of the attempt that runs, rounded up: at least 1, because 0 means unknown. */
static inline int64_t relay_ms_since(const struct relay *r, int64_t now_us)
{
    return (now_us - r->began_us) / 1000 + 1;
}

/* ---- client.c: what the client gets ---- */

void relay_give(void *user, const char *p, size_t n); /* user: the relay */
void relay_pass_head(struct relay *r, int status, struct bough_str lines);
/* Say what went wrong, as the wire's own provider would: an error body, or behind the beginning of
 * a stream an event. True: the connection must be cut. */
bool relay_say_fault(struct relay *r, int status, const char *code, const char *why);

/* ---- ending.c: the recorder, and the end ---- */

void relay_work(void *user); /* on a worker */
void relay_worked(void *user);
void relay_start_work(struct relay *r); /* unless it works already */
void relay_put_queue(struct relay *r, const char *p, size_t n);
void relay_end_attempt(struct relay *r, enum relay_how how, const char *why);
/* Nothing more comes from the provider. The recorder stores how it ended, then the client gets the
 * last bytes. */
void relay_finish(struct relay *r);
/* Stop in the middle. */
void relay_stop(struct relay *r, enum relay_how how, const char *why);

/* ---- attempt.c: from the provider ---- */

void relay_attempt_begin(struct relay *r);

#endif
