/* How activities are arranged for people: the 18 cases of C23. */
#include "core/activity/activity.h"

#include "base/memory/arena.h"
#include "lib/test.h"

static struct activity row(enum activity_type type, enum activity_status status, int64_t created)
{
    return (struct activity){ .id = "",
                              .type = type,
                              .status = status,
                              .kind = "",
                              .title = activity_type_name(type),
                              .detail = "",
                              .created = created,
                              .artifact = "",
                              .preview = "",
                              .approval = "",
                              .step = "" };
}

#define DONE ACTIVITY_IS_COMPLETED
#define CHECK_ROWS(want_main, want_details, ...)                                                   \
    do {                                                                                           \
        struct activity rows_[] = { __VA_ARGS__ };                                                 \
        struct activity_rows r_;                                                                   \
        activities_render(t->arena, rows_, sizeof rows_ / sizeof *rows_, &r_);                     \
        CHECK_STR(want_main, titles(t, r_.main, r_.nmain));                                        \
        CHECK_STR(want_details, titles(t, r_.details, r_.ndetails));                               \
    } while (0)

static const char *titles(struct test *t, const struct activity *at, size_t n)
{
    char *s = arena_strdup(t->arena, "");

    for (size_t i = 0; i < n; i++)
        s = arena_printf(t->arena, "%s%s%s", s, i ? " " : "", at[i].title);
    return s;
}

static struct activity titled(struct activity x, const char *title)
{
    x.title = title;
    return x;
}

static struct activity about(struct activity x, const char *approval, const char *title)
{
    x.approval = approval;
    x.title = title;
    return x;
}

TEST(C23_01_rows_are_in_order_of_their_creation)
{
    CHECK_ROWS("plan tool_call completed", "", row(ACTIVITY_COMPLETED, DONE, 9),
               row(ACTIVITY_TOOL_CALL, DONE, 5), row(ACTIVITY_PLAN, DONE, 2));
}

TEST(C23_02_rows_without_a_time_come_last)
{
    CHECK_ROWS("tool_call completed plan", "", row(ACTIVITY_PLAN, DONE, 0),
               row(ACTIVITY_COMPLETED, DONE, 9), row(ACTIVITY_TOOL_CALL, DONE, 5));
}

TEST(C23_03_rows_of_one_moment_are_in_order_of_their_phase)
{
    enum activity_status now = ACTIVITY_IS_RUNNING;

    CHECK_ROWS("started running task_run plan thinking approval tool_call files_changed recovered",
               "", row(ACTIVITY_RECOVERED, now, 5), row(ACTIVITY_FILES_CHANGED, now, 5),
               row(ACTIVITY_TOOL_CALL, now, 5), row(ACTIVITY_APPROVAL, now, 5),
               row(ACTIVITY_THINKING, now, 5), row(ACTIVITY_PLAN, now, 5),
               row(ACTIVITY_TASK_RUN, now, 5), row(ACTIVITY_RUNNING, now, 5),
               row(ACTIVITY_STARTED, now, 5));
    CHECK_ROWS("tool_call recovered failed", "", row(ACTIVITY_FAILED, now, 5),
               row(ACTIVITY_RECOVERED, now, 5), row(ACTIVITY_TOOL_CALL, now, 5));
}

TEST(C23_04_rows_of_one_moment_and_phase_stay_as_they_came)
{
    CHECK_ROWS("b a c", "", titled(row(ACTIVITY_TOOL_CALL, DONE, 5), "b"),
               titled(row(ACTIVITY_TOOL_CALL, DONE, 5), "a"),
               titled(row(ACTIVITY_TOOL_CALL, DONE, 5), "c"));
}

TEST(C23_05_artifacts_are_details)
{
    CHECK_ROWS("tool_call", "artifact", row(ACTIVITY_TOOL_CALL, DONE, 1),
               row(ACTIVITY_ARTIFACT, DONE, 2));
}

TEST(C23_06_lists_of_changed_files_are_details)
{
    CHECK_ROWS("files_changed", "changed_files", row(ACTIVITY_CHANGED_FILES, DONE, 1),
               row(ACTIVITY_FILES_CHANGED, DONE, 1));
}

TEST(C23_07_the_final_answer_is_a_detail)
{
    CHECK_ROWS("completed", "final_answer", row(ACTIVITY_FINAL_ANSWER, DONE, 1),
               row(ACTIVITY_COMPLETED, DONE, 1));
}

TEST(C23_08_output_is_a_detail)
{
    CHECK_ROWS("", "output output", row(ACTIVITY_OUTPUT, DONE, 1), row(ACTIVITY_OUTPUT, DONE, 1));
}

TEST(C23_09_summaries_of_a_run_are_hidden)
{
    CHECK_ROWS("run_result completed", "",
               titled(row(ACTIVITY_RUN_RESULT, DONE, 1), "Run completed"),
               titled(row(ACTIVITY_RUN_RESULT, DONE, 1), "Run failed"),
               titled(row(ACTIVITY_RUN_RESULT, DONE, 1), "Run cancelled"),
               row(ACTIVITY_RUN_RESULT, DONE, 1), row(ACTIVITY_COMPLETED, DONE, 1));
}

TEST(C23_10_started_and_running_are_hidden_once_the_run_has_ended)
{
    enum activity_type ends[] = { ACTIVITY_COMPLETED, ACTIVITY_FAILED, ACTIVITY_CANCELLED,
                                  ACTIVITY_INTERRUPTED };

    CHECK_ROWS("started running", "", row(ACTIVITY_STARTED, DONE, 1),
               row(ACTIVITY_RUNNING, ACTIVITY_IS_RUNNING, 1));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        CHECK_ROWS(activity_type_name(ends[i]), "", row(ACTIVITY_STARTED, DONE, 1),
                   row(ACTIVITY_RUNNING, ACTIVITY_IS_RUNNING, 1), row(ends[i], DONE, 2));
}

TEST(C23_11_only_the_last_row_of_the_task_is_shown)
{
    CHECK_ROWS("second", "", titled(row(ACTIVITY_TASK_RUN, DONE, 7), "second"),
               titled(row(ACTIVITY_TASK_RUN, DONE, 1), "first"));
}

TEST(C23_12_only_the_last_row_of_an_approval_is_shown)
{
    CHECK_ROWS("asked-b approved-a", "", about(row(ACTIVITY_APPROVAL, DONE, 1), "a", "asked-a"),
               about(row(ACTIVITY_APPROVAL, DONE, 2), "b", "asked-b"),
               about(row(ACTIVITY_APPROVAL, DONE, 3), "a", "approved-a"));
    CHECK_ROWS("one two", "", about(row(ACTIVITY_APPROVAL, DONE, 1), "", "one"),
               about(row(ACTIVITY_APPROVAL, DONE, 2), "", "two"));
}

TEST(C23_13_two_model_turns_become_one_row)
{
    struct activity rows[] = { row(ACTIVITY_THINKING, DONE, 1), row(ACTIVITY_TOOL_CALL, DONE, 2),
                               row(ACTIVITY_THINKING, DONE, 3) };
    struct activity_rows r;

    activities_render(t->arena, rows, 3, &r);
    CHECK_STR("Thinking tool_call", titles(t, r.main, r.nmain));
    CHECK_STR("2 turns", r.main[0].detail);
    CHECK_STR("completed", activity_status_name(r.main[0].status));
    CHECK_INT(1, r.main[0].created);
    CHECK_ROWS("thinking", "", row(ACTIVITY_THINKING, DONE, 1));
}

TEST(C23_14_the_worst_turn_gives_the_row_its_status)
{
    static const enum activity_status cases[][3] = {
        { DONE, DONE, DONE },
        { DONE, ACTIVITY_IS_RUNNING, ACTIVITY_IS_RUNNING },
        { ACTIVITY_IS_PENDING, DONE, ACTIVITY_IS_RUNNING },
        { ACTIVITY_IS_RUNNING, ACTIVITY_IS_CANCELLED, ACTIVITY_IS_CANCELLED },
        { ACTIVITY_IS_FAILED, ACTIVITY_IS_CANCELLED, ACTIVITY_IS_FAILED },
        { ACTIVITY_IS_CANCELLED, ACTIVITY_IS_FAILED, ACTIVITY_IS_FAILED },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct activity rows[] = { row(ACTIVITY_THINKING, cases[i][0], 1),
                                   row(ACTIVITY_MODEL_REQUEST, cases[i][1], 2) };
        struct activity_rows r;

        activities_render(t->arena, rows, 2, &r);
        CHECK_INT(1, r.nmain);
        CHECK_STR(activity_status_name(cases[i][2]), activity_status_name(r.main[0].status));
    }
}

TEST(C23_15_commands_are_labelled_by_what_ran)
{
    CHECK_STR("Ran shell", activity_tool_label(t->arena, "shell_exec"));
    CHECK_STR("Ran git", activity_tool_label(t->arena, "git_exec"));
    CHECK_STR("Ran python", activity_tool_label(t->arena, "python_exec"));
    CHECK_STR("_exec", activity_tool_label(t->arena, "_exec"));
}

TEST(C23_16_reading_has_its_labels)
{
    CHECK_STR("Read file", activity_tool_label(t->arena, "read_file"));
    CHECK_STR("Listed files", activity_tool_label(t->arena, "list_dir"));
}

TEST(C23_17_editing_has_one_label_and_other_tools_keep_their_names)
{
    static const char *const edits[] = { "file_write", "file_edit", "write", "edit",
                                         "apply_patch" };

    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        CHECK_STR("Edited file", activity_tool_label(t->arena, edits[i]));
    CHECK_STR("http_request", activity_tool_label(t->arena, "http_request"));
    CHECK_STR("mcp__x__read_exec", activity_tool_label(t->arena, "mcp__x__read_exec"));
    CHECK_STR("Tool", activity_tool_label(t->arena, ""));
}

TEST(C23_18_the_list_is_open_while_anything_is_active)
{
    for (int s = 0; s <= ACTIVITY_STATUS_LAST; s++) {
        struct activity rows[] = { row(ACTIVITY_TOOL_CALL, DONE, 1),
                                   row(ACTIVITY_OUTPUT, (enum activity_status)s, 1) };
        struct activity_rows r;

        activities_render(t->arena, rows, 2, &r);
        CHECK_INT(s <= ACTIVITY_IS_AWAITING_APPROVAL, r.open);
    }
}
