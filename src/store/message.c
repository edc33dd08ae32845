/* Messages that are still being written: the public calls. */
#include <bough/message.h>

#include <string.h>

#include "base/limits.h"
#include "base/process.h"
#include "base/str.h"
#include "store/append.h"
#include "store/find.h"
#include "store/id.h"
#include "store/live.h"
#include "store/path.h"
#include "store/session.h"

/* ---- opening ---- */

static enum bough_rc check_new(const struct bough_message_new *in, struct bough_error *err)
{
    const struct bough_entry_new *e = in->entry;

    if (!e || e->kind != BOUGH_ENTRY_MESSAGE)
        return bough_fail(err, BOUGH_INVALID, "only a message can be opened");
    if (e->nparts || e->text)
        return bough_fail(err, BOUGH_INVALID, "an open message begins empty: add parts as steps");
    if (e->has_usage || e->by_call || !cstr_empty(e->call))
        return bough_fail(err, BOUGH_INVALID, "usage and call come when the message is sealed");
    if (in->lease_ms < 0)
        return bough_fail(err, BOUGH_INVALID, "a lease is never negative");
    return check_text("the owner", in->owner, LIMIT_NAME, err);
}

enum bough_rc bough_message_open(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const struct bough_message_new *in,
                                 struct bough_message_opened *out, struct bough_error *err)
{
    struct bough_append append = { .entries = in->entry,
                                   .n = 1,
                                   .at = in->at,
                                   .at_root = in->at_root,
                                   .has_expect = in->has_expect,
                                   .expect = in->expect,
                                   .key = in->key };
    char process[PROCESS_TEXT];
    struct open_row row = { .lease_ms = in->lease_ms ? in->lease_ms : LEASE_MS,
                            .owner = in->owner ? in->owner : "",
                            .process = process };
    struct bough_appended done;
    enum bough_rc rc = check_new(in, err);

    if (rc)
        return rc;
    process_self(process);
    rc = append_all(s, a, session, &append, &row, &done, err);
    if (rc)
        return rc;
    *out = (struct bough_message_opened){
        .writing.epoch = 1, .head = done.head, .no = done.no, .mno = done.first_mno
    };
    memcpy(out->writing.id, done.ids[0], BOUGH_ID_LEN + 1);
    return BOUGH_OK;
}

/* ---- steps ---- */

/* An id of ours says where its row is; the row says whether it is the one. */
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

/* The message for writing, without a look at the store when this process writes it already. */
static enum bough_rc enter(struct bough_store *s, const struct bough_writing *w, struct live **out,
                           struct bough_error *err)
{
    struct bough_head at;
    struct id id;
    enum bough_rc rc;

    if (s->e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    if (id_parse(str_of(w->id), &id) && id.space == 0 &&
        live_known(s->e, (struct bough_head){ id.number, id.position }, w->id))
        return live_enter(s, (struct bough_head){ id.number, id.position }, w->epoch, out, err);
    rc = locate(s, w->id, &at, err);
    if (!rc)
        rc = live_enter(s, at, w->epoch, out, err);
    if (!rc)
        live_name(*out, w->id);
    return rc;
}

static void tell(const struct live *l, struct bough_stepped *out)
{
    if (out)
        *out = (struct bough_stepped){ l->draft.last, l->saved, (int64_t)draft_size(&l->draft) };
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
            continue; /* taken before */
        rc = draft_step(&l->draft, &steps[i], &why);
        if (rc)
            return bough_fail(err, rc, "step %lld: %.200s", (long long)number, why.msg);
    }
    return BOUGH_OK;
}

enum bough_rc bough_message_step(struct bough_store *s, const struct bough_writing *w,
                                 int64_t first, const struct bough_step *steps, size_t n,
                                 struct bough_stepped *out, struct bough_error *err)
{
    struct live *l = NULL;
    size_t before;
    enum bough_rc rc = enter(s, w, &l, err), saved = BOUGH_OK;

    if (rc || !l)
        return rc;
    before = draft_size(&l->draft);
    rc = take_steps(l, first, steps, n, err);
    if (draft_size(&l->draft) != before)
        live_touched(s->e, l);
    if (live_is_due(l) && !l->sealing)
        saved = live_save(s, l, RENEW_LATE, rc ? NULL : err);
    tell(l, out);
    live_leave(s->e, l);
    return rc ? rc : saved;
}

enum bough_rc bough_message_flush(struct bough_store *s, const struct bough_writing *w,
                                  struct bough_stepped *out, struct bough_error *err)
{
    struct live *l = NULL;
    enum bough_rc rc = enter(s, w, &l, err);

    if (rc || !l)
        return rc;
    rc = live_save(s, l, RENEW_NOW, err);
    tell(l, out);
    live_leave(s->e, l);
    return rc;
}

/* ---- sealing ---- */

struct ending {
    struct open_row row;
    struct sealing sealing;
    const struct bough_part *parts;
    size_t nparts;
    const struct bough_seal *seal;
    struct request request;
};

static enum bough_rc seal_prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct ending *x = user;
    struct bough_head at = { x->row.bid, x->row.depth };
    struct open_row now;
    enum bough_rc rc = open_held(p, at, x->row.epoch, &now, err);

    return rc ? rc : open_seal(p, &now, &x->sealing, err);
}

static enum bough_rc ending_parts(struct bough_arena *a, const struct live *l, struct ending *x,
                                  struct bough_error *err)
{
    struct bough_part *given;

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

enum bough_rc bough_message_seal(struct bough_store *s, struct bough_arena *a,
                                 const struct bough_writing *w, const struct bough_seal *seal,
                                 struct bough_entry **out, struct bough_error *err)
{
    static const struct bough_seal plain;
    struct ending x = { .seal = seal ? seal : &plain };
    struct bough_head at;
    struct live *l = NULL;
    bool begun;
    enum bough_rc rc = enter(s, w, &l, err);

    if (rc || !l)
        return rc;
    at = l->at;
    rc = live_begin_seal(s->e, l, err);
    begun = !rc;
    if (!rc)
        rc = ending_parts(a, l, &x, err);
    if (!rc) {
        x.row = l->row;
        x.request = (struct request){ .prepare = seal_prepare, .user = &x };
        pthread_mutex_unlock(&s->e->live_lock);
        rc = open_plan(s, a, at, x.parts, x.nparts, x.seal, &x.sealing, err);
        if (!rc)
            rc = open_write(s, a, &x.request, &x.sealing, err);
        pthread_mutex_lock(&s->e->live_lock);
    }
    if (begun && rc)
        live_end_seal(s->e, l);
    live_leave(s->e, l);
    if (!rc || rc == BOUGH_LEASE_LOST)
        live_over(s->e, at);
    return rc || !out ? rc : bough_entry_get(s, a, NULL, w->id, out, err);
}

/* ---- taking over ---- */

struct taking {
    struct bough_head at;
    const char *owner, *process;
    int64_t lease_ms;
    struct open_row row;
};

static enum bough_rc take_prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct taking *t = user;
    struct snap *snap;
    bool there;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = open_get(snap, p->a, t->at, &t->row, &there, err);
    if (rc)
        return rc;
    if (!there)
        return open_refused(snap, t->at, err);
    if (!open_expired(&t->row, p->now))
        return bough_fail(err, BOUGH_BUSY, "%.80s writes this message since %lld",
                          *t->row.owner ? t->row.owner : "somebody", (long long)t->row.since);
    t->row.epoch++;
    t->row.since = p->now;
    t->row.lease_ms = t->lease_ms;
    t->row.expires = lease_end(p->now, t->lease_ms);
    t->row.owner = t->owner;
    t->row.process = t->process;
    txn_change(p, CHANGE_OPEN_SET)->u.open = t->row;
    txn_log(p, LOG_STATUS, t->row.sid, 1);
    return BOUGH_OK;
}

enum bough_rc bough_message_take(struct bough_store *s, const char *entry, const char *owner,
                                 int64_t lease_ms, struct bough_message_opened *out,
                                 struct bough_error *err)
{
    char process[PROCESS_TEXT];
    struct taking t = { .owner = owner ? owner : "",
                        .process = process,
                        .lease_ms = lease_ms > 0 ? lease_ms : LEASE_MS };
    struct request r = { .prepare = take_prepare, .user = &t };
    struct bough_arena *tmp;
    struct bough_entry *e;
    struct live *l;
    enum bough_rc rc = check_text("the owner", owner, LIMIT_NAME, err);

    process_self(process);
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
        rc = live_enter(s, t.at, t.row.epoch, &l, err);
    if (!rc) {
        *out = (struct bough_message_opened){ .writing.epoch = t.row.epoch,
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
