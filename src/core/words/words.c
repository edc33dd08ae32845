/* Writing pieces: texts, arguments and files, for all targets. Pure. */
#include "core/words/words.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* ---- texts ---- */

static void put_inside(struct buf *out, const struct piece *text)
{
    if (text->json)
        json_escape(out, text->s.text);
    else if (text->s.text.n > 2)
        buf_put(out, text->s.text.p + 1, text->s.text.n - 2);
}

void put_text(struct buf *out, const struct piece *text)
{
    if (!text->json) {
        buf_put_str(out, text->s.text);
        return;
    }
    buf_putc(out, '"');
    put_inside(out, text);
    buf_putc(out, '"');
}

void put_texts(struct buf *out, const struct piece *first, const char *between)
{
    bool any = false;

    buf_putc(out, '"');
    for (; first; first = first->next) {
        if (first->kind != PIECE_TEXT)
            continue;
        if (any)
            buf_puts(out, between);
        put_inside(out, first);
        any = true;
    }
    buf_putc(out, '"');
}

void put_quoted(struct buf *out, struct bough_str contents)
{
    buf_putc(out, '"');
    buf_put_str(out, contents);
    buf_putc(out, '"');
}

/* ---- arguments ---- */

/* {"input":<value>} */
static struct bough_str wrapped(struct bough_arena *a, struct bough_str value)
{
    static const char before[] = "{\"input\":";
    size_t n = sizeof before - 1 + value.n + 1;
    char *p = arena_alloc(a, n + 1);

    memcpy(p, before, sizeof before - 1);
    memcpy(p + sizeof before - 1, value.p, value.n);
    p[n - 1] = '}';
    p[n] = '\0';
    return str_make(p, n);
}

/* Is the string a JSON object in quotes? *out is that object. */
static bool unquoted(struct bough_arena *a, struct bough_str string, struct bough_str *out)
{
    *out = json_span_text(a, string);
    while (out->n && strchr(" \t\r\n", *out->p)) {
        out->p++;
        out->n--;
    }
    return out->n && *out->p == '{' && json_check(*out, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK;
}

struct bough_str call_object(struct bough_arena *a, const struct piece *call)
{
    struct bough_str input = call->s.input, object;

    if (!input.n || str_is(input, "null") || (call->s.quoted && input.n <= 2))
        return str_of("{}");
    if (*input.p == '{')
        return input;
    if (call->s.quoted && unquoted(a, input, &object))
        return object;
    return wrapped(a, input);
}

void put_arguments(struct buf *out, struct bough_arena *a, const struct piece *call)
{
    struct bough_str object;

    if (call->s.quoted && call->s.input.n > 2 && unquoted(a, call->s.input, &object)) {
        buf_put_str(out, call->s.input);
        return;
    }
    buf_putc(out, '"');
    json_escape(out, call_object(a, call));
    buf_putc(out, '"');
}

void put_freeform(struct buf *out, const struct piece *call)
{
    if (call->s.input.n && *call->s.input.p == '"') {
        buf_put_str(out, call->s.input);
        return;
    }
    buf_putc(out, '"');
    json_escape(out, call->s.input);
    buf_putc(out, '"');
}

/* ---- files ---- */

static bool type_starts(const struct piece *file, const char *prefix)
{
    return file->s.mime.n > 2 &&
           str_starts(str_make(file->s.mime.p + 1, file->s.mime.n - 2), prefix);
}

enum file_class file_class(const struct piece *file)
{
    static const char *const images[] = { "image", "image_url", "input_image", NULL };

    if (type_starts(file, "image/"))
        return FILE_IMAGE;
    if (type_starts(file, "application/pdf"))
        return FILE_PDF;
    if (type_starts(file, "audio/"))
        return FILE_AUDIO;
    if (type_starts(file, "video/"))
        return FILE_VIDEO;
    if (type_starts(file, "text/") || type_starts(file, "application/json"))
        return FILE_TEXT;
    for (size_t i = 0; file->s.mime.n <= 2 && images[i]; i++)
        if (json_span_is(file->s.word, images[i]))
            return FILE_IMAGE;
    return FILE_OTHER;
}

bool file_is(const struct piece *file, const char *const *types)
{
    for (; *types; types++)
        if (json_span_is(file->s.mime, *types))
            return true;
    return false;
}

bool file_remote(const struct piece *file)
{
    return !file->s.base64.n &&
           (str_starts(file->s.url, "\"https://") || str_starts(file->s.url, "\"http://"));
}

bool file_bytes(const struct piece *file)
{
    struct bough_str s = file->s.base64;
    size_t n = 0, pads = 0;

    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c == '\\' && i + 1 < s.n && s.p[i + 1] == '/')
            continue; /* an escaped slash */
        if (c == '=')
            pads++;
        else if (pads || !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '+' || c == '/'))
            return false;
        n++;
    }
    return n && n % 4 == 0 && pads <= 2;
}

struct bough_str file_type(const struct piece *file, const char *unknown)
{
    if (file->s.mime.n > 2)
        return str_make(file->s.mime.p + 1, file->s.mime.n - 2);
    return str_of(unknown);
}

void put_url(struct buf *out, const struct piece *file)
{
    if (!file->s.base64.n) {
        buf_put_str(out, file->s.url);
        return;
    }
    PUT(out, "\"data:");
    buf_put_str(out, file_type(file, "application/octet-stream"));
    PUT(out, ";base64,");
    buf_put_str(out, file->s.base64);
    buf_putc(out, '"');
}

size_t pieces_of(const struct piece *first, enum piece_kind kind)
{
    size_t n = 0;

    for (; first; first = first->next)
        n += first->kind == kind;
    return n;
}
