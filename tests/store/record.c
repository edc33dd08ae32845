/* Recording an exchange: the overlap is matched by content, only new messages are added. (C7-C9,
 * U21) */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

/* Parse messages with roles from a text like "u:hello a:hi s:be nice". */
static size_t messages(struct test *t, const char *text, struct bough_entry_new *out, size_t most)
{
    char *copy = bough_arena_strdup(t->arena, text), *rest = copy, *word;
    size_t n = 0;

    while ((word = strsep(&rest, " ")) && n < most) {
        if (!*word)
            continue;
        out[n++] = (struct bough_entry_new){ .role = *word == 'u'   ? BOUGH_ROLE_USER
                                                     : *word == 's' ? BOUGH_ROLE_SYSTEM
                                                     : *word == 't' ? BOUGH_ROLE_TOOL
                                                                    : BOUGH_ROLE_ASSISTANT,
                                             .text = word + 2 };
    }
    return n;
}

static enum bough_rc record_key(struct test *t, const char *session, const char *history,
                                const char *reply, const char *key, struct bough_record_result *out)
{
    struct bough_entry_new h[32], r = { .text = reply };
    struct bough_call_new call = { .model = "m", .used = { .input = 10, .cost = 1 } };
    struct bough_record_options in = { .history = h,
                                       .nhistory = messages(t, history, h, 32),
                                       .reply = reply ? &r : NULL,
                                       .call = &call,
                                       .key = key };

    return bough_record(t->store, t->arena, session, &in, out, &t->err);
}

static struct bough_record_result record(struct test *t, const char *session, const char *history,
                                         const char *reply)
{
    struct bough_record_result out;

    CHECK_OK(record_key(t, session, history, reply, NULL, &out));
    return out;
}

/* The head's path as role letters and texts. */
static const char *spelled(struct test *t, const char *session)
{
    struct bough_entries_read_result path;
    const char *all = "";

    CHECK_OK(bough_entries_read(t->store, t->arena, session,
                                &(struct bough_entries_read_options){ .messages = true }, &path,
                                &t->err));
    for (size_t i = 0; i < path.entries.n; i++)
        all = arena_printf(t->arena, "%s%s%c:%s", all, i ? " " : "",
                           *bough_role_name(path.entries.at[i].role),
                           text_of(t, &path.entries.at[i]));
    return all;
}

static const char *with_prompt(struct test *t, const char *prompt)
{
    struct bough_session_create_options in = { .system_prompt = prompt };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

static size_t all_messages(struct test *t, const char *session)
{
    struct bough_entries all;
    size_t n = 0;

    CHECK_OK(bough_tree_entries(t->store, t->arena, session, NULL, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        n += all.at[i].kind == BOUGH_ENTRY_MESSAGE;
    return n;
}

/* --- C7, C8: the intended use --- */

STORE_TEST(C8_a_conversation_replayed_turn_by_turn_is_stored_once)
{
    const char *s = new_session(t, "");
    struct bough_record_result r = record(t, s, "u:q1", "r1");

    CHECK_INT(0, r.matched);
    CHECK_INT(2, r.appended.n);
    r = record(t, s, "u:q1 a:r1 u:q2", "r2");
    CHECK_INT(2, r.matched);
    CHECK_INT(2, r.appended.n);
    CHECK(!r.branched);
    r = record(t, s, "u:q1 a:r1 u:q2 a:r2 u:q3", "r3");
    CHECK_INT(4, r.matched);
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
    CHECK_INT(6, all_messages(t, s));
    CHECK_INT(3, get(t, s)->calls);
    CHECK_INT(30, get(t, s)->own.input);
}

STORE_TEST(C8_the_reply_is_by_the_call_and_the_rest_is_not)
{
    const char *s = new_session(t, "");
    struct bough_record_result r = record(t, s, "u:q1", "r1");
    struct bough_entry *q, *a;

    CHECK_OK(bough_entry_get(t->store, t->arena, s, r.appended.ids[0], &q, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, r.appended.ids[1], &a, &t->err));
    CHECK_STR("", q->call);
    CHECK_STR(r.appended.call, a->call);
    CHECK_INT(BOUGH_ROLE_ASSISTANT, a->role);
}

STORE_TEST(C8_the_sessions_prompt_is_not_stored_as_a_message)
{
    const char *s = with_prompt(t, "nice");

    record(t, s, "s:nice u:q1", "r1");
    record(t, s, "s:nice u:q1 a:r1 u:q2", "r2");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", spelled(t, s));
    record(t, s, "u:q1 a:r1 u:q2 a:r2 u:q3", "r3"); /* the same conversation without the prompt */
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
}

STORE_TEST(C8_no_reply_stores_the_inputs_only)
{
    const char *s = new_session(t, "");

    record(t, s, "u:q1", NULL);
    CHECK_STR("u:q1", spelled(t, s));
    record(t, s, "u:q1", "r1");
    CHECK_STR("u:q1 a:r1", spelled(t, s));
}

STORE_TEST(tool_loops_are_recorded_step_by_step)
{
    const char *s = new_session(t, "");

    record(t, s, "u:q", "call-ls");
    record(t, s, "u:q a:call-ls t:files", "call-cat");
    record(t, s, "u:q a:call-ls t:files a:call-cat t:text", "done");
    CHECK_STR("u:q a:call-ls t:files a:call-cat t:text a:done", spelled(t, s));
    CHECK_INT(6, all_messages(t, s));
}

STORE_TEST(the_same_exchange_recorded_twice_does_not_double_messages)
{
    const char *s = new_session(t, "");
    struct bough_record_result r;

    record(t, s, "u:q1", "r1");
    r = record(t, s, "u:q1", "r1");
    CHECK_INT(0, r.appended.n);
    CHECK(!r.branched);
    CHECK_STR("u:q1 a:r1", spelled(t, s));
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", spelled(t, s));
    CHECK_INT(4, all_messages(t, s));
}

STORE_TEST(the_same_exchange_with_the_same_key_is_the_same_answer)
{
    const char *s = new_session(t, "");
    struct bough_record_result first, again;

    CHECK_OK(record_key(t, s, "u:q1", "r1", "k1", &first));
    CHECK_OK(record_key(t, s, "u:q1", "r1", "k1", &again));
    CHECK(again.appended.replayed);
    CHECK_INT(2, again.appended.n);
    CHECK_STR(first.appended.ids[1], again.appended.ids[1]);
    CHECK_STR(first.appended.call, again.appended.call);
    CHECK_INT(1, get(t, s)->calls);
    CHECK_OK(record_key(t, s, "u:q1 a:r1 u:q2", "r2", "k2", &again));
    CHECK_OK(record_key(t, s, "u:q1", "r1", "k1", &again)); /* a late repeat, after the next turn */
    CHECK(again.appended.replayed);
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", spelled(t, s));
    CHECK_RC(BOUGH_KEY_CONFLICT, record_key(t, s, "u:other", "r1", "k1", &again));
}

STORE_TEST(regenerating_a_reply_becomes_a_branch)
{
    const char *s = new_session(t, "");
    struct bough_record_result r;

    record(t, s, "u:q1", "r1");
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    r = record(t, s, "u:q1 a:r1 u:q2", "r2-again");
    CHECK(r.branched);
    CHECK_INT(3, r.matched);
    CHECK_INT(1, r.appended.n);
    CHECK_STR("u:q1 a:r1 u:q2 a:r2-again", spelled(t, s));
    CHECK_INT(5, all_messages(t, s));
    r = record(t, s, "u:q1", "r1-again"); /* from an earlier turn */
    CHECK(r.branched);
    CHECK_STR("u:q1 a:r1-again", spelled(t, s));
}

STORE_TEST(an_edited_history_becomes_a_branch)
{
    const char *s = new_session(t, "");
    struct bough_record_result r;

    record(t, s, "u:q1", "r1");
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    r = record(t, s, "u:q1 a:r1 u:q2-edited", "r2-new");
    CHECK(r.branched);
    CHECK_INT(2, r.matched);
    CHECK_STR("u:q1 a:r1 u:q2-edited a:r2-new", spelled(t, s));
    CHECK_INT(6, all_messages(t, s));
}

STORE_TEST(recording_goes_on_from_an_older_branch_without_a_copy)
{
    const char *s = new_session(t, "");
    struct bough_record_result r;

    record(t, s, "u:q1", "r1");
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    record(t, s, "u:q1 a:r1 u:q2-edited", "r2-new");
    r = record(t, s, "u:q1 a:r1 u:q2 a:r2 u:q3", "r3"); /* back to the first branch */
    CHECK_INT(4, r.matched);
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
    CHECK_INT(8, all_messages(t, s));
}

/* How many entries of the session are of this kind. */
static size_t count_kind(struct test *t, const char *session, enum bough_entry_kind kind)
{
    struct bough_entries all;
    size_t n = 0;

    CHECK_OK(bough_tree_entries(t->store, t->arena, session, NULL, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        n += all.at[i].kind == kind;
    return n;
}

STORE_TEST(recording_a_message_corrected_in_place_keeps_it_once_as_a_variant)
{
    const char *s = new_session(t, "");
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_context_result context;

    record(t, s, "u:q1", "r1");
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    record(t, s, "u:q1-corrected a:r1 u:q2 a:r2 u:q3", "r3");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
    CHECK_INT(1, count_kind(t, s, BOUGH_ENTRY_CUSTOM));
    record(t, s, "u:q1-corrected a:r1 u:q2 a:r2 u:q3 a:r3 u:q4", "r4");
    CHECK_INT(1, count_kind(t, s, BOUGH_ENTRY_CUSTOM));
    /* A variant is no correction: contexts show what was recorded first. */
    CHECK_OK(bough_context(t->store, t->arena, s, &how, &context, &t->err));
    CHECK_INT(8, context.count);
    CHECK(strstr(context.messages.p, "\"q1\""));
    CHECK(!strstr(context.messages.p, "corrected"));
}

STORE_TEST(recording_a_history_that_the_client_compacted_adds_one_marker)
{
    const char *s = new_session(t, "");

    record(t, s, "u:q1", "r1");
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    record(t, s, "u:summary a:r2 u:q3", "r3");
    CHECK_INT(1, count_kind(t, s, BOUGH_ENTRY_COMPACTION));
    record(t, s, "u:summary a:r2 u:q3 a:r3 u:q4", "r4");
    CHECK_INT(1, count_kind(t, s, BOUGH_ENTRY_COMPACTION));
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3 u:q4 a:r4", spelled(t, s));
}

/* --- C9: cases where counting messages fails --- */

STORE_TEST(C9_a_only_the_new_message_was_sent)
{
    const char *s = new_session(t, "");

    record(t, s, "u:q1", "r1");
    record(t, s, "u:q2", "r2");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", spelled(t, s));
    record(t, s, "u:q3", "r3");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
}

STORE_TEST(C9_b_a_client_that_trims_old_messages_loses_none)
{
    const char *s = new_session(t, "");
    struct bough_record_result r;

    record(t, s, "u:q1", "r1");
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    r = record(t, s, "u:q2 a:r2 u:q3", "r3");
    CHECK_INT(2, r.matched);
    CHECK(!r.branched);
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
    r = record(t, s, "a:r3 u:q4", "r4");
    CHECK_INT(1, r.matched);
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3 u:q4 a:r4", spelled(t, s));
}

STORE_TEST(C9_c_an_own_system_message_on_a_later_turn_doubles_nothing)
{
    const char *s = new_session(t, "");
    struct bough_entries all;
    int notes = 0;

    record(t, s, "u:q1", "r1");
    record(t, s, "s:mine u:q1 a:r1 u:q2", "r2");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", spelled(t, s));
    /* The system message is kept as a note, not as a message in the middle. */
    CHECK_OK(bough_tree_entries(t->store, t->arena, s, NULL, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        notes += all.at[i].kind == BOUGH_ENTRY_CUSTOM && strstr(all.at[i].data.p, "mine") != NULL;
    CHECK_INT(1, notes);
}

STORE_TEST(C9_c_an_own_system_message_on_every_turn_is_noted_once)
{
    const char *s = new_session(t, "");
    struct bough_entries all;

    record(t, s, "u:q1", "r1");
    record(t, s, "s:mine u:q1 a:r1 u:q2", "r2");
    record(t, s, "s:mine u:q1 a:r1 u:q2 a:r2 u:q3", "r3");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
    CHECK_OK(bough_tree_entries(t->store, t->arena, s, NULL, &all, &t->err));
    CHECK_INT(7, all.n);
}

STORE_TEST(C9_d_an_own_system_message_from_the_start_stays_consistent)
{
    const char *s = new_session(t, "");

    record(t, s, "s:mine u:q1", "r1");
    CHECK_STR("s:mine u:q1 a:r1", spelled(t, s));
    record(t, s, "s:mine u:q1 a:r1 u:q2", "r2");
    CHECK_STR("s:mine u:q1 a:r1 u:q2 a:r2", spelled(t, s));
    record(t, s, "u:q1 a:r1 u:q2 a:r2 u:q3", "r3"); /* without it: same conversation */
    CHECK_STR("s:mine u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
}

STORE_TEST(C9_e_a_prompt_edited_between_sending_and_recording_is_no_message)
{
    const char *s = with_prompt(t, "old");

    record(t, s, "s:old u:q1", "r1");
    CHECK_OK(bough_session_update(
        t->store, s, &(struct bough_session_update_options){ .system_prompt = "new" }, &t->err));
    record(t, s, "s:old u:q1 a:r1 u:q2", "r2");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", spelled(t, s));
}

STORE_TEST(C9_f_a_reordered_history_of_equal_length_is_noticed)
{
    const char *s = new_session(t, "");
    struct bough_record_result r;

    record(t, s, "u:q1", "r1");
    record(t, s, "u:q1 a:r1 u:q2", "r2");
    r = record(t, s, "u:q1 a:r2 u:q2 a:r1", "r3");
    CHECK(r.branched);
    CHECK_INT(1, r.matched);
    CHECK_STR("u:q1 a:r2 u:q2 a:r1 a:r3", spelled(t, s));
    CHECK_INT(8, all_messages(t, s));
}

struct recorder {
    struct test *t;
    struct bough_store *store;
    const char *session;
    int number;
    enum bough_rc rc;
    struct bough_error err;
};

static void *record_some(void *arg)
{
    struct recorder *r = arg;
    struct bough_arena *a = bough_arena_create();

    for (int i = 0; i < 10 && !r->rc; i++) {
        struct bough_entry_new h = { .role = BOUGH_ROLE_USER,
                                     .text = arena_printf(a, "q%d.%d", r->number, i) };
        struct bough_entry_new reply = { .text = arena_printf(a, "r%d.%d", r->number, i) };
        struct bough_record_options in = { .history = &h, .nhistory = 1, .reply = &reply };
        struct bough_record_result out;

        r->rc = bough_record(r->store, a, r->session, &in, &out, &r->err);
    }
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(C9_g_recorders_in_eight_threads_neither_double_nor_interleave)
{
    const char *s;
    struct recorder r[8];
    pthread_t threads[8];
    struct bough_entries_read_result path;

    bough_store_close(&t->store); /* the test clock is not thread-safe */
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    s = new_session(t, "");
    for (int i = 0; i < 8; i++) {
        r[i] = (struct recorder){ .store = t->store, .session = s, .number = i };
        CHECK(pthread_create(&threads[i], NULL, record_some, &r[i]) == 0);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 8; i++)
        if (r[i].rc)
            FAIL("thread %d: %s (%s)", i, bough_rc_name(r[i].rc), r[i].err.msg);
    CHECK_OK(bough_entries_read(t->store, t->arena, s, NULL, &path, &t->err));
    CHECK_INT(160, path.entries.n); /* a single path: no branch was made */
    for (size_t i = 0; i < path.entries.n; i += 2)
        CHECK_STR(text_of(t, &path.entries.at[i]) + 1, text_of(t, &path.entries.at[i + 1]) + 1);
    CHECK_INT(160, all_messages(t, s));
}

STORE_TEST(C9_h_a_missed_record_is_healed_by_the_next_replay)
{
    const char *s = new_session(t, "");

    record(t, s, "u:q1", "r1");
    /* "u:q2 -> r2" was never recorded. */
    record(t, s, "u:q1 a:r1 u:q2 a:r2 u:q3", "r3");
    CHECK_STR("u:q1 a:r1 u:q2 a:r2 u:q3 a:r3", spelled(t, s));
    CHECK_INT(2, get(t, s)->calls); /* the missed exchange has no call */
}

STORE_TEST(C9_i_recording_into_a_session_that_is_gone_says_so)
{
    const char *s = new_session(t, ""), *deleted = new_session(t, "");
    struct bough_record_result r;

    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_RC(BOUGH_GONE, record_key(t, s, "u:q1", "r1", NULL, &r));
    CHECK_RC(BOUGH_NOT_FOUND, record_key(t, "nobody", "u:q1", "r1", NULL, &r));
    /* A deleted session can be restored, so it still records. */
    CHECK_OK(bough_session_delete(t->store, deleted, &t->err));
    CHECK_OK(record_key(t, deleted, "u:q1", "r1", NULL, &r));
    CHECK_OK(bough_session_restore(t->store, deleted, &t->err));
    CHECK_STR("u:q1 a:r1", spelled(t, deleted));
}

/* --- other cases --- */

STORE_TEST(recording_into_a_fork_matches_the_inherited_history)
{
    const char *s = new_session(t, ""), *f;
    struct bough_record_result r;

    record(t, s, "u:q1", "r1");
    f = fork_at(t, s, NULL);
    r = record(t, f, "u:q1 a:r1 u:q2", "r2");
    CHECK_INT(2, r.matched);
    CHECK_INT(2, r.appended.n);
    CHECK_STR("u:q1 a:r1 u:q2 a:r2", spelled(t, f));
    CHECK_STR("u:q1 a:r1", spelled(t, s));
}

STORE_TEST(a_deleted_message_is_not_matched_and_not_lost)
{
    const char *s = new_session(t, "");
    struct bough_record_result r = record(t, s, "u:q1", "r1");

    CHECK_OK(bough_entry_delete(t->store, s, r.appended.ids[1], &t->err));
    record(t, s, "u:q1 u:q2", "r2");
    CHECK_STR("u:q1 u:q2 a:r2", spelled(t, s));
}

STORE_TEST(parts_that_mean_the_same_are_the_same)
{
    const char *s = new_session(t, "");
    struct bough_str one =
        str_of("{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"ls\",\"input\":{\"a\":1,\"b\":2}}");
    struct bough_str same =
        str_of("{\"name\":\"ls\",\"type\":\"tool_use\",\"input\":{\"b\":2,\"a\":1},\"id\":\"t\"}");
    struct bough_entry_new q = { .role = BOUGH_ROLE_USER, .text = "q" };
    struct bough_entry_new reply = { .role = BOUGH_ROLE_ASSISTANT, .parts = &one, .nparts = 1 };
    struct bough_record_options first = { .history = &q, .nhistory = 1, .reply = &reply };
    struct bough_entry_new h[] = { q,
                                   { .role = BOUGH_ROLE_ASSISTANT, .parts = &same, .nparts = 1 },
                                   { .role = BOUGH_ROLE_TOOL, .text = "files" } };
    struct bough_record_options next = { .history = h, .nhistory = 3 };
    struct bough_record_result r;

    CHECK_OK(bough_record(t->store, t->arena, s, &first, &r, &t->err));
    CHECK_OK(bough_record(t->store, t->arena, s, &next, &r, &t->err));
    CHECK_INT(2, r.matched);
    CHECK_INT(3, all_messages(t, s));
}
