/* The words of Gemini: parts of a content. Pure. */
#include "base/text/str.h"
#include "core/words/words.h"

enum { MOST = 18 * 1024 * 1024 }; /* base64 of a request, which may have 20 MB */

static const char *const images[] = { "image/png",  "image/jpeg", "image/webp",
                                      "image/heic", "image/heif", NULL };

/* Of a result: in a message behind it, which older models take, too. */
static bool takes(const struct piece *file, enum file_place place, size_t used)
{
    if (place == FILE_OF_RESULT || file->s.base64.n + used > MOST || file->s.mime.n <= 2)
        return false;
    switch (file_class(file)) {
    case FILE_IMAGE:
        return file_is(file, images) && (file_remote(file) || file_bytes(file));
    case FILE_PDF:
    case FILE_AUDIO:
    case FILE_VIDEO:
        return file_remote(file) || file_bytes(file);
    case FILE_TEXT:
    case FILE_OTHER:
        break;
    }
    return false;
}

const struct turns_rules gemini_rules = {
    .id_max = 64, /* not sent: calls and results are matched by their order */
    .name_max = 64,
    .name_letter = true,
    .signer = SIGNER_GOOGLE,
    .takes = takes,
    .system_apart = true,
    .merges_models = true,
    .merges_users = true,
    .user_first = true,
};

static void put_signature(struct buf *out, const struct piece *p, bool sign)
{
    if (p->s.signer == SIGNER_GOOGLE) {
        PUT(out, ",\"thoughtSignature\":");
        buf_put_str(out, p->s.signature);
    } else if (sign) { /* Gemini 3 wants one for the first call of a turn */
        PUT(out, ",\"thoughtSignature\":\"skip_thought_signature_validator\"");
    }
}

void gemini_put(struct buf *out, struct bough_arena *a, const struct piece *p, bool sign)
{
    switch (p->kind) {
    case PIECE_TEXT:
        PUT(out, "{\"text\":");
        put_text(out, p);
        break;
    case PIECE_REASONING:
        PUT(out, "{\"text\":");
        if (p->s.text.n)
            buf_put_str(out, p->s.text);
        else
            PUT(out, "\"\"");
        PUT(out, ",\"thought\":true");
        put_signature(out, p, false);
        break;
    case PIECE_CALL:
        PUT(out, "{\"functionCall\":{\"name\":");
        put_quoted(out, p->name);
        PUT(out, ",\"args\":");
        buf_put_str(out, call_object(a, p));
        buf_putc(out, '}');
        put_signature(out, p, sign);
        break;
    case PIECE_FILE:
        if (p->s.base64.n)
            PUT(out, "{\"inlineData\":{\"mimeType\":");
        else
            PUT(out, "{\"fileData\":{\"mimeType\":");
        buf_put_str(out, p->s.mime);
        if (p->s.base64.n) {
            PUT(out, ",\"data\":");
            put_quoted(out, p->s.base64);
        } else {
            PUT(out, ",\"fileUri\":");
            buf_put_str(out, p->s.url);
        }
        buf_putc(out, '}');
        break;
    case PIECE_SERVER: /* none are taken: the rules have made it a text */
        PUT(out, "{\"text\":\"\"");
        break;
    }
    buf_putc(out, '}');
}

void gemini_put_result(struct buf *out, const struct piece *call)
{
    PUT(out, "{\"functionResponse\":{\"name\":");
    put_quoted(out, call->name);
    if (call->result->failed)
        PUT(out, ",\"response\":{\"error\":");
    else
        PUT(out, ",\"response\":{\"output\":");
    put_texts(out, call->result->content, "\\n");
    PUT(out, "}}}");
}
