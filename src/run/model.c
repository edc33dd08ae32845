/* Runs of one model call: prepare it, and end as the call ended. */
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/runner.h"
#include "run/step.h"

const char *run_error_code(enum bough_rc rc)
{
    switch (rc) {
    case BOUGH_BUDGET_EXCEEDED:
    case BOUGH_PRICE_UNKNOWN:
        return "budget";
    case BOUGH_NOT_FOUND:
    case BOUGH_INVALID:
    case BOUGH_DENIED:
    case BOUGH_NOT_READY:
        return "not_ready";
    default:
        return "store";
    }
}

int64_t run_max_output(struct bough_arena *a, const struct bough_run *run)
{
    struct json j;
    int64_t n = 0;

    if (json_parse(a, run->data, &j, NULL) == BOUGH_OK)
        json_i64(json_member(j, "max_output_tokens"), &n);
    return n;
}

/* The call of the request that began the run, or a new one. */
static enum bough_rc begin_turn(struct run_work *w, const char *at, struct turn **out,
                                struct bough_error *err)
{
    struct turn_options how = { .store = w->store,
                                .session = w->run->session,
                                .provider = w->run->provider,
                                .model = w->run->model,
                                .max_output = run_max_output(w->a, w->run) };
    const char *reply;
    enum bough_rc rc;

    if (w->turn) {
        *out = w->turn;
        w->turn = NULL;
        return BOUGH_OK;
    }
    rc = turn_create(out, w->all->config.gateway, &how, err);
    if (rc)
        return rc;
    rc = turn_open(*out, &(struct turn_open_options){ at, w->owner, w->epoch }, &reply, err);
    if (rc) {
        turn_destroy(*out);
        *out = NULL;
    }
    return rc;
}

/* What the run says of the call. */
static void report(struct run_work *w, const struct turn *t, const struct turn_result *got)
{
    w->set.turns = ++w->run->turns;
    w->set.provider = arena_strdup(w->a, turn_provider(t));
    w->set.model = arena_strdup(w->a, turn_model(t));
    if (got->context)
        w->set.context_used = got->context;
}

bool step_model(struct run_work *w, const struct step_options *in, struct turn **turn,
                struct turn_result *got)
{
    struct bough_error err = { 0 };
    struct turn_answer_options how = { .system_prompt = in->system_prompt,
                                       .tools = in->tools,
                                       .ntools = in->ntools,
                                       .cancel = &w->cancel,
                                       .stop = &w->stop,
                                       .ending = &w->answered,
                                       .renew_ms = w->all->renew_ms };
    enum bough_rc rc = begin_turn(w, in->at, turn, &err);

    if (!rc)
        rc = turn_answer(*turn, &how, got, &err);
    if (rc) {
        work_end(w, BOUGH_RUN_FAILED, run_error_code(rc), "%s", err.msg);
        return false;
    }
    report(w, *turn, got);
    if (work_flag(&w->cancel))
        work_end_cancelled(w);
    else if (strcmp(got->status, "error") == 0)
        work_end(w, BOUGH_RUN_FAILED, "provider", "%s", got->error);
    else if (strcmp(got->status, "interrupted") == 0)
        work_end(w, BOUGH_RUN_FAILED, "provider", "the reply ended early");
    return !w->ended;
}

/* The entry that is answered: the prompt, or the head. */
const char *run_answers(struct run_work *w, struct bough_error *err)
{
    struct bough_head at;
    struct bough_entry *e;

    if (*w->run->prompt && !w->run->turns)
        return w->run->prompt;
    if (bough_head_get(w->store, w->a, w->run->session, &at, &e, err))
        return NULL;
    if (!e) {
        (void)bough_fail(err, BOUGH_INVALID, "the conversation is empty");
        return NULL;
    }
    return e->id;
}

void model_run(struct run_work *w)
{
    struct bough_error err = { 0 };
    struct step_options how = { .at = run_answers(w, &err),
                                .system_prompt = w->run->system_prompt };
    struct turn *turn = NULL;
    struct turn_result got;

    if (!how.at)
        work_end(w, BOUGH_RUN_FAILED, run_error_code(err.rc), "%s", err.msg);
    else if (work_flag(&w->cancel) && !w->turn)
        work_end_cancelled(w);
    else if (step_model(w, &how, &turn, &got))
        work_end(w, BOUGH_RUN_COMPLETED, NULL, "completed");
    turn_destroy(turn);
}
