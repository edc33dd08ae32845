/* Strict decoding of paths, queries and lists. Pure; see parse.h. */
#include <string.h>
#include <strings.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "http/parse/chars.h"
#include "http/parse/parse.h"

/* The byte at index *i, percent-decoded; advances *i. parse_head() has checked the hex digits. */
static unsigned char next_byte(struct bough_str s, size_t *i, bool *escaped)
{
    *escaped = s.p[*i] == '%' && s.n - *i >= 3;
    if (!*escaped)
        return (unsigned char)s.p[(*i)++];
    *i += 3;
    return (unsigned char)(chars_hex_value(s.p[*i - 2]) * 16 + chars_hex_value(s.p[*i - 1]));
}

static bool bad_segment(const char *p, size_t n, bool last)
{
    if (n == 0)
        return !last;
    return p[0] == '.' && (n == 1 || (n == 2 && p[1] == '.'));
}

bool parse_path(struct bough_arena *a, struct bough_str raw, const char **out)
{
    char *to = arena_alloc(a, raw.n + 1);
    size_t i = 0, n = 0, segment = 1;

    while (i < raw.n) {
        bool escaped;
        unsigned char c = next_byte(raw, &i, &escaped);

        if (c < 0x20 || c == 0x7f || (escaped && (c == '/' || c == '\\')))
            return false;
        if (c == '/' && n > 0) {
            if (bad_segment(to + segment, n - segment, false))
                return false;
            segment = n + 1;
        }
        to[n++] = (char)c;
    }
    to[n] = '\0';
    *out = to;
    return n > 0 && !bad_segment(to + segment, n - segment, true) && utf8_valid(to, n) == n;
}

static const char *decode(struct bough_arena *a, struct bough_str s, bool *ok)
{
    char *to = arena_alloc(a, s.n + 1);
    size_t i = 0, n = 0;

    while (i < s.n) {
        bool escaped;
        unsigned char c = next_byte(s, &i, &escaped);

        if (c == '+' && !escaped)
            c = ' ';
        if (c == 0)
            *ok = false;
        to[n++] = (char)c;
    }
    to[n] = '\0';
    *ok = *ok && utf8_valid(to, n) == n;
    return to;
}

bool parse_query(struct bough_arena *a, struct bough_str *rest, const char **name,
                 const char **value, bool *ok)
{
    const char *end, *eq;
    struct bough_str pair;

    *ok = true;
    while (rest->n && rest->p[0] == '&')
        *rest = str_make(rest->p + 1, rest->n - 1);
    if (rest->n == 0)
        return false;
    end = memchr(rest->p, '&', rest->n);
    pair = str_make(rest->p, end ? (size_t)(end - rest->p) : rest->n);
    *rest = str_make(rest->p + pair.n, rest->n - pair.n);
    eq = memchr(pair.p, '=', pair.n);
    *name = decode(a, str_make(pair.p, eq ? (size_t)(eq - pair.p) : pair.n), ok);
    *value = eq ? decode(a, str_make(eq + 1, pair.n - (size_t)(eq - pair.p) - 1), ok) : "";
    return *ok;
}

bool parse_list(struct bough_str *rest, struct bough_str *item)
{
    while (rest->n) {
        const char *comma = memchr(rest->p, ',', rest->n);
        struct bough_str s = str_make(rest->p, comma ? (size_t)(comma - rest->p) : rest->n);
        size_t used = s.n + (comma ? 1 : 0);

        *rest = str_make(rest->p + used, rest->n - used);
        while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
            s = str_make(s.p + 1, s.n - 1);
        while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
            s.n--;
        *item = s;
        if (s.n)
            return true;
    }
    return false;
}

bool parse_token_is(struct bough_str s, const char *lower)
{
    return s.n == strlen(lower) && strncasecmp(s.p, lower, s.n) == 0;
}
