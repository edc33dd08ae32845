/*
 * The schema: created in an empty database, upgraded when older, refused when newer. Processes that
 * start together take turns by an advisory lock. It belongs to the transaction, so it also works
 * behind a pooler.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash/hash.h"
#include "store/contract/migrations.h"
#include "store/postgres/wire/db.h"

MIGRATIONS(postgres);

int64_t pg_latest(void)
{
    return (int64_t)postgres_migrations_count;
}

/* The first value of a query that runs once; "" when there is no row. */
static enum bough_rc value(struct conn *c, struct bough_arena *a, const char *text,
                           const char **out, struct bough_error *err)
{
    PGresult *r = NULL;
    enum bough_rc rc = pg_send_text(c, NULL, NULL, text, "", NULL, err), end;

    if (!rc)
        rc = pg_sync(c, err);
    if (!rc)
        rc = pg_next(c, &r, err);
    if (!rc && !result_good(r))
        rc = pg_fail(c, r, err);
    if (!rc)
        *out = PQntuples(r) ? arena_strdup(a, got_text(r, 0, 0)) : "";
    PQclear(r);
    end = c->lost ? BOUGH_OK : pg_drain(c, rc ? NULL : err);
    return rc ? rc : end;
}

/* ---- requirements on the server ---- */

static enum bough_rc check_standby(struct conn *c, struct bough_arena *a, struct bough_error *err)
{
    const char *standby = "";
    enum bough_rc rc = value(c, a, "SELECT pg_is_in_recovery()::text", &standby, err);

    if (rc || strcmp(standby, "true") != 0)
        return rc;
    return bough_fail(err, BOUGH_READ_ONLY,
                      "%s is a standby: open it read-only, or name the primary, or both with"
                      " target_session_attrs=read-write",
                      c->store->name);
}

static enum bough_rc check_server(struct conn *c, struct bough_arena *a, struct bough_error *err)
{
    const char *fsync = "", *pages = "", *encoding = "", *version = "";
    enum bough_rc rc = value(c, a, "SELECT current_setting('fsync')", &fsync, err);

    if (!rc)
        rc = value(c, a, "SELECT current_setting('full_page_writes')", &pages, err);
    if (!rc)
        rc = value(c, a, "SELECT current_setting('server_encoding')", &encoding, err);
    if (!rc)
        rc = value(c, a, "SELECT current_setting('server_version_num')", &version, err);
    if (rc)
        return rc;
    if (strcmp(fsync, "on") != 0)
        return bough_fail(err, BOUGH_INVALID,
                          "%s runs with fsync=off: acknowledged data may be lost. Turn fsync on",
                          c->store->name);
    if (strcmp(pages, "on") != 0)
        return bough_fail(
            err, BOUGH_INVALID,
            "%s runs with full_page_writes=off: a crash may damage acknowledged data. "
            "Turn full_page_writes on",
            c->store->name);
    if (strcmp(encoding, "UTF8") != 0)
        return bough_fail(err, BOUGH_INVALID, "%s has the encoding %s: bough needs UTF8",
                          c->store->name, encoding);
    if (strtol(version, NULL, 10) < 130000)
        return bough_fail(err, BOUGH_VERSION, "%s is PostgreSQL %s: bough needs 13 or newer",
                          c->store->name, version);
    return BOUGH_OK;
}

/* ---- the schema ---- */

/* The owner of the schema, or of a table in it, can put triggers there that run with our rights. So
 * it must be this role, one that this role belongs to, the owner of the database, or a superuser.
 */
static enum bough_rc check_owners(struct conn *c, struct bough_arena *a, struct bough_error *err)
{
    const char *stranger = "";
    enum bough_rc rc = value(
        c, a,
        arena_printf(a,
                     "SELECT r.rolname::text FROM pg_roles r WHERE r.oid IN (SELECT nspowner FROM"
                     " pg_namespace WHERE nspname = '%s' UNION SELECT t.relowner FROM pg_class t"
                     " JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = '%s')"
                     " AND NOT pg_has_role(current_user, r.oid, 'MEMBER') AND NOT r.rolsuper"
                     " AND r.rolname <> 'pg_database_owner' AND r.oid <> (SELECT datdba FROM"
                     " pg_database WHERE datname = current_database()) LIMIT 1",
                     c->store->schema, c->store->schema),
        &stranger, err);

    if (rc || !*stranger)
        return rc;
    return bough_fail(
        err, BOUGH_DENIED,
        "%s: the role %.60s owns the schema %s or a table in it: connect as that role,"
        " or name another schema with ?schema=",
        c->store->name, stranger, c->store->schema);
}

static enum bough_rc look(struct conn *c, struct bough_arena *a, int64_t *version,
                          struct bough_error *err)
{
    const char *there = "", *text = "", *schema = c->store->schema;
    enum bough_rc rc = value(
        c, a, arena_printf(a, "SELECT to_regclass('\"%s\".meta')::text", schema), &there, err);

    *version = 0;
    if (!rc && *there)
        rc = value(c, a,
                   arena_printf(a, "SELECT value FROM \"%s\".meta WHERE key = 'schema'", schema),
                   &text, err);
    if (rc)
        return rc;
    *version = strtoll(text, NULL, 10);
    if (*there && *version <= 0)
        return bough_fail(err, BOUGH_INVALID, "%s: the schema %s is not a bough store",
                          c->store->name, c->store->schema);
    if (*version > pg_latest())
        return bough_fail(err, BOUGH_VERSION, "%s has format %lld; this bough knows %lld",
                          c->store->name, (long long)*version, (long long)pg_latest());
    return BOUGH_OK;
}

/* Store id, epoch and creation time are written once, with the first migration. */
static const char *christen(struct postgres *s, struct bough_arena *a)
{
    unsigned char random[16];
    char id[33];

    env_random(s->env, random, sizeof random);
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(id + 2 * i, 3, "%02x", random[i]);
    return arena_printf(a,
                        "INSERT INTO meta (key, value) VALUES ('store', '%s'), ('epoch', '1'),"
                        " ('created', '%" PRId64 "'), ('schema', '0');",
                        id, env_now(s->env));
}

static enum bough_rc step_up(struct postgres *s, struct conn *c, struct bough_arena *a,
                             const struct migration *m, struct bough_error *err)
{
    return pg_exec(c,
                   arena_printf(a, "%s %s UPDATE meta SET value = '%d' WHERE key = 'schema'",
                                m->sql, m->number == 1 ? christen(s, a) : "", m->number),
                   err);
}

/* Create the schema unless it exists, so that a role without that right can use an existing one. */
static enum bough_rc make_schema(struct conn *c, struct bough_arena *a, struct bough_error *err)
{
    const char *there = "";
    enum bough_rc rc =
        value(c, a,
              arena_printf(a, "SELECT nspname::text FROM pg_namespace WHERE nspname = '%s'",
                           c->store->schema),
              &there, err);

    if (rc || *there)
        return rc;
    return pg_exec(c, arena_printf(a, "CREATE SCHEMA \"%s\"", c->store->schema), err);
}

static enum bough_rc bring_up(struct postgres *s, struct conn *c, struct bough_arena *a,
                              bool create, struct bough_error *err)
{
    int64_t version = 0;
    enum bough_rc rc = create ? make_schema(c, a, err) : BOUGH_OK;

    if (!rc)
        rc = look(c, a, &version, err);
    if (!rc && version == 0 && !create)
        return bough_fail(err, BOUGH_NOT_FOUND, "%s: there is no store in the schema %s", s->name,
                          s->schema);
    for (; !rc && version < pg_latest(); version++)
        rc = step_up(s, c, a, &postgres_migrations[version], err);
    return rc;
}

/* The advisory lock's number, derived from the schema's name. */
static int64_t lock_number(const char *schema)
{
    /* A fixed key: every process must get the same number. */
    static const uint64_t fixed[2] = { 0x626f756768, 1 };

    return (int64_t)(hash_sip13(fixed, schema, strlen(schema)) >> 1);
}

/* Apply all missing migrations in one transaction. A process that waited for the lock finds nothing
 * to do. */
static enum bough_rc bring_up_alone(struct postgres *s, struct conn *c, struct bough_arena *a,
                                    bool create, struct bough_error *err)
{
    const char *begin = arena_printf(
        a,
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL search_path = \"%s\";"
        "SET LOCAL statement_timeout = '600s'; SELECT pg_advisory_xact_lock(%" PRId64 ")",
        s->schema, lock_number(s->schema));
    enum bough_rc rc = pg_exec(c, begin, err);

    if (!rc)
        rc = bring_up(s, c, a, create, err);
    if (!rc)
        return pg_exec(c, "COMMIT", err);
    if (!c->lost)
        (void)pg_exec(c, "ROLLBACK", NULL);
    return rc;
}

enum bough_rc pg_migrate(struct postgres *s, struct conn *c, const struct backend_config *config,
                         struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    int64_t version = 0;
    enum bough_rc rc = check_server(c, a, err);

    if (!rc && !config->read_only)
        rc = check_standby(c, a, err);
    if (!rc)
        rc = check_owners(c, a, err);
    if (!rc)
        rc = look(c, a, &version, err);
    if (!rc && version < pg_latest() && config->read_only) {
        rc = version ? bough_fail(err, BOUGH_READ_ONLY,
                                  "%s has the older format %lld: open it once for writing", s->name,
                                  (long long)version)
                     : bough_fail(err, BOUGH_NOT_FOUND, "%s: there is no store in the schema %s",
                                  s->name, s->schema);
    } else if (!rc && version < pg_latest()) {
        rc = bring_up_alone(s, c, a, !config->must_exist, err);
    }
    bough_arena_destroy(a);
    return rc;
}
