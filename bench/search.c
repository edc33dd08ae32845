/* Search: the cost of indexing for appends, and the cost of a page of hits as the store grows. */
#include <string.h>

#include "base/os/fs.h"
#include "bench.h"

static struct bough_store *store_open(const char *dir, const char *name, bool indexing)
{
    struct bough_store_open_options options = { .indexing = indexing ? BOUGH_INDEX_IN_BACKGROUND
                                                                     : BOUGH_INDEX_ON_SEARCH };
    struct bough_arena *a = bough_arena_create();
    struct bough_store *s = NULL;
    struct bough_error err;

    must(bough_store_open(&s, fs_join(a, dir, name), &options, &err), &err, "open");
    bough_arena_destroy(a);
    return s;
}

/* ---- appends with search on and off ---- */

struct appender {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
    size_t i;
    struct samples bursts, steady;
};

static void append_some(struct appender *ap, size_t n, struct samples *us)
{
    for (size_t k = 0; k < n; k++) {
        double from = now_us();

        append_one(ap->s, ap->a, ap->session, ap->i++);
        sample(us, now_us() - from);
    }
}

/* 20 appends, then a pause long enough for indexing, so that a burst may meet an index commit. */
static void append_bursts(struct appender *ap, size_t n)
{
    enum { BURST = 20, EVERY_US = 60000 };
    double start = now_us();

    for (size_t i = 0; i < n; i++) {
        append_some(ap, BURST, &ap->bursts);
        sleep_us(start + (double)(i + 1) * EVERY_US - now_us());
    }
}

static void settle(struct bough_store *s)
{
    struct bough_error err;

    must(bough_store_upkeep(s, &err), &err, "upkeep");
}

static double on_over_off(const char *what, struct samples *off, struct samples *on)
{
    double ratio = quantile(on, 0.99) / quantile(off, 0.99);

    note("%s, off: p50 %.0f us, p99 %.0f us, p99.9 %.0f us", what, median(off), quantile(off, 0.99),
         quantile(off, 0.999));
    note("%s, on:  p50 %.0f us, p99 %.0f us, p99.9 %.0f us; p99 on/off %.2f", what, median(on),
         quantile(on, 0.99), quantile(on, 0.999), ratio);
    return ratio;
}

void bench_search_append(struct bench *b)
{
    enum { OFF, ON };
    const char *dir = scratch(b, "search-append");
    struct appender side[2] = { { 0 } };
    double bursts, steady;

    for (int i = 0; i < 2; i++) {
        side[i].s = store_open(dir, i == ON ? "on" : "off", i == ON);
        side[i].a = bough_arena_create();
        session_new(side[i].s, "search", side[i].session);
        append_many(side[i].s, side[i].session, 0, 1000);
        settle(side[i].s);
    }
    for (size_t round = 0; round < (b->full ? 24 : 8); round++)
        for (int k = 0; k < 2; k++) {
            struct appender *ap = &side[(round + (size_t)k) % 2];

            append_bursts(ap, 40);
            append_some(ap, 1500, &ap->steady);
            settle(ap->s); /* finish indexing, so that the other side is measured alone */
        }
    bursts = on_over_off("bursts", &side[OFF].bursts, &side[ON].bursts);
    steady = on_over_off("steady", &side[OFF].steady, &side[ON].steady);
    figure(b, "append_p99_search_on_over_off", bursts > steady ? bursts : steady);
    for (int i = 0; i < 2; i++) {
        samples_finish(&side[i].bursts);
        samples_finish(&side[i].steady);
        bough_arena_destroy(side[i].a);
        bough_store_close(&side[i].s);
    }
    scratch_remove(dir);
}

/* ---- queries ---- */

static const struct {
    const char *what, *query;
    bool counted; /* false for a prefix: its cost depends on how many words it matches */
} queries[] = {
    { "a common word", "function", true },
    { "two common words", "transaction snapshot", true },
    { "a rare word", "needle", true },
    { "rare and common", "needle haystack the", true },
    { "a phrase", "\"of the\"", true },
    { "with -not", "needle -function", true },
    { "in one field", "input:message", true },
    { "by a role", "buffer role:user", true },
    { "in a session", "buffer session:#3", true },
    { "in a project", "buffer project:bench", true },
    { "nothing", "nosuchwordatall", true },
    { "a prefix", "profi*", false },
};
enum { QUERIES = sizeof queries / sizeof *queries };

struct corpus {
    struct bough_store *s;
    struct bough_arena *a;
    size_t entries, content;
    struct samples us[QUERIES];
};

/* Sessions of a thousand messages; one message in each contains a rare word. */
static void build(struct corpus *c, const char *dir, const char *name, size_t entries)
{
    struct bough_entry_new needle = { .role = BOUGH_ROLE_USER, .text = "a needle in the haystack" };
    struct bough_append_options in = { .entries = &needle, .n = 1 };
    struct bough_session_create_options session = { .title = "a session",
                                                    .project = "/code/bench" };
    double from = now_us(), indexing;
    struct bough_hits hits = { 0 };
    struct bough_session *made;
    struct bough_append_result out;
    struct bough_error err;

    c->s = store_open(dir, name, false);
    c->a = bough_arena_create();
    c->entries = entries;
    syncs_skip(true);
    for (size_t i = 0; i < entries; i += 1000) {
        bough_arena_reset(c->a);
        must(bough_session_create(c->s, c->a, &session, &made, &err), &err, "create");
        session.project = NULL; /* only the first session is in the project */
        c->content += append_many(c->s, made->id, i * 7, 999);
        must(bough_append(c->s, c->a, made->id, &in, &out, &err), &err, "append");
    }
    indexing = now_us();
    while (!hits.complete)
        must(bough_search(c->s, c->a,
                          &(struct bough_search_options){ .query = "x", .wait_ms = 5000 }, &hits,
                          &err),
             &err, "search");
    note("%zu entries: stored in %.1f s, indexed in %.1f s (%.0f an s, %.1f MB an s)", entries,
         (indexing - from) / 1e6, (now_us() - indexing) / 1e6,
         (double)entries / (now_us() - indexing) * 1e6, (double)c->content / (now_us() - indexing));
    settle(c->s);
    syncs_skip(false);
}

static void ask(struct corpus *c, size_t q)
{
    struct bough_search_options in = { .query = queries[q].query };
    struct bough_hits hits;
    struct bough_error err;
    double from;

    bough_arena_reset(c->a);
    from = now_us();
    must(bough_search(c->s, c->a, &in, &hits, &err), &err, "search");
    sample(&c->us[q], now_us() - from);
}

static void index_size(const char *dir, size_t content, size_t stored)
{
    note("file with its index over content: %.2f (%zu bytes a message)",
         (double)dir_bytes(dir) / (double)content, (size_t)dir_bytes(dir) / stored);
}

void bench_search(struct bench *b)
{
    const char *small_dir = scratch(b, "search-small"), *large_dir = scratch(b, "search-large");
    struct corpus small = { 0 }, large = { 0 };
    struct samples all = { 0 };
    double sum_small = 0, sum_large = 0;

    build(&small, small_dir, "store", 10000);
    build(&large, large_dir, "store", b->full ? 1000000 : 100000);
    index_size(large_dir, large.content, large.entries);
    for (size_t round = 0; round < (b->full ? 60 : 30); round++)
        for (size_t q = 0; q < QUERIES; q++) {
            ask(round % 2 ? &small : &large, q);
            ask(round % 2 ? &large : &small, q);
        }
    for (size_t q = 0; q < QUERIES; q++) {
        note("%-18s %9.0f us of %zu, %9.0f us of %zu", queries[q].what, median(&small.us[q]),
             small.entries, median(&large.us[q]), large.entries);
        for (size_t i = 0; i < large.us[q].n; i++)
            sample(&all, large.us[q].at[i]);
        if (!queries[q].counted)
            continue;
        sum_small += median(&small.us[q]);
        sum_large += median(&large.us[q]);
    }
    figure(b, "search_newest20_1m_vs_10k", sum_large / sum_small);
    figure(b, "search_p95_ms", quantile(&all, 0.95) / 1000);
    for (size_t q = 0; q < QUERIES; q++) {
        samples_finish(&small.us[q]);
        samples_finish(&large.us[q]);
    }
    samples_finish(&all);
    bough_arena_destroy(small.a);
    bough_arena_destroy(large.a);
    bough_store_close(&small.s);
    bough_store_close(&large.s);
    scratch_remove(small_dir);
    scratch_remove(large_dir);
}
