/* Parts of types that the model does not know, as far as a provider can use them. Pure. */
#include <string.h>

#include "base/text/str.h"
#include "core/turns/turns_in.h"

/* The word without its quotes ends like this. */
static bool ends(struct bough_str word, const char *suffix)
{
    return word.n > 2 && str_ends(str_make(word.p + 1, word.n - 2), suffix);
}

/* OpenAI's tools that run on its side: their items are complete by themselves. */
static bool is_server_item(struct bough_str word)
{
    static const char *const words[] = {
        "web_search_call",       "file_search_call", "code_interpreter_call",
        "image_generation_call", "mcp_call",         NULL
    };

    for (size_t i = 0; words[i]; i++)
        if (json_span_is(word, words[i]))
            return true;
    return false;
}

/* An item such as `local_shell_call`, with what to do in one of these members. */
static void read_call(struct part_spans *s, struct fields *f)
{
    static const char *const members[] = { "action", "operation", "input", "arguments", NULL };
    const struct field_span *m = NULL;

    for (size_t i = 0; members[i] && !m; i++)
        m = fields_get(f, members[i]);
    s->kind = VIEW_CALL;
    s->item_wise = true;
    s->call = fields_raw(f, "call_id", JSON_STRING);
    s->tool = fields_raw(f, "name", JSON_STRING);
    if (!s->tool.n)
        s->tool = s->word;
    if (m && m->type != JSON_NULL)
        s->input = m->raw;
    s->freeform = m && m->type == JSON_STRING;
}

void unknown_read(struct part_spans *s)
{
    struct fields f;

    if (s->kind != VIEW_OTHER || !fields_scan(&f, s->raw))
        return;
    if (ends(s->word, "_tool_result") && fields_raw(&f, "tool_use_id", JSON_STRING).n) {
        s->kind = VIEW_RESULT; /* Anthropic's own tools */
        s->call = fields_raw(&f, "tool_use_id", JSON_STRING);
        s->server = true;
    } else if (is_server_item(s->word)) {
        s->kind = VIEW_CALL;
        s->tool = s->word;
        s->item_wise = s->server = true;
    } else if (ends(s->word, "_call") && fields_raw(&f, "call_id", JSON_STRING).n > 2) {
        read_call(s, &f);
    } else if (ends(s->word, "_call_output") && fields_raw(&f, "call_id", JSON_STRING).n > 2) {
        const struct field_span *m = fields_get(&f, "output");

        s->kind = VIEW_RESULT;
        s->call = fields_raw(&f, "call_id", JSON_STRING);
        if (m && m->type != JSON_NULL)
            s->output = m->raw;
    } else if (fields_raw(&f, "text", JSON_STRING).n > 2) {
        s->kind = VIEW_TEXT;
        s->text = fields_raw(&f, "text", JSON_STRING);
    }
}
