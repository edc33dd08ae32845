/* PostgreSQL over TCP: TLS is required, with the right server and the right password. */
#include <libpq-fe.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "lib/pg_server.h"

#define SECRET "s3cret-of-the-test"

static void start_with_tls(struct test *t, struct pg_server *pg)
{
    pg_server_listen(t, pg);
    pg_server_conf(t, pg, "tls_hba.conf",
                   "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n");
    pg_server_conf(t, pg, "postgresql.conf",
                   arena_printf(t->arena,
                                "hba_file = '%s/data/tls_hba.conf'\nssl = on\nssl_cert_file ="
                                " '%s/tls/server.crt'\nssl_key_file = '%s/tls/server.key'\n",
                                pg->dir, pg->dir, pg->dir));
    pg_server_do(pg, "start", NULL, NULL);
}

static const char *url_to(struct test *t, const struct pg_server *pg, const char *host,
                          const char *password, const char *ca)
{
    return arena_printf(
        t->arena, "postgres://bough:%s@%s:%d/bough?sslmode=verify-full&sslrootcert=%s/tls/%s.crt",
        password, host, pg->port, pg->dir, ca);
}

/* Opening must fail with `want` and a message that contains `why` and no password. */
static void refused(struct test *t, const char *url, enum bough_rc want, const char *why)
{
    struct bough_store *s = NULL;

    CHECK_RC(want, bough_store_open(&s, url, NULL, &t->err));
    printf("# %s: %s\n", bough_rc_name(t->err.rc), t->err.msg);
    CHECK(!s && strstr(t->err.msg, why));
    CHECK(!strstr(t->err.msg, SECRET) && !strstr(t->err.msg, "not-it"));
}

PG_SERVER_TEST(a_store_behind_tls_works_and_only_with_the_right_server_and_password, 60)
{
    const char *session, *tls;

    pg_server_do(pg, "tls", NULL, NULL);
    start_with_tls(t, pg);
    CHECK(pg_server_ask(t, pg, "ALTER ROLE bough PASSWORD '" SECRET "'"));
    t->url = url_to(t, pg, "localhost", SECRET, "ca");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    session = new_session(t, "secret");
    user(t, session, "one");
    agent(t, session, "two");
    CHECK_STR("one two", path_text(t, session));
    tls = pg_server_ask(t, pg,
                        "SELECT bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING"
                        " (pid) WHERE a.usename = 'bough'");
    CHECK_STR("t", tls);
    store_check(t, t->store);

    refused(t, url_to(t, pg, "localhost", SECRET, "other"), BOUGH_IO, "certificate verify failed");
    refused(t,
            arena_printf(t->arena, "%s&hostaddr=::1,127.0.0.1",
                         url_to(t, pg, "localhost,localhost", SECRET, "other")),
            BOUGH_IO, "certificate verify failed");
    refused(t, url_to(t, pg, "127.0.0.1", SECRET, "ca"), BOUGH_IO, "does not match host name");
    refused(t, url_to(t, pg, "localhost", SECRET, "none"), BOUGH_IO, "none.crt");
    refused(t, url_to(t, pg, "localhost", "not-it", "ca"), BOUGH_DENIED, "password");
    refused(t,
            arena_printf(t->arena, "postgres://bough:%s@localhost:%d/bough?sslmode=disable", SECRET,
                         pg->port),
            BOUGH_DENIED, "pg_hba.conf");
    store_check(t, t->store);

    pg_server_do(pg, "stop", "fast", NULL);
    pg_server_conf(t, pg, "postgresql.conf", "ssl = off\n");
    pg_server_do(pg, "start", NULL, NULL);
    refused(t, t->url, BOUGH_IO, "does not support SSL");
}

PG_SERVER_TEST(a_server_without_a_free_connection_is_overloaded, 60)
{
    enum { MOST = 12 };
    PGconn *c[MOST] = { NULL };
    struct bough_store *s = NULL;
    enum bough_rc rc = BOUGH_OK;
    int n = 0;

    pg_server_conf(t, pg, "postgresql.conf", "max_connections = 10\nmax_wal_senders = 0\n");
    pg_server_do(pg, "start", NULL, NULL);
    t->url = pg_server_url(t, pg, "");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    while (n < MOST && (!n || PQstatus(c[n - 1]) == CONNECTION_OK))
        c[n++] = PQconnectdb(
            arena_printf(t->arena, "host=%s port=%d user=bough dbname=bough", pg->dir, pg->port));
    rc = bough_store_open(&s, t->url, NULL, &t->err);
    for (int i = 0; i < n; i++)
        PQfinish(c[i]);
    CHECK_RC(BOUGH_OVERLOADED, rc);
    for (struct wait w = { 0 };
         bough_store_open(&s, t->url, NULL, &t->err) != BOUGH_OK && wait_more(&w);)
        ;
    CHECK(s);
    store_check(t, s);
    bough_store_close(&s);
}
