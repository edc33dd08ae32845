/* What passes: bytes, headers, and what is recorded of them. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/world.h"

#define CHAT "/v1/chat/completions"
#define HI "{\"model\":\"gpt-5.5\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
#define HI_STREAM                                                                                  \
    "{\"model\":\"gpt-5.5\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]" \
    "}"
#define REPLY                                                                                      \
    "{\"id\":\"chatcmpl-1\",\"model\":\"gpt-5.5-2026\",\"choices\":[{\"index\":0,\"message\":{"    \
    "\"role\":\"assistant\",\"content\":\"hello\"},\"finish_reason\":\"stop\"}],\"usage\":{"       \
    "\"prompt_tokens\":100,\"completion_tokens\":10,\"total_tokens\":110}}"

STORE_TEST(a_reply_passes_unchanged_and_is_recorded_with_its_cost)
{
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_json(w.up, 200, REPLY);
    g = ask(&w, CHAT, "", HI);
    CHECK_INT(200, g.status);
    CHECK(g.complete);
    CHECK_SPAN(REPLY, g.body);
    CHECK(strstr(fake_asked(w.up, 0), "\r\n\r\n" HI)); /* not one byte was changed */
    CHECK(strstr(fake_asked(w.up, 0), "POST /v1/chat/completions HTTP/1.1\r\n"));
    check_path(&w, "user:hi assistant:hello");
    CHECK_STR("ok gpt-5.5-2026 100+10 list", calls_text(&w, only_session(&w)));
    world_close(&w);
}

static const char *events_of_chat(struct test *t, bool usage)
{
    return arena_printf(
        t->arena,
        "data: {\"id\":\"c1\",\"model\":\"gpt-5.5\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
        "\"assistant\",\"content\":\"hel\"}}]}\n\n: a comment\n\ndata: {\"id\":\"c1\",\"choices\":["
        "{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n%s"
        "data: [DONE]\n\n",
        usage ? "data: {\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":100,"
                "\"completion_tokens\":10}}\n\n"
              : "");
}

STORE_TEST(usage_is_asked_for_and_left_out_of_what_the_client_gets)
{
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_events(w.up, events_of_chat(t, true));
    g = ask(&w, CHAT, "", HI_STREAM);
    CHECK_INT(200, g.status);
    CHECK(g.complete);
    CHECK_SPAN(events_of_chat(t, false), g.body);
    CHECK(strstr(fake_asked(w.up, 0), "\"stream_options\":{\"include_usage\":true}"));
    CHECK_STR("text/event-stream", head_value(t, &g, "Content-Type"));
    CHECK_STR("no-cache", head_value(t, &g, "Cache-Control"));
    CHECK_STR("no", head_value(t, &g, "X-Accel-Buffering"));
    check_path(&w, "user:hi assistant:hello");
    CHECK_STR("ok gpt-5.5 100+10 list", calls_text(&w, only_session(&w)));
    /* A client that asks for usage gets it. */
    fake_events(w.up, events_of_chat(t, true));
    g = ask(&w, CHAT, "",
            "{\"model\":\"gpt-5.5\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
            "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
    CHECK_SPAN(events_of_chat(t, true), g.body);
    world_close(&w);
}

STORE_TEST(a_provider_that_refuses_to_report_usage_is_asked_again_without)
{
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_json(w.up, 400, "{\"error\":{\"message\":\"unknown field stream_options\"}}");
    fake_events(w.up, events_of_chat(t, false));
    fake_events(w.up, events_of_chat(t, false));
    g = ask(&w, CHAT, "", HI_STREAM);
    CHECK_INT(200, g.status);
    CHECK_SPAN(events_of_chat(t, false), g.body);
    CHECK(strstr(fake_asked(w.up, 0), "stream_options"));
    CHECK(!strstr(fake_asked(w.up, 1), "stream_options"));
    g = ask(&w, CHAT, "", HI_STREAM); /* it is remembered */
    CHECK_INT(200, g.status);
    CHECK(!strstr(fake_asked(w.up, 2), "stream_options"));
    CHECK_INT(3, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_conversation_of_several_requests_is_one_session)
{
    struct world w;

    world_open(t, &w);
    fake_json(w.up, 200, REPLY);
    (void)ask(&w, CHAT, "", HI);
    fake_json(w.up, 200, "{\"choices\":[{\"message\":{\"content\":\"fine\"}}]}");
    (void)ask(&w, CHAT, "",
              "{\"model\":\"gpt-5.5\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},"
              "{\"role\":\"assistant\",\"content\":\"hello\"},"
              "{\"role\":\"user\",\"content\":\"how\"}]}");
    check_path(&w, "user:hi assistant:hello user:how assistant:fine");
    world_close(&w);
}

STORE_TEST(only_headers_of_the_lists_pass_and_the_key_is_the_providers)
{
    struct world w;
    const char *up;
    struct got g;

    world_open(t, &w);
    fake_say(w.up, &(struct fake_answer){
                       .bytes = str_of("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                       "Content-Length: 2\r\nSet-Cookie: a=b\r\nServer: x\r\n"
                                       "openai-processing-ms: 12\r\nx-ratelimit-left: 3\r\n"
                                       "X-Request-ID: req_up_7\r\n\r\n{}") });
    g = ask(&w, CHAT,
            "Cookie: secret=1\r\nUser-Agent: tool/1\r\nX-Stainless-Lang: js\r\n"
            "X-Forwarded-For: 10.1.1.1\r\nAccept-Encoding: br, gzip\r\n",
            HI);
    up = fake_asked(w.up, 0);
    CHECK(strcasestr(up, "\r\nauthorization: Bearer sk-canary-0123456789\r\n"));
    CHECK(strcasestr(up, "\r\nuser-agent: tool/1\r\n"));
    CHECK(strcasestr(up, "\r\nx-stainless-lang: js\r\n"));
    CHECK(strcasestr(up, "\r\naccept-encoding: identity\r\n"));
    CHECK(!strcasestr(up, "cookie") && !strcasestr(up, "forwarded") && !strcasestr(up, "br, gzip"));
    CHECK_STR("12", head_value(t, &g, "openai-processing-ms"));
    CHECK_STR("3", head_value(t, &g, "x-ratelimit-left"));
    CHECK_STR("req_up_7", head_value(t, &g, "x-request-id"));
    CHECK(!strstr(strcasestr(g.head, "x-request-id") + 1, "x-request-id"));
    CHECK(!head_value(t, &g, "Set-Cookie") && !head_value(t, &g, "Server"));
    CHECK(!strstr(g.head, "canary"));
    CHECK(head_value(t, &g, "x-bough-request"));
    world_close(&w);
}

STORE_TEST(a_named_session_is_continued_and_its_prompt_is_put_in_front)
{
    struct bough_session_create_options in = { .title = "s", .system_prompt = "be kind" };
    struct bough_session *s;
    struct world w;
    struct got g;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    world_open(t, &w);
    fake_json(w.up, 200, REPLY);
    g = ask(&w, CHAT, "",
            arena_printf(t->arena,
                         "{\"session_id\":\"%s\",\"model\":\"gpt-5.5\",\"messages\":[{\"role\":"
                         "\"user\",\"content\":\"hi\"}]}",
                         s->id));
    CHECK_INT(200, g.status);
    CHECK_STR(s->id, head_value(t, &g, "x-bough-session"));
    CHECK(strstr(fake_asked(w.up, 0), "be kind"));
    CHECK(!strstr(fake_asked(w.up, 0), "session_id"));
    check_path(&w, "user:hi assistant:hello");
    g = ask(&w, CHAT, "X-Bough-Session: 01ZZZZZZZZZZZZZZZZZZZZZZZZ\r\n", HI);
    CHECK_INT(404, g.status);
    CHECK_INT(1, fake_count(w.up)); /* nothing was sent */
    world_close(&w);
}

STORE_TEST(every_wire_passes_and_is_recorded)
{
    static const char message[] =
        "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\","
        "\"content\":[{\"type\":\"text\",\"text\":\"hello\"}],\"stop_reason\":\"end_turn\","
        "\"usage\":{\"input_tokens\":5,\"output_tokens\":2}}";
    static const char response[] =
        "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"gpt-5.5\","
        "\"output\":[{\"type\":\"message\",\"id\":\"m1\",\"role\":\"assistant\",\"content\":[{"
        "\"type\":\"output_text\",\"text\":\"fine\"}]}],\"usage\":{\"input_tokens\":7,"
        "\"output_tokens\":1}}";
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_json(w.up, 200, message);
    g = ask(&w, "/v1/messages?beta=true", "anthropic-version: 2023-06-01\r\n",
            "{\"model\":\"claude-x\",\"max_tokens\":10,\"messages\":[{\"role\":\"user\","
            "\"content\":\"hi\"}]}");
    CHECK_INT(200, g.status);
    CHECK_SPAN(message, g.body);
    CHECK(strstr(fake_asked(w.up, 0), "POST /v1/messages?beta=true HTTP/1.1\r\n"));
    CHECK(strcasestr(fake_asked(w.up, 0), "\r\nx-api-key: sk-canary-0123456789\r\n"));
    CHECK(strcasestr(fake_asked(w.up, 0), "\r\nanthropic-version: 2023-06-01\r\n"));
    check_path(&w, "user:hi assistant:hello");
    fake_json(w.up, 200, response);
    g = ask(&w, "/v1/responses", "",
            "{\"model\":\"gpt-5.5\",\"input\":[{\"role\":\"user\",\"content\":\"hi\"},"
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]},"
            "{\"role\":\"user\",\"content\":\"how\"}]}");
    CHECK_INT(200, g.status);
    CHECK_SPAN(response, g.body);
    check_path(&w, "user:hi assistant:hello user:how assistant:fine");
    world_close(&w);
}

STORE_TEST(a_session_is_named_by_the_prompt_behind_reminders_of_its_client)
{
    struct world w;

    world_open(t, &w);
    fake_json(w.up, 200, REPLY);
    (void)ask(&w, "/v1/messages", "",
              "{\"model\":\"claude-x\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
              "\"text\",\"text\":\"<system-reminder>\\nBe good.\\n</system-reminder>\"},"
              "{\"type\":\"text\",\"text\":\"Why is the cache stale?\\nPlease look.\"}]}]}");
    check_path(&w, "user:<system-reminder>\nBe good.\n</system-reminder>+Why is the cache stale?\n"
                   "Please look.");
    CHECK_STR("Why is the cache stale?", get(t, only_session(&w))->title);
    world_close(&w);
}

STORE_TEST(counting_tokens_passes_and_is_not_recorded)
{
    struct bough_sessions list;
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_json(w.up, 200, "{\"input_tokens\":14}");
    g = ask(&w, "/v1/messages/count_tokens", "",
            "{\"model\":\"claude-x\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
    CHECK_INT(200, g.status);
    CHECK_SPAN("{\"input_tokens\":14}", g.body);
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(0, list.n);
    world_close(&w);
}
