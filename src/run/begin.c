/* Starting a run: what it needs is checked, then it is stored, then it works. */
#include <stdio.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "run/runner.h"
#include "run/step.h"
#include "store/engine/engine.h"
#include "tools/tools.h"

enum { DATA_MOST = 4096, SERVERS_BYTES = 16384, TURNS_USUAL = 32, TIME_USUAL_MS = 30 * 60 * 1000 };

/* A run on its way into the store. */
struct begin {
    struct runner *r;
    const struct run_begin_options *in;
    struct bough_arena *a;
    struct bough_store *store;
    struct bough_run_start_options how;
    struct turn *turn; /* of a model run: prepared */
    bool placed;
    enum run_class place;
};

/* ---- what it needs ---- */

static enum bough_rc check_servers(struct begin *b, struct bough_error *err)
{
    struct tool_servers all;

    if (!b->r->config.tools)
        return bough_fail(err, BOUGH_NOT_READY, "this server has no tools");
    all = tool_host_servers(b->r->config.tools, b->a);
    for (size_t i = 0; i < b->in->nservers; i++) {
        size_t k = 0;

        while (k < all.n && strcmp(all.at[k].name, b->in->servers[i]) != 0)
            k++;
        if (k == all.n)
            return bough_fail(err, BOUGH_NOT_READY,
                              "there is no tool server %.80s: see `bough tools`, or add it to the "
                              "configuration",
                              b->in->servers[i]);
    }
    return BOUGH_OK;
}

static enum bough_rc check_workspace(struct begin *b, struct bough_error *err)
{
    const char *real;
    enum bough_rc rc;

    if (cstr_empty(b->in->workspace))
        return BOUGH_OK;
    rc = workspace_resolve(&b->r->settings, b->a, b->in->workspace, &real, err);
    if (!rc)
        rc = workspace_check(real, b->in->project, err);
    if (!rc)
        b->how.workspace = real;
    return rc;
}

/* What is answered again is a message of the user, or in the loop the result of a tool. */
static bool is_answerable(const struct begin *b, const struct bough_entry *e)
{
    return e->role == BOUGH_ROLE_USER ||
           (e->role == BOUGH_ROLE_TOOL && b->in->runtime == BOUGH_RUNTIME_AGENT &&
            b->in->why == BOUGH_RUN_RETRY);
}

static enum bough_rc check_retry(struct begin *b, struct bough_error *err)
{
    struct bough_entries_read_options last = {
        .at = b->in->at, .newest = true, .messages = true, .limit = 1
    };
    struct bough_entries_read_result path;
    enum bough_rc rc;

    if (b->in->text || b->in->nparts || !cstr_empty(b->in->after))
        return BOUGH_OK; /* a run goes on behind any entry */
    rc = bough_entries_read(b->store, b->a, b->in->session, &last, &path, err);
    if (!rc && (!path.entries.n || !is_answerable(b, &path.entries.at[0])))
        rc = bough_fail(err, BOUGH_INVALID, "only a message of the user can be answered again");
    if (!rc)
        b->how.at = path.entries.at[0].id;
    return rc;
}

/* The model and the budget. A model run keeps the prepared call; the loop makes its own. */
static enum bough_rc check_model(struct begin *b, struct bough_error *err)
{
    struct turn_options how = { .store = b->store,
                                .session = b->in->session,
                                .provider = b->in->provider,
                                .model = b->in->model,
                                .max_output = b->in->max_output,
                                .refusal = b->in->refusal };
    enum bough_rc rc = turn_create(&b->turn, b->r->config.gateway, &how, err);

    if (rc)
        return rc;
    b->how.provider = arena_strdup(b->a, turn_provider(b->turn));
    b->how.model = arena_strdup(b->a, turn_model(b->turn));
    if (b->in->runtime == BOUGH_RUNTIME_AGENT) {
        turn_destroy(b->turn);
        b->turn = NULL;
    }
    return BOUGH_OK;
}

static enum bough_rc check(struct begin *b, struct bough_error *err)
{
    enum bough_rc rc = check_retry(b, err);

    if (!rc)
        rc = check_workspace(b, err);
    if (!rc && b->in->runtime == BOUGH_RUNTIME_AGENT)
        rc = check_servers(b, err);
    if (!rc && b->in->runtime != BOUGH_RUNTIME_EXTERNAL)
        rc = check_model(b, err);
    return rc;
}

/* ---- which task ---- */

static bool is_same(const char *asked, const char *before)
{
    return cstr_empty(asked) || strcmp(asked, before) == 0;
}

/* C19: the first prompt with tools begins a task; the next ones continue it while nothing else was
 * between them and provider and model stay. */
static enum bough_rc find_task(struct begin *b, struct bough_error *err)
{
    struct bough_run_list_options latest = { .session = b->in->session, .limit = 1 };
    struct bough_runs runs;
    const struct bough_run *last;
    enum bough_rc rc;

    if (b->in->why != BOUGH_RUN_START || b->in->runtime == BOUGH_RUNTIME_MODEL || b->in->at_root ||
        !cstr_empty(b->in->at))
        return BOUGH_OK;
    rc = bough_run_list(b->store, b->a, &latest, &runs, err);
    if (rc || !runs.n)
        return rc;
    last = &runs.at[0];
    if (!bough_run_ended(last->status) || last->runtime != b->in->runtime)
        return BOUGH_OK;
    if (b->in->runtime == BOUGH_RUNTIME_EXTERNAL) {
        if (!is_same(b->in->adapter, last->adapter))
            return BOUGH_OK;
        b->how.native_id = b->in->fresh ? NULL : last->native_id;
    } else if (!is_same(b->how.provider, last->provider) || !is_same(b->how.model, last->model)) {
        return BOUGH_OK;
    }
    b->how.why = BOUGH_RUN_CONTINUE;
    b->how.after = last->id;
    return BOUGH_OK;
}

/* ---- what is stored ---- */

static struct bough_str servers_json(struct bough_arena *a, const char *const *names, size_t n)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, SERVERS_BYTES);
    jw_init(&w, &b);
    jw_arr(&w);
    for (size_t i = 0; i < n; i++)
        jw_cstr(&w, names[i]);
    jw_end_arr(&w);
    return buf_give(&b, a);
}

static void fill(struct begin *b)
{
    const struct run_begin_options *in = b->in;
    bool agent = in->runtime == BOUGH_RUNTIME_AGENT;

    b->how = (struct bough_run_start_options){
        .text = in->text,
        .parts = in->parts,
        .nparts = in->nparts,
        .at = in->at,
        .at_root = in->at_root,
        .runtime = in->runtime,
        .why = in->why,
        .after = in->after,
        .adapter = in->adapter,
        .provider = in->provider,
        .model = in->model,
        .host = b->r->settings.host,
        .system_prompt = in->system_prompt,
        .servers = servers_json(b->a, in->servers, in->nservers),
        .limits = in->limits,
        .lease_ms = RUN_LEASE_MS,
        .key = in->key,
    };
    if (agent && !b->how.limits.turns)
        b->how.limits.turns = TURNS_USUAL;
    if (agent && !b->how.limits.time_ms)
        b->how.limits.time_ms = TIME_USUAL_MS;
    if (in->max_output)
        b->how.data =
            str_of(arena_printf(b->a, "{\"max_output_tokens\":%lld}", (long long)in->max_output));
}

/* ---- starting ---- */

/* A client may send its next prompt as soon as it has the whole reply, a moment before the run has
 * ended. A prompt with a key cannot wait in the queue with it. */
static enum bough_rc start(struct begin *b, struct bough_run_start_result *got,
                           struct bough_error *err)
{
    enum bough_rc rc = bough_run_start(b->store, b->a, b->in->session, &b->how, got, err);

    if (rc == BOUGH_BUSY && runner_wait_for_end(b->r, b->in->session))
        rc = bough_run_start(b->store, b->a, b->in->session, &b->how, got, err);
    if (rc == BOUGH_BUSY && b->in->queue && b->in->text) {
        b->how.queue = true;
        b->how.key = NULL;
        b->how.claim = false;
        b->how.why = BOUGH_RUN_START;
        b->how.after = NULL;
        rc = bough_run_start(b->store, b->a, b->in->session, &b->how, got, err);
    }
    return rc;
}

static bool is_busy(struct begin *b)
{
    struct bough_session *s;

    return bough_session_get(b->store, b->a, b->in->session, &s, NULL) == BOUGH_OK &&
           s->status == BOUGH_STATUS_BUSY && s->lease &&
           s->lease->expires > env_now(&b->store->e->env);
}

/* The claimed run gets its thread; the reply of a model run is opened first, for the answer. */
static enum bough_rc put_to_work(struct begin *b, const struct bough_run_start_result *got,
                                 struct run_begun *out, struct bough_error *err)
{
    struct run_work *w = work_create(b->r, got->run->id, got->epoch, err);
    const char *reply = "";
    enum bough_rc rc = BOUGH_OK;

    if (!w)
        return err->rc; /* its lease ends by itself */
    b->placed = false;  /* it is the work's now */
    if (b->turn) {
        struct turn_open_options how = { .owner = w->owner, .epoch = w->epoch };

        how.at = run_answers(w, err);
        rc = how.at ? turn_open(b->turn, &how, &reply, err) : err->rc;
        if (!rc) {
            snprintf(out->reply, sizeof out->reply, "%s", reply);
            turn_use_store(b->turn, w->store);
            w->turn = b->turn;
            b->turn = NULL;
        }
    }
    if (rc)
        log_msg(LOG_WARN, "run id=%s msg=its reply was not opened: %s", got->run->id, err->msg);
    return work_enter(w, err);
}

static enum bough_rc begin(struct begin *b, struct run_begun *out, struct bough_error *err)
{
    struct bough_run_start_result got = { 0 };
    enum bough_rc rc;

    fill(b);
    /* Of a busy session the answer is that, whatever else is missing. */
    rc = is_busy(b) && !runner_wait_for_end(b->r, b->in->session) ? check_workspace(b, err)
                                                                  : check(b, err);
    if (!rc)
        rc = find_task(b, err);
    if (rc)
        return rc;
    b->place = class_of(b->in->runtime);
    b->placed = runner_place(b->r, b->place);
    b->how.claim = b->placed;
    rc = start(b, &got, err);
    if (rc)
        return rc;
    out->run = got.run;
    out->queued = got.queued;
    out->replayed = got.replayed;
    if (got.run) {
        out->provider = got.run->provider;
        out->model = got.run->model;
    }
    return got.run && got.epoch && !got.replayed ? put_to_work(b, &got, out, err) : BOUGH_OK;
}

enum bough_rc run_begin(struct runner *r, struct bough_arena *a, const struct run_begin_options *in,
                        struct run_begun *out, struct bough_error *err)
{
    struct begin b = { .r = r, .in = in, .a = a };
    enum bough_rc rc;

    *out = (struct run_begun){ .provider = "", .model = "" };
    b.store = runner_store(r, a, in->principal);
    rc = begin(&b, out, err);
    turn_destroy(b.turn);
    if (b.placed)
        runner_leave_place(r, b.place);
    bough_store_close(&b.store);
    return rc;
}
