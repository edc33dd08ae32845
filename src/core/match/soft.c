/* Wrappers: texts that clients put around a conversation, by the names of data/wrappers.txt. */
#include <string.h>

#include "base/text/str.h"
#include "core/data/data.h"
#include "core/match/units.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct bough_str trimmed(struct bough_str s)
{
    while (s.n && is_blank(*s.p))
        s = str_make(s.p + 1, s.n - 1);
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

static bool is_wrapper(struct bough_str name)
{
    struct data_row row = { .next = data_wrappers };

    while (data_next(&row)) {
        struct bough_str want = row.line;
        bool prefix = str_ends(want, "*");

        want.n -= prefix;
        if (name.n >= want.n && memcmp(name.p, want.p, want.n) == 0 && (prefix || name.n == want.n))
            return true;
    }
    return false;
}

/* The name of a tag: letters, digits, - and _. */
static size_t name_length(const char *p, size_t n)
{
    size_t i = 0;

    while (i < n && (p[i] == '-' || p[i] == '_' || (p[i] >= 'a' && p[i] <= 'z') ||
                     (p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= '0' && p[i] <= '9')))
        i++;
    return i;
}

/* The wrapper that `s` ends with, from its first byte on; empty: there is none. */
static struct bough_str last_wrapper(struct bough_str s)
{
    struct bough_str none = { "", 0 }, name;
    const char *close, *found = NULL;

    if (s.n < 4 || s.p[s.n - 1] != '>')
        return none;
    close = memrchr(s.p, '<', s.n);
    if (!close || close + 2 >= s.p + s.n || close[1] != '/')
        return none;
    name = str_make(close + 2, (size_t)(s.p + s.n - 1 - (close + 2)));
    if (name_length(name.p, name.n) != name.n || !is_wrapper(name))
        return none;
    for (const char *p = s.p; p < close; p++) { /* the last opening tag of that name */
        p = memchr(p, '<', (size_t)(close - p));
        if (!p)
            break;
        if ((size_t)(close - p) > name.n + 1 && memcmp(p + 1, name.p, name.n) == 0 &&
            (p[name.n + 1] == '>' || is_blank(p[name.n + 1])))
            found = p;
    }
    return found ? str_make(found, (size_t)(s.p + s.n - found)) : none;
}

bool soft_text(struct bough_str text)
{
    struct bough_str left = trimmed(text), last, name = { "", 0 }, this;

    if (left.n < 4 || *left.p != '<')
        return false;
    while (left.n) { /* one wrapper, or the same again */
        last = last_wrapper(left);
        if (!last.n)
            return false;
        this = str_make(last.p + 1, name_length(last.p + 1, last.n - 1));
        if (name.n && !str_eq(name, this))
            return false;
        name = this;
        left.n -= last.n;
        left = trimmed(left);
    }
    return true;
}

struct bough_str soft_end_cut(struct bough_str text)
{
    struct bough_str left = trimmed(text), last = last_wrapper(left);

    if (!last.n)
        return text;
    while (last.n) {
        left.n -= last.n;
        left = trimmed(left);
        last = last_wrapper(left);
    }
    return left;
}
