/* ISO 8601 times: printing and parsing. */
#include "base/text/iso.h"

#include "lib/test.h"

TEST(iso_times_are_printed_with_milliseconds_and_read_back)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
        { 1, "1970-01-01T00:00:00.001Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { 1763284245123, "2025-11-16T09:10:45.123Z" },
        { 253402300799999, "9999-12-31T23:59:59.999Z" },
        { -62135596800000, "0001-01-01T00:00:00.000Z" },
    };
    char text[ISO_TEXT];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        iso_print(rows[i].ms, text);
        CHECK_STR(text, rows[i].text);
        CHECK(iso_parse(text) == rows[i].ms);
    }
}

TEST(iso_no_time_and_times_that_have_no_four_digits_are_empty)
{
    static const int64_t none[] = { 0, 253402300800000, -62167219200001, INT64_MAX, INT64_MIN };
    char text[ISO_TEXT];

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        iso_print(none[i], text);
        CHECK_STR(text, "");
    }
}

TEST(iso_days_and_hours_that_do_not_exist_are_no_times)
{
    static const char *const none[] = {
        "2026-13-01T00:00:00Z",      "2026-00-10T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-02-29T00:00:00Z",      "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-01-00T00:00:00Z",      "2026-01-32T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",      "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
    };

    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK_INT(0, iso_parse(none[i]));
    CHECK_INT(1835395199000, iso_parse("2028-02-28T23:59:59Z"));
    CHECK_INT(1835395200000, iso_parse("2028-02-29T00:00:00Z"));
    CHECK_INT(951782400000, iso_parse("2000-02-29 02:00:00+02:00"));
}
