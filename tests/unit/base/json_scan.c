/* JSON syntax: all three readers on the tables, on truncated texts and at the depth limit. */
#include "lib/test.h"

#include <stdlib.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "json_cases.h"

static const char document[] =
    "{\"a\":[1,-2.5e+3,true,false,null,\"x\\u00e9\\n\\ud83d\\ude00\"],\"k\\\"\":{\"n\":{}}, "
    "\"\xc3\xa9\":[[],{\"z\":0.5}]}";

/* Copy the text to a block of exactly its size, so that ASan detects a read past its end. */
static struct bough_str exact(struct bough_str text)
{
    char *p = malloc(text.n ? text.n : 1);

    CHECK(p != NULL);
    memcpy(p, text.p, text.n);
    return str_make(p, text.n);
}

static enum bough_rc pull_all(struct bough_str text, struct bough_error *err)
{
    struct json_event ev = { .type = JSON_KEY };
    struct json_pull p;
    enum bough_rc rc = BOUGH_OK;

    json_pull_init(&p, text);
    while (!rc && ev.type != JSON_DONE)
        rc = json_pull_next(&p, &ev, err);
    return rc;
}

/* Run all three readers, which must return the same code and message. Returns the code. */
static enum bough_rc read_all(struct test *t, struct bough_str given)
{
    struct bough_str text = exact(given);
    struct bough_error check = { 0 }, parse = { 0 }, pull = { 0 };
    struct json root;
    enum bough_rc rc = json_check(text, LIMIT_JSON_DEPTH, &check);

    if (json_parse(t->arena, text, &root, &parse) != rc || pull_all(text, &pull) != rc)
        FAIL("the readers disagree on: %.*s", (int)text.n, text.p);
    if (rc) {
        CHECK_STR(check.msg, parse.msg);
        CHECK_STR(check.msg, pull.msg);
    }
    t->err = check;
    free((void *)(uintptr_t)text.p);
    return rc;
}

TEST(every_valid_text_is_accepted)
{
    size_t i;

    CHECK(json_n_good > 120);
    for (i = 0; i < json_n_good; i++)
        if (read_all(t, json_good[i]) != BOUGH_OK)
            FAIL("refused: %.*s: %s", (int)json_good[i].n, json_good[i].p, t->err.msg);
}

TEST(every_invalid_text_is_refused)
{
    size_t i;

    CHECK(json_n_bad > 240);
    for (i = 0; i < json_n_bad; i++)
        if (read_all(t, json_bad[i]) != BOUGH_INVALID)
            FAIL("number %zu accepted: %.*s", i, (int)json_bad[i].n, json_bad[i].p);
}

TEST(valid_texts_stay_valid_inside_arrays_and_objects)
{
    size_t i;

    for (i = 0; i < json_n_good; i++) {
        int n = (int)json_good[i].n;
        char *in =
            arena_printf(t->arena, "{\"k\":[%.*s , %.*s]}", n, json_good[i].p, n, json_good[i].p);

        CHECK_OK(read_all(t, str_of(in)));
    }
}

TEST(every_truncation_of_a_document_is_refused)
{
    size_t n = sizeof document - 1, i;

    CHECK_OK(read_all(t, str_make(document, n)));
    for (i = 0; i < n; i++)
        if (read_all(t, str_make(document, i)) != BOUGH_INVALID)
            FAIL("accepted when cut at byte %zu", i);
}

TEST(every_single_changed_byte_gets_the_same_answer_from_all_readers)
{
    static const unsigned char with[] = { 0,   1,   '"', '\\', ',', ':',  '{',  '}',  '[',
                                          ']', '0', ' ', 'e',  '-', 0x80, 0xc3, 0xed, 0xff };
    char copy[sizeof document];
    size_t i, k;

    for (i = 0; i < sizeof document - 1; i++) {
        for (k = 0; k < sizeof with; k++) {
            memcpy(copy, document, sizeof document);
            copy[i] = (char)with[k];
            read_all(t, str_make(copy, sizeof document - 1));
        }
    }
}

TEST(a_special_byte_is_found_at_every_distance)
{
    static const char *const specials[] = { "\\n", "\xc3\xa9", "\\u00e9", "\xf0\x9f\x8c\xb3" };
    static const char *const wrong[] = { "\n", "\xff", "\\x", "\xc3" };
    char fill[81];
    int n;
    size_t k;

    memset(fill, 'x', sizeof fill);
    for (n = 0; n <= 80; n++) {
        for (k = 0; k < 4; k++) {
            CHECK_OK(read_all(t, str_of(arena_printf(t->arena, "\"%.*s%s%.*s\"", n, fill,
                                                     specials[k], 80 - n, fill))));
            CHECK_RC(BOUGH_INVALID,
                     read_all(t, str_of(arena_printf(t->arena, "\"%.*s%s%.*s\"", n, fill, wrong[k],
                                                     80 - n, fill))));
        }
    }
}

static struct bough_str nested(struct test *t, const char *open, const char *close, int depth)
{
    size_t a = strlen(open), b = strlen(close), i, n = (size_t)depth;
    char *p = arena_alloc(t->arena, n * (a + b) + 1);

    for (i = 0; i < n; i++)
        memcpy(p + i * a, open, a);
    p[n * a] = '0';
    for (i = 0; i < n; i++)
        memcpy(p + n * a + 1 + i * b, close, b);
    return str_make(p, n * (a + b) + 1);
}

TEST(nesting_is_accepted_to_512_levels_and_no_further)
{
    CHECK_OK(read_all(t, nested(t, "[", "]", 512)));
    CHECK_OK(read_all(t, nested(t, "{\"a\":", "}", 512)));
    CHECK_OK(read_all(t, nested(t, "[{\"a\":", "}]", 256)));
    CHECK_RC(BOUGH_TOO_DEEP, read_all(t, nested(t, "[", "]", 513)));
    CHECK_RC(BOUGH_TOO_DEEP, read_all(t, nested(t, "{\"a\":", "}", 513)));
    CHECK_RC(BOUGH_TOO_DEEP, read_all(t, nested(t, "[{\"a\":", "}]", 257)));
    CHECK_RC(BOUGH_TOO_DEEP, read_all(t, nested(t, "[", "]", 100000)));
    CHECK_STR("JSON nests deeper than 512 levels at byte 512", t->err.msg);
}

TEST(siblings_do_not_count_as_depth)
{
    struct bough_str deep = nested(t, "[", "]", 511);
    char *both = arena_printf(t->arena, "[%.*s,%.*s]", (int)deep.n, deep.p, (int)deep.n, deep.p);

    CHECK_OK(read_all(t, str_of(both)));
}

TEST(the_wrong_bracket_is_noticed_at_every_depth)
{
    int depth;

    for (depth = 1; depth <= 130; depth++) {
        struct bough_str ok = nested(t, "[{\"a\":", "}]", depth);
        char *copy = arena_dup(t->arena, ok.p, ok.n);
        size_t at = ok.n - (size_t)depth; /* one of the closing brackets */

        CHECK_OK(read_all(t, ok));
        copy[at] = copy[at] == ']' ? '}' : ']';
        CHECK_RC(BOUGH_INVALID, read_all(t, str_make(copy, ok.n)));
    }
}

TEST(a_long_run_of_arrays_inside_objects_closes_in_the_right_order)
{
    struct bough_str inner = nested(t, "[", "]", 100), outer;
    char *text;

    outer = nested(t, "{\"a\":", "}", 100);
    text = arena_printf(t->arena, "%.*s%.*s%.*s", 500, outer.p, (int)inner.n, inner.p, 100,
                        outer.p + 501);
    CHECK_OK(read_all(t, str_of(text)));
    outer = nested(t, "[", "]", 70);
    text = arena_printf(t->arena, "%.*s{\"a\":%.*s}%.*s", 70, outer.p, (int)inner.n, inner.p, 70,
                        outer.p + 71);
    CHECK_OK(read_all(t, str_of(text)));
    text[strlen(text) - 71] = ']';
    CHECK_RC(BOUGH_INVALID, read_all(t, str_of(text)));
}

TEST(a_smaller_depth_limit_can_be_asked_for)
{
    CHECK_OK(json_check(str_of("[[]]"), 2, &t->err));
    CHECK_RC(BOUGH_TOO_DEEP, json_check(str_of("[[]]"), 1, &t->err));
    CHECK_RC(BOUGH_TOO_DEEP, json_check(str_of("[]"), 0, &t->err));
    CHECK_OK(json_check(str_of("1"), 0, &t->err));
}

TEST(the_sentence_names_the_byte_and_the_reason)
{
    CHECK_RC(BOUGH_INVALID, read_all(t, str_of("[1,\"a\xff\"]")));
    CHECK_STR("invalid JSON at byte 5: these bytes are not UTF-8", t->err.msg);
    CHECK_RC(BOUGH_INVALID, read_all(t, str_of("{\"a\":1 \"b\"}")));
    CHECK_STR("invalid JSON at byte 7: `,` or `}` expected", t->err.msg);
    CHECK_RC(BOUGH_INVALID, read_all(t, str_of("[1,2")));
    CHECK_STR("invalid JSON: it ends too early, at byte 4", t->err.msg);
    CHECK_RC(BOUGH_INVALID, read_all(t, str_of("")));
    CHECK_STR("no JSON: the text is empty", t->err.msg);
}

TEST(no_text_at_all_is_refused_like_an_empty_one)
{
    struct bough_str none = { NULL, 0 };
    struct json root;

    CHECK_RC(BOUGH_INVALID, json_check(none, 512, &t->err));
    CHECK_RC(BOUGH_INVALID, json_parse(t->arena, none, &root, &t->err));
}

TEST(text_beyond_32_bit_offsets_is_refused_before_it_is_read)
{
    struct bough_str huge = { "[]", (size_t)UINT32_MAX - 15 };
    struct json_event ev;
    struct json_pull p;
    struct json root;

    CHECK_RC(BOUGH_TOO_LARGE, json_check(huge, 512, &t->err));
    CHECK_RC(BOUGH_TOO_LARGE, json_parse(t->arena, huge, &root, &t->err));
    json_pull_init(&p, huge);
    CHECK_RC(BOUGH_TOO_LARGE, json_pull_next(&p, &ev, &t->err));
}
