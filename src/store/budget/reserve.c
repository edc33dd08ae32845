/*
 * The check before a call. What was spent and what is reserved is read from one snapshot. The
 * reservation is written only if no budget that applies has another version by then: if another
 * call has reserved or released meanwhile, everything is read again. So no two calls count on the
 * same money, in whatever process they run.
 */
#include <string.h>

#include "base/limits.h"
#include "base/os/process.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "store/budget/budget.h"
#include "store/engine/lease.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"

enum {
    HOLD_MS = 3600 * 1000, /* no call lasts longer */
    TREE_MOST = 10000,     /* subagents above each other */
};

struct reserving {
    struct bough_store *s;
    struct bough_arena *a;
    const struct payer *payer;
    const struct bough_budget_ask *ask;
    const char *project, *account; /* names; "": none */
    const char **tree;             /* ids of the session and of those that spawned it */
    size_t ntree;
    int64_t now;
    struct budgets all;
    struct budget **apply; /* those that apply */
    size_t napply;
    struct hold hold;
    bool prepared;
    struct bough_error *err;
};

/* ---- which budgets apply ---- */

static enum bough_rc read_groups(struct reserving *r, struct snap *snap)
{
    const struct payer *payer = r->payer;
    int64_t groups[2];
    enum bough_rc rc;

    r->project = payer->project ? payer->project : "";
    r->account = payer->account ? payer->account : "";
    if (!payer->sid)
        return BOUGH_OK;
    r->project = r->account = "";
    rc = session_groups(snap, r->a, payer->sid, groups, r->err);
    if (!rc && groups[0] > 1)
        rc = snap_group(snap, r->a, RECORD_PROJECT, groups[0] - 1, &r->project, r->err);
    if (!rc && groups[1] > 1)
        rc = snap_group(snap, r->a, RECORD_ACCOUNT, groups[1] - 1, &r->account, r->err);
    return rc;
}

static enum bough_rc read_tree(struct reserving *r, struct snap *snap)
{
    struct identity who = { .kind = BOUGH_SUBAGENT, .parent = r->payer->tree };
    enum bough_rc rc = BOUGH_OK;

    r->ntree = 0;
    while (!rc && who.kind == BOUGH_SUBAGENT && who.parent && r->ntree < TREE_MOST) {
        int64_t sid = who.parent;

        r->tree = arena_room(r->a, r->tree, r->ntree, sizeof *r->tree);
        rc = session_id(snap, r->a, sid, &r->tree[r->ntree], r->err);
        r->ntree += !rc;
        if (!rc)
            rc = snap_identity(snap, sid, &who, r->err);
    }
    return rc;
}

static bool applies(const struct reserving *r, const struct bough_budget *b)
{
    switch (b->scope) {
    case BOUGH_BUDGET_STORE:
        return true;
    case BOUGH_BUDGET_PROJECT:
        return strcmp(b->of, r->project) == 0;
    case BOUGH_BUDGET_ACCOUNT:
        return strcmp(b->of, r->account) == 0;
    case BOUGH_BUDGET_TOKEN:
        return strcmp(b->of, r->s->principal) == 0;
    case BOUGH_BUDGET_SESSION:
        for (size_t i = 0; i < r->ntree; i++)
            if (strcmp(b->of, r->tree[i]) == 0)
                return true;
        return false;
    }
    return false;
}

/* ---- the check ---- */

static int64_t sum_of(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static enum bough_rc refuse(const struct reserving *r, const struct bough_budget *b,
                            enum bough_rc rc)
{
    struct bough_budget_refusal *to = r->ask->refusal;
    char spent[40], held[40], cap[40], cost[40], until[ISO_TEXT] = "never";

    if (to) {
        *to = (struct bough_budget_refusal){ .scope = b->scope,
                                             .window = b->window,
                                             .spent = b->spent,
                                             .held = b->held,
                                             .estimate = r->ask->unknown ? 0 : r->ask->estimate,
                                             .cap = b->cap,
                                             .until = b->until };
        memcpy(to->id, b->id, sizeof to->id);
    }
    bough_money_text(b->spent, spent, sizeof spent);
    bough_money_text(b->held, held, sizeof held);
    bough_money_text(b->cap, cap, sizeof cap);
    bough_money_text(r->ask->estimate, cost, sizeof cost);
    if (b->until)
        iso_print(b->until, until);
    return bough_fail(
        r->err, rc,
        "%s the %s budget of %s%s%.40s: $%s spent and $%s reserved of $%s%s%s; the window ends %s",
        rc == BOUGH_PRICE_UNKNOWN ? "the price is not known, which is not allowed by"
                                  : "the call does not fit into",
        bough_budget_window_name(b->window), bough_budget_scope_name(b->scope), *b->of ? " " : "",
        b->of, spent, held, cap, rc == BOUGH_PRICE_UNKNOWN ? "" : ", it may cost $",
        rc == BOUGH_PRICE_UNKNOWN ? "" : cost, until);
}

/* A call without a price costs something: it needs something that is left. */
static enum bough_rc check_one(const struct reserving *r, const struct bough_budget *b)
{
    int64_t estimate = r->ask->unknown ? 1 : r->ask->estimate;

    if (r->ask->unknown && !b->allow_unknown)
        return refuse(r, b, BOUGH_PRICE_UNKNOWN);
    if (sum_of(sum_of(b->spent, b->held), estimate) > b->cap)
        return refuse(r, b, BOUGH_BUDGET_EXCEEDED);
    return BOUGH_OK;
}

static enum bough_rc find_those(struct reserving *r, struct snap *snap)
{
    enum bough_rc rc = budgets_read(snap, r->a, r->now, &r->all, r->err);

    r->napply = 0;
    if (rc || !r->all.n)
        return rc;
    rc = read_groups(r, snap);
    if (!rc)
        rc = read_tree(r, snap);
    if (rc)
        return rc;
    r->apply = arena_array(r->a, r->all.n, sizeof(struct budget *));
    for (size_t i = 0; i < r->all.n; i++)
        if (applies(r, &r->all.at[i].b))
            r->apply[r->napply++] = &r->all.at[i];
    return BOUGH_OK;
}

static enum bough_rc check_all(struct reserving *r)
{
    struct overlay o;
    struct snap snap;
    enum bough_rc rc = snap_begin(r->s, &snap, r->err);

    if (rc)
        return rc;
    rc = find_those(r, &snap);
    if (!rc && r->napply) {
        rc = overlay_build(&snap, r->a, 0, &o, r->err);
        for (size_t i = 0; !rc && i < r->napply; i++) {
            rc = budget_fill(&snap, r->a, &o, r->now, r->apply[i], r->err);
            if (!rc)
                rc = check_one(r, &r->apply[i]->b);
        }
        overlay_finish(&o);
    }
    snap_end(&snap);
    return rc;
}

/* ---- writing ---- */

/* Every budget is written with the version that was read. A second run means that one has another
 * version by now. */
static enum bough_rc prepare_reserve(struct prep *p, void *user, struct bough_error *err)
{
    struct reserving *r = user;

    if (r->prepared)
        return bough_fail(err, BOUGH_CONFLICT, "another call has used a budget meanwhile");
    r->prepared = true;
    for (size_t i = 0; i < r->napply; i++) {
        struct budget *b = r->apply[i];

        if (b->nholds >= HOLDS_MOST)
            return bough_fail(err, BOUGH_OVERLOADED, "a budget has at most %d calls at a time",
                              HOLDS_MOST);
        b->holds = arena_room(r->a, b->holds, b->nholds, sizeof *b->holds);
        b->holds[b->nholds++] = r->hold;
        budget_put(p, b);
    }
    return BOUGH_OK;
}

static enum bough_rc attempt(struct reserving *r, bool dry)
{
    struct request req = { .prepare = prepare_reserve, .user = r };
    enum bough_rc rc;

    r->now = env_now(&r->s->e->env);
    r->hold.expires = lease_end(r->now, r->ask->lease_ms ? r->ask->lease_ms : HOLD_MS);
    r->prepared = false;
    rc = check_all(r);
    return rc || dry || !r->napply ? rc : write_once(r->s, &req, r->err);
}

static enum bough_rc check_ask(const struct bough_budget_ask *ask, struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_budget_ask, ask, err);

    if (!rc)
        rc = lease_check(ask->lease_ms, err);
    if (!rc && ask->estimate < 0)
        rc = bough_fail(err, BOUGH_INVALID, "what a call may cost is not negative");
    return rc;
}

enum bough_rc budget_reserve(struct bough_store *s, const struct payer *payer,
                             const struct bough_budget_ask *ask, char hold[BOUGH_ID_LEN + 1],
                             struct bough_error *err)
{
    struct reserving r = { .s = s, .payer = payer, .ask = ask, .err = err };
    struct deadline p = store_deadline(s);
    char id[BOUGH_ID_LEN + 1], process[PROCESS_TEXT];
    enum bough_rc rc = check_ask(ask, err);

    if (hold)
        *hold = '\0';
    if (rc || (!ask->unknown && !ask->estimate))
        return rc;
    bough_id_new(id);
    process_self(process);
    r.hold =
        (struct hold){ .id = id, .cost = ask->unknown ? 0 : ask->estimate, .process = process };
    r.a = bough_arena_create();
    do {
        bough_arena_reset(r.a);
        r.tree = NULL;
        rc = attempt(&r, !hold);
    } while (rc == BOUGH_CONFLICT && !deadline_passed(&p));
    if (!rc && hold && r.napply)
        memcpy(hold, id, sizeof id);
    bough_arena_destroy(r.a);
    return rc == BOUGH_CONFLICT ? bough_fail(err, deadline_rc(&p), "the budgets are in use") : rc;
}

enum bough_rc bough_budget_reserve(struct bough_store *s,
                                   const struct bough_budget_reserve_options *in,
                                   char hold[BOUGH_ID_LEN + 1], struct bough_error *err)
{
    REQUIRE(s && in && hold, err);

    struct payer payer = { .project = in->project, .account = in->account };
    struct snap snap;
    enum bough_rc rc = RESERVED_CHECK(bough_budget_reserve_options, in, err);

    *hold = '\0';
    if (!rc)
        rc = check_text("the project", in->project, LIMIT_PATH, err);
    if (!rc)
        rc = check_text("the account", in->account, LIMIT_NAME, err);
    if (!rc && !cstr_empty(in->session)) {
        rc = snap_session(s, in->session, &snap, &payer.sid, err);
        if (!rc)
            snap_end(&snap);
        payer.tree = payer.sid;
    }
    return rc ? rc : budget_reserve(s, &payer, &in->ask, hold, err);
}

/* ---- releasing ---- */

static bool drop_hold(struct budget *b, const char *id)
{
    for (size_t i = 0; i < b->nholds; i++)
        if (strcmp(b->holds[i].id, id) == 0) {
            b->holds[i] = b->holds[--b->nholds];
            return true;
        }
    return false;
}

/* Relaxed: after a power failure the process has ended, and its reservations with it. */
static enum bough_rc prepare_release(struct prep *p, void *user, struct bough_error *err)
{
    struct budgets all;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = budgets_read(snap, p->a, p->now, &all, err);
    for (size_t i = 0; !rc && i < all.n; i++)
        if (drop_hold(&all.at[i], user))
            budget_put(p, &all.at[i]);
    p->t->relaxed = true;
    return rc;
}

enum bough_rc bough_budget_release(struct bough_store *s, const char *hold, struct bough_error *err)
{
    REQUIRE(s && hold, err);

    struct request r = { .prepare = prepare_release, .user = (void *)(uintptr_t)hold };

    return *hold ? write_once(s, &r, err) : BOUGH_OK;
}
