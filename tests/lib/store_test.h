/* Store tests: one body, run once for every backend; fsck at the end of each. */
#ifndef STORE_TEST_H
#define STORE_TEST_H

#include <bough/bough.h>

#include "lib/test.h"

struct test_backend {
    const char *name;
    bool lasts; /* what was written is there after reopening */
    bool file;  /* it is a file that a test may look into */
};

/* Register `fn` once per backend. */
void store_test_register(const char *name, test_fn *fn, int seconds);

#define STORE_TEST_SECONDS(name, seconds)                                                          \
    static void store_##name(struct test *t);                                                      \
    __attribute__((constructor)) static void register_store_##name(void)                           \
    {                                                                                              \
        store_test_register(#name, store_##name, seconds);                                         \
    }                                                                                              \
    static void store_##name(struct test *t __attribute__((unused)))

#define STORE_TEST(name) STORE_TEST_SECONDS(name, TEST_SECONDS_DEFAULT)

/* The same for tests of several processes: on backends that last, and nothing is open yet. */
void shared_test_register(const char *name, test_fn *fn, int seconds);

#define SHARED_TEST(name, seconds)                                                                 \
    static void shared_##name(struct test *t);                                                     \
    __attribute__((constructor)) static void register_shared_##name(void)                          \
    {                                                                                              \
        shared_test_register(#name, shared_##name, seconds);                                       \
    }                                                                                              \
    static void shared_##name(struct test *t __attribute__((unused)))

/* Does what was written outlive the handle? */
bool store_lasts(const struct test *t);
bool store_has_file(const struct test *t);
/* Where another store of the same backend may be made. */
const char *store_url(struct test *t, const char *name);
/* The same on PostgreSQL, whatever the test runs on; SKIPs where there is no server. */
const char *postgres_url(struct test *t, const char *name);
void store_remove(const char *url);
/* A connection of its own to the schema of the test's store. */
struct pg_conn *postgres_connect(struct test *t);
/* Close and open again: t->store is another handle on the same rows. Only where it lasts. */
void store_reopen(struct test *t);
/* Let the store's own thread leave the full text alone, or not. */
void store_indexing(struct bough_store *s, bool on);
/* Nothing wrong, at full depth. */
void store_check(struct test *t, struct bough_store *s);

/* --- building conversations --- */

const char *new_session(struct test *t, const char *title); /* its id */
const char *add(struct test *t, const char *session, enum bough_role role,
                const char *text); /* id */
const char *user(struct test *t, const char *session, const char *text);
const char *agent(struct test *t, const char *session, const char *text);
const char *fork_at(struct test *t, const char *session, const char *entry);
/* Text of the messages on the head's path, joined by spaces. */
const char *path_text(struct test *t, const char *session);
const char *read_text(struct test *t, const char *session, const struct bough_read *how);
struct bough_session *get(struct test *t, const char *session);
const char *text_of(struct test *t, const struct bough_entry *e);

#endif
