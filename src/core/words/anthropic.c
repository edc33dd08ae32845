/* The words of Anthropic's messages: content blocks. Pure. */
#include "base/text/str.h"
#include "core/words/words.h"

enum {
    MOST = 30 * 1024 * 1024, /* base64 of a request, which may have 32 MB */
    IMAGE_MOST = 5 * 1024 * 1024,
};

static const char *const images[] = { "image/png", "image/jpeg", "image/gif", "image/webp", NULL };

static bool takes(const struct piece *file, enum file_place place, size_t used)
{
    if (place == FILE_OF_MODEL || file->s.base64.n + used > MOST)
        return false;
    switch (file_class(file)) {
    case FILE_IMAGE:
        return file_remote(file) ||
               (file->s.base64.n <= IMAGE_MOST && file_bytes(file) && file_is(file, images));
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

const struct turns_rules anthropic_rules = {
    .id_max = 64,
    .name_max = 128,
    .signer = SIGNER_ANTHROPIC,
    .server = SIGNER_ANTHROPIC,
    .takes = takes,
    .system_apart = true,
    .merges_models = true,
    .merges_users = true,
    .user_first = true,
    .trims_last = true,
};

static void put_file(struct buf *out, const struct piece *p)
{
    if (file_class(p) == FILE_IMAGE)
        PUT(out, "{\"type\":\"image\",\"source\":");
    else
        PUT(out, "{\"type\":\"document\",\"source\":");
    if (p->s.base64.n) {
        PUT(out, "{\"type\":\"base64\",\"media_type\":");
        put_quoted(out, file_type(p, "image/png"));
        PUT(out, ",\"data\":");
        put_quoted(out, p->s.base64);
    } else {
        PUT(out, "{\"type\":\"url\",\"url\":");
        buf_put_str(out, p->s.url);
    }
    buf_putc(out, '}');
    if (file_class(p) != FILE_IMAGE && p->s.filename.n > 2) {
        PUT(out, ",\"title\":");
        buf_put_str(out, p->s.filename);
    }
    buf_putc(out, '}');
}

static void put_reasoning(struct buf *out, const struct piece *p)
{
    if (p->s.signer == SIGNER_REDACTED) {
        PUT(out, "{\"type\":\"redacted_thinking\",\"data\":");
    } else {
        PUT(out, "{\"type\":\"thinking\",\"thinking\":");
        if (p->s.text.n)
            buf_put_str(out, p->s.text);
        else
            PUT(out, "\"\"");
        PUT(out, ",\"signature\":");
    }
    buf_put_str(out, p->s.signature);
    buf_putc(out, '}');
}

void anthropic_put(struct buf *out, struct bough_arena *a, const struct piece *p)
{
    switch (p->kind) {
    case PIECE_TEXT:
        PUT(out, "{\"type\":\"text\",\"text\":");
        put_text(out, p);
        buf_putc(out, '}');
        break;
    case PIECE_REASONING:
        put_reasoning(out, p);
        break;
    case PIECE_CALL:
        PUT(out, "{\"type\":\"tool_use\",\"id\":");
        put_quoted(out, p->id);
        PUT(out, ",\"name\":");
        put_quoted(out, p->name);
        PUT(out, ",\"input\":");
        buf_put_str(out, call_object(a, p));
        buf_putc(out, '}');
        break;
    case PIECE_FILE:
        put_file(out, p);
        break;
    case PIECE_SERVER:
        buf_put_str(out, p->s.raw);
        break;
    }
}

void anthropic_put_result(struct buf *out, const struct piece *call)
{
    const struct piece *content = call->result->content;

    PUT(out, "{\"type\":\"tool_result\",\"tool_use_id\":");
    put_quoted(out, call->id);
    PUT(out, ",\"content\":");
    if (!content->next && content->kind == PIECE_TEXT) {
        put_text(out, content);
    } else {
        for (const struct piece *p = content; p; p = p->next) {
            buf_putc(out, p == content ? '[' : ',');
            anthropic_put(out, NULL, p);
        }
        buf_putc(out, ']');
    }
    if (call->result->failed)
        PUT(out, ",\"is_error\":true");
    buf_putc(out, '}');
}
