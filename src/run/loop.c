/*
 * The agent loop: call the model, make the tool calls that it asks for, and again, until it answers
 * without one. Everything it needs to know is in the store, so a run that was given back while a
 * person decides is taken up by any process.
 */
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/runner.h"
#include "run/step.h"
#include "tools/tools.h"

enum { SERVERS_MOST = 64, CHAIN_MOST = 1000 };

struct loop {
    struct run_work *w;
    struct tool_set *tools;
    struct ask_tool *offered;
    size_t noffered;
    const char *system_prompt;
    int64_t spent;       /* nano-USD, with the runs that it resumes */
    struct round *round; /* of the last reply; NULL: the model is next */
    bool answered;       /* the last reply has no calls */
};

/* ---- tools ---- */

/* The names in a JSON array. */
static size_t read_servers(struct bough_arena *a, struct bough_str raw, const char **out)
{
    struct json root;
    struct json_iter it;
    size_t n = 0;

    if (!raw.n || json_parse(a, raw, &root, NULL) || json_type(root) != JSON_ARRAY)
        return 0;
    it = json_iter(root);
    while (json_next(&it) && n < SERVERS_MOST) {
        struct bough_str name;

        if (json_str(a, it.value, &name))
            out[n++] = arena_strndup(a, name.p, name.n);
    }
    return n;
}

/* Without a choice: everything that is configured and works here. */
static size_t usual_servers(struct run_work *w, const char **out)
{
    struct tool_servers all = tool_host_servers(w->all->config.tools, w->a);
    size_t n = 0;

    for (size_t i = 0; i < all.n && n < SERVERS_MOST; i++) {
        bool files = strcmp(all.at[i].name, "files") == 0 || strcmp(all.at[i].name, "shell") == 0;

        if (strcmp(all.at[i].status, "off") == 0 || strcmp(all.at[i].name, "demo") == 0 ||
            (files && !*w->run->workspace))
            continue;
        out[n++] = all.at[i].name;
    }
    return n;
}

static void offer(struct loop *l)
{
    struct tool_list all = tool_set_list(l->tools);

    l->offered = arena_array(l->w->a, all.n + 1, sizeof *l->offered);
    for (size_t i = 0; i < all.n; i++)
        l->offered[l->noffered++] =
            (struct ask_tool){ all.at[i].name, all.at[i].description, all.at[i].schema };
    for (size_t i = 0; i < all.nskipped && !l->w->run->turns; i++)
        work_tell(l->w, "output", "failed", "A tool server is left out", all.skipped[i]);
}

static bool open_tools(struct loop *l)
{
    struct run_work *w = l->w;
    const char **names = arena_array(w->a, SERVERS_MOST, sizeof *names);
    size_t n = read_servers(w->a, w->run->servers, names);
    struct bough_session *session;
    struct bough_error err = { 0 };
    struct tool_set_options how = { .servers = names,
                                    .n = n,
                                    .workspace = w->run->workspace,
                                    .session = w->run->session,
                                    .principal = *w->run->by ? w->run->by : NULL,
                                    .skip_broken = !n };
    enum bough_rc rc = BOUGH_OK;

    if (!w->all->config.tools)
        rc = bough_fail(&err, BOUGH_NOT_READY, "this process has no tools");
    if (!rc && !n)
        how.n = usual_servers(w, names);
    if (!rc)
        rc = bough_session_get(w->store, w->a, w->run->session, &session, &err);
    if (!rc) {
        how.project = *w->run->by ? session->project : NULL;
        rc = tool_set_open(&l->tools, w->all->config.tools, &how, &err);
    }
    if (rc) {
        work_end(w, BOUGH_RUN_FAILED, "tools", "%s", err.msg);
        return false;
    }
    offer(l);
    return true;
}

/* ---- where it stands ---- */

/* What the calls of these entries cost. */
static int64_t cost_of(const struct bough_calls *calls)
{
    int64_t sum = 0;

    for (size_t i = 0; calls && i < calls->n; i++)
        sum += calls->at[i].used.cost;
    return sum;
}

static enum bough_rc read_run(struct run_work *w, const struct bough_run *run,
                              struct bough_entries_read_result *out, struct bough_error *err)
{
    struct bough_entries_read_options how = { .from_depth = run->first.depth, .calls = true };

    if (!run->last.branch)
        return bough_fail(err, BOUGH_NOT_FOUND, "it has no entries");
    how.at =
        arena_printf(w->a, "#%lld.%lld", (long long)run->last.branch, (long long)run->last.depth);
    return bough_entries_read(w->store, w->a, run->session, &how, out, err);
}

/* The runs that this one goes on with count as well: raising a limit must be a raise. */
static int64_t spent_before(struct run_work *w)
{
    const struct bough_run *run = w->run;
    int64_t sum = 0;

    for (int i = 0; i < CHAIN_MOST && run->why == BOUGH_RUN_RESUME && *run->after; i++) {
        struct bough_entries_read_result got = { 0 };
        struct bough_run *before;

        if (bough_run_get(w->store, w->a, run->after, &before, NULL))
            break;
        if (!read_run(w, before, &got, NULL))
            sum += cost_of(got.calls);
        run = before;
    }
    return sum;
}

/* The last reply of this run and the results behind it. */
static bool find_place(struct loop *l)
{
    struct run_work *w = l->w;
    struct bough_entries_read_options how = { .from_depth = w->run->first.depth, .calls = true };
    struct bough_entries_read_result got;
    struct bough_error err = { 0 };
    size_t i;

    l->spent = w->run->limits.cost ? spent_before(w) : 0;
    if (!w->run->turns)
        return true;
    if (bough_entries_read(w->store, w->a, w->run->session, &how, &got, &err)) {
        work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
        return false;
    }
    l->spent += cost_of(got.calls);
    for (i = got.entries.n; i > 0 && got.entries.at[i - 1].role != BOUGH_ROLE_ASSISTANT;)
        i--;
    if (!i)
        return true;
    l->round = round_of(w->a, &got.entries.at[i - 1]);
    l->answered = !l->round;
    if (l->round)
        round_take_results(l->round, w->a, got.entries.at + i, got.entries.n - i);
    return true;
}

/* ---- limits ---- */

static bool is_over(struct loop *l)
{
    struct run_work *w = l->w;
    const struct bough_run_limits *most;
    struct bough_error err = { 0 };

    if (work_look(w, &err)) {
        work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
        return true;
    }
    most = &w->run->limits;
    if (most->turns && w->run->turns >= most->turns)
        work_end(w, BOUGH_RUN_FAILED, "turns",
                 "it has made %lld model calls, its limit; raise it "
                 "and resume",
                 (long long)w->run->turns);
    else if (most->time_ms && work_now(w) - w->run->started - w->run->waited_ms >= most->time_ms)
        work_end(w, BOUGH_RUN_FAILED, "time",
                 "it has worked for %lld s, its limit; raise it and resume",
                 (long long)(most->time_ms / 1000));
    else if (most->cost && l->spent >= most->cost)
        work_end(w, BOUGH_RUN_FAILED, "budget",
                 "it has cost $%.6f, more than its limit; raise it and resume",
                 (double)l->spent / 1e9);
    return w->ended;
}

/* ---- steps ---- */

/* There is more to do: others must not wait for the end, and what the run says is stored now. */
static bool go_on(struct run_work *w, struct bough_error *err)
{
    __atomic_store_n(&w->answered, false, __ATOMIC_RELEASE);
    if (work_report(w, err) == BOUGH_OK)
        return true;
    work_end(w, BOUGH_RUN_FAILED, run_error_code(err->rc), "%s", err->msg);
    return false;
}

static bool model_step(struct loop *l)
{
    struct run_work *w = l->w;
    struct bough_error err = { 0 };
    struct step_options how = { .at = run_answers(w, &err),
                                .system_prompt = l->system_prompt,
                                .tools = l->offered,
                                .ntools = l->noffered };
    struct turn *turn = NULL;
    struct turn_result got;
    bool goes_on = false;

    if (!how.at)
        work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
    else
        goes_on = step_model(w, &how, &turn, &got);
    if (goes_on) {
        struct bough_entry *reply;

        l->spent += got.cost;
        /* The arena of the turn ends with it. */
        goes_on = bough_entry_get(w->store, w->a, w->run->session, got.reply->id, &reply, &err) ==
                  BOUGH_OK;
        if (goes_on) {
            l->round = round_of(w->a, reply);
            l->answered = !l->round;
            goes_on = l->answered || go_on(w, &err);
        } else {
            work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
        }
    }
    turn_destroy(turn);
    return goes_on;
}

static bool step(struct loop *l)
{
    struct run_work *w = l->w;

    if (l->round) {
        if (round_work(w, l->tools, l->round) != ROUND_DONE)
            return false;
        l->round = NULL;
    }
    if (work_flag(&w->cancel)) {
        work_end_cancelled(w);
        return false;
    }
    if (l->answered) {
        work_end(w, BOUGH_RUN_COMPLETED, NULL, "completed");
        return false;
    }
    if (work_flag(&w->stopping)) {
        work_end(w, BOUGH_RUN_FAILED, "shutdown", "the server stopped");
        return false;
    }
    return !is_over(l) && model_step(l);
}

/* ---- the whole ---- */

/* The workspace may have become something else since the run was accepted. */
static bool check_workspace(struct run_work *w)
{
    struct bough_error err = { 0 };
    const char *real;
    enum bough_rc rc;

    if (!*w->run->workspace)
        return true;
    rc = workspace_resolve(&w->all->settings, w->a, w->run->workspace, &real, &err);
    if (!rc && strcmp(real, w->run->workspace) != 0)
        rc = bough_fail(&err, BOUGH_NOT_READY, "workspace %.150s leads elsewhere now",
                        w->run->workspace);
    if (!rc)
        return true;
    work_end(w, BOUGH_RUN_FAILED, "not_ready", "%s", err.msg);
    return false;
}

static const char *prompt_of(struct run_work *w)
{
    struct bough_session *s;
    const char *own = w->run->system_prompt;

    if (!*own && bough_session_get(w->store, w->a, w->run->session, &s, NULL) == BOUGH_OK)
        own = s->system_prompt;
    if (!*w->run->workspace)
        return own;
    return arena_printf(w->a,
                        "%s%sThe workspace is the folder %s. Paths of files are relative to it.",
                        own, *own ? "\n\n" : "", w->run->workspace);
}

void loop_run(struct run_work *w)
{
    struct loop l = { .w = w };

    if (check_workspace(w) && open_tools(&l) && find_place(&l)) {
        l.system_prompt = prompt_of(w);
        while (step(&l))
            continue;
    }
    tool_set_close(l.tools);
}
