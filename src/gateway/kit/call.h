/* What a call cost, from the reply as it was read. Pure. */
#ifndef GATEWAY_KIT_CALL_H
#define GATEWAY_KIT_CALL_H

#include <bough/entry.h>

#include "core/price/price.h"
#include "core/wire/reply/reply.h"

/* What was asked for. */
struct call_asked {
    const char *price_name; /* the provider of the prices */
    const char *model;
    int64_t bytes; /* of the request, for an estimate */
};

/* Set usage, tokens, cost and where the cost comes from. Where no report of usage came, or none of
 * the end, four bytes are a token, and the cost is an estimate. Uses call->time. */
void call_money(struct bough_arena *a, const struct price_table *prices,
                const struct call_asked *asked, const struct reply_result *reply,
                struct bough_call_new *call);

#endif
