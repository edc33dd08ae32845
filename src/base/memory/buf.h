/* A growing byte buffer with a hard maximum, so that no input can exhaust memory. */
#ifndef BASE_MEMORY_BUF_H
#define BASE_MEMORY_BUF_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>

/*
 * A write that would exceed `max` is dropped as a whole and sets `over`. `over` stays set until
 * buf_reset() and drops all later writes, so callers check it once, at the end. The n bytes are
 * always followed by a NUL.
 */
struct buf {
    char *p; /* never NULL after buf_init */
    size_t n;
    size_t cap;
    size_t max;
    bool over;
};

void buf_init(struct buf *b, size_t max); /* empty, no memory yet; at most `max` bytes */
void buf_finish(struct buf *b);           /* frees; an all-zero struct is allowed */
void buf_reset(struct buf *b);            /* empties, clears `over`, keeps the memory */

/* Append. The bytes are copied; they must not lie inside the buffer itself. */
void buf_put(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_put_str(struct buf *b, struct bough_str s);
void buf_printf(struct buf *b, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* Slow path of buf_putc; call buf_putc instead. */
void buf_putc_grow(struct buf *b, char c);

static inline void buf_putc(struct buf *b, char c)
{
    if (b->over || b->cap - b->n < 2) {
        buf_putc_grow(b, c);
        return;
    }
    b->p[b->n++] = c;
    b->p[b->n] = '\0';
}

/*
 * Reserve n more bytes at the end. The caller writes there, adds the bytes used to b->n and calls
 * buf_end(). Returns NULL and sets `over` when n more bytes would exceed the maximum.
 */
char *buf_reserve(struct buf *b, size_t n);

static inline void buf_end(struct buf *b)
{
    b->p[b->n] = '\0';
}

/* The contents as memory of the arena, without a copy; the buffer is empty afterwards. */
struct bough_str buf_give(struct buf *b, struct bough_arena *a);

/* The contents, borrowed: valid until the next write. */
static inline struct bough_str buf_str(const struct buf *b)
{
    return (struct bough_str){ b->p, b->n };
}

#endif
