/* Budgets and calls: exchanges reserve and settle, and calls at once never pass a cap together. */
#include <bough/spend.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/str.h"
#include "budget_world.h"
#include "exchange_world.h"

/* ---- exchanges ---- */

/* Begin an exchange that may cost so much. */
static enum bough_rc begin(struct test *t, struct bough_store *s, const char *session, int64_t cost,
                           struct bough_exchange **x)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "hello" };
    struct bough_budget_ask ask = { .estimate = cost };
    struct bough_exchange_begin_options in = { .history = &e,
                                               .nhistory = 1,
                                               .session = session,
                                               .project = session ? NULL : "/shop",
                                               .budget = &ask };

    return bough_exchange_begin(s, &in, x, NULL, &t->err);
}

static enum bough_rc end(struct bough_store *s, struct bough_exchange *x, int64_t cost,
                         struct bough_error *err)
{
    struct bough_str part = str_of("{\"type\":\"text\",\"text\":\"hi\"}");
    struct bough_exchange_reply reply = { .parts = &part, .nparts = 1 };
    struct bough_call_new call = { .provider = "acme", .model = "m", .used = { .cost = cost } };
    struct bough_exchange_finish_options in = { .reply = &reply, .call = &call };
    enum bough_rc rc = bough_exchange_finish(s, x, &in, NULL, err);

    bough_exchange_destroy(x);
    return rc;
}

STORE_TEST(an_exchange_reserves_when_it_begins_and_settles_when_it_is_finished)
{
    struct bough_budget all = SET(.cap = 100),
                        shop = SET(.scope = BOUGH_BUDGET_PROJECT, .of = "/shop", .cap = 90);
    struct bough_exchange *x, *y;

    CHECK_OK(begin(t, t->store, NULL, 60, &x));
    CHECK_STR("0 + 60 of 100", sums(t, all.id));
    CHECK_STR("0 + 60 of 90", sums(t, shop.id));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, begin(t, t->store, NULL, 31, &y));
    CHECK_OK(end(t->store, x, 45, &t->err));
    TWICE(CHECK_STR("45 + 0 of 100", sums(t, all.id)));
    TWICE(CHECK_STR("45 + 0 of 90", sums(t, shop.id)));
    CHECK_OK(begin(t, t->store, NULL, 45, &x));
    CHECK_OK(end(t->store, x, 60, &t->err)); /* more than it said */
    CHECK_STR("105 + 0 of 100", sums(t, all.id));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, begin(t, t->store, NULL, 1, &y));
}

STORE_TEST(an_exchange_that_is_refused_leaves_nothing)
{
    const char *s = session_in(t, "", "", NULL);
    struct bough_budget tree = SET(.scope = BOUGH_BUDGET_SESSION, .of = s, .cap = 5);
    struct bough_exchange *x;
    struct bough_exchange_finish_options nothing = { 0 };

    SET(.scope = BOUGH_BUDGET_PROJECT, .of = "/shop", .cap = 5);
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, begin(t, t->store, NULL, 6, &x));
    CHECK_INT(1, count_sessions(t));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, begin(t, t->store, s, 6, &x));
    CHECK_STR("", path_text(t, s));
    CHECK_STR("0 + 0 of 5", sums(t, tree.id));
    CHECK_OK(begin(t, t->store, s, 5, &x));
    CHECK_STR("0 + 5 of 5", sums(t, tree.id));
    CHECK_OK(bough_exchange_finish(t->store, x, &nothing, NULL, &t->err)); /* it failed */
    bough_exchange_destroy(x);
    CHECK_STR("0 + 0 of 5", sums(t, tree.id));
}

/* ---- at once ---- */

enum { THREADS = 8, TURNS = 12, COST = 10, CAP = 505 };

struct spender {
    struct bough_store *store;
    const char *session;
    pthread_barrier_t *start;
    int made;
    enum bough_rc rc;
    struct bough_error err;
};

/* Calls that cost what they said, or a bit less, until the cap is reached. */
static void *spend_all(void *arg)
{
    struct spender *p = arg;
    struct test t = { 0 };
    struct bough_exchange *x;

    if (p->start)
        pthread_barrier_wait(p->start);
    for (int i = 0; i < TURNS && !p->rc; i++) {
        p->rc = begin(&t, p->store, p->session, COST, &x);
        if (!p->rc)
            p->rc = end(p->store, x, COST - (p->made % 2), &t.err);
        p->made += !p->rc;
        p->err = t.err;
        if (p->rc == BOUGH_BUDGET_EXCEEDED)
            p->rc = BOUGH_OK;
    }
    return NULL;
}

static int64_t spent_of(struct test *t)
{
    struct bough_spend_options how = { 0 };
    struct bough_spend_result out;

    CHECK_OK(bough_spend(t->store, t->arena, &how, &out, &t->err));
    return out.total.used.cost;
}

STORE_TEST_SECONDS(calls_of_eight_threads_never_pass_a_cap_together, 120)
{
    struct spender p[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    struct bough_budget b;
    int made = 0;

    bough_store_close(&t->store); /* the test clock is not thread-safe */
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    b = SET(.cap = CAP);
    CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++) {
        p[i] = (struct spender){ .store = t->store, .start = &start };
        p[i].session = new_session(t, "");
        CHECK(pthread_create(&threads[i], NULL, spend_all, &p[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        made += p[i].made;
    }
    CHECK(pthread_barrier_destroy(&start) == 0);
    for (int i = 0; i < THREADS; i++)
        if (p[i].rc)
            FAIL("thread %d: %s (%s)", i, bough_rc_name(p[i].rc), p[i].err.msg);
    CHECK(spent_of(t) <= CAP);
    CHECK(made < THREADS * TURNS);       /* some were refused */
    CHECK(spent_of(t) + 2 * COST > CAP); /* and no more than were needed */
    CHECK_INT(0, budget_status(t, b.id).holds);
}

/* In the child: reserve all that can be reserved, and tell how much; then wait to be ended. */
_Noreturn static void reserve_all(struct test *t, int ready, int stop)
{
    struct bough_budget_reserve_options in = { .ask = { .estimate = 1 } };
    char hold[BOUGH_ID_LEN + 1], c;
    int got = 0;
    enum bough_rc rc = bough_store_open(&t->store, t->url, NULL, &t->err);

    while (!rc) {
        rc = bough_budget_reserve(t->store, &in, hold, &t->err);
        got += !rc;
    }
    if (rc != BOUGH_BUDGET_EXCEEDED)
        got = -1;
    if (write(ready, &got, sizeof got) != (ssize_t)sizeof got)
        _exit(2);
    (void)!read(stop, &c, 1);
    _exit(0);
}

SHARED_TEST(processes_never_pass_a_cap_together_and_what_they_reserved_ends_with_them, 120)
{
    enum { PROCESSES = 2, MOST = 120 };
    struct bough_budget b;
    int ready[2], stop[2], got, all = 0, status;
    pid_t pids[PROCESSES];

    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    b = SET(.cap = MOST);
    bough_store_close(&t->store);
    CHECK(pipe(ready) == 0 && pipe(stop) == 0);
    fflush(stdout);
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        CHECK(pids[i] >= 0);
        if (pids[i] == 0) {
            close(stop[1]);
            reserve_all(t, ready[1], stop[0]);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        CHECK(read(ready[0], &got, sizeof got) == (ssize_t)sizeof got);
        CHECK(got >= 0);
        all += got;
    }
    CHECK_INT(MOST, all);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    CHECK_INT(MOST, budget_status(t, b.id).held);
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(1));
    for (int i = 0; i < PROCESSES; i++) {
        CHECK(kill(pids[i], SIGKILL) == 0);
        CHECK(waitpid(pids[i], &status, 0) == pids[i]);
    }
    close(stop[1]);
    close(stop[0]);
    close(ready[0]);
    close(ready[1]);
    CHECK_INT(0, budget_status(t, b.id).held); /* their process has ended */
    CHECK_OK(RESERVE(MOST));
    store_check(t, t->store);
    bough_store_close(&t->store);
}
