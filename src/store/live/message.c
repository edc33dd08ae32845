/* The public API of open messages: open, step, flush, seal, take over. */
#include <bough/message.h>

#include <string.h>

#include "base/limits.h"
#include "base/os/process.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/live/live.h"
#include "store/live/seal.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/write/append.h"

/* ---- opening ---- */

static enum bough_rc check_new(const struct bough_message_open_options *in, struct bough_error *err)
{
    const struct bough_entry_new *e = in->entry;

    if (!e || e->kind != BOUGH_ENTRY_MESSAGE)
        return bough_fail(err, BOUGH_INVALID, "only a message can be opened");
    if (e->nparts || e->text)
        return bough_fail(err, BOUGH_INVALID, "an open message begins empty: add parts as steps");
    if (e->usage || e->by_call || !cstr_empty(e->call))
        return bough_fail(err, BOUGH_INVALID, "usage and call come when the message is sealed");
    if (lease_check(in->lease_ms, err))
        return BOUGH_INVALID;
    return check_text("the owner", in->owner, LIMIT_NAME, err);
}

enum bough_rc bough_message_open(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const struct bough_message_open_options *in,
                                 struct bough_message_open_result *out, struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    struct bough_append_options append = { .entries = in->entry,
                                           .n = 1,
                                           .at = in->at,
                                           .at_root = in->at_root,
                                           .expect_head = in->expect_head,
                                           .key = in->key,
                                           .epoch = in->epoch };
    char process[PROCESS_TEXT];
    struct open_row row = { .lease_ms = in->lease_ms ? in->lease_ms : LEASE_MS,
                            .owner = in->owner ? in->owner : "",
                            .process = process,
                            .client = in->client,
                            .wanted = "" };
    struct bough_append_result done;
    enum bough_rc rc = RESERVED_CHECK(bough_message_open_options, in, err);

    if (!rc)
        rc = check_new(in, err);
    if (rc)
        return rc;
    process_self(process);
    rc = append_all(s, a, session, &append,
                    &(struct append_how){ .open = &row, .heed_lease = true, .as = in->owner },
                    &done, err);
    if (rc)
        return rc;
    *out = (struct bough_message_open_result){
        .writing.epoch = 1, .head = done.head, .no = done.no, .mno = done.first_mno
    };
    memcpy(out->writing.id, done.ids[0], BOUGH_ID_LEN + 1);
    return BOUGH_OK;
}

/* ---- steps ---- */

/* Find the entry of an id. The lookup also verifies the id's check bits. */
static enum bough_rc locate(struct bough_store *s, const char *id, struct bough_head *at,
                            struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = find_entry(&snap, 0, id, at, err);
    snap_end(&snap);
    return rc;
}

/* Get the message for writing. No store access if this process already writes it. */
static enum bough_rc enter(struct bough_store *s, const struct bough_writing *w, bool numbered,
                           struct live **out, struct bough_error *err)
{
    struct bough_head at;
    struct id id;
    enum bough_rc rc = RESERVED_CHECK(bough_writing, w, err);

    if (rc)
        return rc;
    if (s->e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    if (id_parse(str_of(w->id), &id) && id.space == 0 &&
        live_known(s->e, (struct bough_head){ id.number, id.position }, w->id))
        return live_enter(s, (struct bough_head){ id.number, id.position }, w->epoch, numbered, out,
                          err);
    rc = locate(s, w->id, &at, err);
    if (!rc)
        rc = live_enter(s, at, w->epoch, numbered, out, err);
    if (!rc)
        live_name(*out, w->id);
    return rc;
}

static void tell(struct engine *e, const struct live *l, struct bough_message_step_result *out)
{
    if (out)
        *out = (struct bough_message_step_result){ .last = l->draft.last,
                                                   .saved = l->saved,
                                                   .durable = live_durable(e, l),
                                                   .offset = (int64_t)draft_size(&l->draft) };
}

static enum bough_rc take_steps(struct live *l, int64_t first, const struct bough_step *steps,
                                size_t n, struct bough_error *err)
{
    struct bough_error why;
    enum bough_rc rc;

    if (l->sealing)
        return bough_fail(err, BOUGH_CONFLICT, "the message is being sealed");
    if (first <= 0)
        first = l->draft.last + 1;
    if (first > l->draft.last + 1)
        return bough_fail(err, BOUGH_CONFLICT, "the next step is %lld, not %lld",
                          (long long)l->draft.last + 1, (long long)first);
    for (size_t i = 0; i < n; i++) {
        int64_t number = first + (int64_t)i;

        if (number <= l->draft.last)
            continue; /* sent again by the client */
        rc = RESERVED_CHECK(bough_step, &steps[i], &why);
        if (!rc)
            rc = draft_step(&l->draft, &steps[i], &why);
        if (rc)
            return bough_fail(err, rc, "step %lld: %.200s", (long long)number, why.msg);
    }
    return BOUGH_OK;
}

enum bough_rc bough_message_step(struct bough_store *s, const struct bough_writing *w,
                                 int64_t first, const struct bough_step *steps, size_t n,
                                 struct bough_message_step_result *out, struct bough_error *err)
{
    REQUIRE(s && w && (steps || !n), err);

    struct live *l = NULL;
    size_t before;
    enum bough_rc rc = enter(s, w, first > 0, &l, err), saved = BOUGH_OK;

    if (rc || !l)
        return rc;
    before = draft_size(&l->draft);
    rc = take_steps(l, first, steps, n, err);
    if (draft_size(&l->draft) != before)
        live_touched(s->e, l);
    if (live_is_due(l) && !l->sealing)
        saved = live_save(s, l, RENEW_LATE, rc ? NULL : err);
    tell(s->e, l, out);
    live_leave(s->e, l);
    return rc ? rc : saved;
}

enum bough_rc bough_message_flush(struct bough_store *s, const struct bough_writing *w,
                                  struct bough_message_step_result *out, struct bough_error *err)
{
    REQUIRE(s && w, err);

    struct live *l = NULL;
    enum bough_rc rc = enter(s, w, false, &l, err);

    if (rc || !l)
        return rc;
    rc = live_save(s, l, RENEW_NOW, err);
    tell(s->e, l, out);
    live_leave(s->e, l);
    return rc;
}

/* ---- sealing ---- */

struct ending {
    struct open_row row;
    struct sealing sealing;
    const struct bough_part *parts;
    size_t nparts;
    const struct bough_message_seal_options *seal;
    struct seal_extra *extra; /* or NULL */
    struct request request;
};

static void add_seen(struct prep *p, const struct ending *x)
{
    for (size_t i = 0; x->extra && i < x->extra->nseen; i++) {
        struct seen_row *row = &txn_change(p, CHANGE_SEEN_ADD)->u.seen;

        *row = x->extra->seen[i];
        row->bid = x->row.bid;
        row->depth = x->row.depth;
    }
}

static enum bough_rc seal_prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct ending *x = user;
    struct bough_head at = { x->row.bid, x->row.depth };
    struct open_row now;
    enum bough_rc rc = open_held(p, at, x->row.epoch, &now, err);

    if (!rc && strcmp(now.process, x->row.process) != 0)
        rc = bough_fail(err, BOUGH_BUSY, "another server collects the steps of this message now");
    if (!rc)
        rc = open_seal(p, &now, &x->sealing, err);
    add_seen(p, x);
    return rc;
}

/* The call that was stored, for the caller. */
static void tell_call(struct ending *x)
{
    const struct plan *plan = &x->sealing.plan;

    if (x->extra && plan->ncalls)
        id_record(plan->calls[0].body.made, x->row.sid, RECORD_CALL, x->request.txn.ords[0],
                  plan->calls[0].body.chk, x->extra->call);
}

static enum bough_rc ending_parts(struct bough_arena *a, const struct live *l, struct ending *x,
                                  struct bough_error *err)
{
    struct bough_part *given;

    if (x->seal->last > l->draft.last)
        return bough_fail(err, BOUGH_CONFLICT,
                          "the last step is %lld, not %lld: send the steps after it again",
                          (long long)l->draft.last, (long long)x->seal->last);
    if (!x->seal->parts) {
        x->parts = draft_parts(a, &l->draft);
        x->nparts = l->draft.nparts;
        return BOUGH_OK;
    }
    if (x->seal->nparts > LIMIT_PARTS)
        return bough_fail(err, BOUGH_TOO_LARGE, "a message has at most %d parts", LIMIT_PARTS);
    given = arena_array(a, x->seal->nparts + 1, sizeof *given);
    for (size_t i = 0; i < x->seal->nparts; i++)
        given[i].json = x->seal->parts[i];
    x->parts = given;
    x->nparts = x->seal->nparts;
    return BOUGH_OK;
}

/* Seal the message once. BOUGH_BUSY: another process became its holder meanwhile. */
static enum bough_rc seal_once(struct bough_store *s, struct bough_arena *a,
                               const struct bough_writing *w, struct ending *x,
                               struct bough_error *err)
{
    struct bough_head at;
    struct live *l = NULL;
    bool begun;
    enum bough_rc rc = enter(s, w, x->seal->last > 0, &l, err);

    if (rc || !l)
        return rc;
    at = l->at;
    rc = live_begin_seal(s->e, l, err);
    begun = !rc;
    if (!rc)
        rc = ending_parts(a, l, x, err);
    if (!rc) {
        x->row = l->row;
        x->row.process = arena_strdup(a, l->row.process);
        x->request = (struct request){ .prepare = seal_prepare, .user = x };
        pthread_mutex_unlock(&s->e->open.lock);
        rc = open_plan(s, a, at, x->parts, x->nparts, x->seal, &x->sealing, err);
        if (!rc && x->extra && x->extra->complete)
            x->extra->complete(x->extra->user, &x->sealing.plan);
        if (!rc)
            rc = plan_write(s, a, &x->sealing.plan, &x->request, &x->sealing.restore, err);
        if (!rc)
            tell_call(x);
        pthread_mutex_lock(&s->e->open.lock);
    }
    if (begun && rc)
        live_end_seal(s->e, l);
    live_leave(s->e, l);
    if (!rc || rc == BOUGH_LEASE_LOST || rc == BOUGH_BUSY)
        live_over(s->e, at);
    return rc;
}

enum bough_rc message_seal(struct bough_store *s, struct bough_arena *a,
                           const struct bough_writing *w,
                           const struct bough_message_seal_options *seal, struct seal_extra *extra,
                           struct bough_error *err)
{
    static const struct bough_message_seal_options plain;
    enum bough_rc rc = RESERVED_CHECK(bough_message_seal_options, seal, err);
    int tries = 3; /* the message may change hands at any time */

    if (rc)
        return rc;
    do {
        struct ending x = { .seal = seal ? seal : &plain, .extra = extra };

        rc = seal_once(s, a, w, &x, err);
    } while (rc == BOUGH_BUSY && --tries);
    return rc;
}

enum bough_rc bough_message_seal(struct bough_store *s, struct bough_arena *a,
                                 const struct bough_writing *w,
                                 const struct bough_message_seal_options *seal,
                                 struct bough_entry **out, struct bough_error *err)
{
    REQUIRE(s && a && w, err);

    enum bough_rc rc = message_seal(s, a, w, seal, NULL, err);

    return rc || !out ? rc : bough_entry_get(s, a, NULL, w->id, out, err);
}

/* ---- taking over ---- */

struct taking {
    struct bough_head at;
    struct bough_message_take_options in;
    const char *process;
    struct open_row row;
};

static enum bough_rc take_prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct taking *t = user;
    struct snap *snap;
    char since[ISO_TEXT];
    bool there;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = open_get(snap, p->a, t->at, &t->row, &there, err);
    if (rc)
        return rc;
    if (!there)
        return open_refused(snap, t->at, err);
    if (!open_expired(&t->row, p->now)) {
        iso_print(t->row.since, since);
        return bough_fail(err, BOUGH_BUSY, "%.80s writes this message since %s",
                          *t->row.owner ? t->row.owner : "another process", since);
    }
    t->row.epoch++;
    t->row.since = p->now;
    t->row.lease_ms = t->in.lease_ms > 0 ? t->in.lease_ms : LEASE_MS;
    t->row.expires = lease_end(p->now, t->row.lease_ms);
    t->row.owner = t->in.owner ? t->in.owner : "";
    t->row.process = t->process;
    t->row.client = t->in.client;
    t->row.wanted = "";
    txn_change(p, CHANGE_OPEN_SET)->u.open = t->row;
    txn_changelog(p, CHANGELOG_STATUS, t->row.sid, 1);
    return BOUGH_OK;
}

enum bough_rc bough_message_take(struct bough_store *s, const char *entry,
                                 const struct bough_message_take_options *in,
                                 struct bough_message_open_result *out, struct bough_error *err)
{
    REQUIRE(s && out, err);

    char process[PROCESS_TEXT];
    struct taking t = { .process = process };
    struct request r = { .prepare = take_prepare, .user = &t };
    struct bough_arena *tmp;
    struct bough_entry *e;
    struct live *l;
    enum bough_rc rc = RESERVED_CHECK(bough_message_take_options, in, err);

    process_self(process);
    if (!rc && in)
        t.in = *in;
    if (!rc)
        rc = check_text("the owner", t.in.owner, LIMIT_NAME, err);
    if (!rc)
        rc = lease_check(t.in.lease_ms, err);
    if (!rc)
        rc = locate(s, entry, &t.at, err);
    if (rc)
        return rc;
    live_save_at(s, t.at);
    tmp = bough_arena_create();
    rc = write_run(s, tmp, &r, err);
    if (!rc) {
        live_over(s->e, t.at);
        rc = bough_entry_get(s, tmp, NULL, entry, &e, err);
    }
    if (!rc)
        rc = live_enter(s, t.at, t.row.epoch, false, &l, err);
    if (!rc) {
        *out = (struct bough_message_open_result){ .writing.epoch = t.row.epoch,
                                                   .head = t.at,
                                                   .no = e->no,
                                                   .mno = e->mno,
                                                   .last = l->draft.last,
                                                   .offset = (int64_t)draft_size(&l->draft) };
        memcpy(out->writing.id, e->id, BOUGH_ID_LEN + 1);
        live_name(l, e->id);
        live_leave(s->e, l);
    }
    bough_arena_destroy(tmp);
    return rc;
}
