/* The word that somebody meant: the nearest of several. */
#ifndef BASE_TEXT_NEAR_H
#define BASE_TEXT_NEAR_H

#include <stddef.h>

/* Candidates are given one by one; near_best() is the best so far, NULL if none is near enough. */
struct near {
    const char *word; /* as it was typed */
    const char *best; /* as it was given */
    size_t distance;
};

struct near near_begin(const char *word);
void near_try(struct near *n, const char *candidate);
const char *near_best(const struct near *n);

#endif
