/* Compressing what is worth it. Pure. */
#ifndef CORE_SQUEEZE_H
#define CORE_SQUEEZE_H

#include <bough/arena.h>
#include <stdbool.h>

enum { SQUEEZE_FROM = 1024 }; /* bytes: what is shorter is not worth it */

/* Bytes as they are stored: `raw` long before compression. */
struct squeezed {
    struct bough_str bytes;
    size_t raw;
    bool zstd;
};

/* Compress from `from` bytes on (0: never), when that saves an eighth: reading what is not
 * compressed costs nothing extra. */
struct squeezed squeeze(struct bough_arena *a, struct bough_str bytes, size_t from);

/* The bytes again; false when they are damaged. The caller has bounded `raw`. */
bool unsqueeze(struct bough_arena *a, const struct squeezed *in, struct bough_str *out);

#endif
