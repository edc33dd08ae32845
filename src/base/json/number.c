/* JSON numbers: text to double and back, independent of the locale. */
#include "base/json/tree.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/mem.h"

/*
 * strtod and printf take the decimal point from the locale, and the host program may have set one
 * that uses a comma. For "C", newlocale() returns a static object, so this is cheap.
 */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool json_number(struct bough_str raw, double *v)
{
    char small[64];
    char *text = raw.n < sizeof small ? small : mem_alloc(raw.n + 1);
    locale_t loc = c_locale();
    double got;

    memcpy(text, raw.p, raw.n);
    text[raw.n] = '\0';
    got = strtod_l(text, NULL, loc);
    freelocale(loc);
    if (text != small)
        mem_free(text);
    if (!isfinite(got))
        return false;
    *v = got;
    return true;
}

size_t json_number_text(double v, char out[32])
{
    locale_t loc = c_locale();
    locale_t old = uselocale(loc);
    int digits, n = 0;

    /* 17 digits always read back exactly; most numbers need fewer. */
    for (digits = 1; digits <= 17; digits++) {
        n = snprintf(out, 32, "%.*g", digits, v);
        if (strtod_l(out, NULL, loc) == v)
            break;
    }
    uselocale(old);
    freelocale(loc);
    return (size_t)n;
}
