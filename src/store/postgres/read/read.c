/* Reads through a snapshot: getters copy rows into the caller's arena, scans pass each row to a
 * callback. */
#include "store/postgres/read/read.h"

#include "base/limits.h"
#include "store/postgres/conn/ahead.h"
#include "store/postgres/read/page.h"
#include "store/postgres/wire/array.h"

/* Run a query that gives one row; BOUGH_NOT_FOUND when there is none. The caller clears *r. */
static enum bough_rc only(struct snapshot *v, enum sql id, const int64_t *numbers, int n,
                          const char *what, PGresult **r, struct bough_error *err)
{
    struct args a = { 0 };
    enum bough_rc rc;

    args_ints(&a, numbers, n);
    rc = pg_ask(v, id, &a, r, err);
    if (rc || PQntuples(*r) > 0)
        return rc;
    PQclear(*r);
    return bough_fail(err, BOUGH_NOT_FOUND, "there is no %s %lld", what,
                      (long long)(n ? numbers[n - 1] : 0));
}

/* The first column of the first row, or `none` when there is no row. */
static enum bough_rc ask_number(struct snapshot *v, enum sql id, const int64_t *numbers, int n,
                                int64_t none, int64_t *out, struct bough_error *err)
{
    struct args a = { 0 };
    PGresult *r;
    enum bough_rc rc;

    args_ints(&a, numbers, n);
    rc = pg_ask(v, id, &a, &r, err);
    if (rc)
        return rc;
    *out = PQntuples(r) ? got_int(r, 0, 0) : none;
    PQclear(r);
    return BOUGH_OK;
}

/* A row that may have been read ahead. Then its result is owned by the snapshot. */
struct got {
    PGresult **kept; /* where to keep the result */
    PGresult *r;
    int i;
    bool ahead;
};

/* Get a row by a key of n numbers, read ahead or from the server. The first and the last number are
 * the key of rows read ahead. */
static enum bough_rc get(struct snapshot *v, enum ahead_kind kind, enum sql id, const int64_t *key,
                         int n, const char *what, struct got *out, struct bough_error *err)
{
    out->i = 0;
    out->kept = &conn_of(v)->ahead[kind];
    out->ahead = ahead_find(v, kind, key[0], n > 1 ? key[n - 1] : 0, &out->r, &out->i);
    return out->ahead ? BOUGH_OK : only(v, id, key, n, what, &out->r, err);
}

/* Keep the result of a query for the snapshot, because the same row is often read again. */
static void got_end(struct got *g)
{
    if (g->ahead)
        return;
    if (g->kept && !*g->kept)
        *g->kept = g->r;
    else
        PQclear(g->r);
}

/* ---- sessions and heads ---- */

enum bough_rc postgres_session_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                   struct session_row *out, struct bough_error *err)
{
    struct got g;
    enum bough_rc rc = get(v, AHEAD_SESSIONS, SQL_SESSION_GET, &sid, 1, "session", &g, err);

    if (rc)
        return rc;
    pg_row_session(g.r, g.i, out);
    out->slug = arena_strdup(a, out->slug);
    out->body = keep_bytes(a, out->body);
    got_end(&g);
    return BOUGH_OK;
}

enum bough_rc postgres_session_by_slug(struct snapshot *v, const char *slug, int64_t *sid,
                                       struct bough_error *err)
{
    struct args a = { 0 };
    PGresult *r;
    enum bough_rc rc;

    args_text(&a, slug);
    rc = pg_ask(v, SQL_SESSION_SLUG, &a, &r, err);
    if (rc)
        return rc;
    if (PQntuples(r))
        *sid = got_int(r, 0, 0);
    else
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no session %s", slug);
    PQclear(r);
    return rc;
}

/* `key`: the index of the parameter that holds the last sid. */
static enum bough_rc session_scan(struct page *p, int key, session_fn fn, void *user,
                                  struct bough_error *err)
{
    struct session_row row;

    while (page_next(p, err)) {
        pg_row_session(p->r, p->i, &row);
        args_set(&p->args, key, row.sid);
        if (!fn(user, &row))
            break;
    }
    return page_end(p, err);
}

enum bough_rc postgres_session_made(struct snapshot *v, int64_t from, int64_t to, session_fn fn,
                                    void *user, struct bough_error *err)
{
    struct page p;

    page_begin(&p, v, SQL_SESSION_MADE);
    args_ints(&p.args, (int64_t[]){ from, to, 0 }, 3);
    return session_scan(&p, 2, fn, user, err);
}

enum bough_rc postgres_session_children(struct snapshot *v, int64_t sid, session_fn fn, void *user,
                                        struct bough_error *err)
{
    struct page p;

    page_begin(&p, v, SQL_SESSION_CHILDREN);
    args_ints(&p.args, (int64_t[]){ sid, 0 }, 2);
    return session_scan(&p, 1, fn, user, err);
}

enum bough_rc postgres_head_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                struct head_now *out, struct bough_error *err)
{
    struct got g;
    enum bough_rc rc = get(v, AHEAD_HEADS, SQL_HEAD_GET, &sid, 1, "session", &g, err);

    if (rc)
        return rc;
    pg_row_head(g.r, g.i, &out->row);
    out->row.lease_owner = arena_strdup(a, out->row.lease_owner);
    out->tip = out->row.bid ? got_int(g.r, g.i, 10) : 0;
    out->depth = out->row.depth ? out->row.depth : out->tip;
    got_end(&g);
    return BOUGH_OK;
}

/* ---- branches ---- */

enum bough_rc postgres_branch_get(struct snapshot *v, int64_t bid, struct branch_row *out,
                                  struct bough_error *err)
{
    struct got g;
    enum bough_rc rc = get(v, AHEAD_BRANCHES, SQL_BRANCH_GET, &bid, 1, "branch", &g, err);

    if (rc)
        return rc;
    pg_row_branch(g.r, g.i, out);
    got_end(&g);
    return BOUGH_OK;
}

enum bough_rc postgres_branch_tip(struct snapshot *v, const struct branch_row *branch, int64_t *tip,
                                  struct bough_error *err)
{
    PGresult *r;
    int i;

    if (!ahead_find(v, AHEAD_TIPS, branch->bid, 0, &r, &i))
        return ask_number(v, SQL_TIP, &branch->bid, 1, branch->base, tip, err);
    *tip = PQgetisnull(r, i, 1) ? branch->base : got_int(r, i, 1);
    return BOUGH_OK;
}

enum bough_rc postgres_branch_children(struct snapshot *v, int64_t parent, int64_t from, int64_t to,
                                       branch_fn fn, void *user, struct bough_error *err)
{
    struct branch_row row;
    struct page p;

    page_begin(&p, v, SQL_BRANCH_CHILDREN);
    args_ints(&p.args, (int64_t[]){ parent, to, from, -1 }, 4);
    while (page_next(&p, err)) {
        pg_row_branch(p.r, p.i, &row);
        args_set(&p.args, 2, got_int(p.r, p.i, 3));
        args_set(&p.args, 3, row.bid);
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}

enum bough_rc postgres_branch_of(struct snapshot *v, int64_t sid, branch_fn fn, void *user,
                                 struct bough_error *err)
{
    struct branch_row row;
    struct page p;

    page_begin(&p, v, SQL_BRANCH_OF);
    args_ints(&p.args, (int64_t[]){ sid, 0 }, 2);
    while (page_next(&p, err)) {
        pg_row_branch(p.r, p.i, &row);
        args_set(&p.args, 1, row.bid);
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}

/* ---- entries ---- */

enum bough_rc postgres_entry_get(struct snapshot *v, struct bough_arena *a, int64_t bid,
                                 int64_t depth, struct entry_row *out, struct bough_error *err)
{
    const int64_t at[] = { bid, depth };
    struct bough_str was;
    struct got g;
    enum bough_rc rc = get(v, AHEAD_ENTRIES, SQL_ENTRY_GET, at, 2, "entry at depth", &g, err);

    if (rc)
        return rc;
    pg_row_entry(a, g.r, g.i, out);
    was = got_bytes(g.r, g.i, 5);
    if (out->body.p == was.p) /* not joined in the arena: still points into the result */
        out->body = keep_bytes(a, out->body);
    got_end(&g);
    return BOUGH_OK;
}

/* If all of a short range was read ahead, scan it from there. False: it was not. */
static bool scan_known(struct snapshot *v, const struct entry_range *range, entry_fn fn, void *user)
{
    enum ahead_kind kind = range->fronts ? AHEAD_FRONTS : AHEAD_ENTRIES;
    struct bough_arena *a;
    struct entry_row row;
    bool go_on = true;
    PGresult *r;
    int i = 0;

    if (range->backwards || range->mask || range->kinds || !range->deleted ||
        range->to - range->from >= 64)
        return false;
    for (int64_t d = range->from; d <= range->to; d++)
        if (!ahead_find(v, kind, range->bid, d, &r, &i))
            return false;
    a = bough_arena_create();
    for (int64_t d = range->from; d <= range->to && go_on; d++) {
        (void)ahead_find(v, kind, range->bid, d, &r, &i);
        pg_row_entry(a, r, i, &row);
        go_on = fn(user, &row);
        bough_arena_reset(a);
    }
    bough_arena_destroy(a);
    return true;
}

enum bough_rc postgres_entry_scan(struct snapshot *v, const struct entry_range *range, entry_fn fn,
                                  void *user, struct bough_error *err)
{
    int64_t from = range->from > 0 ? range->from : 0;
    int64_t to = range->to < LIMIT_DEPTH ? range->to : LIMIT_DEPTH;
    struct entry_row row;
    struct page p;

    if (from > to || scan_known(v, range, fn, user))
        return pg_over(v, err);
    page_begin(&p, v,
               range->backwards ? SQL_ENTRY_DOWN
               : range->fronts  ? SQL_FRONT_UP
                                : SQL_ENTRY_UP);
    args_ints(&p.args,
              (int64_t[]){ range->bid, from, to, range->mask, range->kinds, range->deleted }, 6);
    while (page_next(&p, err)) {
        pg_row_entry(p.a, p.r, p.i, &row);
        args_set(&p.args, range->backwards ? 2 : 1, row.depth + (range->backwards ? -1 : 1));
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}

enum bough_rc postgres_mark_find(struct snapshot *v, int64_t bid, enum bough_entry_kind kind,
                                 int64_t to, int64_t *depth, struct bough_error *err)
{
    const int64_t at[] = { bid, kind, to };

    return ask_number(v, SQL_MARK, at, 3, 0, depth, err);
}

enum bough_rc postgres_mark_scan(struct snapshot *v, const int64_t *bids, size_t n,
                                 enum bough_entry_kind kind, mark_fn fn, void *user,
                                 struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct page p;
    enum bough_rc rc;

    page_begin(&p, v, SQL_MARKS);
    args_str(&p.args, array_of_numbers(a, bids, n));
    args_ints(&p.args, (int64_t[]){ kind, 0, 0 }, 3);
    while (page_next(&p, err)) {
        int64_t bid = got_int(p.r, p.i, 0), depth = got_int(p.r, p.i, 1);

        args_set(&p.args, 2, bid);
        args_set(&p.args, 3, depth);
        if (!fn(user, bid, depth))
            break;
    }
    rc = page_end(&p, err);
    bough_arena_destroy(a);
    return rc;
}

/* ---- open messages ---- */

enum bough_rc postgres_open_scan(struct snapshot *v, int64_t bid, int64_t from, int64_t to,
                                 open_fn fn, void *user, struct bough_error *err)
{
    struct open_row row;
    struct page p;

    page_begin(&p, v, SQL_OPEN_SCAN);
    if (bid)
        args_ints(&p.args, (int64_t[]){ bid, from - 1, bid, to }, 4);
    else
        args_ints(&p.args, (int64_t[]){ 0, 0, INT64_MAX, INT64_MAX }, 4);
    while (page_next(&p, err)) {
        pg_row_open(p.r, p.i, &row);
        args_set(&p.args, 0, row.bid);
        args_set(&p.args, 1, row.depth);
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}

enum bough_rc postgres_draft_scan(struct snapshot *v, int64_t bid, int64_t depth, int64_t after,
                                  draft_fn fn, void *user, struct bough_error *err)
{
    struct draft_row row;
    struct page p;

    page_begin(&p, v, SQL_DRAFT_SCAN);
    args_ints(&p.args, (int64_t[]){ bid, depth, after }, 3);
    while (page_next(&p, err)) {
        pg_row_draft(p.r, p.i, &row);
        args_set(&p.args, 2, row.end);
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}

/* ---- aliases, keys, records ---- */

static enum bough_rc alias_one(struct snapshot *v, const char *id, int64_t scope, alias_fn fn,
                               void *user, struct bough_error *err)
{
    struct args a = { 0 };
    struct alias_row row;
    PGresult *r;
    enum bough_rc rc;

    args_text(&a, id);
    args_int(&a, scope);
    rc = pg_ask(v, SQL_ALIAS_GET, &a, &r, err);
    if (rc)
        return rc;
    if (PQntuples(r)) {
        pg_row_alias(r, 0, &row);
        (void)fn(user, &row);
    }
    PQclear(r);
    return pg_over(v, err);
}

enum bough_rc postgres_alias_find(struct snapshot *v, const char *id, int64_t scope, alias_fn fn,
                                  void *user, struct bough_error *err)
{
    struct alias_row row;
    struct page p;

    if (scope >= 0)
        return alias_one(v, id, scope, fn, user, err);
    page_begin(&p, v, SQL_ALIAS_ALL);
    args_text(&p.args, id);
    args_int(&p.args, -1);
    while (page_next(&p, err)) {
        pg_row_alias(p.r, p.i, &row);
        args_set(&p.args, 1, row.scope);
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}

enum bough_rc postgres_key_get(struct snapshot *v, struct bough_arena *a, const char *key,
                               struct key_row *out, struct bough_error *err)
{
    struct args args = { 0 };
    PGresult *r;
    enum bough_rc rc;

    args_int(&args, key_session(key));
    args_text(&args, key);
    rc = pg_ask(v, SQL_KEY_GET, &args, &r, err);
    if (rc)
        return rc;
    if (PQntuples(r)) {
        pg_row_key(r, 0, out);
        out->key = arena_strdup(a, out->key);
    } else {
        rc = bough_fail(err, BOUGH_NOT_FOUND, "this idempotency key was not used");
    }
    PQclear(r);
    return rc;
}

enum bough_rc postgres_record_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                  int64_t kind, int64_t ord, struct record_row *out,
                                  struct bough_error *err)
{
    const int64_t at[] = { sid, kind, ord };
    struct got g = { 0 };
    enum bough_rc rc = kind == RECORD_CALL
                           ? get(v, AHEAD_CALLS, SQL_RECORD_GET, at, 3, "record", &g, err)
                           : only(v, SQL_RECORD_GET, at, 3, "record", &g.r, err);

    if (rc)
        return rc;
    pg_row_record(g.r, g.i, out);
    out->body = keep_bytes(a, out->body);
    got_end(&g);
    return BOUGH_OK;
}

enum bough_rc postgres_record_scan(struct snapshot *v, int64_t sid, int64_t kind, int64_t from,
                                   bool backwards, record_fn fn, void *user,
                                   struct bough_error *err)
{
    int64_t first = backwards || from < 1 ? 1 : from;
    int64_t last = backwards && from > 0 && from < LIMIT_RECORD ? from : LIMIT_RECORD;
    struct record_row row;
    struct page p;

    page_begin(&p, v, backwards ? SQL_RECORD_DOWN : SQL_RECORD_UP);
    args_ints(&p.args, (int64_t[]){ sid, kind, first, last }, 4);
    while (page_next(&p, err)) {
        pg_row_record(p.r, p.i, &row);
        args_set(&p.args, backwards ? 3 : 2, row.ord + (backwards ? -1 : 1));
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}

/* ---- changelog and lists ---- */

enum bough_rc postgres_log_last(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    return ask_number(v, SQL_LOG_LAST, NULL, 0, 0, no, err);
}

enum bough_rc postgres_log_get(struct snapshot *v, int64_t no, struct changelog_row *out,
                               struct bough_error *err)
{
    PGresult *r;
    enum bough_rc rc = only(v, SQL_LOG_GET, &no, 1, "change", &r, err);

    if (rc)
        return rc;
    pg_row_log(r, 0, out);
    PQclear(r);
    return BOUGH_OK;
}

enum bough_rc postgres_log_scan(struct snapshot *v, int64_t after, changelog_fn fn, void *user,
                                struct bough_error *err)
{
    struct changelog_row row;
    struct page p;

    page_begin(&p, v, SQL_LOG_SCAN);
    p.limit = 256; /* rows are short, and usually all pending rows are wanted */
    args_int(&p.args, after);
    while (page_next(&p, err)) {
        pg_row_log(p.r, p.i, &row);
        args_set(&p.args, 0, row.no);
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}

enum bough_rc postgres_watermark(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    return ask_number(v, SQL_WATERMARK, NULL, 0, 0, no, err);
}

enum bough_rc postgres_text_mark(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    return ask_number(v, SQL_TEXT_MARK, NULL, 0, 0, no, err);
}

enum bough_rc postgres_list_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                struct list_row *out, struct bough_error *err)
{
    struct got g;
    enum bough_rc rc = get(v, AHEAD_LISTS, SQL_LIST_GET, &sid, 1, "listed session", &g, err);

    if (rc)
        return rc;
    if (PQgetisnull(g.r, g.i, 1)) /* read ahead, and there is no such row */
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no listed session %lld", (long long)sid);
    else
        pg_row_list(g.r, g.i, out);
    if (!rc)
        keep_list(a, out);
    got_end(&g);
    return rc;
}
