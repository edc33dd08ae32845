/* Sessions named by their number, with and without its mark (U8, U19). */
#include "lib/store_test.h"

#include <string.h>

static enum bough_rc find(struct test *t, const char *id, struct bough_session **s)
{
    return bough_session_get(t->store, t->arena, id, s, &t->err);
}

/* A shell takes #2 for a comment. Names that somebody gave win over the number. */
STORE_TEST(U8_a_number_names_a_session_without_its_mark_too)
{
    struct bough_session *a = get(t, new_session(t, "")), *b = get(t, new_session(t, "")), *s;

    CHECK_OK(find(t, "2", &s));
    CHECK_STR(b->id, s->id);
    user(t, "1", "first");
    CHECK_STR("first", path_text(t, a->id));
    CHECK_RC(BOUGH_NOT_FOUND, find(t, "3", &s));
    CHECK_RC(BOUGH_NOT_FOUND, find(t, "01", &s));
    CHECK_OK(bough_session_create(
        t->store, t->arena, &(struct bough_session_create_options){ .id = "1" }, &b, &t->err));
    CHECK_OK(find(t, "1", &s));
    CHECK_STR(b->id, s->id);
    CHECK_OK(find(t, "#1", &s));
    CHECK_STR(a->id, s->id);
}

STORE_TEST(U19_a_title_of_digits_does_not_become_a_slug_that_reads_as_a_number)
{
    const char *slug = get(t, new_session(t, "2026"))->slug;

    CHECK_INT(0, strncmp(slug, "2026-", 5));
    CHECK_STR("2026-11-16", get(t, new_session(t, "2026-11-16"))->slug);
}
