/* Compaction markers and the window after the latest one (H28-H30, U14). */
#include "lib/store_test.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *compact(struct test *t, const char *s, const struct bough_compact_options *in)
{
    char *id = bough_arena_alloc(t->arena, BOUGH_ID_LEN + 1);

    CHECK_OK(bough_compact(t->store, s, in, id, &t->err));
    return id;
}

static const char *before(struct test *t, const char *s, const char *entry, const char *summary)
{
    return compact(t, s, &(struct bough_compact_options){ .summary = summary, .before = entry });
}

static enum bough_rc try_compact(struct test *t, const char *s, struct bough_compact_options in)
{
    char id[BOUGH_ID_LEN + 1];

    return bough_compact(t->store, s, &in, id, &t->err);
}

static const char *since(struct test *t, const char *s, bool inherit)
{
    return read_text(t, s,
                     &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_SINCE_MARKER,
                                                           .messages = true,
                                                           .inherit = inherit });
}

static struct bough_entry *latest(struct test *t, const char *s, bool inherit)
{
    struct bough_entry *e;

    CHECK_OK(bough_marker_latest(t->store, t->arena, s, inherit, &e, &t->err));
    return e;
}

struct four {
    const char *s, *id[5];
};

static struct four four(struct test *t)
{
    struct four f = { .s = new_session(t, "x") };

    for (int i = 1; i <= 4; i++)
        f.id[i] = add(t, f.s, i % 2 ? BOUGH_ROLE_USER : BOUGH_ROLE_ASSISTANT,
                      arena_printf(t->arena, "m%d", i));
    return f;
}

/* --- H28: writing markers --- */

STORE_TEST(H28_a_marker_keeps_everything_it_was_given)
{
    struct four f = four(t);
    struct bough_compact_options in = { .summary = "they talked",
                                        .before = f.id[2],
                                        .tokens_before = 9000,
                                        .tokens_saved = 1234,
                                        .details = str_of("{\"readFiles\":[\"a\"]}"),
                                        .from_hook = true };
    const char *id = compact(t, f.s, &in);
    struct bough_entry *m = latest(t, f.s, false);

    CHECK_STR(id, m->id);
    CHECK_INT(BOUGH_ENTRY_COMPACTION, m->kind);
    CHECK_INT(3, m->keep_from);
    CHECK_INT(5, m->at.depth);
    CHECK_INT(4, m->mno);
    CHECK_SPAN(arena_printf(t->arena,
                            "{\"summary\":\"they talked\",\"beforeMessageId\":\"%s\","
                            "\"tokensBefore\":9000,\"tokensSaved\":1234,"
                            "\"details\":{\"readFiles\":[\"a\"]},\"fromHook\":true}",
                            f.id[2]),
               m->data);
    CHECK_INT(4, get(t, f.s)->messages);
}

STORE_TEST(H28_an_unknown_target_is_refused)
{
    struct four f = four(t);
    struct bough_entries all;

    CHECK_RC(BOUGH_NOT_FOUND,
             try_compact(t, f.s, (struct bough_compact_options){ .before = "nope" }));
    CHECK_RC(BOUGH_NOT_FOUND,
             try_compact(t, f.s, (struct bough_compact_options){ .first_kept = "nope" }));
    CHECK_OK(bough_marker_list(t->store, t->arena, f.s, &all, &t->err));
    CHECK_INT(0, all.n);
}

STORE_TEST(H28_a_foreign_target_is_refused)
{
    struct four f = four(t);
    const char *other = new_session(t, "o");

    CHECK_RC(BOUGH_INVALID,
             try_compact(t, f.s, (struct bough_compact_options){ .before = user(t, other, "x") }));
}

STORE_TEST(H28_a_target_off_the_heads_path_is_refused)
{
    struct four f = four(t);

    CHECK_OK(bough_head_move(t->store, f.s, f.id[2], &t->err));
    CHECK_RC(BOUGH_INVALID,
             try_compact(t, f.s, (struct bough_compact_options){ .before = f.id[3] }));
    user(t, f.s, "side");
    CHECK_RC(BOUGH_INVALID,
             try_compact(t, f.s, (struct bough_compact_options){ .before = f.id[3] }));
    before(t, f.s, f.id[2], "ok");
    CHECK_STR("side", since(t, f.s, false));
}

STORE_TEST(H28_both_targets_at_once_or_negative_tokens_are_refused)
{
    struct four f = four(t);

    CHECK_RC(BOUGH_INVALID, try_compact(t, f.s,
                                        (struct bough_compact_options){ .before = f.id[1],
                                                                        .first_kept = f.id[2] }));
    CHECK_RC(BOUGH_INVALID,
             try_compact(t, f.s, (struct bough_compact_options){ .tokens_before = -1 }));
    CHECK_RC(BOUGH_INVALID,
             try_compact(t, f.s, (struct bough_compact_options){ .tokens_saved = -1 }));
    CHECK_RC(BOUGH_NOT_FOUND,
             try_compact(t, "nobody", (struct bough_compact_options){ .summary = "" }));
    CHECK(latest(t, f.s, false) == NULL);
}

STORE_TEST(H28_details_that_are_not_json_are_refused)
{
    struct four f = four(t);

    CHECK_RC(BOUGH_INVALID,
             try_compact(t, f.s, (struct bough_compact_options){ .details = str_of("{a}") }));
}

STORE_TEST(H28_the_same_key_writes_one_marker)
{
    struct four f = four(t);
    struct bough_compact_options in = { .summary = "s", .before = f.id[2], .key = "k" };
    const char *one = compact(t, f.s, &in), *two = compact(t, f.s, &in);
    struct bough_entries all;

    CHECK_STR(one, two);
    CHECK_OK(bough_marker_list(t->store, t->arena, f.s, &all, &t->err));
    CHECK_INT(1, all.n);
    in.summary = "other";
    CHECK_RC(BOUGH_KEY_CONFLICT, try_compact(t, f.s, in));
}

STORE_TEST(H28_the_same_key_with_another_target_is_a_conflict)
{
    struct four f = four(t);
    struct bough_compact_options in = { .summary = "s", .before = f.id[2], .key = "k" };

    compact(t, f.s, &in);
    in.before = f.id[3];
    CHECK_RC(BOUGH_KEY_CONFLICT, try_compact(t, f.s, in));
}

/* --- H29: finding markers --- */

STORE_TEST(H29_without_a_marker_there_is_no_latest_and_an_empty_list)
{
    struct four f = four(t);
    struct bough_entries all;
    struct bough_entry *e;

    CHECK(latest(t, f.s, false) == NULL);
    CHECK(latest(t, f.s, true) == NULL);
    CHECK_OK(bough_marker_list(t->store, t->arena, f.s, &all, &t->err));
    CHECK_INT(0, all.n);
    CHECK_RC(BOUGH_NOT_FOUND, bough_marker_latest(t->store, t->arena, "no", false, &e, &t->err));
}

STORE_TEST(H29_markers_are_listed_oldest_first_and_the_newest_is_the_latest)
{
    struct four f = four(t);
    const char *a = before(t, f.s, f.id[1], "a"), *b, *c;
    struct bough_entries all;

    b = before(t, f.s, f.id[2], "b");
    user(t, f.s, "m5");
    c = before(t, f.s, f.id[3], "c");
    CHECK_OK(bough_marker_list(t->store, t->arena, f.s, &all, &t->err));
    CHECK_INT(3, all.n);
    CHECK_STR(a, all.at[0].id);
    CHECK_STR(b, all.at[1].id);
    CHECK_STR(c, all.at[2].id);
    CHECK_STR(c, latest(t, f.s, false)->id);
}

STORE_TEST(H29_markers_are_not_inherited_unless_asked_for)
{
    struct four f = four(t);
    const char *m = before(t, f.s, f.id[2], "s"), *child = fork_at(t, f.s, NULL);
    struct bough_entries all;

    CHECK(latest(t, child, false) == NULL);
    CHECK_STR(m, latest(t, child, true)->id);
    CHECK_OK(bough_marker_list(t->store, t->arena, child, &all, &t->err));
    CHECK_INT(0, all.n);
}

STORE_TEST(U14_the_latest_marker_is_the_latest_on_the_heads_path)
{
    struct four f = four(t);
    const char *a = before(t, f.s, f.id[1], "a");
    struct bough_entries all;

    before(t, f.s, f.id[3], "b");
    CHECK_OK(bough_head_move(t->store, f.s, a, &t->err));
    CHECK_STR(a, latest(t, f.s, false)->id);
    CHECK_STR("m2 m3 m4", since(t, f.s, false));
    CHECK_OK(bough_head_move(t->store, f.s, f.id[4], &t->err));
    CHECK(latest(t, f.s, false) == NULL);
    CHECK_OK(bough_marker_list(t->store, t->arena, f.s, &all, &t->err));
    CHECK_INT(2, all.n);
}

STORE_TEST(U14_a_deleted_marker_counts_no_more)
{
    struct four f = four(t);
    const char *a = before(t, f.s, f.id[1], "a"), *b = before(t, f.s, f.id[3], "b");

    CHECK_OK(bough_entry_delete(t->store, f.s, b, &t->err));
    CHECK_STR(a, latest(t, f.s, false)->id);
    CHECK_STR("m2 m3 m4", since(t, f.s, false));
}

/* --- H30: the window --- */

STORE_TEST(H30_without_a_marker_the_whole_history_is_shown)
{
    struct four f = four(t);

    CHECK_STR("m1 m2 m3 m4", since(t, f.s, false));
}

STORE_TEST(H30_the_window_begins_behind_the_last_summarised_message)
{
    struct four f = four(t);
    const char *m = before(t, f.s, f.id[2], "s");
    struct bough_entries_read_result path;

    user(t, f.s, "m5");
    CHECK_STR("m3 m4 m5", since(t, f.s, false));
    CHECK_OK(bough_entries_read(
        t->store, t->arena, f.s,
        &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_SINCE_MARKER }, &path,
        &t->err));
    CHECK_STR(m, path.marker->id);
    CHECK_INT(3, path.marker->keep_from);
    CHECK_STR("m1 m2 m3 m4 m5", path_text(t, f.s));
}

STORE_TEST(H30a_a_fork_of_a_compacted_parent_shows_the_full_history_or_inherits)
{
    struct four f = four(t);
    const char *child;

    before(t, f.s, f.id[3], "s");
    child = fork_at(t, f.s, NULL);
    user(t, child, "c1");
    CHECK_STR("m1 m2 m3 m4 c1", since(t, child, false));
    CHECK_STR("m4 c1", since(t, child, true));
}

STORE_TEST(H30a_a_fork_before_the_marker_does_not_inherit_it)
{
    struct four f = four(t);
    const char *child;

    before(t, f.s, f.id[3], "s");
    child = fork_at(t, f.s, f.id[4]);
    CHECK_STR("m1 m2 m3 m4", since(t, child, true));
    CHECK(latest(t, child, true) == NULL);
}

STORE_TEST(H30b_a_childs_marker_on_an_inherited_message_spans_the_segments)
{
    struct four f = four(t);
    const char *child = fork_at(t, f.s, f.id[3]), *grand;

    user(t, child, "c1");
    before(t, child, f.id[1], "s");
    CHECK_STR("m2 m3 c1", since(t, child, false));
    CHECK_STR("m1 m2 m3 m4", since(t, f.s, false));
    grand = fork_at(t, child, NULL);
    user(t, grand, "g1");
    CHECK_STR("m1 m2 m3 c1 g1", since(t, grand, false));
    CHECK_STR("m2 m3 c1 g1", since(t, grand, true));
    before(t, grand, f.id[2], "s2");
    CHECK_STR("m3 c1 g1", since(t, grand, false));
}

STORE_TEST(H30c_a_newer_marker_with_an_older_cut_off_opens_the_window_again)
{
    struct four f = four(t);

    before(t, f.s, f.id[3], "a");
    CHECK_STR("m4", since(t, f.s, false));
    before(t, f.s, f.id[1], "b");
    CHECK_STR("m2 m3 m4", since(t, f.s, false));
}

STORE_TEST(H30d_a_marker_behind_everything_gives_an_empty_window)
{
    struct four f = four(t);

    before(t, f.s, f.id[4], "s");
    CHECK_STR("", since(t, f.s, false));
    user(t, f.s, "m5");
    CHECK_STR("m5", since(t, f.s, false));
}

STORE_TEST(U14_a_marker_without_a_target_keeps_nothing_before_it)
{
    struct four f = four(t);

    compact(t, f.s, &(struct bough_compact_options){ .summary = "all" });
    CHECK_INT(0, latest(t, f.s, false)->keep_from);
    CHECK_STR("", since(t, f.s, false));
    user(t, f.s, "m5");
    CHECK_STR("m5", since(t, f.s, false));
}

STORE_TEST(U14_first_kept_is_the_first_message_still_shown)
{
    struct four f = four(t);
    struct bough_entry *m;

    compact(t, f.s, &(struct bough_compact_options){ .summary = "s", .first_kept = f.id[3] });
    m = latest(t, f.s, false);
    CHECK_INT(3, m->keep_from);
    CHECK_STR("m3 m4", since(t, f.s, false));
    compact(t, f.s, &(struct bough_compact_options){ .summary = "s", .first_kept = f.id[1] });
    CHECK_STR("m1 m2 m3 m4", since(t, f.s, false));
}

STORE_TEST(U14_first_kept_may_be_an_entry_of_any_kind)
{
    struct four f = four(t);
    const char *m = before(t, f.s, f.id[3], "s");

    user(t, f.s, "m5");
    compact(t, f.s, &(struct bough_compact_options){ .summary = "s2", .first_kept = m });
    CHECK_STR("m5", since(t, f.s, false));
}

STORE_TEST(U14_a_session_without_entries_may_be_compacted)
{
    const char *s = new_session(t, "x");

    compact(t, s, &(struct bough_compact_options){ .summary = "before us" });
    user(t, s, "m1");
    CHECK_STR("m1", since(t, s, false));
    CHECK_STR("m1", path_text(t, s));
}

STORE_TEST(U14_the_window_is_the_same_after_folding_and_reopening)
{
    struct four f = four(t);

    before(t, f.s, f.id[2], "s");
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_STR("m3 m4", since(t, f.s, false));
    if (!store_lasts(t))
        return;
    store_reopen(t);
    CHECK_STR("m3 m4", since(t, f.s, false));
    CHECK_INT(3, latest(t, f.s, false)->keep_from);
}

STORE_TEST(U14_a_purged_parents_marker_still_holds_for_the_fork_that_inherits)
{
    struct four f = four(t);
    const char *child;

    before(t, f.s, f.id[3], "s");
    child = fork_at(t, f.s, NULL);
    user(t, child, "c1");
    CHECK_OK(bough_session_purge(t->store, t->arena, f.s, NULL, &t->err));
    CHECK_STR("m4 c1", since(t, child, true));
    CHECK_STR("m1 m2 m3 m4 c1", since(t, child, false));
}

STORE_TEST(U14_the_fields_of_a_marker_are_read_without_its_json)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one");
    struct bough_compact_options in = { .summary = "so far",
                                        .before = one,
                                        .tokens_before = 900,
                                        .tokens_saved = 700,
                                        .details = str_of("{\"k\":[1]}"),
                                        .from_hook = true };
    struct bough_marker m;
    struct bough_entry *e;
    char id[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_compact(t->store, s, &in, id, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, id, &e, &t->err));
    CHECK_OK(bough_marker_read(t->arena, e, &m, &t->err));
    CHECK_STR("so far", m.summary);
    CHECK_STR(one, m.before);
    CHECK_STR("", m.first_kept);
    CHECK_INT(2, m.keep_from);
    CHECK_INT(900, m.tokens_before);
    CHECK_INT(700, m.tokens_saved);
    CHECK_SPAN("{\"k\":[1]}", m.details);
    CHECK(m.from_hook);
    CHECK_OK(bough_entry_get(t->store, t->arena, s, one, &e, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_marker_read(t->arena, e, &m, &t->err));
}
