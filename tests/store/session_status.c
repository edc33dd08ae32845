/* Status, leases and archived sessions: every transition, and what read-only means (A7, U22). */
#include "lib/store_test.h"

#include <string.h>

#include "base/text/str.h"

static enum bough_rc set_status(struct test *t, const char *s, enum bough_status status)
{
    return bough_session_status(t->store, s, status, "w", 100000, NULL, &t->err);
}

/* Create a session with this status. */
static const char *session_that_is(struct test *t, enum bough_status status)
{
    const char *s = new_session(t, bough_status_name(status));

    if (status == BOUGH_STATUS_BUSY || status == BOUGH_STATUS_RETRY)
        CHECK_OK(set_status(t, s, BOUGH_STATUS_BUSY));
    if (status == BOUGH_STATUS_RETRY)
        CHECK_OK(set_status(t, s, BOUGH_STATUS_RETRY));
    if (status == BOUGH_STATUS_ARCHIVED)
        CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_INT(status, get(t, s)->status);
    return s;
}

static void try_all(struct test *t, enum bough_status from, const bool may[4])
{
    for (int to = BOUGH_STATUS_IDLE; to <= BOUGH_STATUS_ARCHIVED; to++) {
        const char *s = session_that_is(t, from);

        if ((int)from == to && from != BOUGH_STATUS_BUSY)
            continue;
        CHECK_RC(may[to] ? BOUGH_OK : BOUGH_CONFLICT, set_status(t, s, (enum bough_status)to));
        CHECK_INT(may[to] ? (enum bough_status)to : from, get(t, s)->status);
    }
}

STORE_TEST(A7_idle_becomes_busy_or_archived_and_nothing_else)
{
    try_all(t, BOUGH_STATUS_IDLE, (const bool[]){ true, true, false, true });
}

STORE_TEST(A7_busy_becomes_idle_or_retry_or_is_renewed_and_nothing_else)
{
    try_all(t, BOUGH_STATUS_BUSY, (const bool[]){ true, true, true, false });
}

STORE_TEST(A7_retry_becomes_busy_idle_or_archived)
{
    try_all(t, BOUGH_STATUS_RETRY, (const bool[]){ true, true, true, true });
}

STORE_TEST(A7_archived_becomes_idle_and_nothing_else)
{
    try_all(t, BOUGH_STATUS_ARCHIVED, (const bool[]){ true, false, false, true });
}

STORE_TEST(A7_a_status_that_does_not_exist_is_invalid)
{
    const char *s = new_session(t, "x");

    CHECK_RC(BOUGH_INVALID, set_status(t, s, (enum bough_status)(BOUGH_STATUS_ARCHIVED + 1)));
    CHECK_RC(BOUGH_INVALID, set_status(t, s, (enum bough_status) - 1));
    CHECK_RC(BOUGH_NOT_FOUND, set_status(t, "nobody", BOUGH_STATUS_BUSY));
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
}

STORE_TEST(A7_unarchive_gives_idle_and_only_from_archived)
{
    const char *s = new_session(t, "x");

    CHECK_RC(BOUGH_CONFLICT, bough_session_unarchive(t->store, s, &t->err));
    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_OK(bough_session_unarchive(t->store, s, &t->err));
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    user(t, s, "again");
    CHECK_STR("again", path_text(t, s));
}

STORE_TEST(A7_the_same_status_again_changes_nothing)
{
    const char *s = session_that_is(t, BOUGH_STATUS_ARCHIVED);
    struct bough_session *before = get(t, s);

    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_INT(before->rev, get(t, s)->rev);
    CHECK_INT(before->updated, get(t, s)->updated);
}

/* --- the lease --- */

STORE_TEST(U22_busy_takes_a_lease_that_says_who_and_since_when)
{
    const char *s = new_session(t, "x");
    struct bough_session *b;
    int64_t epoch = 0;

    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, &epoch, &t->err));
    b = get(t, s);
    CHECK_STR("ada", b->lease->owner);
    CHECK_INT(epoch, b->lease->epoch);
    CHECK(b->lease->since > 0);
    CHECK_INT(b->lease->since + 5000, b->lease->expires);
}

STORE_TEST(U22_another_owner_meets_a_living_lease_as_busy)
{
    const char *s = new_session(t, "x");
    int64_t epoch;

    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, &epoch, &t->err));
    CHECK_RC(BOUGH_BUSY,
             bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "bob", 5000, NULL, &t->err));
    CHECK(strstr(t->err.msg, "ada"));
    CHECK_RC(BOUGH_BUSY,
             bough_session_status(t->store, s, BOUGH_STATUS_IDLE, "bob", 0, NULL, &t->err));
    CHECK_STR("ada", get(t, s)->lease->owner);
    CHECK_INT(epoch, get(t, s)->lease->epoch);
}

STORE_TEST(U22_the_same_owner_renews_and_keeps_epoch_and_since)
{
    const char *s = new_session(t, "x");
    struct bough_session *a, *b;
    int64_t one, two;

    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, &one, &t->err));
    a = get(t, s);
    test_later(t, 3000);
    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, &two, &t->err));
    b = get(t, s);
    CHECK_INT(one, two);
    CHECK_INT(a->lease->since, b->lease->since);
    CHECK(b->lease->expires >= a->lease->expires + 3000);
}

STORE_TEST(U22_an_expired_lease_is_taken_over_with_the_next_epoch)
{
    const char *s = new_session(t, "x");
    int64_t one, two;

    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, &one, &t->err));
    test_later(t, 5001);
    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "bob", 5000, &two, &t->err));
    CHECK_INT(one + 1, two);
    CHECK_STR("bob", get(t, s)->lease->owner);
}

STORE_TEST(U22_epochs_grow_with_every_new_lease_and_never_go_back)
{
    const char *s = new_session(t, "x");
    int64_t last = 0, epoch;

    for (int i = 0; i < 3; i++) {
        CHECK_OK(
            bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, &epoch, &t->err));
        CHECK(epoch > last);
        last = epoch;
        CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_IDLE, "ada", 0, NULL, &t->err));
        CHECK(!get(t, s)->lease);
    }
}

static enum bough_rc append_as(struct test *t, const char *s, const char *owner)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = owner };
    struct bough_append_options in = { .entries = &e, .n = 1, .owner = owner };
    struct bough_append_result out;

    return bough_append(t->store, t->arena, s, &in, &out, &t->err);
}

STORE_TEST(U22_an_append_after_losing_the_lease_is_refused)
{
    const char *s = new_session(t, "x");

    CHECK_RC(BOUGH_LEASE_LOST, append_as(t, s, "ada"));
    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, NULL, &t->err));
    CHECK_OK(append_as(t, s, "ada"));
    CHECK_RC(BOUGH_LEASE_LOST, append_as(t, s, "bob"));
    test_later(t, 6000);
    CHECK_RC(BOUGH_LEASE_LOST, append_as(t, s, "ada"));
    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "bob", 5000, NULL, &t->err));
    CHECK_OK(append_as(t, s, "bob"));
    CHECK_RC(BOUGH_LEASE_LOST, append_as(t, s, "ada"));
    CHECK_STR("ada bob", path_text(t, s));
}

/* --- archived: read-only --- */

struct archive {
    const char *s, *one, *two;
};

static struct archive archived(struct test *t)
{
    struct archive a = { .s = new_session(t, "old") };

    a.one = user(t, a.s, "one");
    a.two = agent(t, a.s, "two");
    CHECK_OK(bough_session_archive(t->store, a.s, &t->err));
    return a;
}

STORE_TEST(A7_archived_can_be_read_listed_and_forked)
{
    struct archive a = archived(t);
    struct bough_session_list_options f = { .archived = true };
    struct bough_sessions found;
    char hash[65];

    CHECK_STR("one two", path_text(t, a.s));
    CHECK_OK(bough_session_list(t->store, t->arena, &f, &found, &t->err));
    CHECK_INT(1, found.n);
    CHECK_OK(bough_path_hash(t->store, a.s, NULL, hash, &t->err));
    CHECK_STR("one", path_text(t, fork_at(t, a.s, a.one)));
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, fork_at(t, a.s, a.two))->status);
}

STORE_TEST(A7_archived_refuses_appends)
{
    struct archive a = archived(t);
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "x" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_record_options rec = { .history = &e, .nhistory = 1 };
    struct bough_record_result recorded;
    struct bough_append_result out;

    CHECK_RC(BOUGH_ARCHIVED, bough_append(t->store, t->arena, a.s, &in, &out, &t->err));
    in.at = a.one;
    CHECK_RC(BOUGH_ARCHIVED, bough_append(t->store, t->arena, a.s, &in, &out, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_record(t->store, t->arena, a.s, &rec, &recorded, &t->err));
    CHECK_STR("one two", path_text(t, a.s));
}

STORE_TEST(A7_archived_refuses_a_rename)
{
    struct archive a = archived(t);

    CHECK_RC(BOUGH_ARCHIVED, bough_session_rename(t->store, a.s, "new", &t->err));
    CHECK_STR("old", get(t, a.s)->title);
}

STORE_TEST(A7_archived_refuses_an_update)
{
    struct archive a = archived(t);

    CHECK_RC(BOUGH_ARCHIVED,
             bough_session_update(t->store, a.s,
                                  &(struct bough_session_update_options){ .role_name = "r" },
                                  &t->err));
}

STORE_TEST(A7_archived_refuses_head_moves_and_clear)
{
    struct archive a = archived(t);
    char id[BOUGH_ID_LEN + 1];

    CHECK_RC(BOUGH_ARCHIVED, bough_head_move(t->store, a.s, a.one, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_head_reset(t->store, a.s, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_session_clear(t->store, a.s, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_branch_with_summary(t->store, a.s,
                                                       &(struct bough_branch_with_summary_options){
                                                           .target = a.one, .summary = "s" },
                                                       id, &t->err));
    CHECK_STR("one two", path_text(t, a.s));
}

STORE_TEST(A7_archived_refuses_markers)
{
    struct archive a = archived(t);
    char id[BOUGH_ID_LEN + 1];

    CHECK_RC(BOUGH_ARCHIVED,
             bough_compact(t->store, a.s, &(struct bough_compact_options){ .summary = "s" }, id,
                           &t->err));
}

STORE_TEST(A7_archived_refuses_labels)
{
    struct archive a = archived(t);

    CHECK_RC(BOUGH_ARCHIVED, bough_label_set(t->store, a.s, a.one, "l", &t->err));
}

STORE_TEST(A7_archived_refuses_deleting_and_restoring_entries)
{
    struct archive a = archived(t);

    CHECK_RC(BOUGH_ARCHIVED, bough_entry_delete(t->store, a.s, a.one, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_entry_restore(t->store, a.s, a.one, &t->err));
    CHECK_STR("one two", path_text(t, a.s));
}

STORE_TEST(A7_archived_refuses_todos)
{
    struct archive a = archived(t);
    struct bough_todo todo = { .content = "do it", .status = "pending", .priority = "" };

    CHECK_RC(BOUGH_ARCHIVED, bough_todo_replace(t->store, t->arena, a.s, &todo, 1, NULL, &t->err));
}

STORE_TEST(A7_archived_refuses_memories)
{
    struct archive a = archived(t);
    struct bough_memory in = { .scope = BOUGH_MEMORY_OF_SESSION, .of = a.s, .content = "c" }, *m;

    CHECK_RC(BOUGH_ARCHIVED, bough_memory_add(t->store, t->arena, &in, &m, &t->err));
}

STORE_TEST(A7_archived_can_be_deleted_restored_and_purged)
{
    struct archive a = archived(t);
    struct bough_session *s;

    CHECK_OK(bough_session_delete(t->store, a.s, &t->err));
    CHECK_INT(BOUGH_STATUS_ARCHIVED, get(t, a.s)->status);
    CHECK_OK(bough_session_restore(t->store, a.s, &t->err));
    CHECK_INT(BOUGH_STATUS_ARCHIVED, get(t, a.s)->status);
    CHECK_OK(bough_session_purge(t->store, t->arena, a.s, NULL, &t->err));
    CHECK_RC(BOUGH_GONE, bough_session_get(t->store, t->arena, a.s, &s, &t->err));
}

STORE_TEST(A7_archiving_bumps_updated_and_survives_upkeep)
{
    struct archive a = archived(t);
    struct bough_session *before = get(t, a.s);

    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_INT(BOUGH_STATUS_ARCHIVED, get(t, a.s)->status);
    CHECK_INT(before->updated, get(t, a.s)->updated);
    CHECK(before->updated > before->created);
}

static enum bough_rc record_as(struct test *t, const char *s, const char *owner)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "recorded" };
    struct bough_record_options in = { .history = &e, .nhistory = 1, .owner = owner };
    struct bough_record_result out;

    return bough_record(t->store, t->arena, s, &in, &out, &t->err);
}

static enum bough_rc open_as(struct test *t, const char *s, const char *owner)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e, .owner = owner };
    struct bough_message_open_result out;

    return bough_message_open(t->store, t->arena, s, &in, &out, &t->err);
}

STORE_TEST(U22_while_an_owner_holds_the_lease_only_that_owner_writes_messages)
{
    const char *s = new_session(t, "x");

    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, NULL, &t->err));
    CHECK_RC(BOUGH_BUSY, append_as(t, s, NULL));
    CHECK(strstr(t->err.msg, "ada"));
    CHECK_RC(BOUGH_LEASE_LOST, append_as(t, s, "bob"));
    CHECK_RC(BOUGH_BUSY, record_as(t, s, NULL));
    CHECK_RC(BOUGH_BUSY, record_as(t, s, "bob"));
    CHECK_RC(BOUGH_BUSY, open_as(t, s, NULL));
    CHECK_RC(BOUGH_BUSY, open_as(t, s, "bob"));
    CHECK_OK(append_as(t, s, "ada"));
    CHECK_OK(record_as(t, s, "ada"));
    CHECK_OK(open_as(t, s, "ada"));
    test_later(t, 5001);
    CHECK_OK(append_as(t, s, NULL));
    CHECK_OK(record_as(t, s, "bob"));
    CHECK_OK(open_as(t, s, NULL));
}

STORE_TEST(U22_a_lease_without_an_owner_keeps_nobody_out)
{
    const char *s = new_session(t, "x");

    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, NULL, 5000, NULL, &t->err));
    CHECK_OK(append_as(t, s, NULL));
    CHECK_OK(record_as(t, s, "bob"));
}

STORE_TEST(U22_the_owner_of_a_lease_compacts_and_branches_while_it_holds_it)
{
    const char *s = new_session(t, "x");
    struct bough_compact_options sum = { .summary = "so far" };
    struct bough_branch_with_summary_options back = { .summary = "tried" };
    char id[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 5000, NULL, &t->err));
    CHECK_OK(append_as(t, s, "ada"));
    CHECK_OK(bough_compact(t->store, s, &sum, id, &t->err));
    CHECK_OK(bough_branch_with_summary(t->store, s, &back, id, &t->err));
}

STORE_TEST(U22_a_lease_of_0_lasts_a_minute_and_one_that_is_negative_or_over_a_day_is_invalid)
{
    const char *s = new_session(t, "x");
    int64_t day = 24 * 3600 * 1000;
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e, .owner = "ada", .lease_ms = -1 };
    struct bough_message_take_options take = { .lease_ms = day + 1 };
    struct bough_message_open_result out;
    struct bough_session *b;

    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 0, NULL, &t->err));
    b = get(t, s);
    CHECK_INT(b->lease->since + 60000, b->lease->expires);
    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", day, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID,
             bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", -1, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID,
             bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", day + 1, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_message_open(t->store, t->arena, s, &in, &out, &t->err));
    in.lease_ms = INT64_MAX;
    CHECK_RC(BOUGH_INVALID, bough_message_open(t->store, t->arena, s, &in, &out, &t->err));
    in.lease_ms = 1;
    CHECK_OK(bough_message_open(t->store, t->arena, s, &in, &out, &t->err));
    test_later(t, 2);
    CHECK_RC(BOUGH_INVALID, bough_message_take(t->store, out.writing.id, &take, &out, &t->err));
}
