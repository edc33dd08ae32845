/* Heap allocation that never returns NULL: out of memory prints one line and aborts. */
#include "base/memory/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void out_of_memory(size_t n)
{
    fprintf(stderr, "bough: out of memory (%zu bytes wanted)\n", n);
    abort();
}

void *mem_alloc(size_t n)
{
    void *p = malloc(n ? n : 1);

    if (!p)
        out_of_memory(n);
    return p;
}

void *mem_zalloc(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    if (!p)
        out_of_memory(n);
    return p;
}

void *mem_realloc(void *p, size_t n)
{
    void *q = realloc(p, n ? n : 1);

    if (!q)
        out_of_memory(n);
    return q;
}

void mem_free(void *p)
{
    free(p);
}

size_t mem_array(size_t n, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, size, &bytes))
        out_of_memory(SIZE_MAX);
    return bytes;
}

void *mem_room(void *at, size_t n, size_t size)
{
    return mem_is_full(n) ? mem_realloc(at, mem_array(n ? 2 * n : 4, size)) : at;
}
