/* Lists of sessions, forks, and the size of a store. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/fs.h"
#include "bench.h"

struct listing {
    struct bough_store *s;
    struct bough_arena *a;
};

static void run_list(void *user, size_t i)
{
    struct listing *l = user;
    struct bough_session_list_options filter = { .order = BOUGH_BY_UPDATED, .limit = 50 };
    struct bough_sessions out;
    struct bough_error err;

    (void)i;
    bough_arena_reset(l->a);
    must(bough_session_list(l->s, l->a, &filter, &out, &err), &err, "list");
    if (out.n != 50)
        exit(2);
}

static void upkeep(struct bough_store *s)
{
    struct bough_error err;

    must(bough_store_upkeep(s, &err), &err, "upkeep");
}

/* Every tenth session has a message; the others are empty. */
static void fill(struct bough_store *s, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    char id[BOUGH_ID_LEN + 1], title[64];

    for (size_t i = 0; i < n; i++) {
        snprintf(title, sizeof title, "Session %zu about %zu", i, i % 97);
        session_new(s, title, id);
        if (i % 10 == 0)
            append_one(s, a, id, i);
    }
    upkeep(s);
    bough_arena_destroy(a);
}

void bench_list(struct bench *b)
{
    const char *dir[2] = { scratch(b, "list-1k"), scratch(b, "list-100k") };
    struct listing l[2];
    struct side sides[2] = { { .name = "50 of 1k sessions", .run = run_list, .user = &l[0] },
                             { .name = "50 of 100k sessions", .run = run_list, .user = &l[1] } };

    syncs_skip(true);
    for (size_t i = 0; i < 2; i++) {
        l[i] = (struct listing){ store_new(dir[i], true), bough_arena_create() };
        fill(l[i].s, i ? 100000 : 1000);
    }
    syncs_skip(false);
    interleave(sides, 2, b->full ? 400 : 100, 20);
    figure(b, "list50_100k_vs_1k", median(&sides[1].us) / median(&sides[0].us));
    sides_finish(sides, 2);
    for (size_t i = 0; i < 2; i++) {
        bough_arena_destroy(l[i].a);
        bough_store_close(&l[i].s);
        scratch_remove(dir[i]);
    }
}

/* --- lists by one column */

/* One of these, by the number of the side. */
static const struct bough_session_list_options by_column[] = {
    { .workspace = "w3", .order = BOUGH_BY_UPDATED, .limit = 50 },
    { .account = "a3", .order = BOUGH_BY_UPDATED, .limit = 50 },
    { .role_name = "r3", .order = BOUGH_BY_UPDATED, .limit = 50 },
    { .status = "archived", .order = BOUGH_BY_UPDATED, .limit = 50 },
    { .active = true, .order = BOUGH_BY_UPDATED, .limit = 50 },
};
enum { COLUMNS = sizeof by_column / sizeof *by_column };

struct listing_by {
    struct listing l;
    size_t column;
};

static void run_list_by(void *user, size_t i)
{
    struct listing_by *by = user;
    struct bough_sessions out;
    struct bough_error err;

    (void)i;
    bough_arena_reset(by->l.a);
    must(bough_session_list(by->l.s, by->l.a, &by_column[by->column], &out, &err), &err, "list");
    if (out.n != 50)
        exit(2);
}

/* Every tenth session has the column's value, and every tenth is archived. */
static void fill_columns(struct bough_store *s, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_session *out;
    struct bough_error err;

    for (size_t i = 0; i < n; i++) {
        char workspace[16], account[16], role[16];
        struct bough_session_create_options in = { .workspace = workspace,
                                                   .account = account,
                                                   .role_name = role };

        snprintf(workspace, sizeof workspace, "w%zu", i % 10);
        snprintf(account, sizeof account, "a%zu", i % 10);
        snprintf(role, sizeof role, "r%zu", i % 10);
        bough_arena_reset(a);
        must(bough_session_create(s, a, &in, &out, &err), &err, "create");
        if (i % 10 == 7)
            must(bough_session_archive(s, out->id, &err), &err, "archive");
    }
    upkeep(s);
    bough_arena_destroy(a);
}

/* The worst of all columns. */
void bench_list_by(struct bench *b)
{
    const char *dir[2] = { scratch(b, "by-1k"), scratch(b, "by-100k") };
    struct listing l[2];
    double worst = 0;

    syncs_skip(true);
    for (size_t i = 0; i < 2; i++) {
        l[i] = (struct listing){ store_new(dir[i], true), bough_arena_create() };
        fill_columns(l[i].s, i ? 100000 : 1000);
    }
    syncs_skip(false);
    for (size_t column = 0; column < COLUMNS; column++) {
        struct listing_by by[2] = { { l[0], column }, { l[1], column } };
        struct side sides[2] = {
            { .name = "by column, 1k", .run = run_list_by, .user = &by[0] },
            { .name = "by column, 100k", .run = run_list_by, .user = &by[1] }
        };
        double ratio;

        interleave(sides, 2, b->full ? 400 : 100, 20);
        ratio = median(&sides[1].us) / median(&sides[0].us);
        note("column %zu: 100k over 1k sessions %.2f", column, ratio);
        worst = ratio > worst ? ratio : worst;
        sides_finish(sides, 2);
    }
    figure(b, "list50_by_column_100k_vs_1k", worst);
    for (size_t i = 0; i < 2; i++) {
        bough_arena_destroy(l[i].a);
        bough_store_close(&l[i].s);
        scratch_remove(dir[i]);
    }
}

/* --- forks */

struct forking {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
};

static void run_fork(void *user, size_t i)
{
    struct forking *f = user;
    struct bough_session_fork_options how = { .title = "a fork" };
    struct bough_session *out;
    struct bough_error err;

    (void)i;
    bough_arena_reset(f->a);
    must(bough_session_fork(f->s, f->a, f->session, &how, &out, &err), &err, "fork");
}

/* Rows of all tables, after the projections are up to date. */
static int64_t rows(struct bough_store *s, const char *dir)
{
    static const char sql[] = "SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM head)"
                              " + (SELECT count(*) FROM branch) + (SELECT count(*) FROM entry)"
                              " + (SELECT count(*) FROM record) + (SELECT count(*) FROM alias)"
                              " + (SELECT count(*) FROM key) + (SELECT count(*) FROM log)"
                              " + (SELECT count(*) FROM list)";
    struct bough_arena *a = bough_arena_create();
    sqlite3_stmt *st;
    sqlite3 *db;
    int64_t n;

    upkeep(s);
    if (sqlite3_open_v2(fs_join(a, dir, "store"), &db, SQLITE_OPEN_READONLY, NULL) ||
        sqlite3_prepare_v2(db, sql, -1, &st, NULL) || sqlite3_step(st) != SQLITE_ROW)
        exit(2);
    n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    bough_arena_destroy(a);
    return n;
}

void bench_fork(struct bench *b)
{
    const char *dir = scratch(b, "fork");
    struct bough_store *s = store_new(dir, false);
    struct forking f[2];
    struct side sides[2] = { { .name = "fork 10 entries", .run = run_fork, .user = &f[0] },
                             { .name = "fork 100k entries", .run = run_fork, .user = &f[1] } };
    int64_t before, between, after;

    syncs_skip(true);
    for (size_t i = 0; i < 2; i++) {
        f[i] = (struct forking){ .s = s, .a = bough_arena_create() };
        session_new(s, "to be forked", f[i].session);
        append_many(s, f[i].session, 0, i ? 100000 : 10);
    }
    syncs_skip(false);
    interleave(sides, 2, b->full ? 200 : 60, 10);
    figure(b, "fork_100k_vs_fork_10", median(&sides[1].us) / median(&sides[0].us));
    sides_finish(sides, 2);
    before = rows(s, dir);
    run_fork(&f[0], 0);
    between = rows(s, dir);
    run_fork(&f[1], 0);
    after = rows(s, dir);
    note("rows written by a fork: %lld and %lld", (long long)(between - before),
         (long long)(after - between));
    figure(b, "fork_rows_written", (double)((after - between) - (between - before)));
    for (size_t i = 0; i < 2; i++)
        bough_arena_destroy(f[i].a);
    bough_store_close(&s);
    scratch_remove(dir);
}

/* --- size */

enum { SESSIONS = 64 };

static void sessions_new(struct bough_store *s, char ids[SESSIONS][BOUGH_ID_LEN + 1])
{
    for (size_t i = 0; i < SESSIONS; i++)
        session_new(s, "size", ids[i]);
}

static size_t fill_plain(struct bough_store *s, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    char ids[SESSIONS][BOUGH_ID_LEN + 1];
    size_t content = 0;
    uint64_t rng = 5;

    sessions_new(s, ids);
    for (size_t i = 0; i < n; i++) {
        append_one(s, a, ids[rng_below(&rng, SESSIONS)], i);
        content += message(i)->content;
    }
    bough_arena_destroy(a);
    return content;
}

/* Every fourth message is a tool output of 10 to 100 KB. */
static size_t fill_tools(struct bough_store *s, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    char ids[SESSIONS][BOUGH_ID_LEN + 1];
    struct bough_append_result out;
    struct bough_error err;
    size_t content = 0;
    uint64_t rng = 6;

    sessions_new(s, ids);
    for (size_t i = 0; i < n; i++) {
        struct bough_entry_new entry = message_entry(i);
        struct bough_append_options in = { .entries = &entry, .n = 1 };
        struct bough_str tool;

        bough_arena_reset(a);
        if (i % 4 == 0) {
            tool = message_tool(a, &rng, 10000 + rng_below(&rng, 90000));
            entry = (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT };
            entry.parts = &tool;
            entry.nparts = 1;
        }
        for (size_t k = 0; k < entry.nparts; k++)
            content += entry.parts[k].n;
        must(bough_append(s, a, ids[rng_below(&rng, SESSIONS)], &in, &out, &err), &err, "append");
    }
    bough_arena_destroy(a);
    return content;
}

static void size_of(struct bench *b, const char *name, bool tools, size_t n)
{
    const char *dir = scratch(b, name);
    struct bough_store *s = store_new(dir, tools);
    size_t content = tools ? fill_tools(s, n) : fill_plain(s, n);
    int64_t bytes;

    bough_store_close(&s);
    bytes = dir_bytes(dir);
    note("%zu messages, %.1f MB of content, %.1f MB on disk", n, (double)content / 1e6,
         (double)bytes / 1e6);
    figure(b, name, (double)bytes / (double)content);
    scratch_remove(dir);
}

void bench_size(struct bench *b)
{
    syncs_skip(true);
    size_of(b, "db_size_over_content", false, b->full ? 200000 : 40000);
    size_of(b, "db_size_over_content_zstd", true, b->full ? 10000 : 2000);
    syncs_skip(false);
}
