/* Text a person reads: previews, titles, folding. Pure. */
#include "core/text.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "core/part.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define REPLACEMENT "\xef\xbf\xbd"

struct bough_str text_keep(struct bough_arena *a, const struct buf *b)
{
    return str_make(arena_strndup(a, b->p, b->n), b->n);
}

/* ---- characters ---- */

static bool is_space(uint32_t cp)
{
    return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0x85 || cp == 0xa0 || cp == 0x1680 ||
           (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 || cp == 0x202f ||
           cp == 0x205f || cp == 0x3000;
}

static bool is_quote(uint32_t cp)
{
    return cp == '"' || cp == '\'' || cp == '`' || (cp >= 0x2018 && cp <= 0x201f) || cp == 0xab ||
           cp == 0xbb;
}

static bool is_space_or_quote(uint32_t cp)
{
    return is_space(cp) || is_quote(cp);
}

/* One character at p; a byte that begins none counts as one. */
static size_t step(const char *p, size_t n, uint32_t *cp)
{
    size_t k = utf8_get(p, n, cp);

    if (k)
        return k;
    *cp = 0xfffd;
    return 1;
}

/* The last character before the end. */
static size_t step_back(const char *p, size_t n, uint32_t *cp)
{
    size_t k;

    for (k = 1; k <= 4 && k <= n; k++) {
        if (utf8_get(p + n - k, k, cp) == k)
            return k;
    }
    *cp = 0xfffd;
    return 1;
}

static struct bough_str trim(struct bough_str s, bool (*drop)(uint32_t))
{
    uint32_t cp;
    size_t k;

    while (s.n) {
        k = step(s.p, s.n, &cp);
        if (!drop(cp))
            break;
        s.p += k;
        s.n -= k;
    }
    while (s.n) {
        k = step_back(s.p, s.n, &cp);
        if (!drop(cp))
            break;
        s.n -= k;
    }
    return s;
}

struct bough_str text_trim(struct bough_str s)
{
    return trim(s, is_space);
}

struct bough_str text_clean(struct bough_arena *a, struct bough_str s)
{
    struct buf b;
    struct bough_str out;
    uint32_t cp;
    size_t i, k;

    if (utf8_valid(s.p, s.n) == s.n && (!s.n || !memchr(s.p, '\0', s.n)))
        return s;
    buf_init(&b, 3 * s.n + 1);
    for (i = 0; i < s.n; i += k) {
        k = step(s.p + i, s.n - i, &cp);
        if (cp == 0)
            buf_putc(&b, ' ');
        else if (cp == 0xfffd)
            buf_puts(&b, REPLACEMENT);
        else
            buf_put(&b, s.p + i, k);
    }
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* ---- previews ---- */

const char *text_preview(struct bough_arena *a, const struct bough_part *parts, size_t n,
                         size_t max)
{
    return part_text_first(a, parts, n, max).p;
}

/* ---- titles ---- */

/* Runs of white space as one space. */
static struct bough_str collapse(struct bough_arena *a, struct bough_str s)
{
    struct buf b;
    struct bough_str out;
    uint32_t cp;
    bool gap = false;
    size_t i, k;

    buf_init(&b, s.n + 1);
    for (i = 0; i < s.n; i += k) {
        k = step(s.p + i, s.n - i, &cp);
        if (is_space(cp)) {
            gap = true;
            continue;
        }
        if (gap)
            buf_putc(&b, ' ');
        gap = false;
        buf_put(&b, s.p + i, k);
    }
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

const char *text_title(struct bough_arena *a, struct bough_str s)
{
    size_t chars = 0, i, k, short_end = 0;
    uint32_t cp;

    s = collapse(a, trim(text_clean(a, s), is_space_or_quote));
    for (i = 0; i < s.n && chars <= TEXT_TITLE_CHARS; i += k, chars++) {
        if (chars == TEXT_TITLE_CHARS - 1)
            short_end = i;
        k = step(s.p + i, s.n - i, &cp);
    }
    if (chars <= TEXT_TITLE_CHARS)
        return arena_strndup(a, s.p, s.n);
    return arena_printf(a, "%.*s" ELLIPSIS, (int)short_end, s.p);
}

const char *text_title_of(struct bough_arena *a, const struct bough_part *parts, size_t n)
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

/* ---- folding ---- */

struct bough_str text_fold(struct bough_arena *a, struct bough_str s)
{
    const utf8proc_option_t how = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                      UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
    utf8proc_uint8_t *folded = NULL;
    utf8proc_ssize_t n;
    struct bough_str out;

    s = text_clean(a, s);
    if (!s.n)
        return str_make(NULL, 0);
    n = utf8proc_map((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n, &folded, how);
    if (n < 0) /* too long for it; nothing else can go wrong with clean text */
        return s;
    out = str_make(arena_strndup(a, (const char *)folded, (size_t)n), (size_t)n);
    free(folded);
    return out;
}
