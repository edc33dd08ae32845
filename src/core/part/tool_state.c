/* States of a tool call: parsing them, their required fields, allowed transitions. Pure. */
#include "core/part/part.h"

#include "base/text/str.h"

/* Our names (they must come first), the AI SDK's, and those of its older `toolInvocation`. */
static const struct {
    const char *word;
    enum bough_tool_state state;
} words[] = {
    { "pending", BOUGH_TOOL_PENDING },
    { "running", BOUGH_TOOL_RUNNING },
    { "completed", BOUGH_TOOL_COMPLETED },
    { "error", BOUGH_TOOL_ERROR },
    { "input-streaming", BOUGH_TOOL_PENDING },
    { "input-available", BOUGH_TOOL_RUNNING },
    { "approval-requested", BOUGH_TOOL_RUNNING },
    { "approval-responded", BOUGH_TOOL_RUNNING },
    { "output-available", BOUGH_TOOL_COMPLETED },
    { "output-error", BOUGH_TOOL_ERROR },
    { "output-denied", BOUGH_TOOL_ERROR },
    { "partial-call", BOUGH_TOOL_PENDING },
    { "call", BOUGH_TOOL_RUNNING },
    { "result", BOUGH_TOOL_COMPLETED },
};

enum { CANONICAL_WORDS = 4 };

enum bough_tool_state part_state_parse(struct bough_str raw_string)
{
    size_t i;

    for (i = 0; raw_string.n && i < sizeof words / sizeof *words; i++) {
        if (json_span_is(raw_string, words[i].word))
            return words[i].state;
    }
    return BOUGH_TOOL_NONE;
}

enum bough_tool_state bough_tool_state_of(struct bough_str part)
{
    struct fields f;
    struct bough_str inner;

    if (fields_read(&f, part, NULL) != BOUGH_OK)
        return BOUGH_TOOL_NONE;
    inner = fields_raw(&f, "toolInvocation", JSON_OBJECT);
    if (inner.n && fields_read(&f, inner, NULL) != BOUGH_OK)
        return BOUGH_TOOL_NONE;
    inner = fields_raw(&f, "state", JSON_OBJECT);
    if (!inner.n)
        return part_state_parse(fields_raw(&f, "state", JSON_STRING));
    if (fields_read(&f, inner, NULL) != BOUGH_OK)
        return BOUGH_TOOL_NONE;
    return part_state_parse(fields_raw(&f, "status", JSON_STRING));
}

bool bough_tool_may_become(enum bough_tool_state from, enum bough_tool_state to)
{
    switch (from) {
    case BOUGH_TOOL_PENDING:
        return to == BOUGH_TOOL_PENDING || to == BOUGH_TOOL_RUNNING || to == BOUGH_TOOL_ERROR;
    case BOUGH_TOOL_RUNNING:
        return to == BOUGH_TOOL_RUNNING || to == BOUGH_TOOL_COMPLETED || to == BOUGH_TOOL_ERROR;
    case BOUGH_TOOL_COMPLETED:
    case BOUGH_TOOL_ERROR:
        return to == from;
    case BOUGH_TOOL_NONE:
        return false;
    }
    return false;
}

enum { STR = 1u << JSON_STRING, NUM = 1u << JSON_NUMBER, OBJ = 1u << JSON_OBJECT };

/* Required fields of each status, and of its `time`; rows in the order of words[]. */
static const struct part_need state_needs[CANONICAL_WORDS][5] = {
    { { "input", OBJ }, { "raw", STR } },
    { { "input", OBJ }, { "time", OBJ } },
    { { "input", OBJ }, { "output", STR }, { "title", STR }, { "metadata", OBJ }, { "time", OBJ } },
    { { "input", OBJ }, { "error", STR }, { "time", OBJ } },
};

static const struct part_need time_needs[CANONICAL_WORDS][2] = {
    { { NULL, 0 } },
    { { "start", NUM } },
    { { "start", NUM }, { "end", NUM } },
    { { "start", NUM }, { "end", NUM } },
};

static size_t count(const struct part_need *need, size_t max)
{
    size_t n = 0;

    while (n < max && need[n].name)
        n++;
    return n;
}

enum bough_rc part_tool_state_check(struct bough_str state, struct bough_error *err)
{
    struct fields f;
    size_t i;
    enum bough_rc rc;

    if (fields_read(&f, state, NULL) != BOUGH_OK)
        return bough_fail(err, BOUGH_INVALID_PART, "tool part: state must be an object");
    for (i = 0; i < CANONICAL_WORDS && !fields_is(&f, "status", words[i].word); i++)
        continue;
    if (i == CANONICAL_WORDS)
        return bough_fail(err, BOUGH_INVALID_PART,
                          "tool part: state.status must be pending, running, completed or error");
    rc = part_needs(&f, state_needs[i], count(state_needs[i], 5), "tool", "state", err);
    if (rc || !time_needs[i][0].name)
        return rc;
    return part_object_needs(fields_raw(&f, "time", JSON_OBJECT), time_needs[i],
                             count(time_needs[i], 2), "tool", "state.time", err);
}
