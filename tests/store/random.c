/*
 * Random operations on the memory store and another one in lock-step: both must give the same
 * answer. A difference prints the seed and the number of the operation. RANDOM_SEED and RANDOM_OPS
 * repeat it, RANDOM_TRACE shows each operation, RANDOM_FSCK=1 runs fsck after each.
 */
#include "store/random.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "lib/store_test.h"

enum { OPS_DEFAULT = 50000, OPS_A_STORE = 2500, SECONDS = 600 };

/* splitmix64 */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t draw(struct random *r, uint64_t below)
{
    return mix(r->state += UINT64_C(0x9e3779b97f4a7c15)) % below;
}

bool chance(struct random *r, unsigned percent)
{
    return draw(r, 100) < percent;
}

/* --- clocks and randomness of the worlds; atomic, because a store's threads use them too --- */

static int64_t world_now(void *user)
{
    return ((struct world *)user)->now;
}

static void world_random(void *user, void *out, size_t n)
{
    struct world *w = user;
    unsigned char *p = out;

    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)mix(atomic_fetch_add(&w->seed, UINT64_C(0x9e3779b97f4a7c15)));
}

void world_open(struct test *t, struct world *w)
{
    struct bough_env env = { .now = world_now, .random = world_random, .user = w };
    struct bough_store_open_options options = { .env = &env };

    CHECK_OK(bough_store_open(&w->store, w->url, &options, &t->err));
}

static struct world *world_new(struct test *t, const char *url)
{
    struct world *w = mem_zalloc(sizeof *w);

    w->url = url;
    w->arena = bough_arena_create();
    w->now = INT64_C(1700000000000);
    buf_init(&w->out, (size_t)1 << 30);
    smap_init(&w->names);
    map_init(&w->branches);
    world_open(t, w);
    return w;
}

static void world_free(struct world *w)
{
    bough_store_close(&w->store);
    bough_arena_destroy(w->arena);
    buf_finish(&w->out);
    smap_finish(&w->names);
    map_finish(&w->branches);
    mem_free(w);
}

/* --- comparing --- */

static const char *line_at(struct bough_arena *a, const struct buf *b, size_t from)
{
    const char *end = memchr(b->p + from, '\n', b->n - from);

    return arena_strndup(a, b->p + from, end ? (size_t)(end - (b->p + from)) : b->n - from);
}

static void compare(struct test *t, struct random *r, uint64_t seed, size_t op, const char *what)
{
    const struct buf *x = &r->w[0]->out, *y = &r->w[1]->out;
    size_t i = 0, line = 0;

    CHECK(!x->over && !y->over);
    if (x->n == y->n && memcmp(x->p, y->p, x->n) == 0)
        return;
    for (; i < x->n && i < y->n && x->p[i] == y->p[i]; i++)
        if (x->p[i] == '\n')
            line = i + 1;
    printf("# memory: %s\n# other:  %s\n", line_at(t->arena, x, line), line_at(t->arena, y, line));
    FAIL("seed %llu, operation %zu (%s): %s differ", (unsigned long long)seed, op, r->op, what);
}

static void forget_output(struct random *r)
{
    EACH(r, w)
    {
        buf_reset(&w->out);
        bough_arena_reset(w->arena);
    }
}

static void compare_session(struct test *t, struct random *r, uint64_t seed, size_t op)
{
    size_t s = (size_t)draw(r, r->sessions);

    forget_output(r);
    EACH(r, w)
    {
        dump_session(w, w->session[s]);
    }
    compare(t, r, seed, op, "sessions");
}

static void compare_all(struct test *t, struct random *r, uint64_t seed, size_t op)
{
    forget_output(r);
    EACH(r, w)
    {
        dump_store(w);
    }
    compare(t, r, seed, op, "stores");
}

static void one(struct test *t, struct random *r, uint64_t seed, size_t op)
{
    int64_t passed = chance(r, 2) ? (int64_t)draw(r, 100000000) : (int64_t)draw(r, 3000) + 1;

    forget_output(r);
    EACH(r, w)
    {
        w->now += passed;
        w->seed = mix(seed * 1000003 + op);
        w->rc = BOUGH_OK;
        w->err = (struct bough_error){ 0 };
    }
    random_operation(r);
    if (getenv("RANDOM_TRACE"))
        printf("# %zu %s: %s (%s) / %s (%s)\n", op, r->op, bough_rc_name(r->w[0]->rc),
               r->w[0]->err.msg, bough_rc_name(r->w[1]->rc), r->w[1]->err.msg);
    if (r->w[0]->rc != r->w[1]->rc)
        FAIL("seed %llu, operation %zu (%s): memory says %s (%s), the other %s (%s)",
             (unsigned long long)seed, op, r->op, bough_rc_name(r->w[0]->rc), r->w[0]->err.msg,
             bough_rc_name(r->w[1]->rc), r->w[1]->err.msg);
    switch (r->w[0]->rc) {
    case BOUGH_TIMEOUT:
    case BOUGH_NOT_DONE:
    case BOUGH_UNKNOWN:
    case BOUGH_CORRUPT:
    case BOUGH_IO:
    case BOUGH_OVERLOADED:
        FAIL("seed %llu, operation %zu (%s): %s (%s)", (unsigned long long)seed, op, r->op,
             bough_rc_name(r->w[0]->rc), r->w[0]->err.msg);
    default:
        compare(t, r, seed, op, "answers");
    }
}

static void run_store(struct test *t, const char *url, uint64_t seed, size_t ops)
{
    struct random *r = mem_zalloc(sizeof *r);
    const char *often = getenv("RANDOM_FSCK");
    size_t every = often ? strtoul(often, NULL, 10) : 1000;

    r->t = t;
    r->w[0] = world_new(t, "memory:");
    r->w[1] = world_new(t, url);
    r->keep = bough_arena_create();
    r->state = seed;
    for (size_t op = 1; op <= ops; op++) {
        one(t, r, seed, op);
        if (op % 10 == 0 && r->sessions)
            compare_session(t, r, seed, op);
        if (op % 500 == 0)
            compare_all(t, r, seed, op);
        if (op % every == 0 || op == ops)
            EACH(r, w)
        store_check(t, w->store);
    }
    EACH(r, w)
    {
        if (w != r->w[0])
            bough_store_close(&w->store), world_open(t, w);
    }
    compare_all(t, r, seed, ops);
    EACH(r, w)
    {
        world_free(w);
    }
    bough_arena_destroy(r->keep);
    mem_free(r);
}

/* Run `left` operations, with a fresh store after every OPS_A_STORE of them. */
static void run_all(struct test *t, const char *(*new_url)(struct test *t, const char *name),
                    size_t left)
{
    const char *first = getenv("RANDOM_SEED");
    uint64_t seed = first ? strtoul(first, NULL, 10) : 1;

    for (; left; seed++) {
        size_t ops = left < OPS_A_STORE ? left : OPS_A_STORE;
        const char *url =
            new_url(t, arena_printf(t->arena, "random%llu", (unsigned long long)seed));

        run_store(t, url, seed, ops);
        store_remove(url);
        left -= ops;
    }
}

static size_t asked_for(size_t otherwise)
{
    const char *asked = getenv("RANDOM_OPS");

    return asked ? strtoul(asked, NULL, 10) : otherwise;
}

static const char *sqlite_url(struct test *t, const char *name)
{
    return arena_printf(t->arena, "sqlite:%s", test_path(t, arena_printf(t->arena, "%s.db", name)));
}

TEST_SECONDS(random_operations_give_the_same_on_memory_and_sqlite, SECONDS)
{
    run_all(t, sqlite_url, asked_for(OPS_DEFAULT));
}

TEST_SECONDS(random_operations_give_the_same_on_memory_and_postgres, SECONDS)
{
    run_all(t, postgres_url,
            asked_for(OPS_DEFAULT) / 10 + 1); /* fewer, because each is a round trip */
}
