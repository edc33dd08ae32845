/* A conversation as plain text. */
#include "gateway/summary/transcript.h"

#include "base/text/str.h"
#include "core/part/view.h"

enum { IMAGE_CHARS = 4800, CHARS_A_TOKEN = 4, RESULT_MOST = 2000 };

int64_t transcript_tokens(struct bough_arena *a, const struct bough_entry *e)
{
    const struct part_view *v = view_parts(a, e);
    int64_t chars = 0;

    for (size_t i = 0; i < e->nparts; i++)
        chars += v[i].kind == VIEW_FILE ? IMAGE_CHARS
                                        : (int64_t)(v[i].text.n + v[i].input.n + v[i].output.n);
    return (chars + CHARS_A_TOKEN - 1) / CHARS_A_TOKEN;
}

bool transcript_results(const struct bough_entry *e)
{
    struct bough_arena *tmp = bough_arena_create();
    const struct part_view *v = view_parts(tmp, e);
    bool only = e->nparts > 0;

    for (size_t i = 0; i < e->nparts; i++)
        only = only && v[i].kind == VIEW_RESULT;
    bough_arena_destroy(tmp);
    return only;
}

static void put_cut(struct buf *b, struct bough_str text)
{
    size_t n = text.n;

    if (n > RESULT_MOST)
        for (n = RESULT_MOST; n && ((unsigned char)text.p[n] & 0xc0) == 0x80; n--)
            ; /* not inside a character */
    buf_put(b, text.p, n);
    if (n < text.n)
        buf_printf(b, "\n[%zu more bytes]", text.n - n);
}

static void put_view(struct buf *b, struct bough_arena *a, const struct part_view *v)
{
    switch (v->kind) {
    case VIEW_TEXT:
        buf_put_str(b, v->text);
        break;
    case VIEW_CALL:
    case VIEW_TOOL:
        buf_printf(b, "[calls %s] ", v->tool);
        put_cut(b, v->input);
        if (v->output.n) {
            buf_puts(b, "\n[result] ");
            put_cut(b, view_output_text(a, v->output));
        }
        break;
    case VIEW_RESULT:
        buf_puts(b, v->failed ? "[failed] " : "[result] ");
        put_cut(b, view_output_text(a, v->output));
        break;
    case VIEW_FILE:
        buf_printf(b, "[file %s %s]", v->filename, v->mime);
        break;
    default: /* thoughts and marks are not part of what was said */
        return;
    }
    buf_putc(b, '\n');
}

void transcript_put(struct buf *b, struct bough_arena *a, const struct bough_entry *e)
{
    const struct part_view *v;

    if (e->kind != BOUGH_ENTRY_MESSAGE || e->deleted)
        return;
    v = view_parts(a, e);
    buf_printf(b, "%s:\n", bough_role_name(e->role));
    for (size_t i = 0; i < e->nparts; i++)
        put_view(b, a, &v[i]);
    buf_putc(b, '\n');
}
