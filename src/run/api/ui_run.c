/* A run as the AI SDK's UI message stream: what it has done so far, then what it does, to its end.
 */
#include "run/api/ui_run.h"

#include <string.h>

#include "api/originals/ui.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/part/part.h"

enum { LOOK_MS = 50, BEAT_LOOKS = 15000 / LOOK_MS, ENTRIES_A_LOOK = 100, APPROVALS_MOST = 1000 };

struct asked {
    char id[BOUGH_ID_LEN + 1];
    bool settled;
};

/* What a stream has told. */
struct stream {
    struct api *api;
    const char *who, *run;
    bool begun, stepping;
    int quiet;                   /* looks since the last chunk */
    int64_t depth;               /* of the last entry that was told */
    char open[BOUGH_ID_LEN + 1]; /* the reply that is followed, or "" */
    int64_t offset;              /* how far */
    struct ui_told told;         /* of that reply */
    int64_t counted;             /* approvals of the run, asked for and settled */
    struct asked *asked;
    size_t nasked;
};

/* ---- replies and results ---- */

/* A reply begins: it is a step of the message. */
static void begin_step(struct http_res *res, struct stream *st, const struct bough_entry *e)
{
    if (!st->begun)
        ui_begin(res, e);
    if (st->stepping)
        ui_step(res, false);
    ui_step(res, true);
    st->begun = st->stepping = true;
}

static void tell_results(struct http_res *res, struct bough_arena *a, const struct bough_entry *e)
{
    size_t n;
    struct view_run *runs = view_runs(a, e, &n);

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; runs[i].results && k < runs[i].n; k++)
            if (runs[i].at[k].kind == VIEW_RESULT && *runs[i].at[k].call)
                ui_result(res, &runs[i].at[k]);
}

static void follow_reply(struct stream *st, const char *id)
{
    memcpy(st->open, id, sizeof st->open);
    st->offset = 0;
}

/* Tell an entry; one that is open is followed from now on. */
static void tell_entry(struct http_res *res, struct bough_arena *a, struct stream *st,
                       const struct bough_entry *e)
{
    if (e->open) {
        follow_reply(st, e->id);
        return;
    }
    st->depth = e->at.depth;
    st->quiet = 0;
    if (e->role == BOUGH_ROLE_ASSISTANT) {
        begin_step(res, st, e);
        ui_rest(res, &st->told, e);
        ui_told_finish(&st->told);
    } else if (st->begun) {
        tell_results(res, a, e);
    }
}

/* The entries of the run that were not told yet. */
static enum bough_rc tell_entries(struct http_req *req, struct http_res *res, struct bough_arena *a,
                                  const struct bough_run *run, struct bough_error *err)
{
    struct stream *st = req->state;
    struct bough_entries_read_options how = { .messages = true, .limit = ENTRIES_A_LOOK };
    struct bough_entries_read_result got;
    enum bough_rc rc;

    if (!run->last.branch || run->last.depth <= st->depth)
        return BOUGH_OK;
    how.from_depth = st->depth < run->first.depth ? run->first.depth : st->depth + 1;
    how.at = arena_printf(a, "#%lld.%lld", (long long)run->last.branch, (long long)run->last.depth);
    rc = bough_entries_read(api_of(req)->store, a, run->session, &how, &got, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < got.entries.n && !*st->open; i++)
        tell_entry(res, a, st, &got.entries.at[i]);
    if (!got.entries.n) /* only others than messages are left */
        st->depth = run->last.depth;
    return BOUGH_OK;
}

/* The reply that is being written: a run has one at a time. */
static enum bough_rc find_open(struct http_req *req, struct bough_arena *a,
                               const struct bough_run *run, struct bough_error *err)
{
    struct stream *st = req->state;
    struct bough_open_messages open;
    enum bough_rc rc = bough_message_list(api_of(req)->store, a, run->session, &open, err);

    for (size_t i = 0; !rc && i < open.n && !*st->open; i++)
        if (open.at[i].at.depth > st->depth)
            follow_reply(st, open.at[i].id);
    return rc;
}

/* What was added to the reply. An empty one that was taken away is over, too. */
static enum bough_rc tell_open(struct http_req *req, struct http_res *res, struct bough_arena *a,
                               struct bough_error *err)
{
    struct stream *st = req->state;
    struct bough_message_follow_result got;
    enum bough_rc rc =
        bough_message_follow(api_of(req)->store, a, st->open, st->offset, 1, &got, err);

    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_GONE) {
        *st->open = '\0';
        return BOUGH_OK;
    }
    if (rc || (!got.sealed && !got.ndeltas))
        return rc;
    st->quiet = 0;
    if (!st->offset)
        begin_step(res, st, got.entry);
    for (size_t i = 0; i < got.ndeltas; i++) {
        const struct bough_delta *d = &got.deltas[i];

        if (d->kind == BOUGH_STEP_TEXT)
            ui_text(res, &st->told, d->part, d->bytes);
        else
            ui_part(res, &st->told, d->part, d->bytes);
    }
    st->offset = got.offset;
    if (got.sealed) {
        ui_rest(res, &st->told, got.entry);
        ui_told_finish(&st->told);
        st->depth = got.entry->at.depth;
        *st->open = '\0';
    }
    return BOUGH_OK;
}

/* ---- approvals ---- */

/* The id of the call that is asked about; NULL: it was not told yet, or is not there. */
static const char *call_of(struct http_req *req, struct bough_arena *a,
                           const struct bough_approval *x)
{
    const struct stream *st = req->state;
    struct bough_entry *e;

    if (bough_entry_get(api_of(req)->store, a, x->session, x->entry, &e, NULL) ||
        e->at.depth > st->depth || x->part < 0 || (size_t)x->part >= e->nparts)
        return NULL;
    return part_call_id(a, &e->parts[x->part]);
}

static struct asked *find_asked(struct stream *st, const char *id)
{
    for (size_t i = 0; i < st->nasked; i++)
        if (strcmp(st->asked[i].id, id) == 0)
            return &st->asked[i];
    return NULL;
}

/* The approvals of the run, oldest last, if one was asked for or settled since they were told. */
static enum bough_rc find_approvals(struct http_req *req, struct bough_arena *a,
                                    const struct bough_run *run, struct bough_approvals *out,
                                    struct bough_error *err)
{
    struct bough_approval_list_options of = { .run = run->id, .limit = APPROVALS_MOST };
    struct stream *st = req->state;

    *out = (struct bough_approvals){ 0 };
    if (run->approvals + run->settled == st->counted)
        return BOUGH_OK;
    return bough_approval_list(api_of(req)->store, a, &of, out, err);
}

/* The answers, before the results of what was approved. */
static void tell_settled(struct http_res *res, struct stream *st,
                         const struct bough_approvals *found)
{
    for (size_t i = found->n; i--;) {
        const struct bough_approval *x = &found->at[i];
        struct asked *known = find_asked(st, x->id);

        if (!known || known->settled || x->status == BOUGH_APPROVAL_PENDING)
            continue;
        known->settled = true;
        ui_settled(res, x->id, x->status == BOUGH_APPROVAL_APPROVED, x->note);
        st->quiet = 0;
    }
}

/* The questions, behind the calls that they are about. Of an approval that was settled before it
 * was seen, by a grant or a rule, nothing is told. */
static void tell_asked(struct http_req *req, struct http_res *res, struct bough_arena *a,
                       const struct bough_approvals *found)
{
    struct stream *st = req->state;

    for (size_t i = found->n; i--;) {
        const struct bough_approval *x = &found->at[i];
        const char *call;

        if (x->status != BOUGH_APPROVAL_PENDING || find_asked(st, x->id) ||
            st->nasked == APPROVALS_MOST || !(call = call_of(req, a, x)))
            continue;
        st->asked = mem_room(st->asked, st->nasked, sizeof *st->asked);
        st->asked[st->nasked] = (struct asked){ .settled = false };
        memcpy(st->asked[st->nasked++].id, x->id, sizeof x->id);
        ui_asked(res, call, x->id);
        st->quiet = 0;
    }
}

/* ---- the stream ---- */

static void tell_end(struct http_res *res, struct stream *st, const struct bough_run *run)
{
    if (!st->begun)
        ui_begin(res, &(struct bough_entry){ .origin = run->id });
    if (st->stepping)
        ui_step(res, false);
    if (run->status == BOUGH_RUN_CANCELLED)
        ui_aborted(res);
    else if (run->status == BOUGH_RUN_FAILED)
        ui_error(res, *run->error ? run->error : "the run has failed");
    ui_finish(res, NULL);
}

/* Entries that are there, then the reply that is being written. */
static enum bough_rc tell_messages(struct http_req *req, struct http_res *res,
                                   struct bough_arena *a, const struct bough_run *run,
                                   struct bough_error *err)
{
    struct stream *st = req->state;
    enum bough_rc rc = *st->open ? BOUGH_OK : tell_entries(req, res, a, run, err);

    if (!rc && !*st->open && !bough_run_ended(run->status))
        rc = find_open(req, a, run, err);
    return rc || !*st->open ? rc : tell_open(req, res, a, err);
}

/* The run is read first: if it has ended, nothing comes behind what is read then. */
static enum bough_rc look(struct http_req *req, struct http_res *res, struct bough_arena *a,
                          enum http_more *more, struct bough_error *err)
{
    struct stream *st = req->state;
    struct bough_approvals approvals;
    struct bough_run *run;
    enum bough_rc rc = bough_run_get(api_of(req)->store, a, st->run, &run, err);

    if (!rc)
        rc = find_approvals(req, a, run, &approvals, err);
    if (rc)
        return rc;
    tell_settled(res, st, &approvals);
    rc = tell_messages(req, res, a, run, err);
    *more = HTTP_LATER;
    if (rc || *st->open)
        return rc;
    tell_asked(req, res, a, &approvals);
    st->counted = run->approvals + run->settled;
    if (bough_run_ended(run->status) && (!run->last.branch || run->last.depth <= st->depth)) {
        tell_end(res, st, run);
        *more = HTTP_END;
    }
    return BOUGH_OK;
}

static enum bough_rc pull(struct http_req *req, struct http_res *res, enum http_more *more,
                          struct bough_error *err)
{
    struct stream *st = req->state;
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc = look(req, res, tmp, more, err);

    bough_arena_destroy(tmp);
    if (!rc && *more == HTTP_LATER && ++st->quiet % BEAT_LOOKS == 0)
        http_puts(res, ":\n\n");
    return rc;
}

enum bough_rc run_ui_follow(struct http_req *req, struct http_res *res, const struct bough_run *run)
{
    struct stream *st = arena_zalloc(req->arena, sizeof *st);

    st->api = api_of(req)->api;
    st->who = api_of(req)->who->name;
    if (!api_stream_begin(st->api, st->who))
        return http_refuse(res, 429, "too_many", "too many streams of this caller");
    st->run = arena_strdup(req->arena, run->id);
    req->state = st;
    http_text(res, 200, "text/event-stream");
    http_set(res, "x-vercel-ai-ui-message-stream", "v1");
    http_set(res, "X-Accel-Buffering", "no");
    http_pull(res, pull, LOOK_MS);
    return BOUGH_OK;
}

void run_ui_drop(struct http_req *req)
{
    struct stream *st = req->state;

    if (!st)
        return;
    api_stream_end(st->api, st->who);
    ui_told_finish(&st->told);
    mem_free(st->asked);
}

static enum bough_rc stream(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_run *run;
    enum bough_rc rc = run_api_run(req, &run, err);

    return rc ? rc : run_ui_follow(req, res, run);
}

const struct http_route run_ui_routes[] = {
    { "GET", "/api/v1/runs/{run}/ui-stream", stream, AUTH_READ,
      "Stream a run as one message of the AI SDK's UI message stream, from its beginning to its "
      "end: a step for each call of a model, with the results and approvals of tools.",
      .gives = "events", .flags = HTTP_STREAMS, .drop = run_ui_drop },
    { 0 },
};
