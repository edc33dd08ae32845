/* Gemini CLI's chat files: messages that grow, calls with results, rewinds, compressions,
 * subagents. */
#include <string.h>
#include <sys/stat.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

#define HEADER                                                                                     \
    "{\"sessionId\":\"g-1\",\"projectHash\":\"abc\",\"startTime\":\"2026-11-01T10:00:00.000Z\","   \
    "\"lastUpdated\":\"2026-11-01T10:00:00.000Z\",\"kind\":\"main\"}\n"
#define SAID(id, type, text)                                                                       \
    "{\"id\":\"" id "\",\"timestamp\":\"2026-11-01T10:00:01.000Z\",\"type\":\"" type               \
    "\",\"content\":\"" text "\"}\n"
#define THOUGHT "\"thoughts\":[{\"subject\":\"Plan\",\"description\":\"read it\"}]"
#define CALLED                                                                                     \
    "{\"id\":\"m2\",\"timestamp\":\"2026-11-01T10:00:02.000Z\",\"type\":\"gemini\",\"content\":"   \
    "\"\"," THOUGHT ",\"tokens\":{\"input\":100,\"output\":5,\"cached\":40,\"thoughts\":7,"        \
    "\"tool\":0,\"total\":112},\"model\":\"gemini-2.5-pro\",\"toolCalls\":[{\"id\":\"r-1\","       \
    "\"name\":\"read_file\",\"args\":{\"path\":\"a.txt\"},\"result\":[{\"functionResponse\":{"     \
    "\"id\":\"r-1\",\"name\":\"read_file\",\"response\":{\"output\":\"hello\"}}}],\"status\":"     \
    "\"success\"}]}\n"
#define CALLING                                                                                    \
    "{\"id\":\"m2\",\"timestamp\":\"2026-11-01T10:00:02.000Z\",\"type\":\"gemini\",\"content\":"   \
    "\"\"," THOUGHT ",\"tokens\":null,\"model\":\"gemini-2.5-pro\"}\n"

static struct bough_import_file_result take(struct test *t, const char *text)
{
    return import_file(t, file_make(t, "session-2026-11-01T10-00-g.jsonl", text, strlen(text)));
}

STORE_TEST(a_message_of_gemini_cli_is_what_its_last_line_says_with_calls_results_and_cost)
{
    struct bough_import_file_result in = take(
        t, HEADER SAID("m1", "user", "Read a.txt") CALLING CALLED SAID("m3", "gemini", "Hello.")
               SAID("i1", "info", "Update available") "{\"$set\":{\"summary\":\"A file\"}}\n");
    const struct bough_session *s = get(t, "g-1");
    struct bough_calls calls;
    struct bough_entry *e;

    CHECK_STR("gemini-cli", in.format);
    CHECK_INT(0, in.nproblems);
    CHECK_INT(5, in.added);
    CHECK_STR("A file", s->title);
    CHECK_INT(4, s->messages);
    CHECK_OK(bough_call_list(t->store, t->arena, "g-1", &calls, &t->err));
    CHECK_INT(1, calls.n);
    CHECK_STR("google", calls.at[0].provider);
    CHECK_INT(60, calls.at[0].used.input);
    CHECK_INT(40, calls.at[0].used.cache_read);
    CHECK_INT(12, calls.at[0].used.output);
    CHECK_INT(BOUGH_COST_LIST, calls.at[0].cost_source);
    CHECK_OK(bough_entry_get(t->store, t->arena, "g-1", "m2", &e, &t->err));
    CHECK_INT(2, e->nparts);
    CHECK_SPAN("{\"type\":\"reasoning\",\"text\":\"Plan\\nread it\"}", e->parts[0].json);
    CHECK_SPAN("{\"type\":\"tool_use\",\"id\":\"r-1\",\"name\":\"read_file\",\"input\":{\"path\":"
               "\"a.txt\"}}",
               e->parts[1].json);
    CHECK_OK(bough_entry_get(t->store, t->arena, "g-1", "m2/results", &e, &t->err));
    CHECK_INT(BOUGH_ROLE_TOOL, e->role);
    CHECK_SPAN("{\"type\":\"tool_result\",\"tool_use_id\":\"r-1\",\"content\":\"hello\"}",
               e->parts[0].json);
}

STORE_TEST(a_gemini_cli_file_again_adds_nothing_and_grown_what_is_new)
{
    static const char text[] = HEADER SAID("m1", "user", "one") CALLED;

    CHECK_INT(3, take(t, text).added);
    CHECK_INT(0, take(t, text).added);
    CHECK_INT(1, take(t, HEADER SAID("m1", "user", "one") CALLED SAID("m3", "gemini", "x")).added);
    CHECK_INT(4, get(t, "g-1")->messages);
}

STORE_TEST(a_rewind_of_gemini_cli_is_a_branch_and_the_head_is_where_it_went)
{
    struct bough_import_file_result in =
        take(t, HEADER SAID("m1", "user", "one") CALLED SAID("m3", "user", "wrong")
                    SAID("m4", "gemini", "no") "{\"$rewindTo\":\"m3\"}\n");

    CHECK_INT(5, in.added);
    CHECK_STR("one Plan\nread it ", path_text(t, "g-1"));
    take(t, HEADER SAID("m1", "user", "one") CALLED SAID("m3", "user", "wrong")
                SAID("m4", "gemini", "no") "{\"$rewindTo\":\"m3\"}\n" SAID("m5", "user", "right"));
    CHECK_STR("one Plan\nread it  right", path_text(t, "g-1"));
    CHECK_INT(6, get(t, "g-1")->messages);
}

STORE_TEST(a_compression_of_gemini_cli_replaces_what_differs_and_keeps_what_does_not)
{
    take(t, HEADER SAID("m1", "user", "one") SAID("m2", "gemini", "two")
                SAID("m3", "user",
                     "three") "{\"$set\":{\"messages\":["
                              "{\"id\":\"m1\",\"timestamp\":\"2026-11-01T10:00:01.000Z\","
                              "\"type\":\"user\",\"content\":\"one\"},{\"id\":\"s\",\"timestamp\":"
                              "\"2026-11-01T10:00:09.000Z\",\"type\":\"user\",\"content\":\"a "
                              "summary\"}]}}\n" SAID("m4", "gemini", "four"));
    CHECK_STR("one a summary four", path_text(t, "g-1"));
    CHECK_INT(5, get(t, "g-1")->messages);
}

STORE_TEST(a_document_of_an_older_gemini_cli_is_the_same_session)
{
    static const char text[] =
        "{\n  \"sessionId\": \"g-1\",\n  \"projectHash\": \"abc\",\n  \"startTime\": "
        "\"2026-11-01T10:00:00.000Z\",\n  \"messages\": [\n" SAID("m1", "user", "one") ",\n" SAID(
            "m2", "gemini", "two") "]\n}\n";
    struct bough_import_file_result in =
        import_file(t, file_make(t, "session-1.json", text, strlen(text)));

    CHECK_STR("gemini-cli-json", in.format);
    CHECK_INT(2, in.added);
    /* Its successor continues the same session in a .jsonl file. */
    in = take(t, HEADER SAID("m1", "user", "one") SAID("m2", "gemini", "two")
                     SAID("m3", "user", "three"));
    CHECK_INT(1, in.added);
    CHECK_STR("one two three", path_text(t, "g-1"));
}

STORE_TEST(a_subagent_of_gemini_cli_belongs_to_the_session_its_folder_names)
{
    static const char text[] =
        "{\"sessionId\":\"sub\",\"projectHash\":\"abc\",\"startTime\":"
        "\"2026-11-01T10:00:00.000Z\",\"kind\":\"subagent\"}\n" SAID("a", "user", "go");
    const char *dir = arena_printf(t->arena, "%s/g-1", test_dir(t));

    CHECK_INT(0, mkdir(dir, 0700));
    import_file(t, file_make(t, "g-1/sub.jsonl", text, strlen(text)));
    take(t, HEADER SAID("m1", "user", "one"));
    CHECK_STR(get(t, "g-1")->id, get(t, "sub")->parent);
    CHECK_INT(BOUGH_SUBAGENT, get(t, "sub")->kind);
}

STORE_TEST_SECONDS(a_gemini_cli_file_cut_anywhere_is_read_up_to_there, 60)
{
    static const char text[] = HEADER SAID("m1", "user", "one") CALLING CALLED
        "{\"$rewindTo\":\"m2\"}\n" SAID("m5", "user", "two");

    check_cuts(t, "cut.jsonl", str_of(text), 4);
}
