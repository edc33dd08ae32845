/* Opening SQLite stores: refused files, files left after closing, concurrent opens. */
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "fixture.h"

static void write_file(struct test *t, const char *path, const char *text)
{
    CHECK_OK(fs_write(path, (struct bough_str){ text, strlen(text) }, 0600, &t->err));
}

TEST(other_files_are_refused_and_left_alone)
{
    const char *path = test_path(t, "x");
    struct backend *b = NULL;
    struct bough_str before, after;
    sqlite3 *db;

    write_file(t, path, "hello");
    CHECK_RC(BOUGH_INVALID, try_open(t, path, false, &b));
    CHECK(strstr(t->err.msg, "is not a bough store"));
    CHECK_OK(fs_read(t->arena, path, 100, &after, &t->err));
    CHECK_SPAN("hello", after);
    unlink(path);

    sqlite3_initialize();
    CHECK_INT(SQLITE_OK, sqlite3_open(path, &db));
    CHECK_INT(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL));
    sqlite3_close(db);
    CHECK_OK(fs_read(t->arena, path, 100000, &before, &t->err));
    CHECK_RC(BOUGH_INVALID, try_open(t, path, false, &b));
    CHECK_OK(fs_read(t->arena, path, 100000, &after, &t->err));
    CHECK_INT(before.n, after.n);
    CHECK_MEM(before.p, after.p, before.n);
    CHECK(!b);
}

TEST(unsafe_places_are_refused)
{
    struct backend *b = NULL;
    const char *dir = test_path(t, "open"), *link = test_path(t, "link");
    char long_path[PATH_MAX];

    CHECK_RC(BOUGH_INVALID, try_open(t, "", false, &b));
    CHECK_RC(BOUGH_INVALID, try_open(t, test_path(t, "dir/"), false, &b));
    CHECK_INT(0, mkdir(dir, 0700));
    CHECK_RC(BOUGH_INVALID, try_open(t, dir, false, &b));
    CHECK_INT(0, chmod(dir, 0777));
    CHECK_RC(BOUGH_DENIED, try_open(t, fs_join(t->arena, dir, "s.db"), false, &b));
    CHECK_INT(0, symlink(test_path(t, "s.db"), link));
    CHECK_RC(BOUGH_INVALID, try_open(t, link, false, &b));
    memset(long_path, 'x', sizeof long_path);
    for (size_t i = 0; i < sizeof long_path; i += 200)
        long_path[i] = '/';
    memcpy(long_path, dir, strlen(dir));
    long_path[PATH_MAX - 16] = '\0'; /* room for "-journal" and the like is needed behind it */
    CHECK_RC(BOUGH_INVALID, try_open(t, long_path, false, &b));
    CHECK(strstr(t->err.msg, "too long"));
    CHECK_RC(BOUGH_NOT_FOUND, try_open(t, test_path(t, "none"), true, &b));
    CHECK(!fs_exists(test_path(t, "none")));
    CHECK_RC(BOUGH_NOT_FOUND, try_open(t, test_path(t, "a/b/none"), true, &b));
    CHECK(!fs_exists(test_path(t, "a")));
}

TEST(a_closed_store_is_one_private_file)
{
    const char *path = test_path(t, "deep/down/s.db");
    struct backend *b = open_at(t, path);
    struct stat st;
    int64_t bid, sid = add_session(t, b, "one", &bid);

    append(t, b, sid, bid, 1, "x");
    CHECK(fs_exists(test_path(t, "deep/down/s.db-wal")));
    CHECK_INT(0, stat(test_path(t, "deep/down/s.db-wal"), &st));
    CHECK_INT(0600, st.st_mode & 0777);
    b->ops->upkeep(b, true);
    b->ops->close(b);
    CHECK_INT(0, stat(path, &st));
    CHECK_INT(0600, st.st_mode & 0777);
    CHECK_INT(0, stat(test_path(t, "deep"), &st));
    CHECK_INT(0700, st.st_mode & 0777);
}

TEST(closing_removes_the_log)
{
    const char *path = test_path(t, "s.db");
    struct backend *b = open_at(t, path);
    int64_t bid, sid = add_session(t, b, "one", &bid);

    append(t, b, sid, bid, 1, "x");
    CHECK_INT(1, tip_of(t, b, bid));
    b->ops->upkeep(b, true);
    b->ops->close(b);
    CHECK(!fs_exists(test_path(t, "s.db-wal")));
    CHECK(!fs_exists(test_path(t, "s.db-shm")));
    CHECK_OK(try_open(t, path, true, &b));
    CHECK_INT(1, tip_of(t, b, bid));
    b->ops->close(b);
}

TEST(a_replaced_file_is_noticed)
{
    const char *path = test_path(t, "s.db");
    struct backend *b = open_at(t, path);
    struct change c;
    struct txn txn = { .changes = &c, .nchanges = 1, .log = { .kind = CHANGELOG_APPEND, .n = 1 } };
    struct txn *list[] = { &txn };
    struct deadline p = soon();
    int64_t bid, sid = add_session(t, b, "one", &bid);

    append(t, b, sid, bid, 1, "x");
    CHECK_INT(0, rename(path, test_path(t, "moved.db")));
    write_file(t, path, "other");
    c = entry_at(t, bid, 2, "b");
    CHECK_RC(BOUGH_IO, b->ops->commit(b, list, 1, &p, &t->err));
    CHECK(strstr(t->err.msg, "replaced"));
    b->ops->close(b);
}

TEST(a_forked_child_is_refused)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    int64_t bid, sid = add_session(t, b, "one", &bid);
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        struct deadline p = soon();
        struct txn txn = { .nchanges = 0 }, *list[] = { &txn };
        struct snapshot *v;
        bool ok = b->ops->snapshot_begin(b, &v, &p, &t->err) == BOUGH_INVALID &&
                  b->ops->commit(b, list, 1, &p, &t->err) == BOUGH_INVALID;

        b->ops->upkeep(b, true);
        b->ops->close(b);
        _exit(ok ? 0 : 1);
    }
    CHECK_INT(pid, waitpid(pid, &status, 0));
    CHECK_INT(0, status);
    CHECK_INT(TXN_DONE, append(t, b, sid, bid, 1, "x"));
    b->ops->close(b);
}

/* Sixteen processes open a path that does not exist yet at the same moment, and write. */
static void many_at_once(struct test *t, const char *path)
{
    enum { MANY = 16 };
    pid_t pids[MANY];
    struct backend *b;
    int gate[2], status;
    char byte = 0;
    int64_t bid;

    CHECK_INT(0, pipe(gate));
    for (int i = 0; i < MANY; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            char slug[32];

            close(gate[1]);
            if (read(gate[0], &byte, 1) < 0) /* wait until all processes are here */
                _exit(2);
            b = NULL;
            if (try_open(t, path, false, &b) != BOUGH_OK) {
                fprintf(stderr, "open: %s\n", t->err.msg);
                _exit(1);
            }
            snprintf(slug, sizeof slug, "s%d", i);
            add_session(t, b, slug, &bid);
            b->ops->close(b);
            _exit(0);
        }
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < MANY; i++) {
        CHECK_INT(pids[i], waitpid(pids[i], &status, 0));
        CHECK_INT(0, status);
    }
    b = open_at(t, path);
    CHECK_INT(MANY, last_no(t, b));
    b->ops->close(b);
}

TEST_SECONDS(many_processes_open_a_fresh_path, 120)
{
    for (int round = 0; round < 20; round++)
        many_at_once(t, test_path(t, arena_printf(t->arena, "s%d.db", round)));
}

TEST(a_file_that_other_users_may_change_is_refused)
{
    const char *path = test_path(t, "s.db");
    struct backend *b = open_at(t, path);

    b->ops->close(b);
    CHECK_INT(0, chmod(path, 0666));
    CHECK_RC(BOUGH_DENIED, try_open(t, path, false, &b));
    CHECK(strstr(t->err.msg, "chmod 600"));
    CHECK_INT(0, chmod(path, 0644));
    b = open_at(t, path);
    b->ops->close(b);
}

TEST(a_file_of_another_user_is_refused)
{
    enum { OTHER = 12345, ME = 23456 };
    const char *path = test_path(t, "s.db");
    struct backend *b;
    int status = -1;
    pid_t child;

    if (geteuid() != 0)
        SKIP("only root can give a file away");
    b = open_at(t, path);
    b->ops->close(b);
    CHECK_INT(0, chmod(path, 0644));
    CHECK_INT(0, chown(path, OTHER, (gid_t)-1));
    CHECK_INT(0, chmod(test_path(t, ""), 0755));
    child = fork();
    if (child == 0) {
        if (seteuid(ME) != 0)
            _exit(2);
        _exit(try_open(t, path, true, &b) == BOUGH_DENIED ? 0 : 1);
    }
    CHECK(child > 0);
    CHECK_INT(child, waitpid(child, &status, 0));
    CHECK_INT(0, status);
}
