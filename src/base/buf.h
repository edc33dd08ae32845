/* A growing byte buffer with a hard maximum, so that no input can make it eat the machine. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>

/*
 * A write that would pass `max` is dropped whole and sets `over`, which stays set (until reset):
 * build everything, then look at `over` once. There is always a NUL behind the n bytes.
 */
struct buf {
    char *p; /* never NULL after buf_init */
    size_t n;
    size_t cap;
    size_t max;
    bool over;
};

void buf_init(struct buf *b, size_t max);
void buf_finish(struct buf *b); /* a buf of zero bytes is fine too */
void buf_reset(struct buf *b);  /* empty again; keeps its memory */

void buf_put(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_put_str(struct buf *b, struct bough_str s);
void buf_printf(struct buf *b, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* Slow half of buf_putc. */
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
 * Room for n more bytes behind the end; the caller fills it and adds what it used to b->n, then
 * calls buf_end. NULL (and `over`) when that would pass the maximum.
 */
char *buf_reserve(struct buf *b, size_t n);

static inline void buf_end(struct buf *b)
{
    b->p[b->n] = '\0';
}

/* Borrowed: good until the next write. */
static inline struct bough_str buf_str(const struct buf *b)
{
    return (struct bough_str){ b->p, b->n };
}

#endif
