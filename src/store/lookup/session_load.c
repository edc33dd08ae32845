/* Loading a session's rows through a snapshot. */
#include "store/lookup/session_load.h"

#include "store/contract/id.h"
#include "store/lookup/find.h"

enum bough_rc snap_session(struct bough_store *s, const char *session, struct snap *snap,
                           int64_t *sid, struct bough_error *err)
{
    enum bough_rc rc = snap_begin(s, snap, err);

    if (!rc)
        rc = find_session(snap, session, sid, err);
    if (rc)
        snap_end(snap);
    return rc;
}

enum bough_rc session_gone(struct snap *snap, int64_t sid, struct bough_error *err)
{
    char id[BOUGH_ID_LEN + 1] = "";
    struct identity who;

    if (snap_identity(snap, sid, &who, NULL) == BOUGH_OK)
        id_session(who.made, who.sid, who.chk, id);
    return bough_fail(err, BOUGH_GONE, "session #%lld (%s) was purged", (long long)sid, id);
}

enum bough_rc session_load(struct snap *snap, struct bough_arena *a, int64_t sid,
                           struct session_loaded *out, struct bough_error *err)
{
    enum bough_rc rc = snap->ops->session_get(snap->v, a, sid, &out->row, err);

    if (rc)
        return rc;
    if (out->row.purged)
        return session_gone(snap, sid, err);
    rc = body_read(session_fields, out->row.body, &out->body, err);
    return rc ? rc : snap->ops->head_get(snap->v, a, sid, &out->head, err);
}

enum bough_rc check_writable(const struct head_row *head, struct bough_error *err)
{
    if (head->status == BOUGH_STATUS_ARCHIVED)
        return bough_fail(err, BOUGH_ARCHIVED, "session #%lld is archived", (long long)head->sid);
    return BOUGH_OK;
}

enum bough_rc session_load_writable(struct snap *snap, struct bough_arena *a, int64_t sid,
                                    struct session_loaded *out, struct bough_error *err)
{
    enum bough_rc rc = session_load(snap, a, sid, out, err);

    return rc ? rc : check_writable(&out->head.row, err);
}
