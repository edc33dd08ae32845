/* PostgreSQL connections that break: cut after any number of bytes, ended by the server during
 * writes, deadlocks. An acknowledged change must be there once; a refused one must not be there. */
#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "lib/store_test.h"

enum { PAIRS = 32 };

/*
 * A proxy on a Unix socket that passes `left` bytes in either direction, then cuts that connection.
 */
struct proxy {
    char dir[80];
    struct sockaddr_un server;
    int listener;
    int pair[PAIRS][2];
    atomic_llong left; /* < 0: never cut */
    atomic_int cuts;
    atomic_bool stop;
    pthread_t thread;
};

static void drop_pair(struct proxy *p, int i)
{
    close(p->pair[i][0]);
    close(p->pair[i][1]);
    p->pair[i][0] = p->pair[i][1] = -1;
}

static void take_client(struct proxy *p)
{
    int client = accept(p->listener, NULL, NULL), server = socket(AF_UNIX, SOCK_STREAM, 0), i = 0;

    while (i < PAIRS && p->pair[i][0] >= 0)
        i++;
    if (client < 0 || i == PAIRS ||
        connect(server, (struct sockaddr *)&p->server, sizeof p->server) != 0) {
        close(client);
        close(server);
        return;
    }
    p->pair[i][0] = client;
    p->pair[i][1] = server;
}

static void write_all(int fd, const char *at, ssize_t n)
{
    while (n > 0) {
        ssize_t put = send(fd, at, (size_t)n, MSG_NOSIGNAL);

        if (put <= 0)
            return;
        at += put;
        n -= put;
    }
}

static void pass_on(struct proxy *p, int i, int side)
{
    char bytes[4096];
    ssize_t n = recv(p->pair[i][side], bytes, sizeof bytes, MSG_DONTWAIT);
    long long left = p->left;

    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            drop_pair(p, i);
        return;
    }
    if (left >= 0 && n >= left) {
        write_all(p->pair[i][!side], bytes, (ssize_t)left);
        drop_pair(p, i);
        p->left = -1;
        p->cuts++;
        return;
    }
    if (left >= 0)
        p->left = left - n;
    write_all(p->pair[i][!side], bytes, n);
}

static void *run_proxy(void *arg)
{
    struct proxy *p = arg;

    while (!p->stop) {
        struct pollfd fds[1 + 2 * PAIRS] = { { p->listener, POLLIN, 0 } };

        for (int i = 0; i < PAIRS; i++)
            for (int k = 0; k < 2; k++)
                fds[1 + 2 * i + k] = (struct pollfd){ p->pair[i][k], POLLIN, 0 };
        if (poll(fds, 1 + 2 * PAIRS, 20) <= 0)
            continue;
        if (fds[0].revents)
            take_client(p);
        for (int i = 0; i < PAIRS; i++)
            for (int k = 0; k < 2; k++)
                if (fds[1 + 2 * i + k].revents && p->pair[i][k] >= 0)
                    pass_on(p, i, k);
    }
    return NULL;
}

static void proxy_start(struct test *t, struct proxy *p)
{
    const char *server = getenv("BOUGH_TEST_PGDIR");
    struct sockaddr_un at = { .sun_family = AF_UNIX };

    if (!server)
        SKIP("no PostgreSQL server here: run it by tests/with-postgres.sh");
    memset(p->pair, -1, sizeof p->pair);
    snprintf(p->dir, sizeof p->dir, "/tmp/bough-proxy.XXXXXX");
    CHECK(mkdtemp(p->dir));
    p->server.sun_family = AF_UNIX;
    snprintf(p->server.sun_path, sizeof p->server.sun_path, "%.80s/.s.PGSQL.5432", server);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/.s.PGSQL.5432", p->dir);
    p->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(p->listener, (struct sockaddr *)&at, sizeof at) == 0 &&
          listen(p->listener, 16) == 0);
    p->left = -1;
    CHECK(pthread_create(&p->thread, NULL, run_proxy, p) == 0);
}

static void proxy_stop(struct proxy *p)
{
    char path[120];

    p->stop = true;
    pthread_join(p->thread, NULL);
    for (int i = 0; i < PAIRS; i++)
        if (p->pair[i][0] >= 0)
            drop_pair(p, i);
    close(p->listener);
    snprintf(path, sizeof path, "%s/.s.PGSQL.5432", p->dir);
    unlink(path);
    rmdir(p->dir);
}

/* The URL of the test's store through the proxy. */
static const char *url_through(struct test *t, const struct proxy *p)
{
    return arena_printf(t->arena, "postgres://bough@/bough?host=%s%s", p->dir,
                        strstr(t->url, "&schema="));
}

static enum bough_rc append_keyed(struct test *t, struct bough_store *s, const char *session, int n,
                                  struct bough_append_result *out)
{
    char text[32];
    struct bough_entry_new e[3] = { { .role = BOUGH_ROLE_USER, .text = text },
                                    { .role = BOUGH_ROLE_ASSISTANT, .text = "so" },
                                    { .role = BOUGH_ROLE_USER, .text = "be it" } };
    struct bough_append_options in = { .entries = e, .n = 3, .key = text };

    snprintf(text, sizeof text, "m %d", n);
    return bough_append(s, t->arena, session, &in, out, &t->err);
}

/* Single messages without a key take the fast path. Three are appended first so that the fourth,
 * which is cut, takes it too. */
static void cut_plain(struct test *t, struct proxy *p, struct bough_store *s, const char *session,
                      int at)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "plain" };
    struct bough_append_options in = { .entries = &e, .n = 1 };

    for (int i = 0; i < 4; i++) {
        struct bough_append_result out;
        int64_t before = get(t, session)->messages, after;
        enum bough_rc rc;

        p->left = i == 3 ? at : -1;
        rc = bough_append(s, t->arena, session, &in, &out, &t->err);
        p->left = -1;
        after = get(t, session)->messages;
        if (rc == BOUGH_UNKNOWN)
            CHECK(after == before || after == before + 1);
        else
            CHECK_INT(before + (rc == BOUGH_OK), after);
    }
}

SHARED_TEST(a_connection_cut_anywhere_loses_nothing_and_doubles_nothing, 240)
{
    static struct proxy p;
    struct bough_store *s;
    const char *session, *url;
    int refused = 0, unknown = 0, n = 0;

    if (store_has_file(t))
        SKIP("a file has no connection");
    p = (struct proxy){ .listener = -1 };
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    session = new_session(t, "cut");
    proxy_start(t, &p);
    url = url_through(t, &p);
    CHECK_OK(bough_store_open(
        &s, url, &(struct bough_store_open_options){ .indexing = BOUGH_INDEX_ON_SEARCH }, &t->err));
    CHECK_OK(append_keyed(t, s, session, ++n, &(struct bough_append_result){ 0 }));
    for (int at = 0; at < 9000; at += at < 3000 ? 61 : 331) {
        struct bough_append_result out = { 0 };
        int64_t before = get(t, session)->messages, after;
        enum bough_rc rc;

        p.left = at;
        rc = append_keyed(t, s, session, ++n, &out);
        p.left = -1;
        after = get(t, session)->messages;
        if (rc == BOUGH_OK)
            CHECK_INT(before + 3, after);
        else if (rc != BOUGH_UNKNOWN)
            CHECK_INT(before, after);
        refused += rc && rc != BOUGH_UNKNOWN;
        unknown += rc == BOUGH_UNKNOWN;
        CHECK_OK(append_keyed(t, s, session, n, &out)); /* the key makes the retry safe */
        CHECK_INT(before + 3, get(t, session)->messages);
        cut_plain(t, &p, s, session, at);
    }
    printf("# %d cuts: %d refused, %d unknown, the others went well\n", (int)p.cuts, refused,
           unknown);
    CHECK(p.cuts > 20);
    bough_store_close(&s);
    proxy_stop(&p);
    store_check(t, t->store);
}

/* ---- ended by the server ---- */

struct crowd {
    struct bough_store *s;
    const char *session;
    int number;
    atomic_int acked;
    const atomic_bool *stop;
    pthread_t thread;
};

static void *write_until(void *arg)
{
    struct crowd *c = arg;
    struct bough_arena *a = bough_arena_create();

    for (int i = 0; !*c->stop; i++) {
        char text[32];
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text };
        struct bough_append_options in = { .entries = &e, .n = 1, .key = text };
        struct bough_append_result out;
        enum bough_rc rc;

        snprintf(text, sizeof text, "%d.%d", c->number, i);
        bough_arena_reset(a);
        while ((rc = bough_append(c->s, a, c->session, &in, &out, NULL)) && !*c->stop)
            usleep(2000); /* retry with the same key: the append failed or its outcome is unknown */
        if (!rc)
            c->acked = i + 1;
    }
    bough_arena_destroy(a);
    return NULL;
}

/* The fewest appends that a thread of the crowd has acknowledged. */
static int fewest_acked(const struct crowd *c, int n)
{
    int least = c[0].acked;

    for (int i = 1; i < n; i++)
        least = c[i].acked < least ? c[i].acked : least;
    return least;
}

/* End all connections with this application_name. */
static void end_all(PGconn *pg, const char *name)
{
    const char *values[] = { name };

    PQclear(PQexecParams(pg,
                         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
                         " application_name = $1",
                         1, NULL, values, NULL, NULL, 0));
}

SHARED_TEST(connections_ended_by_the_server_while_four_threads_write, 120)
{
    enum { THREADS = 4 };
    char name[40];
    struct crowd c[THREADS] = { { 0 } };
    atomic_bool stop = false;
    struct bough_store *s;
    PGconn *pg;

    if (store_has_file(t))
        SKIP("a file has no connection");
    snprintf(name, sizeof name, "faults%d", (int)getpid());
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    CHECK_OK(bough_store_open(&s, arena_printf(t->arena, "%s&application_name=%s", t->url, name),
                              NULL, &t->err));
    pg = postgres_connect(t);
    for (int i = 0; i < THREADS; i++) {
        c[i].s = s;
        c[i].session = new_session(t, "");
        c[i].number = i;
        c[i].stop = &stop;
        CHECK(pthread_create(&c[i].thread, NULL, write_until, &c[i]) == 0);
    }
    for (int i = 0; i < 15; i++) {
        usleep(60000 + 7000 * (useconds_t)i);
        end_all(pg, name);
    }
    while (fewest_acked(c, THREADS) <= 3)
        usleep(10000); /* bounded by the limit of the test */
    stop = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(c[i].thread, NULL);
    PQfinish(pg);
    for (int i = 0; i < THREADS; i++) {
        struct bough_entries_read_result path;

        CHECK_OK(bough_entries_read(t->store, t->arena, c[i].session, NULL, &path, &t->err));
        CHECK((int)path.entries.n == c[i].acked || (int)path.entries.n == c[i].acked + 1);
        for (size_t k = 0; k < path.entries.n; k++)
            CHECK_STR(arena_printf(t->arena, "%d.%zu", i, k), text_of(t, &path.entries.at[k]));
    }
    bough_store_close(&s);
    store_check(t, t->store);
}

/* ---- deadlocks ---- */

struct renaming {
    struct bough_store *s;
    const char *session;
    enum bough_rc rc;
};

static void *rename_it(void *arg)
{
    struct renaming *r = arg;

    r->rc = bough_session_rename(r->s, r->session, "after", NULL);
    return NULL;
}

SHARED_TEST(a_deadlock_with_foreign_sql_is_retried, 60)
{
    struct renaming r;
    pthread_t thread;
    PGresult *result;
    PGconn *pg;

    if (store_has_file(t))
        SKIP("a file has one writer");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    r = (struct renaming){ t->store, new_session(t, "before"), BOUGH_IO };
    pg = postgres_connect(t);
    PQclear(PQexec(pg, "BEGIN; SELECT 1 FROM session FOR UPDATE"));
    CHECK(pthread_create(&thread, NULL, rename_it, &r) == 0);
    usleep(300000);
    result = PQexec(pg, "UPDATE counter SET commits = commits"); /* deadlock */
    PQclear(result);
    PQclear(PQexec(pg, "ROLLBACK"));
    pthread_join(thread, NULL);
    PQfinish(pg);
    CHECK_INT(BOUGH_OK, r.rc);
    CHECK_STR("after", get(t, r.session)->title);
    store_check(t, t->store);
}

/* A trigger that fails once, when a duplicate is given up: sequences are not rolled back. */
static const char refuse_once[] =
    "CREATE SEQUENCE once; CREATE FUNCTION refuse_once() RETURNS trigger LANGUAGE plpgsql AS"
    " 'BEGIN IF nextval(''once'') = 1 THEN RAISE SQLSTATE ''40001''; END IF; RETURN NEW; END';"
    "CREATE TRIGGER refuse BEFORE UPDATE ON blob FOR EACH ROW WHEN (NEW.since = 0)"
    " EXECUTE FUNCTION refuse_once()";

static void store_same_bytes(struct test *t)
{
    struct bough_attachment_writer *w = NULL;
    struct bough_attachment out;

    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    CHECK_OK(bough_attachment_write(w, "the same bytes", 14, &t->err));
    CHECK_OK(bough_attachment_finish(&w, &out, &t->err));
}

SHARED_TEST(a_duplicate_stored_again_after_a_conflict_keeps_the_first_one, 60)
{
    PGresult *r;
    PGconn *pg;

    if (store_has_file(t))
        SKIP("a file has one writer");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    store_same_bytes(t);
    pg = postgres_connect(t);
    r = PQexec(pg, refuse_once);
    CHECK_INT(PGRES_COMMAND_OK, PQresultStatus(r));
    PQclear(r);
    store_same_bytes(t);
    r = PQexec(pg, "SELECT count(*) FROM blob WHERE state <> 0");
    CHECK_STR("1", PQgetvalue(r, 0, 0));
    PQclear(r);
    r = PQexec(pg, "SELECT last_value > 1 FROM once");
    CHECK_STR("t", PQgetvalue(r, 0, 0)); /* it was refused, and done again */
    PQclear(r);
    PQfinish(pg);
    store_check(t, t->store);
}

/* ---- out of time ---- */

/* The number of connections with this name that wait for a lock. */
static int waiting(PGconn *pg, const char *name)
{
    const char *values[] = { name };
    PGresult *r = PQexecParams(pg,
                               "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1"
                               " AND wait_event_type = 'Lock'",
                               1, NULL, values, NULL, NULL, 0);
    int n = PQntuples(r) ? (int)strtol(PQgetvalue(r, 0, 0), NULL, 10) : -1;

    PQclear(r);
    return n;
}

SHARED_TEST(a_call_that_is_out_of_time_leaves_no_query_at_the_server, 30)
{
    const struct bough_store_open_options reading = { .read_only =
                                                          true }; /* no background thread */
    const struct bough_store_scoped_options hasty = { .deadline_ms = 400 };
    struct bough_store *s, *patient;
    struct bough_session *found;
    const char *session;
    char name[40];
    PGconn *pg;
    int left = 1;

    if (store_has_file(t))
        SKIP("a file has no server");
    snprintf(name, sizeof name, "late%d", (int)getpid());
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    session = new_session(t, "there");
    CHECK_OK(bough_store_open(&patient,
                              arena_printf(t->arena, "%s&application_name=%s", t->url, name),
                              &reading, &t->err));
    s = bough_store_scoped(patient, &hasty);
    pg = postgres_connect(t);
    PQclear(PQexec(pg, "BEGIN; LOCK TABLE session, head IN ACCESS EXCLUSIVE MODE"));
    CHECK_RC(BOUGH_TIMEOUT, bough_session_get(s, t->arena, session, &found, &t->err));
    for (struct wait w = { 0 }; left && wait_more(&w);) {
        PQclear(PQexec(pg, "SELECT pg_stat_clear_snapshot()"));
        left = waiting(pg, name);
    }
    PQclear(PQexec(pg, "ROLLBACK"));
    PQfinish(pg);
    CHECK_INT(0, left);
    CHECK_OK(bough_session_get(s, t->arena, session, &found, &t->err));
    bough_store_close(&s);
    bough_store_close(&patient);
    store_check(t, t->store);
}

/* ---- what is refused ---- */

TEST(a_url_that_would_send_a_password_in_the_clear_is_refused)
{
    struct bough_store *s = NULL;

    CHECK_RC(BOUGH_INVALID, bough_store_open(&s, "postgres://u:secret@db.example/x?sslmode=prefer",
                                             NULL, &t->err));
    CHECK(strstr(t->err.msg, "verify-full") && !strstr(t->err.msg, "secret"));
    CHECK_RC(BOUGH_INVALID,
             bough_store_open(&s, "postgres://u:secret@/x?schema=a-b", NULL, &t->err));
    CHECK(!strstr(t->err.msg, "secret"));
    CHECK_RC(BOUGH_INVALID,
             bough_store_open(&s, "postgres://u:secret@h/x?nonsense=1", NULL, &t->err));
    CHECK(!strstr(t->err.msg, "secret"));
    CHECK_RC(BOUGH_INVALID, bough_store_open(&s, "postgres:///x?prepare=never", NULL, &t->err));
}

TEST(a_url_with_several_servers_needs_tls_when_one_of_them_is_another_machine)
{
    static const char *const urls[] = {
        "postgres://u:secret@localhost,db.example/x?sslmode=prefer",
        "postgres://u:secret@/x?host=/tmp,db.example&sslmode=prefer",
        "postgres://u:secret@localhost/x?hostaddr=192.0.2.1&sslmode=prefer",
        "postgres://u:secret@/x?service=elsewhere&sslmode=prefer",
    };
    struct bough_store *s = NULL;
    enum bough_rc rc;

    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        CHECK_RC(BOUGH_INVALID, bough_store_open(&s, urls[i], NULL, &t->err));
        CHECK(strstr(t->err.msg, "verify-full") && !strstr(t->err.msg, "secret"));
    }
    CHECK(setenv("PGHOST", "db.example", 1) == 0);
    rc = bough_store_open(&s, "postgres://u:secret@/x?sslmode=prefer", NULL, &t->err);
    CHECK(unsetenv("PGHOST") == 0);
    CHECK_RC(BOUGH_INVALID, rc);
    rc = bough_store_open(
        &s,
        arena_printf(t->arena, "postgres://u@/x?host=%s,localhost&port=5432,1&sslmode=disable",
                     test_dir(t)),
        NULL, &t->err);
    CHECK_RC(BOUGH_IO, rc); /* both hosts are local, so TLS is not needed, and no server listens */
}

TEST(a_url_is_shown_without_its_password)
{
    static const char *const pairs[][2] = {
        { "postgres://u:se:c@ret@db.example:5432/x?a=1", "postgres://u:***@db.example:5432/x?a=1" },
        { "postgres://u@/x?host=/tmp&password=secret&a=1",
          "postgres://u@/x?host=/tmp&password=***&a=1" },
        { "postgres://u@/x?password=secret", "postgres://u@/x?password=***" },
        { "postgres://db/x", "postgres://db/x" },
        { "sqlite:/a:b@c", "sqlite:/a:b@c" },
        { "plain.db", "plain.db" },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_STR(pairs[i][1], bough_url_shown(t->arena, pairs[i][0]));
}

TEST(a_server_that_is_not_there_is_said_so_without_the_password)
{
    const char *url = arena_printf(t->arena, "postgres://u:secret@/x?host=%s", test_dir(t));
    struct bough_store *s = NULL;

    CHECK(bough_store_open(&s, url, NULL, &t->err) == BOUGH_IO);
    CHECK(strstr(t->err.msg, "cannot connect") && !strstr(t->err.msg, "secret"));
}

SHARED_TEST(statements_need_not_be_prepared, 30)
{
    const char *s;

    if (store_has_file(t))
        SKIP("only PostgreSQL prepares them at a server");
    t->url = arena_printf(t->arena, "%s&prepare=off", t->url);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    s = new_session(t, "plain");
    user(t, s, "one");
    agent(t, fork_at(t, s, user(t, s, "two")), "three");
    CHECK_STR("one two", path_text(t, s));
    store_check(t, t->store);
}
