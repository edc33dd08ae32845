/* Search: update the full-text index briefly, query it, and show each document under a living
 * session. */
#include <bough/search.h>

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/search/search.h"
#include "store/contract/id.h"
#include "store/find/hit_owner.h"
#include "store/lookup/cursor.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/project/fulltext.h"
#include "store/sessions/session.h"

struct searching {
    struct snap *snap;
    struct bough_arena *a;
    struct bough_arena *tmp;
    const struct search_query *q;
    struct hit_owner shows;
    size_t limit;
    struct bough_hits *out;
    bool more;
    int64_t before; /* fulltext_order() at which the page begins */
    int64_t last;   /* fulltext_order() of the last hit; for a regular expression, of the last
                       document  examined */
    int64_t until;  /* deadline (us) for regular expressions, which examine every document */
    struct regex_stop stop; /* asks `until` while an expression is matched */
    const bool *cancel;
    bool late;
    enum bough_rc rc;
    struct bough_error *err;
};

/* ---- one hit ---- */

static void fill_snippet(struct searching *s, const struct search_piece *at, size_t n,
                         struct bough_hit *hit)
{
    struct search_snippet snippet;
    struct bough_match *m;

    hit->field = "";
    hit->snippet = str_make(NULL, 0);
    if (!search_snippet(s->tmp, s->q, at, n, &snippet))
        return;
    hit->field = search_field_name(snippet.field);
    hit->snippet = str_make(arena_strndup(s->a, snippet.text.p, snippet.text.n), snippet.text.n);
    hit->cut_front = snippet.cut_front;
    hit->cut_back = snippet.cut_back;
    m = arena_array(s->a, snippet.nranges + 1, sizeof *m);
    for (size_t i = 0; i < snippet.nranges; i++)
        m[i] = (struct bough_match){ snippet.ranges[i].from, snippet.ranges[i].n };
    hit->matches = m;
    hit->nmatches = snippet.nranges;
    if (snippet.part >= 0)
        snprintf(hit->part, sizeof hit->part, "%s.%04x", hit->entry,
                 (unsigned)snippet.part & 0xffff);
}

/* Returns false if the entry is missing, deleted, or does not match the expression. */
static bool fill_entry(struct searching *s, const struct fulltext_row *row, struct bough_hit *hit)
{
    struct search_pieces pieces;
    struct entry_row entry;
    struct pack_extra x;
    struct bough_entry e;

    s->rc = s->snap->ops->entry_get(s->snap->v, s->tmp, row->bid, row->depth, &entry, s->err);
    if (s->rc == BOUGH_NOT_FOUND || (!s->rc && entry.deleted)) {
        s->rc = BOUGH_OK;
        return false;
    }
    if (!s->rc)
        s->rc = pack_entry_read(s->tmp, entry.body, &e, &x, s->err);
    if (s->rc)
        return false;
    id_entry(x.made, row->bid, row->depth, x.chk, hit->entry);
    hit->kind = e.kind;
    hit->role = e.role;
    hit->no = row->no;
    hit->time = e.time;
    search_pieces(s->tmp, &e, &pieces);
    if (!search_expression(s->tmp, s->q, pieces.at, pieces.n))
        return false;
    fill_snippet(s, pieces.at, pieces.n, hit);
    return true;
}

static bool is_late(void *user)
{
    const struct searching *s = user;

    return mono_us() > s->until || is_cancelled(s->cancel);
}

/* Matching the expression took too long. The next page begins with this document, unless it is the
 * first one of this page: it had all the time, and is left out. */
static bool gave_up(struct searching *s, const struct fulltext_row *row)
{
    if (!s->stop.gave_up)
        return false;
    if (s->last == s->before)
        s->last = fulltext_order(row);
    s->more = s->late = true;
    return true;
}

static struct bough_hit *push(struct searching *s)
{
    s->out->at = arena_room(s->a, s->out->at, s->out->n, sizeof *s->out->at);
    return &s->out->at[s->out->n];
}

static bool each_document(void *user, const struct fulltext_row *row)
{
    struct searching *s = user;
    const struct hit_owner_session *under;
    struct bough_hit hit = { 0 };

    if (s->q->re && is_late(s)) {
        s->more = s->late = true;
        return false;
    }
    s->rc = hit_owner_under(&s->shows, row->bid, row->depth, &under, s->err);
    if (s->rc || !under)
        return !s->rc;
    bough_arena_reset(s->tmp);
    if (row->bid) {
        if (!fill_entry(s, row, &hit)) {
            if (gave_up(s, row))
                return false;
            s->last = s->q->re ? fulltext_order(row) : s->last;
            return !s->rc;
        }
    } else {
        struct search_piece title = { SEARCH_TITLE, -1, str_of(under->title) };

        hit.no = row->no;
        hit.time = row->time;
        if (!search_expression(s->tmp, s->q, &title, 1)) {
            if (gave_up(s, row))
                return false;
            s->last = fulltext_order(row);
            return true;
        }
        fill_snippet(s, &title, 1, &hit);
    }
    if (s->out->n == s->limit) {
        s->more = true;
        return false;
    }
    hit.session = under->id;
    hit.slug = under->slug;
    hit.title = under->title;
    *push(s) = hit;
    s->out->n++;
    s->last = fulltext_order(row);
    return true;
}

/* ---- filters ---- */

/* Merge the caller's filters into the parsed query. */
static enum bough_rc merge(struct bough_arena *a, const struct bough_search_options *in,
                           struct search_query *q, struct bough_error *err)
{
    if (in->limit < 0 || in->branch < 0)
        return bough_fail(err, BOUGH_INVALID, "a limit or a branch is never negative");
    if ((in->path || !cstr_empty(in->at)) && cstr_empty(in->session))
        return bough_fail(err, BOUGH_INVALID, "a path needs a session");
    if (in->roles)
        q->roles = q->roles ? q->roles & in->roles : in->roles;
    if (in->kinds)
        q->kinds = q->kinds ? q->kinds & in->kinds : in->kinds;
    if (in->since > q->since)
        q->since = in->since;
    if (in->until && (!q->before || in->until < q->before))
        q->before = in->until;
    if (!cstr_empty(in->tool))
        search_term_add(a, q, str_of(in->tool), 1u << SEARCH_TOOL, false, false);
    return BOUGH_OK;
}

/* Do the caller's filters exclude everything the query allows? */
static bool impossible(const struct bough_search_options *in, const struct search_query *q,
                       unsigned roles, unsigned kinds)
{
    return (in->roles && roles && !q->roles) || (in->kinds && kinds && !q->kinds) ||
           (in->branch && q->branch && in->branch != q->branch);
}

static enum bough_rc narrow_session(struct searching *s, const struct bough_search_options *in,
                                    int64_t sid, struct bough_error *err)
{
    struct bough_head at = { 0 };
    struct head_now head;
    enum bough_rc rc = BOUGH_OK;

    if (!cstr_empty(in->at)) {
        rc = find_entry(s->snap, sid, in->at, &at, err);
    } else if (in->path) {
        rc = s->snap->ops->head_get(s->snap->v, s->a, sid, &head, err);
        at = (struct bough_head){ head.row.bid, head.depth };
    } else {
        return hit_owner_only_session(&s->shows, sid, err);
    }
    return rc ? rc : hit_owner_only_path(&s->shows, sid, at, err);
}

/* Combine the session of the caller and the session of the query. *none: they differ, or the
 * query's session does not exist. */
static enum bough_rc which_session(struct searching *s, const struct bough_search_options *in,
                                   int64_t *sid, bool *none, struct bough_error *err)
{
    int64_t other = 0;
    enum bough_rc rc = BOUGH_OK;

    *sid = 0;
    if (!cstr_empty(in->session))
        rc = find_session(s->snap, in->session, sid, err);
    if (rc || !*s->q->session)
        return rc;
    rc = find_session(s->snap, s->q->session, &other, err);
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_GONE || rc == BOUGH_INVALID || rc == BOUGH_AMBIGUOUS) {
        *none = true;
        return BOUGH_OK;
    }
    *none = *sid && *sid != other;
    *sid = other;
    return rc;
}

static enum bough_rc narrow(struct searching *s, const struct bough_search_options *in, bool *none,
                            struct bough_error *err)
{
    const char *const projects[] = { in->project, s->q->project };
    int64_t sid, bid = in->branch ? in->branch : s->q->branch;
    enum bough_rc rc = which_session(s, in, &sid, none, err);

    if (rc || *none)
        return rc;
    if (sid)
        rc = narrow_session(s, in, sid, err);
    if (!rc && bid)
        hit_owner_only_branch(&s->shows, bid);
    for (int i = 0; i < 2 && !rc; i++)
        if (!cstr_empty(projects[i]))
            rc = hit_owner_only_project(&s->shows, projects[i], i == 0, err);
    *none = s->shows.in_project && !s->shows.nprojects;
    return rc;
}

/* ---- the search ---- */

/* Index up to the current end of the changelog, as far as time allows. */
static enum bough_rc catch_up(struct bough_store *s, const struct bough_search_options *in,
                              int64_t *end, int64_t *reached, struct bough_error *err)
{
    int64_t ms = in->wait_ms ? in->wait_ms : LIMIT_CATCH_UP_MS, until = mono_us() + ms * 1000;
    struct deadline p = store_deadline(s);
    struct bough_error ignored;
    struct snap snap;
    int64_t mark = 0;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *reached = 0;
    if (rc)
        return rc;
    rc = snap.ops->changelog_last(snap.v, end, err);
    if (!rc)
        rc = snap.ops->fulltext_mark(snap.v, &mark, err);
    snap_end(&snap);
    if (rc || in->wait_ms < 0 || s->e->read_only || mark >= *end)
        return rc;
    p.until_us = until < p.until_us ? until : p.until_us;
    /* An index update may fail, for example on a full disk; the indexed part is still searched. */
    (void)fulltext_catch_up(s->e, &p, *end, reached, &ignored);
    return BOUGH_OK;
}

static enum bough_rc find(struct searching *s, const struct bough_search_options *in, int64_t end,
                          int64_t reached, struct bough_error *err)
{
    struct fulltext_query tq = { .q = s->q, .before = s->before };
    int64_t mark = 0, *bids = NULL, *sids = NULL;
    bool none = false;
    enum bough_rc rc = s->snap->ops->fulltext_mark(s->snap->v, &mark, err);

    if (rc)
        return rc;
    s->last = s->before;
    mark = mark > reached ? mark : reached;
    s->out->pending = end > mark ? end - mark : 0;
    s->out->complete = !s->out->pending;
    rc = narrow(s, in, &none, err);
    if (rc || none)
        return rc;
    tq.within = hit_owner_narrow(&s->shows, &bids, &tq.nbids, &sids, &tq.nsids, &rc, err);
    tq.bids = bids;
    tq.sids = sids;
    if (!rc)
        rc = s->snap->ops->fulltext_find(s->snap->v, &tq, each_document, s, err);
    rc = s->rc ? s->rc : rc;
    if (!rc && s->more)
        s->out->next = cursor_write(s->a, &s->last, 1);
    if (s->late)
        s->out->complete = false;
    return rc;
}

enum bough_rc bough_search(struct bough_store *s, struct bough_arena *a,
                           const struct bough_search_options *in, struct bough_hits *out,
                           struct bough_error *err)
{
    REQUIRE(s && a && in && out, err);

    struct search_query *q = arena_alloc(a, sizeof *q);
    struct searching w = { .a = a, .q = q, .out = out, .before = INT64_MAX, .err = err };
    int64_t end = 0, reached = 0;
    unsigned roles, kinds;
    struct snap snap;
    enum bough_rc rc = RESERVED_CHECK(bough_search_options, in, err);

    *out = (struct bough_hits){ .next = "", .complete = true, .refused = "" };
    if (rc)
        return rc;
    search_parse(a, str_of(in->query), env_now(&s->e->env), q);
    roles = q->roles;
    kinds = q->kinds;
    rc = merge(a, in, q, err);
    if (!rc)
        rc = cursor_read(in->cursor, &w.before, 1, err);
    if (!rc && w.before < 1)
        rc = cursor_bad(err);
    out->ignored = q->ignored;
    out->refused = q->refused;
    if (rc || *q->refused || impossible(in, q, roles, kinds))
        return rc;
    if (!search_asks(q) && cstr_empty(in->session) && cstr_empty(in->project) && !in->branch)
        return BOUGH_OK;
    w.limit = in->limit == 0           ? LIMIT_SEARCH_DEFAULT
              : in->limit > LIMIT_PAGE ? LIMIT_PAGE
                                       : (size_t)in->limit;
    rc = catch_up(s, in, &end, &reached, err);
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    w.snap = &snap;
    w.until = mono_us() + LIMIT_EXPRESSION_MS * 1000;
    w.cancel = s->cancel;
    w.stop = (struct regex_stop){ .over = is_late, .user = &w };
    q->stop = &w.stop;
    w.tmp = bough_arena_create();
    hit_owner_init(&w.shows, &snap, a);
    rc = find(&w, in, end, reached, err);
    hit_owner_finish(&w.shows);
    bough_arena_destroy(w.tmp);
    snap_end(&snap);
    if (rc)
        out->n = 0;
    return rc;
}

static enum bough_rc prepare_rebuild(struct prep *p, void *user, struct bough_error *err)
{
    (void)user;
    (void)err;
    txn_change(p, CHANGE_FULLTEXT_CLEAR);
    p->t->relaxed = true;
    return BOUGH_OK;
}

enum bough_rc bough_search_rebuild(struct bough_store *s, struct bough_error *err)
{
    REQUIRE(s, err);

    struct request r = { .prepare = prepare_rebuild };
    enum bough_rc rc = write_once(s, &r, err);

    if (rc)
        return rc;
    pthread_mutex_lock(&s->e->lock);
    s->e->fulltext.pending++;
    pthread_cond_signal(&s->e->background.wake);
    pthread_mutex_unlock(&s->e->lock);
    return BOUGH_OK;
}
