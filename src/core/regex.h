/*
 * Regular expressions over text, in time that grows with the text only: no backtracking, so no
 * expression and no text can make it hang. Pure.
 *
 * Case never matters. `.` `[...]` `|` `(...)` `(?:...)` `*` `+` `?` `{m,n}` (and their lazy forms)
 * `^`
 * `$` `\b` `\B` `\d` `\w` `\s` and their opposites, `\t` `\n` `\xHH` `\uHHHH`. What needs memory of
 * what was matched, or a look ahead or behind, is refused.
 */
#ifndef CORE_REGEX_H
#define CORE_REGEX_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

struct regex;

/* In `a`. BOUGH_INVALID when it is none, with where and why; BOUGH_TOO_LARGE when it would need too
 * many steps a character. */
BOUGH_MUST_CHECK enum bough_rc regex_compile(struct bough_arena *a, struct bough_str pattern,
                                             struct regex **out, struct bough_error *err);

/* The first match that begins at byte `at` or later: bytes from..to of the text. */
bool regex_find(const struct regex *re, struct bough_arena *tmp, struct bough_str text, size_t at,
                size_t *from, size_t *to);

/* ---- inside view: what the two halves share ---- */

enum regex_op {
    REGEX_CHAR,  /* x: a code point in lower case */
    REGEX_ANY,   /* all but the end of a line */
    REGEX_SET,   /* ranges x .. x + y - 1 */
    REGEX_NOT,   /* none of those */
    REGEX_SPLIT, /* on at x, else at y, both from here */
    REGEX_JUMP,  /* on at x */
    REGEX_BEGIN,
    REGEX_END,
    REGEX_WORD, /* between a word and something else */
    REGEX_NO_WORD,
    REGEX_DONE,
};

struct regex_step {
    enum regex_op op;
    int32_t x, y;
};

struct regex_range {
    int32_t from, to; /* both belong to it */
};

enum { REGEX_STEPS = 512, REGEX_RANGES = 1024, REGEX_DEPTH = 100 };

struct regex {
    struct regex_step *at;
    int32_t n;
    struct regex_range *ranges;
    int32_t nranges;
};

int32_t regex_lower(int32_t c);

#endif
