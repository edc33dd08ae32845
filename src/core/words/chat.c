/* The words of OpenAI's chat completions. Pure. */
#include "base/text/str.h"
#include "core/words/words.h"

enum { MOST = 48 * 1024 * 1024 }; /* base64 of a request */

static const char *const images[] = { "image/png", "image/jpeg", "image/gif", "image/webp", NULL };
static const char *const sounds[] = { "audio/wav", "audio/x-wav", "audio/mp3", "audio/mpeg", NULL };

/* Only a user sends files. */
static bool takes(const struct piece *file, enum file_place place, size_t used)
{
    if (place != FILE_OF_USER || file->s.base64.n + used > MOST)
        return false;
    switch (file_class(file)) {
    case FILE_IMAGE:
        return file_remote(file) || (file_bytes(file) && file_is(file, images));
    case FILE_PDF:
        return file_bytes(file);
    case FILE_AUDIO:
        return file_bytes(file) && file_is(file, sounds);
    case FILE_VIDEO:
    case FILE_TEXT:
    case FILE_OTHER:
        break;
    }
    return false;
}

const struct turns_rules chat_rules = {
    .id_max = 40,
    .ids_loose = true,
    .name_max = 64,
    .takes = takes,
    .system_inside = true,
};

static void put_file(struct buf *out, const struct piece *p)
{
    switch (file_class(p)) {
    case FILE_PDF:
        PUT(out, "{\"type\":\"file\",\"file\":{\"filename\":");
        if (p->s.filename.n > 2)
            buf_put_str(out, p->s.filename);
        else
            PUT(out, "\"file.pdf\"");
        PUT(out, ",\"file_data\":");
        put_url(out, p);
        break;
    case FILE_AUDIO:
        PUT(out, "{\"type\":\"input_audio\",\"input_audio\":{\"data\":");
        put_quoted(out, p->s.base64);
        PUT(out, ",\"format\":");
        if (json_span_is(p->s.mime, "audio/wav") || json_span_is(p->s.mime, "audio/x-wav"))
            PUT(out, "\"wav\"");
        else
            PUT(out, "\"mp3\"");
        break;
    case FILE_IMAGE:
    case FILE_VIDEO:
    case FILE_TEXT:
    case FILE_OTHER:
        PUT(out, "{\"type\":\"image_url\",\"image_url\":{\"url\":");
        put_url(out, p);
        break;
    }
    PUT(out, "}}");
}

/* One text is a string; several, or files, are an array. */
static void put_content(struct buf *out, const struct piece *first)
{
    if (first && !first->next && first->kind == PIECE_TEXT) {
        put_text(out, first);
        return;
    }
    for (const struct piece *p = first; p; p = p->next) {
        buf_putc(out, p == first ? '[' : ',');
        if (p->kind == PIECE_FILE) {
            put_file(out, p);
            continue;
        }
        PUT(out, "{\"type\":\"text\",\"text\":");
        put_text(out, p);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static void put_call(struct buf *out, struct bough_arena *a, const struct piece *p)
{
    PUT(out, "{\"id\":");
    put_quoted(out, p->id);
    PUT(out, ",\"type\":\"function\",\"function\":{\"name\":");
    put_quoted(out, p->name);
    PUT(out, ",\"arguments\":");
    put_arguments(out, a, p);
    PUT(out, "}}");
}

static void put_model(struct buf *out, struct bough_arena *a, const struct turn *t)
{
    bool first = true;

    PUT(out, "{\"role\":\"assistant\",\"content\":");
    if (pieces_of(t->first, PIECE_TEXT))
        put_texts(out, t->first, "\\n\\n");
    else
        PUT(out, "null");
    for (const struct piece *p = t->first; p; p = p->next) {
        if (p->kind != PIECE_CALL)
            continue;
        if (first)
            PUT(out, ",\"tool_calls\":[");
        else
            buf_putc(out, ',');
        put_call(out, a, p);
        first = false;
    }
    if (!first)
        buf_putc(out, ']');
    buf_putc(out, '}');
}

static void put_result(struct buf *out, const struct piece *call)
{
    PUT(out, ",{\"role\":\"tool\",\"tool_call_id\":");
    put_quoted(out, call->id);
    PUT(out, ",\"content\":");
    put_texts(out, call->result->content, "\\n");
    buf_putc(out, '}');
}

size_t chat_put(struct buf *out, struct bough_arena *a, const struct turn *t)
{
    size_t n = 1;

    switch (t->kind) {
    case TURN_SYSTEM:
        if (t->developer)
            PUT(out, "{\"role\":\"developer\",\"content\":");
        else
            PUT(out, "{\"role\":\"system\",\"content\":");
        put_texts(out, t->first, "\\n\\n");
        buf_putc(out, '}');
        break;
    case TURN_USER:
    case TURN_MARKER:
        PUT(out, "{\"role\":\"user\",\"content\":");
        put_content(out, t->first);
        buf_putc(out, '}');
        break;
    case TURN_MODEL:
        put_model(out, a, t);
        for (const struct piece *p = t->first; p; p = p->next) {
            if (p->kind != PIECE_CALL)
                continue;
            put_result(out, p);
            n++;
        }
        break;
    }
    return n;
}
