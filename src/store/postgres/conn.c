/* Connections: opening them, what they are told first, and what went wrong. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "store/postgres/db.h"

/* ---- what went wrong ---- */

/* A view says again what it could not read: what is not seen must not pass for what is not there.
 */
static enum bough_rc remember(struct conn *c, enum bough_rc rc, const struct bough_error *said)
{
    if (!c->writer && !c->over.rc)
        c->over = *said;
    return rc;
}

static enum bough_rc say(struct conn *c, enum bough_rc rc, struct bough_error *err,
                         const char *what, const char *detail)
{
    struct bough_error e = { 0 };

    (void)bough_fail(&e, rc, "%s: %s: %s", c->store->name, what, detail);
    for (size_t n = strlen(e.msg); n && (e.msg[n - 1] == '\n' || e.msg[n - 1] == ' '); n--)
        e.msg[n - 1] = '\0';
    if (err)
        *err = e;
    return remember(c, rc, &e);
}

enum bough_rc pg_gone(struct conn *c, struct bough_error *err)
{
    c->lost = true;
    return say(c, c->writer ? BOUGH_NOT_DONE : BOUGH_IO, err, "the connection was lost",
               PQerrorMessage(c->pg));
}

enum bough_rc pg_late(struct conn *c, struct bough_error *err)
{
    PGcancel *cancel = PQgetCancel(c->pg);
    char ignored[256];

    /* Closing alone leaves the server at work until it has something to say. */
    if (cancel)
        (void)PQcancel(cancel, ignored, sizeof ignored);
    PQfreeCancel(cancel);
    c->lost = true;
    return say(c, BOUGH_TIMEOUT, err, "no answer in time",
               c->writer ? "nothing was written" : "the call was cancelled or took too long");
}

static enum bough_rc class_of(const struct conn *c, const char *state)
{
    static const struct {
        const char *state;
        enum bough_rc rc;
    } known[] = {
        { "53100", BOUGH_FULL },    { "25006", BOUGH_READ_ONLY },  { "57014", BOUGH_TIMEOUT },
        { "55P03", BOUGH_TIMEOUT }, { "42501", BOUGH_DENIED },     { "28", BOUGH_DENIED },
        { "XX001", BOUGH_CORRUPT }, { "XX002", BOUGH_CORRUPT },    { "22021", BOUGH_INVALID },
        { "22P05", BOUGH_INVALID }, { "53300", BOUGH_OVERLOADED }, { "42P01", BOUGH_CORRUPT },
        { "42703", BOUGH_CORRUPT },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(state, known[i].state, strlen(known[i].state)) == 0)
            return known[i].rc;
    return c->writer ? BOUGH_NOT_DONE : BOUGH_IO;
}

enum bough_rc pg_fail(struct conn *c, const PGresult *r, struct bough_error *err)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);

    if (!state)
        return pg_gone(c, err);
    if (strncmp(state, "57P", 3) == 0 || strncmp(state, "08", 2) == 0)
        c->lost = true; /* the server goes down, or has closed this connection */
    return say(c, class_of(c, state), err, state, text ? text : "refused");
}

/* ---- opening ---- */

static enum bough_rc connect_now(struct conn *c, struct bough_error *err)
{
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;

    c->pg = PQconnectStartParams(c->store->keys, c->store->values, 0);
    if (!c->pg || PQstatus(c->pg) == CONNECTION_BAD)
        return say(c, BOUGH_IO, err, "cannot connect", PQerrorMessage(c->pg));
    while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        struct pollfd fd = { PQsocket(c->pg),
                             (short)(state == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0 };

        if (patience_over(&c->patience))
            return say(c, BOUGH_TIMEOUT, err, "cannot connect", "no answer in time");
        if (poll(&fd, 1, 100) > 0)
            state = PQconnectPoll(c->pg);
    }
    if (state == PGRES_POLLING_OK)
        return BOUGH_OK;
    return say(c, BOUGH_IO, err, "cannot connect", PQerrorMessage(c->pg));
}

/* What a session is told once. A process that hangs must not keep the others from writing. What is
 * written looks the same whatever the values are, and need not be planned again for each. */
static enum bough_rc settle_in(struct conn *c, struct bough_error *err)
{
    static const char common[] = "SET client_min_messages = error; SET synchronous_commit = on;"
                                 "SET idle_in_transaction_session_timeout = '60s';"
                                 "SET statement_timeout = '600s'; SET TimeZone = 'UTC';"
                                 "SET extra_float_digits = 1; SET jit = off;";
    struct bough_arena *a = bough_arena_create();
    enum bough_rc rc;

    if (PQsetnonblocking(c->pg, 1) || !PQenterPipelineMode(c->pg)) {
        bough_arena_destroy(a);
        return pg_gone(c, err);
    }
    rc = pg_exec(c,
                 arena_printf(a, "%s SET plan_cache_mode = %s; SET search_path = \"%s\"", common,
                              c->writer ? "force_generic_plan" : "auto", c->store->schema),
                 err);
    bough_arena_destroy(a);
    return rc;
}

static void no_notice(void *user, const char *text)
{
    (void)user;
    (void)text;
}

enum bough_rc pg_open(struct postgres *s, bool writer, const struct patience *p, struct conn **out,
                      struct bough_error *err)
{
    struct conn *c = mem_zalloc(sizeof *c);
    enum bough_rc rc;

    c->store = s;
    c->view.backend = &s->base;
    c->writer = writer;
    c->patience = *p;
    rc = connect_now(c, err);
    if (!rc) {
        PQsetNoticeProcessor(c->pg, no_notice, NULL);
        rc = settle_in(c, err);
    }
    if (rc) {
        pg_close(c);
        return rc;
    }
    *out = c;
    return BOUGH_OK;
}

void pg_close(struct conn *c)
{
    if (!c)
        return;
    ahead_forget(c);
    PQfinish(c->pg);
    mem_free(c->wire.of);
    mem_free(c);
}
