/* Other tools' SQLite files: in use, left by a crash, damaged, or hostile. */
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "databases.h"

#define ADD(id, time)                                                                              \
    "INSERT INTO messages (id, session_id, role, parts, created_at) VALUES ('" id                  \
    "', 'S1', 'user', '[{\"type\":\"text\",\"text\":\"" id "\"}]', " #time ");"
#define ONE                                                                                        \
    "INSERT INTO sessions (id, project_dir, model_provider, model_name, created_at, updated_at)"   \
    " VALUES ('S1', '/p', 'a', 'b', 1, 1);" ADD("M1", 2)

STORE_TEST(a_file_in_use_is_read_with_what_is_only_in_its_log_and_its_writer_goes_on)
{
    const char *path = db_make(t, "live.db", hygge_schema, ONE);
    struct db *tool = db_open(t, path);

    db_run(t, tool, "PRAGMA wal_autocheckpoint = 0;" ADD("M2", 3));
    CHECK(fs_size(arena_printf(t->arena, "%s-wal", path)) > 0);
    CHECK_INT(2, import_db(t, path).added);
    db_run(t, tool, ADD("M3", 4)); /* the import left no lock */
    CHECK_INT(1, import_db(t, path).added);
    CHECK_STR("M1 M2 M3", path_text(t, "S1"));
    db_run(t, tool, "BEGIN IMMEDIATE;" ADD("M4", 5));
    CHECK_INT(0, import_db(t, path).added); /* not committed yet */
    db_run(t, tool, "COMMIT");
    CHECK_INT(1, import_db(t, path).added);
    db_close(tool);
    CHECK(!fs_exists(arena_printf(t->arena, "%s-wal", path)));
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, import_db(t, path).status);
}

static void copy_file(struct test *t, const char *from, const char *to)
{
    size_t n;
    const char *text = file_text(t, from, &n);

    CHECK(text != NULL);
    CHECK_OK(fs_write(to, str_make(text, n), 0600, &t->err));
}

STORE_TEST(a_file_that_a_crash_left_with_its_log_is_read_whole_and_left_as_it_is)
{
    const char *path = db_make(t, "live.db", hygge_schema, ONE);
    const char *left = test_path(t, "left.db"), *log = arena_printf(t->arena, "%s-wal", left);
    struct db *tool = db_open(t, path);

    db_run(t, tool, "PRAGMA wal_autocheckpoint = 0;" ADD("M2", 3));
    copy_file(t, path, left);
    copy_file(t, arena_printf(t->arena, "%s-wal", path), log);
    CHECK_INT(2, import_db(t, left).added);
    copy_file(t, arena_printf(t->arena, "%s-shm", path), arena_printf(t->arena, "%s-shm", left));
    db_run(t, tool, ADD("M3", 4));
    copy_file(t, arena_printf(t->arena, "%s-wal", path), log);
    CHECK_INT(1, import_db(t, left).added); /* the WAL index beside it is older than the WAL */
    db_close(tool);
}

STORE_TEST(a_file_without_a_log_is_read_while_its_tool_holds_a_lock)
{
    const char *path = db_make(t, "old.db", hygge_schema, ONE);
    struct db *tool = db_open(t, path);

    db_run(t, tool, "PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE;" ADD("M2", 3));
    CHECK_INT(1, import_file(t, path).added);
    db_run(t, tool, "COMMIT");
    CHECK_INT(1, import_db(t, path).added);
    db_close(tool);
}

static void check_refused(struct test *t, const char *path, enum bough_rc want, const char *why)
{
    struct bough_import_file_result in;

    CHECK_RC(want, import_rc(t, path, &in));
    if (!strstr(t->err.msg, why))
        FAIL("\"%s\" does not say \"%s\"", t->err.msg, why);
    CHECK_INT(0, in.added);
}

STORE_TEST(a_store_of_bough_is_refused_with_what_to_do_instead)
{
    const char *path = test_path(t, "other.db");
    struct bough_store *other;

    CHECK_OK(bough_store_open(&other, path, NULL, &t->err));
    bough_store_close(&other);
    check_refused(t, path, BOUGH_INVALID, "--store");
    if (store_has_file(t))
        check_refused(t, strchr(t->url, ':') ? strchr(t->url, ':') + 1 : t->url, BOUGH_INVALID,
                      "this store itself");
    user(t, new_session(t, "still"), "works");
}

STORE_TEST(a_view_or_a_virtual_table_in_the_place_of_a_table_is_refused)
{
    static const char *const tricks[] = {
        "ALTER TABLE messages RENAME TO m; CREATE VIEW messages AS SELECT * FROM m",
        "DROP TABLE messages; CREATE VIRTUAL TABLE messages USING fts5(id, session_id, parts)",
    };

    for (size_t i = 0; i < 2; i++)
        check_refused(t, db_make(t, "trick.db", hygge_schema, tricks[i]), BOUGH_INVALID, "view");
    check_refused(t, db_make(t, "none.db", "", "CREATE TABLE x (y)"), BOUGH_INVALID,
                  "unknown tables");
    check_refused(t,
                  db_make(t, "less.db", hygge_schema,
                          ONE "ALTER TABLE compaction_markers RENAME COLUMN session_id TO of"),
                  BOUGH_INVALID, "hygge");
}

STORE_TEST(triggers_of_the_file_never_run)
{
    const char *path =
        db_make(t, "odd.db", hygge_schema,
                ONE "CREATE TRIGGER tr AFTER INSERT ON messages BEGIN DELETE FROM sessions; END;");

    CHECK_INT(1, import_db(t, path).added);
}

STORE_TEST(generated_columns_are_refused)
{
    static const char *const kinds[] = { "AS (role || '!') VIRTUAL", "AS (zeroblob(50000000))" };

    for (size_t i = 0; i < 2; i++)
        check_refused(t,
                      db_make(t, "gen.db", hygge_schema,
                              arena_printf(t->arena, ONE "ALTER TABLE messages ADD COLUMN more %s",
                                           kinds[i])),
                      BOUGH_INVALID, "generated");
}

/* A schema that SQLite itself would not write: an expression of 60,000 levels. */
STORE_TEST(a_schema_that_is_made_to_overflow_the_stack_is_refused)
{
    enum { DEEP = 60000 };
    char *deep = arena_zalloc(t->arena, 2 * DEEP + 2);
    const char *path;
    struct bough_import_file_result in;
    enum bough_rc rc;

    memset(deep, '(', DEEP);
    deep[DEEP] = '1';
    memset(deep + DEEP + 1, ')', DEEP);
    path = db_make(t, "deep.db", hygge_schema, ONE);
    db_change(t, path,
              arena_printf(t->arena,
                           "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace("
                           "sql, 'deleted_at INTEGER)', 'deleted_at INTEGER, d AS (%s))')"
                           " WHERE name = 'messages'",
                           deep));
    rc = import_rc(t, path, &in);
    CHECK(rc == BOUGH_CORRUPT || rc == BOUGH_IO || rc == BOUGH_INVALID || rc == BOUGH_TOO_LARGE);
    CHECK_INT(0, in.added);
    user(t, new_session(t, "still"), "works");
}

STORE_TEST_SECONDS(a_sqlite_file_cut_or_damaged_anywhere_is_read_as_far_as_it_is_whole, 120)
{
    const char *path = db_make(t, "whole.db", hygge_schema, ONE);
    const char *cut = test_path(t, "cut.db"), *text;
    struct db *db = db_open(t, path);
    int64_t most = 0;
    size_t n;

    for (int i = 0; i < 60; i++)
        db_run(
            t, db,
            arena_printf(t->arena,
                         "INSERT INTO sessions (id, project_dir, model_provider, model_name,"
                         " created_at, updated_at) VALUES ('X%d', '/p', 'a', 'b', 1, 1);"
                         "INSERT INTO messages (id, session_id, role, parts, created_at) VALUES"
                         " ('Y%d', 'X%d', 'user', '[{\"type\":\"text\",\"text\":\"%0200d\"}]', 1)",
                         i, i, i, i));
    db_close(db);
    text = file_text(t, path, &n);
    for (size_t at = 0; at <= n; at += at < 128 ? 7 : 4096 - at % 512) {
        struct bough_import_file_result in;

        CHECK_OK(fs_write(cut, str_make(text, at), 0600, &t->err));
        import_rc(t, cut, &in);
        most = in.added > most ? in.added : most;
        fresh_store(t);
    }
    CHECK(most > 0);
    CHECK_INT(61, import_file(t, path).added);
    fresh_store(t);
    for (unsigned seed = 1; seed < 20; seed++) {
        char *copy = memcpy(arena_alloc(t->arena, n), text, n);
        struct bough_import_file_result in;

        for (size_t k = 0; k < 20; k++)
            copy[100 + (seed * 7919 + k * 104729) % (n - 100)] ^= (char)(seed + k);
        CHECK_OK(fs_write(cut, str_make(copy, n), 0600, &t->err));
        import_rc(t, cut, &in);
        fresh_store(t);
    }
}

STORE_TEST(many_sessions_of_one_file_do_not_add_up_in_memory)
{
    const char *path = db_make(t, "many.db", hygge_schema, ONE);
    struct db *db = db_open(t, path);

    db_run(
        t, db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
        " INSERT INTO sessions (id, parent_id, project_dir, model_provider, model_name,"
        " created_at, updated_at, kind) SELECT 'C' || i, CASE WHEN i % 3 THEN 'S1' END, '/p', 'a',"
        " 'b', i, i, 'subagent' FROM n;"
        "INSERT INTO messages (id, session_id, role, parts, created_at) SELECT 'm' || id, id,"
        " 'user', '[{\"type\":\"text\",\"text\":\"x\"}]', 1 FROM sessions WHERE id > 'C'");
    db_close(db);
    CHECK_INT(501, import_db(t, path).sessions);
    CHECK_STR("x", path_text(t, "C500"));
    CHECK_STR(get(t, "S1")->id, get(t, "C1")->parent);
}
