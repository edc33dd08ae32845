/* Totals: sums, negation, overflow. */
#include "core/model/totals.h"
#include "base/text/str.h"

#include "lib/test.h"

TEST(totals_add_every_number)
{
    struct bough_totals sum = {
        .input = 1, .output = 2, .reasoning = 3, .cache_read = 4, .cache_write = 5, .cost = 6
    };
    const struct bough_totals more = {
        .input = 10, .output = 20, .reasoning = 30, .cache_read = 40, .cache_write = 50, .cost = -60
    };

    CHECK(totals_add(&sum, &more));
    CHECK_INT(11, sum.input);
    CHECK_INT(22, sum.output);
    CHECK_INT(33, sum.reasoning);
    CHECK_INT(44, sum.cache_read);
    CHECK_INT(55, sum.cache_write);
    CHECK_INT(-54, sum.cost);
}

TEST(totals_that_overflow_are_refused_whole) /* U16 */
{
    struct bough_totals sum = { .input = 1, .cost = INT64_MAX };
    const struct bough_totals more = { .input = 1, .cost = 1 };

    CHECK(!totals_add(&sum, &more));
    CHECK_INT(1, sum.input);
    CHECK_INT(INT64_MAX, sum.cost);
}

TEST(totals_have_an_opposite_that_gives_zero)
{
    const struct bough_totals t1 = {
        .input = 1, .output = -2, .reasoning = 3, .cache_read = 4, .cache_write = 5, .cost = 6
    };
    struct bough_totals back, low = { .output = INT64_MIN };

    CHECK(totals_neg(&t1, &back));
    CHECK(totals_add(&back, &t1));
    CHECK(totals_is_zero(&back));
    CHECK(!totals_neg(&low, &back));
}

TEST(usage_may_not_be_negative)
{
    struct bough_totals ok = { .input = 1 }, bad = { .cache_write = -1 };

    CHECK(totals_valid(&ok));
    CHECK(!totals_valid(&bad));
    CHECK(!totals_is_zero(&ok));
}

TEST(tokens_without_a_price_have_an_unknown_cost)
{
    struct bough_totals tokens = { .output = 3 }, priced = { .output = 3, .cost = 1 }, none = { 0 };

    CHECK(!totals_cost_known(&tokens, str_of(""), BOUGH_COST_UNSAID));
    CHECK(!totals_cost_known(&tokens, str_of("{\"output_tokens\":3}"), BOUGH_COST_UNSAID));
    CHECK(totals_cost_known(&tokens, str_of("{\"output_tokens\":3,\"cost\":0}"),
                            BOUGH_COST_UNSAID)); /* it is free */
    CHECK(totals_cost_known(&priced, str_of(""), BOUGH_COST_UNSAID));
    CHECK(totals_cost_known(&none, str_of(""), BOUGH_COST_UNSAID));
    CHECK(totals_cost_known(&tokens, str_of(""), BOUGH_COST_LIST)); /* a price of 0 is known */
    CHECK(!totals_cost_known(&tokens, str_of("{\"cost\":0}"), BOUGH_COST_UNKNOWN));
}
