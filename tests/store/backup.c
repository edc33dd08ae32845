/* Backup and restore: a backup is a checked copy of one snapshot, or no file is left. A restore
 * puts a checked copy in place, or changes nothing. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "lib/store_test.h"

/* ---- helpers ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files in the scratch directory, sorted, without the WAL files of open stores. */
static const char *files(struct test *t)
{
    DIR *d = opendir(test_dir(t));
    char *names[64];
    const char *all = "";
    struct dirent *e;
    size_t n = 0;

    CHECK(d);
    for (e = readdir(d); e; e = readdir(d))
        if (e->d_name[0] != '.' && !strstr(e->d_name, ".db-wal") && !strstr(e->d_name, ".db-shm"))
            names[n++] = arena_strdup(t->arena, e->d_name);
    closedir(d);
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++)
        all = arena_printf(t->arena, "%s%s%s", all, i ? " " : "", names[i]);
    return all;
}

static const char *url_of(struct test *t, const char *path)
{
    return arena_printf(t->arena, "sqlite:%s", path);
}

static void open_at(struct test *t, const char *path)
{
    CHECK_OK(bough_store_open(&t->store, url_of(t, path), NULL, &t->err));
}

/* Create a closed store with one session "kept" that contains `words`. */
static const char *make_store(struct test *t, const char *name, const char *words)
{
    const char *path = test_path(t, name);

    open_at(t, path);
    user(t, new_session(t, "kept"), words);
    bough_store_close(&t->store);
    return path;
}

static void backup_to(struct test *t, const char *from, const char *to)
{
    open_at(t, from);
    CHECK_OK(bough_backup(t->store, to, NULL, NULL, &t->err));
    bough_store_close(&t->store);
}

/* Check that the store is sound and that "kept" contains `words`. Returns its epoch. */
static int64_t check_store(struct test *t, const char *path, const char *words)
{
    struct bough_store_info_result info;

    open_at(t, path);
    CHECK_STR(words, path_text(t, "kept"));
    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    store_check(t, t->store);
    bough_store_close(&t->store);
    return info.epoch;
}

static struct bough_str content(struct test *t, const char *path)
{
    struct bough_str all;

    CHECK_OK(fs_read(t->arena, path, (size_t)1 << 26, &all, &t->err));
    return all;
}

static void put(struct test *t, const char *path, struct bough_str data)
{
    CHECK_OK(fs_write(path, data, 0600, &t->err));
}

static enum bough_rc restore(struct test *t, const char *from, const char *to, bool force)
{
    struct bough_restore_options how = { .force = force };

    return bough_restore(from, to, &how, t->arena, NULL, &t->err);
}

/* ---- backup ---- */

STORE_TEST(a_backup_is_a_store_with_the_same_content)
{
    const char *s = new_session(t, "kept"), *path = test_path(t, "copy.db"), *e;
    struct bough_backup_result report;
    struct bough_store_info_result info;
    struct stat st;

    e = user(t, s, "one");
    agent(t, s, "two");
    agent(t, fork_at(t, s, e), "other two");
    if (!store_has_file(t)) {
        CHECK_RC(BOUGH_INVALID, bough_backup(t->store, path, NULL, NULL, &t->err));
        CHECK_STR("", files(t));
        return;
    }
    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    CHECK_OK(bough_backup(t->store, path, NULL, &report, &t->err));
    CHECK_STR("copy.db store.db", files(t));
    CHECK_INT(2, report.sessions);
    CHECK_INT(3, report.entries);
    CHECK_INT(info.last_no, report.last_no);
    CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    CHECK_INT(st.st_size, report.bytes);
    user(t, s, "after it"); /* not in the copy */
    store_reopen(t);
    bough_store_close(&t->store);
    CHECK_INT(info.epoch, check_store(t, path, "one two"));
}

TEST(a_backup_never_replaces_anything)
{
    const char *path = make_store(t, "a.db", "one"), *there = test_path(t, "there");
    const char *dangling = test_path(t, "dangling"), *dir = test_path(t, "dir");

    put(t, there, str_of("mine"));
    CHECK(symlink("nowhere", dangling) == 0 && mkdir(dir, 0700) == 0);
    open_at(t, path);
    CHECK_RC(BOUGH_EXISTS, bough_backup(t->store, there, NULL, NULL, &t->err));
    CHECK_RC(BOUGH_EXISTS, bough_backup(t->store, dangling, NULL, NULL, &t->err));
    CHECK_RC(BOUGH_EXISTS, bough_backup(t->store, dir, NULL, NULL, &t->err));
    CHECK_RC(BOUGH_EXISTS, bough_backup(t->store, path, NULL, NULL, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND,
             bough_backup(t->store, test_path(t, "no/such/x.db"), NULL, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_backup(t->store, "", NULL, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_backup(t->store, "memory:", NULL, NULL, &t->err));
    bough_store_close(&t->store);
    CHECK_SPAN("mine", content(t, there));
    CHECK_STR("a.db dangling dir there", files(t));
}

struct watch {
    int64_t calls, last, total, stop_at;
};

static bool watch(void *user, int64_t done, int64_t total)
{
    struct watch *w = user;

    w->calls++;
    w->last = done;
    w->total = total;
    return w->calls != w->stop_at;
}

TEST(a_backup_tells_how_far_it_is_and_can_be_stopped)
{
    const char *path = make_store(t, "a.db", "one"), *copy = test_path(t, "copy.db");
    char *noise = bough_arena_alloc(t->arena, 6000001);
    struct watch w = { 0 }, stop = { .stop_at = 2 };
    bool cancel = true;
    struct bough_store_scoped_options scope = { .cancel = &cancel };
    struct bough_store *scoped;
    uint64_t x = 1;

    for (int i = 0; i < 6000000; i++) { /* incompressible text */
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        noise[i] = (char)('0' + (x >> 33) % 75);
    }
    noise[6000000] = '\0';
    open_at(t, path);
    user(t, "kept", noise);
    CHECK_RC(BOUGH_CANCELLED,
             bough_backup(t->store, copy,
                          &(struct bough_backup_options){ .progress = watch, .user = &stop }, NULL,
                          &t->err));
    CHECK_INT(2, stop.calls);
    scoped = bough_store_scoped(t->store, &scope);
    CHECK_RC(BOUGH_CANCELLED, bough_backup(scoped, copy, NULL, NULL, &t->err));
    bough_store_close(&scoped);
    CHECK_STR("a.db", files(t));
    CHECK_OK(bough_backup(t->store, copy,
                          &(struct bough_backup_options){ .progress = watch, .user = &w }, NULL,
                          &t->err));
    CHECK(w.calls >= 3);
    CHECK_INT(w.total, w.last);
    bough_store_close(&t->store);
}

TEST(a_damaged_store_is_not_backed_up)
{
    const char *path = make_store(t, "a.db", "precious words");
    struct bough_str all = content(t, path);
    char *at = memmem(all.p, all.n, "precious words", 14);

    CHECK(at);
    at[3] ^= 1;
    put(t, path, all);
    open_at(t, path);
    CHECK_RC(BOUGH_CORRUPT, bough_backup(t->store, test_path(t, "copy.db"), NULL, NULL, &t->err));
    bough_store_close(&t->store);
    CHECK_STR("a.db", files(t));
}

TEST(a_store_opened_for_reading_can_be_backed_up)
{
    const char *path = make_store(t, "a.db", "one"), *copy = test_path(t, "copy.db");
    struct bough_store_open_options options = { .read_only = true };

    CHECK_OK(bough_store_open(&t->store, url_of(t, path), &options, &t->err));
    CHECK_OK(bough_backup(t->store, copy, NULL, NULL, &t->err));
    bough_store_close(&t->store);
    check_store(t, copy, "one");
}

/* ---- restore ---- */

TEST(restoring_brings_back_the_backup_and_changes_the_epoch)
{
    const char *path = make_store(t, "a.db", "one"), *copy = test_path(t, "copy.db");
    struct bough_restore_result out;

    backup_to(t, path, copy);
    open_at(t, path);
    user(t, "kept", "two");
    bough_store_close(&t->store);
    CHECK_OK(bough_restore(copy, url_of(t, path), NULL, t->arena, &out, &t->err));
    CHECK_INT(2, out.epoch);
    CHECK_INT(1, out.copied.sessions);
    CHECK_INT(1, out.copied.entries);
    CHECK_INT(2, check_store(t, path, "one"));
    CHECK_INT(1, check_store(t, out.kept, "one two"));
    CHECK(strstr(out.kept, "/a.db.before-restore-2"));
    /* The new epoch is the larger one plus 1: the copy has 1, the replaced store 2. */
    CHECK_OK(bough_restore(copy, path, NULL, t->arena, &out, &t->err));
    CHECK_INT(3, check_store(t, path, "one"));
    CHECK_OK(bough_restore(out.kept, path, NULL, t->arena, &out, &t->err));
    CHECK_INT(4, check_store(t, path, "one"));
    CHECK_INT(1, check_store(t, copy, "one"));
}

TEST(restoring_with_force_keeps_nothing)
{
    const char *path = make_store(t, "a.db", "old"), *copy = make_store(t, "copy.db", "new");
    struct bough_restore_options how = { .force = true };
    struct bough_restore_result out;

    CHECK_OK(bough_restore(copy, path, &how, t->arena, &out, &t->err));
    CHECK_STR("", out.kept);
    CHECK_STR("a.db copy.db", files(t));
    CHECK_INT(2, check_store(t, path, "new"));
}

TEST(a_store_can_be_restored_where_there_is_none)
{
    const char *copy = make_store(t, "copy #1 100%.db", "new"), *path = test_path(t, "b.db");
    const char *stray = test_path(t, "b.db-wal");

    put(t, stray, str_of("the log of a file that was removed"));
    CHECK_OK(restore(t, copy, path, false));
    CHECK(!fs_exists(stray));
    CHECK(!fs_exists(test_path(t, "copy #1 100%.db-wal")));
    CHECK(!fs_exists(test_path(t, "copy #1 100%.db-shm")));
    CHECK_INT(2, check_store(t, path, "new"));
}

TEST(restoring_never_touches_a_store_that_is_open)
{
    const char *path = make_store(t, "a.db", "old"), *copy = make_store(t, "copy.db", "new");
    int ready[2], done[2], status;
    char c = 0;
    pid_t pid;

    open_at(t, path);
    CHECK_RC(BOUGH_BUSY, restore(t, copy, path, false));
    CHECK_RC(BOUGH_INVALID, restore(t, path, path, false));
    CHECK_STR("old", path_text(t, "kept"));
    user(t, "kept", "and more");
    bough_store_close(&t->store);

    CHECK(pipe(ready) == 0 && pipe(done) == 0);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        struct bough_store_open_options options = { .read_only = true };
        struct bough_store *s = NULL;

        close(done[1]);
        if (bough_store_open(&s, path, &options, NULL) || write(ready[1], "x", 1) != 1)
            _exit(1);
        (void)!read(done[0], &c, 1);
        bough_store_close(&s);
        _exit(0);
    }
    CHECK(read(ready[0], &c, 1) == 1);
    CHECK_RC(BOUGH_BUSY, restore(t, copy, path, true));
    close(done[1]);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    close(done[0]);
    close(ready[0]);
    close(ready[1]);
    CHECK_STR("a.db copy.db", files(t));
    CHECK_INT(1, check_store(t, path, "old and more"));
    CHECK_OK(restore(t, copy, path, true));
    check_store(t, path, "new");
}

/* Append and die without closing, so that the words are only in the WAL. */
static void append_and_die(const char *path, const char *words)
{
    int status;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = words };
        struct bough_append_options in = { .entries = &e, .n = 1 };
        struct bough_arena *a = bough_arena_create();
        struct bough_append_result out;
        struct bough_store *s = NULL;

        if (bough_store_open(&s, path, NULL, NULL) || bough_append(s, a, "kept", &in, &out, NULL))
            _exit(1);
        raise(SIGKILL);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

TEST(a_wal_left_by_a_crash_is_kept_with_the_old_store)
{
    const char *path = make_store(t, "a.db", "old"), *copy = make_store(t, "copy.db", "new");
    struct bough_restore_result out;

    append_and_die(path, "unfolded");
    CHECK(fs_size(arena_printf(t->arena, "%s-wal", path)) > 0);
    CHECK_OK(bough_restore(copy, path, NULL, t->arena, &out, &t->err));
    CHECK(!fs_exists(arena_printf(t->arena, "%s-wal", path)));
    check_store(t, path, "new");
    check_store(t, out.kept, "old unfolded");
    /* The WAL of a backup is read too, in case a store was copied while open. */
    append_and_die(copy, "newer");
    CHECK_OK(restore(t, copy, path, true));
    check_store(t, path, "new newer");
}

TEST(a_damaged_store_can_be_replaced_and_its_log_is_kept_beside_it)
{
    const char *path = make_store(t, "a.db", "old"), *copy = make_store(t, "copy.db", "new");
    struct bough_restore_result out;
    struct bough_str all, log;

    append_and_die(path, "unfolded");
    log = content(t, arena_printf(t->arena, "%s-wal", path));
    CHECK(log.n > 0);
    all = content(t, path);
    memset((char *)(uintptr_t)all.p + 100, 0xa5, 8000); /* overwrites the schema */
    put(t, path, all);
    CHECK_OK(bough_restore(copy, path, NULL, t->arena, &out, &t->err));
    CHECK(out.epoch > 1000000000); /* the old epoch cannot be read */
    check_store(t, path, "new");
    CHECK(str_eq(all, content(t, out.kept)));
    CHECK(str_eq(log, content(t, arena_printf(t->arena, "%s-wal", out.kept))));
}

/* The restore is refused with `want`, and no file has changed. */
static void check_refused(struct test *t, const char *copy, const char *path, enum bough_rc want)
{
    struct bough_str before = content(t, path);
    const char *names = files(t);

    CHECK_RC(want, restore(t, copy, path, true));
    CHECK(*t->err.msg);
    CHECK(str_eq(before, content(t, path)));
    CHECK_STR(names, files(t));
}

TEST(a_damaged_backup_is_refused)
{
    const char *path = make_store(t, "a.db", "old");
    const char *copy = make_store(t, "copy.db", "precious words"), *bad = test_path(t, "bad.db");
    struct bough_str good = content(t, copy), all = content(t, copy);
    char *p = (char *)(uintptr_t)all.p;

    ((char *)memmem(p, all.n, "precious words", 14))[0] ^= 1;
    put(t, bad, all);
    check_refused(t, bad, path, BOUGH_CORRUPT);
    memcpy(p, good.p, good.n);
    memset(p + 100, 0xa5, 8000);
    put(t, bad, all);
    check_refused(t, bad, path, BOUGH_CORRUPT);
    memcpy(p, good.p, good.n);
    put(t, bad, str_make(p, all.n / 2));
    check_refused(t, bad, path, BOUGH_CORRUPT);
    put(t, bad,
        str_of("Dear diary, this is not a backup of anything, but it is long enough to be "
               "taken for a file with a header of a hundred bytes."));
    check_refused(t, bad, path, BOUGH_INVALID);
    put(t, bad, str_of(""));
    check_refused(t, bad, path, BOUGH_INVALID);
    memcpy(p, good.p, good.n);
    p[63] = 99; /* user_version */
    put(t, bad, all);
    check_refused(t, bad, path, BOUGH_VERSION);
    check_refused(t, test_path(t, "nowhere.db"), path, BOUGH_NOT_FOUND);
    check_store(t, path, "old");
}

TEST(a_store_where_others_may_write_is_neither_replaced_nor_restored_from)
{
    const char *copy = make_store(t, "copy.db", "new"), *dir = test_path(t, "open");
    const char *path = test_path(t, "open/a.db"), *mine = make_store(t, "a.db", "old");
    struct bough_str all = content(t, copy);

    CHECK(mkdir(dir, 0700) == 0);
    put(t, path, all);
    CHECK(chmod(dir, 0777) == 0);
    CHECK_RC(BOUGH_DENIED, restore(t, copy, path, true));
    CHECK_RC(BOUGH_DENIED, restore(t, path, mine, true));
    CHECK(str_eq(all, content(t, path)));
    check_store(t, mine, "old");
}

TEST(a_file_that_is_no_store_is_never_replaced)
{
    const char *copy = make_store(t, "copy.db", "new"), *path = test_path(t, "notes.txt");

    put(t, path,
        str_of("Dear diary, this is not a store, but it is long enough to be taken for a "
               "file with a header of a hundred bytes."));
    check_refused(t, copy, path, BOUGH_INVALID);
    CHECK_RC(BOUGH_INVALID, restore(t, copy, "memory:", true));
    CHECK_RC(BOUGH_INVALID, restore(t, copy, "", true));
}

STORE_TEST(a_backup_removes_what_a_killed_one_left)
{
    const char *copy = test_path(t, "copy.db"), *left, *log, *busy, *other;
    int fd;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    left = arena_printf(t->arena, "%s.0123456789abcdef.tmp", copy);
    log = arena_printf(t->arena, "%s-wal", left);
    busy = arena_printf(t->arena, "%s.fedcba9876543210.tmp", copy);
    other = arena_printf(t->arena, "%s.mine.tmp", copy);
    CHECK_OK(fs_write(left, str_of("half"), 0600, &t->err));
    CHECK_OK(fs_write(log, str_of("half"), 0600, &t->err));
    CHECK_OK(fs_write(busy, str_of("half"), 0600, &t->err));
    CHECK_OK(fs_write(other, str_of("half"), 0600, &t->err));
    fd = open(busy, O_RDONLY | O_CLOEXEC); /* its process still writes it */
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    CHECK_OK(bough_backup(t->store, copy, NULL, NULL, &t->err));
    CHECK(!fs_exists(left) && !fs_exists(log));
    CHECK(fs_exists(busy) && fs_exists(other));
    close(fd);
}
