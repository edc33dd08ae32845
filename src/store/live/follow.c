/* Follow and list open messages. */
#include <bough/message.h>

#include <string.h>

#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/live/live.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"

/* Collect the parts (offset < 0) or the deltas after `offset`. Returns false if there is nothing
 * new. The caller must hold live_lock. */
static bool gather(struct bough_arena *a, const struct live *l, int64_t offset,
                   struct bough_message_follow_result *out)
{
    out->offset = (int64_t)draft_size(&l->draft);
    if (offset < 0) {
        out->parts = draft_parts(a, &l->draft);
        out->nparts = l->draft.nparts;
        return true;
    }
    out->deltas = draft_deltas(a, &l->draft, (size_t)offset, &out->ndeltas);
    return out->ndeltas > 0;
}

/* Check the message once. *again: nothing new yet; the call has already waited. */
static enum bough_rc look(struct bough_store *s, struct bough_arena *a, struct bough_head at,
                          int64_t offset, int64_t until_us, bool *again,
                          struct bough_message_follow_result *out, struct bough_error *err)
{
    struct live *l;
    bool expired;
    enum bough_rc rc = live_follow(s, at, &l, err);

    *again = false;
    if (rc)
        return rc;
    out->sealed = !l;
    if (!l)
        return BOUGH_OK;
    if (offset > (int64_t)draft_size(&l->draft)) {
        live_leave(s->e, l);
        return bough_fail(err, BOUGH_INVALID, "the message has not come to offset %lld yet",
                          (long long)offset);
    }
    *again = !gather(a, l, offset, out) && mono_us() < until_us;
    expired = !l->ours && open_expired(&l->row, env_now(&s->e->env));
    if (*again && !expired)
        live_wait(s->e, l, (size_t)offset, until_us);
    live_leave(s->e, l);
    if (*again && expired && !s->e->read_only)
        rc = bough_message_recover(s, NULL, err);
    return rc;
}

enum bough_rc bough_message_follow(struct bough_store *s, struct bough_arena *a, const char *entry,
                                   int64_t offset, int64_t wait_ms,
                                   struct bough_message_follow_result *out, struct bough_error *err)
{
    int64_t until = mono_us() + (wait_ms > 0 ? wait_ms * 1000 : 0);
    struct bough_head at;
    struct snap snap;
    bool again = true;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *out = (struct bough_message_follow_result){ 0 };
    if (rc)
        return rc;
    rc = find_entry(&snap, 0, entry, &at, err);
    snap_end(&snap);
    while (!rc && again) {
        rc = look(s, a, at, offset, until, &again, out, err);
        if (!rc && again && is_cancelled(s->cancel))
            rc = bough_fail(err, BOUGH_CANCELLED, "the call was cancelled");
    }
    if (!rc)
        rc = bough_entry_get(s, a, NULL, entry, &out->entry, err);
    if (!rc && !out->sealed && !out->entry->open) /* sealed between the two reads */
        *out = (struct bough_message_follow_result){ .sealed = true, .entry = out->entry };
    return rc;
}

/* ---- listing ---- */

struct listing {
    struct snap *snap;
    struct bough_arena *a;
    int64_t sid, now;
    struct bough_open_messages *out;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool list_one(void *user, const struct open_row *row)
{
    struct listing *x = user;
    struct bough_open_messages *m = x->out;
    struct bough_open_message *one;
    struct bough_entry *e;

    if (x->sid && row->sid != x->sid)
        return true;
    x->rc = entry_load(x->snap, x->a, (struct bough_head){ row->bid, row->depth }, &e, x->err);
    if (x->rc)
        return false;
    m->at = arena_room(x->a, m->at, m->n, sizeof *m->at);
    one = &m->at[m->n++];
    *one = (struct bough_open_message){ .session = e->session,
                                        .at = e->at,
                                        .lease = { arena_strdup(x->a, row->owner), row->epoch,
                                                   row->since, row->expires },
                                        .expired = open_expired(row, x->now) };
    memcpy(one->id, e->id, sizeof one->id);
    return true;
}

enum bough_rc bough_message_list(struct bough_store *s, struct bough_arena *a, const char *session,
                                 struct bough_open_messages *out, struct bough_error *err)
{
    struct snap snap;
    struct listing x = {
        .snap = &snap, .a = a, .now = env_now(&s->e->env), .out = out, .err = err
    };
    enum bough_rc rc = snap_begin(s, &snap, err);

    *out = (struct bough_open_messages){ 0 };
    if (rc)
        return rc;
    if (!cstr_empty(session))
        rc = find_session(&snap, session, &x.sid, err);
    if (!rc)
        rc = snap.ops->open_scan(snap.v, 0, 0, 0, list_one, &x, err);
    snap_end(&snap);
    return rc ? rc : x.rc;
}
