/* Parsing of postgres://... URLs: libpq's syntax plus schema= and prepare=, with safe defaults for
 * TLS. */
#include "store/postgres/wire/url.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/str.h"

enum { OPTIONS_MOST = 64 };

/* Remove `name`=value from the URL's query string and return the value; NULL when it is
 * not there. */
static const char *take_option(struct bough_arena *a, char *url, const char *name)
{
    size_t n = strlen(name);
    char *at = strchr(url, '?');

    while (at) {
        char *start = at + 1, *end = strchr(start, '&');

        if (strncmp(start, name, n) == 0 && start[n] == '=') {
            size_t len = end ? (size_t)(end - start) : strlen(start);
            const char *value = arena_strndup(a, start + n + 1, len - n - 1);

            if (end)
                memmove(start, end + 1, strlen(end + 1) + 1);
            else
                *at = '\0';
            return value;
        }
        at = end;
    }
    return NULL;
}

static bool plain_name(const char *s)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return n == strlen(s) && n > 0 && n < 48 && !(s[0] >= '0' && s[0] <= '9') &&
           strncmp(s, "pg_", 3) != 0;
}

static const char *option(const PQconninfoOption *o, const char *key)
{
    for (; o->keyword; o++)
        if (strcmp(o->keyword, key) == 0)
            return o->val ? o->val : "";
    return "";
}

/* A Unix socket, or an address of this machine. */
static bool stays_here(const char *host, size_t n)
{
    static const char *const here[] = { "localhost", "127.0.0.1", "::1" };

    if (!n || *host == '/' || *host == '@')
        return true;
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        if (n == strlen(here[i]) && strncmp(host, here[i], n) == 0)
            return true;
    return false;
}

/* Are all hosts of "a,b,c" on this machine? */
static bool all_stay_here(const char *hosts)
{
    for (;;) {
        size_t n = strcspn(hosts, ",");

        if (!stays_here(hosts, n))
            return false;
        if (!hosts[n])
            return true;
        hosts += n + 1;
    }
}

/* Passwords and transcripts may cross a network only encrypted, and only to a verified server. If
 * the URL names no host, the environment does (PGHOST). A service counts as another machine. */
static enum bough_rc check_tls(const PQconninfoOption *o, const char **mode,
                               struct bough_error *err)
{
    PQconninfoOption *others = PQconndefaults();
    const char *host = option(o, "host"), *addr = option(o, "hostaddr");
    const char *asked = option(o, "sslmode");
    enum bough_rc rc = BOUGH_OK;
    bool here;

    if (others && !*host && !*addr)
        host = option(others, "host");
    if (others && !*addr)
        addr = option(others, "hostaddr");
    here = others && all_stay_here(host) && all_stay_here(addr) && !*option(o, "service");
    *mode = *asked ? asked : here ? "prefer" : "verify-full";
    if (!here && strcmp(*mode, "verify-full") != 0)
        rc = bough_fail(
            err, BOUGH_INVALID,
            "%s is another machine: only sslmode=verify-full (the default) is safe there",
            *host   ? host
            : *addr ? addr
                    : "the server");
    PQconninfoFree(others);
    return rc;
}

/* The name for messages: without user, password and options. */
static const char *shown_name(struct bough_arena *a, const PQconninfoOption *o, const char *schema)
{
    const char *host = option(o, "host"), *port = option(o, "port"), *db = option(o, "dbname");

    return arena_printf(a, "postgres://%s%s%s/%s?schema=%s", *host && *host != '/' ? host : "",
                        *port ? ":" : "", port, db, schema);
}

/* ---- for libpq ---- */

struct pairs {
    const char **keys, **values;
    size_t n;
};

static void put(struct pairs *p, const char *key, const char *value)
{
    p->keys[p->n] = key;
    p->values[p->n++] = value;
}

/* Rotate "a,b,c" by one: "b,c,a". */
static const char *turned(struct bough_arena *a, const char *list)
{
    size_t n = strcspn(list, ",");

    return list[n] ? arena_printf(a, "%s,%.*s", list + n + 1, (int)n, list) : list;
}

/* libpq tries the next host when one refuses, but not when one hangs. So connect_now() starts with
 * rotated lists. */
static const char *const *turn_hosts(struct bough_arena *a, const struct pairs *p,
                                     const char *const *before)
{
    const char **values = arena_array(a, OPTIONS_MOST, sizeof *values);

    for (size_t i = 0; i < p->n; i++) {
        bool list = strcmp(p->keys[i], "host") == 0 || strcmp(p->keys[i], "hostaddr") == 0 ||
                    strcmp(p->keys[i], "port") == 0;

        values[i] = list ? turned(a, before[i]) : before[i];
    }
    values[p->n] = NULL;
    return values;
}

static size_t count_hosts(const char *list)
{
    size_t n = 1;

    for (; *list; list++)
        n += *list == ',';
    return n < HOSTS_MOST ? n : HOSTS_MOST;
}

static void put_options(struct bough_arena *a, struct url *out, const PQconninfoOption *o,
                        const char *sslmode)
{
    struct pairs p = { arena_array(a, OPTIONS_MOST, sizeof *p.keys),
                       arena_array(a, OPTIONS_MOST, sizeof *p.values), 0 };
    const char *hosts = option(o, "host");

    out->nhosts = count_hosts(*hosts ? hosts : option(o, "hostaddr"));
    put(&p, "fallback_application_name", "bough");
    put(&p, "client_encoding", "UTF8");
    put(&p, "sslmode", sslmode);
    if (!*option(o, "tcp_user_timeout"))
        put(&p, "tcp_user_timeout", "30000");
    if (!*option(o, "connect_timeout"))
        put(&p, "connect_timeout", "10"); /* for `bough sql`; all other callers have a deadline */
    for (; o->keyword && p.n < OPTIONS_MOST - 1; o++)
        if (o->val && *o->val && strcmp(o->keyword, "sslmode") != 0 &&
            strcmp(o->keyword, "client_encoding") != 0 &&
            strcmp(o->keyword, "fallback_application_name") != 0)
            put(&p, arena_strdup(a, o->keyword), arena_strdup(a, o->val));
    p.keys[p.n] = p.values[p.n] = NULL;
    out->keys = p.keys;
    out->values[0] = p.values;
    for (size_t i = 1; i < out->nhosts; i++)
        out->values[i] = turn_hosts(a, &p, out->values[i - 1]);
}

enum bough_rc pg_url_parse(struct bough_arena *a, const char *rest, struct url *out,
                           struct bough_error *err)
{
    char *url = arena_printf(a, "postgres:%s", rest);
    const char *prepare = take_option(a, url, "prepare"), *sslmode;
    PQconninfoOption *o;
    char *why = NULL;
    enum bough_rc rc;

    out->schema = take_option(a, url, "schema");
    if (!out->schema)
        out->schema = "bough";
    if (!plain_name(out->schema))
        return bough_fail(err, BOUGH_INVALID,
                          "a schema's name has small letters, digits and _, not %.60s",
                          out->schema);
    if (prepare && strcmp(prepare, "on") != 0 && strcmp(prepare, "off") != 0)
        return bough_fail(err, BOUGH_INVALID, "prepare is on or off, not %.20s", prepare);
    out->unprepared = prepare && strcmp(prepare, "off") == 0;
    o = PQconninfoParse(url, &why);
    if (!o) {
        /* libpq's message quotes the URL, which may contain a password. */
        PQfreemem(why);
        return bough_fail(
            err, BOUGH_INVALID,
            "this is not a URL of PostgreSQL: postgres://USER@HOST/DATABASE?schema=NAME");
    }
    rc = check_tls(o, &sslmode, err);
    if (!rc) {
        out->name = shown_name(a, o, out->schema);
        put_options(a, out, o, arena_strdup(a, sslmode));
    }
    PQconninfoFree(o);
    return rc;
}
