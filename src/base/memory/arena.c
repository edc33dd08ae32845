/* Arena: chunks of doubling size for small allocations, a separate chunk for each large one. */
#include "base/memory/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/mem.h"

/* Under ASan the free part of a chunk is poisoned, so that use after rewind or reset is caught. */
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) __asan_poison_memory_region(p, n)
#define UNPOISON(p, n) __asan_unpoison_memory_region(p, n)
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum {
    ALIGN = 16,
    FIRST_CHUNK = 4096,      /* a small request costs one page */
    LAST_CHUNK = 1024 * 1024 /* growth stops here, so little is wasted at the end */
};

struct chunk {
    struct chunk *prev;
    uint64_t serial; /* increasing: arena_rewind() finds the chunks newer than a mark by it */
    size_t size;
    size_t used;
    void *adopted; /* memory of arena_adopt(), or NULL; `used` counts it, `size` does not */
    _Alignas(ALIGN) char data[];
};

struct bough_arena {
    struct chunk *newest; /* all chunks, newest first */
    struct chunk *cur;    /* the chunk for small allocations; never one made for a large one */
    uint64_t serial;
    size_t total; /* used bytes of all chunks */
};

static struct chunk *add_chunk(struct bough_arena *a, size_t size)
{
    struct chunk *c;

    if (size > SIZE_MAX - sizeof *c)
        size = SIZE_MAX - sizeof *c; /* mem_alloc fails and reports it */
    c = mem_alloc(sizeof *c + size);
    c->prev = a->newest;
    c->serial = ++a->serial;
    c->size = size;
    c->used = 0;
    c->adopted = NULL;
    a->newest = c;
    POISON(c->data, size);
    return c;
}

static void drop_newest(struct bough_arena *a)
{
    struct chunk *c = a->newest;

    a->newest = c->prev;
    a->total -= c->used;
    UNPOISON(c->data, c->size);
    mem_free(c->adopted);
    mem_free(c);
}

void arena_adopt(struct bough_arena *a, void *p, size_t n)
{
    struct chunk *c = add_chunk(a, 0);

    c->adopted = p;
    c->used = n;
    a->total += n;
}

/* Slow path of take(): add a chunk; a large allocation gets one of exactly its own size. */
static void *take_new(struct bough_arena *a, size_t n)
{
    size_t next = a->cur->size < LAST_CHUNK ? a->cur->size * 2 : LAST_CHUNK;
    struct chunk *c;

    if (n > next / 4) {
        c = add_chunk(a, n);
    } else {
        c = add_chunk(a, next);
        a->cur = c;
    }
    c->used = n;
    a->total += n;
    UNPOISON(c->data, n);
    return c->data;
}

/* `align` is a power of two, at most ALIGN. */
static inline void *take(struct bough_arena *a, size_t n, size_t align)
{
    struct chunk *c = a->cur;
    size_t at = (c->used + align - 1) & ~(align - 1);

    if (at > c->size || c->size - at < n)
        return take_new(a, n);
    a->total += at + n - c->used;
    c->used = at + n;
    UNPOISON(c->data + at, n);
    return c->data + at;
}

struct bough_arena *bough_arena_create(void)
{
    struct bough_arena *a = mem_zalloc(sizeof *a);

    a->cur = add_chunk(a, FIRST_CHUNK - sizeof *a->cur);
    return a;
}

void bough_arena_destroy(struct bough_arena *a)
{
    if (!a)
        return;
    while (a->newest)
        drop_newest(a);
    mem_free(a);
}

/* Keeps one chunk for reuse: the current one, the largest of those for small allocations. */
void bough_arena_reset(struct bough_arena *a)
{
    struct chunk *keep = a->cur;

    while (a->newest != keep)
        drop_newest(a);
    a->newest = keep->prev;
    while (a->newest)
        drop_newest(a);
    keep->prev = NULL;
    keep->used = 0;
    a->newest = keep;
    a->total = 0;
    POISON(keep->data, keep->size);
}

void *bough_arena_alloc(struct bough_arena *a, size_t n)
{
    return take(a, n, ALIGN);
}

char *bough_arena_strdup(struct bough_arena *a, const char *s)
{
    return arena_strdup(a, s);
}

void *arena_alloc(struct bough_arena *a, size_t n)
{
    return take(a, n, ALIGN);
}

void *arena_zalloc(struct bough_arena *a, size_t n)
{
    return memset(take(a, n, ALIGN), 0, n);
}

void *arena_array(struct bough_arena *a, size_t n, size_t size)
{
    return arena_zalloc(a, mem_array(n, size));
}

void *arena_dup(struct bough_arena *a, const void *p, size_t n)
{
    void *copy = take(a, n, ALIGN);

    if (n)
        memcpy(copy, p, n);
    return copy;
}

char *arena_strndup(struct bough_arena *a, const char *p, size_t n)
{
    char *copy = take(a, n + 1, 1);

    if (n)
        memcpy(copy, p, n);
    copy[n] = '\0';
    return copy;
}

char *arena_strdup(struct bough_arena *a, const char *s)
{
    return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_printf(struct bough_arena *a, const char *fmt, ...)
{
    char small[256];
    char *out;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0)
        return arena_strdup(a, "");
    if ((size_t)n < sizeof small)
        return arena_strndup(a, small, (size_t)n);
    out = take(a, (size_t)n + 1, 1);
    va_start(ap, fmt);
    vsnprintf(out, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return out;
}

/* Resize `p` in place if it is the last allocation of `c` and the chunk has room. */
static bool resize_at_end(struct bough_arena *a, struct chunk *c, char *p, size_t old, size_t n)
{
    size_t at;

    if (p < c->data || p > c->data + c->used || (size_t)(c->data + c->used - p) != old)
        return false;
    at = (size_t)(p - c->data);
    if (c->size - at < n)
        return false;
    POISON(p, old);
    UNPOISON(p, n);
    a->total += at + n - c->used;
    c->used = at + n;
    return true;
}

void *arena_resize(struct bough_arena *a, void *p, size_t old, size_t n)
{
    struct chunk *c = a->newest;
    void *moved;

    if (!p)
        return take(a, n, ALIGN);
    if (resize_at_end(a, a->cur, p, old, n))
        return p;
    if (c != a->cur && (char *)p == c->data && c->used == old && n > 0) {
        /* The newest large allocation, alone in its chunk: realloc may avoid the copy. */
        UNPOISON(c->data, c->size);
        c = mem_realloc(c, sizeof *c + n);
        a->newest = c;
        a->total += n - old;
        c->size = c->used = n;
        return c->data;
    }
    if (n <= old)
        return p;
    moved = take(a, n, ALIGN);
    memcpy(moved, p, old);
    return moved;
}

struct bough_str arena_str(struct bough_arena *a, struct bough_str s)
{
    return (struct bough_str){ arena_dup(a, s.p, s.n), s.n };
}

void *arena_room(struct bough_arena *a, void *at, size_t n, size_t size)
{
    if (!mem_is_full(n))
        return at;
    return arena_resize(a, at, mem_array(n, size), mem_array(n ? 2 * n : 4, size));
}

struct arena_mark arena_mark(struct bough_arena *a)
{
    return (struct arena_mark){ a->newest->serial, a->cur, a->cur->used };
}

void arena_rewind(struct bough_arena *a, struct arena_mark mark)
{
    while (a->newest->serial > mark.serial)
        drop_newest(a);
    a->cur = mark.chunk;
    a->total -= a->cur->used - mark.used;
    a->cur->used = mark.used;
    POISON(a->cur->data + mark.used, a->cur->size - mark.used);
}

size_t arena_used(const struct bough_arena *a)
{
    return a->total;
}
