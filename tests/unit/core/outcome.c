/* What became of a message, in the shapes of every tool. */
#include "base/text/str.h"
#include "core/part/part.h"
#include "lib/test.h"

static const char *outcome(struct bough_entry e, const char *json, int64_t *errors)
{
    struct bough_part part = { .json = str_of(json) };

    if (json) {
        if (bough_part_check(part.json, &part.type, NULL))
            FAIL("not a part: %s", json);
        e.parts = &part;
        e.nparts = 1;
    }
    e.role = e.role ? e.role : BOUGH_ROLE_ASSISTANT;
    return bough_outcome_name(message_outcome(&e, errors));
}

TEST(failed_tools_are_counted_in_every_shape)
{
    static const struct {
        const char *part;
        int errors;
    } cases[] = {
        { "{\"type\":\"tool\",\"tool\":\"b\",\"callID\":\"c\",\"state\":{\"status\":\"error\","
          "\"input\":{},\"error\":\"no\",\"time\":{\"start\":1,\"end\":2}}}",
          1 },
        { "{\"type\":\"tool\",\"tool\":\"b\",\"callID\":\"c\",\"state\":{\"input\":{\"status\":"
          "\"error\"},\"title\":\"error\",\"metadata\":{},\"time\":{\"start\":1,\"end\":2},"
          "\"output\":\"x\",\"status\":\"completed\"}}",
          0 },
        { "{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"x\",\"is_error\":true}",
          1 },
        { "{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"x\",\"is_error\":false}",
          0 },
        { "{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"x\"}", 0 },
        { "{\"type\":\"tool-bash\",\"toolCallId\":\"c\",\"state\":\"output-error\",\"input\":{},"
          "\"errorText\":\"no\"}",
          1 },
        { "{\"type\":\"tool-bash\",\"toolCallId\":\"c\",\"state\":\"output-available\",\"input\":{}"
          ","
          "\"output\":{\"type\":\"erratic\"}}",
          0 },
        { "{\"type\":\"tool-result\",\"toolCallId\":\"c\",\"toolName\":\"b\",\"output\":{\"type\":"
          "\"error-text\",\"value\":\"no\"}}",
          1 },
        { "{\"type\":\"tool-result\",\"toolCallId\":\"c\",\"toolName\":\"b\",\"output\":{\"type\":"
          "\"text\",\"value\":\"error\"}}",
          0 },
        { "{\"type\":\"text\",\"text\":\"error\"}", 0 },
    };
    int64_t errors;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_STR("ok", outcome((struct bough_entry){ 0 }, cases[i].part, &errors));
        if (errors != cases[i].errors)
            FAIL("%d errors in %s", (int)errors, cases[i].part);
        CHECK_STR(cases[i].errors ? "error" : "ok",
                  outcome((struct bough_entry){ .role = BOUGH_ROLE_TOOL }, cases[i].part, &errors));
    }
}

#define ENTRY(...) ((struct bough_entry){ __VA_ARGS__ })
#define RAW(text)                                                                                  \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

TEST(a_message_ends_well_with_an_error_or_interrupted)
{
    int64_t errors;

    CHECK_STR("ok", outcome(ENTRY(.finish = "stop"), NULL, &errors));
    CHECK_INT(0, errors);
    CHECK_STR("error", outcome(ENTRY(.finish = "error"), NULL, &errors));
    CHECK_INT(1, errors);
    CHECK_STR("error", outcome(ENTRY(.error = RAW("\"overloaded\"")), NULL, &errors));
    CHECK_INT(1, errors);
    CHECK_STR("interrupted", outcome(ENTRY(.finish = "aborted"), NULL, &errors));
    CHECK_INT(0, errors);
    CHECK_STR("interrupted",
              outcome(ENTRY(.error = RAW("{\"data\":{},\"name\":\"MessageAbortedError\"}")), NULL,
                      &errors));
    CHECK_INT(0, errors);
    CHECK_STR("error", outcome(ENTRY(.role = BOUGH_ROLE_TOOL, .data = RAW("{\"isError\":true}")),
                               "{\"type\":\"text\",\"text\":\"no such file\"}", &errors));
    CHECK_INT(1, errors);
    CHECK_STR("ok", outcome(ENTRY(.data = RAW("{\"isError\":true}")), NULL, &errors));
    CHECK_STR("ok", outcome(ENTRY(.role = BOUGH_ROLE_TOOL, .data = RAW("{\"isError\":\"no\"}")),
                            NULL, &errors));
}
