/* PostgreSQL servers that belong to one test: runs tests/pg-server.sh. */
#include "lib/pg_server.h"

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"

extern char **environ;

bool pg_server_try(const struct pg_server *pg, const char *verb, const char *a, const char *b)
{
    char *const argv[] = { getenv("BOUGH_TEST_PGSERVER"),     (char *)(uintptr_t)verb,
                           (char *)(uintptr_t)pg->dir,        (char *)(uintptr_t)a,
                           (char *)(uintptr_t)(a ? b : NULL), NULL };
    int status = -1;
    pid_t pid;

    if (!argv[0] || posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0)
        return false;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void pg_server_do(const struct pg_server *pg, const char *verb, const char *a, const char *b)
{
    if (!pg_server_try(pg, verb, a, b))
        FAIL("pg-server.sh %s %s %s failed", verb, pg->dir, a ? a : "");
}

void pg_server_conf(struct test *t, struct pg_server *pg, const char *file, const char *text)
{
    const char *path = arena_printf(t->arena, "%s/data/%s", pg->dir, file);
    FILE *f = fopen(path, "a"); /* the tests run as the server's user or as root */

    CHECK(f && fputs(text, f) >= 0 && fchmod(fileno(f), 0644) == 0 && fclose(f) == 0);
}

void pg_server_listen(struct test *t, struct pg_server *pg)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    CHECK(bind(fd, (struct sockaddr *)&at, len) == 0 &&
          getsockname(fd, (struct sockaddr *)&at, &len) == 0);
    close(fd);
    pg->port = ntohs(at.sin_port);
    pg_server_conf(t, pg, "postgresql.conf",
                   arena_printf(t->arena, "listen_addresses = '127.0.0.1'\nport = %d\n", pg->port));
}

/* ---- the fixture ---- */

static void make_folder(struct pg_server *pg)
{
    pg->port = 5432;
    snprintf(pg->dir, sizeof pg->dir, "%.60s/own.XXXXXX", getenv("BOUGH_TEST_PGDIR"));
    if (!mkdtemp(pg->dir)) {
        pg->dir[0] = '\0';
        FAIL("no folder for a server in %s", getenv("BOUGH_TEST_PGDIR"));
    }
}

static void before(struct test *t)
{
    static struct pg_server servers[PG_SERVERS];

    memset(servers, 0, sizeof servers);
    t->user = servers;
    if (!getenv("BOUGH_TEST_PGDIR") || !getenv("BOUGH_TEST_PGSERVER"))
        SKIP("no PostgreSQL server here: run it by tests/with-postgres.sh");
    make_folder(&servers[0]);
    pg_server_do(&servers[0], "make", getenv("BOUGH_TEST_PGDIR"), NULL);
}

static void after(struct test *t)
{
    struct pg_server *servers = t->user;

    bough_store_close(&t->store);
    for (int i = PG_SERVERS - 1; i >= 0; i--)
        if (servers[i].dir[0])
            pg_server_do(&servers[i], "remove", NULL, NULL);
}

void pg_server_register(const char *name, test_fn *fn, int seconds)
{
    const char *only = getenv("BACKEND");
    size_t n = strlen(name) + sizeof " [postgres]";
    char *full = malloc(n);

    if (only && !strstr(only, "postgres")) {
        free(full);
        return;
    }
    snprintf(full, n, "%s [postgres]", name);
    test_wrap(full, before, fn, after, NULL, seconds);
}

struct pg_server *pg_server_standby(struct test *t, struct pg_server *pg)
{
    struct pg_server *standby = (struct pg_server *)t->user + 1;

    make_folder(standby);
    pg_server_do(standby, "standby", pg->dir, NULL);
    return standby;
}

/* ---- connecting ---- */

const char *pg_server_url(struct test *t, const struct pg_server *pg, const char *more)
{
    return arena_printf(t->arena, "postgres://bough@/bough?host=%s&port=%d%s", pg->dir, pg->port,
                        more);
}

const char *pg_server_ask(struct test *t, const struct pg_server *pg, const char *sql)
{
    const char *said = NULL;
    PGconn *c = PQconnectdb(
        arena_printf(t->arena, "host=%s port=%d user=postgres dbname=bough", pg->dir, pg->port));
    PGresult *r = PQstatus(c) == CONNECTION_OK ? PQexec(c, sql) : NULL;

    if (PQresultStatus(r) == PGRES_TUPLES_OK || PQresultStatus(r) == PGRES_COMMAND_OK)
        said = PQntuples(r) ? arena_strdup(t->arena, PQgetvalue(r, 0, 0)) : "";
    PQclear(r);
    PQfinish(c);
    return said;
}
