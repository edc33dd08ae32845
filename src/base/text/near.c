/* Suggests the candidate with the fewest edits, or one that the word is a part of. */
#include "base/text/near.h"

#include <stdint.h>
#include <string.h>

enum { MOST = 72 }; /* letters of a candidate; longer ones are not suggested */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein distance, where swapping two neighbours is one edit too. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][MOST + 1], nb = strlen(b);
    size_t *before = rows[0], *last = rows[1], *row = rows[2], *oldest;

    if (nb > MOST)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        last[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[nb];
}

struct near near_begin(const char *word)
{
    size_t n = strlen(word);

    /* At most a third of the letters are wrong; one of a short word. */
    return (struct near){ .word = word, .distance = n > 8 ? n / 3 + 1 : n > 3 ? 3 : n > 1 ? 2 : 0 };
}

void near_try(struct near *n, const char *candidate)
{
    size_t d = distance(n->word, candidate);

    /* "cache" for why-is-the-cache-stale: better than a guess, worse than a typo. */
    if (d > 1 && strlen(n->word) > 2 && strstr(candidate, n->word))
        d = 1;
    if (d < n->distance) {
        n->distance = d;
        n->best = candidate;
    }
}

const char *near_best(const struct near *n)
{
    return n->best;
}
