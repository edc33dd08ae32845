/* Read-ahead: rows that the caller will get one by one are read in one round trip. They stay valid
 * for the whole snapshot. Large entries are left out and read on demand. */
#include "store/postgres/conn/ahead.h"
#include "store/postgres/wire/array.h"

/* The query of each kind, and the column of its second key; -1: none. The first key is column 0. */
static const struct {
    enum wanted_kind of;
    enum sql question;
    int second;
} kinds[AHEAD_KINDS] = {
    [AHEAD_SESSIONS] = { WANT_SESSION, SQL_SESSION_MANY, -1 },
    [AHEAD_HEADS] = { WANT_SESSION, SQL_HEAD_MANY, -1 },
    [AHEAD_LISTS] = { WANT_LIST, SQL_LIST_MANY, -1 },
    [AHEAD_BRANCHES] = { WANT_BRANCH, SQL_BRANCH_MANY, -1 },
    [AHEAD_ENTRIES] = { WANT_ENTRY, SQL_ENTRY_MANY, 1 },
    [AHEAD_FRONTS] = { WANT_FRONT, SQL_FRONT_MANY, 1 },
    [AHEAD_CALLS] = { WANT_CALL, SQL_CALL_MANY, 2 },
    [AHEAD_TIPS] = { WANT_TIP, SQL_TIP_MANY, -1 },
};

static void forget(struct conn *c, enum ahead_kind k)
{
    PQclear(c->ahead[k]);
    c->ahead[k] = NULL;
}

void ahead_forget(struct conn *c)
{
    for (int k = 0; k < AHEAD_KINDS; k++)
        forget(c, (enum ahead_kind)k);
}

/* Queue the query for all wanted rows of one kind. False: none wanted, or an error, which
 * sets *rc. */
static bool send(struct conn *c, struct bough_arena *a, enum ahead_kind k,
                 const struct wanted *want, size_t n, enum bough_rc *rc)
{
    int64_t *keys = arena_array(a, n, sizeof *keys), *seconds = arena_array(a, n, sizeof *seconds);
    struct args args = { 0 };
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        if (want[i].kind == kinds[k].of) {
            keys[found] = want[i].a;
            seconds[found++] = want[i].b;
        }
    if (!found)
        return false;
    forget(c, k);
    args_str(&args, array_of_numbers(a, keys, found));
    if (kinds[k].second >= 0)
        args_str(&args, array_of_numbers(a, seconds, found));
    *rc = pg_send(c, kinds[k].question, &args, NULL);
    return !*rc;
}

/* Number of results before ours: those of BEGIN and SET LOCAL, when this is the first query of the
 * snapshot. */
static int answers_before(const struct conn *c)
{
    int n = !c->begun;

    for (const char *const *text = c->store->set_local; n && text && *text; text++)
        n++;
    return n;
}

static enum bough_rc skip(struct conn *c, int n)
{
    enum bough_rc rc = BOUGH_OK;

    for (; n > 0 && !rc; n--) {
        PGresult *r = NULL;

        rc = pg_next(c, &r, NULL);
        PQclear(r);
    }
    return rc;
}

static enum bough_rc receive(struct conn *c, enum ahead_kind k)
{
    enum bough_rc rc = pg_next(c, &c->ahead[k], NULL);

    return !rc && !result_good(c->ahead[k]) ? pg_fail(c, c->ahead[k], NULL) : rc;
}

/* Cannot report an error. If it fails, the snapshot's next read fails. */
void postgres_ahead(struct snapshot *v, const struct wanted *want, size_t n)
{
    struct conn *c = conn_of(v);
    struct bough_arena *a = bough_arena_create();
    bool sent[AHEAD_KINDS] = { false };
    int before = answers_before(c);
    enum bough_rc rc = pg_ask_begin(v, NULL);

    for (int k = 0; k < AHEAD_KINDS && !rc; k++)
        sent[k] = send(c, a, (enum ahead_kind)k, want, n, &rc);
    bough_arena_destroy(a);
    if (!rc)
        rc = pg_sync(c, NULL);
    if (!rc)
        rc = skip(c, before);
    for (int k = 0; k < AHEAD_KINDS && !rc; k++)
        if (sent[k])
            rc = receive(c, (enum ahead_kind)k);
    if (!c->lost)
        rc = pg_drain(c, NULL) || rc;
    if (rc)
        ahead_forget(c);
}

/* Compare the key of row i with (a, b). */
static int compare(const PGresult *r, int i, int second, int64_t a, int64_t b)
{
    int64_t first = got_int(r, i, 0), other = second < 0 ? b : got_int(r, i, second);

    if (first != a)
        return first < a ? -1 : 1;
    return (other > b) - (other < b);
}

bool ahead_find(struct snapshot *v, enum ahead_kind k, int64_t a, int64_t b, PGresult **r, int *at)
{
    int lo = 0, hi;

    *r = conn_of(v)->ahead[k];
    hi = *r ? PQntuples(*r) : 0;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2, c = compare(*r, mid, kinds[k].second, a, b);

        if (c == 0) {
            *at = mid;
            return true;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}
