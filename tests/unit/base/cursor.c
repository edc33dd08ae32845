/* Page cursors: what is written is read again, and nothing else is. */
#include "store/lookup/cursor.h"

#include <bough/model.h>
#include <string.h>

#include "lib/test.h"

TEST(a_cursor_gives_back_its_numbers)
{
    const int64_t in[] = { INT64_MIN, INT64_MIN, INT64_MIN };
    const char *text = cursor_write(t->arena, in, 3);
    int64_t out[3] = { 0 };

    CHECK(strlen(text) <= BOUGH_CURSOR_LEN);
    CHECK_OK(cursor_read(text, out, 3, &t->err));
    CHECK_INT(INT64_MIN, out[2]);
    CHECK_STR("3.17", cursor_write(t->arena, (int64_t[]){ 3, 17 }, 2));
}

TEST(no_cursor_leaves_the_numbers_alone)
{
    int64_t out = 7;

    CHECK_OK(cursor_read(NULL, &out, 1, &t->err));
    CHECK_OK(cursor_read("", &out, 1, &t->err));
    CHECK_INT(7, out);
}

TEST(a_malformed_cursor_is_invalid)
{
    static const char *const bad[] = { "x", "1", "1.2.3", "1.", ".1", "1..2", "1.x", "1.2 ", "." };
    int64_t out[2];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_RC(BOUGH_INVALID, cursor_read(bad[i], out, 2, &t->err));
}
