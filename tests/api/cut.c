/* Long strings of a page are cut. */
#include "api/kit/forms.h"
#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *cut(struct test *t, struct bough_str json, size_t most)
{
    struct json_writer w;
    struct buf b;
    const char *out;

    buf_init(&b, 1 << 24);
    jw_init(&w, &b);
    form_cut(&w, json, most);
    CHECK(!b.over);
    out = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return out;
}

static const char *cut4(struct test *t, const char *json)
{
    return cut(t, str_of(json), 4);
}

TEST(a_long_string_is_cut_and_the_object_says_where_and_how_long_it_was)
{
    CHECK_STR("{\"a\":\"1234\",\"bough.cut\":[{\"path\":\"/a\",\"bytes\":60}]}",
              cut4(t, "{\"a\":\"123456789012345678901234567890123456789012345678901234567890\"}"));
    CHECK_STR("{ \"s\" : {\"o\":[1,\"1234\"],\"k\":2.50} ,\"z\":null,\"bough.cut\":["
              "{\"path\":\"/s/o/1\",\"bytes\":70}]}",
              cut4(t, "{ \"s\" : {\"o\":[1,\"123456789012345678901234567890123456789012345678901234"
                      "5678901234567890\"],\"k\":2.50} ,\"z\":null}"));
}

TEST(names_with_slashes_tildes_and_escapes_are_written_as_a_json_pointer)
{
    CHECK_STR("{\"a/b\":{\"c~d\":{\"\\u0065\\n\":[[\"1234\"]]}},\"bough.cut\":[{\"path\":"
              "\"/a~1b/c~0d/e\\n/0/0\",\"bytes\":90}]}",
              cut4(t, "{\"a/b\":{\"c~d\":{\"\\u0065\\n\":[[\"12345678901234567890123456789012345678"
                      "9012345678901234567890123456789012345678901234567890\"]]}}}"));
}

/* The text is measured, not its escapes; a character or an escape is never split. */
TEST(a_cut_falls_between_characters_and_never_inside_an_escape)
{
    const char *pad = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    static const struct {
        const char *in, *kept;
    } cases[] = {
        { "abc\xc3\xa9", "abc" },              /* the fifth byte is the second half of a letter */
        { "ab\xc3\xa9", "ab\xc3\xa9" },        /* it fits */
        { "abc\\u00e9", "abc" },               /* the same as an escape */
        { "\\n\\n\\n\\n\\n", "\\n\\n\\n\\n" }, /* each is one byte of text */
        { "a\\ud83d\\ude00", "a" },            /* a pair is one character of four bytes */
        { "\\ud83d\\ude00", "\\ud83d\\ude00" },
        { "\\ud83dabc", "\\ud83da" }, /* a lone half is three bytes */
        { "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = cut4(t, arena_printf(t->arena, "{\"a\":\"%s%s\"}", cases[i].in, pad));
        const char *want = arena_printf(t->arena, "{\"a\":\"%s\",\"bough.cut\":", cases[i].kept);

        if (strncmp(got, want, strlen(want)) != 0)
            FAIL("%s became %s", cases[i].in, got);
    }
}

TEST(what_is_short_enough_or_no_object_is_copied_as_it_is)
{
    static const char *const same[] = {
        "{}",
        "{\"a\":\"1234\"}",
        "{\"a\":\"\\u0031\\u0032\\u0033\\u0034\"}", /* four bytes of text */
        "\"12345678901234567890123456789012345678901234567890\"",
        "[\"12345678901234567890123456789012345678901234567890\"]",
        "{\"123456789012345678901234567890\":1}", /* names stay */
        "{\"a\":\"12345\"}",                      /* the list would be longer than the text */
        "12345678901234567890",
        "",
    };

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        CHECK_STR(*same[i] ? same[i] : "null", cut4(t, same[i]));
    CHECK_STR("{\"a\":\"12345678901234567890123456789012345678901234567890\"}",
              cut(t, str_of("{\"a\":\"12345678901234567890123456789012345678901234567890\"}"), 0));
}

/* ---- random objects ---- */

static uint64_t next(struct test *t)
{
    return env_u64(&t->env.env);
}

static void some_string(struct test *t, struct buf *b)
{
    static const char *const bits[] = {
        "a",       "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\\n", "\\\"", "\\\\",
        "\\u0041", "\\u20ac",  "\\ud83d",      "\\ude00",          "\\/", "~",    "/",
        "]",       "}"
    };
    uint64_t n = next(t) % 8 ? next(t) % 12 : next(t) % 400;

    buf_putc(b, '"');
    for (uint64_t i = 0; i < n; i++)
        buf_puts(b, bits[next(t) % (sizeof bits / sizeof *bits)]);
    buf_putc(b, '"');
}

static void some_value(struct test *t, struct buf *b, int depth)
{
    uint64_t n = next(t) % 5, what = next(t) % (depth ? 6 : 3);

    if (what < 2) {
        some_string(t, b);
    } else if (what == 2) {
        buf_puts(b, next(t) % 2 ? "-1.50e3" : " null ");
    } else {
        buf_putc(b, what == 3 ? '[' : '{');
        for (uint64_t i = 0; i < n; i++) {
            if (i)
                buf_putc(b, ',');
            if (what != 3) {
                some_string(t, b);
                buf_puts(b, " : ");
            }
            some_value(t, b, depth - 1);
        }
        buf_putc(b, what == 3 ? ']' : '}');
    }
}

/* A JSON pointer with one step more. */
static const char *step(struct test *t, const char *path, struct json key, int64_t index)
{
    struct bough_str name;
    struct buf b;

    if (!json_str(t->arena, key, &name))
        return arena_printf(t->arena, "%s/%d", path, (int)index);
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '~' || name.p[i] == '/')
            buf_puts(&b, name.p[i] == '~' ? "~0" : "~1");
        else
            buf_putc(&b, name.p[i]);
    path = arena_printf(t->arena, "%s/%s", path, b.p);
    buf_finish(&b);
    return path;
}

struct compare {
    struct test *t;
    size_t most;
    struct json_iter cuts; /* what the list says, in order */
};

/* Compare a cut value with the original: equal, or a string that begins like it and is listed. */
static void compare(struct compare *c, struct json was, struct json is, const char *path)
{
    struct json_iter a = json_iter(was), b = json_iter(is);
    struct bough_str x, y;
    int64_t bytes = 0;

    CHECK_INT(json_type(was), json_type(is));
    if (json_type(was) == JSON_STRING && !str_eq(json_raw(was), json_raw(is))) {
        CHECK(json_str(c->t->arena, was, &x) && json_str(c->t->arena, is, &y));
        CHECK(x.n > c->most && y.n <= c->most && y.n + 4 > c->most);
        CHECK_MEM(x.p, y.p, y.n);
        CHECK(json_next(&c->cuts));
        CHECK_STR(path, json_cstr(c->t->arena, c->cuts.value, "path"));
        CHECK(json_i64(json_member(c->cuts.value, "bytes"), &bytes));
        CHECK_INT(x.n, bytes);
    } else if (json_count(was) == 0) {
        CHECK(str_eq(json_raw(was), json_raw(is)));
    }
    for (int64_t i = 0; json_next(&a); i++) {
        CHECK(json_next(&b));
        CHECK(str_eq(json_raw(a.key), json_raw(b.key)));
        compare(c, a.value, b.value, step(c->t, path, a.key, i));
    }
}

TEST(any_object_stays_valid_and_keeps_everything_but_the_ends_of_long_strings)
{
    int seen = 0;

    for (int i = 0; i < 4000; i++) {
        struct compare c = { .t = t, .most = 4 + next(t) % 300 };
        struct json was, is;
        struct buf b;

        bough_arena_reset(t->arena);
        buf_init(&b, 1 << 24);
        buf_puts(&b, "{\"x\":");
        some_value(t, &b, 5);
        buf_puts(&b, "}");
        CHECK_OK(json_parse(t->arena, buf_str(&b), &was, &t->err));
        CHECK_OK(json_parse(t->arena, str_of(cut(t, buf_str(&b), c.most)), &is, &t->err));
        c.cuts = json_iter(json_member(is, "bough.cut"));
        seen += json_count(json_member(is, "bough.cut")) > 0;
        compare(&c, was, is, "");
        CHECK(!json_next(&c.cuts));
        buf_finish(&b);
    }
    CHECK(seen > 200);
}

/* ---- over HTTP ---- */

#define LONG "%0600d"

static struct json first(struct json list)
{
    struct json_iter it = json_iter(list);

    CHECK(json_next(&it));
    return it.value;
}

static void check_cut(struct test *t, struct json entry)
{
    CHECK_INT(256, strlen(text_at(t, entry, "parts.0.state.output")));
    CHECK_SPAN("[{\"path\":\"/state/output\",\"bytes\":600}]",
               json_raw(json_member(first(json_member(entry, "parts")), "bough.cut")));
    CHECK_SPAN("[{\"path\":\"/note\",\"bytes\":600}]",
               json_raw(json_member(json_member(entry, "data"), "bough.cut")));
}

STORE_TEST(a_page_is_cut_and_the_part_is_read_whole)
{
    const char *id = new_session(t, "one"), *entry;
    struct world w;
    struct json j;

    world_open(t, &w);
    j = world_gives(
        t, &w, "POST", of_session(t, id, "/entries"),
        arena_printf(t->arena,
                     "{\"entries\":[{\"role\":\"assistant\",\"parts\":[{\"type\":"
                     "\"tool\",\"tool\":\"bash\",\"callID\":\"c\",\"state\":{\"status\":"
                     "\"completed\",\"input\":{},\"output\":\"" LONG
                     "\",\"title\":\"t\",\"metadata\":{},\"time\":{\"start\":1,\"end\":2}"
                     "}}],\"data\":{\"note\":\"" LONG "\"}}]}",
                     1, 2),
        201);
    entry = text_at(t, j, "ids.0");
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?cut=256"), "", 200);
    check_cut(t, first(json_member(j, "items")));
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?cut=256&all=true"), "", 200);
    check_cut(t, first(json_member(j, "items")));
    check_cut(t, world_gives(t, &w, "GET", of_session(t, id, "/entries/@1?cut=256"), "", 200));
    j = world_gives(t, &w, "GET", arena_printf(t->arena, "/api/v1/entries/%s?cut=300", entry), "",
                    200);
    CHECK_INT(300, strlen(text_at(t, j, "parts.0.state.output")));
    j = world_gives(t, &w, "GET", arena_printf(t->arena, "/api/v1/parts/%s.0000", entry), "", 200);
    CHECK_INT(600, strlen(text_at(t, j, "part.state.output")));
    world_gives(t, &w, "GET", of_session(t, id, "/entries?cut=255"), "", 422);
    world_gives(t, &w, "GET", of_session(t, id, "/entries?cut=1048577"), "", 422);
    world_close(&w);
}
