/* Regular expressions: where they match, and which are refused. */
#include "core/search/regex.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/test.h"

/* The text with the first match in brackets; NULL if there is none. */
static const char *match(struct test *t, const char *pattern, const char *text)
{
    struct regex *re;
    size_t from, to;

    CHECK_OK(regex_compile(t->arena, str_of(pattern), &re, &t->err));
    if (!regex_find(re, t->arena, str_of(text), 0, NULL, &from, &to))
        return NULL;
    return arena_printf(t->arena, "%.*s[%.*s]%s", (int)from, text, (int)(to - from), text + from,
                        text + to);
}

TEST(the_first_match_is_found_and_first_choices_win)
{
    static const char *const cases[][3] = {
        { "b", "abc", "a[b]c" },
        { "", "abc", "[]abc" },
        { "a|ab", "xab", "x[a]b" },
        { "ab|a", "xab", "x[ab]" },
        { "a*", "aaab", "[aaa]b" },
        { "a*?b", "aaab", "[aaab]" },
        { "a+?", "aaa", "[a]aa" },
        { "(ab)+", "xababa", "x[abab]a" },
        { "(?:ab|c){2,3}", "abcabc", "[abcab]c" },
        { "a{2}", "aaa", "[aa]a" },
        { "a{2,}", "baaaa", "b[aaaa]" },
        { "a{,2}", "a{,2}", "[a{,2}]" },
        { "x{0}y", "xy", "x[y]" },
        { "(|a)b", "ab", "[ab]" },
        { "(a|b|c|d)e", "xde", "x[de]" },
        { "a(b(c|d)|e)f", "abdf aef", "[abdf] aef" },
        { "(?<n>a)b", "ab", "[ab]" },
        { "]", "a]", "a[]]" },
        { "[^a-c]+", "abcxyz", "abc[xyz]" },
        { "[]a]", "]", NULL },
        { "[a\\]b]+", "xa]b", "x[a]b]" },
        { "[\\d-]+", "a1-2b", "a[1-2]b" },
        { "\\d+\\s\\w+", "x 12 ab", "x [12 ab]" },
        { "\\D\\S\\W", "1ab!", "1[ab!]" },
        { "^ab$", "ab", "[ab]" },
        { "^b", "ab", NULL },
        { "a$", "ab", NULL },
        { "\\bcat\\b", "concat cat", "concat [cat]" },
        { "\\Bcat", "cat concat", "cat con[cat]" },
        { "a.c", "a\nc abc", "a\nc [abc]" },
        { "\\x41\\u00e9", "a\xc3\x89", "[a\xc3\x89]" },
        { "\\.\\*\\t", "a.*\t", "a[.*\t]" },
        { "\xc3\x84rger", "\xc3\xa4RGER", "[\xc3\xa4RGER]" },
        { "[\xc3\xa4-\xc3\xb6]", "x\xc3\x96", "x[\xc3\x96]" },
        { "HeLLo", "hEllO", "[hEllO]" },
        { "[@\\[]", "`{", NULL }, /* only letters have two cases */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = match(t, cases[i][0], cases[i][1]);

        if (!cstr_eq(got, cases[i][2]))
            FAIL("%s in %s: %s, not %s", cases[i][0], cases[i][1], got ? got : "nothing",
                 cases[i][2] ? cases[i][2] : "nothing");
    }
}

TEST(a_search_can_go_on_behind_the_last_match)
{
    struct regex *re;
    size_t from, to, at = 0;
    int n = 0;

    CHECK_OK(regex_compile(t->arena, str_of("\\bab?"), &re, &t->err));
    for (; regex_find(re, t->arena, str_of("a ab xa abc"), at, NULL, &from, &to); at = to)
        n++;
    CHECK_INT(3, n);
    CHECK_INT(10, at);
}

TEST(an_invalid_expression_is_refused_with_its_position)
{
    static const char *const wrong[] = { "(",      ")",    "a)",    "(a",    "[a",
                                         "*",      "a**",  "a|*",   "^*",    "\\",
                                         "\\1",    "\\k",  "(?=a)", "(?!a)", "(?<=a)",
                                         "(?<!a)", "(?a)", "(?<n",  "[b-a]", "a{3,2}" };
    struct regex *re;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (regex_compile(t->arena, str_of(wrong[i]), &re, &t->err) != BOUGH_INVALID)
            FAIL("%s is taken", wrong[i]);
    CHECK_RC(BOUGH_INVALID, regex_compile(t->arena, str_of("ab[c"), &re, &t->err));
    CHECK(strstr(t->err.msg, "character 5: a [ is not closed"));
}

TEST(an_expression_with_too_many_states_is_too_large)
{
    static const char *const large[] = { "(a{100}){100}", "((((a{0}){900}){900}){900}){900}",
                                         "a{999}" };
    char deep[1001];
    struct regex *re;

    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        CHECK_RC(BOUGH_TOO_LARGE, regex_compile(t->arena, str_of(large[i]), &re, &t->err));
    memset(deep, '(', 1000);
    deep[1000] = '\0';
    CHECK_RC(BOUGH_TOO_LARGE, regex_compile(t->arena, str_of(deep), &re, &t->err));
    for (int over = 0; over < 2; over++) {
        size_t n = REGEX_DEPTH + (size_t)over;

        memset(deep, '(', n);
        memset(deep + n, ')', n);
        CHECK_RC(over ? BOUGH_TOO_LARGE : BOUGH_OK,
                 regex_compile(t->arena, str_make(deep, 2 * n), &re, &t->err));
    }
}

static bool over_after(void *user)
{
    return --*(int *)user == 0;
}

TEST(a_match_that_takes_long_is_asked_whether_to_give_up)
{
    enum { N = 200000 };
    struct bough_error err;
    struct regex *re;
    int left = 20;
    struct regex_stop stop = { .over = over_after, .user = &left };
    char *text = arena_alloc(t->arena, N);
    size_t from, to;

    memset(text, 'a', N);
    CHECK_OK(regex_compile(t->arena, str_of("(a?){100}b"), &re, &err));
    CHECK(!regex_find(re, t->arena, str_make(text, N), 0, &stop, &from, &to));
    CHECK(stop.gave_up);
    CHECK_INT(0, left);
    text[N - 1] = 'b';
    stop.gave_up = false;
    left = N;
    CHECK(regex_find(re, t->arena, str_make(text, N), 0, &stop, &from, &to));
    CHECK(!stop.gave_up);
}
