/* Rescue and damaged rows: nothing readable is lost, nothing is silently short. */
#include <stdio.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "store/fsck_world.h"

enum { PAGE = 8192 };

/* ---- short reads ---- */

STORE_TEST(a_path_with_a_hole_is_corrupt_and_not_short)
{
    struct bough_entries_read_options newest = { .newest = true };
    struct bough_entries_read_result path;

    build_world(t);
    drop(t, row_of(t, RAW_ENTRY, 1, 3, 0));
    CHECK_RC(BOUGH_CORRUPT, bough_entries_read(t->store, t->arena, "#1", NULL, &path, &t->err));
    CHECK(strstr(t->err.msg, "#1.3 is missing"));
    CHECK_RC(BOUGH_CORRUPT, bough_entries_read(t->store, t->arena, "#1", &newest, &path, &t->err));
    put_back(t);
    CHECK_OK(bough_entries_read(t->store, t->arena, "#1", &newest, &path, &t->err));
}

STORE_TEST(an_attachment_whose_size_is_damaged_is_corrupt_and_not_short)
{
    struct bough_entries_read_result path;
    struct raw_row *r;
    int64_t size;

    build_world(t);
    r = row_of(t, RAW_BLOB, 2, 0, 0);
    size = r->u.blob.size;
    for (int i = 0; i < 3; i++) {
        r->u.blob.size = i == 0 ? 0 : i == 1 ? size / 2 : size - 1;
        put(t, r);
        CHECK_RC(BOUGH_CORRUPT, bough_entries_read(t->store, t->arena, "#5", NULL, &path, &t->err));
    }
    put_back(t);
    CHECK_OK(bough_entries_read(t->store, t->arena, "#5", NULL, &path, &t->err));
}

/* ---- rescue ---- */

static void take_file(struct test *t, const char *name, struct bough_str *out)
{
    CHECK_OK(fs_read(t->arena, test_path(t, name), 1 << 26, out, &t->err));
}

struct path_of {
    struct bough_entries_read_result path[COPY + 1];
    bool there[COPY + 1];
};

static struct path_of *read_all(struct test *t, struct bough_store *s)
{
    struct path_of *all = arena_zalloc(t->arena, sizeof *all);

    for (int i = 1; i <= COPY; i++)
        all->there[i] = bough_entries_read(s, t->arena, arena_printf(t->arena, "#%d", i), NULL,
                                           &all->path[i], NULL) == BOUGH_OK;
    return all;
}

static void compare(const struct path_of *a, const struct path_of *b)
{
    for (int i = 1; i <= COPY; i++) {
        CHECK_INT(a->there[i], b->there[i]);
        CHECK_INT(a->path[i].entries.n, b->path[i].entries.n);
        for (size_t k = 0; k < a->path[i].entries.n; k++) {
            const struct bough_entry *x = &a->path[i].entries.at[k];
            const struct bough_entry *y = &b->path[i].entries.at[k];

            CHECK_STR(x->id, y->id);
            CHECK_STR(x->origin, y->origin);
            CHECK_INT(x->nparts, y->nparts);
            for (size_t p = 0; p < x->nparts; p++)
                CHECK_MEM(x->parts[p].json.p, y->parts[p].json.p, x->parts[p].json.n);
        }
    }
}

static void print(void *user, const struct bough_finding *f)
{
    (void)user;
    printf("# %s %s: %s\n", f->code, f->where, f->text);
}

/* Damage pages that hold only derived rows and indexes: everything must come back. */
STORE_TEST_SECONDS(what_is_salvaged_can_be_restored_whole, 60)
{
    const char *bad = test_path(t, "bad.db"), *new = test_path(t, "new.db");
    const char *back = test_path(t, "back.db");
    struct bough_restore_result restored;
    struct bough_rescue_result r;
    struct bough_store *s = NULL;
    struct path_of *before;
    struct bough_str file;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    before = read_all(t, t->store);
    bough_store_close(&t->store);
    take_file(t, "store.db", &file);
    memset((char *)(uintptr_t)file.p, 0xff, PAGE); /* the header and the schema */
    CHECK_OK(fs_write(bad, file, 0600, &t->err));
    CHECK_OK(bough_rescue(bad, new, NULL, print, NULL, t->arena, &r, &t->err));
    CHECK_INT(0, r.repaired.left.errors + r.repaired.quarantined);
    CHECK_RC(BOUGH_EXISTS, bough_rescue(bad, new, NULL, NULL, NULL, t->arena, &r, &t->err));
    CHECK_OK(bough_restore(new, back, NULL, t->arena, &restored, &t->err));
    CHECK_OK(bough_store_open(&s, back, NULL, &t->err));
    compare(before, read_all(t, s));
    store_check(t, s);
    bough_store_close(&s);
}

STORE_TEST(a_rescue_keeps_open_messages_with_their_steps_and_leases)
{
    struct bough_entry_new empty = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = {
        .entry = &empty, .owner = "me", .lease_ms = 24 * 3600 * 1000, .client = true
    };
    struct bough_step part = { .bytes = str_of("{\"type\":\"text\",\"text\":\"so far\"}") };
    const char *bad = test_path(t, "bad.db"), *new = test_path(t, "new.db");
    struct bough_message_open_result m;
    struct bough_store *s = NULL;
    struct bough_open_messages open;
    struct bough_rescue_result r;
    struct bough_entry *e;
    struct bough_str file;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    t->env.now = (int64_t)time(NULL) * 1000; /* the rescue looks at the system's clock */
    CHECK_OK(bough_message_open(t->store, t->arena, new_session(t, "s"), &in, &m, &t->err));
    CHECK_OK(bough_message_step(t->store, &m.writing, 1, &part, 1, NULL, &t->err));
    CHECK_OK(bough_message_flush(t->store, &m.writing, NULL, &t->err));
    bough_store_close(&t->store);
    take_file(t, "store.db", &file);
    memset((char *)(uintptr_t)file.p, 0xff, PAGE);
    CHECK_OK(fs_write(bad, file, 0600, &t->err));
    CHECK_OK(bough_rescue(bad, new, NULL, print, NULL, t->arena, &r, &t->err));
    CHECK_OK(bough_store_open(&s, new, NULL, &t->err));
    CHECK_OK(bough_message_list(s, t->arena, NULL, &open, &t->err));
    CHECK_INT(1, open.n);
    CHECK_STR("me", open.at[0].lease.owner);
    CHECK_OK(bough_message_seal(s, t->arena, &m.writing, NULL, &e, &t->err));
    CHECK_STR("so far", text_of(t, e));
    store_check(t, s);
    bough_store_close(&s);
}

STORE_TEST_SECONDS(repair_refuses_damaged_pages_and_rescue_keeps_the_old_file, 60)
{
    struct bough_store_repair_result repaired;
    struct bough_rescue_result r;
    struct bough_str file, kept, now;
    struct path_of *before;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    before = read_all(t, t->store);
    bough_store_close(&t->store);
    take_file(t, "store.db", &file);
    for (size_t page = 2; page < 30 && page < file.n / PAGE; page++) {
        char *bytes = arena_dup(t->arena, file.p, file.n);
        struct path_of *after;

        memset(bytes + page * PAGE, 0xa5, PAGE);
        CHECK_OK(fs_write(test_path(t, "store.db"), str_make(bytes, file.n), 0600, &t->err));
        if (bough_store_open(&t->store, t->url, NULL, &t->err) == BOUGH_OK) {
            enum bough_rc rc =
                bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &repaired, &t->err);

            bough_store_close(&t->store);
            if (rc == BOUGH_OK)
                continue; /* a page that is not in use */
            CHECK_INT(BOUGH_CORRUPT, rc);
            take_file(t, "store.db", &now);
            CHECK_MEM(bytes, now.p, file.n); /* nothing was written */
        }
        CHECK_OK(bough_rescue(t->url, NULL, NULL, NULL, NULL, t->arena, &r, &t->err));
        CHECK_OK(fs_read(t->arena, r.kept, 1 << 26, &kept, &t->err));
        CHECK_INT(file.n, kept.n);
        CHECK_MEM(bytes, kept.p, kept.n);
        CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
        after = read_all(t, t->store);
        for (int i = 1; i <= COPY; i++)
            CHECK_INT(before->there[i], after->there[i]);
        user(t, "#1", "life goes on");
        bough_store_close(&t->store);
        unlink(r.kept);
    }
    t->damaged = true;
    CHECK_OK(fs_write(test_path(t, "store.db"), file, 0600, &t->err));
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    CHECK_RC(BOUGH_BUSY, bough_rescue(t->url, NULL, NULL, NULL, NULL, t->arena, &r, &t->err));
}

STORE_TEST(a_key_that_moved_is_put_back_without_a_thousand_stubs)
{
    struct raw_row *r;
    struct bough_store_repair_result report;
    struct bough_entries_read_result path;

    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    if (!store_lasts(t))
        SKIP("in memory a row lies at its place");
    r = row_of(t, RAW_ENTRY, 1, 4, 0);
    drop(t, r);
    r->u.entry.depth = 70000;
    put(t, r);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.left.errors + report.quarantined);
    CHECK(report.fixed < 20);
    CHECK_OK(bough_entries_read(t->store, t->arena, "#1", NULL, &path, &t->err));
}

STORE_TEST(a_session_is_created_once_for_a_key_after_a_rescue_too)
{
    const struct bough_env env = { .now = t->env.env.now, /* keys expire */
                                   .random = t->env.env.random,
                                   .user = t->env.env.user };
    const struct bough_store_open_options how = { .env = &env };
    struct bough_session_create_options in = { .title = "once", .key = "k" };
    struct bough_session *before, *after;
    struct bough_rescue_result r;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &before, &t->err));
    bough_store_close(&t->store);
    CHECK_OK(bough_rescue(test_path(t, "store.db"), test_path(t, "new.db"), print, print, NULL,
                          t->arena, &r, &t->err));
    CHECK_OK(bough_store_open(&t->store, test_path(t, "new.db"), &how, &t->err));
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &after, &t->err));
    CHECK_STR(before->id, after->id);
}
