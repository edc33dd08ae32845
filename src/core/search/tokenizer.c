/* The tokenizer: a fast loop for ASCII words, Unicode tables for all others. Pure. */
#include "core/search/tokenizer.h"

#include <utf8proc.h>

#include "base/text/str.h"
#include "base/text/utf8.h"

enum {
    CHARS = TOKEN_MAX, /* characters kept of a word */
    ESC = 0x1b,
};

/* ---- classes of characters ---- */

enum class {
    SEPARATES,
    IGNORED, /* dropped without ending the word: accents, joiners */
    BELONGS, /* a mark that changes the letter before it and is kept */
    WORD,
    ALONE, /* a word by itself */
};

static const struct {
    int32_t from, to;
} alone[] = {
    { 0x0e00, 0x0eff }, /* Thai, Lao */
    { 0x1000, 0x109f }, /* Myanmar */
    { 0x1100, 0x115f }, /* the first part of a Hangul syllable */
    { 0x1780, 0x17ff }, /* Khmer */
    { 0x2e80, 0x2fdf }, /* radicals */
    { 0x3005, 0x3007 }, { 0x3021, 0x3029 },   { 0x3040, 0x31ff }, /* kana, bopomofo, Hangul jamo */
    { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff },   { 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },
    { 0xf900, 0xfaff }, { 0x1b000, 0x1b2ff }, { 0x20000, 0x3ffff },
};

static bool stands_alone(int32_t cp)
{
    for (size_t i = 0; cp >= 0x0e00 && i < sizeof alone / sizeof *alone; i++)
        if (cp >= alone[i].from && cp <= alone[i].to)
            return true;
    return false;
}

/*
 * Accents are dropped; vowel signs and similar marks change the word and are kept. They differ in
 * Unicode's combining class: 10-36 are Hebrew and Arabic points, 200 and above are accents by
 * position.
 */
static enum class mark_class(int32_t cp, const utf8proc_property_t *p) {
    int ccc = p->combining_class;

    if ((cp >= 0xfe00 && cp <= 0xfe0f) || cp >= 0xe0100) return IGNORED; /* variation selectors */
    return ccc == 1 || (ccc >= 10 && ccc <= 36) || ccc >= 200 ? IGNORED : BELONGS;
}

static enum class class_of(int32_t cp) {
    const utf8proc_property_t *p = utf8proc_get_property(cp);

    switch ((utf8proc_category_t)p->category){
        case UTF8PROC_CATEGORY_LU : case UTF8PROC_CATEGORY_LL : case UTF8PROC_CATEGORY_LT : case
        UTF8PROC_CATEGORY_LM : case UTF8PROC_CATEGORY_LO : case UTF8PROC_CATEGORY_ND : case
        UTF8PROC_CATEGORY_NL : case UTF8PROC_CATEGORY_NO :
            if ((cp >= 0x1160 && cp <= 0x11ff) ||
                (cp >= 0xd7b0 && cp <= 0xd7ff)) return BELONGS; /* the rest of a Hangul syllable */
        return stands_alone(cp) ? ALONE : WORD;
        case UTF8PROC_CATEGORY_MN : case UTF8PROC_CATEGORY_MC : case
        UTF8PROC_CATEGORY_ME : return mark_class(cp, p);
        case UTF8PROC_CATEGORY_CF : return IGNORED;
        case UTF8PROC_CATEGORY_SO : return (cp >= 0x2600 && cp <= 0x27bf) || cp >= 0x1f000
            ? ALONE
            : SEPARATES;
        case UTF8PROC_CATEGORY_SK : return cp >= 0x1f3fb && cp <= 0x1f3ff
            ? IGNORED
            : SEPARATES; /* skin tones */
        default : return SEPARATES;
    }
}

/* ---- ASCII ---- */

#define LETTER(c) [c] = (c), [(c)-32] = (c)
#define DIGIT(c) [c] = (c)

/* The folded letter or digit; 0 for a separator and for a byte beyond ASCII. */
static const char folded[256] = {
    LETTER('a'), LETTER('b'), LETTER('c'), LETTER('d'), LETTER('e'), LETTER('f'),
    LETTER('g'), LETTER('h'), LETTER('i'), LETTER('j'), LETTER('k'), LETTER('l'),
    LETTER('m'), LETTER('n'), LETTER('o'), LETTER('p'), LETTER('q'), LETTER('r'),
    LETTER('s'), LETTER('t'), LETTER('u'), LETTER('v'), LETTER('w'), LETTER('x'),
    LETTER('y'), LETTER('z'), DIGIT('0'),  DIGIT('1'),  DIGIT('2'),  DIGIT('3'),
    DIGIT('4'),  DIGIT('5'),  DIGIT('6'),  DIGIT('7'),  DIGIT('8'),  DIGIT('9'),
};

/* Go to the next letter, digit or byte beyond ASCII. False: the end of the text. */
static inline bool skip_separators(struct tokenizer *t)
{
    const unsigned char *p = (const unsigned char *)t->p;

    while (t->at < t->n && p[t->at] < 0x80 && !folded[p[t->at]])
        t->at += p[t->at] == ESC ? escape_length(t->p + t->at, t->n - t->at) : 1;
    return t->at < t->n;
}

/* Read a word of ASCII only. False: the word continues with a character beyond ASCII. */
static bool plain_word(struct tokenizer *t, struct token *out)
{
    const unsigned char *p = (const unsigned char *)t->p;
    size_t i = t->at, n = 0;
    char c;

    for (; i < t->n && (c = folded[p[i]]); i++)
        if (n < TOKEN_MAX)
            out->text[n++] = c;
    if (i < t->n && p[i] >= 0x80)
        return false;
    out->from = t->at;
    out->to = t->at = i;
    out->n = n;
    out->text[n] = '\0';
    return true;
}

size_t token_plain_words(struct tokenizer *t, char *to, size_t most)
{
    const unsigned char *p = (const unsigned char *)t->p;
    size_t n = 0;

    while (t->next >= t->queued && n < most && skip_separators(t) && p[t->at] < 0x80) {
        size_t i = t->at, before = n, end;
        char c;

        if (n)
            to[n++] = ' ';
        for (end = n + TOKEN_MAX; i < t->n && (c = folded[p[i]]); i++)
            if (n < end)
                to[n++] = c;
        if (i < t->n && p[i] >= 0x80)
            return before;
        t->at = i;
    }
    return n;
}

/* ---- escape sequences ---- */

size_t escape_length(const char *p, size_t n)
{
    size_t i = 2;

    if (n < 2 || p[1] != '[')
        return 1;
    while (i < n && p[i] >= ' ' && p[i] <= '?') /* parameters */
        i++;
    return i < n && p[i] >= '@' && p[i] <= '~' ? i + 1 : 1;
}

/* ---- words beyond ASCII ---- */

struct word {
    int32_t at[CHARS + 4]; /* a margin for composing */
    int n;
    bool alone;
    size_t from, to;
};

/*
 * Add one character. False: the word ends before it. *ended: the character is a separator and is
 * consumed; otherwise it begins the next word.
 */
static bool take(struct word *w, int32_t cp, size_t from, size_t to, bool *ended)
{
    enum class c = class_of(cp);

    *ended = false;
    switch (c) {
    case SEPARATES:
        *ended = w->n > 0;
        return !*ended;
    case IGNORED:
        if (w->n)
            w->to = to;
        return true;
    case BELONGS:
        if (!w->n)
            return true;
        break;
    case ALONE:
    case WORD:
        if (w->n && (w->alone || c == ALONE))
            return false;
        w->alone = c == ALONE;
        break;
    }
    if (!w->n)
        w->from = from;
    w->to = to;
    if (w->n < CHARS)
        w->at[w->n++] = cp;
    return true;
}

/* Decompose and fold the character at t->at into the queue. */
static void expand(struct tokenizer *t)
{
    const utf8proc_option_t how = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                      UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD);
    uint32_t cp = 0;
    size_t k = utf8_get(t->p + t->at, t->n - t->at, &cp);
    utf8proc_ssize_t n;

    t->queue_from = t->at;
    t->at += cp == ESC ? escape_length(t->p + t->at, t->n - t->at) : k ? k : 1;
    t->next = 0;
    t->queued = 1;
    t->queue[0] = k ? (int32_t)cp : 0xfffd; /* U+FFFD is a separator */
    n = utf8proc_decompose_char(t->queue[0], t->queue, TOKEN_EXPANDED, how, NULL);
    if (n >= 0)
        t->queued = n < TOKEN_EXPANDED ? (int)n : TOKEN_EXPANDED;
}

/* Collect the next word from the queue; empty at the end of the text. */
static void gather(struct tokenizer *t, struct word *w)
{
    bool ended = false;

    for (;;) {
        for (; t->next < t->queued; t->next++)
            if (!take(w, t->queue[t->next], t->queue_from, t->at, &ended)) {
                t->next += ended;
                return;
            }
        if (t->at >= t->n)
            return;
        expand(t);
    }
}

static void finish(struct word *w, struct token *out)
{
    const utf8proc_option_t how = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    utf8proc_ssize_t n = utf8proc_normalize_utf32(w->at, w->n, how);
    char c[4];

    out->from = w->from;
    out->to = w->to;
    out->n = 0;
    for (utf8proc_ssize_t i = 0; i < n; i++) {
        size_t k = utf8_put((uint32_t)w->at[i], c);

        if (out->n + k > TOKEN_MAX)
            break;
        memcpy(out->text + out->n, c, k);
        out->n += k;
    }
    out->text[out->n] = '\0';
}

void token_init(struct tokenizer *t, struct bough_str text)
{
    *t = (struct tokenizer){ .p = text.p, .n = text.n };
}

bool token_next(struct tokenizer *t, struct token *out)
{
    struct word w;

    if (t->next >= t->queued) {
        if (!skip_separators(t))
            return false;
        if ((unsigned char)t->p[t->at] < 0x80 && plain_word(t, out))
            return true;
    }
    w.n = 0;
    w.alone = false;
    gather(t, &w);
    if (!w.n)
        return false;
    finish(&w, out);
    return true;
}
