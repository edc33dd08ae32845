/* Reads of the memory backend: getters copy rows into the caller's arena, under the snapshot's
 * lock. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/memory/memory.h"

static struct bough_str dup_str(struct bough_arena *a, struct bough_str s)
{
    return str_make(arena_strndup(a, s.p, s.n), s.n);
}

static enum bough_rc missing(struct bough_error *err, const char *what)
{
    return bough_fail(err, BOUGH_NOT_FOUND, "no such %s", what);
}

enum bough_rc memory_session_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                 struct session_row *out, struct bough_error *err)
{
    struct mem_session *s = sid > 0 ? mem_session(memory_in(v), sid) : NULL;

    if (!s)
        return missing(err, "session");
    *out = s->row;
    out->slug = arena_strdup(a, s->row.slug);
    out->body = dup_str(a, s->row.body);
    return BOUGH_OK;
}

enum bough_rc memory_session_by_slug(struct snapshot *v, const char *slug, int64_t *sid,
                                     struct bough_error *err)
{
    uint64_t found = 0;

    if (!smap_get(&memory_in(v)->slugs, str_of(slug), &found))
        return missing(err, "slug");
    *sid = (int64_t)found;
    return BOUGH_OK;
}

enum bough_rc memory_session_made(struct snapshot *v, int64_t from, int64_t to, session_fn fn,
                                  void *user, struct bough_error *err)
{
    struct memory *m = memory_in(v);

    (void)err;
    for (size_t i = 1; i < m->nsessions; i++) {
        struct mem_session *s = &m->sessions[i];

        if (s->there && s->row.made >= from && s->row.made <= to && !fn(user, &s->row))
            break;
    }
    return BOUGH_OK;
}

enum bough_rc memory_session_children(struct snapshot *v, int64_t sid, session_fn fn, void *user,
                                      struct bough_error *err)
{
    struct memory *m = memory_in(v);

    (void)err;
    for (size_t i = 1; i < m->nsessions; i++)
        if (m->sessions[i].there && m->sessions[i].row.parent == sid &&
            !fn(user, &m->sessions[i].row))
            break;
    return BOUGH_OK;
}

enum bough_rc memory_head_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                              struct head_now *out, struct bough_error *err)
{
    struct memory *m = memory_in(v);
    struct mem_session *s = sid > 0 ? mem_session(m, sid) : NULL;
    struct mem_branch *b;

    if (!s || !s->head_there)
        return missing(err, "session");
    out->row = s->head;
    out->row.lease_owner = arena_strdup(a, s->head.lease_owner);
    b = mem_branch(m, s->head.bid);
    out->tip = b ? mem_tip(b) : 0;
    out->depth = s->head.depth ? s->head.depth : out->tip;
    return BOUGH_OK;
}

enum bough_rc memory_branch_get(struct snapshot *v, int64_t bid, struct branch_row *out,
                                struct bough_error *err)
{
    struct mem_branch *b = mem_branch(memory_in(v), bid);

    if (!b)
        return missing(err, "branch");
    *out = b->row;
    return BOUGH_OK;
}

enum bough_rc memory_branch_tip(struct snapshot *v, const struct branch_row *branch, int64_t *tip,
                                struct bough_error *err)
{
    struct mem_branch *b = mem_branch(memory_in(v), branch->bid);

    if (!b)
        return missing(err, "branch");
    *tip = mem_tip(b);
    return BOUGH_OK;
}

static int by_base(const void *x, const void *y)
{
    const struct branch_row *a = x, *b = y;

    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    return a->bid < b->bid ? -1 : a->bid > b->bid;
}

enum bough_rc memory_branch_children(struct snapshot *v, int64_t parent, int64_t from, int64_t to,
                                     branch_fn fn, void *user, struct bough_error *err)
{
    struct memory *m = memory_in(v);
    struct branch_row *rows = NULL;
    size_t n = 0, cap = 0;

    (void)err;
    for (size_t i = 1; i < m->nbranches; i++) {
        struct branch_row *b = &m->branches[i].row;

        if (!m->branches[i].there || b->parent != parent || b->base < from || b->base > to)
            continue;
        rows = mem_grow(rows, &cap, n, sizeof *rows);
        rows[n++] = *b;
    }
    if (n)
        qsort(rows, n, sizeof *rows, by_base);
    for (size_t i = 0; i < n && fn(user, &rows[i]); i++)
        ;
    mem_free(rows);
    return BOUGH_OK;
}

enum bough_rc memory_branch_of(struct snapshot *v, int64_t sid, branch_fn fn, void *user,
                               struct bough_error *err)
{
    struct memory *m = memory_in(v);

    (void)err;
    for (size_t i = 1; i < m->nbranches; i++)
        if (m->branches[i].there && m->branches[i].row.sid == sid && !fn(user, &m->branches[i].row))
            break;
    return BOUGH_OK;
}

static struct entry_row entry_row_of(int64_t bid, int64_t depth, const struct mem_entry *e)
{
    return (struct entry_row){ bid, depth, e->kind, e->mask, e->deleted, { e->body, e->len } };
}

enum bough_rc memory_entry_get(struct snapshot *v, struct bough_arena *a, int64_t bid,
                               int64_t depth, struct entry_row *out, struct bough_error *err)
{
    struct mem_entry *e = mem_entry(memory_in(v), bid, depth);

    if (!e)
        return missing(err, "entry");
    *out = entry_row_of(bid, depth, e);
    out->body = dup_str(a, out->body);
    return BOUGH_OK;
}

static bool wanted(const struct entry_range *r, const struct mem_entry *e)
{
    return e && (r->deleted || !e->deleted) && (!r->kinds || r->kinds >> e->kind & 1) &&
           (!r->mask || r->mask & e->mask);
}

enum bough_rc memory_entry_scan(struct snapshot *v, const struct entry_range *r, entry_fn fn,
                                void *user, struct bough_error *err)
{
    struct memory *m = memory_in(v);
    struct mem_branch *b = mem_branch(m, r->bid);
    int64_t from, to;

    (void)err;
    if (!b)
        return BOUGH_OK;
    from = r->from > b->row.base ? r->from : b->row.base + 1;
    to = r->to < mem_tip(b) ? r->to : mem_tip(b);
    for (int64_t i = 0; from + i <= to; i++) {
        int64_t depth = r->backwards ? to - i : from + i;
        struct mem_entry *e = b->at[depth - b->row.base - 1];
        struct entry_row row;

        if (!wanted(r, e))
            continue;
        row = entry_row_of(r->bid, depth, e);
        if (!fn(user, &row))
            break;
    }
    return BOUGH_OK;
}

enum bough_rc memory_mark_find(struct snapshot *v, int64_t bid, enum bough_entry_kind kind,
                               int64_t to, int64_t *depth, struct bough_error *err)
{
    struct memory *m = memory_in(v);
    struct mem_branch *b = mem_branch(m, bid);

    (void)err;
    *depth = 0;
    if (!b)
        return BOUGH_OK;
    for (int64_t d = to < mem_tip(b) ? to : mem_tip(b); d > b->row.base; d--) {
        struct mem_entry *e = mem_entry(m, bid, d);

        if (e && e->kind == kind && !e->deleted) {
            *depth = d;
            break;
        }
    }
    return BOUGH_OK;
}

enum bough_rc memory_mark_scan(struct snapshot *v, const int64_t *bids, size_t n,
                               enum bough_entry_kind kind, mark_fn fn, void *user,
                               struct bough_error *err)
{
    struct memory *m = memory_in(v);

    (void)err;
    for (size_t i = 0; i < n; i++) {
        struct mem_branch *b = mem_branch(m, bids[i]);

        for (int64_t d = b ? b->row.base + 1 : 1; b && d <= mem_tip(b); d++) {
            struct mem_entry *e = mem_entry(m, bids[i], d);

            if (e && e->kind == kind && !e->deleted && !fn(user, bids[i], d))
                return BOUGH_OK;
        }
    }
    return BOUGH_OK;
}

enum bough_rc memory_alias_find(struct snapshot *v, const char *id, int64_t scope, alias_fn fn,
                                void *user, struct bough_error *err)
{
    struct memory *m = memory_in(v);
    uint64_t i = 0;

    (void)err;
    smap_get(&m->alias_ids, str_of(id), &i);
    for (; i; i = m->aliases[i - 1].next)
        if ((scope < 0 || m->aliases[i - 1].row.scope == scope) &&
            !fn(user, &m->aliases[i - 1].row))
            break;
    return BOUGH_OK;
}

enum bough_rc memory_key_get(struct snapshot *v, struct bough_arena *a, const char *key,
                             struct key_row *out, struct bough_error *err)
{
    struct mem_key *k = mem_key(memory_in(v), key);

    if (!k)
        return missing(err, "key");
    *out = k->row;
    out->key = arena_strdup(a, k->row.key);
    return BOUGH_OK;
}

enum bough_rc memory_record_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                int64_t kind, int64_t ord, struct record_row *out,
                                struct bough_error *err)
{
    struct mem_record *r = mem_record(memory_in(v), sid, kind, ord);

    if (!r)
        return missing(err, "record");
    *out = (struct record_row){ sid, kind, ord, r->ver, r->deleted, { r->body, r->len } };
    out->body = dup_str(a, out->body);
    return BOUGH_OK;
}

enum bough_rc memory_record_scan(struct snapshot *v, int64_t sid, int64_t kind, int64_t from,
                                 bool backwards, record_fn fn, void *user, struct bough_error *err)
{
    struct mem_session *s = mem_session(memory_in(v), sid);
    int64_t n = s ? (int64_t)s->records[kind].n : 0, step = backwards ? -1 : 1;
    int64_t at = backwards && (!from || from > n) ? n : from < 1 ? 1 : from;

    (void)err;
    for (; at >= 1 && at <= n; at += step) {
        struct mem_record *r = s->records[kind].at[at - 1];
        struct record_row row;

        if (!r)
            continue;
        row = (struct record_row){ sid, kind, at, r->ver, r->deleted, { r->body, r->len } };
        if (!fn(user, &row))
            break;
    }
    return BOUGH_OK;
}

enum bough_rc memory_log_last(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    (void)err;
    *no = memory_in(v)->last_no;
    return BOUGH_OK;
}

/* Index of the first changelog row with a number above `after`. */
static size_t log_after(const struct memory *m, int64_t after)
{
    size_t lo = 0, hi = m->nlog;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (mem_log_no(m, mid) <= after)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

enum bough_rc memory_log_get(struct snapshot *v, int64_t no, struct changelog_row *out,
                             struct bough_error *err)
{
    struct memory *m = memory_in(v);
    size_t i = log_after(m, no - 1);

    if (i >= m->nlog || mem_log_no(m, i) != no)
        return missing(err, "log row");
    mem_log_row(mem_log_at(m, i), out);
    return BOUGH_OK;
}

enum bough_rc memory_log_scan(struct snapshot *v, int64_t after, changelog_fn fn, void *user,
                              struct bough_error *err)
{
    struct memory *m = memory_in(v);
    struct changelog_row row;

    (void)err;
    for (size_t i = log_after(m, after); i < m->nlog; i++) {
        mem_log_row(mem_log_at(m, i), &row);
        if (!fn(user, &row))
            break;
    }
    return BOUGH_OK;
}

enum bough_rc memory_watermark(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    (void)err;
    *no = memory_in(v)->watermark;
    return BOUGH_OK;
}

enum bough_rc memory_list_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                              struct list_row *out, struct bough_error *err)
{
    struct mem_session *s = sid > 0 ? mem_session(memory_in(v), sid) : NULL;

    if (!s || !s->list)
        return missing(err, "list row");
    *out = *s->list;
    out->role_name = arena_strdup(a, out->role_name);
    out->provider_path = arena_strdup(a, out->provider_path);
    out->model_provider = arena_strdup(a, out->model_provider);
    out->model_name = arena_strdup(a, out->model_name);
    out->hay = arena_strdup(a, out->hay);
    out->last_model = arena_strdup(a, out->last_model);
    out->body = dup_str(a, out->body);
    return BOUGH_OK;
}

static int by_created(const void *x, const void *y)
{
    return list_compare(ORDER_CREATED, *(struct list_row *const *)x, *(struct list_row *const *)y);
}

static int by_updated(const void *x, const void *y)
{
    return list_compare(ORDER_UPDATED, *(struct list_row *const *)x, *(struct list_row *const *)y);
}

static int by_modified(const void *x, const void *y)
{
    return list_compare(ORDER_MODIFIED, *(struct list_row *const *)x, *(struct list_row *const *)y);
}

static int by_cost(const void *x, const void *y)
{
    return list_compare(ORDER_COST, *(struct list_row *const *)x, *(struct list_row *const *)y);
}

enum bough_rc memory_list_scan(struct snapshot *v, const struct list_query *q, list_fn fn,
                               void *user, struct bough_error *err)
{
    static int (*const orders[])(const void *, const void *) = {
        [ORDER_CREATED] = by_created,
        [ORDER_UPDATED] = by_updated,
        [ORDER_MODIFIED] = by_modified,
        [ORDER_COST] = by_cost,
    };
    struct memory *m = memory_in(v);
    struct list_row **rows = NULL;
    size_t n = 0, cap = 0;

    (void)err;
    for (size_t i = 1; i < m->nsessions; i++) {
        struct list_row *l = m->sessions[i].list;

        if (!l || !list_matches(q, l))
            continue;
        rows = mem_grow(rows, &cap, n, sizeof *rows);
        rows[n++] = l;
    }
    if (n)
        qsort(rows, n, sizeof *rows, orders[q->order]);
    for (size_t i = 0; i < n && fn(user, rows[i]); i++)
        ;
    mem_free(rows);
    return BOUGH_OK;
}

enum bough_rc memory_list_count(struct snapshot *v, const struct list_query *q, int64_t most,
                                int64_t *matches, int64_t *read, struct bough_error *err)
{
    struct memory *m = memory_in(v);
    struct list_query all = *q;

    (void)err;
    *matches = *read = 0;
    all.after_set = false;
    for (size_t i = 1; i < m->nsessions && *read < most; i++)
        if (m->sessions[i].list) {
            ++*read;
            *matches += list_matches(&all, m->sessions[i].list);
        }
    return BOUGH_OK;
}
