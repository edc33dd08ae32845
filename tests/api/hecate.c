/* Hecate's API, as its document describes it and its clients use it. */
#include "api/world.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"

#define CHATS "/hecate/v1/chat/sessions"

static struct json body_of(struct test *t, struct http_reply r)
{
    struct json j;

    CHECK_OK(json_parse(t->arena, r.body, &j, &t->err));
    return j;
}

static const char *member(struct test *t, struct json j, const char *name)
{
    const char *text = json_cstr(t->arena, j, name);

    return text ? text : "(none)";
}

static struct json item(struct json list, size_t n)
{
    struct json_iter it = json_iter(list);

    while (json_next(&it))
        if (n-- == 0)
            return it.value;
    return (struct json){ 0 };
}

static const char *new_chat(struct test *t, struct world *w, const char *body)
{
    struct http_reply r = world_own(t, w, "POST", CHATS, body);

    CHECK_INT(200, r.status);
    return member(t, json_member(body_of(t, r), "data"), "id");
}

static const char *path(struct test *t, const char *chat, const char *more)
{
    return arena_printf(t->arena, CHATS "/%s%s", chat, more);
}

/* Replace ids by "chat_*" and the like, and times by "*". */
static const char *masked(struct test *t, struct bough_str text)
{
    static const char *const words[] = { "\"chat_", "\"msg_", "\"call_", NULL };
    const char *p = text.p, *end = p + text.n;
    struct buf b;

    buf_init(&b, 1024 * 1024);
    while (p < end) {
        size_t i = 0, n;

        while (words[i] && strncmp(p, words[i], strlen(words[i])) != 0)
            i++;
        n = words[i] ? strlen(words[i]) : strncmp(p, "_at\":\"", 6) == 0 ? 6 : 1;
        buf_put(&b, p, n);
        p += n;
        if (n > 1 && (p[-1] == '"' || strcspn(p, "\"") == BOUGH_ID_LEN)) {
            p += strcspn(p, "\"");
            buf_putc(&b, '*');
        }
    }
    p = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return p;
}

#define HELLO                                                                                      \
    "{\"messages\":[{\"role\":\"user\",\"content\":\"Say hello.\"}],"                              \
    "\"reply\":{\"role\":\"assistant\",\"content\":\"Hello.\",\"content_blocks\":["                \
    "{\"type\":\"thinking\",\"thinking\":\"short\",\"signature\":\"s\"},"                          \
    "{\"type\":\"text\",\"text\":\"Hello.\"}]},"                                                   \
    "\"provider_call\":{\"request_id\":\"req_1\",\"provider\":\"anthropic\","                      \
    "\"model\":\"claude-sonnet-4\",\"cost_micros_usd\":1234,\"prompt_tokens\":12,"                 \
    "\"completion_tokens\":4,\"total_tokens\":16}}"

STORE_TEST(C13_a_session_is_shown_key_by_key_as_the_document_has_it)
{
    const char *chat;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    chat =
        new_chat(t, &w, "{\"title\":\" Greeting \",\"system_prompt\":\"Be kind.\",\"user\":\"u\"}");
    CHECK(strncmp(chat, "chat_", 5) == 0);
    r = world_own(t, &w, "POST", path(t, chat, "/messages"), HELLO);
    CHECK_INT(200, r.status);
    CHECK_STR("{\"object\":\"chat_exchange\",\"data\":{\"session_id\":\"chat_*\",\"matched\":0,"
              "\"branched\":false,\"call_id\":\"call_*\",\"message_ids\":[\"msg_*\",\"msg_*\"]}}",
              masked(t, r.body));
    r = world_own(t, &w, "GET", path(t, chat, ""), "");
    CHECK_INT(200, r.status);
    CHECK_STR("{\"object\":\"chat_session\",\"data\":{\"id\":\"chat_*\",\"title\":\"Greeting\","
              "\"system_prompt\":\"Be kind.\",\"user\":\"u\",\"created_at\":\"*\","
              "\"updated_at\":\"*\",\"messages\":["
              "{\"id\":\"msg_*\",\"sequence\":0,\"role\":\"user\",\"content\":\"Say hello.\","
              "\"created_at\":\"*\"},"
              "{\"id\":\"msg_*\",\"sequence\":1,\"produced_by_call_id\":\"call_*\","
              "\"role\":\"assistant\",\"content\":\"Hello.\",\"content_blocks\":["
              "{\"type\":\"thinking\",\"thinking\":\"short\",\"signature\":\"s\"},"
              "{\"type\":\"text\",\"text\":\"Hello.\"}],\"created_at\":\"*\"}],"
              "\"provider_calls\":[{\"id\":\"call_*\",\"request_id\":\"req_1\","
              "\"provider\":\"anthropic\",\"model\":\"claude-sonnet-4\",\"cost_micros_usd\":1234,"
              "\"cost_usd\":\"0.001234\",\"prompt_tokens\":12,\"completion_tokens\":4,"
              "\"total_tokens\":16,\"created_at\":\"*\"}]}}",
              masked(t, r.body));
    world_close(&w);
}

STORE_TEST(C16_the_list_has_real_counts_the_last_call_and_says_whether_there_is_more)
{
    const char *chat;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    new_chat(t, &w, "{}");
    chat = new_chat(t, &w, "{\"title\":\"b\"}");
    world_own(t, &w, "POST", path(t, chat, "/messages"), HELLO);
    r = world_own(t, &w, "GET", CHATS "?limit=1", "");
    CHECK_STR("{\"object\":\"chat_sessions\",\"data\":[{\"id\":\"chat_*\",\"title\":\"b\","
              "\"message_count\":2,\"provider_call_count\":1,\"created_at\":\"*\","
              "\"updated_at\":\"*\",\"last_model\":\"claude-sonnet-4\","
              "\"last_provider\":\"anthropic\",\"last_cost_usd\":\"0.001234\","
              "\"last_request_id\":\"req_1\"}],\"has_more\":true}",
              masked(t, r.body));
    r = world_own(t, &w, "GET", CHATS "?limit=500&offset=1", "");
    CHECK(strstr(r.body.p, "\"title\":\"New chat\",\"message_count\":0,"
                           "\"provider_call_count\":0"));
    CHECK(strstr(r.body.p, "\"has_more\":false") && !strstr(r.body.p, "last_"));
    r = world_own(t, &w, "GET", CHATS "?limit=0", "");
    CHECK_SPAN("{\"object\":\"chat_sessions\",\"data\":[],\"has_more\":true}", r.body);
    CHECK_INT(400, world_own(t, &w, "GET", CHATS "?limit=-1", "").status);
    CHECK_INT(400, world_own(t, &w, "GET", CHATS "?offset=x", "").status);
    world_close(&w);
}

STORE_TEST(C12_a_session_is_patched_and_deleted_and_unknown_ones_are_404)
{
    const char *chat;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    chat = new_chat(t, &w, "{\"title\":\"a\"}");
    r = world_own(t, &w, "PATCH", path(t, chat, ""), "{\"system_prompt\":\"p\"}");
    CHECK(strstr(r.body.p, "\"title\":\"a\",\"system_prompt\":\"p\""));
    r = world_own(t, &w, "PATCH", path(t, chat, ""), "{\"title\":\" b \",\"system_prompt\":\"\"}");
    CHECK(strstr(r.body.p, "\"title\":\"b\",\"system_prompt\":\"\""));
    CHECK_INT(400, world_own(t, &w, "PATCH", path(t, chat, ""), "{}").status);
    CHECK_INT(400, world_own(t, &w, "PATCH", path(t, chat, ""), "{\"title\":\" \"}").status);
    r = world_own(t, &w, "DELETE", path(t, chat, ""), "");
    CHECK_INT(204, r.status);
    CHECK_SPAN("", r.body);
    CHECK_INT(404, world_own(t, &w, "DELETE", path(t, chat, ""), "").status);
    CHECK_INT(404, world_own(t, &w, "GET", path(t, chat, ""), "").status);
    CHECK_INT(404, world_own(t, &w, "DELETE", path(t, "chat_nobody", ""), "").status);
    world_close(&w);
}

STORE_TEST(C14_calls_and_results_of_tools_come_back_with_their_text)
{
    struct json got, one;
    const char *chat;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    chat = new_chat(t, &w, "{}");
    r = world_own(
        t, &w, "POST", path(t, chat, "/messages"),
        "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
        "{\"type\":\"text\",\"text\":\"b\"}]},"
        "{\"role\":\"assistant\",\"content\":\"Looking.\",\"tool_calls\":[{\"id\":\"c1\","
        "\"type\":\"function\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]},"
        "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"no such file\","
        "\"tool_error\":true},"
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c2\","
        "\"type\":\"function\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]}]}");
    CHECK_INT(200, r.status);
    r = world_own(t, &w, "GET", path(t, chat, ""), "");
    got = json_member(json_member(body_of(t, r), "data"), "messages");
    CHECK_STR("a\n\nb", member(t, item(got, 0), "content"));
    one = item(got, 1);
    CHECK_STR("Looking.", member(t, one, "content"));
    CHECK_SPAN("[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"ls\","
               "\"arguments\":\"{}\"}}]",
               json_raw(json_member(one, "tool_calls")));
    one = item(got, 2);
    CHECK_STR("c1", member(t, one, "tool_call_id"));
    CHECK_SPAN("true", json_raw(json_member(one, "tool_error")));
    CHECK_SPAN("null", json_raw(json_member(item(got, 3), "content")));
    CHECK_INT(422,
              world_own(t, &w, "POST", path(t, chat, "/messages"), "{\"messages\":[7]}").status);
    world_close(&w);
}

STORE_TEST(C9_a_replayed_history_is_matched_and_nothing_is_stored_twice)
{
    const char *chat;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    chat = new_chat(t, &w, "{}");
    world_own(t, &w, "POST", path(t, chat, "/messages"), HELLO);
    r = world_own(t, &w, "POST", path(t, chat, "/messages"),
                  "{\"messages\":[{\"role\":\"user\",\"content\":\"Say hello.\"},"
                  "{\"role\":\"assistant\",\"content\":\"Hello.\",\"content_blocks\":["
                  "{\"type\":\"thinking\",\"thinking\":\"short\",\"signature\":\"s\"},"
                  "{\"type\":\"text\",\"text\":\"Hello.\"}]},"
                  "{\"role\":\"user\",\"content\":\"Again.\"}]}");
    CHECK(strstr(r.body.p, "\"matched\":2,\"branched\":false"));
    r = world_own(t, &w, "GET", CHATS, "");
    CHECK(strstr(r.body.p, "\"message_count\":3"));
    world_close(&w);
}

STORE_TEST(C9_a_client_that_sends_back_text_only_is_matched_after_thinking)
{
    const char *history = "{\"role\":\"user\",\"content\":\"q0\"}", *chat;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    chat = new_chat(t, &w, "{}");
    for (int i = 0; i < 5; i++) {
        r = world_own(
            t, &w, "POST", path(t, chat, "/messages"),
            arena_printf(t->arena,
                         "{\"messages\":[%s],\"reply\":{\"role\":\"assistant\","
                         "\"content\":\"one %d\\n\\ntwo\",\"content_blocks\":["
                         "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
                         "{\"type\":\"text\",\"text\":\"one %d\"},"
                         "{\"type\":\"text\",\"text\":\"two\"}]}}",
                         history, i, i));
        CHECK_INT(200, r.status);
        CHECK(strstr(r.body.p, arena_printf(t->arena, "\"matched\":%d,\"branched\":false", 2 * i)));
        history = arena_printf(t->arena,
                               "%s,{\"role\":\"assistant\",\"content\":\"one %d\\n\\ntwo\"},"
                               "{\"role\":\"user\",\"content\":\"q%d\"}",
                               history, i, i + 1);
    }
    r = world_own(t, &w, "GET", CHATS, "");
    CHECK(strstr(r.body.p, "\"message_count\":10"));
    world_close(&w);
}

STORE_TEST(words_and_members_that_hecate_does_not_know_come_back)
{
    static const char *const sent[] = {
        "{\"role\":\"developer\",\"content\":\"a\"}",
        "{\"role\":\"bot\",\"content\":\"b\",\"x_trace\":{\"n\":1.50}}",
        "{\"role\":\"function\",\"content\":\"c\",\"name\":\"f\"}",
        "{\"role\":\"assistant\",\"content\":\"\",\"refusal\":\"no\"}",
    };
    static const char *const shown[] = {
        "\"role\":\"developer\"", "\"x_trace\":{\"n\":1.50}",
        "\"role\":\"bot\"",       "\"role\":\"function\"",
        "\"refusal\":\"no\"",     "{\"type\":\"refusal\",\"refusal\":\"no\"}",
    };
    const char *chat;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    chat = new_chat(t, &w, "{}");
    r = world_own(
        t, &w, "POST", path(t, chat, "/messages"),
        arena_printf(t->arena, "{\"messages\":[%s,%s,%s,%s]}", sent[0], sent[1], sent[2], sent[3]));
    CHECK_INT(200, r.status);
    r = world_own(t, &w, "GET", path(t, chat, ""), "");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (!strstr(r.body.p, shown[i]))
            FAIL("%s is missing in %s", shown[i], r.body.p);
    world_close(&w);
}

STORE_TEST(C21_a_busy_session_is_409_with_who_and_since_when)
{
    struct http_reply r;
    const char *chat;
    struct json detail;
    struct world w;
    int64_t epoch;

    world_open(t, &w);
    chat = new_chat(t, &w, "{}");
    CHECK_OK(bough_session_status(t->store, chat + 5, BOUGH_STATUS_BUSY, "worker 7", 60000, &epoch,
                                  &t->err));
    r = world_own(t, &w, "POST", path(t, chat, "/messages"), HELLO);
    CHECK_INT(409, r.status);
    detail = json_member(json_member(body_of(t, r), "error"), "detail");
    CHECK_STR("worker 7", member(t, detail, "owner"));
    CHECK(strchr(member(t, detail, "since"), 'Z'));
    CHECK_INT(409, world_own(t, &w, "POST", path(t, chat, "/queue/take"), "").status);
    r = world_own(t, &w, "POST", path(t, chat, "/messages"),
                  "{\"owner\":\"worker 7\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}");
    CHECK_INT(200, r.status);
    world_close(&w);
}

STORE_TEST(C24_a_repeated_exchange_is_answered_with_its_result_while_the_session_is_busy)
{
    const char *chat, *headers;
    struct http_reply one, again;
    struct world w;

    world_open(t, &w);
    chat = new_chat(t, &w, "{}");
    headers = arena_printf(t->arena, "%sContent-Type: application/json\r\nIdempotency-Key: k\r\n",
                           bearer(t, world_token(t, "all", "all", "")));
    one = world_ask(t, &w, "POST", path(t, chat, "/messages"), headers, HELLO);
    CHECK_INT(200, one.status);
    CHECK_OK(bough_session_status(t->store, chat + 5, BOUGH_STATUS_BUSY, "worker 7", 60000, NULL,
                                  &t->err));
    again = world_ask(t, &w, "POST", path(t, chat, "/messages"), headers, HELLO);
    CHECK_INT(200, again.status);
    CHECK(strstr(again.body.p, "message_ids"));
    CHECK_INT(409, world_own(t, &w, "POST", path(t, chat, "/messages"), HELLO "").status);
    world_close(&w);
}

STORE_TEST(C22_prompts_wait_in_order_are_edited_promoted_removed_and_taken_once)
{
    const char *chat, *first, *second;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    chat = new_chat(t, &w, "{}");
    r = world_own(
        t, &w, "POST", path(t, chat, "/queue"),
        "{\"content\":\"one\",\"runtime_kind\":\"model\",\"provider_filter\":\"p\","
        "\"model\":\"m\",\"workspace\":\"/w\",\"system_prompt\":\"s\",\"adapter_id\":\"a\"}");
    CHECK_INT(200, r.status);
    first = member(t, json_member(body_of(t, r), "data"), "id");
    r = world_own(t, &w, "POST", path(t, chat, "/queue"), "{\"content\":\"two\"}");
    second = member(t, json_member(body_of(t, r), "data"), "id");
    CHECK_INT(422, world_own(t, &w, "POST", path(t, chat, "/queue"), "{\"content\":\" \"}").status);
    r = world_own(t, &w, "PATCH", path(t, chat, arena_printf(t->arena, "/queue/%s", second)),
                  "{\"content\":\"zwei\"}");
    CHECK(strstr(r.body.p, "\"content\":\"zwei\""));
    r = world_own(t, &w, "POST", path(t, chat, arena_printf(t->arena, "/queue/%s/promote", second)),
                  "");
    CHECK(strstr(r.body.p, "zwei") && strstr(r.body.p, "zwei") < strstr(r.body.p, "\"one\""));
    r = world_own(t, &w, "POST", path(t, chat, "/queue/take"), "");
    CHECK(strstr(r.body.p, "zwei"));
    r = world_own(t, &w, "GET", path(t, chat, "/queue"), "");
    CHECK(strstr(r.body.p,
                 "\"content\":\"one\",\"runtime_kind\":\"model\",\"provider_filter\":\"p\","
                 "\"model\":\"m\",\"workspace\":\"/w\",\"system_prompt\":\"s\","
                 "\"adapter_id\":\"a\",\"created_at\":"));
    r = world_own(t, &w, "DELETE", path(t, chat, arena_printf(t->arena, "/queue/%s", first)), "");
    CHECK_INT(204, r.status);
    CHECK_INT(404, world_own(t, &w, "POST", path(t, chat, "/queue/take"), "").status);
    world_close(&w);
}

STORE_TEST(D13_a_token_of_a_project_sees_and_makes_only_its_chats)
{
    const char *foreign, *headers;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    foreign = new_chat(t, &w, "{\"title\":\"foreign\"}");
    headers = arena_printf(t->arena, "%sContent-Type: application/json\r\n",
                           bearer(t, world_token(t, "x", "all", "/mine")));
    CHECK_INT(200, world_ask(t, &w, "POST", CHATS, headers, "{\"title\":\"mine\"}").status);
    r = world_ask(t, &w, "GET", CHATS, headers, "");
    CHECK(strstr(r.body.p, "mine") && !strstr(r.body.p, "foreign"));
    CHECK_INT(404, world_ask(t, &w, "GET", path(t, foreign, ""), headers, "").status);
    CHECK_INT(404, world_ask(t, &w, "DELETE", path(t, foreign, ""), headers, "").status);
    CHECK_INT(404, world_ask(t, &w, "GET", path(t, foreign, "/queue"), headers, "").status);
    world_close(&w);
}

STORE_TEST(C8_a_reply_without_a_provider_call_gets_one_and_a_tool_names_its_call)
{
    static const char again[] = "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
                                "\"reply\":{\"role\":\"assistant\",\"content\":\"hello\"}}";
    const char *chat, *call;
    struct http_reply r;
    struct json data, message;
    struct world w;

    world_open(t, &w);
    chat = new_chat(t, &w, "{}");
    for (int i = 0; i < 2; i++) /* the second adds nothing */
        CHECK_INT(200, world_own(t, &w, "POST", path(t, chat, "/messages"), again).status);
    r = world_own(t, &w, "GET", path(t, chat, ""), "");
    data = json_member(body_of(t, r), "data");
    CHECK_INT(1, (int)json_count(json_member(data, "provider_calls")));
    call = member(t, item(json_member(data, "messages"), 1), "produced_by_call_id");
    CHECK(strncmp(call, "call_", 5) == 0);
    r = world_own(t, &w, "POST", path(t, chat, "/messages"),
                  arena_printf(t->arena,
                               "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},"
                               "{\"role\":\"assistant\",\"content\":\"hello\"},"
                               "{\"role\":\"tool\",\"content\":\"done\",\"tool_call_id\":\"t1\","
                               "\"produced_by_call_id\":\"%s\"}]}",
                               call));
    CHECK_INT(200, r.status);
    r = world_own(t, &w, "GET", path(t, chat, ""), "");
    message = item(json_member(json_member(body_of(t, r), "data"), "messages"), 2);
    CHECK_STR("done", member(t, message, "content"));
    CHECK_STR(call, member(t, message, "produced_by_call_id"));
    r = world_own(t, &w, "POST", path(t, chat, "/messages"),
                  "{\"messages\":[{\"role\":\"tool\",\"content\":\"x\",\"tool_call_id\":\"t2\","
                  "\"produced_by_call_id\":\"call_nobody\"}]}");
    CHECK_INT(404, r.status);
    world_close(&w);
}

/* The message_count of a chat in the list, and the number of messages that GET shows. */
static void check_count(struct test *t, struct world *w, const char *id, int want)
{
    const char *chat = arena_printf(t->arena, "chat_%s", id);
    struct http_reply r = world_own(t, w, "GET", "/hecate/v1/chat/sessions", "");
    struct json_iter it = json_iter(json_member(body_of(t, r), "data"));
    int64_t count = -1;

    while (json_next(&it))
        if (strcmp(member(t, it.value, "id"), chat) == 0)
            CHECK(json_i64(json_member(it.value, "message_count"), &count));
    r = world_own(t, w, "GET", path(t, chat, ""), "");
    CHECK_INT(want, (int)count);
    CHECK_INT(want, (int)json_count(json_member(json_member(body_of(t, r), "data"), "messages")));
}

STORE_TEST(C16_the_message_count_of_a_list_is_what_get_shows)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one"), *two = user(t, s, "two");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options open = { .entry = &e };
    struct bough_message_open_result opened;
    struct bough_session *fork;
    struct world w;

    world_open(t, &w);
    check_count(t, &w, s, 2);
    CHECK_OK(bough_session_fork(t->store, t->arena, s, NULL, &fork, &t->err));
    user(t, fork->id, "three");
    check_count(t, &w, fork->id, 3); /* inherited ones count */
    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    user(t, s, "other");
    user(t, s, "branch");
    check_count(t, &w, s, 3); /* "two" is on another branch */
    CHECK_OK(bough_entry_delete(t->store, s, one, &t->err));
    check_count(t, &w, s, 2);
    check_count(t, &w, fork->id, 2);
    CHECK_OK(bough_message_open(t->store, t->arena, s, &open, &opened, &t->err));
    check_count(t, &w, s, 3);
    CHECK_OK(bough_session_clear(t->store, fork->id, &t->err));
    check_count(t, &w, fork->id, 0);
    (void)two;
    world_close(&w);
}
