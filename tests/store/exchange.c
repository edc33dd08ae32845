/* Exchanges: which session and which place a request gets, case by case (G1 to G47). Stored is
 * "u q1 | a r1" unless a test says otherwise. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "exchange_world.h"

#define ID "toolu_01ABC234567"
#define ID2 "toolu_01ABC234599"

/* ---- one path ---- */

STORE_TEST(G1_a_first_request_makes_a_session)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1");

    CHECK_STR("new", how_word(&x));
    CHECK(x.begin.made && *x.finish.entry && *x.finish.call);
    CHECK_STR("u:q1 a:r1", path_of(t, x.session));
    CHECK_INT(1, calls_of(t, x.session));
    CHECK_STR("test", session_of(t, x.session)->provider_path);
}

STORE_TEST(G2_known_messages_are_not_stored_again)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1"),
                y = ASK(.sent = "u q1 | a r1 | u q2", .reply = "r2"), z;

    CHECK_STR(x.session, y.session);
    CHECK_STR("append", how_word(&y));
    CHECK_INT(2, y.begin.known);
    CHECK_INT(1, y.begin.appended);
    z = ASK(.sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("append", how_word(&z));
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", tree_of(t, z.session));
    CHECK_INT(1, count_sessions(t));
}

STORE_TEST(G3_to_G5_a_reply_comes_back_without_reasoning_and_joined)
{
    struct told x = ASK(.sent = "u q1", .reply = "@think:hm + one + two"), y;

    y = ASK(.sent = "u q1 | a one + two | u q2", .reply = "r2");
    CHECK_STR("append", how_word(&y));
    y = ASK(.sent = "u q1 | a onetwo | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("append", how_word(&y));
    y = ASK(.sent = "u q1 | a one\ntwo | u q2 | a r2 | u q3 | a r3 | u q4", .reply = "r4");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(0, y.begin.variants);
    CHECK_STR("u:q1 a:(hm)+one+two u:q2 a:r2 u:q3 a:r3 u:q4 a:r4", path_of(t, x.session));
}

STORE_TEST(G7_G8_moved_marks_and_empty_contents_make_no_difference)
{
    struct told x = ASK(.sent = "u q1", .reply = "@call:" ID ":ls:{\"a\":1,\"b\":2}"), y;

    y = ASK(.sent = "u @raw:{\"text\":\"q1\",\"type\":\"text\",\"cache_control\":{\"type\":\"e\"}} "
                    "| a @raw:{\"type\":\"tool_use\",\"name\":\"ls\",\"input\":{\"b\":2,\"a\":1},"
                    "\"id\":\"" ID "\",\"cache_control\":{}} | u @res:" ID ":x",
            .reply = "r2");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(0, y.begin.variants);
    y = ASK(.sent = "u q1 | a  + @call:" ID ":ls:{\"a\":1,\"b\":2} | u @res:" ID ":x | a r2 | u q3",
            .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_STR("#1 u:q1 a:ls() u:=x a:r2 u:q3 a:r3", tree_of(t, x.session));
}

STORE_TEST(G9_G11_changed_arguments_and_results_under_a_strong_id_are_variants)
{
    struct told x = ASK(.sent = "u q1", .reply = "@call:" ID ":ls:{}"), y;

    y = ASK(.sent = "u q1 | a @call:" ID ":ls:{\"all\":false} | u @res:" ID ":files",
            .reply = "r2");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, y.begin.variants);
    CHECK_INT(1, notes_in(t, x.session, "bough.amend"));
    y = ASK(.sent = "u q1 | a @call:" ID ":ls:{\"all\":false} | u @res:" ID ":files | a r2 | u q3",
            .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(0, y.begin.variants); /* it is kept once */
    y = ASK(.sent = "u q1 | a @call:" ID ":ls:{\"all\":false} | u @res:" ID
                    ":[cleared] | a r2 | u q3 | a r3 | u q4",
            .reply = "r4");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, y.begin.variants);
    CHECK_INT(2, notes_in(t, x.session, "bough.amend"));
    CHECK_STR("#1 u:q1 a:ls() u:=files a:r2 u:q3 a:r3 u:q4 a:r4", tree_of(t, x.session));
}

STORE_TEST(G10_other_arguments_under_a_weak_id_are_a_branch)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "@call:call_0:ls:{}"),
                y = ASK(.key = "k", .sent = "u q1 | a @call:call_0:ls:{\"x\":1} | u @res:call_0:y",
                        .reply = "r2");

    CHECK_STR("branch", how_word(&y));
    CHECK_STR("#1 u:q1 a:ls(); #2@1 a:ls() u:=y a:r2", tree_of(t, x.session));
}

STORE_TEST(G12_a_changed_first_message_is_a_root)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"),
                y = ASK(.key = "k", .sent = "u q1!", .reply = "r2");

    CHECK_STR(x.session, y.session);
    CHECK_STR("root", how_word(&y));
    CHECK_STR("#1 u:q1 a:r1; #2 u:q1! a:r2", tree_of(t, x.session));
    CHECK_STR("u:q1! a:r2", path_of(t, x.session));
}

STORE_TEST(G13_other_white_space_inside_a_message_is_a_branch)
{
    struct told x, y;

    ASK(.sent = "u q1", .reply = "r1");
    x = ASK(.sent = "u q1 | a r1 | u a  b", .reply = "r2");
    y = ASK(.sent = "u q1 | a r1 | u a b", .reply = "r3");
    CHECK_STR("branch", how_word(&y));
    CHECK_STR("#1 u:q1 a:r1 u:a  b a:r2; #2@2 u:a b a:r3", tree_of(t, x.session));
}

STORE_TEST(G14_the_same_request_again_gives_a_sibling)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"),
                y = ASK(.key = "k", .sent = "u q1", .reply = "r1-again");

    CHECK_STR("sibling", how_word(&y));
    CHECK_INT(0, y.begin.appended);
    CHECK_STR("#1 u:q1 a:r1; #2@1 a:r1-again", tree_of(t, x.session));
    CHECK_STR("u:q1 a:r1-again", path_of(t, x.session));
}

STORE_TEST(G15_two_equal_requests_at_once_are_two_replies_side_by_side)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1"), y, z;
    struct ask ask = { .sent = "u q1 | a r1 | u q2", .reply = "r2" }, other = ask;
    struct bough_exchange *one = begin_ask(t, &ask, &y), *two = begin_ask(t, &ask, &z);

    CHECK_STR("append", how_word(&y));
    CHECK_STR("reply", how_word(&z));
    other.reply = "r2-too";
    finish_ask(t, one, &ask, &y);
    finish_ask(t, two, &other, &z);
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2; #2@3 a:r2-too", tree_of(t, x.session));
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", path_of(t, x.session));
}

STORE_TEST(G15_the_same_while_the_first_reply_streams)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1"), y, z;
    struct ask ask = { .sent = "u q1 | a r1 | u q2", .reply = "r2" };
    struct bough_exchange *one = begin_ask(t, &ask, &y), *two;
    struct bough_writing w;

    CHECK_OK(bough_exchange_open(t->store, one, NULL, &w, &t->err));
    two = begin_ask(t, &ask, &z);
    CHECK_STR("sibling", how_word(&z));
    finish_ask(t, two, &ask, &z);
    finish_ask(t, one, &ask, &y);
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2; #2@3 a:r2", tree_of(t, x.session));
}

STORE_TEST(G16_a_failed_request_is_stored_once_with_a_call_for_each_attempt)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1"), y;

    for (int i = 0; i < 3; i++) {
        y = ASK(.sent = "u q1 | a r1 | u q2");
        CHECK_STR(i ? "reply" : "append", how_word(&y));
    }
    y = ASK(.sent = "u q1 | a r1 | u q2", .reply = "r2");
    CHECK_STR("reply", how_word(&y));
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2", tree_of(t, x.session));
    CHECK_INT(5, calls_of(t, x.session));
}

STORE_TEST(G16_a_first_request_that_failed_finds_its_session_for_ten_minutes)
{
    struct told x = ASK(.sent = "u q1"), y = ASK(.sent = "u q1"), z;

    CHECK_STR(x.session, y.session);
    CHECK_STR("reply", how_word(&y));
    CHECK_STR("u:q1", path_of(t, x.session));
    test_later(t, 11 * 60 * 1000);
    z = ASK(.sent = "u q1", .reply = "r1");
    CHECK(strcmp(x.session, z.session) != 0);
    z = ASK(.sent = "u q1");
    y = ASK(.sent = "u q1", .reply = "r1");
    CHECK_STR(z.session, y.session);
    y = ASK(.sent = "u q1", .reply = "r1"); /* it has a reply now: another conversation */
    CHECK(strcmp(z.session, y.session) != 0);
}

STORE_TEST(G17_a_system_text_that_changes_is_noted_by_its_middle)
{
    char *big = arena_alloc(t->arena, 6001), *text;
    struct bough_entries all;
    struct told x = { 0 };
    size_t bytes = 0;

    memset(big, 'x', 6000);
    big[6000] = '\0';
    for (int i = 0; i < 4; i++) {
        text = arena_printf(t->arena, "%s today is day %d %s", big, i, big);
        x = ASK(.sent = i == 0   ? "u q1"
                        : i == 1 ? "u q1 | a r | u q2"
                        : i == 2 ? "u q1 | a r | u q2 | a r | u q3"
                                 : "u q1 | a r | u q2 | a r | u q3 | a r | u q4",
                .reply = "r", .system = text);
    }
    CHECK_INT(1, count_sessions(t));
    CHECK_INT(4, notes_in(t, x.session, "bough.system"));
    CHECK_OK(bough_tree_entries(t->store, t->arena, x.session, NULL, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        bytes += all.at[i].kind == BOUGH_ENTRY_CUSTOM ? all.at[i].data.n : 0;
    CHECK(bytes > 12000 && bytes < 13000);
    ASK(.sent = "u q1 | a r | u q2 | a r | u q3 | a r | u q4 | a r | u q5", .reply = "r",
        .system = text);
    CHECK_INT(4, notes_in(t, x.session, "bough.system"));
}

STORE_TEST(G18_reminders_may_come_move_and_go)
{
    static const char note[] = "<system-reminder>\nMonday\n</system-reminder>";
    struct told x = ASK(.sent = arena_printf(t->arena, "u %s + q1", note), .reply = "r1"), y;

    y = ASK(.sent = "u q1 | a r1 | u q2", .reply = "r2");
    CHECK_STR("append", how_word(&y));
    y = ASK(.sent =
                arena_printf(t->arena, "u q1 + %s + %s | a r1 | u q2 | a r2 | u q3", note, note),
            .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, count_sessions(t));
    CHECK_INT(0, y.begin.variants);
    (void)x;
}

STORE_TEST(G19_a_message_of_reminders_only_is_stored)
{
    static const char sent[] = "u q1 | a r1 | u <system-reminder>go on</system-reminder>";
    struct told x = ASK(.sent = "u q1", .reply = "r1"), y = ASK(.sent = sent);

    CHECK_STR("append", how_word(&y));
    y = ASK(.sent = sent, .reply = "r2"); /* again, after a failure */
    CHECK_INT(0, y.begin.appended);
    CHECK_STR("u:q1 a:r1 u:<system-reminder>go on</system-reminder> a:r2", path_of(t, x.session));
    y = ASK(.sent = "u q1 | a r1 | a r2 | u q3", .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, count_sessions(t));
}

STORE_TEST(G20_a_system_message_in_the_middle_makes_no_difference)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1"),
                y = ASK(.sent = "u q1 | a r1 | u q2 | s hurry", .reply = "r2"), z;

    CHECK_STR("append", how_word(&y));
    CHECK_STR("u:q1 a:r1 u:q2 s:hurry a:r2", path_of(t, x.session));
    z = ASK(.sent = "u q1 | s hurry | a r1 | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("append", how_word(&z));
    CHECK_INT(1, count_sessions(t));
}

STORE_TEST(G22_reasoning_that_comes_back_as_text_is_a_variant)
{
    struct told x = ASK(.sent = "u q1", .reply = "@think:hm + @call:" ID ":ls:{}"), y;

    y = ASK(.sent = "u q1 | a hm | a @call:" ID ":ls:{} | u @res:" ID ":x", .reply = "r2");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, y.begin.variants);
    y = ASK(.sent = "u q1 | a hm | a @call:" ID ":ls:{} | u @res:" ID ":x | a r2 | u q3",
            .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_STR("#1 u:q1 a:(hm)+ls() u:=x a:r2 u:q3 a:r3", tree_of(t, x.session));
}

STORE_TEST(G23_results_in_one_message_are_those_of_three)
{
    static const char calls[] =
        "@call:a:ls:{\"n\":1} + @call:b:ls:{\"n\":2} + @call:c:ls:{\"n\":3}";
    struct told x = ASK(.sent = "u q1", .reply = calls), y;
    const char *front = arena_printf(t->arena, "u q1 | a %s", calls);

    y = ASK(.sent = arena_printf(t->arena, "%s | u @res:a:1 | u @res:b:2 | u @res:c:3", front),
            .reply = "r2");
    CHECK_STR("append", how_word(&y));
    y = ASK(.sent = arena_printf(t->arena, "%s | u @res:a:1 + @res:b:2 + @res:c:3 | a r2 | u q3",
                                 front),
            .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, y.begin.appended);
    CHECK_INT(1, count_sessions(t));
    (void)x;
}

STORE_TEST(G24_G25_a_cut_reply_comes_back_shorter_or_not_at_all)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"), y;

    ASK(.key = "k", .sent = "u q1 | a r1 | u q2", .reply = "one two th", .cut = true);
    y = ASK(.key = "k", .sent = "u q1 | a r1 | u q2 | a one two | u q3", .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, y.begin.variants);
    y = ASK(.key = "k", .sent = "u q1 | a r1 | u q2 | a one two | u q3 | a r3 | u q4",
            .reply = "four fi", .cut = true);
    y = ASK(.key = "k",
            .sent = "u q1 | a r1 | u q2 | a one two | u q3 | a r3 | u q4 | "
                    "u <turn_aborted>x</turn_aborted> | u q5",
            .reply = "r5");
    CHECK_STR("branch", how_word(&y));
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:one two th u:q3 a:r3 u:q4 a:four fi; "
              "#2@7 u:<turn_aborted>x</turn_aborted> u:q5 a:r5",
              tree_of(t, x.session));
}

/* ---- sessions ---- */

STORE_TEST(G26_a_new_key_with_the_history_of_another_is_a_fork)
{
    struct told x = ASK(.key = "k1", .sent = "u q1", .reply = "r1"),
                y = ASK(.key = "k2", .sent = "u q1 | a r1 | u q2", .reply = "r2");

    CHECK(y.begin.made && y.begin.forked);
    CHECK(strcmp(x.session, y.session) != 0);
    CHECK_STR(x.session, session_of(t, y.session)->parent);
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", path_of(t, y.session));
    CHECK_STR("#1@2 u:q2 a:r2", tree_of(t, y.session)); /* nothing was copied */
    CHECK_STR("u:q1 a:r1", path_of(t, x.session));
    y = ASK(.key = "k2", .sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("append", how_word(&y));
    x = ASK(.key = "k1", .sent = "u q1 | a r1 | u q9", .reply = "r9");
    CHECK_STR("append", how_word(&x));
    CHECK_INT(2, count_sessions(t));
}

STORE_TEST(G27_a_session_without_a_key_adopts_one)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1"),
                y = ASK(.key = "k", .sent = "u q1 | a r1 | u q2", .reply = "r2"), z;

    CHECK_STR(x.session, y.session);
    CHECK(y.begin.adopted && !y.begin.made);
    z = ASK(.key = "k", .sent = "u other", .reply = "r");
    CHECK_STR(x.session, z.session);
    CHECK_STR("root", how_word(&z));
}

STORE_TEST(G28_parallel_subagents_with_keys_are_sessions_of_their_own)
{
    struct told a = ASK(.key = "k", .sent = "u q1", .reply = "r1"), b, c;

    b = ASK(.key = "k/a", .parent = "k", .sent = "u count", .reply = "@call:" ID ":ls:{}");
    c = ASK(.key = "k/b", .parent = "k", .sent = "u count", .reply = "@call:" ID2 ":ls:{}");
    CHECK(b.begin.subagent && c.begin.subagent && strcmp(b.session, c.session) != 0);
    CHECK_STR(a.session, session_of(t, b.session)->parent);
    CHECK_INT(BOUGH_SUBAGENT, session_of(t, c.session)->kind);
    b = ASK(.key = "k/a", .parent = "k", .sent = "u count | a @call:" ID ":ls:{} | u @res:" ID ":4",
            .reply = "four");
    CHECK_STR("append", how_word(&b));
    CHECK_STR("u:count a:ls() u:=4 a:four", path_of(t, b.session));
    CHECK_STR("u:count a:ls()", path_of(t, c.session));
    CHECK_INT(4000, session_of(t, a.session)->rolled.cost);
    b = ASK(.key = "z/a", .parent = "z", .sent = "u early", .reply = "r"); /* before its parent */
    CHECK_STR("", path_of(t, session_of(t, b.session)->parent));
}

STORE_TEST(G29_parallel_agents_without_keys_find_theirs_by_call_ids)
{
    struct ask one = { .sent = "u count", .reply = "@call:" ID ":ls:{}" },
               two = { .sent = "u count", .reply = "@call:" ID2 ":ls:{}" };
    struct told b, c, d;
    struct bough_exchange *x = begin_ask(t, &one, &b), *y = begin_ask(t, &two, &c);

    finish_ask(t, y, &two, &c);
    finish_ask(t, x, &one, &b);
    CHECK(strcmp(b.session, c.session) != 0);
    d = ASK(.sent = "u count | a @call:" ID ":ls:{} | u @res:" ID ":4", .reply = "four");
    CHECK_STR(b.session, d.session);
    d = ASK(.sent = "u count | a @call:" ID2 ":ls:{} | u @res:" ID2 ":4", .reply = "four");
    CHECK_STR(c.session, d.session);
    CHECK_INT(2, count_sessions(t));
}

STORE_TEST(G30_G31_side_requests_have_a_session_of_their_own)
{
    struct told title = ASK(.key = "k", .purpose = "title", .sent = "u name it", .reply = "Pears"),
                x = ASK(.key = "k", .sent = "u q1", .reply = "r1"), probe;

    CHECK_STR("side", how_word(&title));
    CHECK_STR("u:q1 a:r1", path_of(t, x.session));
    CHECK_STR(x.session, session_of(t, title.session)->parent);
    CHECK_STR("title", session_of(t, title.session)->role_name);
    title = ASK(.key = "k", .purpose = "title", .sent = "u name it", .reply = "Pears");
    CHECK_STR("#1 u:name it a:Pears; #2 u:name it a:Pears", tree_of(t, title.session));
    probe = ASK(.purpose = "probe", .sent = "u quota", .reply = "x");
    CHECK_STR("", session_of(t, probe.session)->parent);
    CHECK_STR(probe.session, ASK(.purpose = "probe", .sent = "u quota", .reply = "x").session);
    CHECK_INT(3000, session_of(t, x.session)->rolled.cost);
    CHECK_STR("u:q1 a:r1", path_of(t, x.session));
}

STORE_TEST(G36_two_unrelated_first_messages_are_two_roots)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"),
                y = ASK(.key = "k", .sent = "u else", .reply = "r2");

    CHECK_STR("root", how_word(&y));
    CHECK_STR("#1 u:q1 a:r1; #2 u:else a:r2", tree_of(t, x.session));
}

STORE_TEST(G44_others_never_find_it)
{
    struct bough_store *other = bough_store_scoped(
        t->store, &(struct bough_store_scoped_options){ .principal = "token:other" });
    struct told x = ASK(.sent = "u q1", .reply = "@call:" ID ":ls:{}"), y;
    static const char sent[] = "u q1 | a @call:" ID ":ls:{} | u @res:" ID ":x";

    y = ASK(.sent = sent, .reply = "r2", .store = other);
    CHECK_STR("new", how_word(&y));
    y = ASK(.sent = sent, .reply = "r2", .project = "p");
    CHECK_STR("new", how_word(&y));
    y = ASK(.sent = sent, .reply = "r2");
    CHECK_STR(x.session, y.session);
    bough_store_close(&other);
}
