/* Context: what a model would see of a session, ready to send, and what in it is not verbatim. */
#ifndef BOUGH_CONTEXT_H
#define BOUGH_CONTEXT_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_context_options {
    const char *at;      /* the path to this entry; NULL: the head */
    bool at_nothing;     /* the context of no entry at all */
    const char *dialect; /* "pi", "hygge", "ui" */
    bool inherit;        /* hygge: markers of the sessions it was forked from count too */
};

struct bough_context_note {
    char entry[BOUGH_ID_LEN + 1];
    const char *what; /* "omitted", "edited", "summarised", ... */
    const char *why;
};

struct bough_context {
    struct bough_str messages; /* a JSON array */
    size_t count;
    const char **sources;       /* the entry behind each message */
    const char *thinking_level; /* pi: "off" unless changed */
    const char *model_provider, *model_name;
    struct bough_entry *marker;       /* the compaction in force, or NULL */
    struct bough_context_note *notes; /* everything that is not verbatim */
    size_t nnotes;
};

BOUGH_MUST_CHECK enum bough_rc bough_context(struct bough_store *s, struct bough_arena *a,
                                             const char *session,
                                             const struct bough_context_options *how,
                                             struct bough_context *out, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
