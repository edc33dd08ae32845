/* Import of the database of `llm`: prompts, fragments, attachments, tool calls, results and tokens.
 */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "databases.h"

static const char *all(struct test *t)
{
    size_t n;

    return db_make(t, "logs.db", llm_schema, file_text(t, "tests/transfer/golden/llm.sql", &n));
}

STORE_TEST(a_conversation_of_llm_comes_with_prompts_calls_results_files_and_tokens)
{
    struct bough_import_file_result in = import_db(t, all(t));
    const struct bough_session *s = get(t, "c1");
    struct bough_entry *e;

    CHECK_STR("llm", in.format);
    CHECK_INT(0, in.nproblems);
    CHECK_INT(4, in.added);
    CHECK_STR("Time", s->title);
    CHECK_STR("Be brief.", s->system_prompt);
    CHECK_INT(50, s->own.input);
    CHECK_INT(11, s->own.output);
    CHECK_INT(2, s->calls);
    CHECK_OK(bough_entry_get(t->store, t->arena, "c1", "r1/prompt", &e, &t->err));
    CHECK_INT(BOUGH_ROLE_USER, e->role);
    CHECK_INT(4, e->nparts);
    CHECK_SPAN("{\"type\":\"text\",\"text\":\"a long fragment\"}", e->parts[0].json);
    CHECK_SPAN("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\","
               "\"data\":\"iVBORw==\"}}",
               e->parts[1].json);
    CHECK_SPAN("{\"type\":\"text\",\"text\":\"[image/png https://example.com/a.png]\"}",
               e->parts[2].json);
    CHECK_SPAN("{\"type\":\"text\",\"text\":\"What time is it?\"}", e->parts[3].json);
    CHECK_OK(bough_entry_get(t->store, t->arena, "c1", "r1", &e, &t->err));
    CHECK_SPAN("{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"clock\",\"input\":{\"zone\":"
               "\"UTC\"}}",
               e->parts[0].json);
    CHECK_INT(1500, e->duration);
    CHECK(strstr(e->data.p, "\"options_json\":\"{\\\"seed\\\":1}\""));
    CHECK_OK(bough_entry_get(t->store, t->arena, "c1", "r2/results", &e, &t->err));
    CHECK_INT(BOUGH_ROLE_TOOL, e->role);
    CHECK_SPAN("{\"type\":\"tool_result\",\"tool_use_id\":\"call_1\",\"content\":\"12:00\"}",
               e->parts[0].json);
}

STORE_TEST(a_database_of_llm_again_adds_nothing_and_grown_what_is_new)
{
    const char *path = all(t);

    CHECK_INT(4, import_db(t, path).added);
    CHECK_INT(0, import_db(t, path).added);
    db_change(
        t, path,
        "INSERT INTO responses VALUES ('r3', 'gpt-4o', 'Thanks', NULL, NULL, NULL, 'Bye', NULL,"
        " 'c1', 1, '2026-11-15T20:00:09', NULL, NULL, NULL, NULL, NULL)");
    CHECK_INT(2, import_db(t, path).added);
    CHECK_INT(6, get(t, "c1")->messages);
}

STORE_TEST(a_database_of_an_older_llm_without_tools_is_read)
{
    const char *path =
        db_make(t, "old.db", llm_old_schema,
                "INSERT INTO conversations VALUES ('c9', NULL, 'm');"
                "INSERT INTO responses (id, model, prompt, response, conversation_id,"
                " datetime_utc) VALUES ('r', 'm', 'hi', 'ho', 'c9', '')");

    CHECK_INT(2, import_db(t, path).added);
    CHECK_STR("hi ho", path_text(t, "c9"));
}
