/* Times as ISO 8601 text in UTC: printing and parsing. */
#include "base/text/iso.h"

#include <stdio.h>
#include <time.h>

#define LAST INT64_C(253402300799999)  /* the end of the year 9999 */
#define FIRST INT64_C(-62167219200000) /* the beginning of the year 0 */

/* Write `value` as n digits, zero-padded, then the character `then`. Returns the end. */
static char *put(char *to, int n, int value, char then)
{
    for (int i = n - 1; i >= 0; i--, value /= 10)
        to[i] = (char)('0' + value % 10);
    to[n] = then;
    return to + n + 1;
}

/* Without strftime(): responses hold many times, and strftime() consults the locale for each. */
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

/* An optional fraction of a second; digits past milliseconds are dropped. */
static int millis(const char **p)
{
    int ms = 0, scale = 100;

    if (!mark(p, '.'))
        return 0;
    for (; **p >= '0' && **p <= '9'; ++*p, scale /= 10)
        ms += scale * (**p - '0');
    return ms;
}

/* "Z", "+02:00", "+0200", or the end of the text (UTC); false for anything else. */
static bool zone(const char **p, int64_t *minutes)
{
    int h, m, sign = **p == '-' ? -1 : 1;

    *minutes = 0;
    if (mark(p, 'Z') || !**p)
        return true;
    if (**p != '+' && **p != '-')
        return false;
    ++*p;
    if (!digits(p, 2, &h) || (mark(p, ':'), !digits(p, 2, &m)) || h > 23 || m > 59)
        return false;
    *minutes = sign * (h * 60 + m);
    return true;
}

bool iso_exists(int year, int month, int day, int hour, int minute, int second)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (leap && month == 2 ? 1 : 0) && hour >= 0 && hour <= 23 &&
           minute >= 0 && minute <= 59 && second >= 0 && second <= 59;
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
    if (!zone(&p, &minutes) || *p ||
        !iso_exists(tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec))
        return 0;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    return ((int64_t)timegm(&tm) - minutes * 60) * 1000 + ms;
}
