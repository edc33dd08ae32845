/* Activities of a run: rows, steps, timing. How they are arranged: activity_render.c. */
#include "core/activity/activity.h"

#include <stdio.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "build.h"

#define RUN "01RUN000000000000000000000"

static struct bough_run run_of(enum bough_run_status status)
{
    struct bough_run run = { .session = "s",
                             .number = 1,
                             .runtime = BOUGH_RUNTIME_AGENT,
                             .status = status,
                             .task = RUN,
                             .after = "",
                             .provider = "p",
                             .model = "m",
                             .error_code = "",
                             .error = "",
                             .created = 900,
                             .started = 1000,
                             .updated = 2000 };

    memcpy(run.id, RUN, sizeof run.id);
    run.ended = bough_run_ended(status) ? 2000 : 0;
    return run;
}

static struct bough_approval approval_of(const char *id, const struct bough_entry *e, int64_t part,
                                         enum bough_approval_status status)
{
    struct bough_approval p = { .session = "s",
                                .run = RUN,
                                .entry = e->id,
                                .part = part,
                                .tool = "shell/exec",
                                .kind = "",
                                .title = "rm -r build",
                                .status = status,
                                .note = "",
                                .created = e->time };

    snprintf(p.id, sizeof p.id, "%s", id);
    return p;
}

static struct activities build(struct path *p, const struct bough_run *run,
                               const struct bough_approval *approvals, size_t n)
{
    struct activity_input in = {
        .run = run, .entries = p->at, .n = p->n, .approvals = approvals, .napprovals = n
    };
    struct activities out;

    activities_build(p->t->arena, &in, &out);
    return out;
}

/* One line a row: type status "title" detail. */
static const char *print(struct test *t, const struct activity *at, size_t n)
{
    struct bough_str s;
    struct buf b;

    buf_init(&b, 1 << 24);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "%s %s \"%s\" %s", activity_type_name(at[i].type),
                   activity_status_name(at[i].status), at[i].title, at[i].detail);
        buf_puts(&b, at[i].needs_action ? " !\n" : "\n");
    }
    s = buf_give(&b, t->arena);
    return arena_strndup(t->arena, s.p, s.n);
}

#define PENDING(call, tool, input)                                                                 \
    "{\"type\":\"tool\",\"callID\":\"" call "\",\"tool\":\"" tool "\",\"state\":{\"status\":"      \
    "\"pending\",\"input\":" input ",\"raw\":\"\"}}"
#define ENDED(call, tool, start, end)                                                              \
    "{\"type\":\"tool\",\"callID\":\"" call "\",\"tool\":\"" tool "\",\"state\":{\"status\":"      \
    "\"completed\",\"input\":{},\"output\":\"o\",\"title\":\"\",\"metadata\":{},\"time\":{"        \
    "\"start\":" start ",\"end\":" end "}}}"
#define BROKEN(call, tool)                                                                         \
    "{\"type\":\"tool\",\"callID\":\"" call "\",\"tool\":\"" tool "\",\"state\":{\"status\":"      \
    "\"error\",\"input\":{},\"error\":\"no such file\",\"time\":{\"start\":1100,\"end\":1200}}}"

TEST(a_loop_of_turns_and_tools_is_told_in_order)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_COMPLETED);
    struct activities l;
    struct bough_entry *e;

    add_message(&p, BOUGH_ROLE_USER, "\"do it\"", NULL);
    e = add_message(&p, BOUGH_ROLE_ASSISTANT,
                    "[{\"type\":\"reasoning\",\"text\":\"hm\"}," PENDING(
                        "c1", "shell_exec", "{\"command\":\"make\"}") "]",
                    NULL);
    e->duration = 40;
    add_message(&p, BOUGH_ROLE_TOOL, "[" ENDED("c1", "shell_exec", "1100", "1300") "]", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"text\",\"text\":\"It works.\"},"
                "{\"type\":\"patch\",\"hash\":\"h\",\"files\":[\"a.c\",\"b.c\"]}]",
                NULL)
        ->duration = 60;
    l = build(&p, &run, NULL, 0);
    CHECK_STR("task_run completed \"Backing task\" " RUN "\n"
              "started completed \"Started\" \n"
              "thinking completed \"Agent turn 1\" hm\n"
              "tool_call completed \"Ran shell\" make\n"
              "thinking completed \"Agent turn 2\" \n"
              "final_answer completed \"Final answer\" It works.\n"
              "files_changed completed \"2 files changed\" a.c, b.c\n"
              "completed completed \"Completed\" \n",
              print(t, l.at, l.n));
    CHECK_INT(3, l.nsteps);
    CHECK_STR("shell_exec", l.steps[1].name);
    CHECK_INT(1, l.steps[1].turn);
    CHECK_INT(200, l.steps[1].ms);
    CHECK_INT(2, l.steps[2].turn);
    CHECK_INT(1100, l.timing.total);
    CHECK_INT(100, l.timing.queue);
    CHECK_INT(100, l.timing.model);
    CHECK_INT(200, l.timing.tool);
    CHECK_INT(700, l.timing.overhead);
    CHECK_INT(2, l.timing.turns);
    CHECK_INT(1, l.timing.tools);
    CHECK_STR("overhead", l.timing.bottleneck);
    CHECK_INT(700, l.timing.bottleneck_ms);
}

TEST(a_run_that_waits_asks_for_action_at_its_tool)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_AWAITING_APPROVAL);
    struct bough_entry *e =
        add_message(&p, BOUGH_ROLE_ASSISTANT,
                    "[" PENDING("c1", "shell_exec", "{\"command\":\"rm\"}") "]", NULL);
    struct bough_approval ask = approval_of("ASK", e, 0, BOUGH_APPROVAL_PENDING);
    struct activities l;
    struct activity_rows r;

    run.waited_ms = 900;
    l = build(&p, &run, &ask, 1);
    CHECK_STR("task_run awaiting_approval \"Backing task\" " RUN "\n"
              "started completed \"Started\" \n"
              "running awaiting_approval \"Running\" \n"
              "thinking completed \"Agent turn 1\" \n"
              "approval pending \"Approval requested\" rm -r build !\n"
              "tool_call awaiting_approval \"Ran shell\" rm\n",
              print(t, l.at, l.n));
    CHECK_STR("ASK", l.at[5].approval);
    CHECK_STR("ASK", l.steps[1].approval);
    CHECK_STR("approval", l.timing.bottleneck);
    activities_render(t->arena, l.at, l.n, &r);
    CHECK(r.open);
    run = run_of(BOUGH_RUN_CANCELLED);
    ask.status = BOUGH_APPROVAL_CANCELLED;
    l = build(&p, &run, &ask, 1);
    CHECK_STR("task_run cancelled \"Backing task\" " RUN "\n"
              "started completed \"Started\" \n"
              "thinking completed \"Agent turn 1\" \n"
              "approval cancelled \"Approval cancelled\" rm -r build\n"
              "tool_call cancelled \"Ran shell\" rm\n"
              "cancelled cancelled \"Cancelled\" \n",
              print(t, l.at, l.n));
    activities_render(t->arena, l.at, l.n, &r);
    CHECK(!r.open);
}

TEST(a_failed_and_an_interrupted_run_say_why)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_FAILED);
    struct bough_entry *e =
        add_message(&p, BOUGH_ROLE_ASSISTANT, "[" BROKEN("c1", "read_file") "]", NULL);
    struct activities l;

    e->error = str_of("{\"name\":\"APIError\",\"data\":{\"message\":\"overloaded\"}}");
    run.error_code = "provider";
    run.error = "the model is overloaded";
    l = build(&p, &run, NULL, 0);
    CHECK_STR("thinking failed \"Agent turn 1\" \n"
              "tool_call failed \"Read file\" \n"
              "failed failed \"Failed\" the model is overloaded\n",
              print(t, l.at + 2, l.n - 2));
    CHECK_STR("overloaded", l.at[2].preview);
    CHECK_STR("no such file", l.at[3].preview);
    run.error_code = "interrupted";
    l = build(&p, &run, NULL, 0);
    CHECK_STR("interrupted failed \"Interrupted\" the model is overloaded\n",
              print(t, l.at + 4, l.n - 4));
}

TEST(a_run_that_was_cancelled_says_by_whom_and_one_of_an_idle_chat_was_interrupted)
{
    struct bough_run_cancel_wish wish = { .by = "owner", .note = "enough" };
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_CANCELLED);
    struct activities l;

    run.cancel = &wish;
    l = build(&p, &run, NULL, 0);
    CHECK_STR("cancelled cancelled \"Cancelled\" enough\n", print(t, l.at + l.n - 1, 1));
    wish.by = ACTIVITY_BY_IDLE;
    l = build(&p, &run, NULL, 0);
    CHECK_STR("interrupted cancelled \"Interrupted\" enough\n", print(t, l.at + l.n - 1, 1));
}

TEST(a_run_without_entries_has_only_its_own_rows)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_QUEUED);
    struct activities l;
    struct activity_rows r;

    run.started = 0;
    l = build(&p, &run, NULL, 0);
    CHECK_STR("task_run queued \"Backing task\" " RUN "\n", print(t, l.at, l.n));
    CHECK_STR("queue", l.timing.bottleneck);
    CHECK_INT(0, l.timing.overhead);
    run.runtime = BOUGH_RUNTIME_MODEL;
    l = build(&p, &run, NULL, 0);
    CHECK_INT(0, l.n);
    activities_render(t->arena, l.at, l.n, &r);
    CHECK_INT(0, r.nmain + r.ndetails);
    CHECK(!r.open);
}

TEST(a_turn_of_an_external_agent_is_one_message_with_many_tools)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_COMPLETED);
    struct bough_entry *e;
    struct activities l;

    run.runtime = BOUGH_RUNTIME_EXTERNAL;
    run.why = BOUGH_RUN_RESUME;
    run.waited_ms = 50;
    e = add_message(&p, BOUGH_ROLE_ASSISTANT,
                    "[{\"type\":\"text\",\"text\":\"I look.\"}," ENDED(
                        "a", "read_file", "1100",
                        "1200") "," ENDED("b", "edit", "1150",
                                          "1250") ","
                                                  "{\"type\":\"text\",\"text\":\"Done.\"}]",
                    NULL);
    e->duration = 900;
    l = build(&p, &run, NULL, 0);
    CHECK_STR("started completed \"Started\" \n"
              "resumed completed \"Resumed\" \n"
              "thinking completed \"Agent turn 1\" \n"
              "output completed \"Output\" I look.\n"
              "tool_call completed \"Read file\" \n"
              "tool_call completed \"Edited file\" \n"
              "final_answer completed \"Final answer\" Done.\n"
              "completed completed \"Completed\" \n",
              print(t, l.at, l.n));
    CHECK_INT(150, l.timing.tool); /* parallel tools count once */
    CHECK_INT(700, l.timing.model);
    CHECK_STR("model", l.timing.bottleneck);
}

TEST(calls_and_results_in_other_shapes_are_one_row)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_RUNNING);
    struct activities l;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"list_dir\","
                "\"input\":{\"path\":\"src\"}},"
                "{\"type\":\"tool_use\",\"id\":\"d\",\"name\":\"git_exec\",\"input\":{}}]",
                NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"a b\"}]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "\"not a repository\"",
                "{\"toolCallId\":\"d\",\"isError\":true}");
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"list_dir\",\"input\":{}}]", NULL);
    l = build(&p, &run, NULL, 0);
    CHECK_STR("thinking completed \"Agent turn 1\" \n"
              "tool_call completed \"Listed files\" src\n"
              "tool_call failed \"Ran git\" \n"
              "thinking completed \"Agent turn 2\" \n"
              "tool_call pending \"Listed files\" \n",
              print(t, l.at + 3, l.n - 3));
    CHECK_STR("not a repository", l.at[5].preview);
    CHECK_INT(3, l.timing.tools);
}

TEST(arguments_in_a_string_are_read_only_if_they_are_json)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_RUNNING);
    struct activities l;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"function\",\"id\":\"a\",\"function\":{\"name\":\"shell_exec\","
                "\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}},"
                "{\"type\":\"function\",\"id\":\"b\",\"function\":{\"name\":\"shell_exec\","
                "\"arguments\":\"{\\\"command\\\":\\\"ls\\\\\"}}]",
                NULL);
    l = build(&p, &run, NULL, 0);
    CHECK_STR("tool_call pending \"Ran shell\" ls\n"
              "tool_call pending \"Ran shell\" \n",
              print(t, l.at + 4, l.n - 4));
}

TEST(rows_with_one_id_are_merged_where_the_first_stands)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_RUNNING);
    struct activities l;

    run.runtime = BOUGH_RUNTIME_EXTERNAL;
    add_entry(&p, "custom",
              "{\"customType\":\"bough.activity\",\"data\":{\"id\":\"plan\",\"type\":\"plan\","
              "\"status\":\"running\",\"title\":\"Plan\",\"detail\":\"1 of 2\"}}");
    add_entry(&p, "custom", "{\"customType\":\"bough.activity\",\"data\":{\"type\":\"odd\"}}");
    add_entry(&p, "custom", "{\"customType\":\"other\",\"data\":{\"type\":\"plan\"}}");
    add_entry(
        &p, "custom",
        "{\"customType\":\"bough.activity\",\"data\":{\"id\":\"plan\",\"detail\":\"2 of 2\"}}");
    l = build(&p, &run, NULL, 0);
    CHECK_STR("plan completed \"Plan\" 2 of 2\n"
              "output completed \"\" \n",
              print(t, l.at + 2, l.n - 2));
    CHECK_INT(p.at[0].time, l.at[2].created);
    CHECK_STR(p.at[1].id, l.at[3].id);
}

TEST(artifacts_belong_to_the_step_before_them)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_RUNNING);
    struct activities l;

    add_message(
        &p, BOUGH_ROLE_TOOL,
        "[" BROKEN("c1",
                   "shell_exec") ",{\"type\":\"file\",\"mime\":\"text/plain\","
                                 "\"url\":\"x:y\",\"data\":{\"artifact\":\"stderr\",\"size\":5000,"
                                 "\"preview\":\"oops\"}},"
                                 "{\"type\":\"file\",\"mime\":\"text/plain\",\"url\":\"x:z\"}]",
        NULL);
    l = build(&p, &run, NULL, 0);
    CHECK_INT(5, l.n);
    CHECK_STR("artifact", activity_type_name(l.at[4].type));
    CHECK_STR("stderr", l.at[4].kind);
    CHECK_STR("oops", l.at[4].preview);
    CHECK_INT(5000, l.at[4].artifact_size);
    CHECK_STR(l.at[3].id, l.at[4].step);
    CHECK_STR("00000000000000000000000001.0001", l.at[4].artifact);
}

TEST(long_texts_are_cut_at_a_character)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_RUNNING);
    struct activities l;
    struct buf b;

    buf_init(&b, 1 << 20);
    buf_puts(&b, "[{\"type\":\"text\",\"text\":\"x");
    for (int i = 0; i < 3000; i++)
        buf_puts(&b, i % 2 ? "\xe2\x82\xac" : "\\u20ac");
    buf_puts(&b, "\"}]");
    add_message(&p, BOUGH_ROLE_ASSISTANT, arena_strdup(t->arena, b.p), NULL);
    buf_finish(&b);
    l = build(&p, &run, NULL, 0);
    CHECK_INT(ACTIVITY_OUTPUT, l.at[l.n - 1].type);
    CHECK_INT(1 + 666 * 3, strlen(l.at[l.n - 1].detail));
    CHECK_INT(1 + 666 * 3, utf8_valid(l.at[l.n - 1].detail, 1 + 666 * 3));
}

TEST(times_from_outside_cannot_make_a_sum_negative)
{
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_COMPLETED);
    struct activities l;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[" ENDED("a", "edit", "1", "9223372036854775807") "," ENDED(
                    "b", "edit", "-9223372036854775808", "5") "," ENDED("c", "edit", "9", "4") "]",
                NULL)
        ->duration = INT64_MAX;
    run.created = 5000; /* the clock went back */
    run.waited_ms = INT64_MIN;
    l = build(&p, &run, NULL, 0);
    CHECK_INT(0, l.timing.total);
    CHECK_INT(0, l.timing.tool);
    CHECK_INT(0, l.timing.overhead);
    CHECK_STR("", l.timing.bottleneck);
}

TEST(ten_thousand_tools_are_ten_thousand_rows)
{
    enum { N = 10000 };
    struct path p = { .t = t };
    struct bough_run run = run_of(BOUGH_RUN_COMPLETED);
    struct bough_part *parts = arena_array(t->arena, N, sizeof *parts);
    struct bough_entry *e = add_message(&p, BOUGH_ROLE_ASSISTANT, NULL, NULL);
    struct activities l;
    struct activity_rows r;

    for (int i = 0; i < N; i++) {
        parts[i].type = BOUGH_PART_TOOL;
        parts[i].json = str_of(arena_printf(
            t->arena,
            "{\"type\":\"tool\",\"callID\":\"c%d\",\"tool\":\"read_file\",\"state\":{\"status\":"
            "\"completed\",\"input\":{\"path\":\"f%d\"},\"output\":\"\",\"title\":\"\","
            "\"metadata\":{},\"time\":{\"start\":%d,\"end\":%d}}}",
            i, i, 2000 + i, 2001 + i));
    }
    e->parts = parts;
    e->nparts = N;
    l = build(&p, &run, NULL, 0);
    CHECK_INT(N + 4, l.n);
    CHECK_INT(N + 1, l.nsteps);
    CHECK_INT(N, l.timing.tool);
    CHECK_STR("00000000000000000000000001.270f", l.steps[N].id);
    CHECK_STR("f9999", l.at[N + 2].detail);
    activities_render(t->arena, l.at, l.n, &r);
    CHECK_INT(N + 3, r.nmain);
}
