/* The prompt queue of a session: what is asked next, first in, first out. Every prompt keeps the
 * circumstances it was written under. An archived session's queue can only be read. */
#ifndef BOUGH_QUEUE_H
#define BOUGH_QUEUE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_prompt {
    char id[BOUGH_ID_LEN + 1];
    const char *session; /* id */
    const char *content; /* as given, never blank */
    /* How things stood when it was queued; what runs it uses these, not today's. "" when not given.
     */
    const char *runtime_kind, *provider, *model, *workspace, *system_prompt, *adapter_id;
    struct bough_str data;    /* raw JSON object, as given; "{}" when not given */
    int64_t created, updated; /* updated: the last edit */
};

struct bough_prompts {
    struct bough_prompt *at;
    size_t n;
};

/* To the end of the queue. Of `in`, the content, the circumstances and the data count, and the
 * times unless they are 0. Blank
 * content is BOUGH_INVALID; more than 256 waiting prompts are BOUGH_OVERLOADED. `out` may be NULL.
 */
BOUGH_MUST_CHECK enum bough_rc bough_queue_add(struct bough_store *s, struct bough_arena *a,
                                               const char *session, const struct bough_prompt *in,
                                               struct bough_prompt **out, struct bough_error *err);

/* What waits, the next one first. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_list(struct bough_store *s, struct bough_arena *a,
                                                const char *session, struct bough_prompts *out,
                                                struct bough_error *err);

/* Set what is not NULL (and data that is not empty). */
struct bough_prompt_edit {
    const char *content;
    struct bough_str data;
};

/* Change a waiting prompt where it stands; BOUGH_NOT_FOUND when it was taken or removed. `out` may
 * be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_edit(struct bough_store *s, struct bough_arena *a,
                                                const char *session, const char *id,
                                                const struct bough_prompt_edit *edit,
                                                struct bough_prompt **out, struct bough_error *err);

/* BOUGH_NOT_FOUND when it no longer waits. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_remove(struct bough_store *s, const char *session,
                                                  const char *id, struct bough_error *err);

/* To the front; the others keep their order. Of two, the one promoted last is first. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_promote(struct bough_store *s, const char *session,
                                                   const char *id, struct bough_error *err);

/* The next one, removed from the queue: whoever gets it is the only one who does. BOUGH_NOT_FOUND
 * when nothing waits. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_take(struct bough_store *s, struct bough_arena *a,
                                                const char *session, struct bough_prompt **out,
                                                struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
