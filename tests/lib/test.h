/* The test framework: a thin layer over cmocka. TEST(name) { ... } registers itself. */
#ifndef TEST_H
#define TEST_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/env.h"
#include "lib/patience.h"

struct bough_store;

#define TEST_SECONDS_DEFAULT 20

/* A clock and a random source controlled by the test. Pass &t->env.env to the code under test. */
struct test_env {
    struct env env;
    int64_t now;  /* what the next clock read returns, in milliseconds */
    int64_t step; /* added to `now` after every clock read; 0 by default */
    uint64_t seed;
};

void test_env_init(struct test_env *e);

/* The fixture of one test. Everything is created before the test and released after it. */
struct test {
    const char *name;
    void *param; /* as given to test_register */
    struct bough_arena *arena;
    struct bough_error err;
    const char *dir; /* the scratch directory; set by test_dir() */
    struct test_env env;
    void *user; /* for the fixture of a wrapper (see test_wrap) */

    /* STORE_TEST only (lib/store_test.h) */
    struct bough_store *store; /* open and empty at the start; checked with fsck at the end */
    const char *url;           /* to open the store again */
    bool damaged;              /* the test breaks the store on purpose: no fsck at the end */
};

/* Let time pass. The background thread of a store may be reading the clock. */
static inline void test_later(struct test *t, int64_t ms)
{
    __atomic_add_fetch(&t->env.now, ms, __ATOMIC_RELAXED);
}

typedef void test_fn(struct test *t);

/*
 * Register one test. `name` is kept, not copied, and must outlive the run. Called from
 * constructors. A wrapper that runs a test once per backend registers it several times with
 * different names and params.
 */
void test_register(const char *name, test_fn *fn, void *param, int seconds);

/* The same with a fixture: before(t) sets up; after(t) always runs, even if the test failed.
 * before() may use CHECK and SKIP. */
void test_wrap(const char *name, test_fn *before, test_fn *fn, test_fn *after, void *param,
               int seconds);

/* Called after each test when set: scripts/mutate notes which code the test reached. */
extern void (*test_watch)(const char *name);

const char *test_dir(struct test *t); /* the scratch directory, created by the first call */

/* A path inside the scratch directory, in t->arena. */
char *test_path(struct test *t, const char *name);

#define TEST_SECONDS(name, seconds)                                                                \
    static void test_##name(struct test *t);                                                       \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        test_register(#name, test_##name, NULL, seconds);                                          \
    }                                                                                              \
    static void test_##name(struct test *t __attribute__((unused)))

#define TEST(name) TEST_SECONDS(name, TEST_SECONDS_DEFAULT)

/* The first failed check ends the test. */
#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond))                                                                               \
            test_fail(__FILE__, __LINE__, "not so: %s", #cond);                                    \
    } while (0)
#define CHECK_INT(want, got)                                                                       \
    test_check_int((long long)(want), (long long)(got), #got, __FILE__, __LINE__)
#define CHECK_STR(want, got) test_check_str(want, got, #got, __FILE__, __LINE__)
#define CHECK_MEM(want, got, n) test_check_mem(want, got, n, #got, __FILE__, __LINE__)

/* Compare a struct bough_str with a C string. */
#define CHECK_SPAN(want, got) test_check_span(want, got, #got, __FILE__, __LINE__)

/* On failure these two print t->err.msg, so the checked call must get &t->err. */
#define CHECK_OK(expr) test_check_rc(t, BOUGH_OK, expr, #expr, __FILE__, __LINE__)
#define CHECK_RC(want, expr) test_check_rc(t, want, expr, #expr, __FILE__, __LINE__)

/* Fail with a message. For checks inside loops, where the line number is not enough. */
#define FAIL(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)

/* End the test and count it as skipped. */
#define SKIP(reason) test_skip(t, reason)

void test_check_int(long long want, long long got, const char *what, const char *file, int line);
void test_check_str(const char *want, const char *got, const char *what, const char *file,
                    int line);
void test_check_mem(const void *want, const void *got, size_t n, const char *what, const char *file,
                    int line);
void test_check_span(const char *want, struct bough_str got, const char *what, const char *file,
                     int line);
void test_check_rc(struct test *t, enum bough_rc want, enum bough_rc got, const char *what,
                   const char *file, int line);
_Noreturn void test_fail(const char *file, int line, const char *fmt, ...) BOUGH_PRINTF(3, 4);
_Noreturn void test_skip(struct test *t, const char *reason);

#endif
