/* The rules for reasoning (6) and for files (7) that go to a provider; see turns.c. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "turns_build.h"

/* ---- 6: reasoning ---- */

#define THINKING "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"sig\"}"

TEST(signed_reasoning_goes_only_to_the_provider_and_model_it_came_from)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" THINKING "," TEXT("ok") "]", "{\"model\":\"m1\"}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" TEXT("and") "]", "{\"model\":\"m1\"}");
    c = BUILD(&p, "anthropic");
    CHECK(strstr(c.messages.p, THINKING) != NULL);
    c = BUILD(&p, "anthropic", .model = "m2");
    CHECK(!strstr(c.messages.p, "hm"));
    CHECK_INT(1, notes_about(&c, &p.at[1], "omitted"));
    c = BUILD(&p, "openai-responses", .model = "m1");
    CHECK(!strstr(c.messages.p, "hm")); /* never made text */
    c = BUILD(&p, "openai-chat", .model = "m1");
    CHECK(!strstr(c.messages.p, "hm"));
}

TEST(reasoning_that_pi_kept_is_read_by_the_api_it_came_from)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"thinkingSignature\":"
                "\"{\\\"type\\\":\\\"reasoning\\\",\\\"id\\\":\\\"rs_1\\\",\\\"summary\\\":[],"
                "\\\"encrypted_content\\\":\\\"enc\\\"}\"}," TEXT("ok") "]",
                "{\"model\":\"m\",\"api\":\"openai-responses\"}");
    c = BUILD(&p, "openai-responses");
    CHECK(strstr(c.messages.p, "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],"
                               "\"encrypted_content\":\"enc\"},{\"type\":\"message\","
                               "\"role\":\"assistant\"") != NULL);
    c = BUILD(&p, "anthropic");
    CHECK(!strstr(c.messages.p, "rs_1"));
    p.at[1].data = str_of("{\"model\":\"m\",\"api\":\"openai-completions\"}");
    c = BUILD(&p, "openai-responses");
    CHECK(!strstr(c.messages.p, "rs_1"));
}

TEST(reasoning_without_what_it_led_to_is_left_out)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" TEXT("ok") "," THINKING "]", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"next\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" THINKING "]", NULL);
    c = BUILD(&p, "anthropic");
    CHECK(!strstr(c.messages.p, "hm"));
    CHECK_INT(3, c.count);
}

TEST(a_call_to_gemini_has_its_signature_or_one_to_be_skipped)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"toolCall\",\"id\":\"1\",\"name\":\"f\",\"arguments\":{},"
                "\"thoughtSignature\":\"sig\"}," USE("2") "]",
                "{\"model\":\"gemini-3\"}");
    add_message(&p, BOUGH_ROLE_USER, "\"next\"", NULL);
    c = BUILD(&p, "gemini");
    CHECK(strstr(c.messages.p, "\"thoughtSignature\":\"sig\"") != NULL);
    CHECK(!strstr(c.messages.p, "skip_thought"));
    c = BUILD(&p, "gemini", .model = "gemini-3-flash");
    CHECK(!strstr(c.messages.p, "\"sig\"") && strstr(c.messages.p, "skip_thought"));
}

/* ---- 7: files ---- */

#define PNG "{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\",\"mimeType\":\"image/png\"}"

TEST(files_are_carried_in_the_form_of_the_provider)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "[" TEXT("see") "," PNG "]", NULL);
    c = BUILD(&p, "openai-chat");
    CHECK_STR("[{\"role\":\"user\",\"content\":[" TEXT(
                  "see") ",{\"type\":\"image_url\","
                         "\"image_url\":{\"url\":\"data:image/png;base64,iVBORw0KGgo=\"}}]}]",
              c.messages.p);
    c = BUILD(&p, "openai-responses");
    CHECK(strstr(c.messages.p, "{\"type\":\"input_image\",\"image_url\":"
                               "\"data:image/png;base64,iVBORw0KGgo=\"}") != NULL);
    c = BUILD(&p, "anthropic");
    CHECK(strstr(c.messages.p, "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
                               "\"image/png\",\"data\":\"iVBORw0KGgo=\"}}") != NULL);
    c = BUILD(&p, "gemini");
    CHECK(strstr(c.messages.p, "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":"
                               "\"iVBORw0KGgo=\"}}") != NULL);
}

TEST(a_file_of_a_result_stays_there_or_follows_in_a_message_of_the_user) /* A14 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("a") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" TEXT("here") "," PNG "]",
                "{\"role\":\"toolResult\",\"toolCallId\":\"a\"}");
    add_message(&p, BOUGH_ROLE_USER, "\"next\"", NULL);
    c = BUILD(&p, "anthropic");
    CHECK(strstr(c.messages.p, "\"content\":[" TEXT("here") ",{\"type\":\"image\"") != NULL);
    c = BUILD(&p, "openai-chat");
    CHECK(
        strstr(
            c.messages.p,
            TOOL("a",
                 "here\\n[file: image/png, 8 bytes, in the next message]") ","
                                                                           "{\"role\":\"user\","
                                                                           "\"content\":[{\"type\":"
                                                                           "\"image_url\"") !=
        NULL);
    CHECK(!strstr(c.messages.p, "\\\"data\\\"")); /* base64 is no text */
}

TEST(a_file_that_is_not_taken_is_a_line_with_name_type_and_size)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"file\",\"mime\":\"application/zip\",\"url\":"
                "\"data:application/zip;base64,UEsDBAo=\",\"filename\":\"a.zip\"},"
                "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"file:///tmp/x.png\"}]",
                NULL);
    c = BUILD(&p, "anthropic");
    CHECK(strstr(c.messages.p, TEXT("[file: a.zip, application/zip, 5 bytes]")) != NULL);
    CHECK(strstr(c.messages.p, TEXT("[file: image/png, file:///tmp/x.png]")) != NULL);
    CHECK_INT(2, notes_about(&c, &p.at[0], "converted"));
}

TEST(a_text_file_is_shown_as_text_unless_the_message_has_its_text_already) /* A12 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"file\",\"mediaType\":\"text/plain\",\"url\":"
                "\"data:text/plain;base64,aGkgIg==\",\"filename\":\"a.txt\"}]",
                NULL);
    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"text\",\"text\":\"the file says hi\",\"synthetic\":true},"
                "{\"type\":\"file\",\"mime\":\"text/plain\",\"url\":"
                "\"data:text/plain;base64,aGkgIg==\",\"filename\":\"b.txt\"}]",
                NULL);
    c = BUILD(&p, "openai-chat");
    CHECK_STR("[" SAID("user", "[file: a.txt]\\nhi \\\"") "," SAID("user", "the file says hi") "]",
              c.messages.p);
}
