/* States of a tool call and the allowed transitions. */
#include <bough/part.h>

#include "base/text/str.h"
#include "lib/test.h"

static enum bough_tool_state state(const char *part)
{
    return bough_tool_state_of(str_of(part));
}

TEST(the_state_of_a_tool_part_is_read_in_our_words) /* A11 */
{
    CHECK_INT(BOUGH_TOOL_PENDING, state("{\"type\":\"tool\",\"state\":{\"status\":\"pending\"}}"));
    CHECK_INT(BOUGH_TOOL_RUNNING, state("{\"state\":{\"status\":\"running\"}}"));
    CHECK_INT(BOUGH_TOOL_COMPLETED, state("{\"state\":{\"status\":\"completed\"}}"));
    CHECK_INT(BOUGH_TOOL_ERROR, state("{\"state\":{\"status\":\"error\"}}"));
}

TEST(the_state_of_a_tool_part_is_read_in_the_ai_sdk_s_words) /* A16 */
{
    CHECK_INT(BOUGH_TOOL_PENDING, state("{\"state\":\"input-streaming\"}"));
    CHECK_INT(BOUGH_TOOL_RUNNING, state("{\"state\":\"input-available\"}"));
    CHECK_INT(BOUGH_TOOL_RUNNING, state("{\"state\":\"approval-requested\"}"));
    CHECK_INT(BOUGH_TOOL_RUNNING, state("{\"state\":\"approval-responded\"}"));
    CHECK_INT(BOUGH_TOOL_COMPLETED, state("{\"state\":\"output-available\"}"));
    CHECK_INT(BOUGH_TOOL_ERROR, state("{\"state\":\"output-error\"}"));
    CHECK_INT(BOUGH_TOOL_ERROR, state("{\"state\":\"output-denied\"}"));
    CHECK_INT(BOUGH_TOOL_COMPLETED, state("{\"toolInvocation\":{\"state\":\"result\"}}"));
}

TEST(a_part_without_a_state_has_none)
{
    CHECK_INT(BOUGH_TOOL_NONE, state("{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"n\"}"));
    CHECK_INT(BOUGH_TOOL_NONE, state("{\"state\":\"lost\"}"));
    CHECK_INT(BOUGH_TOOL_NONE, state("{\"state\":7}"));
    CHECK_INT(BOUGH_TOOL_NONE, state("not json"));
}

TEST(tools_move_only_forward) /* A11 */
{
    static const char may[4][5] = {
        /* to: pending running completed error */
        "11-1", /* from pending */
        "-111", /* running */
        "--1-", /* completed */
        "---1", /* error */
    };
    int from, to;

    for (from = BOUGH_TOOL_PENDING; from < BOUGH_TOOL_NONE; from++) {
        for (to = BOUGH_TOOL_PENDING; to < BOUGH_TOOL_NONE; to++)
            CHECK_INT(may[from][to] == '1', bough_tool_may_become((enum bough_tool_state)from,
                                                                  (enum bough_tool_state)to));
        CHECK(!bough_tool_may_become((enum bough_tool_state)from, BOUGH_TOOL_NONE));
        CHECK(!bough_tool_may_become(BOUGH_TOOL_NONE, (enum bough_tool_state)from));
    }
}
