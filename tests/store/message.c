/* Open messages (U13): opened, extended, sealed, interrupted. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "message_world.h"

/* --- opening and sealing --- */

STORE_TEST(U13_an_open_message_has_its_id_place_and_number_at_once_and_moves_the_head)
{
    const char *s = new_session(t, "s");
    struct bough_writing w;
    struct bough_entry *e;

    user(t, s, "hello");
    w = open_message(t, s, 0);
    e = entry_at(t, w.id);
    CHECK(e->open);
    CHECK_INT(2, e->mno);
    CHECK_INT(0, e->nparts);
    CHECK_INT(e->at.depth, get(t, s)->head.depth);
    CHECK_INT(1, get(t, s)->messages); /* counted only once it is sealed */
    user(t, s, "meanwhile");
    CHECK_INT(3, entry_at(t, user(t, s, "more"))->mno - 1);
    seal(t, &w);
    CHECK(!entry_at(t, w.id)->open);
    CHECK_INT(4, get(t, s)->messages);
}

STORE_TEST(U13_sealing_keeps_id_time_number_and_origin_and_freezes_what_was_written)
{
    const char *s = new_session(t, "s");
    struct bough_entry_new in = {
        .role = BOUGH_ROLE_ASSISTANT, .id = "msg-1", .time = 1234, .data = str_of("{\"a\":1}")
    };
    struct bough_message_open_options how = { .entry = &in };
    struct bough_message_open_result open;
    struct bough_message_seal_options end = { .finish = "stop", .metadata = str_of("{\"b\":2}") };
    struct bough_entry *e;
    int64_t no;

    CHECK_OK(bough_message_open(t->store, t->arena, s, &how, &open, &t->err));
    no = entry_at(t, open.writing.id)->no;
    user(t, s, "behind it");
    CHECK_OK(step(t, &open.writing, 0, BOUGH_STEP_PART, 0, TEXT_PART));
    say(t, &open.writing, "one ");
    say(t, &open.writing, "\"two\"\n");
    CHECK_OK(bough_message_seal(t->store, t->arena, &open.writing, &end, &e, &t->err));
    CHECK_STR(open.writing.id, e->id);
    CHECK_STR("msg-1", e->origin);
    CHECK_STR("stop", e->finish);
    CHECK_STR("{\"a\":1}", e->data.p);
    CHECK_STR("{\"b\":2}", e->metadata.p);
    CHECK_INT(1234, e->time);
    CHECK_INT(no, e->no);
    CHECK_INT(1, e->mno);
    CHECK_STR("{\"type\":\"text\",\"text\":\"one \\\"two\\\"\\n\"}", e->parts[0].json.p);
    CHECK_STR("one \"two\"\n behind it", path_text(t, s));
    CHECK_RC(BOUGH_CONFLICT, step(t, &open.writing, 0, BOUGH_STEP_TEXT, 0, "late"));
    CHECK_RC(BOUGH_CONFLICT,
             bough_message_seal(t->store, t->arena, &open.writing, NULL, &e, &t->err));
}

STORE_TEST(money_counts_when_the_message_is_sealed)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct bough_call_new call = { .model = "m", .used = { .input = 10, .cost = 500 } };
    struct bough_message_seal_options end = { .call = &call };
    struct bough_entry *e;

    CHECK_INT(0, get(t, s)->calls);
    CHECK_OK(bough_message_seal(t->store, t->arena, &w, &end, &e, &t->err));
    CHECK(e->call[0]);
    CHECK_INT(1, get(t, s)->calls);
    CHECK_INT(500, get(t, s)->own.cost);
    w = begin_text(t, s);
    end = (struct bough_message_seal_options){ .usage = &(struct bough_totals){ .output = 3,
                                                                                .cost = 7 } };
    CHECK_OK(bough_message_seal(t->store, t->arena, &w, &end, &e, &t->err));
    CHECK(e->call[0]); /* usage always has a call */
    CHECK_INT(507, get(t, s)->rolled.cost);
}

STORE_TEST(the_whole_message_may_be_given_once_more_at_its_end)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct bough_str parts[] = { str_of("{\"type\":\"text\",\"text\":\"final\"}"), str_of("{") };
    struct bough_message_seal_options end = { .parts = parts, .nparts = 2 };
    struct bough_entry *e;

    say(t, &w, "draft");
    CHECK_RC(BOUGH_INVALID_PART, bough_message_seal(t->store, t->arena, &w, &end, &e, &t->err));
    say(t, &w, " goes on"); /* a refused seal changes nothing */
    end.nparts = 1;
    CHECK_OK(bough_message_seal(t->store, t->arena, &w, &end, &e, &t->err));
    CHECK_STR("final", path_text(t, s));
}

STORE_TEST(opening_refuses_sealing_fields_and_entries_that_are_not_messages)
{
    const char *s = new_session(t, "s");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "x" };
    struct bough_message_open_options in = { .entry = &e };
    struct bough_message_open_result out;

    CHECK_RC(BOUGH_INVALID, bough_message_open(t->store, t->arena, s, &in, &out, &t->err));
    e = (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT,
                                  .usage = &(struct bough_totals){ 0 } };
    CHECK_RC(BOUGH_INVALID, bough_message_open(t->store, t->arena, s, &in, &out, &t->err));
    e = (struct bough_entry_new){ .kind = BOUGH_ENTRY_CUSTOM };
    CHECK_RC(BOUGH_INVALID, bough_message_open(t->store, t->arena, s, &in, &out, &t->err));
    e = (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT };
    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_message_open(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(0, get(t, s)->messages);
}

STORE_TEST(the_same_key_opens_one_message)
{
    const char *s = new_session(t, "s");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e, .key = "k" };
    struct bough_message_open_result one, two;

    CHECK_OK(bough_message_open(t->store, t->arena, s, &in, &one, &t->err));
    CHECK_OK(bough_message_open(t->store, t->arena, s, &in, &two, &t->err));
    CHECK_STR(one.writing.id, two.writing.id);
    CHECK_OK(step(t, &two.writing, 1, BOUGH_STEP_PART, 0, TEXT_PART));
}

/* --- steps --- */

STORE_TEST(steps_that_come_again_are_ignored_and_a_gap_is_refused)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);

    CHECK_OK(step(t, &w, 2, BOUGH_STEP_TEXT, 0, "a"));
    CHECK_OK(step(t, &w, 2, BOUGH_STEP_TEXT, 0, "a"));
    CHECK_OK(step(t, &w, 1, BOUGH_STEP_PART, 0, TEXT_PART));
    CHECK_RC(BOUGH_CONFLICT, step(t, &w, 4, BOUGH_STEP_TEXT, 0, "c"));
    CHECK(strstr(t->err.msg, "the next step is 3"));
    CHECK_OK(step(t, &w, 3, BOUGH_STEP_TEXT, 0, "b"));
    CHECK_STR("ab", text_of(t, seal(t, &w)));
}

STORE_TEST(a_bad_step_is_refused_by_name_and_those_before_it_are_taken)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct bough_step steps[] = { { .kind = BOUGH_STEP_TEXT, .bytes = str_of("good") },
                                  { .kind = BOUGH_STEP_TEXT, .part = 5, .bytes = str_of("bad") },
                                  { .kind = BOUGH_STEP_TEXT, .bytes = str_of("never") } };
    struct bough_message_step_result out;

    CHECK_RC(BOUGH_INVALID, bough_message_step(t->store, &w, 2, steps, 3, &out, &t->err));
    CHECK(strstr(t->err.msg, "step 3"));
    CHECK_INT(2, out.last);
    CHECK_RC(BOUGH_INVALID, step(t, &w, 3, BOUGH_STEP_TEXT, 0, "\xff\xfe"));
    CHECK_RC(BOUGH_INVALID_PART, step(t, &w, 3, BOUGH_STEP_PART, 0, "{\"type\":\"text\"}"));
    CHECK_RC(BOUGH_INVALID, step(t, &w, 3, (enum bough_step_kind)9, 0, "x"));
    CHECK_RC(BOUGH_INVALID_PART, step(t, &w, 3, BOUGH_STEP_STATE, 0, "{\"type\":"));
    CHECK_STR("good", text_of(t, seal(t, &w)));
}

STORE_TEST(steps_add_as_many_parts_as_a_message_may_have)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct bough_step *steps = bough_arena_alloc(t->arena, LIMIT_PARTS * sizeof *steps);
    struct bough_message_step_result out;

    for (size_t i = 0; i < LIMIT_PARTS; i++)
        steps[i] = (struct bough_step){ .bytes = str_of("{\"type\":\"text\",\"text\":\"x\"}") };
    CHECK_RC(BOUGH_TOO_LARGE,
             bough_message_step(t->store, &w, 0, steps, LIMIT_PARTS, &out, &t->err));
    CHECK_INT(LIMIT_PARTS, out.last); /* the first one was there */
    CHECK_INT(LIMIT_PARTS, seal(t, &w)->nparts);
}

static const char *tool(struct test *t, const char *state)
{
    return arena_printf(
        t->arena, "{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"bash\",\"state\":%s}", state);
}

static const char pending[] = "{\"status\":\"pending\",\"input\":{},\"raw\":\"\"}";
static const char running[] = "{\"status\":\"running\",\"input\":{\"c\":\"ls\"},\"metadata\":{"
                              "\"n\":1},\"time\":{\"start\":5}}";
static const char completed[] = "{\"status\":\"completed\",\"input\":{\"c\":\"ls\"},\"output\":"
                                "\"a\",\"title\":\"t\",\"metadata\":{},"
                                "\"time\":{\"start\":5,\"end\":6}}";

STORE_TEST(A11_a_tool_goes_from_pending_over_running_to_completed_and_never_back)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct bough_entry *e;

    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, tool(t, pending)));
    CHECK_RC(BOUGH_CONFLICT, step(t, &w, 0, BOUGH_STEP_STATE, 1, tool(t, completed)));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_STATE, 1, tool(t, running)));
    CHECK_RC(BOUGH_CONFLICT, step(t, &w, 0, BOUGH_STEP_STATE, 1, tool(t, pending)));
    CHECK_RC(BOUGH_INVALID, step(t, &w, 0, BOUGH_STEP_STATE, 0, tool(t, running)));
    CHECK_RC(BOUGH_INVALID,
             step(t, &w, 0, BOUGH_STEP_STATE, 1,
                  "{\"type\":\"tool\",\"callID\":\"c2\",\"tool\":\"bash\",\"state\":{\"status\":"
                  "\"running\",\"input\":{},\"time\":{\"start\":1}}}"));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_STATE, 1, tool(t, completed)));
    CHECK_RC(BOUGH_CONFLICT, step(t, &w, 0, BOUGH_STEP_STATE, 1, tool(t, running)));
    e = seal(t, &w);
    CHECK_INT(2, e->nparts);
    CHECK_STR(tool(t, completed), e->parts[1].json.p);
}

STORE_TEST(A8_a_sealed_part_is_what_its_last_step_said_byte_for_byte)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = open_message(t, s, 0);
    const char *odd = "{ \"type\" : \"reasoning\", \"text\":\"\\ud800 x\", \"n\":1.50e2, \"n\":2 ,"
                      " \"time\":{\"start\":1}}";
    struct bough_entry *e;

    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, odd));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_TEXT, 0, "\xe2\x80\xa8\xf0\x9f\x98\x80"));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, tool(t, running)));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_TEXT, 0, "end"));
    e = seal(t, &w);
    CHECK_STR("{ \"type\" : \"reasoning\", \"text\":\"\\ud800 x\\u2028\xf0\x9f\x98\x80"
              "end\", \"n\":1.50e2, \"n\":2 , \"time\":{\"start\":1}}",
              e->parts[0].json.p);
    CHECK_STR(tool(t, running), e->parts[1].json.p);
}

STORE_TEST(a_message_never_grows_beyond_the_largest_message)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    size_t n = 16 * 1024 * 1024;
    char *big = malloc(n);
    struct bough_step one = { .kind = BOUGH_STEP_TEXT, .bytes = { big, n } };
    struct bough_message_step_result out;

    memset(big, 'a', n);
    for (int i = 0; i < 3; i++)
        CHECK_OK(bough_message_step(t->store, &w, 0, &one, 1, &out, &t->err));
    CHECK_RC(BOUGH_TOO_LARGE, bough_message_step(t->store, &w, 0, &one, 1, &out, &t->err));
    CHECK_INT(4, out.last);
    while (bough_message_step(t->store, &w, 0, &one, 1, &out, &t->err) == BOUGH_TOO_LARGE)
        one.bytes.n--; /* until it is as large as it may be */
    CHECK_INT(5, out.last);
    one.bytes.n = 1;
    CHECK_RC(BOUGH_TOO_LARGE, bough_message_step(t->store, &w, 0, &one, 1, &out, &t->err));
    free(big);
    CHECK_INT(LIMIT_MESSAGE_BYTES, (int64_t)seal(t, &w)->parts[0].json.n);
}

/* --- saving and leases --- */

STORE_TEST(steps_are_saved_together_by_size_by_time_and_on_request)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    char *big = arena_zalloc(t->arena, 70001);
    struct bough_step one = { .kind = BOUGH_STEP_TEXT, .bytes = str_of("x") };
    struct bough_message_step_result out;

    CHECK_OK(bough_message_step(t->store, &w, 0, &one, 1, &out, &t->err));
    memset(big, 'b', 70000);
    one.bytes = str_of(big);
    CHECK_OK(bough_message_step(t->store, &w, 0, &one, 1, &out, &t->err));
    CHECK_INT(3, out.saved); /* 64 KB trigger a save */
    one.bytes = str_of("y");
    CHECK_OK(bough_message_step(t->store, &w, 0, &one, 1, &out, &t->err));
    CHECK(out.saved == 3 || out.saved == 4); /* 4 on a machine that rested here for 250 ms */
    CHECK_INT(4, flush_steps(t, &w).saved);
    say(t, &w, "z");
    for (struct wait more = { 0 }; out.saved < 5 && wait_more(&more);)
        CHECK_OK(bough_message_step(t->store, &w, 0, NULL, 0, &out, &t->err));
    CHECK_INT(5, out.saved); /* saved by the store's own thread after 250 ms */
    CHECK_INT(70003, (int64_t)strlen(text_of(t, seal(t, &w))));
}

STORE_TEST(U13_a_message_with_an_expired_lease_is_sealed_as_interrupted)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = open_message(t, s, 5000);
    struct bough_open_messages open;
    struct bough_entry *e;
    int64_t n;

    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, TEXT_PART));
    say(t, &w, "so far");
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, tool(t, running)));
    flush_steps(t, &w);
    CHECK_OK(bough_message_recover(t->store, &n, &t->err));
    CHECK_INT(0, n);
    t->env.step = 0;
    test_later(t, 6000);
    CHECK_OK(bough_message_list(t->store, t->arena, s, &open, &t->err));
    CHECK_INT(1, open.n);
    CHECK(open.at[0].expired);
    CHECK_STR("me", open.at[0].lease.owner);
    CHECK_OK(bough_message_recover(t->store, &n, &t->err));
    CHECK_INT(1, n);
    e = entry_at(t, w.id);
    CHECK(!e->open);
    CHECK_STR("interrupted", e->finish);
    CHECK(strstr(e->error.p, "interrupted"));
    CHECK_INT(2, e->nparts);
    CHECK_STR("so far", text_of(t, e));
    CHECK_STR(tool(t, arena_printf(t->arena,
                                   "{\"status\":\"error\",\"input\":{\"c\":\"ls\"},\"error\":"
                                   "\"interrupted\",\"metadata\":{\"n\":1,\"interrupted\":true},"
                                   "\"time\":{\"start\":5,\"end\":%lld}}",
                                   (long long)t->env.now)),
              e->parts[1].json.p);
    CHECK_RC(BOUGH_LEASE_LOST, step(t, &w, 0, BOUGH_STEP_TEXT, 0, "late"));
    CHECK_RC(BOUGH_LEASE_LOST, bough_message_seal(t->store, t->arena, &w, NULL, &e, &t->err));
    CHECK_OK(bough_message_recover(t->store, &n, &t->err)); /* C20: sealed only once */
    CHECK_INT(0, n);
}

STORE_TEST(steps_keep_the_lease)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = open_message(t, s, 5000);
    int64_t n;

    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, TEXT_PART));
    for (int i = 0; i < 5; i++) {
        test_later(t, 4000);
        say(t, &w, "x");
        flush_steps(t, &w);
        CHECK_OK(bough_message_recover(t->store, &n, &t->err));
        CHECK_INT(0, n);
    }
    CHECK_STR("xxxxx", text_of(t, seal(t, &w)));
}

STORE_TEST(an_expired_message_may_be_taken_over_and_the_late_owner_has_lost_it)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = open_message(t, s, 5000);
    struct bough_message_open_result mine;

    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, TEXT_PART));
    say(t, &w, "first ");
    CHECK_RC(BOUGH_BUSY, bough_message_take(t->store, w.id, NULL, &mine, &t->err));
    CHECK(strstr(t->err.msg, "me"));
    test_later(t, 6000);
    CHECK_OK(bough_message_take(t->store, w.id, NULL, &mine, &t->err));
    CHECK_INT(w.epoch + 1, mine.writing.epoch);
    CHECK_INT(2, mine.last);
    CHECK_RC(BOUGH_LEASE_LOST, step(t, &w, 3, BOUGH_STEP_TEXT, 0, "late"));
    CHECK_OK(step(t, &mine.writing, 3, BOUGH_STEP_TEXT, 0, "second"));
    CHECK_STR("first second", text_of(t, seal(t, &mine.writing)));
}

STORE_TEST(C20_opening_a_store_seals_open_messages_of_dead_processes)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = { 0 };
    struct bough_entry *e;
    int fds[2], status;
    pid_t pid;

    if (!store_lasts(t))
        return;
    user(t, s, "hello");
    bough_store_close(&t->store);
    CHECK(pipe(fds) == 0);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        if (bough_store_open(&t->store, t->url, NULL, &t->err))
            _exit(2);
        w = begin_text(t, s);
        say(t, &w, "half a sen");
        flush_steps(t, &w);
        say(t, &w, "tence that was not saved");
        if (write(fds[1], &w, sizeof w) != (ssize_t)sizeof w)
            _exit(3);
        kill(getpid(), SIGKILL); /* _exit() would wait under ThreadSanitizer */
    }
    CHECK(read(fds[0], &w, sizeof w) == (ssize_t)sizeof w);
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(fds[0]);
    close(fds[1]);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    e = entry_at(t, w.id);
    CHECK(!e->open);
    CHECK_STR("interrupted", e->finish);
    CHECK_STR("half a sen", text_of(t, e));
}

STORE_TEST(closing_a_store_saves_every_step)
{
    const char *s = new_session(t, "s");
    struct bough_writing w;

    if (!store_lasts(t))
        return;
    w = begin_text(t, s);
    say(t, &w, "not lost");
    store_reopen(t);
    CHECK(entry_at(t, w.id)->open); /* this process is alive, so its lease holds */
    CHECK_OK(step(t, &w, 3, BOUGH_STEP_TEXT, 0, " at all"));
    CHECK_STR("not lost at all", text_of(t, seal(t, &w)));
}

STORE_TEST(a_step_without_a_number_of_its_part_goes_to_the_last_text_or_to_its_tool_call)
{
    static const char tool[] =
        "{\"type\":\"tool\",\"tool\":\"bash\",\"callID\":\"%s\",\"state\":{\"status\":\"%s\","
        "\"input\":{},\"raw\":\"\",\"time\":{\"start\":1}}}";
    struct bough_writing w = begin_text(t, new_session(t, "x"));
    struct bough_entry *e;

    CHECK_RC(BOUGH_INVALID, step(t, &w, 0, BOUGH_STEP_STATE, BOUGH_STEP_LATEST,
                                 arena_printf(t->arena, tool, "c0", "running")));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, arena_printf(t->arena, tool, "c1", "pending")));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, arena_printf(t->arena, tool, "c2", "pending")));
    CHECK_RC(BOUGH_INVALID, step(t, &w, 0, BOUGH_STEP_TEXT, BOUGH_STEP_LATEST, "into a tool"));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_STATE, BOUGH_STEP_LATEST,
                  arena_printf(t->arena, tool, "c1", "running")));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, "{\"type\":\"text\",\"text\":\"last\"}"));
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_TEXT, BOUGH_STEP_LATEST, " words"));
    e = seal(t, &w);
    CHECK_INT(4, (int)e->nparts);
    CHECK(strstr(e->parts[1].json.p, "running"));
    CHECK(strstr(e->parts[2].json.p, "pending"));
    CHECK_SPAN("{\"type\":\"text\",\"text\":\"last words\"}", e->parts[3].json);
}
