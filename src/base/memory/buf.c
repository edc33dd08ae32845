/* Implementation of the growing byte buffer with a hard maximum. */
#include "base/memory/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"

/* An empty buffer points here, so that p is always a C string. Never written. */
static char empty[1];

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){ .p = empty, .max = max < SIZE_MAX ? max : SIZE_MAX - 1 };
}

void buf_finish(struct buf *b)
{
    if (b->cap)
        mem_free(b->p);
    buf_init(b, b->max);
}

void buf_reset(struct buf *b)
{
    b->n = 0;
    b->over = false;
    if (b->cap)
        b->p[0] = '\0';
}

struct bough_str buf_give(struct buf *b, struct bough_arena *a)
{
    struct bough_str out = { b->p, b->n };

    if (b->cap) {
        out.p = mem_realloc(b->p, b->n + 1);
        arena_adopt(a, (void *)out.p, b->n + 1);
    }
    buf_init(b, b->max);
    return out;
}

/* Make room for n more bytes and the NUL. False, with `over` set, past the maximum. */
static bool grow(struct buf *b, size_t n)
{
    size_t need, cap;

    if (b->over || n > b->max - b->n) {
        b->over = true;
        return false;
    }
    need = b->n + n + 1;
    if (need <= b->cap)
        return true;
    cap = b->cap < 64 ? 64 : b->cap;
    while (cap < need)
        cap = cap <= SIZE_MAX / 2 ? cap * 2 : need;
    if (cap > b->max + 1)
        cap = b->max + 1;
    b->p = mem_realloc(b->cap ? b->p : NULL, cap);
    b->cap = cap;
    b->p[b->n] = '\0';
    return true;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
    if (!grow(b, n))
        return;
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void buf_putc_grow(struct buf *b, char c)
{
    buf_put(b, &c, 1);
}

void buf_puts(struct buf *b, const char *s)
{
    buf_put(b, s, strlen(s));
}

void buf_put_str(struct buf *b, struct bough_str s)
{
    buf_put(b, s.p, s.n);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    size_t room = b->over ? 0 : b->cap - b->n;
    va_list ap;
    int n;

    /* Print into the free room first; if it was too small, grow and print again. */
    va_start(ap, fmt);
    n = vsnprintf(room ? b->p + b->n : NULL, room, fmt, ap);
    va_end(ap);
    if (n < 0 || !grow(b, (size_t)n)) {
        if (b->cap)
            b->p[b->n] = '\0';
        return;
    }
    if ((size_t)n >= room) {
        va_start(ap, fmt);
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
        va_end(ap);
    }
    b->n += (size_t)n;
}

char *buf_reserve(struct buf *b, size_t n)
{
    return grow(b, n) ? b->p + b->n : NULL;
}
