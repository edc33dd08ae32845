/* Previews and titles of messages, read from their text parts. Pure. */
#include "core/part/part.h"

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/model/text.h"

/* Decode one character of a valid raw string. Returns how many raw bytes it took. */
static size_t decode_one(const char *p, size_t n, char out[4], size_t *len)
{
    const unsigned char *start = (const unsigned char *)p, *s = start;
    uint32_t cp;
    size_t k;

    if (p[0] == '\\') {
        *len = utf8_put(json_take_escape(&s, s + n), out);
        return (size_t)(s - start);
    }
    k = utf8_get(p, n, &cp);
    k = k ? k : 1;
    memcpy(out, p, k);
    *len = k;
    return k;
}

/* Decode at most `max` bytes: a preview must not decode all of a long message. */
static const char *decode_some(struct bough_arena *a, struct bough_str raw, size_t max)
{
    char *out = arena_alloc(a, max + 1);
    size_t n = 0, i = 1, len;
    char c[4];

    while (i < raw.n - 1) {
        if (raw.p[i] != '\\' && (unsigned char)raw.p[i] < 0x80 && n < max) {
            out[n++] = raw.p[i++]; /* fast path: plain ASCII */
            continue;
        }
        i += decode_one(raw.p + i, raw.n - 1 - i, c, &len);
        if (n + len > max)
            break;
        if (len == 1 && c[0] == '\0')
            c[0] = ' ';
        memcpy(out + n, c, len);
        n += len;
    }
    out[n] = '\0';
    return out;
}

const char *preview_text(struct bough_arena *a, const struct bough_part *parts, size_t n,
                         size_t max)
{
    struct bough_str raw;
    struct fields f;
    size_t i;

    for (i = 0; i < n; i++) {
        if (parts[i].type != BOUGH_PART_TEXT || fields_read(&f, parts[i].json, NULL) != BOUGH_OK)
            continue;
        raw = fields_raw(&f, "text", JSON_STRING);
        if (!raw.n)
            raw = fields_raw(&f, "refusal", JSON_STRING);
        if (raw.n > 2)
            return decode_some(a, raw, max);
    }
    return "";
}

const char *preview_title(struct bough_arena *a, const struct bough_part *parts, size_t n)
{
    struct bough_str s;
    const char *title;
    struct buf b;
    size_t i;

    buf_init(&b, LIMIT_MESSAGE_BYTES);
    for (i = 0; i < n; i++) {
        if (parts[i].type != BOUGH_PART_TEXT)
            continue;
        s = text_trim(bough_part_plain(a, &parts[i]));
        if (s.n && b.n)
            buf_putc(&b, '\n');
        buf_put_str(&b, s);
    }
    title = text_title(a, buf_str(&b));
    buf_finish(&b);
    return title;
}
