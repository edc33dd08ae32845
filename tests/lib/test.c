/* The test runner over cmocka: selects tests by name, runs each under an alarm, counts results. */
#include "test.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "child/child.h"
#include "lib/patience.h"
#include "tools/builtin/confine.h"

enum { MAX_TESTS = 4000 };

struct entry {
    const char *name;
    test_fn *before;
    test_fn *fn;
    test_fn *after;
    void *param;
    int seconds;
};

/* Tests run one at a time in one thread, so plain globals are enough. */
static struct entry entries[MAX_TESTS];
static struct CMUnitTest picked[MAX_TESTS];
static int n_entries;
static int n_skipped;
static struct test current;
static jmp_buf skip_jump;
static bool unfinished; /* the latest test did not reach the end of its teardown, or failed */
static bool passed;     /* the body of the current test returned */
static int limit_s;     /* of the current test, on an idle machine */
static int64_t began;
static pid_t program_pid;

void (*test_watch)(const char *name);

/* splitmix64. Atomic, because the store's own thread uses the random source too. */
static uint64_t next_random(struct test_env *e)
{
    uint64_t z = __atomic_add_fetch(&e->seed, UINT64_C(0x9e3779b97f4a7c15), __ATOMIC_RELAXED);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int64_t test_now(void *user)
{
    struct test_env *e = user;

    return __atomic_fetch_add(&e->now, e->step, __ATOMIC_RELAXED);
}

static void test_random(void *user, void *out, size_t n)
{
    unsigned char *p = out;

    while (n > 0) {
        uint64_t r = next_random(user);
        size_t k = n < sizeof r ? n : sizeof r;

        memcpy(p, &r, k);
        p += k;
        n -= k;
    }
}

void test_env_init(struct test_env *e)
{
    *e = (struct test_env){
        .env = { .now = test_now, .random = test_random, .user = e },
        .now = INT64_C(1700000000000),
        .seed = 1,
    };
}

void test_wrap(const char *name, test_fn *before, test_fn *fn, test_fn *after, void *param,
               int seconds)
{
    if (n_entries == MAX_TESTS) {
        fprintf(stderr, "more than %d tests in one program\n", MAX_TESTS);
        abort();
    }
    entries[n_entries++] = (struct entry){ name, before, fn, after, param, seconds };
}

void test_register(const char *name, test_fn *fn, void *param, int seconds)
{
    test_wrap(name, NULL, fn, NULL, param, seconds);
}

const char *test_dir(struct test *t)
{
    if (!t->dir)
        t->dir = fs_temp_dir(t->arena, "bough-test");
    if (!t->dir)
        test_fail(__FILE__, __LINE__, "cannot make a scratch directory");
    return t->dir;
}

char *test_path(struct test *t, const char *name)
{
    return fs_join(t->arena, test_dir(t), name);
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
    char msg[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    print_error("%s\n", msg);
    _fail(file, line);
    abort(); /* not reached: _fail() jumps, but the compiler cannot know */
}

void test_check_int(long long want, long long got, const char *what, const char *file, int line)
{
    if (want != got)
        test_fail(file, line, "%s is %lld, not %lld", what, got, want);
}

void test_check_str(const char *want, const char *got, const char *what, const char *file, int line)
{
    if (want == got || (want && got && strcmp(want, got) == 0))
        return;
    test_fail(file, line, "%s is\n  %s\nnot\n  %s", what, got ? got : "NULL", want ? want : "NULL");
}

void test_check_mem(const void *want, const void *got, size_t n, const char *what, const char *file,
                    int line)
{
    const unsigned char *w = want, *g = got;
    size_t i;

    for (i = 0; i < n; i++)
        if (w[i] != g[i])
            test_fail(file, line, "%s: byte %zu is %02x, not %02x", what, i, g[i], w[i]);
}

void test_check_span(const char *want, struct bough_str got, const char *what, const char *file,
                     int line)
{
    if (strlen(want) != got.n || memcmp(want, got.p, got.n) != 0)
        test_fail(file, line, "%s is\n  %.*s\nnot\n  %s", what, (int)got.n, got.p, want);
}

void test_check_rc(struct test *t, enum bough_rc want, enum bough_rc got, const char *what,
                   const char *file, int line)
{
    if (want == got)
        return;
    test_fail(file, line, "%s gives %s (%s), not %s", what, bough_rc_name(got),
              got ? t->err.msg : "", bough_rc_name(want));
}

void test_skip(struct test *t, const char *reason)
{
    printf("# SKIP %s: %s\n", t->name, reason);
    fflush(stdout);
    n_skipped++;
    longjmp(skip_jump, 1);
}

/* Name the running test and end the program. Only functions that are safe in signal handlers. */
static _Noreturn void bail_out(const char *why)
{
    const char *name = current.name ? current.name : "no test";

    if (write(1, "Bail out! ", 10) < 0 || write(1, why, strlen(why)) < 0 ||
        write(1, name, strlen(name)) < 0 || write(1, "\n", 1) < 0)
        _exit(3);
    _exit(2);
}

/* The limit grew if the machine became busy meanwhile. */
static void on_alarm(int sig)
{
    /* Both are safe in signal handlers. NOLINTNEXTLINE(bugprone-signal-handler) */
    double left = limit_s * patience() - (double)(patience_now() - began) / 1000;

    (void)sig;
    if (left <= 0)
        bail_out("out of time: ");
    alarm((unsigned)left + 1);
}

/* scripts/run-tests ends a program that hangs. A child of a test has this handler too, and just
 * ends. */
static void on_term(int sig)
{
    if (getpid() == program_pid)
        bail_out("ended from outside in: ");
    signal(sig, SIG_DFL);
    (void)raise(sig);
}

static int setup(void **state)
{
    const struct entry *e = *state;

    if (unfinished && getenv("TEST_STOP")) {
        puts("Bail out! TEST_STOP: a test failed");
        exit(1);
    }
    unfinished = true;
    passed = false;
    current = (struct test){ .name = e->name, .param = e->param, .arena = bough_arena_create() };
    test_env_init(&current.env);
    limit_s = e->seconds;
    began = patience_now();
    alarm((unsigned)(limit_s * patience()) + 1);
    return 0;
}

static void run(void **state)
{
    const struct entry *e = *state;

    if (!setjmp(skip_jump)) {
        if (e->before)
            e->before(&current);
        e->fn(&current);
    }
    passed = true;
}

static int teardown(void **state)
{
    const struct entry *e = *state;

    if (e->after)
        e->after(&current);
    alarm(0);
    if (current.dir && !fs_remove_tree(current.dir))
        print_error("could not remove %s\n", current.dir);
    bough_arena_destroy(current.arena);
    unfinished = !passed;
    if (test_watch)
        test_watch(e->name);
    return 0;
}

static bool wanted(const char *name, int argc, char **argv)
{
    const char *only = getenv("ONLY");
    int i;

    /* scripts/run-tests runs a suite once per backend; tests without one run in one of these only.
     */
    if (getenv("TEST_BACKEND_ONLY") && !strstr(name, " ["))
        return false;
    if (argc < 2)
        return !only || !*only || strstr(name, only);
    for (i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return false;
}

/* scripts/run-tests runs the longest suite in parts, side by side: TEST_PART=2/3 is every third
 * test, from the second on. */
static bool in_part(int number)
{
    const char *part = getenv("TEST_PART");
    int at = 1, of = 1;

    if (part && *part && (sscanf(part, "%d/%d", &at, &of) != 2 || of < 1 || at < 1 || at > of)) {
        fprintf(stderr, "TEST_PART=%s is not like 2/3\n", part);
        exit(2);
    }
    return number % of == at - 1;
}

static size_t pick(size_t n, struct entry *e)
{
    picked[n] = (struct CMUnitTest){ e->name, run, setup, teardown, e };
    return n + 1;
}

/* The tests named in a file, one a line, in that order. */
static size_t pick_listed(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[512];
    size_t n = 0;

    if (!f) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < n_entries; i++)
            if (n < MAX_TESTS && strcmp(entries[i].name, line) == 0)
                n = pick(n, &entries[i]);
    }
    fclose(f);
    return n;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *program = slash ? slash + 1 : argv[0];
    const char *list = getenv("TEST_LIST");
    int i, failed = 0, found = 0;
    size_t n = 0;

    child_keeper(argc, argv);
    confine_main(argc, argv);
    if (list)
        n = pick_listed(list);
    for (i = 0; !list && i < n_entries; i++)
        if (wanted(entries[i].name, argc, argv) && in_part(found++))
            n = pick(n, &entries[i]);
    program_pid = getpid();
    patience_init();
    signal(SIGALRM, on_alarm);
    signal(SIGTERM, on_term);
    signal(SIGPIPE, SIG_IGN); /* a server under test must survive a client that goes away */
    setvbuf(stdout, NULL, _IOLBF, 0);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    if (n > 0)
        failed = _cmocka_run_group_tests(program, picked, n, NULL, NULL);
    else
        puts("1..0 # SKIP no test has that name");
    printf("# %s: %zu passed, %d failed, %d skipped\n", program,
           n - (size_t)failed - (size_t)n_skipped, failed, n_skipped);
    return failed ? 1 : 0;
}
