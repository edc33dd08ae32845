/* The cost of calls, computed again. */
#include <bough/price.h>

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "lib/store_test.h"

#define DAY "2026-06-01T00:00:00Z"
#define HEAD "provider,model,valid_from,input,output\n"

/* Add a call of gpt-5.5 with 1,000 tokens of input and 100 of output: 8,000,000 by the list. */
static void call(struct test *t, const char *session, const struct bough_call_new *in)
{
    struct bough_call_new c = *in;
    struct bough_append_options how = { .call = &c };
    struct bough_append_result out;

    c.provider = c.provider ? c.provider : "openai";
    c.model = c.model ? c.model : "gpt-5.5";
    c.time = c.time ? c.time : iso_parse(DAY);
    c.used.input = c.used.input ? c.used.input : 1000;
    c.used.output = 100;
    CHECK_OK(bough_append(t->store, t->arena, session, &how, &out, &t->err));
}
#define CALL(session, ...) call(t, session, &(struct bough_call_new){ __VA_ARGS__ })

static struct bough_price_recompute_result again(struct test *t, const char *prices, bool dry_run)
{
    struct bough_price_recompute_options in = { .prices = str_of(prices), .dry_run = dry_run };
    struct bough_price_recompute_result out;

    CHECK_OK(bough_price_recompute(t->store, &in, &out, &t->err));
    return out;
}

/* The cost of each call, and where it comes from. */
static const char *costs(struct test *t, const char *session)
{
    struct bough_calls calls;
    const char *all = "";

    CHECK_OK(bough_call_list(t->store, t->arena, session, &calls, &t->err));
    for (size_t i = 0; i < calls.n; i++)
        all = arena_printf(t->arena, "%s%s%lld %s", all, i ? ", " : "",
                           (long long)calls.at[i].used.cost,
                           bough_cost_source_name(calls.at[i].cost_source));
    return all;
}

static int64_t spent(struct test *t)
{
    struct bough_spend_options how = { .sparse = true };
    struct bough_spend_result out;

    CHECK_OK(bough_spend(t->store, t->arena, &how, &out, &t->err));
    return out.total.used.cost;
}

STORE_TEST(calls_without_a_cost_get_that_of_the_list)
{
    const char *s = new_session(t, "");
    struct bough_price_recompute_result r;

    CALL(s, .cost_source = BOUGH_COST_UNSAID);
    CALL(s, .cost_source = BOUGH_COST_UNKNOWN);
    CALL(s, .model = "no-such-model");
    CALL(s, .cost_source = BOUGH_COST_REPORTED, .used = { .cost = 7 });
    CALL(s, .used = { .cost = 8 }); /* as a caller gave it */
    r = again(t, "", true);
    CHECK_INT(3, r.calls);
    CHECK_INT(2, r.changed);
    CHECK_INT(1, r.unknown);
    CHECK_INT(0, r.before);
    CHECK_INT(16000000, r.after);
    CHECK_STR("0 , 0 unknown, 0 , 7 reported, 8 ", costs(t, s)); /* a rehearsal */
    r = again(t, "", false);
    CHECK_INT(2, r.changed);
    CHECK_STR("8000000 list, 8000000 list, 0 , 7 reported, 8 ", costs(t, s));
    CHECK_INT(16000015, get(t, s)->own.cost);
    CHECK_INT(16000015, spent(t));
    CHECK_INT(0, again(t, "", false).changed);
}

STORE_TEST(another_price_moves_all_totals_by_the_difference)
{
    struct bough_session_create_options below = { .kind = BOUGH_SUBAGENT };
    const char *s = new_session(t, "");
    struct bough_session *sub;

    below.parent = s;
    CHECK_OK(bough_session_create(t->store, t->arena, &below, &sub, &t->err));
    CALL(sub->id, .cost_source = BOUGH_COST_UNKNOWN);
    again(t, "", false);
    CHECK_INT(8000000, get(t, sub->id)->own.cost);
    CHECK_INT(8000000, spent(t));
    again(t, HEAD "openai,gpt-5.5,2026-01-01,1,1\n", false);
    CHECK_STR("1100 list", costs(t, sub->id));
    CHECK_INT(1100, get(t, sub->id)->own.cost);
    CHECK_INT(1100, get(t, s)->rolled.cost);
    CHECK_INT(1100, spent(t));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    again(t, "", false);
    CHECK_INT(8000000, get(t, s)->rolled.cost);
    CHECK_INT(8000000, spent(t));
}

STORE_TEST(only_calls_of_the_time_are_priced)
{
    struct bough_price_recompute_options in = { .since = iso_parse("2026-06-02T00:00:00Z"),
                                                .until = iso_parse("2026-06-03T00:00:00Z") };
    const char *s = new_session(t, "");
    struct bough_price_recompute_result r;

    CALL(s, .time = iso_parse("2026-06-01T23:59:59Z"));
    CALL(s, .time = iso_parse("2026-06-02T00:00:00Z"));
    CALL(s, .time = iso_parse("2026-06-03T00:00:00Z"));
    CHECK_OK(bough_price_recompute(t->store, &in, &r, &t->err));
    CHECK_INT(1, r.calls);
    CHECK_STR("0 , 8000000 list, 0 ", costs(t, s));
}

STORE_TEST(a_report_tells_more_than_the_totals)
{
    const char *s = new_session(t, "");

    CALL(s, .provider = "anthropic", .model = "claude-opus-5",
         .usage = str_of("{\"input_tokens\":1000,\"output_tokens\":100,\"cache_creation\":{"
                         "\"ephemeral_1h_input_tokens\":10}}"),
         .used = { .cache_write = 10 });
    CALL(s, .provider = "anthropic", .model = "claude-opus-5", .used = { .cache_write = 10 });
    CALL(s, .provider = "anthropic", .model = "claude-opus-5", .cost_source = BOUGH_COST_LIST,
         .used = { .cache_write = 10, .cost = 7600000 });
    again(t, "", false);
    CHECK_STR("7600000 list, 7562500 estimated, 7600000 list", costs(t, s));
}

STORE_TEST(prices_that_are_malformed_change_nothing)
{
    struct bough_price_recompute_options in = { .prices = str_of(HEAD "openai,gpt-5.5\n") };
    const char *s = new_session(t, "");

    CALL(s, .cost_source = BOUGH_COST_UNKNOWN);
    CHECK_RC(BOUGH_INVALID, bough_price_recompute(t->store, &in, NULL, &t->err));
    CHECK(strstr(t->err.msg, "line 2"));
    CHECK_STR("0 unknown", costs(t, s));
}
