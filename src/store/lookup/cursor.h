/* Page cursors: a few numbers as text, "3.17". Callers pass them back and do not read them. */
#ifndef STORE_LOOKUP_CURSOR_H
#define STORE_LOOKUP_CURSOR_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stddef.h>
#include <stdint.h>

/* The cursor of `n` numbers, in the arena; at most BOUGH_CURSOR_LEN characters for n <= 3. */
const char *cursor_write(struct bough_arena *a, const int64_t *numbers, size_t n);

/* The `n` numbers of a cursor. NULL and "" are the first page: `numbers` stays as it is. Anything
 * that cursor_write() does not write for `n` numbers is BOUGH_INVALID. */
BOUGH_MUST_CHECK enum bough_rc cursor_read(const char *text, int64_t *numbers, size_t n,
                                           struct bough_error *err);

/* BOUGH_INVALID, in the words of cursor_read(), for numbers that the list cannot have given. */
enum bough_rc cursor_bad(struct bough_error *err);

#endif
