/* The tables sessions, messages and parts for plain SQL: the same values as the API, indexed
 * lookups, and no crash on damaged rows. */
#include "lib/store_test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/tables/tables.h"

static sqlite3 *open_tables(struct test *t)
{
    sqlite3 *db;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    CHECK_INT(SQLITE_OK, sqlite3_open(test_path(t, "store.db"), &db));
    sqlite3_busy_timeout(db, 60000); /* the store's background thread may be writing */
    CHECK_INT(SQLITE_OK, tables_register(db));
    return db;
}

/* All values of all rows, '|' between columns, ' ' between rows; "-" for NULL. */
static const char *ask(struct test *t, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;
    const char *out = "";
    int code;

    CHECK_INT(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &st, NULL));
    for (int row = 0; (code = sqlite3_step(st)) == SQLITE_ROW; row++)
        for (int i = 0; i < sqlite3_column_count(st); i++) {
            const char *s = (const char *)sqlite3_column_text(st, i);

            out = arena_printf(t->arena, "%s%s%s", out, i ? "|" : row ? " " : "", s ? s : "-");
        }
    CHECK_INT(SQLITE_DONE, code);
    sqlite3_finalize(st);
    return out;
}

static const char *ask_of(struct test *t, sqlite3 *db, const char *sql, const char *id)
{
    return ask(t, db, arena_printf(t->arena, "%s '%s'", sql, id));
}

static const char *iso(struct test *t, int64_t ms)
{
    char *text = arena_alloc(t->arena, ISO_TEXT);

    iso_print(ms, text);
    return text;
}

static const char *full_session(struct test *t, const char *parent)
{
    struct bough_session_create_options in = { .title = "Full",
                                               .parent = parent,
                                               .kind = BOUGH_SUBAGENT,
                                               .project = "/srv/shop",
                                               .workspace = "w",
                                               .account = "a",
                                               .provider_path = "direct",
                                               .role_name = "architect",
                                               .version = "2" };
    struct bough_session *s;

    in.data = str_of("{\"d\":1}");
    in.metadata = str_of("{\"m\":1}");
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

STORE_TEST(sql_sessions_say_what_the_session_says)
{
    sqlite3 *db = open_tables(t);
    const char *parent = new_session(t, "Parent"), *id = full_session(t, parent);
    struct bough_session *s;

    user(t, id, "hello");
    s = get(t, id);
    CHECK_STR(arena_printf(
                  t->arena,
                  "%s|{\"m\":1}|%s|%s|a|/srv/shop|w|%s|%s|Full|idle|2|direct|architect|{\"d\":1}",
                  id, iso(t, s->created), iso(t, s->updated), parent, s->slug),
              ask_of(t, db, "SELECT * FROM sessions WHERE id =", id));
    s = get(t, parent);
    CHECK_STR(arena_printf(t->arena, "{}|-|-|-|-|parent|idle|1|-|-|{}|%s", iso(t, s->updated)),
              ask_of(t, db,
                     "SELECT metadata, account_id, project_id, workspace_id, parent_id, slug,"
                     " status, version, provider, role_name, data, updated_at FROM sessions WHERE"
                     " id =",
                     parent));
    /* Later changes show at once, folded or not. */
    user(t, id, "again");
    CHECK_STR(iso(t, get(t, id)->updated),
              ask_of(t, db, "SELECT updated_at FROM sessions WHERE id =", id));
    CHECK_OK(bough_session_purge(t->store, t->arena, parent, NULL, &t->err));
    CHECK_STR("-", ask(t, db, "SELECT parent_id FROM sessions"));
    CHECK_STR("", ask_of(t, db, "SELECT id FROM sessions WHERE parent_id =", parent));
    sqlite3_close(db);
}

STORE_TEST(sql_tables_leave_out_what_was_deleted)
{
    sqlite3 *db = open_tables(t);
    const char *one = new_session(t, "One"), *two = new_session(t, "Two"), *gone;
    const char *counts = "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM messages),"
                         " (SELECT count(*) FROM parts)";

    user(t, one, "stays");
    gone = agent(t, one, "goes");
    user(t, two, "goes with its session");
    CHECK_STR("2|3|3", ask(t, db, counts));
    CHECK_OK(bough_entry_delete(t->store, one, gone, &t->err));
    CHECK_STR("2|2|2", ask(t, db, counts));
    CHECK_STR("", ask_of(t, db, "SELECT id FROM messages WHERE id =", gone));
    CHECK_OK(bough_session_delete(t->store, two, &t->err));
    CHECK_STR("1|1|1", ask(t, db, counts));
    CHECK_STR("", ask_of(t, db, "SELECT id FROM parts WHERE session_id =", two));
    CHECK_OK(bough_session_restore(t->store, two, &t->err));
    CHECK_STR("2|2|2", ask(t, db, counts));
    sqlite3_close(db);
}

STORE_TEST(sql_parts_show_the_name_of_what_was_moved_out)
{
    sqlite3 *db = open_tables(t);
    const char *id = new_session(t, "Image");
    char *base64 = arena_alloc(t->arena, 40001);
    struct bough_str part;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    memset(base64, 'A', 40000);
    base64[40000] = '\0';
    part = str_of(arena_printf(
        t->arena, "{\"type\":\"image\",\"data\":\"%s\",\"mimeType\":\"a/b\"}", base64));
    CHECK_OK(bough_append(t->store, t->arena, id, &in, &out, &t->err));
    CHECK_STR("file|image|a/b|bough:sha256-",
              ask(t, db,
                  "SELECT type, data ->> '$.type', data ->> '$.mimeType',"
                  " substr(data ->> '$.data', 1, 13) FROM parts"));
    sqlite3_close(db);
}

/* ---- lookups ---- */

static int count_step(void *user)
{
    ++*(int64_t *)user;
    return 0;
}

/* Steps of SQLite's virtual machine, including statements inside the tables. */
static int64_t steps(struct test *t, sqlite3 *db, const char *sql, const char *id)
{
    int64_t n = 0;

    sqlite3_progress_handler(db, 1, count_step, &n);
    (void)ask_of(t, db, sql, id);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    return n;
}

STORE_TEST(sql_tables_look_up_what_is_named)
{
    enum { SESSIONS = 40, MESSAGES = 20 };
    sqlite3 *db = open_tables(t);
    const char *session = "", *message = "", *slug;
    int64_t all;

    for (int i = 0; i < SESSIONS; i++) {
        session = new_session(t, arena_printf(t->arena, "Number %d", i));
        for (int j = 0; j < MESSAGES; j++)
            message = user(t, session, "hello");
    }
    slug = get(t, session)->slug;
    all = steps(t, db, "SELECT count(*) FROM messages WHERE role <>", "x");
    CHECK(all > SESSIONS * MESSAGES);
    CHECK(steps(t, db, "SELECT count(*) FROM messages WHERE session_id =", session) < all / 20);
    CHECK(steps(t, db, "SELECT count(*) FROM messages WHERE id =", message) < all / 100);
    CHECK(steps(t, db, "SELECT count(*) FROM parts WHERE message_id =", message) < all / 100);
    CHECK(steps(t, db, "SELECT count(*) FROM parts WHERE session_id =", session) < all / 20);
    /* Bodies without a part of that type are not unpacked. */
    CHECK(steps(t, db, "SELECT count(*) FROM parts WHERE type = 'tool' AND session_id =", session) <
          steps(t, db, "SELECT count(*) FROM parts WHERE type = 'text' AND session_id =", session));
    all = steps(t, db, "SELECT count(*) FROM sessions WHERE title <>", "x");
    CHECK(all > SESSIONS);
    CHECK(steps(t, db, "SELECT count(*) FROM sessions WHERE id =", session) < all / 10);
    CHECK(steps(t, db, "SELECT count(*) FROM sessions WHERE slug =", slug) < all / 10);
    CHECK(steps(t, db, "SELECT count(*) FROM sessions WHERE parent_id =", session) < all / 10);
    sqlite3_close(db);
}

/* ---- damage ---- */

static void run(sqlite3 *db, const char *sql)
{
    CHECK_INT(SQLITE_OK, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

STORE_TEST(sql_tables_survive_damaged_rows)
{
    sqlite3 *db = open_tables(t);
    const char *id = full_session(t, "");

    user(t, id, "first");
    agent(t, id, "second");
    store_indexing(t->store, false); /* indexing would wait for the lock taken below */
    run(db, "BEGIN IMMEDIATE; SAVEPOINT sound");
    run(db, "UPDATE entry SET body = x'ff' WHERE k & 4294967295 = 1");
    CHECK_STR("assistant", ask(t, db, "SELECT role FROM messages"));
    CHECK_STR("1", ask(t, db, "SELECT count(*) FROM parts"));
    run(db, "ROLLBACK TO sound; UPDATE session SET body = substr(body, 1, 20)");
    CHECK_STR("full|idle|-|-|-", ask(t, db,
                                     "SELECT slug, status, title, created_at, project_id FROM"
                                     " sessions"));
    run(db, "ROLLBACK TO sound; UPDATE record SET body = x''");
    CHECK_STR("Full|-", ask(t, db, "SELECT title, project_id FROM sessions"));
    run(db, "ROLLBACK TO sound; UPDATE session SET made = -1, chk = 9223372036854775807;"
            "UPDATE head SET status = 99; UPDATE log SET time = 9223372036854775807;"
            "UPDATE branch SET bid = 9223372036854775807 - bid WHERE bid > 1;"
            "UPDATE entry SET mask = -1; INSERT INTO branch VALUES (-1, 1, 0, 0, -1)");
    CHECK_STR("1|idle", ask(t, db, "SELECT count(*), status FROM sessions"));
    CHECK_STR("2|2", ask(t, db,
                         "SELECT count(*), (SELECT count(*) FROM parts WHERE type = 'text') FROM"
                         " messages"));
    CHECK_STR("0", ask(t, db, "SELECT count(*) FROM parts WHERE type = 'tool'"));
    for (int i = 1; i < 160; i++) { /* every byte of every body */
        char sql[320];

        snprintf(sql, sizeof sql,
                 "ROLLBACK TO sound;"
                 "UPDATE entry SET body = CAST(substr(body, 1, %d) || x'f3' || substr(body, %d) AS "
                 "BLOB);"
                 "UPDATE session SET body = CAST(substr(body, 1, %d) || x'f3' || substr(body, %d) "
                 "AS BLOB)",
                 i - 1, i + 1, i - 1, i + 1);
        run(db, sql);
        (void)ask(t, db, "SELECT * FROM sessions");
        (void)ask(t, db, "SELECT * FROM messages");
        (void)ask(t, db, "SELECT * FROM parts");
        (void)ask_of(t, db, "SELECT * FROM parts WHERE session_id =", id);
    }
    run(db, "ROLLBACK");
    sqlite3_close(db);
}

/* ---- PostgreSQL ---- */

static bool no_row(void *user, const struct query_row *row)
{
    (void)row;
    *(bool *)user = true;
    return true;
}

STORE_TEST(sql_on_postgres_never_says_the_password)
{
    const char *host = strstr(postgres_url(t, "sql"), "host=");
    const char *rest = arena_printf(t->arena, "//bough:verysecret@/nowhere?%s", host);
    bool called = false;

    CHECK_RC(BOUGH_IO, postgres_query(t->arena, rest, "SELECT 1", no_row, &called, &t->err));
    CHECK(!called && strstr(t->err.msg, "nowhere") && !strstr(t->err.msg, "verysecret"));
}
