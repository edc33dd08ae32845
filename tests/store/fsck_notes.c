/* fsck, continued: markers, notes, money, lists, the changelog, names; and random damage. */
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/exchange_world.h"
#include "store/fsck_world.h"

/* ---- markers, notes, money ---- */

BREAKS(I_28_sees_a_marker_that_keeps_what_comes_later)
{
    struct edit ed = entry_of(t, 1, 6);

    CHECK_INT(2, ed.e.keep_from);
    ed.e.keep_from = 7;
    entry_put(t, &ed);
    expect(t, "I-28", "", "#1.6");
}

BREAKS(I_29_sees_notes_about_nothing)
{
    struct raw_row *r = row_of(t, RAW_RECORD, ROOT, RECORD_LABEL, 1);
    struct memory_body memory;
    struct label_body label;
    struct todo_body todo;

    body_of_row(t, r, &label);
    label.entry = "";
    label.depth = 50;
    body_put(t, r, &label);
    expect(t, "I-29", "", "record 1.4.1");
    r = row_of(t, RAW_RECORD, ROOT, RECORD_LABEL, 1);
    body_of_row(t, r, &label);
    label.depth = 4; /* another depth than in its id */
    body_put(t, r, &label);
    expect(t, "I-29", "", "record 1.4.1");
    r = row_of(t, RAW_RECORD, ROOT, RECORD_TODO, 1);
    body_of_row(t, r, &todo);
    todo.items = str_of("[{\"content\":\"x\",\"status\":\"perhaps\"}]");
    body_put(t, r, &todo);
    expect(t, "I-29", "", "record 1.5.1");
    r = row_of(t, RAW_RECORD, 0, RECORD_MEMORY, 1);
    body_of_row(t, r, &memory);
    memory.content = "";
    body_put(t, r, &memory);
    expect(t, "I-29", "", "record 0.3.1");
}

BREAKS(I_33_sees_totals_that_are_no_sums)
{
    for (int i = 0; i < 5; i++) {
        struct raw_row *r = row_of(t, RAW_LIST, AGENT, 0, 0);
        struct list_body b;
        int64_t *const numbers[] = { &b.own.cost, &b.below.input, &b.adjust.output, &b.messages,
                                     &b.calls };

        body_of_row(t, r, &b);
        ++*numbers[i];
        body_put(t, r, &b);
        expect(t, "I-33", "", "#5");
    }
}

BREAKS(I_34_sees_calls_that_are_not_there)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 3, 0);
    struct pack_head h;
    struct call_body b;

    CHECK(pack_entry_head(r->u.entry.body, &h));
    pack_entry_patch((char *)(uintptr_t)r->u.entry.body.p, h.no, 9);
    put(t, r);
    expect(t, "I-34", "", "#1.3");
    pack_entry_patch((char *)(uintptr_t)r->u.entry.body.p, h.no, 2);
    put(t, r);
    expect(t, "I-34", "", "#1.3");
    r = row_of(t, RAW_ENTRY, 1, 7, 0);
    r->u.entry.mask &= ~(int64_t)MASK_UNLINKED; /* its call was deleted */
    put(t, r);
    expect(t, "I-34", "", "#1.7");
    r = row_of(t, RAW_RECORD, DEEP, RECORD_CALL, 1);
    body_of_row(t, r, &b);
    b.used.cost = -3;
    body_put(t, r, &b);
    expect(t, "I-34", "", "record 6.1.1");
}

/* ---- lists, changelog, names ---- */

BREAKS(I_42_sees_list_rows_that_show_something_else)
{
    struct raw_row *r = row_of(t, RAW_LIST, ROOT, 0, 0);
    struct list_body b;

    body_of_row(t, r, &b);
    CHECK_STR("aside", b.last_user);
    b.last_user = "beside";
    body_put(t, r, &b);
    expect(t, "I-42", "", "#1");
    r = row_of(t, RAW_LIST, ROOT, 0, 0);
    r->u.list.hay = "root\nroot\n/q\none";
    put(t, r);
    expect(t, "I-42", "", "#1");
    for (int i = 0; i < 5; i++) {
        r = row_of(t, RAW_LIST, ROOT, 0, 0);
        r->u.list.updated += i == 0;
        r->u.list.modified += i == 1;
        r->u.list.deleted += i == 2;
        r->u.list.model_name = i == 3 ? "other" : r->u.list.model_name;
        body_of_row(t, r, &b);
        b.rev += i == 4;
        body_put(t, r, &b);
        expect(t, "I-42", "", "#1");
    }
}

static int64_t last_no(struct test *t)
{
    struct bough_store_info_result info;

    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    return info.last_no;
}

static int64_t no_of(struct test *t, int64_t bid, int64_t depth)
{
    return entry_of(t, bid, depth).e.no;
}

static const char *log_at(struct test *t, int64_t no)
{
    return arena_printf(t->arena, "log %lld", (long long)no);
}

BREAKS(I_43_sees_entries_with_other_numbers)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 4, 0);

    pack_entry_patch((char *)(uintptr_t)r->u.entry.body.p, no_of(t, 1, 4) + 100, 0);
    put(t, r);
    expect(t, "I-43", "I-14", "#1.4");
}

/* Entries of one append share a row of the log; what it says of each is its place in it. */
STORE_TEST(fsck_I_43_blames_only_the_entry_with_another_number)
{
    struct bough_entry_new e[4] = { { 0 } };
    struct bough_append_options in = { .entries = e, .n = 4 };
    const char *s = new_session(t, "x");
    struct bough_append_result out;
    struct raw_row *r;

    for (int i = 0; i < 4; i++)
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "m" };
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    user(t, s, "five");
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    r = row_of(t, RAW_ENTRY, 1, 5, 0);
    pack_entry_patch((char *)(uintptr_t)r->u.entry.body.p, no_of(t, 1, 5) + 100, 0);
    put(t, r);
    expect(t, "I-43", "", "#1.5");
    r = row_of(t, RAW_ENTRY, 1, 3, 0);
    pack_entry_patch((char *)(uintptr_t)r->u.entry.body.p, no_of(t, 1, 3) + 100, 0);
    put(t, r);
    expect(t, "I-43", "I-14", "#1.3");
}

BREAKS(I_43_sees_a_log_that_is_not_what_happened)
{
    int64_t no = no_of(t, 1, 4), last = last_no(t);
    struct raw_row *r = row_of(t, RAW_CHANGELOG, no, 0, 0);

    r->u.log.n = 2; /* a number is used twice */
    put(t, r);
    expect(t, "I-43", "", log_at(t, no));
    r->u.log.n = 1;
    r->u.log.kind = CHANGELOG_SESSION; /* no changelog row covers the entry */
    put(t, r);
    expect(t, "I-43", "", log_at(t, no + 1));
    r->u.log.kind = 70;
    r->u.log.bid = r->u.log.depth = 0;
    put(t, r);
    expect(t, "I-43", "", log_at(t, no));
    drop(t, row_of(t, RAW_CHANGELOG, last, 0, 0)); /* the lists' watermark is past the changelog */
    expect(t, "I-43", "", log_at(t, last));
}

BREAKS(I_43_sees_lost_tails_even_quickly)
{
    int64_t no = no_of(t, 1, 8);

    drop(t, row_of(t, RAW_ENTRY, 1, 8, 0));
    CHECK_STR("I-43", look(t, BOUGH_FSCK_QUICK, false).errors);
    expect(t, "I-43", "", log_at(t, no));
}

BREAKS(I_44_sees_keys_without_an_answer)
{
    struct raw_row *r = row_of(t, RAW_KEY, 0, 0, 0);

    r->u.key.no = 9999;
    put(t, r);
    expect(t, "I-44", "", "#1");
    r->u.key.no = last_no(t);
    put(t, r);
    expect(t, "I-44", "", "#1");
}

BREAKS(I_45_sees_aliases_that_lie)
{
    struct raw_row want = { .table = RAW_ALIAS, .u.alias = { .id = "m-2", .scope = ROOT } };
    struct raw_row *r = row_like(t, &want), other;

    CHECK(r);
    other = *r;
    other.u.alias.b = 50; /* no such entry */
    put(t, &other);
    expect(t, "I-45", "", "alias m-2");
    other.u.alias.b = 4; /* another entry */
    put(t, &other);
    expect(t, "I-45", "", "#1.2");
    drop(t, r);
    expect(t, "I-45", "", "#1.2");
    want.u.alias = (struct alias_row){ .id = "session:root-id" };
    drop(t, row_like(t, &want));
    expect(t, "I-45", "", "#1");
}

BREAKS(I_04_sees_aliases_of_unknown_kinds_and_looks_at_the_others_too)
{
    struct raw_row odd = { .table = RAW_ALIAS, .u.alias = { "a-odd", ROOT, 9, 1, 2 } };
    struct raw_row lie = { .table = RAW_ALIAS, .u.alias = { "z-lie", ROOT, ALIAS_ENTRY, 1, 50 } };

    put(t, &odd);
    put(t, &lie);
    CHECK_STR("I-04 I-45", look(t, BOUGH_FSCK_FULL, false).errors);
    put_back(t);
}

static void say_as(struct test *t, const char *session, const char *id)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = id, .id = id };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
}

/* One lie says nothing about the aliases of others. */
STORE_TEST(fsck_I_45_blames_only_the_entry_that_lost_its_alias)
{
    struct raw_row want = { .table = RAW_ALIAS, .u.alias = { .id = "two", .scope = 1 } }, *r;
    const char *s = new_session(t, "x");

    say_as(t, s, "one");
    say_as(t, s, "two");
    say_as(t, s, "three");
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    r = row_like(t, &want);
    CHECK(r);
    drop(t, r);
    expect(t, "I-45", "", "#1.2");
}

BREAKS(I_43_sees_calls_that_the_log_has_and_the_store_has_not)
{
    int64_t no = no_of(t, 1, 3); /* an answer with a call */
    struct raw_row *r = row_of(t, RAW_CHANGELOG, no, 0, 0);

    CHECK_INT(1, r->u.log.aux);
    r->u.log.aux = 70;
    put(t, r);
    expect(t, "I-43", "", log_at(t, no));
    r->u.log.aux = -1;
    put(t, r);
    expect(t, "I-43", "", log_at(t, no));
}

/* ---- open messages ---- */

static struct bough_head writing_at(struct test *t)
{
    build_open(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    return get(t, "#12")->head;
}

BREAKS(I_48_sees_a_lease_without_an_open_message)
{
    struct bough_head at = writing_at(t);
    struct raw_row *r = row_of(t, RAW_OPEN, at.branch, at.depth, 0);

    CHECK_INT(WRITING, r->u.open.sid);
    drop(t, r);
    drop(t, row_of(t, RAW_DRAFT, at.branch, at.depth, 0));
    expect(t, "I-48", "", "#13.2");
    r->u.open.depth = 1; /* a sealed message */
    put(t, r);
    expect(t, "I-48", "", "#13.1");
    r->u.open.depth = 2;
    r->u.open.sid = ROOT;
    put(t, r);
    expect(t, "I-48", "", "#13.2");
}

BREAKS(I_48_sees_steps_that_are_damaged_or_missing)
{
    struct bough_head at = writing_at(t);
    struct raw_row *r = row_of(t, RAW_DRAFT, at.branch, at.depth, 0), other = *r;

    ((char *)(uintptr_t)r->u.draft.body.p)[r->u.draft.body.n - 1] ^= 1;
    put(t, r);
    expect(t, "I-48", "", "#13.2");
    ((char *)(uintptr_t)r->u.draft.body.p)[r->u.draft.body.n - 1] ^= 1;
    other.u.draft.end += 7; /* leaves a gap before it */
    other.u.draft.step = 9;
    put(t, &other);
    expect(t, "I-48", "", "#13.2");
    other.u.draft = r->u.draft;
    other.u.draft.depth = 1; /* a message that is not open */
    put(t, &other);
    expect(t, "I-48", "", "#13.1");
}

BREAKS(I_48_sees_an_open_message_that_has_parts)
{
    struct bough_head at = writing_at(t);
    struct edit ed = entry_of(t, at.branch, at.depth);
    struct bough_part part = { BOUGH_PART_TEXT, str_of("{\"type\":\"text\",\"text\":\"a\"}") };

    ed.e.parts = &part;
    ed.e.nparts = 1;
    ed.r->u.entry.mask |= MASK_PART << BOUGH_PART_TEXT;
    entry_put(t, &ed);
    expect(t, "I-48", "", "#13.2");
}

/* ---- random damage ---- */

STORE_TEST_SECONDS(fsck_survives_any_damage_and_sees_most_of_it, 60)
{
    enum { TRIES = 600 };
    int found = 0;

    build_world(t);
    build_open(t);
    build_exchanges(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    for (int i = 0; i < TRIES; i++) {
        struct seen s;

        damage_something(t);
        look(t, BOUGH_FSCK_QUICK, false);
        s = look(t, BOUGH_FSCK_FULL, false);
        found += *s.errors || *s.warnings;
        put_back(t);
    }
    check_clean(t);
    printf("# fsck saw %d of %d damages\n", found, TRIES);
    CHECK(found > TRIES * 2 / 3);
}

/* A purged session without an heir: the store keeps what it spent. */
static void leave_to_store(struct test *t)
{
    struct bough_call_new call = { .model = "m", .used = { .cost = 77 } };
    struct bough_append_options in = { .call = &call };
    const char *id = new_session(t, "to be purged");
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, id, &in, &out, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, id, NULL, &t->err));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
}

BREAKS(I_35_sees_spending_that_is_not_what_calls_add_up_to)
{
    struct raw_row *r = row_of(t, RAW_SPEND, ROOT, 0, 0);

    leave_to_store(t);
    r->u.spend.cost++;
    put(t, r);
    expect(t, "I-35", "", "#1");
    r = row_of(t, RAW_SPEND, ROOT, 0, 0);
    r->u.spend.model = "another";
    put(t, r);
    expect(t, "I-35", "", "#1");
    drop(t, row_of(t, RAW_SPEND, ROOT, 0, 0));
    expect(t, "I-35", "", "#1");
    drop(t, row_of(t, RAW_SPEND, 0, 0, 0)); /* what purged sessions left to the store */
    expect(t, "I-35", "", "purged sessions");
    r = row_of(t, RAW_SPEND, ROOT, 0, 0);
    r->u.spend.unknown = -1;
    put(t, r);
    expect(t, "I-04 I-35", "", "#1");
}

BREAKS(I_05_sees_spending_of_no_session)
{
    struct raw_row *r = row_of(t, RAW_SPEND, ROOT, 0, 0);

    r->u.spend.sid = 70;
    put(t, r);
    expect(t, "I-05", "", "#70");
    r->u.spend.sid = GONE;
    put(t, r);
    expect(t, "I-05", "", "#7");
}

STORE_TEST(repair_adds_up_spending_again)
{
    struct bough_store_repair_result report;
    struct raw_row *r;

    build_world(t);
    leave_to_store(t);
    r = row_of(t, RAW_SPEND, ROOT, 0, 0);
    r->u.spend.cost = 5;
    put(t, r);
    drop(t, row_of(t, RAW_SPEND, 0, 0, 0));
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    check_clean(t);
}

/* What the migration leaves behind: no spend rows, and a mark that says so. */
STORE_TEST(a_store_without_its_spending_is_rebuilt_when_it_is_opened)
{
    struct bough_spend_options how = { .by = BOUGH_SPEND_BY_SESSION };
    struct bough_spend_result was, is;
    struct raw_numbers numbers;
    struct bough_store *reader;
    struct raw_row want = { .table = RAW_SPEND }, *r;
    struct snap snap;

    if (!store_lasts(t))
        SKIP("a memory store is never of an older version");
    build_world(t);
    leave_to_store(t);
    CHECK_OK(bough_spend(t->store, t->arena, &how, &was, &t->err));
    CHECK(was.ngroups > 1 && was.total.used.cost > 0);
    for (int64_t sid = 0; sid <= WRITING; sid++)
        for (want.u.spend.sid = sid; (r = row_like(t, &want)); want.u.spend.sid = sid)
            CHECK_OK(t->store->e->ops->raw_fix(t->store->e->backend, r, true, &t->err));
    CHECK_OK(snap_begin(t->store, &snap, &t->err));
    CHECK_OK(snap.ops->raw_numbers(snap.v, t->arena, &numbers, &t->err));
    snap_end(&snap);
    numbers.lists = -1;
    CHECK_OK(t->store->e->ops->raw_load(t->store->e->backend, NULL, 0, &numbers, &t->err));
    CHECK_RC(BOUGH_READ_ONLY,
             bough_store_open(&reader, t->url,
                              &(struct bough_store_open_options){ .read_only = true }, &t->err));
    store_reopen(t);
    CHECK_OK(bough_spend(t->store, t->arena, &how, &is, &t->err));
    CHECK_INT(was.total.used.cost, is.total.used.cost);
    CHECK_INT(was.ngroups, is.ngroups);
    check_clean(t);
}

/* A call that an older bough stored: it counts for the project that its session has now. */
STORE_TEST(a_call_without_a_project_counts_for_the_one_of_its_session)
{
    struct bough_session_update_options move = { .project = "/now" };
    struct bough_spend_options how = { .project = "/now", .session = "#1" };
    struct bough_store_repair_result report;
    struct bough_spend_result was, is;
    struct call_body body;
    struct raw_row *r;

    build_world(t);
    how.project = NULL;
    CHECK_OK(bough_spend(t->store, t->arena, &how, &was, &t->err));
    for (int64_t ord = 1; ord <= get(t, "#1")->calls; ord++) {
        r = row_of(t, RAW_RECORD, ROOT, RECORD_CALL, ord);
        body_of_row(t, r, &body);
        body.project = body.account = 0;
        body_put(t, r, &body);
    }
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_OK(bough_session_update(t->store, "#1", &move, &t->err));
    how = (struct bough_spend_options){ .project = "/now" };
    CHECK_OK(bough_spend(t->store, t->arena, &how, &is, &t->err));
    CHECK(is.total.used.cost > 0 && is.total.used.cost <= was.total.used.cost);
    how = (struct bough_spend_options){ .by = BOUGH_SPEND_BY_PROJECT };
    CHECK_OK(bough_spend(t->store, t->arena, &how, &is, &t->err));
    CHECK(is.ngroups >= 2);
    CHECK_OK(bough_session_purge(t->store, t->arena, get(t, "#1")->id, NULL, &t->err));
    how = (struct bough_spend_options){ .project = "/now" };
    CHECK_OK(bough_spend(t->store, t->arena, &how, &is, &t->err));
    CHECK(is.total.used.cost > 0);
}
