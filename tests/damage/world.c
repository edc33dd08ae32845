/* A good store with some of everything, in one file. */
#include "damage/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/hash/hash.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"

/* ---- the good store ---- */

uint64_t next_random(uint64_t *seed)
{
    return hash_u64(++*seed);
}

uint64_t entry_hash(const struct bough_entry *e)
{
    uint64_t h = hash_u64((uint64_t)e->role + 1);

    for (size_t i = 0; i < e->nparts; i++)
        h = hash_u64(h + hash_bytes(e->parts[i].json.p, e->parts[i].json.n));
    return h;
}

static void say(struct test *t, const char *session, const char *text, bool asks)
{
    struct bough_entry_new e = { .role = asks ? BOUGH_ROLE_USER : BOUGH_ROLE_ASSISTANT,
                                 .text = text,
                                 .by_call = !asks };
    struct bough_call_new call = { .model = "m", .used = { .input = 3, .cost = 5 } };
    struct bough_append_options in = { .entries = &e,
                                       .n = 1,
                                       .key = asks ? arena_strndup(t->arena, text, 64) : NULL };
    struct bough_append_result out;

    in.call = asks ? NULL : &call;
    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
}

static void talk(struct test *t, const char *session, int turns, uint64_t *seed)
{
    char text[6000];

    for (int i = 0; i < turns; i++) {
        size_t n = (size_t)(next_random(seed) % 5) == 0 ? 4000 : 100 + next_random(seed) % 400;
        size_t at = (size_t)snprintf(text, sizeof text, "turn %d of %s", i, session);

        for (; at < n; at++)
            text[at] = (char)(" etaoinshrdlu"[next_random(seed) % 13]);
        text[at] = '\0';
        say(t, session, text, i % 2 == 0);
    }
}

/* A message with an image long enough to be kept as an attachment. */
static void show_image(struct test *t, const char *session)
{
    char *json = arena_alloc(t->arena, 60000);
    size_t n = (size_t)snprintf(json, 100,
                                "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":"
                                "\"data:image/png;base64,");
    struct bough_str part;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = &part, .nparts = 1 };
    struct bough_append_result out;

    for (int i = 0; i < 40000; i++)
        json[n++] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"[(i * 7 + i / 64) % 32];
    memcpy(json + n, "\"}", 3);
    part = str_of(json);
    CHECK_OK(bough_append(t->store, t->arena, session,
                          &(struct bough_append_options){ .entries = &e, .n = 1 }, &out, &t->err));
}

static const char *create(struct test *t, const char *title)
{
    struct bough_session_create_options in = { .title = title, .project = "/p" };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

static uint64_t content_seed(void)
{
    const char *text = getenv("DAMAGE_FRESH");

    return text ? strtoull(text, NULL, 10) * 1000 : 1;
}

static void fill(struct test *t)
{
    struct bough_compact_options marker = { .summary = "short" };
    struct bough_todo item = { .content = "do it", .status = "pending", .priority = "high" };
    struct bough_memory memory = { .scope = BOUGH_MEMORY_OF_STORE, .content = "remember" }, *kept;
    struct bough_session_fork_options how = { .title = "Fork" };
    const char *root = create(t, "Root"), *other = create(t, "Other"), *gone = create(t, "Gone");
    struct bough_session *fork;
    char id[BOUGH_ID_LEN + 1];
    uint64_t seed = content_seed();

    talk(t, root, 60, &seed);
    talk(t, other, 30, &seed);
    talk(t, gone, 6, &seed);
    CHECK_OK(bough_compact(t->store, root, &marker, id, &t->err));
    show_image(t, other);
    CHECK_OK(bough_session_fork(t->store, t->arena, root, &how, &fork, &t->err));
    talk(t, fork->id, 40, &seed);
    talk(t, root, 40, &seed);
    CHECK_OK(bough_label_set(t->store, root, id, "here", &t->err));
    CHECK_OK(bough_todo_replace(t->store, t->arena, other, &item, 1, NULL, &t->err));
    CHECK_OK(bough_memory_add(t->store, t->arena, &memory, &kept, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, gone, NULL, &t->err));
    talk(t, create(t, "Late"), 12, &seed);
}

static void learn(struct test *t, struct good *g)
{
    struct bough_session_list_options filter = { .limit = SESSIONS_MOST };
    struct bough_sessions list;

    CHECK_OK(bough_session_list(t->store, t->arena, &filter, &list, &t->err));
    for (size_t i = 0; i < list.n; i++) {
        struct bough_entries_read_result path;
        uint64_t h = 0;

        CHECK_OK(bough_entries_read(t->store, t->arena, list.at[i].id, NULL, &path, &t->err));
        snprintf(g->sessions[i].id, sizeof g->sessions[i].id, "%s", list.at[i].id);
        snprintf(g->sessions[i].title, sizeof g->sessions[i].title, "%s", list.at[i].title);
        for (size_t k = 0; k < path.entries.n; k++) {
            const struct bough_entry *e = &path.entries.at[k];
            bool known = false;

            CHECK(k < ENTRIES_MOST);
            g->sessions[i].paths[k] = h;
            h = hash_u64(h + entry_hash(e));
            for (size_t m = 0; m < g->nentries && !known; m++)
                known = strcmp(g->entries[m].id, e->id) == 0;
            if (known)
                continue;
            CHECK(g->nentries < ENTRIES_MOST);
            snprintf(g->entries[g->nentries].id, sizeof g->entries[0].id, "%s", e->id);
            g->entries[g->nentries++].parts = entry_hash(e);
        }
        g->sessions[i].path = h;
        g->sessions[i].n = path.entries.n;
    }
    g->nsessions = list.n;
}

static void take(struct test *t, const char *name, struct bough_str *out)
{
    CHECK_OK(fs_read(t->arena, test_path(t, name), 1 << 26, out, &t->err));
}

/* ---- its files ---- */

/* Where the packed files are: with DAMAGE_FRESH in the test's own folder. */
static const char *packed(struct test *t, const char *name)
{
    name = arena_printf(t->arena, "%s.gz", name);
    return getenv("DAMAGE_FRESH") ? test_path(t, name)
                                  : arena_printf(t->arena, "tests/data/damage/%s", name);
}

/* Both stores have the test's clock and randomness, and no index that grows in the background. */
static void open_new(struct test *t, const char *name)
{
    struct bough_env env = { .now = t->env.env.now,
                             .random = t->env.env.random,
                             .user = t->env.env.user };
    struct bough_store_open_options how = { .env = &env, .indexing = BOUGH_INDEX_ON_SEARCH };

    CHECK_OK(bough_store_open(&t->store, test_path(t, name), &how, &t->err));
}

/* Fold the lists and index every entry now. */
static void settle(struct test *t)
{
    struct bough_search_options query = { .query = "turn" };
    struct bough_hits hits;

    CHECK_OK(bough_search(t->store, t->arena, &query, &hits, &t->err));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
}

static void pack(const char *name, struct bough_str bytes)
{
    gzFile f = gzopen(name, "wb9");

    CHECK(f != NULL && gzwrite(f, bytes.p, (unsigned)bytes.n) == (int)bytes.n);
    CHECK(gzclose(f) == Z_OK);
}

/* Write the files that the tests mutate. When background work happens depends on time, so two runs
 * do not give the same bytes: the files are part of the sources. */
static void rebuild(struct test *t)
{
    struct bough_str bytes;
    uint64_t seed = 76 + content_seed();

    t->env.step = 1;
    open_new(t, "other.db");
    fill(t);
    take(t, "other.db-wal", &bytes);
    pack(packed(t, "foreign.db-wal"), bytes);
    bough_store_close(&t->store);
    open_new(t, "new.db");
    fill(t);
    settle(t);
    talk(t, create(t, "In the log"), 20, &seed);
    take(t, "new.db", &bytes);
    pack(packed(t, "live.db"), bytes);
    take(t, "new.db-wal", &bytes);
    pack(packed(t, "live.db-wal"), bytes);
    bough_store_close(&t->store);
    take(t, "new.db", &bytes);
    pack(packed(t, "closed.db"), bytes);
}

static struct bough_str unpack(struct test *t, const char *name)
{
    enum { MOST = 8 << 20 };
    char *p = bough_arena_alloc(t->arena, MOST);
    gzFile f = gzopen(name, "rb");
    int n;

    CHECK(f != NULL);
    n = gzread(f, p, MOST - 1);
    CHECK(n > 0 && gzclose(f) == Z_OK);
    return str_make(p, (size_t)n);
}

void good_build(struct test *t, bool live, struct good *g)
{
    const struct bough_store_open_options how = { .indexing = BOUGH_INDEX_ON_SEARCH };
    const char *path = test_path(t, "good.db");

    if (getenv("DAMAGE_REBUILD") || getenv("DAMAGE_FRESH"))
        rebuild(t);
    *g = (struct good){ .log = str_of("") };
    g->foreign = unpack(t, packed(t, "foreign.db-wal"));
    g->file = unpack(t, live ? packed(t, "live.db") : packed(t, "closed.db"));
    CHECK_OK(fs_write(path, g->file, 0600, &t->err));
    if (live) {
        g->log = unpack(t, packed(t, "live.db-wal"));
        CHECK_OK(fs_write(arena_printf(t->arena, "%s-wal", path), g->log, 0600, &t->err));
    }
    CHECK_OK(bough_store_open(&t->store, path, &how, &t->err));
    learn(t, g);
    bough_store_close(&t->store);
}
