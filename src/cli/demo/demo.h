/* Sessions that exercise everything, for a store that is shown. */
#ifndef CLI_DEMO_DEMO_H
#define CLI_DEMO_DEMO_H

#include <bough/bough.h>

struct demo_options {
    int64_t now; /* the last message of the newest session is a few minutes older */
    bool small;  /* leave out the two large sessions */
    /* Called now and then; may be NULL. */
    bool (*progress)(void *user, int64_t done, int64_t total);
    void *user;
};

/* Fill an empty store. The same `now` gives the same sessions. */
BOUGH_MUST_CHECK enum bough_rc demo_fill(struct bough_store *s, const struct demo_options *how,
                                         struct bough_error *err);

#endif
