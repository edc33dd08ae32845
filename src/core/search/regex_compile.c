/* Regular expressions, compiling: a recursive-descent parser that emits steps. */
#include "core/search/regex.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"

enum { REPEAT_MOST = 1000, NO_END = -1, WORK_MOST = 20000 };

struct compiler {
    struct regex *re;
    const char *from, *p, *end;
    const char *why; /* the first error, or NULL */
    bool large;      /* the error is one of size */
    int depth, work; /* nesting; atoms parsed, repetitions counted each time */
};

static void wrong(struct compiler *c, const char *why)
{
    if (!c->why)
        c->why = why;
}

static bool more(const struct compiler *c)
{
    return !c->why && c->p < c->end;
}

static bool skip(struct compiler *c, const char *text)
{
    size_t n = strlen(text);

    if (!more(c) || (size_t)(c->end - c->p) < n || memcmp(c->p, text, n) != 0)
        return false;
    c->p += n;
    return true;
}

/* ---- steps ---- */

static int32_t emit(struct compiler *c, enum regex_op op, int32_t x, int32_t y)
{
    struct regex *re = c->re;

    if (re->n == REGEX_STEPS) {
        c->large = true;
        wrong(c, "it is too large");
        return 0;
    }
    re->at[re->n] = (struct regex_step){ op, x, y };
    return re->n++;
}

/* Insert a split before step `at`. The steps after it move: their jumps are relative, so valid. */
static void insert(struct compiler *c, int32_t at, int32_t x, int32_t y)
{
    struct regex *re = c->re;

    (void)emit(c, REGEX_SPLIT, 0, 0);
    if (c->why)
        return;
    memmove(re->at + at + 1, re->at + at, (size_t)(re->n - 1 - at) * sizeof *re->at);
    re->at[at] = (struct regex_step){ REGEX_SPLIT, x, y };
}

static void add_range(struct compiler *c, int32_t from, int32_t to)
{
    struct regex *re = c->re;

    if (re->nranges == REGEX_RANGES) {
        c->large = true;
        wrong(c, "its classes are too large");
        return;
    }
    re->ranges[re->nranges++] = (struct regex_range){ from, to };
}

/* ---- characters ---- */

static int32_t next_char(struct compiler *c)
{
    uint32_t cp = 0;
    size_t n = utf8_get(c->p, (size_t)(c->end - c->p), &cp);

    c->p += n ? n : 1;
    return n ? (int32_t)cp : 0xfffd;
}

static int32_t hex(struct compiler *c, int digits)
{
    char text[9] = "";

    for (int i = 0; i < digits; i++) {
        if (c->p + i >= c->end || !strchr("0123456789abcdefABCDEF", c->p[i]) || !c->p[i])
            return -1;
        text[i] = c->p[i];
    }
    c->p += digits;
    return (int32_t)strtol(text, NULL, 16);
}

/* The ranges of \d, \w or \s, in ascending order; NULL for other names. */
static const struct regex_range *class_of(char name, int32_t *n)
{
    static const struct regex_range digit[] = { { '0', '9' } };
    static const struct regex_range word[] = {
        { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' }
    };
    static const struct regex_range space[] = { { 9, 13 },          { ' ', ' ' },
                                                { 0xa0, 0xa0 },     { 0x1680, 0x1680 },
                                                { 0x2000, 0x200a }, { 0x2028, 0x2029 },
                                                { 0x202f, 0x202f }, { 0x205f, 0x205f },
                                                { 0x3000, 0x3000 }, { 0xfeff, 0xfeff } };

    switch (name | 32) {
    case 'd':
        *n = 1;
        return digit;
    case 'w':
        *n = 4;
        return word;
    case 's':
        *n = 10;
        return space;
    default:
        return NULL;
    }
}

/* Add the ranges of a class; for a capital (\D) the gaps between them. False: no such class. */
static bool add_class(struct compiler *c, char name)
{
    int32_t n = 0, last = 0;
    const struct regex_range *r = class_of(name, &n);

    if (!r)
        return false;
    for (int32_t i = 0; i < n; i++) {
        if (name & 32)
            add_range(c, r[i].from, r[i].to);
        else if (r[i].from > last)
            add_range(c, last, r[i].from - 1);
        last = r[i].to + 1;
    }
    if (!(name & 32))
        add_range(c, last, 0x10ffff);
    return true;
}

/* The character that an escape other than a class stands for, after its backslash. */
static int32_t escaped(struct compiler *c)
{
    static const char names[] = "tnrfv0", values[] = "\t\n\r\f\v";
    const char *found;
    int32_t v = -1;

    if (!more(c)) {
        wrong(c, "a backslash at its end");
        return 0;
    }
    found = strchr(names, *c->p);
    if (found && *c->p) {
        c->p++;
        return values[found - names];
    }
    if (skip(c, "x"))
        v = hex(c, 2);
    else if (skip(c, "u"))
        v = hex(c, 4);
    else if ((*c->p >= '1' && *c->p <= '9') || *c->p == 'k')
        wrong(c, "it refers back to what was matched, which is not possible here");
    else
        return next_char(c);
    return v >= 0 ? v : c->p[-1]; /* \x or \u without digits is the letter */
}

/* One character of a set. False: it was a class, whose ranges were added. */
static bool set_char(struct compiler *c, int32_t *out)
{
    if (*c->p != '\\') {
        *out = next_char(c);
        return true;
    }
    c->p++;
    if (more(c) && add_class(c, *c->p)) {
        c->p++;
        return false;
    }
    if (skip(c, "b"))
        *out = 8;
    else
        *out = escaped(c);
    return true;
}

/* A set, after its `[`. */
static void set(struct compiler *c)
{
    bool not = skip(c, "^"), one, closed = false;
    int32_t first = c->re->nranges, from, to;

    while (more(c) && !(closed = skip(c, "]"))) {
        one = set_char(c, &from);
        to = from;
        if (one && c->end - c->p >= 2 && *c->p == '-' && c->p[1] != ']') {
            c->p++;
            if (!set_char(c, &to)) { /* [a-\d] is `a`, `-` and \d, as in other engines */
                add_range(c, '-', '-');
                to = from;
            }
        }
        if (one && to < from)
            wrong(c, "a range goes backwards");
        else if (one)
            add_range(c, from, to);
    }
    if (!closed)
        wrong(c, "a [ is not closed");
    (void)emit(c, not ? REGEX_NOT : REGEX_SET, first, c->re->nranges - first);
}

/* ---- grammar ---- */

static void alternatives(struct compiler *c);

static void group(struct compiler *c)
{
    if (skip(c, "?=") || skip(c, "?!") || skip(c, "?<=") || skip(c, "?<!")) {
        wrong(c, "it looks ahead or behind, which is not possible here");
        return;
    }
    if (skip(c, "?<")) {
        while (more(c) && *c->p != '>')
            c->p++;
        if (!skip(c, ">"))
            wrong(c, "the name of a group is not closed");
    } else if (!skip(c, "?:") && more(c) && *c->p == '?') {
        wrong(c, "a group of an unknown kind");
    }
    if (++c->depth > REGEX_DEPTH) {
        c->large = true;
        wrong(c, "it is nested too deep");
    }
    alternatives(c);
    c->depth--;
    if (!skip(c, ")"))
        wrong(c, "a ( is not closed");
}

/* A character, set, group or assertion. False: an assertion, which cannot be repeated. */
static bool atom(struct compiler *c)
{
    int32_t first = c->re->nranges;

    if (++c->work > WORK_MOST) {
        c->large = true;
        wrong(c, "it repeats too much");
    }
    if (skip(c, "^"))
        return (void)emit(c, REGEX_BEGIN, 0, 0), false;
    if (skip(c, "$"))
        return (void)emit(c, REGEX_END, 0, 0), false;
    if (skip(c, "\\b"))
        return (void)emit(c, REGEX_WORD, 0, 0), false;
    if (skip(c, "\\B"))
        return (void)emit(c, REGEX_NO_WORD, 0, 0), false;
    if (skip(c, "(")) {
        group(c);
    } else if (skip(c, "[")) {
        set(c);
    } else if (skip(c, ".")) {
        (void)emit(c, REGEX_ANY, 0, 0);
    } else if (skip(c, "\\")) {
        if (more(c) && add_class(c, *c->p)) {
            c->p++;
            (void)emit(c, REGEX_SET, first, c->re->nranges - first);
        } else {
            (void)emit(c, REGEX_CHAR, regex_lower(escaped(c)), 0);
        }
    } else {
        (void)emit(c, REGEX_CHAR, regex_lower(next_char(c)), 0);
    }
    return true;
}

/* "{2}", "{2,}", "{2,5}". False: other text in braces, which matches literally. */
static bool braces(struct compiler *c, int32_t *least, int32_t *most)
{
    const char *p = c->p;
    int32_t v[2] = { -1, -1 };
    int i = 0;

    if (p == c->end || *p != '{')
        return false;
    for (p++; p < c->end && *p != '}'; p++) {
        if (*p == ',' && i == 0 && v[0] >= 0)
            i = 1;
        else if (*p >= '0' && *p <= '9' && v[i] < REPEAT_MOST)
            v[i] = (v[i] < 0 ? 0 : v[i]) * 10 + (*p - '0');
        else
            return false;
    }
    if (p == c->end || v[0] < 0)
        return false;
    c->p = p + 1;
    *least = v[0];
    *most = i == 0 ? v[0] : v[1] < 0 ? NO_END : v[1];
    if (*most != NO_END && *most < *least)
        wrong(c, "a repetition goes backwards");
    return true;
}

static bool quantifier(struct compiler *c, int32_t *least, int32_t *most)
{
    *least = *most = 1;
    if (skip(c, "*"))
        *least = 0, *most = NO_END;
    else if (skip(c, "+"))
        *most = NO_END;
    else if (skip(c, "?"))
        *least = 0;
    else if (!braces(c, least, most))
        return false;
    return true;
}

static void split_at(struct compiler *c, int32_t at, bool lazy, int32_t out)
{
    insert(c, at, lazy ? out : 1, lazy ? 1 : out);
}

/* An atom with its quantifier. The atom is parsed again for each copy of its steps. */
static void repeated(struct compiler *c)
{
    const char *from = c->p, *behind;
    int32_t start = c->re->n, ranges = c->re->nranges, least, most, at;
    bool may = atom(c), lazy;

    if (c->why || !quantifier(c, &least, &most))
        return;
    if (!may) {
        wrong(c, "there is nothing to repeat");
        return;
    }
    lazy = skip(c, "?");
    behind = c->p;
    c->re->n = start;
    c->re->nranges = ranges;
    for (int32_t i = 0; i < least && !c->why; i++) {
        c->p = from;
        (void)atom(c);
    }
    if (most == NO_END) {
        at = c->re->n;
        c->p = from;
        (void)atom(c);
        (void)emit(c, REGEX_JUMP, at - c->re->n - 1, 0); /* counts the split inserted next */
        split_at(c, at, lazy, c->re->n - at + 1);
    }
    for (int32_t i = least; i < most && !c->why; i++) { /* optional copies */
        at = c->re->n;
        c->p = from;
        (void)atom(c);
        split_at(c, at, lazy, c->re->n - at + 1);
    }
    c->p = behind;
    if (more(c) && strchr("*+?", *c->p))
        wrong(c, "there is nothing to repeat");
}

static void alternatives(struct compiler *c)
{
    int32_t start = c->re->n, jump;

    while (more(c) && *c->p != '|' && *c->p != ')') {
        if (strchr("*+?", *c->p))
            wrong(c, "there is nothing to repeat");
        else
            repeated(c);
    }
    if (!skip(c, "|"))
        return;
    jump = emit(c, REGEX_JUMP, 0, 0);
    insert(c, start, 1, c->re->n - start + 1);
    jump++;
    if (++c->depth > REGEX_DEPTH) {
        c->large = true;
        wrong(c, "it has too many alternatives");
    }
    if (!c->why)
        alternatives(c);
    c->depth--;
    if (!c->why)
        c->re->at[jump].x = c->re->n - jump;
}

enum bough_rc regex_compile(struct bough_arena *a, struct bough_str pattern, struct regex **out,
                            struct bough_error *err)
{
    struct regex *re = arena_zalloc(a, sizeof *re);
    struct compiler c = { re, pattern.p, pattern.p, pattern.p + pattern.n, NULL, false, 0, 0 };

    re->at = arena_array(a, REGEX_STEPS, sizeof *re->at);
    re->ranges = arena_array(a, REGEX_RANGES, sizeof *re->ranges);
    *out = re;
    alternatives(&c);
    if (!c.why && c.p < c.end)
        c.why = "a ) closes nothing";
    (void)emit(&c, REGEX_DONE, 0, 0);
    if (c.why)
        return bough_fail(err, c.large ? BOUGH_TOO_LARGE : BOUGH_INVALID,
                          "the regular expression is refused at character %zu: %s",
                          (size_t)(c.p - c.from) + 1, c.why);
    return BOUGH_OK;
}
