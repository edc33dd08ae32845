/* PostgreSQL connections: open and configure them. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/postgres/wire/db.h"

enum { HOST_US = 1500000 }; /* time limit for the first attempt at each of several hosts */

/*
 * The SQLSTATE in a message such as "FATAL:  28P01: password authentication failed". libpq offers
 * no other way, and the first word depends on the server's language. NULL: the server did not
 * refuse.
 */
static const char *state_in(const char *text)
{
    for (const char *at = strstr(text, ":  "); at; at = strstr(at + 3, ":  "))
        if (strspn(at + 3, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5 && at[8] == ':')
            return at + 3;
    return NULL;
}

/* Remove lines that give positions in PostgreSQL's source. */
static const char *without_positions(struct bough_arena *a, const char *text)
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

/* libpq reports every address and host it tried, but an error has room for one. Prefer the one
 * where the server itself answered, else take the last. */
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
    enum bough_rc rc = pg_fail_with(c, state ? pg_rc_of(c, state) : BOUGH_IO, "cannot connect",
                                    without_positions(a, telling(text, state)), err);

    bough_arena_destroy(a);
    return rc;
}

/* Connect, starting with the given host, until `until_us`. */
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

        if (mono_us() >= until_us || deadline_passed(&c->deadline))
            return pg_fail_with(c, deadline_rc(&c->deadline), "cannot connect", "no answer in time",
                                err);
        if (poll(&fd, 1, 100) > 0)
            state = PQconnectPoll(c->pg);
    }
    if (state != PGRES_POLLING_OK)
        return not_connected(c, err);
    (void)PQsetErrorVerbosity(c->pg, PQERRORS_DEFAULT);
    return BOUGH_OK;
}

/* With several hosts, one that does not answer must not use up all the time. */
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

        c->failed.rc = BOUGH_OK;
        rc = connect_by(c, host, mono_us() + share, err);
        if (!rc)
            s->host = host;
        if (rc != BOUGH_TIMEOUT || deadline_passed(&c->deadline))
            return rc;
        PQfinish(c->pg);
        c->pg = NULL;
        if (turn % n == n - 1)
            share *= 2; /* all hosts may be slow */
    }
}

/* Settings for all our statements. A process that hangs must not block other writers for long, and
 * waiting for a lock must end no later than a call. */
static const char *const settings[] = { "synchronous_commit = on", "statement_timeout = '600s'",
                                        "lock_timeout = '60s'",
                                        "idle_in_transaction_session_timeout = '60s'" };
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Behind a pooler the next transaction may run in another session, and other clients may get this
 * session. So all settings are local to one transaction. */
const char *const *pg_local_settings(struct bough_arena *a, const char *schema)
{
    const char **at = arena_array(a, SETTINGS + 2, sizeof *at);

    for (size_t i = 0; i < SETTINGS; i++)
        at[i] = arena_printf(a, "SET LOCAL %s", settings[i]);
    at[SETTINGS] = arena_printf(a, "SET LOCAL search_path = \"%s\"", schema);
    at[SETTINGS + 1] = NULL;
    return at;
}

/* Configure a session of our own. The writer uses generic plans: its statements need no new plan
 * per set of values. */
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
    /* Only since version 14, and not on every system. Without it an abandoned query runs on. */
    if (pg_exec(c, "SET client_connection_check_interval = '500ms'", NULL) && c->lost)
        return pg_gone(c, err);
    c->failed.rc = BOUGH_OK;
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

enum bough_rc pg_open(struct postgres *s, bool writer, const struct deadline *p, struct conn **out,
                      struct bough_error *err)
{
    struct conn *c = mem_zalloc(sizeof *c);
    enum bough_rc rc;

    c->store = s;
    c->view.backend = &s->base;
    c->writer = writer;
    c->era = s->era;
    c->deadline = *p;
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
