/* Prints and parses times for people. */
#include "cli/term/when.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/iso.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define LAST INT64_C(253402300799999) /* the end of the year 9999 */

/* Whole seconds, rounded down. */
static time_t seconds(int64_t ms)
{
    return (time_t)(ms / SECOND - (ms % SECOND < 0));
}

void when_day(int64_t ms, char out[WHEN_SIZE])
{
    struct tm tm;
    time_t s = seconds(ms);

    out[0] = '\0';
    if (ms && ms <= LAST && ms >= -LAST && localtime_r(&s, &tm))
        strftime(out, WHEN_SIZE, "%Y-%m-%d", &tm);
}

void when_ago(int64_t ms, int64_t now, char out[WHEN_SIZE])
{
    int64_t ago = now - ms;

    if (!ms || ago < -MINUTE || ago >= 30 * DAY)
        when_day(ms, out);
    else if (ago < 10 * SECOND)
        snprintf(out, WHEN_SIZE, "just now");
    else if (ago < MINUTE)
        snprintf(out, WHEN_SIZE, "%" PRId64 " s ago", ago / SECOND);
    else if (ago < HOUR)
        snprintf(out, WHEN_SIZE, "%" PRId64 " min ago", ago / MINUTE);
    else if (ago < DAY)
        snprintf(out, WHEN_SIZE, "%" PRId64 " h ago", ago / HOUR);
    else
        snprintf(out, WHEN_SIZE, "%" PRId64 " day%s ago", ago / DAY, ago < 2 * DAY ? "" : "s");
}

void when_took(int64_t ms, char out[WHEN_SIZE])
{
    if (ms < SECOND)
        snprintf(out, WHEN_SIZE, "%" PRId64 " ms", ms);
    else if (ms < MINUTE)
        snprintf(out, WHEN_SIZE, "%.1f s", (double)ms / 1e3);
    else
        snprintf(out, WHEN_SIZE, "%" PRId64 " min %" PRId64 " s", ms / MINUTE,
                 ms % MINUTE / SECOND);
}

static bool midnight(int64_t now, int days_back, int64_t *ms)
{
    struct tm tm;
    time_t s = seconds(now);

    if (!localtime_r(&s, &tm))
        return false;
    tm.tm_mday -= days_back;
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    *ms = (int64_t)mktime(&tm) * SECOND;
    return true;
}

static bool parse_ago(const char *text, int64_t now, int64_t *ms)
{
    static const char units[] = "smhdw";
    static const int64_t each[] = { SECOND, MINUTE, HOUR, DAY, 7 * DAY };
    char *end;
    long n = strtol(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;

    if (end == text || n < 0 || n > 100000 || !unit || end[1])
        return false;
    *ms = now - n * each[unit - units];
    return true;
}

static bool parse_date(const char *text, int64_t *ms)
{
    struct tm tm = { .tm_isdst = -1 };
    const char *p = strptime(text, "%Y-%m-%d", &tm), *q;
    int64_t rest = 0;

    if (p && (*p == 'T' || *p == ' ')) {
        q = strptime(p + 1, "%H:%M:%S", &tm);
        p = q ? q : strptime(p + 1, "%H:%M", &tm);
    }
    if (p && *p == '.') {
        int64_t unit = 100;

        for (p++; *p >= '0' && *p <= '9'; p++, unit /= 10)
            rest += unit * (*p - '0');
    }
    if (!p || (*p && strcmp(p, "Z") != 0) ||
        !iso_exists(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec))
        return false;
    *ms = (int64_t)(*p ? timegm(&tm) : mktime(&tm)) * SECOND + rest;
    return true;
}

bool when_parse(const char *text, int64_t now, int64_t *ms)
{
    if (strcmp(text, "today") == 0)
        return midnight(now, 0, ms);
    if (strcmp(text, "yesterday") == 0)
        return midnight(now, 1, ms);
    return parse_ago(text, now, ms) || parse_date(text, ms);
}
