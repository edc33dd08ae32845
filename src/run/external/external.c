/* A run of an external agent: one turn, from the prompt to the agent's answer. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/external/diff.h"
#include "run/external/inside.h"
#include "run/runner.h"

enum { WAIT_MS = 100, ASKED_WAIT_MS = 50, SAVE_MS = 15000, TEXT_MS = 50 };

/* ---- one event ---- */

static void send_cancel(struct ext *x)
{
    if (x->cancel_sent)
        return;
    x->cancel_sent = true;
    x->kill_at = ext_now() + EXT_CANCEL_MS;
    acp_notify(x->acp, "session/cancel",
               str_of(arena_printf(x->scratch, "{\"sessionId\":\"%s\"}", acp_session_id(x->acp))));
    ext_asks_cancel(x);
}

/* Is the run's own time over? Waiting for people does not count. */
static bool is_late(const struct ext *x)
{
    int64_t most = x->w->run->limits.time_ms;

    return most > 0 && x->nasks == 0 && x->w->run->started > 0 &&
           work_now(x->w) - x->w->run->started - x->w->run->waited_ms > most;
}

/* What comes from outside: a wish to cancel, time, a rejection that ends the run. */
static void look_around(struct ext *x)
{
    int64_t now = ext_now();

    x->timed_out |= is_late(x);
    if (work_flag(&x->w->cancel) || x->stop_rejected || x->timed_out || x->failed.rc)
        send_cancel(x);
    ext_asks_look(x);
    if (now - x->text_since >= TEXT_MS)
        ext_flush_text(x);
    if (x->tools_due && now - x->tools_since >= TEXT_MS)
        ext_tools_flush(x);
    ext_save(x, now, SAVE_MS);
}

/* True: the turn is over, and *e says how. */
static bool take_event(struct ext *x, struct acp_event *e)
{
    switch (e->kind) {
    case ACP_NOTHING:
        ext_flush_text(x);
        ext_tools_flush(x);
        return false;
    case ACP_UPDATED:
        ext_update(x, &e->update);
        return false;
    case ACP_ASKED:
        ext_asked(x, &e->permission);
        return false;
    case ACP_WITHDRAWN:
        ext_ask_withdrawn(x, e->id);
        return false;
    case ACP_ANSWERED:
        return e->answers == x->request;
    case ACP_ENDED:
        return true;
    }
    return false;
}

/* Events up to the answer. False: the agent does not stop, or the run is another's. */
static bool follow(struct ext *x, struct acp_event *e)
{
    for (;;) {
        bough_arena_reset(x->scratch);
        acp_next(x->acp, x->scratch, x->nasks ? ASKED_WAIT_MS : WAIT_MS, e);
        if (take_event(x, e))
            return true;
        look_around(x);
        if (work_flag(&x->w->lost) || (x->cancel_sent && ext_now() >= x->kill_at))
            return false;
    }
}

/* ---- the end ---- */

static struct bough_str error_json(struct ext *x, const char *code, const char *message)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 64 << 10);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "code", code);
    jw_kv_cstr(&w, "message", message);
    jw_end_obj(&w);
    return buf_give(&b, x->w->a);
}

/* The end of a turn that the agent has stopped: cancelled was wished, or it followed a rejection.
 */
static void end_cancelled(struct ext *x)
{
    if (work_flag(&x->w->cancel))
        work_end_cancelled(x->w);
    else if (x->timed_out)
        work_end(x->w, BOUGH_RUN_FAILED, "time", "the time of the run is over");
    else if (x->failed.rc)
        work_end(x->w, BOUGH_RUN_FAILED, bough_rc_name(x->failed.rc), "%s", x->failed.msg);
    else if (x->rejected)
        work_end(x->w, BOUGH_RUN_FAILED, "rejected", "a tool call was rejected");
    else
        work_end(x->w, BOUGH_RUN_CANCELLED, NULL, "the agent stopped");
}

static void set_end(struct ext *x, bool followed, const struct acp_event *e, const char *stop)
{
    if (!followed || x->stop_rejected || (x->cancel_sent && e->kind == ACP_ENDED))
        end_cancelled(x);
    else if (!e->result.doc)
        ext_end_failed(x, &e->failure);
    else if (x->failed.rc || strcmp(stop, "cancelled") == 0 || work_flag(&x->w->cancel))
        end_cancelled(x);
    else
        work_end(x->w, BOUGH_RUN_COMPLETED, NULL, "%s", stop);
}

/* What the turn has changed in the workspace. */
static void add_patch(struct ext *x)
{
    struct diff_turn turn;

    if (!x->before.n || !diff_end(x->scratch, x->w->run->workspace, x->before, &turn))
        return;
    x->w->set.git = arena_str(x->w->a, turn.git);
    if (!turn.patch.n)
        return;
    ext_part(x, turn.patch);
    ext_keep(x, "patch", "changes.diff", acp_hide(x->acp, x->scratch, turn.text));
}

/* Stored with the end of the run. */
static void report(struct ext *x)
{
    struct bough_run_set_options *set = &x->w->set;

    set->context_used = x->used;
    set->context_size = x->size;
    set->turns = 1;
    set->tools = (int64_t)x->ntools;
}

static void finish(struct ext *x, bool followed, const struct acp_event *e)
{
    const char *stop = json_cstr(x->scratch, e->result, "stopReason");
    struct ext_seal seal = { .call = ext_call(x, e->result) };

    stop = arena_strdup(x->w->a, stop ? stop : "end_turn");
    if (work_flag(&x->w->lost))
        return;
    set_end(x, followed, e, stop);
    ext_asks_cancel(x);
    ext_tools_end(x, "interrupted, outcome unknown");
    add_patch(x);
    ext_artifacts(x);
    if (x->w->status == BOUGH_RUN_FAILED)
        seal.error = error_json(x, x->w->error_code, x->w->error);
    seal.finish = e->result.doc                         ? stop
                  : x->w->status == BOUGH_RUN_CANCELLED ? "cancelled"
                                                        : "error";
    report(x);
    ext_remember(x);
    ext_seal(x, &seal);
}

/* ---- the run ---- */

static void take_turn(struct ext *x)
{
    struct acp_event e = { 0 };
    struct bough_str params;
    bool is_new, followed;

    x->before = diff_begin(x->w->a, x->w->run->workspace);
    if (!ext_connect(x, &is_new))
        return;
    acp_keep_raw(x->acp);
    ext_open(x);
    params = ext_prompt(x, is_new);
    if (!params.n || x->failed.rc) {
        work_end(x->w, BOUGH_RUN_FAILED, "internal", "%s", x->failed.msg);
        ext_seal(x, &(struct ext_seal){ .finish = "error" });
        return;
    }
    x->request = acp_request(x->acp, "session/prompt", params);
    followed = follow(x, &e);
    finish(x, followed, &e);
    if (!followed || e.kind == ACP_ENDED || x->failed.rc) {
        agents_end(x->agents, x->warm);
        x->warm = NULL;
    }
}

/* The adapter and the folder, checked again. */
static bool is_ready(struct ext *x)
{
    struct run_work *w = x->w;
    struct bough_error err;
    const char *real;

    x->ad = adapter_find(agents_list(x->agents), w->run->adapter);
    if (!x->ad || x->ad->off)
        work_end(w, BOUGH_RUN_FAILED, "not_ready", "there is no agent %.60s: see `bough agents`",
                 w->run->adapter);
    else if (!*w->run->workspace)
        work_end(w, BOUGH_RUN_FAILED, "not_ready", "an external agent needs a workspace");
    else if (workspace_resolve(&w->all->settings, x->scratch, w->run->workspace, &real, &err))
        work_end(w, BOUGH_RUN_FAILED, "not_ready", "%s", err.msg);
    else if (strcmp(real, w->run->workspace) != 0)
        work_end(w, BOUGH_RUN_FAILED, "not_ready", "the workspace %.200s is another folder now",
                 w->run->workspace);
    return !w->ended;
}

void external_run(struct run_work *w)
{
    struct ext x = { .w = w,
                     .agents = runner_agents(w->all),
                     .scratch = bough_arena_create(),
                     .text_type = BOUGH_PART_OTHER,
                     .used = -1,
                     .size = -1,
                     .cost = -1 };

    buf_init(&x.text, 2 * EXT_TEXT_MOST);
    if (is_ready(&x))
        take_turn(&x);
    if (x.warm && (w->ended && w->status == BOUGH_RUN_FAILED && !x.request))
        agents_end(x.agents, x.warm); /* it did not begin */
    else if (x.warm)
        agents_rest(x.agents, x.warm);
    ext_tools_free(&x);
    ext_asks_free(&x);
    buf_finish(&x.text);
    bough_arena_destroy(x.scratch);
}
