/* The words of OpenAI's responses: items. Pure. */
#include "base/text/str.h"
#include "core/words/words.h"

enum { MOST = 48 * 1024 * 1024 }; /* base64 of a request */

static const char *const images[] = { "image/png", "image/jpeg", "image/gif", "image/webp", NULL };

static bool takes(const struct piece *file, enum file_place place, size_t used)
{
    if (place == FILE_OF_MODEL || file->s.base64.n + used > MOST)
        return false;
    switch (file_class(file)) {
    case FILE_IMAGE:
        return file_remote(file) || (file_bytes(file) && file_is(file, images));
    case FILE_PDF:
        return file_remote(file) || file_bytes(file);
    case FILE_AUDIO:
    case FILE_VIDEO:
    case FILE_TEXT:
    case FILE_OTHER:
        break;
    }
    return false;
}

const struct turns_rules responses_rules = {
    .id_max = 64,
    .ids_loose = true,
    .name_max = 64,
    .signer = SIGNER_OPENAI,
    .server = SIGNER_OPENAI,
    .takes = takes,
    .system_inside = true,
};

static void put_input(struct buf *out, const struct piece *p)
{
    if (p->kind != PIECE_FILE) {
        PUT(out, "{\"type\":\"input_text\",\"text\":");
        put_text(out, p);
    } else if (file_class(p) == FILE_IMAGE) {
        PUT(out, "{\"type\":\"input_image\",\"image_url\":");
        put_url(out, p);
    } else if (file_remote(p)) {
        PUT(out, "{\"type\":\"input_file\",\"file_url\":");
        put_url(out, p);
    } else {
        PUT(out, "{\"type\":\"input_file\",\"filename\":");
        if (p->s.filename.n > 2)
            buf_put_str(out, p->s.filename);
        else
            PUT(out, "\"file.pdf\"");
        PUT(out, ",\"file_data\":");
        put_url(out, p);
    }
    buf_putc(out, '}');
}

static void put_inputs(struct buf *out, const struct piece *first)
{
    buf_putc(out, '[');
    for (const struct piece *p = first; p; p = p->next) {
        if (p != first)
            buf_putc(out, ',');
        put_input(out, p);
    }
    buf_putc(out, ']');
}

static void put_reasoning(struct buf *out, const struct piece *p)
{
    PUT(out, "{\"type\":\"reasoning\"");
    if (p->s.item.n > 2) {
        PUT(out, ",\"id\":");
        buf_put_str(out, p->s.item);
    }
    PUT(out, ",\"summary\":");
    if (p->s.blocks.n) {
        buf_put_str(out, p->s.blocks);
    } else if (p->s.text.n > 2) {
        PUT(out, "[{\"type\":\"summary_text\",\"text\":");
        buf_put_str(out, p->s.text);
        PUT(out, "}]");
    } else {
        PUT(out, "[]");
    }
    PUT(out, ",\"encrypted_content\":");
    buf_put_str(out, p->s.signature);
    buf_putc(out, '}');
}

static void put_call(struct buf *out, struct bough_arena *a, const struct piece *p)
{
    if (p->s.freeform)
        PUT(out, "{\"type\":\"custom_tool_call\",\"call_id\":");
    else
        PUT(out, "{\"type\":\"function_call\",\"call_id\":");
    put_quoted(out, p->id);
    PUT(out, ",\"name\":");
    put_quoted(out, p->name);
    if (p->s.freeform) {
        PUT(out, ",\"input\":");
        put_freeform(out, p);
    } else {
        PUT(out, ",\"arguments\":");
        put_arguments(out, a, p);
    }
    buf_putc(out, '}');
}

/* Texts in a row are one message. */
static const struct piece *put_said(struct buf *out, const struct piece *p)
{
    PUT(out, "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[");
    for (bool first = true; p && p->kind == PIECE_TEXT; p = p->next, first = false) {
        if (!first)
            buf_putc(out, ',');
        PUT(out, "{\"type\":\"output_text\",\"text\":");
        put_text(out, p);
        buf_putc(out, '}');
    }
    PUT(out, "]}");
    return p;
}

static void put_message(struct buf *out, const struct turn *t)
{
    if (t->kind != TURN_SYSTEM)
        PUT(out, "{\"type\":\"message\",\"role\":\"user\",\"content\":");
    else if (t->developer)
        PUT(out, "{\"type\":\"message\",\"role\":\"developer\",\"content\":");
    else
        PUT(out, "{\"type\":\"message\",\"role\":\"system\",\"content\":");
    put_inputs(out, t->first);
    buf_putc(out, '}');
}

bool responses_put(struct buf *out, struct bough_arena *a, const struct turn *t,
                   const struct piece **p)
{
    const struct piece *now = *p;

    if (!now)
        return false;
    if (t->kind != TURN_MODEL) {
        put_message(out, t);
        *p = NULL;
        return true;
    }
    *p = now->next;
    switch (now->kind) {
    case PIECE_TEXT:
        *p = put_said(out, now);
        break;
    case PIECE_REASONING:
        put_reasoning(out, now);
        break;
    case PIECE_CALL:
        put_call(out, a, now);
        break;
    case PIECE_FILE: /* a model sends none: the rules have made it a text */
        return false;
    case PIECE_SERVER:
        buf_put_str(out, now->s.raw);
        break;
    }
    return true;
}

void responses_put_result(struct buf *out, const struct piece *call)
{
    if (call->s.freeform)
        PUT(out, "{\"type\":\"custom_tool_call_output\",\"call_id\":");
    else
        PUT(out, "{\"type\":\"function_call_output\",\"call_id\":");
    put_quoted(out, call->id);
    PUT(out, ",\"output\":");
    if (pieces_of(call->result->content, PIECE_FILE))
        put_inputs(out, call->result->content);
    else
        put_texts(out, call->result->content, "\\n");
    buf_putc(out, '}');
}
