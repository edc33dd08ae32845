/* Chat: five calls for an agent loop, over any store. */
#ifndef BOUGH_CHAT_H
#define BOUGH_CHAT_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_chat; /* safe to use from many threads */

struct bough_tool_call {
    const char *id, *name, *arguments;
};

struct bough_chat_message {
    const char *role; /* system, user, assistant, tool */
    const char *content;
    const char *tool_call_id;
    const struct bough_tool_call *tool_calls;
    size_t ntool_calls;
    int64_t timestamp; /* as given */
};

struct bough_chat_messages {
    struct bough_chat_message *at;
    size_t n;
};

/* A new conversation in `store` (kept open by the caller), or with `id` one that is there. */
BOUGH_MUST_CHECK enum bough_rc bough_chat_create(struct bough_chat **out, struct bough_store *store,
                                                 const char *id, struct bough_error *err);
void bough_chat_destroy(struct bough_chat *c); /* forgets the handle, not the conversation */

const char *bough_chat_id(const struct bough_chat *c);
BOUGH_MUST_CHECK enum bough_rc
bough_chat_add(struct bough_chat *c, const struct bough_chat_message *m, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_chat_messages(struct bough_chat *c, struct bough_arena *a,
                                                   struct bough_chat_messages *out,
                                                   struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_chat_clear(struct bough_chat *c, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
