/* Ids of a file: two generations of exact maps, and a Bloom filter for older ids. */
#include "transfer/import/placer_ids.h"

#include <string.h>

#include "base/hash/hash.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum {
    HELD = 32768,   /* ids per generation */
    BITS = 1 << 25, /* 4 MB: for a million ids, 0.1 % false positives */
    PROBES = 3,
};

void ids_init(struct place_ids *m)
{
    *m = (struct place_ids){ 0 };
    smap_init(&m->young);
    smap_init(&m->old);
}

void ids_finish(struct place_ids *m)
{
    smap_finish(&m->young);
    smap_finish(&m->old);
    mem_free(m->dropped);
    m->dropped = NULL;
}

void ids_clear(struct place_ids *m)
{
    smap_clear(&m->young);
    smap_clear(&m->old);
    mem_free(m->dropped);
    m->dropped = NULL;
}

bool ids_get(const struct place_ids *m, const char *id, uint64_t *place)
{
    return smap_get(&m->young, str_of(id), place) || smap_get(&m->old, str_of(id), place);
}

/* Each probe uses its own 25-bit window of one hash; neighbouring windows overlap by 6 bits. */
static uint64_t bit(uint64_t hash, int i)
{
    return (hash >> (i * 19)) % BITS;
}

static void drop_old(struct place_ids *m)
{
    struct bough_str key;
    size_t pos = 0;

    if (m->old.count && !m->dropped)
        m->dropped = mem_zalloc(BITS / 8);
    while (smap_next(&m->old, &pos, &key, NULL)) {
        uint64_t hash = hash_bytes(key.p, key.n);

        for (int i = 0; i < PROBES; i++)
            m->dropped[bit(hash, i) / 8] |= (unsigned char)(1u << bit(hash, i) % 8);
    }
    smap_finish(&m->old);
    m->old = m->young;
    smap_init(&m->young);
}

bool ids_dropped(const struct place_ids *m, const char *id)
{
    struct bough_str key = str_of(id);
    uint64_t hash;

    if (!m->dropped)
        return false;
    hash = hash_bytes(key.p, key.n);
    for (int i = 0; i < PROBES; i++)
        if (!(m->dropped[bit(hash, i) / 8] >> bit(hash, i) % 8 & 1))
            return false;
    return true;
}

void ids_put(struct place_ids *m, const char *id, uint64_t place)
{
    smap_put(&m->young, str_of(id), place);
    if (m->young.count >= HELD && !m->all)
        drop_old(m);
}

void ids_del(struct place_ids *m, const char *id)
{
    smap_del(&m->young, str_of(id));
    smap_del(&m->old, str_of(id));
}
