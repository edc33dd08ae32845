/* The API of useChat: UIMessages, and the stream of an open message. */
#include "api/stream.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static struct bough_message_open_result open_message(struct test *t, const char *session)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e, .owner = "test" };
    struct bough_message_open_result out;

    CHECK_OK(bough_message_open(t->store, t->arena, session, &in, &out, &t->err));
    return out;
}

static void step(struct test *t, const struct bough_message_open_result *m,
                 enum bough_step_kind kind, size_t part, const char *bytes)
{
    struct bough_step s = { .kind = kind, .part = part, .bytes = str_of(bytes) };
    struct bough_message_step_result out;

    CHECK_OK(bough_message_step(t->store, &m->writing, 0, &s, 1, &out, &t->err));
}

static void seal(struct test *t, const struct bough_message_open_result *m)
{
    struct bough_entry *e;

    CHECK_OK(bough_message_seal(t->store, t->arena, &m->writing, NULL, &e, &t->err));
}

static const char *target(struct test *t, const char *session, const char *what)
{
    return arena_printf(t->arena, "/api/v1/sessions/%s/%s", session, what);
}

STORE_TEST(A15_ui_messages_are_the_assembled_messages_and_name_the_open_one)
{
    const char *s = new_session(t, "one");
    struct bough_message_open_result m;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    user(t, s, "hello");
    m = open_message(t, s);
    r = world_own(t, &w, "GET", target(t, s, "ui-messages"), "");
    CHECK_INT(200, r.status);
    CHECK_OK(json_parse(t->arena, r.body, &j, &t->err));
    CHECK_INT(1, json_count(json_member(j, "messages")));
    CHECK(strstr(r.body.p, "\"parts\":[{\"type\":\"text\",\"text\":\"hello\"}]"));
    CHECK(json_is(json_member(j, "open"), m.writing.id));
    seal(t, &m);
    CHECK_INT(404, world_own(t, &w, "GET", target(t, "nobody", "ui-messages"), "").status);
    world_close(&w);
}

/* Append `n` small messages, many at a time. */
static void fill(struct test *t, const char *session, int n)
{
    static struct bough_entry_new e[LIMIT_APPEND_ENTRIES];
    struct bough_append_result out;

    for (int i = 0; i < LIMIT_APPEND_ENTRIES; i++)
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "x" };
    for (int done = 0; done < n; done += LIMIT_APPEND_ENTRIES) {
        struct bough_arena *a = bough_arena_create();
        int left = n - done;

        CHECK_OK(bough_append(
            t->store, a, session,
            &(struct bough_append_options){
                .entries = e,
                .n = (size_t)(left < LIMIT_APPEND_ENTRIES ? left : LIMIT_APPEND_ENTRIES) },
            &out, &t->err));
        bough_arena_destroy(a);
    }
}

STORE_TEST_SECONDS(what_is_built_in_memory_is_refused_beyond_its_bound, 120)
{
    static const char *const routes[] = { "context", "ui-messages" };
    const char *s = new_session(t, "one");
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    fill(t, s, LIMIT_CONTEXT + 1);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        r = world_own(t, &w, "GET", target(t, s, routes[i]), "");
        CHECK_INT(413, r.status);
        CHECK(strstr(r.body.p, "in pages"));
    }
    CHECK_INT(200, world_own(t, &w, "GET", target(t, s, "entries?limit=10"), "").status);
    fill(t, s, LIMIT_EXPORT - LIMIT_CONTEXT);
    r = world_own(t, &w, "GET", target(t, s, "export"), "");
    CHECK_INT(413, r.status);
    CHECK(strstr(r.body.p, "in pages"));
    world_close(&w);
}

STORE_TEST(a_ui_stream_replays_an_open_message_and_follows_it_to_its_seal)
{
    static const char *const whole =
        "data: {\"type\":\"start-step\"}\n\n"
        "data: {\"type\":\"text-start\",\"id\":\"1\"}\n\n"
        "data: {\"type\":\"text-delta\",\"id\":\"1\",\"delta\":\"Loo\"}\n\n";
    const char *s = new_session(t, "one"), *end;
    struct bough_message_open_result m;
    struct reader r;
    struct live l;

    live_start(t, &l);
    m = open_message(t, s);
    step(t, &m, BOUGH_STEP_PART, 0, "{\"type\":\"step-start\"}");
    step(t, &m, BOUGH_STEP_PART, 0, "{\"type\":\"text\",\"text\":\"\"}");
    step(t, &m, BOUGH_STEP_TEXT, 1, "Loo");
    reader_open(t, &r, &l, target(t, s, "ui-stream"), "");
    CHECK(strstr(r.got.p, "x-vercel-ai-ui-message-stream: v1\r\n"));
    CHECK(reader_hears(&r, "\"delta\":\"Loo\"}\n\n", 1, 5000));
    CHECK(strstr(r.got.p, whole));
    CHECK(strstr(r.got.p,
                 arena_printf(t->arena, "data: {\"type\":\"start\",\"messageId\":\"%s\"}\n\n",
                              m.writing.id)));
    step(t, &m, BOUGH_STEP_TEXT, 1, "king");
    CHECK(reader_hears(&r, "\"delta\":\"king\"}\n\n", 1, 5000));
    step(t, &m, BOUGH_STEP_PART, 0,
         "{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"ls\",\"state\":{\"status\":\"pending\","
         "\"input\":{},\"raw\":\"\"}}");
    CHECK(reader_hears(
        &r, "{\"type\":\"tool-input-start\",\"toolCallId\":\"c1\",\"toolName\":\"ls\"}", 1, 5000));
    step(t, &m, BOUGH_STEP_STATE, 2,
         "{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"ls\",\"state\":{\"status\":\"running\","
         "\"input\":{\"a\":1},\"time\":{\"start\":1}}}");
    step(t, &m, BOUGH_STEP_STATE, 2,
         "{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"ls\",\"state\":{\"status\":\"completed\","
         "\"input\":{\"a\":1},\"output\":\"x\",\"title\":\"t\",\"metadata\":{},"
         "\"time\":{\"start\":1,\"end\":2}}}");
    CHECK(reader_hears(&r, "\"input\":{\"a\":1}}", 1, 5000));
    CHECK(reader_hears(&r,
                       "{\"type\":\"tool-output-available\",\"toolCallId\":\"c1\","
                       "\"output\":\"x\"}",
                       1, 5000));
    step(t, &m, BOUGH_STEP_TEXT, 1, "!");
    seal(t, &m);
    CHECK(reader_hears(&r, "data: [DONE]\n\n", 1, 5000));
    end = strstr(r.got.p, "\"delta\":\"!\"}");
    CHECK(end);
    CHECK(strstr(end, "data: {\"type\":\"text-end\",\"id\":\"1\"}\n\n"));
    CHECK(strstr(end, "data: {\"type\":\"finish\"}\n\n"));
    reader_close(&r);
    live_stop(&l);
}

STORE_TEST(text_of_a_step_ends_before_the_step_and_later_text_is_sent)
{
    const char *s = new_session(t, "one");
    struct bough_message_open_result m = open_message(t, s);
    struct reader r;
    struct live l;

    live_start(t, &l);
    step(t, &m, BOUGH_STEP_PART, 0, "{\"type\":\"reasoning\",\"text\":\"a\"}");
    step(t, &m, BOUGH_STEP_PART, 0,
         "{\"type\":\"step-finish\",\"reason\":\"stop\",\"tokens\":{\"input\":1,\"output\":1}}");
    step(t, &m, BOUGH_STEP_TEXT, 0, "b");
    reader_open(t, &r, &l, target(t, s, "ui-stream"), "");
    CHECK(reader_hears(&r, "\"delta\":\"b\"}", 1, 5000));
    CHECK(strstr(r.got.p, "data: {\"type\":\"reasoning-delta\",\"id\":\"0\",\"delta\":\"a\"}\n\n"
                          "data: {\"type\":\"reasoning-end\",\"id\":\"0\"}\n\n"
                          "data: {\"type\":\"finish-step\"}\n\n"
                          "data: {\"type\":\"reasoning-start\",\"id\":\"0\"}\n\n"));
    seal(t, &m);
    CHECK(reader_hears(&r, "data: [DONE]\n\n", 1, 5000));
    reader_close(&r);
    live_stop(&l);
}

STORE_TEST(a_ui_stream_of_a_sealed_message_is_all_of_it_and_of_nothing_is_204)
{
    const char *s = new_session(t, "one"), *e = agent(t, s, "done"), *foreign;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    CHECK_INT(204, world_own(t, &w, "GET", target(t, s, "ui-stream"), "").status);
    r = world_own(t, &w, "GET", target(t, s, arena_printf(t->arena, "ui-stream?message=%s", e)),
                  "");
    CHECK_INT(200, r.status);
    CHECK_SPAN(arena_printf(t->arena,
                            "data: {\"type\":\"start\",\"messageId\":\"%s\"}\n\n"
                            "data: {\"type\":\"text-start\",\"id\":\"0\"}\n\n"
                            "data: {\"type\":\"text-delta\",\"id\":\"0\",\"delta\":\"done\"}\n\n"
                            "data: {\"type\":\"text-end\",\"id\":\"0\"}\n\n"
                            "data: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n",
                            e),
               r.body);
    foreign = new_session(t, "two");
    CHECK_INT(404,
              world_own(t, &w, "GET",
                        target(t, foreign, arena_printf(t->arena, "ui-stream?message=%s", e)), "")
                  .status);
    world_close(&w);
}

/* The chunks of the sealed message, without the frame of server-sent events. */
static const char *chunks(struct test *t, struct world *w, const char *session, const char *id)
{
    struct http_reply r = world_own(
        t, w, "GET", target(t, session, arena_printf(t->arena, "ui-stream?message=%s", id)), "");

    CHECK_INT(200, r.status);
    return r.body.p;
}

static const char *ui_messages(struct test *t, struct world *w, const char *session)
{
    return world_own(t, w, "GET", target(t, session, "ui-messages"), "").body.p;
}

static const char *sealed_with(struct test *t, const char *session, const char *parts,
                               const char *id)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .id = id,
                                 .metadata = str_of("{\"k\":1}") };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_str *spans;

    CHECK_OK(bough_parts_split(t->arena, str_of(parts), &spans, &e.nparts, &t->err));
    e.parts = spans;
    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return arena_strdup(t->arena, out.ids[0]);
}

STORE_TEST(A16_sources_data_and_custom_parts_are_in_the_stream_as_in_the_list)
{
    static const char *const parts[] = {
        "{\"type\":\"source-url\",\"sourceId\":\"s1\",\"url\":\"https://a.invalid\"}",
        "{\"type\":\"source-document\",\"sourceId\":\"s2\",\"mediaType\":\"application/pdf\","
        "\"title\":\"D\"}",
        "{\"type\":\"data-progress\",\"id\":\"p\",\"data\":{\"pct\":100}}",
        "{\"type\":\"reasoning-file\",\"url\":\"data:,x\",\"mediaType\":\"image/png\"}",
    };
    const char *s = new_session(t, "one"), *all = "", *id, *stream, *list;
    struct world w;

    world_open(t, &w);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        all = arena_printf(t->arena, "%s%s%s", all, i ? "," : "", parts[i]);
    id = sealed_with(t, s, arena_printf(t->arena, "[%s]", all), NULL);
    stream = chunks(t, &w, s, id);
    list = ui_messages(t, &w, s);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        CHECK(strstr(list, parts[i]));
        CHECK(strstr(stream, arena_printf(t->arena, "data: %s\n\n", parts[i])));
    }
    world_close(&w);
}

STORE_TEST(A16_approvals_and_denials_are_in_the_stream_what_they_are_in_the_list)
{
    static const char asked[] =
        "[{\"type\":\"tool-bash\",\"toolCallId\":\"c1\",\"state\":\"approval-requested\","
        "\"input\":{},\"approval\":{\"id\":\"a1\"}}]";
    static const char denied[] =
        "[{\"type\":\"dynamic-tool\",\"toolName\":\"bash\",\"toolCallId\":\"c2\",\"state\":"
        "\"output-denied\",\"input\":{},\"approval\":{\"id\":\"a2\",\"approved\":false,"
        "\"reason\":\"no\"}}]";
    const char *s = new_session(t, "one"), *one = sealed_with(t, s, asked, NULL),
               *two = sealed_with(t, s, denied, NULL), *list, *stream;
    struct world w;

    world_open(t, &w);
    list = ui_messages(t, &w, s);
    CHECK(strstr(list, "\"state\":\"approval-requested\""));
    CHECK(strstr(list, "\"state\":\"output-denied\""));
    stream = chunks(t, &w, s, one);
    CHECK(strstr(stream, "{\"type\":\"tool-approval-request\",\"toolCallId\":\"c1\","
                         "\"approvalId\":\"a1\"}"));
    CHECK(!strstr(stream, "tool-approval-response") && !strstr(stream, "tool-output"));
    stream = chunks(t, &w, s, two);
    CHECK(strstr(stream, "\"dynamic\":true"));
    CHECK(strstr(stream, "{\"type\":\"tool-approval-response\",\"approvalId\":\"a2\","
                         "\"approved\":false,\"reason\":\"no\"}"));
    CHECK(strstr(stream, "{\"type\":\"tool-output-denied\",\"toolCallId\":\"c2\"}"));
    CHECK(!strstr(stream, "tool-output-error"));
    world_close(&w);
}

STORE_TEST(A15_a_message_that_shows_nothing_has_an_empty_text_in_the_list_and_in_the_stream)
{
    const char *s = new_session(t, "one"), *id;
    struct world w;

    world_open(t, &w);
    id = sealed_with(t, s, "[{\"type\":\"snapshot\",\"snapshot\":\"abc\"}]", NULL);
    CHECK(strstr(ui_messages(t, &w, s), "\"parts\":[{\"type\":\"text\",\"text\":\"\"}]"));
    CHECK(strstr(chunks(t, &w, s, id), "{\"type\":\"text-start\",\"id\":\"0\"}"));
    world_close(&w);
}

STORE_TEST(the_callers_id_and_metadata_of_a_message_are_the_same_in_list_and_stream)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .id = "mine-2" };
    struct bough_message_open_options in = { .entry = &e };
    struct bough_message_open_result open;
    const char *s = new_session(t, "one"), *list, *stream;
    struct world w;

    world_open(t, &w);
    sealed_with(t, s, "[{\"type\":\"text\",\"text\":\"hi\"}]", "mine");
    CHECK_OK(bough_message_open(t->store, t->arena, s, &in, &open, &t->err));
    list = ui_messages(t, &w, s);
    stream = chunks(t, &w, s, "mine");
    CHECK(strstr(list, "{\"id\":\"mine\",\"role\":\"assistant\",\"metadata\":{\"k\":1}"));
    CHECK(strstr(list, "\"open\":\"mine-2\""));
    CHECK(strstr(stream, "{\"type\":\"start\",\"messageId\":\"mine\","
                         "\"messageMetadata\":{\"k\":1}}"));
    seal(t, &open);
    world_close(&w);
}
