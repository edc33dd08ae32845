/* A store with known content, and the checks that must hold after any fault. */
#include "world.h"

#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "store/contract/migrations.h"

const char *world_text(struct world *w, const char *session, int i)
{
    return arena_printf(w->t->arena, "entry %d of %s, with a \\ and a \"quote\" and \xc3\xa9", i,
                        session);
}

struct bough_store *world_open(struct world *w)
{
    struct test *t = w->t;
    struct bough_store *s = NULL;

    CHECK_OK(bough_store_open(&s, w->path, NULL, &t->err));
    return s;
}

static void add_entries(struct world *w, struct bough_store *s, const char *session)
{
    struct test *t = w->t;
    struct bough_append_result done;

    for (int i = 0; i < WORLD_ENTRIES; i++) {
        struct bough_entry_new e = { .role = i % 2 ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER,
                                     .text = world_text(w, session, i),
                                     .by_call = i % 4 == 3 };
        struct bough_call_new call = { .model = "m", .used = { .input = 10, .cost = 1000 } };
        struct bough_append_options in = { .entries = &e,
                                           .n = 1,
                                           .call = i % 4 == 3 ? &call : NULL };

        CHECK_OK(bough_append(s, t->arena, session, &in, &done, &t->err));
    }
}

static void add_session(struct world *w, struct bough_store *s, const char *id)
{
    struct test *t = w->t;
    struct bough_session_create_options in = { .id = id, .title = id, .project = "/tmp/project" };
    struct bough_session *out;

    CHECK_OK(bough_session_create(s, t->arena, &in, &out, &t->err));
    add_entries(w, s, id);
}

static void add_fork(struct world *w, struct bough_store *s, const char *from, const char *id)
{
    struct test *t = w->t;
    struct bough_entries_read_options how = { .limit = WORLD_ENTRIES / 2 };
    struct bough_session_fork_options fork = { .id = id };
    struct bough_session *out;
    struct bough_entries_read_result path;

    CHECK_OK(bough_entries_read(s, t->arena, from, &how, &path, &t->err));
    fork.entry = path.entries.at[path.entries.n - 1].id;
    CHECK_OK(bough_session_fork(s, t->arena, from, &fork, &out, &t->err));
}

static void copy_file(struct world *w, const char *from, const char *to)
{
    struct test *t = w->t;
    struct bough_arena *a = bough_arena_create();
    struct bough_str all;

    CHECK_OK(fs_read(a, from, 1 << 26, &all, &t->err));
    CHECK_OK(fs_write(to, all, 0600, &t->err));
    bough_arena_destroy(a);
}

/* Make a file of the first schema by dropping all later tables. */
static void make_old(struct world *w)
{
    sqlite3 *db;

    copy_file(w, w->pristine, w->old);
    CHECK_INT(SQLITE_OK, sqlite3_open(w->old, &db));
    CHECK_INT(
        SQLITE_OK,
        sqlite3_exec(db,
                     "DROP TABLE text_index; DROP TABLE text_doc; DROP TABLE list; DROP TABLE "
                     "projection; DROP TABLE blob;"
                     "DROP TABLE chunk; DROP TABLE blob_link; DROP TABLE open; DROP TABLE draft;"
                     "DROP TABLE spend; DROP TABLE seen;"
                     "DELETE FROM counter WHERE name = 'blob'; PRAGMA user_version = 1",
                     NULL, NULL, NULL));
    sqlite3_close(db);
}

struct bough_str world_image(struct world *w, char letter)
{
    char *text = arena_alloc(w->t->arena, 90000 + 1);
    const char *json;

    memset(text, letter, 90000);
    text[90000] = '\0';
    json = arena_printf(w->t->arena,
                        "{\"type\":\"image\",\"data\":\"%s\",\"mimeType\":\"image/png\"}", text);
    return (struct bough_str){ json, strlen(json) };
}

enum bough_rc world_show(struct world *w, struct bough_store *s, const char *session,
                         struct bough_str part, const char *key)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1, .key = key };
    struct bough_append_result done;

    return bough_append(s, w->t->arena, session, &in, &done, &w->t->err);
}

void world_make(struct world *w, struct test *t)
{
    struct bough_store *s;

    w->t = t;
    w->path = test_path(t, "store.db");
    w->pristine = test_path(t, "pristine.db");
    w->old = test_path(t, "old.db");
    s = world_open(w);
    add_session(w, s, ID_MAIN);
    add_fork(w, s, ID_MAIN, ID_FORK);
    add_session(w, s, ID_DOOMED);
    add_fork(w, s, ID_DOOMED, "01K0000000000000000000HE1R");
    bough_store_close(&s);
    CHECK_INT(0, rename(w->path, w->pristine));
    make_old(w); /* the first schema has no attachments */
    world_reset(w, w->pristine);
    s = world_open(w);
    CHECK_OK(world_show(w, s, ID_DOOMED, world_image(w, 'D'), NULL));
    bough_store_close(&s);
    CHECK_INT(0, rename(w->path, w->pristine));
}

void world_reset(struct world *w, const char *from)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

    for (int i = 0; i < 4; i++)
        unlink(arena_printf(w->t->arena, "%s%s", w->path, ends[i]));
    if (from)
        copy_file(w, from, w->path);
}

static const char *as_part(struct bough_arena *a, const char *text)
{
    char *out = arena_alloc(a, 2 * strlen(text) + 64), *p = out;

    p += snprintf(p, 64, "{\"type\":\"text\",\"text\":\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *p++ = '\\';
        *p++ = *text;
    }
    snprintf(p, 8, "\"}");
    return out;
}

static bool says(struct bough_arena *a, const struct bough_entry *e, const char *text)
{
    const char *want = as_part(a, text);

    return e->nparts == 1 && e->parts[0].json.n == strlen(want) &&
           memcmp(e->parts[0].json.p, want, strlen(want)) == 0;
}

int world_count(struct world *w, struct bough_store *s, const char *session, const char *text)
{
    struct test *t = w->t;
    struct bough_entries_read_options how = { 0 };
    struct bough_entries_read_result path;
    int n = 0;

    CHECK_OK(bough_entries_read(s, t->arena, session, &how, &path, &t->err));
    for (size_t i = 0; i < path.entries.n; i++)
        n += says(t->arena, &path.entries.at[i], text);
    return n;
}

/* The first n entries of the path must have the original texts. Returns the length of the path. */
static int check_path(struct world *w, struct bough_store *s, const char *session,
                      const char *written_by, int n)
{
    struct test *t = w->t;
    struct bough_entries_read_options how = { 0 };
    struct bough_entries_read_result path;

    CHECK_OK(bough_entries_read(s, t->arena, session, &how, &path, &t->err));
    if ((int)path.entries.n < n)
        FAIL("%s has %d entries, not %d", session, (int)path.entries.n, n);
    for (int i = 0; i < n; i++) {
        CHECK_INT(i + 1, path.entries.at[i].at.depth);
        if (!says(t->arena, &path.entries.at[i], world_text(w, written_by, i)))
            FAIL("%s: entry %d is %.*s", session, i, (int)path.entries.at[i].parts[0].json.n,
                 path.entries.at[i].parts[0].json.p);
    }
    return (int)path.entries.n;
}

static void print_finding(void *user, const struct bough_finding *f)
{
    (void)user;
    fprintf(stderr, "%s %s %s: %s\n", f->error ? "error" : "warning", f->code, f->where, f->text);
}

static void check_fsck(struct world *w, struct bough_store *s)
{
    struct test *t = w->t;
    struct bough_store_fsck_result report;

    CHECK_OK(bough_store_fsck(s, BOUGH_FSCK_FULL, print_finding, NULL, &report, &t->err));
    CHECK_INT(0, report.errors);
}

void world_check_lock(struct world *w, int wait_ms)
{
    sqlite3 *db;

    CHECK_INT(SQLITE_OK, sqlite3_open(w->path, &db));
    sqlite3_busy_timeout(db, wait_ms);
    CHECK_INT(SQLITE_OK,
              sqlite3_exec(db, "BEGIN IMMEDIATE; UPDATE counter SET value = value; COMMIT", NULL,
                           NULL, NULL));
    CHECK(sqlite3_changes(db) > 0);
    sqlite3_close(db);
}

static void check_engine(struct world *w)
{
    sqlite3_stmt *st;
    sqlite3 *db;

    CHECK_INT(SQLITE_OK, sqlite3_open(w->path, &db));
    CHECK_INT(SQLITE_OK, sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &st, NULL));
    CHECK_INT(SQLITE_ROW, sqlite3_step(st));
    CHECK_STR("ok", (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    sqlite3_close(db);
}

void world_check(struct world *w, int more)
{
    struct test *t = w->t;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "the next one" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_store *s = world_open(w);
    struct bough_append_result done;
    int n;

    check_fsck(w, s);
    n = check_path(w, s, ID_MAIN, ID_MAIN, WORLD_ENTRIES);
    if (n > WORLD_ENTRIES + more)
        FAIL("%d entries that nobody asked for", n - WORLD_ENTRIES - more);
    CHECK_INT(WORLD_ENTRIES / 2, check_path(w, s, ID_FORK, ID_MAIN, WORLD_ENTRIES / 2));
    CHECK_INT(WORLD_ENTRIES / 2,
              check_path(w, s, "01K0000000000000000000HE1R", ID_DOOMED, WORLD_ENTRIES / 2));
    CHECK_OK(bough_append(s, t->arena, ID_MAIN, &in, &done, &t->err));
    CHECK_INT(n + 1, done.head.depth);
    CHECK_INT(1, world_count(w, s, ID_MAIN, "the next one"));
    check_fsck(w, s);
    world_check_lock(w, 2000);
    bough_store_close(&s);
    check_engine(w);
    world_check_lock(w, 0);
    CHECK(!fs_exists(arena_printf(t->arena, "%s-wal", w->path)));
}
