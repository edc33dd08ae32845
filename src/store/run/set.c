/* Changing a live run: claim, renew, report, wait. */
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/lookup/check.h"
#include "store/run/run.h"

struct change_job {
    const char *id;
    int64_t epoch, lease_ms;
    const struct bough_run_claim_options *claim;
    const struct bough_run_set_options *set;
    int64_t settled; /* that the owner has seen */
    struct bough_run_renew_result renewed;
    struct run_at x;
};

static enum bough_rc change(struct bough_store *s, struct bough_arena *a, struct change_job *j,
                            enum bough_rc (*prepare)(struct prep *, void *, struct bough_error *),
                            struct bough_run **out, struct bough_error *err)
{
    struct request r = { .prepare = prepare, .user = j };
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc = write_run(s, tmp, &r, err);

    if (!rc && out)
        rc = run_read(s, a, j->x.row.sid, j->x.row.ord, out, err);
    bough_arena_destroy(tmp);
    return rc;
}

/* ---- claim ---- */

void run_wait_over(struct run_body *b, int64_t now)
{
    if (b->waiting && now > b->waiting)
        b->waited += now - b->waiting;
    b->waiting = 0;
}

static enum bough_rc check_claim(const struct run_at *x, const char *host, struct bough_error *err)
{
    enum bough_run_status status = (enum bough_run_status)x->b.status;

    if (bough_run_ended(status))
        return bough_fail(err, BOUGH_CONFLICT, "run %s has ended: it is %s", x->id,
                          bough_run_status_name(status));
    if (status == BOUGH_RUN_RUNNING || run_owned(x))
        return bough_fail(err, BOUGH_CONFLICT, "run %s is claimed: %.80s has it", x->id,
                          x->l.head.row.lease_owner);
    if (status == BOUGH_RUN_AWAITING_APPROVAL && x->b.settled == x->b.seen)
        return bough_fail(err, BOUGH_CONFLICT, "run %s waits for approval", x->id);
    if (*x->b.workspace && strcmp(x->b.host, host) != 0)
        return bough_fail(err, BOUGH_DENIED, "run %s has a workspace on host %.80s", x->id,
                          x->b.host);
    return BOUGH_OK;
}

static enum bough_rc prepare_claim(struct prep *p, void *user, struct bough_error *err)
{
    struct change_job *j = user;
    struct run_at *x = &j->x;
    enum bough_rc rc = run_load(p, j->id, x, err);

    if (!rc)
        rc = check_claim(x, j->claim->host, err);
    if (rc)
        return rc;
    run_take_lease(p, &x->l.head.row, x->id, j->claim->host, j->claim->lease_ms);
    x->b.status = BOUGH_RUN_RUNNING;
    x->b.started = x->b.started ? x->b.started : p->now;
    run_wait_over(&x->b, p->now);
    rc = run_put(p, x, true, err);
    run_log(p, x);
    return rc;
}

static enum bough_rc check_host(const char *host, struct bough_error *err)
{
    enum bough_rc rc = check_text("the host", host, LIMIT_NAME, err);

    if (!rc && cstr_empty(host))
        rc = bough_fail(err, BOUGH_INVALID, "a run is claimed by a host with a name");
    return rc;
}

enum bough_rc bough_run_claim(struct bough_store *s, struct bough_arena *a, const char *id,
                              const struct bough_run_claim_options *in, struct bough_run **out,
                              struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    struct change_job j = { .id = id, .claim = in };
    enum bough_rc rc = RESERVED_CHECK(bough_run_claim_options, in, err);

    if (!rc)
        rc = check_host(in->host, err);
    if (!rc)
        rc = lease_check(in->lease_ms, err);
    return rc ? rc : change(s, a, &j, prepare_claim, out, err);
}

/* ---- renew ---- */

static enum bough_rc prepare_renew(struct prep *p, void *user, struct bough_error *err)
{
    struct change_job *j = user;
    struct run_at *x = &j->x;
    enum bough_rc rc = run_load(p, j->id, x, err);

    if (!rc)
        rc = run_check_owner(p, x, j->epoch, err);
    if (rc)
        return rc;
    x->l.head.row.lease_expires = lease_end(p->now, j->lease_ms ? j->lease_ms : RUN_LEASE_MS);
    run_head_put(p, &x->l.head.row);
    p->t->relaxed = true;
    j->renewed = (struct bough_run_renew_result){ .cancel = x->b.cancel_time != 0,
                                                  .settled = x->b.settled,
                                                  .expires = x->l.head.row.lease_expires };
    return BOUGH_OK;
}

enum bough_rc bough_run_renew(struct bough_store *s, const char *id, int64_t epoch,
                              int64_t lease_ms, struct bough_run_renew_result *out,
                              struct bough_error *err)
{
    REQUIRE(s, err);

    struct change_job j = { .id = id, .epoch = epoch, .lease_ms = lease_ms };
    enum bough_rc rc = lease_check(lease_ms, err);

    if (!rc)
        rc = change(s, NULL, &j, prepare_renew, NULL, err);
    if (!rc && out)
        *out = j.renewed;
    return rc;
}

/* ---- report ---- */

static void set_text(const char **to, const char *from)
{
    *to = from ? from : *to;
}

static void set_number(int64_t *to, int64_t from)
{
    *to = from >= 0 ? from : *to;
}

void run_set_apply(struct run_body *b, const struct bough_run_set_options *in)
{
    set_text(&b->native, in->native_id);
    set_text(&b->provider, in->provider);
    set_text(&b->model, in->model);
    b->git = in->git.n ? in->git : b->git;
    b->data = in->data.n ? in->data : b->data;
    set_number(&b->turns, in->turns);
    set_number(&b->tools, in->tools);
    set_number(&b->context_used, in->context_used);
    set_number(&b->context_size, in->context_size);
}

enum bough_rc run_set_check(const struct bough_run_set_options *in, struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_run_set_options, in, err);

    if (!rc)
        rc = check_text("the agent's id of the session", in->native_id, LIMIT_ID, err);
    if (!rc)
        rc = check_text("the provider", in->provider, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the model", in->model, LIMIT_NAME, err);
    if (!rc)
        rc = check_object("the state of git", in->git, LIMIT_DATA, err);
    return rc ? rc : check_object("the data", in->data, LIMIT_DATA, err);
}

static enum bough_rc prepare_set(struct prep *p, void *user, struct bough_error *err)
{
    struct change_job *j = user;
    struct run_at *x = &j->x;
    enum bough_rc rc = run_load(p, j->id, x, err);

    if (!rc)
        rc = run_check_owner(p, x, j->epoch, err);
    if (rc)
        return rc;
    run_set_apply(&x->b, j->set);
    if (j->set->status && (int64_t)*j->set->status != x->b.status) {
        x->b.status = *j->set->status;
        if (x->b.status == BOUGH_RUN_AWAITING_APPROVAL)
            x->b.waiting = p->now;
        else
            run_wait_over(&x->b, p->now);
    }
    rc = run_put(p, x, false, err);
    run_log(p, x);
    return rc;
}

enum bough_rc bough_run_set(struct bough_store *s, struct bough_arena *a, const char *id,
                            int64_t epoch, const struct bough_run_set_options *in,
                            struct bough_run **out, struct bough_error *err)
{
    REQUIRE(s && a && in, err);

    struct change_job j = { .id = id, .epoch = epoch, .set = in };
    enum bough_rc rc = run_set_check(in, err);

    if (!rc && in->status && *in->status != BOUGH_RUN_RUNNING &&
        *in->status != BOUGH_RUN_AWAITING_APPROVAL)
        rc = bough_fail(err, BOUGH_INVALID,
                        "a run that lives is set to running or awaiting_approval, not to %s",
                        bough_run_status_name(*in->status));
    return rc ? rc : change(s, a, &j, prepare_set, out, err);
}

/* ---- wait ---- */

static enum bough_rc prepare_wait(struct prep *p, void *user, struct bough_error *err)
{
    struct change_job *j = user;
    struct run_at *x = &j->x;
    enum bough_rc rc = run_load(p, j->id, x, err);

    if (!rc)
        rc = run_check_owner(p, x, j->epoch, err);
    if (rc)
        return rc;
    if (x->b.settled != j->settled)
        return bough_fail(err, BOUGH_CONFLICT, "%lld approvals of run %s are settled, not %lld",
                          (long long)x->b.settled, x->id, (long long)j->settled);
    if (x->b.settled == x->b.approvals)
        return bough_fail(err, BOUGH_CONFLICT, "run %s has no approval to wait for", x->id);
    if (x->b.cancel_time) /* only the owner can end it, so it must not give it back */
        return bough_fail(err, BOUGH_CONFLICT, "run %s is to be cancelled", x->id);
    run_take_lease(p, &x->l.head.row, x->id, NULL, 0);
    x->b.status = BOUGH_RUN_AWAITING_APPROVAL;
    x->b.waiting = x->b.waiting ? x->b.waiting : p->now;
    x->b.seen = x->b.settled;
    rc = run_put(p, x, true, err);
    run_log(p, x);
    return rc;
}

enum bough_rc bough_run_wait(struct bough_store *s, const char *id, int64_t epoch, int64_t settled,
                             struct bough_error *err)
{
    REQUIRE(s, err);

    struct change_job j = { .id = id, .epoch = epoch, .settled = settled };

    return change(s, NULL, &j, prepare_wait, NULL, err);
}
