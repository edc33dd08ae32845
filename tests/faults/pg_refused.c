/* Servers, databases and schemas in which a store must not be created: each is refused before
 * anything is written. */
#include <libpq-fe.h>

#include "base/memory/arena.h"
#include "lib/pg_server.h"
#include "store/postgres/postgres.h"

static void refused(struct test *t, const char *url, bool read_only, enum bough_rc want,
                    const char *why)
{
    struct bough_store_open_options how = { .read_only = read_only };
    struct bough_store *s = NULL;

    CHECK_RC(want, bough_store_open(&s, url, &how, &t->err));
    CHECK(!s && strstr(t->err.msg, why));
}

PG_SERVER_TEST(a_server_that_does_not_sync_and_a_database_that_is_not_utf8_are_refused, 60)
{
    const char *url = pg_server_url(t, pg, "");

    pg_server_conf(t, pg, "postgresql.conf", "fsync = off\n");
    pg_server_do(pg, "start", NULL, NULL);
    refused(t, url, false, BOUGH_INVALID, "fsync=off");
    CHECK_STR("0",
              pg_server_ask(t, pg, "SELECT count(*) FROM pg_namespace WHERE nspname = 'bough'"));

    pg_server_conf(t, pg, "postgresql.conf", "fsync = on\n");
    pg_server_do(pg, "stop", "fast", NULL);
    pg_server_do(pg, "start", NULL, NULL);
    pg_server_conf(t, pg, "postgresql.conf", "full_page_writes = off\n");
    pg_server_do(pg, "stop", "fast", NULL);
    pg_server_do(pg, "start", NULL, NULL);
    refused(t, url, false, BOUGH_INVALID, "full_page_writes=off");
    pg_server_conf(t, pg, "postgresql.conf", "full_page_writes = on\n");
    pg_server_do(pg, "stop", "fast", NULL);
    pg_server_do(pg, "start", NULL, NULL);
    CHECK(pg_server_ask(t, pg,
                        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 OWNER bough"));
    refused(t, arena_printf(t->arena, "postgres://bough@/latin?host=%s", pg->dir), false,
            BOUGH_INVALID, "LATIN1");
    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    new_session(t, "now it is fine");
    store_check(t, t->store);
}

static bool ignore_row(void *user, const struct query_row *row)
{
    (void)user;
    (void)row;
    return true;
}

static void set_format(struct test *t, PGconn *pg, const char *value)
{
    PGresult *r = PQexec(pg, arena_printf(t->arena,
                                          "UPDATE meta SET value = '%s' WHERE key ="
                                          " 'schema'",
                                          value));

    CHECK_STR("1", PQcmdTuples(r));
    PQclear(r);
}

SHARED_TEST(a_foreign_schema_and_one_of_a_newer_bough_are_refused, 30)
{
    const char *session, *format;
    PGresult *r;
    PGconn *pg;

    if (store_has_file(t))
        SKIP("bad files have tests of their own");
    refused(t, t->url, true, BOUGH_NOT_FOUND, "there is no store");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    session = new_session(t, "x");
    pg = postgres_connect(t);
    r = PQexec(pg, "SELECT value FROM meta WHERE key = 'schema'");
    format = arena_strdup(t->arena, PQgetvalue(r, 0, 0));
    PQclear(r);

    set_format(t, pg, "99");
    refused(t, t->url, false, BOUGH_VERSION, "format 99");
    set_format(t, pg, "2");
    refused(t, t->url, true, BOUGH_READ_ONLY, "open it once for writing");
    set_format(t, pg, "mine");
    refused(t, t->url, false, BOUGH_INVALID, "is not a bough store");
    set_format(t, pg, format);
    PQfinish(pg);
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    CHECK_STR("x", get(t, session)->title);
    store_check(t, t->store);
}

PG_SERVER_TEST(a_schema_of_another_role_is_refused_and_sql_runs_as_no_superuser, 60)
{
    const char *url = pg_server_url(t, pg, "");
    struct bough_arena *a = t->arena;

    pg_server_do(pg, "start", NULL, NULL);
    CHECK(pg_server_ask(t, pg, "CREATE ROLE mallory"));
    CHECK(pg_server_ask(t, pg, "CREATE SCHEMA bough AUTHORIZATION mallory"));
    CHECK(pg_server_ask(t, pg, "GRANT ALL ON SCHEMA bough TO bough"));
    refused(t, url, false, BOUGH_DENIED, "mallory");
    CHECK(pg_server_ask(t, pg, "ALTER SCHEMA bough OWNER TO bough"));
    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    new_session(t, "mine");
    CHECK_OK(postgres_query(a, strchr(url, ':') + 1, "SELECT 1", ignore_row, NULL, &t->err));
    CHECK(pg_server_ask(t, pg, "ALTER ROLE bough SUPERUSER"));
    CHECK_RC(BOUGH_DENIED,
             postgres_query(a, strchr(url, ':') + 1, "SELECT pg_read_file('PG_VERSION')",
                            ignore_row, NULL, &t->err));
    CHECK(pg_server_ask(t, pg, "ALTER ROLE bough NOSUPERUSER"));
    store_check(t, t->store);
}
