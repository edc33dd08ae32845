/* Loading a session's rows and its calls through a snapshot. */
#include "store/lookup/session_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text/iso.h"
#include "base/text/str.h"
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

enum bough_rc session_groups(struct snap *snap, struct bough_arena *a, int64_t sid,
                             int64_t groups[2], struct bough_error *err)
{
    struct session_row row;
    struct session_body body;
    enum bough_rc rc = snap->ops->session_get(snap->v, a, sid, &row, err);

    groups[0] = groups[1] = 0;
    if (rc == BOUGH_NOT_FOUND || (!rc && row.purged))
        return session_gone(snap, sid, err);
    if (rc || body_read(session_fields, row.body, &body, NULL))
        return rc;
    groups[0] = body.project + 1;
    groups[1] = body.account + 1;
    return BOUGH_OK;
}

enum bough_rc check_writable(const struct head_row *head, struct bough_error *err)
{
    if (head->status == BOUGH_STATUS_ARCHIVED)
        return bough_fail(err, BOUGH_ARCHIVED, "session #%lld is archived", (long long)head->sid);
    return BOUGH_OK;
}

bool held_by_run(const struct head_row *head)
{
    return head->status == BOUGH_STATUS_BUSY &&
           strncmp(head->lease_owner, RUN_OWNER, strlen(RUN_OWNER)) == 0;
}

enum bough_rc check_no_run(const struct head_row *head, struct bough_error *err)
{
    char since[ISO_TEXT];

    if (!held_by_run(head))
        return BOUGH_OK;
    iso_print(head->lease_since, since);
    return bough_hint(err,
                      bough_fail(err, BOUGH_BUSY, "session #%lld is busy: %.80s has it since %s",
                                 (long long)head->sid, head->lease_owner, since),
                      "wait until the run has ended, or cancel it");
}

enum bough_rc session_load_writable(struct snap *snap, struct bough_arena *a, int64_t sid,
                                    struct session_loaded *out, struct bough_error *err)
{
    enum bough_rc rc = session_load(snap, a, sid, out, err);

    return rc ? rc : check_writable(&out->head.row, err);
}

/* ---- calls ---- */

enum bough_rc session_id(struct snap *snap, struct bough_arena *a, int64_t sid, const char **id,
                         struct bough_error *err)
{
    char *text = arena_alloc(a, BOUGH_ID_LEN + 1);
    struct identity who;
    enum bough_rc rc = snap_identity(snap, sid, &who, err);

    *id = text;
    if (!rc)
        id_session(who.made, who.sid, who.chk, text);
    return rc;
}

struct tree {
    struct bough_arena *a;
    int64_t *at;
    size_t n;
};

static void push_session(struct tree *t, int64_t sid)
{
    t->at = arena_room(t->a, t->at, t->n, sizeof *t->at);
    t->at[t->n++] = sid;
}

static bool push_subagent(void *user, const struct session_row *row)
{
    if (row->kind == BOUGH_SUBAGENT)
        push_session(user, row->sid);
    return true;
}

static int by_number(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return a < b ? -1 : a > b;
}

enum bough_rc session_tree(struct snap *snap, struct bough_arena *a, int64_t sid,
                           const int64_t **sids, size_t *n, struct bough_error *err)
{
    struct tree t = { .a = a };
    enum bough_rc rc = BOUGH_OK;

    push_session(&t, sid);
    for (size_t i = 0; i < t.n && !rc; i++)
        rc = snap->ops->session_children(snap->v, t.at[i], push_subagent, &t, err);
    qsort(t.at, t.n, sizeof *t.at, by_number);
    *sids = t.at;
    *n = t.n;
    return rc;
}

void call_fill(const char *session, const struct record_row *row, const struct call_body *b,
               struct bough_call *out)
{
    *out = (struct bough_call){ .session = session,
                                .request_id = b->request_id,
                                .want_provider = b->want_provider,
                                .want_model = b->want_model,
                                .want_kind = b->want_kind,
                                .provider = b->provider,
                                .model = b->model,
                                .kind = b->kind,
                                .status = b->status,
                                .error = b->error,
                                .usage = b->usage,
                                .used = b->used,
                                .total_tokens = b->total_tokens,
                                .duration = b->duration,
                                .time = b->time,
                                .cost_source = (enum bough_cost_source)b->cost_source,
                                .attempt = (int)b->attempt,
                                .exchange = b->exchange,
                                .first_byte = b->first_byte,
                                .purpose = b->purpose,
                                .principal = b->principal,
                                .notes = b->notes };
    id_record(b->made, row->sid, RECORD_CALL, row->ord, b->chk, out->id);
}

static enum bough_rc call_load(struct snap *snap, struct bough_arena *a, const struct wanted *at,
                               struct bough_calls *out, struct bough_error *err)
{
    struct record_row row;
    struct call_body body;
    const char *session;
    enum bough_rc rc = snap->ops->record_get(snap->v, a, at->a, RECORD_CALL, at->b, &row, err);

    /* A purge removes the calls of entries that forks keep. */
    if (rc == BOUGH_NOT_FOUND || (!rc && row.deleted))
        return BOUGH_OK;
    if (!rc)
        rc = body_read(call_fields, row.body, &body, err);
    if (!rc)
        rc = session_id(snap, a, at->a, &session, err);
    if (!rc)
        call_fill(session, &row, &body, &out->at[out->n++]);
    return rc;
}

/* The slots of the calls, each once. */
static size_t calls_of(const struct bough_entries *entries, struct wanted *to)
{
    struct smap seen;
    struct id id;
    size_t n = 0;

    smap_init(&seen);
    for (size_t i = 0; i < entries->n; i++) {
        struct bough_str call = str_of(entries->at[i].call);

        if (!call.n || smap_get(&seen, call, NULL) || !id_parse(call, &id))
            continue;
        smap_put(&seen, call, 1);
        to[n++] = (struct wanted){ WANT_CALL, id.number, id.position & LIMIT_RECORD };
    }
    smap_finish(&seen);
    return n;
}

enum bough_rc calls_load(struct snap *snap, struct bough_arena *a,
                         const struct bough_entries *entries, struct bough_calls **out,
                         struct bough_error *err)
{
    struct wanted *want = arena_array(a, entries->n + 1, sizeof *want);
    struct bough_calls *calls = arena_zalloc(a, sizeof *calls);
    size_t n = calls_of(entries, want);
    enum bough_rc rc = BOUGH_OK;

    calls->at = arena_array(a, n + 1, sizeof *calls->at);
    if (n > 1 && snap->ops->ahead)
        snap->ops->ahead(snap->v, want, n);
    for (size_t i = 0; i < n && !rc; i++)
        rc = call_load(snap, a, &want[i], calls, err);
    *out = calls;
    return rc;
}
