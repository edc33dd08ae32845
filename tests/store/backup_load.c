/* Backups of a store that two processes write to, and backup and restore on a failing disk. */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "lib/faulty_vfs.h"
#include "lib/store_test.h"

enum { ROUNDS = 20 };

struct writer {
    struct bough_store *store;
    const char *session;
    _Atomic int stop;
    int times;
    enum bough_rc rc;
    struct bough_error err;
};

static void *write_on(void *arg)
{
    struct writer *w = arg;
    struct bough_arena *a = bough_arena_create();

    while (!w->stop && !w->rc) {
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER,
                                     .text = arena_printf(a, "%d", w->times) };
        struct bough_append_options in = { .entries = &e, .n = 1 };
        struct bough_append_result out;

        w->rc = bough_append(w->store, a, w->session, &in, &out, &w->err);
        w->times += !w->rc;
        bough_arena_reset(a);
        usleep(w->times < 500 ? 0 : 2000); /* limit volume: each backup is read whole */
    }
    bough_arena_destroy(a);
    return NULL;
}

/* In another process: append until the pipe is closed. */
_Noreturn static void write_from_child(const char *path, const char *session, int until)
{
    struct writer w = { .session = session };
    pthread_t thread;
    char c;

    if (bough_store_open(&w.store, path, NULL, &w.err) ||
        pthread_create(&thread, NULL, write_on, &w) != 0) {
        fprintf(stderr, "# child: %s\n", w.err.msg);
        _exit(1);
    }
    (void)!read(until, &c, 1);
    w.stop = 1;
    pthread_join(thread, NULL);
    bough_store_close(&w.store);
    if (w.rc)
        fprintf(stderr, "# child: %s\n", w.err.msg);
    _exit(w.rc ? 1 : 0);
}

/* The texts must be "0", "1", "2" ... without a gap. Returns how many there are. */
static size_t check_counting(struct test *t, struct bough_store *s, const char *session)
{
    struct bough_entries_read_result path;

    CHECK_OK(bough_entries_read(s, t->arena, session, NULL, &path, &t->err));
    for (size_t i = 0; i < path.entries.n; i++)
        CHECK_STR(arena_printf(t->arena, "%zu", i), text_of(t, &path.entries.at[i]));
    return path.entries.n;
}

/* Both changelogs are the same up to `last`, where the copy's ends. */
static void check_prefix(struct test *t, struct bough_store *copy, struct bough_store *from,
                         int64_t last)
{
    struct bough_store_log_options how = { .limit = 1000 };
    struct bough_changes a, b;
    int64_t no = 0;

    do {
        CHECK_OK(bough_store_log(copy, t->arena, &how, &a, &t->err));
        CHECK_OK(bough_store_log(from, t->arena, &how, &b, &t->err));
        CHECK(b.n >= a.n);
        for (size_t i = 0; i < a.n; i++) {
            CHECK_INT(b.at[i].no, a.at[i].no);
            CHECK_STR(b.at[i].kind, a.at[i].kind);
            CHECK_STR(b.at[i].session, a.at[i].session);
            CHECK_STR(b.at[i].entry, a.at[i].entry);
            no = a.at[i].no;
        }
        how.cursor = a.next;
    } while (*a.next);
    CHECK_INT(last, no);
}

static void check_round(struct test *t, int round, const char *one, const char *other)
{
    const char *copy = arena_printf(t->arena, "%s/%d.backup", test_dir(t), round);
    const char *again = arena_printf(t->arena, "%s/%d.db", test_dir(t), round);
    struct bough_backup_result report;
    struct bough_store_info_result before, after, info;
    struct bough_store *s = NULL;
    size_t n;

    CHECK_OK(bough_store_info(t->store, t->arena, &before, &t->err));
    CHECK_OK(bough_backup(t->store, copy, NULL, &report, &t->err));
    CHECK_OK(bough_store_info(t->store, t->arena, &after, &t->err));
    CHECK(before.last_no <= report.last_no && report.last_no <= after.last_no);
    CHECK_OK(bough_restore(copy, again, NULL, t->arena, NULL, &t->err));
    CHECK_OK(bough_store_open(&s, again, NULL, &t->err));
    CHECK_OK(bough_store_info(s, t->arena, &info, &t->err));
    CHECK_INT(report.last_no, info.last_no);
    CHECK_INT(before.epoch + 1, info.epoch);
    n = check_counting(t, s, one) + check_counting(t, s, other);
    CHECK_INT(report.entries, n + 1); /* plus the bulk entry */
    check_prefix(t, s, t->store, report.last_no);
    store_check(t, s);
    bough_store_close(&s);
    CHECK(unlink(copy) == 0 && unlink(again) == 0);
}

static const char *noise(struct test *t)
{
    enum { SIZE = 5000000 };
    char *text = bough_arena_alloc(t->arena, SIZE + 1);
    uint64_t x = 1;

    for (int i = 0; i < SIZE; i++) { /* incompressible text */
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        text[i] = (char)('0' + (x >> 33) % 75);
    }
    text[SIZE] = '\0';
    return text;
}

TEST_SECONDS(backups_under_load_are_moments_of_the_store, 120)
{
    const char *path = test_path(t, "busy.db"), *one, *other;
    struct writer w = { 0 };
    int until[2], status;
    pthread_t thread;
    pid_t pid;

#ifdef __SANITIZE_THREAD__
    SKIP("under ThreadSanitizer a full check beside writers takes longer than a call may");
#endif
    CHECK_OK(bough_store_open(&t->store, path, NULL, &t->err));
    user(t, new_session(t, "bulk"), noise(t)); /* large, so that a copy takes several steps */
    one = new_session(t, "thread");
    other = new_session(t, "process");
    bough_store_close(&t->store);
    CHECK(pipe(until) == 0);
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        close(until[1]);
        write_from_child(path, other, until[0]);
    }
    close(until[0]);
    CHECK_OK(bough_store_open(&t->store, path, NULL, &t->err));
    w.store = t->store;
    w.session = one;
    CHECK(pthread_create(&thread, NULL, write_on, &w) == 0);
    for (int i = 0; i < ROUNDS; i++)
        check_round(t, i, one, other);
    w.stop = 1;
    pthread_join(thread, NULL);
    close(until[1]);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(0, status);
    if (w.rc)
        FAIL("appending: %s", w.err.msg);
    CHECK(w.times > ROUNDS);
    CHECK_INT(w.times, check_counting(t, t->store, one));
    printf("# %d appends here and %zu there during %d backups\n", w.times,
           check_counting(t, t->store, other), ROUNDS);
    store_check(t, t->store);
    bough_store_close(&t->store);
}

/* ---- faults ---- */

/* The number of files that belong neither to the store nor to the copy. */
static int strangers(struct test *t)
{
    DIR *d = opendir(test_dir(t));
    struct dirent *e;
    int n = 0;

    CHECK(d);
    for (e = readdir(d); e; e = readdir(d))
        if (e->d_name[0] != '.' && strncmp(e->d_name, "a.db", 4) != 0 &&
            strcmp(e->d_name, "copy.db") != 0)
            n++;
        else if (strstr(e->d_name, ".tmp") || strstr(e->d_name, "before-restore"))
            n++;
    closedir(d);
    return n;
}

static void make_world(struct test *t, const char *path)
{
    CHECK_OK(bough_store_open(&t->store, path, NULL, &t->err));
    new_session(t, "kept");
    for (int i = 0; i < 20; i++)
        user(t, "kept", arena_printf(t->arena, "%d", i));
}

/* Every call at first, then fewer: later calls are all alike. */
static int64_t next_call(int64_t n)
{
    return n < 24 ? n + 1 : n + n / 6;
}

/* Returns how many faults were triggered. */
static int try_backup(struct test *t, enum faulty_kind kind, bool sticky)
{
    int met = 0;
    const char *copy = test_path(t, "copy.db");
    enum bough_rc rc;
    bool fired;

    for (int64_t n = 1;; n = next_call(n)) {
        faulty_arm(kind, n, sticky);
        rc = bough_backup(t->store, copy, NULL, NULL, &t->err);
        fired = faulty_disarm();
        CHECK_INT(0, strangers(t));
        if (!rc) { /* the fault was not reached, or was harmless */
            struct bough_store *s = NULL;

            CHECK_OK(bough_store_open(&s, copy, NULL, &t->err));
            CHECK_INT(20, check_counting(t, s, "kept"));
            bough_store_close(&s);
            CHECK(unlink(copy) == 0);
        } else if (fs_exists(copy)) {
            FAIL("%s %lld left a copy", faulty_name(kind), (long long)n);
        }
        if (!fired) {
            CHECK_INT(BOUGH_OK, rc);
            return met;
        }
        met++;
        CHECK_INT(20, check_counting(t, t->store, "kept"));
    }
}

TEST_SECONDS(a_backup_on_a_failing_disk_leaves_nothing_and_harms_nothing, 120)
{
    const char *path = test_path(t, "a.db");
    int met = 0;

    faulty_vfs_install();
    make_world(t, path);
    for (int kind = 0; kind < FAULTY_KINDS; kind++) {
        met += try_backup(t, (enum faulty_kind)kind, false);
        met += try_backup(t, (enum faulty_kind)kind, true);
    }
    printf("# %d faults\n", met);
    CHECK(met > 100); /* otherwise nothing was tried */
    user(t, "kept", "20");
    store_check(t, t->store);
    bough_store_close(&t->store);
    faulty_vfs_remove();
}

static struct bough_str content(struct test *t, const char *path)
{
    struct bough_str all;

    CHECK_OK(fs_read(t->arena, path, (size_t)1 << 26, &all, &t->err));
    return all;
}

static int try_restore(struct test *t, enum faulty_kind kind, bool sticky, struct bough_str old,
                       size_t want)
{
    const char *path = test_path(t, "a.db"), *copy = test_path(t, "copy.db");
    struct bough_restore_options how = { .force = true };
    bool fired = true;
    int met = -1;

    for (int64_t n = 1; fired; n = next_call(n)) {
        struct bough_store *s = NULL;
        enum bough_rc rc;

        CHECK_OK(fs_write(path, old, 0600, &t->err));
        faulty_arm(kind, n, sticky);
        rc = bough_restore(copy, path, &how, t->arena, NULL, &t->err);
        fired = faulty_disarm();
        CHECK_INT(0, strangers(t));
        if (rc)
            CHECK(str_eq(old, content(t, path)));
        CHECK(!fired ? !rc : true);
        CHECK_OK(bough_store_open(&s, path, NULL, &t->err));
        CHECK_INT(rc ? 20 : want, check_counting(t, s, "kept"));
        bough_store_close(&s);
        met++;
    }
    return met;
}

TEST_SECONDS(restoring_on_a_failing_disk_changes_everything_or_nothing, 120)
{
    const char *path = test_path(t, "a.db"), *copy = test_path(t, "copy.db");
    struct bough_str old;
    int met = 0;

    faulty_vfs_install();
    make_world(t, path);
    CHECK_OK(bough_backup(t->store, copy, NULL, NULL, &t->err));
    bough_store_close(&t->store);
    old = content(t, path);
    CHECK_OK(bough_store_open(&t->store, copy, NULL, &t->err));
    user(t, "kept", "20");
    bough_store_close(&t->store);
    for (int kind = 0; kind < FAULTY_KINDS; kind++) {
        met += try_restore(t, (enum faulty_kind)kind, false, old, 21);
        met += try_restore(t, (enum faulty_kind)kind, true, old, 21);
    }
    printf("# %d faults\n", met);
    CHECK(met > 100);
    faulty_vfs_remove();
}
