/* What is sent to a provider for a turn: the session's context as the body of a request. */
#ifndef GATEWAY_KIT_ASK_H
#define GATEWAY_KIT_ASK_H

#include <bough/bough.h>

#include "gateway/providers.h"

/* A tool that the model may call. */
struct ask_tool {
    const char *name, *description;
    struct bough_str schema; /* of its arguments: a JSON object */
};

struct ask_options {
    const struct provider_target *to;
    enum wire wire;
    const char *model;         /* as asked for */
    const char *session;       /* id */
    const char *at;            /* the entry that is answered */
    const char *system_prompt; /* NULL or "": that of the session */
    const struct ask_tool *tools;
    size_t ntools;
    int64_t max_output;
};

/* The body, in `a`. Fails as bough_context() does. */
BOUGH_MUST_CHECK enum bough_rc ask_body(struct bough_store *s, struct bough_arena *a,
                                        const struct ask_options *in, struct bough_str *out,
                                        struct bough_error *err);

/* The header lines for it; ends with NULL. */
const char *const *ask_headers(struct bough_arena *a, const struct provider_target *to);

#endif
