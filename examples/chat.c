/* A chat in an agent loop: create it, add messages, read them back, clear it. */
#include <bough/chat.h>
#include <stdio.h>

int main(void)
{
    struct bough_tool_call call = { .id = "call_1", .name = "clock", .arguments = "{}" };
    struct bough_chat_message turns[] = {
        { .role = "user", .content = "What time is it?" },
        { .role = "assistant", .tool_calls = &call, .ntool_calls = 1 },
        { .role = "tool", .content = "12:00", .tool_call_id = "call_1" },
        { .role = "assistant", .content = "It is noon." },
    };
    struct bough_arena *a = bough_arena_create();
    struct bough_store *store = NULL;
    struct bough_chat *chat = NULL;
    struct bough_chat_messages all = { 0 };
    struct bough_error err = { 0 };
    enum bough_rc rc = bough_store_open(&store, "memory:", NULL, &err);

    if (!rc)
        rc = bough_chat_create(&chat, store, NULL, &err);
    for (size_t i = 0; i < sizeof turns / sizeof *turns && !rc; i++)
        rc = bough_chat_add(chat, &turns[i], &err);
    if (!rc)
        rc = bough_chat_messages(chat, a, &all, &err);
    for (size_t i = 0; i < all.n && !rc; i++)
        printf("%s: %s\n", all.at[i].role, all.at[i].content);
    if (!rc)
        rc = bough_chat_clear(chat, &err);
    if (rc)
        fprintf(stderr, "%s\n", err.msg);
    bough_chat_destroy(chat);
    bough_store_close(&store);
    bough_arena_destroy(a);
    return rc ? 1 : 0;
}
