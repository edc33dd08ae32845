/* Text for people: cleaning, titles, folding. Pure. */
#include "core/model/text.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define REPLACEMENT "\xef\xbf\xbd"

struct bough_str text_keep(struct bough_arena *a, const struct buf *b)
{
    return str_make(arena_strndup(a, b->p, b->n), b->n);
}

/* ---- characters ---- */

static bool is_quote(uint32_t cp)
{
    return cp == '"' || cp == '\'' || cp == '`' || (cp >= 0x2018 && cp <= 0x201f) || cp == 0xab ||
           cp == 0xbb;
}

static bool is_space_or_quote(uint32_t cp)
{
    return utf8_is_space(cp) || is_quote(cp);
}

/* Read the character at p and return its length; an invalid byte is U+FFFD. */
static size_t step(const char *p, size_t n, uint32_t *cp)
{
    size_t k = utf8_get(p, n, cp);

    if (k)
        return k;
    *cp = 0xfffd;
    return 1;
}

/* The same for the last character before p + n. */
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
    return trim(s, utf8_is_space);
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

/* ---- titles ---- */

/* Replace runs of white space by one space. */
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
        if (utf8_is_space(cp)) {
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
    if (n < 0) /* too long; clean text cannot fail otherwise */
        return s;
    out = str_make(arena_strndup(a, (const char *)folded, (size_t)n), (size_t)n);
    free(folded);
    return out;
}
