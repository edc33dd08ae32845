/* Exchanges: compaction by clients, given sessions, branches, dialects, and what happens meanwhile
 * (G21, G32 to G47). */
#include <stdlib.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/wire/reply/reply.h"
#include "core/wire/request.h"
#include "exchange_world.h"

#define ID "toolu_01ABC234567"
#define ID2 "toolu_01ABC234599"
#define SUMMARY                                                                                    \
    "## Goal\nKeep a faithful record of the work.\n## Progress\n- four pears were counted\n"       \
    "- no apples were found\n"

/* ---- compaction ---- */

STORE_TEST(G32_a_compaction_that_keeps_a_reply_is_a_marker)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"), y;

    ASK(.key = "k", .sent = "u q1 | a r1 | u q2", .reply = "@call:" ID ":ls:{}");
    ASK(.key = "k", .sent = "u q1 | a r1 | u q2 | a @call:" ID ":ls:{} | u @res:" ID ":x",
        .reply = "r3");
    y = ASK(.key = "k", .purpose = "compaction",
            .sent = "u q1 | a r1 | u q2 | a @call:" ID ":ls:{} | u @res:" ID ":x + Summarise.",
            .reply = SUMMARY);
    CHECK_STR("branch", how_word(&y));
    CHECK_STR("u:q1 a:r1 u:q2 a:ls() u:=x a:r3", path_of(t, x.session)); /* the head is unmoved */
    y = ASK(.key = "k", .sent = "u Go on from this:\n" SUMMARY " | a r3 | u q4", .reply = "r4");
    CHECK_STR("compacted", how_word(&y));
    CHECK_INT(1, notes_in(t, x.session, "compaction"));
    CHECK_STR("u:q1 a:r1 u:q2 a:ls() u:=x a:r3 u:q4 a:r4", path_of(t, x.session));
    y = ASK(.key = "k", .sent = "u Go on from this:\n" SUMMARY " | a r3 | u q4 | a r4 | u q5",
            .reply = "r5");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, notes_in(t, x.session, "compaction")); /* no second marker */
    CHECK_STR("u:q1 a:r1 u:q2 a:ls() u:=x a:r3 u:q4 a:r4 u:q5 a:r5", path_of(t, x.session));
}

STORE_TEST(G32_the_marker_keeps_from_that_reply)
{
    struct bough_entry *marker, *reply;
    struct bough_marker m;
    struct told x;

    ASK(.key = "k", .sent = "u q1", .reply = "r1");
    ASK(.key = "k", .sent = "u q1 | a r1 | u q2", .reply = "r2");
    x = ASK(.key = "k", .sent = "u " SUMMARY " | a r2 | u q3", .reply = "r3");
    CHECK_OK(bough_marker_latest(t->store, t->arena, x.session, false, &marker, &t->err));
    CHECK(marker != NULL);
    CHECK_OK(bough_marker_read(t->arena, marker, &m, &t->err));
    CHECK_STR(SUMMARY, m.summary);
    CHECK_OK(bough_entry_by_number(t->store, t->arena, x.session, 4, &reply, &t->err));
    CHECK_INT(reply->at.depth, m.keep_from);
}

STORE_TEST(G33_user_texts_and_a_summary_are_a_marker_that_keeps_nothing)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"), y;

    ASK(.key = "k", .sent = "u q1 | a r1 | u q2", .reply = "r2");
    ASK(.key = "k", .purpose = "compaction", .sent = "u q1 | a r1 | u q2 | a r2 | u Summarise.",
        .reply = SUMMARY);
    y = ASK(.key = "k", .sent = "u q1 | u q2 | u Another began this.\n" SUMMARY " | u q3",
            .reply = "r3");
    CHECK_STR("compacted", how_word(&y));
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", path_of(t, x.session));
    y = ASK(.key = "k",
            .sent = "u q1 | u q2 | u Another began this.\n" SUMMARY " | u q3 | a r3 | u q4",
            .reply = "r4");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, notes_in(t, x.session, "compaction"));
}

STORE_TEST(G34_a_summary_as_a_reply_is_a_marker)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"), y;

    ASK(.key = "k", .purpose = "compaction", .sent = "u All of it: q1, r1. Summarise.",
        .reply = SUMMARY); /* with a list of its own: beside the conversation */
    y = ASK(.key = "k", .sent = "u What did we do? | a " SUMMARY " | u q2", .reply = "r2");
    CHECK_STR("compacted", how_word(&y));
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", path_of(t, x.session));
    y = ASK(.key = "k", .sent = "u What did we do? | a " SUMMARY " | u q2 | a r2 | u q3",
            .reply = "r3");
    CHECK_STR("append", how_word(&y));
}

STORE_TEST(G35_without_a_key_a_kept_call_id_leads_to_the_session)
{
    struct told x = ASK(.sent = "u q0", .reply = "r0"), y;

    ASK(.sent = "u q0 | a r0 | u q1", .reply = "@call:" ID ":ls:{}");
    ASK(.sent = "u q0 | a r0 | u q1 | a @call:" ID ":ls:{} | u @res:" ID ":x", .reply = "r2");
    y = ASK(.sent = "u " SUMMARY " | a @call:" ID ":ls:{} | u @res:" ID ":x | a r2 | u q3",
            .reply = "r3");
    CHECK_STR(x.session, y.session);
    CHECK_STR("compacted", how_word(&y));
    CHECK_INT(1, notes_in(t, x.session, "compaction"));
    y = ASK(.sent = "u " SUMMARY " | a @call:" ID ":ls:{} | u @res:" ID
                    ":x | a r2 | u q3 | a r3 | u q4",
            .reply = "r4");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, count_sessions(t));
}

/* ---- given sessions ---- */

STORE_TEST(G37_an_explicit_session_takes_only_the_new_message)
{
    const char *s = new_session(t, "");
    struct told x = ASK(.session = s, .sent = "u q1", .reply = "r1"), y;

    y = ASK(.session = s, .sent = "u q2", .reply = "r2");
    CHECK_STR("behind", how_word(&y));
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", path_of(t, s));
    y = ASK(.sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3"); /* all of it is known */
    CHECK_STR(x.session, y.session);
    CHECK_STR("append", how_word(&y));
}

STORE_TEST(G37_an_explicit_session_must_be_there)
{
    struct bough_exchange_begin_options in = { .session = "nobody" };
    struct bough_exchange *x = NULL;
    const char *s = new_session(t, "");

    CHECK_RC(BOUGH_NOT_FOUND, bough_exchange_begin(t->store, &in, &x, NULL, &t->err));
    in.session = s;
    in.project = "another";
    CHECK_RC(BOUGH_NOT_FOUND, bough_exchange_begin(t->store, &in, &x, NULL, &t->err));
    in.project = NULL;
    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_exchange_begin(t->store, &in, &x, NULL, &t->err));
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_exchange_begin(t->store, &in, &x, NULL, &t->err));
    CHECK(!x);
}

STORE_TEST(G38_a_trimmed_history_is_appended_and_its_depth_noted)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"), y;
    struct bough_calls calls;

    ASK(.key = "k", .sent = "u q1 | a r1 | u q2", .reply = "r2");
    y = ASK(.key = "k", .sent = "u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("trimmed", how_word(&y));
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", path_of(t, x.session));
    CHECK_INT(3, y.begin.from);
    CHECK_OK(bough_call_list(t->store, t->arena, x.session, &calls, &t->err));
    CHECK(strstr(calls.at[2].notes.p, "\"from\":3") != NULL);
    y = ASK(.key = "k", .sent = "u q2 | a r2 | u q3 | a r3 | u q4", .reply = "r4");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3 u:q4 a:r4", path_of(t, x.session));
}

STORE_TEST(G39_an_own_system_text_and_an_edited_prompt_double_nothing)
{
    struct bough_session *s;
    struct told x;

    CHECK_OK(bough_session_create(t->store, t->arena,
                                  &(struct bough_session_create_options){ .system_prompt = "old" },
                                  &s, &t->err));
    ASK(.session = s->id, .sent = "u q1", .reply = "r1", .system = "old");
    CHECK_INT(0, notes_in(t, s->id, "bough.system"));
    ASK(.session = s->id, .sent = "u q1 | a r1 | u q2", .reply = "r2", .system = "mine");
    CHECK_INT(1, notes_in(t, s->id, "bough.system"));
    CHECK_OK(bough_session_update(t->store, s->id,
                                  &(struct bough_session_update_options){ .system_prompt = "new" },
                                  &t->err));
    x = ASK(.session = s->id, .sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3",
            .system = "old");
    CHECK_INT(2, notes_in(t, s->id, "bough.system"));
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", tree_of(t, x.session));
}

STORE_TEST(G40_going_back_to_an_older_branch_copies_nothing)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1"), y;

    ASK(.sent = "u q1 | a r1 | u q2", .reply = "r2");
    y = ASK(.sent = "u q1 | a r1 | u q2'", .reply = "r2'");
    CHECK_STR("branch", how_word(&y));
    y = ASK(.sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3; #2@2 u:q2' a:r2'", tree_of(t, x.session));
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", path_of(t, x.session));
    y = ASK(.sent = "u q1 | a r1 | u q2' | a r2' | u q4", .reply = "r4");
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3; #2@2 u:q2' a:r2' u:q4 a:r4",
              tree_of(t, x.session));
}

STORE_TEST(G41_references_and_previous_responses_are_followed)
{
    struct told x, y;
    struct bough_str part = str_of("{\"type\":\"output_text\",\"text\":\"r1\"}");
    struct ask ask = { .sent = "u q1", .reply = "x" };
    struct bough_exchange_reply reply = {
        .parts = &part,
        .nparts = 1,
        .data = str_of("{\"items\":[{\"at\":0,\"n\":1,\"id\":\"msg_500100200300\"}]}")
    };
    struct bough_call_new call = { .model = "m" };
    struct bough_exchange_finish_options in = { .reply = &reply,
                                                .response = "resp_500100200300",
                                                .call = &call };
    struct bough_exchange *e = begin_ask(t, &ask, &x);

    CHECK_OK(bough_exchange_finish(t->store, e, &in, NULL, &t->err));
    bough_exchange_destroy(e);
    y = ASK(.sent = "u q1 | a @ref:rs_500100200300 + @ref:msg_500100200300 | u q2", .reply = "r2",
            .response = "resp_500100200301");
    CHECK_STR(x.session, y.session);
    CHECK_STR("append", how_word(&y));
    y = ASK(.previous = "resp_500100200301", .sent = "u q3", .reply = "r3",
            .response = "resp_500100200302");
    CHECK_STR("append", how_word(&y));
    y = ASK(.previous = "resp_500100200302", .sent = "u q4", .reply = "r4");
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3 u:q4 a:r4", tree_of(t, x.session));
    y = ASK(.previous = "resp_500100200301", .sent = "u q3'", .reply = "r3'"); /* from earlier */
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3 u:q4 a:r4; #2@4 u:q3' a:r3'",
              tree_of(t, x.session));
    y = ASK(.previous = "resp_999999999999", .sent = "u q5", .reply = "r5"); /* not known here */
    CHECK_STR("new", how_word(&y));
}

STORE_TEST(G42_a_prefill_is_stored_and_the_reply_follows)
{
    struct told x = ASK(.sent = "u q1 | a {", .reply = "\"a\":1}"), y;

    CHECK_STR("u:q1 a:{ a:\"a\":1}", path_of(t, x.session));
    y = ASK(.sent = "u q1 | a {\"a\":1} | u q2", .reply = "r2");
    CHECK_STR("append", how_word(&y));
    CHECK_STR(x.session, y.session);
}

STORE_TEST(G43_inline_thinking_may_be_left_out)
{
    struct told x = ASK(.sent = "u q1", .reply = "<think>hm</think>\n\nr1"),
                y = ASK(.sent = "u q1 | a r1 | u q2", .reply = "r2");

    CHECK_STR("append", how_word(&y));
    CHECK_STR(x.session, y.session);
}

/* ---- what happens meanwhile ---- */

static void check_moved(struct test *t, const struct told *x, const char *why, const char *path)
{
    struct bough_entries all;

    CHECK(x->finish.moved && strcmp(x->begin.session, x->session) != 0);
    CHECK_INT(1, notes_in(t, x->session, "bough.moved"));
    CHECK_STR(path, path_of(t, x->session));
    CHECK_OK(bough_tree_entries(t->store, t->arena, x->session, NULL, &all, &t->err));
    CHECK(strstr(all.at[0].data.p, why) != NULL);
}

STORE_TEST(G45_a_session_that_is_archived_or_deleted_meanwhile_loses_nothing)
{
    struct ask ask = { .key = "k", .sent = "u q1", .reply = "r1" };
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1");
    struct bough_exchange *e;
    struct bough_writing w;

    ask.sent = "u q1 | a r1 | u q2";
    e = begin_ask(t, &ask, &x);
    CHECK_OK(bough_session_archive(t->store, x.session, &t->err));
    finish_ask(t, e, &ask, &x);
    check_moved(t, &x, "archived", "u:q1 a:r1 u:q2 a:r1");
    ask.key = "k2";
    e = begin_ask(t, &ask, &x);
    CHECK_OK(bough_exchange_open(t->store, e, NULL, &w, &t->err));
    CHECK_OK(bough_session_delete(t->store, x.session, &t->err));
    finish_ask(t, e, &ask, &x);
    check_moved(t, &x, "deleted", "u:q1 a:r1 u:q2 a:r1");
    ask.key = "k3";
    ask.sent = "u p1";
    e = begin_ask(t, &ask, &x);
    CHECK_OK(bough_exchange_open(t->store, e, NULL, &w, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, x.session, NULL, &t->err));
    finish_ask(t, e, &ask, &x);
    check_moved(t, &x, "purged", "u:p1 a:r1");
}

STORE_TEST(G47_an_old_message_corrected_in_place_is_a_variant)
{
    struct told x = ASK(.key = "k", .sent = "u q1", .reply = "r1"), y;

    ASK(.key = "k", .sent = "u q1 | a r1 | u q2", .reply = "r2");
    y = ASK(.key = "k", .sent = "u q1 corrected | a r1 | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, y.begin.variants);
    CHECK_INT(1, notes_in(t, x.session, "bough.amend"));
    y = ASK(.key = "k", .sent = "u q1 corrected | a r1 | u q2 | a r2 | u q3 | a r3 | u q4",
            .reply = "r4");
    CHECK_STR("append", how_word(&y));
    CHECK_INT(1, notes_in(t, x.session, "bough.amend"));
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3 u:q4 a:r4", tree_of(t, x.session));
}

/* ---- more of an exchange ---- */

STORE_TEST(a_reply_streams_as_an_open_message_and_is_sealed_with_its_parts)
{
    struct ask ask = { .sent = "u q1", .reply = "whole reply" };
    struct bough_step steps[] = {
        { .kind = BOUGH_STEP_PART, .bytes = str_of("{\"type\":\"text\",\"text\":\"\"}") },
        { .kind = BOUGH_STEP_TEXT, .part = 0, .bytes = str_of("whole re") }
    };
    struct bough_exchange *x;
    struct bough_writing w;
    struct bough_message_follow_result f;
    struct told told;

    x = begin_ask(t, &ask, &told);
    CHECK_OK(bough_exchange_open(t->store, x, NULL, &w, &t->err));
    CHECK_RC(BOUGH_CONFLICT, bough_exchange_open(t->store, x, NULL, &w, &t->err));
    CHECK_OK(bough_message_step(t->store, &w, 0, steps, 2, NULL, &t->err));
    CHECK_OK(bough_message_follow(t->store, t->arena, w.id, -1, 0, &f, &t->err));
    CHECK(!f.sealed && f.nparts == 1);
    finish_ask(t, x, &ask, &told);
    CHECK_STR(w.id, told.finish.entry);
    CHECK_STR("u:q1 a:whole reply", path_of(t, told.session));
    CHECK_INT(1, calls_of(t, told.session));
    told = ASK(.sent = "u q1 | a whole reply | u q2", .reply = "r2");
    CHECK_STR("append", how_word(&told));
}

STORE_TEST(further_choices_are_siblings_of_the_reply)
{
    struct told told, y;
    struct ask ask = { .sent = "u q1" };
    struct bough_exchange *x = begin_ask(t, &ask, &told);
    struct bough_str parts[] = { bough_part_text(t->arena, str_of("one")),
                                 bough_part_text(t->arena, str_of("two")) };
    struct bough_exchange_reply replies[] = { { .parts = &parts[0], .nparts = 1 },
                                              { .parts = &parts[1], .nparts = 1 } };
    struct bough_call_new call = { .model = "m" };
    struct bough_exchange_finish_options in = {
        .reply = &replies[0], .others = &replies[1], .nothers = 1, .call = &call
    };

    CHECK_OK(bough_exchange_finish(t->store, x, &in, &told.finish, &t->err));
    CHECK_RC(BOUGH_CONFLICT, bough_exchange_finish(t->store, x, &in, NULL, &t->err));
    bough_exchange_destroy(x);
    CHECK_STR("#1 u:q1 a:one; #2@1 a:two", tree_of(t, told.session));
    CHECK_INT(1, calls_of(t, told.session));
    y = ASK(.sent = "u q1 | a two | u q2", .reply = "r2"); /* the client chose the other one */
    CHECK_STR("#1 u:q1 a:one; #2@1 a:two u:q2 a:r2", tree_of(t, told.session));
    (void)y;
}

STORE_TEST(a_call_keeps_what_the_gateway_knows)
{
    struct ask ask = { .sent = "u q1", .parameters = "{\"tools\":[1],\"temperature\":0}" };
    struct bough_exchange *x;
    struct bough_str part = bough_part_text(t->arena, str_of("r1"));
    struct bough_exchange_reply reply = { .parts = &part, .nparts = 1, .finish = "stop" };
    struct bough_call_new failed = { .status = "error",
                                     .error = str_of("{\"a\":1}"),
                                     .attempt = 1 },
                          call = { .status = "ok",
                                   .attempt = 2,
                                   .first_byte = 12,
                                   .duration = 90,
                                   .want_provider = "a",
                                   .want_model = "b",
                                   .provider = "c",
                                   .model = "d",
                                   .request_id = "req_1",
                                   .cost_source = BOUGH_COST_LIST,
                                   .used = { .input = 1, .cost = 2 } };
    struct bough_exchange_finish_options in = {
        .reply = &reply, .call = &call, .failed = &failed, .nfailed = 1
    };
    struct bough_calls calls;
    struct told told;

    x = begin_ask(t, &ask, &told);
    CHECK_OK(bough_exchange_finish(t->store, x, &in, NULL, &t->err));
    bough_exchange_destroy(x);
    CHECK_OK(bough_call_list(t->store, t->arena, told.session, &calls, &t->err));
    CHECK_INT(2, calls.n);
    CHECK_STR("error", calls.at[0].status);
    CHECK_INT(2, calls.at[1].attempt);
    CHECK_INT(12, calls.at[1].first_byte);
    CHECK_STR(told.begin.id, calls.at[0].exchange);
    CHECK_STR(told.begin.id, calls.at[1].exchange);
    CHECK_INT(BOUGH_COST_LIST, calls.at[1].cost_source);
    CHECK_INT(1, notes_in(t, told.session, "bough.request"));
    told = ASK(.sent = "u q1 | a r1 | u q2", .reply = "r2", .parameters = ask.parameters);
    CHECK_INT(1, notes_in(t, told.session, "bough.request"));
    told = ASK(.sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3", .parameters = "{}");
    CHECK_INT(2, notes_in(t, told.session, "bough.request"));
}

STORE_TEST(large_parameters_are_kept_once_for_all_sessions)
{
    char *big = arena_alloc(t->arena, 40001);
    struct bough_store_stats_result stats;
    const char *parameters;

    for (int i = 0; i < 40000; i++)
        big[i] = (char)('a' + i * 7 % 26);
    big[40000] = '\0';
    parameters = arena_printf(t->arena, "{\"tools\":[\"%s\"]}", big);
    ASK(.sent = "u q1", .reply = "r1", .parameters = parameters);
    ASK(.sent = "u p1", .reply = "r1", .parameters = parameters);
    CHECK_INT(2, count_sessions(t));
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    CHECK_INT(1, stats.attachments);
}
