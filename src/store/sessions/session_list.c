/* List sessions: stored list rows in index order, merged with rows that have pending changes. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "store/engine/ahead.h"
#include "store/lookup/cursor.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"

enum { COUNT_MOST = 100000 }; /* rows that are looked at for a count */

static enum bough_rc read_cursor(const char *cursor, struct list_query *q, struct bough_error *err)
{
    int64_t at[3]; /* order, key, session */
    enum bough_rc rc = cursor_read(cursor, at, 3, err);

    if (rc || cstr_empty(cursor))
        return rc;
    if (at[0] != (int64_t)q->order)
        return cursor_bad(err);
    q->after_set = true;
    q->after_key = at[1];
    q->after_sid = at[2];
    return BOUGH_OK;
}

/* Parse a list such as "idle busy" into bits. */
static enum bough_rc read_statuses(const char *words, int64_t *bits, struct bough_error *err)
{
    for (const char *p = words ? words : ""; *p;) {
        size_t n = strcspn(p, " ,");
        int st = BOUGH_STATUS_IDLE;

        while (st <= BOUGH_STATUS_ARCHIVED &&
               (strlen(bough_status_name((enum bough_status)st)) != n ||
                strncmp(p, bough_status_name((enum bough_status)st), n) != 0))
            st++;
        if (n && st > BOUGH_STATUS_ARCHIVED)
            return bough_fail(err, BOUGH_INVALID, "unknown status: %.*s", (int)(n > 40 ? 40 : n),
                              p);
        if (n)
            *bits |= INT64_C(1) << st;
        p += n + strspn(p + n, " ,");
    }
    return BOUGH_OK;
}

/* Narrow a set of statuses (0: all). *none: no status is left. */
static void only(int64_t *bits, int64_t these, bool *none)
{
    *bits = *bits ? *bits & these : these;
    *none = *none || !*bits;
}

/* In a list, a group that does not exist is not an error: it matches nothing. */
static enum bough_rc group_filter(struct snap *snap, enum record_kind kind, const char *name,
                                  int64_t *ord, bool *none, struct bough_error *err)
{
    enum bough_rc rc;

    if (cstr_empty(name))
        return BOUGH_OK;
    rc = find_group(snap, kind, name, ord, err);
    if (rc != BOUGH_NOT_FOUND)
        return rc;
    *none = true;
    return BOUGH_OK;
}

static enum bough_rc resolve(struct snap *snap, const struct bough_session_list_options *f,
                             struct list_query *q, bool *none, struct bough_error *err)
{
    enum bough_rc rc = group_filter(snap, RECORD_PROJECT, f->project, &q->project, none, err);

    if (!rc)
        rc = group_filter(snap, RECORD_WORKSPACE, f->workspace, &q->workspace, none, err);
    if (!rc)
        rc = group_filter(snap, RECORD_ACCOUNT, f->account, &q->account, none, err);
    if (!rc && !cstr_empty(f->parent))
        rc = find_session(snap, f->parent, &q->parent, err);
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_GONE) {
        *none = true;
        rc = BOUGH_OK;
    }
    return rc;
}

static enum bough_rc make_query(struct snap *snap, struct bough_arena *a,
                                const struct bough_session_list_options *f, struct list_query *q,
                                bool *none, struct bough_error *err)
{
    int64_t live = 1 << BOUGH_STATUS_IDLE | 1 << BOUGH_STATUS_BUSY | 1 << BOUGH_STATUS_RETRY;
    enum bough_rc rc;

    *q = (struct list_query){
        .kinds = f->kinds == BOUGH_KINDS_PRIMARY    ? 1 << BOUGH_PRIMARY
                 : f->kinds == BOUGH_KINDS_SUBAGENT ? 1 << BOUGH_SUBAGENT
                                                    : 0,
        .roots = f->roots,
        .alive = !f->include_deleted && !f->only_deleted,
        .dead = f->only_deleted,
        .role_name = f->role_name,
        .provider_path = f->provider_path,
        .model_provider = f->model_provider,
        .model_name = f->model_name,
        .created_from = f->created_from,
        .created_to = f->created_to,
        .updated_from = f->updated_from,
        .updated_to = f->updated_to,
        .errors = f->errors,
        .last_state = f->last_state,
        .cost_from = f->cost_from,
        .order = (enum list_order)f->order,
    };
    if ((unsigned)f->order > BOUGH_BY_COST)
        return bough_fail(err, BOUGH_INVALID,
                          "a list is ordered by created, updated, modified or cost");
    if ((unsigned)f->last_state > BOUGH_OUTCOME_LAST || f->cost_from < 0)
        return bough_fail(err, BOUGH_INVALID, "a filter of the list has an invalid value");
    q->hay = cstr_empty(f->query) ? "" : text_fold(a, str_of(f->query)).p;
    rc = read_statuses(f->status, &q->statuses, err);
    if (f->active)
        only(&q->statuses, live, none);
    if (f->archived)
        only(&q->statuses, 1 << BOUGH_STATUS_ARCHIVED, none);
    if (!rc)
        rc = read_cursor(f->cursor, q, err);
    return rc ? rc : resolve(snap, f, q, none, err);
}

/* ---- merging ---- */

struct merge {
    const struct list_query *q;
    const struct overlay *o;
    struct summary **pending; /* pending rows that match, in list order */
    size_t npending, next;
    struct summary *out; /* in the arena */
    size_t n, most;
    struct bough_arena *a;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool full(const struct merge *m)
{
    return m->n == m->most;
}

static void take_pending(struct merge *m, const struct list_row *before)
{
    while (m->next < m->npending && !full(m) &&
           (!before || list_compare(m->q->order, &m->pending[m->next]->row, before) < 0))
        m->out[m->n++] = *m->pending[m->next++];
}

static struct list_row keep_row(struct bough_arena *a, const struct list_row *row)
{
    struct list_row copy = *row;

    copy.role_name = arena_strdup(a, row->role_name);
    copy.provider_path = arena_strdup(a, row->provider_path);
    copy.model_provider = arena_strdup(a, row->model_provider);
    copy.model_name = arena_strdup(a, row->model_name);
    copy.hay = "";
    copy.last_model = arena_strdup(a, row->last_model);
    copy.body = arena_str(a, row->body);
    return copy;
}

static bool merge_row(void *user, const struct list_row *row)
{
    struct merge *m = user;
    struct list_row kept;

    if (overlay_get(m->o, row->sid))
        return true; /* the pending row replaces it */
    take_pending(m, row);
    if (full(m))
        return false;
    kept = keep_row(m->a, row);
    m->rc = summary_read(&kept, &m->out[m->n], m->err);
    m->n += !m->rc;
    return !m->rc && !full(m);
}

static void insert_pending(struct merge *m, struct summary *sh)
{
    size_t i = m->npending++;

    for (; i > 0 && list_compare(m->q->order, &sh->row, &m->pending[i - 1]->row) < 0; i--)
        m->pending[i] = m->pending[i - 1];
    m->pending[i] = sh;
}

static void gather_pending(struct merge *m)
{
    size_t pos = 0;
    uint64_t val;

    m->pending = arena_array(m->a, map_count(&m->o->summaries) + 1, sizeof *m->pending);
    while (map_next(&m->o->summaries, &pos, NULL, &val)) {
        struct summary *sh = (struct summary *)(uintptr_t)val;

        if (!sh->gone && list_matches(m->q, &sh->row))
            insert_pending(m, sh);
    }
}

static enum bough_rc run(struct snap *snap, struct merge *m, struct bough_error *err)
{
    enum bough_rc rc;

    gather_pending(m);
    rc = snap->ops->list_scan(snap->v, m->q, merge_row, m, err);
    if (!rc)
        rc = m->rc;
    if (!rc)
        take_pending(m, NULL);
    return rc;
}

static enum bough_rc fill_page(struct snap *snap, struct merge *m, size_t limit,
                               struct bough_sessions *out, struct bough_error *err)
{
    size_t n = m->n > limit ? limit : m->n;
    struct ahead ahead = { .snap = snap, .a = m->a };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n; i++)
        ahead_add(&ahead, WANT_SESSION, m->out[i].sid, 0);
    ahead_read(&ahead);
    out->at = arena_array(m->a, n ? n : 1, sizeof *out->at);
    out->next = "";
    for (out->n = 0; out->n < n && !rc; out->n++) {
        struct session_loaded l;

        rc = session_load(snap, m->a, m->out[out->n].sid, &l, err);
        if (!rc)
            rc = session_fill(snap, m->a, &l, &m->out[out->n], &out->at[out->n], err);
    }
    if (!rc && m->n > limit) {
        const struct list_row *last = &m->out[limit - 1].row;

        out->next = cursor_write(
            m->a, (int64_t[]){ (int64_t)m->q->order, list_key(m->q->order, last), last->sid }, 3);
    }
    return rc;
}

/* Stored rows that match, with pending rows in place of those they replace. */
static enum bough_rc count_all(struct snap *snap, struct bough_arena *a, struct list_query q,
                               const struct overlay *o, struct bough_sessions *out,
                               struct bough_error *err)
{
    struct ahead ahead = { .snap = snap, .a = a };
    struct list_row was;
    int64_t read;
    size_t pos = 0;
    uint64_t sid, val;
    enum bough_rc rc;

    q.after_set = false;
    rc = snap->ops->list_count(snap->v, &q, COUNT_MOST, &out->total, &read, err);
    out->total_at_least = read >= COUNT_MOST;
    while (map_next(&o->summaries, &pos, &sid, NULL))
        ahead_add(&ahead, WANT_LIST, (int64_t)sid, 0);
    ahead_read(&ahead);
    for (pos = 0; !rc && !out->total_at_least && map_next(&o->summaries, &pos, &sid, &val);) {
        const struct summary *sh = (const struct summary *)(uintptr_t)val;

        if (snap->ops->list_get(snap->v, a, (int64_t)sid, &was, NULL) == BOUGH_OK)
            out->total -= list_matches(&q, &was);
        out->total += !sh->gone && list_matches(&q, &sh->row);
    }
    return rc;
}

static enum bough_rc list_in(struct snap *snap, struct bough_arena *a,
                             const struct bough_session_list_options *f, struct bough_sessions *out,
                             struct bough_error *err)
{
    size_t limit = f->limit > 0 ? (size_t)f->limit : LIMIT_LIST_DEFAULT;
    struct list_query q;
    struct overlay o;
    struct merge m = { .q = &q, .o = &o, .a = a, .err = err };
    bool none = false;
    enum bough_rc rc = make_query(snap, a, f, &q, &none, err);

    if (!rc && f->limit < 0)
        rc = bough_fail(err, BOUGH_INVALID, "a limit is never negative");
    if (rc || none)
        return rc;
    limit = limit > LIMIT_PAGE ? LIMIT_PAGE : limit;
    rc = overlay_build(snap, a, 0, &o, err);
    m.most = limit + 1;
    m.out = arena_array(a, m.most, sizeof *m.out);
    if (!rc)
        rc = run(snap, &m, err);
    if (!rc)
        rc = fill_page(snap, &m, limit, out, err);
    if (!rc && f->count)
        rc = count_all(snap, a, q, &o, out, err);
    overlay_finish(&o);
    return rc;
}

enum bough_rc bough_session_list(struct bough_store *s, struct bough_arena *a,
                                 const struct bough_session_list_options *filter,
                                 struct bough_sessions *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    static const struct bough_session_list_options all;
    struct snap snap;
    enum bough_rc rc = RESERVED_CHECK(bough_session_list_options, filter, err);

    *out = (struct bough_sessions){ .next = "" };
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = list_in(&snap, a, filter ? filter : &all, out, err);
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_session_continue(struct bough_store *s, struct bough_arena *a,
                                     const char *project, struct bough_session **out,
                                     struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct bough_session_list_options f = { .project = project,
                                            .kinds = BOUGH_KINDS_PRIMARY,
                                            .active = true,
                                            .order = BOUGH_BY_MODIFIED,
                                            .limit = 1 };
    struct bough_sessions found;
    enum bough_rc rc = bough_session_list(s, a, &f, &found, err);

    if (rc)
        return rc;
    if (!found.n)
        return bough_fail(err, BOUGH_NOT_FOUND, "no session to continue%s%.100s",
                          cstr_empty(project) ? "" : " in ", project ? project : "");
    *out = found.at;
    return BOUGH_OK;
}
