/* A real pgbouncer between the store and the server. */
#include <libpq-fe.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "ledger.h"
#include "lib/pg_server.h"

enum { SESSIONS = 8 }; /* connections from the pooler to the server */

/* Run a statement of another client in every server connection of the pooler. It must return the
 * same value in all of them, which is returned. */
static const char *in_every_session(struct test *t, const struct pg_server *pg, const char *sql)
{
    PGconn *c[SESSIONS];
    const char *same = NULL;
    bool fine = true;

    for (int i = 0; i < SESSIONS; i++) { /* open transactions occupy all connections */
        c[i] = PQconnectdb(arena_printf(t->arena, "host=%s/pool user=bough dbname=bough", pg->dir));
        PQclear(PQexec(c[i], "BEGIN"));
    }
    for (int i = 0; i < SESSIONS; i++) {
        PGresult *r = PQexec(c[i], sql);
        const char *said = PQntuples(r) ? arena_strdup(t->arena, PQgetvalue(r, 0, 0)) : "";

        fine = fine && PQresultStatus(r) != PGRES_FATAL_ERROR && (!same || !strcmp(same, said));
        same = said;
        PQclear(r);
    }
    for (int i = 0; i < SESSIONS; i++) {
        PQclear(PQexec(c[i], "COMMIT"));
        PQfinish(c[i]);
    }
    CHECK(fine);
    return same;
}

/* Write through the pooler from two stores at once, with appends of 1, 3 and 400 entries. */
static void write_from_two(struct test *t, struct bough_store *other)
{
    enum { WRITERS = 4 };
    static const size_t sizes[WRITERS] = { 1, 3, 1, 400 };
    static struct ledger l[WRITERS];
    static atomic_bool stop;

    stop = false;
    for (int i = 0; i < WRITERS; i++) {
        l[i] = (struct ledger){ .s = i % 2 ? other : t->store,
                                .session = new_session(t, ""),
                                .number = i,
                                .size = sizes[i],
                                .keyed = i % 2,
                                .least = 5,
                                .stop = &stop };
    }
    for (int i = 0; i < WRITERS; i++)
        ledger_start(&l[i]);
    usleep(400000);
    stop = true;
    for (int i = 0; i < WRITERS; i++)
        ledger_join(&l[i]);
    for (int i = 0; i < WRITERS; i++) {
        printf("# %d appends, %d refused: %s\n", l[i].n, l[i].refused, l[i].err.msg);
        CHECK_INT(0, l[i].refused + l[i].unknown);
        ledger_check(t, &l[i]);
    }
}

/* Use every operation that talks to the server in a different way. */
static void work(struct test *t, struct bough_store *other)
{
    const char *session = new_session(t, "pool"), *child;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "heron" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_search_options find = { .query = "heron" };
    struct bough_append_result out;
    struct bough_mark mark;
    struct bough_feed_next_result feed;
    struct bough_hits hits;

    user(t, session, "one");
    child = fork_at(t, session, agent(t, session, "two"));
    agent(t, child, "three");
    CHECK_STR("one two three", path_text(t, child));
    CHECK_OK(bough_feed_end(t->store, &mark, &t->err));
    CHECK_OK(bough_append(other, t->arena, session, &in, &out, &t->err));
    CHECK_OK(bough_feed_next(t->store, t->arena, mark, 10, 5000, &feed, &t->err));
    CHECK_INT(1, feed.changes.n);
    CHECK_STR(out.ids[0], feed.changes.at[0].entry);
    CHECK_OK(bough_search(t->store, t->arena, &find, &hits, &t->err));
    CHECK_INT(1, hits.n);
    write_from_two(t, other);
}

static void run_through(struct test *t, const char *url)
{
    struct bough_store *other;

    t->url = url;
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err)); /* creates the tables */
    CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    work(t, other);
    store_check(t, other);
    bough_store_close(&other);
    store_check(t, t->store);
}

static const char *url_of(struct test *t, const struct pg_server *pg, const char *more)
{
    return arena_printf(t->arena, "postgres://bough@/bough?host=%s/pool%s", pg->dir, more);
}

PG_SERVER_TEST(a_pooler_that_shares_sessions_by_transaction_works_with_prepare_off, 60)
{
    static const char ask[] =
        "SELECT concat_ws(' ', current_setting('search_path'), current_setting("
        "'synchronous_commit'), current_setting('statement_timeout'),"
        " current_setting('idle_in_transaction_session_timeout'))";
    static const char theirs[] = "nowhere off 1min 5min";

    pg_server_do(pg, "start", NULL, NULL);
    pg_server_do(pg, "pool", "transaction", "8");
    /* Settings of other clients in a shared connection must not affect the store, and the store's
     * settings must not leak to them. */
    (void)in_every_session(t, pg,
                           "SET search_path = nowhere; SET synchronous_commit = off;"
                           "SET statement_timeout = '1min';"
                           "SET idle_in_transaction_session_timeout = '5min'");
    CHECK_STR(theirs, in_every_session(t, pg, ask));
    run_through(t, url_of(t, pg, "&prepare=off"));
    bough_store_close(&t->store);
    run_through(t, url_of(t, pg, "&prepare=off&schema=second"));
    CHECK_STR(theirs, in_every_session(t, pg, ask));
}

PG_SERVER_TEST(a_pooler_that_lends_whole_sessions_works_as_it_is, 60)
{
    pg_server_do(pg, "start", NULL, NULL);
    pg_server_do(pg, "pool", "session", NULL);
    run_through(t, url_of(t, pg, ""));
}
