/* Times as ISO 8601 in UTC. */
#include "base/iso.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define LAST INT64_C(253402300799999)  /* the end of the year 9999 */
#define FIRST INT64_C(-62167219200000) /* the beginning of the year 0 */

/* As many digits as there are before the mark behind them, from the right. */
static char *put(char *to, int n, int value, char then)
{
    for (int i = n - 1; i >= 0; i--, value /= 10)
        to[i] = (char)('0' + value % 10);
    to[n] = then;
    return to + n + 1;
}

/* By hand: answers are full of times, and strftime() asks the locale for each of them. */
void iso_print(int64_t ms, char out[ISO_TEXT])
{
    int64_t rest;
    struct tm tm;
    time_t s;

    out[0] = '\0';
    if (!ms || ms > LAST || ms < FIRST)
        return;
    rest = (ms % 1000 + 1000) % 1000;
    s = (time_t)((ms - rest) / 1000);
    if (!gmtime_r(&s, &tm))
        return;
    out = put(out, 4, tm.tm_year + 1900, '-');
    out = put(out, 2, tm.tm_mon + 1, '-');
    out = put(out, 2, tm.tm_mday, 'T');
    out = put(out, 2, tm.tm_hour, ':');
    out = put(out, 2, tm.tm_min, ':');
    out = put(out, 2, tm.tm_sec, '.');
    *put(out, 3, (int)rest, 'Z') = '\0';
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
