/* The map of recent names: it keeps the newest names in bounded memory. */
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"
#include "formats/common/format.h"
#include "formats/common/names.h"

static const char *name_of(char out[32], int i)
{
    snprintf(out, 32, "name-%d", i);
    return out;
}

TEST(the_newest_names_are_known_and_the_oldest_take_no_room)
{
    enum { N = 20 * RECENT_MOST };
    struct bough_arena *a = bough_arena_create();
    struct recent m = { 0 };
    char name[32];

    CHECK(!recent_get(&m, "x") && !recent_get(&m, NULL));
    for (int i = 0; i < N; i++) {
        *(int *)recent_put(a, &m, name_of(name, i)) = i;
        if (i >= RECENT_MOST - 1) /* also at the boundary of a generation */
            CHECK_INT(i - RECENT_MOST + 1,
                      *(int *)recent_get(&m, name_of(name, i - RECENT_MOST + 1)));
    }
    CHECK(!recent_get(&m, name_of(name, 0)));
    CHECK(arena_used(a) < (size_t)(10 * RECENT_MOST) * 48);
    recent_clear(&m);
    CHECK(!recent_get(&m, name_of(name, N - 1)));
    bough_arena_destroy(a);
}

TEST(a_name_that_is_put_again_keeps_what_it_stands_for)
{
    struct bough_arena *a = bough_arena_create();
    struct recent m = { 0 };
    char name[32];

    for (int i = 0; i < 5 * RECENT_MOST; i++) {
        int *times = recent_put(a, &m, "always");

        CHECK_INT(i, *times);
        ++*times;
        recent_put(a, &m, name_of(name, i));
    }
    bough_arena_destroy(a);
}

/* ---- readers of endless files ---- */

static enum bough_rc count(void *user, const struct item *item, struct bough_error *err)
{
    (void)err;
    ((int64_t *)user)[item->kind]++;
    return BOUGH_OK;
}

/* A conversation with side lines and a sidechain. Memory must not grow with its length. */
TEST(reading_claude_code_takes_the_same_memory_however_long_the_file_is)
{
    enum { N = 60000, ROOM = 12 << 20 };
    int64_t items[ITEM_PROBLEM + 1] = { 0 };
    struct bough_arena *kept = bough_arena_create(), *a = bough_arena_create();
    struct reading r = {
        .format = &format_claude_code, .sink = { count, items }, .kept = kept, .a = a, .name = ""
    };
    char parent[64] = "null";

    for (int i = 0; i < N; i++) {
        const char *lines[] = {
            arena_printf(a,
                         "{\"parentUuid\":%s,\"sessionId\":\"s\",\"type\":\"assistant\",\"uuid\":"
                         "\"u%08d-aaaa-bbbb-cccc\",\"message\":{\"id\":\"msg_%d\",\"role\":"
                         "\"assistant\",\"model\":\"m%d\",\"content\":[],\"usage\":{"
                         "\"input_tokens\":1}}}",
                         parent, i, i, i),
            arena_printf(a, "{\"type\":\"queue-operation\",\"sessionId\":\"s\",\"x\":%d}", i),
            arena_printf(
                a,
                "{\"parentUuid\":null,\"isSidechain\":true,\"agentId\":\"a\",\"sessionId\":"
                "\"s\",\"type\":\"user\",\"uuid\":\"s%08d\",\"message\":{\"role\":"
                "\"user\",\"content\":\"%0400d\"}}",
                i, i),
        };

        for (size_t k = 0; k < 3; k++) {
            r.line++;
            CHECK_OK(r.format->line(&r, str_of(lines[k]), &t->err));
        }
        bough_arena_reset(a);
        snprintf(parent, sizeof parent, "\"u%08d-aaaa-bbbb-cccc\"", i);
        CHECK(arena_used(kept) < ROOM);
    }
    CHECK_OK(r.format->end(&r, &t->err));
    CHECK_INT(4 * N, items[ITEM_ENTRY]); /* each with a model change */
    CHECK_INT(0, items[ITEM_PROBLEM]);
    r.format->drop(&r);
    bough_arena_destroy(kept);
    bough_arena_destroy(a);
}
