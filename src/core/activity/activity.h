/*
 * Activities: what a run did, as rows for people. The page, the API and the command line show the
 * same rows, because all of them are made here. Computed from the run, its entries and its
 * approvals; never stored. Pure: no clock, no store.
 *
 * Text of models, tools and agents is data. It is cut at a character to ACTIVITY_TEXT bytes and is
 * never interpreted; a NUL becomes a space. Callers escape it for their output.
 */
#ifndef CORE_ACTIVITY_ACTIVITY_H
#define CORE_ACTIVITY_ACTIVITY_H

#include <bough/approval.h>

enum {
    ACTIVITY_TEXT = 2000, /* most bytes of kind, title, detail and preview */
};

enum activity_type {
    ACTIVITY_STARTED,
    ACTIVITY_RUNNING,
    ACTIVITY_MODEL_REQUEST,
    ACTIVITY_OUTPUT,
    ACTIVITY_PLAN,
    ACTIVITY_THINKING,
    ACTIVITY_TOOL_CALL,
    ACTIVITY_APPROVAL,
    ACTIVITY_PATCH,
    ACTIVITY_ARTIFACT,
    ACTIVITY_CHANGED_FILES,
    ACTIVITY_FILES_CHANGED,
    ACTIVITY_FILES_REVERTED,
    ACTIVITY_FINAL_ANSWER,
    ACTIVITY_TASK_RUN,
    ACTIVITY_RUN_RESULT,
    ACTIVITY_RESUMED,
    ACTIVITY_RECOVERED,
    ACTIVITY_INTERRUPTED,
    ACTIVITY_COMPLETED,
    ACTIVITY_FAILED,
    ACTIVITY_CANCELLED,
    ACTIVITY_TYPE_LAST = ACTIVITY_CANCELLED,
};

enum activity_status {
    ACTIVITY_IS_QUEUED,
    ACTIVITY_IS_PENDING,
    ACTIVITY_IS_RUNNING,
    ACTIVITY_IS_AWAITING_APPROVAL,
    ACTIVITY_IS_COMPLETED,
    ACTIVITY_IS_FAILED,
    ACTIVITY_IS_CANCELLED,
    ACTIVITY_IS_APPROVED,
    ACTIVITY_IS_REJECTED,
    ACTIVITY_IS_TIMED_OUT,
    ACTIVITY_STATUS_LAST = ACTIVITY_IS_TIMED_OUT,
};

/* The words: "tool_call", "awaiting_approval"; "unknown" for other numbers. */
const char *activity_type_name(enum activity_type type);
const char *activity_status_name(enum activity_status status);
/* The value with this name; false: there is none, and *out is unchanged. NULL has none. */
bool activity_type_parse(const char *name, enum activity_type *out);
bool activity_status_parse(const char *name, enum activity_status *out);

/* Queued, pending, running or awaiting approval? */
bool activity_is_active(enum activity_status status);

/* One row. Text that is not set is "". */
struct activity {
    const char *id; /* unique in the list, and the same each time the list is computed */
    enum activity_type type;
    enum activity_status status;
    const char *kind;   /* of a tool call or an approval: the tool; of a turn: the model; of a task:
                           its runtime; of an artifact: "stdout", "diff", ... */
    const char *title;  /* for people */
    const char *detail; /* what it was about: a command, a path, a text */
    int64_t created;    /* time; 0: not known */
    const char *artifact;  /* id of the part that names the attachment */
    int64_t artifact_size; /* bytes; 0: not known */
    const char *preview;   /* beginning of an artifact, or of the error of a row that failed */
    const char *approval;  /* id, of an approval and of the tool call that it is about */
    const char *step;      /* id of the step it belongs to, see struct activity_step */
    bool needs_action;     /* a person must answer: a pending approval of a live run */
};

/* One model call or tool call of a run. */
struct activity_step {
    size_t number;  /* counted from 1 */
    bool tool;      /* a tool call; else a model call */
    size_t turn;    /* number of the model call that it is or that asked for it; 0: none is known */
    const char *id; /* of the entry of a model call; of the first part that mentions a tool call */
    const char *name; /* of the model or of the tool */
    enum activity_status status;
    const char *approval; /* id, or "" */
    int64_t started, ms;  /* ms 0: not known */
    size_t activity;      /* index of its row */
};

/*
 * Where the time of a run went, in milliseconds; none is below 0. `total` ends now in a live run.
 * `tool` counts the time in which any tool ran: tools that run in parallel count once. `model` is
 * the time of the calls; the turn of an external agent tells none, so there it is the time of the
 * turn without tools and approvals. `overhead` is the rest of the total.
 */
struct activity_timing {
    int64_t total, queue, model, tool, approval_wait, overhead;
    size_t turns, tools;    /* as counted here, or as the run reports, whichever is more */
    const char *bottleneck; /* "model", "tools", "approval", "queue" or "overhead": the largest, of
                               equal ones the first in this order; "" when all are 0 */
    int64_t bottleneck_ms;
};

struct activities {
    struct activity *at; /* in order of first appearance */
    size_t n;
    struct activity_step *steps;
    size_t nsteps;
    struct activity_timing timing;
};

struct activity_input {
    const struct bough_run *run;
    const struct bough_entry *entries; /* of the run, in path order; the prompt may be among them */
    size_t n;
    const struct bough_call *calls; /* of the entries; calls of other entries are ignored */
    size_t ncalls;
    const struct bough_approval *approvals; /* of the run, in any order */
    size_t napprovals;
    int64_t now; /* for a live run; 0: the time of its last change */
};

/*
 * The activities, steps and timing of a run, in `a`; they may point into the input. One pass over
 * the entries. Deleted entries are left out. Rows:
 *
 * - task_run "Backing task" (of the loop only), started, resumed, and running while the run lives.
 * - A message of the model: thinking, "Agent turn N". Its detail is the beginning of its reasoning.
 * - A text: output. The last text of a completed run, if no tool call follows it: final_answer.
 * - A tool call: tool_call, see activity_tool_label(). Call and result in several parts are one
 *   row: parts are matched by call id. A call that repeats the id of a call that has ended is
 *   another row. A call without an end in a run that has ended was cancelled, or failed if the run
 *   did.
 * - An approval: approval, before the row of its tool call.
 * - A file part with {"data":{"artifact":KIND,"size":N,"preview":TEXT}}: artifact. A patch part:
 *   files_changed.
 * - A custom entry of customType ACTIVITY_NOTE: any row that a runner wants to tell. Its `data` has
 *   id, type, status, kind, title and detail, all optional: the id of the entry, "output" (also for
 *   an unknown type), "completed".
 * - The end: completed, failed or cancelled; interrupted instead of failed for the error code
 *   "interrupted", and instead of cancelled for a run that ACTIVITY_BY_IDLE has cancelled.
 *
 * A row whose id is there already is merged into it: it keeps its position, type and creation time,
 * takes the new status, and texts that the new row has.
 */
#define ACTIVITY_NOTE "bough.activity"
/* The principal that cancels a run in whose session nothing happens: its end is `interrupted`. */
#define ACTIVITY_BY_IDLE "idle"
void activities_build(struct bough_arena *a, const struct activity_input *in,
                      struct activities *out);

/*
 * What a tool call is called: "Ran shell" for shell_exec, "Ran X" for any X_exec, "Read file",
 * "Listed files", "Edited file"; else the name itself. Tools of MCP servers keep their names: such
 * a name promises nothing.
 */
const char *activity_tool_label(struct bough_arena *a, const char *tool);

/* ---- rendering: render.c (C23) ---- */

struct activity_rows {
    struct activity *main; /* copies, in order */
    size_t nmain;
    struct activity *details; /* lower-level rows, in order: closed in a transcript */
    size_t ndetails;
    bool open; /* a row is active: the list opens by itself */
};

/*
 * Arrange activities, of one run or of several one behind the other, for people:
 *
 * - Order: by creation time, unknown ones last; then by phase (started, running, task run, plan,
 *   thinking, approval, tool, files, other, terminal); then as given.
 * - Details: artifact, changed_files, final_answer, output. The answer itself is in the transcript.
 * - In neither list: run_result rows titled "Run completed", "Run failed" or "Run cancelled";
 *   started and running once a terminal row is there; all task_run rows but the last; all approval
 *   rows with one approval id but the last. "Last" is meant in this order.
 * - Two or more model turns (thinking and model_request) become one row "Thinking" at the place of
 *   the first, with its id. One that failed makes it failed, then cancelled, then running, then
 *   completed. Its detail is "N turns".
 */
void activities_render(struct bough_arena *a, const struct activity *at, size_t n,
                       struct activity_rows *out);

#endif
