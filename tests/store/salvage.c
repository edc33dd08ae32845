/* Salvage: every intact row of a damaged file is saved, and the file is not changed. */
#include <stdio.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "store/fsck_world.h"

enum { PAGE = 8192, LINES = 4096 };

struct saved {
    struct test *t;
    const char *line[LINES];
    size_t n, lost;
    const char *last_lost;
};

static bool keep_line(void *user, struct bough_str json)
{
    struct saved *s = user;

    CHECK_INT(BOUGH_OK, json_check(json, LIMIT_JSON_DEPTH, NULL));
    CHECK(!memchr(json.p, '\n', json.n));
    if (s->n < LINES)
        s->line[s->n++] = arena_strndup(s->t->arena, json.p, json.n);
    return true;
}

static bool keep_lost(void *user, const char *what)
{
    struct saved *s = user;

    s->lost++;
    s->last_lost = arena_strdup(s->t->arena, what);
    return true;
}

static struct saved *salvage(struct test *t, const char *path, struct bough_salvage_result *report)
{
    struct saved *s = arena_zalloc(t->arena, sizeof *s);

    s->t = t;
    CHECK_OK(bough_salvage(path, keep_line, keep_lost, s, report, &t->err));
    return s;
}

static bool has_line(const struct saved *s, const char *type, const char *text)
{
    for (size_t i = 0; i < s->n; i++)
        if (strncmp(s->line[i], type, strlen(type)) == 0 && strstr(s->line[i], text))
            return true;
    return false;
}

/* The entries of the sound store, to compare with. */
struct known {
    struct bough_entries_read_result path[COPY + 1];
    int64_t entries;
};

static struct bough_str world_file(struct test *t, struct known *k)
{
    struct bough_store_stats_result stats;
    struct bough_str all;

    build_world(t);
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    k->entries = stats.entries;
    for (int i = 1; i <= COPY; i++)
        if (bough_entries_read(t->store, t->arena, arena_printf(t->arena, "#%d", i), NULL,
                               &k->path[i], NULL))
            k->path[i].entries.n = 0;
    bough_store_close(&t->store);
    CHECK_OK(fs_read(t->arena, test_path(t, "store.db"), 1 << 26, &all, &t->err));
    CHECK_INT(0, all.n % PAGE);
    return all;
}

static const char *damaged(struct test *t, struct bough_str bytes)
{
    const char *path = test_path(t, "damaged.db");

    CHECK_OK(fs_write(path, bytes, 0600, &t->err));
    return path;
}

/* Every known entry that was saved has its original parts. Unless `all`, an attachment may have
 * stayed a link. `all`: every known entry must be saved. */
static void check_true(struct test *t, const struct saved *s, const struct known *k, bool all)
{
    for (int i = 1; i <= COPY; i++)
        for (size_t e = 0; e < k->path[i].entries.n; e++) {
            const struct bough_entry *entry = &k->path[i].entries.at[e];
            const char *id = arena_printf(t->arena, "\"id\":\"%s\"", entry->id);
            const char *line = NULL;

            for (size_t n = 0; n < s->n; n++)
                if (strncmp(s->line[n], "{\"type\":\"entry\"", 15) == 0 && strstr(s->line[n], id))
                    line = s->line[n];
            if (all && !line)
                FAIL("entry %s is not saved", entry->id);
            for (size_t p = 0; line && p < entry->nparts; p++)
                if (!strstr(line, arena_strndup(t->arena, entry->parts[p].json.p,
                                                entry->parts[p].json.n)) &&
                    (all || !strstr(line, "bough:sha256-")))
                    FAIL("entry %s is saved with other parts", entry->id);
        }
}

#define SALVAGE_TEST(name)                                                                         \
    static void salvage_##name(struct test *t, struct bough_str file, const struct known *k);      \
    STORE_TEST_SECONDS(name, 60)                                                                   \
    {                                                                                              \
        struct known k = { .entries = 0 };                                                         \
        if (!store_has_file(t))                                                                    \
            SKIP("this backend has no file");                                                      \
        salvage_##name(t, world_file(t, &k), &k);                                                  \
    }                                                                                              \
    static void salvage_##name(struct test *t, struct bough_str file, const struct known *k)

SALVAGE_TEST(salvage_of_a_sound_file_saves_everything)
{
    struct bough_salvage_result r;
    struct saved *s = salvage(t, damaged(t, file), &r);

    check_true(t, s, k, true);
    CHECK_INT(k->entries, r.entries);
    CHECK_INT(COPY - 2, r.sessions);
    CHECK_INT(12, r.branches);
    CHECK_INT(2, r.attachments);
    CHECK_INT(0, r.broken + r.missing + (int64_t)s->lost);
    CHECK(has_line(s, "{\"type\":\"session\"", "\"title\":\"Root\""));
    CHECK(has_line(s, "{\"type\":\"entry\"", "\"data\":{\"summary\":")); /* JSON, not text */
    CHECK(has_line(s, "{\"type\":\"record\"", "it is so"));
    CHECK(has_line(s, "{\"type\":\"record\"", "do it"));
    CHECK(has_line(s, "{\"type\":\"piece\"", "YSBwbGFpbiBmaWxl")); /* "a plain file" */
}

SALVAGE_TEST(salvage_needs_no_header)
{
    struct bough_salvage_result r;

    memset((char *)(uintptr_t)file.p, 0xff, PAGE);
    check_true(t, salvage(t, damaged(t, file), &r), k, true);
    CHECK_INT(k->entries, r.entries);
}

SALVAGE_TEST(salvage_of_a_cut_file_saves_what_is_left_of_it)
{
    struct bough_salvage_result r;
    int64_t last = 0;

    for (size_t n = 0; n <= file.n; n += PAGE / 2) {
        struct saved *s = salvage(t, damaged(t, str_make(file.p, n)), &r);

        check_true(t, s, k, false);
        last = r.entries;
    }
    CHECK_INT(k->entries, last);
}

SALVAGE_TEST(salvage_says_which_entries_are_damaged_or_missing)
{
    static const char text[] = "four";
    struct bough_salvage_result r;
    struct saved *s;
    char *at = memmem(file.p, file.n, text, 4);

    CHECK(at);
    *at ^= 1; /* in the body of #1.4 or of its copy */
    s = salvage(t, damaged(t, file), &r);
    CHECK_INT(k->entries - 1, r.entries);
    CHECK_INT(1, r.broken);
    CHECK(strstr(s->last_lost, ".4 is damaged"));
    check_true(t, s, k, false);
}

SALVAGE_TEST(salvage_reads_the_log_beside_the_file)
{
    struct bough_salvage_result r;
    struct bough_str db, wal;
    struct saved *s;

    (void)file;
    store_reopen(t);
    user(t, "#1", "only in the log so far");
    CHECK_OK(fs_read(t->arena, test_path(t, "store.db"), 1 << 26, &db, &t->err));
    CHECK_OK(fs_read(t->arena, test_path(t, "store.db-wal"), 1 << 26, &wal, &t->err));
    CHECK_OK(fs_write(test_path(t, "damaged.db-wal"), wal, 0600, &t->err));
    s = salvage(t, damaged(t, db), &r);
    CHECK(has_line(s, "{\"type\":\"entry\"", "only in the log so far"));
    CHECK_INT(k->entries + 1, r.entries);
}

SALVAGE_TEST(salvage_of_any_mutation_ends_and_touches_nothing)
{
    uint64_t seed = 7;
    struct bough_arena *outer = t->arena;

    for (int i = 0; i < 300; i++) {
        struct bough_salvage_result r;
        struct bough_str back;
        const char *path;
        char *bad;
        size_t n = file.n;

        t->arena = bough_arena_create();
        bad = arena_dup(t->arena, file.p, file.n);
        for (int m = 0; m < 1 + i % 7; m++) {
            size_t from, to, len;

            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            from = (size_t)(seed >> 20) % file.n;
            to = (size_t)(seed >> 33) % file.n;
            len = m % 3 ? 1 + (size_t)(seed >> 60) : PAGE;
            len = len > file.n - from ? file.n - from : len;
            len = len > file.n - to ? file.n - to : len;
            memmove(bad + to, bad + from, len); /* torn and misplaced pages, flipped bits */
            bad[(size_t)(seed >> 40) % file.n] ^= (char)(1 << (seed >> 61));
        }
        if (i % 5 == 0)
            n = (size_t)(seed >> 30) % file.n;
        path = damaged(t, str_make(bad, n));
        check_true(t, salvage(t, path, &r), k, false);
        CHECK_OK(fs_read(t->arena, path, 1 << 26, &back, &t->err));
        CHECK_INT(n, back.n);
        CHECK_MEM(bad, back.p, n);
        CHECK(access(arena_printf(t->arena, "%s-shm", path), F_OK) != 0);
        bough_arena_destroy(t->arena);
        t->arena = outer;
    }
}

STORE_TEST(salvage_of_a_file_that_is_not_a_store_does_not_crash)
{
    struct bough_salvage_result r;
    struct saved *s = salvage(t, damaged(t, str_of("not a store")), &r);

    CHECK_INT(0, s->n);
    CHECK_INT(0, salvage(t, damaged(t, str_of("")), &r)->n);
    CHECK_RC(BOUGH_NOT_FOUND,
             bough_salvage(test_path(t, "none.db"), keep_line, NULL, s, &r, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_salvage(test_dir(t), keep_line, NULL, s, &r, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_salvage("", keep_line, NULL, s, &r, &t->err));
}
