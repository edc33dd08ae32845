/* Times as text. */
#include "base/iso.h"

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
