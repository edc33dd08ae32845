/* Lists of sessions: SQL built from fixed fragments, one per condition. */
#include "store/sqlite/conn/db.h"
#include "store/sqlite/rows/read.h"

#include "base/memory/buf.h"
#include "base/text/str.h"

_Static_assert(BOUGH_PRIMARY == 0 && BOUGH_SUBAGENT == 1, "the arms below name both kinds");

enum { TEXT_MAX = 16384 };

/* The conditions; the value of condition n is parameter ?n+1. A "+" stops SQLite from choosing an
 * index for that condition: the index that gives the order is always the better choice. */
enum { C_AFTER = ASKS_COUNT, C_COUNT }; /* C_AFTER has two parameters: the key, then the sid */

static const char *const pieces[C_COUNT] = {
    [ASKS_PROJECT] = " AND +project = ?1",
    [ASKS_WORKSPACE] = " AND +workspace = ?2",
    [ASKS_ACCOUNT] = " AND +account = ?3",
    [ASKS_PARENT] = " AND +parent = ?4",
    [ASKS_STATUSES] = " AND ((1 << status) & ?5) <> 0",
    [ASKS_ROLE] = " AND +role_name = ?6",
    [ASKS_PATH] = " AND provider_path = ?7",
    [ASKS_PROVIDER] = " AND model_provider = ?8",
    [ASKS_MODEL] = " AND (model_name = ?9 OR last_model = ?9)",
    [ASKS_CREATED_FROM] = " AND +created >= ?10",
    [ASKS_CREATED_TO] = " AND +created < ?11",
    [ASKS_UPDATED_FROM] = " AND +updated >= ?12",
    [ASKS_UPDATED_TO] = " AND +updated < ?13",
    [ASKS_HAY] = " AND instr(hay, ?14) > 0",
    [ASKS_ROOTS] = " AND +parent = 0",
    [ASKS_ERRORS] = " AND +errors > 0",
    [ASKS_LAST_STATE] = " AND +last_state = ?17",
    [ASKS_COST] = " AND +cost >= ?18",
};

/* The same for the condition whose index is used: list_lead(). Statuses have an arm each. */
static const char *const leads[ASKS_COUNT] = {
    [ASKS_PROJECT] = " AND project = ?1 AND project <> 0",
    [ASKS_WORKSPACE] = " AND workspace = ?2 AND workspace <> 0",
    [ASKS_ACCOUNT] = " AND account = ?3 AND account <> 0",
    [ASKS_PARENT] = " AND parent = ?4 AND parent <> 0",
    [ASKS_ROLE] = " AND role_name = ?6 AND role_name <> ''",
    [ASKS_LAST_STATE] = " AND last_state = ?17 AND last_state > 1",
    [ASKS_ERRORS] = " AND errors > 0",
};

static const char *const status_leads[] = {
    [BOUGH_STATUS_IDLE] = " AND status = 0",
    [BOUGH_STATUS_BUSY] = " AND status = 1",
    [BOUGH_STATUS_RETRY] = " AND status = 2",
    [BOUGH_STATUS_ARCHIVED] = " AND status = 3",
};

struct order_text {
    const char *after, *by;
};

static const struct order_text orders[] = {
    [ORDER_CREATED] = { " AND (created, sid) < (?19, ?20)", " ORDER BY 8 DESC, 1 DESC" },
    [ORDER_UPDATED] = { " AND (updated, sid) < (?19, ?20)", " ORDER BY 9 DESC, 1 DESC" },
    [ORDER_MODIFIED] = { " AND (modified, sid) < (?19, ?20)", " ORDER BY 10 DESC, 1 DESC" },
    [ORDER_COST] = { " AND (cost, sid) < (?19, ?20)", " ORDER BY 20 DESC, 1 DESC" },
};

/* One SELECT per kind and per deleted state: each reads one range of an index. */
static const char *const arms[] = {
    " FROM list WHERE kind = 0 AND gone = 0",
    " FROM list WHERE kind = 1 AND gone = 0",
    " FROM list WHERE kind = 0 AND gone = 1",
    " FROM list WHERE kind = 1 AND gone = 1",
};

/* The statuses that get an arm each; 0: the status is not the lead. */
static uint64_t lead_statuses(const struct list_query *q)
{
    return list_lead(q) == ASKS_STATUSES
               ? (uint64_t)q->statuses & ((UINT64_C(2) << BOUGH_STATUS_LAST) - 1)
               : 0;
}

static uint64_t shape_of(const struct list_query *q)
{
    return list_asks(q) | (uint64_t)q->after_set << C_AFTER | (uint64_t)list_arms(q) << 32 |
           (uint64_t)q->order << 40 | (uint64_t)list_lead(q) << 42 | UINT64_C(1) << 48 |
           lead_statuses(q) << 52;
}

/* One arm: a range of the index of the lead. `status` < 0: the lead is not the status. */
static void write_arm(struct buf *out, const struct list_query *q, uint64_t shape, unsigned arm,
                      int status)
{
    enum list_condition lead = list_lead(q);

    buf_puts(out, "SELECT " LIST_COLS);
    buf_puts(out, arms[arm]);
    if (status >= 0)
        buf_puts(out, status_leads[status]);
    for (int i = 0; i < C_COUNT; i++) {
        if (!(shape >> i & 1) || (status >= 0 && i == ASKS_STATUSES))
            continue;
        buf_puts(out, i == C_AFTER                               ? orders[q->order].after
                      : i == (int)lead                           ? leads[i]
                      : i == ASKS_COST && q->order == ORDER_COST ? " AND cost >= ?18"
                                                                 : pieces[i]);
    }
}

void sqlite_list_sql(const struct list_query *q, struct buf *out)
{
    uint64_t statuses = lead_statuses(q);
    const char *between = "";

    for (unsigned arm = 0; arm < 4; arm++)
        for (int status = statuses ? 0 : -1; status <= (statuses ? BOUGH_STATUS_LAST : -1);
             status++) {
            if (!(list_arms(q) >> arm & 1) || (status >= 0 && !(statuses >> status & 1)))
                continue;
            buf_puts(out, between);
            write_arm(out, q, shape_of(q), arm, status);
            between = " UNION ALL ";
        }
    buf_puts(out, orders[q->order].by);
}

/* The cached statement of this shape. Otherwise prepares one and replaces the oldest in
 * the cache. */
static enum bough_rc prepare(struct conn *c, const struct list_query *q, sqlite3_stmt **out,
                             struct bough_error *err)
{
    uint64_t shape = shape_of(q);
    unsigned place = c->list_turn % LIST_CACHE;
    struct buf text;
    int code;

    for (unsigned i = 0; i < LIST_CACHE; i++)
        if (c->list[i].shape == shape && !sqlite3_stmt_busy(c->list[i].stmt)) {
            *out = c->list[i].stmt;
            return BOUGH_OK;
        }
    buf_init(&text, TEXT_MAX);
    sqlite_list_sql(q, &text);
    code = sqlite3_prepare_v3(c->db, text.p, (int)text.n, SQLITE_PREPARE_PERSISTENT, out, NULL);
    buf_finish(&text);
    if (code != SQLITE_OK)
        return conn_fail(c, code, err);
    if (sqlite3_stmt_busy(c->list[place].stmt))
        return BOUGH_OK; /* nested list scan: not cached, finish() frees it */
    sqlite3_finalize(c->list[place].stmt);
    c->list[place].shape = shape;
    c->list[place].stmt = *out;
    c->list_turn++;
    return BOUGH_OK;
}

static void finish(struct conn *c, sqlite3_stmt *st)
{
    for (unsigned i = 0; i < LIST_CACHE; i++)
        if (c->list[i].stmt == st) {
            sqlite3_reset(st);
            return;
        }
    sqlite3_finalize(st);
}

static void bind_query(sqlite3_stmt *st, const struct list_query *q)
{
    const struct {
        int at;
        int64_t v;
    } numbers[] = {
        { 1, q->project },     { 2, q->workspace },     { 3, q->account },
        { 4, q->parent },      { 5, q->statuses },      { 10, q->created_from },
        { 11, q->created_to }, { 12, q->updated_from }, { 13, q->updated_to },
        { 17, q->last_state }, { 18, q->cost_from },    { 19, q->after_key },
        { 20, q->after_sid },
    };
    const struct {
        int at;
        const char *v;
    } texts[] = { { 6, q->role_name },
                  { 7, q->provider_path },
                  { 8, q->model_provider },
                  { 9, q->model_name },
                  { 14, q->hay } };
    int max = sqlite3_bind_parameter_count(st);

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].at <= max)
            sqlite3_bind_int64(st, numbers[i].at, numbers[i].v);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].at <= max)
            bind_text(st, texts[i].at, texts[i].v);
}

enum bough_rc sqlite_list_scan(struct snapshot *v, const struct list_query *q, list_fn fn,
                               void *user, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    struct list_row row;
    sqlite3_stmt *st;
    enum bough_rc rc;
    int code;

    if (snapshot_over(c))
        return conn_fail(c, c->code, err);
    if (!list_arms(q))
        return BOUGH_OK;
    rc = prepare(c, q, &st, err);
    if (rc)
        return rc;
    bind_query(st, q);
    while ((code = sqlite3_step(st)) == SQLITE_ROW) {
        row_list(st, &row);
        if (!fn(user, &row))
            break;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        rc = conn_fail(c, code, err);
    finish(c, st);
    if (!rc && snapshot_over(c)) /* the callback got an error and did not report it */
        rc = conn_fail(c, c->code, err);
    return rc;
}

/* ---- counting ---- */

/* One arm for counting: rows of the lead's range, and whether each meets the other conditions. */
static void count_arm(struct buf *out, const struct list_query *q, unsigned arm, int status)
{
    enum list_condition lead = list_lead(q);

    buf_puts(out, "SELECT 1");
    for (int i = 0; i < ASKS_COUNT; i++)
        if (list_asks(q) >> i & 1 && i != (int)lead)
            buf_puts(out, pieces[i]);
    buf_puts(out, " AS fits");
    buf_puts(out, arms[arm]);
    if (status >= 0)
        buf_puts(out, status_leads[status]);
    else if (lead < ASKS_COUNT)
        buf_puts(out, leads[lead]);
}

enum bough_rc sqlite_list_count(struct snapshot *v, const struct list_query *q, int64_t most,
                                int64_t *matches, int64_t *read, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    uint64_t statuses = lead_statuses(q);
    const char *between = "SELECT count(*), coalesce(sum(fits), 0) FROM (";
    sqlite3_stmt *st = NULL;
    struct buf text;
    int code;

    *matches = *read = 0;
    if (snapshot_over(c))
        return conn_fail(c, c->code, err);
    if (!list_arms(q))
        return BOUGH_OK;
    buf_init(&text, TEXT_MAX);
    for (unsigned arm = 0; arm < 4; arm++)
        for (int status = statuses ? 0 : -1; status <= (statuses ? BOUGH_STATUS_LAST : -1);
             status++) {
            if (!(list_arms(q) >> arm & 1) || (status >= 0 && !(statuses >> status & 1)))
                continue;
            buf_puts(&text, between);
            count_arm(&text, q, arm, status);
            between = " UNION ALL ";
        }
    buf_puts(&text, " LIMIT ?21)");
    code = sqlite3_prepare_v2(c->db, text.p, (int)text.n, &st, NULL);
    buf_finish(&text);
    if (code == SQLITE_OK) {
        bind_query(st, q);
        sqlite3_bind_int64(st, 21, most);
        code = sqlite3_step(st);
    }
    if (code == SQLITE_ROW) {
        *read = sqlite3_column_int64(st, 0);
        *matches = sqlite3_column_int64(st, 1);
    }
    sqlite3_finalize(st);
    return code == SQLITE_ROW ? BOUGH_OK : conn_fail(c, code, err);
}
