/* kill -9 during a purge, during upkeep and while attachments are written: the next open finishes
 * the work, and everything else is unchanged. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bough/bough.h>

#include "base/memory/arena.h"
#include "lib/store_test.h"

enum { CYCLES_DEFAULT = 1000, ENTRIES = 60, FSCK_EVERY = 20 };

static int64_t cycles(int share)
{
    const char *asked = getenv("KILL_CYCLES");
    int64_t n = asked ? strtol(asked, NULL, 10) : CYCLES_DEFAULT;

    return n * share / 100 ? n * share / 100 : 1;
}

static void reopen(struct test *t)
{
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
}

static const char *filled(struct test *t, const char *title)
{
    struct bough_entry_new e[ENTRIES];
    struct bough_append_options in = { .entries = e, .n = ENTRIES };
    struct bough_append_result out;
    const char *s = new_session(t, title);

    for (int i = 0; i < ENTRIES; i++)
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "something to remove" };
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    return s;
}

/* Fork a child that opens the store and runs `work`, kill it after `us`, then reopen t->store. */
static void kill_after(struct test *t, void (*work)(struct bough_store *s, void *user), void *user,
                       useconds_t us)
{
    pid_t pid;
    int status, fds[2];
    char ready;

    bough_store_close(&t->store);
    CHECK(pipe(fds) == 0);
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        struct bough_store *s = NULL;

        if (bough_store_open(&s, t->url, NULL, NULL) || write(fds[1], "r", 1) != 1)
            _exit(6);
        work(s, user);
        pause();
    }
    close(fds[1]);
    CHECK(read(fds[0], &ready, 1) == 1);
    close(fds[0]);
    usleep(us);
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFSIGNALED(status));
    reopen(t);
}

static void purge(struct bough_store *s, void *user)
{
    struct bough_arena *a = bough_arena_create();

    if (bough_session_purge(s, a, user, NULL, NULL))
        _exit(7);
}

TEST_SECONDS(kill_during_purge, 300)
{
    const char *kept, *fork;
    int gone = 0;
    int64_t n = cycles(10);

    t->url = arena_printf(t->arena, "sqlite:%s", test_path(t, "purge.db"));
    reopen(t);
    kept = filled(t, "kept");
    for (int64_t i = 1; i <= n; i++) {
        const char *doomed = filled(t, "doomed");
        struct bough_session *s;
        struct bough_entries_read_result path;
        enum bough_rc rc;

        fork = fork_at(t, doomed, NULL);
        kill_after(t, purge, (void *)(uintptr_t)doomed, (useconds_t)(env_u64(&env_system) % 4000));
        rc = bough_session_get(t->store, t->arena, doomed, &s, &t->err);
        CHECK(rc == BOUGH_OK || rc == BOUGH_GONE);
        gone += rc == BOUGH_GONE;
        if (rc == BOUGH_OK) /* the purge did not begin: everything is there */
            CHECK_INT(ENTRIES, s->messages);
        /* A purge never removes what a fork still shows. */
        CHECK_OK(bough_entries_read(t->store, t->arena, fork, NULL, &path, &t->err));
        CHECK_INT(ENTRIES, path.entries.n);
        CHECK_INT(ENTRIES, get(t, kept)->messages);
        if (rc == BOUGH_OK)
            CHECK_OK(bough_session_purge(t->store, t->arena, doomed, NULL, &t->err));
        CHECK_OK(bough_session_purge(t->store, t->arena, fork, NULL, &t->err));
        if (i % FSCK_EVERY == 0)
            store_check(t, t->store);
    }
    printf("# %lld kills during purge: %d were done\n", (long long)n, gone);
    store_check(t, t->store);
    bough_store_close(&t->store);
}

/* Append and fold in turn, so that the kill hits either. */
static void upkeep(struct bough_store *s, void *user)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "x" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    for (int i = 0;; i++)
        if (i % 4 ? bough_append(s, a, user, &in, &out, NULL) : bough_store_upkeep(s, NULL))
            _exit(7);
}

TEST_SECONDS(kill_during_upkeep, 300)
{
    const char *s;
    int64_t before = 0, n = cycles(10);

    t->url = arena_printf(t->arena, "sqlite:%s", test_path(t, "upkeep.db"));
    reopen(t);
    s = new_session(t, "busy");
    for (int64_t i = 1; i <= n; i++) {
        struct bough_sessions list;

        kill_after(t, upkeep, (void *)(uintptr_t)s, (useconds_t)(env_u64(&env_system) % 8000));
        /* The list, the session and the path agree, whether folded or not. */
        CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
        CHECK_INT(1, list.n);
        CHECK_INT(list.at[0].head.depth, list.at[0].messages);
        CHECK_INT(list.at[0].messages, get(t, s)->messages);
        CHECK(list.at[0].messages >= before);
        before = list.at[0].messages;
        if (i % FSCK_EVERY == 0)
            store_check(t, t->store);
    }
    printf("# %lld kills during upkeep: %lld messages\n", (long long)n, (long long)before);
    CHECK(n < 20 || before > 0); /* somebody lived long enough to write */
    store_check(t, t->store);
    bough_store_close(&t->store);
}

/* Append entries to one session, each with one of 50 images. Every third time also store a file
 * that no entry shows. */
static void attach(struct bough_store *s, void *user)
{
    struct bough_arena *a = bough_arena_create();
    char *json = arena_alloc(a, 100000);
    struct bough_str part;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    for (uint64_t i = env_u64(&env_system);; i++) {
        int n = snprintf(json, 200, "{\"type\":\"image\",\"mimeType\":\"a/b\",\"data\":\"%016llx",
                         (unsigned long long)(i % 50));

        memset(json + n, 'A', 80000);
        memcpy(json + n + 80000, "\"}", 3);
        part = (struct bough_str){ json, (size_t)n + 80002 };
        if (bough_append(s, bough_arena_create(), user, &in, &out, NULL))
            _exit(7);
        if (i % 3 == 0) {
            struct bough_attachment_writer *w;
            struct bough_attachment file;

            if (bough_attachment_begin(s, &w, NULL) ||
                bough_attachment_write(w, json, part.n, NULL) ||
                bough_attachment_finish(&w, &file, NULL))
                _exit(8);
        }
    }
}

TEST_SECONDS(kill_while_attachments_are_written, 300)
{
    const char *s;
    int64_t n = cycles(10);
    struct bough_store_stats_result stats;

    t->url = arena_printf(t->arena, "sqlite:%s", test_path(t, "attach.db"));
    reopen(t);
    s = new_session(t, "pictures");
    for (int64_t i = 1; i <= n; i++) {
        struct bough_entries_read_result path;
        struct bough_entries_read_options how = { .newest = true, .limit = 20 };

        kill_after(t, attach, (void *)(uintptr_t)s, (useconds_t)(env_u64(&env_system) % 12000));
        /* Every stored entry has its complete image. */
        CHECK_OK(bough_entries_read(t->store, t->arena, s, &how, &path, &t->err));
        for (size_t k = 0; k < path.entries.n; k++)
            CHECK(path.entries.at[k].parts[0].json.n > 80000);
        if (i % FSCK_EVERY == 0)
            store_check(t, t->store);
    }
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    printf("# %lld kills: %lld images in %lld messages\n", (long long)n,
           (long long)stats.attachments, (long long)stats.messages);
    CHECK(n < 20 || stats.messages > 0);
    store_check(t, t->store);
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    store_check(t, t->store);
    bough_store_close(&t->store);
}
