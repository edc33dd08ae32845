/* Compression of stored bytes, where it is worth it. */
#ifndef BASE_MEMORY_SQUEEZE_H
#define BASE_MEMORY_SQUEEZE_H

#include <bough/arena.h>
#include <stdbool.h>

enum { SQUEEZE_FROM = 1024 }; /* bytes; shorter ones are not worth compressing */

/* Bytes as stored. `raw` is their length before compression; `zstd`: they are compressed. */
struct squeezed {
    struct bough_str bytes;
    size_t raw;
    bool zstd;
};

/*
 * Compress if there are `from` bytes or more (0: never) and it saves at least an eighth. Otherwise
 * the result borrows `bytes`.
 */
struct squeezed squeeze(struct bough_arena *a, struct bough_str bytes, size_t from);

/*
 * Restore the original bytes, in `a`, or borrowed from `in` if not compressed. False when they are
 * damaged. The caller must bound in->raw: that much memory is allocated.
 */
bool unsqueeze(struct bough_arena *a, const struct squeezed *in, struct bough_str *out);

#endif
