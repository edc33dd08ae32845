/*
 * The tokenizer: the words of a text, folded, with the bytes they came from. One for everything
 * that searches (the index, the memory scan, queries, snippets), so that all of them agree. Pure;
 * any bytes are safe.
 *
 * A word is a run of letters and digits. It is folded (Unicode compatibility, case) and loses its
 * accents. Scripts that put no spaces between words give one word a character, and so does an
 * emoji: a phrase of them finds any part of the text.
 */
#ifndef CORE_TOKEN_H
#define CORE_TOKEN_H

#include <bough/arena.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    TOKEN_MAX = 128,     /* bytes of a word; what is longer is cut, on both sides */
    TOKEN_EXPANDED = 32, /* characters that one character may stand for */
};

struct token {
    size_t from, to; /* bytes of the text */
    size_t n;
    char text[TOKEN_MAX + 1];
};

struct tokenizer {
    const char *p;
    size_t n, at;
    /* what is left of a character that stands for several */
    int32_t queue[TOKEN_EXPANDED];
    int queued, next;
    size_t queue_from;
};

void token_init(struct tokenizer *t, struct bough_str text);
bool token_next(struct tokenizer *t, struct token *out);

#endif
