/* Slugs: short names for URLs, from a title or random. The caller checks that they are unique. */
#ifndef CORE_MODEL_SLUG_H
#define CORE_MODEL_SLUG_H

#include <bough/arena.h>
#include <stdbool.h>

#include "base/env.h"

enum { SLUG_MAX = 64 }; /* bytes */

/*
 * Reduce a title to lower-case ASCII letters and digits: accents are removed, and each run of other
 * characters between words becomes a hyphen. At most SLUG_MAX bytes; "" when nothing is left.
 */
const char *slug_from_title(struct bough_arena *a, const char *title);

/* Two random words: "quiet-meadow". */
const char *slug_random_words(struct bough_arena *a, const struct env *env);

/* Append '-' and five random characters, for a slug that is taken; cut to fit SLUG_MAX. Another
 * `attempt` gives another suffix, even when the random source repeats itself. */
const char *slug_with_suffix(struct bough_arena *a, const char *slug, const struct env *env,
                             uint64_t attempt);

/* May a caller choose this slug: 1 to SLUG_MAX of a-z, 0-9 and hyphens? */
bool slug_valid(const char *slug);

#endif
