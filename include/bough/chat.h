/* Chat: five calls for an agent loop, over any store. A chat is a session, and each of its messages
 * is an entry. */
#ifndef BOUGH_CHAT_H
#define BOUGH_CHAT_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A conversation. Many threads may use it at the same time. */
struct bough_chat;

struct bough_tool_call {
    const char *id, *name;
    const char *arguments; /* JSON as text, kept as given */
    uint64_t reserved[4];  /* room to grow: must be 0 */
};

struct bough_chat_message {
    const char *role;                         /* system, user, assistant, tool, or another word */
    const char *content;                      /* in arguments NULL: no text part */
    const char *tool_call_id;                 /* of a tool's answer: the call that it answers */
    const struct bough_tool_call *tool_calls; /* of an assistant; at most 4,095 */
    size_t ntool_calls;
    int64_t timestamp;    /* 0 in arguments: now */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_chat_messages {
    struct bough_chat_message *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* Create a session, or with `id` (a session argument, see session.h) continue one. *out must be
 * destroyed. It has a handle of its own on the store, so that `store` may be closed before it. */
BOUGH_MUST_CHECK enum bough_rc bough_chat_create(struct bough_chat **out, struct bough_store *store,
                                                 const char *id, struct bough_error *err);

/* Free the chat; the session stays in the store. NULL is allowed. */
void bough_chat_destroy(struct bough_chat *c);

/* The id of its session. Lives as long as the chat. */
const char *bough_chat_id(const struct bough_chat *c);

/* Append one message; fails as bough_append() does. A message without a role is BOUGH_INVALID. */
BOUGH_MUST_CHECK enum bough_rc
bough_chat_add(struct bough_chat *c, const struct bough_chat_message *m, struct bough_error *err);

/* All messages on the path to the head, oldest first. Not in pages. */
BOUGH_MUST_CHECK enum bough_rc bough_chat_messages(struct bough_chat *c, struct bough_arena *a,
                                                   struct bough_chat_messages *out,
                                                   struct bough_error *err);

/* Begin again with no messages, as bough_session_clear() does. */
BOUGH_MUST_CHECK enum bough_rc bough_chat_clear(struct bough_chat *c, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
