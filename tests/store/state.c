/* What a store remembers of itself: its last backup and its last check. */
#include "base/text/str.h"
#include "store/fsck_world.h"

static struct bough_store_info_result info_of(struct test *t)
{
    struct bough_store_info_result info;

    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    return info;
}

STORE_TEST(a_store_remembers_its_last_backup_and_its_last_check)
{
    const struct bough_store_scoped_options who = { .principal = "nightly" };
    struct bough_store *s = bough_store_scoped(t->store, &who);
    struct bough_backup_result made = { .bytes = 4096, .sessions = 3, .entries = 11 };
    struct bough_store_fsck_result report = { .errors = 2, .warnings = 1 };
    struct bough_store_info_result info = info_of(t);

    CHECK_INT(0, info.last_backup->time);
    CHECK_STR("", info.last_backup->file);
    CHECK_INT(0, info.last_fsck->time);
    CHECK_STR("", info.last_fsck->level);
    CHECK((info.file_bytes > 0) == store_lasts(t));

    CHECK_OK(bough_backup_note(s, "/srv/b/monday.db", &made, &t->err));
    CHECK_OK(bough_store_fsck_note(s, BOUGH_FSCK_DEEP, &report, &t->err));
    made.bytes = 8192;
    CHECK_OK(bough_backup_note(t->store, "tuesday.db", &made, &t->err));
    bough_store_close(&s);
    if (store_lasts(t))
        store_reopen(t);
    info = info_of(t);
    CHECK(info.last_backup->time > 0);
    CHECK_STR("tuesday.db", info.last_backup->file);
    CHECK_STR("", info.last_backup->by);
    CHECK_INT(8192, info.last_backup->bytes);
    CHECK_INT(3, info.last_backup->sessions);
    CHECK_INT(11, info.last_backup->entries);
    CHECK(info.last_backup->verified);
    CHECK(info.last_fsck->time > 0);
    CHECK_STR("deep", info.last_fsck->level);
    CHECK_STR("nightly", info.last_fsck->by);
    CHECK_INT(2, info.last_fsck->errors);
    CHECK_INT(1, info.last_fsck->warnings);
}

STORE_TEST(only_a_backup_and_a_check_are_remembered)
{
    struct bough_backup_result made = { 0 };
    struct bough_store_fsck_result report = { 0 };

    CHECK_INT(BOUGH_INVALID, bough_backup_note(t->store, "", &made, &t->err));
    CHECK_INT(BOUGH_INVALID, bough_backup_note(t->store, "folder/", &made, &t->err));
    CHECK_INT(BOUGH_INVALID, bough_backup_note(t->store, NULL, &made, &t->err));
    CHECK_INT(BOUGH_INVALID,
              bough_store_fsck_note(t->store, (enum bough_fsck_level)9, &report, &t->err));
    CHECK_INT(0, info_of(t).last_no);
}

BREAKS(I_04_sees_what_the_store_remembers_without_a_name_or_as_no_json)
{
    struct bough_backup_result made = { .bytes = 1 };
    struct bough_store_repair_result r;
    struct raw_row *row;
    struct state_body b;

    CHECK_OK(bough_backup_note(t->store, "a.db", &made, &t->err));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    row = row_of(t, RAW_RECORD, 0, RECORD_STATE, 1);
    body_of_row(t, row, &b);
    b.name = "";
    body_put(t, row, &b);
    expect(t, "I-04", "", "record 0.15.1");
    row = row_of(t, RAW_RECORD, 0, RECORD_STATE, 1);
    body_of_row(t, row, &b);
    b.data = str_of("{");
    body_put(t, row, &b);
    CHECK_INT(0, info_of(t).last_backup->time); /* nothing else stops for it */
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &r, &t->err));
    CHECK_INT(0, r.left.errors);
    CHECK_INT(1, r.quarantined);
    CHECK_OK(bough_backup_note(t->store, "b.db", &made, &t->err));
    CHECK_STR("b.db", info_of(t).last_backup->file);
    t->damaged = true; /* the quarantined row stays a warning */
}
