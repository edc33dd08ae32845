/* Activities as people see them: order, main rows and details (C23). Pure. */
#include "core/activity/activity.h"

#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"

enum place { PLACE_MAIN, PLACE_DETAILS, PLACE_HIDDEN };

enum phase {
    PHASE_STARTED,
    PHASE_RUNNING,
    PHASE_TASK_RUN,
    PHASE_PLAN,
    PHASE_THINKING,
    PHASE_APPROVAL,
    PHASE_TOOL,
    PHASE_FILES,
    PHASE_OTHER,
    PHASE_TERMINAL,
};

static enum phase phase_of(enum activity_type type)
{
    switch (type) {
    case ACTIVITY_STARTED:
        return PHASE_STARTED;
    case ACTIVITY_RUNNING:
        return PHASE_RUNNING;
    case ACTIVITY_TASK_RUN:
        return PHASE_TASK_RUN;
    case ACTIVITY_PLAN:
        return PHASE_PLAN;
    case ACTIVITY_THINKING:
    case ACTIVITY_MODEL_REQUEST:
        return PHASE_THINKING;
    case ACTIVITY_APPROVAL:
        return PHASE_APPROVAL;
    case ACTIVITY_TOOL_CALL:
        return PHASE_TOOL;
    case ACTIVITY_PATCH:
    case ACTIVITY_CHANGED_FILES:
    case ACTIVITY_FILES_CHANGED:
    case ACTIVITY_FILES_REVERTED:
        return PHASE_FILES;
    case ACTIVITY_RUN_RESULT:
    case ACTIVITY_INTERRUPTED:
    case ACTIVITY_COMPLETED:
    case ACTIVITY_FAILED:
    case ACTIVITY_CANCELLED:
        return PHASE_TERMINAL;
    case ACTIVITY_OUTPUT:
    case ACTIVITY_ARTIFACT:
    case ACTIVITY_FINAL_ANSWER:
    case ACTIVITY_RESUMED:
    case ACTIVITY_RECOVERED:
        break;
    }
    return PHASE_OTHER;
}

/* Does the row say that the run has ended? A run_result row is only a summary. */
static bool is_terminal(enum activity_type type)
{
    return phase_of(type) == PHASE_TERMINAL && type != ACTIVITY_RUN_RESULT;
}

static bool is_turn(const struct activity *x)
{
    return phase_of(x->type) == PHASE_THINKING;
}

/* Rows to sort point into one array, so that their addresses are the order as given. */
static int in_order(const void *x, const void *y)
{
    const struct activity *a = *(const struct activity *const *)x;
    const struct activity *b = *(const struct activity *const *)y;
    int pa = phase_of(a->type), pb = phase_of(b->type);

    if (a->created != b->created) {
        if (!a->created || !b->created)
            return a->created ? -1 : 1;
        return a->created < b->created ? -1 : 1;
    }
    return pa != pb ? pa - pb : (a > b) - (a < b);
}

static const struct activity **sorted(struct bough_arena *a, const struct activity *at, size_t n)
{
    const struct activity **rows = arena_array(a, n + 1, sizeof *rows);
    bool ordered = true;

    for (size_t i = 0; i < n; i++) {
        rows[i] = &at[i];
        ordered = ordered && (!i || in_order(&rows[i - 1], &rows[i]) < 0);
    }
    if (!ordered)
        qsort(rows, n, sizeof *rows, in_order);
    return rows;
}

/* What the whole list says about single rows. */
struct survey {
    bool terminal;
    size_t last_task;
    struct smap last_approval; /* id of an approval to its last row */
    size_t turns;
    enum activity_status turn; /* of all turns together */
};

/* Failed before cancelled before running before completed. */
static int weight(enum activity_status status)
{
    if (status == ACTIVITY_IS_FAILED)
        return 3;
    if (status == ACTIVITY_IS_CANCELLED)
        return 2;
    return activity_is_active(status);
}

static void survey(struct survey *s, const struct activity *const *rows, size_t n)
{
    *s = (struct survey){ .turn = ACTIVITY_IS_COMPLETED };
    smap_init(&s->last_approval);
    for (size_t i = 0; i < n; i++) {
        const struct activity *x = rows[i];

        s->terminal = s->terminal || is_terminal(x->type);
        if (x->type == ACTIVITY_TASK_RUN)
            s->last_task = i;
        if (x->type == ACTIVITY_APPROVAL && *x->approval)
            smap_put(&s->last_approval, str_of(x->approval), i);
        if (is_turn(x)) {
            s->turns++;
            if (weight(x->status) > weight(s->turn))
                s->turn = activity_is_active(x->status) ? ACTIVITY_IS_RUNNING : x->status;
        }
    }
}

static bool is_summary(const struct activity *x)
{
    static const char *const titles[] = { "Run completed", "Run failed", "Run cancelled", NULL };

    return x->type == ACTIVITY_RUN_RESULT && str_among(str_of(x->title), titles);
}

static enum place place_of(const struct survey *s, const struct activity *x, size_t i)
{
    uint64_t last;

    switch (x->type) {
    case ACTIVITY_ARTIFACT:
    case ACTIVITY_CHANGED_FILES:
    case ACTIVITY_FINAL_ANSWER:
    case ACTIVITY_OUTPUT:
        return PLACE_DETAILS;
    case ACTIVITY_STARTED:
    case ACTIVITY_RUNNING:
        return s->terminal ? PLACE_HIDDEN : PLACE_MAIN;
    case ACTIVITY_TASK_RUN:
        return i == s->last_task ? PLACE_MAIN : PLACE_HIDDEN;
    case ACTIVITY_APPROVAL:
        return smap_get(&s->last_approval, str_of(x->approval), &last) && last != i ? PLACE_HIDDEN
                                                                                    : PLACE_MAIN;
    default:
        return is_summary(x) ? PLACE_HIDDEN : PLACE_MAIN;
    }
}

void activities_render(struct bough_arena *a, const struct activity *at, size_t n,
                       struct activity_rows *out)
{
    const struct activity **rows = sorted(a, at, n);
    bool thinking = false;
    struct survey s;

    *out = (struct activity_rows){ .main = arena_alloc(a, (n + 1) * sizeof *out->main),
                                   .details = arena_alloc(a, (n + 1) * sizeof *out->details) };
    survey(&s, rows, n);
    for (size_t i = 0; i < n; i++) {
        const struct activity *x = rows[i];
        enum place place = place_of(&s, x, i);

        out->open = out->open || activity_is_active(x->status);
        if (place == PLACE_DETAILS)
            out->details[out->ndetails++] = *x;
        if (place != PLACE_MAIN || (is_turn(x) && thinking))
            continue;
        out->main[out->nmain++] = *x;
        if (is_turn(x) && s.turns > 1) {
            struct activity *row = &out->main[out->nmain - 1];

            thinking = true;
            row->title = "Thinking";
            row->status = s.turn;
            row->detail = arena_printf(a, "%zu turns", s.turns);
        }
    }
    smap_finish(&s.last_approval);
}
