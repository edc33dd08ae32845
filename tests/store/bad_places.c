/* Places that do not exist, or that contradict each other, are refused. */
#include "lib/store_test.h"

STORE_TEST(an_append_behind_an_entry_is_no_new_root)
{
    const char *s = new_session(t, "x"), *a = user(t, s, "a");
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "b" };
    struct bough_append_options in = { .entries = &e, .n = 1, .at = a, .at_root = true };
    struct bough_entry_new answer = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options open = { .entry = &answer, .at = a, .at_root = true };
    struct bough_message_open_result opened;
    struct bough_append_result out;

    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_message_open(t->store, t->arena, s, &open, &opened, &t->err));
    CHECK_STR("a", path_text(t, s));
    in.at = "";
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("b", path_text(t, s));
}

STORE_TEST(a_compaction_keeps_entries_of_its_path_or_is_refused)
{
    const char *s = new_session(t, "x");
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_COMPACTION, .keep_from = 99 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *marker;

    user(t, s, "a");
    user(t, s, "b");
    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    e.keep_from = 4; /* the compaction itself is at 3 */
    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    e.keep_from = 2;
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_marker_latest(t->store, t->arena, s, false, &marker, &t->err));
    CHECK_INT(2, marker->keep_from);
    e = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "c", .keep_from = 1 };
    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &in, &out, &t->err));
}

STORE_TEST(reading_from_a_slot_or_a_mark_that_does_not_exist_is_not_reading_from_the_beginning)
{
    const char *s = new_session(t, "x"), *a = user(t, s, "a");
    struct bough_entries_read_options how = { .from = "#999.1" };
    struct bough_entries_read_result page;
    struct bough_feed_next_result feed;
    struct bough_mark from = { 999, 1 };

    CHECK(*a);
    CHECK_RC(BOUGH_NOT_FOUND, bough_entries_read(t->store, t->arena, s, &how, &page, &t->err));
    how.what = BOUGH_ENTRIES_OWN;
    CHECK_RC(BOUGH_NOT_FOUND, bough_entries_read(t->store, t->arena, s, &how, &page, &t->err));
    CHECK_OK(bough_feed_next(t->store, t->arena, from, 0, 0, &feed, &t->err));
    CHECK(feed.reset);
    CHECK_INT(0, feed.changes.n);
    from.epoch = -1;
    CHECK_RC(BOUGH_INVALID, bough_feed_next(t->store, t->arena, from, 0, 0, &feed, &t->err));
}
