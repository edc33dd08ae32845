/* Several processes on one store: every write arrives, and no caller sees a lock. A child never
 * uses a store that was opened before the fork. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "lib/store_test.h"

enum { PROCESSES = 8, TIMES = 500, OPENERS = 16 };

struct shared {
    const char *url, *session;
    int number, times;
    int go; /* read end of a pipe; the child starts when it is closed */
};

typedef const char *child_fn(struct bough_store *s, const struct shared *sh);

/* Run a child. It reports through its exit code and stderr, because a failed CHECK would run the
 * parent's cleanup. */
_Noreturn static void run_child(child_fn *fn, const struct shared *sh)
{
    struct bough_error err = { 0 };
    struct bough_store *s = NULL;
    const char *wrong;
    char c;

    (void)!read(sh->go, &c, 1);
    if (bough_store_open(&s, sh->url, NULL, &err)) {
        fprintf(stderr, "# child %d cannot open: %s\n", sh->number, err.msg);
        _exit(3);
    }
    wrong = fn(s, sh);
    bough_store_close(&s);
    if (wrong)
        fprintf(stderr, "# child %d: %s\n", sh->number, wrong);
    _exit(wrong ? 4 : 0);
}

static void run_children(struct test *t, child_fn *fn, struct shared *sh, int n)
{
    pid_t pids[64];
    int fds[2], status, failed = 0;

    CHECK(pipe(fds) == 0);
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < n; i++) {
        struct shared mine = *sh;

        mine.number = i;
        mine.go = fds[0];
        pids[i] = fork();
        CHECK(pids[i] >= 0);
        if (pids[i] == 0) {
            close(fds[1]);
            run_child(fn, &mine);
        }
    }
    close(fds[0]);
    close(fds[1]);
    for (int i = 0; i < n; i++) {
        CHECK(waitpid(pids[i], &status, 0) == pids[i]);
        failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    CHECK_INT(0, failed);
    CHECK_OK(bough_store_open(&t->store, sh->url, NULL, &t->err));
}

static const char *keep_msg(const struct bough_error *err)
{
    static char msg[300];

    snprintf(msg, sizeof msg, "%s (%s)", bough_rc_name(err->rc), err->msg);
    return msg;
}

/* Write every third message to the shared session, the others to an own one. */
static const char *write_mixed(struct bough_store *s, const struct shared *sh)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };
    struct bough_session_create_options in = { .id = arena_printf(a, "own-%d", sh->number),
                                               .project = "/p" };
    struct bough_session *own;

    if (bough_session_create(s, a, &in, &own, &err))
        return keep_msg(&err);
    for (int i = 0; i < sh->times; i++) {
        struct bough_totals used = { .input = 1, .cost = 10 };
        struct bough_entry_new e = { .role = i % 2 ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER,
                                     .text = arena_printf(a, "%d.%d", sh->number, i),
                                     .usage = &used };
        struct bough_append_options one = { .entries = &e, .n = 1 };
        struct bough_append_result out;

        if (bough_append(s, a, i % 3 ? own->id : sh->session, &one, &out, &err))
            return keep_msg(&err);
    }
    bough_arena_destroy(a);
    return NULL;
}

static struct shared begin(struct test *t)
{
    struct shared sh = { .url = t->url, .times = TIMES };

    CHECK_OK(bough_store_open(&t->store, sh.url, NULL, &t->err));
    sh.session = new_session(t, "shared");
    bough_store_close(&t->store);
    return sh;
}

/* Depths have no gap, and each writer's messages are there once and in its order. */
static void check_session(struct test *t, const char *session, int64_t want)
{
    int last[PROCESSES];
    struct bough_session *s = get(t, session);
    struct bough_entries_read_result path;

    memset(last, -1, sizeof last);
    CHECK_OK(bough_entries_read(t->store, t->arena, session, NULL, &path, &t->err));
    CHECK_INT(want, path.entries.n);
    CHECK_INT(want, s->messages);
    CHECK_INT(want, s->own.input);
    CHECK_INT(want * 10, s->rolled.cost);
    for (size_t i = 0; i < path.entries.n; i++) {
        int writer, number;

        CHECK_INT(i + 1, path.entries.at[i].at.depth);
        CHECK_INT(2, sscanf(text_of(t, &path.entries.at[i]), "%d.%d", &writer, &number));
        CHECK(number > last[writer]);
        last[writer] = number;
    }
}

SHARED_TEST(eight_processes_write_to_own_and_shared_sessions, 120)
{
    struct shared sh = begin(t);
    struct bough_sessions list;
    struct bough_groups places;
    int64_t shared = (TIMES + 2) / 3, total = 0;

    run_children(t, write_mixed, &sh, PROCESSES);
    check_session(t, sh.session, PROCESSES * shared);
    for (int i = 0; i < PROCESSES; i++)
        check_session(t, arena_printf(t->arena, "own-%d", i), TIMES - shared);
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(PROCESSES + 1, list.n);
    for (size_t i = 0; i < list.n; i++)
        total += list.at[i].messages;
    CHECK_INT(PROCESSES * TIMES, total);
    CHECK_OK(bough_group_list(t->store, t->arena, "project", &places, &t->err));
    CHECK_INT(1, places.n);
    store_check(t, t->store);
    bough_store_close(&t->store);
}

static const char *open_and_make(struct bough_store *s, const struct shared *sh)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };
    struct bough_session *one;
    struct bough_store_info_result info;

    (void)sh;
    if (bough_session_create(s, a, NULL, &one, &err) || bough_store_info(s, a, &info, &err))
        return keep_msg(&err);
    return *info.store_id ? NULL : "the store has no id";
}

SHARED_TEST(sixteen_processes_open_a_fresh_path_at_once, 60)
{
    struct shared sh = { .url = t->url };
    struct bough_sessions list;

    run_children(t, open_and_make, &sh, OPENERS);
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(OPENERS, list.n);
    store_check(t, t->store);
    bough_store_close(&t->store);
}

/* Between its own appends each process sees totals that only grow and match the messages. */
static const char *write_and_watch(struct bough_store *s, const struct shared *sh)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };
    int64_t had = 0;

    for (int i = 0; i < sh->times; i++) {
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER,
                                     .text = "x",
                                     .usage = &(struct bough_totals){ .input = 1, .cost = 10 } };
        struct bough_append_options one = { .entries = &e, .n = 1 };
        struct bough_sessions list;
        struct bough_append_result out;
        struct bough_session *now;

        bough_arena_reset(a);
        if (bough_append(s, a, sh->session, &one, &out, &err) ||
            bough_session_list(s, a, NULL, &list, &err))
            return keep_msg(&err);
        now = &list.at[0];
        if (list.n != 1 || now->messages <= had || now->messages < out.head.depth)
            return "the list does not show what was just written";
        if (now->own.input != now->messages || now->rolled.cost != 10 * now->messages ||
            now->calls != now->messages)
            return "the list's totals do not fit its messages";
        had = now->messages;
    }
    bough_arena_destroy(a);
    return NULL;
}

SHARED_TEST(values_are_exact_in_every_process, 60)
{
    struct shared sh = begin(t);

    sh.times = 100;
    run_children(t, write_and_watch, &sh, 4);
    CHECK_INT(400, get(t, sh.session)->messages);
    store_check(t, t->store);
    bough_store_close(&t->store);
}

static const char *purge_shared(struct bough_store *s, const struct shared *sh)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };

    return bough_session_purge(s, a, sh->session, NULL, &err) ? keep_msg(&err) : NULL;
}

/* A session purged by one process is gone in another that had the store open all the time. */
SHARED_TEST(a_session_purged_by_another_process_is_gone, 30)
{
    struct shared sh = begin(t);
    struct bough_store *mine = NULL, *unused;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "late" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_session *s;
    struct bough_sessions roots;
    const char *child;

#ifdef __SANITIZE_THREAD__
    SKIP("ThreadSanitizer cannot follow threads that a child of a threaded process starts");
#endif
    CHECK_OK(bough_store_open(&t->store, sh.url, NULL, &t->err));
    user(t, sh.session, "known here");
    CHECK_OK(bough_session_create(
        t->store, t->arena,
        &(struct bough_session_create_options){ .kind = BOUGH_SUBAGENT, .parent = sh.session }, &s,
        &t->err));
    child = s->id;
    mine = t->store;
    run_children(t, purge_shared, &sh, 1);
    unused = t->store;
    bough_store_close(&unused);
    t->store = mine;
    CHECK_RC(BOUGH_GONE, bough_session_get(t->store, t->arena, sh.session, &s, &t->err));
    CHECK_RC(BOUGH_GONE, bough_append(t->store, t->arena, sh.session, &in, &out, &t->err));
    CHECK_RC(BOUGH_GONE, bough_session_rename(t->store, sh.session, "x", &t->err));
    CHECK_RC(BOUGH_GONE, bough_session_fork(t->store, t->arena, sh.session, NULL, &s, &t->err));
    user(t, child, "touch it, so that its list row is made anew");
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_STR("", get(t, child)->parent);
    CHECK_OK(bough_session_list(t->store, t->arena,
                                &(struct bough_session_list_options){ .roots = true }, &roots,
                                &t->err));
    CHECK_INT(1, roots.n);
    store_check(t, t->store);
    bough_store_close(&t->store);
}
