/* The tokenizer: words in any script. */
#include "core/search/tokenizer.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/test.h"

/* Words that are read many at once, where they are ASCII, are the same ones: at most `most` bytes
 * and a word at a time. */
static void check_plain(struct test *t, struct bough_str text, size_t most, const char *want)
{
    char *to = arena_alloc(t->arena, text.n + TOKEN_MAX + 2);
    const char *all = "";
    struct tokenizer z;
    struct token w;
    size_t n;

    token_init(&z, text);
    for (;;) {
        size_t left = text.n - z.at;

        n = token_plain_words(&z, to, most);
        CHECK(n <= left && n <= most + TOKEN_MAX + 1);
        for (size_t i = 0; i < n; i++)
            to[i] = to[i] == ' ' ? '|' : to[i];
        to[n] = '\0';
        if (!n && !token_next(&z, &w))
            break;
        all = arena_printf(t->arena, "%s%s%s", all, *all ? "|" : "", n ? to : w.text);
    }
    CHECK_STR(want, all);
}

/* The words of a text, joined by '|'. */
static const char *words(struct test *t, struct bough_str text)
{
    const char *all = "";
    struct tokenizer z;
    struct token w;
    size_t last = 0;

    token_init(&z, text);
    while (token_next(&z, &w)) {
        CHECK(w.n > 0 && w.n <= TOKEN_MAX && w.n == strlen(w.text));
        CHECK(w.from >= last && w.from < w.to && w.to <= text.n);
        last = w.from;
        all = arena_printf(t->arena, "%s%s%s", all, *all ? "|" : "", w.text);
    }
    CHECK(!token_next(&z, &w));
    check_plain(t, text, 1, all);
    check_plain(t, text, text.n + 1, all);
    return all;
}

#define WORDS(want, text) CHECK_STR(want, words(t, str_of(text)))

TEST(words_are_runs_of_letters_and_digits_in_small_letters)
{
    WORDS("", "");
    WORDS("", " .,;-_+*/()\"'");
    WORDS("hello|world", "Hello, WORLD!");
    WORDS("foo|bar|c|42|utf8", "foo_bar.c:42 utf8");
    WORDS("don|t", "don't");
}

TEST(accents_width_and_case_make_no_difference)
{
    WORDS("naive|cafe", "na\xc3\xafve Caf\xc3\x89");
    WORDS("naive", "nai\xcc\x88ve"); /* decomposed */
    WORDS("strasse|strasse", "Stra\xc3\x9f"
                             "e STRA\xe1\xba\x9e"
                             "E");
    WORDS("file", "\xef\xac\x81le"); /* ligature */
    WORDS("abc123", "\xef\xbc\xa1\xef\xbc\xa2\xef\xbc\xa3\xef\xbc\x91\xef\xbc\x92\xef\xbc\x93");
    WORDS("istanbul", "\xc4\xb0stanbul");
    WORDS("\xcf\x83\xce\xbf\xcf\x86\xce\xbf\xcf\x83",
          "\xce\xa3\xce\xbf\xcf\x86\xcf\x8c\xcf\x82"); /* Greek */
    WORDS("\xd0\xb5\xd0\xbb\xd0\xba\xd0\xb0",
          "\xd0\x81\xd0\xbb\xd0\xba\xd0\xb0"); /* Russian: the dots of the letter are removed */
    WORDS("softhyphen", "soft\xc2\xadhyphen");
}

TEST(scripts_without_spaces_give_a_word_a_character)
{
    WORDS("\xe6\x90\x9c|\xe7\xb4\xa2|\xe5\xbc\x95|\xe6\x93\x8e",
          "\xe6\x90\x9c\xe7\xb4\xa2\xe5\xbc\x95\xe6\x93\x8e");
    WORDS("sqlite|\xe6\x90\x9c|fts5", "SQLite\xe6\x90\x9c"
                                      "FTS5");
    /* ga as one character, as ka with a voicing mark, and half width */
    WORDS("\xe3\x81\x8c", "\xe3\x81\x8c");
    WORDS("\xe3\x81\x8c", "\xe3\x81\x8b\xe3\x82\x99");
    WORDS("\xe3\x82\xac", "\xef\xbd\xb6\xef\xbe\x9e");
    /* Hangul, composed and as separate letters */
    WORDS("\xed\x95\x9c|\xea\xb8\x80", "\xed\x95\x9c\xea\xb8\x80");
    WORDS("\xed\x95\x9c", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab");
    /* one character that expands to several */
    WORDS("\xe6\xa0\xaa|\xe5\xbc\x8f|\xe4\xbc\x9a|\xe7\xa4\xbe|x", "\xe3\x8d\xbfx");
}

TEST(vowel_signs_stay_and_emoji_are_words)
{
    WORDS("\xe0\xa4\x95\xe0\xa4\xbf|\xe0\xa4\x95\xe0\xa5\x87",
          "\xe0\xa4\x95\xe0\xa4\xbf \xe0\xa4\x95\xe0\xa5\x87");
    WORDS("ship|\xf0\x9f\x9a\x80|it", "ship \xf0\x9f\x9a\x80it");
    WORDS("\xf0\x9f\x91\x8d", "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd"); /* the skin tone is dropped */
    WORDS("\xe2\x9c\x85", "\xe2\x9c\x85\xef\xb8\x8f");
    WORDS("", "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x82"); /* box-drawing lines are not words */
}

TEST(any_bytes_are_safe_and_long_words_are_cut)
{
    char big[5000];
    struct tokenizer z;
    struct token w;

    CHECK_STR("a|b|c", words(t, str_make("a\xff"
                                         "b\xc3\0c",
                                         6)));
    memset(big, 'x', sizeof big);
    token_init(&z, str_make(big, sizeof big));
    CHECK(token_next(&z, &w));
    CHECK_INT(TOKEN_MAX, w.n);
    CHECK_INT(5000, w.to);
    CHECK(!token_next(&z, &w));
    for (size_t i = 0; i + 1 < sizeof big; i += 2)
        memcpy(big + i, "\xc3\xb8", 2); /* a letter that keeps its two bytes */
    token_init(&z, str_make(big, sizeof big));
    CHECK(token_next(&z, &w));
    CHECK_INT(TOKEN_MAX, w.n);
    CHECK_INT(5000, w.to);
}

TEST(a_word_knows_the_bytes_it_came_from)
{
    const char *text = "say Caf\xc3\xa9! e\xcc\x81t";
    struct tokenizer z;
    struct token w;

    token_init(&z, str_of(text));
    CHECK(token_next(&z, &w) && token_next(&z, &w));
    CHECK_INT(4, w.from);
    CHECK_INT(9, w.to);
    CHECK(token_next(&z, &w));
    CHECK_INT(11, w.from);
    CHECK_INT(15, w.to);
    CHECK_STR("et", w.text);
}
