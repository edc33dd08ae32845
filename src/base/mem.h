/* Heap memory that never comes back NULL. Only files in base/ call these. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Out of memory prints one line and aborts: what we guard instead is size, at every input. */
void *mem_alloc(size_t n);
void *mem_zalloc(size_t n);
void *mem_realloc(void *p, size_t n);
void mem_free(void *p); /* NULL is fine */

/* n * size, aborting when that overflows: use it for every array. */
size_t mem_array(size_t n, size_t size);

#endif
