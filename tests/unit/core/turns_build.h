/* Helpers for tests of turns: contexts for providers, each held against its validator. */
#ifndef TESTS_CORE_TURNS_BUILD_H
#define TESTS_CORE_TURNS_BUILD_H

#include "build.h"

struct asked {
    struct bough_entry *marker;
    const char *model, *prompt;
    bool no_trailing;
    const struct bough_memory *memories;
    size_t nmemories;
};

/* The context of the path. The test fails if a provider would refuse it. */
struct bough_context_result turns_context(struct path *p, const char *dialect, struct asked how);

#define BUILD(p, dialect, ...) turns_context(p, dialect, (struct asked){ __VA_ARGS__ })

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define SAID(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}"
#define USE(id) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"f\",\"input\":{}}"
#define RESULT(id, text)                                                                           \
    "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"" text "\"}"
#define CALLS(...) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" __VA_ARGS__ "]}"
#define CALL(id)                                                                                   \
    "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}"
#define TOOL(id, text) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text "\"}"

#endif
