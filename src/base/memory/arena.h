/*
 * Arena, internal interface: allocation functions beyond those of bough/arena.h. An arena is not
 * locked: one thread uses it at a time. Out of memory aborts, so no function returns NULL for it.
 */
#ifndef BASE_MEMORY_ARENA_H
#define BASE_MEMORY_ARENA_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdint.h>

/*
 * A saved fill level of an arena, for arena_rewind(). Valid until the arena is reset or rewound to
 * an earlier mark.
 */
struct arena_mark {
    uint64_t serial;
    void *chunk;
    size_t used;
};

void *arena_alloc(struct bough_arena *a, size_t n);  /* uninitialised, aligned for any type */
void *arena_zalloc(struct bough_arena *a, size_t n); /* all zero */

/* n * size bytes, all zero; aborts when the product overflows. */
void *arena_array(struct bough_arena *a, size_t n, size_t size);

/* A copy of n bytes, no NUL added. Aligned for any type. */
void *arena_dup(struct bough_arena *a, const void *p, size_t n);

char *arena_strdup(struct bough_arena *a, const char *s);            /* NULL gives NULL */
char *arena_strndup(struct bough_arena *a, const char *p, size_t n); /* adds the NUL */
char *arena_printf(struct bough_arena *a, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/*
 * Resize the allocation `p` from `old` to `n` bytes and return its new address. The newest
 * allocation is resized in place if its chunk has room. An allocation that must grow elsewhere is
 * copied, and the old bytes stay allocated. `p` may be NULL with `old` 0.
 */
void *arena_resize(struct bough_arena *a, void *p, size_t old, size_t n);

/* Take over n bytes that mem_alloc() gave: they are freed with the arena's own memory. */
void arena_adopt(struct bough_arena *a, void *p, size_t n);

/* A copy of the bytes, no NUL added. */
struct bough_str arena_str(struct bough_arena *a, struct bough_str s);

/*
 * Make room for element n of an array that grows one element at a time, and return the array. No
 * capacity is stored: room doubles whenever n is 0 or a power of two from 4 on. Use it as
 *     l->at = arena_room(a, l->at, l->n, sizeof *l->at);
 *     l->at[l->n++] = element;
 */
void *arena_room(struct bough_arena *a, void *at, size_t n, size_t size);

/*
 * arena_rewind() frees everything allocated since the mark was taken. An allocation made before
 * the mark must not be resized between mark and rewind.
 */
struct arena_mark arena_mark(struct bough_arena *a);
void arena_rewind(struct bough_arena *a, struct arena_mark mark);

/* Bytes now allocated, alignment padding included. */
size_t arena_used(const struct bough_arena *a);

#endif
