/* The list of activities: adding and merging rows, and the rows of the run itself. Pure. */
#include "core/activity/inside.h"

#include "base/memory/arena.h"

void rows_init(struct row_list *b, struct bough_arena *a, struct activities *out)
{
    *b = (struct row_list){ .a = a, .out = out };
    *out = (struct activities){ 0 };
    smap_init(&b->ids);
}

void rows_finish(struct row_list *b)
{
    smap_finish(&b->ids);
}

static const struct activity blank = { .id = "",
                                       .kind = "",
                                       .title = "",
                                       .detail = "",
                                       .artifact = "",
                                       .preview = "",
                                       .approval = "",
                                       .step = "" };

static void take(const char **into, const char *text)
{
    if (!cstr_empty(text))
        *into = text;
}

static void merge(struct activity *into, const struct activity *row)
{
    into->status = row->status;
    into->needs_action = row->needs_action;
    into->created = into->created ? into->created : row->created;
    into->artifact_size = row->artifact_size ? row->artifact_size : into->artifact_size;
    take(&into->kind, row->kind);
    take(&into->title, row->title);
    take(&into->detail, row->detail);
    take(&into->artifact, row->artifact);
    take(&into->preview, row->preview);
    take(&into->approval, row->approval);
    take(&into->step, row->step);
}

void rows_know_ids(struct row_list *b)
{
    if (b->ids_known)
        return;
    b->ids_known = true;
    for (size_t i = 0; i < b->out->n; i++)
        smap_put(&b->ids, str_of(b->out->at[i].id), i);
}

size_t rows_put(struct row_list *b, const struct activity *row)
{
    struct activities *l = b->out;
    uint64_t at;

    if (b->ids_known && smap_get(&b->ids, str_of(row->id), &at)) {
        merge(&l->at[at], row);
        return at;
    }
    l->at = arena_room(b->a, l->at, l->n, sizeof *l->at);
    l->at[l->n] = blank;
    l->at[l->n].id = row->id;
    l->at[l->n].type = row->type;
    merge(&l->at[l->n], row);
    if (b->ids_known)
        smap_put(&b->ids, str_of(row->id), l->n);
    return l->n++;
}

/* ---- of the run itself ---- */

static enum activity_status status_of_run(enum bough_run_status status)
{
    switch (status) {
    case BOUGH_RUN_QUEUED:
        return ACTIVITY_IS_QUEUED;
    case BOUGH_RUN_RUNNING:
        return ACTIVITY_IS_RUNNING;
    case BOUGH_RUN_AWAITING_APPROVAL:
        return ACTIVITY_IS_AWAITING_APPROVAL;
    case BOUGH_RUN_COMPLETED:
        return ACTIVITY_IS_COMPLETED;
    case BOUGH_RUN_FAILED:
        return ACTIVITY_IS_FAILED;
    case BOUGH_RUN_CANCELLED:
        break;
    }
    return ACTIVITY_IS_CANCELLED;
}

static void put_of_run(struct row_list *b, const struct bough_run *run, enum activity_type type,
                       struct activity row)
{
    row.type = type;
    row.id = arena_printf(b->a, "%s.%s", run->id, activity_type_name(type));
    row.created = fact_time(row.created);
    rows_put(b, &row);
}

void rows_of_start(struct row_list *b, const struct bough_run *run)
{
    enum activity_status now = status_of_run(run->status);

    if (run->runtime == BOUGH_RUNTIME_AGENT)
        put_of_run(b, run, ACTIVITY_TASK_RUN,
                   (struct activity){ .title = "Backing task",
                                      .status = now,
                                      .kind = bough_run_runtime_name(run->runtime),
                                      .detail = run->task,
                                      .created = run->created });
    if (run->started)
        put_of_run(b, run, ACTIVITY_STARTED,
                   (struct activity){ .title = "Started",
                                      .status = ACTIVITY_IS_COMPLETED,
                                      .created = run->started });
    if (run->started && run->why == BOUGH_RUN_RESUME)
        put_of_run(b, run, ACTIVITY_RESUMED,
                   (struct activity){ .title = "Resumed",
                                      .status = ACTIVITY_IS_COMPLETED,
                                      .detail = run->after,
                                      .created = run->started });
    if (run->started && !bough_run_ended(run->status))
        put_of_run(b, run, ACTIVITY_RUNNING,
                   (struct activity){ .title = "Running", .status = now, .created = run->started });
}

/* Did the run end because its server died, or because its approval was never answered? */
static bool is_interrupted(const struct bough_run *run)
{
    if (run->status == BOUGH_RUN_CANCELLED)
        return run->cancel && cstr_eq(run->cancel->by, ACTIVITY_BY_IDLE);
    return run->status == BOUGH_RUN_FAILED && cstr_eq(run->error_code, "interrupted");
}

void rows_of_end(struct row_list *b, const struct bough_run *run)
{
    struct activity row = { .status = status_of_run(run->status), .created = run->ended };
    enum activity_type type = ACTIVITY_COMPLETED;

    if (!bough_run_ended(run->status))
        return;
    row.title = "Completed";
    if (is_interrupted(run)) {
        type = ACTIVITY_INTERRUPTED;
        row.title = "Interrupted";
    } else if (run->status == BOUGH_RUN_FAILED) {
        type = ACTIVITY_FAILED;
        row.title = "Failed";
    } else if (run->status == BOUGH_RUN_CANCELLED) {
        type = ACTIVITY_CANCELLED;
        row.title = "Cancelled";
    }
    row.kind = run->error_code;
    row.detail = fact_cut(b->a, run->error);
    if (cstr_empty(row.detail) && run->cancel)
        row.detail = fact_cut(b->a, run->cancel->note);
    put_of_run(b, run, type, row);
}
