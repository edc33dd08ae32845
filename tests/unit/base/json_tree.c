/* The JSON tree: raw spans, lookup, iteration, memory. */
#include "lib/test.h"

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "json_cases.h"

static struct json parse(struct test *t, const char *text)
{
    struct json root;

    CHECK_OK(json_parse(t->arena, str_of(text), &root, &t->err));
    return root;
}

TEST(raw_spans_are_the_bytes_that_came)
{
    struct json j = parse(t, " { \"a\" : [ 1.50 , -0 ,1E+2] , \"\\u0062\":\"\\ud800\\/\" } ");
    struct json v;
    struct json_iter it;

    CHECK_SPAN("{ \"a\" : [ 1.50 , -0 ,1E+2] , \"\\u0062\":\"\\ud800\\/\" }", json_raw(j));
    CHECK(json_get(j, "a", &v));
    CHECK_SPAN("[ 1.50 , -0 ,1E+2]", json_raw(v));
    it = json_iter(v);
    CHECK(json_next(&it));
    CHECK_SPAN("1.50", json_raw(it.value));
    CHECK(json_next(&it));
    CHECK_SPAN("-0", json_raw(it.value));
    CHECK(json_next(&it));
    CHECK_SPAN("1E+2", json_raw(it.value));
    CHECK(!json_next(&it));
    CHECK(!json_next(&it));
    CHECK(json_get(j, "b", &v));
    CHECK_SPAN("\"\\ud800\\/\"", json_raw(v));
}

TEST(the_root_span_of_every_valid_text_is_the_text_without_outer_space)
{
    size_t i;

    for (i = 0; i < json_n_good; i++) {
        struct bough_str text = json_good[i], raw;
        struct json root;

        CHECK_OK(json_parse(t->arena, text, &root, &t->err));
        raw = json_raw(root);
        while (text.n && strchr(" \t\r\n", text.p[text.n - 1]))
            text.n--;
        while (text.n && strchr(" \t\r\n", *text.p))
            text = str_make(text.p + 1, text.n - 1);
        CHECK(raw.p == text.p && raw.n == text.n);
    }
}

TEST(types_are_told_apart)
{
    struct json_iter it = json_iter(parse(t, "[null,false,true,-1,\"s\",[],{}]"));
    int type = 0;

    while (json_next(&it))
        CHECK_INT(type++, json_type(it.value));
    CHECK_INT(7, type);
}

TEST(counts_are_of_direct_children_with_duplicates)
{
    CHECK_INT(0, json_count(parse(t, "[]")));
    CHECK_INT(0, json_count(parse(t, "{}")));
    CHECK_INT(0, json_count(parse(t, "\"abc\"")));
    CHECK_INT(3, json_count(parse(t, "[[1,2],{\"a\":1},3]")));
    CHECK_INT(3, json_count(parse(t, "{\"a\":[1,2],\"b\":{\"c\":1},\"a\":3}")));
}

TEST(the_last_of_duplicate_keys_wins_but_all_are_kept)
{
    struct json j = parse(t, "{\"a\":1,\"b\":2,\"\\u0061\":3}");
    struct json_iter it = json_iter(j);
    struct json v;
    int n = 0;

    CHECK(json_get(j, "a", &v));
    CHECK_SPAN("3", json_raw(v));
    while (json_next(&it))
        n += json_is(it.key, "a");
    CHECK_INT(2, n);
}

TEST(key_order_is_kept)
{
    struct json_iter it = json_iter(parse(t, "{\"z\":{\"q\":[1]},\"a\":[[2]],\"m\":3}"));
    char seen[8] = "";

    while (json_next(&it))
        strncat(seen, json_raw(it.key).p + 1, 1);
    CHECK_STR("zam", seen);
}

TEST(missing_members_and_wrong_types_are_not_found)
{
    struct json j = parse(t, "{\"a\":[1]}"), v = { NULL, 77 };

    CHECK(!json_get(j, "b", &v));
    CHECK(!json_get(j, "", &v));
    CHECK(!json_get(j, "aa", &v));
    CHECK_INT(77, v.at);
    CHECK(json_get(j, "a", &v));
    CHECK(!json_get(v, "a", &v));
    CHECK(!json_get(parse(t, "\"a\""), "a", &v));
}

TEST(nothing_reads_as_null_and_is_safe_everywhere)
{
    struct json none = json_member(parse(t, "{}"), "a");
    struct json_iter it = json_iter(none);
    struct bough_str s;
    int64_t i;
    double d;
    bool b;

    CHECK(none.doc == NULL);
    CHECK_INT(JSON_NULL, json_type(none));
    CHECK_SPAN("", json_raw(none));
    CHECK_INT(0, json_count(none));
    CHECK(!json_next(&it));
    CHECK(!json_is(none, ""));
    CHECK(!json_str(t->arena, none, &s));
    CHECK(!json_i64(none, &i) && !json_f64(none, &d) && !json_bool(none, &b));
    CHECK(json_cstr(t->arena, none, "x") == NULL);
    CHECK(json_member(none, "x").doc == NULL);
}

TEST(iterating_a_scalar_gives_nothing)
{
    struct json_iter it = json_iter(parse(t, "\"abc\""));

    CHECK(!json_next(&it));
}

TEST(many_small_values_make_the_nodes_grow)
{
    enum { N = 50000 };
    char *text = arena_alloc(t->arena, 2 * N + 2), *at = text;
    struct json_iter it;
    struct json root;
    int i, n = 0;

    *at++ = '[';
    for (i = 0; i < N; i++) {
        *at++ = (char)('0' + i % 10);
        *at++ = i + 1 < N ? ',' : ']';
    }
    CHECK_OK(json_parse(t->arena, str_make(text, (size_t)(at - text)), &root, &t->err));
    CHECK_INT(N, json_count(root));
    it = json_iter(root);
    while (json_next(&it)) {
        int64_t v = -1;

        CHECK(json_i64(it.value, &v));
        CHECK_INT(n++ % 10, v);
    }
    CHECK_INT(N, n);
}

TEST(a_node_costs_sixteen_bytes)
{
    size_t before = arena_used(t->arena);

    parse(t, "[1,2,3,4,5,6,7,8,9,10]");
    CHECK(arena_used(t->arena) - before <= 11 * 16 + 32);
}

TEST(a_failed_parse_gives_its_memory_back)
{
    size_t before = arena_used(t->arena);
    struct json root;

    CHECK_RC(BOUGH_INVALID, json_parse(t->arena, str_of("[1,2,3,4,"), &root, &t->err));
    CHECK_INT(before, arena_used(t->arena));
}

/* Walk the tree in text order and compare with the events. */
static void compare(struct test *t, struct json_pull *p, struct json j)
{
    struct json_iter it = json_iter(j);
    struct json_event ev;
    bool inside = json_type(j) >= JSON_ARRAY;

    CHECK_OK(json_pull_next(p, &ev, &t->err));
    CHECK_INT(inside ? JSON_BEGIN : JSON_VALUE, ev.type);
    CHECK_INT(json_type(j), ev.value);
    CHECK(ev.raw.p == json_raw(j).p);
    if (!inside) {
        CHECK_INT(json_raw(j).n, ev.raw.n);
        return;
    }
    while (json_next(&it)) {
        if (it.object) {
            CHECK_OK(json_pull_next(p, &ev, &t->err));
            CHECK_INT(JSON_KEY, ev.type);
            CHECK(str_eq(json_raw(it.key), ev.raw));
        }
        compare(t, p, it.value);
    }
    CHECK_OK(json_pull_next(p, &ev, &t->err));
    CHECK_INT(JSON_END, ev.type);
    CHECK(ev.raw.p + 1 == json_raw(j).p + json_raw(j).n);
}

TEST(pull_and_tree_see_the_same_values)
{
    struct json_event ev;
    struct json_pull p;
    struct json root;
    size_t i;

    for (i = 0; i < json_n_good; i++) {
        CHECK_OK(json_parse(t->arena, json_good[i], &root, &t->err));
        json_pull_init(&p, json_good[i]);
        compare(t, &p, root);
        CHECK_OK(json_pull_next(&p, &ev, &t->err));
        CHECK_INT(JSON_DONE, ev.type);
    }
}

TEST(a_key_that_an_object_has_twice_is_found_however_it_is_written)
{
    static const char *const has[] = { "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":1,\"\\u0061\":2}",
                                       "{\"\":1,\"\":2}" },
                             *const has_not[] = { "{}", "{\"a\":{\"b\":1},\"b\":2}", "[1,1]",
                                                  "{\"a\":{\"b\":1,\"b\":2}}", "\"a\"" };
    struct bough_str key;
    struct json root;

    for (size_t i = 0; i < sizeof has / sizeof *has; i++) {
        CHECK_OK(json_parse(t->arena, str_of(has[i]), &root, &t->err));
        CHECK(json_repeated(t->arena, root, &key));
        CHECK(key.n == 0 || str_is(key, "a"));
    }
    for (size_t i = 0; i < sizeof has_not / sizeof *has_not; i++) {
        CHECK_OK(json_parse(t->arena, str_of(has_not[i]), &root, &t->err));
        CHECK(!json_repeated(t->arena, root, &key));
    }
    CHECK(!json_repeated(t->arena, (struct json){ 0 }, &key));
}
