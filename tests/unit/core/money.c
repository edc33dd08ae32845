/* Money: parsing, rounding, printing. */
#include <bough/model.h>

#include <math.h>

#include "lib/test.h"

static int64_t nano(struct test *t, double usd)
{
    int64_t n = -1;

    CHECK_OK(bough_money_from_usd(usd, &n, &t->err));
    return n;
}

TEST(money_comes_from_dollars_to_the_nearest_nano) /* U16 */
{
    CHECK_INT(0, nano(t, 0));
    CHECK_INT(1095000, nano(t, 0.001095));
    CHECK_INT(100000000, nano(t, 0.1));
    CHECK_INT(300000000, nano(t, 0.1 + 0.2));
    CHECK_INT(-1500000000, nano(t, -1.5));
    CHECK_INT(INT64_C(9200000000000000000), nano(t, 9.2e9));
}

TEST(money_that_is_no_amount_is_refused) /* U16 */
{
    int64_t n;

    CHECK_RC(BOUGH_INVALID, bough_money_from_usd(NAN, &n, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_money_from_usd(INFINITY, &n, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_money_from_usd(-INFINITY, &n, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_money_from_usd(9.2e9 + 0.5, &n, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_money_from_usd(-1e300, &n, &t->err));
}

TEST(micros_are_rounded_half_to_even) /* U16 */
{
    CHECK_INT(0, bough_money_micros(500));
    CHECK_INT(1, bough_money_micros(501));
    CHECK_INT(2, bough_money_micros(1500));
    CHECK_INT(2, bough_money_micros(2500));
    CHECK_INT(0, bough_money_micros(-500));
    CHECK_INT(-2, bough_money_micros(-1500));
    CHECK_INT(-1, bough_money_micros(-501));
    CHECK_INT(INT64_C(9223372036854776), bough_money_micros(INT64_MAX));
    CHECK_INT(INT64_C(-9223372036854776), bough_money_micros(INT64_MIN));
}

static const char *text(int64_t n)
{
    static char out[40];

    bough_money_text(n, out, sizeof out);
    return out;
}

TEST(money_is_shown_with_six_decimals) /* C15 */
{
    CHECK_STR("0.001234", text(1234000));
    CHECK_STR("0.000000", text(0));
    CHECK_STR("-0.001234", text(-1234000));
    CHECK_STR("0.000000", text(-400));
    CHECK_STR("12.000001", text(INT64_C(12000001000)));
    CHECK_STR("-9223372036.854776", text(INT64_MIN));
}
