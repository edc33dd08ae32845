/* Append: ids from callers, idempotency keys, deleting and restoring entries, heads, sizes. */
#include <stdio.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

enum { DAY_MS = 24 * 3600 * 1000 };

static enum bough_rc say(struct test *t, const char *session, const char *text, const char *id,
                         const char *key, struct bough_append_result *out)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text, .id = id };
    struct bough_append_options in = { .entries = &e, .n = 1, .key = key };

    return bough_append(t->store, t->arena, session, &in, out, &t->err);
}

static struct bough_entry *entry(struct test *t, const char *session, const char *id)
{
    struct bough_entry *e;

    CHECK_OK(bough_entry_get(t->store, t->arena, session, id, &e, &t->err));
    return e;
}

/* --- ids from callers --- */

STORE_TEST(U8_an_id_that_came_along_finds_its_entry_with_and_without_session)
{
    const char *s = new_session(t, "");
    struct bough_append_result out;

    CHECK_OK(say(t, s, "x", "msg_1", NULL, &out));
    CHECK_STR(out.ids[0], entry(t, s, "msg_1")->id);
    CHECK_STR(out.ids[0], entry(t, NULL, "msg_1")->id);
    CHECK_STR("msg_1", entry(t, NULL, out.ids[0])->origin);
}

STORE_TEST(U8_a_taken_id_is_refused_and_nothing_is_written)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e[] = { { .role = BOUGH_ROLE_USER, .text = "new" },
                                   { .role = BOUGH_ROLE_USER, .text = "taken", .id = "msg_1" } };
    struct bough_append_options in = { .entries = e, .n = 2 };
    struct bough_append_result out;

    CHECK_OK(say(t, s, "x", "msg_1", NULL, &out));
    CHECK_RC(BOUGH_EXISTS, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK(strstr(t->err.msg, "msg_1"));
    CHECK_STR("x", path_text(t, s));
    CHECK_STR("x y", (CHECK_OK(say(t, s, "y", "msg_2", NULL, &out)), path_text(t, s)));
}

STORE_TEST(U8_the_same_id_twice_in_one_append_is_refused)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e[] = { { .role = BOUGH_ROLE_USER, .text = "a", .id = "twin" },
                                   { .role = BOUGH_ROLE_USER, .text = "b", .id = "twin" } };
    struct bough_append_options in = { .entries = e, .n = 2 };
    struct bough_append_result out;

    CHECK_RC(BOUGH_EXISTS, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("", path_text(t, s));
}

STORE_TEST(U8_one_id_in_two_sessions_is_ambiguous_without_a_session)
{
    const char *s = new_session(t, ""), *o = new_session(t, "");
    struct bough_append_result one, other;
    struct bough_entry *e;

    CHECK_OK(say(t, s, "x", "same", NULL, &one));
    CHECK_OK(say(t, o, "y", "same", NULL, &other));
    CHECK_RC(BOUGH_AMBIGUOUS, bough_entry_get(t->store, t->arena, NULL, "same", &e, &t->err));
    CHECK_STR(one.ids[0], entry(t, s, "same")->id);
    CHECK_STR(other.ids[0], entry(t, o, "same")->id);
}

STORE_TEST(U8_a_fork_finds_inherited_ids_and_others_do_not)
{
    const char *s = new_session(t, ""), *stranger = new_session(t, ""), *f;
    struct bough_append_result out;
    struct bough_entry *e;

    CHECK_OK(say(t, s, "x", "msg_1", NULL, &out));
    f = fork_at(t, s, NULL);
    CHECK_STR(out.ids[0], entry(t, f, "msg_1")->id);
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_get(t->store, t->arena, stranger, "msg_1", &e, &t->err));
}

STORE_TEST(copying_a_fork_that_reused_an_inherited_id_works)
{
    const char *s = new_session(t, ""), *f;
    struct bough_session_fork_options how = { .copy = true };
    struct bough_session *copy;
    struct bough_append_result out;

    CHECK_OK(say(t, s, "x", "msg_1", NULL, &out));
    f = fork_at(t, s, NULL);
    CHECK_OK(say(t, f, "y", "msg_1", NULL, &out));
    CHECK_OK(bough_session_fork(t->store, t->arena, f, &how, &copy, &t->err));
    CHECK_STR("x y", path_text(t, copy->id));
}

/* --- idempotency keys --- */

STORE_TEST(the_same_key_and_request_gives_the_first_answer_again)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e[] = { { .role = BOUGH_ROLE_USER, .text = "q" },
                                   { .role = BOUGH_ROLE_ASSISTANT, .text = "a", .by_call = true } };
    struct bough_call_new call = { .model = "m", .used = { .input = 1 } };
    struct bough_append_options in = { .entries = e, .n = 2, .call = &call, .key = "k" };
    struct bough_append_result first, again;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &first, &t->err));
    user(t, s, "later");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &again, &t->err));
    CHECK(!first.replayed && again.replayed);
    CHECK_INT(2, again.n);
    for (int i = 0; i < 2; i++)
        CHECK_STR(first.ids[i], again.ids[i]);
    CHECK_STR(first.call, again.call);
    CHECK_INT(first.no, again.no);
    CHECK_INT(first.first_mno, again.first_mno);
    CHECK_INT(first.head.branch, again.head.branch);
    CHECK_INT(first.head.depth, again.head.depth);
    CHECK_STR("q a later", path_text(t, s));
    CHECK_INT(1, get(t, s)->calls);
}

STORE_TEST(a_key_with_a_call_only_or_keep_head_gives_the_first_answer_too)
{
    const char *s = new_session(t, "");
    struct bough_call_new call = { .model = "m" };
    struct bough_append_options only = { .call = &call, .key = "call" };
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "side" };
    struct bough_append_options keep = { .entries = &e, .n = 1, .keep_head = true, .key = "keep" };
    struct bough_append_result first, again;

    user(t, s, "a");
    CHECK_OK(bough_append(t->store, t->arena, s, &only, &first, &t->err));
    CHECK_OK(bough_append(t->store, t->arena, s, &only, &again, &t->err));
    CHECK_STR(first.call, again.call);
    CHECK_INT(first.head.branch, again.head.branch);
    CHECK_INT(first.head.depth, again.head.depth);
    CHECK_OK(bough_append(t->store, t->arena, s, &keep, &first, &t->err));
    CHECK_OK(bough_append(t->store, t->arena, s, &keep, &again, &t->err));
    CHECK(again.replayed);
    CHECK_INT(first.head.branch, again.head.branch);
    CHECK_INT(first.head.depth, again.head.depth);
}

/* Any difference in the request makes the key a conflict. */
STORE_TEST(the_same_key_with_another_request_is_a_conflict)
{
    const char *s = new_session(t, ""), *root = user(t, s, "root");
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "x" };
    struct bough_call_new call = { .model = "m" };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &call, .key = "k" }, other;
    struct bough_entry_new changed;
    struct bough_call_new changed_call;
    struct bough_append_result out;

#define CONFLICTS(what, ...)                                                                       \
    do {                                                                                           \
        changed = e;                                                                               \
        changed_call = call;                                                                       \
        other = in;                                                                                \
        other.entries = &changed;                                                                  \
        other.call = &changed_call;                                                                \
        __VA_ARGS__;                                                                               \
        if (bough_append(t->store, t->arena, s, &other, &out, &t->err) != BOUGH_KEY_CONFLICT)      \
            FAIL("another %s is no conflict", what);                                               \
    } while (0)

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CONFLICTS("text", changed.text = "y");
    CONFLICTS("role", changed.role = BOUGH_ROLE_ASSISTANT);
    CONFLICTS("id", changed.id = "foreign");
    CONFLICTS("time", changed.time = 77);
    CONFLICTS("finish", changed.finish = "stop");
    CONFLICTS("data", changed.data = str_of("{\"a\":1}"));
    CONFLICTS("metadata", changed.metadata = str_of("{\"a\":1}"));
    CONFLICTS("usage", changed.usage = (&(struct bough_totals){ .input = 1 }));
    CONFLICTS("link to the call", changed.by_call = true);
    CONFLICTS("call", other.call = NULL);
    CONFLICTS("model", changed_call.model = "m2");
    CONFLICTS("status", changed_call.status = "error");
    CONFLICTS("place", other.at = root);
    CONFLICTS("root", other.at_root = true);
    CONFLICTS("head", other.keep_head = true);
    CHECK_STR("root x", path_text(t, s));
}

STORE_TEST(a_key_is_looked_up_before_head_archived_and_lease)
{
    const char *s = new_session(t, "");
    struct bough_head nothing = { 0 };
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "x" };
    struct bough_append_options in = { .entries = &e, .n = 1, .expect_head = &nothing, .key = "k" };
    struct bough_append_result first, again;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &first, &t->err));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &again, &t->err)); /* the head moved */
    CHECK_STR(first.ids[0], again.ids[0]);
    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &again, &t->err));
    CHECK_STR(first.ids[0], again.ids[0]);
    in.key = "other";
    in.expect_head = NULL;
    CHECK_RC(BOUGH_ARCHIVED, bough_append(t->store, t->arena, s, &in, &again, &t->err));
    s = new_session(t, "");
    CHECK_OK(bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "ada", 1000, NULL, &t->err));
    in.owner = "ada";
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &first, &t->err));
    test_later(t, 2000); /* the lease is over */
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &again, &t->err));
    CHECK_STR(first.ids[0], again.ids[0]);
    in.key = "third";
    CHECK_RC(BOUGH_LEASE_LOST, bough_append(t->store, t->arena, s, &in, &again, &t->err));
}

STORE_TEST(a_failure_stores_no_key)
{
    const char *s = new_session(t, "");
    struct bough_append_result out;

    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, say(t, s, "x", NULL, "k", &out));
    CHECK_OK(bough_session_unarchive(t->store, s, &t->err));
    CHECK_OK(say(t, s, "another payload", NULL, "k", &out));
    CHECK(!out.replayed);
}

STORE_TEST(a_key_belongs_to_a_principal_and_a_session)
{
    const char *s = new_session(t, ""), *o = new_session(t, "");
    struct bough_store *mine = t->store;
    struct bough_store *other =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .principal = "bob" });
    struct bough_append_result out;

    CHECK_OK(say(t, s, "x", NULL, "k", &out));
    CHECK_OK(say(t, o, "y", NULL, "k", &out));
    CHECK(!out.replayed);
    t->store = other;
    CHECK_OK(say(t, s, "z", NULL, "k", &out));
    CHECK(!out.replayed);
    t->store = mine;
    bough_store_close(&other);
    CHECK_STR("x z", path_text(t, s));
}

STORE_TEST(a_key_is_forgotten_after_seven_days)
{
    const char *s = new_session(t, "");
    struct bough_append_result out;

    CHECK_OK(say(t, s, "x", NULL, "k", &out));
    test_later(t, INT64_C(7) * DAY_MS - 60000);
    CHECK_OK(say(t, s, "x", NULL, "k", &out));
    CHECK(out.replayed);
    test_later(t, 120000);
    CHECK_OK(say(t, s, "other", NULL, "k", &out));
    CHECK(!out.replayed);
    CHECK_STR("x other", path_text(t, s));
    CHECK_OK(say(t, s, "other", NULL, "k", &out));
    CHECK(out.replayed);
}

STORE_TEST(a_key_survives_reopening)
{
    const char *s = new_session(t, "");
    struct bough_append_result first, again;

    if (!store_lasts(t))
        return;
    CHECK_OK(say(t, s, "x", NULL, "k", &first));
    store_reopen(t);
    CHECK_OK(say(t, s, "x", NULL, "k", &again));
    CHECK(again.replayed);
    CHECK_STR(first.ids[0], again.ids[0]);
}

/* --- deleting --- */

STORE_TEST(a_deleted_entry_vanishes_everywhere_and_numbers_stay)
{
    const char *s = new_session(t, ""), *b, *c, *f;
    struct bough_entries_read_result path;

    user(t, s, "a");
    b = agent(t, s, "b");
    c = user(t, s, "c");
    f = fork_at(t, s, c);
    CHECK_OK(bough_entry_delete(t->store, s, b, &t->err));
    CHECK_STR("a c", path_text(t, s));
    CHECK_STR("a c", path_text(t, f));
    CHECK_INT(3, entry(t, s, c)->mno);
    CHECK_INT(3, entry(t, s, c)->at.depth);
    CHECK(entry(t, s, b)->deleted);
    CHECK_INT(2, get(t, s)->messages);
    CHECK_OK(bough_entries_read(t->store, t->arena, f,
                                &(struct bough_entries_read_options){ .deleted = true }, &path,
                                &t->err));
    CHECK_INT(3, path.entries.n);
    CHECK_INT(4, entry(t, s, user(t, s, "d"))->mno);
    CHECK_OK(bough_entry_restore(t->store, s, b, &t->err));
    CHECK_STR("a b c", path_text(t, f));
    CHECK_INT(4, get(t, s)->messages);
}

STORE_TEST(only_the_session_that_wrote_an_entry_may_delete_it)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *f = fork_at(t, s, a);

    CHECK_RC(BOUGH_DENIED, bough_entry_delete(t->store, f, a, &t->err));
    CHECK_OK(bough_entry_delete(t->store, s, a, &t->err));
    CHECK_RC(BOUGH_DENIED, bough_entry_restore(t->store, f, a, &t->err));
    CHECK_OK(bough_entry_delete(t->store, s, a, &t->err)); /* repeated: no change */
}

STORE_TEST(a_copy_of_a_history_with_deleted_messages_counts_the_living)
{
    const char *s = new_session(t, "");
    struct bough_session_fork_options how = { .copy = true };
    struct bough_session *copy;

    user(t, s, "a");
    CHECK_OK(bough_entry_delete(t->store, s, agent(t, s, "b"), &t->err));
    user(t, s, "c");
    CHECK_OK(bough_session_fork(t->store, t->arena, s, &how, &copy, &t->err));
    CHECK_STR("a c", path_text(t, copy->id));
    CHECK_INT(2, get(t, copy->id)->messages);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_INT(2, get(t, copy->id)->messages);
}

/* --- heads --- */

STORE_TEST(P16_branch_moves_the_head_and_an_unknown_entry_is_refused)
{
    const char *s = new_session(t, ""), *other = new_session(t, ""), *a = user(t, s, "a");
    struct bough_head at;
    struct bough_entry *e;

    agent(t, s, "b");
    CHECK_OK(bough_head_move(t->store, s, a, &t->err));
    CHECK_OK(bough_head_get(t->store, t->arena, s, &at, &e, &t->err));
    CHECK_STR(a, e->id);
    CHECK_INT(1, at.depth);
    CHECK_RC(BOUGH_NOT_FOUND, bough_head_move(t->store, s, "nothing", &t->err));
    CHECK_RC(BOUGH_INVALID, bough_head_move(t->store, s, user(t, other, "x"), &t->err));
    CHECK_STR("a", path_text(t, s));
}

STORE_TEST(P12_a_moved_head_is_there_after_reopening)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a");

    if (!store_lasts(t))
        return;
    agent(t, s, "b");
    CHECK_OK(bough_head_move(t->store, s, a, &t->err));
    store_reopen(t);
    CHECK_STR("a", path_text(t, s));
}

STORE_TEST(P16_reset_puts_the_head_at_nothing)
{
    const char *s = new_session(t, "");
    struct bough_head at;
    struct bough_entry *e;

    user(t, s, "a");
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    CHECK_OK(bough_head_get(t->store, t->arena, s, &at, &e, &t->err));
    CHECK_INT(0, at.branch);
    CHECK(!e);
    CHECK_STR("", path_text(t, s));
    user(t, s, "root two");
    CHECK_STR("root two", path_text(t, s));
}

STORE_TEST(P13_entries_of_every_kind_advance_the_head)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a");

    for (int kind = BOUGH_ENTRY_MODEL_CHANGE; kind <= BOUGH_ENTRY_OTHER; kind++) {
        struct bough_entry_new e = { .kind = (enum bough_entry_kind)kind, .kind_name = "odd" };
        struct bough_append_options in = { .entries = &e, .n = 1 };
        struct bough_append_result out;

        if (kind == BOUGH_ENTRY_LABEL)
            e.data = str_of(arena_printf(t->arena, "{\"targetId\":\"%s\",\"label\":\"L\"}", a));
        CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
        CHECK_INT(kind + 1, out.head.depth);
        CHECK_INT(1, entry(t, s, out.ids[0])->mno);
        CHECK_INT(kind, entry(t, s, out.ids[0])->kind);
    }
    CHECK_STR("odd", entry(t, s, "#1.10")->kind_name);
}

STORE_TEST(P13_P20_names_in_one_append_the_last_one_wins)
{
    const char *s = new_session(t, "old");
    struct bough_entry_new e[] = {
        { .kind = BOUGH_ENTRY_SESSION_INFO, .data = str_of("{\"name\":\"one\"}") },
        { .kind = BOUGH_ENTRY_SESSION_INFO, .data = str_of("{\"name\":\"two\"}") }
    };
    struct bough_append_options in = { .entries = e, .n = 2 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("two", get(t, s)->title);
}

/* --- sizes --- */

STORE_TEST(large_messages_come_back_whole)
{
    const char *s = new_session(t, "");

    for (size_t n = 16 * 1024; n <= 1024 * 1024; n *= 4) {
        char *text = bough_arena_alloc(t->arena, n + 1);
        struct bough_entry *e;

        for (size_t i = 0; i < n; i++)
            text[i] = (char)('a' + (i * 7 + i / 100) % 26);
        text[n] = '\0';
        e = entry(t, s, user(t, s, text));
        CHECK_STR(text, text_of(t, e));
    }
}

STORE_TEST(a_message_with_4096_parts)
{
    const char *s = new_session(t, "");
    struct bough_str *parts = arena_array(t->arena, LIMIT_PARTS + 1, sizeof *parts);
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = parts, .nparts = LIMIT_PARTS };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *got;
    struct bough_part part;

    for (int i = 0; i <= LIMIT_PARTS; i++)
        parts[i] = str_of(arena_printf(t->arena, "{\"type\":\"text\",\"text\":\"%d\"}", i));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    got = entry(t, s, out.ids[0]);
    CHECK_INT(LIMIT_PARTS, got->nparts);
    for (int i = 0; i < LIMIT_PARTS; i++)
        CHECK_SPAN(parts[i].p, got->parts[i].json);
    CHECK_OK(bough_part_get(t->store, t->arena, arena_printf(t->arena, "%s.0fff", out.ids[0]),
                            &part, &t->err));
    CHECK_SPAN(parts[4095].p, part.json);
    e.nparts++;
    CHECK_RC(BOUGH_TOO_LARGE, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    e.nparts--;
    e.text = "one more";
    CHECK_RC(BOUGH_TOO_LARGE, bough_append(t->store, t->arena, s, &in, &out, &t->err));
}

STORE_TEST(more_entries_than_an_append_holds_are_refused)
{
    const char *s = new_session(t, "");
    struct bough_entry_new *e = arena_array(t->arena, LIMIT_APPEND_ENTRIES + 1, sizeof *e);
    struct bough_append_options in = { .entries = e, .n = LIMIT_APPEND_ENTRIES + 1 };
    struct bough_append_result out;

    for (int i = 0; i <= LIMIT_APPEND_ENTRIES; i++)
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "x" };
    CHECK_RC(BOUGH_TOO_LARGE, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    in.n--;
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(LIMIT_APPEND_ENTRIES, get(t, s)->messages);
}
