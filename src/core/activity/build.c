/* The activities and steps of a run, in one pass over its entries. Pure. */
#include "core/activity/inside.h"

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "core/part/part.h"
#include "core/part/view.h"

#define NO_ROW SIZE_MAX

struct builder {
    struct bough_arena *a;
    const struct activity_input *in;
    struct activities *out;
    struct row_list rows;
    struct clock_sum clock;
    struct smap calls;     /* id of a tool call to its step */
    struct smap call_rows; /* id of a model call to its index in the input */
    struct smap asked;     /* id of a part to its first approval */
    size_t *same_part;     /* of each approval: the next one about the same part */
    bool *shown;           /* of each approval */
    int64_t time;          /* of the part before, in this entry */
    const char *step;      /* id of the step that the next rows belong to */
    size_t last_text;      /* row of the last text, NO_ROW once a tool call followed */
};

/* ---- steps ---- */

static struct activity_step *add_step(struct builder *b, size_t row)
{
    struct activities *l = b->out;
    struct activity_step *s;

    l->steps = arena_room(b->a, l->steps, l->nsteps, sizeof *l->steps);
    s = &l->steps[l->nsteps++];
    *s = (struct activity_step){ .number = l->nsteps,
                                 .turn = b->clock.turns,
                                 .id = l->at[row].id,
                                 .name = l->at[row].kind,
                                 .status = l->at[row].status,
                                 .approval = "",
                                 .started = l->at[row].created,
                                 .activity = row };
    l->at[row].step = s->id;
    b->step = s->id;
    return s;
}

/* ---- approvals ---- */

static void know_approvals(struct builder *b)
{
    const struct activity_input *in = b->in;

    b->same_part = arena_array(b->a, in->napprovals + 1, sizeof *b->same_part);
    b->shown = arena_array(b->a, in->napprovals + 1, sizeof *b->shown);
    for (size_t i = 0; i < in->napprovals; i++) {
        const struct bough_approval *p = &in->approvals[i];
        const char *id = fact_part_id(b->a, p->entry, (size_t)p->part);
        uint64_t next = NO_ROW;

        (void)smap_get(&b->asked, str_of(id), &next);
        b->same_part[i] = (size_t)next;
        smap_put(&b->asked, str_of(id), i);
    }
}

static enum activity_status status_of_approval(enum bough_approval_status status,
                                               const char **title)
{
    switch (status) {
    case BOUGH_APPROVAL_PENDING:
        *title = "Approval requested";
        return ACTIVITY_IS_PENDING;
    case BOUGH_APPROVAL_APPROVED:
        *title = "Approved";
        return ACTIVITY_IS_APPROVED;
    case BOUGH_APPROVAL_REJECTED:
        *title = "Rejected";
        return ACTIVITY_IS_REJECTED;
    case BOUGH_APPROVAL_TIMED_OUT:
        *title = "Approval timed out";
        return ACTIVITY_IS_TIMED_OUT;
    case BOUGH_APPROVAL_CANCELLED:
        break;
    }
    *title = "Approval cancelled";
    return ACTIVITY_IS_CANCELLED;
}

static void add_approval(struct builder *b, size_t i, const char *step)
{
    const struct bough_approval *p = &b->in->approvals[i];
    struct activity row = { .id = p->id,
                            .type = ACTIVITY_APPROVAL,
                            .kind = fact_cut(b->a, p->tool),
                            .detail = fact_cut(b->a, p->title),
                            .preview = fact_cut(b->a, p->note),
                            .created = fact_time(p->created),
                            .approval = p->id,
                            .step = step };

    row.status = status_of_approval(p->status, &row.title);
    row.needs_action = p->status == BOUGH_APPROVAL_PENDING && !bough_run_ended(b->in->run->status);
    rows_put(&b->rows, &row);
    b->shown[i] = true;
}

/* Add the approvals about a part. Returns the newest of them, or NULL. */
static const struct bough_approval *add_approvals(struct builder *b, const char *part)
{
    const struct bough_approval *newest = NULL;
    uint64_t at;

    if (!b->in->napprovals || !smap_get(&b->asked, str_of(part), &at))
        return NULL;
    for (size_t i = (size_t)at; i != NO_ROW; i = b->same_part[i]) {
        const struct bough_approval *p = &b->in->approvals[i];

        add_approval(b, i, part);
        if (!newest || p->created > newest->created)
            newest = p;
    }
    return newest;
}

/* ---- tool calls ---- */

static bool settled(enum activity_status status)
{
    return !activity_is_active(status);
}

/* The step of a tool call that the part goes on with; NULL: the part begins a call. */
static struct activity_step *step_of(struct builder *b, const struct tool_facts *t, bool result)
{
    struct activity_step *s;
    uint64_t at;

    if (!*t->call || !smap_get(&b->calls, str_of(t->call), &at))
        return NULL;
    s = &b->out->steps[at];
    return t->asked && !result && settled(s->status) ? NULL : s;
}

static struct activity_step *begin_tool(struct builder *b, const struct tool_facts *t,
                                        const char *id)
{
    const struct bough_approval *approval = add_approvals(b, id);
    struct activity row = { .id = id,
                            .type = ACTIVITY_TOOL_CALL,
                            .status = t->status,
                            .kind = t->name,
                            .title = activity_tool_label(b->a, t->name),
                            .created = t->start ? t->start : b->time };
    struct activity_step *s;

    row.approval = approval ? approval->id : "";
    s = add_step(b, rows_put(&b->rows, &row));
    s->tool = true;
    s->approval = row.approval;
    if (*t->call)
        smap_put(&b->calls, str_of(t->call), b->out->nsteps - 1);
    b->clock.tools++;
    b->last_text = NO_ROW;
    if (approval && approval->status == BOUGH_APPROVAL_PENDING && s->status == ACTIVITY_IS_PENDING)
        s->status = ACTIVITY_IS_AWAITING_APPROVAL;
    return s;
}

/* A call or a result: `result` when it stands in a message of a tool. */
static void add_tool(struct builder *b, const struct tool_facts *t, const char *id, bool result)
{
    struct activity_step *s = step_of(b, t, result);
    struct activity *row;
    bool begins = !s;

    if (begins)
        s = begin_tool(b, t, id);
    else if (!settled(s->status))
        s->status = t->status;
    row = &b->out->at[s->activity];
    row->status = s->status;
    row->detail = *t->detail ? t->detail : row->detail;
    row->preview = *t->error ? t->error : row->preview;
    if (t->start && !begins)
        s->started = t->start;
    if (t->start && t->end > t->start)
        s->ms = t->end - t->start;
    if (t->start && t->end)
        clock_tool(&b->clock, t->start, t->end);
    b->step = s->id;
    b->time = t->end > b->time ? t->end : row->created > b->time ? row->created : b->time;
}

/* ---- entries ---- */

static const struct bough_call *call_of(struct builder *b, const struct bough_entry *e)
{
    uint64_t at;

    return *e->call && smap_get(&b->call_rows, str_of(e->call), &at) ? &b->in->calls[at] : NULL;
}

static enum activity_status status_of_message(const struct bough_entry *e)
{
    if (e->open)
        return ACTIVITY_IS_RUNNING;
    if (message_stopped(e))
        return ACTIVITY_IS_CANCELLED;
    return message_failed(e) ? ACTIVITY_IS_FAILED : ACTIVITY_IS_COMPLETED;
}

/* Returns the row of the turn. */
static size_t add_turn(struct builder *b, const struct bough_entry *e)
{
    const struct bough_call *call = call_of(b, e);
    struct activity row = { .id = e->id, .type = ACTIVITY_THINKING, .created = b->time };
    struct activity_step *s;
    size_t at;

    clock_model(&b->clock, e, call);
    row.status = status_of_message(e);
    row.kind = call && !cstr_empty(call->model) ? call->model : b->in->run->model;
    row.title = arena_printf(b->a, "Agent turn %zu", b->clock.turns);
    if (row.status == ACTIVITY_IS_FAILED)
        row.preview = error_message(b->a, e->error);
    at = rows_put(&b->rows, &row);
    s = add_step(b, at);
    s->ms = call && fact_time(call->duration) ? fact_time(call->duration) : fact_time(e->duration);
    return at;
}

static void add_text(struct builder *b, const struct bough_entry *e, const char *id,
                     const char *text)
{
    struct activity row = { .id = id,
                            .type = ACTIVITY_OUTPUT,
                            .status = status_of_message(e),
                            .title = "Output",
                            .detail = text,
                            .created = b->time,
                            .step = b->step };

    if (*text)
        b->last_text = rows_put(&b->rows, &row);
}

static void add_patch(struct builder *b, const struct bough_part *part, const char *id)
{
    struct activity row = { .id = id,
                            .type = ACTIVITY_FILES_CHANGED,
                            .status = ACTIVITY_IS_COMPLETED,
                            .created = b->time,
                            .step = b->step };
    size_t n = patch_files(b->a, part, &row.detail);

    row.title = n == 1 ? "1 file changed" : arena_printf(b->a, "%zu files changed", n);
    rows_put(&b->rows, &row);
}

static void add_artifact(struct builder *b, const struct bough_part *part, const char *id)
{
    struct artifact_facts f;
    struct activity row = { .id = id,
                            .type = ACTIVITY_ARTIFACT,
                            .status = ACTIVITY_IS_COMPLETED,
                            .created = b->time,
                            .artifact = id,
                            .step = b->step };

    if (!artifact_facts_read(b->a, part, &f))
        return;
    row.kind = f.kind;
    row.title = *f.name ? f.name : f.kind;
    row.preview = f.preview;
    row.artifact_size = f.size;
    rows_put(&b->rows, &row);
}

/* The time of a tool that its own message tells. */
static void times_of_message(const struct bough_entry *e, struct tool_facts *t)
{
    if (t->start || e->role != BOUGH_ROLE_TOOL)
        return;
    t->start = fact_time(e->time);
    if (settled(t->status) && fact_time(e->duration))
        t->end = fact_time(t->start + fact_time(e->duration));
}

/* Returns whether it is a call or a result. */
static bool add_part(struct builder *b, const struct bough_entry *e, size_t i, size_t turn)
{
    const struct bough_part *part = &e->parts[i];
    const char *id = fact_part_id(b->a, e->id, i);
    bool answer = e->role == BOUGH_ROLE_ASSISTANT;
    struct part_spans s;
    struct tool_facts t;

    if (part->type == BOUGH_PART_PATCH) {
        add_patch(b, part, id);
    } else if (part->type == BOUGH_PART_FILE) {
        add_artifact(b, part, id);
    } else if (answer && (part->type == BOUGH_PART_TEXT || part->type == BOUGH_PART_REASONING)) {
        part_spans_read(b->a, part, &s);
        if (part->type == BOUGH_PART_TEXT)
            add_text(b, e, id, s.ignored ? "" : fact_text(b->a, s.text));
        else if (!*b->out->at[turn].detail)
            b->out->at[turn].detail = fact_value(b->a, s.text.n > 2 ? s.text : s.blocks);
    } else if (tool_facts_read(b->a, part, &t)) {
        times_of_message(e, &t);
        add_tool(b, &t, id, !answer);
        return true;
    }
    return false;
}

/* The result of a tool whose call id stands beside its content. */
static void add_result_beside(struct builder *b, const struct bough_entry *e)
{
    struct tool_facts t = { .name = "", .detail = "", .error = "" };
    int64_t errors;

    t.call = view_message_call(b->a, e);
    if (!*t.call)
        return;
    t.status = ACTIVITY_IS_RUNNING;
    if (!e->open)
        t.status = message_outcome(e, &errors) == BOUGH_OUTCOME_OK ? ACTIVITY_IS_COMPLETED
                                                                   : ACTIVITY_IS_FAILED;
    if (t.status == ACTIVITY_IS_FAILED)
        t.error = preview_text(b->a, e->parts, e->nparts, ACTIVITY_TEXT);
    times_of_message(e, &t);
    add_tool(b, &t, fact_part_id(b->a, e->id, 0), true);
}

static void add_message(struct builder *b, const struct bough_entry *e)
{
    bool answer = e->role == BOUGH_ROLE_ASSISTANT, tools = false;
    size_t turn = 0;

    if (!answer && e->role != BOUGH_ROLE_TOOL)
        return;
    b->time = fact_time(e->time);
    if (answer) {
        b->last_text = NO_ROW;
        turn = add_turn(b, e);
    }
    for (size_t i = 0; i < e->nparts; i++)
        tools = add_part(b, e, i, turn) || tools;
    if (!answer && !tools)
        add_result_beside(b, e);
}

static void add_note(struct builder *b, const struct bough_entry *e)
{
    struct activity row;
    bool named;

    if (!note_read(b->a, e, &row, &named))
        return;
    if (named)
        rows_know_ids(&b->rows);
    rows_put(&b->rows, &row);
}

/* ---- the end ---- */

/* A model call or tool call without an end in a run that has ended. */
static void settle_steps(struct builder *b)
{
    bool failed = b->in->run->status == BOUGH_RUN_FAILED;

    if (!bough_run_ended(b->in->run->status))
        return;
    for (size_t i = 0; i < b->out->nsteps; i++) {
        struct activity_step *s = &b->out->steps[i];

        if (settled(s->status))
            continue;
        s->status = failed ? ACTIVITY_IS_FAILED : ACTIVITY_IS_CANCELLED;
        b->out->at[s->activity].status = s->status;
    }
}

static void name_answer(struct builder *b)
{
    if (b->last_text == NO_ROW || b->in->run->status != BOUGH_RUN_COMPLETED)
        return;
    b->out->at[b->last_text].type = ACTIVITY_FINAL_ANSWER;
    b->out->at[b->last_text].title = "Final answer";
}

void activities_build(struct bough_arena *a, const struct activity_input *in,
                      struct activities *out)
{
    struct builder b = { .a = a, .in = in, .out = out, .step = "", .last_text = NO_ROW };

    rows_init(&b.rows, a, out);
    smap_init(&b.calls);
    smap_init(&b.call_rows);
    smap_init(&b.asked);
    for (size_t i = 0; i < in->ncalls; i++)
        smap_put(&b.call_rows, str_of(in->calls[i].id), i);
    know_approvals(&b);
    rows_of_start(&b.rows, in->run);
    for (size_t i = 0; i < in->n; i++) {
        const struct bough_entry *e = &in->entries[i];

        if (e->deleted)
            continue;
        if (e->kind == BOUGH_ENTRY_MESSAGE)
            add_message(&b, e);
        else if (e->kind == BOUGH_ENTRY_CUSTOM)
            add_note(&b, e);
    }
    for (size_t i = 0; i < in->napprovals; i++)
        if (!b.shown[i])
            add_approval(&b, i, "");
    settle_steps(&b);
    name_answer(&b);
    rows_of_end(&b.rows, in->run);
    clock_finish(&b.clock, in, &out->timing);
    rows_finish(&b.rows);
    smap_finish(&b.calls);
    smap_finish(&b.call_rows);
    smap_finish(&b.asked);
}
