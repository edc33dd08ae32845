/* The small string helpers. */
#include "lib/test.h"

#include "base/text/str.h"

TEST(null_becomes_the_empty_string)
{
    CHECK_STR("", str_of(NULL).p);
    CHECK_INT(0, str_of(NULL).n);
    CHECK_STR("", str_make(NULL, 5).p);
    CHECK(str_empty(str_make(NULL, 5)));
}

TEST(strings_are_equal_by_bytes_and_length)
{
    CHECK(str_eq(str_of("ab"), str_make("abc", 2)));
    CHECK(!str_eq(str_of("ab"), str_of("abc")));
    CHECK(!str_eq(str_make("a\0b", 3), str_make("a\0c", 3)));
    CHECK(str_eq((struct bough_str){ NULL, 0 }, str_of("")));
    CHECK(str_is(str_of("x"), "x") && !str_is(str_of("x"), ""));
    CHECK(str_starts(str_of("abc"), "ab") && str_starts(str_of("abc"), ""));
    CHECK(!str_starts(str_of("a"), "ab"));
}

TEST(order_is_bytewise_and_shorter_first)
{
    CHECK(str_cmp(str_of("a"), str_of("b")) < 0);
    CHECK(str_cmp(str_of("a"), str_of("aa")) < 0);
    CHECK(str_cmp(str_of("b"), str_of("aa")) > 0);
    CHECK(str_cmp(str_of("\xc3\xa9"), str_of("z")) > 0);
    CHECK_INT(0, str_cmp(str_of(""), (struct bough_str){ NULL, 0 }));
}

TEST(c_strings_compare_with_null_allowed)
{
    CHECK(cstr_eq(NULL, NULL) && cstr_eq("a", "a"));
    CHECK(!cstr_eq(NULL, "") && !cstr_eq("", NULL) && !cstr_eq("a", "b"));
    CHECK(cstr_empty(NULL) && cstr_empty("") && !cstr_empty(" "));
}
