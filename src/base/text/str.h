/* Strings: small helpers for struct bough_str (bytes with a length) and for C strings. */
#ifndef BASE_TEXT_STR_H
#define BASE_TEXT_STR_H

#include <bough/arena.h>

#include <stdbool.h>
#include <string.h>

/* Borrows the bytes. NULL becomes the empty string. */
static inline struct bough_str str_make(const char *p, size_t n)
{
    return (struct bough_str){ p ? p : "", p ? n : 0 };
}

/* NULL becomes the empty string. */
static inline struct bough_str str_of(const char *s)
{
    return s ? (struct bough_str){ s, strlen(s) } : (struct bough_str){ "", 0 };
}

static inline bool str_empty(struct bough_str s)
{
    return s.n == 0;
}

static inline bool str_eq(struct bough_str a, struct bough_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct bough_str s, const char *literal)
{
    return str_eq(s, str_of(literal));
}

/* Is s one of the words? The list ends with NULL. */
static inline bool str_among(struct bough_str s, const char *const *words)
{
    for (; *words; words++) {
        if (str_is(s, *words))
            return true;
    }
    return false;
}

/* Does s begin with the prefix? True for an empty prefix. */
static inline bool str_ends(struct bough_str s, const char *suffix)
{
    size_t n = strlen(suffix);

    return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

static inline bool str_starts(struct bough_str s, const char *prefix)
{
    size_t n = strlen(prefix);

    return s.n >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}

/* Bytewise order; a prefix sorts first. Returns <0, 0 or >0 like memcmp. */
static inline int str_cmp(struct bough_str a, struct bough_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;

    return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool cstr_empty(const char *s)
{
    return !s || !*s;
}

/* NULL equals only NULL. */
static inline bool cstr_eq(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

#endif
