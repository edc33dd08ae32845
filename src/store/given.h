/* For imports: as their namesakes in include/bough, at a time that is given; 0 is now. */
#ifndef STORE_GIVEN_H
#define STORE_GIVEN_H

#include <bough/notes.h>

BOUGH_MUST_CHECK enum bough_rc label_set_at(struct bough_store *s, const char *session,
                                            const char *entry, const char *text, int64_t time,
                                            struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc entry_delete_at(struct bough_store *s, const char *session,
                                               const char *entry, int64_t time,
                                               struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc session_delete_at(struct bough_store *s, const char *id,
                                                 int64_t time, struct bough_error *err);
/* With `updated`, and forgotten at once when it was `deleted`. */
BOUGH_MUST_CHECK enum bough_rc memory_add_at(struct bough_store *s, struct bough_arena *a,
                                             const struct bough_memory *in,
                                             struct bough_error *err);
/* The forgotten ones too. */
BOUGH_MUST_CHECK enum bough_rc memory_list_all(struct bough_store *s, struct bough_arena *a,
                                               enum bough_scope_of scope, const char *of,
                                               struct bough_memories *out, struct bough_error *err);

#endif
