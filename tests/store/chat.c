/* Chat: tau's session API over a store; its original table of tests, and T1-T7. */
#include "lib/store_test.h"

#include <pthread.h>
#include <string.h>

#include "base/memory/arena.h"

static struct bough_chat *new_chat(struct test *t)
{
    struct bough_chat *c = NULL;

    CHECK_OK(bough_chat_create(&c, t->store, NULL, &t->err));
    return c;
}

static void say(struct test *t, struct bough_chat *c, const char *role, const char *content)
{
    struct bough_chat_message m = { .role = role, .content = content };

    CHECK_OK(bough_chat_add(c, &m, &t->err));
}

static struct bough_chat_messages heard(struct test *t, struct bough_chat *c)
{
    struct bough_chat_messages all;

    CHECK_OK(bough_chat_messages(c, t->arena, &all, &t->err));
    return all;
}

STORE_TEST(TestNew_a_new_chat_has_an_id_and_no_messages)
{
    struct bough_chat *c = new_chat(t);

    CHECK(*bough_chat_id(c));
    CHECK_INT(0, heard(t, c).n);
    CHECK(heard(t, c).at != NULL);
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_ID_Unique_two_chats_have_different_ids)
{
    struct bough_chat *a = new_chat(t), *b = new_chat(t);

    CHECK(strcmp(bough_chat_id(a), bough_chat_id(b)) != 0);
    bough_chat_destroy(a);
    bough_chat_destroy(b);
}

STORE_TEST(TestSession_ID_Stable_the_id_is_the_same_at_every_call)
{
    struct bough_chat *c = new_chat(t);
    const char *id = arena_strdup(t->arena, bough_chat_id(c));

    say(t, c, "user", "x");
    CHECK_STR(id, bough_chat_id(c));
    CHECK_OK(bough_chat_clear(c, &t->err));
    CHECK_STR(id, bough_chat_id(c));
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_AddMessage_And_Messages_all_fields_come_back)
{
    struct bough_chat *c = new_chat(t);
    struct bough_tool_call call = { .id = "call_1",
                                    .name = "search",
                                    .arguments = "{\"q\" : 1e400}" };
    struct bough_chat_message m = { .role = "assistant",
                                    .content = "thinking \"ü\"\n",
                                    .tool_call_id = "prev",
                                    .tool_calls = &call,
                                    .ntool_calls = 1,
                                    .timestamp = 1234567 };
    struct bough_chat_messages all;

    CHECK_OK(bough_chat_add(c, &m, &t->err));
    all = heard(t, c);
    CHECK_INT(1, all.n);
    CHECK_STR("assistant", all.at[0].role);
    CHECK_STR("thinking \"ü\"\n", all.at[0].content);
    CHECK_STR("prev", all.at[0].tool_call_id);
    CHECK_INT(1, all.at[0].ntool_calls);
    CHECK_STR("call_1", all.at[0].tool_calls[0].id);
    CHECK_STR("search", all.at[0].tool_calls[0].name);
    CHECK_STR("{\"q\" : 1e400}", all.at[0].tool_calls[0].arguments);
    CHECK_INT(1234567, all.at[0].timestamp);
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_Messages_Order_is_the_order_of_adding)
{
    struct bough_chat *c = new_chat(t);
    struct bough_chat_messages all;

    for (int i = 0; i < 10; i++) {
        struct bough_chat_message m = { .role = "user",
                                        .content = arena_printf(t->arena, "m%d", i),
                                        .timestamp = 1000 - i };

        CHECK_OK(bough_chat_add(c, &m, &t->err));
    }
    all = heard(t, c);
    CHECK_INT(10, all.n);
    for (int i = 0; i < 10; i++)
        CHECK_STR(arena_printf(t->arena, "m%d", i), all.at[i].content);
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_Messages_Roles_each_role_comes_back)
{
    const char *roles[] = { "system", "user", "assistant", "tool", "developer", "model", "bot" };
    struct bough_chat *c = new_chat(t);

    for (int i = 0; i < 7; i++)
        say(t, c, roles[i], "x");
    for (int i = 0; i < 7; i++)
        CHECK_STR(roles[i], heard(t, c).at[i].role);
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_Messages_ToolCalls_and_the_results_that_answer_them)
{
    struct bough_chat *c = new_chat(t);
    struct bough_tool_call calls[] = {
        { .id = "c1", .name = "ls", .arguments = "{}" },
        { .id = "c2", .name = "cat", .arguments = "{\"f\":\"a\"}" }
    };
    struct bough_chat_message ask = { .role = "assistant", .tool_calls = calls, .ntool_calls = 2 };
    struct bough_chat_message answer = { .role = "tool",
                                         .content = "error: no",
                                         .tool_call_id = "c2" };
    struct bough_chat_messages all;

    CHECK_OK(bough_chat_add(c, &ask, &t->err));
    CHECK_OK(bough_chat_add(c, &answer, &t->err));
    all = heard(t, c);
    CHECK_INT(2, all.n);
    CHECK_STR("", all.at[0].content);
    CHECK_INT(2, all.at[0].ntool_calls);
    CHECK_STR("c1", all.at[0].tool_calls[0].id);
    CHECK_STR("cat", all.at[0].tool_calls[1].name);
    CHECK_STR("{\"f\":\"a\"}", all.at[0].tool_calls[1].arguments);
    CHECK_STR("tool", all.at[1].role);
    CHECK_STR("c2", all.at[1].tool_call_id);
    CHECK_STR("error: no", all.at[1].content);
    CHECK_INT(0, all.at[1].ntool_calls);
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_Messages_DefensiveCopy_what_is_given_out_may_be_changed)
{
    struct bough_chat *c = new_chat(t);
    struct bough_chat_messages all;

    say(t, c, "user", "one");
    say(t, c, "user", "two");
    all = heard(t, c);
    memset((void *)(uintptr_t)all.at[0].content, 'X', 3);
    all.at[1] = (struct bough_chat_message){ .role = "gone", .content = "gone" };
    CHECK_STR("one", heard(t, c).at[0].content);
    CHECK_STR("two", heard(t, c).at[1].content);
    CHECK_STR("user", heard(t, c).at[1].role);
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_Messages_ToolCalls_DefensiveCopy_also_in_tool_calls_both_ways)
{
    struct bough_chat *c = new_chat(t);
    struct bough_tool_call call = { .id = "c1", .name = "ls", .arguments = "{}" };
    struct bough_chat_message m = { .role = "assistant", .tool_calls = &call, .ntool_calls = 1 };
    struct bough_tool_call *out;

    CHECK_OK(bough_chat_add(c, &m, &t->err));
    call.name = "changed"; /* T4: later changes by the caller have no effect */
    out = (struct bough_tool_call *)(uintptr_t)heard(t, c).at[0].tool_calls;
    out->id = "changed";
    CHECK_STR("c1", heard(t, c).at[0].tool_calls[0].id);
    CHECK_STR("ls", heard(t, c).at[0].tool_calls[0].name);
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_Clear_leaves_no_messages)
{
    struct bough_chat *c = new_chat(t);

    say(t, c, "user", "one");
    say(t, c, "assistant", "two");
    CHECK_OK(bough_chat_clear(c, &t->err));
    CHECK_INT(0, heard(t, c).n);
    CHECK_OK(bough_chat_clear(c, &t->err));
    bough_chat_destroy(c);
}

STORE_TEST(TestSession_Clear_ThenAdd_starts_anew)
{
    struct bough_chat *c = new_chat(t);

    say(t, c, "user", "one");
    CHECK_OK(bough_chat_clear(c, &t->err));
    say(t, c, "user", "two");
    say(t, c, "assistant", "three");
    CHECK_INT(2, heard(t, c).n);
    CHECK_STR("two", heard(t, c).at[0].content);
    CHECK_STR("three", heard(t, c).at[1].content);
    bough_chat_destroy(c);
}

/* --- threads: each counts its failures, the test checks the sum --- */

enum { THREADS = 100 };

struct job {
    struct bough_chat *chat;
    int number, failed;
};

static void *add_one(void *arg)
{
    struct job *j = arg;
    struct bough_error err;
    char text[16];
    struct bough_chat_message m = { .role = "user", .content = text };

    text[0] = (char)('0' + j->number / 10);
    text[1] = (char)('0' + j->number % 10);
    text[2] = '\0';
    j->failed = bough_chat_add(j->chat, &m, &err) != BOUGH_OK;
    return NULL;
}

static void *read_some(void *arg)
{
    struct job *j = arg;
    size_t last = 0;

    for (int i = 0; i < 20; i++) {
        struct bough_arena *a = bough_arena_create();
        struct bough_chat_messages all = { 0 };
        struct bough_error err;

        j->failed += bough_chat_messages(j->chat, a, &all, &err) != BOUGH_OK || all.n < last;
        for (size_t k = 0; k < all.n; k++)
            j->failed += strlen(all.at[k].content) != 2;
        last = all.n;
        bough_arena_destroy(a);
    }
    return NULL;
}

static void *clear_some(void *arg)
{
    struct job *j = arg;
    struct bough_error err;

    for (int i = 0; i < 5; i++)
        j->failed += bough_chat_clear(j->chat, &err) != BOUGH_OK;
    return NULL;
}

/* Run all adder threads, and beside every tenth one a thread that runs `other`. */
static void run_all(struct test *t, struct bough_chat *c, void *(*other)(void *))
{
    pthread_t adders[THREADS], others[THREADS / 10];
    struct job jobs[THREADS], more[THREADS / 10];

    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){ c, i, 0 };
        CHECK_INT(0, pthread_create(&adders[i], NULL, add_one, &jobs[i]));
        if (!other || i % 10)
            continue;
        more[i / 10] = (struct job){ c, i, 0 };
        CHECK_INT(0, pthread_create(&others[i / 10], NULL, other, &more[i / 10]));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(adders[i], NULL);
    for (int i = 0; other && i < THREADS / 10; i++)
        pthread_join(others[i], NULL);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(0, jobs[i].failed);
    for (int i = 0; other && i < THREADS / 10; i++)
        CHECK_INT(0, more[i].failed);
    (void)t;
}

STORE_TEST_SECONDS(TestSession_Concurrent_AddMessage_100_adders_give_exactly_100_messages, 60)
{
    struct bough_chat *c = new_chat(t);
    struct bough_chat_messages all;
    int seen[THREADS] = { 0 };

    t->env.step = 0; /* the test clock is not safe for many threads */
    run_all(t, c, NULL);
    all = heard(t, c);
    CHECK_INT(THREADS, all.n);
    for (size_t i = 0; i < all.n; i++)
        seen[(all.at[i].content[0] - '0') * 10 + all.at[i].content[1] - '0']++;
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(1, seen[i]);
    CHECK_INT(THREADS, get(t, bough_chat_id(c))->messages);
    bough_chat_destroy(c);
}

STORE_TEST_SECONDS(TestSession_Concurrent_AddAndRead_readers_see_only_whole_growing_histories, 60)
{
    struct bough_chat *c = new_chat(t);

    t->env.step = 0;
    run_all(t, c, read_some);
    CHECK_INT(THREADS, heard(t, c).n);
    bough_chat_destroy(c);
}

STORE_TEST_SECONDS(TestSession_Concurrent_AddAndClear_loses_no_message_from_the_store, 60)
{
    struct bough_chat *c = new_chat(t);

    t->env.step = 0;
    run_all(t, c, clear_some);
    CHECK(heard(t, c).n <= THREADS);
    CHECK_INT(THREADS, get(t, bough_chat_id(c))->messages);
    CHECK_OK(bough_chat_clear(c, &t->err));
    CHECK_INT(0, heard(t, c).n);
    bough_chat_destroy(c);
}

/* --- T1-T7, beyond the original tests --- */

STORE_TEST(T1_a_chat_can_be_opened_again_by_its_id)
{
    struct bough_chat *c = new_chat(t), *again = NULL, *none = NULL;
    const char *id = arena_strdup(t->arena, bough_chat_id(c));

    say(t, c, "user", "one");
    bough_chat_destroy(c);
    if (store_lasts(t))
        store_reopen(t);
    CHECK_OK(bough_chat_create(&again, t->store, id, &t->err));
    CHECK_STR(id, bough_chat_id(again));
    CHECK_STR("one", heard(t, again).at[0].content);
    bough_chat_destroy(again);
    bough_chat_destroy(NULL);
    CHECK_RC(BOUGH_NOT_FOUND, bough_chat_create(&none, t->store, "nobody", &t->err));
}

STORE_TEST(T3_messages_of_an_empty_chat_are_an_empty_list_and_not_null)
{
    struct bough_chat *c = new_chat(t);

    CHECK_INT(0, heard(t, c).n);
    CHECK(heard(t, c).at != NULL);
    bough_chat_destroy(c);
}

STORE_TEST(T4_content_is_stored_as_given_empty_content_too)
{
    struct bough_chat *c = new_chat(t);

    say(t, c, "user", "");
    say(t, c, "user", NULL);
    say(t, c, "moderator", "another role");
    CHECK_INT(3, heard(t, c).n);
    CHECK_STR("", heard(t, c).at[0].content);
    CHECK_STR("", heard(t, c).at[1].content);
    CHECK_STR("moderator", heard(t, c).at[2].role);
    bough_chat_destroy(c);
}

STORE_TEST(T5_clear_keeps_what_was_said_in_the_store)
{
    struct bough_chat *c = new_chat(t);

    say(t, c, "user", "one");
    CHECK_OK(bough_chat_clear(c, &t->err));
    say(t, c, "user", "two");
    CHECK_STR("one two",
              read_text(t, bough_chat_id(c),
                        &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN }));
    bough_chat_destroy(c);
}

STORE_TEST(T7_a_kernel_loop_of_prompt_calls_results_and_answer)
{
    struct bough_chat *c = new_chat(t);
    struct bough_tool_call calls[] = { { .id = "c1", .name = "a", .arguments = "{}" },
                                       { .id = "c2", .name = "b", .arguments = "{}" } };
    struct bough_chat_message ask = { .role = "assistant", .tool_calls = calls, .ntool_calls = 2 },
                              one = { .role = "tool", .content = "1", .tool_call_id = "c1" },
                              two = { .role = "tool", .content = "2", .tool_call_id = "c2" };
    struct bough_chat_messages all;

    say(t, c, "user", "go");
    CHECK_OK(bough_chat_add(c, &ask, &t->err));
    CHECK_OK(bough_chat_add(c, &one, &t->err));
    CHECK_OK(bough_chat_add(c, &two, &t->err));
    say(t, c, "assistant", "done");
    all = heard(t, c);
    CHECK_INT(5, all.n);
    CHECK_STR("go", all.at[0].content);
    CHECK_STR("c2", all.at[1].tool_calls[1].id);
    CHECK_STR("c1", all.at[2].tool_call_id);
    CHECK_STR("c2", all.at[3].tool_call_id);
    CHECK_STR("done", all.at[4].content);
    CHECK_STR("go", get(t, bough_chat_id(c))->first_user);
    CHECK_STR("done", get(t, bough_chat_id(c))->last_agent);
    bough_chat_destroy(c);
}
