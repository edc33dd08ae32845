/* Hash tables from a number or a string to a number. Not thread-safe: the caller must lock. */
#ifndef BASE_MEMORY_MAP_H
#define BASE_MEMORY_MAP_H

#include <bough/arena.h>

#include <stdbool.h>
#include <stdint.h>

/* Number to number. Any key is allowed. */
struct map {
    struct map_slot *slots;
    uint8_t *used;
    size_t count;
    size_t cap; /* 0 or a power of two */
};

void map_init(struct map *m);
void map_finish(struct map *m); /* frees; the map is then empty and usable again */
void map_clear(struct map *m);  /* empties, keeps the memory */
/* False, with *val untouched, when there is no such key. val may be NULL. */
bool map_get(const struct map *m, uint64_t key, uint64_t *val);
void map_put(struct map *m, uint64_t key, uint64_t val); /* insert or replace */
bool map_del(struct map *m, uint64_t key);               /* true if the key existed */

static inline size_t map_count(const struct map *m)
{
    return m->count;
}

/*
 * Visit every pair once, in no particular order; start with *pos = 0. Do not delete or add keys
 * while iterating. key and val may be NULL. False at the end.
 */
bool map_next(const struct map *m, size_t *pos, uint64_t *key, uint64_t *val);

/* String to number. Keys are copied; any bytes, any length. Functions as for struct map. */
struct smap {
    struct smap_slot *slots;
    size_t count;
    size_t cap;
};

void smap_init(struct smap *m);
void smap_finish(struct smap *m);
void smap_clear(struct smap *m);
bool smap_get(const struct smap *m, struct bough_str key, uint64_t *val);
void smap_put(struct smap *m, struct bough_str key, uint64_t val);
bool smap_del(struct smap *m, struct bough_str key);

static inline size_t smap_count(const struct smap *m)
{
    return m->count;
}

/* As map_next; the key is borrowed from the map until it is deleted. */
bool smap_next(const struct smap *m, size_t *pos, struct bough_str *key, uint64_t *val);

#endif
