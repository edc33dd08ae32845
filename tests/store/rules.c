/* Rules of the original documents that have no file of their own: one test each. */
#include <pthread.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

static enum bough_rc put_part(struct test *t, const char *session, const char *json)
{
    struct bough_str part = str_of(json);
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = &part, .nparts = 1 };
    struct bough_append_result out;

    return bough_append(t->store, t->arena, session,
                        &(struct bough_append_options){ .entries = &e, .n = 1 }, &out, &t->err);
}

STORE_TEST(H15_children_of_a_purged_parent_keep_its_prefix_and_become_roots)
{
    const char *p = new_session(t, "p"), *c;

    user(t, p, "one");
    c = fork_at(t, p, agent(t, p, "two"));
    user(t, c, "three");
    CHECK_OK(bough_session_purge(t->store, t->arena, p, NULL, &t->err));
    CHECK_STR("one two three", path_text(t, c));
    CHECK_STR("", get(t, c)->parent);
}

STORE_TEST(T2_the_id_is_fixed_for_life_and_clear_keeps_it)
{
    struct bough_chat *chat;
    const char *id;

    CHECK_OK(bough_chat_create(&chat, t->store, NULL, &t->err));
    id = arena_strdup(t->arena, bough_chat_id(chat));
    CHECK_OK(bough_chat_add(chat, &(struct bough_chat_message){ .role = "user", .content = "x" },
                            &t->err));
    CHECK_OK(bough_chat_clear(chat, &t->err));
    CHECK_STR(id, bough_chat_id(chat));
    bough_chat_destroy(chat);
}

static void *add_twenty(void *arg)
{
    for (int i = 0; i < 20; i++)
        if (bough_chat_add(arg, &(struct bough_chat_message){ .role = "user", .content = "x" },
                           NULL))
            return arg;
    return NULL;
}

STORE_TEST(T6_adding_while_clearing_ends_with_no_more_than_was_added)
{
    struct bough_chat_messages all;
    struct bough_chat *chat;
    pthread_t threads[5];
    void *failed;

    CHECK_OK(bough_chat_create(&chat, t->store, NULL, &t->err));
    for (int i = 0; i < 5; i++)
        CHECK_INT(0, pthread_create(&threads[i], NULL, add_twenty, chat));
    for (int i = 0; i < 10; i++)
        CHECK_OK(bough_chat_clear(chat, &t->err));
    for (int i = 0; i < 5; i++) {
        pthread_join(threads[i], &failed);
        CHECK(!failed);
    }
    CHECK_OK(bough_chat_messages(chat, t->arena, &all, &t->err));
    CHECK(all.n <= 100);
    CHECK_INT(100, get(t, bough_chat_id(chat))->messages);
    bough_chat_destroy(chat);
}

STORE_TEST(U21_of_two_appends_that_expect_the_same_head_exactly_one_wins)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "x" };
    struct bough_head head;
    struct bough_append_options in = { .entries = &e, .n = 1, .expect_head = &head };
    struct bough_append_result out;

    user(t, s, "first");
    head = get(t, s)->head;
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_RC(BOUGH_CONFLICT, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(out.head.depth, t->err.head.depth);
    CHECK_STR("first x", path_text(t, s));
}

STORE_TEST(P14_a_user_message_is_stored_at_once_without_waiting_for_an_answer)
{
    const char *s = new_session(t, "");

    user(t, s, "alone");
    if (store_lasts(t))
        store_reopen(t);
    CHECK_STR("alone", path_text(t, s));
}

TEST(P15_a_memory_store_leaves_nothing_behind)
{
    struct bough_session *s;

    for (int i = 0; i < 2; i++) {
        struct bough_sessions all;

        CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
        CHECK_OK(bough_session_list(t->store, t->arena, NULL, &all, &t->err));
        CHECK_INT(0, all.n);
        CHECK_OK(bough_session_create(t->store, t->arena, NULL, &s, &t->err));
        bough_store_close(&t->store);
    }
}

STORE_TEST(P22_a_path_ends_at_the_root_of_its_own_tree)
{
    const char *s = new_session(t, "");
    const char *old;

    user(t, s, "a");
    old = agent(t, s, "b");
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    user(t, s, "c");
    CHECK_STR("c", path_text(t, s));
    CHECK_STR("a b",
              read_text(t, s, &(struct bough_entries_read_options){ .at = old, .messages = true }));
}

STORE_TEST(C7_the_prompt_belongs_to_the_session_and_is_no_message)
{
    struct bough_session_create_options in = { .system_prompt = "be brief" };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    user(t, s->id, "hi");
    CHECK_STR("be brief", get(t, s->id)->system_prompt);
    CHECK_STR("hi", path_text(t, s->id));
    CHECK_INT(1, get(t, s->id)->messages);
}

STORE_TEST(A8_a_stored_message_is_never_changed_under_its_id)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "first", .id = "m1" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    e.text = "second";
    CHECK_RC(BOUGH_EXISTS, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("first", path_text(t, s));
}

STORE_TEST(A10_what_opencode_really_writes_is_accepted)
{
    const char *s = new_session(t, "");

    CHECK_OK(put_part(t, s, "{\"type\":\"reasoning\",\"text\":\"hm\",\"time\":{\"start\":1}}"));
    CHECK_OK(put_part(t, s,
                      "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"bash\",\"state\":{\"status\":"
                      "\"completed\",\"input\":{},\"output\":\"\",\"title\":\"\",\"metadata\":{},"
                      "\"time\":{\"start\":1,\"end\":2,\"compacted\":3}}}"));
}

STORE_TEST(A11_a_tool_part_has_one_of_four_states)
{
    const char *s = new_session(t, "");

    CHECK_OK(put_part(t, s,
                      "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"x\",\"state\":{\"status\":"
                      "\"pending\",\"input\":{},\"raw\":\"\"}}"));
    CHECK_OK(put_part(t, s,
                      "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"x\",\"state\":{\"status\":"
                      "\"running\",\"input\":{},\"time\":{\"start\":1}}}"));
    CHECK_OK(
        put_part(t, s,
                 "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"x\",\"state\":{\"status\":"
                 "\"error\",\"input\":{},\"error\":\"no\",\"time\":{\"start\":1,\"end\":2}}}"));
    CHECK_RC(BOUGH_INVALID_PART,
             put_part(t, s,
                      "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"x\",\"state\":{\"status\":"
                      "\"dreaming\",\"input\":{}}}"));
    CHECK_INT(3, get(t, s)->messages);
}
