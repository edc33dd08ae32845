/* Upper half of the JSON scanner, the grammar: inlined into the three readers. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <string.h>

#include "base/json/lex.h"

/* What the grammar expects next. */
enum json_want {
    WANT_VALUE,
    WANT_KEY,
    WANT_FIRST_VALUE, /* after `[`: a value or `]` */
    WANT_FIRST_KEY,   /* after `{`: a key or `}` */
    WANT_MORE,        /* after a value: a comma, the container's end, or the end of the text */
};

enum json_token {
    TOKEN_BAD, /* error: s->why at s->p. json_check() relies on BAD < DONE < the others */
    TOKEN_DONE,
    TOKEN_KEY,
    TOKEN_SCALAR,
    TOKEN_BEGIN,
    TOKEN_END,
};

struct json_lexeme {
    const unsigned char *start; /* the lexeme ends at s->p, except a key */
    const unsigned char *end;   /* keys only: past the closing quote (s->p is past the colon) */
    enum json_type type;
    bool escaped;
};

/* Report why the scanner stopped: BOUGH_TOO_DEEP or BOUGH_INVALID. Only after TOKEN_BAD. */
enum bough_rc json_scan_fail(const struct json_scan *s, struct bough_error *err);

SCAN_INLINE void scan_init(struct json_scan *s, struct bough_str text, uint32_t max)
{
    s->start = s->p = (const unsigned char *)(text.p ? text.p : "");
    s->end = s->start + (text.p ? text.n : 0);
    s->why = NULL;
    s->depth = 0;
    s->max = max < LIMIT_JSON_DEPTH ? max : LIMIT_JSON_DEPTH;
    s->want = WANT_VALUE;
    s->object = false;
    s->too_deep = false;
    memset(s->bits, 0, sizeof s->bits);
}

SCAN_INLINE enum json_token scan_bad(struct json_scan *s, const char *why)
{
    s->why = why;
    return TOKEN_BAD;
}

SCAN_INLINE enum json_token scan_begin(struct json_scan *s, struct json_lexeme *out, bool object)
{
    if (SCAN_RARE(s->depth >= s->max)) {
        s->too_deep = true;
        return scan_bad(s, "too deep");
    }
    out->type = object ? JSON_OBJECT : JSON_ARRAY;
    s->bits[s->depth / 64] &= ~(UINT64_C(1) << s->depth % 64);
    s->bits[s->depth / 64] |= (uint64_t)object << s->depth % 64;
    s->depth++;
    s->object = object;
    s->want = object ? WANT_FIRST_KEY : WANT_FIRST_VALUE;
    s->p++;
    return TOKEN_BEGIN;
}

/* Close the innermost container; an error if its closing character is not at p. */
SCAN_INLINE enum json_token scan_end(struct json_scan *s, struct json_lexeme *out)
{
    out->start = s->p;
    out->type = s->object ? JSON_OBJECT : JSON_ARRAY;
    if (SCAN_RARE(scan_peek(s) != (s->object ? '}' : ']')))
        return scan_bad(s, s->object ? "`,` or `}` expected" : "`,` or `]` expected");
    s->p++;
    s->depth--;
    s->object = s->depth && (s->bits[(s->depth - 1) / 64] >> (s->depth - 1) % 64 & 1);
    s->want = WANT_MORE;
    return TOKEN_END;
}

SCAN_INLINE enum json_token scan_word(struct json_scan *s, struct json_lexeme *out,
                                      const char *word, size_t n, enum json_type type)
{
    if (SCAN_RARE((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0))
        return scan_bad(s, "a value is expected");
    s->p += n;
    out->type = type;
    return TOKEN_SCALAR;
}

SCAN_INLINE enum json_token scan_value(struct json_scan *s, struct json_lexeme *out)
{
    unsigned c = scan_peek(s);

    out->start = s->p;
    out->escaped = false;
    if (c == '{' || c == '[')
        return scan_begin(s, out, c == '{');
    s->want = WANT_MORE;
    if (c == '"') {
        out->type = JSON_STRING;
        return scan_string(s, &out->escaped) ? TOKEN_SCALAR : TOKEN_BAD;
    }
    if (c == '-' || c - '0' < 10) {
        out->type = JSON_NUMBER;
        return scan_number(s) ? TOKEN_SCALAR : scan_bad(s, "the number is malformed");
    }
    if (c == 't')
        return scan_word(s, out, "true", 4, JSON_TRUE);
    if (c == 'f')
        return scan_word(s, out, "false", 5, JSON_FALSE);
    return scan_word(s, out, "null", 4, JSON_NULL);
}

/* A member's name and the colon after it. */
SCAN_INLINE enum json_token scan_key(struct json_scan *s, struct json_lexeme *out)
{
    out->start = s->p;
    out->type = JSON_STRING;
    if (SCAN_RARE(scan_peek(s) != '"'))
        return scan_bad(s, "a name in quotes is expected");
    if (SCAN_RARE(!scan_string(s, &out->escaped)))
        return TOKEN_BAD;
    out->end = s->p;
    if (scan_peek(s) != ':')
        scan_space(s);
    if (SCAN_RARE(scan_peek(s) != ':'))
        return scan_bad(s, "`:` expected");
    s->p++;
    s->want = WANT_VALUE;
    return TOKEN_KEY;
}

SCAN_INLINE enum json_token scan_next(struct json_scan *s, struct json_lexeme *out)
{
    bool want_key = s->want == WANT_KEY || s->want == WANT_FIRST_KEY;

    scan_space(s);
    if (s->want == WANT_MORE) {
        if (s->depth == 0)
            return s->p == s->end ? TOKEN_DONE : scan_bad(s, "there is more after the value");
        if (scan_peek(s) != ',')
            return scan_end(s, out);
        s->p++;
        scan_space(s);
        want_key = s->object;
    } else if (s->want == WANT_FIRST_KEY || s->want == WANT_FIRST_VALUE) {
        if (scan_peek(s) == (want_key ? '}' : ']'))
            return scan_end(s, out);
    }
    return want_key ? scan_key(s, out) : scan_value(s, out);
}

#endif
