/* Files that cannot be opened as a store: refused with the right code, and left unchanged. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "lib/store_test.h"

static enum bough_rc try_open(struct test *t, const char *path,
                              struct bough_store_open_options options)
{
    struct bough_store *s = NULL;
    enum bough_rc rc;

    memset(&t->err, 0, sizeof t->err);
    rc = bough_store_open(&s, arena_printf(t->arena, "sqlite:%s", path), &options, &t->err);
    bough_store_close(&s);
    return rc;
}

static void make_store(struct test *t, const char *path)
{
    CHECK_OK(bough_store_open(&t->store, arena_printf(t->arena, "sqlite:%s", path), NULL, &t->err));
    user(t, new_session(t, "kept"), "hello");
    bough_store_close(&t->store);
}

static struct bough_str content(struct test *t, const char *path)
{
    struct bough_str all;

    CHECK_OK(fs_read(t->arena, path, (size_t)1 << 24, &all, &t->err));
    return all;
}

/* Opening fails with `want` and a message that names the file, and does not change the file. */
static void check_refused(struct test *t, const char *path, enum bough_rc want)
{
    struct bough_str before = content(t, path), after;

    CHECK_RC(want, try_open(t, path, (struct bough_store_open_options){ 0 }));
    if (!strstr(t->err.msg, strrchr(path, '/') + 1))
        FAIL("\"%s\" does not name the file", t->err.msg);
    after = content(t, path);
    CHECK(str_eq(before, after));
    CHECK(!fs_exists(arena_printf(t->arena, "%s-journal", path)));
}

static void write_file(struct test *t, const char *path, struct bough_str data)
{
    CHECK_OK(fs_write(path, data, 0600, &t->err));
}

static void set_version(const char *path, int64_t version)
{
    char sql[64];
    sqlite3 *db;

    snprintf(sql, sizeof sql, "PRAGMA user_version = %lld", (long long)version);
    CHECK_INT(SQLITE_OK, sqlite3_open(path, &db));
    CHECK_INT(SQLITE_OK, sqlite3_exec(db, sql, NULL, NULL, NULL));
    sqlite3_close(db);
}

TEST(a_store_of_a_newer_version_is_left_alone)
{
    const char *path = test_path(t, "newer.db");
    struct bough_store_info_result info;

    make_store(t, path);
    CHECK_OK(bough_store_open(&t->store, arena_printf(t->arena, "sqlite:%s", path), NULL, &t->err));
    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    bough_store_close(&t->store);
    set_version(path, info.schema + 1);
    check_refused(t, path, BOUGH_VERSION);
    set_version(path, info.schema);
    CHECK_OK(try_open(t, path, (struct bough_store_open_options){ 0 }));
}

TEST(a_store_made_newer_while_open_is_not_written_any_more)
{
    const char *path = test_path(t, "newer.db"), *s;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "x" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_store_open(&t->store, arena_printf(t->arena, "sqlite:%s", path), NULL, &t->err));
    s = new_session(t, "");
    set_version(path, 9999);
    CHECK_RC(BOUGH_VERSION, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    bough_store_close(&t->store);
}

TEST(files_that_are_no_stores_are_left_alone)
{
    const char *path = test_path(t, "notes.txt");
    char *noise = bough_arena_alloc(t->arena, 20000);

    write_file(t, path, str_of("Dear diary, this is not a database. It is long enough, though.\n"));
    check_refused(t, path, BOUGH_INVALID);
    for (int i = 0; i < 20000; i++)
        noise[i] = (char)(i * 31 + i / 256);
    write_file(t, path, (struct bough_str){ noise, 20000 });
    check_refused(t, path, BOUGH_INVALID);
    write_file(t, path, str_of("short\n"));
    check_refused(t, path, BOUGH_INVALID);
}

TEST(a_file_of_one_byte_is_left_alone_too)
{
    const char *path = test_path(t, "notes.txt"); /* SQLite treats a file of one byte as empty */

    write_file(t, path, str_of("x"));
    check_refused(t, path, BOUGH_INVALID);
}

TEST(another_programs_database_is_left_alone)
{
    const char *path = test_path(t, "other.db");
    sqlite3 *db;

    make_store(t, test_path(t, "first.db")); /* initialises SQLite */
    CHECK_INT(SQLITE_OK, sqlite3_open(path, &db));
    CHECK_INT(SQLITE_OK, sqlite3_exec(db,
                                      "CREATE TABLE session (id TEXT); INSERT INTO session "
                                      "VALUES ('mine')",
                                      NULL, NULL, NULL));
    sqlite3_close(db);
    check_refused(t, path, BOUGH_INVALID);
}

TEST(a_store_cut_short_is_corrupt_or_refused_but_never_used)
{
    const char *path = test_path(t, "cut.db");
    struct bough_str all;
    enum bough_rc rc;

    make_store(t, path);
    all = content(t, path);
    write_file(t, path, (struct bough_str){ all.p, all.n / 2 });
    rc = try_open(t, path, (struct bough_store_open_options){ 0 });
    CHECK_RC(BOUGH_CORRUPT, rc);
    CHECK(*t->err.msg);
}

TEST(an_empty_file_becomes_a_store)
{
    const char *path = test_path(t, "empty.db");

    write_file(t, path, str_of(""));
    CHECK_OK(try_open(t, path, (struct bough_store_open_options){ 0 }));
}

TEST(a_directory_and_an_empty_path_are_refused)
{
    const char *path = test_path(t, "dir");
    struct bough_store *s = NULL;
    enum bough_rc rc;

    CHECK(mkdir(path, 0700) == 0);
    rc = try_open(t, path, (struct bough_store_open_options){ 0 });
    CHECK_RC(BOUGH_INVALID, rc);
    CHECK(strstr(t->err.msg, "dir"));
    CHECK_RC(BOUGH_INVALID, try_open(t, "", (struct bough_store_open_options){ 0 }));
    CHECK(*t->err.msg);
    CHECK_RC(BOUGH_INVALID, bough_store_open(&s, "", NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_store_open(&s, NULL, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_store_open(&s, "carrier-pigeon://x", NULL, &t->err));
    CHECK(strstr(t->err.msg, "pigeon"));
    CHECK(!s);
}

TEST(a_missing_store_is_not_created_when_asked_not_to)
{
    const char *path = test_path(t, "missing.db");

    CHECK_RC(BOUGH_NOT_FOUND,
             try_open(t, path, (struct bough_store_open_options){ .must_exist = true }));
    CHECK(strstr(t->err.msg, "missing.db"));
    CHECK(!fs_exists(path));
    CHECK_RC(BOUGH_NOT_FOUND,
             try_open(t, path, (struct bough_store_open_options){ .read_only = true }));
    CHECK(!fs_exists(path));
}

TEST(read_only_refuses_every_write_and_reads)
{
    const char *path = test_path(t, "ro.db");
    struct bough_store_open_options options = { .read_only = true };
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "x" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_session *s;
    struct bough_str before;

    make_store(t, path);
    before = content(t, path);
    CHECK_OK(
        bough_store_open(&t->store, arena_printf(t->arena, "sqlite:%s", path), &options, &t->err));
    CHECK_STR("hello", path_text(t, "kept"));
    CHECK_RC(BOUGH_READ_ONLY, bough_append(t->store, t->arena, "kept", &in, &out, &t->err));
    CHECK_RC(BOUGH_READ_ONLY, bough_session_create(t->store, t->arena, NULL, &s, &t->err));
    CHECK_RC(BOUGH_READ_ONLY, bough_session_rename(t->store, "kept", "x", &t->err));
    CHECK_RC(BOUGH_READ_ONLY, bough_session_purge(t->store, t->arena, "kept", NULL, &t->err));
    CHECK_RC(BOUGH_READ_ONLY, bough_store_upkeep(t->store, &t->err));
    CHECK_STR("hello", path_text(t, "kept"));
    bough_store_close(&t->store);
    CHECK(str_eq(before, content(t, path)));
}

TEST(a_file_without_write_permission_is_refused_for_writing)
{
    const char *path = test_path(t, "locked.db");
    enum bough_rc rc;

    if (geteuid() == 0)
        SKIP("root may write everything");
    make_store(t, path);
    CHECK(chmod(path, 0400) == 0);
    rc = try_open(t, path, (struct bough_store_open_options){ 0 });
    CHECK(rc == BOUGH_READ_ONLY || rc == BOUGH_DENIED);
    CHECK_OK(try_open(t, path, (struct bough_store_open_options){ .read_only = true }));
}

/* --- a full disk --- */

static enum bough_rc fill(struct test *t, const char *session, int *written)
{
    char *text = bough_arena_alloc(t->arena, 20001);
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    enum bough_rc rc = BOUGH_OK;
    uint64_t x = 1;

    text[20000] = '\0';
    for (int i = 0; i < 1000 && !rc; i++) {
        for (int k = 0; k < 20000; k++) { /* incompressible text */
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            text[k] = (char)('0' + (x >> 33) % 75);
        }
        rc = bough_append(t->store, t->arena, session, &in, &out, &t->err);
        *written += !rc;
    }
    return rc;
}

TEST_SECONDS(a_full_disk_loses_nothing_that_was_acknowledged, 60)
{
    const char *dir = test_path(t, "small"), *s, *url;
    int written = 0, again = 0;
    enum bough_rc rc;
    bool mounted;

    CHECK(mkdir(dir, 0700) == 0);
    mounted = mount("tmpfs", dir, "tmpfs", 0, "size=2m") == 0;
    if (!mounted)
        SKIP("a small file system cannot be mounted here");
    url = arena_printf(t->arena, "sqlite:%s/full.db", dir);
    rc = bough_store_open(&t->store, url, NULL, &t->err);
    if (rc) {
        umount2(dir, MNT_DETACH);
        FAIL("cannot open in 2 MB: %s", t->err.msg);
    }
    s = new_session(t, "filling");
    rc = fill(t, s, &written);
    printf("# the disk was full after %d messages: %s (%s)\n", written, bough_rc_name(rc),
           t->err.msg);
    /* The store can still be read. All acknowledged messages are there, also after reopening. */
    again = (int)get(t, s)->messages;
    bough_store_close(&t->store);
    if (bough_store_open(&t->store, url, NULL, &t->err) == BOUGH_OK) {
        int found = (int)get(t, s)->messages;
        struct bough_store_fsck_result report = { 0 };
        enum bough_rc checked =
            bough_store_fsck(t->store, BOUGH_FSCK_FULL, NULL, NULL, &report, &t->err);

        bough_store_close(&t->store);
        umount2(dir, MNT_DETACH);
        CHECK_INT(written, found);
        CHECK_INT(written, again);
        CHECK_INT(BOUGH_OK, checked);
        CHECK_INT(0, report.errors);
    } else {
        umount2(dir, MNT_DETACH);
        FAIL("cannot open it again: %s", t->err.msg);
    }
    CHECK(rc == BOUGH_FULL || rc == BOUGH_UNKNOWN || rc == BOUGH_NOT_DONE);
}

/* ---- names and logs ---- */

TEST(a_store_with_two_names_is_refused_under_both)
{
    const char *one = test_path(t, "one.db"), *two = test_path(t, "two.db");

    make_store(t, one);
    CHECK(link(one, two) == 0);
    check_refused(t, one, BOUGH_INVALID);
    check_refused(t, two, BOUGH_INVALID);
    CHECK(strstr(t->err.msg, "hard links"));
    CHECK_RC(BOUGH_INVALID,
             try_open(t, two, (struct bough_store_open_options){ .read_only = true }));
    CHECK(unlink(two) == 0);
    CHECK_OK(try_open(t, one, (struct bough_store_open_options){ 0 }));
}

TEST(a_log_that_is_removed_under_a_writer_is_noticed_and_nothing_is_lost)
{
    const char *path = test_path(t, "store.db"), *session;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "after" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_store_open(&t->store, path, NULL, &t->err));
    session = new_session(t, "one");
    user(t, session, "before");
    CHECK(unlink(arena_printf(t->arena, "%s-wal", path)) == 0);
    CHECK_RC(BOUGH_IO, bough_append(t->store, t->arena, session, &in, &out, &t->err));
    CHECK(strstr(t->err.msg, "was removed"));
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, path, NULL, &t->err));
    CHECK_STR("before", path_text(t, session));
    store_check(t, t->store);
    bough_store_close(&t->store);
}

static bool has_first_page(struct bough_str log)
{
    for (size_t at = 32; at + 24 + 8192 <= log.n; at += 24 + 8192)
        if (memcmp(log.p + at, "\0\0\0\1", 4) == 0)
            return true;
    return false;
}

/* The state that a power failure during a checkpoint leaves: a torn first page, and a WAL that has
 * it whole. */
TEST(a_torn_first_page_is_read_from_the_log)
{
    const char *path = test_path(t, "store.db"), *copy = test_path(t, "copy.db");
    struct bough_str db, log;
    sqlite3 *raw = NULL;
    const char *sql;

    make_store(t, path);
    /* A change of the file's header, in the log only. Byte 63 ends the number of the schema. */
    sql = arena_printf(t->arena,
                       "PRAGMA wal_autocheckpoint = 0; BEGIN; PRAGMA user_version = 1;"
                       "PRAGMA user_version = %d; COMMIT",
                       content(t, path).p[63]);
    CHECK(sqlite3_open(path, &raw) == SQLITE_OK);
    CHECK(sqlite3_exec(raw, sql, NULL, NULL, NULL) == SQLITE_OK);
    db = content(t, path);
    log = content(t, arena_printf(t->arena, "%s-wal", path));
    sqlite3_close(raw);
    CHECK(has_first_page(log));
    for (int i = 0; i < 3; i++) {
        char *torn = arena_dup(t->arena, db.p, db.n);

        memset(torn + i * 32, i == 2 ? 0 : 0x5a, i == 2 ? 4096 : 100);
        write_file(t, copy, str_make(torn, db.n));
        write_file(t, arena_printf(t->arena, "%s-wal", copy), log);
        CHECK_OK(bough_store_open(&t->store, copy, NULL, &t->err));
        CHECK_STR("hello", path_text(t, "kept"));
        bough_store_close(&t->store);
    }
    write_file(t, copy,
               str_of("no database, but long enough to be looked at: it has over a hundred "
                      "bytes, and nothing of a header at all in them"));
    check_refused(t, copy, BOUGH_INVALID);
}
