/* Views of single parts. */
#include "core/view.h"

#include "base/str.h"
#include "build.h"

static struct part_view view(struct test *t, const char *json)
{
    struct bough_part part = { BOUGH_PART_OTHER, str_of(json) };
    struct part_view v;

    CHECK_OK(bough_part_check(part.json, &part.type, &t->err));
    view_part(t->arena, &part, &v);
    return v;
}

TEST(arguments_are_json_also_when_they_came_as_a_string)
{
    struct part_view v = view(t, "{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                                 "\"arguments\":\"{\\\"a\\\":1}\"}}");

    CHECK_INT(VIEW_CALL, v.kind);
    CHECK_SPAN("{\"a\":1}", v.input);
    v = view(t, "{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                "\"arguments\":\"{broken\"}}");
    CHECK_SPAN("\"{broken\"", v.input);
    v = view(t, "{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                "\"arguments\":\"\"}}");
    CHECK_SPAN("{}", v.input);
}

TEST(files_are_seen_alike_in_every_vocabulary) /* U12 */
{
    static const char anthropic[] = "{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                                    "\"media_type\":\"image/png\",\"data\":\"aGk=\"}}";
    static const char *const same[] = {
        "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"data:image/png;base64,aGk=\"}",
        "{\"type\":\"file\",\"mediaType\":\"image/png\",\"url\":\"data:image/png;base64,aGk=\"}",
        "{\"type\":\"image\",\"image_mime_type\":\"image/png\",\"image_base64\":\"aGk=\"}",
        "{\"type\":\"image\",\"data\":\"aGk=\",\"mimeType\":\"image/png\"}",
        anthropic,
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,aGk=\"}}",
        "{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,aGk=\"}",
    };
    size_t i;

    for (i = 0; i < sizeof same / sizeof *same; i++) {
        struct part_view v = view(t, same[i]);

        CHECK_INT(VIEW_FILE, v.kind);
        CHECK_STR("image/png", v.mime);
        CHECK_SPAN("aGk=", v.base64);
        CHECK_SPAN("data:image/png;base64,aGk=", view_url(t->arena, &v));
    }
}

TEST(addresses_that_hold_no_bytes_stay_addresses)
{
    struct part_view v = view(t, "{\"type\":\"file\",\"mime\":\"text/html\",\"url\":\"data:,x\","
                                 "\"filename\":\"a.html\"}");

    CHECK_SPAN("", v.base64);
    CHECK_SPAN("data:,x", view_url(t->arena, &v));
    CHECK_STR("a.html", v.filename);
    v = view(t, "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://a/b\"}}");
    CHECK_SPAN("https://a/b", view_url(t->arena, &v));
}

TEST(outputs_are_text_a_person_can_read)
{
    CHECK_SPAN("a", view_output_text(t->arena, str_of("\"a\"")));
    CHECK_SPAN("a\nb", view_output_text(t->arena, str_of("[{\"type\":\"text\",\"text\":\"a\"},"
                                                         "{\"type\":\"text\",\"text\":\"b\"}]")));
    CHECK_SPAN("{\"x\":1}", view_output_text(t->arena, str_of("{\"x\":1}")));
    CHECK_SPAN("", view_output_text(t->arena, str_of("null")));
    CHECK_SPAN("", view_output_text(t->arena, str_of("")));
}

TEST(a_part_that_is_no_json_is_seen_as_other)
{
    struct bough_part part = { BOUGH_PART_TEXT, str_of("{broken") };
    struct part_view v;

    view_part(t->arena, &part, &v);
    CHECK_INT(VIEW_OTHER, v.kind);
    CHECK_STR("", v.word);
}
