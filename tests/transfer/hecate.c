/* Import of Hecate's database: two linked streams, with requests, replies and costs. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "databases.h"

#define CALLS "hecate_chat_session_provider_calls"
#define MESSAGES "hecate_chat_session_messages"

static const char chat[] =
    "INSERT INTO hecate_chat_sessions VALUES ('chat_1', 'Sums', '2026-05-08 19:33:07.123456789"
    " +0000 UTC', '2026-05-08T20:00:00Z', 'Be brief.');"
    "INSERT INTO " CALLS " VALUES ('call_b', 'chat_1', 'req_2', '', 'openai', 'cloud', 'auto',"
    " 'gpt-x', 1234, 20, 10, 31, '2026-05-08 19:34:00 +0000 UTC m=+1.5'),"
    " ('call_a', 'chat_1', 'req_1', 'local', 'ollama', 'local', 'llama', 'llama3', 0, 5, 6, 11,"
    " '2026-05-08 19:33:30 +0000 UTC'),"
    " ('call_c', 'chat_1', 'req_3', '', 'openai', 'cloud', 'auto', 'gpt-x', 99, 1, 1, 2,"
    " '2026-05-08T19:35:00.5+02:00');"
    "INSERT INTO " MESSAGES " VALUES"
    " ('msg_3', 'chat_1', 2, NULL, '{\"role\":\"tool\",\"content\":\"4\",\"tool_call_id\":\"t1\","
    "\"tool_error\":true}', '2026-05-08 19:33:40 +0000 UTC'),"
    " ('msg_1', 'chat_1', 0, NULL, '{\"role\":\"user\",\"content\":\"2+2?\"}',"
    " '2026-05-08 19:33:20 +0000 UTC'),"
    " ('msg_2', 'chat_1', 1, 'call_a', '{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":"
    "[{\"id\":\"t1\",\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"{}\"}}]}'"
    ","
    " '2026-05-08 19:33:31 +0000 UTC'),"
    " ('msg_4', 'chat_1', 3, 'call_b', '{\"role\":\"assistant\",\"content\":\"Four.\","
    "\"content_blocks\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
    "{\"type\":\"text\",\"text\":\"Four.\"}]}', '2026-05-08 19:34:01 +0000 UTC');";

STORE_TEST(C1_a_hecate_file_brings_both_streams_and_what_links_them)
{
    struct bough_import_file_result in = import_db(t, db_make(t, "hecate.db", hecate_schema, chat));
    const struct bough_session *s = get(t, "chat_1");
    struct bough_calls calls;
    struct bough_entry *e;

    CHECK_STR("hecate", in.format);
    CHECK_INT(0, in.nproblems);
    CHECK_INT(4, in.added);
    CHECK_STR("Sums", s->title);
    CHECK_STR("Be brief.", s->system_prompt);
    CHECK_INT(1778268787123, s->created);
    CHECK_OK(bough_call_list(t->store, t->arena, "chat_1", &calls, &t->err));
    CHECK_INT(3, calls.n);
    CHECK_STR("req_3", calls.at[0].request_id); /* 19:35+02:00 is the earliest */
    CHECK_STR("req_1", calls.at[1].request_id);
    CHECK_STR("local", calls.at[1].want_provider);
    CHECK_STR("ollama", calls.at[1].provider);
    CHECK_STR("llama", calls.at[1].want_model);
    CHECK_STR("req_2", calls.at[2].request_id);
    CHECK_STR("cloud", calls.at[2].kind);
    CHECK_INT(1234000, calls.at[2].used.cost);
    CHECK_INT(20, calls.at[2].used.input);
    CHECK_INT(10, calls.at[2].used.output);
    CHECK_INT(31, calls.at[2].total_tokens);
    CHECK_INT(1778268840000, calls.at[2].time);
    CHECK(strstr(calls.at[2].usage.p, "\"id\":\"call_b\""));
    CHECK_OK(bough_entry_get(t->store, t->arena, "chat_1", "msg_4", &e, &t->err));
    CHECK_STR(calls.at[2].id, e->call);
    CHECK_INT(2, e->nparts);
    CHECK_SPAN("{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}", e->parts[0].json);
    CHECK_OK(bough_entry_get(t->store, t->arena, "chat_1", "msg_3", &e, &t->err));
    CHECK_STR("", e->call);
    CHECK_INT(BOUGH_ROLE_TOOL, e->role);
    CHECK(strstr(e->data.p, "\"tool_error\":true"));
    CHECK_INT(1333000, get(t, "chat_1")->own.cost);
}

STORE_TEST(C4_messages_of_hecate_are_in_order_of_their_sequence)
{
    import_db(t, db_make(t, "hecate.db", hecate_schema, chat));
    CHECK_STR("2+2?  4 hm", path_text(t, "chat_1"));
}

STORE_TEST(a_hecate_file_again_adds_nothing_and_grown_what_is_new)
{
    const char *path = db_make(t, "hecate.db", hecate_schema, chat);
    struct bough_import_file_result in;
    struct bough_calls calls;

    import_db(t, path);
    db_change(t, path, "UPDATE hecate_chat_sessions SET updated_at = '2026-06-01T00:00:00Z'");
    in = import_db(t, path);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    CHECK_INT(4, in.known);
    db_change(t, path,
              "INSERT INTO " MESSAGES " VALUES ('msg_5', 'chat_1', 4, NULL,"
              " '{\"role\":\"user\",\"content\":\"Thanks\"}', '2026-05-09T00:00:00Z');"
              "INSERT INTO " CALLS
              " VALUES ('call_d', 'chat_1', 'req_4', '', 'openai', 'cloud', '',"
              " 'gpt-x', 7, 1, 1, 2, '2026-05-09T00:00:01Z')");
    in = import_db(t, path);
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_INT(1, in.added);
    CHECK_OK(bough_call_list(t->store, t->arena, "chat_1", &calls, &t->err));
    CHECK_INT(4, calls.n);
    CHECK_INT(1340000, get(t, "chat_1")->own.cost);
}

STORE_TEST(hecate_tables_with_another_prefix_are_found_and_a_broken_message_is_kept)
{
    const char *path = db_make(
        t, "gw.db",
        "CREATE TABLE gw2_chat_sessions (id TEXT PRIMARY KEY, title TEXT, user_name TEXT,"
        " created_at TEXT, updated_at TEXT);"
        "CREATE TABLE gw2_chat_session_messages (id TEXT PRIMARY KEY, session_id TEXT, sequence"
        " INTEGER, produced_by_call_id TEXT, message_json TEXT, created_at TEXT);"
        "CREATE TABLE gw2_chat_session_provider_calls (id TEXT PRIMARY KEY, session_id TEXT,"
        " created_at TEXT);",
        "INSERT INTO gw2_chat_sessions VALUES ('chat_9', 'T', 'kim', '', '');"
        "INSERT INTO gw2_chat_session_messages VALUES ('m', 'chat_9', 0, 'call_gone', 'oops', '')");
    struct bough_import_file_result in = import_db(t, path);
    struct bough_entry *e;

    CHECK_INT(1, in.added);
    CHECK_INT(2, in.nproblems);
    CHECK_STR("kim", get(t, "chat_9")->user_name);
    CHECK_OK(bough_entry_get(t->store, t->arena, "chat_9", "m", &e, &t->err));
    CHECK(strstr(e->parts[0].json.p, "oops"));
}
