/* Exchanges whose reply is open from the beginning. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "exchange_world.h"

static struct bough_exchange *begin_open(struct test *t, const char *session, const char *sent,
                                         struct bough_exchange_begin_result *out)
{
    struct bough_exchange_open_options open = { .owner = "someone" };
    struct bough_exchange_begin_options in = { .session = session, .open = &open };
    struct bough_exchange *x;

    in.history = talk_read(t, sent, &in.nhistory);
    CHECK_OK(bough_exchange_begin(t->store, &in, &x, out, &t->err));
    out->session = bough_arena_strdup(t->arena, out->session);
    return x;
}

static void finish(struct test *t, struct bough_exchange *x, const char *text,
                   struct bough_exchange_finish_result *out)
{
    struct bough_call_new call = { .provider = "p",
                                   .model = "m",
                                   .status = text ? "ok" : "error",
                                   .used = { .input = 3, .cost = 7 } };
    struct bough_str part = bough_part_text(t->arena, str_of(text ? text : ""));
    struct bough_exchange_reply reply = { .parts = &part, .nparts = 1, .finish = "stop" };
    struct bough_exchange_finish_options in = { .reply = text ? &reply : NULL, .call = &call };

    CHECK_OK(bough_exchange_finish(t->store, x, &in, out, &t->err));
    bough_exchange_destroy(x);
}

static void step_text(struct test *t, const struct bough_writing *w, const char *text)
{
    struct bough_step steps[] = { { .kind = BOUGH_STEP_PART,
                                    .bytes = str_of("{\"type\":\"text\",\"text\":\"\"}") },
                                  { .kind = BOUGH_STEP_TEXT, .bytes = str_of(text) } };

    CHECK_OK(bough_message_step(t->store, w, 0, steps, 2, NULL, &t->err));
}

STORE_TEST(a_reply_that_is_open_from_the_beginning_keeps_its_place)
{
    struct bough_exchange_begin_result begun;
    struct bough_exchange_finish_result done;
    struct bough_message_follow_result f;
    const char *s = new_session(t, "");
    struct bough_exchange *x = begin_open(t, s, "u q1", &begun);

    CHECK(*begun.writing.id);
    CHECK_RC(BOUGH_CONFLICT, bough_exchange_open(t->store, x, NULL, &begun.writing, &t->err));
    step_text(t, &begun.writing, "half a re");
    CHECK_OK(bough_message_follow(t->store, t->arena, begun.writing.id, -1, 0, &f, &t->err));
    CHECK(!f.sealed && f.nparts == 1);
    add(t, s, BOUGH_ROLE_USER, "meanwhile");
    finish(t, x, "r1", &done);
    CHECK_STR(begun.writing.id, done.entry);
    CHECK_STR("#1 u:q1 a:r1 u:meanwhile", tree_of(t, s));
    CHECK_INT(1, calls_of(t, s));
}

STORE_TEST(an_open_reply_that_nothing_came_for_is_not_shown)
{
    struct bough_exchange_begin_result begun;
    struct bough_exchange_finish_result done;
    const char *s = new_session(t, "");
    struct bough_calls calls;
    struct told again;

    finish(t, begin_open(t, s, "u q1", &begun), NULL, &done);
    CHECK_STR("u:q1", path_of(t, s));
    CHECK_OK(bough_call_list(t->store, t->arena, s, &calls, &t->err));
    CHECK_INT(1, calls.n);
    CHECK_STR("error", calls.at[0].status);
    CHECK_INT(7, session_of(t, s)->own.cost);
    again = ASK(.session = s, .sent = "u q1", .reply = "r1");
    CHECK_STR("reply", how_word(&again));
    CHECK_INT(0, again.begin.appended);
    CHECK_STR("u:q1 a:r1", path_of(t, s));
    CHECK_INT(2, calls_of(t, s));
}

STORE_TEST(an_open_reply_without_its_end_keeps_what_came)
{
    struct bough_exchange_begin_result begun;
    struct bough_exchange_finish_result done;
    const char *s = new_session(t, "");
    struct bough_exchange *x = begin_open(t, s, "u q1", &begun);

    step_text(t, &begun.writing, "half a re");
    finish(t, x, NULL, &done);
    CHECK_STR("u:q1 a:half a re", path_of(t, s));
    CHECK_STR(begun.writing.id, done.entry);
    CHECK_INT(1, calls_of(t, s));
}

STORE_TEST(a_reply_whose_lease_was_lost_is_recorded_beside_what_was_sealed)
{
    struct bough_exchange_begin_result begun;
    struct bough_exchange_finish_result done;
    struct bough_message_open_result taken;
    const char *s = new_session(t, "");
    struct bough_exchange *x = begin_open(t, s, "u q1", &begun);

    step_text(t, &begun.writing, "half a re");
    test_later(t, 2 * 60 * 1000); /* its lease has ended */
    CHECK_OK(bough_message_take(t->store, begun.writing.id, NULL, &taken, &t->err));
    CHECK_OK(bough_message_seal(t->store, t->arena, &taken.writing, NULL, NULL, &t->err));
    finish(t, x, "r1", &done);
    CHECK_STR("#1 u:q1 a:half a re; #2@1 a:r1", tree_of(t, s));
    CHECK_STR("u:q1 a:r1", path_of(t, s));
    CHECK_INT(1, calls_of(t, s));
}

STORE_TEST(a_reply_that_was_sealed_as_interrupted_is_recorded_beside_it)
{
    struct bough_exchange_begin_result begun;
    struct bough_exchange_finish_result done;
    const char *s = new_session(t, "");
    struct bough_exchange *x = begin_open(t, s, "u q1", &begun);
    int64_t n;

    step_text(t, &begun.writing, "half a re");
    test_later(t, 2 * 60 * 1000);
    CHECK_OK(bough_message_recover(t->store, &n, &t->err));
    CHECK_INT(1, n);
    finish(t, x, "r1", &done);
    CHECK_STR("#1 u:q1 a:half a re; #2@1 a:r1", tree_of(t, s));
    x = begin_open(t, s, "u q1 | a r1 | u q2", &begun);
    test_later(t, 2 * 60 * 1000);
    CHECK_OK(bough_message_recover(t->store, &n, &t->err));
    finish(t, x, NULL, &done); /* no reply, but what it cost */
    CHECK_INT(2, calls_of(t, s));
}

STORE_TEST(a_first_request_whose_process_died_finds_its_session_and_one_that_runs_is_left_alone)
{
    struct bough_exchange_begin_result dead, beside, again;
    struct bough_exchange_finish_result done;
    struct bough_exchange *x = begin_open(t, NULL, "u q1", &dead),
                          *y = begin_open(t, NULL, "u q1", &beside);
    int64_t n;

    CHECK(strcmp(dead.session, beside.session) != 0); /* both run */
    finish(t, y, "r1", &done);
    step_text(t, &dead.writing, "half a re");
    bough_exchange_destroy(x); /* never finished */
    test_later(t, 2 * 60 * 1000);
    CHECK_OK(bough_message_recover(t->store, &n, &t->err));
    CHECK_INT(1, n);
    finish(t, begin_open(t, NULL, "u q1", &again), "r2", &done);
    CHECK_STR(dead.session, again.session);
    CHECK_STR("#1 u:q1 a:half a re; #2@1 a:r2", tree_of(t, dead.session));
    finish(t, begin_open(t, NULL, "u q1", &again), "r3", &done);
    CHECK_INT(3, count_sessions(t)); /* all have replies: another conversation */
}

STORE_TEST(a_reply_that_is_sealed_with_the_same_parts_is_not_recorded_again)
{
    struct bough_exchange_begin_result begun;
    struct bough_exchange_finish_result done;
    struct bough_str part = bough_part_text(t->arena, str_of("r1"));
    struct bough_message_seal_options seal = { .parts = &part, .nparts = 1 };
    const char *s = new_session(t, "");
    struct bough_exchange *x = begin_open(t, s, "u q1", &begun);

    CHECK_OK(bough_message_seal(t->store, t->arena, &begun.writing, &seal, NULL, &t->err));
    finish(t, x, "r1", &done);
    CHECK_STR(begun.writing.id, done.entry);
    CHECK_STR("#1 u:q1 a:r1", tree_of(t, s));
}
