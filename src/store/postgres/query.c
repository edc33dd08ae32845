/* SQL typed by the user: runs on its own connection, in one read-only transaction, with a cursor
 * per statement. */
#include "store/postgres/postgres.h"

#include <libpq-fe.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/postgres/wire/url.h"

struct query {
    PGconn *pg;
    const char *name; /* of the store, without the password */
    struct bough_arena *a;
    query_fn *row;
    void *user;
    bool go_on;
};

/* Rows per FETCH; the statement timeout applies to each. */
#define FETCH "FETCH FORWARD 1000 FROM bough_sql"

/* ---- errors ---- */

static enum bough_rc no_connection(struct query *q, struct bough_error *err)
{
    /* libpq's message contains host, port, user and database, but never the password. */
    const char *text = PQerrorMessage(q->pg);

    return bough_fail(err, BOUGH_IO, "%s: %.*s", q->name, (int)strcspn(text, "\n"), text);
}

static enum bough_rc refused(struct query *q, const PGresult *r, struct bough_error *err)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);

    if (!state)
        return no_connection(q, err);
    if (strcmp(state, "25006") == 0 || strcmp(state, "25001") == 0)
        return bough_fail(err, BOUGH_INVALID, "only reading is allowed here");
    if (strcmp(state, "57014") == 0)
        return bough_fail(err, BOUGH_TIMEOUT, "the query took longer than 60 seconds");
    if (strncmp(state, "XX", 2) == 0)
        return bough_fail(err, BOUGH_CORRUPT, "%s: %.300s", q->name, text ? text : state);
    if (strncmp(state, "08", 2) == 0 || strncmp(state, "5", 1) == 0)
        return bough_fail(err, BOUGH_IO, "%s: %.300s", q->name, text ? text : state);
    return bough_fail(err, BOUGH_INVALID, "%.400s", text ? text : state);
}

/* ---- values ---- */

/* Type OIDs from pg_type.dat. They never change. */
enum {
    OID_BOOL = 16,
    OID_BYTEA = 17,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_OID = 26,
    OID_FLOAT4 = 700,
    OID_FLOAT8 = 701,
    OID_TIMESTAMPTZ = 1184,
    OID_NUMERIC = 1700,
};

static unsigned nibble(char c)
{
    return c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
}

/* Decode "\x00ff"; begin() set bytea_output to hex. */
static struct bough_str bytes_of(struct bough_arena *a, const char *s, size_t n)
{
    char *out = arena_alloc(a, n / 2 + 1);
    size_t m = 0;

    for (size_t i = 2; i + 1 < n; i += 2)
        out[m++] = (char)(nibble(s[i]) << 4 | nibble(s[i + 1]));
    return str_make(out, m);
}

/* sum() and similar return numeric. A whole number that fits becomes an integer. */
static struct query_value number_of(const char *s, size_t n)
{
    struct query_value v = { .type = QUERY_INT };
    char *end;

    if (strspn(s, "-0123456789") == n && n < 19) {
        v.i = strtoll(s, NULL, 10);
        return v;
    }
    v.type = QUERY_REAL;
    v.d = strtod(s, &end);
    if (*end || !isfinite(v.d))
        v = (struct query_value){ .type = QUERY_TEXT, .s = str_make(s, n) };
    return v;
}

/* Convert "2026-11-16 08:43:57.95+00" to the format used elsewhere in bough:
 * 2026-11-16T08:43:57.950Z. */
static struct bough_str time_of(struct bough_arena *a, const char *s, size_t n)
{
    static const char *const rest[] = { ".000Z", "00Z", "0Z" };
    size_t digits = n > 22 && s[19] == '.' ? n - 23 : 0;
    char *out;

    if (n < 22 || s[10] != ' ' || strcmp(s + n - 3, "+00") != 0)
        return str_make(s, n); /* infinity, or a year BC */
    out = arena_printf(a, "%.*s%s", (int)n - 3, s, digits < 3 ? rest[digits] : "Z");
    out[10] = 'T';
    return str_of(out);
}

static struct query_value value_of(struct bough_arena *a, const PGresult *r, int i)
{
    const char *s = PQgetvalue(r, 0, i);
    size_t n = (size_t)PQgetlength(r, 0, i);
    struct query_value v = { .type = QUERY_INT };

    if (PQgetisnull(r, 0, i))
        return (struct query_value){ .type = QUERY_NULL };
    switch (PQftype(r, i)) {
    case OID_BOOL:
        v.i = *s == 't';
        return v;
    case OID_INT8:
    case OID_INT2:
    case OID_INT4:
    case OID_OID:
        v.i = strtoll(s, NULL, 10);
        return v;
    case OID_FLOAT4:
    case OID_FLOAT8:
        v.type = QUERY_REAL;
        v.d = strtod(s, NULL);
        return v;
    case OID_NUMERIC:
        return number_of(s, n);
    case OID_BYTEA:
        return (struct query_value){ .type = QUERY_BLOB, .s = bytes_of(a, s, n) };
    case OID_TIMESTAMPTZ:
        return (struct query_value){ .type = QUERY_TEXT, .s = time_of(a, s, n) };
    }
    return (struct query_value){ .type = QUERY_TEXT, .s = str_make(s, n) };
}

/* ---- statements ---- */

static const char *skip_comment(const char *s)
{
    int depth = 0;

    if (s[0] == '-')
        return s + strcspn(s, "\n");
    do {
        if (s[0] == '/' && s[1] == '*') {
            depth++;
            s += 2;
        } else if (s[0] == '*' && s[1] == '/') {
            depth--;
            s += 2;
        } else if (*s) {
            s++;
        }
    } while (*s && depth);
    return s;
}

static bool comment_at(const char *s)
{
    return (s[0] == '-' && s[1] == '-') || (s[0] == '/' && s[1] == '*');
}

/* Skip a quoted string or name, or $tag$ ... $tag$. */
static const char *skip_quoted(const char *s)
{
    const char *end;
    size_t n;

    if (*s != '$') {
        end = strchr(s + 1, *s); /* a doubled quote is treated as two strings */
        return end ? end + 1 : s + strlen(s);
    }
    n = 1 + strcspn(s + 1, "$ \t\n;'\"");
    if (s[n] != '$')
        return s + 1; /* a parameter, or part of a name */
    for (end = s + ++n; (end = strchr(end, '$')); end++)
        if (strncmp(end, s, n) == 0)
            return end + n;
    return s + strlen(s);
}

/* The next statement of the text; NULL at the end. The server rejects two statements in one
 * message, so a wrong split here can only cause an error. */
static const char *next_statement(struct bough_arena *a, const char **sql)
{
    const char *s = *sql, *start;

    while (*s && (strchr(" \t\r\n;", *s) || comment_at(s)))
        s = comment_at(s) ? skip_comment(s) : s + 1;
    start = s;
    while (*s && *s != ';') {
        if (comment_at(s))
            s = skip_comment(s);
        else if (*s == '\'' || *s == '"' || *s == '$')
            s = skip_quoted(s);
        else
            s++;
    }
    *sql = s;
    return s > start ? arena_strndup(a, start, (size_t)(s - start)) : NULL;
}

static bool begins(const char *s, const char *const *words)
{
    size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    for (; *words; words++)
        if (strlen(*words) == n && strncasecmp(s, *words, n) == 0)
            return true;
    return false;
}

static enum bough_rc command(struct query *q, const char *text, struct bough_error *err)
{
    PGresult *r = PQexecParams(q->pg, text, 0, NULL, NULL, NULL, NULL, 0);
    ExecStatusType status = PQresultStatus(r);
    enum bough_rc rc = BOUGH_OK;

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        rc = refused(q, r, err);
    PQclear(r);
    return rc;
}

static void give_names(struct query *q, const PGresult *r)
{
    int n = PQnfields(r);
    const char **names = arena_array(q->a, (size_t)n + 1, sizeof *names);
    struct query_row row = { names, NULL, (size_t)n };

    for (int i = 0; i < n; i++)
        names[i] = PQfname(r, i);
    q->go_on = q->row(q->user, &row);
}

static void give_row(struct query *q, const PGresult *r)
{
    struct arena_mark mark = arena_mark(q->a);
    int n = PQnfields(r);
    const char **names = arena_array(q->a, (size_t)n + 1, sizeof *names);
    struct query_value *values = arena_array(q->a, (size_t)n + 1, sizeof *values);
    struct query_row row = { names, values, (size_t)n };

    for (int i = 0; i < n; i++) {
        names[i] = PQfname(r, i);
        values[i] = value_of(q->a, r, i);
    }
    q->go_on = q->row(q->user, &row);
    arena_rewind(q->a, mark);
}

/* Send a query and pass its rows on one at a time. *rows counts them. */
static enum bough_rc stream(struct query *q, const char *text, bool first, int *rows,
                            struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    PGresult *r;

    *rows = 0;
    if (!PQsendQueryParams(q->pg, text, 0, NULL, NULL, NULL, NULL, 0) || !PQsetSingleRowMode(q->pg))
        return no_connection(q, err);
    while ((r = PQgetResult(q->pg))) {
        ExecStatusType status = PQresultStatus(r);

        if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) {
            if (!rc)
                rc = refused(q, r, err);
        } else if (!rc && q->go_on) {
            if (first)
                give_names(q, r);
            first = false;
            if (status == PGRES_SINGLE_TUPLE && q->go_on)
                give_row(q, r);
        }
        *rows += status == PGRES_SINGLE_TUPLE;
        PQclear(r);
    }
    return rc;
}

/* A cursor accepts only queries. The read-only transaction refuses queries that write. */
static enum bough_rc run_one(struct query *q, const char *text, struct bough_error *err)
{
    static const char *const queries[] = { "select", "with", "values", "table", "", NULL };
    static const char *const looks[] = { "explain", "show", NULL };
    int rows = 0;
    enum bough_rc rc;

    if (begins(text, looks))
        return stream(q, text, true, &rows, err);
    if (!begins(text, queries))
        return bough_fail(err, BOUGH_INVALID, "only reading is allowed here");
    rc = command(
        q, arena_printf(q->a, "DECLARE bough_sql NO SCROLL CURSOR WITHOUT HOLD FOR %s", text), err);
    for (bool first = true; !rc && q->go_on && (first || rows == 1000); first = false)
        rc = stream(q, FETCH, first, &rows, err);
    return rc ? rc : command(q, "CLOSE bough_sql", err);
}

/* ---- the connection ---- */

static void no_notice(void *user, const char *text)
{
    (void)user;
    (void)text;
}

/* After its first query a read-only transaction cannot be switched to read-write. */
static enum bough_rc begin(struct query *q, const char *schema, struct bough_error *err)
{
    const char *const commands[] = {
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        "SET LOCAL statement_timeout = '60s'",
        "SET LOCAL bytea_output = 'hex'",
        "SET LOCAL standard_conforming_strings = on",
        "SET LOCAL extra_float_digits = 1",
        "SET LOCAL TimeZone = 'UTC'",
        "SET LOCAL DateStyle = 'ISO, YMD'",
        arena_printf(q->a, "SET LOCAL search_path = \"%s\"", schema),
        "SELECT 1",
    };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; !rc && i < sizeof commands / sizeof *commands; i++)
        rc = command(q, commands[i], err);
    return rc;
}

/* Reading is not enough of a bound for such a role: it can call functions that read the server's
 * files. */
static enum bough_rc refuse_powerful(struct query *q, struct bough_error *err)
{
    PGresult *r = PQexec(q->pg, "SELECT pg_has_role(current_user, 'pg_read_server_files', 'MEMBER')"
                                " OR pg_has_role(current_user, 'pg_execute_server_program',"
                                " 'MEMBER')");
    enum bough_rc rc = BOUGH_OK;

    if (PQresultStatus(r) != PGRES_TUPLES_OK)
        rc = refused(q, r, err);
    else if (strcmp(PQgetvalue(r, 0, 0), "t") == 0)
        rc = bough_fail(err, BOUGH_DENIED,
                        "%s: this role can read files of the server (a superuser can): connect as a"
                        " role with fewer rights",
                        q->name);
    PQclear(r);
    return rc;
}

enum bough_rc postgres_query(struct bough_arena *a, const char *rest, const char *sql,
                             query_fn *row, void *user, struct bough_error *err)
{
    struct query q = { .a = a, .row = row, .user = user, .go_on = true };
    const char *statement;
    struct url url;
    enum bough_rc rc = pg_url_parse(a, rest, &url, err);

    if (rc)
        return rc;
    q.name = url.name;
    q.pg = PQconnectdbParams(url.keys, url.values[0], 0);
    if (PQstatus(q.pg) != CONNECTION_OK) {
        rc = no_connection(&q, err);
    } else {
        PQsetNoticeProcessor(q.pg, no_notice, NULL);
        rc = refuse_powerful(&q, err);
        if (!rc)
            rc = begin(&q, url.schema, err);
    }
    while (!rc && q.go_on && (statement = next_statement(a, &sql)))
        rc = run_one(&q, statement, err);
    PQfinish(q.pg); /* this also ends the transaction */
    return rc;
}
