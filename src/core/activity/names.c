/* The words for types and states of activities, and for tool calls. Pure. */
#include "core/activity/activity.h"

#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *const types[] = {
    [ACTIVITY_STARTED] = "started",
    [ACTIVITY_RUNNING] = "running",
    [ACTIVITY_MODEL_REQUEST] = "model_request",
    [ACTIVITY_OUTPUT] = "output",
    [ACTIVITY_PLAN] = "plan",
    [ACTIVITY_THINKING] = "thinking",
    [ACTIVITY_TOOL_CALL] = "tool_call",
    [ACTIVITY_APPROVAL] = "approval",
    [ACTIVITY_PATCH] = "patch",
    [ACTIVITY_ARTIFACT] = "artifact",
    [ACTIVITY_CHANGED_FILES] = "changed_files",
    [ACTIVITY_FILES_CHANGED] = "files_changed",
    [ACTIVITY_FILES_REVERTED] = "files_reverted",
    [ACTIVITY_FINAL_ANSWER] = "final_answer",
    [ACTIVITY_TASK_RUN] = "task_run",
    [ACTIVITY_RUN_RESULT] = "run_result",
    [ACTIVITY_RESUMED] = "resumed",
    [ACTIVITY_RECOVERED] = "recovered",
    [ACTIVITY_INTERRUPTED] = "interrupted",
    [ACTIVITY_COMPLETED] = "completed",
    [ACTIVITY_FAILED] = "failed",
    [ACTIVITY_CANCELLED] = "cancelled",
};

static const char *const statuses[] = {
    [ACTIVITY_IS_QUEUED] = "queued",       [ACTIVITY_IS_PENDING] = "pending",
    [ACTIVITY_IS_RUNNING] = "running",     [ACTIVITY_IS_AWAITING_APPROVAL] = "awaiting_approval",
    [ACTIVITY_IS_COMPLETED] = "completed", [ACTIVITY_IS_FAILED] = "failed",
    [ACTIVITY_IS_CANCELLED] = "cancelled", [ACTIVITY_IS_APPROVED] = "approved",
    [ACTIVITY_IS_REJECTED] = "rejected",   [ACTIVITY_IS_TIMED_OUT] = "timed_out",
};

#define COUNT(words) (sizeof(words) / sizeof *(words))

const char *activity_type_name(enum activity_type type)
{
    return (size_t)type < COUNT(types) ? types[type] : "unknown";
}

const char *activity_status_name(enum activity_status status)
{
    return (size_t)status < COUNT(statuses) ? statuses[status] : "unknown";
}

bool activity_type_parse(const char *name, enum activity_type *out)
{
    for (size_t i = 0; name && i < COUNT(types); i++)
        if (strcmp(types[i], name) == 0) {
            *out = (enum activity_type)i;
            return true;
        }
    return false;
}

bool activity_status_parse(const char *name, enum activity_status *out)
{
    for (size_t i = 0; name && i < COUNT(statuses); i++)
        if (strcmp(statuses[i], name) == 0) {
            *out = (enum activity_status)i;
            return true;
        }
    return false;
}

bool activity_is_active(enum activity_status status)
{
    return status == ACTIVITY_IS_QUEUED || status == ACTIVITY_IS_PENDING ||
           status == ACTIVITY_IS_RUNNING || status == ACTIVITY_IS_AWAITING_APPROVAL;
}

const char *activity_tool_label(struct bough_arena *a, const char *tool)
{
    static const struct {
        const char *tool, *label;
    } rows[] = {
        { "read_file", "Read file" },     { "list_dir", "Listed files" },
        { "file_write", "Edited file" },  { "file_edit", "Edited file" },
        { "write_file", "Edited file" },  { "edit_file", "Edited file" },
        { "write", "Edited file" },       { "edit", "Edited file" },
        { "apply_patch", "Edited file" },
    };
    static const char exec[] = "_exec";
    size_t n = strlen(tool), tail = sizeof exec - 1;

    if (str_starts(str_of(tool), "mcp__"))
        return tool;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].tool, tool) == 0)
            return rows[i].label;
    if (n > tail && str_ends(str_make(tool, n), exec))
        return arena_printf(a, "Ran %.*s", (int)(n - tail), tool);
    return n ? tool : "Tool";
}
