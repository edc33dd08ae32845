/* PostgreSQL servers that belong to one test, which may stop, fill, kill and promote them. The
 * shared server of tests/with-postgres.sh must stay up. */
#ifndef PG_SERVER_H
#define PG_SERVER_H

#include "lib/store_test.h"

enum { PG_SERVERS = 2 };

struct pg_server {
    char dir[80]; /* holds the data, the log and the Unix socket; "": not created */
    int port;     /* on 127.0.0.1 and in the socket's name; 5432 until pg_server_listen() */
};

/*
 * Register `fn` as a test with its own PostgreSQL server in `pg`: created, not started. The fixture
 * closes t->store and removes the servers afterwards, even if the test failed. If the test process
 * is killed, with-postgres.sh removes them. Skipped where no PostgreSQL is available.
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

/* Append `text` to DIR/data/FILE. */
void pg_server_conf(struct test *t, struct pg_server *pg, const char *file, const char *text);
/* Make the server listen on a free TCP port of 127.0.0.1. Call before it is started. */
void pg_server_listen(struct test *t, struct pg_server *pg);
/* Run `tests/pg-server.sh VERB DIR A B`; `a` and `b` may be NULL. True if it succeeded. Safe to
 * call from any thread. */
bool pg_server_try(const struct pg_server *pg, const char *verb, const char *a, const char *b);
/* The same, but fail the test if the script fails. Only for the test's own thread. */
void pg_server_do(const struct pg_server *pg, const char *verb, const char *a, const char *b);
/* Create a standby of `pg` as the second server; not started. `pg` must be running. */
struct pg_server *pg_server_standby(struct test *t, struct pg_server *pg);

/* The URL of a store on this server; `more` is appended, e.g. "&a=b". */
const char *pg_server_url(struct test *t, const struct pg_server *pg, const char *more);
/* Run one statement as the administrator. Returns the first value, "" without rows, NULL if it
 * failed. */
const char *pg_server_ask(struct test *t, const struct pg_server *pg, const char *sql);

#endif
