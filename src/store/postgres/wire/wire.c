/* Pipelined sending and receiving over libpq. No wait lasts longer than the call may. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/mem.h"
#include "store/postgres/wire/db.h"

enum { LOOK_MS = 100 }; /* interval of checks for cancellation */

/* ---- values ---- */

static void put_be(char *p, uint64_t v)
{
    for (int i = 7; i >= 0; i--, v >>= 8)
        p[i] = (char)v;
}

void args_int(struct args *a, int64_t v)
{
    int i = a->n++;

    put_be(a->number[i], (uint64_t)v);
    a->p[i] = a->number[i];
    a->len[i] = 8;
}

void args_ints(struct args *a, const int64_t *v, int n)
{
    for (int i = 0; i < n; i++)
        args_int(a, v[i]);
}

void args_set(struct args *a, int at, int64_t v)
{
    put_be(a->number[at], (uint64_t)v);
}

void args_str(struct args *a, struct bough_str s)
{
    a->p[a->n] = s.p ? s.p : "";
    a->len[a->n++] = (int)s.n;
}

void args_text(struct args *a, const char *s)
{
    args_str(a, (struct bough_str){ s ? s : "", s ? strlen(s) : 0 });
}

/* Numbers are stored inside the struct, so their pointers must be moved. */
void args_copy(struct args *to, const struct args *from)
{
    *to = *from;
    for (int i = 0; i < to->n; i++)
        if (to->p[i] == from->number[i])
            to->p[i] = to->number[i];
}

int64_t args_number(const struct args *a, int at)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v = v << 8 | (unsigned char)a->number[at][i];
    return (int64_t)v;
}

void args_null(struct args *a)
{
    a->p[a->n] = NULL;
    a->len[a->n++] = 0;
}

/* ---- waiting ---- */

/* Wait once for I/O: for input, or (`out`) until everything is sent. */
static enum bough_rc wait_io(struct conn *c, bool out, struct bough_error *err)
{
    int left = PQflush(c->pg);
    struct pollfd fd = { PQsocket(c->pg), (short)(POLLIN | (left > 0 ? POLLOUT : 0)), 0 };

    if (left < 0 || fd.fd < 0)
        return pg_gone(c, err);
    if (out && left == 0)
        return BOUGH_OK;
    if (deadline_passed(&c->deadline))
        return pg_late(c, err);
    (void)poll(&fd, 1, LOOK_MS);
    if (fd.revents & (POLLIN | POLLERR | POLLHUP) && !PQconsumeInput(c->pg))
        return pg_gone(c, err);
    return BOUGH_OK;
}

static enum bough_rc get_result(struct conn *c, PGresult **out, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    while (!rc && PQisBusy(c->pg))
        rc = wait_io(c, false, err);
    if (rc)
        return rc;
    *out = PQgetResult(c->pg);
    return !*out && PQstatus(c->pg) == CONNECTION_BAD ? pg_gone(c, err) : BOUGH_OK;
}

/* ---- sending ---- */

static void expect(struct wire *w, const bool *prepared)
{
    if (w->first + w->n == w->cap) {
        if (w->first) {
            memmove(w->of, w->of + w->first, w->n * sizeof *w->of);
            w->first = 0;
        } else {
            w->cap = w->cap ? 2 * w->cap : 64;
            w->of = mem_realloc(w->of, mem_array(w->cap, sizeof *w->of));
        }
    }
    w->of[w->first + w->n++] = prepared;
}

static int oids_of(const char *types, Oid *out)
{
    int n = 0;

    for (; types[n]; n++)
        out[n] = types[n] == 'i'   ? 20
                 : types[n] == 't' ? 25
                 : types[n] == 'b' ? 17
                 : types[n] == 'I' ? 1016
                 : types[n] == 'B' ? 1001
                                   : 1009;
    return n;
}

enum bough_rc pg_send_text(struct conn *c, const char *name, bool *there, const char *text,
                           const char *types, const struct args *a, struct bough_error *err)
{
    static const int binary[ARGS_MAX] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                          1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    Oid oids[ARGS_MAX];
    int n = oids_of(types, oids), sent;

    if (c->lost)
        return pg_gone(c, err);
    if (c->store->unprepared)
        name = NULL;
    if (name && !*there) {
        if (!PQsendPrepare(c->pg, name, text, n, oids))
            return pg_gone(c, err);
        expect(&c->wire, there);
        *there = true;
    }
    sent = name ? PQsendQueryPrepared(c->pg, name, n, a ? a->p : NULL, a ? a->len : NULL, binary, 1)
                : PQsendQueryParams(c->pg, text, n, oids, a ? a->p : NULL, a ? a->len : NULL,
                                    binary, 1);
    if (!sent)
        return pg_gone(c, err);
    expect(&c->wire, NULL);
    return BOUGH_OK;
}

enum bough_rc pg_send(struct conn *c, enum sql id, const struct args *a, struct bough_error *err)
{
    char name[16];

    snprintf(name, sizeof name, "s%d", (int)id);
    return pg_send_text(c, name, &c->prepared[id], pg_sql[id].text, pg_sql[id].types, a, err);
}

enum bough_rc pg_send_local(struct conn *c, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (const char *const *text = c->store->set_local; text && *text && !rc; text++)
        rc = pg_send_text(c, NULL, NULL, *text, "", NULL, err);
    return rc;
}

enum bough_rc pg_sync(struct conn *c, struct bough_error *err)
{
    if (c->lost || !PQpipelineSync(c->pg))
        return pg_gone(c, err);
    c->wire.syncing = true;
    atomic_fetch_add_explicit(&c->store->rounds, 1, memory_order_relaxed);
    return PQflush(c->pg) < 0 ? pg_gone(c, err) : BOUGH_OK;
}

/* ---- receiving ---- */

bool result_good(const PGresult *r)
{
    ExecStatusType s = PQresultStatus(r);

    return s == PGRES_TUPLES_OK || s == PGRES_COMMAND_OK;
}

bool result_is(const PGresult *r, const char *sqlstate)
{
    const char *s = PQresultErrorField(r, PG_DIAG_SQLSTATE);

    return s && strcmp(s, sqlstate) == 0;
}

/* Read one result, and the NULL that ends it. */
static enum bough_rc take(struct conn *c, PGresult **out, const bool **prepared,
                          struct bough_error *err)
{
    PGresult *end = NULL;
    enum bough_rc rc;

    *prepared = c->wire.of[c->wire.first];
    rc = get_result(c, out, err);
    if (rc)
        return rc;
    c->wire.first++;
    c->wire.n--;
    if (!*out)
        return pg_gone(c, err);
    rc = get_result(c, &end, err);
    if (!rc && end) {
        PQclear(end);
        rc = pg_gone(c, err);
    }
    if (rc) {
        PQclear(*out);
        *out = NULL;
    }
    return rc;
}

enum bough_rc pg_next(struct conn *c, PGresult **out, struct bough_error *err)
{
    const bool *prepared;

    for (;;) {
        enum bough_rc rc;

        *out = NULL;
        if (c->lost || !c->wire.n)
            return pg_gone(c, err);
        rc = take(c, out, &prepared, err);
        if (rc || !prepared)
            return rc;
        if (!result_good(*out)) {
            *(bool *)(uintptr_t)prepared = false;
            if (PQresultStatus(*out) == PGRES_FATAL_ERROR) {
                rc = pg_fail(c, *out, err);
                PQclear(*out);
                *out = NULL;
                return rc;
            }
        }
        PQclear(*out);
    }
}

enum bough_rc pg_drain(struct conn *c, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK, first = BOUGH_OK;
    const bool *prepared;
    PGresult *r;

    while (!rc && c->wire.n) {
        rc = take(c, &r, &prepared, err);
        if (rc)
            break;
        if (prepared && !result_good(r))
            *(bool *)(uintptr_t)prepared = false;
        if (!first && PQresultStatus(r) == PGRES_FATAL_ERROR)
            first = pg_fail(c, r, err);
        PQclear(r);
    }
    if (!rc && c->wire.syncing) {
        r = NULL;
        rc = get_result(c, &r, first ? NULL : err);
        if (!rc && PQresultStatus(r) != PGRES_PIPELINE_SYNC)
            rc = pg_gone(c, first ? NULL : err);
        PQclear(r);
        c->wire.syncing = false;
    }
    return first ? first : rc;
}

/* ---- outside of the pipeline ---- */

/* Read all results up to status `until`, or to the end. Returns the first failure. */
static enum bough_rc take_all(struct conn *c, ExecStatusType until, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK, first = BOUGH_OK;
    PGresult *r = NULL;

    for (;;) {
        ExecStatusType s;

        rc = get_result(c, &r, first ? NULL : err);
        if (rc || !r)
            return first ? first : rc;
        s = PQresultStatus(r);
        if (!first && s == PGRES_FATAL_ERROR)
            first = pg_fail(c, r, err);
        PQclear(r);
        if (s == until)
            return first;
    }
}

enum bough_rc pg_exec(struct conn *c, const char *text, struct bough_error *err)
{
    enum bough_rc rc;

    if (c->lost || !PQexitPipelineMode(c->pg) || !PQsendQuery(c->pg, text))
        return pg_gone(c, err);
    rc = take_all(c, PGRES_EMPTY_QUERY, err);
    if (!c->lost && !PQenterPipelineMode(c->pg))
        return pg_gone(c, err);
    return rc;
}

enum bough_rc pg_copy_begin(struct conn *c, const char *text, struct bough_error *err)
{
    static const char head[19] = "PGCOPY\n\377\r\n\0"; /* header without flags or extension */
    enum bough_rc rc;

    if (c->lost || !PQexitPipelineMode(c->pg) || !PQsendQuery(c->pg, text))
        return pg_gone(c, err);
    rc = take_all(c, PGRES_COPY_IN, err);
    return rc ? rc : pg_copy_put(c, (struct bough_str){ head, sizeof head }, err);
}

enum bough_rc pg_copy_put(struct conn *c, struct bough_str bytes, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    int put;

    while (!rc && (put = PQputCopyData(c->pg, bytes.p, (int)bytes.n)) == 0)
        rc = wait_io(c, false, err);
    if (!rc && put < 0)
        rc = pg_gone(c, err);
    return rc ? rc : wait_io(c, true, err);
}

enum bough_rc pg_copy_end(struct conn *c, struct bough_error *err)
{
    enum bough_rc rc = pg_copy_put(c, (struct bough_str){ "\377\377", 2 }, err);
    int put = 0;

    while (!rc && (put = PQputCopyEnd(c->pg, NULL)) == 0)
        rc = wait_io(c, false, err);
    if (!rc && put < 0)
        rc = pg_gone(c, err);
    if (!rc)
        rc = take_all(c, PGRES_EMPTY_QUERY, err);
    if (!c->lost && !PQenterPipelineMode(c->pg))
        return pg_gone(c, err);
    return rc;
}
