/*
 * kill -9 during writes: no acknowledged message is lost or doubled, and a message in flight is
 * there once or not at all. A child writes and reports each acknowledgement through a pipe. The
 * parent kills it at a random moment, reopens the store and counts.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bough/bough.h>

#include "base/memory/arena.h"
#include "lib/store_test.h"

enum {
    WRITERS = 4,
    CYCLES_DEFAULT = 1000,
    PER_CYCLE = 100000, /* more numbers than a child can write before it is killed */
    FSCK_EVERY = 50,
};

/* One acknowledgement in the pipe. Shorter than PIPE_BUF, so writes are atomic. */
struct ack {
    int writer;
    int64_t number; /* the number of a message that is on disk */
};

struct ledger {
    const char *url;
    char session[WRITERS][BOUGH_ID_LEN + 1];
    int64_t acked[WRITERS]; /* the last number known to be on disk; the first is 1 */
    uint64_t seed;
    int in_flight, survived; /* messages in flight at a kill, and how many were stored */
};

static int64_t cycles(int share)
{
    const char *asked = getenv("KILL_CYCLES");
    int64_t n = asked ? strtol(asked, NULL, 10) : CYCLES_DEFAULT;

    return n * share / 100 ? n * share / 100 : 1;
}

static uint64_t next(struct ledger *l, uint64_t below)
{
    uint64_t z = l->seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

static struct bough_store *open_store(struct test *t, const struct ledger *l)
{
    struct bough_store *s = NULL;

    CHECK_OK(bough_store_open(&s, l->url, NULL, &t->err));
    return s;
}

/* --- the child --- */

struct writer {
    struct bough_store *store;
    const char *session;
    int number, pipe;
    int64_t from;
};

static enum bough_rc append_number(struct bough_store *s, struct bough_arena *a,
                                   const char *session, int64_t number,
                                   struct bough_append_result *out)
{
    char text[32], key[32];
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text };
    struct bough_append_options in = { .entries = &e, .n = 1, .key = key };

    snprintf(text, sizeof text, "m %lld", (long long)number);
    snprintf(key, sizeof key, "key %lld", (long long)number);
    return bough_append(s, a, session, &in, out, NULL);
}

static void *write_on(void *arg)
{
    struct writer *w = arg;
    struct bough_arena *a = bough_arena_create();

    for (int64_t i = w->from; i < w->from + PER_CYCLE; i++) {
        struct ack ack = { w->number, i };
        struct bough_append_result out;

        bough_arena_reset(a);
        if (append_number(w->store, a, w->session, i, &out) || out.replayed)
            _exit(7);
        if (write(w->pipe, &ack, sizeof ack) != sizeof ack)
            _exit(8);
    }
    return NULL;
}

_Noreturn static void child(const struct ledger *l, int writers, int to)
{
    struct writer w[WRITERS];
    struct bough_store *s = NULL;
    pthread_t threads[WRITERS];

    if (bough_store_open(&s, l->url, NULL, NULL))
        _exit(6);
    for (int i = 0; i < writers; i++) {
        w[i] = (struct writer){ s, l->session[i], i, to, l->acked[i] + 1 };
        if (pthread_create(&threads[i], NULL, write_on, &w[i]))
            _exit(9);
    }
    for (int i = 0; i < writers; i++)
        pthread_join(threads[i], NULL);
    _exit(10);
}

/* --- the parent --- */

static bool read_ack(struct ledger *l, int from)
{
    struct ack ack;

    if (read(from, &ack, sizeof ack) != sizeof ack)
        return false;
    CHECK_INT(l->acked[ack.writer] + 1, ack.number);
    l->acked[ack.writer] = ack.number;
    return true;
}

/* Run a child and kill it 1 to 13 ms after its start or after its first acknowledgement. All
 * acknowledgements in the pipe are read. */
static void live_and_die(struct test *t, struct ledger *l, int writers)
{
    int fds[2], status;
    pid_t pid;

    CHECK(pipe(fds) == 0);
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        close(fds[0]);
        child(l, writers, fds[1]);
    }
    close(fds[1]);
    if (next(l, 2) || !store_has_file(t)) /* PostgreSQL: connecting takes longer than that */
        CHECK(read_ack(l, fds[0]));
    usleep((useconds_t)(1000 + next(l, 12000)));
    kill(pid, SIGKILL);
    while (read_ack(l, fds[0]))
        ;
    close(fds[0]);
    CHECK(waitpid(pid, &status, 0) == pid);
    if (!WIFSIGNALED(status))
        FAIL("the child ended by itself with %d", WEXITSTATUS(status));
}

/* Check that the count is the acknowledged one or one more, and that the newest 64 messages have
 * consecutive numbers. */
static void verify(struct test *t, struct ledger *l, struct bough_store *s, int writer)
{
    struct bough_entries_read_options how = { .newest = true, .limit = 64 };
    struct bough_entries_read_result path;
    struct bough_session *session;
    int64_t n;

    CHECK_OK(bough_session_get(s, t->arena, l->session[writer], &session, &t->err));
    n = session->messages;
    if (n != l->acked[writer] && n != l->acked[writer] + 1)
        FAIL("%lld were acknowledged, %lld are there", (long long)l->acked[writer], (long long)n);
    CHECK_INT(n, session->head.depth);
    CHECK_OK(bough_entries_read(s, t->arena, l->session[writer], &how, &path, &t->err));
    for (size_t i = path.entries.n; i-- > 0; n--) {
        CHECK_INT(n, path.entries.at[i].at.depth);
        CHECK_STR(arena_printf(t->arena, "m %lld", (long long)n), text_of(t, &path.entries.at[i]));
    }
}

/* Append the message in flight again with its key: whether or not it arrived, it is there once. */
static void settle(struct test *t, struct ledger *l, struct bough_store *s, int writer)
{
    int64_t before = get(t, l->session[writer])->messages, number = l->acked[writer] + 1;
    struct bough_append_result out;

    CHECK_OK(append_number(s, t->arena, l->session[writer], number, &out));
    CHECK_INT(number, get(t, l->session[writer])->messages);
    CHECK_INT(before == number, out.replayed);
    CHECK_INT(number, out.head.depth);
    l->in_flight++;
    l->survived += out.replayed;
    l->acked[writer] = number;
}

static void after_death(struct test *t, struct ledger *l, int writers, int64_t cycle)
{
    struct bough_arena *outer = t->arena;

    t->arena = bough_arena_create();
    t->store = open_store(t, l);
    if (!store_has_file(t)) /* PostgreSQL may still be processing the killed client's last request:
                               a write takes the lock after it */
        (void)new_session(t, "");
    for (int i = 0; i < writers; i++) {
        verify(t, l, t->store, i);
        settle(t, l, t->store, i);
    }
    if (cycle % FSCK_EVERY == 0)
        store_check(t, t->store);
    bough_store_close(&t->store);
    bough_arena_destroy(t->arena);
    t->arena = outer;
}

static void make_sessions(struct test *t, struct ledger *l)
{
    l->url = t->url;
    t->store = open_store(t, l);
    for (int i = 0; i < WRITERS; i++)
        memcpy(l->session[i], new_session(t, ""), BOUGH_ID_LEN + 1);
    bough_store_close(&t->store);
}

static void run_cycles(struct test *t, struct ledger *l, int writers, int64_t n)
{
    make_sessions(t, l);
    for (int64_t i = 1; i <= n; i++) {
        live_and_die(t, l, writers);
        after_death(t, l, writers, i);
    }
    printf("# %lld kills: %lld acknowledged by the first writer, %d in flight, %d of them there\n",
           (long long)n, (long long)l->acked[0], l->in_flight, l->survived);
    t->store = open_store(t, l);
    for (int i = 0; i < writers; i++)
        verify(t, l, t->store, i);
    store_check(t, t->store);
    bough_store_close(&t->store);
}

SHARED_TEST(kill_one_writer, 300)
{
    struct ledger l = { .seed = 1 };

    run_cycles(t, &l, 1, cycles(store_has_file(t) ? 40 : 5));
}

SHARED_TEST(kill_four_writers, 300)
{
    struct ledger l = { .seed = 2 };

    run_cycles(t, &l, WRITERS, cycles(store_has_file(t) ? 40 : 10));
}
