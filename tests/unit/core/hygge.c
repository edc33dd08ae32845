/* The codec of hygge's parts. */
#include <bough/part.h>

#include "base/text/str.h"
#include "lib/test.h"

static struct bough_str none;

static const char *marshal(struct test *t, const struct bough_hygge_part *parts, size_t n)
{
    struct bough_str out;

    CHECK_OK(bough_hygge_marshal(t->arena, parts, n, &out, &t->err));
    return out.p;
}

TEST(an_empty_list_of_hygge_parts_is_two_brackets) /* H18 */
{
    struct bough_hygge_part *parts;
    size_t n = 9;

    CHECK_STR("[]", marshal(t, NULL, 0));
    CHECK_OK(bough_hygge_unmarshal(t->arena, str_of("[]"), &parts, &n, &t->err));
    CHECK_INT(0, n);
}

TEST(hygge_parts_are_written_in_the_order_of_its_struct_without_empty_fields) /* H18 */
{
    const struct bough_hygge_part parts[] = {
        { .kind = "text", .text = str_of("hi \"you\"") },
        { .kind = "thinking", .text = none },
        { .kind = "tool_use",
          .tool_id = "t1",
          .tool_name = "ls",
          .tool_input = str_of("{ \"b\":1.0,\"a\" : 2 }") },
        { .kind = "tool_result", .tool_use_id = "t1", .content = str_of("x"), .is_error = true },
        { .kind = "image", .image_mime_type = "image/png", .image_base64 = "aGk=" },
    };

    CHECK_STR("[{\"type\":\"text\",\"text\":\"hi \\\"you\\\"\"},{\"type\":\"thinking\"},"
              "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"ls\","
              "\"input\":{ \"b\":1.0,\"a\" : 2 }},"
              "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"x\","
              "\"is_error\":true},"
              "{\"type\":\"image\",\"image_mime_type\":\"image/png\",\"image_base64\":\"aGk=\"}]",
              marshal(t, parts, 5));
}

TEST(hygge_parts_are_read_and_input_keeps_its_bytes) /* H18 */
{
    struct bough_hygge_part *p;
    size_t n;

    CHECK_OK(bough_hygge_unmarshal(
        t->arena,
        str_of(
            "[{\"type\":\"text\"},{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"ls\",\"input\": "
            "{ \"x\" : 1e2 , \"x\":0.10}},{\"type\":\"tool_result\",\"tool_use_id\":\"t1\","
            "\"is_error\":true,\"content\":\"\\u00e9\"}]"),
        &p, &n, &t->err));
    CHECK_INT(3, n);
    CHECK_STR("text", p[0].kind);
    CHECK_SPAN("", p[0].text);
    CHECK_SPAN("", p[0].tool_input);
    CHECK_STR("ls", p[1].tool_name);
    CHECK_SPAN("{ \"x\" : 1e2 , \"x\":0.10}", p[1].tool_input);
    CHECK_SPAN("\xc3\xa9", p[2].content);
    CHECK(p[2].is_error);
}

static void refuses(struct test *t, enum bough_rc rc, const char *json)
{
    struct bough_hygge_part *p;
    size_t n;

    CHECK_RC(rc, bough_hygge_unmarshal(t->arena, str_of(json), &p, &n, &t->err));
}

TEST(hygge_decoding_is_strict) /* H18 */
{
    refuses(t, BOUGH_INVALID_PART, "");
    refuses(t, BOUGH_INVALID_PART, "[{");
    refuses(t, BOUGH_INVALID_PART, "{\"type\":\"text\"}");
    refuses(t, BOUGH_INVALID_PART, "[1]");
    refuses(t, BOUGH_INVALID_PART, "[{\"text\":\"no type\"}]");
    refuses(t, BOUGH_INVALID_PART, "[{\"type\":\"\"}]");
    refuses(t, BOUGH_INVALID_PART, "[{\"type\":\"text\",\"text\":5}]");
    refuses(t, BOUGH_UNKNOWN_PART, "[{\"type\":\"video\"}]");
    refuses(t, BOUGH_UNKNOWN_PART, "[{\"type\":\"reasoning\",\"text\":\"a\"}]");
    refuses(t, BOUGH_INVALID_PART, "[{\"type\":\"tool_use\",\"name\":\"ls\"}]");
    refuses(t, BOUGH_INVALID_PART, "[{\"type\":\"tool_use\",\"id\":\"1\"}]");
    refuses(t, BOUGH_INVALID_PART, "[{\"type\":\"tool_result\",\"content\":\"x\"}]");
    refuses(t, BOUGH_INVALID_PART, "[{\"type\":\"image\",\"image_mime_type\":\"image/png\"}]");
    refuses(t, BOUGH_INVALID_PART, "[{\"type\":\"image\",\"image_base64\":\"aGk=\"}]");
    refuses(t, BOUGH_INVALID_PART,
            "[{\"type\":\"tool_result\",\"tool_use_id\":\"1\",\"is_error\":1}]");
    refuses(t, BOUGH_OK, "null");
}

TEST(hygge_parts_that_could_not_be_read_back_are_not_written) /* U12 */
{
    const struct bough_hygge_part video = { .kind = "video" }, untyped = { 0 };
    const struct bough_hygge_part broken = {
        .kind = "tool_use", .tool_id = "1", .tool_name = "n", .tool_input = str_of("{")
    };
    struct bough_str out;

    CHECK_RC(BOUGH_UNKNOWN_PART, bough_hygge_marshal(t->arena, &video, 1, &out, &t->err));
    CHECK_RC(BOUGH_INVALID_PART, bough_hygge_marshal(t->arena, &untyped, 1, &out, &t->err));
    CHECK_RC(BOUGH_INVALID_PART, bough_hygge_marshal(t->arena, &broken, 1, &out, &t->err));
}
