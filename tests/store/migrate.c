/* Migration of a store with everything in it between the two backends that last. */
#include <bough/migrate.h>

#include <stdio.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "store/fsck_world.h"

/* The URL for a store of the other backend. */
static const char *other_url(struct test *t, const char *name)
{
    if (store_has_file(t))
        return postgres_url(t, name);
    return arena_printf(t->arena, "sqlite:%s", test_path(t, arena_printf(t->arena, "%s.db", name)));
}

static void dump_session(struct test *t, struct buf *out, struct bough_store *s,
                         const struct bough_session *x)
{
    struct bough_entries_read_result path;
    char hash[65] = "-";

    if (x->head.branch)
        CHECK_OK(bough_path_hash(s, x->id, NULL, hash, &t->err));
    buf_printf(out, "%s %s %s rev=%lld own=%lld rolled=%lld %s\n", x->id, x->slug, x->title,
               (long long)x->rev, (long long)x->own.cost, (long long)x->rolled.cost, hash);
    CHECK_OK(bough_entries_read(s, t->arena, x->id, &(struct bough_entries_read_options){ 0 },
                                &path, &t->err));
    for (size_t i = 0; i < path.entries.n; i++)
        buf_printf(out, "  %s no=%lld %s\n", path.entries.at[i].id,
                   (long long)path.entries.at[i].no, text_of(t, &path.entries.at[i]));
}

/* Everything that a migration must preserve, as text. */
static const char *dump(struct test *t, struct bough_store *s)
{
    struct bough_session_list_options filter = { .include_deleted = true, .limit = 1000 };
    struct bough_sessions all;
    struct buf out;
    struct bough_store_info_result info;
    const char *text;

    buf_init(&out, (size_t)1 << 26);
    CHECK_OK(bough_store_info(s, t->arena, &info, &t->err));
    buf_printf(&out, "store %s epoch %lld no %lld\n", info.store_id, (long long)info.epoch,
               (long long)info.last_no);
    CHECK_OK(bough_session_list(s, t->arena, &filter, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        dump_session(t, &out, s, &all.at[i]);
    text = arena_strndup(t->arena, out.p, out.n);
    buf_finish(&out);
    return text;
}

static const char *dump_url(struct test *t, const char *url)
{
    struct bough_store *s;
    const char *text;

    CHECK_OK(bough_store_open(&s, url, NULL, &t->err));
    text = dump(t, s);
    store_check(t, s);
    bough_store_close(&s);
    return text;
}

STORE_TEST_SECONDS(a_store_moved_there_and_back_is_the_same_store, 60)
{
    const char *there, *back, *before;
    struct bough_migrate_result r;

    if (!store_lasts(t))
        SKIP("nothing is left of this backend");
    there = other_url(t, "there");
    back = store_url(t, "back");
    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    before = dump(t, t->store);
    bough_store_close(&t->store);
    CHECK_OK(bough_migrate(t->url, there, NULL, &r, &t->err));
    CHECK(r.compared > 3 && r.rows > 20 && !r.resumed);
    CHECK_STR(before, dump_url(t, there));
    CHECK_OK(bough_migrate(there, back, NULL, &r, &t->err));
    CHECK_STR(before, dump_url(t, back));
    store_remove(there);
    store_remove(back);
    store_reopen(t);
    user(t, new_session(t, "goes on"), "as before");
}

STORE_TEST(a_migrated_store_is_searchable)
{
    struct bough_hits hits;
    const char *there, *s;
    struct bough_store *moved;

    if (!store_lasts(t))
        SKIP("nothing is left of this backend");
    there = other_url(t, "words");
    s = new_session(t, "a title");
    user(t, s, "a needle in the hay");
    bough_store_close(&t->store);
    CHECK_OK(bough_migrate(t->url, there, NULL, NULL, &t->err));
    CHECK_OK(bough_store_open(&moved, there, NULL, &t->err));
    CHECK_OK(bough_search(moved, t->arena,
                          &(struct bough_search_options){ .query = "\"needle in\"" }, &hits,
                          &t->err));
    CHECK_INT(1, hits.n);
    store_check(t, moved);
    bough_store_close(&moved);
    store_remove(there);
    store_reopen(t);
}

STORE_TEST(a_migration_wants_an_empty_target)
{
    const char *there;
    struct bough_store *s;

    if (!store_lasts(t))
        SKIP("nothing is left of this backend");
    there = other_url(t, "full");
    user(t, new_session(t, "one"), "hello");
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&s, there, NULL, &t->err));
    CHECK_OK(bough_session_create(s, t->arena,
                                  &(struct bough_session_create_options){ .title = "own" },
                                  &(struct bough_session *){ NULL }, &t->err));
    bough_store_close(&s);
    CHECK_RC(BOUGH_EXISTS, bough_migrate(t->url, there, NULL, NULL, &t->err));
    store_remove(there);
    store_reopen(t);
}

static bool stop_soon(void *user, int64_t done, int64_t total)
{
    int *left = user;

    (void)done;
    (void)total;
    return --*left > 0;
}

static bool note_progress(void *user, int64_t done, int64_t total)
{
    int64_t *last = user;

    if (done < last[0] || done > total)
        last[1]++;
    last[0] = done;
    last[2] = total;
    return true;
}

STORE_TEST(a_migration_reports_progress_that_only_grows)
{
    int64_t last[3] = { 0 };
    struct bough_migrate_options how = { .progress = note_progress, .user = last };
    const char *there;

    if (!store_lasts(t))
        SKIP("nothing is left of this backend");
    there = other_url(t, "progress");
    build_world(t);
    bough_store_close(&t->store);
    CHECK_OK(bough_migrate(t->url, there, &how, NULL, &t->err));
    CHECK_INT(0, last[1]);
    CHECK(last[0] > 1 && last[2] >= last[0]);
    store_remove(there);
    store_reopen(t);
}

STORE_TEST_SECONDS(an_interrupted_migration_goes_on_where_it_stopped, 60)
{
    const char *there, *before;
    struct bough_migrate_result r;
    struct bough_store *s;
    int runs = 0, left = 3;
    enum bough_rc rc = BOUGH_CANCELLED;

    if (!store_lasts(t))
        SKIP("nothing is left of this backend");
    there = other_url(t, "halves");
    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    before = dump(t, t->store);
    bough_store_close(&t->store);
    for (; rc == BOUGH_CANCELLED && runs < 50; runs++) {
        struct bough_migrate_options how = { .progress = stop_soon, .user = &left };

        left = 3;
        rc = bough_migrate(t->url, there, &how, &r, &t->err);
        if (rc == BOUGH_CANCELLED) /* an unfinished target cannot be opened */
            CHECK_RC(BOUGH_BUSY, bough_store_open(&s, there, NULL, &t->err));
    }
    CHECK_INT(BOUGH_OK, rc);
    CHECK(runs > 2 && r.resumed);
    CHECK_STR(before, dump_url(t, there));
    /* Killed behind the last batch, before it could say so: the next run compares, and is done. */
    CHECK_OK(bough_migrate(t->url, there, NULL, &r, &t->err));
    CHECK(r.resumed);
    CHECK_INT(0, r.rows);
    CHECK_STR(before, dump_url(t, there));
    store_remove(there);
    store_reopen(t);
}

STORE_TEST(a_migration_does_not_go_on_when_its_source_went_on)
{
    int left = 2;
    struct bough_migrate_options how = { .progress = stop_soon, .user = &left };
    const char *there, *s;

    if (!store_lasts(t))
        SKIP("nothing is left of this backend");
    there = other_url(t, "changed");
    s = new_session(t, "one");
    user(t, s, "hello");
    bough_store_close(&t->store);
    CHECK_RC(BOUGH_CANCELLED, bough_migrate(t->url, there, &how, NULL, &t->err));
    store_reopen(t);
    user(t, s, "once more");
    bough_store_close(&t->store);
    CHECK_RC(BOUGH_CONFLICT, bough_migrate(t->url, there, NULL, NULL, &t->err));
    store_remove(there);
    store_reopen(t);
}
