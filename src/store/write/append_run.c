/* Running an append: the request, its retries and its answer; and the public call. */
#include <string.h>

#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/find.h"
#include "store/write/append.h"

/* The first attempt skips these lookups and lost. Check the key and the ids before trying again. */
static enum bough_rc prepare_again(struct prep *p, void *job, struct bough_error *err)
{
    struct append_job *j = job;
    struct key_row row;
    struct snap *snap;
    enum bough_rc rc = BOUGH_OK;

    if (j->key) {
        rc = prep_snap(p, &snap, err);
        if (!rc && snap->ops->key_get(snap->v, p->a, j->key, &row, NULL) == BOUGH_OK &&
            row.expires > p->now)
            return bough_fail(err, BOUGH_KEY_CONFLICT, "the key is known");
    }
    if (!rc)
        rc = append_taken(p, j, err);
    return rc ? rc : append_prepare(p, job, err);
}

static enum bough_rc prepare_first(struct prep *p, void *job, struct bough_error *err)
{
    struct request *r = (struct request *)(void *)((char *)p->t - offsetof(struct request, txn));

    return r->tries ? prepare_again(p, job, err) : append_prepare(p, job, err);
}

static void answer(struct append_job *j, struct bough_arena *a, const struct txn *t,
                   struct bough_append_result *out)
{
    *out = (struct bough_append_result){ .n = j->plan.n, .no = t->no, .first_mno = j->first_mno };
    out->ids = arena_zalloc(a, (j->plan.n ? j->plan.n : 1) * sizeof *out->ids);
    for (size_t i = 0; i < j->plan.n; i++)
        id_entry(j->plan.entries[i].x.made, j->first.branch, j->first.depth + (int64_t)i,
                 j->plan.entries[i].x.chk, out->ids[i]);
    out->head =
        j->plan.n && !j->keep_head
            ? (struct bough_head){ j->first.branch, j->first.depth + (int64_t)j->plan.n - 1 }
            : j->before;
    if (j->plan.ncalls)
        id_record(j->plan.calls[0].body.made, j->sid, RECORD_CALL, t->ords[0],
                  j->plan.calls[0].body.chk, out->call);
}

enum bough_rc append_run(struct bough_store *s, struct bough_arena *a, struct append_job *j,
                         struct bough_append_result *out, struct bough_error *err)
{
    struct request r = { .prepare = prepare_first, .done = append_done, .user = j, .sid = j->sid };
    struct bough_error why = { 0 };
    bool known = false;
    enum bough_rc rc = plan_write(s, a, &j->plan, &r, &j->restore, &why), again;

    if (!rc) {
        answer(j, a, &r.txn, out);
        return BOUGH_OK;
    }
    again = append_known(s, a, j, &known, out, err);
    if (known)
        return again;
    if (err)
        *err = why;
    return rc;
}

/* ---- the public call ---- */

static enum bough_rc look_up(struct bough_store *s, struct bough_arena *a, const char *session,
                             const struct bough_append_options *in, struct append_job *j,
                             struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc;

    j->at_set = in->at_root || !cstr_empty(in->at);
    if (!j->plan.resolve && cstr_empty(in->at))
        return BOUGH_OK;
    rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = find_session(&snap, session, &j->sid, err); /* only a snapshot shows purges, the cache does
                                                        not */
    if (!rc && !cstr_empty(in->at))
        rc = find_entry(&snap, j->sid, in->at, &j->at, err);
    if (!rc)
        rc = plan_resolve(&snap, a, j->sid, &j->plan, err);
    snap_end(&snap);
    return rc;
}

enum bough_rc append_all(struct bough_store *s, struct bough_arena *a, const char *session,
                         const struct bough_append_options *in, const struct append_how *how,
                         struct bough_append_result *out, struct bough_error *err)
{
    struct append_job j = { .s = s,
                            .keep_head = in->keep_head,
                            .expect_head = in->expect_head,
                            .owner = in->owner,
                            .epoch = in->epoch,
                            .heed_lease = how->heed_lease,
                            .as = how->as,
                            .open = how->open };
    enum bough_rc rc = RESERVED_CHECK(bough_append_options, in, err);

    if (!rc && !in->n && !in->call)
        rc = bough_fail(err, BOUGH_INVALID, "nothing to append");
    if (!rc && in->at_root && !cstr_empty(in->at))
        rc = bough_fail(err, BOUGH_INVALID, "append behind an entry or begin a new root, not both");
    if (!rc) /* arguments before the session, which may be cached although it was purged */
        rc = plan_build_how(s, a, in, &how->plan, &j.plan, err);
    if (!rc)
        rc = find_session_fast(s, session, &j.sid, err);
    if (!rc)
        rc = look_up(s, a, session, in, &j, err);
    if (rc)
        return rc;
    if (!cstr_empty(in->key)) {
        j.key = append_key(s, a, j.sid, in->key, err);
        if (!j.key)
            return BOUGH_INVALID;
        plan_hash(a, &j.plan, in, j.hash);
    }
    return append_run(s, a, &j, out, err);
}

enum bough_rc bough_append(struct bough_store *s, struct bough_arena *a, const char *session,
                           const struct bough_append_options *in, struct bough_append_result *out,
                           struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    return append_all(s, a, session, in, &(struct append_how){ .heed_lease = true }, out, err);
}
