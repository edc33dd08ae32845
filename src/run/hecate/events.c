/* The events of a run, found in the changelog: nothing of them is stored twice. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "run/hecate/hecate.h"

enum { PAGE = 1000, LOOKED_MOST = 50000, DATA_MOST = 16 * 1024 };

struct finding {
    struct http_req *req;
    struct bough_arena *a;
    const struct hecate_run *x;
    struct hecate_events *out;
    int64_t after;
};

static const char *end_type(enum bough_run_status status)
{
    return status == BOUGH_RUN_COMPLETED   ? "run.finished"
           : status == BOUGH_RUN_CANCELLED ? "run.cancelled"
                                           : "run.failed";
}

static void add(struct finding *f, const struct bough_change *c, const char *type, const char *key,
                const char *word, const char *value)
{
    struct hecate_events *l = f->out;
    struct json_writer w;
    struct buf b;

    if (c->no <= f->after)
        return;
    buf_init(&b, DATA_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    if (key)
        hecate_id(&w, key, word, value);
    jw_end_obj(&w);
    l->at = arena_room(f->a, l->at, l->n, sizeof *l->at);
    l->at[l->n++] = (struct hecate_event){ c->no, c->time, type, buf_give(&b, f->a) };
}

static const struct bough_entry *entry_of(const struct hecate_run *x, const char *id)
{
    for (size_t i = 0; *id && i < x->n; i++)
        if (strcmp(x->entries[i].id, id) == 0)
            return &x->entries[i];
    return NULL;
}

static bool has_tools(const struct bough_entry *e)
{
    for (size_t i = 0; i < e->nparts; i++)
        if (e->parts[i].type == BOUGH_PART_TOOL)
            return true;
    return false;
}

static void add_entry(struct finding *f, const struct bough_change *c, const struct bough_entry *e)
{
    bool opened = strcmp(c->kind, "open") == 0;

    if (e->role == BOUGH_ROLE_ASSISTANT)
        add(f, c,
            opened         ? "turn.started"
            : has_tools(e) ? "turn.completed"
                           : "assistant.final_answer",
            "step_id", "", e->id);
    else if (e->role == BOUGH_ROLE_TOOL)
        add(f, c,
            opened              ? "tool.started"
            : message_failed(e) ? "tool.failed"
                                : "tool.completed",
            "step_id", "", e->id);
}

static const struct bough_approval *approval_of(const struct hecate_run *x, const char *id)
{
    for (size_t i = 0; i < x->approvals.n; i++)
        if (strcmp(x->approvals.at[i].id, id) == 0)
            return &x->approvals.at[i];
    return NULL;
}

/* An approval has two rows: it is asked for, and settled. */
static void add_approval(struct finding *f, const struct bough_change *c,
                         const struct bough_approval *x)
{
    bool settled = x->settled && c->time >= x->settled && x->settled != x->created;

    add(f, c,
        settled || x->path == BOUGH_PATH_GRANT || x->path == BOUGH_PATH_POLICY
            ? "approval.resolved"
            : "approval.requested",
        "approval_id", HECATE_APPROVAL, x->id);
}

static void add_change(struct finding *f, const struct bough_change *c)
{
    const struct bough_run *run = f->x->run;
    const struct bough_approval *approval = approval_of(f->x, c->about);
    const struct bough_entry *e = entry_of(f->x, c->entry);

    if (strcmp(c->session, run->session) != 0)
        return;
    if (strcmp(c->ended, run->id) == 0)
        add(f, c, end_type(run->status), "run_id", HECATE_RUN, run->id);
    else if (strcmp(c->about, run->id) == 0)
        add(f, c, e && strcmp(e->id, run->prompt) == 0 ? "run.created" : "run.updated", "run_id",
            HECATE_RUN, run->id);
    else if (approval)
        add_approval(f, c, approval);
    else if (e)
        add_entry(f, c, e);
}

/* The last row of a run that has ended is its end. */
static void mark_end(struct finding *f)
{
    const struct bough_run *run = f->x->run;

    for (size_t i = f->out->n; bough_run_ended(run->status) && i--;)
        if (strncmp(f->out->at[i].type, "run.", 4) == 0) {
            if (strcmp(f->out->at[i].type, "run.updated") == 0)
                f->out->at[i].type = end_type(run->status);
            return;
        }
}

/* The changelog is of the whole store: it is read from the run's first entry on, and not further
 * than LOOKED_MOST rows in one request. */
enum bough_rc hecate_events_read(struct http_req *req, struct bough_arena *a,
                                 const struct hecate_run *x, int64_t after, int64_t most,
                                 struct hecate_events *out, struct bough_error *err)
{
    struct finding f = { req, a, x, out, after };
    struct bough_store_log_options how = { .limit = PAGE };
    struct bough_changes page;
    int64_t looked = 0;
    enum bough_rc rc;

    *out = (struct hecate_events){ .looked = after };
    how.after = x->n && x->entries[0].no - 1 > after ? x->entries[0].no - 1 : after;
    do {
        rc = bough_store_log(api_of(req)->store, a, &how, &page, err);
        for (size_t i = 0; !rc && i < page.n && out->n < (size_t)most; i++) {
            add_change(&f, &page.at[i]);
            out->looked = how.after = page.at[i].no;
        }
        looked += rc ? 0 : (int64_t)page.n;
    } while (!rc && page.n == PAGE && out->n < (size_t)most && looked < LOOKED_MOST);
    if (!rc && out->n < (size_t)most)
        mark_end(&f);
    return rc;
}
