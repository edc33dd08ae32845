/* Exchanges in a session that is named: the cases of C9, where counting messages loses or doubles
 * some. */
#include <pthread.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "exchange_world.h"
#include "store/exchange/beginning.h"

STORE_TEST(C9_a_only_new_messages_are_sent_in_an_exchange)
{
    const char *s = new_session(t, "");

    ASK(.session = s, .sent = "u q1", .reply = "r1");
    ASK(.session = s, .sent = "u q2", .reply = "r2");
    ASK(.session = s, .sent = "u q3", .reply = "r3");
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", tree_of(t, s));
}

STORE_TEST(C9_b_an_exchange_with_a_trimmed_history_loses_nothing)
{
    const char *s = new_session(t, "");
    struct told x;

    ASK(.session = s, .sent = "u q1", .reply = "r1");
    ASK(.session = s, .sent = "u q1 | a r1 | u q2", .reply = "r2");
    x = ASK(.session = s, .sent = "u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("trimmed", how_word(&x));
    CHECK_INT(3, x.begin.from);
    x = ASK(.session = s, .sent = "a r3 | u q4", .reply = "r4");
    CHECK_INT(6, x.begin.from);
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3 u:q4 a:r4", tree_of(t, s));
}

STORE_TEST(C9_c_an_own_system_text_of_later_exchanges_is_noted_once)
{
    const char *s = new_session(t, "");

    ASK(.session = s, .sent = "u q1", .reply = "r1");
    ASK(.session = s, .system = "mine", .sent = "u q1 | a r1 | u q2", .reply = "r2");
    ASK(.session = s, .system = "mine", .sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", tree_of(t, s));
    CHECK_INT(1, notes_in(t, s, "bough.system"));
}

STORE_TEST(C9_d_an_own_system_text_may_be_left_out_of_later_exchanges)
{
    const char *s = new_session(t, "");

    ASK(.session = s, .system = "mine", .sent = "u q1", .reply = "r1");
    ASK(.session = s, .system = "mine", .sent = "u q1 | a r1 | u q2", .reply = "r2");
    ASK(.session = s, .sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", tree_of(t, s));
    CHECK_INT(1, notes_in(t, s, "bough.system"));
}

STORE_TEST(C9_e_a_prompt_edited_during_an_exchange_is_no_message)
{
    struct bough_session_update_options edit = { .system_prompt = "new" };
    struct ask ask = { .system = "old", .sent = "u q1", .reply = "r1" };
    struct bough_exchange *x;
    struct bough_session *s;
    struct told told;

    CHECK_OK(bough_session_create(t->store, t->arena,
                                  &(struct bough_session_create_options){ .system_prompt = "old" },
                                  &s, &t->err));
    ask.session = s->id;
    x = begin_ask(t, &ask, &told);
    CHECK_OK(bough_session_update(t->store, s->id, &edit, &t->err));
    finish_ask(t, x, &ask, &told);
    ASK(.session = s->id, .system = "old", .sent = "u q1 | a r1 | u q2", .reply = "r2");
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2", tree_of(t, s->id));
}

STORE_TEST(C9_f_an_exchange_with_a_reordered_history_is_a_branch)
{
    const char *s = new_session(t, "");
    struct told x;

    ASK(.session = s, .sent = "u q1", .reply = "r1");
    ASK(.session = s, .sent = "u q1 | a r1 | u q2", .reply = "r2");
    x = ASK(.session = s, .sent = "u q1 | a r2 | u q2 | a r1 | u q3", .reply = "r3");
    CHECK_STR("branch", how_word(&x));
    CHECK_INT(1, x.begin.known);
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2; #2@1 a:r2 u:q2 a:r1 u:q3 a:r3", tree_of(t, s));
}

/* ---- several at once ---- */

enum { THREADS = 8, TURNS = 2, ROUNDS = 10 };

struct teller {
    struct bough_store *store;
    const char *session;
    int number;
    bool open; /* the reply is open from the beginning */
    pthread_barrier_t *start;
    enum bough_rc rc;
    struct bough_error err;
};

static enum bough_rc tell(struct teller *r, struct bough_arena *a, int turn)
{
    struct bough_entry_new sent = { .role = BOUGH_ROLE_USER,
                                    .text = arena_printf(a, "q%d.%d", r->number, turn) };
    struct bough_exchange_open_options open = { .owner = NULL };
    struct bough_exchange_begin_options in = {
        .session = r->session, .history = &sent, .nhistory = 1, .open = r->open ? &open : NULL
    };
    struct bough_str part = bough_part_text(a, str_of(arena_printf(a, "r%d.%d", r->number, turn)));
    struct bough_exchange_reply reply = { .parts = &part, .nparts = 1, .finish = "stop" };
    struct bough_call_new call = { .provider = "openai", .model = "gpt-5" };
    struct bough_exchange_finish_options end = { .reply = &reply, .call = &call };
    struct bough_exchange *x;
    enum bough_rc rc = bough_exchange_begin(r->store, &in, &x, NULL, &r->err);

    if (rc)
        return rc;
    rc = bough_exchange_finish(r->store, x, &end, NULL, &r->err);
    bough_exchange_destroy(x);
    return rc;
}

static void *tell_all(void *arg)
{
    struct teller *r = arg;
    struct bough_arena *a = bough_arena_create();

    pthread_barrier_wait(r->start);
    for (int i = 0; i < TURNS && !r->rc; i++)
        r->rc = tell(r, a, i);
    bough_arena_destroy(a);
    return NULL;
}

static const char *plain(struct test *t, const struct bough_entry *e)
{
    struct bough_str text;

    CHECK_INT(1, e->nparts);
    text = bough_part_plain(t->arena, &e->parts[0]);
    return arena_strndup(t->arena, text.p, text.n);
}

/* All threads begin at once in an empty session. */
static void tell_at_once(struct test *t, const char *session, bool open)
{
    struct teller r[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;

    CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++) {
        r[i] = (struct teller){
            .store = t->store, .session = session, .number = i, .open = open, .start = &start
        };
        CHECK(pthread_create(&threads[i], NULL, tell_all, &r[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(pthread_barrier_destroy(&start) == 0);
    for (int i = 0; i < THREADS; i++)
        if (r[i].rc)
            FAIL("thread %d: %s (%s)", i, bough_rc_name(r[i].rc), r[i].err.msg);
}

STORE_TEST(C9_g_exchanges_of_eight_threads_neither_double_nor_interleave)
{
    struct bough_entries_read_result path;

    bough_store_close(&t->store); /* the test clock is not thread-safe */
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    for (int round = 0; round < ROUNDS; round++) {
        const char *s = new_session(t, "");

        tell_at_once(t, s, true);
        CHECK_OK(bough_entries_read(t->store, t->arena, s, NULL, &path, &t->err));
        CHECK_INT(2 * THREADS * TURNS, path.entries.n); /* one path */
        for (size_t i = 0; i < path.entries.n; i += 2)
            CHECK_STR(plain(t, &path.entries.at[i]) + 1, plain(t, &path.entries.at[i + 1]) + 1);
    }
}

/* The rows that later requests are found by must be those of the paths. */
STORE_TEST(C9_g_exchanges_of_eight_threads_leave_the_chains_of_their_paths)
{
    struct bough_entries_read_result own;

    bough_store_close(&t->store); /* the test clock is not thread-safe */
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    for (int round = 0; round < ROUNDS; round++) {
        const char *s = new_session(t, "");

        tell_at_once(t, s, false);
        CHECK_OK(bough_entries_read(
            t->store, t->arena, s,
            &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN }, &own, &t->err));
        CHECK_INT(2 * THREADS * TURNS, own.entries.n);
    }
}

/* What was decided for an empty session must not become a second root of one that is not empty any
 * more. */
STORE_TEST(C9_g_a_decision_that_another_exchange_overtook_is_made_again)
{
    const char *s = new_session(t, "");
    struct bough_exchange_begin_options in = { .session = s };
    struct beginning b = { .s = t->store, .a = t->arena, .in = &in, .err = &t->err };

    b.decided = b.w.sid = get(t, s)->number;
    b.w.how = BOUGH_EXCHANGE_APPENDED;
    ASK(.session = s, .sent = "u q1", .reply = "r1");
    CHECK_RC(BOUGH_CONFLICT, begin_write(&b));
    b.w.how = BOUGH_EXCHANGE_BEHIND; /* its chain goes on from the path that was compared */
    CHECK_RC(BOUGH_CONFLICT, begin_write(&b));
    CHECK_STR("#1 u:q1 a:r1", tree_of(t, s));
}

/* ---- what was missed, what is gone ---- */

STORE_TEST(C9_h_an_exchange_that_was_missed_is_filled_in_by_the_next)
{
    const char *s = new_session(t, "");
    struct told x;

    ASK(.session = s, .sent = "u q1", .reply = "r1");
    x = ASK(.session = s, .sent = "u q1 | a r1 | u q2 | a r2 | u q3", .reply = "r3");
    CHECK_INT(3, x.begin.appended);
    CHECK_STR("#1 u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", tree_of(t, s));
    CHECK_INT(2, calls_of(t, s)); /* the missed one has no call */
}

STORE_TEST(C9_i_an_exchange_in_a_session_that_is_gone_says_so)
{
    const char *s = new_session(t, "");
    struct bough_exchange_begin_options in = { .session = s };
    struct bough_exchange *x = NULL;

    in.history = talk_read(t, "u q1", &in.nhistory);
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_RC(BOUGH_GONE, bough_exchange_begin(t->store, &in, &x, NULL, &t->err));
    in.session = "nobody";
    CHECK_RC(BOUGH_NOT_FOUND, bough_exchange_begin(t->store, &in, &x, NULL, &t->err));
    CHECK(!x);
    CHECK_INT(0, count_sessions(t));
}
