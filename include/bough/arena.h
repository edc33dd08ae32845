/* Arena: where everything read out of a store lives. One free, nothing to walk. */
#ifndef BOUGH_ARENA_H
#define BOUGH_ARENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_arena;

/* Bytes with a length: raw JSON and other text that may hold any byte. */
struct bough_str {
    const char *p;
    size_t n;
};

struct bough_arena *bough_arena_create(void);
void bough_arena_destroy(struct bough_arena *a); /* NULL is fine */
void bough_arena_reset(struct bough_arena *a);   /* forget everything, keep the memory */

/* Uninitialised, aligned for any type. Never NULL: out of memory aborts. */
void *bough_arena_alloc(struct bough_arena *a, size_t n);
char *bough_arena_strdup(struct bough_arena *a, const char *s);

#ifdef __cplusplus
}
#endif
#endif
