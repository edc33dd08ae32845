/* Who sent a request: keys, parents and purposes by the tables of data/. */
#include "core/wire/client.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/data/data.h"
#include "lib/test.h"

static struct client_found found(struct test *t, enum wire wire, const char *body,
                                 const struct client_header *headers, size_t n)
{
    struct client_found out;
    struct wire_request r;

    CHECK_OK(wire_request_read(t->arena, wire, str_of(body), &r, &t->err));
    client_identify(t->arena, &r, headers, n, &out);
    return out;
}

#define HEADER(name, value)                                                                        \
    {                                                                                              \
        { name, sizeof name - 1 },                                                                 \
        {                                                                                          \
            value, sizeof value - 1                                                                \
        }                                                                                          \
    }
#define FOUND(wire, body, ...)                                                                     \
    found(t, wire, body, (struct client_header[]){ __VA_ARGS__ },                                  \
          sizeof((struct client_header[]){ __VA_ARGS__ }) / sizeof(struct client_header))

TEST(claude_code_names_its_session_and_its_agents)
{
    struct client_found f =
        FOUND(WIRE_MESSAGES, "{\"messages\":[]}", HEADER("X-Claude-Code-Session-Id", "s1"));

    CHECK_STR("claude-code", f.client);
    CHECK_STR("s1", f.key);
    CHECK(!f.parent && !f.purpose);
    f = FOUND(WIRE_MESSAGES, "{\"messages\":[]}", HEADER("x-claude-code-agent-id", "a7"),
              HEADER("x-claude-code-session-id", "s1"));
    CHECK_STR("s1/a7", f.key);
    CHECK_STR("s1", f.parent);
    f = FOUND(WIRE_MESSAGES, "{\"messages\":[]}", HEADER("x-claude-code-agent-id", "a9"),
              HEADER("x-claude-code-parent-agent-id", "a7"),
              HEADER("x-claude-code-session-id", "s1"));
    CHECK_STR("s1/a9", f.key);
    CHECK_STR("s1/a7", f.parent);
    f = FOUND(WIRE_MESSAGES,
              "{\"messages\":[],\"metadata\":{\"user_id\":\"{\\\"session_id\\\":\\\"s2\\\"}\"}}",
              HEADER("x", "y"));
    CHECK_STR("s2", f.key);
}

TEST(a_client_without_a_key_is_known_by_its_name)
{
    struct client_found f =
        FOUND(WIRE_CHAT, "{\"messages\":[]}", HEADER("User-Agent", "pi/1.5.0 (linux; x64)"));

    CHECK_STR("pi", f.client);
    CHECK(!f.key);
    f = FOUND(WIRE_RESPONSES, "{\"input\":[]}", HEADER("user-agent", "pi (linux)"),
              HEADER("session_id", "p1"));
    CHECK_STR("pi", f.client);
    CHECK_STR("p1", f.key);
    f = FOUND(WIRE_CHAT, "{\"messages\":[]}", HEADER("User-Agent", "pip/24.0"));
    CHECK_STR("", f.client);
    f = FOUND(WIRE_MESSAGES, "{\"messages\":[]}", HEADER("User-Agent", "pi/1.5.0"),
              HEADER("X-Claude-Code-Session-Id", "s1"));
    CHECK_STR("claude-code", f.client); /* a key says more */
}

TEST(codex_names_its_thread_and_what_a_request_is_for)
{
    struct client_found f = FOUND(WIRE_RESPONSES, "{\"input\":[]}", HEADER("thread-id", "t1"),
                                  HEADER("x-codex-turn-metadata", "{\"request_kind\":\"turn\"}"));

    CHECK_STR("codex", f.client);
    CHECK_STR("t1", f.key);
    CHECK(!f.purpose);
    f = FOUND(WIRE_RESPONSES, "{\"input\":[]}", HEADER("thread-id", "t2"),
              HEADER("x-codex-parent-thread-id", "t1"),
              HEADER("x-codex-turn-metadata", "{\"request_kind\":\"compaction\"}"));
    CHECK_STR("t1", f.parent);
    CHECK_STR("compaction", f.purpose);
    f = FOUND(WIRE_RESPONSES, "{\"input\":[]}", HEADER("thread-id", "t3"),
              HEADER("x-codex-turn-metadata",
                     "{\"request_kind\":\"turn\",\"thread_source\":\"thread_title\"}"));
    CHECK_STR("title", f.purpose);
}

TEST(other_clients_are_known_by_a_session_header)
{
    CHECK_STR("ses_1", FOUND(WIRE_CHAT, "{\"messages\":[]}", HEADER("x-session-affinity", "ses_1"),
                             HEADER("x-session-id", "ses_1"))
                           .key);
    CHECK_STR("p1", FOUND(WIRE_RESPONSES, "{\"input\":[]}", HEADER("session_id", "p1")).key);
    CHECK_STR("p2", FOUND(WIRE_CHAT, "{\"messages\":[]}", HEADER("session-id", "p2")).key);
    CHECK_STR(
        "conv_1",
        FOUND(WIRE_RESPONSES, "{\"input\":[],\"conversation\":\"conv_1\"}", HEADER("x", "y")).key);
    /* Never these alone: they are shared by sessions. */
    CHECK(!FOUND(WIRE_RESPONSES, "{\"input\":[],\"prompt_cache_key\":\"k\",\"user\":\"u\"}",
                 HEADER("x-session-id", ""))
               .key);
}

TEST(side_requests_are_known_by_what_they_ask)
{
    CHECK_STR("title",
              FOUND(WIRE_CHAT,
                    "{\"messages\":[{\"role\":\"system\",\"content\":"
                    "\"You are a title generator. Go.\"},{\"role\":\"user\",\"content\":\"x\"}]}",
                    HEADER("x", "y"))
                  .purpose);
    CHECK(!FOUND(WIRE_CHAT,
                 "{\"tools\":[{}],\"messages\":[{\"role\":\"system\",\"content\":"
                 "\"You are a title generator. Go.\"},{\"role\":\"user\",\"content\":\"x\"}]}",
                 HEADER("x", "y"))
               .purpose);
    CHECK_STR("probe", FOUND(WIRE_MESSAGES,
                             "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":"
                             "\"quota\"}]}",
                             HEADER("x", "y"))
                           .purpose);
    CHECK_STR("compaction",
              FOUND(WIRE_MESSAGES,
                    "{\"tools\":[{}],\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
                    "\"tool_result\",\"tool_use_id\":\"t\"},{\"type\":\"text\",\"text\":"
                    "\"CRITICAL: Respond with TEXT ONLY. No tools.\"}]}]}",
                    HEADER("x", "y"))
                  .purpose);
    CHECK_STR("title", FOUND(WIRE_MESSAGES,
                             "{\"messages\":[],\"output_config\":{\"format\":{\"schema\":"
                             "{\"properties\":{\"title\":{}}}}}}",
                             HEADER("x", "y"))
                           .purpose);
}

TEST(tables_have_rows_of_words)
{
    struct data_row row = { .next = "# a comment\n\n  one two  three four \r\nlast" };
    struct bough_str line;

    CHECK(data_next(&row));
    line = row.line;
    CHECK_SPAN("one", data_word(&line));
    CHECK_SPAN("two", data_word(&line));
    CHECK_SPAN("three four", line);
    CHECK(data_next(&row));
    line = row.line;
    CHECK_SPAN("last", data_word(&line));
    CHECK_SPAN("", data_word(&line));
    CHECK(!data_next(&row));
}
