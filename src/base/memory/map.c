/* Hash table, number to number: open addressing, linear probing, deletion by shifting back. */
#include "base/memory/map.h"

#include <string.h>

#include "base/hash/hash.h"
#include "base/memory/mem.h"

struct map_slot {
    uint64_t key;
    uint64_t val;
};

void map_init(struct map *m)
{
    *m = (struct map){ 0 };
}

void map_finish(struct map *m)
{
    mem_free(m->slots);
    mem_free(m->used);
    map_init(m);
}

void map_clear(struct map *m)
{
    if (m->cap)
        memset(m->used, 0, m->cap);
    m->count = 0;
}

/* The slot that holds the key, or the free slot where it belongs. cap must not be 0. */
static size_t find(const struct map *m, uint64_t key)
{
    size_t mask = m->cap - 1;
    size_t i = hash_u64(key) & mask;

    while (m->used[i] && m->slots[i].key != key)
        i = (i + 1) & mask;
    return i;
}

bool map_get(const struct map *m, uint64_t key, uint64_t *val)
{
    size_t i;

    if (!m->count)
        return false;
    i = find(m, key);
    if (!m->used[i])
        return false;
    if (val)
        *val = m->slots[i].val;
    return true;
}

static void rehash(struct map *m, size_t cap)
{
    struct map old = *m;
    size_t i;

    m->cap = cap;
    m->slots = mem_alloc(mem_array(cap, sizeof *m->slots));
    m->used = mem_zalloc(cap);
    for (i = 0; i < old.cap; i++) {
        if (old.used[i]) {
            size_t to = find(m, old.slots[i].key);

            m->slots[to] = old.slots[i];
            m->used[to] = 1;
        }
    }
    mem_free(old.slots);
    mem_free(old.used);
}

void map_put(struct map *m, uint64_t key, uint64_t val)
{
    size_t i;

    /* At most two thirds full, to keep probes short. */
    if ((m->count + 1) * 3 > m->cap * 2)
        rehash(m, m->cap ? m->cap * 2 : 16);
    i = find(m, key);
    m->count += !m->used[i];
    m->used[i] = 1;
    m->slots[i] = (struct map_slot){ key, val };
}

bool map_del(struct map *m, uint64_t key)
{
    size_t mask = m->cap - 1;
    size_t hole, i;

    if (!m->count)
        return false;
    hole = find(m, key);
    if (!m->used[hole])
        return false;
    /* Move back later pairs of the same probe run, so that no lookup stops at the hole. */
    for (i = (hole + 1) & mask; m->used[i]; i = (i + 1) & mask) {
        size_t home = hash_u64(m->slots[i].key) & mask;

        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->used[hole] = 0;
    m->count--;
    return true;
}

bool map_next(const struct map *m, size_t *pos, uint64_t *key, uint64_t *val)
{
    while (*pos < m->cap) {
        size_t i = (*pos)++;

        if (!m->used[i])
            continue;
        if (key)
            *key = m->slots[i].key;
        if (val)
            *val = m->slots[i].val;
        return true;
    }
    return false;
}
