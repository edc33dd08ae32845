/*
 * A relay: one request that is sent on to a provider. The bytes of the answer go to the client as
 * they come, unchanged, and to the recorder.
 *
 * A handler makes the plan on a worker; from then on the loop thread moves bytes, and the recorder
 * runs on workers beside it (http/flow.h).
 */
#ifndef GATEWAY_RELAY_RELAY_H
#define GATEWAY_RELAY_RELAY_H

#include "gateway/kit/attempt.h"
#include "http/flow.h"

struct gateway;
struct record;

struct relay_plan {
    struct gateway *gateway;
    enum wire wire;
    const char *method;
    const char *id;                     /* of the request */
    const struct relay_target *targets; /* in the order to try */
    size_t ntargets;
    int retries;           /* attempts besides the first */
    bool drop_usage;       /* the client did not ask for usage */
    bool required;         /* the last bytes wait until the reply is stored */
    bool finish;           /* read on when the client has left */
    struct record *record; /* NULL: nothing is recorded; owned by the relay from now on */
};

/* Answer `req` with a relay. The plan's strings must live as long as the request. req->state gets
 * the relay: the route's `drop` must be relay_drop(). */
void relay_answer(struct http_req *req, struct http_res *res, const struct relay_plan *plan);
void relay_drop(struct http_req *req);

#endif
