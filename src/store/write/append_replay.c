/* Replay of an append: look up its idempotency key and its ids after the first attempt failed. */
#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/check.h"
#include "store/lookup/path.h"
#include "store/write/append.h"

const char *append_key(struct bough_store *s, struct bough_arena *a, int64_t sid, const char *key,
                       struct bough_error *err)
{
    if (check_text("the idempotency key", key, LIMIT_KEY, err))
        return NULL;
    return arena_printf(a, "%s\x1f%lld\x1f%s", s->principal, (long long)sid, key);
}

static enum bough_rc answer_from_log(struct snap *snap, struct bough_arena *a, int64_t sid,
                                     int64_t no, struct bough_append_result *out,
                                     struct bough_error *err)
{
    struct changelog_row log;
    struct record_row rec;
    struct call_body call;
    struct pack_head h;
    enum bough_rc rc = snap->ops->changelog_get(snap->v, no, &log, err);

    if (rc)
        return rc;
    *out = (struct bough_append_result){ .n = log.bid ? (size_t)log.n : 0,
                                         .no = log.no,
                                         .replayed = true };
    out->ids = arena_zalloc(a, (out->n ? out->n : 1) * sizeof *out->ids);
    for (size_t i = 0; i < out->n && !rc; i++) {
        struct bough_head at = { log.bid, log.depth - log.n + 1 + (int64_t)i };

        rc = entry_head_at(snap, at, &h, err);
        if (rc)
            return rc;
        id_entry(h.made, at.branch, at.depth, h.chk, out->ids[i]);
        out->first_mno = i ? out->first_mno : h.mno;
    }
    out->head = (struct bough_head){ log.bid, log.depth };
    if (changelog_calls(&log) &&
        !snap->ops->record_get(snap->v, a, sid, RECORD_CALL, log.record, &rec, NULL) &&
        !body_read(call_fields, rec.body, &call, NULL))
        id_record(call.made, sid, RECORD_CALL, log.record, call.chk, out->call);
    return rc;
}

enum bough_rc append_known(struct bough_store *s, struct bough_arena *a, struct append_job *j,
                           bool *known, struct bough_append_result *out, struct bough_error *err)
{
    struct key_row row;
    struct snap snap;
    enum bough_rc rc;

    *known = false;
    if (!j->key || snap_begin(s, &snap, NULL))
        return BOUGH_OK;
    rc = snap.ops->key_get(snap.v, a, j->key, &row, NULL);
    if (!rc && row.expires > env_now(&s->e->env)) {
        *known = true;
        if (memcmp(row.hash, j->hash, sizeof j->hash) != 0)
            rc = bough_fail(err, BOUGH_KEY_CONFLICT,
                            "this idempotency key was used for another request");
        else
            rc = answer_from_log(&snap, a, j->sid, row.no, out, err);
        if (!rc && (!j->plan.n || j->keep_head))
            out->head = (struct bough_head){ row.bid, row.depth };
    }
    snap_end(&snap);
    return *known ? rc : BOUGH_OK;
}

static bool taken(void *user, const struct alias_row *row)
{
    *(const char **)user = row->id;
    return false;
}

enum bough_rc append_taken(struct prep *p, const struct append_job *j, struct bough_error *err)
{
    const char *which;
    struct snap *snap;
    enum bough_rc rc;

    for (size_t i = 0; i < j->plan.n + j->plan.ncalls; i++) {
        const char *id =
            i < j->plan.n ? j->plan.entries[i].id : j->plan.calls[i - j->plan.n].body.origin;

        which = NULL;
        if (cstr_empty(id))
            continue;
        rc = prep_snap(p, &snap, err);
        if (!rc)
            rc = snap->ops->alias_find(snap->v, id, j->sid, taken, &which, err);
        if (rc)
            return rc;
        if (which)
            return bough_fail(err, BOUGH_EXISTS, "the id %.60s is taken in this session", id);
    }
    return BOUGH_OK;
}
