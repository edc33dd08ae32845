/* Connections: opening them, what they are told first, and what went wrong. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "store/postgres/db.h"

enum { HOST_US = 1500000 }; /* for the first try of each of several hosts */

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

/* The server notices that nobody listens any more and gives up what it does for us: see
 * settle_in(). Telling it (PQcancel) would wait for a server that does not answer. */
enum bough_rc pg_late(struct conn *c, struct bough_error *err)
{
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
        { "42703", BOUGH_CORRUPT }, { "0A000", BOUGH_READ_ONLY }, /* to write, at a standby */
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
        c->lost = true; /* the server goes down, or has closed this connection */
    rc = class_of(c, state);
    if (rc == BOUGH_READ_ONLY && c->writer) {
        c->lost = true; /* a standby: the primary may be where we connect next */
        c->store->era++;
    }
    return say(c, rc, err, state, text ? text : "refused");
}

/* ---- opening ---- */

/* "FATAL:  28P01: password authentication failed": libpq has no other way to tell why. The word
 * before it is in the server's language. NULL: it was not the server that refused. */
static const char *state_in(const char *text)
{
    for (const char *at = strstr(text, ":  "); at; at = strstr(at + 3, ":  "))
        if (strspn(at + 3, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5 && at[8] == ':')
            return at + 3;
    return NULL;
}

/* Without the lines that name places in PostgreSQL's source. */
static const char *without_places(struct bough_arena *a, const char *text)
{
    const char *out = "";

    while (*text) {
        size_t n = strcspn(text, "\n"), digits = 0;

        while (digits < n && text[n - 1 - digits] >= '0' && text[n - 1 - digits] <= '9')
            digits++;
        if (!(digits && n > digits + 3 && strncmp(text + n - digits - 3, ".c:", 3) == 0))
            out = arena_printf(a, "%s%.*s\n", out, (int)n, text);
        text += n + (text[n] != '\0');
    }
    return out;
}

/* Of several addresses and hosts libpq tells everything, and an error has room for one: that where
 * the server itself said something, else the last. */
static const char *telling(const char *text, const char *state)
{
    static const char begins[] = "connection to server";
    const char *best = text;

    for (const char *at = strstr(text, begins); at && !(state && at > state);
         at = strstr(at + 1, begins))
        best = at;
    return best;
}

static enum bough_rc not_connected(struct conn *c, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    const char *text = PQerrorMessage(c->pg), *state = state_in(text);
    enum bough_rc rc = say(c, state ? class_of(c, state) : BOUGH_IO, err, "cannot connect",
                           without_places(a, telling(text, state)));

    bough_arena_destroy(a);
    return rc;
}

/* Beginning with one of the hosts, until then. */
static enum bough_rc connect_by(struct conn *c, size_t host, int64_t until_us,
                                struct bough_error *err)
{
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;

    c->pg = PQconnectStartParams(c->store->url.keys, c->store->url.values[host], 0);
    if (!c->pg || PQstatus(c->pg) == CONNECTION_BAD)
        return not_connected(c, err);
    (void)PQsetErrorVerbosity(c->pg, PQERRORS_VERBOSE);
    while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        struct pollfd fd = { PQsocket(c->pg),
                             (short)(state == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0 };

        if (mono_us() >= until_us || patience_over(&c->patience))
            return say(c, BOUGH_TIMEOUT, err, "cannot connect", "no answer in time");
        if (poll(&fd, 1, 100) > 0)
            state = PQconnectPoll(c->pg);
    }
    if (state != PGRES_POLLING_OK)
        return not_connected(c, err);
    (void)PQsetErrorVerbosity(c->pg, PQERRORS_DEFAULT);
    return BOUGH_OK;
}

/* Where there are several hosts, one that does not answer must not use up all the time. */
static enum bough_rc connect_now(struct conn *c, struct bough_error *err)
{
    struct postgres *s = c->store;
    size_t n = s->url.nhosts, first = s->host;
    int64_t share = HOST_US;
    enum bough_rc rc;

    if (n < 2)
        return connect_by(c, 0, INT64_MAX, err);
    for (size_t turn = 0;; turn++) {
        size_t host = (first + turn) % n;

        c->over.rc = BOUGH_OK;
        rc = connect_by(c, host, mono_us() + share, err);
        if (!rc)
            s->host = host;
        if (rc != BOUGH_TIMEOUT || patience_over(&c->patience))
            return rc;
        PQfinish(c->pg);
        c->pg = NULL;
        if (turn % n == n - 1)
            share *= 2; /* all of them may be slow */
    }
}

/* What holds for everything we do. A process that hangs must not keep the others from writing, and
 * nobody waits for a lock longer than any call may take. */
static const char *const settings[] = { "synchronous_commit = on", "statement_timeout = '600s'",
                                        "lock_timeout = '60s'",
                                        "idle_in_transaction_session_timeout = '60s'" };
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Behind a pooler the next transaction may be in another session, and this session's next
 * transaction somebody else's: nothing is said but for one transaction. */
const char *const *pg_local_settings(struct bough_arena *a, const char *schema)
{
    const char **at = arena_array(a, SETTINGS + 2, sizeof *at);

    for (size_t i = 0; i < SETTINGS; i++)
        at[i] = arena_printf(a, "SET LOCAL %s", settings[i]);
    at[SETTINGS] = arena_printf(a, "SET LOCAL search_path = \"%s\"", schema);
    at[SETTINGS + 1] = NULL;
    return at;
}

/* Told once to a session of our own. What is written looks the same whatever the values are, and
 * need not be planned again for each. */
static enum bough_rc tell_session(struct conn *c, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    const char *text = arena_printf(
        a,
        "SET client_min_messages = error; SET TimeZone = 'UTC'; SET extra_float_digits = 1;"
        "SET jit = off; SET plan_cache_mode = %s; SET search_path = \"%s\"",
        c->writer ? "force_generic_plan" : "auto", c->store->schema);
    enum bough_rc rc;

    for (size_t i = 0; i < SETTINGS; i++)
        text = arena_printf(a, "%s; SET %s", text, settings[i]);
    rc = pg_exec(c, text, err);
    bough_arena_destroy(a);
    if (rc)
        return rc;
    /* Not before version 14, and not on every system: then a query that nobody waits for runs on.
     */
    if (pg_exec(c, "SET client_connection_check_interval = '500ms'", NULL) && c->lost)
        return pg_gone(c, err);
    c->over.rc = BOUGH_OK;
    return BOUGH_OK;
}

static enum bough_rc settle_in(struct conn *c, struct bough_error *err)
{
    if (PQsetnonblocking(c->pg, 1) || !PQenterPipelineMode(c->pg))
        return pg_gone(c, err);
    return c->store->set_local ? BOUGH_OK : tell_session(c, err);
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
    c->era = s->era;
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
