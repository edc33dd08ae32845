/* Widths by grapheme cluster, with the tables of utf8proc. */
#include "cli/term/width.h"

#include <utf8proc.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "cli/term/print.h"
#include "core/model/text.h"

static bool is_regional(uint32_t cp)
{
    return cp >= 0x1f1e6 && cp <= 0x1f1ff;
}

/* The next grapheme cluster: returns its bytes; its columns go to *cols. */
static size_t cluster(const char *p, size_t n, size_t *cols)
{
    utf8proc_int32_t state = 0;
    uint32_t first = 0, before, cp;
    size_t len = utf8_get(p, n, &first), more;

    if (!len) {
        *cols = 1;
        return 1;
    }
    *cols = (size_t)utf8proc_charwidth((utf8proc_int32_t)first);
    for (before = first; len < n; before = cp, len += more) {
        more = utf8_get(p + len, n - len, &cp);
        if (!more || utf8proc_grapheme_break_stateful((utf8proc_int32_t)before,
                                                      (utf8proc_int32_t)cp, &state))
            break;
        if (cp == 0xfe0f || (is_regional(cp) && is_regional(first)))
            *cols = 2; /* emoji presentation, or two regional indicators (a flag) */
    }
    return len;
}

size_t width_of(struct bough_str s)
{
    size_t sum = 0, cols;

    for (size_t i = 0; i < s.n; sum += cols)
        i += cluster(s.p + i, s.n - i, &cols);
    return sum;
}

size_t width_fit(struct bough_str s, size_t cols)
{
    size_t i = 0, sum = 0, wide;

    while (i < s.n) {
        size_t len = cluster(s.p + i, s.n - i, &wide);

        if (sum + wide > cols)
            break;
        sum += wide;
        i += len;
    }
    return i;
}

/* Collapse white space, trim, and escape the rest. */
static void one_line(struct buf *out, struct bough_str s)
{
    struct buf flat;
    bool gap = false;

    buf_init(&flat, s.n + 1);
    s = text_trim(s);
    for (size_t i = 0; i < s.n; i++) {
        bool blank = strchr(" \t\r\n", s.p[i]) && s.p[i];

        if (!blank && gap)
            buf_putc(&flat, ' ');
        if (!blank)
            buf_putc(&flat, s.p[i]);
        gap = blank;
    }
    print_escape(out, buf_str(&flat), PRINT_LINE);
    buf_finish(&flat);
}

struct bough_str width_cut(struct bough_arena *a, struct bough_str s, size_t cols)
{
    struct buf b;
    struct bough_str all, out;

    /* A cluster rarely has more than 64 bytes: a longer text is cut first. */
    if (s.n > cols * 64 + 4096)
        s.n = utf8_cut(s.p, s.n, cols * 64 + 4096);
    buf_init(&b, 16 * s.n + 16); /* \u{10ffff} is the longest escape */
    one_line(&b, s);
    all = buf_str(&b);
    if (width_of(all) <= cols) {
        out = text_keep(a, &b);
        buf_finish(&b);
        return out;
    }
    b.n = cols ? width_fit(all, cols - 1) : 0;
    while (b.n && b.p[b.n - 1] == ' ')
        b.n--;
    buf_end(&b);
    if (cols)
        buf_puts(&b, "\u2026");
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}
