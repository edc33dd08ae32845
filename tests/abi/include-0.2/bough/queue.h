/* The prompt queue of a session: first in, first out. `session` arguments are those of session.h.
 * The queue of an archived session can only be read; everything else is BOUGH_ARCHIVED. */
#ifndef BOUGH_QUEUE_H
#define BOUGH_QUEUE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_prompt {
    char id[BOUGH_ID_LEN + 1];
    const char *session; /* id */
    const char *content; /* as given; never blank */
    /* The settings that the prompt runs with, as they were when it was queued; "" when not given.
     */
    const char *runtime_kind, *provider, *model, *workspace, *system_prompt, *adapter_id;
    struct bough_str data; /* raw JSON object; "{}" when not given */
    int64_t created;
    int64_t updated;      /* the last edit */
    uint64_t reserved[8]; /* room to grow: must be 0 */
};

struct bough_prompts {
    struct bough_prompt *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* Add a prompt to the end of the queue. Of `in` count content, settings, data, and the times (0:
 * now). BOUGH_INVALID: the content is blank. BOUGH_OVERLOADED: 256 prompts are waiting. `out` may
 * be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_add(struct bough_store *s, struct bough_arena *a,
                                               const char *session, const struct bough_prompt *in,
                                               struct bough_prompt **out, struct bough_error *err);

/* The waiting prompts, the next one first. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_list(struct bough_store *s, struct bough_arena *a,
                                                const char *session, struct bough_prompts *out,
                                                struct bough_error *err);

/* NULL, and data of length 0, leave a field as it is. */
struct bough_queue_edit_options {
    const char *content;
    struct bough_str data; /* raw JSON object, replaced as a whole */
    uint64_t reserved[4];  /* room to grow: must be 0 */
};

/* Change a waiting prompt; it keeps its position. BOUGH_NOT_FOUND: it was taken or removed. `out`
 * may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_edit(struct bough_store *s, struct bough_arena *a,
                                                const char *session, const char *id,
                                                const struct bough_queue_edit_options *edit,
                                                struct bough_prompt **out, struct bough_error *err);

/* Remove a waiting prompt. BOUGH_NOT_FOUND: it was taken or removed. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_remove(struct bough_store *s, const char *session,
                                                  const char *id, struct bough_error *err);

/* Move a waiting prompt to the front; the others keep their order. BOUGH_NOT_FOUND: it was taken or
 * removed. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_promote(struct bough_store *s, const char *session,
                                                   const char *id, struct bough_error *err);

/* Remove the first prompt and return it. Only one caller gets it. BOUGH_NOT_FOUND: the queue is
 * empty. */
BOUGH_MUST_CHECK enum bough_rc bough_queue_take(struct bough_store *s, struct bough_arena *a,
                                                const char *session, struct bough_prompt **out,
                                                struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
