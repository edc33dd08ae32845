/* Values of JSON nodes: strings, integers, doubles, comparisons. */
#include "lib/test.h"

#include <locale.h>

#include "base/json/json.h"
#include "base/text/str.h"

static struct json parse(struct test *t, const char *text)
{
    struct json root;

    CHECK_OK(json_parse(t->arena, str_of(text), &root, &t->err));
    return root;
}

static struct bough_str string(struct test *t, const char *text)
{
    struct bough_str s = { "?", 1 };

    CHECK(json_str(t->arena, parse(t, text), &s));
    CHECK_INT(0, s.p[s.n]);
    return s;
}

TEST(escapes_are_undone)
{
    CHECK_SPAN("", string(t, "\"\""));
    CHECK_SPAN("plain", string(t, "\"plain\""));
    CHECK_SPAN("\"\\/\b\f\n\r\t", string(t, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""));
    CHECK_SPAN("A\xc3\xa9\xe2\x82\xac", string(t, "\"\\u0041\\u00e9\\u20AC\""));
    CHECK_SPAN("x\\u0041", string(t, "\"x\\\\u0041\""));
    CHECK_SPAN("\x7f", string(t, "\"\\u007f\""));
    CHECK_SPAN("\xc2\x80", string(t, "\"\\u0080\""));
    CHECK_SPAN("\xdf\xbf\xe0\xa0\x80", string(t, "\"\\u07ff\\u0800\""));
}

TEST(surrogate_pairs_become_one_character)
{
    CHECK_SPAN("\xf0\x9f\x98\x80", string(t, "\"\\ud83d\\ude00\""));
    CHECK_SPAN("\xf0\x90\x80\x80", string(t, "\"\\uD800\\uDC00\""));
    CHECK_SPAN("\xf4\x8f\xbf\xbf", string(t, "\"\\udbff\\udfff\""));
}

TEST(lone_surrogates_become_replacement_characters)
{
    CHECK_SPAN("\xef\xbf\xbd", string(t, "\"\\ud800\""));
    CHECK_SPAN("a\xef\xbf\xbd"
               "b",
               string(t, "\"a\\udfffb\""));
    CHECK_SPAN("\xef\xbf\xbd\xef\xbf\xbd", string(t, "\"\\udc00\\ud800\""));
    CHECK_SPAN("\xef\xbf\xbd\xf0\x9f\x98\x80", string(t, "\"\\ud83d\\ud83d\\ude00\""));
    CHECK_SPAN("\xef\xbf\xbd"
               "A",
               string(t, "\"\\ud83d\\u0041\""));
    CHECK_SPAN("\xef\xbf\xbd\\u", string(t, "\"\\ud83d\\\\u\""));
    /* A real U+D7FF (ED 9F BF) before a lone surrogate is kept. */
    CHECK_SPAN("\xed\x9f\xbf\xef\xbf\xbd", string(t, "\"\xed\x9f\xbf\\udabc\""));
}

TEST(an_escaped_nul_is_a_byte_like_any_other)
{
    struct bough_str s = string(t, "\"a\\u0000b\"");

    CHECK_INT(3, s.n);
    CHECK_MEM("a\0b", s.p, 4);
}

TEST(a_c_string_with_a_nul_inside_is_not_given)
{
    struct json j = parse(t, "{\"ok\":\"x\\n\",\"nul\":\"a\\u0000b\",\"num\":1,\"null\":null}");

    CHECK_STR("x\n", json_cstr(t->arena, j, "ok"));
    CHECK(json_cstr(t->arena, j, "nul") == NULL);
    CHECK(json_cstr(t->arena, j, "num") == NULL);
    CHECK(json_cstr(t->arena, j, "null") == NULL);
    CHECK(json_cstr(t->arena, j, "absent") == NULL);
}

TEST(comparison_undoes_escapes)
{
    CHECK(json_is(parse(t, "\"type\""), "type"));
    CHECK(json_is(parse(t, "\"\\u0074ype\""), "type"));
    CHECK(json_is(parse(t, "\"a\\n\\u00e9\\ud83d\\ude00\""), "a\n\xc3\xa9\xf0\x9f\x98\x80"));
    CHECK(json_is(parse(t, "\"\""), ""));
    CHECK(!json_is(parse(t, "\"type\""), "typ"));
    CHECK(!json_is(parse(t, "\"type\""), "types"));
    CHECK(!json_is(parse(t, "\"\\u0074yp\""), "type"));
    CHECK(!json_is(parse(t, "\"\\u0074ypes\""), "type"));
    CHECK(!json_is(parse(t, "\"\\u0000\""), ""));
    CHECK(!json_is(parse(t, "\"a\\u0000\""), "a"));
    CHECK(!json_is(parse(t, "\"\\ud800\""), "\xef\xbf\xbd"));
    CHECK(!json_is(parse(t, "1"), "1"));
}

TEST(span_comparison_agrees_with_the_trees)
{
    CHECK(json_span_is(str_of("\"type\""), "type"));
    CHECK(json_span_is(str_of("\"\""), ""));
    CHECK(!json_span_is(str_of(""), "")); /* not a JSON string */
    CHECK(json_span_is(str_of("\"t\\u0079pe\""), "type"));
    CHECK(!json_span_is(str_of("\"type\""), "typ"));
    CHECK(!json_span_is(str_of("\"typ\""), "type"));
    CHECK(!json_span_is(str_of("\"\""), "x"));
}

static bool i64(struct test *t, const char *text, int64_t *v)
{
    return json_i64(parse(t, text), v);
}

TEST(integers_are_exact_and_in_range)
{
    int64_t v;

    CHECK(i64(t, "0", &v) && v == 0);
    CHECK(i64(t, "-0", &v) && v == 0);
    CHECK(i64(t, "-7", &v) && v == -7);
    CHECK(i64(t, "9007199254740993", &v) && v == INT64_C(9007199254740993));
    CHECK(i64(t, "9223372036854775807", &v) && v == INT64_MAX);
    CHECK(i64(t, "-9223372036854775808", &v) && v == INT64_MIN);
    CHECK(!i64(t, "9223372036854775808", &v));
    CHECK(!i64(t, "-9223372036854775809", &v));
    CHECK(!i64(t, "18446744073709551616", &v));
    CHECK(!i64(t, "184467440737095516160", &v));
    CHECK(!i64(t, "1.0", &v) && !i64(t, "1e2", &v) && !i64(t, "\"1\"", &v) && !i64(t, "true", &v));
}

static bool f64(struct test *t, const char *text, double *v)
{
    return json_f64(parse(t, text), v);
}

TEST(doubles_are_the_nearest_and_finite)
{
    double v;

    CHECK(f64(t, "0.1", &v) && v == 0.1);
    CHECK(f64(t, "-1.5e3", &v) && v == -1500);
    CHECK(f64(t, "9007199254740993", &v) && v == 9007199254740992.0);
    CHECK(f64(t, "1e308", &v) && v == 1e308);
    CHECK(f64(t, "1e-400", &v) && v == 0);
    CHECK(f64(t, "0.1000000000000000055511151231257827021181583404541015625000000000000001", &v) &&
          v == 0.1);
    CHECK(!f64(t, "1e400", &v));
    CHECK(!f64(t, "\"1\"", &v));
}

TEST(the_programs_locale_changes_nothing)
{
    double v;

    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        SKIP("no locale with a decimal comma is installed");
    CHECK(f64(t, "1.5", &v) && v == 1.5);
    setlocale(LC_ALL, "C");
}

TEST(booleans_are_only_true_and_false)
{
    bool v = false;

    CHECK(json_bool(parse(t, "true"), &v) && v);
    CHECK(json_bool(parse(t, "false"), &v) && !v);
    CHECK(!json_bool(parse(t, "1"), &v) && !json_bool(parse(t, "null"), &v));
}
