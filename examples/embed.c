/* The smallest program that keeps a conversation: opens a store, adds two messages, reads them
 * back. */
#include <bough/bough.h>
#include <stdio.h>

static int say(const struct bough_error *err)
{
    fprintf(stderr, "%s: %s\n", bough_rc_name(err->rc), err->msg);
    return 1;
}

int main(int argc, char **argv)
{
    struct bough_entry_new talk[] = {
        { .role = BOUGH_ROLE_USER, .text = "What is a bough?" },
        { .role = BOUGH_ROLE_ASSISTANT, .text = "A large branch of a tree." },
    };
    struct bough_append_options in = { .entries = talk, .n = 2 };
    struct bough_arena *a = bough_arena_create();
    struct bough_store *store = NULL;
    struct bough_session *session;
    struct bough_append_result added;
    struct bough_entries_read_result path;
    struct bough_error err;
    int code = 0;

    if (bough_store_open(&store, argc > 1 ? argv[1] : "memory:", NULL, &err) ||
        bough_session_create(store, a, NULL, &session, &err) ||
        bough_append(store, a, session->id, &in, &added, &err) ||
        bough_entries_read(store, a, session->id, NULL, &path, &err))
        code = say(&err);
    else
        for (size_t i = 0; i < path.entries.n; i++)
            printf("%s: %s\n", bough_role_name(path.entries.at[i].role),
                   bough_part_plain(a, &path.entries.at[i].parts[0]).p);
    bough_store_close(&store);
    bough_arena_destroy(a);
    return code;
}
