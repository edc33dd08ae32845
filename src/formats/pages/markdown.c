/* Markdown, writer: one path as a readable document. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "formats/common/format.h"
#include "formats/pages/markup.h"

enum { FENCE_LONG = 200 };

/* Escape the text, and replace line ends by blanks: a heading must stay on one line. */
static void put_inline(struct buf *out, const char *s)
{
    for (; *s; s++) {
        if (strchr("\\`*_[]<>#|", *s))
            buf_putc(out, '\\');
        buf_putc(out, *s == '\n' || *s == '\r' ? ' ' : *s);
    }
}

/* The longest run of `c` in the text. */
static size_t longest_run(struct bough_str text, char c)
{
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < text.n; i++) {
        run = text.p[i] == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void put_run(struct buf *out, char c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_putc(out, c);
}

/* The fence is longer than any run of its character in the text, so the text cannot end it. Tildes
 * instead of very many backticks. */
static void put_fenced(struct buf *out, const char *word, struct bough_str text)
{
    size_t ticks = longest_run(text, '`'), tildes = ticks < FENCE_LONG ? 0 : longest_run(text, '~');
    char c = ticks < FENCE_LONG || ticks <= tildes ? '`' : '~';
    size_t n = (c == '`' ? ticks : tildes) + 1;

    n = n < 3 ? 3 : n;
    put_run(out, c, n);
    buf_printf(out, "%s\n", word);
    buf_put_str(out, text);
    if (text.n && text.p[text.n - 1] != '\n')
        buf_putc(out, '\n');
    put_run(out, c, n);
    buf_puts(out, "\n\n");
}

static void put_quoted(struct writing *w, struct bough_str text)
{
    struct buf *out = w->out;

    text = markup_without_html(w->a, text);
    buf_puts(out, "> ");
    for (size_t i = 0; i < text.n; i++) {
        buf_putc(out, text.p[i]);
        if (text.p[i] == '\n')
            buf_puts(out, "> ");
    }
    buf_puts(out, "\n\n");
}

/* A message is Markdown already. Raw HTML in it would run in a careless viewer. */
static void put_text(struct writing *w, struct bough_str text)
{
    text = text_trim(text);
    if (!text.n)
        return;
    buf_put_str(w->out, markup_without_html(w->a, text));
    buf_puts(w->out, "\n\n");
}

static void put_fact(struct buf *out, const char *name, const char *value)
{
    if (cstr_empty(value))
        return;
    buf_printf(out, "- %s: ", name);
    put_inline(out, value);
    buf_putc(out, '\n');
}

static void write_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    char text[ISO_TEXT];

    buf_puts(w->out, "# ");
    put_inline(w->out, *s->title ? s->title : s->slug);
    buf_puts(w->out, "\n\n");
    put_fact(w->out, "Session", *s->origin ? s->origin : s->id);
    put_fact(w->out, "Project", s->project);
    put_fact(w->out, "Model", *s->model_name ? s->model_name : s->last_model);
    iso_print(s->created, text);
    put_fact(w->out, "Created", text);
    if (s->own.input || s->own.output) {
        bough_money_text(s->own.cost, text, sizeof text);
        buf_printf(w->out, "- Tokens: %" PRId64 " in, %" PRId64 " out, USD %s\n",
                   s->own.input + s->own.cache_read + s->own.cache_write, s->own.output, text);
    }
    buf_putc(w->out, '\n');
}

static void put_file(struct buf *out, const struct part_view *v)
{
    buf_puts(out, "*Attached: ");
    put_inline(out, *v->filename ? v->filename : *v->mime ? v->mime : "a file");
    if (v->base64.n)
        buf_printf(out, " (%zu bytes)*\n\n", v->base64.n / 4 * 3);
    else
        buf_puts(out, "*\n\n");
}

static void put_part(struct writing *w, const struct part_view *v)
{
    switch (v->kind) {
    case VIEW_TEXT:
        put_text(w, v->text);
        return;
    case VIEW_REASONING:
        if (v->text.n)
            put_quoted(w, v->text);
        return;
    case VIEW_CALL:
    case VIEW_TOOL:
        buf_puts(w->out, "**Tool** ");
        put_inline(w->out, v->tool);
        buf_puts(w->out, "\n\n");
        put_fenced(w->out, "json", v->input.n ? v->input : str_of("{}"));
        if (v->kind == VIEW_TOOL && v->output.n)
            put_fenced(w->out, "", view_output_text(w->a, v->output));
        return;
    case VIEW_RESULT:
        buf_puts(w->out, v->failed ? "**Failed**\n\n" : "**Result**\n\n");
        put_fenced(w->out, "", view_output_text(w->a, v->output));
        return;
    case VIEW_FILE:
        put_file(w->out, v);
        return;
    case VIEW_OTHER:
        return; /* steps and snapshots have no readable text */
    }
}

static const char *heading(const struct bough_entry *e)
{
    switch (e->role) {
    case BOUGH_ROLE_USER:
        return "User";
    case BOUGH_ROLE_ASSISTANT:
        return "Assistant";
    case BOUGH_ROLE_TOOL:
        return "Tool";
    case BOUGH_ROLE_SYSTEM:
        return "System";
    case BOUGH_ROLE_BASH:
        return "Command";
    case BOUGH_ROLE_NONE:
    case BOUGH_ROLE_CUSTOM:
    case BOUGH_ROLE_OTHER:
        break;
    }
    return "Message";
}

static void write_entry(struct writing *w, const struct written_entry *we)
{
    const struct bough_entry *e = we->e;
    struct arena_mark mark = arena_mark(w->a);
    const char *summary;
    char time[ISO_TEXT];

    iso_print(e->time, time);
    if (e->kind == BOUGH_ENTRY_COMPACTION || e->kind == BOUGH_ENTRY_BRANCH_SUMMARY) {
        summary = json_cstr(w->a, view_data(w->a, e), "summary");
        buf_printf(w->out, "## Summary · %s\n\n", time);
        put_text(w, str_of(summary ? summary : ""));
    } else if (e->kind == BOUGH_ENTRY_MESSAGE ||
               (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE && !view_hidden(w->a, e))) {
        size_t n;
        struct view_run *runs = view_runs(w->a, e, &n);

        buf_printf(w->out, "## %s · %s\n\n", heading(e), time);
        if (e->role == BOUGH_ROLE_BASH)
            put_fenced(w->out, "", view_bash_text(w->a, view_data(w->a, e)));
        if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE)
            put_text(w, view_custom_text(w->a, e));
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < runs[i].n; k++)
                put_part(w, &runs[i].at[k]);
    }
    arena_rewind(w->a, mark);
}

static void write_finish(struct writing *w, const char *head)
{
    (void)w;
    (void)head;
}

const struct format format_markdown = {
    .name = "markdown",
    .number = FORMAT_MARKDOWN,
    .about = "Markdown: one path, to read",
    .suffix = "md",
    .writes = WRITES_PATH,
    .begin = write_begin,
    .entry = write_entry,
    .finish = write_finish,
};
