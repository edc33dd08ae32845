/* Picks: entries of one branch put onto another, by reference or as copies (U24). */
#include "lib/store_test.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

/* Pick entries by their ids, up to a NULL. */
static enum bough_rc pick(struct test *t, const char *s, struct bough_pick_options how,
                          const char *const *entries, struct bough_pick_result *out)
{
    how.entries = entries;
    for (how.n = 0; entries[how.n]; how.n++)
        ;
    return bough_pick(t->store, t->arena, s, &how, out, &t->err);
}

#define IDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define HOW(...) ((struct bough_pick_options){ __VA_ARGS__ })

static struct bough_entry *entry(struct test *t, const char *id)
{
    struct bough_entry *e;

    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, id, &e, &t->err));
    return e;
}

static const char *part(struct test *t, const char *s, enum bough_role role, const char *json)
{
    struct bough_str parts[1] = { str_of(json) };
    struct bough_entry_new e = { .role = role, .parts = parts, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    return out.ids[0];
}

#define CALL(id) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"ls\",\"input\":{}}"
#define RESULT(id) "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"out\"}"

/* A session with the branches "one two three four" and, where the head is, "one other". */
struct tree {
    const char *s, *one, *two, *three, *four, *other;
};

static struct tree make_tree(struct test *t)
{
    struct tree x = { .s = new_session(t, "tree") };

    x.one = user(t, x.s, "one");
    x.two = agent(t, x.s, "two");
    x.three = user(t, x.s, "three");
    x.four = agent(t, x.s, "four");
    CHECK_OK(bough_head_move(t->store, x.s, x.one, &t->err));
    x.other = agent(t, x.s, "other");
    return x;
}

STORE_TEST(U24_entries_of_another_branch_are_copied_behind_the_head_in_their_order)
{
    struct tree x = make_tree(t);
    struct bough_pick_result out;
    struct bough_entry *copy;

    CHECK_OK(pick(t, x.s, HOW(0), IDS(x.four, x.three), &out));
    CHECK_STR("one other three four", path_text(t, x.s));
    CHECK_INT(2, out.n);
    CHECK_INT(0, out.shared);
    CHECK_INT(4, out.head.depth);
    copy = entry(t, out.ids[1]);
    CHECK_STR("four", text_of(t, copy));
    CHECK(strcmp(x.four, copy->id) != 0);
    CHECK_INT(entry(t, x.four)->time, copy->time);
    CHECK_STR(arena_printf(t->arena, "{\"bough.picked\":\"%s\"}", x.four),
              arena_strndup(t->arena, copy->data.p, copy->data.n));
    CHECK_STR("one two three four",
              read_text(t, x.s, &(struct bough_entries_read_options){ .at = x.four }));
}

STORE_TEST(U24_a_copy_of_a_copy_names_the_first_original)
{
    struct tree x = make_tree(t);
    struct bough_pick_result first, second;

    CHECK_OK(pick(t, x.s, HOW(0), IDS(x.three), &first));
    CHECK_OK(pick(t, x.s, HOW(.at = x.two), IDS(first.ids[0]), &second));
    CHECK_STR("one two three", path_text(t, x.s));
    CHECK_STR(
        arena_printf(t->arena, "{\"bough.picked\":\"%s\"}", x.three),
        arena_strndup(t->arena, entry(t, second.ids[0])->data.p, entry(t, second.ids[0])->data.n));
}

STORE_TEST(U24_entries_that_follow_the_target_already_are_taken_by_reference)
{
    struct tree x = make_tree(t);
    struct bough_pick_result out;
    int64_t before = entry(t, x.other)->no;

    CHECK_OK(pick(t, x.s, HOW(.at = x.one), IDS(x.two, x.three), &out));
    CHECK_INT(2, out.shared);
    CHECK_STR(x.two, out.ids[0]);
    CHECK_STR(x.three, out.ids[1]);
    CHECK_STR("one two three", path_text(t, x.s));
    CHECK_INT(3, out.head.depth);
    CHECK_INT(3, get(t, x.s)->head.depth);
    CHECK_INT(before + 2, entry(t, user(t, x.s, "next"))->no); /* the pick wrote no entry */
}

STORE_TEST(U24_what_follows_the_target_is_shared_and_the_rest_is_copied_behind_it)
{
    struct tree x = make_tree(t);
    struct bough_pick_result out;

    CHECK_OK(pick(t, x.s, HOW(.at = x.one), IDS(x.two, x.four), &out));
    CHECK_INT(2, out.n);
    CHECK_INT(1, out.shared);
    CHECK_STR(x.two, out.ids[0]);
    CHECK(strcmp(x.four, out.ids[1]) != 0);
    CHECK_STR("one two four", path_text(t, x.s));
}

STORE_TEST(U24_keep_head_leaves_the_head_and_a_new_root_is_possible)
{
    struct tree x = make_tree(t);
    struct bough_pick_result out;

    CHECK_OK(pick(t, x.s, HOW(.at = x.four, .keep_head = true), IDS(x.other), &out));
    CHECK_STR("one other", path_text(t, x.s));
    CHECK_STR("one two three four other",
              read_text(t, x.s, &(struct bough_entries_read_options){ .at = out.ids[0] }));
    CHECK_OK(pick(t, x.s, HOW(.at = x.one, .keep_head = true), IDS(x.two), &out));
    CHECK_INT(1, out.shared);
    CHECK_STR("one other", path_text(t, x.s));
    CHECK_OK(pick(t, x.s, HOW(.at_root = true), IDS(x.four), &out));
    CHECK_STR("four", path_text(t, x.s));
    CHECK_OK(pick(t, x.s, HOW(.at_root = true), IDS(x.one, x.two), &out));
    CHECK_INT(2, out.shared);
    CHECK_STR("one two", path_text(t, x.s));
}

STORE_TEST(U24_entries_of_another_session_are_copied_and_survive_its_purge)
{
    struct tree x = make_tree(t);
    const char *s = new_session(t, "target");
    struct bough_pick_result out;

    user(t, s, "mine");
    CHECK_OK(pick(t, s, HOW(.from = x.s), IDS(x.three, x.four), &out));
    CHECK_INT(0, out.shared);
    CHECK_STR("mine three four", path_text(t, s));
    CHECK_OK(bough_session_purge(t->store, t->arena, x.s, NULL, &t->err));
    CHECK_STR("mine three four", path_text(t, s));
}

STORE_TEST(U24_a_fork_takes_what_it_inherits_by_reference_and_copies_what_came_later)
{
    const char *s = new_session(t, "parent"), *f, *one, *two, *three;
    struct bough_pick_result out;

    one = user(t, s, "one");
    two = agent(t, s, "two");
    f = fork_at(t, s, two);
    three = user(t, s, "three");
    CHECK_OK(bough_head_move(t->store, f, one, &t->err));
    CHECK_OK(pick(t, f, HOW(.from = s), IDS(two, three), &out));
    CHECK_INT(1, out.shared);
    CHECK_STR("one two three", path_text(t, f));
    CHECK(strcmp(three, out.ids[1]) != 0);
}

/* ---- money ---- */

static const char *answer(struct test *t, const char *s, int64_t cost)
{
    struct bough_totals used = { .input = 10, .output = 5, .cost = cost };
    struct bough_entry_new e = {
        .role = BOUGH_ROLE_ASSISTANT, .text = "answer", .usage = &used, .call_model = "m"
    };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    return out.ids[0];
}

STORE_TEST(U24_a_copy_shows_what_its_original_spent_and_counts_nothing)
{
    const char *s = new_session(t, "source"), *other = new_session(t, "target"), *one, *paid;
    struct bough_pick_result out;

    one = user(t, s, "one");
    paid = answer(t, s, 700);
    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    user(t, s, "else");
    CHECK_OK(pick(t, s, HOW(0), IDS(paid), &out));
    CHECK_INT(700, entry(t, out.ids[0])->usage->cost);
    CHECK_STR(entry(t, paid)->call, entry(t, out.ids[0])->call); /* its own session's call */
    CHECK_INT(700, get(t, s)->own.cost);
    CHECK_OK(pick(t, other, HOW(.from = s), IDS(paid), &out));
    CHECK_INT(700, entry(t, out.ids[0])->usage->cost);
    CHECK_STR("", entry(t, out.ids[0])->call);
    CHECK_INT(0, get(t, other)->own.cost);
}

/* ---- attachments ---- */

STORE_TEST(U24_a_copy_shows_the_attachments_of_its_original_also_in_another_session)
{
    const char *s = new_session(t, "source"), *other = new_session(t, "target"), *id;
    struct bough_attachment_writer *w = NULL;
    struct bough_attachment a;
    struct bough_attachments shown;
    struct bough_pick_result out;

    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    CHECK_OK(bough_attachment_write(w, "bytes", 5, &t->err));
    CHECK_OK(bough_attachment_finish(&w, &a, &t->err));
    id = part(t, s, BOUGH_ROLE_USER,
              arena_printf(t->arena,
                           "{\"type\":\"file\",\"mime\":\"text/plain\",\"filename\":\"a\","
                           "\"url\":\"%s\"}",
                           a.url));
    test_later(t, 3 * 24 * 3600 * 1000ll); /* an upload alone is no permission any more */
    CHECK_OK(pick(t, other, HOW(.from = s), IDS(id), &out));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_OK(bough_attachment_list(t->store, t->arena, other, out.ids[0], &shown, &t->err));
    CHECK_INT(1, shown.n);
    CHECK_STR(a.url, shown.at[0].url);
}

/* ---- calls and results ---- */

STORE_TEST(U24_results_come_along_with_their_calls)
{
    const char *s = new_session(t, "source"), *other = new_session(t, "target"), *call;
    struct bough_pick_result out;

    user(t, s, "ask");
    call = part(t, s, BOUGH_ROLE_ASSISTANT, CALL("t1"));
    part(t, s, BOUGH_ROLE_TOOL, RESULT("t1"));
    agent(t, s, "done");
    CHECK_OK(pick(t, other, HOW(.from = s), IDS(call), &out));
    CHECK_INT(2, out.n);
    CHECK_INT(BOUGH_ROLE_TOOL, entry(t, out.ids[1])->role);
}

STORE_TEST(U24_a_result_without_its_call_is_refused)
{
    const char *s = new_session(t, "source"), *other = new_session(t, "target"), *call, *result;
    struct bough_pick_result out;

    call = part(t, s, BOUGH_ROLE_ASSISTANT, CALL("t1"));
    result = part(t, s, BOUGH_ROLE_TOOL, RESULT("t1"));
    CHECK_RC(BOUGH_INVALID, pick(t, other, HOW(.from = s), IDS(result), &out));
    CHECK(strstr(t->err.msg, "the result of tool call t1"));
    CHECK_INT(0, get(t, other)->head.depth);
    CHECK_OK(pick(t, other, HOW(.from = s), IDS(result, call), &out));
    CHECK_INT(2, out.n);
}

STORE_TEST(U24_a_result_may_follow_a_call_that_the_target_has)
{
    const char *s = new_session(t, ""), *call, *result, *f;
    struct bough_pick_result out;

    call = part(t, s, BOUGH_ROLE_ASSISTANT, CALL("t1"));
    user(t, s, "between");
    result = part(t, s, BOUGH_ROLE_TOOL, RESULT("t1"));
    f = fork_at(t, s, call);
    CHECK_OK(pick(t, f, HOW(.from = s), IDS(result), &out));
    CHECK_INT(2, get(t, f)->head.depth);
}

STORE_TEST(U24_results_in_messages_of_their_own_come_along_too)
{
    const char *s = new_session(t, "pi"), *other = new_session(t, "target"), *call;
    struct bough_entry_new e = { .role = BOUGH_ROLE_TOOL,
                                 .text = "out",
                                 .data = str_of("{\"toolCallId\":\"t1\"}") };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result appended;
    struct bough_pick_result out;

    call = part(t, s, BOUGH_ROLE_ASSISTANT, CALL("t1"));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &appended, &t->err));
    user(t, s, "next");
    CHECK_OK(pick(t, other, HOW(.from = s), IDS(call), &out));
    CHECK_INT(2, out.n);
    CHECK_RC(BOUGH_INVALID,
             pick(t, new_session(t, ""), HOW(.from = s), IDS(appended.ids[0]), &out));
}

/* ---- refused ---- */

STORE_TEST(U24_entries_on_no_common_path_or_given_twice_or_deleted_are_refused)
{
    struct tree x = make_tree(t);
    struct bough_pick_result out;

    CHECK_RC(BOUGH_INVALID, pick(t, x.s, HOW(0), IDS(x.three, x.other), &out));
    CHECK_RC(BOUGH_INVALID, pick(t, x.s, HOW(0), IDS(x.three, x.three), &out));
    CHECK_RC(BOUGH_INVALID, pick(t, x.s, HOW(.at = x.one, .at_root = true), IDS(x.three), &out));
    CHECK_RC(BOUGH_INVALID, bough_pick(t->store, t->arena, x.s, &HOW(0), &out, &t->err));
    CHECK_RC(BOUGH_INVALID, pick(t, x.s, HOW(0), IDS(user(t, new_session(t, ""), "x")), &out));
    CHECK_OK(bough_entry_delete(t->store, x.s, x.three, &t->err));
    CHECK_RC(BOUGH_INVALID, pick(t, x.s, HOW(0), IDS(x.three), &out));
    CHECK_STR("one other", path_text(t, x.s));
}

STORE_TEST(U24_what_is_about_its_own_branch_is_shared_but_never_copied)
{
    const char *s = new_session(t, ""), *one, *two;
    char marker[BOUGH_ID_LEN + 1];
    struct bough_compact_options in = { .summary = "so far" };
    struct bough_pick_result out;

    one = user(t, s, "one");
    two = agent(t, s, "two");
    CHECK_OK(bough_compact(t->store, s, &in, marker, &t->err));
    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    user(t, s, "else");
    CHECK_RC(BOUGH_INVALID, pick(t, s, HOW(0), IDS(marker), &out));
    CHECK(strstr(t->err.msg, "compaction"));
    CHECK_OK(pick(t, s, HOW(.at = two), IDS(marker), &out));
    CHECK_INT(1, out.shared);
}

STORE_TEST(U24_a_pick_that_expects_a_head_conflicts_when_it_moved)
{
    struct tree x = make_tree(t);
    struct bough_head expected = get(t, x.s)->head;
    struct bough_pick_result out;

    user(t, x.s, "more");
    CHECK_RC(BOUGH_CONFLICT, pick(t, x.s, HOW(.expect_head = &expected), IDS(x.three), &out));
    CHECK_INT(get(t, x.s)->head.depth, t->err.head.depth);
    expected = get(t, x.s)->head;
    CHECK_OK(pick(t, x.s, HOW(.expect_head = &expected), IDS(x.three), &out));
    CHECK_STR("one other more three", path_text(t, x.s));
}

STORE_TEST(U24_an_archived_or_busy_session_takes_no_pick)
{
    struct tree x = make_tree(t);
    struct bough_pick_result out;

    CHECK_OK(bough_session_status(t->store, x.s, BOUGH_STATUS_BUSY, "me", 0, NULL, &t->err));
    CHECK_RC(BOUGH_BUSY, pick(t, x.s, HOW(0), IDS(x.three), &out));
    CHECK_OK(bough_session_status(t->store, x.s, BOUGH_STATUS_IDLE, "me", 0, NULL, &t->err));
    CHECK_OK(bough_session_archive(t->store, x.s, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, pick(t, x.s, HOW(0), IDS(x.three), &out));
}
