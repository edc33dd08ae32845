/* Views of whole messages, split into runs. */
#include "core/part/view.h"

#include "base/memory/buf.h"
#include "base/text/str.h"
#include "build.h"
#include "core/model/text.h"

/* The runs of a message as text, one letter per view: "said: t c | results: r". */
static const char *runs(struct test *t, enum bough_role role, const char *content, const char *data)
{
    static const char letters[] = "trcR?fo";
    struct path p = { .t = t };
    struct view_run *at;
    struct bough_str s;
    size_t i, k, n;
    struct buf b;

    at = view_runs(t->arena, add_message(&p, role, content, data), &n);
    buf_init(&b, 1000);
    for (i = 0; i < n; i++) {
        buf_puts(&b, i ? " | " : "");
        buf_puts(&b, at[i].results ? "results" : "said");
        for (k = 0; k < at[i].n; k++)
            buf_printf(&b, " %c", letters[at[i].at[k].kind]);
    }
    s = text_keep(t->arena, &b);
    buf_finish(&b);
    return s.p;
}

#define DONE(id)                                                                                   \
    "{\"type\":\"tool\",\"callID\":\"" id "\",\"tool\":\"ls\",\"state\":{\"status\":\"error\","    \
    "\"input\":{},\"error\":\"e\",\"time\":{\"start\":1,\"end\":2}}}"
#define TEXT "{\"type\":\"text\",\"text\":\"a\"}"
#define STEP "{\"type\":\"step-start\"}"

TEST(results_inside_a_message_become_runs_of_their_own) /* U11 */
{
    CHECK_STR("said t c c | results R R",
              runs(t, BOUGH_ROLE_ASSISTANT, "[" TEXT "," DONE("1") "," DONE("2") "]", NULL));
    CHECK_STR("said o c | results R | said o c | results R | said t",
              runs(t, BOUGH_ROLE_ASSISTANT,
                   "[" STEP "," DONE("1") "," STEP "," DONE("2") "," TEXT "]", NULL));
    CHECK_STR("results R | said t",
              runs(t, BOUGH_ROLE_USER,
                   "[{\"type\":\"tool_result\",\"tool_use_id\":\"1\"}," TEXT "]", NULL));
    CHECK_STR("said c", runs(t, BOUGH_ROLE_ASSISTANT,
                             "[{\"type\":\"tool\",\"callID\":\"1\",\"tool\":\"ls\",\"state\":"
                             "{\"status\":\"pending\",\"input\":{},\"raw\":\"\"}}]",
                             NULL));
    CHECK_STR("said", runs(t, BOUGH_ROLE_USER, "[]", NULL));
}

TEST(a_tool_message_with_a_call_id_is_one_result) /* U11 */
{
    struct path p = { .t = t };
    struct bough_entry *e;
    struct view_run *r;
    size_t n;

    e = add_message(&p, BOUGH_ROLE_TOOL, "[" TEXT "," TEXT "]",
                    "{\"role\":\"toolResult\",\"toolCallId\":\"c\",\"toolName\":\"ls\","
                    "\"isError\":true}");
    r = view_runs(t->arena, e, &n);
    CHECK_INT(1, n);
    CHECK(r[0].results);
    CHECK_STR("c", r[0].at[0].call);
    CHECK_STR("ls", r[0].at[0].tool);
    CHECK(r[0].at[0].failed);
    CHECK_INT(BOUGH_TOOL_NONE, r[0].at[0].state);
    CHECK_SPAN("\"a\\na\"", r[0].at[0].output);
    CHECK_STR("toolResult", view_role(t->arena, e));

    e = add_message(&p, BOUGH_ROLE_TOOL,
                    "[" TEXT ",{\"type\":\"image\",\"data\":\"x\",\"mimeType\":\"image/png\"}]",
                    "{\"tool_call_id\":\"d\"}");
    r = view_runs(t->arena, e, &n);
    CHECK_STR("d", r[0].at[0].call);
    CHECK_SPAN("[" TEXT ",{\"type\":\"image\",\"data\":\"x\",\"mimeType\":\"image/png\"}]",
               r[0].at[0].output);
    CHECK_STR("tool", view_role(t->arena, e));
}

static struct bough_str bash(struct test *t, const char *data)
{
    struct path p = { .t = t };

    return view_bash_text(t->arena,
                          view_data(t->arena, add_message(&p, BOUGH_ROLE_BASH, NULL, data)));
}

TEST(a_command_by_hand_reads_as_text) /* P26 */
{
    CHECK_SPAN("Ran `ls`\n```\na\n```\n\nCommand exited with code 4",
               bash(t, "{\"command\":\"ls\",\"output\":\"a\",\"exitCode\":4}"));
    CHECK_SPAN("Ran `ls`\n(no output)",
               bash(t, "{\"command\":\"ls\",\"output\":\"\",\"exitCode\":0}"));
    CHECK_SPAN(
        "Ran `ls`\n(no output)\n\n(command cancelled)\n\n[Output truncated. Full output: /x]",
        bash(t, "{\"command\":\"ls\",\"cancelled\":true,\"truncated\":true,"
                "\"fullOutputPath\":\"/x\"}"));
}
