/* Store tests: each body runs once per backend, with fsck at the end. */
#ifndef STORE_TEST_H
#define STORE_TEST_H

#include <bough/bough.h>

#include "lib/test.h"

struct test_backend {
    const char *name;
    bool lasts; /* data is still there after the store is reopened */
    bool file;  /* the store is a file that a test may read */
};

/* Register `fn` once per backend. PostgreSQL gets four times the seconds. */
void store_test_register(const char *name, test_fn *fn, int seconds);

#define STORE_TEST_SECONDS(name, seconds)                                                          \
    static void store_##name(struct test *t);                                                      \
    __attribute__((constructor)) static void register_store_##name(void)                           \
    {                                                                                              \
        store_test_register(#name, store_##name, seconds);                                         \
    }                                                                                              \
    static void store_##name(struct test *t __attribute__((unused)))

#define STORE_TEST(name) STORE_TEST_SECONDS(name, TEST_SECONDS_DEFAULT)

/* The same for tests with several processes: only backends that last. t->url is set, t->store is
 * not open, and there is no fsck at the end. */
void shared_test_register(const char *name, test_fn *fn, int seconds);

#define SHARED_TEST(name, seconds)                                                                 \
    static void shared_##name(struct test *t);                                                     \
    __attribute__((constructor)) static void register_shared_##name(void)                          \
    {                                                                                              \
        shared_test_register(#name, shared_##name, seconds);                                       \
    }                                                                                              \
    static void shared_##name(struct test *t __attribute__((unused)))

/* True if data outlives the handle. */
bool store_lasts(const struct test *t);
bool store_has_file(const struct test *t);
/* The URL for another store of the same backend. */
const char *store_url(struct test *t, const char *name);
/* The same on PostgreSQL, whatever backend the test runs on. SKIPs if there is no server. */
const char *postgres_url(struct test *t, const char *name);
void store_remove(const char *url);
/* A new connection to the schema of the test's store. The caller must PQfinish() it. */
struct pg_conn *postgres_connect(struct test *t);
/* Close and reopen t->store. Only for backends that last. */
void store_reopen(struct test *t);
/* Enable or disable full-text indexing by the store's own thread. */
void store_indexing(struct bough_store *s, bool on);
/* Run a full fsck; the test fails on any error or warning. */
void store_check(struct test *t, struct bough_store *s);

/* --- building conversations --- */

const char *new_session(struct test *t, const char *title); /* returns the session's id */
const char *add(struct test *t, const char *session, enum bough_role role,
                const char *text); /* returns the entry's id */
const char *user(struct test *t, const char *session, const char *text);
const char *agent(struct test *t, const char *session, const char *text);
const char *fork_at(struct test *t, const char *session, const char *entry);
/* The texts of the messages on the head's path, joined by spaces. */
const char *path_text(struct test *t, const char *session);
const char *read_text(struct test *t, const char *session,
                      const struct bough_entries_read_options *how);
struct bough_session *get(struct test *t, const char *session);
const char *text_of(struct test *t, const struct bough_entry *e);

#endif
