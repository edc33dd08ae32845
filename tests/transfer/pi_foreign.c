/* Sessions of other tools in pi's files: readable by pi, and restored when imported. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

/* pi gets it in its own words; what it was stands beside them. */
static void comes_back_whole(struct test *t, const char *file)
{
    struct bough_import_file_result in = import_file(t, file), again;
    struct bough_str before = export_text(t, in.session, in.format),
                     pi = export_text(t, in.session, "pi");
    const char *path = file_make(t, "session.jsonl", pi.p, pi.n);

    again = import_file(t, path);
    CHECK_INT(0, again.added);
    CHECK_INT(0, again.nproblems);
    CHECK_INT(in.added, again.known);
    fresh_store(t);
    again = import_file(t, path);
    CHECK_INT(in.added, again.added);
    CHECK_SPAN(pi.p, export_text(t, again.session, "pi"));
    if (strstr(file, ".jsonl"))
        check_same_lines(t, before, export_text(t, again.session, in.format));
    else
        check_same_json(t, before, export_text(t, again.session, in.format));
    next_store(t);
}

STORE_TEST_SECONDS(sessions_of_other_tools_come_back_whole_from_a_pi_file, 60)
{
    each_file(t,
              FILES("opencode/tools.json", "opencode/compacted.json", "claude-code/tools.jsonl",
                    "claude-code/compacted.jsonl", "codex/tools.jsonl"),
              FILES("opencode-1.18.33/tools.json", "opencode-1.18.33/compacted.json",
                    "claude-code-2.1.325/resumed.jsonl", "claude-code-2.1.325/compacted.jsonl",
                    "codex-0.166.0/resumed.jsonl"),
              comes_back_whole);
}

STORE_TEST(a_message_of_another_tool_is_lines_that_pi_understands)
{
    const char *s = new_session(t, "");
    const struct bough_str part = str_of(
        "{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"bash\",\"state\":{\"status\":"
        "\"completed\",\"input\":{\"c\":\"ls\"},\"output\":\"a b\",\"title\":\"t\",\"metadata\":{},"
        "\"time\":{\"start\":1,\"end\":2}}}");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_str pi;
    struct bough_import_file_result again;

    user(t, s, "list it");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    user(t, s, "thanks");
    pi = export_text(t, s, "pi");
    CHECK(strstr(pi.p,
                 "{\"type\":\"toolCall\",\"id\":\"c1\",\"name\":\"bash\",\"arguments\":{\"c\":"
                 "\"ls\"}}],\"api\":"));
    CHECK(strstr(pi.p, "\"stopReason\":\"toolUse\""));
    CHECK(strstr(pi.p, "{\"role\":\"toolResult\",\"toolCallId\":\"c1\",\"toolName\":\"bash\","
                       "\"content\":[{\"type\":\"text\",\"text\":\"a b\"}],\"isError\":false,"));
    fresh_store(t);
    again = import_file(t, file_make(t, "other.jsonl", pi.p, pi.n));
    CHECK_INT(0, again.nproblems);
    CHECK_SPAN(pi.p, export_text(t, again.session, "pi"));
}
