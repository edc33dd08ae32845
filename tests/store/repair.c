/* Repair: projections are rebuilt, broken rows are quarantined, no message is rewritten. */
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/exchange_world.h"
#include "store/fsck_world.h"

enum { SESSIONS = COPY };

/* Every entry of every session, read before and after a repair. */
struct shown_all {
    struct bough_entries_read_result path[SESSIONS + 1];
    bool there[SESSIONS + 1];
};

static struct shown_all *read_all(struct test *t)
{
    struct shown_all *all = arena_zalloc(t->arena, sizeof *all);

    for (int i = 1; i <= SESSIONS; i++)
        all->there[i] = bough_entries_read(t->store, t->arena, arena_printf(t->arena, "#%d", i),
                                           NULL, &all->path[i], &t->err) == BOUGH_OK;
    return all;
}

static bool quarantined(const struct bough_entry *e)
{
    return e->error.n && memmem(e->error.p, e->error.n, "bough.quarantined", 17);
}

/* Every entry must be as before or quarantined. Returns how many are quarantined. */
static int compare(struct test *t, const struct shown_all *before)
{
    const struct shown_all *after = read_all(t);
    int lost = 0;

    for (int i = 1; i <= SESSIONS; i++) {
        const struct bough_entries *a = &before->path[i].entries, *b = &after->path[i].entries;

        CHECK_INT(before->there[i], after->there[i]);
        CHECK_INT(a->n, b->n);
        for (size_t k = 0; k < a->n; k++) {
            if (quarantined(&b->at[k])) {
                lost++;
                continue;
            }
            CHECK_STR(a->at[k].id, b->at[k].id);
            CHECK_INT(a->at[k].nparts, b->at[k].nparts);
            for (size_t p = 0; p < a->at[k].nparts; p++) {
                CHECK_INT(a->at[k].parts[p].json.n, b->at[k].parts[p].json.n);
                CHECK_MEM(a->at[k].parts[p].json.p, b->at[k].parts[p].json.p,
                          a->at[k].parts[p].json.n);
            }
        }
    }
    return lost;
}

static void print(void *user, const struct bough_finding *f)
{
    (void)user;
    printf("# %s %s: %s\n", f->code, f->where, f->text);
}

static struct bough_store_repair_result mend(struct test *t)
{
    struct bough_store_repair_result report;

    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_DEEP, NULL, NULL, NULL, &report, &t->err));
    return report;
}

/* Repair: no error must be left, and exactly `lost` entries are quarantined. */
static void mends(struct test *t, const struct shown_all *before, int lost)
{
    struct bough_store_repair_result report = mend(t);

    if (report.left.errors)
        CHECK_OK(bough_store_fsck(t->store, BOUGH_FSCK_DEEP, print, NULL, &report.left, &t->err));
    CHECK_INT(0, report.left.errors);
    CHECK(report.fixed > 0);
    CHECK_INT(report.quarantined, report.left.warnings);
    CHECK_INT(lost, compare(t, before));
    t->damaged = report.quarantined > 0; /* the final fsck would count the warnings */
    CHECK_INT(report.left.warnings, mend(t).left.warnings); /* a second repair changes nothing */
}

#define MENDS(name)                                                                                \
    static void mends_##name(struct test *t, const struct shown_all *before);                      \
    STORE_TEST(repair_##name)                                                                      \
    {                                                                                              \
        build_world(t);                                                                            \
        CHECK_OK(bough_store_upkeep(t->store, &t->err));                                           \
        mends_##name(t, read_all(t));                                                              \
    }                                                                                              \
    static void mends_##name(struct test *t, const struct shown_all *before)

STORE_TEST(repair_leaves_a_sound_store_alone)
{
    struct bough_store_repair_result report;
    struct bough_store_info_result one, two;

    build_world(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_OK(bough_store_info(t->store, t->arena, &one, &t->err));
    report = mend(t);
    CHECK_INT(0, report.fixed + report.quarantined);
    CHECK_OK(bough_store_info(t->store, t->arena, &two, &t->err));
    CHECK_INT(one.last_no, two.last_no);
}

MENDS(builds_every_list_row_again)
{
    for (int i = 1; i <= SESSIONS; i++) {
        struct raw_row want = { .table = RAW_LIST }, *r;

        want.u.list.sid = i;
        r = row_like(t, &want);
        if (!r)
            continue;
        if (i % 3 == 0) {
            drop(t, r);
            continue;
        }
        r->u.list.updated += 5;
        ((char *)(uintptr_t)r->u.list.body.p)[r->u.list.body.n - 2] ^= (char)(i % 2);
        put(t, r);
    }
    mends(t, before, 0);
}

MENDS(removes_list_rows_of_sessions_that_are_not_there)
{
    struct raw_row *r = row_of(t, RAW_LIST, 1, 0, 0);

    r->u.list.sid = GONE;
    put(t, r);
    mends(t, before, 0);
}

MENDS(quarantines_an_entry_that_cannot_be_read)
{
    struct bough_entry *e;
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 4, 0), *kept;
    struct quarantine_body q;
    const char *id = before->path[1].entries.at[3].id;
    struct bough_str old = r->u.entry.body;

    ((char *)(uintptr_t)old.p)[old.n - 3] ^= 0x40;
    put(t, r);
    mends(t, before, 2); /* shown by the session and a fork */
    CHECK_RC(BOUGH_CORRUPT, bough_entry_get(t->store, t->arena, "#1", id, &e, &t->err));
    CHECK(strstr(t->err.msg, "quarantined"));
    CHECK_RC(BOUGH_CORRUPT, bough_entry_get(t->store, t->arena, NULL, id, &e, &t->err));
    CHECK_RC(BOUGH_CORRUPT, bough_entry_get(t->store, t->arena, "#1", "#1.4", &e, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, "#1", "#1.5", &e, &t->err));
    user(t, "#1", "life goes on");
    kept = row_of(t, RAW_RECORD, 1, RECORD_QUARANTINE, 1);
    CHECK_OK(body_read(quarantine_fields, kept->u.record.body, &q, &t->err));
    CHECK_STR("#1.4", q.where);
    CHECK_INT(old.n, q.bytes.n);
    CHECK_MEM(old.p, q.bytes.p, old.n); /* the bytes as they were found */
}

MENDS(goes_on_behind_a_quarantined_tip)
{
    int64_t tip = before->path[COPY].entries.at[before->path[COPY].entries.n - 1].at.depth;
    int64_t bid = before->path[COPY].entries.at[0].at.branch;
    struct raw_row *r = row_of(t, RAW_ENTRY, bid, tip, 0);
    struct bough_session *s;

    ((char *)(uintptr_t)r->u.entry.body.p)[20] ^= 1;
    put(t, r);
    mends(t, before, 1);
    user(t, "#11", "more");
    s = get(t, "#11");
    CHECK_INT(tip + 1, s->head.depth);
    CHECK_INT(1, look(t, BOUGH_FSCK_DEEP, true).errors[0] == '\0');
}

MENDS(puts_something_in_the_place_of_missing_entries)
{
    drop(t, row_of(t, RAW_ENTRY, 1, 3, 0));
    drop(t, row_of(t, RAW_ENTRY, 1, 4, 0));
    (void)before;
    CHECK_INT(0, mend(t).left.errors);
    CHECK_INT(8, get(t, "#1")->head.depth);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
}

MENDS(quarantines_records_that_cannot_be_read)
{
    const int64_t kinds[] = { RECORD_CALL, RECORD_LABEL, RECORD_TODO, RECORD_MEMORY,
                              RECORD_ADJUST };
    struct bough_labels labels;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct raw_row want = { .table = RAW_RECORD }, *r;

        want.u.record = (struct record_row){ .sid = kinds[i] == RECORD_MEMORY ? 0 : 1,
                                             .kind = kinds[i],
                                             .ord = 1 };
        r = row_like(t, &want);
        CHECK(r);
        ((char *)(uintptr_t)r->u.record.body.p)[5] ^= 2;
        put(t, r);
    }
    mends(t, before, 0);
    CHECK_OK(bough_label_list(t->store, t->arena, "#1", &labels, &t->err));
    CHECK_OK(bough_label_set(t->store, "#1", "#1.2", "again", &t->err));
}

MENDS(keeps_a_session_whose_row_cannot_be_read)
{
    struct raw_row *r = row_of(t, RAW_SESSION, ROOT, 0, 0);
    struct bough_session *s;

    ((char *)(uintptr_t)r->u.session.body.p)[6] ^= 2;
    put(t, r);
    mends(t, before, 0);
    s = get(t, "#1");
    CHECK_STR("Recovered", s->title);
    CHECK_STR("/p", s->project);
    CHECK_OK(bough_session_get(t->store, t->arena, "root-id", &s, &t->err));
}

MENDS(puts_heads_back_on_their_paths)
{
    struct raw_row *r = row_of(t, RAW_HEAD, ROOT, 0, 0);

    (void)before;
    r->u.head.bid = 7;
    r->u.head.depth = 99;
    put(t, r);
    drop(t, row_of(t, RAW_HEAD, COPY, 0, 0));
    CHECK_INT(0, mend(t).left.errors);
    CHECK(get(t, "#1")->head.depth > 0);
    CHECK(get(t, "#11")->head.depth > 0);
}

MENDS(removes_names_that_lead_nowhere_and_finds_lost_ones)
{
    struct raw_row want = { .table = RAW_ALIAS, .u.alias = { .id = "m-2", .scope = 1 } }, bad, *key;
    struct bough_entry *e;

    drop(t, row_like(t, &want));
    bad = want;
    bad.u.alias = (struct alias_row){ "nothing", 1, ALIAS_ENTRY, 1, 4000 };
    put(t, &bad);
    want.u.alias = (struct alias_row){ .id = "session:root-id" };
    drop(t, row_like(t, &want));
    key = row_of(t, RAW_KEY, 0, 0, 0);
    key->u.key.no = 100000;
    put(t, key);
    mends(t, before, 0);
    CHECK_OK(bough_entry_get(t->store, t->arena, "#1", "m-2", &e, &t->err));
    get(t, "root-id");
}

MENDS(moves_rows_without_an_owner_aside)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 2, 0);

    if (!store_lasts(t))
        SKIP("in memory a row lies inside its owner");
    r->u.entry.bid = 500;
    put(t, r);
    r = row_of(t, RAW_RECORD, 1, RECORD_CALL, 1);
    r->u.record.sid = 500;
    put(t, r);
    mends(t, before, 0);
}

MENDS(links_what_is_shown_and_unlinks_what_is_not)
{
    struct raw_row bad = { .table = RAW_LINK, .u.link = { 1, 2, 1 } }, *r = NULL;

    put(t, &bad);
    for (int64_t d = 1; d < 5 && !r; d++) {
        struct raw_row want = { .table = RAW_LINK, .u.link = { 6, d, 2 } };

        r = row_like(t, &want);
    }
    CHECK(r);
    drop(t, r);
    mends(t, before, 0);
}

MENDS(quarantines_an_entry_whose_attachment_is_damaged)
{
    struct raw_row *r = row_of(t, RAW_CHUNK, 2, 0, 0);
    struct bough_entries_read_result path;
    struct bough_store_repair_result report;

    (void)before;
    ((char *)(uintptr_t)r->u.chunk.body.p)[9] ^= 1;
    put(t, r);
    CHECK_RC(BOUGH_CORRUPT, bough_entries_read(t->store, t->arena, "#5", NULL, &path, &t->err));
    report = mend(t);
    CHECK_INT(1, report.quarantined);
    CHECK_OK(bough_entries_read(t->store, t->arena, "#5", NULL, &path, &t->err));
    t->damaged = true;
}

MENDS(gives_columns_back_what_the_body_says)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 4, 0);

    r->u.entry.mask ^= (int64_t)MASK_PART << BOUGH_PART_TOOL;
    put(t, r);
    mends(t, before, 0);
}

MENDS(shows_an_entry_again_that_nobody_deleted)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 4, 0);

    CHECK_INT(0, r->u.entry.deleted);
    r->u.entry.deleted = 1; /* what a flipped bit makes of 0 */
    put(t, r);
    mends(t, before, 0);
    CHECK_INT(0, row_of(t, RAW_ENTRY, 1, 4, 0)->u.entry.deleted);
}

MENDS(hides_a_deleted_entry_again)
{
    const char *s = new_session(t, "Short"), *gone = user(t, s, "gone");
    struct bough_head at = get(t, s)->head;
    struct raw_row *r;

    (void)before;
    CHECK_OK(bough_entry_delete(t->store, s, gone, &t->err));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    r = row_of(t, RAW_ENTRY, at.branch, at.depth, 0);
    CHECK(r->u.entry.deleted > 0);
    r->u.entry.deleted = 0;
    put(t, r);
    CHECK_INT(0, mend(t).left.errors);
    CHECK(row_of(t, RAW_ENTRY, at.branch, at.depth, 0)->u.entry.deleted > 0);
}

STORE_TEST(repair_fills_the_history_that_a_fork_hangs_on)
{
    const char *s = new_session(t, "Parent");
    struct bough_session_fork_options how = { .title = "Child" };
    struct bough_store_repair_result report;
    struct bough_entries_read_result path;
    struct bough_session *fork;
    struct bough_head at, own;

    for (int i = 0; i < 5; i++)
        user(t, s, "before");
    at = get(t, s)->head;
    CHECK_OK(bough_session_fork(t->store, t->arena, s, &how, &fork, &t->err));
    user(t, fork->id, "lost too");
    user(t, fork->id, "after");
    own = get(t, fork->id)->head;
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    for (int i = 1; i <= at.depth; i++)
        drop(t, row_of(t, RAW_ENTRY, at.branch, i, 0));
    drop(t, row_of(t, RAW_ENTRY, own.branch, at.depth + 1, 0));
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.left.errors);
    CHECK_OK(bough_entries_read(t->store, t->arena, fork->id, NULL, &path, &t->err));
    CHECK_INT(7, path.entries.n);
    CHECK_STR("after", text_of(t, &path.entries.at[6]));
    t->damaged = true; /* stand-ins stay a warning */
}

static void repaired(struct test *t, int64_t quarantined)
{
    struct bough_store_repair_result report;

    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.left.errors);
    CHECK_INT(quarantined, report.quarantined);
}

STORE_TEST(a_message_that_lost_its_lease_is_interrupted_with_all_its_steps)
{
    struct bough_entry *e;
    int64_t n;

    build_world(t);
    build_open(t);
    drop(t, row_of(t, RAW_OPEN, 13, 2, 0));
    repaired(t, 0);
    CHECK_OK(bough_message_recover(t->store, &n, &t->err));
    CHECK_INT(1, n);
    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, "#13.2", &e, &t->err));
    CHECK_STR("Once upon a time", text_of(t, e));
}

STORE_TEST(a_lease_that_names_another_session_is_made_anew)
{
    struct raw_row *r;
    int64_t n;

    build_world(t);
    build_open(t);
    r = row_of(t, RAW_OPEN, 13, 2, 0);
    r->u.open.sid = ROOT;
    put(t, r);
    repaired(t, 0);
    CHECK_INT(WRITING, row_of(t, RAW_OPEN, 13, 2, 0)->u.open.sid);
    CHECK_OK(bough_message_recover(t->store, &n, &t->err));
    CHECK_INT(1, n);
}

STORE_TEST(a_stray_lease_of_a_sealed_message_never_overwrites_it)
{
    struct raw_row *r;
    struct bough_entry *e;
    int64_t n;

    build_world(t);
    build_open(t);
    r = row_of(t, RAW_OPEN, 13, 2, 0);
    r->u.open.bid = 1;
    r->u.open.depth = 4;
    r->u.open.sid = ROOT;
    r->u.open.expires = 1;
    put(t, r);
    CHECK_OK(bough_message_recover(t->store, &n, &t->err));
    CHECK_INT(0, n);
    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, "#1.4", &e, &t->err));
    CHECK_STR("four", text_of(t, e));
    drop(t, r);
}

STORE_TEST(an_entry_that_only_says_that_it_is_open_is_closed)
{
    struct raw_row *r;
    struct bough_entry *e;

    build_world(t);
    r = row_of(t, RAW_ENTRY, 1, 4, 0);
    r->u.entry.mask |= MASK_OPEN;
    put(t, r);
    repaired(t, 0);
    CHECK(!(row_of(t, RAW_ENTRY, 1, 4, 0)->u.entry.mask & MASK_OPEN));
    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, "#1.4", &e, &t->err));
    CHECK(!e->open);
    CHECK_STR("four", text_of(t, e));
}

STORE_TEST(damaged_steps_are_quarantined_and_leases_of_nothing_removed)
{
    struct raw_row *r;

    build_world(t);
    build_open(t);
    r = row_of(t, RAW_DRAFT, 13, 2, 0);
    ((char *)(uintptr_t)r->u.draft.body.p)[r->u.draft.body.n - 1] ^= 1;
    put(t, r);
    r = row_of(t, RAW_OPEN, 13, 2, 0);
    r->u.open.depth = 1;
    put(t, r);
    repaired(t, 1);
    t->damaged = true; /* a quarantined row stays a warning */
}

/* After any damage repair ends and adds no errors. */
STORE_TEST_SECONDS(repair_of_random_damage_never_adds_findings, 120)
{
    build_world(t);
    build_open(t);
    build_exchanges(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    for (int i = 0; i < 15; i++) {
        struct bough_store_fsck_result was;
        struct bough_store_repair_result report;

        damage_something(t);
        CHECK_OK(bough_store_fsck(t->store, BOUGH_FSCK_FULL, NULL, NULL, &was, &t->err));
        CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
        CHECK(report.left.errors <= was.errors);
    }
    t->damaged = true;
}
