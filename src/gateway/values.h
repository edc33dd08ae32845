/* Values of settings, as all sections of the configuration write them. */
#ifndef GATEWAY_VALUES_H
#define GATEWAY_VALUES_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct words {
    const char **at;
    size_t n;
};

/* False: the text is no such value. */
bool value_bool(const char *text, bool *out);
bool value_i64(const char *text, int64_t least, int64_t most, int64_t *out);
bool value_ms(const char *text, int64_t *out); /* "10s", "500 ms", "5m", "1h"; without unit: s */
/* Words between blanks and commas, added to `out`. False: too many. */
bool value_words(struct bough_arena *a, const char *text, struct words *out);

#endif
