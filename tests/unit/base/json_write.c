/* The JSON writer: commas, escapes, numbers, and that all output parses. */
#include "lib/test.h"

#include <float.h>
#include <math.h>

#include "base/json/json.h"
#include "base/text/str.h"
#include "json_cases.h"

/* A writer with a fresh buffer; finish with done(). */
struct out {
    struct buf buf;
    struct json_writer w;
};

static void start(struct out *o)
{
    buf_init(&o->buf, 1 << 20);
    jw_init(&o->w, &o->buf);
}

static void done(struct test *t, struct out *o, const char *want)
{
    CHECK(!o->buf.over);
    CHECK_STR(want, o->buf.p);
    CHECK_OK(json_check(buf_str(&o->buf), 512, &t->err));
    buf_finish(&o->buf);
}

TEST(commas_come_by_themselves)
{
    struct out o;

    start(&o);
    jw_obj(&o.w);
    jw_kv_i64(&o.w, "a", 1);
    jw_key(&o.w, "b");
    jw_arr(&o.w);
    jw_null(&o.w);
    jw_bool(&o.w, true);
    jw_arr(&o.w);
    jw_end_arr(&o.w);
    jw_obj(&o.w);
    jw_end_obj(&o.w);
    jw_raw(&o.w, str_of("{\"x\": 1.0}"));
    jw_end_arr(&o.w);
    jw_kv_cstr(&o.w, "c", NULL);
    jw_kv_bool(&o.w, "d", false);
    jw_kv_raw(&o.w, "e", str_of(""));
    jw_kv_str(&o.w, "f", str_make(NULL, 0));
    jw_end_obj(&o.w);
    done(t, &o,
         "{\"a\":1,\"b\":[null,true,[],{},{\"x\": 1.0}],\"c\":null,\"d\":false,\"e\":null,"
         "\"f\":\"\"}");
}

TEST(optional_members_are_left_out_when_empty)
{
    struct out o;

    start(&o);
    jw_obj(&o.w);
    jw_opt_cstr(&o.w, "a", NULL);
    jw_opt_cstr(&o.w, "b", "");
    jw_opt_cstr(&o.w, "c", "x");
    jw_opt_i64(&o.w, "d", 0);
    jw_opt_i64(&o.w, "e", -1);
    jw_opt_raw(&o.w, "f", str_make(NULL, 0));
    jw_opt_raw(&o.w, "g", str_of("[]"));
    jw_opt_str(&o.w, "h", str_of(""));
    jw_opt_str(&o.w, "i", str_of("y"));
    jw_end_obj(&o.w);
    done(t, &o, "{\"c\":\"x\",\"e\":-1,\"g\":[],\"i\":\"y\"}");
}

TEST(strings_are_escaped_where_they_must_be)
{
    struct out o;

    start(&o);
    jw_str(&o.w, str_make("\"\\/\b\f\n\r\t\0\x01\x1f\x7f\xc3\xa9", 14));
    done(t, &o, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u0001\\u001f\x7f\xc3\xa9\"");
    start(&o);
    jw_cstr(&o.w, "\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa");
    done(t, &o, "\"\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\"");
}

TEST(bytes_that_are_not_utf8_become_replacement_characters)
{
    struct out o;

    start(&o);
    jw_cstr(&o.w, "a\xff"
                  "b\xc3");
    done(t, &o,
         "\"a\xef\xbf\xbd"
         "b\xef\xbf\xbd\"");
    start(&o);
    jw_cstr(&o.w, "\xed\xa0\x80");
    done(t, &o, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(keys_are_escaped_too)
{
    struct out o;

    start(&o);
    jw_obj(&o.w);
    jw_key(&o.w, "a\"b");
    jw_i64(&o.w, 0);
    jw_key_str(&o.w, str_make("\0", 1));
    jw_i64(&o.w, 1);
    jw_end_obj(&o.w);
    done(t, &o, "{\"a\\\"b\":0,\"\\u0000\":1}");
}

TEST(integers_are_written_to_their_limits)
{
    struct out o;

    start(&o);
    jw_arr(&o.w);
    jw_i64(&o.w, INT64_MIN);
    jw_i64(&o.w, INT64_MAX);
    jw_i64(&o.w, -1);
    jw_u64(&o.w, 0);
    jw_u64(&o.w, UINT64_MAX);
    jw_end_arr(&o.w);
    done(t, &o, "[-9223372036854775808,9223372036854775807,-1,0,18446744073709551615]");
}

TEST(doubles_are_short_and_come_back_the_same)
{
    static const double all[] = { 0,       0.1,    1.0 / 3, 1e22,   1e-7, DBL_MAX,
                                  DBL_MIN, 5e-324, 123.456, -2.5e9, 1e15, 4503599627370496.5 };
    struct json root;
    struct out o;
    double v;
    size_t i;

    for (i = 0; i < sizeof all / sizeof all[0]; i++) {
        start(&o);
        jw_f64(&o.w, all[i]);
        CHECK_OK(json_parse(t->arena, buf_str(&o.buf), &root, &t->err));
        CHECK(json_f64(root, &v) && v == all[i]);
        buf_finish(&o.buf);
    }
    start(&o);
    jw_arr(&o.w);
    jw_f64(&o.w, 0.1);
    jw_f64(&o.w, INFINITY);
    jw_f64(&o.w, NAN);
    jw_end_arr(&o.w);
    done(t, &o, "[0.1,null,null]");
}

TEST(an_overflowing_buffer_is_noticed)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 8);
    jw_init(&w, &b);
    jw_cstr(&w, "0123456789");
    CHECK(b.over);
    CHECK(b.n <= 8);
    buf_finish(&b);
}

/* Write the tree again from decoded strings. The result must have the same canonical form. */
static void rewrite(struct test *t, struct json_writer *w, struct json j)
{
    struct json_iter it = json_iter(j);
    struct bough_str s;

    if (json_str(t->arena, j, &s)) {
        jw_str(w, s);
        return;
    }
    if (json_type(j) < JSON_ARRAY) {
        jw_raw(w, json_raw(j));
        return;
    }
    if (it.object)
        jw_obj(w);
    else
        jw_arr(w);
    while (json_next(&it)) {
        if (json_str(t->arena, it.key, &s))
            jw_key_str(w, s);
        rewrite(t, w, it.value);
    }
    if (it.object)
        jw_end_obj(w);
    else
        jw_end_arr(w);
}

static bool lone_surrogate(struct bough_str text)
{
    return memmem(text.p, text.n, "\\ud8", 4) || memmem(text.p, text.n, "\\udc", 4) ||
           memmem(text.p, text.n, "\\ude", 4);
}

TEST(decoded_and_rewritten_json_has_the_same_meaning)
{
    size_t i;

    for (i = 0; i < json_n_good; i++) {
        struct buf a, b;
        struct json first, second;
        struct out o;

        if (lone_surrogate(json_good[i]))
            continue;
        start(&o);
        CHECK_OK(json_parse(t->arena, json_good[i], &first, &t->err));
        rewrite(t, &o.w, first);
        CHECK_OK(json_parse(t->arena, buf_str(&o.buf), &second, &t->err));
        buf_init(&a, 1 << 20);
        buf_init(&b, 1 << 20);
        json_canon(&a, first);
        json_canon(&b, second);
        CHECK_STR(a.p, b.p);
        buf_finish(&a);
        buf_finish(&b);
        buf_finish(&o.buf);
    }
}
