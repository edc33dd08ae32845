/* Permission requests of an agent: rules, grants and persons answer them. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "run/external/inside.h"
#include "run/runner.h"

static const char *const defaults[] = { "ask", "allow", "deny" };

static void set_status(struct ext *x, enum bough_run_status status)
{
    struct bough_run_set_options set = BOUGH_RUN_SET_NOTHING;

    set.status = &status;
    if (!x->failed.rc)
        x->failed.rc = work_set(x->w, &set, &x->failed);
}

/* ---- answers ---- */

static void answer(struct ext *x, const char *request, const char *option)
{
    struct json id;

    if (json_parse(x->scratch, str_of(request), &id, NULL) == BOUGH_OK)
        acp_select(x->acp, id, option);
}

/* The option of this kind in a raw array, or NULL. With `id`: the one with this id. */
static const char *option_in(struct ext *x, const char *options, const char *kind, const char *id)
{
    struct json root;
    struct json_iter it;

    if (json_parse(x->scratch, str_of(options), &root, NULL))
        return NULL;
    it = json_iter(root);
    while (json_next(&it))
        if (id ? json_is(json_member(it.value, "optionId"), id)
               : json_is(json_member(it.value, "kind"), kind))
            return json_cstr(x->scratch, it.value, "optionId");
    return NULL;
}

/* What the agent is told: what the person picked, else allow_once or reject_once, whatever the
 * scope, so that grants can be taken back. NULL: cancelled. */
static const char *choose(struct ext *x, const char *options, bool allowed, const char *picked)
{
    const char *option = cstr_empty(picked) ? NULL : option_in(x, options, NULL, picked);

    return option ? option : option_in(x, options, allowed ? "allow_once" : "reject_once", NULL);
}

/* ---- asking ---- */

static void wait_for_person(struct ext *x, const struct acp_permission *p,
                            const struct bough_approval *approval)
{
    struct ext_ask *ask = &x->asks[x->nasks];

    *ask = (struct ext_ask){ .request = ext_dup(json_raw(p->id)),
                             .options = ext_dup(p->raw_options),
                             .expires = approval->expires };
    snprintf(ask->approval, sizeof ask->approval, "%s", approval->id);
    if (x->nasks++ == 0)
        set_status(x, BOUGH_RUN_AWAITING_APPROVAL);
}

/* A rule or a grant allows it, but the agent offers nothing that lasts only once: a person picks.
 */
static enum bough_rc ask_person(struct ext *x, const struct work_ask *in,
                                struct bough_approval **out)
{
    struct bough_approval_add_options add = { .entry = in->entry,
                                              .part = in->part,
                                              .tool = in->tool,
                                              .kind = in->kind,
                                              .title = in->title,
                                              .options = in->options,
                                              .expires = in->expires };

    return bough_approval_add(x->w->store, x->w->a, x->w->run->id, x->w->epoch, &add, out,
                              &x->failed);
}

static void decide(struct ext *x, const struct acp_permission *p, const struct work_ask *in)
{
    struct bough_approval *approval = NULL;
    enum work_answer said = WORK_DENIED;
    const char *request = arena_strndup(x->scratch, json_raw(p->id).p, json_raw(p->id).n);
    const char *options = arena_strndup(x->scratch, p->raw_options.p, p->raw_options.n);

    x->failed.rc = work_ask(x->w, in, &said, &approval, &x->failed);
    if (!x->failed.rc && said == WORK_ALLOWED && !acp_option_of(p, "allow_once")) {
        said = WORK_PENDING;
        x->failed.rc = ask_person(x, in, &approval);
    }
    if (!x->failed.rc && said == WORK_PENDING && approval) {
        wait_for_person(x, p, approval);
        return;
    }
    x->rejected |= said != WORK_ALLOWED;
    answer(x, request, x->failed.rc ? NULL : choose(x, options, said == WORK_ALLOWED, NULL));
}

void ext_asked(struct ext *x, const struct acp_permission *p)
{
    struct ext_tool *tool = ext_tool_take(x, &p->tool, false);
    const char *kind = tool && tool->kind ? tool->kind : "other";
    struct work_ask in = { .tool = arena_printf(x->scratch, "%s/%s", x->ad->name, kind),
                           .kind = kind,
                           .title = tool && tool->title ? tool->title : "",
                           .otherwise = defaults[x->ad->approve],
                           .options = p->raw_options };

    ext_tools_flush(x);
    ext_save(x, ext_now(), 0); /* an approval names a part that is stored */
    if (!tool || tool->message != x->message || x->failed.rc || x->cancel_sent ||
        x->nasks == EXT_ASKS_MOST) {
        acp_cancel_ask(x->acp, p->id);
        return;
    }
    in.entry = x->writing.id;
    in.part = (int64_t)tool->part;
    in.expires = work_now(x->w) + EXT_ASK_MS;
    decide(x, p, &in);
}

/* ---- waiting ---- */

static void remove_ask(struct ext *x, size_t i)
{
    mem_free(x->asks[i].request);
    mem_free(x->asks[i].options);
    x->asks[i] = x->asks[--x->nasks];
    if (x->nasks == 0)
        set_status(x, BOUGH_RUN_RUNNING);
}

static void take_decision(struct ext *x, const struct ext_ask *ask, const struct bough_approval *p)
{
    bool allowed = p->status == BOUGH_APPROVAL_APPROVED;
    bool asked = allowed || p->status == BOUGH_APPROVAL_REJECTED;

    x->rejected |= p->status == BOUGH_APPROVAL_REJECTED;
    x->stop_rejected |= p->status == BOUGH_APPROVAL_REJECTED && p->stop;
    answer(x, ask->request, asked ? choose(x, ask->options, allowed, p->option) : NULL);
}

/* True: it is settled and answered. */
static bool look_at(struct ext *x, const struct ext_ask *ask)
{
    struct bough_approval_resolve_options late = { .status = BOUGH_APPROVAL_TIMED_OUT,
                                                   .path = BOUGH_PATH_TIMEOUT };
    struct bough_approval *p;

    if (bough_approval_get(x->w->store, x->scratch, ask->approval, &p, &x->failed)) {
        x->failed.rc = BOUGH_OK; /* a store that fails for a moment is asked again */
        return false;
    }
    if (p->status == BOUGH_APPROVAL_PENDING && work_now(x->w) >= ask->expires)
        ext_warn(x, bough_approval_resolve(x->w->store, x->scratch, ask->approval, &late, &p, NULL),
                 "an approval was not timed out");
    if (p->status == BOUGH_APPROVAL_PENDING)
        return false;
    take_decision(x, ask, p);
    return true;
}

void ext_asks_look(struct ext *x)
{
    for (size_t i = x->nasks; i-- > 0;)
        if (look_at(x, &x->asks[i]))
            remove_ask(x, i);
}

static void settle(struct ext *x, const struct ext_ask *ask)
{
    struct bough_approval_resolve_options how = { .status = BOUGH_APPROVAL_CANCELLED,
                                                  .path = BOUGH_PATH_RUN_ENDED };

    ext_warn(x, bough_approval_resolve(x->w->store, x->scratch, ask->approval, &how, NULL, NULL),
             "an approval was not cancelled");
}

void ext_asks_cancel(struct ext *x)
{
    while (x->nasks) {
        answer(x, x->asks[x->nasks - 1].request, NULL);
        settle(x, &x->asks[x->nasks - 1]);
        remove_ask(x, x->nasks - 1);
    }
}

void ext_ask_withdrawn(struct ext *x, struct json id)
{
    for (size_t i = x->nasks; i-- > 0;) {
        if (!str_eq(str_of(x->asks[i].request), json_raw(id)))
            continue;
        acp_refuse(x->acp, id, ACP_CANCELLED, "the request was withdrawn");
        settle(x, &x->asks[i]);
        remove_ask(x, i);
    }
}

void ext_asks_free(struct ext *x)
{
    while (x->nasks--) {
        mem_free(x->asks[x->nasks].request);
        mem_free(x->asks[x->nasks].options);
    }
}
