/* A hot standby: read beside the primary, and promoted when the primary dies. */
#include <stdio.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "ledger.h"
#include "lib/pg_server.h"

/* Start the primary and a synchronous standby, which has everything the primary acknowledges. */
static struct pg_server *start_pair(struct test *t, struct pg_server *pg)
{
    struct pg_server *standby;

    pg_server_do(pg, "start", NULL, NULL);
    standby = pg_server_standby(t, pg);
    pg_server_do(standby, "start", NULL, NULL);
    CHECK(pg_server_ask(t, pg, "ALTER SYSTEM SET synchronous_standby_names = 'standby'"));
    CHECK(pg_server_ask(t, pg, "SELECT pg_reload_conf()"));
    return standby;
}

/* Wait until the standby shows change number `no`. */
static void wait_for_change(struct test *t, struct bough_store *s, int64_t no)
{
    struct bough_mark at = { 0 };
    struct bough_feed_next_result feed = { 0 };

    for (int i = 0; at.no < no && i < 500; i++) {
        CHECK_OK(bough_feed_next(s, t->arena, at, 100, 100, &feed, &t->err));
        at = feed.next;
    }
    CHECK_INT(no, at.no);
}

static int64_t last_change(struct test *t)
{
    struct bough_store_info_result info;

    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    return info.last_no;
}

PG_SERVER_TEST(a_standby_is_read_and_followed_and_not_written, 60)
{
    struct pg_server *standby = start_pair(t, pg);
    const struct bough_store_open_options reading = { .read_only = true };
    struct bough_search_options find = { .query = "heron" };
    struct bough_store *s = NULL, *writable = NULL;
    struct bough_sessions list;
    struct bough_mark mark;
    struct bough_feed_next_result feed;
    struct bough_hits hits;
    const char *session, *id, *url = pg_server_url(t, standby, "");

    t->url = pg_server_url(t, pg, "");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    session = new_session(t, "birds");
    user(t, session, "a heron");
    agent(t, fork_at(t, session, user(t, session, "a crane")), "both");
    CHECK_OK(bough_search(t->store, t->arena, &find, &hits, &t->err)); /* updates the full text */

    for (struct wait w = { 0 };
         bough_store_open(&s, url, &reading, &t->err) == BOUGH_NOT_FOUND && wait_more(&w);)
        ; /* the tables are not replicated yet */
    CHECK(s);
    wait_for_change(t, s, last_change(t));
    CHECK_OK(bough_session_list(s, t->arena, NULL, &list, &t->err));
    CHECK_INT(2, list.n);
    hits.complete = false;
    for (struct wait w = { 0 }; !hits.complete && wait_more(&w);) /* replicated later */
        CHECK_OK(bough_search(s, t->arena, &find, &hits, &t->err));
    CHECK_INT(1, hits.n);
    CHECK_OK(bough_feed_end(s, &mark, &t->err));
    id = user(t, session, "a stork");
    CHECK_OK(bough_feed_next(s, t->arena, mark, 10, 5000, &feed, &t->err));
    CHECK_INT(1, feed.changes.n);
    CHECK_STR(id, feed.changes.at[0].entry);

    CHECK_RC(BOUGH_READ_ONLY, bough_session_rename(s, session, "fish", &t->err));
    CHECK_RC(BOUGH_READ_ONLY, bough_store_open(&writable, url, NULL, &t->err));
    printf("# %s\n", t->err.msg);
    CHECK(strstr(t->err.msg, "standby") && strstr(t->err.msg, "read-only"));
    store_check(t, s);
    bough_store_close(&s);
    store_check(t, t->store);
}

/* The primary's address suddenly leads to a standby, as after a manual switchover. */
PG_SERVER_TEST(a_writer_that_finds_a_standby_in_its_place_says_so, 60)
{
    struct pg_server *standby = start_pair(t, pg);
    const char *link = test_path(t, "name"), *session, *left = "";
    enum bough_rc rc = BOUGH_IO;

    CHECK(symlink(pg->dir, link) == 0);
    CHECK_OK(bough_store_open(
        &t->store, arena_printf(t->arena, "postgres://bough@/bough?host=%s", link),
        &(struct bough_store_open_options){ .indexing = BOUGH_INDEX_ON_SEARCH }, &t->err));
    session = new_session(t, "before");
    CHECK_OK(bough_store_upkeep(t->store, &t->err)); /* no background work is pending */
    CHECK(unlink(link) == 0 && symlink(standby->dir, link) == 0);
    for (struct wait w = { 0 }; strcmp(left, "0") != 0 && wait_more(&w);) {
        left = pg_server_ask(t, pg,
                             "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE"
                             " usename = 'bough'");
        CHECK(left);
    }
    /* A backend leaves the list before its socket is closed: the first calls may still use it. */
    for (struct wait w = { 0 }; rc == BOUGH_IO && wait_more(&w);)
        rc = bough_session_rename(t->store, session, "after", &t->err);
    CHECK_RC(BOUGH_READ_ONLY, rc);
    printf("# %s\n", t->err.msg);
    CHECK(unlink(link) == 0 && symlink(pg->dir, link) == 0);
    CHECK_OK(bough_session_rename(t->store, session, "after", &t->err));
    CHECK_STR("after", get(t, session)->title);
    store_check(t, t->store);
}

PG_SERVER_TEST(a_standby_takes_the_place_of_its_primary_with_everything_acknowledged, 60)
{
    enum { WRITERS = 3 };
    static const struct ledger kinds[WRITERS] = { { .size = 1 },
                                                  { .size = 4, .keyed = true },
                                                  { .size = 200, .keyed = true } };
    static struct ledger l[WRITERS];
    static atomic_bool stop;
    struct pg_server *standby = start_pair(t, pg);
    struct bough_store *both;
    bool fine;

    stop = false;
    CHECK_OK(bough_store_open(
        &both,
        arena_printf(t->arena, "postgres://bough@/bough?host=%s,%s&target_session_attrs=read-write",
                     pg->dir, standby->dir),
        NULL, &t->err));
    CHECK_OK(bough_store_open(&t->store, pg_server_url(t, pg, ""), NULL, &t->err));
    for (int i = 0; i < WRITERS; i++) {
        l[i] = kinds[i];
        l[i].s = both;
        l[i].session = new_session(t, "");
        l[i].number = i;
        l[i].stop = &stop;
    }
    bough_store_close(&t->store);
    for (int i = 0; i < WRITERS; i++)
        ledger_start(&l[i]);
    usleep(400000);
    fine = pg_server_try(pg, "stop", "immediate", NULL);
    fine = pg_server_try(standby, "promote", NULL, NULL) && fine;
    usleep(600000);
    stop = true;
    for (int i = 0; i < WRITERS; i++)
        ledger_join(&l[i]);
    CHECK(fine);
    t->url = pg_server_url(t, standby, "");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    for (int i = 0; i < WRITERS; i++) {
        printf("# %d appends, %d refused, %d unknown: %s\n", l[i].n, l[i].refused, l[i].unknown,
               l[i].err.msg);
        ledger_check(t, &l[i]);
        CHECK_INT(0, l[i].unknown);
        CHECK_OK(ledger_append(&l[i])); /* the handle survived the failover */
        l[i].s = t->store;
        CHECK_OK(ledger_append(&l[i]));
        ledger_check(t, &l[i]);
    }
    bough_store_close(&both);
    store_check(t, t->store);
}

PG_SERVER_TEST(a_primary_that_hangs_is_passed_over_for_the_standby_that_took_over, 60)
{
    struct pg_server *standby = start_pair(t, pg);
    const char *session;
    int64_t began;

    CHECK_OK(bough_store_open(&t->store, pg_server_url(t, pg, ""), NULL, &t->err));
    session = new_session(t, "");
    user(t, session, "one");
    bough_store_close(&t->store);
    pg_server_do(pg, "freeze", NULL, NULL); /* it accepts connections and never answers */
    pg_server_do(standby, "promote", NULL, NULL);
    t->url =
        arena_printf(t->arena, "postgres://bough@/bough?host=%s,%s&target_session_attrs=read-write",
                     pg->dir, standby->dir);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    began = mono_us();
    user(t, session, "two"); /* over new connections, which already avoid the frozen primary */
    CHECK(mono_us() - began < 1500000);
    CHECK_STR("one two", path_text(t, session));
    store_check(t, t->store);
}
