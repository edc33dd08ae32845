/* The validators themselves: what each provider refuses, they refuse. */
#include "lib/strict.h"

#include "base/json/json.h"
#include "base/text/str.h"
#include "lib/test.h"

static const char *check(struct test *t, const char *dialect, const char *messages)
{
    struct bough_context_result c = { .messages = str_of(messages) };
    struct json j;

    CHECK_OK(json_parse(t->arena, c.messages, &j, &t->err));
    c.count = json_count(j);
    return strict_check(t->arena, dialect, &c, false);
}

static void refuses(struct test *t, const char *dialect, const char *what, const char *messages)
{
    const char *why = check(t, dialect, messages);

    if (!why)
        FAIL("%s takes %s", dialect, messages);
    if (!strstr(why, what))
        FAIL("%s refuses %s because of \"%s\", not of \"%s\"", dialect, messages, why, what);
}

static void takes(struct test *t, const char *dialect, const char *messages)
{
    const char *why = check(t, dialect, messages);

    if (why)
        FAIL("%s refuses %s: %s", dialect, messages, why);
}

#define ASK "{\"role\":\"user\",\"content\":\"a\"}"
#define CALL(id)                                                                                   \
    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"" id "\",\"type\":"        \
    "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}"
#define TOOL(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"r\"}"

TEST(the_validator_of_chat_refuses_what_openai_refuses)
{
    takes(t, "openai-chat", "[]");
    takes(t, "openai-chat", "[" ASK "," CALL("1") "," TOOL("1") "]");
    refuses(t, "openai-chat", "no tool message", "[" ASK "," CALL("1") "," ASK "]");
    refuses(t, "openai-chat", "before all calls", "[" ASK "," CALL("1") "]");
    refuses(t, "openai-chat", "answers no call", "[" ASK "," TOOL("1") "]");
    refuses(t, "openai-chat", "answers no call", "[" CALL("1") "," TOOL("1") "," TOOL("1") "]");
    refuses(t, "openai-chat", "two calls",
            "[" CALL("1") "," TOOL("1") "," CALL("1") "," TOOL("1") "]");
    refuses(t, "openai-chat", "unknown key", "[{\"role\":\"user\",\"content\":\"a\",\"id\":1}]");
    refuses(t, "openai-chat", "empty", "[{\"role\":\"user\",\"content\":\" \"}]");
    refuses(t, "openai-chat", "empty", "[{\"role\":\"user\",\"content\":[]}]");
    refuses(t, "openai-chat", "empty", "[{\"role\":\"assistant\",\"content\":null}]");
    refuses(t, "openai-chat", "role", "[{\"role\":\"critic\",\"content\":\"a\"}]");
    refuses(t, "openai-chat", "the model's",
            "[" ASK ",{\"role\":\"assistant\",\"content\":\"a\"}]");
    refuses(t, "openai-chat", "cannot be fetched",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
            "\"file:///a\"}}]}]");
    refuses(t, "openai-chat", "surrogate", "[{\"role\":\"user\",\"content\":\"\\ud800\"}]");
    refuses(t, "openai-chat", "no object",
            "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"1\",\"type\":"
            "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}," TOOL("1") "]");
    refuses(t, "openai-chat", "the name of a tool",
            "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"1\",\"type\":"
            "\"function\",\"function\":{\"name\":\"a.b\",\"arguments\":\"{}\"}}]}," TOOL("1") "]");
}

#define INPUT                                                                                      \
    "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":"      \
    "\"a\"}]}"
#define ITEM(id)                                                                                   \
    "{\"type\":\"function_call\",\"call_id\":\"" id "\",\"name\":\"f\",\"arguments\":\"{}\"}"
#define OUTPUT(id) "{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":\"r\"}"
#define THOUGHT "{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"e\"}"

TEST(the_validator_of_responses_refuses_what_openai_refuses)
{
    takes(t, "openai-responses", "[" INPUT "," THOUGHT "," ITEM("1") "," OUTPUT("1") "]");
    refuses(t, "openai-responses", "no output", "[" INPUT "," ITEM("1") "]");
    refuses(t, "openai-responses", "without its call", "[" INPUT "," OUTPUT("1") "]");
    refuses(t, "openai-responses", "two outputs",
            "[" ITEM("1") "," OUTPUT("1") "," OUTPUT("1") "]");
    refuses(t, "openai-responses", "led to", "[" THOUGHT "," INPUT "]");
    refuses(t, "openai-responses", "ends with reasoning", "[" INPUT "," THOUGHT "]");
    refuses(t, "openai-responses", "led to",
            "[" THOUGHT "," THOUGHT "," ITEM("1") "," OUTPUT("1") "]");
    refuses(t, "openai-responses", "encrypted_content is missing",
            "[{\"type\":\"reasoning\",\"summary\":[]}," ITEM("1") "," OUTPUT("1") "]");
    refuses(t, "openai-responses", "unknown key",
            "[{\"type\":\"message\",\"role\":\"user\",\"content\":[],\"status\":\"x\"}]");
    refuses(t, "openai-responses", "do not have",
            "[{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"output_text\","
            "\"text\":\"a\"}]}]");
    refuses(t, "openai-responses", "do not have", "[{\"type\":\"thing\"}]");
}

#define SAY(text) "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"
#define USE(id)                                                                                    \
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" id                     \
    "\",\"name\":\"f\",\"input\":{}}]}"
#define RESULT(id) "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"r\"}"
#define ANSWER(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"

TEST(the_validator_of_messages_refuses_what_anthropic_refuses)
{
    takes(t, "anthropic",
          "[" SAY("a") "," USE("1") ",{\"role\":\"user\",\"content\":[" RESULT("1") "]}]");
    refuses(t, "anthropic", "first message", "[" USE("1") "]");
    refuses(t, "anthropic", "one role", "[" SAY("a") "," SAY("b") "]");
    refuses(t, "anthropic", "has no result", "[" SAY("a") "," USE("1") "," SAY("b") "]");
    refuses(t, "anthropic", "is answered", "[" SAY("a") "," USE("1") "]");
    refuses(t, "anthropic", "without its call",
            "[{\"role\":\"user\",\"content\":[" RESULT("1") "]}]");
    refuses(t, "anthropic", "two results",
            "[" SAY("a") "," USE("1") ",{\"role\":\"user\",\"content\":[" RESULT("1") "," RESULT(
                "1") "]}]");
    refuses(
        t, "anthropic", "behind other content",
        "[" SAY("a") "," USE("1") ",{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":"
                                  "\"b\"}," RESULT("1") "]}]");
    refuses(t, "anthropic", "not allowed",
            "[" SAY("a") "," USE("a b") ",{\"role\":\"user\",\"content\":[" RESULT("a b") "]}]");
    refuses(t, "anthropic", "empty", "[" SAY(" \\n") "]");
    refuses(t, "anthropic", "empty", "[{\"role\":\"user\",\"content\":[]}]");
    refuses(t, "anthropic", "unknown key",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\",\"id\":\"x\"}]}]");
    refuses(t, "anthropic", "signature",
            "[" SAY("a") "," ANSWER("{\"type\":\"thinking\",\"thinking\":\"x\"}") "," SAY("b") "]");
    refuses(t, "anthropic", "last block is thinking",
            "[" SAY("a") "," ANSWER("{\"type\":\"thinking\",\"thinking\":\"x\",\"signature\":"
                                    "\"s\"}") "," SAY("b") "]");
    refuses(t, "anthropic", "the model's",
            "[" SAY("a") "," ANSWER("{\"type\":\"text\",\"text\":\"x\"}") "]");
    refuses(t, "anthropic", "alone",
            "[" SAY("a") "," ANSWER("{\"type\":\"server_tool_use\",\"id\":\"1\",\"name\":\"s\","
                                    "\"input\":{}}") "," SAY("b") "]");
    refuses(t, "anthropic", "another type",
            "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\","
            "\"media_type\":\"image/bmp\",\"data\":\"AAAA\"}}]}]");
}

#define TURN(role, parts) "{\"role\":\"" role "\",\"parts\":[" parts "]}"
#define DO(name, more) "{\"functionCall\":{\"name\":\"" name "\",\"args\":{}}" more "}"
#define DID(name) "{\"functionResponse\":{\"name\":\"" name "\",\"response\":{\"output\":\"r\"}}}"
#define SIGNED ",\"thoughtSignature\":\"s\""

TEST(the_validator_of_contents_refuses_what_gemini_refuses)
{
    takes(
        t, "gemini",
        "[" TURN("user", "{\"text\":\"a\"}") "," TURN(
            "model", DO("f", SIGNED) "," DO("g", "")) "," TURN("user", DID("f") "," DID("g")) "]");
    refuses(t, "gemini", "first turn", "[" TURN("model", "{\"text\":\"a\"}") "]");
    refuses(t, "gemini", "no signature",
            "[" TURN("user", "{\"text\":\"a\"}") "," TURN("model", DO("f", "")) "," TURN(
                "user", DID("f")) "]");
    refuses(t, "gemini", "do not match",
            "[" TURN("user", "{\"text\":\"a\"}") "," TURN("model", DO("f", SIGNED)) "," TURN(
                "user", DID("f") "," DID("f")) "]");
    refuses(t, "gemini", "do not match",
            "[" TURN("user", "{\"text\":\"a\"}") "," TURN("model", DO("f", SIGNED)) "," TURN(
                "user", "{\"text\":\"a\"}") "]");
    refuses(t, "gemini", "ends with a call",
            "[" TURN("user", "{\"text\":\"a\"}") "," TURN("model", DO("f", SIGNED)) "]");
    refuses(t, "gemini", "two turns of the model",
            "[" TURN("user", "{\"text\":\"a\"}") "," TURN("model", "{\"text\":\"b\"}") "," TURN(
                "model", "{\"text\":\"c\"}") "]");
    refuses(t, "gemini", "empty", "[" TURN("user", "{\"text\":\"\"}") "]");
    refuses(t, "gemini", "no parts", "[" TURN("user", "") "]");
    refuses(t, "gemini", "begins with",
            "[" TURN("user", "{\"text\":\"a\"}") "," TURN("model", DO("9f", SIGNED)) "]");
    refuses(t, "gemini", "unknown key", "[" TURN("user", "{\"text\":\"a\",\"id\":1}") "]");
}
