/* Compaction by a model: the older part of a conversation becomes a summary. */
#ifndef GATEWAY_SUMMARY_COMPACT_H
#define GATEWAY_SUMMARY_COMPACT_H

#include "gateway/summary/complete.h"

struct compact_options {
    struct bough_store *store;
    const char *session;          /* id */
    const char *provider, *model; /* NULL or "": those of the session, then of its last call */
    int64_t keep_tokens;          /* of recent messages; 0: 20,000 (P28) */
    const char *instructions;     /* what the summary should care about; NULL: nothing special */
};

struct compact_result {
    char marker[BOUGH_ID_LEN + 1];
    const char *summary; /* in the arena */
    const char *first_kept;
    int64_t tokens_before, tokens_kept; /* estimates: four characters are a token */
};

/* Summarise everything before the cut point (P29) and append the marker. BOUGH_CONFLICT: there is
 * nothing to summarise. Fails as complete() and bough_compact() do; then nothing changed. */
BOUGH_MUST_CHECK enum bough_rc compact_session(struct gateway *g, struct bough_arena *a,
                                               const struct compact_options *in,
                                               struct compact_result *out, struct bough_error *err);

#endif
