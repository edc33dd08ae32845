/* Import of opencode's SQLite database: ordered by time, children as subagents. */
#include <stdlib.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "databases.h"

#define ROW "INSERT INTO session (id, project_id, slug, directory, title, version, time_created,"

static const char talk[] =
    /* the child is older than its parent: clock skew */
    ROW
    " time_updated, parent_id, agent) VALUES ('ses_2', 'p', 's-two', '/srv/w', 'Child', '1.18',"
    " 50, 60, 'ses_1', 'explore');" ROW
    " time_updated, cost, tokens_input, model, summary_additions, summary_diffs, time_archived)"
    " VALUES ('ses_1', 'p', 's-one', '/srv/w', 'Talk', '1.18', 100, 900, 0.5, 7,"
    " '{\"id\":\"m\",\"providerID\":\"pr\"}', 3, '[{\"file\":\"a\"}]', 950);"
    "INSERT INTO message VALUES ('msg_z', 'ses_1', 101, 101, '{\"role\":\"user\",\"time\":"
    "{\"created\":101}}'), ('msg_a', 'ses_1', 102, 102, '{\"role\":\"assistant\",\"time\":"
    "{\"created\":102},\"cost\":0.25,\"tokens\":{\"input\":3,\"output\":4,\"reasoning\":1,"
    "\"cache\":{\"read\":5,\"write\":6}},\"providerID\":\"pr\",\"modelID\":\"m\",\"finish\":"
    "\"stop\",\"parentID\":\"msg_z\"}'), ('msg_m', 'ses_2', 51, 51,"
    " '{\"role\":\"user\",\"time\":{\"created\":51}}');"
    /* ids wrapped around: the last part has the smallest id */
    "INSERT INTO part VALUES ('prt_9', 'msg_a', 'ses_1', 102, 102, '{\"type\":\"step-start\"}'),"
    " ('prt_f', 'msg_a', 'ses_1', 103, 109, '{\"type\":\"tool\",\"callID\":\"c\",\"tool\":"
    "\"bash\",\"state\":{\"status\":\"completed\",\"input\":{},\"output\":\"ok\",\"title\":\"\","
    "\"metadata\":{},\"time\":{\"start\":1,\"end\":2}}}'), ('prt_1', 'msg_a', 'ses_1', 104, 104,"
    " '{\"type\":\"text\",\"text\":\"done\"}'), ('prt_5', 'msg_z', 'ses_1', 101, 101,"
    " '{\"type\":\"text\",\"text\":\"do it\"}'), ('prt_7', 'msg_m', 'ses_2', 51, 51,"
    " '{\"type\":\"subtask\",\"prompt\":\"p\",\"description\":\"d\",\"agent\":\"x\"}');"
    "INSERT INTO todo VALUES ('ses_1', 'second', 'pending', 'low', 1, 1, 1),"
    " ('ses_1', 'first', 'completed', 'high', 0, 1, 1);";

STORE_TEST(A17_opencodes_database_comes_in_with_subagents_todos_parts_and_cost)
{
    struct bough_import_file_result in =
        import_db(t, db_make(t, "opencode.db", opencode_schema, talk));
    const struct bough_session *s = get(t, "ses_1");
    struct bough_todos todos;
    struct bough_entry *e;

    CHECK_STR("opencode", in.format);
    CHECK_INT(0, in.nproblems);
    CHECK_INT(2, in.sessions);
    CHECK_INT(3, in.added);
    CHECK_STR("Talk", s->title);
    CHECK_STR("/srv/w", s->project);
    CHECK_STR("m", s->model_name);
    CHECK_INT(BOUGH_STATUS_ARCHIVED, s->status);
    CHECK_INT(250000000, s->own.cost);
    CHECK_INT(5, s->own.cache_read);
    CHECK_STR(s->id, get(t, "ses_2")->parent);
    CHECK_INT(BOUGH_SUBAGENT, get(t, "ses_2")->kind);
    CHECK_STR("explore", get(t, "ses_2")->role_name);
    CHECK_OK(bough_todo_get(t->store, t->arena, "ses_1", &todos, &t->err));
    CHECK_INT(2, todos.n);
    CHECK_STR("first", todos.at[0].content);
    CHECK_OK(bough_entry_get(t->store, t->arena, "ses_1", "msg_a", &e, &t->err));
    CHECK_INT(3, e->nparts);
    CHECK_INT(BOUGH_PART_STEP_START, e->parts[0].type); /* A26: by time, never by id */
    CHECK_INT(BOUGH_PART_TOOL, e->parts[1].type);
    CHECK_INT(BOUGH_TOOL_COMPLETED, bough_tool_state_of(e->parts[1].json));
    CHECK_INT(BOUGH_PART_TEXT, e->parts[2].type);
    CHECK_STR("do it ", path_text(t, "ses_1"));
}

STORE_TEST(opencodes_database_grown_adds_what_is_new_and_again_nothing)
{
    const char *path = db_make(t, "opencode.db", opencode_schema, talk);
    struct bough_import_file_result in;

    import_db(t, path);
    db_change(t, path, "UPDATE session SET time_updated = 5000");
    in = import_db(t, path);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    CHECK_INT(3, in.known);
    db_change(t, path,
              "UPDATE session SET time_archived = NULL;"
              "INSERT INTO message VALUES ('msg_b', 'ses_2', 200, 200, '{\"role\":\"assistant\","
              "\"time\":{\"created\":200}}');"
              "INSERT INTO part VALUES ('prt_b', 'msg_b', 'ses_2', 200, 200,"
              " '{\"type\":\"text\",\"text\":\"more\"}')");
    in = import_db(t, path);
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_INT(1, in.added);
    CHECK_STR(" more", path_text(t, "ses_2"));
}

STORE_TEST(A21_A22_summaries_and_reverts_in_opencodes_database_count)
{
    const char *path = db_make(
        t, "opencode.db", opencode_schema,
        ROW " time_updated, revert) VALUES ('ses_1', 'p', 's', '/w', 'T', '1', 1, 1,"
            " '{\"messageID\":\"msg_5\"}');"
            "INSERT INTO message VALUES"
            " ('msg_1', 'ses_1', 1, 1, '{\"role\":\"user\",\"time\":{\"created\":1}}'),"
            " ('msg_2', 'ses_1', 2, 2, '{\"role\":\"user\",\"time\":{\"created\":2}}'),"
            " ('msg_3', 'ses_1', 3, 3, '{\"role\":\"user\",\"time\":{\"created\":3}}'),"
            " ('msg_4', 'ses_1', 4, 4, '{\"role\":\"assistant\",\"time\":{\"created\":4},"
            "\"parentID\":\"msg_3\",\"summary\": true,\"finish\":\"stop\"}'),"
            " ('msg_5', 'ses_1', 5, 5, '{\"role\":\"user\",\"time\":{\"created\":5}}');"
            "INSERT INTO part SELECT 'p' || id, id, session_id, time_created, 1,"
            " '{\"type\":\"text\",\"text\":\"' || id || '\"}' FROM message;"
            "INSERT INTO part VALUES ('pc', 'msg_3', 'ses_1', 9, 9, '{\"type\":\"compaction\","
            "\"auto\":true,\"tail_start_id\":\"msg_2\"}')");
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_context_result c;

    import_db(t, path);
    CHECK_STR("msg_1 msg_2 msg_3 msg_4", path_text(t, "ses_1")); /* msg_5 is reverted */
    CHECK_OK(bough_context(t->store, t->arena, "ses_1", &how, &c, &t->err));
    CHECK(!strstr(c.messages.p, "msg_1"));
    CHECK(strstr(c.messages.p, "msg_2"));
}

STORE_TEST(broken_rows_and_newer_tables_of_opencode_are_told)
{
    const char *path = db_make(
        t, "opencode.db", opencode_schema,
        ROW " time_updated) VALUES ('ses_1', 'p', 's', '/w', 'T', '1', 1, 1),"
            " ('ses_2', 'p', 's', '/w', 'New', '2', 2, 2);"
            "INSERT INTO message VALUES ('msg_1', 'ses_1', 1, 1, 'broken'),"
            " ('msg_2', 'ses_1', 2, 2, '{\"role\":\"user\",\"time\":{\"created\":2}}');"
            "INSERT INTO part VALUES ('prt_1', 'msg_2', 'ses_1', 1, 1, '[]'), ('prt_2', 'msg_2',"
            " 'ses_1', 2, 2, '{\"type\":\"text\",\"text\":\"whole\"}');"
            "INSERT INTO session_message VALUES ('m', 'ses_2', 'user', 1, 1, 1, '{}');"
            "INSERT INTO session_input VALUES ('i', 'ses_2', '{}', 'queue', 1, NULL, 1)");
    struct bough_import_file_result in = import_db(t, path);

    CHECK_INT(2, in.added);
    CHECK_INT(3, in.nproblems);
    CHECK_STR("whole", path_text(t, "ses_1"));
    CHECK(strstr(in.problems[2].text, "a prompt that waits has no text"));
}

#define NEWER "INSERT INTO session_message VALUES ("

STORE_TEST(messages_and_prompts_in_newer_tables_of_opencode_come_in_once)
{
    const char *path = db_make(
        t, "opencode.db", opencode_schema,
        ROW
        " time_updated) VALUES ('ses_1', 'p', 's', '/w', 'New', '2', 1, 1);" NEWER
        "'msg_2', 'ses_1', 'assistant', 2, 20, 20, '{\"agent\":\"build\",\"model\":{\"id\":\"m\","
        "\"providerID\":\"p\"},\"content\":[{\"type\":\"text\",\"text\":\"two\"},{\"type\":"
        "\"tool\",\"id\":\"c\",\"name\":\"bash\",\"state\":{\"status\":\"completed\",\"input\":{},"
        "\"content\":[{\"type\":\"text\",\"text\":\"out\"}]},\"time\":{\"created\":1}}],"
        "\"cost\":0.5,\"tokens\":{\"input\":3,\"output\":4}}');" NEWER
        "'msg_1', 'ses_1', 'user', 1, 10, 10, '{\"text\":\"one\"}');"
        "INSERT INTO session_input VALUES ('b', 'ses_1', '{\"text\":\"second\"}', 'queue', 2, NULL,"
        " 5), ('a', 'ses_1', '{\"text\":\"first\",\"files\":[]}', 'queue', 1, NULL, 4),"
        " ('c', 'ses_1', '{\"text\":\"said\"}', 'queue', 0, 1, 3)");
    struct bough_import_file_result in = import_db(t, path);
    struct bough_prompts queue;
    struct bough_entry *e;

    CHECK_INT(2, in.added);
    CHECK_INT(0, in.nproblems);
    CHECK_STR("one two", path_text(t, "ses_1"));
    CHECK_INT(1, get(t, "ses_1")->calls);
    CHECK_INT(500000000, get(t, "ses_1")->own.cost);
    CHECK_OK(bough_entry_get(t->store, t->arena, "ses_1", "msg_2", &e, &t->err));
    CHECK_INT(BOUGH_PART_TOOL, e->parts[1].type);
    CHECK_OK(bough_queue_list(t->store, t->arena, "ses_1", &queue, &t->err));
    CHECK_INT(2, queue.n);
    CHECK_STR("first", queue.at[0].content);
    CHECK_STR("second", queue.at[1].content);
    db_change(t, path, NEWER "'msg_3', 'ses_1', 'user', 3, 30, 30, '{\"text\":\"three\"}')");
    CHECK_INT(1, import_db(t, path).added);
    CHECK_STR("one two three", path_text(t, "ses_1"));
    CHECK_OK(bough_queue_list(t->store, t->arena, "ses_1", &queue, &t->err));
    CHECK_INT(2, queue.n);
    CHECK(strstr(export_text(t, "ses_1", "opencode").p, "\"output\":\"out\""));
}

/* An export as rows of opencode's database. Returns the file's path. */
static const char *rows_of(struct test *t, const char *text)
{
    struct json doc, info, list;
    struct json_iter m, p;
    struct db *db;
    const char *path = db_make(t, "made.db", opencode_schema, "");

    CHECK_OK(json_parse(t->arena, str_of(text), &doc, &t->err));
    info = json_member(doc, "info");
    list = json_member(doc, "messages");
    db = db_open(t, path);
    db_run(t, db,
           arena_printf(t->arena,
                        ROW " time_updated) VALUES ('%s', 'p', 's', '/w', 'T', '1', 1, 1)",
                        json_cstr(t->arena, info, "id")));
    for (m = json_iter(list); json_next(&m);) {
        struct json mi = json_member(m.value, "info"), parts = json_member(m.value, "parts");
        int64_t time = 0;

        json_i64(json_member(json_member(mi, "time"), "created"), &time);
        db_run(t, db,
               arena_printf(t->arena,
                            "INSERT INTO message SELECT j->>'id', j->>'sessionID', %lld, 0,"
                            " json_remove(j, '$.id', '$.sessionID') FROM (SELECT '%s' AS j)",
                            (long long)time, db_quoted(t, json_raw(mi))));
        for (p = json_iter(parts); json_next(&p);)
            db_run(
                t, db,
                arena_printf(t->arena,
                             "INSERT INTO part SELECT j->>'id', j->>'messageID', j->>'sessionID',"
                             " 1, 1, json_remove(j, '$.id', '$.sessionID', '$.messageID') FROM"
                             " (SELECT '%s' AS j)",
                             db_quoted(t, json_raw(p.value))));
    }
    db_close(db);
    return path;
}

static void check_same_session(struct test *t, const char *file)
{
    size_t n;
    struct bough_import_file_result in = import_file(t, file), rows;

    rows = import_db(t, rows_of(t, file_text(t, file, &n)));
    CHECK_INT(0, rows.added); /* the export has spaces between its values, the rows have none */
    CHECK_INT(in.added, rows.known);
    CHECK_INT(0, rows.nproblems);
    CHECK_STR(in.session, rows.session);
    fresh_store(t);
    CHECK_INT(in.added, import_db(t, rows_of(t, file_text(t, file, &n))).added);
    next_store(t);
}

STORE_TEST(an_export_and_the_same_session_in_the_database_are_one)
{
    each_file(t, FILES("opencode/compacted.json", "opencode/tools.json"),
              FILES("opencode-1.18.33/compacted.json"), check_same_session);
}
