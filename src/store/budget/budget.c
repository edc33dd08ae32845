/* Set, list and remove budgets. */
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/budget/budget.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"
#include "store/write/audit.h"

/* ---- reading ---- */

/* All budgets with what was spent; `id` NULL: of all, else only of this one. */
static enum bough_rc read_filled(struct bough_store *s, struct bough_arena *a, const char *id,
                                 struct budgets *all, struct bough_error *err)
{
    int64_t now = env_now(&s->e->env);
    struct overlay o;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = overlay_build(&snap, a, 0, &o, err);
    if (!rc)
        rc = budgets_read(&snap, a, now, all, err);
    for (size_t i = 0; !rc && i < all->n; i++)
        if (!id || strcmp(id, all->at[i].b.id) == 0)
            rc = budget_fill(&snap, a, &o, now, &all->at[i], err);
    overlay_finish(&o);
    snap_end(&snap);
    return rc;
}

static enum bough_rc unknown_budget(const char *id, struct bough_error *err)
{
    return bough_fail(err, BOUGH_NOT_FOUND, "there is no budget %.60s", id);
}

enum bough_rc bough_budget_list(struct bough_store *s, struct bough_arena *a,
                                struct bough_budgets *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct budgets all;
    enum bough_rc rc = read_filled(s, a, NULL, &all, err);

    *out = (struct bough_budgets){ 0 };
    if (rc)
        return rc;
    out->at = arena_array(a, all.n + 1, sizeof *out->at);
    for (size_t i = 0; i < all.n; i++)
        out->at[out->n++] = all.at[i].b;
    return BOUGH_OK;
}

enum bough_rc bough_budget_status(struct bough_store *s, struct bough_arena *a, const char *id,
                                  struct bough_budget *out, struct bough_error *err)
{
    REQUIRE(s && a && id && out, err);

    const struct budget *found;
    struct budgets all;
    enum bough_rc rc = read_filled(s, a, id, &all, err);

    if (rc)
        return rc;
    found = budgets_find(&all, id);
    if (!found)
        return unknown_budget(id, err);
    *out = found->b;
    return BOUGH_OK;
}

/* ---- changing ---- */

struct job {
    struct bough_store *s;
    const struct bough_budget_set_options *in; /* set */
    const char *of;
    const char *id; /* remove */
    char made[BOUGH_ID_LEN + 1];
};

static const char *title_of(struct bough_arena *a, const struct bough_budget *b)
{
    return arena_printf(a, "%s %s%s%s", bough_budget_window_name(b->window),
                        bough_budget_scope_name(b->scope), *b->of ? " " : "", b->of);
}

/* The first record of the txn is the budget, so NEW_RECORD(0) names it. */
static void write_change(struct prep *p, const struct job *j, const struct budget *b,
                         const char *action, const char *detail)
{
    audit_put(p, j->s->principal, action, title_of(p->a, &b->b), detail);
    txn_changelog(p, CHANGELOG_RECORD, 0, 1);
    p->t->log.record = b->ord ? b->ord : NEW_RECORD(0);
    p->t->log.record_kind = RECORD_STATE;
}

static struct budget *same(struct budgets *all, const struct job *j)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].b.scope == j->in->scope && all->at[i].b.window == j->in->window &&
            strcmp(all->at[i].b.of, j->of) == 0)
            return &all->at[i];
    return NULL;
}

static enum bough_rc prepare_set(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    const struct budget *old;
    struct budgets all;
    struct budget b = { 0 };
    char cap[40];
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = budgets_read(snap, p->a, p->now, &all, err);
    if (rc)
        return rc;
    old = same(&all, j);
    if (!old && all.n >= BUDGETS_MOST)
        return bough_fail(err, BOUGH_TOO_LARGE, "a store has at most %d budgets", BUDGETS_MOST);
    if (old) {
        b = *old;
    } else {
        b.ord = all.free_ord;
        b.ver = all.free_ver;
        b.b.created = p->now;
        bough_id_new(b.b.id);
    }
    b.b.scope = j->in->scope;
    b.b.window = j->in->window;
    b.b.of = j->of;
    b.b.cap = j->in->cap;
    b.b.allow_unknown = j->in->allow_unknown;
    b.b.by = j->s->principal;
    b.b.updated = p->now;
    memcpy(j->made, b.b.id, sizeof j->made);
    budget_put(p, &b);
    bough_money_text(b.b.cap, cap, sizeof cap);
    write_change(p, j, &b, "set budget", arena_strdup(p->a, cap));
    return BOUGH_OK;
}

/* A session is named by its id, however the caller names it. */
static enum bough_rc read_of(struct job *j, struct bough_arena *a, struct bough_error *err)
{
    const struct bough_budget_set_options *in = j->in;
    struct snap snap;
    int64_t sid;
    enum bough_rc rc;

    j->of = cstr_empty(in->of) ? "" : in->of;
    if ((in->scope == BOUGH_BUDGET_STORE) != !*j->of)
        return bough_fail(err, BOUGH_INVALID,
                          in->scope == BOUGH_BUDGET_STORE ? "the budget of the store names nothing"
                                                          : "a budget names whose it is");
    if (in->scope != BOUGH_BUDGET_SESSION)
        return check_text("whose budget it is", j->of, LIMIT_PATH, err);
    rc = snap_session(j->s, in->of, &snap, &sid, err);
    if (rc)
        return rc;
    rc = session_id(&snap, a, sid, &j->of, err);
    snap_end(&snap);
    return rc;
}

static enum bough_rc check(const struct bough_budget_set_options *in, struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_budget_set_options, in, err);

    if (rc)
        return rc;
    if (!bough_budget_scope_name(in->scope) || !bough_budget_window_name(in->window))
        return bough_fail(err, BOUGH_INVALID, "a budget has a scope and a window");
    return in->cap >= 0 ? BOUGH_OK
                        : bough_fail(err, BOUGH_INVALID, "the cap of a budget is not negative");
}

enum bough_rc bough_budget_set(struct bough_store *s, struct bough_arena *a,
                               const struct bough_budget_set_options *in, struct bough_budget *out,
                               struct bough_error *err)
{
    REQUIRE(s && a && in, err);

    struct job j = { .s = s, .in = in };
    struct request r = { .prepare = prepare_set, .user = &j };
    enum bough_rc rc = check(in, err);

    if (!rc)
        rc = read_of(&j, a, err);
    if (!rc)
        rc = write_once(s, &r, err);
    return rc || !out ? rc : bough_budget_status(s, a, j.made, out, err);
}

static enum bough_rc prepare_remove(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    struct budgets all;
    struct budget *b;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = budgets_read(snap, p->a, p->now, &all, err);
    if (rc)
        return rc;
    b = budgets_find(&all, j->id);
    if (!b)
        return unknown_budget(j->id, err);
    b->nholds = 0;
    b->deleted = p->now;
    budget_put(p, b);
    write_change(p, j, b, "remove budget", "");
    return BOUGH_OK;
}

enum bough_rc bough_budget_remove(struct bough_store *s, const char *id, struct bough_error *err)
{
    REQUIRE(s && id, err);

    struct job j = { .s = s, .id = id };
    struct request r = { .prepare = prepare_remove, .user = &j };

    return write_once(s, &r, err);
}
