/* Arena, inside view: the verbs the library itself uses. Everything aborts on out-of-memory. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdint.h>

/* A place to come back to. Valid until the arena is reset or rewound to an earlier mark. */
struct arena_mark {
    uint64_t serial;
    void *chunk;
    size_t used;
};

void *arena_alloc(struct bough_arena *a, size_t n);  /* uninitialised, aligned for any type */
void *arena_zalloc(struct bough_arena *a, size_t n); /* all zero */

/* n * size bytes, all zero; aborts when the product overflows. */
void *arena_array(struct bough_arena *a, size_t n, size_t size);

/* A copy of n bytes, without a NUL behind it. Aligned for any type. */
void *arena_dup(struct bough_arena *a, const void *p, size_t n);

char *arena_strdup(struct bough_arena *a, const char *s);            /* NULL gives NULL */
char *arena_strndup(struct bough_arena *a, const char *p, size_t n); /* adds the NUL */
char *arena_printf(struct bough_arena *a, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/*
 * Make the allocation `p` of `old` bytes `n` bytes big, in place when it is the newest one.
 * Otherwise the bytes move and the old place stays used. `p` may be NULL with old 0.
 */
void *arena_resize(struct bough_arena *a, void *p, size_t old, size_t n);

/* Forget everything allocated since the mark. */
struct arena_mark arena_mark(struct bough_arena *a);
void arena_rewind(struct bough_arena *a, struct arena_mark mark);

/* Bytes handed out since the arena was made or reset, alignment included. */
size_t arena_used(const struct bough_arena *a);

#endif
