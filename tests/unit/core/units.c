/* Units: how far a history that a client sends agrees with the stored one. */
#include "core/context/units.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "build.h"

#define TEXT(s) "{\"type\":\"text\",\"text\":\"" s "\"}"
#define CALL(id, name, args)                                                                       \
    "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":" args "}"
#define RESULT(id, text)                                                                           \
    "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"" text "\"}"
#define STRONG "toolu_01ABC234567"

struct pair {
    struct path sent, stored;
};

static struct pair pair_of(struct test *t)
{
    return (struct pair){ { .t = t }, { .t = t } };
}

static void user(struct path *p, const char *content)
{
    add_message(p, BOUGH_ROLE_USER, content, NULL);
}

static void model(struct path *p, const char *content)
{
    add_message(p, BOUGH_ROLE_ASSISTANT, content, NULL);
}

/* "units sent stored" of the two paths. */
static const char *aligned(struct pair *x)
{
    struct test *t = x->sent.t;
    struct units sent = { .a = t->arena }, stored = { .a = t->arena };
    struct units_match m;

    for (size_t i = 0; i < x->sent.n; i++)
        units_add(&sent, &x->sent.at[i]);
    for (size_t i = 0; i < x->stored.n; i++)
        units_add(&stored, &x->stored.at[i]);
    m = units_align(&sent, 0, &stored, 0);
    return arena_printf(t->arena, "%zu of %zu, %zu of %zu", m.sent, x->sent.n, m.stored,
                        x->stored.n);
}

/* A question and a reply; the same question and the reply as the client sends it. */
static const char *replayed(struct test *t, const char *stored, const char *sent)
{
    struct pair x = pair_of(t);

    user(&x.stored, "\"q\"");
    model(&x.stored, stored);
    user(&x.sent, "\"q\"");
    model(&x.sent, sent);
    return aligned(&x);
}

TEST(a_reply_without_its_reasoning_agrees)
{
    CHECK_STR(
        "2 of 2, 2 of 2",
        replayed(t, "[{\"type\":\"thinking\",\"thinking\":\"hm\"}," TEXT("yes") "]", "\"yes\""));
    CHECK_STR("2 of 2, 2 of 2", replayed(t, "\"<think>hm</think>\\n\\nyes\"", "\"yes\""));
    CHECK_STR("1 of 2, 1 of 2", replayed(t, "\"<think>hm</think>no\"", "\"yes\""));
}

TEST(text_blocks_agree_with_their_join_by_white_space)
{
    static const char stored[] = "[" TEXT("one") "," TEXT("two") "]";

    CHECK_STR("2 of 2, 2 of 2", replayed(t, stored, "\"one\\n\\ntwo\""));
    CHECK_STR("2 of 2, 2 of 2", replayed(t, stored, "\"onetwo\""));
    CHECK_STR("2 of 2, 2 of 2", replayed(t, stored, "\"one\\r\\ntwo\\n\""));
    CHECK_STR("1 of 2, 1 of 2", replayed(t, stored, "\"one, two\""));
    CHECK_STR("1 of 2, 1 of 2", replayed(t, "\"a  b\"", "\"a b\"")); /* inside a block it counts */
    CHECK_STR("1 of 2, 1 of 2", replayed(t, stored, "\"one\""));
}

TEST(borders_of_messages_do_not_count)
{
    struct pair x = pair_of(t);

    model(&x.stored, "[" TEXT("look") "," CALL("a", "ls", "{}") "]");
    user(&x.stored, "[" RESULT("a", "1") "," RESULT("b", "2") "]");
    model(&x.sent, "\"look\"");
    model(&x.sent, "[" CALL("z", "ls", "{ }") "]");
    user(&x.sent, "[" RESULT("a", "1") "]");
    user(&x.sent, "[" RESULT("b", "2") "]");
    user(&x.sent, "\"next\"");
    CHECK_STR("4 of 5, 2 of 2", aligned(&x));
}

TEST(a_match_ends_where_a_message_ends_on_both_sides)
{
    struct pair x = pair_of(t);

    user(&x.stored, "\"one\"");
    user(&x.stored, "\"two\"");
    user(&x.sent, "[" TEXT("one") "," TEXT("two") "," TEXT("three") "]");
    CHECK_STR("0 of 1, 0 of 2", aligned(&x));
}

TEST(calls_agree_by_arguments_or_by_a_strong_id)
{
    CHECK_STR("2 of 2, 2 of 2", replayed(t, "[" CALL("a", "ls", "{\"x\":1,\"y\":2}") "]",
                                         "[" CALL("b", "ls", "{\"y\":2,\"x\":1}") "]"));
    CHECK_STR("1 of 2, 1 of 2", replayed(t, "[" CALL("call_0", "ls", "{\"x\":1}") "]",
                                         "[" CALL("call_0", "ls", "{\"x\":2}") "]"));
    CHECK_STR("2 of 2, 2 of 2", replayed(t, "[" CALL(STRONG, "ls", "{\"x\":1}") "]",
                                         "[" CALL(STRONG, "ls", "{\"x\":2}") "]"));
    CHECK_STR("1 of 2, 1 of 2",
              replayed(t, "[" CALL(STRONG, "ls", "{}") "]", "[" CALL(STRONG, "cat", "{}") "]"));
    CHECK_STR("1 of 2, 1 of 2", /* an id that occurs twice is not strong */
              replayed(t, "[" CALL(STRONG, "ls", "{\"x\":1}") "," CALL(STRONG, "ls", "{}") "]",
                       "[" CALL(STRONG, "ls", "{\"x\":2}") "," CALL(STRONG, "ls", "{}") "]"));
}

TEST(results_agree_by_text_or_by_a_strong_id)
{
    CHECK_STR("2 of 2, 2 of 2",
              replayed(t, "[" RESULT("a", "x  y\\n") "]", "[" RESULT("b", "x y") "]"));
    CHECK_STR("2 of 2, 2 of 2",
              replayed(t, "[" RESULT(STRONG, "x") "]", "[" RESULT(STRONG, "[cleared]") "]"));
    CHECK_STR("1 of 2, 1 of 2", replayed(t, "[" RESULT("a", "x") "]", "[" RESULT("a", "y") "]"));
}

TEST(files_and_unknown_parts_are_compared)
{
    static const char png[] = "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
                              "\"image/png\",\"data\":\"AAAA\"}}]";
    static const char other[] = "[{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                                "\"media_type\":\"image/png\",\"data\":\"AAAB\"}}]";

    CHECK_STR("2 of 2, 2 of 2", replayed(t, png, png));
    CHECK_STR("1 of 2, 1 of 2", replayed(t, png, other));
    CHECK_STR("1 of 2, 1 of 2",
              replayed(t, "[{\"type\":\"x\",\"n\":1}]", "[{\"type\":\"x\",\"n\":2}]"));
    CHECK_STR("2 of 2, 2 of 2",
              replayed(t, "[{\"type\":\"x\",\"n\":1}]", "[{\"n\":1,\"type\":\"x\"}]"));
    CHECK_STR("2 of 2, 2 of 2",
              replayed(t, "[{\"type\":\"refusal\",\"refusal\":\"no\"}]", "\"no\""));
}

TEST(system_messages_are_not_compared)
{
    struct pair x = pair_of(t);
    struct units u = { .a = t->arena };

    add_message(&x.stored, BOUGH_ROLE_SYSTEM, "\"be nice\"", NULL);
    user(&x.stored, "\"q\"");
    user(&x.sent, "\"q\"");
    add_message(&x.sent, BOUGH_ROLE_SYSTEM, "\"hurry\"", NULL);
    CHECK_STR("1 of 2, 2 of 2", aligned(&x));
    for (size_t i = 0; i < x.sent.n; i++)
        units_add(&u, &x.sent.at[i]);
    CHECK(!units_none(&u, 0) && units_none(&u, 1) && units_none(&u, 9));
}
