/* Times as people read and type them: printing and parsing. */
#include "cli/term/when.h"

#include <stdlib.h>
#include <time.h>

#include "base/text/iso.h"
#include "lib/test.h"

#define NOW INT64_C(1794793467123) /* 2026-11-16T01:44:27.123Z */
#define MIN INT64_C(60000)

static const char *iso(struct test *t, int64_t ms)
{
    char out[WHEN_SIZE];

    iso_print(ms, out);
    return bough_arena_strdup(t->arena, out);
}

static const char *ago(struct test *t, int64_t back)
{
    char out[WHEN_SIZE];

    when_ago(NOW - back, NOW, out);
    return bough_arena_strdup(t->arena, out);
}

static const char *parsed(struct test *t, const char *text)
{
    int64_t ms;

    return when_parse(text, NOW, &ms) ? iso(t, ms) : "no";
}

static void utc(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
}

TEST(iso_times_are_utc_with_milliseconds)
{
    CHECK_STR("2026-11-16T01:44:27.123Z", iso(t, NOW));
    CHECK_STR("1969-12-31T23:59:59.999Z", iso(t, -1));
    CHECK_STR("", iso(t, 0));
    CHECK_STR("", iso(t, INT64_MAX));
}

TEST(recent_times_are_told_from_now)
{
    utc();
    CHECK_STR("just now", ago(t, 0));
    CHECK_STR("just now", ago(t, -5000));
    CHECK_STR("10 s ago", ago(t, 10000));
    CHECK_STR("1 min ago", ago(t, MIN));
    CHECK_STR("59 min ago", ago(t, 60 * MIN - 1));
    CHECK_STR("23 h ago", ago(t, 24 * 60 * MIN - 1));
    CHECK_STR("1 day ago", ago(t, 24 * 60 * MIN));
    CHECK_STR("29 days ago", ago(t, 30 * 24 * 60 * MIN - 1));
}

TEST(old_and_future_times_are_dates)
{
    utc();
    CHECK_STR("2026-10-17", ago(t, 30 * 24 * 60 * MIN));
    CHECK_STR("2026-11-17", ago(t, -24 * 60 * MIN));
}

TEST(times_as_people_type_them_are_parsed)
{
    utc();
    CHECK_STR("2026-11-16T01:14:27.123Z", parsed(t, "30m"));
    CHECK_STR("2026-11-15T13:44:27.123Z", parsed(t, "12h"));
    CHECK_STR("2026-11-02T01:44:27.123Z", parsed(t, "2w"));
    CHECK_STR("2026-11-16T00:00:00.000Z", parsed(t, "today"));
    CHECK_STR("2026-11-15T00:00:00.000Z", parsed(t, "yesterday"));
    CHECK_STR("2026-03-01T00:00:00.000Z", parsed(t, "2026-03-01"));
    CHECK_STR("2026-03-01T12:30:00.000Z", parsed(t, "2026-03-01T12:30"));
    CHECK_STR("2026-03-01T12:30:05.250Z", parsed(t, "2026-03-01 12:30:05.25Z"));
}

TEST(text_that_is_not_a_time_is_refused)
{
    CHECK_STR("no", parsed(t, ""));
    CHECK_STR("no", parsed(t, "3"));
    CHECK_STR("no", parsed(t, "3y"));
    CHECK_STR("no", parsed(t, "-3d"));
    CHECK_STR("no", parsed(t, "2026-03-01T"));
    CHECK_STR("no", parsed(t, "2026-03-01x"));
    CHECK_STR("no", parsed(t, "2026-13-01"));
    CHECK_STR("no", parsed(t, "2026-02-30"));
    CHECK_STR("no", parsed(t, "2026-02-29T10:00"));
    CHECK_STR("no", parsed(t, "2026-01-01T10:00:61"));
}

TEST(durations_are_short)
{
    char out[WHEN_SIZE];

    when_took(350, out);
    CHECK_STR("350 ms", out);
    when_took(2500, out);
    CHECK_STR("2.5 s", out);
    when_took(200000, out);
    CHECK_STR("3 min 20 s", out);
}
