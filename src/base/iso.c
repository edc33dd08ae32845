/* Times as ISO 8601 in UTC. */
#include "base/iso.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define LAST INT64_C(253402300799999) /* the end of the year 9999 */

void iso_print(int64_t ms, char out[ISO_TEXT])
{
    int64_t rest = (ms % 1000 + 1000) % 1000;
    time_t s = (time_t)((ms - rest) / 1000);
    struct tm tm;
    size_t n;

    out[0] = '\0';
    if (!ms || ms > LAST || ms < -LAST || !gmtime_r(&s, &tm))
        return;
    n = strftime(out, ISO_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, ISO_TEXT - n, ".%03dZ", (int)rest);
}

/* ---- reading ---- */

static bool digits(const char **p, int n, int *out)
{
    *out = 0;
    for (int i = 0; i < n; i++, ++*p) {
        if (**p < '0' || **p > '9')
            return false;
        *out = *out * 10 + (**p - '0');
    }
    return true;
}

static bool mark(const char **p, char c)
{
    return **p == c && ++*p;
}

/* Fractions of a second, as many digits as there are. */
static int millis(const char **p)
{
    int ms = 0, scale = 100;

    if (!mark(p, '.'))
        return 0;
    for (; **p >= '0' && **p <= '9'; ++*p, scale /= 10)
        ms += scale * (**p - '0');
    return ms;
}

/* "Z", "+02:00"; false when it is neither. */
static bool zone(const char **p, int64_t *minutes)
{
    int h, m, sign = **p == '-' ? -1 : 1;

    *minutes = 0;
    if (mark(p, 'Z') || !**p)
        return true;
    if (**p != '+' && **p != '-')
        return false;
    ++*p;
    if (!digits(p, 2, &h) || (mark(p, ':'), !digits(p, 2, &m)))
        return false;
    *minutes = sign * (h * 60 + m);
    return true;
}

int64_t iso_parse(const char *iso)
{
    struct tm tm = { 0 };
    const char *p = iso ? iso : "";
    int64_t minutes;
    int ms;

    if (!digits(&p, 4, &tm.tm_year) || !mark(&p, '-') || !digits(&p, 2, &tm.tm_mon) ||
        !mark(&p, '-') || !digits(&p, 2, &tm.tm_mday) || (!mark(&p, 'T') && !mark(&p, ' ')) ||
        !digits(&p, 2, &tm.tm_hour) || !mark(&p, ':') || !digits(&p, 2, &tm.tm_min) ||
        !mark(&p, ':') || !digits(&p, 2, &tm.tm_sec))
        return 0;
    ms = millis(&p);
    if (!zone(&p, &minutes) || *p)
        return 0;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    return ((int64_t)timegm(&tm) - minutes * 60) * 1000 + ms;
}
