/* Spans of parts: found without a tree and without decoding, in every vocabulary. */
#include "core/part/spans.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/test.h"

static struct part_spans spans(struct test *t, const char *json)
{
    struct bough_part part = { BOUGH_PART_OTHER, str_of(json) };
    struct part_spans s;

    CHECK_OK(bough_part_check(part.json, &part.type, &t->err));
    part_spans_read(t->arena, &part, &s);
    return s;
}

TEST(members_of_checked_text_are_found_as_by_the_validating_scan)
{
    static const char *const objects[] = {
        "{}",
        " { } ",
        "{\"a\":1}",
        "{\"a\" : \"x\\\"y\\\\\" , \"b\":[1,{\"c\":\"]\"}],\"d\":{\"e\":\"}\"}}",
        "{\"a\":true,\"b\":false,\"c\":null,\"d\":-1.5e3}",
        "{\"\\u0061\":1,\"a\":2}",
        "{\"a\":\"\\\\\\\\\",\"b\":\"\\\\\\\"\"}",
        "{\n\"a\":\n1\n,\n\"b\":[\n]\n}",
    };

    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        struct fields slow, fast;

        CHECK_OK(fields_read(&slow, str_of(objects[i]), &t->err));
        CHECK(fields_scan(&fast, str_of(objects[i])));
        CHECK_INT(slow.n, fast.n);
        for (size_t k = 0; k < slow.n; k++)
            if (!str_eq(slow.at[k].key, fast.at[k].key) ||
                !str_eq(slow.at[k].raw, fast.at[k].raw) || slow.at[k].type != fast.at[k].type ||
                slow.at[k].escaped != fast.at[k].escaped)
                FAIL("member %zu of %s differs", k, objects[i]);
    }
}

TEST(a_scan_without_validation_never_reads_past_the_end)
{
    static const char object[] = "{\"a\":\"x\\\\\",\"b\":[{\"c\":\"\\\"\"}],\"d\":12}";
    struct fields f;

    for (size_t n = 0; n < sizeof object - 1; n++) {
        char *cut = arena_dup(t->arena, object, n); /* ASan sees what is behind it */

        CHECK(!fields_scan(&f, str_make(cut, n)));
    }
    CHECK(!fields_scan(&f, str_of("[]")));
    CHECK(!fields_scan(&f, str_of("{1}")));
    CHECK(!fields_scan(&f, str_of("{\"a\"}")));
}

TEST(objects_with_many_members_are_read_whole)
{
    const char *json = "{\"type\":\"text\"";
    struct part_spans s;

    for (int i = 0; i < FIELDS_KEPT; i++)
        json = arena_printf(t->arena, "%s,\"m%d\":%d", json, i, i);
    s = spans(t, arena_printf(t->arena, "%s,\"text\":\"last\"}", json));
    CHECK_SPAN("\"last\"", s.text);
}

TEST(signatures_are_found_wherever_a_tool_keeps_them)
{
    static const struct {
        const char *json;
        enum part_signer signer;
        const char *signature;
    } rows[] = {
        { "{\"type\":\"thinking\",\"thinking\":\"x\",\"signature\":\"s\"}", SIGNER_ANTHROPIC,
          "\"s\"" },
        { "{\"type\":\"redacted_thinking\",\"data\":\"s\"}", SIGNER_REDACTED, "\"s\"" },
        { "{\"type\":\"thinking\",\"thinking\":\"x\",\"thinkingSignature\":\"s\"}", SIGNER_PI,
          "\"s\"" },
        { "{\"type\":\"thinking\",\"thinking\":\"\",\"thinkingSignature\":\"s\",\"redacted\":true}",
          SIGNER_REDACTED, "\"s\"" },
        { "{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"s\"}", SIGNER_OPENAI,
          "\"s\"" },
        { "{\"type\":\"reasoning\",\"text\":\"x\",\"metadata\":{\"anthropic\":{\"signature\":"
          "\"s\"}}}",
          SIGNER_ANTHROPIC, "\"s\"" },
        { "{\"type\":\"reasoning\",\"text\":\"\",\"providerMetadata\":{\"anthropic\":"
          "{\"redactedData\":\"s\"}}}",
          SIGNER_REDACTED, "\"s\"" },
        { "{\"type\":\"reasoning\",\"text\":\"x\",\"providerMetadata\":{\"openai\":{\"itemId\":"
          "\"rs\",\"reasoningEncryptedContent\":\"s\"}}}",
          SIGNER_OPENAI, "\"s\"" },
        { "{\"type\":\"reasoning\",\"text\":\"x\",\"providerMetadata\":{\"google\":"
          "{\"thoughtSignature\":\"s\"}}}",
          SIGNER_GOOGLE, "\"s\"" },
        { "{\"type\":\"toolCall\",\"id\":\"1\",\"name\":\"f\",\"arguments\":{},"
          "\"thoughtSignature\":\"s\"}",
          SIGNER_GOOGLE, "\"s\"" },
        { "{\"type\":\"reasoning\",\"text\":\"x\"}", SIGNER_NONE, "" },
        { "{\"type\":\"thinking\",\"thinking\":\"x\",\"signature\":\"\"}", SIGNER_NONE, "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct part_spans s = spans(t, rows[i].json);

        if (s.signer != rows[i].signer || (s.signer && !str_is(s.signature, rows[i].signature)))
            FAIL("%s: signer %d, %.*s", rows[i].json, (int)s.signer, (int)s.signature.n,
                 s.signature.p);
    }
}

TEST(bytes_of_a_data_url_are_found_also_behind_escapes)
{
    struct part_spans s = spans(t, "{\"type\":\"file\",\"mime\":\"\",\"url\":"
                                   "\"data:image\\/png;base64,aGk=\"}");

    CHECK_SPAN("\"image/png\"", s.mime);
    CHECK_SPAN("aGk=", s.base64);
    s = spans(t, "{\"type\":\"file\",\"file\":{\"filename\":\"a.pdf\",\"file_data\":"
                 "\"data:application/pdf;base64,aGk=\"}}");
    CHECK_SPAN("\"application/pdf\"", s.mime);
    CHECK_SPAN("\"a.pdf\"", s.filename);
    CHECK_SPAN("aGk=", s.base64);
}

TEST(blank_texts_are_white_space_in_any_writing)
{
    static const char *const blank[] = {
        "\"\"", "\" \"", "\"\\n\\t\\r\"", "\"\\u0020\\u00a0\"", "\"\xe3\x80\x80 \xe2\x80\x83\"", ""
    };
    static const char *const said[] = { "\"a\"", "\" \\\\ \"", "\"\\u0041\"", "\"\xc3\xbc\"",
                                        "\"\\u0000\"" };

    for (size_t i = 0; i < sizeof blank / sizeof *blank; i++)
        if (!json_span_blank(str_of(blank[i])))
            FAIL("%s is not blank", blank[i]);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (json_span_blank(str_of(said[i])))
            FAIL("%s is blank", said[i]);
}

TEST(half_of_a_surrogate_pair_is_replaced_and_a_whole_one_is_not)
{
    static const struct {
        const char *from, *to;
    } rows[] = {
        { "\"\\ud83c\\udf33\"", "\"\\ud83c\\udf33\"" },
        { "\"\\ud83c\"", "\"\\ufffd\"" },
        { "\"\\udf33\\ud83c\"", "\"\\ufffd\\ufffd\"" },
        { "\"\\\\ud83c\"", "\"\\\\ud83c\"" }, /* a backslash, then letters */
        { "{\"a\":\"\\uD800\\ud83c\\udf33\"}", "{\"a\":\"\\ufffd\\ud83c\\udf33\"}" },
        { "\"\\u00e9\\n\"", "\"\\u00e9\\n\"" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bough_str got = json_span_mend(t->arena, str_of(rows[i].from));

        if (!str_is(got, rows[i].to))
            FAIL("%s became %.*s", rows[i].from, (int)got.n, got.p);
    }
}

TEST(escaped_surrogates_are_found_at_every_offset)
{
    char text[300];

    for (size_t at = 0; at + 6 <= sizeof text; at++) {
        memset(text, 'u', sizeof text);
        memcpy(text + at, "\\ud83c", 6);
        CHECK(json_span_surrogates(str_make(text, sizeof text)));
        memcpy(text + at, "\\u0041", 6);
        CHECK(!json_span_surrogates(str_make(text, sizeof text)));
    }
}
