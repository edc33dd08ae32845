/* Append: where entries go, what is returned, all or nothing (U3, P13, P16, C2-C5). */
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

/* Append one user message with the given options. */
static enum bough_rc put(struct test *t, const char *session, const char *text,
                         struct bough_append_options in, struct bough_append_result *out)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text };

    in.entries = &e;
    in.n = 1;
    return bough_append(t->store, t->arena, session, &in, out, &t->err);
}

static struct bough_head head_of(struct test *t, const char *session)
{
    struct bough_head at;

    CHECK_OK(bough_head_get(t->store, t->arena, session, &at, NULL, &t->err));
    return at;
}

static const char *head_id(struct test *t, const char *session)
{
    struct bough_head at;
    struct bough_entry *e;

    CHECK_OK(bough_head_get(t->store, t->arena, session, &at, &e, &t->err));
    return e ? e->id : "";
}

static size_t branches_of(struct test *t, const char *session)
{
    struct bough_branches b;

    CHECK_OK(bough_tree_branches(t->store, t->arena, session, &b, &t->err));
    return b.n;
}

static struct bough_entry *entry(struct test *t, const char *session, const char *id)
{
    struct bough_entry *e;

    CHECK_OK(bough_entry_get(t->store, t->arena, session, id, &e, &t->err));
    return e;
}

/* --- position --- */

STORE_TEST(U3_an_append_continues_its_branch_at_its_last_entry)
{
    const char *s = new_session(t, "");

    user(t, s, "a");
    agent(t, s, "b");
    user(t, s, "c");
    CHECK_INT(1, branches_of(t, s));
    CHECK_STR("a b c", path_text(t, s));
}

STORE_TEST(U3_an_append_behind_an_older_entry_opens_a_branch)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a");

    agent(t, s, "b");
    CHECK_OK(bough_head_move(t->store, s, a, &t->err));
    agent(t, s, "b2");
    CHECK_INT(2, branches_of(t, s));
    CHECK_STR("a b2", path_text(t, s));
}

STORE_TEST(U3_moving_back_to_a_tip_continues_it)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *b = agent(t, s, "b");

    CHECK_OK(bough_head_move(t->store, s, a, &t->err));
    agent(t, s, "b2");
    CHECK_OK(bough_head_move(t->store, s, b, &t->err));
    user(t, s, "c");
    CHECK_INT(2, branches_of(t, s));
    CHECK_STR("a b c", path_text(t, s));
}

STORE_TEST(U3_a_fork_never_writes_into_its_parents_branch)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *f = fork_at(t, s, a);
    const char *mine = agent(t, f, "f1");

    CHECK_STR(f, entry(t, f, mine)->session);
    CHECK_STR("a", path_text(t, s));
    CHECK_OK(bough_head_move(t->store, f, a, &t->err));
    agent(t, f, "f2");
    CHECK_STR("a f2", path_text(t, f));
    CHECK_STR("a", path_text(t, s));
}

STORE_TEST(append_at_an_entry_opens_a_branch_and_moves_the_head_there)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a");
    struct bough_append_result out;

    agent(t, s, "b");
    CHECK_OK(put(t, s, "side", (struct bough_append_options){ .at = a }, &out));
    CHECK_STR("a side", path_text(t, s));
    CHECK_INT(2, out.head.depth);
    CHECK_INT(head_of(t, s).branch, out.head.branch);
}

STORE_TEST(append_at_the_tip_continues_the_branch)
{
    const char *s = new_session(t, "");
    struct bough_append_result out;

    CHECK_OK(put(t, s, "b", (struct bough_append_options){ .at = user(t, s, "a") }, &out));
    CHECK_STR("a b", path_text(t, s));
    CHECK_INT(1, branches_of(t, s));
}

STORE_TEST(append_at_the_tip_of_another_branch_continues_that_one)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *b = agent(t, s, "b");
    struct bough_append_result out;

    CHECK_OK(put(t, s, "other", (struct bough_append_options){ .at = a }, &out));
    CHECK_OK(put(t, s, "c", (struct bough_append_options){ .at = b }, &out));
    CHECK_INT(2, branches_of(t, s));
    CHECK_STR("a b c", path_text(t, s));
    user(t, s, "d");
    CHECK_STR("a b c d", path_text(t, s));
}

STORE_TEST(append_at_root_makes_another_root)
{
    const char *s = new_session(t, "");
    struct bough_append_result out;

    user(t, s, "a");
    CHECK_OK(put(t, s, "again", (struct bough_append_options){ .at_root = true }, &out));
    CHECK_STR("again", path_text(t, s));
    CHECK_INT(1, out.first_mno);
    CHECK_INT(1, out.head.depth);
}

STORE_TEST(keep_head_leaves_the_head_where_it_was)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *b = agent(t, s, "b");
    struct bough_head before = head_of(t, s);
    struct bough_append_result out;

    CHECK_OK(put(t, s, "side", (struct bough_append_options){ .at = a, .keep_head = true }, &out));
    CHECK_STR("a b", path_text(t, s));
    CHECK_STR(b, head_id(t, s));
    CHECK_INT(before.branch, out.head.branch); /* the head is still "after it" */
    CHECK_INT(before.depth, out.head.depth);
    CHECK_STR("a side", read_text(t, s, &(struct bough_entries_read_options){ .at = out.ids[0] }));
}

STORE_TEST(keep_head_behind_the_head_itself_leaves_it_behind)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a");
    struct bough_append_result out;

    CHECK_OK(put(t, s, "later", (struct bough_append_options){ .keep_head = true }, &out));
    CHECK_STR(a, head_id(t, s));
    CHECK_INT(1, out.head.depth);
    CHECK_STR("a", path_text(t, s));
    user(t, s, "b"); /* not the branch's last entry any more: opens a branch */
    CHECK_STR("a b", path_text(t, s));
    CHECK_STR("a later", read_text(t, s, &(struct bough_entries_read_options){ .at = out.ids[0] }));
}

STORE_TEST(keep_head_in_an_empty_session_keeps_it_at_nothing)
{
    const char *s = new_session(t, "");
    struct bough_append_result out;

    CHECK_OK(put(t, s, "floating", (struct bough_append_options){ .keep_head = true }, &out));
    CHECK_INT(0, head_of(t, s).branch);
    CHECK_INT(0, out.head.branch);
    CHECK_STR("", path_text(t, s));
}

STORE_TEST(expect_head_refuses_another_head_and_tells_it)
{
    const char *s = new_session(t, "");
    struct bough_head first;
    struct bough_append_result out;

    user(t, s, "a");
    first = head_of(t, s);
    CHECK_OK(put(t, s, "b", (struct bough_append_options){ .expect_head = &first }, &out));
    CHECK_RC(BOUGH_CONFLICT,
             put(t, s, "c", (struct bough_append_options){ .expect_head = &first }, &out));
    CHECK_INT(first.branch, t->err.head.branch);
    CHECK_INT(2, t->err.head.depth);
    CHECK_STR("a b", path_text(t, s));
    CHECK_OK(put(t, s, "c", (struct bough_append_options){ .expect_head = &t->err.head }, &out));
}

STORE_TEST(expect_nothing_is_an_expectation_too)
{
    const char *s = new_session(t, "");
    struct bough_append_result out;

    CHECK_OK(put(t, s, "a",
                 (struct bough_append_options){ .expect_head = &(struct bough_head){ 0 } }, &out));
    CHECK_RC(BOUGH_CONFLICT,
             put(t, s, "b",
                 (struct bough_append_options){ .expect_head = &(struct bough_head){ 0 } }, &out));
}

/* --- several entries and a call --- */

STORE_TEST(several_entries_take_depths_and_numbers_in_order)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e[] = { { .role = BOUGH_ROLE_USER, .text = "q" },
                                   { .kind = BOUGH_ENTRY_MODEL_CHANGE,
                                     .data = str_of("{\"provider\":\"p\",\"modelId\":\"m\"}") },
                                   { .role = BOUGH_ROLE_ASSISTANT, .text = "a" } };
    struct bough_append_options in = { .entries = e, .n = 3 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(3, out.n);
    CHECK_INT(1, out.first_mno);
    for (int i = 0; i < 3; i++)
        CHECK_INT(i + 1, entry(t, s, out.ids[i])->at.depth);
    CHECK_INT(1, entry(t, s, out.ids[1])->mno); /* not a message, so no message number */
    CHECK_INT(2, entry(t, s, out.ids[2])->mno);
    CHECK_INT(out.no, entry(t, s, out.ids[2])->no);
    CHECK_INT(3, out.head.depth);
}

STORE_TEST(one_bad_entry_and_nothing_is_written)
{
    const char *s = new_session(t, "");
    struct bough_str bad = str_of("{\"no\":1}");
    struct bough_entry_new e[] = { { .role = BOUGH_ROLE_USER, .text = "q" },
                                   { .role = BOUGH_ROLE_ASSISTANT, .parts = &bad, .nparts = 1 } };
    struct bough_call_new call = { .model = "m", .used = { .input = 5 } };
    struct bough_append_options in = { .entries = e, .n = 2, .call = &call };
    struct bough_append_result out;
    struct bough_calls calls;

    CHECK_RC(BOUGH_INVALID_PART, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK(strstr(t->err.msg, "entry 2"));
    CHECK_STR("", path_text(t, s));
    CHECK_OK(bough_call_list(t->store, t->arena, s, &calls, &t->err));
    CHECK_INT(0, calls.n);
    CHECK_INT(0, get(t, s)->own.input);
}

STORE_TEST(C3_a_call_alone_is_legal)
{
    const char *s = new_session(t, "");
    struct bough_call_new call = { .model = "m", .used = { .input = 5, .cost = 7 } };
    struct bough_append_options in = { .call = &call };
    struct bough_append_result out;
    struct bough_call *c;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(0, out.n);
    CHECK_OK(bough_call_get(t->store, t->arena, out.call, &c, &t->err));
    CHECK_STR("m", c->model);
    CHECK_STR(s, c->session);
    CHECK_INT(7, get(t, s)->own.cost);
    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &(struct bough_append_options){ 0 },
                                         &out, &t->err));
}

STORE_TEST(C3_by_call_links_the_new_call_and_call_an_older_one)
{
    const char *s = new_session(t, ""), *other = new_session(t, "");
    struct bough_entry_new e[] = { { .role = BOUGH_ROLE_USER, .text = "q" },
                                   { .role = BOUGH_ROLE_ASSISTANT, .text = "a", .by_call = true } };
    struct bough_call_new call = { .model = "m" };
    struct bough_append_options in = { .entries = e, .n = 2, .call = &call };
    struct bough_append_result out, late;
    struct bough_entry_new again = { .role = BOUGH_ROLE_TOOL, .text = "r" };
    struct bough_append_options older = { .entries = &again, .n = 1 };

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("", entry(t, s, out.ids[0])->call);
    CHECK_STR(out.call, entry(t, s, out.ids[1])->call);
    again.call = out.call;
    CHECK_OK(bough_append(t->store, t->arena, s, &older, &late, &t->err));
    CHECK_STR(out.call, entry(t, s, late.ids[0])->call);
    /* A call of another session, or an unknown one, is refused and nothing is written. */
    CHECK_RC(BOUGH_NOT_FOUND, bough_append(t->store, t->arena, other, &older, &late, &t->err));
    again.call = "no such call";
    CHECK_RC(BOUGH_NOT_FOUND, bough_append(t->store, t->arena, s, &older, &late, &t->err));
    CHECK_INT(3, get(t, s)->messages);
    CHECK_INT(0, get(t, other)->messages);
}

STORE_TEST(U17_a_message_with_usage_has_a_call)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .text = "a",
                                 .usage =
                                     &(struct bough_totals){ .input = 3, .output = 4, .cost = 5 } };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK(*entry(t, s, out.ids[0])->call);
    CHECK_STR(out.call, entry(t, s, out.ids[0])->call);
    CHECK_INT(1, get(t, s)->calls);
    CHECK_INT(5, get(t, s)->own.cost);
}

STORE_TEST(usage_that_is_given_comes_back_and_none_is_null)
{
    const char *s = new_session(t, "");
    struct bough_totals used = { .input = 1,
                                 .output = 2,
                                 .reasoning = 3,
                                 .cache_read = 4,
                                 .cache_write = 5,
                                 .cost = 6 },
                        zero = { 0 };
    struct bough_entry_new e[] = {
        { .role = BOUGH_ROLE_ASSISTANT, .text = "spent", .usage = &used },
        { .role = BOUGH_ROLE_ASSISTANT, .text = "free", .usage = &zero },
        { .role = BOUGH_ROLE_USER, .text = "none" },
    };
    struct bough_append_options in = { .entries = e, .n = 3 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(3, entry(t, s, out.ids[0])->usage->reasoning);
    CHECK_INT(6, entry(t, s, out.ids[0])->usage->cost);
    CHECK_INT(0, entry(t, s, out.ids[1])->usage->cost);
    CHECK(!entry(t, s, out.ids[2])->usage);
    CHECK_INT(6, get(t, s)->own.cost);
}

STORE_TEST(C3_sequence_is_the_message_number_minus_one)
{
    const char *s = new_session(t, ""), *third;
    struct bough_entry *e;
    char id[BOUGH_ID_LEN + 1];

    user(t, s, "m0");
    agent(t, s, "m1");
    CHECK_OK(
        bough_compact(t->store, s, &(struct bough_compact_options){ .summary = "S" }, id, &t->err));
    third = user(t, s, "m2");
    CHECK_OK(bough_entry_by_number(t->store, t->arena, s, 3, &e, &t->err));
    CHECK_STR(third, e->id);
    CHECK_INT(2, e->mno - 1);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(bough_entry_by_number(t->store, t->arena, s, i + 1, &e, &t->err));
        CHECK_STR(arena_printf(t->arena, "m%d", i), text_of(t, e));
    }
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_by_number(t->store, t->arena, s, 4, &e, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_by_number(t->store, t->arena, s, 0, &e, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_by_number(t->store, t->arena, s, -1, &e, &t->err));
}

STORE_TEST(message_numbers_go_on_across_a_fork)
{
    const char *s = new_session(t, ""), *f;
    struct bough_entry *e;

    user(t, s, "m0");
    f = fork_at(t, s, agent(t, s, "m1"));
    user(t, s, "x");
    user(t, f, "m2");
    for (int i = 0; i < 3; i++) {
        CHECK_OK(bough_entry_by_number(t->store, t->arena, f, i + 1, &e, &t->err));
        CHECK_STR(arena_printf(t->arena, "m%d", i), text_of(t, e));
    }
}

STORE_TEST(U9_a_time_is_kept_as_given)
{
    const char *s = new_session(t, ""), *now;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "old", .time = 12345 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    int64_t before = t->env.now;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(12345, entry(t, s, out.ids[0])->time);
    now = user(t, s, "new");
    CHECK(entry(t, s, now)->time >= before);
}

STORE_TEST(C2_C5_title_and_prompt_are_independent)
{
    const char *s = new_session(t, "one");

    CHECK_OK(bough_session_update(
        t->store, s, &(struct bough_session_update_options){ .system_prompt = "p" }, &t->err));
    CHECK_STR("one", get(t, s)->title);
    CHECK_OK(bough_session_rename(t->store, s, "two", &t->err));
    CHECK_STR("p", get(t, s)->system_prompt);
    CHECK_OK(bough_session_update(
        t->store, s, &(struct bough_session_update_options){ .system_prompt = "" }, &t->err));
    CHECK_STR("", get(t, s)->system_prompt);
    CHECK_STR("two", get(t, s)->title);
}

STORE_TEST(C2_creating_with_a_taken_id_is_refused_and_changes_nothing)
{
    struct bough_session_create_options in = { .id = "chat_1", .title = "first" };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    CHECK_STR("chat_1", s->origin);
    user(t, "chat_1", "kept");
    in.title = "second";
    CHECK_RC(BOUGH_EXISTS, bough_session_create(t->store, t->arena, &in, &s, &t->err));
    CHECK_STR("first", get(t, "chat_1")->title);
    CHECK_STR("kept", path_text(t, "chat_1"));
}
