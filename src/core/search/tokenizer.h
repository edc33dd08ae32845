/*
 * The tokenizer: splits text into folded words and gives their byte offsets. The full-text index,
 * the memory backend's scan, queries and snippets all use it, so that they agree. Pure; accepts any
 * bytes.
 *
 * A word is a run of letters and digits, folded (Unicode compatibility, case) and without accents.
 * An escape sequence of a terminal (colours) separates words and is part of none. In scripts
 * without spaces between words each character is a word, as is an emoji; a phrase of such words
 * matches any part of the text.
 */
#ifndef CORE_SEARCH_TOKENIZER_H
#define CORE_SEARCH_TOKENIZER_H

#include <bough/arena.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    TOKEN_MAX = 128,     /* bytes of a word; longer ones are cut, in texts and in queries */
    TOKEN_EXPANDED = 32, /* characters that one character may decompose to */
};

struct token {
    size_t from, to; /* offsets in the text, `to` exclusive */
    size_t n;
    char text[TOKEN_MAX + 1]; /* the folded word, n bytes and a NUL */
};

struct tokenizer {
    const char *p;
    size_t n, at;
    /* The rest of a character that decomposes to several. */
    int32_t queue[TOKEN_EXPANDED];
    int queued, next;
    size_t queue_from;
};

/* `text` is borrowed and must outlive the tokenizer. Nothing to free. */
void token_init(struct tokenizer *t, struct bough_str text);
/* Read the next word; false at the end of the text. */
bool token_next(struct tokenizer *t, struct token *out);

/*
 * The next words as far as they are ASCII, folded and separated by single spaces: the same words as
 * token_next() reads. Ends before a word with a character beyond ASCII, at the end of the text, or
 * before the first word that begins behind `most` bytes. Writes at most `most` + TOKEN_MAX + 1
 * bytes, without a NUL, and never more than the text has left; returns how many.
 */
size_t token_plain_words(struct tokenizer *t, char *to, size_t most);

/* The length of the escape sequence (ESC [ ... letter) that begins at p[0], an ESC; 1 if it is
 * none. n: bytes up to the end of the text, at least 1. */
size_t escape_length(const char *p, size_t n);

#endif
