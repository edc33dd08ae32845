/* One question to a model and its whole answer, for work beside a conversation: summaries, titles.
 * Blocks, so it is never called on a loop thread. */
#ifndef GATEWAY_SUMMARY_COMPLETE_H
#define GATEWAY_SUMMARY_COMPLETE_H

#include <bough/bough.h>

#include "gateway/kit/state.h"

struct complete_options {
    struct bough_store *store; /* where the call is recorded */
    const char *session;       /* id, of the call */
    const char *purpose;       /* "compaction", "title": kept in the call */
    const char *provider;      /* NULL: the one that has the model */
    const char *model;
    const char *system, *prompt;
    int64_t max_output; /* tokens */
    const bool *stop;   /* atomic: give up when it becomes true; may be NULL */
};

/* *out gets the text, in `a`, never empty. The call is stored with its cost, also if it failed.
 * BOUGH_IO: the provider failed; the message says how. Also fails as providers_route() and
 * bough_budget_reserve() do. */
BOUGH_MUST_CHECK enum bough_rc complete(struct gateway *g, struct bough_arena *a,
                                        const struct complete_options *in, const char **out,
                                        struct bough_error *err);

#endif
