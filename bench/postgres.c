/* The PostgreSQL backend: appends compared with the disk's floor, many writers, batches, import,
 * reads. The server uses the same disk: tests/with-postgres.sh starts it. */
#include <fcntl.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "bench.h"
#include "store/engine/engine.h"
#include "store/postgres/wire/db.h"

enum { CROWD = 32, SWARM = 16 };

static struct bough_arena *kept;

/* The URL of a schema for one benchmark; NULL: there is no server. */
static const char *pg_url(const char *name)
{
    const char *server = getenv("BOUGH_TEST_POSTGRES");

    if (!kept)
        kept = bough_arena_create();
    return server && *server ? arena_printf(kept, "%s&schema=bench_%s", server, name) : NULL;
}

/* The server runs with normal priority, and a client with a higher one would keep it from
 * answering. */
static struct bough_store *pg_store(const char *name)
{
    struct bough_store_open_options options = { .indexing = BOUGH_INDEX_ON_SEARCH };
    struct bough_store *s = NULL;
    struct bough_error err;

    hurry(false);
    must(bough_store_open(&s, pg_url(name), &options, &err), &err, "open");
    return s;
}

/* --- many writers */

struct writer {
    struct bough_store *s;
    char session[BOUGH_ID_LEN + 1];
    size_t i, done;
    const atomic_bool *stop;
    pthread_t thread;
};

static void *write_until(void *arg)
{
    struct writer *w = arg;
    struct bough_arena *a = bough_arena_create();

    for (; !*w->stop; w->done++)
        append_one(w->s, a, w->session, w->i++);
    bough_arena_destroy(a);
    return NULL;
}

/* Appends per second of n writers. */
static double rate(struct writer *w, size_t n, double seconds)
{
    atomic_bool stop = false;
    double from = now_us(), took;
    size_t total = 0;

    for (size_t i = 0; i < n; i++) {
        w[i].stop = &stop;
        w[i].done = 0;
        if (pthread_create(&w[i].thread, NULL, write_until, &w[i]))
            exit(2);
    }
    sleep_us(seconds * 1e6);
    stop = true;
    for (size_t i = 0; i < n; i++) {
        pthread_join(w[i].thread, NULL);
        total += w[i].done;
    }
    took = now_us() - from;
    return (double)total / took * 1e6;
}

static struct writer *crowd_new(struct bough_store *s, size_t n)
{
    struct writer *w = mem_zalloc(mem_array(n, sizeof *w));

    for (size_t i = 0; i < n; i++) {
        w[i].s = s;
        w[i].i = i * 37;
        session_new(s, "writer", w[i].session);
    }
    return w;
}

/* Subagents of one root: their usage is added to the root's totals. */
static struct writer *swarm_new(struct bough_store *s, size_t n)
{
    struct writer *w = mem_zalloc(mem_array(n, sizeof *w));
    struct bough_arena *a = bough_arena_create();
    char root[BOUGH_ID_LEN + 1];
    struct bough_error err;

    session_new(s, "root", root);
    for (size_t i = 0; i < n; i++) {
        struct bough_session_create_options in = { .kind = BOUGH_SUBAGENT, .parent = root };
        struct bough_session *out;

        w[i].s = s;
        w[i].i = i * 37;
        must(bough_session_create(s, a, &in, &out, &err), &err, "subagent");
        memcpy(w[i].session, out->id, sizeof w[i].session);
    }
    bough_arena_destroy(a);
    return w;
}

/* --- the disk's floor */

struct floor_file {
    int fd;
    off_t at;
};

enum { FLOOR_BYTES = 16 << 20 };

static double floor_rate(struct floor_file *f, double seconds)
{
    double until = now_us() + seconds * 1e6, from = now_us();
    size_t n = 0;

    for (; now_us() < until; n++) {
        const struct message *m = message(n);

        if (f->at + (off_t)m->parts[0].n > FLOOR_BYTES)
            f->at = 0;
        if (pwrite(f->fd, m->parts[0].p, m->parts[0].n, f->at) < 0 || fdatasync(f->fd) != 0)
            exit(2);
        f->at += (off_t)m->parts[0].n;
    }
    return (double)n / (now_us() - from) * 1e6;
}

static struct floor_file floor_open(const char *dir)
{
    struct bough_arena *a = bough_arena_create();
    struct floor_file f = { open(fs_join(a, dir, "floor"), O_RDWR | O_CREAT, 0600), 0 };
    char *zero = mem_zalloc(FLOOR_BYTES);

    if (f.fd < 0 || write(f.fd, zero, FLOOR_BYTES) != FLOOR_BYTES || fdatasync(f.fd) != 0)
        exit(2);
    mem_free(zero);
    bough_arena_destroy(a);
    return f;
}

/* --- followers */

struct follower {
    struct bough_store *s;
    const atomic_bool *stop;
    pthread_t thread;
};

static void *follow(void *arg)
{
    struct follower *f = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_mark at;
    struct bough_feed_next_result feed;
    struct bough_error err;

    must(bough_feed_end(f->s, &at, &err), &err, "feed");
    while (!*f->stop) {
        bough_arena_reset(a);
        must(bough_feed_next(f->s, a, at, 1000, 100, &feed, &err), &err, "feed");
        at = feed.next;
    }
    bough_arena_destroy(a);
    return NULL;
}

/* The same writers while two servers follow the changelog to send events. */
static double followed_rate(struct writer *w, size_t n, struct bough_store *other, double seconds)
{
    struct follower f[2] = { { .s = w->s }, { .s = other } };
    atomic_bool stop = false;
    double got;

    for (size_t i = 0; i < 2; i++) {
        f[i].stop = &stop;
        if (pthread_create(&f[i].thread, NULL, follow, &f[i]))
            exit(2);
    }
    got = rate(w, n, seconds);
    stop = true;
    for (size_t i = 0; i < 2; i++)
        pthread_join(f[i].thread, NULL);
    return got;
}

enum { FLOOR, ONE, MANY, ALONE, SWARMING, OFF, ON, BATCH, RATES };
static const char *const names[RATES] = { "fdatasync",           "1 thread",     "32 threads",
                                          "16 sessions",         "16 subagents", "8 threads",
                                          "8 threads, followed", "appends of 32" };

/* Entries per second, with 32 entries per append. */
static double batch_rate(struct writer *w, double seconds)
{
    double from = now_us(), until = from + seconds * 1e6;
    size_t n = 0;

    for (; now_us() < until; n += 32)
        append_many(w->s, w->session, n, 32);
    return (double)n / (now_us() - from) * 1e6;
}

void bench_pg_append(struct bench *b)
{
    const char *dir = scratch(b, "pg-append");
    struct floor_file f = floor_open(dir);
    struct bough_store *s, *other;
    struct writer *crowd, *swarm;
    struct samples us[RATES] = { { 0 } };
    size_t rounds = b->full ? 15 : 7;

    s = pg_store("append");
    other = pg_store("append");
    crowd = crowd_new(s, CROWD);
    swarm = swarm_new(s, SWARM);
    rate(crowd, 8, 0.5);
    for (size_t r = 0; r < rounds; r++) {
        sample(&us[FLOOR], floor_rate(&f, 0.3));
        sample(&us[ONE], rate(crowd, 1, 0.4));
        sample(&us[MANY], rate(crowd, CROWD, 0.4));
        sample(&us[ALONE], rate(crowd, SWARM, 0.4));
        sample(&us[SWARMING], rate(swarm, SWARM, 0.4));
        sample(&us[OFF], rate(crowd, 8, 0.4));
        sample(&us[ON], followed_rate(crowd, 8, other, 0.4));
        sample(&us[BATCH], batch_rate(crowd, 0.4));
    }
    for (size_t i = 0; i < RATES; i++)
        note("%-22s %8.0f a second (%.0f to %.0f)", names[i], median(&us[i]), quantile(&us[i], 0),
             quantile(&us[i], 1));
    figure(b, "pg_append_1_vs_floor", median(&us[ONE]) / median(&us[FLOOR]));
    figure(b, "pg_threads_32_vs_1", median(&us[MANY]) / median(&us[ONE]));
    figure(b, "pg_batch_vs_1", median(&us[BATCH]) / median(&us[ONE]));
    figure(b, "pg_subagent_swarm_vs_independent", median(&us[SWARMING]) / median(&us[ALONE]));
    figure(b, "pg_events_on_over_off", median(&us[ON]) / median(&us[OFF]));
    for (size_t i = 0; i < RATES; i++)
        samples_finish(&us[i]);
    mem_free(crowd);
    mem_free(swarm);
    bough_store_close(&s);
    bough_store_close(&other);
    close(f.fd);
    scratch_remove(dir);
}

/* --- import */

enum { IMPORT = 5000, COLUMNS = 15 };

static double import_rate(struct bough_store *s, char session[BOUGH_ID_LEN + 1])
{
    double from;

    session_new(s, "import", session);
    from = now_us();
    append_many(s, session, 0, IMPORT);
    return IMPORT / (now_us() - from) * 1e6;
}

static PGresult *sql(PGconn *pg, const char *text)
{
    PGresult *r = PQexecParams(pg, text, 0, NULL, NULL, NULL, NULL, 1);

    if (PQresultStatus(r) != PGRES_TUPLES_OK && PQresultStatus(r) != PGRES_COMMAND_OK) {
        note("%s: %s", text, PQerrorMessage(pg));
        exit(2);
    }
    return r;
}

static void send_row(PGconn *pg, const PGresult *rows, int i, const char bid[8])
{
    const char *values[COLUMNS];
    int sizes[COLUMNS], binary[COLUMNS];

    for (int k = 0; k < COLUMNS; k++) {
        values[k] = PQgetisnull(rows, i, k) ? NULL : PQgetvalue(rows, i, k);
        sizes[k] = PQgetlength(rows, i, k);
        binary[k] = 1;
    }
    values[0] = bid;
    if (!PQsendQueryPrepared(pg, "put", COLUMNS, values, sizes, binary, 1))
        exit(2);
}

/* Wait until all statements are answered; exits on an error. */
static void take_answers(PGconn *pg, int n)
{
    if (!PQpipelineSync(pg))
        exit(2);
    while (n >= 0) {
        PGresult *r = PQgetResult(pg);

        n -= r != NULL;
        if (r && PQresultStatus(r) == PGRES_FATAL_ERROR)
            exit(2);
        PQclear(r);
    }
}

/* Insert the rows of the last import again as another branch: one statement per row, all sent
 * before the first answer is read. Building the rows is not timed. */
static double insert_rate(PGconn *pg, size_t round)
{
    const char bid[8] = { 0x7f, 0, 0, 0, 0, 0, 0, (char)round };
    PGresult *rows = sql(pg, "SELECT " ENTRY_ALL " FROM entry WHERE bid = (SELECT max(bid) FROM"
                             " entry WHERE bid < 1::bigint << 40)");
    double from;

    if (PQntuples(rows) != IMPORT || PQnfields(rows) != COLUMNS)
        exit(2);
    PQclear(sql(pg, "BEGIN"));
    from = now_us();
    if (!PQenterPipelineMode(pg))
        exit(2);
    for (int i = 0; i < IMPORT; i++)
        send_row(pg, rows, i, bid);
    take_answers(pg, IMPORT);
    if (!PQexitPipelineMode(pg))
        exit(2);
    PQclear(sql(pg, "COMMIT"));
    PQclear(rows);
    return IMPORT / (now_us() - from) * 1e6;
}

static PGconn *import_connection(void)
{
    PGconn *pg = PQconnectdb(getenv("BOUGH_TEST_POSTGRES"));

    PQclear(sql(pg, "SET search_path = bench_import"));
    PQclear(PQprepare(pg, "put",
                      "INSERT INTO entry (" ENTRY_ALL ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8,"
                      " $9, $10, $11, $12, $13, $14, $15)",
                      0, NULL));
    return pg;
}

void bench_pg_import(struct bench *b)
{
    struct bough_store *s = pg_store("import");
    struct samples copied = { 0 }, piped = { 0 };
    PGconn *pg = import_connection();
    char session[BOUGH_ID_LEN + 1];

    for (size_t r = 0; r < (b->full ? 15 : 7); r++) {
        sample(&copied, import_rate(s, session));
        sample(&piped, insert_rate(pg, r));
    }
    note("COPY %.0f entries a second (%.0f to %.0f), INSERT %.0f (%.0f to %.0f)", median(&copied),
         quantile(&copied, 0), quantile(&copied, 1), median(&piped), quantile(&piped, 0),
         quantile(&piped, 1));
    figure(b, "pg_copy_import_vs_pipelined", median(&copied) / median(&piped));
    samples_finish(&copied);
    samples_finish(&piped);
    PQfinish(pg);
    bough_store_close(&s);
}

/* --- reads */

struct reading {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
};

static void run_load(void *user, size_t i)
{
    struct reading *r = user;

    (void)i;
    if (read_path(r->s, r->a, r->session, &(struct bough_entries_read_options){ 0 }) != 10000)
        exit(2);
}

void bench_pg_load(struct bench *b)
{
    const char *dir = scratch(b, "pg-load");
    struct reading r[2] = { { store_new(dir, true), bough_arena_create(), "" },
                            { pg_store("load"), bough_arena_create(), "" } };
    struct side sides[2] = {
        { .name = "10k messages, SQLite", .run = run_load, .user = &r[0] },
        { .name = "10k messages, PostgreSQL", .run = run_load, .user = &r[1] }
    };

    for (size_t i = 0; i < 2; i++) {
        session_new(r[i].s, "long", r[i].session);
        append_many(r[i].s, r[i].session, 0, 10000);
    }
    interleave(sides, 2, b->full ? 30 : 12, 2);
    figure(b, "pg_load_10k_vs_sqlite", median(&sides[1].us) / median(&sides[0].us));
    sides_finish(sides, 2);
    for (size_t i = 0; i < 2; i++) {
        bough_arena_destroy(r[i].a);
        bough_store_close(&r[i].s);
    }
    scratch_remove(dir);
}

static void run_list(void *user, size_t i)
{
    struct reading *r = user;
    struct bough_session_list_options filter = { .order = BOUGH_BY_UPDATED, .limit = 50 };
    struct bough_sessions out;
    struct bough_error err;

    (void)i;
    bough_arena_reset(r->a);
    must(bough_session_list(r->s, r->a, &filter, &out, &err), &err, "list");
    if (out.n != 50)
        exit(2);
}

/* Created in SQLite and migrated, because creating 100,000 sessions one by one would take
 * too long. */
static struct bough_store *sessions_new(struct bench *b, const char *name, size_t n)
{
    const char *dir = scratch(b, name);
    struct bough_store *s = store_new(dir, true);
    char id[BOUGH_ID_LEN + 1], title[64];
    struct bough_error err;

    syncs_skip(true);
    for (size_t i = 0; i < n; i++) {
        snprintf(title, sizeof title, "Session %zu about %zu", i, i % 97);
        session_new(s, title, id);
    }
    must(bough_store_upkeep(s, &err), &err, "upkeep");
    bough_store_close(&s);
    must(bough_migrate(fs_join(kept, dir, "store"), pg_url(name),
                       &(struct bough_migrate_options){ .verify = BOUGH_VERIFY_NONE }, NULL, &err),
         &err, "migrate");
    syncs_skip(false);
    scratch_remove(dir);
    return pg_store(name);
}

void bench_pg_list(struct bench *b)
{
    struct reading r[2] = { { sessions_new(b, "list_1k", 1000), bough_arena_create(), "" },
                            { sessions_new(b, "list_100k", 100000), bough_arena_create(), "" } };
    struct side sides[2] = { { .name = "50 of 1k sessions", .run = run_list, .user = &r[0] },
                             { .name = "50 of 100k sessions", .run = run_list, .user = &r[1] } };

    interleave(sides, 2, b->full ? 400 : 100, 10);
    figure(b, "pg_list50_100k_vs_1k", median(&sides[1].us) / median(&sides[0].us));
    sides_finish(sides, 2);
    for (size_t i = 0; i < 2; i++) {
        bough_arena_destroy(r[i].a);
        bough_store_close(&r[i].s);
    }
}
