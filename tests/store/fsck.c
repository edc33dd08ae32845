/* fsck: no finding in a sound store with everything in it; and for each rule a row that breaks only
 * that rule. */
#include <sqlite3.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/fsck_world.h"

STORE_TEST(fsck_is_silent_about_a_sound_store)
{
    struct bough_store_stats_result stats;

    check_clean(t);
    build_world(t);
    check_clean(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    check_clean(t);
    user(t, "#1", "one more");
    check_clean(t);
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    CHECK_INT(COPY - 2, stats.sessions);
    CHECK_INT(1, stats.deleted_sessions);
    CHECK_INT(12, stats.branches);
    CHECK_INT(4, stats.calls);
    CHECK_INT(100 + 1000 + 20 + 3 + 40 + 500 + 70 - 3 * 5, stats.spent.cost);
    CHECK(stats.content_bytes > 0 && stats.messages < stats.entries);
    CHECK(stats.log_rows > stats.sessions);
}

STORE_TEST(fsck_counts_what_it_looked_at)
{
    struct bough_store_fsck_result report;

    build_world(t);
    CHECK_OK(bough_store_fsck(t->store, BOUGH_FSCK_FULL, NULL, NULL, &report, &t->err));
    CHECK_INT(COPY, report.sessions);
    CHECK_INT(12, report.branches);
    CHECK_INT(8 + 1 + 1 + 2 + 2 + 1 + 1 + 2 + 1 + 5 + 1, report.entries);
    CHECK_INT(2, report.attachments);
    CHECK(report.records > 15);
    CHECK_INT(0, report.errors + report.warnings);
}

/* ---- engine, values, rows without owner ---- */

static enum bough_rc torn(struct snapshot *v, enum raw_table table, raw_fn fn, void *user,
                          struct bough_error *err)
{
    (void)v;
    (void)table;
    (void)fn;
    (void)user;
    return bough_fail(err, BOUGH_CORRUPT, "page 7 is not a page");
}

static enum bough_rc sick(struct snapshot *v, bool full,
                          void (*found)(void *user, const char *text), void *user,
                          struct bough_error *err)
{
    (void)v;
    (void)full;
    (void)err;
    found(user, "a page is torn");
    return BOUGH_OK;
}

/* Replace the backend's ops. The store's own thread may read them, so this takes its lock. */
__attribute__((no_sanitize("thread"), noinline)) static void use_ops(struct test *t,
                                                                     const struct backend_ops *ops)
{
    pthread_mutex_lock(&t->store->e->lock);
    t->store->e->ops = ops;
    pthread_mutex_unlock(&t->store->e->lock);
}

BREAKS(I_00_passes_on_what_the_engine_finds)
{
    static struct backend_ops sick_ops,
        torn_ops; /* static: the thread may still use one after the test */
    const struct backend_ops *real = t->store->e->ops;
    struct seen s;

    pthread_mutex_lock(&t->store->e->lock);
    sick_ops = torn_ops = *real;
    sick_ops.engine_check = sick;
    torn_ops.raw_scan = torn;
    pthread_mutex_unlock(&t->store->e->lock);
    use_ops(t, &sick_ops);
    s = look(t, BOUGH_FSCK_QUICK, false);
    CHECK_STR("I-00", s.errors);
    use_ops(t, &torn_ops);
    s = look(t, BOUGH_FSCK_FULL, false);
    use_ops(t, real);
    CHECK_STR("I-00", s.errors);
    CHECK_STR("engine", s.where);
}

BREAKS(I_04_sees_flipped_bytes)
{
    const enum raw_table tables[] = { RAW_ENTRY, RAW_RECORD, RAW_SESSION, RAW_LIST };
    const char *const where[] = { "#1.3", "record 1.1.1", "#1", "#1" };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct raw_row *r = row_of(t, tables[i], 1, tables[i] == RAW_ENTRY ? 3 : RECORD_CALL, 1);
        struct bough_str *body = r->table == RAW_ENTRY    ? &r->u.entry.body
                                 : r->table == RAW_RECORD ? &r->u.record.body
                                 : r->table == RAW_LIST   ? &r->u.list.body
                                                          : &r->u.session.body;

        ((char *)(uintptr_t)body->p)[body->n - 3] ^= 0x40;
        put(t, r);
        expect(t, "I-04", "", where[i]);
    }
}

/* Sums over what cannot be read are not compared: one damage, one finding. */
BREAKS(I_04_sees_records_that_cannot_be_read_and_blames_nothing_else)
{
    const int64_t kinds[] = { RECORD_CALL, RECORD_ADJUST, RECORD_LABEL, RECORD_TODO,
                              RECORD_MEMORY };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int64_t sid = kinds[i] == RECORD_MEMORY ? 0 : ROOT;
        struct raw_row *r = row_of(t, RAW_RECORD, sid, kinds[i], 1);

        ((char *)(uintptr_t)r->u.record.body.p)[0] ^= 1; /* its checksum */
        put(t, r);
        expect(t, "I-04", "", arena_printf(t->arena, "record %d.%d.1", (int)sid, (int)kinds[i]));
    }
}

BREAKS(I_04_sees_columns_that_are_not_what_the_body_says)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 4, 0);

    r->u.entry.mask ^= (int64_t)MASK_PART << BOUGH_PART_TOOL;
    put(t, r);
    expect(t, "I-04", "", "#1.4");
    r = row_of(t, RAW_ENTRY, 1, 4, 0);
    r->u.entry.kind = BOUGH_ENTRY_CUSTOM;
    put(t, r);
    expect(t, "I-04", "", "#1.4");
}

BREAKS(I_04_sees_a_deletion_that_the_log_does_not_have)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 4, 0);

    r->u.entry.deleted = 1;
    put(t, r);
    expect(t, "I-04 I-33", "", "#1.4");
}

BREAKS(I_04_sees_parts_that_are_not_what_they_are_kept_as)
{
    struct edit ed = entry_of(t, 1, 4);
    struct bough_part part = { BOUGH_PART_REASONING, ed.e.parts[0].json };

    ed.e.parts = &part;
    ed.r->u.entry.mask = (int64_t)MASK_PART << part.type | (int64_t)MASK_ROLE << ed.e.role;
    entry_put(t, &ed);
    expect(t, "I-04", "", "#1.4");
    part = (struct bough_part){ BOUGH_PART_TEXT, str_of("{\"type\":\"text\"") };
    ed.r->u.entry.mask = (int64_t)MASK_PART << part.type | (int64_t)MASK_ROLE << ed.e.role;
    entry_put(t, &ed);
    expect(t, "I-04", "", "#1.4");
    ed = entry_of(t, 1, 6);
    ed.e.data = str_of("{\"summary\":");
    entry_put(t, &ed);
    expect(t, "I-04", "", "#1.6");
    ed = entry_of(t, 1, 6);
    ed.e.finish = "\xff\xfe";
    entry_put(t, &ed);
    expect(t, "I-04", "", "#1.6");
}

BREAKS(I_04_sees_numbers_out_of_range)
{
    struct raw_row *r = row_of(t, RAW_HEAD, FORK, 0, 0), *list;

    r->u.head.lease_epoch = -1;
    put(t, r);
    expect(t, "I-04", "", "#4");
    r = row_of(t, RAW_HEAD, FORK, 0, 0);
    list = row_of(t, RAW_LIST, FORK, 0, 0);
    r->u.head.status = list->u.list.status = 9;
    put(t, r);
    put(t, list);
    expect(t, "I-04", "", "#4");
    r = row_of(t, RAW_SESSION, FORK, 0, 0);
    r->u.session.chk = 0x10000;
    put(t, r);
    expect(t, "I-04", "", "#4");
    if (!store_lasts(t)) /* in memory a branch's number is its place */
        return;
    put(t, &(struct raw_row){ .table = RAW_BRANCH, .u.branch = { 0, ROOT, 1, 2, -1 } });
    expect(t, "I-04", "", "branch 0");
}

BREAKS(I_04_sees_slugs_that_are_none)
{
    struct raw_row *r = row_of(t, RAW_SESSION, AGENT, 0, 0);
    struct raw_row *list = row_of(t, RAW_LIST, AGENT, 0, 0);

    r->u.session.slug = "An Agent";
    list->u.list.hay = "an agent\nagent\n\nwork";
    put(t, r);
    put(t, list);
    expect(t, "I-04", "", "#5");
}

BREAKS(I_05_sees_sessions_without_their_rows)
{
    drop(t, row_of(t, RAW_HEAD, AGENT, 0, 0));
    expect(t, "I-05", "", "#5");
    drop(t, row_of(t, RAW_LIST, AGENT, 0, 0));
    expect(t, "I-05", "", "#5");
}

BREAKS(I_05_sees_rows_without_their_session)
{
    struct raw_row *r = row_of(t, RAW_LIST, AGENT, 0, 0);

    r->u.list.sid = 70;
    put(t, r);
    expect(t, "I-05", "", "#70");
    r = row_of(t, RAW_HEAD, AGENT, 0, 0);
    r->u.head.sid = 70;
    put(t, r);
    expect(t, "I-05", "", "#70");
    r = row_of(t, RAW_RECORD, ROOT, RECORD_TODO, 1);
    r->u.record.sid = 70;
    put(t, r);
    expect(t, "I-05", "", "record 70.5.1");
    r = row_of(t, RAW_SESSION, GONE, 0, 0);
    r->u.session.body = row_of(t, RAW_SESSION, ROOT, 0, 0)->u.session.body;
    put(t, r);
    expect(t, "I-05", "", "#7");
}

BREAKS(I_06_sees_places_that_do_not_exist)
{
    struct raw_row *r = row_of(t, RAW_SESSION, ROOT, 0, 0), *list = row_of(t, RAW_LIST, ROOT, 0, 0);
    struct session_body b;

    body_of_row(t, r, &b);
    b.project = list->u.list.project = 70;
    body_put(t, r, &b);
    put(t, list);
    expect(t, "I-06", "", "#1");
}

/* ---- depths, heads, order ---- */

BREAKS(I_10_sees_an_entry_in_another_place)
{
    struct edit ed = entry_of(t, 1, 4);

    ed.e.at.depth = 5;
    entry_put(t, &ed);
    expect(t, "I-10", "", "#1.4");
}

BREAKS(I_11_sees_a_gap)
{
    drop(t, row_of(t, RAW_ENTRY, 1, 7, 0));
    expect(t, "I-11", "", "#1.8");
    drop(t, row_of(t, RAW_RECORD, 0, RECORD_AUDIT, 1));
    expect(t, "I-11", "", "record 0.8.2");
}

BREAKS(I_12_sees_heads_that_are_nowhere)
{
    const struct bough_head bad[] = { { 70, 0 }, { 5, 9 }, { 6, 0 }, { 6, 1 }, { 1, 4 }, { 0, 3 } };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct raw_row *r = row_of(t, RAW_HEAD, FORK, 0, 0);

        r->u.head.bid = bad[i].branch;
        r->u.head.depth = bad[i].depth;
        put(t, r);
        expect(t, "I-12", "", "#4");
    }
}

BREAKS(I_14_warns_of_the_future)
{
    struct edit ed = entry_of(t, 1, 4);

    ed.x.made = INT64_C(1) << 47;
    entry_put(t, &ed);
    expect(t, "", "I-14", "#1.4");
}

BREAKS(I_15_sees_wrong_message_numbers)
{
    struct edit ed = entry_of(t, 1, 8);

    ed.e.mno++;
    entry_put(t, &ed);
    expect(t, "I-15", "", "#1.8");
    ed = entry_of(t, 5, 4); /* a fork's first entry counts from its base */
    ed.e.mno = 1;
    entry_put(t, &ed);
    ed = entry_of(t, 5, 5);
    ed.e.mno = 2;
    entry_put(t, &ed);
    expect(t, "I-15", "", "#5.4");
}

/* ---- the tree ---- */

BREAKS(I_17_warns_of_an_unfinished_purge)
{
    struct raw_row *r = row_of(t, RAW_RECORD, ROOT, RECORD_TODO, 1);

    r->u.record.sid = GONE;
    put(t, r);
    expect(t, "", "I-17", "#7");
}

BREAKS(I_17_what_a_purge_has_yet_to_remove_is_no_error_of_those_who_hang_there)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 10, 2, 0);

    r->u.entry.depth = 3; /* behind the cut, and before branch 11 began */
    put(t, r);
    CHECK_STR("", look(t, BOUGH_FSCK_QUICK, true).errors);
    put_back(t);
}

static void set_parent(struct test *t, int64_t sid, int64_t parent)
{
    struct raw_row *r = row_of(t, RAW_SESSION, sid, 0, 0), *list = row_of(t, RAW_LIST, sid, 0, 0);

    r->u.session.parent = list->u.list.parent = parent;
    put(t, r);
    put(t, list);
}

BREAKS(I_20_sees_parents_that_cannot_be)
{
    set_parent(t, ROOT, 70);
    expect(t, "I-20", "", "#1");
    set_parent(t, ROOT, ROOT);
    expect(t, "I-20", "", "#1");
    set_parent(t, ROOT, KEPT);
    expect(t, "I-20", "", "#1");
}

BREAKS(I_21_sees_a_session_above_itself)
{
    set_parent(t, ROOT, FORK);
    expect(t, "I-21", "", "#1");
}

BREAKS(I_22_sees_branches_that_hang_on_nothing)
{
    const struct branch_row bad[] = {
        { 13, 70, 1, 2, -1 },                             /* no such session */
        { 13, ROOT, 70, 2, -1 }, { 13, ROOT, 13, 2, -1 }, /* no such parent */
        { 13, ROOT, 1, 50, -1 },                          /* behind the parent's tip */
        { 13, ROOT, 2, 1, -1 }, /* the entry it hangs on belongs to branch 1 (U2) */
        { 13, ROOT, 0, 4, -1 }, /* a root with a base */
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct raw_row r = { .table = RAW_BRANCH, .u.branch = bad[i] };

        put(t, &r);
        expect(t, "I-22", "", "branch 13");
    }
}

BREAKS(I_23_sees_forks_that_begin_elsewhere)
{
    struct raw_row *r = row_of(t, RAW_SESSION, BARE, 0, 0);
    struct session_body b;

    body_of_row(t, r, &b);
    b.fork_depth = 3;
    body_put(t, r, &b);
    expect(t, "I-23", "", "#2");
    b.fork_depth = 4;
    b.fork_entry = "01HF7YAT00000000000G00000A";
    body_put(t, row_of(t, RAW_SESSION, BARE, 0, 0), &b);
    expect(t, "I-23", "", "#2");
    set_parent(t, BARE, ROOT);
    set_parent(t, KEPT, ROOT); /* its fork point is on no path of that session */
    expect(t, "I-23", "", "#10");
}

BREAKS(I_24_sees_a_fork_of_nobody)
{
    set_parent(t, BARE, 0);
    expect(t, "I-24", "", "#2");
}

BREAKS(I_27_sees_entries_purged_that_a_fork_shows)
{
    struct raw_row *r = row_of(t, RAW_BRANCH, 10, 0, 0);

    CHECK_INT(2, r->u.branch.cut);
    r->u.branch.cut = 1;
    put(t, r);
    expect(t, "I-27", "I-17", "branch 11");
    r = row_of(t, RAW_BRANCH, 5, 0, 0);
    r->u.branch.cut = 5;
    put(t, r);
    expect(t, "I-27", "", "branch 5");
}

/* ---- a whole run ---- */

BREAKS(shows_two_damages_that_do_not_hide_each_other)
{
    set_parent(t, ROOT, FORK);
    drop(t, row_of(t, RAW_ENTRY, 1, 7, 0));
    expect(t, "I-21 I-11", "", "#1");
    CHECK_STR("I-21", (set_parent(t, ROOT, FORK), look(t, BOUGH_FSCK_QUICK, false).errors));
    put_back(t);
}

/* Change the file with plain SQL, as a broken disk or a person may. */
static void change(struct test *t, const char *sql)
{
    sqlite3 *db = NULL;

    bough_store_close(&t->store);
    CHECK(sqlite3_open(test_path(t, "store.db"), &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    store_reopen(t);
}

static void sees_change(struct test *t, const char *sql, const char *code)
{
    struct bough_store_repair_result report;

    change(t, sql);
    CHECK_STR(code, look(t, BOUGH_FSCK_FULL, false).errors);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.left.errors + report.left.warnings);
}

BREAKS(I_04_sees_the_time_in_an_id_that_is_not_the_one_it_was_made_at)
{
    struct bough_store_repair_result report;
    const char *id = get(t, "#1")->id;
    struct raw_row *r = row_of(t, RAW_SESSION, ROOT, 0, 0);

    r->u.session.made -= 1000;
    put(t, r);
    expect(t, "I-04", "", "#1");
    put(t, r);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.left.errors + report.left.warnings);
    CHECK_STR("#1", arena_printf(t->arena, "#%lld", (long long)get(t, id)->number));
}

BREAKS(I_04_sees_check_bits_in_an_id_that_are_not_the_ones_it_was_made_with)
{
    struct bough_store_repair_result report;
    const char *id = get(t, "#1")->id;
    struct raw_row *r = row_of(t, RAW_SESSION, ROOT, 0, 0);

    r->u.session.chk ^= 4;
    put(t, r);
    expect(t, "I-04", "", "#1");
    put(t, r);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.left.errors + report.left.warnings);
    CHECK_STR(id, get(t, "#1")->id);
}

STORE_TEST(fsck_I_42_sees_and_mends_columns_and_watermarks_of_the_lists)
{
    if (!store_has_file(t))
        SKIP("this backend has no file");
    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    sees_change(t, "UPDATE list SET gone = 1 - gone WHERE sid = 1", "I-42");
    sees_change(t, "UPDATE projection SET no = no - 20 WHERE name = 'list'", "I-42");
    sees_change(t, "UPDATE projection SET no = 0 WHERE name = 'list'", "I-42");
    sees_change(t, "UPDATE projection SET no = no - 20 WHERE name = 'text'", "I-41");
}
