/*
 * Recording one request and its reply while they pass. One thread at a time, on workers: every call
 * may wait for the store.
 */
#ifndef GATEWAY_KIT_RECORD_H
#define GATEWAY_KIT_RECORD_H

#include <bough/exchange.h>

#include "core/price/price.h"
#include "core/wire/client.h"
#include "core/wire/request.h"
#include "gateway/kit/attempt.h"

struct record_options {
    struct bough_store *store;   /* of the server; the record makes a handle of its own */
    const char *principal;       /* who sent it; NULL: the owner */
    const char *project;         /* of a new session; bounds the search; may be "" */
    const char *id;              /* of the request */
    struct bough_arena *reading; /* holds the next three; the record's from now on, until it has
                                    begun */
    const struct wire_request *request;
    const struct client_found *client;
    const char *session;                   /* named by the client; NULL: found */
    bool sent_reply;                       /* the reply was asked for as events */
    const struct relay_target *targets;    /* live as long as the record */
    struct price_table prices;             /* the same */
    const struct bough_budget_ask *budget; /* NULL: no budget is asked */
};

struct record *record_create(const struct record_options *in);
void record_destroy(struct record *r); /* NULL is allowed */

/* Store what is new of the request, and open the reply. Fails as bough_exchange_begin() does. */
BOUGH_MUST_CHECK enum bough_rc record_begin(struct record *r, struct bough_error *err);
bool record_begun(const struct record *r);
/* The id of the session, once it has begun; else NULL. */
const char *record_session(const struct record *r);

/* Bytes of the reply, as they came. */
void record_bytes(struct record *r, struct bough_str bytes);
/* Keep the open reply alive while nothing comes. */
void record_keep(struct record *r);

/* Store how it ended. *cut: the reply lacks its end. It is on disk when the call returns. */
BOUGH_MUST_CHECK enum bough_rc record_finish(struct record *r, const struct relay_end *end,
                                             bool *cut, struct bough_error *err);

#endif
