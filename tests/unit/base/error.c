/* The error object and its tables. */
#include "lib/test.h"

TEST(a_failure_carries_its_code_and_sentence)
{
    t->err.head.branch = 5;
    CHECK_INT(BOUGH_EXISTS, bough_fail(&t->err, BOUGH_EXISTS, "session %s exists", "x"));
    CHECK_INT(BOUGH_EXISTS, t->err.rc);
    CHECK_STR("session x exists", t->err.msg);
    CHECK_INT(0, t->err.head.branch);
    CHECK_INT(BOUGH_IO, bough_fail(NULL, BOUGH_IO, "nobody listens"));
}

TEST(a_failure_may_say_what_to_do_and_the_next_one_forgets_it)
{
    CHECK_INT(BOUGH_BUSY, bough_hint(&t->err, bough_fail(&t->err, BOUGH_BUSY, "x"), "take y"));
    CHECK_STR("take y", t->err.hint);
    bough_fail(&t->err, BOUGH_BUSY, "z");
    CHECK(!t->err.hint);
    CHECK_INT(BOUGH_IO, bough_hint(NULL, BOUGH_IO, "nobody listens"));
}

TEST(a_long_sentence_is_cut)
{
    char text[1000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    bough_fail(&t->err, BOUGH_INVALID, "%s", text);
    CHECK_INT(sizeof t->err.msg - 1, strlen(t->err.msg));
}

enum {
#define COUNTED(NAME, name, http, code, hint) COUNT_##NAME,
    BOUGH_CODES(COUNTED)
#undef COUNTED
        CODES
};

TEST(the_tables_know_every_code)
{
    CHECK_STR("ok", bough_rc_name(BOUGH_OK));
    CHECK_STR("not_found", bough_rc_name(BOUGH_NOT_FOUND));
    CHECK_INT(404, bough_rc_http(BOUGH_NOT_FOUND));
    CHECK_INT(2, bough_rc_exit(BOUGH_INVALID));
    CHECK_INT(0, bough_rc_exit(BOUGH_OK));
    CHECK_STR("", bough_rc_hint(BOUGH_OK));
    CHECK_STR("io", bough_rc_name(BOUGH_IO));
    CHECK_INT(500, bough_rc_http(BOUGH_IO));
    for (int rc = BOUGH_OK + 1; rc < CODES; rc++) {
        CHECK(strcmp("unknown_code", bough_rc_name((enum bough_rc)rc)) != 0);
        CHECK(bough_rc_http((enum bough_rc)rc) >= 400);
        CHECK(bough_rc_exit((enum bough_rc)rc) > 0);
        CHECK(*bough_rc_hint((enum bough_rc)rc));
    }
}

TEST(a_code_that_does_not_exist_is_survived)
{
    CHECK_STR("unknown_code", bough_rc_name((enum bough_rc)999));
    CHECK_INT(500, bough_rc_http((enum bough_rc)999));
    CHECK_INT(1, bough_rc_exit((enum bough_rc)999));
    CHECK_STR("", bough_rc_hint((enum bough_rc)999));
}
