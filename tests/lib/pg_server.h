/* PostgreSQL servers of a test's own, which it may stop, starve, kill and promote. The one that
 * tests/with-postgres.sh starts is for everybody and stays up. */
#ifndef PG_SERVER_H
#define PG_SERVER_H

#include "lib/store_test.h"

enum { PG_SERVERS = 2 };

struct pg_server {
    char dir[80]; /* "": not made. Its socket is in there */
    int port;     /* of 127.0.0.1, and in the name of the socket; 5432, which nothing listens on */
};

/*
 * Once, on PostgreSQL, with a server of its own in `pg`: made, not started. Afterwards t->store is
 * closed and the servers are gone, however the test ended. A test that was killed leaves that to
 * with-postgres.sh.
 */
void pg_server_register(const char *name, test_fn *fn, int seconds);

#define PG_SERVER_TEST(name, seconds)                                                              \
    static void pg_##name(struct test *t, struct pg_server *pg);                                   \
    static void run_pg_##name(struct test *t)                                                      \
    {                                                                                              \
        pg_##name(t, t->user);                                                                     \
    }                                                                                              \
    __attribute__((constructor)) static void register_pg_##name(void)                              \
    {                                                                                              \
        pg_server_register(#name, run_pg_##name, seconds);                                         \
    }                                                                                              \
    static void pg_##name(struct test *t __attribute__((unused)),                                  \
                          struct pg_server *pg __attribute__((unused)))

/* Lines for the end of DIR/data/FILE. */
void pg_server_conf(struct test *t, struct pg_server *pg, const char *file, const char *text);
/* Give it a free port of 127.0.0.1. */
void pg_server_listen(struct test *t, struct pg_server *pg);
/* What tests/pg-server.sh does: true when it went well. May be called by any thread. */
bool pg_server_try(const struct pg_server *pg, const char *verb, const char *a, const char *b);
/* The same; the test fails when it did not go well. */
void pg_server_do(const struct pg_server *pg, const char *verb, const char *a, const char *b);
/* A second one, a standby of the first; not started. */
struct pg_server *pg_server_standby(struct test *t, struct pg_server *pg);

/* The store on it; `more` is put behind, "&a=b". */
const char *pg_server_url(struct test *t, const struct pg_server *pg, const char *more);
/* One statement as its administrator; the first value, or "". NULL: it did not work. */
const char *pg_server_ask(struct test *t, const struct pg_server *pg, const char *sql);

#endif
