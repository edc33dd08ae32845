/* Rebuild the seen rows of all sessions. */
#include "base/memory/map.h"
#include "base/memory/mem.h"
#include "store/seen/trace.h"

struct sids {
    int64_t *at;
    size_t n;
};

static bool each_session(void *user, const struct raw_row *raw)
{
    struct sids *s = user;

    if (raw->u.session.purged)
        return true;
    s->at = mem_room(s->at, s->n, sizeof *s->at);
    s->at[s->n++] = raw->u.session.sid;
    return true;
}

static void add_row(void *user, const struct seen_row *row)
{
    txn_change(user, CHANGE_SEEN_ADD)->u.seen = *row;
}

enum bough_rc seen_rebuild(struct prep *p, void *unused, struct bough_error *err)
{
    struct trace to = { .row = add_row, .user = p };
    struct sids sids = { 0 };
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    (void)unused;
    if (!rc)
        rc = snap->ops->raw_scan(snap->v, RAW_SESSION, each_session, &sids, err);
    if (!rc)
        txn_change(p, CHANGE_SEEN_CLEAR);
    for (size_t i = 0; i < sids.n && !rc; i++)
        rc = trace_session(snap, sids.at[i], &to, err);
    mem_free(sids.at);
    return rc;
}
