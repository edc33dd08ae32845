/* Reports of usage of each provider, as disjoint counts. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/price/price.h"
#include "lib/test.h"

/* "input+read+5m+1h+output", then what else there is. */
static const char *read_as(struct test *t, const char *json)
{
    struct usage u;
    const char *out;

    if (!usage_read(t->arena, str_of(json), &u))
        return "nothing";
    out = arena_printf(t->arena, "%lld+%lld+%lld+%lld+%lld", (long long)u.input,
                       (long long)u.cache_read, (long long)u.write_5m, (long long)u.write_1h,
                       (long long)u.output);
    if (u.reasoning)
        out = arena_printf(t->arena, "%s reasoning %lld", out, (long long)u.reasoning);
    if (u.searches)
        out = arena_printf(t->arena, "%s searches %lld", out, (long long)u.searches);
    if (u.cost >= 0)
        out = arena_printf(t->arena, "%s cost %lld", out, (long long)u.cost);
    if (u.clamped)
        out = arena_printf(t->arena, "%s clamped", out);
    return u.special ? arena_printf(t->arena, "%s special", out) : out;
}

TEST(usage_of_chat_completions_includes_cached_tokens)
{
    CHECK_STR("60+30+10+0+20 reasoning 5",
              read_as(t, "{\"prompt_tokens\":100,\"completion_tokens\":20,"
                         "\"prompt_tokens_details\":{\"cached_tokens\":30,"
                         "\"cache_write_tokens\":10},"
                         "\"completion_tokens_details\":{\"reasoning_tokens\":5}}"));
    CHECK_STR("70+30+0+0+20", read_as(t, "{\"prompt_tokens\":100,\"completion_tokens\":20,"
                                         "\"prompt_cache_hit_tokens\":30}"));
    CHECK_STR("70+30+0+0+20", read_as(t, "{\"prompt_tokens\":100,\"completion_tokens\":20,"
                                         "\"cached_tokens\":30}"));
    CHECK_STR("0+30+0+0+20 clamped", read_as(t, "{\"prompt_tokens\":10,\"completion_tokens\":20,"
                                                "\"cached_tokens\":30}"));
    CHECK_STR("1+0+0+0+2 cost 1500000",
              read_as(t, "{\"prompt_tokens\":1,\"completion_tokens\":2,\"cost\":0.0015}"));
}

TEST(usage_of_responses_includes_cached_tokens)
{
    CHECK_STR("65+30+3+2+20 reasoning 5",
              read_as(t, "{\"input_tokens\":100,\"output_tokens\":20,"
                         "\"input_tokens_details\":{\"cached_tokens\":30,"
                         "\"cache_write_tokens\":5,\"ttl_12h_tokens\":2},"
                         "\"output_tokens_details\":{\"reasoning_tokens\":5}}"));
    CHECK_STR("70+30+0+0+20 reasoning 5", /* as Codex writes it into its files */
              read_as(t, "{\"input_tokens\":100,\"cached_input_tokens\":30,\"output_tokens\":20,"
                         "\"reasoning_output_tokens\":5}"));
}

TEST(usage_of_messages_leaves_cached_tokens_out)
{
    CHECK_STR("100+30+4+6+20 searches 2",
              read_as(t, "{\"input_tokens\":100,\"cache_read_input_tokens\":30,"
                         "\"cache_creation_input_tokens\":10,\"cache_creation\":{"
                         "\"ephemeral_5m_input_tokens\":4,\"ephemeral_1h_input_tokens\":6},"
                         "\"output_tokens\":20,\"server_tool_use\":{\"web_search_requests\":2},"
                         "\"service_tier\":\"standard\"}"));
    CHECK_STR("100+0+10+0+20 special",
              read_as(t, "{\"input_tokens\":100,\"cache_creation_input_tokens\":10,"
                         "\"output_tokens\":20,\"service_tier\":\"priority\"}"));
}

TEST(usage_of_gemini_counts_thoughts_as_output)
{
    CHECK_STR("75+30+0+0+25 reasoning 5",
              read_as(t, "{\"promptTokenCount\":100,\"toolUsePromptTokenCount\":5,"
                         "\"cachedContentTokenCount\":30,\"candidatesTokenCount\":20,"
                         "\"thoughtsTokenCount\":5}"));
}

TEST(usage_that_is_none_is_not_read)
{
    CHECK_STR("nothing", read_as(t, ""));
    CHECK_STR("nothing", read_as(t, "[1]"));
    CHECK_STR("nothing", read_as(t, "{\"prompt_tokens\":null}"));
    CHECK_STR("nothing", read_as(t, "{"));
    CHECK_STR("0+0+0+0+0", read_as(t, "{\"prompt_tokens\":\"many\",\"completion_tokens\":-3}"));
}

TEST(usage_becomes_totals_and_comes_back)
{
    struct bough_totals in = {
        .input = 1, .output = 2, .reasoning = 1, .cache_read = 3, .cache_write = 4
    };
    struct usage u = usage_of_totals(&in);
    struct bough_totals out;

    u.write_1h = 5;
    out = usage_totals(&u);
    CHECK_INT(1, out.input);
    CHECK_INT(2, out.output);
    CHECK_INT(1, out.reasoning);
    CHECK_INT(3, out.cache_read);
    CHECK_INT(9, out.cache_write);
    CHECK_INT(0, out.cost);
}
