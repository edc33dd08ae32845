/* Lists of sessions: SQL built from fixed fragments, one per condition. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/str.h"
#include "store/postgres/read/page.h"
#include "store/postgres/read/read.h"

_Static_assert(BOUGH_PRIMARY == 0 && BOUGH_SUBAGENT == 1, "the arms below name both kinds");

enum { TEXT_MAX = 16384, PIECE = 64 };

/* The conditions; the value of condition n is parameter $n+1. */
static const char *const pieces[ASKS_COUNT] = {
    [ASKS_PROJECT] = " AND project = $1 AND project <> 0",
    [ASKS_WORKSPACE] = " AND workspace = $2 AND workspace <> 0",
    [ASKS_ACCOUNT] = " AND account = $3 AND account <> 0",
    [ASKS_PARENT] = " AND parent = $4 AND parent <> 0",
    [ASKS_STATUSES] = " AND ((1::bigint << status::int) & $5) <> 0",
    [ASKS_ROLE] = " AND role_name = $6 AND role_name <> ''",
    [ASKS_PATH] = " AND provider_path = $7",
    [ASKS_PROVIDER] = " AND model_provider = $8",
    [ASKS_MODEL] = " AND (model_name = $9 OR last_model = $9)",
    [ASKS_CREATED_FROM] = " AND created >= $10",
    [ASKS_CREATED_TO] = " AND created < $11",
    [ASKS_UPDATED_FROM] = " AND updated >= $12",
    [ASKS_UPDATED_TO] = " AND updated < $13",
    [ASKS_HAY] = " AND position($14 IN hay) > 0",
    [ASKS_ROOTS] = " AND parent = 0",
    [ASKS_ERRORS] = " AND errors > 0",
    [ASKS_LAST_STATE] = " AND last_state = $15",
    [ASKS_COST] = " AND cost >= $16",
};

/* The same for the condition whose partial index is used: list_lead(). */
static const char *const lead_states = " AND last_state = $15 AND last_state > 1";

enum { AT_KEY = 16, AT_SID = 17 }; /* $17 and $18: key and sid of the last row; $19: the limit */
#define TYPES "iiiiittttiiiibiiiii"

static const char *const keys[] = {
    [ORDER_CREATED] = "created",
    [ORDER_UPDATED] = "updated",
    [ORDER_MODIFIED] = "modified",
    [ORDER_COST] = "cost",
};

/* The statuses that get a SELECT each; 0: another index is better. */
static uint64_t lead_statuses(const struct list_query *q)
{
    return list_lead(q) == ASKS_STATUSES
               ? (uint64_t)q->statuses & ((UINT64_C(2) << BOUGH_STATUS_LAST) - 1)
               : 0;
}

static uint64_t shape_of(const struct list_query *q)
{
    return list_asks(q) | (uint64_t)list_arms(q) << 32 | (uint64_t)q->order << 40 |
           (uint64_t)list_lead(q) << 42 | UINT64_C(1) << 48 | lead_statuses(q) << 52;
}

static const char *piece(const struct list_query *q, int i)
{
    return i == ASKS_LAST_STATE && list_lead(q) == ASKS_LAST_STATE ? lead_states : pieces[i];
}

/* `status` < 0: no condition, beside the pieces. */
static void write_arm(struct buf *out, const struct list_query *q, uint64_t shape, unsigned arm,
                      int status)
{
    const char *key = keys[q->order];

    buf_printf(out, "(SELECT " LIST_COLS " FROM list WHERE kind = %u AND gone = %s", arm & 1,
               arm & 2 ? "true" : "false");
    if (status >= 0)
        buf_printf(out, " AND status = %d", status);
    for (int i = 0; i < ASKS_COUNT; i++)
        if (shape >> i & 1)
            buf_puts(out, piece(q, i));
    buf_printf(out, " AND (%s, sid) < ($17, $18) ORDER BY %s DESC, sid DESC LIMIT $19)", key, key);
}

/* One SELECT per kind, per deleted state and, by status, per status: each reads one range of an
 * index. */
static void write_sql(struct buf *out, const struct list_query *q, uint64_t shape)
{
    const char *between = "SELECT * FROM (", *key = keys[q->order];
    uint64_t statuses = lead_statuses(q);

    for (unsigned arm = 0; arm < 4; arm++)
        for (int status = statuses ? 0 : -1; status <= (statuses ? BOUGH_STATUS_LAST : -1);
             status++) {
            if (!(list_arms(q) >> arm & 1) || (status >= 0 && !(statuses >> status & 1)))
                continue;
            buf_puts(out, between);
            write_arm(out, q, shape, arm, status);
            between = " UNION ALL ";
        }
    buf_printf(out, ") AS l ORDER BY %s DESC, sid DESC LIMIT $19", key);
}

static void values_of(struct args *a, const struct list_query *q)
{
    args_ints(a, (int64_t[]){ q->project, q->workspace, q->account, q->parent, q->statuses }, 5);
    args_text(a, q->role_name);
    args_text(a, q->provider_path);
    args_text(a, q->model_provider);
    args_text(a, q->model_name);
    args_ints(a, (int64_t[]){ q->created_from, q->created_to, q->updated_from, q->updated_to }, 4);
    args_text(a, q->hay);
    args_ints(a, (int64_t[]){ q->last_state, q->cost_from }, 2);
    args_ints(a,
              (int64_t[]){ q->after_set ? q->after_key : INT64_MAX,
                           q->after_set ? q->after_sid : INT64_MAX, PIECE },
              3);
}

/* The cache slot of this shape. Otherwise the oldest slot, reassigned to it. */
static unsigned place_of(struct conn *c, uint64_t shape)
{
    unsigned place;

    for (unsigned i = 0; i < LIST_SHAPES; i++)
        if (c->lists[i].shape == shape)
            return i;
    place = c->list_turn++ % LIST_SHAPES;
    c->lists[place].shape = shape;
    c->lists[place].there = false;
    return place;
}

static enum bough_rc ask(struct snapshot *v, const char *text, uint64_t shape, const struct args *a,
                         PGresult **out, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    unsigned place = place_of(c, shape);
    enum bough_rc rc = pg_ask_begin(v, err);
    char name[32];

    snprintf(name, sizeof name, "list_%" PRIx64 "_%u", shape, c->list_turn);
    if (!rc && !c->lists[place].there)
        snprintf(c->lists[place].name, sizeof c->lists[place].name, "%s", name);
    if (!rc)
        rc = pg_send_text(c, c->lists[place].name, &c->lists[place].there, text, TYPES, a, err);
    return rc ? rc : pg_answer(v, out, err);
}

/* Pass one page to the callback, and set the cursor in `a` behind its last row. True: there may be
 * another page. */
static bool hand_out(const PGresult *r, const struct list_query *q, struct args *a, list_fn fn,
                     void *user)
{
    struct list_row row;

    for (int i = 0; i < PQntuples(r); i++) {
        pg_row_list(r, i, &row);
        args_set(a, AT_KEY, list_key(q->order, &row));
        args_set(a, AT_SID, row.sid);
        if (!fn(user, &row))
            return false;
    }
    return PQntuples(r) == PIECE;
}

enum bough_rc postgres_list_scan(struct snapshot *v, const struct list_query *q, list_fn fn,
                                 void *user, struct bough_error *err)
{
    uint64_t shape = shape_of(q);
    struct args a = { 0 };
    struct buf text;
    bool more = true;
    enum bough_rc rc = pg_over(v, err);

    if (rc || !list_arms(q))
        return rc;
    buf_init(&text, TEXT_MAX);
    write_sql(&text, q, shape);
    values_of(&a, q);
    while (!rc && more) {
        PGresult *r;

        rc = ask(v, text.p, shape, &a, &r, err);
        if (rc)
            break;
        more = hand_out(r, q, &a, fn, user);
        PQclear(r);
    }
    buf_finish(&text);
    return rc ? rc : pg_over(v, err);
}

/* ---- counting ---- */

/* Rows of the range that the list is read by, and whether each meets the other conditions. */
static void write_count(struct buf *out, const struct list_query *q)
{
    enum list_condition lead = list_lead(q);
    const char *between = "SELECT count(*), coalesce(sum(fits::int), 0)::bigint FROM (";

    for (unsigned arm = 0; arm < 4; arm++) {
        if (!(list_arms(q) >> arm & 1))
            continue;
        buf_puts(out, between);
        buf_puts(out, "SELECT (true");
        for (int i = 0; i < ASKS_COUNT; i++)
            if (list_asks(q) >> i & 1 && (i != (int)lead || lead == ASKS_STATUSES))
                buf_puts(out, pieces[i]);
        buf_printf(out, ") AS fits FROM list WHERE kind = %u AND gone = %s", arm & 1,
                   arm & 2 ? "true" : "false");
        if (lead < ASKS_COUNT)
            buf_puts(out, piece(q, (int)lead));
        between = " UNION ALL ";
    }
    buf_puts(out, " LIMIT $19) AS l");
}

enum bough_rc postgres_list_count(struct snapshot *v, const struct list_query *q, int64_t most,
                                  int64_t *matches, int64_t *read, struct bough_error *err)
{
    struct args a = { 0 };
    struct buf text;
    PGresult *r;
    enum bough_rc rc = pg_over(v, err);

    *matches = *read = 0;
    if (rc || !list_arms(q))
        return rc;
    buf_init(&text, TEXT_MAX);
    write_count(&text, q);
    values_of(&a, q);
    args_set(&a, a.n - 1, most);
    rc = pg_ask_begin(v, err);
    if (!rc)
        rc = pg_send_text(conn_of(v), NULL, NULL, text.p, TYPES, &a, err);
    if (!rc)
        rc = pg_answer(v, &r, err);
    buf_finish(&text);
    if (rc)
        return rc;
    *read = got_int(r, 0, 0);
    *matches = got_int(r, 0, 1);
    PQclear(r);
    return BOUGH_OK;
}
