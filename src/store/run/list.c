/* Reading runs and approvals: one, and pages of them, newest first. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/lookup/cursor.h"
#include "store/lookup/find.h"
#include "store/run/run.h"

enum bough_rc bough_run_get(struct bough_store *s, struct bough_arena *a, const char *id,
                            struct bough_run **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct record_row row;
    struct run_body b;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = named_load(&snap, a, id, RUN_NAME, &row, &b, err);
    if (!rc) {
        *out = arena_alloc(a, sizeof **out);
        rc = run_fill(&snap, a, &row, env_now(&s->e->env), *out, err);
    }
    snap_end(&snap);
    return rc;
}

/* ---- pages ---- */

#define LIVE (1 << BOUGH_RUN_QUEUED | 1 << BOUGH_RUN_RUNNING | 1 << BOUGH_RUN_AWAITING_APPROVAL)

struct listing {
    struct bough_store *s;
    struct snap *snap;
    struct bough_arena *a;
    enum order_what what;
    int64_t statuses, project, run; /* bits; ordinals; 0: any */
    const char *host;
    int64_t sid; /* of a list of one session */
    size_t limit;
    struct record_row *rows; /* that match, one more than `limit` at most */
    int64_t *at;             /* the position of each, for the cursor */
    size_t n;
    int64_t looked;  /* records of the order that were looked at */
    int64_t stopped; /* there, before the end; 0: at the end */
    enum bough_rc rc;
    struct bough_error *err;
};

static enum bough_rc match_project(struct listing *l, int64_t sid, bool *match)
{
    struct session_loaded s;
    enum bough_rc rc = BOUGH_OK;

    *match = true;
    if (!l->project)
        return BOUGH_OK;
    rc = session_load(l->snap, l->a, sid, &s, l->err);
    *match = !rc && s.body.project == l->project;
    return rc;
}

/* Keep the record if it matches. */
static void keep(struct listing *l, const struct record_row *row, int64_t at)
{
    union {
        struct run_body run;
        struct approval_body approval;
    } b;
    struct bough_str body = arena_str(l->a, row->body);
    bool is_run = l->what == ORDER_RUN, match;
    int64_t status;

    l->rc = body_read(is_run ? run_fields : approval_fields, body, &b, l->err);
    if (l->rc ||
        strcmp(is_run ? b.run.name : b.approval.name, is_run ? RUN_NAME : APPROVAL_NAME) != 0)
        return;
    status = is_run ? b.run.status : b.approval.status;
    match = !l->statuses || l->statuses >> status & 1;
    match = match && (!is_run || cstr_empty(l->host) || strcmp(l->host, b.run.host) == 0);
    match = match && (is_run || !l->run || l->run == b.approval.run);
    if (match)
        l->rc = match_project(l, row->sid, &match);
    if (l->rc || !match)
        return;
    l->rows[l->n] = *row;
    l->rows[l->n].body = body;
    l->at[l->n++] = at;
}

static bool each_of_session(void *user, const struct record_row *row)
{
    struct listing *l = user;

    keep(l, row, row->ord);
    return !l->rc && l->n <= l->limit;
}

static bool each_in_order(void *user, const struct record_row *row)
{
    struct listing *l = user;
    struct record_row of;
    struct order_body o;
    bool purged = false;

    if (++l->looked > RUN_SCAN_MOST) {
        l->stopped = row->ord;
        return false;
    }
    l->rc = body_read(order_fields, row->body, &o, l->err);
    if (l->rc || o.what != (int64_t)l->what)
        return !l->rc;
    l->rc = snap_purged(l->snap, o.sid, &purged, l->err);
    if (!l->rc && !purged)
        l->rc = l->snap->ops->record_get(l->snap->v, l->a, o.sid, RECORD_STATE, o.ord, &of, l->err);
    if (l->rc == BOUGH_NOT_FOUND) { /* fsck reports it */
        l->rc = BOUGH_OK;
        return true;
    }
    if (!l->rc && !purged)
        keep(l, &of, row->ord);
    return !l->rc && l->n <= l->limit;
}

/* A page of a session, or of the store in the order of its records. The cursor is the position of
 * the first record of the next page. */
static enum bough_rc read_page(struct listing *l, int64_t from, const char **next)
{
    enum bough_rc rc = l->sid ? l->snap->ops->record_scan(l->snap->v, l->sid, RECORD_STATE, from,
                                                          true, each_of_session, l, l->err)
                              : l->snap->ops->record_scan(l->snap->v, 0, RECORD_ORDER, from, true,
                                                          each_in_order, l, l->err);

    if (!rc)
        rc = l->rc;
    if (rc)
        return rc;
    if (l->n > l->limit)
        *next = cursor_write(l->a, &l->at[--l->n], 1);
    else if (l->stopped)
        *next = cursor_write(l->a, &l->stopped, 1);
    return BOUGH_OK;
}

static enum bough_rc begin(struct listing *l, const char *session, const char *cursor,
                           int64_t limit, int64_t *from)
{
    enum bough_rc rc = cursor_read(cursor, from, 1, l->err);

    if (!rc && (*from < 0 || *from > LIMIT_RECORD))
        rc = cursor_bad(l->err);
    if (!rc && limit < 0)
        rc = bough_fail(l->err, BOUGH_INVALID, "a limit is never negative");
    if (!rc && !cstr_empty(session))
        rc = find_session(l->snap, session, &l->sid, l->err);
    l->limit = limit > LIMIT_PAGE ? LIMIT_PAGE : limit > 0 ? (size_t)limit : LIMIT_LIST_DEFAULT;
    l->rows = arena_array(l->a, l->limit + 1, sizeof *l->rows);
    l->at = arena_array(l->a, l->limit + 1, sizeof *l->at);
    return rc;
}

/* ---- live runs: those of busy sessions ---- */

static int newest_first(const void *x, const void *y)
{
    const struct bough_run *a = x, *b = y;
    int c = strcmp(b->session, a->session);

    if (a->created != b->created)
        return a->created > b->created ? -1 : 1;
    return c ? c : (a->number < b->number) - (a->number > b->number);
}

/* The run of a session that was busy when the sessions were read. Which one it is now, the snapshot
 * says: a run may have ended since, and the next prompt of its queue has become another one. */
static enum bough_rc add_live(struct listing *l, const struct bough_session *x,
                              struct bough_runs *out)
{
    struct session_loaded s;
    struct record_row row;
    struct run_body b;
    struct bough_run run;
    const char *id;
    bool match;
    enum bough_rc rc = session_load(l->snap, l->a, x->number, &s, l->err);

    if (rc == BOUGH_GONE) /* purged since */
        return BOUGH_OK;
    if (rc || !held_by_run(&s.head.row))
        return rc;
    id = arena_strndup(l->a, s.head.row.lease_owner + strlen(RUN_OWNER), BOUGH_ID_LEN);
    rc = named_load(l->snap, l->a, id, RUN_NAME, &row, &b, l->err);
    if (rc == BOUGH_NOT_FOUND) /* purged since */
        return BOUGH_OK;
    match =
        !rc && l->statuses >> b.status & 1 && (cstr_empty(l->host) || strcmp(l->host, b.host) == 0);
    if (match)
        rc = match_project(l, row.sid, &match);
    if (rc || !match)
        return rc;
    rc = run_fill(l->snap, l->a, &row, env_now(&l->s->e->env), &run, l->err);
    if (rc)
        return rc;
    out->at = arena_room(l->a, out->at, out->n, sizeof *out->at);
    out->at[out->n++] = run;
    return BOUGH_OK;
}

/* The busy sessions. They are read before the snapshot is taken: a thread must not wait for a
 * second snapshot while it holds one. */
static enum bough_rc read_busy(struct listing *l, const struct bough_run_list_options *f,
                               struct bough_sessions *out)
{
    struct bough_session_list_options busy = {
        .status = "busy", .include_deleted = true, .limit = LIMIT_PAGE, .project = f->project
    };

    return bough_session_list(l->s, l->a, &busy, out, l->err);
}

/* All of them are read and sorted: there are as many as busy sessions. The cursor counts. */
static enum bough_rc list_live(struct listing *l, const struct bough_run_list_options *f,
                               const struct bough_sessions *busy, struct bough_runs *out)
{
    int64_t from = 0;
    size_t n;
    enum bough_rc rc = begin(l, NULL, f->cursor, f->limit, &from);

    for (size_t i = 0; !rc && i < busy->n; i++)
        rc = add_live(l, &busy->at[i], out);
    if (rc)
        return rc;
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, newest_first);
    n = out->n;
    from = from > (int64_t)n ? (int64_t)n : from;
    out->at += from;
    out->n = n - (size_t)from > l->limit ? l->limit : n - (size_t)from;
    from += (int64_t)out->n;
    if (from < (int64_t)n)
        out->next = cursor_write(l->a, &from, 1);
    return BOUGH_OK;
}

/* ---- the public calls ---- */

/* Only live runs of the whole store are asked for. */
static bool is_live(const struct listing *l, const struct bough_run_list_options *f)
{
    return l->statuses && !(l->statuses & ~LIVE) && cstr_empty(f->session);
}

static enum bough_rc list_runs(struct listing *l, const struct bough_run_list_options *f,
                               const struct bough_sessions *busy, struct bough_runs *out)
{
    int64_t from = 0;
    enum bough_rc rc = BOUGH_OK;

    if (!cstr_empty(f->project)) {
        rc = find_group(l->snap, RECORD_PROJECT, f->project, &l->project, l->err);
        if (rc == BOUGH_NOT_FOUND)
            return BOUGH_OK;
    }
    if (!rc && is_live(l, f))
        return list_live(l, f, busy, out);
    if (!rc)
        rc = begin(l, f->session, f->cursor, f->limit, &from);
    if (!rc)
        rc = read_page(l, from, &out->next);
    if (rc)
        return rc;
    out->at = arena_array(l->a, l->n + 1, sizeof *out->at);
    for (; out->n < l->n && !rc; out->n++)
        rc = run_fill(l->snap, l->a, &l->rows[out->n], env_now(&l->s->e->env), &out->at[out->n],
                      l->err);
    return rc;
}

enum bough_rc bough_run_list(struct bough_store *s, struct bough_arena *a,
                             const struct bough_run_list_options *filter, struct bough_runs *out,
                             struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    static const struct bough_run_list_options all;
    struct snap snap;
    struct listing l = { .s = s, .snap = &snap, .a = a, .what = ORDER_RUN, .err = err };
    struct bough_sessions busy = { 0 };
    enum bough_rc rc = RESERVED_CHECK(bough_run_list_options, filter, err);

    *out = (struct bough_runs){ .next = "" };
    filter = filter ? filter : &all;
    l.host = filter->host;
    if (!rc)
        rc = words_read("status", filter->status, status_word, &l.statuses, err);
    if (!rc && is_live(&l, filter))
        rc = read_busy(&l, filter, &busy);
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = list_runs(&l, filter, &busy, out);
    snap_end(&snap);
    return rc;
}

static enum bough_rc list_approvals(struct listing *l, const struct bough_approval_list_options *f,
                                    struct bough_approvals *out)
{
    int64_t from = 0;
    struct record_row row = { 0 };
    struct run_body run;
    enum bough_rc rc = words_read("status", f->status, approval_word, &l->statuses, l->err);

    if (!rc)
        rc = begin(l, f->session, f->cursor, f->limit, &from);
    if (!rc && !cstr_empty(f->run)) {
        rc = named_load(l->snap, l->a, f->run, RUN_NAME, &row, &run, l->err);
        if (!rc && l->sid && l->sid != row.sid)
            return BOUGH_OK; /* a run of another session */
        l->sid = row.sid;
        l->run = row.ord;
    }
    if (!rc)
        rc = read_page(l, from, &out->next);
    if (rc)
        return rc;
    out->at = arena_array(l->a, l->n + 1, sizeof *out->at);
    for (; out->n < l->n && !rc; out->n++)
        rc = approval_fill(l->snap, l->a, &l->rows[out->n], &out->at[out->n], l->err);
    return rc;
}

enum bough_rc bough_approval_list(struct bough_store *s, struct bough_arena *a,
                                  const struct bough_approval_list_options *filter,
                                  struct bough_approvals *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    static const struct bough_approval_list_options all;
    struct snap snap;
    struct listing l = { .s = s, .snap = &snap, .a = a, .what = ORDER_APPROVAL, .err = err };
    enum bough_rc rc = RESERVED_CHECK(bough_approval_list_options, filter, err);

    *out = (struct bough_approvals){ .next = "" };
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = list_approvals(&l, filter ? filter : &all, out);
    snap_end(&snap);
    return rc;
}
