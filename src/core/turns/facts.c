/* What the data of a message says about it, whichever tool wrote it. Pure. */
#include <string.h>

#include "base/text/str.h"
#include "core/part/part.h"
#include "core/turns/turns_in.h"

/* Is this the member's name? Compared with a constant, because every answer is looked at. */
#define IS(m, name)                                                                                \
    ((m)->key.n == sizeof(name) + 1 && memcmp((m)->key.p + 1, name, sizeof(name) - 1) == 0)

static struct bough_str string_in(const struct field_span *m)
{
    return m->type == JSON_STRING ? m->raw : (struct bough_str){ "", 0 };
}

static void answer_fact(const struct field_span *m, struct facts *out)
{
    if (IS(m, "model") || IS(m, "modelID"))
        out->model = string_in(m);
    else if (IS(m, "api"))
        out->api = string_in(m);
    else if (IS(m, "id"))
        out->response = string_in(m);
    else if (IS(m, "summary"))
        out->summary = m->type == JSON_TRUE;
    else if (IS(m, "stopReason") && json_span_is(string_in(m), "error"))
        out->broken = true; /* pi keeps the reason beside the message */
}

static void tool_fact(const struct field_span *m, struct facts *out)
{
    if (IS(m, "toolCallId") || IS(m, "tool_call_id"))
        out->call = string_in(m);
    else if (IS(m, "toolName") || (IS(m, "name") && out->tool.n <= 2))
        out->tool = string_in(m);
    else if ((IS(m, "isError") || IS(m, "tool_error")) && m->type == JSON_TRUE)
        out->failed = true;
}

static void fact(const struct bough_entry *e, const struct field_span *m, struct facts *out)
{
    if (e->role == BOUGH_ROLE_ASSISTANT)
        answer_fact(m, out);
    else if (e->role == BOUGH_ROLE_TOOL)
        tool_fact(m, out);
    else if (e->role == BOUGH_ROLE_BASH && IS(m, "excludeFromContext"))
        out->excluded = m->type == JSON_TRUE;
    else if (e->role == BOUGH_ROLE_SYSTEM && IS(m, "role"))
        out->developer = json_span_is(string_in(m), "developer");
}

void facts_read(const struct bough_entry *e, struct facts *out)
{
    static const struct bough_str none = { "", 0 };
    struct fields f;

    *out =
        (struct facts){ .model = none, .api = none, .response = none, .call = none, .tool = none };
    if (e->role == BOUGH_ROLE_ASSISTANT)
        out->broken = message_failed(e); /* A13 */
    /* The user's own messages need nothing from there. */
    if (!e->data.n || e->role == BOUGH_ROLE_USER || !fields_scan(&f, e->data))
        return;
    for (size_t i = 0; i < f.n; i++)
        fact(e, &f.at[i], out);
    if (json_span_is(out->model, "<synthetic>"))
        out->broken = true; /* Claude Code writes errors as answers */
}
