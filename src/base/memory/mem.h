/* Heap allocation that never returns NULL. */
#ifndef BASE_MEMORY_MEM_H
#define BASE_MEMORY_MEM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Out of memory prints one line on stderr and aborts; sizes are bounded where input enters.
 * The caller owns the memory and frees it with mem_free(). Zero bytes give a valid pointer.
 */
void *mem_alloc(size_t n);
void *mem_zalloc(size_t n);
void *mem_realloc(void *p, size_t n);
void mem_free(void *p); /* NULL is fine */

/* n * size; aborts on overflow. Use it for the size of every array. */
size_t mem_array(size_t n, size_t size);

/* An array without a stored capacity has room for 4, 8, 16 ... elements: is it full with n? */
static inline bool mem_is_full(size_t n)
{
    return n == 0 || (n >= 4 && (n & (n - 1)) == 0);
}

/* Make room for element n of a heap array that grows one element at a time; see arena_room(). */
void *mem_room(void *at, size_t n, size_t size);

#endif
