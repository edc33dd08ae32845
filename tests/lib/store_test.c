/* Fixtures and helpers of the store tests. */
#include "lib/store_test.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "store/engine/engine.h"

/* To run the whole suite on a new backend, add a row here. */
static const struct test_backend backends[] = {
    { "memory", false, false },
    { "sqlite", true, true },
    { "postgres", true, false },
};

/* ---- PostgreSQL: one server for all tests, a schema for each store ---- */

const char *postgres_url(struct test *t, const char *name)
{
    const char *server = getenv("BOUGH_TEST_POSTGRES");
    static unsigned count;

    if (!server || !*server)
        SKIP("no PostgreSQL server here: run it by tests/with-postgres.sh");
    return arena_printf(t->arena, "%s&schema=%s_%d_%u", server, name, (int)getpid(), ++count);
}

/* Connect to the server of a store's URL. libpq does not accept schema=, so that part is cut off
 * and returned in *schema. NULL if the URL has none. */
static PGconn *connect_to(const char *url, const char **schema)
{
    const char *at = strstr(url, "&schema=");
    char server[1024];

    *schema = at ? at + strlen("&schema=") : "";
    snprintf(server, sizeof server, "%.*s", at ? (int)(at - url) : 0, url);
    return at ? PQconnectdb(server) : NULL;
}

PGconn *postgres_connect(struct test *t)
{
    const char *schema;
    PGconn *pg = connect_to(t->url, &schema);

    CHECK(pg && PQstatus(pg) == CONNECTION_OK);
    PQclear(PQexec(pg, arena_printf(t->arena, "SET search_path = \"%s\"", schema)));
    return pg;
}

static void drop_schema(const char *url)
{
    const char *schema;
    PGconn *pg = connect_to(url, &schema);
    char text[160];

    snprintf(text, sizeof text,
             "SET client_min_messages = error; DROP SCHEMA IF EXISTS \"%s\" CASCADE", schema);
    if (pg)
        PQclear(PQexec(pg, text));
    PQfinish(pg);
}

void store_remove(const char *url)
{
    if (strncmp(url, "sqlite:", 7) == 0)
        (void)remove(url + 7);
    else
        drop_schema(url);
}

const char *store_url(struct test *t, const char *name)
{
    const struct test_backend *b = t->param;

    if (strcmp(b->name, "postgres") == 0)
        return postgres_url(t, name);
    if (b->file)
        return arena_printf(t->arena, "%s:%s", b->name,
                            test_path(t, arena_printf(t->arena, "%s.db", name)));
    return arena_printf(t->arena, "%s:", b->name);
}

/* Large calls, under a sanitizer or on a busy machine, take longer than the default deadline. */
static const struct bough_store_scoped_options patient = { .deadline_ms = 60000 };

static void open_store(struct test *t)
{
    struct bough_env env = { .now = t->env.env.now,
                             .random = t->env.env.random,
                             .user = t->env.env.user };
    struct bough_store_open_options options = { .env = &env };
    struct bough_store *s;

    CHECK_OK(bough_store_open(&s, t->url, &options, &t->err));
    t->store = bough_store_scoped(s, &patient);
    bough_store_close(&s);
}

static void before(struct test *t)
{
    t->env.step = 1;
    t->url = store_url(t, "store");
    open_store(t);
}

static void print_finding(void *user, const struct bough_finding *f)
{
    (void)user;
    printf("# fsck: %s %s %s: %s\n", f->code, f->error ? "error" : "warning", f->where, f->text);
}

static enum bough_rc patient_fsck(struct test *t, struct bough_store *from,
                                  struct bough_store_fsck_result *report)
{
    struct bough_store *s = bough_store_scoped(from, &patient);
    enum bough_rc rc = bough_store_fsck(s, BOUGH_FSCK_FULL, print_finding, NULL, report, &t->err);

    bough_store_close(&s);
    return rc;
}

void store_check(struct test *t, struct bough_store *s)
{
    struct bough_store_fsck_result report;

    CHECK_OK(patient_fsck(t, s, &report));
    CHECK_INT(0, report.errors);
    CHECK_INT(0, report.warnings);
}

static void after(struct test *t)
{
    struct bough_store_fsck_result report = { 0 };
    enum bough_rc rc = BOUGH_OK;

    if (t->store && !t->damaged)
        rc = patient_fsck(t, t->store, &report);
    bough_store_close(&t->store);
    if (t->url)
        drop_schema(t->url);
    CHECK_OK(rc);
    CHECK_INT(0, report.errors + report.warnings);
}

static void before_shared(struct test *t)
{
    t->url = store_url(t, "shared");
}

static void after_shared(struct test *t)
{
    bough_store_close(&t->store);
    if (t->url)
        drop_schema(t->url);
}

static void each_backend(const char *name, test_fn *first, test_fn *fn, test_fn *last, bool lasting,
                         int seconds)
{
    const char *only = getenv("BACKEND");

    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        size_t n = strlen(name) + strlen(backends[i].name) + 4;
        char *full;

        if ((lasting && !backends[i].lasts) || (only && !strstr(only, backends[i].name)))
            continue;
        full = malloc(n);
        snprintf(full, n, "%s [%s]", name, backends[i].name);
        /* Round trips are slower, and the tests share the server. */
        test_wrap(full, first, fn, last, (void *)(uintptr_t)&backends[i],
                  seconds * (backends[i].lasts && !backends[i].file ? 4 : 1));
    }
}

void store_test_register(const char *name, test_fn *fn, int seconds)
{
    each_backend(name, before, fn, after, false, seconds);
}

void shared_test_register(const char *name, test_fn *fn, int seconds)
{
    each_backend(name, before_shared, fn, after_shared, true, seconds);
}

bool store_lasts(const struct test *t)
{
    return ((const struct test_backend *)t->param)->lasts;
}

bool store_has_file(const struct test *t)
{
    return ((const struct test_backend *)t->param)->file;
}

void store_reopen(struct test *t)
{
    bough_store_close(&t->store);
    open_store(t);
}

void store_indexing(struct bough_store *s, bool on)
{
    pthread_mutex_lock(&s->e->lock);
    s->e->fulltext.on_search_only = !on;
    pthread_mutex_unlock(&s->e->lock);
}

/* ---- building conversations ---- */

const char *new_session(struct test *t, const char *title)
{
    struct bough_session_create_options in = { .title = title };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

const char *add(struct test *t, const char *session, enum bough_role role, const char *text)
{
    struct bough_entry_new e = { .role = role, .text = text };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return out.ids[0];
}

const char *user(struct test *t, const char *session, const char *text)
{
    return add(t, session, BOUGH_ROLE_USER, text);
}

const char *agent(struct test *t, const char *session, const char *text)
{
    return add(t, session, BOUGH_ROLE_ASSISTANT, text);
}

const char *fork_at(struct test *t, const char *session, const char *entry)
{
    struct bough_session_fork_options how = { .entry = entry };
    struct bough_session *s;

    CHECK_OK(bough_session_fork(t->store, t->arena, session, &how, &s, &t->err));
    return s->id;
}

const char *text_of(struct test *t, const struct bough_entry *e)
{
    return e->nparts ? bough_part_plain(t->arena, &e->parts[0]).p : "";
}

const char *read_text(struct test *t, const char *session,
                      const struct bough_entries_read_options *how)
{
    struct bough_entries_read_result path;
    const char *all = "";

    CHECK_OK(bough_entries_read(t->store, t->arena, session, how, &path, &t->err));
    for (size_t i = 0; i < path.entries.n; i++)
        all = arena_printf(t->arena, "%s%s%s", all, i ? " " : "", text_of(t, &path.entries.at[i]));
    return all;
}

const char *path_text(struct test *t, const char *session)
{
    return read_text(t, session, &(struct bough_entries_read_options){ .messages = true });
}

struct bough_session *get(struct test *t, const char *session)
{
    struct bough_session *s;

    CHECK_OK(bough_session_get(t->store, t->arena, session, &s, &t->err));
    return s;
}
