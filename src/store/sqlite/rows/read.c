/* Reads through a snapshot: getters copy rows into the caller's arena, scans pass each row to a
 * callback. */
#include "store/sqlite/rows/read.h"

#include <string.h>

#include "base/limits.h"
#include "store/sqlite/conn/db.h"

/* A running statement. It ends with done(). */
struct query {
    struct conn *c;
    enum sql id;
    sqlite3_stmt *st;
};

/* Start a query and bind n numbers. */
static enum bough_rc ask(struct snapshot *v, struct query *q, enum sql id, const int64_t *numbers,
                         int n, struct bough_error *err)
{
    enum bough_rc rc;

    q->c = conn_of(v);
    q->id = id;
    rc = conn_stmt(q->c, id, &q->st, err);
    if (rc)
        return rc;
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(q->st, 1 + i, numbers[i]);
    return BOUGH_OK;
}

/* Step to the next row. False at the end, or on an error, which sets *rc. */
static bool more(struct query *q, enum bough_rc *rc, struct bough_error *err)
{
    int code = snapshot_over(q->c) ? q->c->code : sqlite3_step(q->st);

    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        *rc = conn_fail(q->c, code, err);
    return false;
}

/* End a query. Also fails when a callback got an error from the same snapshot and did not report
 * it. */
static enum bough_rc done(struct query *q, enum bough_rc rc, struct bough_error *err)
{
    conn_done(q->c, q->id, q->st);
    return rc || !snapshot_over(q->c) ? rc : conn_fail(q->c, q->c->code, err);
}

/* Step to the only row. False: *rc is BOUGH_NOT_FOUND or the error. */
static bool only(struct query *q, const char *what, int64_t number, enum bough_rc *rc,
                 struct bough_error *err)
{
    if (more(q, rc, err))
        return true;
    if (!*rc)
        *rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no %s %lld", what, (long long)number);
    return false;
}

/* The first column of the first row, or `none` when there is no row. */
static enum bough_rc ask_number(struct snapshot *v, enum sql id, const int64_t *numbers, int n,
                                int64_t none, int64_t *out, struct bough_error *err)
{
    struct query q;
    enum bough_rc rc = ask(v, &q, id, numbers, n, err);

    if (rc)
        return rc;
    *out = more(&q, &rc, err) ? sqlite3_column_int64(q.st, 0) : none;
    return done(&q, rc, err);
}

/* ---- sessions and heads ---- */

enum bough_rc sqlite_session_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                 struct session_row *out, struct bough_error *err)
{
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_SESSION_GET, &sid, 1, err);

    if (rc)
        return rc;
    if (only(&q, "session", sid, &rc, err)) {
        row_session(q.st, out);
        out->slug = arena_strdup(a, out->slug);
        out->body = keep_bytes(a, out->body);
    }
    return done(&q, rc, err);
}

enum bough_rc sqlite_session_by_slug(struct snapshot *v, const char *slug, int64_t *sid,
                                     struct bough_error *err)
{
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_SESSION_SLUG, NULL, 0, err);

    if (rc)
        return rc;
    bind_text(q.st, 1, slug);
    if (more(&q, &rc, err))
        *sid = sqlite3_column_int64(q.st, 0);
    else if (!rc)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no session %s", slug);
    return done(&q, rc, err);
}

static enum bough_rc session_scan(struct snapshot *v, enum sql id, const int64_t *numbers, int n,
                                  session_fn fn, void *user, struct bough_error *err)
{
    struct query q;
    enum bough_rc rc = ask(v, &q, id, numbers, n, err);
    struct session_row row;

    if (rc)
        return rc;
    while (more(&q, &rc, err)) {
        row_session(q.st, &row);
        if (!fn(user, &row))
            break;
    }
    return done(&q, rc, err);
}

enum bough_rc sqlite_session_made(struct snapshot *v, int64_t from, int64_t to, session_fn fn,
                                  void *user, struct bough_error *err)
{
    return session_scan(v, SQL_SESSION_MADE, (int64_t[]){ from, to }, 2, fn, user, err);
}

enum bough_rc sqlite_session_children(struct snapshot *v, int64_t sid, session_fn fn, void *user,
                                      struct bough_error *err)
{
    return session_scan(v, SQL_SESSION_CHILDREN, &sid, 1, fn, user, err);
}

enum bough_rc sqlite_head_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                              struct head_now *out, struct bough_error *err)
{
    struct branch_row branch;
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_HEAD_GET, &sid, 1, err);

    if (rc)
        return rc;
    if (only(&q, "session", sid, &rc, err)) {
        row_head(q.st, &out->row);
        out->row.lease_owner = arena_strdup(a, out->row.lease_owner);
    }
    rc = done(&q, rc, err);
    if (rc)
        return rc;
    out->tip = 0;
    branch = (struct branch_row){ .bid = out->row.bid, .base = -1 };
    if (branch.bid)
        rc = sqlite_branch_tip(v, &branch, &out->tip, err);
    if (!rc && out->tip < 0) { /* no entries: the base is needed */
        rc = sqlite_branch_get(v, branch.bid, &branch, err);
        out->tip = branch.base;
    }
    out->depth = out->row.depth ? out->row.depth : out->tip;
    return rc;
}

/* ---- branches ---- */

enum bough_rc sqlite_branch_get(struct snapshot *v, int64_t bid, struct branch_row *out,
                                struct bough_error *err)
{
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_BRANCH_GET, &bid, 1, err);

    if (rc)
        return rc;
    if (only(&q, "branch", bid, &rc, err))
        row_branch(q.st, out);
    return done(&q, rc, err);
}

enum bough_rc sqlite_branch_tip(struct snapshot *v, const struct branch_row *branch, int64_t *tip,
                                struct bough_error *err)
{
    int64_t k = 0;
    enum bough_rc rc = ask_number(
        v, SQL_TIP, (int64_t[]){ entry_key(branch->bid, 0), entry_key(branch->bid, LIMIT_DEPTH) },
        2, -1, &k, err);

    if (!rc)
        *tip = k < 0 ? branch->base : k & LIMIT_DEPTH;
    return rc;
}

static enum bough_rc branch_scan(struct snapshot *v, enum sql id, const int64_t *numbers, int n,
                                 branch_fn fn, void *user, struct bough_error *err)
{
    struct query q;
    enum bough_rc rc = ask(v, &q, id, numbers, n, err);
    struct branch_row row;

    if (rc)
        return rc;
    while (more(&q, &rc, err)) {
        row_branch(q.st, &row);
        if (!fn(user, &row))
            break;
    }
    return done(&q, rc, err);
}

enum bough_rc sqlite_branch_children(struct snapshot *v, int64_t parent, int64_t from, int64_t to,
                                     branch_fn fn, void *user, struct bough_error *err)
{
    return branch_scan(v, SQL_BRANCH_CHILDREN, (int64_t[]){ parent, from, to }, 3, fn, user, err);
}

enum bough_rc sqlite_branch_of(struct snapshot *v, int64_t sid, branch_fn fn, void *user,
                               struct bough_error *err)
{
    return branch_scan(v, SQL_BRANCH_OF, &sid, 1, fn, user, err);
}

/* ---- entries ---- */

enum bough_rc sqlite_entry_get(struct snapshot *v, struct bough_arena *a, int64_t bid,
                               int64_t depth, struct entry_row *out, struct bough_error *err)
{
    int64_t k = entry_key(bid, depth);
    struct query q;
    enum bough_rc rc;

    if (depth < 0 || depth > LIMIT_DEPTH || bid < 0 || bid > LIMIT_BRANCH)
        return bough_fail(err, BOUGH_NOT_FOUND, "there is no such entry");
    rc = ask(v, &q, SQL_ENTRY_GET, &k, 1, err);
    if (rc)
        return rc;
    if (more(&q, &rc, err)) {
        row_entry(q.st, out);
        out->body = keep_bytes(a, out->body);
    } else if (!rc) {
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no entry #%lld.%lld", (long long)bid,
                        (long long)depth);
    }
    return done(&q, rc, err);
}

/* The cheapest statement that filters rows before it reads their bodies. */
static enum sql scan_statement(const struct entry_range *r)
{
    if (r->kinds || r->mask)
        return r->backwards ? SQL_ENTRY_DOWN_SOME : SQL_ENTRY_UP_SOME;
    if (r->deleted)
        return r->backwards ? SQL_ENTRY_DOWN : SQL_ENTRY_UP;
    return r->backwards ? SQL_ENTRY_DOWN_ALIVE : SQL_ENTRY_UP_ALIVE;
}

enum bough_rc sqlite_entry_scan(struct snapshot *v, const struct entry_range *r, entry_fn fn,
                                void *user, struct bough_error *err)
{
    int64_t from = r->from > 0 ? r->from : 0, to = r->to < LIMIT_DEPTH ? r->to : LIMIT_DEPTH;
    int64_t numbers[] = { entry_key(r->bid, from), entry_key(r->bid, to), r->mask, r->kinds,
                          r->deleted };
    struct entry_row row;
    struct query q;
    enum bough_rc rc;

    if (from > to)
        return BOUGH_OK;
    rc = ask(v, &q, scan_statement(r), numbers, r->kinds || r->mask ? 5 : 2, err);
    if (rc)
        return rc;
    while (more(&q, &rc, err)) {
        row_entry(q.st, &row);
        if (!fn(user, &row))
            break;
    }
    return done(&q, rc, err);
}

/* ---- open messages ---- */

enum bough_rc sqlite_open_scan(struct snapshot *v, int64_t bid, int64_t from, int64_t to,
                               open_fn fn, void *user, struct bough_error *err)
{
    const int64_t range[] = { bid ? entry_key(bid, from) : 0,
                              bid ? entry_key(bid, to) : INT64_MAX };
    struct open_row row;
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_OPEN_SCAN, range, 2, err);

    if (rc)
        return rc;
    while (more(&q, &rc, err)) {
        row_open(q.st, &row);
        if (!fn(user, &row))
            break;
    }
    return done(&q, rc, err);
}

enum bough_rc sqlite_draft_scan(struct snapshot *v, int64_t bid, int64_t depth, int64_t after,
                                draft_fn fn, void *user, struct bough_error *err)
{
    const int64_t range[] = { entry_key(bid, depth), after };
    struct draft_row row;
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_DRAFT_SCAN, range, 2, err);

    if (rc)
        return rc;
    while (more(&q, &rc, err)) {
        row_draft(q.st, &row);
        if (!fn(user, &row))
            break;
    }
    return done(&q, rc, err);
}

enum bough_rc sqlite_mark_find(struct snapshot *v, int64_t bid, enum bough_entry_kind kind,
                               int64_t to, int64_t *depth, struct bough_error *err)
{
    int64_t k = 0, last = to < LIMIT_DEPTH ? to : LIMIT_DEPTH;
    /* SQLite uses the partial index only when the kind is a literal in the statement. */
    enum sql ask = kind == BOUGH_ENTRY_COMPACTION     ? SQL_MARK
                   : kind == BOUGH_ENTRY_MODEL_CHANGE ? SQL_MARK_MODEL
                                                      : SQL_MARK_LEVEL;
    enum bough_rc rc = BOUGH_OK;

    if (last > 0)
        rc = ask_number(v, ask, (int64_t[]){ entry_key(bid, 0), entry_key(bid, last) }, 2, 0, &k,
                        err);
    if (!rc)
        *depth = k & LIMIT_DEPTH;
    return rc;
}

/* Branches with consecutive numbers are one range of keys. */
enum bough_rc sqlite_mark_scan(struct snapshot *v, const int64_t *bids, size_t n,
                               enum bough_entry_kind kind, mark_fn fn, void *user,
                               struct bough_error *err)
{
    enum sql id = kind == BOUGH_ENTRY_COMPACTION ? SQL_MARKS : SQL_MARKS_SUMMARY;
    enum bough_rc rc = BOUGH_OK;
    bool go_on = true;
    struct query q;

    for (size_t i = 0, end; i < n && go_on && !rc; i = end) {
        for (end = i + 1; end < n && bids[end] == bids[end - 1] + 1; end++)
            ;
        rc = ask(v, &q, id,
                 (int64_t[]){ entry_key(bids[i], 0), entry_key(bids[end - 1], LIMIT_DEPTH) }, 2,
                 err);
        if (rc)
            break;
        while (go_on && more(&q, &rc, err)) {
            int64_t k = sqlite3_column_int64(q.st, 0);

            go_on = fn(user, k >> 32, k & LIMIT_DEPTH);
        }
        rc = done(&q, rc, err);
    }
    return rc;
}

/* ---- aliases, keys, records ---- */

enum bough_rc sqlite_alias_find(struct snapshot *v, const char *id, int64_t scope, alias_fn fn,
                                void *user, struct bough_error *err)
{
    struct alias_row row;
    struct query q;
    enum bough_rc rc = ask(v, &q, scope < 0 ? SQL_ALIAS_ALL : SQL_ALIAS_GET, NULL, 0, err);

    if (rc)
        return rc;
    bind_text(q.st, 1, id);
    if (scope >= 0)
        sqlite3_bind_int64(q.st, 2, scope);
    while (more(&q, &rc, err)) {
        row_alias(q.st, &row);
        if (!fn(user, &row))
            break;
    }
    return done(&q, rc, err);
}

enum bough_rc sqlite_key_get(struct snapshot *v, struct bough_arena *a, const char *key,
                             struct key_row *out, struct bough_error *err)
{
    int64_t sid = key_session(key);
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_KEY_GET, &sid, 1, err);

    if (rc)
        return rc;
    bind_text(q.st, 2, key);
    if (more(&q, &rc, err)) {
        row_key(q.st, out);
        out->key = arena_strdup(a, out->key);
    } else if (!rc) {
        rc = bough_fail(err, BOUGH_NOT_FOUND, "this idempotency key was not used");
    }
    return done(&q, rc, err);
}

enum bough_rc sqlite_record_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                int64_t kind, int64_t ord, struct record_row *out,
                                struct bough_error *err)
{
    int64_t k = record_key(sid, kind, ord);
    struct query q;
    enum bough_rc rc;

    if (ord < 0 || ord > LIMIT_RECORD || kind < 0 || kind > 15)
        return bough_fail(err, BOUGH_NOT_FOUND, "there is no such record");
    rc = ask(v, &q, SQL_RECORD_GET, &k, 1, err);
    if (rc)
        return rc;
    if (only(&q, "record", ord, &rc, err)) {
        row_record(q.st, out);
        out->body = keep_bytes(a, out->body);
    }
    return done(&q, rc, err);
}

enum bough_rc sqlite_record_scan(struct snapshot *v, int64_t sid, int64_t kind, int64_t from,
                                 bool backwards, record_fn fn, void *user, struct bough_error *err)
{
    int64_t first = backwards || from < 1 ? 1 : from;
    int64_t last = backwards && from > 0 && from < LIMIT_RECORD ? from : LIMIT_RECORD;
    struct record_row row;
    struct query q;
    enum bough_rc rc;

    if (first > last)
        return BOUGH_OK;
    rc = ask(v, &q, backwards ? SQL_RECORD_DOWN : SQL_RECORD_UP,
             (int64_t[]){ record_key(sid, kind, first), record_key(sid, kind, last) }, 2, err);
    if (rc)
        return rc;
    while (more(&q, &rc, err)) {
        row_record(q.st, &row);
        if (!fn(user, &row))
            break;
    }
    return done(&q, rc, err);
}

/* ---- changelog and lists ---- */

enum bough_rc sqlite_log_last(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    return ask_number(v, SQL_LOG_LAST, NULL, 0, 0, no, err);
}

enum bough_rc sqlite_log_get(struct snapshot *v, int64_t no, struct changelog_row *out,
                             struct bough_error *err)
{
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_LOG_GET, &no, 1, err);

    if (rc)
        return rc;
    if (only(&q, "change", no, &rc, err))
        row_changelog(q.st, out);
    return done(&q, rc, err);
}

enum bough_rc sqlite_log_scan(struct snapshot *v, int64_t after, changelog_fn fn, void *user,
                              struct bough_error *err)
{
    struct changelog_row row;
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_LOG_SCAN, &after, 1, err);

    if (rc)
        return rc;
    while (more(&q, &rc, err)) {
        row_changelog(q.st, &row);
        if (!fn(user, &row))
            break;
    }
    return done(&q, rc, err);
}

static enum bough_rc spend_rows(struct snapshot *v, const struct spend_query *q, enum sql id,
                                int64_t key, spend_fn fn, void *user, bool *go_on,
                                struct bough_error *err)
{
    int64_t numbers[] = { q->from, q->to, key };
    struct spend_row row;
    struct query query;
    bool by_number = id != SQL_SPEND_DAYS && id != SQL_SPEND_PRINCIPAL;
    enum bough_rc rc = ask(v, &query, id, numbers, by_number ? 3 : 2, err);

    if (rc)
        return rc;
    if (id == SQL_SPEND_PRINCIPAL)
        bind_text(query.st, 3, q->principal);
    while (*go_on && more(&query, &rc, err)) {
        row_spend(query.st, &row);
        if (spend_matches(q, &row))
            *go_on = fn(user, &row);
    }
    return done(&query, rc, err);
}

enum bough_rc sqlite_spend_scan(struct snapshot *v, const struct spend_query *q, spend_fn fn,
                                void *user, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    bool go_on = true;

    for (size_t i = 0; q->within && i < q->nsids && !rc && go_on; i++)
        rc = spend_rows(v, q, SQL_SPEND_SESSION, q->sids[i], fn, user, &go_on, err);
    if (q->within)
        return rc;
    if (q->project)
        return spend_rows(v, q, SQL_SPEND_PROJECT, q->project, fn, user, &go_on, err);
    if (q->account)
        return spend_rows(v, q, SQL_SPEND_ACCOUNT, q->account, fn, user, &go_on, err);
    if (q->principal && *q->principal)
        return spend_rows(v, q, SQL_SPEND_PRINCIPAL, 0, fn, user, &go_on, err);
    return spend_rows(v, q, SQL_SPEND_DAYS, 0, fn, user, &go_on, err);
}

enum bough_rc sqlite_watermark(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    return ask_number(v, SQL_WATERMARK, NULL, 0, 0, no, err);
}

enum bough_rc sqlite_list_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                              struct list_row *out, struct bough_error *err)
{
    struct query q;
    enum bough_rc rc = ask(v, &q, SQL_LIST_GET, &sid, 1, err);

    if (rc)
        return rc;
    if (only(&q, "listed session", sid, &rc, err)) {
        row_list(q.st, out);
        keep_list(a, out);
    }
    return done(&q, rc, err);
}
