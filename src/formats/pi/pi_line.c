/* pi's session files: parts of a line that the reader and the writers share. */
#include "formats/pi/pi.h"

#include <string.h>

#include "base/json/write.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "formats/common/names.h"

const char *pi_label_id(struct bough_arena *a, const char *type, const char *target,
                        const char *text, int64_t time)
{
    char hex[HEX_TEXT];

    made_hex(str_of(arena_printf(a, "bough.%s %s %lld %s", type, target, (long long)time, text)),
             hex);
    return arena_strndup(a, hex, 8);
}

/* The next U+2028 or U+2029, or NULL. */
static const char *next_separator(const char *p, const char *end)
{
    while ((p = memchr(p, 0xe2, (size_t)(end - p))) != NULL) {
        if (end - p >= 3 && p[1] == '\x80' && (p[2] == '\xa8' || p[2] == '\xa9'))
            return p;
        p++;
    }
    return NULL;
}

/* Raw JSON may contain them in strings, and pi's session list takes them for line ends (U23). */
static void escape_separators(struct buf *out, size_t from)
{
    const char *p = out->p + from, *end = out->p + out->n, *at = next_separator(p, end);
    struct buf b;

    if (!at)
        return;
    buf_init(&b, out->max);
    for (; at; at = next_separator(p, end)) {
        buf_put(&b, p, (size_t)(at - p));
        buf_puts(&b, at[2] == '\xa8' ? "\\u2028" : "\\u2029");
        p = at + 3;
    }
    buf_put(&b, p, (size_t)(end - p));
    out->n = from;
    buf_put_str(out, buf_str(&b));
    buf_finish(&b);
}

void pi_line_end(struct writing *w, struct json_writer *jw)
{
    jw_end_obj(jw);
    jw_drop_breaks(jw);
    escape_separators(w->out, jw->start);
    buf_putc(w->out, '\n');
}

void pi_put_time(struct json_writer *jw, int64_t ms)
{
    char text[ISO_TEXT];

    iso_print(ms, text);
    jw_kv_cstr(jw, "timestamp", text);
}
