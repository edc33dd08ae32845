/*
 * Room to grow in public structs. Each ends with words that callers leave 0. A later version turns
 * a word into a member: the layout stays, and a program compiled earlier passes 0 for it. A word
 * that is not 0 was never initialised, or means something that this version does not know.
 */
#ifndef BASE_RESERVED_H
#define BASE_RESERVED_H

#include <bough/error.h>

#include <stddef.h>
#include <stdint.h>

/* BOUGH_INVALID unless all words of `what` are 0. `words` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc reserved_check(const char *what, const uint64_t *words, size_t n,
                                              struct bough_error *err);

/* The same for a pointer to struct `type`, which may be NULL. */
#define RESERVED_CHECK(type, p, err)                                                               \
    reserved_check(#type, (p) ? (p)->reserved : NULL,                                              \
                   sizeof((const struct type *)NULL)->reserved / sizeof(uint64_t), err)

#endif
