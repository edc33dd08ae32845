/* Attempts to get an answer from a provider: where a request is sent to, and how that ended. */
#ifndef GATEWAY_KIT_ATTEMPT_H
#define GATEWAY_KIT_ATTEMPT_H

#include "base/memory/buf.h"
#include "gateway/providers.h"

/* Where to send it, and what. */
struct relay_target {
    struct provider_target to;
    const char *const *headers; /* all lines to send; ends with NULL */
    struct bough_str body;
    struct bough_str plain; /* the body without the request for usage; empty: it has none */
};

enum relay_how {
    RELAY_ANSWERED,   /* the provider's answer is complete, whatever its status */
    RELAY_NOT_SENT,   /* the provider was not reached */
    RELAY_REDIRECTED, /* it answered with 3xx, which is not followed */
    RELAY_SLOW,       /* it took too long */
    RELAY_CUT,        /* the connection ended early */
    RELAY_LEFT,       /* the client left */
    RELAY_STOPPED,    /* the server stopped */
    RELAY_NO_STORE,   /* it could not be recorded */
};

/* One attempt. */
struct relay_attempt {
    size_t target;
    enum relay_how how;
    int status;       /* of the answer; 0: none came */
    const char *why;  /* a sentence; NULL: it was answered */
    const char *id;   /* the provider's name of the request, or NULL */
    struct buf body;  /* of an answer that is an error: its first bytes */
    int64_t began;    /* ms since 1970 */
    int64_t first_ms; /* until the first byte of the body; 0: none came */
    int64_t whole_ms; /* never less than first_ms */
};

enum { RELAY_ATTEMPTS = 16 };

/* How it ended: the last attempt counts. */
struct relay_end {
    const struct relay_attempt *attempts;
    size_t n;
};

#endif
