/* Import of hygge's database: complete, without doubles when repeated, and as the file grows. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "databases.h"

#define TEXT(s) "[{\"type\":\"text\",\"text\":\"" s "\"}]"

static const char two[] =
    "INSERT INTO sessions (id, slug, project_dir, model_provider, model_name, total_input_tokens,"
    " total_output_tokens, total_cache_read_tokens, total_cache_write_tokens, total_cost_usd,"
    " created_at, updated_at, metadata, first_message_preview) VALUES ('S1', 'My talk', '/srv/p',"
    " 'anthropic', 'opus', 100, 50, 7, 3, 0.123456789, 1000, 9000, '{\"k\": 1.50}', 'hello');"
    "INSERT INTO messages (id, session_id, role, parts, created_at) VALUES"
    " ('M1', 'S1', 'user', '" TEXT(
        "hello") "', 1001);"
                 "INSERT INTO messages (id, session_id, role, parts, input_tokens, output_tokens,"
                 " cache_read_tokens, cache_write_tokens, cost_usd, duration_ms, created_at) VALUES"
                 " ('M2', 'S1', 'assistant', "
                 "'[{\"type\":\"thinking\",\"text\":\"hm\"},{\"type\":\"tool_use\","
                 "\"id\":\"t1\",\"name\":\"bash\",\"input\":{\"a\": 1.0}}]', 10, 5, 2, 1, "
                 "0.001234, 77, 1002);"
                 "INSERT INTO messages (id, session_id, role, parts, created_at) VALUES"
                 " ('M3', 'S1', 'tool', "
                 "'[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"ok\"}]',"
                 " 1003), ('M4', 'S1', 'user', '" TEXT(
                     "gone") "', 1004), ('M5', 'S1', 'assistant',"
                             " '" TEXT(
                                 "after") "', 1006);"
                                          "UPDATE messages SET deleted_at = 1500 WHERE id = 'M4';"
                                          "INSERT INTO compaction_markers VALUES ('K1', 'S1', "
                                          "'M2', 'what was', 42, 1005);"
                                          "INSERT INTO session_memories VALUES ('Y1', 'S1', 'likes "
                                          "tea', 1100, 1100, NULL);"
                                          "INSERT INTO session_todos VALUES ('S1', "
                                          "'[{\"content\":\"do\",\"status\":\"in_progress\","
                                          "\"priority\":\"high\"}]', 1200);"
                                          "INSERT INTO sessions (id, parent_id, fork_message_id, "
                                          "project_dir, model_provider, model_name,"
                                          " created_at, updated_at) VALUES ('S2', 'S1', 'M2', "
                                          "'/srv/p', 'anthropic', 'opus', 2000, 2000);"
                                          "INSERT INTO messages (id, session_id, role, parts, "
                                          "created_at) VALUES"
                                          " ('M6', 'S2', 'user', '" TEXT(
                                              "another way") "', 2001);"
                                                             /* created before its parent */
                                                             "INSERT INTO sessions (id, parent_id, "
                                                             "parent_tool_use_id, project_dir, "
                                                             "model_provider,"
                                                             " model_name, created_at, updated_at, "
                                                             "kind) VALUES ('S3', 'S2', 't9', "
                                                             "'/srv/p', 'anthropic',"
                                                             " 'haiku', 500, 500, 'subagent');"
                                                             "INSERT INTO messages (id, "
                                                             "session_id, role, parts, created_at) "
                                                             "VALUES"
                                                             " ('M7', 'S3', 'user', '" TEXT(
                                                                 "only mine") "', 501);";

STORE_TEST(H5_a_hygge_file_brings_sessions_messages_and_usage_exactly)
{
    const char *path = db_make(t, "sessions.db", hygge_schema, two);
    struct bough_import_file_result in = import_db(t, path);
    const struct bough_session *s = get(t, "S1");
    struct bough_entry *e;

    CHECK_STR("hygge", in.format);
    CHECK_INT(3, in.sessions);
    CHECK_INT(8, in.added);
    CHECK_INT(0, in.nproblems);
    CHECK_STR("My talk", s->title);
    CHECK_STR("/srv/p", s->project);
    CHECK_STR("anthropic", s->model_provider);
    CHECK_STR("opus", s->model_name);
    CHECK_SPAN("{\"k\": 1.50}", s->metadata);
    CHECK_INT(1000, s->created);
    CHECK_STR("hello", s->first_user);
    CHECK_OK(bough_entry_get(t->store, t->arena, "S1", "M2", &e, &t->err));
    CHECK_INT(BOUGH_ROLE_ASSISTANT, e->role);
    CHECK_INT(1002, e->time);
    CHECK_INT(77, e->duration);
    CHECK_INT(2, e->nparts);
    CHECK_SPAN("{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"bash\",\"input\":{\"a\": 1.0}}",
               e->parts[1].json);
    CHECK_INT(10, e->usage->input);
    CHECK_INT(1, e->usage->cache_write);
    CHECK_INT(1234000, e->usage->cost);
}

STORE_TEST(H35_a_hygge_sessions_totals_are_its_own_counters_and_its_messages_are_own)
{
    const struct bough_session *s;

    import_db(t, db_make(t, "sessions.db", hygge_schema, two));
    s = get(t, "S1");
    CHECK_INT(BOUGH_TOTALS_MANUAL, s->totals_mode);
    CHECK_INT(100, s->rolled.input);
    CHECK_INT(50, s->rolled.output);
    CHECK_INT(7, s->rolled.cache_read);
    CHECK_INT(3, s->rolled.cache_write);
    CHECK_INT(123456789, s->rolled.cost);
    CHECK_INT(10, s->own.input);
    CHECK_INT(1234000, s->own.cost);
}

STORE_TEST(H20_H22_a_hygge_fork_shows_the_prefix_and_a_subagent_only_its_own)
{
    struct bough_entry *e;

    import_db(t, db_make(t, "sessions.db", hygge_schema, two));
    CHECK_STR("hello hm another way", path_text(t, "S2"));
    CHECK_STR(get(t, "S1")->id, get(t, "S2")->parent);
    CHECK_STR("only mine", path_text(t, "S3"));
    CHECK_INT(BOUGH_SUBAGENT, get(t, "S3")->kind);
    CHECK_STR(get(t, "S2")->id, get(t, "S3")->parent);
    CHECK_STR("t9", get(t, "S3")->parent_tool_use_id);
    CHECK_OK(bough_entry_get(t->store, t->arena, "S1", "M4", &e, &t->err));
    CHECK_INT(1500, e->deleted);
    CHECK(!strstr(path_text(t, "S1"), "gone"));
}

STORE_TEST(H30_a_hygge_marker_keeps_what_came_after_the_message_it_names)
{
    struct bough_entries_read_options how = { .what = BOUGH_ENTRIES_SINCE_MARKER,
                                              .messages = true };
    struct bough_entry *marker;
    struct bough_entries_read_result p;

    import_db(t, db_make(t, "sessions.db", hygge_schema, two));
    CHECK_OK(bough_marker_latest(t->store, t->arena, "S1", false, &marker, &t->err));
    CHECK(marker != NULL);
    CHECK_STR("K1", marker->origin);
    CHECK_INT(1005, marker->time);
    CHECK(strstr(marker->data.p, "what was"));
    CHECK(strstr(marker->data.p, "\"tokensSaved\":42"));
    CHECK_OK(bough_entries_read(t->store, t->arena, "S1", &how, &p, &t->err));
    CHECK_INT(2, p.entries.n); /* M3 and M5; M4 is deleted */
    CHECK_STR("M3", p.entries.at[0].origin);
    CHECK_STR("M5", p.entries.at[1].origin);
    CHECK_OK(bough_marker_latest(t->store, t->arena, "S2", false, &marker, &t->err));
    CHECK(marker == NULL); /* H29: never inherited */
}

STORE_TEST(H37_H38_hygge_todos_and_memories_come_across)
{
    struct bough_todos todos;
    struct bough_memories memories;

    import_db(t, db_make(t, "sessions.db", hygge_schema, two));
    CHECK_OK(bough_todo_get(t->store, t->arena, "S1", &todos, &t->err));
    CHECK_INT(1, todos.n);
    CHECK_STR("do", todos.at[0].content);
    CHECK_STR("in_progress", todos.at[0].status);
    CHECK_STR("high", todos.at[0].priority);
    CHECK_OK(
        bough_memory_list(t->store, t->arena, BOUGH_MEMORY_OF_SESSION, "S1", &memories, &t->err));
    CHECK_INT(1, memories.n);
    CHECK_STR("likes tea", memories.at[0].content);
    CHECK_INT(1100, memories.at[0].created);
}

STORE_TEST(a_hygge_file_again_adds_nothing_and_grown_what_is_new)
{
    const char *path = db_make(t, "sessions.db", hygge_schema, two);
    struct bough_import_file_result in;

    import_db(t, path);
    in = import_db(t, path);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    /* rewritten without new content: read, and everything is known */
    db_change(t, path, "UPDATE sessions SET updated_at = 9999");
    in = import_db(t, path);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    CHECK_INT(8, in.known);
    db_change(t, path,
              "INSERT INTO messages (id, session_id, role, parts, created_at) VALUES"
              " ('M8', 'S2', 'assistant', '" TEXT(
                  "yes") "', 3000);"
                         "UPDATE sessions SET total_input_tokens = 160 WHERE id = 'S1'");
    in = import_db(t, path);
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_INT(1, in.added);
    CHECK_INT(0, in.sessions);
    CHECK_STR("hello hm another way yes", path_text(t, "S2"));
    CHECK_INT(160, get(t, "S1")->rolled.input);
    CHECK_INT(50, get(t, "S1")->rolled.output);
}

STORE_TEST(an_old_hygge_file_without_the_later_tables_and_columns_is_read)
{
    const char *path =
        db_make(t, "old.db", hygge_schema,
                "DROP TABLE session_todos; DROP TABLE session_memories;"
                "ALTER TABLE sessions DROP COLUMN kind;"
                "ALTER TABLE sessions DROP COLUMN first_message_preview;"
                "ALTER TABLE sessions DROP COLUMN parent_tool_use_id;"
                "INSERT INTO sessions (id, project_dir, model_provider, model_name, created_at,"
                " updated_at) VALUES ('S1', '/p', 'a', 'b', 1, 1);"
                "INSERT INTO messages (id, session_id, role, parts, created_at) VALUES"
                " ('M1', 'S1', 'user', '" TEXT("hi") "', 2)");

    CHECK_INT(1, import_db(t, path).added);
    CHECK_STR("hi", path_text(t, "S1"));
}

STORE_TEST(H16_parts_that_are_none_and_odd_rows_of_hygge_are_kept_and_told)
{
    const char *path = db_make(
        t, "odd.db", hygge_schema,
        "INSERT INTO sessions (id, parent_id, fork_message_id, project_dir, model_provider,"
        " model_name, created_at, updated_at, deleted_at) VALUES"
        " ('S1', NULL, 'dangling', '/p', 'a', 'b', 1, 1, 5), ('S2', 'S1', 'nowhere', '/p', 'a', "
        "'b',"
        " 2, 2, NULL);"
        "INSERT INTO messages (id, session_id, role, parts, created_at) VALUES"
        " ('M1', 'S1', 'user', 'no JSON', 2), ('M2', 'S1', 'user', '{\"type\":\"text\"}', 3),"
        " ('M3', 'S2', 'user', '" TEXT("alone") "', 3);");
    struct bough_import_file_result in = import_db(t, path);
    struct bough_entry *e;

    CHECK_INT(3, in.added);
    CHECK(in.nproblems >= 2);
    CHECK_OK(bough_entry_get(t->store, t->arena, "S1", "M1", &e, &t->err));
    CHECK(strstr(e->parts[0].json.p, "no JSON"));
    CHECK_INT(5, get(t, "S1")->deleted);
    CHECK_STR("alone", path_text(t, "S2"));
    CHECK_STR("", get(t, "S2")->parent);
    CHECK_INT(0, import_db(t, path).added);
}

STORE_TEST(bytes_of_a_row_that_are_not_utf_8_are_reported)
{
    const char *path = db_make(
        t, "bytes.db", hygge_schema,
        "INSERT INTO sessions (id, slug, project_dir, model_provider, model_name, created_at,"
        " updated_at) VALUES ('S1', CAST(x'61ff62' AS TEXT), '/p', 'a', 'b', 1, 1);");
    struct bough_import_file_result in = import_db(t, path);

    CHECK_INT(1, in.nproblems);
    CHECK(strstr(in.problems[0].text, "slug") && strstr(in.problems[0].text, "UTF-8"));
}
