/* The list of all formats. */
#include <string.h>

#include "formats/common/format.h"

const struct format *const all_formats[] = {
    /* clang-format off */
    &format_bough,
    &format_pi,
    &format_codex,
    &format_gemini_cli_json,
    &format_gemini_cli, /* must come before Claude Code, whose lines have a sessionId, too */
    &format_claude_code,
    &format_opencode,
    &format_ai_sdk,
    &format_openai_responses,
    &format_anthropic,
    &format_openai_chat, /* must come after the formats that look similar */
    &format_markdown,
    &format_html,
    &format_hygge,
    &format_hecate,
    &format_llm,
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

/* The i-th format of one kind; NULL behind the last. */
static const struct format *nth(size_t i, bool (*is)(const struct format *f))
{
    for (size_t k = 0; all_formats[k]; k++)
        if (is(all_formats[k]) && i-- == 0)
            return all_formats[k];
    return NULL;
}

static bool writes(const struct format *f)
{
    return f->writes != 0;
}

const char *format_read_name(size_t i)
{
    const struct format *f = nth(i, format_reads);

    return f ? f->name : NULL;
}

const char *format_written_name(size_t i)
{
    const struct format *f = nth(i, writes);

    return f ? f->name : NULL;
}

static bool is_suffix(const char *text, size_t n, const char *suffix)
{
    return strlen(suffix) == n && memcmp(text, suffix, n) == 0;
}

bool format_is_file(const char *file)
{
    size_t n = strlen(file), at;
    const struct format *f;

    if (n > 3 && strcmp(file + n - 3, ".gz") == 0)
        n -= 3;
    else if (n > 4 && strcmp(file + n - 4, ".zst") == 0)
        n -= 4;
    for (at = n; at && file[at - 1] != '.'; at--)
        continue;
    for (size_t i = 0; at && (f = nth(i, format_reads)) != NULL; i++)
        if (is_suffix(file + at, n - at, f->suffix) ||
            (f->rows && is_suffix(file + at, n - at, "db")))
            return true;
    return false;
}

const struct format *format_detect(struct bough_str first)
{
    for (size_t i = 0; all_formats[i]; i++)
        if (all_formats[i]->detect && all_formats[i]->detect(first))
            return all_formats[i];
    return NULL;
}
