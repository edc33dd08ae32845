/* Arenas: memory that is freed all at once. Everything that is read from a store lives in the arena
 * that the caller passed. */
#ifndef BOUGH_ARENA_H
#define BOUGH_ARENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread at a time may use an arena. */
struct bough_arena;

/* Bytes with a length: raw JSON, and text that may hold any byte. A value of two words that will
 * never grow. What is read from a store is also followed by a NUL, which `n` does not count. */
struct bough_str {
    const char *p;
    size_t n;
};

/* A new, empty arena. Never NULL: the process aborts when memory runs out. */
struct bough_arena *bough_arena_create(void);

/* Free the arena and everything in it. NULL is allowed. */
void bough_arena_destroy(struct bough_arena *a);

/* Free everything in the arena and keep some of its memory for the next use. Pointers into it
 * become invalid. */
void bough_arena_reset(struct bough_arena *a);

/* `n` bytes, not initialised, aligned for any type. Never NULL: the process aborts when memory runs
 * out. */
void *bough_arena_alloc(struct bough_arena *a, size_t n);

/* A copy of `s` in the arena; NULL stays NULL. */
char *bough_arena_strdup(struct bough_arena *a, const char *s);

#ifdef __cplusplus
}
#endif
#endif
