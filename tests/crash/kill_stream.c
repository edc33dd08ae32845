/* kill -9 during streaming: no sealed message is lost, and an open message is sealed as interrupted
 * with at least the text that was reported as saved. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bough/bough.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

enum { CYCLES_DEFAULT = 100, MESSAGES = 64, FSCK_EVERY = 10, TEXT_MAX = 1 << 16 };

/* The results the child got, in shared memory that outlives it. */
struct ledger {
    volatile int n;
    struct {
        struct bough_writing w;
        volatile int64_t saved; /* bytes of text reported as saved */
        volatile int sealed;
        volatile int64_t all; /* bytes of text when the message was sealed */
    } at[MESSAGES];
};

static int64_t cycles(void)
{
    const char *asked = getenv("KILL_CYCLES");
    int64_t n = asked ? strtol(asked, NULL, 10) / 10 : CYCLES_DEFAULT;

    return n ? n : 1;
}

/* The text of every message, so that every byte can be checked. */
static void fill(char *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (char)('a' + i % 26);
}

static void stream_one(struct bough_store *s, struct bough_arena *a, const char *session,
                       struct ledger *l, const char *all)
{
    struct bough_entry_new entry = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &entry };
    struct bough_step part = { .kind = BOUGH_STEP_PART,
                               .bytes = str_of("{\"type\":\"text\",\"text\":\"\"}") };
    struct bough_message_open_result open;
    struct bough_message_step_result told;
    int64_t at = 0;
    int i = l->n;

    if (bough_message_open(s, a, session, &in, &open, NULL))
        _exit(7);
    l->at[i].w = open.writing;
    l->n = i + 1;
    if (bough_message_step(s, &open.writing, 1, &part, 1, &told, NULL))
        _exit(8);
    while (at < TEXT_MAX / 2) {
        struct bough_step text = { .kind = BOUGH_STEP_TEXT, .bytes = str_make(all + at, 97) };

        if (bough_message_step(s, &open.writing, 0, &text, 1, &told, NULL))
            _exit(9);
        at += 97;
        if (at % 1000 < 97 && bough_message_flush(s, &open.writing, &told, NULL))
            _exit(10);
        if (told.saved)
            l->at[i].saved = (told.saved - 1) * 97;
    }
    if (bough_message_seal(s, a, &open.writing, NULL, NULL, NULL))
        _exit(11);
    l->at[i].all = at;
    l->at[i].sealed = 1;
}

_Noreturn static void stream(const char *url, const char *session, struct ledger *l, int ready)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_store *s = NULL;
    char *all = arena_alloc(a, TEXT_MAX);

    fill(all, TEXT_MAX);
    if (bough_store_open(&s, url, NULL, NULL) || write(ready, "r", 1) != 1)
        _exit(6);
    while (l->n < MESSAGES)
        stream_one(s, a, session, l, all);
    pause();
    _exit(0);
}

static void check_ledger(struct test *t, const struct ledger *l, int *sealed, int *interrupted)
{
    char *all = arena_alloc(t->arena, TEXT_MAX);

    fill(all, TEXT_MAX);
    for (int i = 0; i < l->n; i++) {
        struct bough_entry *e;
        struct bough_str text;

        CHECK_OK(bough_entry_get(t->store, t->arena, NULL, l->at[i].w.id, &e, &t->err));
        CHECK(!e->open);
        text = e->nparts ? bough_part_plain(t->arena, &e->parts[0]) : str_of("");
        CHECK((int64_t)text.n >= l->at[i].saved);
        CHECK(memcmp(text.p, all, text.n) == 0);
        if (l->at[i].sealed) {
            CHECK_INT(l->at[i].all, (int64_t)text.n);
            CHECK_STR("", e->finish);
        }
        *sealed += !*e->finish;
        *interrupted += strcmp(e->finish, "interrupted") == 0;
    }
}

TEST_SECONDS(kill_during_streaming, 300)
{
    struct ledger *l =
        mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const char *session;
    int sealed = 0, interrupted = 0;
    int64_t n = cycles();

    CHECK(l != MAP_FAILED);
    t->url = arena_printf(t->arena, "sqlite:%s", test_path(t, "stream.db"));
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    session = new_session(t, "streaming");
    for (int64_t i = 1; i <= n; i++) {
        int fds[2], status;
        char ready;
        pid_t pid;

        bough_store_close(&t->store);
        l->n = 0;
        memset(l->at, 0, sizeof l->at);
        CHECK(pipe(fds) == 0);
        fflush(stdout);
        pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            stream(t->url, session, l, fds[1]);
        close(fds[1]);
        CHECK(read(fds[0], &ready, 1) == 1);
        close(fds[0]);
        usleep((useconds_t)(env_u64(&env_system) % 30000));
        kill(pid, SIGKILL);
        CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
        CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
        check_ledger(t, l, &sealed, &interrupted);
        if (i % FSCK_EVERY == 0)
            store_check(t, t->store);
    }
    printf("# %lld kills during streaming: %d messages were sealed, %d interrupted\n", (long long)n,
           sealed, interrupted);
    CHECK(interrupted > 0);
    store_check(t, t->store);
    bough_store_close(&t->store);
    munmap(l, sizeof *l);
}
