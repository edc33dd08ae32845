/* A PostgreSQL server that is stopped, killed and restarted while stores write to it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "ledger.h"
#include "lib/pg_server.h"

PG_SERVER_TEST(a_server_restarted_again_and_again_loses_nothing_and_doubles_nothing, 60)
{
    enum { WRITERS = 6, RESTARTS = 5 };
    static const struct ledger kinds[WRITERS] = {
        { .size = 1, .keyed = true },    { .size = 1 }, { .size = 5, .keyed = true }, { .size = 3 },
        { .size = 2000, .keyed = true }, { .size = 1 },
    };
    static struct ledger l[WRITERS];
    static atomic_bool stop;
    struct bough_store *other;
    int unknown = 0, refused = 0, appends = 0, failed = 0;

    stop = false;
    pg_server_do(pg, "start", NULL, NULL);
    t->url = pg_server_url(t, pg, "");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    for (int i = 0; i < WRITERS; i++) {
        l[i] = kinds[i];
        l[i].s = i % 2 ? other : t->store;
        l[i].session = new_session(t, "");
        l[i].number = i;
        l[i].least = kinds[i].size > 100 ? 0 : 25; /* on slow machines, too */
        l[i].stop = &stop;
    }
    for (int i = 0; i < WRITERS; i++)
        ledger_start(&l[i]);
    for (int i = 0; i < RESTARTS; i++) {
        usleep(250000 + 13000 * (useconds_t)i);
        failed += !pg_server_try(pg, "stop", i % 3 == 2 ? "fast" : "immediate", NULL);
        failed += !pg_server_try(pg, "start", NULL, NULL);
    }
    usleep(300000);
    stop = true;
    for (int i = 0; i < WRITERS; i++)
        ledger_join(&l[i]);
    bough_store_close(&other);
    for (int i = 0; i < WRITERS; i++) {
        printf("# writer %d: %d appends, %d refused, %d unknown, the slowest call %d ms: %s\n", i,
               l[i].n, l[i].refused, l[i].unknown, (int)(l[i].slowest_us / 1000), l[i].err.msg);
        appends += l[i].n;
        unknown += l[i].unknown;
        refused += l[i].refused;
    }
    CHECK_INT(0, failed);
    for (int i = 0; i < WRITERS; i++)
        ledger_check(t, &l[i]);
    CHECK(appends > 100);
    CHECK_INT(0, unknown); /* the server came back, so each outcome could be looked up */
    store_check(t, t->store);
}

/* ---- a commit that was lost when the server died ---- */

/* `a` appends, each commit taking 0.1 s, until the server is killed after `ms`, in the middle of a
 * commit. `b` writes after the restart, before `a` can reconnect. */
static void lose_a_commit(struct pg_server *pg, const char *link, struct ledger *a,
                          struct ledger *b, unsigned ms, atomic_bool *stop)
{
    bool fine;

    *stop = false;
    ledger_start(a);
    usleep(ms * 1000);
    *stop = true; /* no retries: the result of the first try counts */
    fine = pg_server_try(pg, "stop", "immediate", NULL);
    fine = unlink(link) == 0 && fine && pg_server_try(pg, "start", NULL, NULL);
    for (struct wait w = { 0 }; fine && ledger_append(b) != BOUGH_OK && wait_more(&w);)
        ;
    fine = symlink(pg->dir, link) == 0 && fine;
    ledger_join(a);
    printf("# %d appends, %d refused: %s\n", a->n, a->refused, a->err.msg);
    CHECK(fine);
}

/*
 * The server dies after it received COMMIT and before its disk has it. Transaction ids that never
 * reached the disk are assigned again: the first writer after the restart gets the id of the lost
 * transaction, and the server then reports that id as committed.
 */
PG_SERVER_TEST(a_commit_that_died_with_its_server_is_not_mistaken_for_another, 60)
{
    static struct ledger two, one, b;
    static atomic_bool stop;
    const char *link = test_path(t, "way");
    struct bough_store *s;

    pg_server_conf(t, pg, "postgresql.conf",
                   "commit_delay = 100000\ncommit_siblings = 0\nwal_writer_delay = 10s\n");
    pg_server_do(pg, "start", NULL, NULL);
    t->url = pg_server_url(t, pg, "");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    CHECK(symlink(pg->dir, link) == 0);
    CHECK_OK(bough_store_open(
        &s, arena_printf(t->arena, "postgres://bough@/bough?host=%s", link),
        &(struct bough_store_open_options){ .indexing = BOUGH_INDEX_ON_SEARCH }, &t->err));
    stop = true;
    b = (struct ledger){ .s = t->store, .session = new_session(t, ""), .size = 2, .stop = &stop };
    two = (struct ledger){ .s = s, .session = new_session(t, ""), .size = 2, .stop = &stop };
    one = (struct ledger){ .s = s, .session = new_session(t, ""), .size = 1, .stop = &stop };
    CHECK_OK(ledger_append(&two));
    lose_a_commit(pg, link, &two, &b, 50, &stop);
    CHECK_OK(ledger_append(&one));
    lose_a_commit(pg, link, &one, &b, 350, &stop);
    bough_store_close(&s);
    ledger_check(t, &two);
    ledger_check(t, &one);
    ledger_check(t, &b);
    CHECK_INT(0, one.unknown + two.unknown);
    store_check(t, t->store);
}

/* The same for attachments, whose chunks have no changelog row. */
enum { UPLOADS_MOST = 64 };

struct uploads {
    struct bough_store *s;
    const atomic_bool *stop;
    int n; /* acknowledged */
    struct bough_attachment at[UPLOADS_MOST];
    pthread_t thread;
};

static void *upload_all(void *user)
{
    struct uploads *u = user;
    char bytes[3000];

    for (int i = 0; i < UPLOADS_MOST && !*u->stop; i++) {
        struct bough_attachment_writer *w = NULL;
        struct bough_error err;

        memset(bytes, 'a' + i % 26, sizeof bytes);
        snprintf(bytes, sizeof bytes, "%d", i);
        if (bough_attachment_begin(u->s, &w, &err))
            continue;
        if (bough_attachment_write(w, bytes, sizeof bytes, &err))
            bough_attachment_cancel(&w);
        else if (bough_attachment_finish(&w, &u->at[u->n], &err) == BOUGH_OK)
            u->n++;
    }
    return NULL;
}

static bool count_bytes(void *user, const void *p, size_t n)
{
    (void)p;
    *(size_t *)user += n;
    return true;
}

/* Everything that was acknowledged can be shown and read. */
static void check_uploads(struct test *t, const struct uploads *u)
{
    const char *session = new_session(t, "files");

    for (int i = 0; i < u->n; i++) {
        struct bough_str part = str_of(arena_printf(
            t->arena, "{\"type\":\"file\",\"url\":\"%s\",\"mediaType\":\"text/plain\"}",
            u->at[i].url));
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = &part, .nparts = 1 };
        struct bough_append_options in = { .entries = &e, .n = 1 };
        struct bough_append_result out;
        size_t n = 0;

        CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
        CHECK_OK(bough_attachment_read(
            t->store, session, out.ids[0],
            &(struct bough_attachment_read_options){ .write = count_bytes, .user = &n }, &t->err));
        CHECK_INT(3000, n);
    }
}

PG_SERVER_TEST(an_attachment_whose_commit_died_with_the_server_is_not_acknowledged, 60)
{
    static struct uploads u;
    static struct ledger b;
    static atomic_bool stop;
    const char *link = test_path(t, "way");
    struct bough_store *s;
    bool fine = true;

    pg_server_conf(t, pg, "postgresql.conf",
                   "commit_delay = 100000\ncommit_siblings = 0\nwal_writer_delay = 10s\n");
    pg_server_do(pg, "start", NULL, NULL);
    t->url = pg_server_url(t, pg, "");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    CHECK(symlink(pg->dir, link) == 0);
    CHECK_OK(bough_store_open(
        &s, arena_printf(t->arena, "postgres://bough@/bough?host=%s", link),
        &(struct bough_store_open_options){ .indexing = BOUGH_INDEX_ON_SEARCH }, &t->err));
    stop = false;
    b = (struct ledger){ .s = t->store, .session = new_session(t, ""), .size = 2, .stop = &stop };
    u = (struct uploads){ .s = s, .stop = &stop };
    CHECK_INT(0, pthread_create(&u.thread, NULL, upload_all, &u));
    usleep(350000);
    stop = true;
    fine = pg_server_try(pg, "stop", "immediate", NULL);
    fine = unlink(link) == 0 && fine && pg_server_try(pg, "start", NULL, NULL);
    for (struct wait w = { 0 }; fine && ledger_append(&b) != BOUGH_OK && wait_more(&w);)
        ;
    fine = symlink(pg->dir, link) == 0 && fine;
    pthread_join(u.thread, NULL);
    CHECK(fine);
    printf("# %d uploads\n", u.n);
    bough_store_close(&s);
    check_uploads(t, &u);
    ledger_check(t, &b);
    store_check(t, t->store);
}

/* ---- a server that is down or frozen ---- */

struct answers {
    enum bough_rc read, list, append, feed;
    int64_t slowest_us;
    struct bough_error err[4];
};

static void clocked(struct answers *a, int64_t *began)
{
    int64_t now = mono_us();

    a->slowest_us = now - *began > a->slowest_us ? now - *began : a->slowest_us;
    *began = now;
}

/* Make one call of each kind with a deadline of 500 ms. */
static struct answers ask_all(struct test *t, const char *session)
{
    struct bough_store *s =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .deadline_ms = 500 });
    struct bough_entry_new e[2] = { { .role = BOUGH_ROLE_USER, .text = "a" },
                                    { .role = BOUGH_ROLE_USER, .text = "b" } };
    struct bough_append_options in = { .entries = e, .n = 2 };
    struct bough_append_result out;
    struct bough_entries_read_result path;
    struct bough_feed_next_result feed;
    struct bough_sessions list;
    struct answers a = { 0 };
    int64_t began = mono_us();

    a.read = bough_entries_read(s, t->arena, session, NULL, &path, &a.err[0]);
    clocked(&a, &began);
    a.list = bough_session_list(s, t->arena, NULL, &list, &a.err[1]);
    clocked(&a, &began);
    a.append = bough_append(s, t->arena, session, &in, &out, &a.err[2]);
    clocked(&a, &began);
    a.feed = bough_feed_next(s, t->arena, (struct bough_mark){ 0 }, 1, 0, &feed, &a.err[3]);
    clocked(&a, &began);
    for (int i = 0; i < 4; i++)
        printf("# %s: %s\n", bough_rc_name(a.err[i].rc), a.err[i].msg);
    printf("# the slowest took %d ms\n", (int)(a.slowest_us / 1000));
    bough_store_close(&s);
    return a;
}

PG_SERVER_TEST(a_server_that_is_away_or_frozen_is_said_so_in_time_and_found_again, 60)
{
    struct bough_store *s = NULL;
    struct answers a;
    const char *session;

    pg_server_do(pg, "start", NULL, NULL);
    t->url = pg_server_url(t, pg, "");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    session = new_session(t, "away");
    user(t, session, "one");
    CHECK_STR("one", path_text(t, session));
    pg_server_do(pg, "stop", "fast", NULL);
    pg_server_do(pg, "start", NULL, NULL);
    CHECK_STR("one", path_text(t, session)); /* no call was running: reconnects */
    pg_server_do(pg, "stop", "immediate", NULL);
    pg_server_do(pg, "start", NULL, NULL);
    CHECK_STR("one", path_text(t, session));

    pg_server_do(pg, "stop", "fast", NULL);
    a = ask_all(t, session);
    CHECK_INT(BOUGH_IO, a.read);
    CHECK_INT(BOUGH_IO, a.list);
    CHECK_INT(BOUGH_IO, a.feed);
    CHECK(a.append == BOUGH_IO || a.append == BOUGH_NOT_DONE || a.append == BOUGH_TIMEOUT);
    CHECK(a.slowest_us < 3000000);
    CHECK_RC(BOUGH_IO, bough_store_open(&s, t->url, NULL, &t->err));
    CHECK(strstr(t->err.msg, "cannot connect"));
    pg_server_do(pg, "start", NULL, NULL);
    user(t, session, "two");
    CHECK_STR("one two", path_text(t, session));

    pg_server_do(pg, "freeze", NULL, NULL);
    a = ask_all(t, session);
    pg_server_do(pg, "thaw", NULL, NULL);
    CHECK_INT(BOUGH_TIMEOUT, a.read);
    CHECK_INT(BOUGH_TIMEOUT, a.list);
    CHECK_INT(BOUGH_TIMEOUT, a.feed);
    CHECK_INT(BOUGH_TIMEOUT, a.append);
    CHECK(a.slowest_us < 3000000);
    user(t, session, "three");
    CHECK_STR("one two three", path_text(t, session));
    store_check(t, t->store);
}
