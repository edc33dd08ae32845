/* Slugs of sessions. */
#include "core/model/slug.h"

#include "lib/test.h"

TEST(slugs_are_lower_case_words_joined_by_hyphens) /* A6 */
{
    CHECK_STR("fix-the-parser", slug_from_title(t->arena, "Fix the Parser"));
    CHECK_STR("a-b-2", slug_from_title(t->arena, "  a -- b / 2 !! "));
    CHECK_STR("uber-creme-strasse", slug_from_title(t->arena, "Über Crème Straße"));
    CHECK_STR("az09", slug_from_title(t->arena, "aZ09 /:`{@["));
    CHECK_STR("fi", slug_from_title(t->arena, "\xef\xac\x81"));
}

TEST(slugs_of_titles_without_letters_are_empty) /* A6 */
{
    CHECK_STR("", slug_from_title(t->arena, ""));
    CHECK_STR("", slug_from_title(t->arena, NULL));
    CHECK_STR("", slug_from_title(t->arena, "\xe6\x97\xa5\xe6\x9c\xac"));
    CHECK_STR("", slug_from_title(t->arena, "\xff\xfe --- "));
}

TEST(slugs_are_short) /* A6 */
{
    char title[500];
    const char *slug;

    memset(title, 'x', sizeof title - 1);
    title[sizeof title - 1] = '\0';
    CHECK_INT(SLUG_MAX, strlen(slug_from_title(t->arena, title)));
    memset(title + 63, ' ', 10);
    slug = slug_from_title(t->arena, title);
    CHECK_INT(63, strlen(slug));
}

TEST(a_taken_slug_gets_a_random_tail) /* A6, U19 */
{
    const char *one = slug_with_suffix(t->arena, "fix-it", &t->env.env, 0);
    const char *two = slug_with_suffix(t->arena, "fix-it", &t->env.env, 0);
    char longest[SLUG_MAX + 1];

    CHECK_INT(12, strlen(one));
    CHECK(strncmp(one, "fix-it-", 7) == 0);
    CHECK(strcmp(one, two) != 0);
    memset(longest, 'y', SLUG_MAX);
    longest[SLUG_MAX] = '\0';
    CHECK_INT(SLUG_MAX, strlen(slug_with_suffix(t->arena, longest, &t->env.env, 0)));
    CHECK_INT(5, strlen(slug_with_suffix(t->arena, "", &t->env.env, 0)));
}

TEST(slugs_out_of_the_air_are_two_words) /* U19 */
{
    int i;

    for (i = 0; i < 200; i++) {
        const char *slug = slug_random_words(t->arena, &t->env.env);

        CHECK_STR(slug, slug_from_title(t->arena, slug));
        CHECK(strchr(slug, '-') != NULL && strchr(slug, '-') == strrchr(slug, '-'));
    }
}
