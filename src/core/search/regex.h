/*
 * Regular expressions in linear time: no backtracking, so no pattern and no text can make a search
 * hang. Pure.
 *
 * Matching ignores case. Supported: `.` `[...]` `|` `(...)` `(?:...)`, the quantifiers `*` `+` `?`
 * `{m,n}` and their lazy forms, `^` `$` (start and end of the text), `\b` `\B`, the classes
 * `\d` `\w` `\s` and their opposites, and `\t` `\n` `\xHH` `\uHHHH`. Back-references, look-ahead
 * and look-behind are refused.
 */
#ifndef CORE_SEARCH_REGEX_H
#define CORE_SEARCH_REGEX_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

struct regex;

/*
 * Compile into the arena. BOUGH_INVALID for a bad pattern, with position and reason in the message;
 * BOUGH_TOO_LARGE when it needs too many steps, ranges, levels of nesting or repetitions.
 */
BOUGH_MUST_CHECK enum bough_rc regex_compile(struct bough_arena *a, struct bough_str pattern,
                                             struct regex **out, struct bough_error *err);

/* Asked every few thousand characters: a search that is over gives up. */
struct regex_stop {
    bool (*over)(void *user);
    void *user;
    bool gave_up; /* set when it did */
};

/*
 * Find the first match that begins at byte `at` or later; it is bytes *from to *to - 1. `tmp` is
 * used for scratch memory, which is released on return. Reads `re` only: threads may share it.
 * `stop` may be NULL. False also when the search gave up.
 */
bool regex_find(const struct regex *re, struct bough_arena *tmp, struct bough_str text, size_t at,
                struct regex_stop *stop, size_t *from, size_t *to);

/* ---- internal: shared by regex_compile.c and regex.c ---- */

enum regex_op {
    REGEX_CHAR,  /* x: a code point in lower case */
    REGEX_ANY,   /* any character except a line end */
    REGEX_SET,   /* a character in one of ranges[x .. x + y - 1] */
    REGEX_NOT,   /* a character in none of them */
    REGEX_SPLIT, /* continue at both, x preferred to y; relative to this step */
    REGEX_JUMP,  /* continue at x, relative to this step */
    REGEX_BEGIN, /* start of the text */
    REGEX_END,   /* end of the text */
    REGEX_WORD,  /* a word boundary */
    REGEX_NO_WORD,
    REGEX_DONE, /* a match */
};

struct regex_step {
    enum regex_op op;
    int32_t x, y;
};

struct regex_range {
    int32_t from, to; /* both inclusive */
};

enum { REGEX_STEPS = 512, REGEX_RANGES = 1024, REGEX_DEPTH = 100 };

struct regex {
    struct regex_step *at;
    int32_t n;
    struct regex_range *ranges;
    int32_t nranges;
};

/* The code point in lower case. */
int32_t regex_lower(int32_t c);

#endif
