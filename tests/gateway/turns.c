/* Turns: prompts that bough sends to a model itself. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/world.h"

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
#define JSON "Content-Type: application/json\r\n"

static const char hello[] =
    HEAD "data: {\"id\":\"c1\",\"model\":\"gpt-5.5\",\"choices\":[{\"index\":0,\"delta\":{"
         "\"content\":\"hello\"}}]}\n\ndata: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},"
         "\"finish_reason\":\"stop\"}]}\n\ndata: {\"id\":\"c1\",\"choices\":[],\"usage\":{"
         "\"prompt_tokens\":100,\"completion_tokens\":10}}\n\ndata: [DONE]\n\n";

static void say_hello(struct world *w, size_t stop_at)
{
    fake_say(w->up,
             &(struct fake_answer){ .bytes = str_of(hello), .stop_at = stop_at, .cut = true });
}

static const char *new_world(struct test *t, struct world *w)
{
    struct bough_session *s;

    CHECK_OK(bough_session_create(
        t->store, t->arena,
        &(struct bough_session_create_options){ .title = "s", .system_prompt = "be kind" }, &s,
        &t->err));
    world_prepare(t, w);
    world_set(w, "provider \"up\"", "wires", "chat");
    world_start(w);
    return s->id;
}

static struct got turn(struct world *w, const char *session, const char *headers, const char *body)
{
    return ask(w, arena_printf(w->t->arena, "/api/v1/sessions/%s/turns", session), headers, body);
}

STORE_TEST(a_turn_sends_the_context_and_stores_the_reply)
{
    struct world w;
    const char *s = new_world(t, &w), *sent;
    struct got g;

    say_hello(&w, 0);
    g = turn(&w, s, "", "{\"content\":\"hi\",\"model\":\"gpt-5.5\"}");
    CHECK_INT(202, g.status);
    CHECK(strstr(g.body.p, "\"provider\":\"up\""));
    check_path(&w, "user:hi assistant:hello");
    sent = fake_asked(w.up, 0);
    CHECK(strstr(sent, "POST /v1/chat/completions"));
    CHECK(strstr(sent, "be kind") && strstr(sent, "hi"));
    CHECK_STR("ok gpt-5.5 100+10 list", calls_text(&w, s));
    /* The next one needs no model, and has the whole conversation. */
    say_hello(&w, 0);
    g = turn(&w, s, "", "{\"content\":\"again\"}");
    CHECK_INT(202, g.status);
    check_path(&w, "user:hi assistant:hello user:again assistant:hello");
    sent = fake_asked(w.up, 1);
    CHECK(strstr(sent, "hello") && strstr(sent, "again"));
    world_close(&w);
}

STORE_TEST(a_turn_is_streamed_as_the_ai_sdk_reads_it)
{
    struct world w;
    const char *s = new_world(t, &w);
    struct got g;

    say_hello(&w, 0);
    g = turn(&w, s, "Accept: text/event-stream\r\n", "{\"content\":\"hi\",\"model\":\"gpt-5.5\"}");
    CHECK_INT(200, g.status);
    CHECK(g.complete);
    CHECK_STR("v1", head_value(t, &g, "x-vercel-ai-ui-message-stream"));
    CHECK(strstr(g.body.p, "\"type\":\"start\""));
    CHECK(strstr(g.body.p, "hello"));
    CHECK(strstr(g.body.p, "\"type\":\"finish\""));
    world_close(&w);
}

/* Wait until the session is not busy. */
static void wait_idle(struct test *t, const char *session)
{
    for (struct wait w = { 0 }; get(t, session)->status != BOUGH_STATUS_IDLE;)
        CHECK(wait_more(&w));
}

STORE_TEST(a_second_turn_is_busy_or_waits_in_the_queue)
{
    size_t half = strlen(HEAD) + 20;
    struct world w;
    const char *s = new_world(t, &w);
    struct got g;

    say_hello(&w, half);
    CHECK_INT(202, turn(&w, s, "", "{\"content\":\"one\",\"model\":\"gpt-5.5\"}").status);
    CHECK(fake_asked(w.up, 0));
    g = turn(&w, s, "", "{\"content\":\"two\"}");
    CHECK_INT(409, g.status);
    CHECK(strstr(g.body.p, "busy"));
    g = turn(&w, s, "", "{\"content\":\"two\",\"queue\":true}");
    CHECK_INT(202, g.status);
    CHECK(strstr(g.body.p, "\"queued\":{"));
    say_hello(&w, 0);
    fake_go(w.up);
    check_path(&w, "user:one assistant:hello user:two assistant:hello");
    wait_idle(t, s);
    world_close(&w);
}

STORE_TEST(a_turn_that_is_cancelled_keeps_what_came)
{
    size_t delta =
        (size_t)(strstr(hello, "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{}") -
                 hello);
    struct world w;
    const char *s = new_world(t, &w);
    struct talk k;

    say_hello(&w, delta);
    CHECK_INT(202, turn(&w, s, "", "{\"content\":\"one\",\"model\":\"gpt-5.5\"}").status);
    check_path(&w, "user:one assistant:(open)");
    for (struct wait wait = { 0 };;) { /* until its text has come */
        struct bough_open_messages open;
        struct bough_message_follow_result got;

        CHECK_OK(bough_message_list(t->store, t->arena, s, &open, &t->err));
        CHECK_INT(1, open.n);
        CHECK_OK(bough_message_follow(t->store, t->arena, open.at[0].id, -1, 0, &got, &t->err));
        if (got.nparts)
            break;
        CHECK(wait_more(&wait));
    }
    k = talk_begin_raw(&w, "DELETE", arena_printf(t->arena, "/api/v1/sessions/%s/turns", s), "",
                       str_of(""));
    CHECK_INT(204, talk_end(&k).status);
    check_path(&w, "user:one assistant:hello");
    CHECK(strncmp(calls_text(&w, s), "cancelled gpt-5.5", 17) == 0);
    wait_idle(t, s);
    k = talk_begin_raw(&w, "DELETE", arena_printf(t->arena, "/api/v1/sessions/%s/turns", s), "",
                       str_of(""));
    CHECK_INT(404, talk_end(&k).status);
    world_close(&w);
}

STORE_TEST(a_model_that_thinks_for_long_keeps_its_session)
{
    struct bough_open_messages open;
    struct world w;
    const char *s = new_world(t, &w);
    int64_t until;

    runner_renew_every(w.runner, 50);
    say_hello(&w, strlen(HEAD) - 2); /* not even the head comes */
    CHECK_INT(202, turn(&w, s, "", "{\"content\":\"one\",\"model\":\"gpt-5.5\"}").status);
    CHECK(fake_asked(w.up, 0));
    until = get(t, s)->lease->expires;
    __atomic_add_fetch(&t->env.now, 20000, __ATOMIC_RELAXED); /* of 30 s */
    for (struct wait wait = { 0 }; get(t, s)->lease->expires <= until;)
        CHECK(wait_more(&wait));
    for (struct wait wait = { 0 };;) {
        CHECK_OK(bough_message_list(t->store, t->arena, s, &open, &t->err));
        CHECK_INT(1, open.n);
        if (open.at[0].lease.expires > until)
            break;
        CHECK(wait_more(&wait));
    }
    fake_go(w.up);
    check_path(&w, "user:one assistant:hello");
    wait_idle(t, s);
    world_close(&w);
}

STORE_TEST(a_turn_that_fails_says_why_and_can_be_tried_again)
{
    struct bough_entries_read_result path;
    struct world w;
    const char *s = new_world(t, &w);
    struct got g;

    fake_json(w.up, 429, "{\"error\":{\"message\":\"slow down\"}}");
    CHECK_INT(202, turn(&w, s, "", "{\"content\":\"one\",\"model\":\"gpt-5.5\"}").status);
    check_path(&w, "user:one assistant:");
    wait_idle(t, s);
    CHECK_OK(bough_entries_read(t->store, t->arena, s, NULL, &path, &t->err));
    CHECK(memmem(path.entries.at[1].error.p, path.entries.at[1].error.n, "slow down", 9));
    say_hello(&w, 0);
    g = turn(&w, s, "",
             arena_printf(t->arena, "{\"retry\":true,\"at\":\"%s\"}", path.entries.at[0].id));
    CHECK_INT(202, g.status);
    check_path(&w, "user:one assistant:hello");
    wait_idle(t, s);
    /* Another wording of the first prompt is a branch. */
    say_hello(&w, 0);
    g = turn(&w, s, "", "{\"content\":\"other\",\"at_root\":true}");
    CHECK_INT(202, g.status);
    check_path(&w, "user:other assistant:hello");
    world_close(&w);
}

STORE_TEST(turns_that_cannot_be_made_are_refused_and_store_nothing)
{
    struct bough_budget_set_options cap = { .cap = 0, .window = BOUGH_BUDGET_DAY };
    struct world w;
    const char *s = new_world(t, &w);

    CHECK_INT(422, turn(&w, s, "", "{\"content\":\"hi\"}").status); /* no model */
    CHECK_INT(422, turn(&w, s, "", "{\"model\":\"gpt-5.5\"}").status);
    CHECK_INT(422, turn(&w, s, "", "{\"model\":\"gpt-5.5\",\"retry\":true}").status);
    CHECK_INT(404, turn(&w, "01ZZZZZZZZZZZZZZZZZZZZZZZZ", "", "{\"content\":\"hi\"}").status);
    CHECK_OK(bough_budget_set(t->store, t->arena, &cap, NULL, &t->err));
    CHECK_INT(402, turn(&w, s, "", "{\"content\":\"hi\",\"model\":\"gpt-5.5\"}").status);
    CHECK_STR("", messages_text(&w, s));
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    CHECK_INT(0, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_server_that_stops_ends_its_turns_as_interrupted)
{
    struct world w;
    const char *s = new_world(t, &w);

    say_hello(&w, strlen(HEAD) + 20);
    CHECK_INT(202, turn(&w, s, "", "{\"content\":\"one\",\"model\":\"gpt-5.5\"}").status);
    CHECK(fake_asked(w.up, 0));
    world_close(&w);
    CHECK(strncmp(calls_text(&w, s), "interrupted gpt-5.5", 19) == 0);
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
}

/* A prompt that waits in the queue of a session. */
static void put_in_queue(struct test *t, const char *session, const char *text)
{
    struct bough_prompt p = { .content = text, .model = "gpt-5.5" };

    CHECK_OK(bough_queue_add(t->store, t->arena, session, &p, NULL, &t->err));
}

STORE_TEST(prompts_that_wait_when_a_server_stops_are_sent_by_the_next_one)
{
    struct world w;
    const char *s = new_world(t, &w);

    say_hello(&w, strlen(HEAD) + 20);
    CHECK_INT(202, turn(&w, s, "", "{\"content\":\"one\",\"model\":\"gpt-5.5\"}").status);
    CHECK(fake_asked(w.up, 0));
    put_in_queue(t, s, "two");
    world_close(&w);
    t->env.now += 10;
    world_prepare(t, &w);
    world_set(&w, "provider \"up\"", "wires", "chat");
    world_start(&w);
    say_hello(&w, 0);
    CHECK_INT(1, runner_look(w.runner));
    check_path(&w, "user:one assistant: user:two assistant:hello");
    wait_idle(t, s);
    CHECK_INT(0, runner_look(w.runner));
    world_close(&w);
}

/* A run that another server has claimed. */
static void begin_elsewhere(struct test *t, const char *session)
{
    struct bough_run_start_options how = {
        .text = "zero", .model = "gpt-5.5", .host = "dead", .claim = true
    };
    struct bough_run_start_result out;

    CHECK_OK(bough_run_start(t->store, t->arena, session, &how, &out, &t->err));
}

STORE_TEST(a_run_whose_server_died_gives_way_to_the_queue_once_its_lease_is_over)
{
    struct world w;
    const char *s = new_world(t, &w);

    begin_elsewhere(t, s);
    put_in_queue(t, s, "one");
    put_in_queue(t, s, "two");
    CHECK_INT(0, runner_look(w.runner)); /* it may live */
    CHECK(strstr(get(t, s)->lease->owner, "@dead"));
    t->env.now += 31000;
    say_hello(&w, 0);
    say_hello(&w, 0);
    CHECK_INT(1, runner_look(w.runner));
    check_path(&w, "user:zero user:one assistant:hello user:two assistant:hello");
    wait_idle(t, s);
    world_close(&w);
}

STORE_TEST(only_runs_are_taken_over_and_one_without_prompts_becomes_idle)
{
    struct world w;
    const char *s = new_world(t, &w), *other = new_session(t, "other");

    begin_elsewhere(t, s);
    CHECK_OK(
        bough_session_status(t->store, other, BOUGH_STATUS_BUSY, "my agent", 1, NULL, &t->err));
    put_in_queue(t, other, "for my agent");
    t->env.now += 31000;
    CHECK_INT(0, runner_look(w.runner));
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    CHECK_STR("my agent", get(t, other)->lease->owner);
    CHECK_INT(0, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_cheap_model_names_a_session_after_its_first_turn)
{
    struct bough_session *s;
    struct world w;

    CHECK_OK(bough_session_create(t->store, t->arena, NULL, &s, &t->err));
    world_prepare(t, &w);
    world_set(&w, "provider \"up\"", "wires", "chat");
    world_set(&w, "gateway", "title_model", "gpt-5-mini");
    world_start(&w);
    say_hello(&w, 0);
    fake_json(
        w.up, 200,
        "{\"model\":\"gpt-5-mini\",\"choices\":[{\"message\":{\"content\":\"\\\"A greeting\\\""
        "\\nand more\"}}]}");
    CHECK_INT(202, turn(&w, s->id, "", "{\"content\":\"hi\",\"model\":\"gpt-5.5\"}").status);
    check_path(&w, "user:hi assistant:hello");
    wait_idle(t, s->id);
    CHECK_STR("A greeting", get(t, s->id)->title);
    CHECK(strstr(fake_asked(w.up, 1), "gpt-5-mini"));
    /* Only once. */
    say_hello(&w, 0);
    CHECK_INT(202, turn(&w, s->id, "", "{\"content\":\"more\",\"model\":\"gpt-5.5\"}").status);
    wait_idle(t, s->id);
    CHECK_INT(3, fake_count(w.up));
    world_close(&w);
}

/* ---- compaction ---- */

static struct got compact(struct world *w, const char *session, const char *body)
{
    return ask(w, arena_printf(w->t->arena, "/api/v1/sessions/%s/compact", session), "", body);
}

/* Messages of about 250 tokens each. */
static void fill(struct test *t, const char *session, int n)
{
    for (int i = 0; i < n; i++) {
        char *text = arena_zalloc(t->arena, 1001);

        memset(text, 'a' + i % 26, 1000);
        (void)(i % 2 ? agent(t, session, text) : user(t, session, text));
    }
}

STORE_TEST(a_model_summarises_the_older_part_and_the_rest_is_kept)
{
    struct bough_context_result c;
    struct world w;
    const char *s = new_world(t, &w), *sent;
    struct got g;

    fill(t, s, 10);
    fake_json(w.up, 200,
              "{\"id\":\"c1\",\"model\":\"gpt-5.5\",\"choices\":[{\"index\":0,\"message\":{"
              "\"role\":\"assistant\",\"content\":\"Goal: letters.\"},\"finish_reason\":\"stop\"}],"
              "\"usage\":{\"prompt_tokens\":500,\"completion_tokens\":20}}");
    g = compact(&w, s,
                "{\"model\":\"gpt-5.5\",\"keep_tokens\":1000,\"instructions\":\"be short\"}");
    CHECK_INT(201, g.status);
    CHECK(strstr(g.body.p, "Goal: letters."));
    sent = fake_asked(w.up, 0);
    CHECK(strstr(sent, "aaaaaaaa") && strstr(sent, "ffffffff") && strstr(sent, "be short"));
    CHECK(!strstr(sent, "gggggggg")); /* the last four are kept */
    CHECK_OK(
        bough_context(t->store, t->arena, s,
                      &(struct bough_context_options){ .dialect = "openai-chat", .trailing = true },
                      &c, &t->err));
    CHECK(memmem(c.messages.p, c.messages.n, "Goal: letters.", 14));
    CHECK(memmem(c.messages.p, c.messages.n, "gggggggg", 8));
    CHECK(!memmem(c.messages.p, c.messages.n, "ffffffff", 8));
    CHECK_STR("ok gpt-5.5 500+20 list", calls_text(&w, s));
    /* Right behind it there is nothing to summarise. */
    CHECK_INT(409, compact(&w, s, "{\"model\":\"gpt-5.5\",\"keep_tokens\":1000}").status);
    CHECK_INT(1, fake_count(w.up));
    /* The next one brings the summary up to date. */
    fill(t, s, 6);
    fake_json(w.up, 200, "{\"choices\":[{\"message\":{\"content\":\"Goal: more.\"}}]}");
    CHECK_INT(201, compact(&w, s, "{\"keep_tokens\":500}").status);
    CHECK(strstr(fake_asked(w.up, 1), "Goal: letters."));
    world_close(&w);
}

STORE_TEST(a_summary_that_fails_changes_nothing)
{
    struct bough_entries markers;
    struct world w;
    const char *s = new_world(t, &w);
    struct got g;

    fill(t, s, 10);
    fake_json(w.up, 500, "{\"error\":{\"message\":\"broken\"}}");
    g = compact(&w, s, "{\"model\":\"gpt-5.5\",\"keep_tokens\":1000}");
    CHECK(g.status >= 500);
    CHECK(strstr(g.body.p, "broken"));
    fake_json(w.up, 200, "{\"choices\":[{\"message\":{\"content\":\"  \"}}]}");
    CHECK(compact(&w, s, "{\"model\":\"gpt-5.5\",\"keep_tokens\":1000}").status >= 500);
    CHECK_OK(bough_marker_list(t->store, t->arena, s, &markers, &t->err));
    CHECK_INT(0, markers.n);
    CHECK_INT(422, compact(&w, new_session(t, "empty"), "{\"keep_tokens\":-1}").status);
    CHECK_INT(409, compact(&w, new_session(t, "empty"), "{}").status);
    world_close(&w);
}

/* ---- another place of the tree ---- */

static struct got go_to(struct world *w, const char *session, const char *body)
{
    return ask(w, arena_printf(w->t->arena, "/api/v1/sessions/%s/navigate", session), "", body);
}

STORE_TEST(going_back_leaves_a_summary_of_the_branch_that_is_left)
{
    struct bough_entries_read_result path;
    struct world w;
    const char *s = new_world(t, &w), *one;
    struct got g;

    (void)user(t, s, "first question");
    one = agent(t, s, "first answer");
    (void)user(t, s, "second question");
    (void)agent(t, s, "second answer");
    fake_json(w.up, 200, "{\"choices\":[{\"message\":{\"content\":\"It was tried.\"}}]}");
    g = go_to(&w, s,
              arena_printf(t->arena,
                           "{\"entry\":\"%s\",\"summarize\":true,\"model\":\"gpt-5.5\","
                           "\"label\":\"try\"}",
                           one));
    CHECK_INT(200, g.status);
    CHECK(strstr(g.body.p, "\"moved\":true"));
    CHECK(strstr(fake_asked(w.up, 0), "second question"));
    CHECK(!strstr(fake_asked(w.up, 0), "first question")); /* both paths have it */
    CHECK_OK(bough_entries_read(t->store, t->arena, s, NULL, &path, &t->err));
    CHECK_INT(3, path.entries.n);
    CHECK_INT(BOUGH_ENTRY_BRANCH_SUMMARY, path.entries.at[2].kind);
    /* A prompt that is chosen comes back as text, and the head goes before it. */
    g = go_to(&w, s, "{\"entry\":\"@1\"}");
    CHECK(strstr(g.body.p, "\"text\":\"first question\""));
    CHECK(strstr(g.body.p, "\"head\":null"));
    CHECK_STR("", messages_text(&w, s));
    CHECK_INT(1, fake_count(w.up)); /* no model is asked for that */
    world_close(&w);
}

STORE_TEST(going_where_the_head_is_or_with_a_summary_that_fails_changes_nothing)
{
    struct world w;
    const char *s = new_world(t, &w), *one, *two;
    struct got g;

    (void)user(t, s, "q1");
    one = agent(t, s, "a1");
    (void)user(t, s, "q2");
    two = agent(t, s, "a2");
    g = go_to(&w, s, arena_printf(t->arena, "{\"entry\":\"%s\",\"summarize\":true}", two));
    CHECK_INT(200, g.status);
    CHECK(strstr(g.body.p, "\"moved\":false"));
    fake_json(w.up, 500, "{\"error\":{\"message\":\"broken\"}}");
    g = go_to(
        &w, s,
        arena_printf(t->arena, "{\"entry\":\"%s\",\"summarize\":true,\"model\":\"gpt-5.5\"}", one));
    CHECK(g.status >= 500);
    CHECK_INT(422, go_to(&w, s, "{}").status);
    CHECK_STR("user:q1 assistant:a1 user:q2 assistant:a2", messages_text(&w, s));
    world_close(&w);
}
