#include "base/required.h"
/* Money: integers of nano-USD; floating point is used only to convert input. Pure. */
#include <bough/model.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NANOS_PER_USD 1000000000.0L
#define MAX_USD 9.2e9 /* largest amount in int64 nano-USD, rounded down */

enum bough_rc bough_money_from_usd(double usd, int64_t *nano, struct bough_error *err)
{
    REQUIRE(nano, err);

    if (!isfinite(usd))
        return bough_fail(err, BOUGH_INVALID, "an amount of money must be a finite number");
    if (usd > MAX_USD || usd < -MAX_USD)
        return bough_fail(err, BOUGH_INVALID, "%g USD is more than can be kept", usd);
    /* A 64-bit mantissa is exact enough for the product; llrintl rounds half to even by default. */
    *nano = (int64_t)llrintl((long double)usd * NANOS_PER_USD);
    return BOUGH_OK;
}

int64_t bough_money_micros(int64_t nano)
{
    int64_t micros = nano / 1000;
    int64_t rest = nano % 1000; /* has the sign of nano */

    if (rest > 500 || (rest == 500 && micros % 2 != 0))
        return micros + 1;
    if (rest < -500 || (rest == -500 && micros % 2 != 0))
        return micros - 1;
    return micros;
}

void bough_money_text(int64_t nano, char *out, size_t size)
{
    int64_t micros = bough_money_micros(nano);
    uint64_t left = micros < 0 ? -(uint64_t)micros : (uint64_t)micros;

    snprintf(out, size, "%s%" PRIu64 ".%06" PRIu64, micros < 0 ? "-" : "", left / 1000000,
             left % 1000000);
}
