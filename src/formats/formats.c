/* The one list of formats. */
#include <string.h>

#include "formats/format.h"

const struct format *const all_formats[] = {
    /* clang-format off */
    &format_bough,
    &format_pi,
    &format_codex,
    &format_claude_code,
    &format_opencode,
    &format_ai_sdk,
    &format_anthropic,
    &format_openai_chat, /* after those that look nearly like it */
    &format_markdown,
    &format_html,
    &format_hygge,
    &format_hecate,
    NULL,
    /* clang-format on */
};

bool format_reads(const struct format *f)
{
    return f->line || f->document || f->rows;
}

const struct format *format_find(const char *name)
{
    for (size_t i = 0; all_formats[i]; i++)
        if (strcmp(all_formats[i]->name, name) == 0)
            return all_formats[i];
    return NULL;
}

const struct format *format_detect(struct bough_str first)
{
    for (size_t i = 0; all_formats[i]; i++)
        if (all_formats[i]->detect && all_formats[i]->detect(first))
            return all_formats[i];
    return NULL;
}
