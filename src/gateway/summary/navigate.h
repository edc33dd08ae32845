/* Going to another place of a session's tree, with a summary of the branch that is left (P31,
 * P32). */
#ifndef GATEWAY_SUMMARY_NAVIGATE_H
#define GATEWAY_SUMMARY_NAVIGATE_H

#include "gateway/summary/complete.h"

struct navigate_options {
    struct bough_store *store;
    const char *session, *entry;  /* ids; where to go */
    bool summarize;               /* let a model summarise the branch that is left */
    const char *provider, *model; /* NULL or "": those of the session, then of its last call */
    const char *instructions;     /* what the summary should care about; NULL: nothing special */
    const char *label;            /* of the summary, else of the entry; NULL: none */
};

struct navigate_result {
    bool moved;                     /* false: the head was there already */
    const char *head;               /* the entry that the head is at; NULL: nothing */
    const char *text;               /* of a prompt that was chosen, to edit it; NULL: none */
    char summary[BOUGH_ID_LEN + 1]; /* the branch summary, or "" */
};

/*
 * A prompt of the user that is chosen is left out of the new path: the head goes to what is before
 * it, and its text is given back. After a failure nothing has changed.
 */
BOUGH_MUST_CHECK enum bough_rc navigate(struct gateway *g, struct bough_arena *a,
                                        const struct navigate_options *in,
                                        struct navigate_result *out, struct bough_error *err);

#endif
