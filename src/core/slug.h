/* Slugs: short names for addresses, from a title or out of the air. Whether one is free is not
 * known here. */
#ifndef CORE_SLUG_H
#define CORE_SLUG_H

#include <bough/arena.h>
#include <stdbool.h>

#include "base/env.h"

enum { SLUG_MAX = 64 }; /* bytes */

/*
 * Lower-case ASCII letters and digits; accents are taken off, everything else becomes one hyphen
 * between words. "" when nothing is left.
 */
const char *slug_from_title(struct bough_arena *a, const char *title);

/* "quiet-meadow" */
const char *slug_random_words(struct bough_arena *a, const struct env *env);

/* The slug with '-' and five random characters behind it, for when it is taken. */
const char *slug_with_suffix(struct bough_arena *a, const char *slug, const struct env *env);

/* 1 to 64 of a-z, 0-9 and hyphens: what a caller may ask for. */
bool slug_valid(const char *slug);

#endif
