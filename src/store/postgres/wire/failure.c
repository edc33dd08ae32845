/* Failures of a connection or a result: their code, and what they mean for the connection. */
#include <string.h>

#include "store/postgres/wire/db.h"

/* Sticky: a reader keeps its first failure, because a failed read must not look like
 * BOUGH_NOT_FOUND. */
static enum bough_rc remember(struct conn *c, enum bough_rc rc, const struct bough_error *failure)
{
    if (!c->writer && !c->failed.rc)
        c->failed = *failure;
    return rc;
}

enum bough_rc pg_fail_with(struct conn *c, enum bough_rc rc, const char *what, const char *detail,
                           struct bough_error *err)
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
    return pg_fail_with(c, c->writer ? BOUGH_NOT_DONE : BOUGH_IO, "the connection was lost",
                        PQerrorMessage(c->pg), err);
}

/* The server notices the closed connection by itself and stops the query (see tell_session()).
 * PQcancel would wait for a server that does not answer. */
enum bough_rc pg_late(struct conn *c, struct bough_error *err)
{
    c->lost = true;
    return pg_fail_with(c, deadline_rc(&c->deadline),
                        is_cancelled(c->deadline.cancel) ? "cancelled" : "no answer in time",
                        c->writer ? "nothing was written" : "the answer was not waited for", err);
}

enum bough_rc pg_rc_of(const struct conn *c, const char *state)
{
    static const struct {
        const char *state;
        enum bough_rc rc;
    } known[] = {
        { "53100", BOUGH_FULL },    { "25006", BOUGH_READ_ONLY },  { "57014", BOUGH_TIMEOUT },
        { "55P03", BOUGH_TIMEOUT }, { "42501", BOUGH_DENIED },     { "28", BOUGH_DENIED },
        { "XX001", BOUGH_CORRUPT }, { "XX002", BOUGH_CORRUPT },    { "22021", BOUGH_INVALID },
        { "22P05", BOUGH_INVALID }, { "53300", BOUGH_OVERLOADED }, { "42P01", BOUGH_CORRUPT },
        { "42703", BOUGH_CORRUPT }, { "0A000", BOUGH_READ_ONLY }, /* a write on a standby */
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
    enum bough_rc rc;

    if (!state)
        return pg_gone(c, err);
    if (strncmp(state, "57P", 3) == 0 || strncmp(state, "08", 2) == 0)
        c->lost = true; /* the server shuts down, or closed this connection */
    rc = pg_rc_of(c, state);
    if (rc == BOUGH_READ_ONLY && c->writer) {
        c->lost = true; /* a standby; a reconnect may find the primary */
        c->store->era++;
    }
    return pg_fail_with(c, rc, state, text ? text : "refused", err);
}
