/* Tables of prices, and costs by them. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/price/price.h"
#include "lib/test.h"

#define HEAD "provider,model,valid_from,input,output,cache_read\n"

static struct price_table table(struct test *t, const char *csv)
{
    struct price_table out;

    CHECK_OK(price_table_read(t->arena, str_of(csv), &out, &t->err));
    return out;
}

static const char *refused(struct test *t, const char *csv)
{
    struct price_table out;

    CHECK_RC(BOUGH_INVALID, price_table_read(t->arena, str_of(csv), &out, &t->err));
    return t->err.msg;
}

/* The cost by our own table, and where it comes from. */
static const char *costs(struct test *t, const char *provider, const char *model, const char *usage)
{
    struct price_table own = price_table_own(t->arena);
    struct answered of = { provider, model, NULL, iso_parse("2026-11-16T12:00:00Z") };
    struct usage u;
    struct cost c;

    CHECK(usage_read(t->arena, str_of(usage), &u));
    c = cost_of_usage(&own, &of, &u);
    return arena_printf(t->arena, "%lld %s", (long long)c.nano, bough_cost_source_name(c.source));
}

/* ---- tables ---- */

TEST(a_table_that_is_written_reads_back_as_it_was)
{
    struct price_table own = price_table_own(t->arena), again;
    struct buf b;

    buf_init(&b, 1 << 20);
    price_table_write(&b, &own);
    CHECK_OK(price_table_read(t->arena, buf_str(&b), &again, &t->err));
    CHECK_INT(own.n, again.n);
    for (size_t i = 0; i < own.n; i++) {
        CHECK_STR(own.at[i].model, again.at[i].model);
        CHECK_STR(own.at[i].source, again.at[i].source);
        CHECK_INT(own.at[i].from, again.at[i].from);
        CHECK_MEM(own.at[i].cell, again.at[i].cell, sizeof own.at[i].cell);
    }
    buf_finish(&b);
}

TEST(the_own_table_has_prices_for_every_row)
{
    struct price_table own = price_table_own(t->arena);

    CHECK(own.n > 150);
    for (size_t i = 0; i < own.n; i++) {
        CHECK(*own.at[i].provider && *own.at[i].model && *own.at[i].source);
        CHECK(own.at[i].cell[PRICE_INPUT] >= 0 && own.at[i].cell[PRICE_OUTPUT] >= 0);
    }
}

TEST(a_table_has_amounts_with_three_decimals_and_empty_cells)
{
    struct price_table x = table(t, HEAD "# a comment\r\n\na,m,2026-01-31,0.125,1000,\r\n"
                                         "a,n,2026-01-31,2.5,0,7");

    CHECK_INT(2, x.n);
    CHECK_INT(125, x.at[0].cell[PRICE_INPUT]);
    CHECK_INT(1000000, x.at[0].cell[PRICE_OUTPUT]);
    CHECK_INT(-1, x.at[0].cell[PRICE_CACHE_READ]);
    CHECK_INT(2500, x.at[1].cell[PRICE_INPUT]);
    CHECK_INT(0, x.at[1].cell[PRICE_OUTPUT]);
    CHECK_INT(iso_parse("2026-01-31T00:00:00Z"), x.at[0].from);
}

TEST(a_table_that_is_wrong_is_refused_with_its_line)
{
    static const char *const rows[] = {
        "a,m,2026-01-31,1\n",           "a,m,2026-01-31,1,2,3,4\n",
        "a,m,31.1.2026,1,2,\n",         "a,m,2026-02-30,1,2,\n",
        ",m,2026-01-31,1,2,\n",         "a,,2026-01-31,1,2,\n",
        "a,m,2026-01-31,1.0001,2,\n",   "a,m,2026-01-31,-1,2,\n",
        "a,m,2026-01-31,1.,2,\n",       "a,m,2026-01-31,.5,2,\n",
        "a,m,2026-01-31,1e3,2,\n",      "a,\"m\",2026-01-31,1,2,\n",
        "a,m\x1b[1m,2026-01-31,1,2,\n", "a,m,2026-01-31,99999999999999999999,2,\n"
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(strstr(refused(t, arena_printf(t->arena, HEAD "%s", rows[i])), "line 2 "));
    CHECK(strstr(refused(t, ""), "names"));
    CHECK(strstr(refused(t, "provider,model\n"), "needed"));
    CHECK(strstr(refused(t, "provider,model,provider\n"), "twice"));
    CHECK(strstr(refused(t, "provider,colour\n"), "colour"));
}

TEST(a_price_is_the_longest_name_then_the_latest_day)
{
    struct price_table x = table(t, HEAD "a,m*,2026-01-01,1,1,\n"
                                         "a,m-2*,2026-01-01,2,1,\n"
                                         "a,m-2*,2026-03-01,3,1,\n"
                                         "a,m-2,2026-02-01,4,1,\n"
                                         "b,m*,2026-01-01,5,1,\n");
    int64_t march = iso_parse("2026-03-02T00:00:00Z"), january = iso_parse("2026-01-02T00:00:00Z");

    CHECK_INT(1000, price_find(&x, "a", "m-1", march)->cell[PRICE_INPUT]);
    CHECK_INT(3000, price_find(&x, "a", "m-2-mini", march)->cell[PRICE_INPUT]);
    CHECK_INT(2000, price_find(&x, "a", "m-2-mini", january)->cell[PRICE_INPUT]);
    CHECK_INT(4000, price_find(&x, "a", "m-2", march)->cell[PRICE_INPUT]);
    CHECK_INT(2000, price_find(&x, "a", "m-2", january)->cell[PRICE_INPUT]);
    CHECK_INT(5000, price_find(&x, "b", "m-2", march)->cell[PRICE_INPUT]);
    CHECK(!price_find(&x, "c", "m-2", march));
    CHECK(!price_find(&x, "a", "other", march));
    CHECK(!price_find(&x, "a", "m-2", 1));
    CHECK(!price_find(&x, "", "m-2", march));
    CHECK(!price_find(&x, "a", NULL, march));
}

/* ---- costs ---- */

TEST(costs_are_those_of_the_providers)
{
    CHECK_STR("54399000 list", costs(t, "anthropic", "claude-sonnet-4-5-20250929",
                                     "{\"input_tokens\":3,\"cache_creation_input_tokens\":12304,"
                                     "\"output_tokens\":550}"));
    CHECK_STR("3441390000 list",
              costs(t, "anthropic", "claude-opus-5",
                    "{\"input_tokens\":0,\"cache_creation\":{\"ephemeral_5m_input_tokens\":0,"
                    "\"ephemeral_1h_input_tokens\":344139},\"output_tokens\":0}"));
    /* Above 272,000 tokens all of it has the second price. */
    CHECK_STR("1245000000 list",
              costs(t, "openai", "gpt-5.5",
                    "{\"input_tokens\":300000,\"input_tokens_details\":{\"cached_tokens\":200000},"
                    "\"output_tokens\":1000}"));
    CHECK_STR("1370020000 list", /* not above it: the first price */
              costs(t, "openai", "gpt-5.5", "{\"input_tokens\":272000,\"output_tokens\":334}"));
}

TEST(a_model_without_a_price_is_unknown_and_never_free)
{
    static const char usage[] = "{\"input_tokens\":3,\"output_tokens\":550}";

    CHECK_STR("0 unknown", costs(t, "openai", "no-such-model", usage));
    CHECK_STR("0 unknown", costs(t, "nobody", "gpt-5.5", usage));
    CHECK_STR("2000000 reported", costs(t, "nobody", "x", "{\"prompt_tokens\":1,\"cost\":0.002}"));
    CHECK_STR("0 list", costs(t, "ollama", "llama3", usage)); /* local models cost nothing */
}

TEST(a_price_that_is_not_known_is_taken_from_another_and_estimated)
{
    struct price_table x = table(t, HEAD "a,m,2026-01-01,1000,2000,\n");
    struct usage u = { .input = 1,
                       .cache_read = 1,
                       .write_5m = 1,
                       .write_1h = 1,
                       .output = 1,
                       .reasoning = 1,
                       .cost = -1 };
    struct cost c = cost_at(&x.at[0], &u);

    CHECK_INT(6000, c.nano);
    CHECK_INT(BOUGH_COST_ESTIMATED, c.source);
    u = (struct usage){ .input = 1, .output = 1, .reasoning = 1, .cost = -1 };
    c = cost_at(&x.at[0], &u); /* reasoning is output */
    CHECK_INT(3000, c.nano);
    CHECK_INT(BOUGH_COST_LIST, c.source);
    u.special = true;
    CHECK_INT(BOUGH_COST_ESTIMATED, cost_at(&x.at[0], &u).source);
    u = (struct usage){ .input = 1, .cost = -1, .clamped = true };
    CHECK_INT(BOUGH_COST_ESTIMATED, cost_at(&x.at[0], &u).source);
}

TEST(kinds_of_tokens_with_a_price_of_their_own_leave_their_bucket)
{
    struct price_table x =
        table(t, "provider,model,valid_from,input,output,reasoning,audio_in,audio_out,image_out,"
                 "web_search\na,m,2026-01-01,1,10,100,1000,10000,100000,1000000\n");
    struct usage u = { .input = 5,
                       .audio_in = 2,
                       .output = 9,
                       .reasoning = 1,
                       .audio_out = 2,
                       .image_out = 3,
                       .searches = 1,
                       .cost = -1 };

    CHECK_INT(3 + 2000 + 100 + 20000 + 300000 + 30 + 1000000, cost_at(&x.at[0], &u).nano);
}

TEST(a_cost_is_rounded_once_and_half_to_even)
{
    struct price_table x = table(t, HEAD "a,m,2026-01-01,0.5,0.25,0.001\n");
    struct usage u = { .input = 1, .cost = -1 };

    CHECK_INT(0, cost_at(&x.at[0], &u).nano); /* 0.5 */
    u.input = 3;
    CHECK_INT(2, cost_at(&x.at[0], &u).nano); /* 1.5 */
    u = (struct usage){ .input = 1, .output = 1, .cost = -1 };
    CHECK_INT(1, cost_at(&x.at[0], &u).nano); /* 0.75: neither is rounded alone */
    u = (struct usage){ .input = 1, .cache_read = 1, .cost = -1 };
    CHECK_INT(1, cost_at(&x.at[0], &u).nano); /* 0.501 */
}

TEST(the_model_that_was_asked_for_counts_if_the_other_has_no_price)
{
    struct price_table x = table(t, HEAD "a,m,2026-01-01,1,1,\na,n,2026-01-01,2,1,\n");
    struct answered of = { "a", "m-dated", "n", iso_parse("2026-02-01T00:00:00Z") };
    struct usage u = { .input = 1, .cost = -1 };

    CHECK_INT(2, cost_of_usage(&x, &of, &u).nano);
    of.model = "m";
    CHECK_INT(1, cost_of_usage(&x, &of, &u).nano);
}

/* ---- before a call ---- */

TEST(an_estimate_counts_four_bytes_a_token_and_at_most_4096_tokens_of_the_reply)
{
    struct price_table x = table(t, HEAD "a,m,2026-01-31,3000,15000,\na,free,2026-01-31,0,0,\n"
                                         "a,tiny,2026-01-31,0.001,0.001,\n");
    struct cost c = cost_estimate(&x.at[0], 401, 10);

    CHECK_INT(101 * 3000 + 10 * 15000, c.nano);
    CHECK_INT(BOUGH_COST_ESTIMATED, c.source);
    CHECK_INT(4096 * 15000, cost_estimate(&x.at[0], 0, 0).nano);
    CHECK_INT(4096 * 15000, cost_estimate(&x.at[0], 0, 100000).nano);
    CHECK_INT(0, cost_estimate(&x.at[1], 1000, 1000).nano);
    CHECK_INT(BOUGH_COST_ESTIMATED, cost_estimate(&x.at[1], 1000, 1000).source);
    CHECK_INT(1, cost_estimate(&x.at[2], 1, 1).nano); /* little, but not free */
    CHECK_INT(BOUGH_COST_UNKNOWN, cost_estimate(NULL, 1000, 1000).source);
    CHECK_INT(LIMIT_COST, cost_estimate(&x.at[0], INT64_MAX, 1).nano);
}
