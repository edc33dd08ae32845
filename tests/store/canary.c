/* A purge leaves no byte behind: the raw files are searched for canaries from every kind of row. */
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "lib/patience.h"
#include "store/fsck_world.h"

#define DAY (INT64_C(24) * 3600 * 1000)

struct canary {
    const char *what;
    struct bough_str bytes;
};

struct cage {
    struct canary at[64];
    size_t n;
};

static const char *sing(struct test *t, struct cage *c, const char *what)
{
    const char *text = arena_printf(t->arena, "canary%zu%ssings", c->n, what);

    c->at[c->n++] = (struct canary){ what, str_of(text) };
    return text;
}

static void keep_bytes(struct cage *c, const char *what, const void *p, size_t n)
{
    c->at[c->n++] = (struct canary){ what, str_make(p, n) };
}

/* The number of canaries in the files of the store's directory. `none`: fail if one is found. */
static size_t heard(struct test *t, const struct cage *c, bool none)
{
    bool found[64] = { false };
    DIR *d = opendir(test_dir(t));
    struct dirent *e;
    size_t n = 0;

    CHECK(d);
    while ((e = readdir(d))) {
        struct bough_arena *a = bough_arena_create();
        struct bough_str all = { "", 0 };

        if (e->d_name[0] != '.')
            CHECK_OK(fs_read(a, test_path(t, e->d_name), 1 << 28, &all, &t->err));
        for (size_t i = 0; i < c->n; i++)
            if (all.n && memmem(all.p, all.n, c->at[i].bytes.p, c->at[i].bytes.n)) {
                found[i] = true;
                if (none)
                    FAIL("%s is still in %s", c->at[i].what, e->d_name);
            }
        bough_arena_destroy(a);
    }
    closedir(d);
    for (size_t i = 0; i < c->n; i++)
        n += found[i];
    return n;
}

/* Upkeep never waits for readers: while the background thread reads, the log is not emptied, and
 * the next upkeep does it. So it is repeated until no canary is found. */
static void check_gone(struct test *t, const struct cage *c)
{
    struct wait w = { 0 };

    do
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    while (heard(t, c, false) && wait_more(&w));
    heard(t, c, true);
}

static char *noise(struct test *t, size_t n, uint64_t seed)
{
    char *p = arena_alloc(t->arena, n);

    for (size_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        p[i] = (char)(seed >> 56);
    }
    return p;
}

static struct bough_session *doomed_session(struct test *t, struct cage *c)
{
    struct bough_session_create_options in = {
        .id = sing(t, c, "sessionalias"),
        .title = sing(t, c, "title"),
        .system_prompt = sing(t, c, "systemprompt"),
        .user_name = sing(t, c, "username"),
        .role_name = sing(t, c, "rolename"),
    };
    struct bough_session *s;

    in.data = str_of(arena_printf(t->arena, "{\"a\":\"%s\"}", sing(t, c, "sessiondata")));
    in.metadata = str_of(arena_printf(t->arena, "{\"a\":\"%s\"}", sing(t, c, "sessionmetadata")));
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    keep_bytes(c, "slug", s->slug, strlen(s->slug));
    return s;
}

/* An entry with small and large parts, data, metadata, a call with an error, a key and an alias. */
static const char *doomed_entry(struct test *t, struct cage *c, const char *session)
{
    enum { IMAGE = 90000 };
    char *image = noise(t, IMAGE, 3), *base64 = arena_alloc(t->arena, base64_length(IMAGE) + 1);
    char *large = noise(t, 6000, 4);
    struct bough_attachment_writer *w;
    struct bough_attachment file;
    struct bough_call_new call = { .model = sing(t, c, "model"), .id = sing(t, c, "callalias") };
    struct bough_str parts[4];
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER,
                                 .id = sing(t, c, "entryalias"),
                                 .text = sing(t, c, "entrytext"),
                                 .parts = parts,
                                 .nparts = 4,
                                 .by_call = true };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &call };
    struct bough_append_result out;
    struct bough_entry *got;
    struct raw_row *row;

    base64_encode(image, IMAGE, base64);
    base64[base64_length(IMAGE)] = '\0';
    keep_bytes(c, "movedimage", image + 70000, 40);
    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    CHECK_OK(bough_attachment_write(w, noise(t, 200000, 5), 200000, &t->err));
    CHECK_OK(bough_attachment_finish(&w, &file, &t->err));
    keep_bytes(c, "storedfile", noise(t, 200000, 5) + 150000, 40);
    for (int i = 0; i < 6000; i++)
        large[i] = (char)('a' + (large[i] & 7));
    call.error = str_of(arena_printf(t->arena, "{\"m\":\"%s\"}", sing(t, c, "callerror")));
    e.data = str_of(arena_printf(t->arena, "{\"m\":\"%s\"}", sing(t, c, "entrydata")));
    e.metadata = str_of(arena_printf(t->arena, "{\"m\":\"%s\"}", sing(t, c, "entrymetadata")));
    in.key = sing(t, c, "key");
    parts[0] = str_of(
        arena_printf(t->arena, "{\"type\":\"reasoning\",\"text\":\"%s\"}", sing(t, c, "part")));
    parts[1] = str_of(arena_printf(t->arena, "{\"type\":\"text\",\"text\":\"%.6000s\"}", large));
    parts[2] = str_of(arena_printf(
        t->arena, "{\"type\":\"image\",\"data\":\"%s\",\"mimeType\":\"a/b\"}", base64));
    parts[3] = str_of(
        arena_printf(t->arena, "{\"type\":\"file\",\"mime\":\"a/b\",\"url\":\"%s\"}", file.url));
    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, session, out.ids[0], &got, &t->err));
    row = row_of(t, RAW_ENTRY, got->at.branch, got->at.depth, 0);
    CHECK(row->u.entry.body.n > 1000 && row->u.entry.body.n < 5000); /* the body is compressed */
    for (size_t i = c->n; i-- > 0;) /* compressed: search the body's bytes instead */
        if (strstr("entrytextpartentrydataentrymetadata", c->at[i].what))
            c->at[i] =
                (struct canary){ c->at[i].what, str_make(row->u.entry.body.p + 100 + 40 * i, 40) };
    return out.ids[0];
}

static void doomed_notes(struct test *t, struct cage *c, const char *session, const char *entry)
{
    struct bough_memory memory = { .scope = BOUGH_MEMORY_OF_SESSION, .of = session };
    struct bough_todo todo = { .content = sing(t, c, "todo"), .status = "pending" };
    struct bough_prompt prompt = { .content = sing(t, c, "queue") };
    struct bough_memory *kept;
    struct bough_prompt *queued;

    memory.title = sing(t, c, "memorytitle");
    memory.content = sing(t, c, "memory");
    CHECK_OK(bough_memory_add(t->store, t->arena, &memory, &kept, &t->err));
    CHECK_OK(bough_todo_replace(t->store, t->arena, session, &todo, 1, NULL, &t->err));
    CHECK_OK(bough_label_set(t->store, session, entry, sing(t, c, "label"), &t->err));
    CHECK_OK(bough_queue_add(t->store, t->arena, session, &prompt, &queued, &t->err));
    user(t, session, sing(t, c, "shorttext"));
    CHECK_OK(
        bough_entry_delete(t->store, session, user(t, session, sing(t, c, "deleted")), &t->err));
    CHECK_OK(bough_session_rename(t->store, session, sing(t, c, "newtitle"), &t->err));
}

STORE_TEST(a_purge_leaves_no_byte_of_anything_in_any_file)
{
    struct cage c = { .n = 0 };
    const char *stays = new_session(t, "stays");
    struct bough_session *s;

    if (!store_has_file(t))
        SKIP("this backend has no files");
    user(t, stays, "this is not purged");
    s = doomed_session(t, &c);
    doomed_notes(t, &c, s->id, doomed_entry(t, &c, s->id));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK(heard(t, &c, false) >= c.n - 1); /* the old title was overwritten in the session's row */
    CHECK_OK(bough_session_purge(t->store, t->arena, s->id, NULL, &t->err));
    test_later(t, DAY); /* stored files are kept for a day */
    check_gone(t, &c);
    store_reopen(t);
    heard(t, &c, true);
    CHECK_STR("this is not purged", path_text(t, stays));
}

STORE_TEST(a_purge_deletes_bytes_that_were_moved_out_of_parts)
{
    struct cage c = { .n = 0 };
    enum { IMAGE = 90000 };
    char *image = noise(t, IMAGE, 9), *base64 = arena_alloc(t->arena, base64_length(IMAGE) + 1);
    struct bough_str part;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    const char *s = new_session(t, "short-lived");
    struct bough_append_result out;

    if (!store_has_file(t))
        SKIP("this backend has no files");
    base64_encode(image, IMAGE, base64);
    base64[base64_length(IMAGE)] = '\0';
    keep_bytes(&c, "image", image + 80000, 40);
    part = str_of(
        arena_printf(t->arena, "{\"type\":\"image\",\"data\":\"%s\",\"mimeType\":\"a\"}", base64));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(1, heard(t, &c, false));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    check_gone(t, &c);
}

/* ---- shrinking the file ---- */

static int64_t file_bytes(struct test *t)
{
    struct bough_store_stats_result stats;

    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    return stats.file_bytes;
}

static const char *full_session(struct test *t)
{
    struct bough_entry_new e[50];
    struct bough_append_options in = { .entries = e, .n = 50 };
    const char *s = new_session(t, "full");
    struct bough_append_result out;

    for (size_t i = 0; i < in.n; i++) {
        char *text = arena_alloc(t->arena, 901);

        memset(text, 'a' + (int)(i % 26), 900);
        text[900] = '\0';
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = text };
    }
    for (int k = 0; k < 4; k++)
        CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    return s;
}

/* Purge half of the sessions. Returns the size of the file before. */
static int64_t purge_half(struct test *t)
{
    const char *s[40]; /* enough to outweigh the pages of an empty store */
    int64_t before;

    for (int i = 0; i < 40; i++)
        s[i] = full_session(t);
    store_reopen(t);
    before = file_bytes(t);
    for (int i = 0; i < 40; i += 2)
        CHECK_OK(bough_session_purge(t->store, t->arena, s[i], NULL, &t->err));
    return before;
}

STORE_TEST(purging_half_a_store_gives_its_space_back_to_the_disk)
{
    int64_t before;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    before = purge_half(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    if (file_bytes(t) > before * 6 / 10)
        FAIL("%lld bytes of %lld are left", (long long)file_bytes(t), (long long)before);
    check_clean(t);
}

STORE_TEST(a_store_made_without_room_to_shrink_keeps_working)
{
    const char *path = test_path(t, "store.db");
    sqlite3 *db;
    int64_t before;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    bough_store_close(&t->store);
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM;", NULL,
                       NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    store_reopen(t);
    before = purge_half(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    if (file_bytes(t) < before)
        FAIL("%lld bytes of %lld are left", (long long)file_bytes(t), (long long)before);
    for (int i = 0; i < 10; i++) /* the space is reused; the index may still grow a little */
        full_session(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    if (file_bytes(t) > before * 105 / 100)
        FAIL("%lld bytes were made %lld", (long long)before, (long long)file_bytes(t));
    check_clean(t);
}
