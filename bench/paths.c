/* Reading part of a long history: the last entries, the entries since the marker, a single
 * entry. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "bench.h"
#include "core/pack/pack.h"

struct reading {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
    struct bough_entries_read_options how;
    size_t expect;
};

static void run_read(void *user, size_t i)
{
    struct reading *r = user;
    size_t n = read_path(r->s, r->a, r->session, &r->how);

    (void)i;
    if (n != r->expect) {
        fprintf(stderr, "bench: %zu entries were read, not %zu\n", n, r->expect);
        exit(2);
    }
}

static double growth(struct reading *small, struct reading *large, const char *const names[2],
                     size_t rounds, size_t block)
{
    struct side sides[2] = { { .name = names[0], .run = run_read, .user = small },
                             { .name = names[1], .run = run_read, .user = large } };
    double ratio;

    interleave(sides, 2, rounds, block);
    ratio = median(&sides[1].us) / median(&sides[0].us);
    sides_finish(sides, 2);
    return ratio;
}

void bench_tail(struct bench *b)
{
    static const char *const names[] = { "last 50 of 1k", "last 50 of 100k" };
    const char *dir = scratch(b, "tail");
    struct bough_store *s = store_new(dir, false);
    struct reading r[2];

    syncs_skip(true);
    for (size_t i = 0; i < 2; i++) {
        r[i] = (struct reading){ .s = s, .a = bough_arena_create(), .expect = 50 };
        r[i].how = (struct bough_entries_read_options){ .newest = true, .limit = 50 };
        session_new(s, names[i], r[i].session);
        append_many(s, r[i].session, 0, i ? 100000 : 1000);
    }
    syncs_skip(false);
    figure(b, "tail50_growth_1k_to_100k", growth(&r[0], &r[1], names, b->full ? 400 : 100, 20));
    for (size_t i = 0; i < 2; i++)
        bough_arena_destroy(r[i].a);
    bough_store_close(&s);
    scratch_remove(dir);
}

/* --- forks */

static void fork_one(struct bough_store *s, char id[BOUGH_ID_LEN + 1])
{
    struct bough_arena *a = bough_arena_create();
    struct bough_session_fork_options how = { .title = "fork" };
    struct bough_session *out;
    struct bough_error err;

    must(bough_session_fork(s, a, id, &how, &out, &err), &err, "fork");
    memcpy(id, out->id, BOUGH_ID_LEN + 1);
    bough_arena_destroy(a);
}

/* A path of `total` messages through `depth` forks, with a marker 50 messages before its end. */
static void chain(struct bough_store *s, size_t depth, size_t total, char id[BOUGH_ID_LEN + 1])
{
    char marker[BOUGH_ID_LEN + 1];
    struct bough_compact_options in = { .summary = "what was said before" };
    struct bough_error err;
    size_t at = 0;

    session_new(s, "chain", id);
    for (size_t i = 0; i <= depth; i++) {
        size_t end = (i + 1) * total / (depth + 1);

        if (i)
            fork_one(s, id);
        if (at <= total - 50 && end > total - 50) {
            append_many(s, id, at, total - 50 - at);
            must(bough_compact(s, id, &in, marker, &err), &err, "compact");
            at = total - 50;
        }
        append_many(s, id, at, end - at);
        at = end;
    }
}

void bench_forks(struct bench *b)
{
    static const char *const since[] = { "since marker, depth 1", "since marker, depth 1000" };
    static const char *const whole[] = { "10k path, depth 1", "10k path, depth 1000" };
    const char *dir = scratch(b, "forks");
    struct bough_store *s = store_new(dir, false);
    struct reading r[2];

    syncs_skip(true);
    for (size_t i = 0; i < 2; i++) {
        r[i] = (struct reading){ .s = s, .a = bough_arena_create(), .expect = 50 };
        r[i].how = (struct bough_entries_read_options){ .what = BOUGH_ENTRIES_SINCE_MARKER,
                                                        .inherit = true };
        r[i].how.messages = true;
        chain(s, i ? 1000 : 1, 10000, r[i].session);
    }
    syncs_skip(false);
    figure(b, "since_marker_growth_depth_1_to_1000",
           growth(&r[0], &r[1], since, b->full ? 400 : 100, 20));
    for (size_t i = 0; i < 2; i++) {
        r[i].how = (struct bough_entries_read_options){ .messages = true };
        r[i].expect = 10000;
    }
    figure(b, "path_depth_1000_vs_1", growth(&r[0], &r[1], whole, b->full ? 100 : 25, 1));
    for (size_t i = 0; i < 2; i++)
        bough_arena_destroy(r[i].a);
    bough_store_close(&s);
    scratch_remove(dir);
}

/* --- a single entry */

enum { GETS = 20000 };

struct getting {
    struct bough_store *s;
    struct bough_arena *a;
    sqlite3_stmt *st;
    struct {
        char id[BOUGH_ID_LEN + 1];
        int64_t k;
    } at[GETS];
};

static size_t pick(size_t i)
{
    uint64_t rng = i;

    return rng_below(&rng, GETS);
}

static void run_get(void *user, size_t i)
{
    struct getting *g = user;
    struct bough_entry *out;
    struct bough_error err;

    bough_arena_reset(g->a);
    must(bough_entry_get(g->s, g->a, NULL, g->at[pick(i)].id, &out, &err), &err, "get");
}

static void run_rowid(void *user, size_t i)
{
    struct getting *g = user;
    struct bough_entry *out;
    struct bough_error err;
    struct pack_extra x;
    struct bough_str body;

    bough_arena_reset(g->a);
    sqlite3_bind_int64(g->st, 1, g->at[pick(i)].k);
    if (sqlite3_step(g->st) != SQLITE_ROW)
        exit(2);
    body.n = (size_t)sqlite3_column_bytes(g->st, 4);
    body.p = arena_dup(g->a, sqlite3_column_blob(g->st, 4), body.n);
    sqlite3_reset(g->st);
    out = arena_alloc(g->a, sizeof *out);
    must(pack_entry_read(g->a, body, out, &x, &err), &err, "decode");
}

static void get_prepare(struct getting *g)
{
    struct bough_entries_read_options all = { 0 };
    struct bough_entries_read_result out;
    struct bough_error err;
    char session[BOUGH_ID_LEN + 1];

    session_new(g->s, "get", session);
    append_many(g->s, session, 0, GETS);
    must(bough_entries_read(g->s, g->a, session, &all, &out, &err), &err, "read");
    for (size_t i = 0; i < GETS; i++) {
        memcpy(g->at[i].id, out.entries.at[i].id, sizeof g->at[i].id);
        g->at[i].k = out.entries.at[i].at.branch << 32 | out.entries.at[i].at.depth;
    }
}

void bench_get(struct bench *b)
{
    static struct getting g;
    const char *dir = scratch(b, "get");
    struct side sides[2] = { { .name = "entry by id", .run = run_get, .user = &g },
                             { .name = "row by rowid", .run = run_rowid, .user = &g } };
    sqlite3 *db;

    g.s = store_new(dir, false);
    g.a = bough_arena_create();
    syncs_skip(true);
    get_prepare(&g);
    syncs_skip(false);
    if (sqlite3_open_v2(fs_join(g.a, dir, "store"), &db, SQLITE_OPEN_READONLY, NULL) ||
        sqlite3_exec(db, "PRAGMA cache_size = -16384", NULL, NULL, NULL) ||
        sqlite3_prepare_v3(db, "SELECT k, kind, mask, over, body FROM entry WHERE k = ?1", -1,
                           SQLITE_PREPARE_PERSISTENT, &g.st, NULL))
        exit(2);
    interleave(sides, 2, b->full ? 1000 : 200, 100);
    figure(b, "get_by_id_vs_rowid", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    sqlite3_finalize(g.st);
    sqlite3_close(db);
    bough_arena_destroy(g.a);
    bough_store_close(&g.s);
    scratch_remove(dir);
}
