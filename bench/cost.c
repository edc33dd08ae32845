/* Reports of what was spent. */
#include <bough/spend.h>
#include <stdlib.h>

#include "bench.h"

enum { RECENT = 1000, DAYS = 90 }; /* sessions that spent something in the last days */

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define NOW (INT64_C(20000) * DAY_MS)

struct reading {
    struct bough_store *s;
    struct bough_arena *a;
};

static void run_cost(void *user, size_t i)
{
    struct reading *r = user;
    struct bough_spend_options how = { .since = NOW - DAYS * DAY_MS,
                                       .until = NOW,
                                       .by = BOUGH_SPEND_BY_MODEL,
                                       .step = BOUGH_SPEND_DAILY,
                                       .limit = 20 };
    struct bough_spend_result out;
    struct bough_error err;

    (void)i;
    bough_arena_reset(r->a);
    must(bough_spend(r->s, r->a, &how, &out, &err), &err, "cost");
    if (out.total.calls != RECENT || out.nseries != DAYS)
        exit(2);
}

/* One call a session. The first sessions made theirs in the last days, all others before. */
static void fill(struct bough_store *s, size_t n)
{
    static const char *const models[] = { "large", "medium", "small", "tiny" };
    struct bough_arena *a = bough_arena_create();
    struct bough_error err;

    for (size_t i = 0; i < n; i++) {
        int64_t ago = i < RECENT ? (int64_t)(i % DAYS) + 1 : DAYS + 1 + (int64_t)(i % 700);
        struct bough_call_new call = { .provider = "acme",
                                       .model = models[i % 4],
                                       .time = NOW - ago * DAY_MS,
                                       .used = { .input = 900, .output = 80, .cost = 4200000 } };
        struct bough_append_options in = { .call = &call };
        struct bough_append_result out;
        char id[BOUGH_ID_LEN + 1];

        bough_arena_reset(a);
        session_new(s, "Spends", id);
        must(bough_append(s, a, id, &in, &out, &err), &err, "append");
    }
    must(bough_store_upkeep(s, &err), &err, "upkeep");
    bough_arena_destroy(a);
}

void bench_cost(struct bench *b)
{
    const char *dir[2] = { scratch(b, "cost-1k"), scratch(b, "cost-100k") };
    struct reading r[2];
    struct side sides[2] = {
        { .name = "90 days of 1k sessions", .run = run_cost, .user = &r[0] },
        { .name = "90 days of 100k sessions", .run = run_cost, .user = &r[1] }
    };

    syncs_skip(true);
    for (size_t i = 0; i < 2; i++) {
        r[i] = (struct reading){ store_new(dir[i], true), bough_arena_create() };
        fill(r[i].s, i ? 100000 : RECENT);
    }
    syncs_skip(false);
    interleave(sides, 2, b->full ? 400 : 100, 10);
    figure(b, "cost_90d_100k_vs_1k", median(&sides[1].us) / median(&sides[0].us));
    sides_finish(sides, 2);
    for (size_t i = 0; i < 2; i++) {
        bough_arena_destroy(r[i].a);
        bough_store_close(&r[i].s);
        scratch_remove(dir[i]);
    }
}
