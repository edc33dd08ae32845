/* Pull mode, beyond the comparison with the tree: skipping, repeated calls, span helpers. */
#include "lib/test.h"

#include "base/json/json.h"
#include "base/text/str.h"

TEST(skip_runs_to_the_end_of_a_container_and_gives_its_span)
{
    struct json_event ev;
    struct json_pull p;
    struct bough_str raw;

    json_pull_init(&p, str_of("{\"a\": [1,[2],{\"b\":[]}] ,\"c\":3}"));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK(json_span_is(ev.raw, "a"));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK_INT(JSON_BEGIN, ev.type);
    CHECK_OK(json_pull_skip(&p, &ev, &raw, &t->err));
    CHECK_SPAN("[1,[2],{\"b\":[]}]", raw);
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK_INT(JSON_KEY, ev.type);
    CHECK_SPAN("\"c\"", ev.raw);
}

TEST(skip_works_on_the_root_and_on_empty_containers)
{
    struct json_event ev;
    struct json_pull p;
    struct bough_str raw;

    json_pull_init(&p, str_of(" {} "));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK_OK(json_pull_skip(&p, &ev, &raw, &t->err));
    CHECK_SPAN("{}", raw);
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK_INT(JSON_DONE, ev.type);
}

TEST(skip_reports_what_is_wrong_inside)
{
    struct json_event ev;
    struct json_pull p;

    json_pull_init(&p, str_of("[1,[2,]]"));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK_RC(BOUGH_INVALID, json_pull_skip(&p, &ev, NULL, &t->err));
}

TEST(done_and_errors_repeat_for_ever)
{
    struct json_event ev;
    struct json_pull p;
    int i;

    json_pull_init(&p, str_of("1"));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    for (i = 0; i < 3; i++) {
        CHECK_OK(json_pull_next(&p, &ev, &t->err));
        CHECK_INT(JSON_DONE, ev.type);
    }
    json_pull_init(&p, str_of("[\"\x01\"]"));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    for (i = 0; i < 3; i++) {
        CHECK_RC(BOUGH_INVALID, json_pull_next(&p, &ev, &t->err));
        CHECK_STR("invalid JSON at byte 2: a control character must be escaped", t->err.msg);
    }
}

TEST(events_say_whether_a_string_has_escapes)
{
    struct json_event ev;
    struct json_pull p;

    json_pull_init(&p, str_of("[\"a\",\"\\n\",1]"));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK(!ev.escaped);
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK(!ev.escaped);
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK(ev.escaped);
    CHECK_SPAN("\n", json_span_str(t->arena, ev.raw));
    CHECK_OK(json_pull_next(&p, &ev, &t->err));
    CHECK(!ev.escaped);
}
