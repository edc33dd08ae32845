/* Hash table, string to number: as map.c, with its own copies of the keys. */
#include "base/memory/map.h"

#include <string.h>

#include "base/hash/hash.h"
#include "base/memory/mem.h"

struct smap_slot {
    char *key; /* NULL: free */
    size_t n;
    uint64_t hash;
    uint64_t val;
};

void smap_init(struct smap *m)
{
    *m = (struct smap){ 0 };
}

void smap_clear(struct smap *m)
{
    size_t i;

    for (i = 0; i < m->cap; i++) {
        mem_free(m->slots[i].key);
        m->slots[i].key = NULL;
    }
    m->count = 0;
}

void smap_finish(struct smap *m)
{
    smap_clear(m);
    mem_free(m->slots);
    smap_init(m);
}

static size_t find(const struct smap *m, struct bough_str key, uint64_t hash)
{
    size_t mask = m->cap - 1;
    size_t i = hash & mask;

    for (;; i = (i + 1) & mask) {
        const struct smap_slot *s = &m->slots[i];

        if (!s->key)
            return i;
        if (s->hash == hash && s->n == key.n && memcmp(s->key, key.p, key.n) == 0)
            return i;
    }
}

/* memcmp() and hash_bytes() need a valid pointer even for zero bytes. */
static struct bough_str pointed(struct bough_str key)
{
    return key.p ? key : (struct bough_str){ "", 0 };
}

bool smap_get(const struct smap *m, struct bough_str key, uint64_t *val)
{
    size_t i;

    if (!m->count)
        return false;
    key = pointed(key);
    i = find(m, key, hash_bytes(key.p, key.n));
    if (!m->slots[i].key)
        return false;
    if (val)
        *val = m->slots[i].val;
    return true;
}

static void rehash(struct smap *m, size_t cap)
{
    struct smap old = *m;
    size_t i, to;

    m->cap = cap;
    m->slots = mem_zalloc(mem_array(cap, sizeof *m->slots));
    for (i = 0; i < old.cap; i++) {
        if (!old.slots[i].key)
            continue;
        to = old.slots[i].hash & (cap - 1);
        while (m->slots[to].key)
            to = (to + 1) & (cap - 1);
        m->slots[to] = old.slots[i];
    }
    mem_free(old.slots);
}

void smap_put(struct smap *m, struct bough_str key, uint64_t val)
{
    struct smap_slot *s;
    uint64_t hash;

    key = pointed(key);
    hash = hash_bytes(key.p, key.n);
    if ((m->count + 1) * 3 > m->cap * 2)
        rehash(m, m->cap ? m->cap * 2 : 16);
    s = &m->slots[find(m, key, hash)];
    if (!s->key) {
        s->key = mem_alloc(key.n + 1);
        memcpy(s->key, key.p, key.n);
        s->key[key.n] = '\0';
        s->n = key.n;
        s->hash = hash;
        m->count++;
    }
    s->val = val;
}

bool smap_del(struct smap *m, struct bough_str key)
{
    size_t mask = m->cap - 1;
    size_t hole, i;

    if (!m->count)
        return false;
    key = pointed(key);
    hole = find(m, key, hash_bytes(key.p, key.n));
    if (!m->slots[hole].key)
        return false;
    mem_free(m->slots[hole].key);
    for (i = (hole + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
        size_t home = m->slots[i].hash & mask;

        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].key = NULL;
    m->count--;
    return true;
}

bool smap_next(const struct smap *m, size_t *pos, struct bough_str *key, uint64_t *val)
{
    while (*pos < m->cap) {
        const struct smap_slot *s = &m->slots[(*pos)++];

        if (!s->key)
            continue;
        if (key)
            *key = (struct bough_str){ s->key, s->n };
        if (val)
            *val = s->val;
        return true;
    }
    return false;
}
