/* The large sessions of the demo: one of 100,000 messages, one of 10,000 branches. */
#include <string.h>

#include "base/memory/arena.h"
#include "cli/demo/build.h"

enum { LONG_MESSAGES = 100000, LONG_PAGE = 1000, WIDE_TRUNK = 400, WIDE_BRANCHES = 10000 };

static const char *const asks[] = {
    "Go on with the next file.",
    "Why did that one change?",
    "Run the tests again.",
    "Show me what is left.",
    "Undo the last step, then try the other way.",
    "Is this still needed?",
};

static const char *const answers[] = {
    "Done. The file had three callers; all of them pass the locale now, and the tests of this "
    "package pass.",
    "Because the old name said what it was made of, not what it is for. The new one says what it "
    "is for.",
    "412 passed, 0 failed. The slowest one takes 1.8 s and waits for a timer.",
    "Nine files are left: four parsers, three tests, and two that nothing includes any more.",
    "Undone. The other way needs one table row more and no new function.",
    "No. Nothing reads it since the last release; I can remove it with the next commit.",
};

static uint32_t step(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static const char *line_of(struct bough_arena *a, bool user, int64_t n, uint32_t *seed)
{
    const char *text = user ? asks[step(seed) % 6] : answers[step(seed) % 6];

    return arena_printf(a, "%s (step %lld)", text, (long long)n);
}

static void tell(const struct demo_options *how, int64_t done, int64_t total)
{
    if (how->progress)
        how->progress(how->user, done, total);
}

static const char *create(struct demo *d, const char *title, const char *slug, int64_t created)
{
    struct bough_session_create_options in = { .title = title,
                                               .slug = slug,
                                               .project = "/srv/migration",
                                               .account = "platform",
                                               .model_provider = "anthropic",
                                               .model_name = "claude-sonnet-4-5-20250929",
                                               .created = created };
    struct bough_session *s;

    if (d->rc || !demo_ok(d, bough_session_create(d->s, d->a, &in, &s, d->err)))
        return NULL;
    return s->id;
}

void demo_long(struct demo *d, const struct demo_options *how)
{
    int64_t age = (int64_t)11 * 86400000, each = (int64_t)30 * 86400000 / LONG_MESSAGES;
    int64_t time = d->now - age - each * LONG_MESSAGES;
    const char *id = create(d, "Rename everything: 100,000 messages", "rename-everything", time);
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new page[LONG_PAGE];
    uint32_t seed = 7;

    for (int64_t n = 0; n < LONG_MESSAGES && !d->rc; n += LONG_PAGE) {
        struct bough_call_new call = {
            .provider = "anthropic",
            .model = "claude-sonnet-4-5-20250929",
            .status = "ok",
            .duration = 4100,
            .time = time,
            .used = { .input = 9000, .output = 2400, .cache_read = 160000, .cost = 111000000 }
        };
        struct bough_append_options in = { .entries = page, .n = LONG_PAGE, .call = &call };
        struct bough_append_result out;

        bough_arena_reset(a);
        for (int64_t i = 0; i < LONG_PAGE; i++) {
            bool user = i % 2 == 0;

            time += each;
            page[i] = (struct bough_entry_new){
                .role = user ? BOUGH_ROLE_USER : BOUGH_ROLE_ASSISTANT,
                .text = line_of(a, user, n + i + 1, &seed),
                .time = time,
                .by_call = i == LONG_PAGE - 1,
            };
        }
        demo_ok(d, bough_append(d->s, a, id, &in, &out, d->err));
        tell(how, n + LONG_PAGE, LONG_MESSAGES + WIDE_BRANCHES);
    }
    bough_arena_destroy(a);
}

/* The trunk, whose entries the branches hang on. */
static const char **trunk(struct demo *d, const char *id, int64_t time)
{
    struct bough_entry_new page[WIDE_TRUNK];
    struct bough_append_options in = { .entries = page, .n = WIDE_TRUNK };
    struct bough_append_result out;
    const char **ids = arena_zalloc(d->a, WIDE_TRUNK * sizeof *ids);
    uint32_t seed = 11;

    for (int64_t i = 0; i < WIDE_TRUNK; i++)
        page[i] = (struct bough_entry_new){
            .role = i % 2 ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER,
            .text = line_of(d->a, i % 2 == 0, i + 1, &seed),
            .time = time + i * 1000,
        };
    if (!d->rc && demo_ok(d, bough_append(d->s, d->a, id, &in, &out, d->err)))
        for (size_t i = 0; i < WIDE_TRUNK; i++)
            ids[i] = out.ids[i];
    return ids;
}

void demo_wide(struct demo *d, const struct demo_options *how)
{
    int64_t time = d->now - (int64_t)6 * 86400000;
    const char *id = create(d, "Search for a faster plan: 10,000 branches", "ten-thousand-ways",
                            time - (int64_t)2 * 86400000);
    const char **ids = trunk(d, id, time - (int64_t)86400000);
    struct bough_arena *a = bough_arena_create();
    uint32_t seed = 13;

    for (int64_t i = 0; i < WIDE_BRANCHES && !d->rc; i++) {
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .time = time };
        struct bough_append_options in = { .entries = &e, .n = 1, .keep_head = true };
        struct bough_append_result out;

        bough_arena_reset(a);
        e.text = arena_printf(a, "Plan %lld: %s", (long long)i + 1, asks[step(&seed) % 6]);
        in.at = ids[step(&seed) % (WIDE_TRUNK - 1)];
        demo_ok(d, bough_append(d->s, a, id, &in, &out, d->err));
        if (i % 500 == 0)
            tell(how, LONG_MESSAGES + i, LONG_MESSAGES + WIDE_BRANCHES);
    }
    bough_arena_destroy(a);
}

enum bough_rc demo_fill(struct bough_store *s, const struct demo_options *how,
                        struct bough_error *err)
{
    struct demo d = { .s = s, .a = bough_arena_create(), .err = err, .now = how->now };

    if (!how->small) {
        demo_long(&d, how);
        demo_wide(&d, how);
    }
    demo_script(&d);
    bough_arena_destroy(d.a);
    return d.rc;
}
