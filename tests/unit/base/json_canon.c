/* The canonical form: equal values have one text, different values have different texts. */
#include "lib/test.h"

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "json_cases.h"

static const char *canon_of(struct test *t, struct bough_str text)
{
    struct json root;
    struct buf b;
    char *out;

    CHECK_OK(json_parse(t->arena, text, &root, &t->err));
    buf_init(&b, 1 << 20);
    json_canon(&b, root);
    CHECK(!b.over);
    out = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return out;
}

static const char *canon(struct test *t, const char *text)
{
    return canon_of(t, str_of(text));
}

TEST(canonical_names_are_sorted_bytewise)
{
    CHECK_STR("{\"\":0,\"A\":1,\"a\":2,\"aa\":3,\"b\":4,\"\xc3\xa9\":5}",
              canon(t, "{ \"b\":4,\"aa\":3,\"\\u00e9\":5,\"a\":2 ,\"A\":1, \"\":0}"));
    CHECK_STR("[{\"a\":[2,1],\"b\":{\"c\":0,\"d\":0}}]",
              canon(t, "[{\"b\":{\"d\":0,\"c\":0},\"a\":[2,1]}]"));
}

TEST(canonical_objects_keep_the_last_duplicate)
{
    CHECK_STR("{\"a\":3,\"b\":1}", canon(t, "{\"a\":1,\"b\":1,\"\\u0061\":2,\"a\":3}"));
}

TEST(canonical_numbers_go_by_value)
{
    CHECK_STR("[1,1,1,100,0,0,-5]", canon(t, "[1,1.0,1e0,1E+2,-0,-0.0,-50e-1]"));
    CHECK_STR("[0.1,0.1,1.5]", canon(t, "[0.1,1e-1,0.15e1]"));
    CHECK_STR("[9223372036854775807,-9223372036854775808]",
              canon(t, "[9223372036854775807,-9223372036854775808]"));
    CHECK_STR("[9007199254740993,1000000000000000000]", canon(t, "[9007199254740993,1e18]"));
    CHECK_STR("9.223372036854776e+18", canon(t, "9223372036854775808"));
    CHECK_STR("1e+300", canon(t, "1000e297"));
    CHECK_STR("1e400", canon(t, "1e400"));
}

TEST(canonical_strings_escape_only_what_they_must)
{
    CHECK_STR("\"/\\\"\\\\\\u0008\\u000a\\u0000\xc3\xa9\xe2\x80\xa8\x7f\xf0\x9f\x98\x80\"",
              canon(t, "\"\\/\\\"\\\\\\b\\n\\u0000\\u00E9\\u2028\\u007f\\ud83d\\ude00\""));
}

TEST(canonical_strings_keep_lone_surrogates_apart)
{
    CHECK_STR("\"\\ud800\"", canon(t, "\"\\uD800\""));
    CHECK_STR("\"a\\udfff\\ud83d\"", canon(t, "\"a\\uDFFF\\ud83D\""));
    CHECK_STR("\"\xef\xbf\xbd\"", canon(t, "\"\\ufffd\""));
    CHECK_STR("{\"\\ud800\":1,\"\xef\xbf\xbd\":2}", canon(t, "{\"\\ufffd\":2,\"\\ud800\":1}"));
}

TEST(canonical_form_has_no_spaces_and_is_stable)
{
    size_t i;

    CHECK_STR("{\"a\":[1,{}],\"b\":null}", canon(t, " {\n\"a\" : [ 1 , { } ] ,\t\"b\":null } "));
    for (i = 0; i < json_n_good; i++) {
        const char *once = canon_of(t, json_good[i]);

        CHECK_STR(once, canon(t, once));
    }
}

TEST(the_canonical_form_of_nothing_is_null)
{
    struct json none = { NULL, 0 };
    struct buf b;

    buf_init(&b, 100);
    json_canon(&b, none);
    CHECK_STR("null", b.p);
    buf_finish(&b);
}
