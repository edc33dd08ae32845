/* Both hash tables compared with a naive model, and their hash functions. */
#include "lib/test.h"

#include <stdio.h>

#include "base/hash/hash.h"
#include "base/memory/map.h"
#include "base/text/str.h"

enum { KEYS = 400 };

/* The model: the value of each of KEYS keys; 0: not stored. */
struct model {
    uint64_t val[KEYS];
    size_t count;
};

static void compare(struct model *m, struct map *map)
{
    uint64_t k, v, seen = 0;
    size_t pos = 0;

    CHECK_INT(m->count, map_count(map));
    while (map_next(map, &pos, &k, &v)) {
        CHECK_INT(m->val[k / 7919], v);
        seen++;
    }
    CHECK_INT(m->count, seen);
}

TEST(numbers_map_like_the_model)
{
    struct model m = { { 0 }, 0 };
    struct map map;
    int i;

    map_init(&map);
    for (i = 1; i <= 20000; i++) {
        uint64_t r = env_u64(&t->env.env), k = r % KEYS, v = 0;

        if (r >> 32 & 1) {
            m.count += m.val[k] == 0;
            m.val[k] = (uint64_t)i;
            map_put(&map, k * 7919, (uint64_t)i);
        } else {
            CHECK_INT(m.val[k] != 0, map_del(&map, k * 7919));
            m.count -= m.val[k] != 0;
            m.val[k] = 0;
        }
        k = r >> 40 & 255;
        CHECK_INT(m.val[k] != 0, map_get(&map, k * 7919, &v));
        CHECK_INT(m.val[k], v);
        if (i % 500 == 0)
            compare(&m, &map);
    }
    map_finish(&map);
}

TEST(strings_map_like_the_model)
{
    struct model m = { { 0 }, 0 };
    struct smap map;
    char key[32];
    int i;

    smap_init(&map);
    for (i = 1; i <= 20000; i++) {
        uint64_t r = env_u64(&t->env.env), k = r % KEYS, v = 0;

        snprintf(key, sizeof key, "key-%d", (int)k);
        if (r >> 32 & 1) {
            m.count += m.val[k] == 0;
            m.val[k] = (uint64_t)i;
            smap_put(&map, str_of(key), (uint64_t)i);
        } else {
            CHECK_INT(m.val[k] != 0, smap_del(&map, str_of(key)));
            m.count -= m.val[k] != 0;
            m.val[k] = 0;
        }
        k = r >> 40 & 255;
        snprintf(key, sizeof key, "key-%d", (int)k);
        CHECK_INT(m.val[k] != 0, smap_get(&map, str_of(key), &v));
        CHECK_INT(m.val[k], v);
        CHECK_INT(m.count, smap_count(&map));
    }
    smap_finish(&map);
}

TEST(every_string_key_is_visited_once)
{
    struct bough_str key;
    struct smap map;
    size_t pos = 0, sum = 0;
    uint64_t v;

    smap_init(&map);
    smap_put(&map, str_of("a"), 1);
    smap_put(&map, str_of("b"), 2);
    smap_put(&map, str_make("a\0", 2), 4);
    smap_put(&map, str_of(""), 8);
    smap_put(&map, (struct bough_str){ NULL, 0 }, 16); /* the same as "" */
    CHECK_INT(4, smap_count(&map));
    while (smap_next(&map, &pos, &key, &v)) {
        CHECK_INT(0, key.p[key.n]);
        sum += v;
    }
    CHECK_INT(1 + 2 + 4 + 16, sum);
    smap_clear(&map);
    CHECK(!smap_get(&map, str_of("a"), NULL));
    smap_put(&map, str_of("a"), 5);
    CHECK(smap_get(&map, str_of("a"), &v) && v == 5);
    smap_finish(&map);
}

TEST(any_number_can_be_a_key)
{
    struct map map;
    uint64_t v;

    map_init(&map);
    CHECK(!map_get(&map, 0, &v) && !map_del(&map, 0));
    map_put(&map, 0, 1);
    map_put(&map, UINT64_MAX, 2);
    CHECK(map_get(&map, 0, &v) && v == 1);
    CHECK(map_get(&map, UINT64_MAX, &v) && v == 2);
    CHECK(map_get(&map, 0, NULL));
    map_clear(&map);
    CHECK(!map_get(&map, 0, &v));
    CHECK_INT(0, map_count(&map));
    map_finish(&map);
}

TEST(a_million_numbers_go_in_and_out)
{
    struct map map;
    uint64_t i, v;

    map_init(&map);
    for (i = 0; i < 1000000; i++)
        map_put(&map, i << 32, i);
    for (i = 0; i < 1000000; i++)
        CHECK(map_get(&map, i << 32, &v) && v == i);
    for (i = 0; i < 1000000; i++)
        CHECK(map_del(&map, i << 32));
    CHECK_INT(0, map_count(&map));
    map_finish(&map);
}

/* Key 00..0f, input 00 01 02 ...; the values come from an independent implementation. */
TEST(siphash_gives_the_known_values)
{
    static const uint64_t key[2] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };
    static const uint64_t want[] = {
        UINT64_C(0xabac0158050fc4dc), UINT64_C(0xc9f49bf37d57ca93), UINT64_C(0x82cb9b024dc7d44d),
        UINT64_C(0x8bf80ab8e7ddf7fb), UINT64_C(0xcf75576088d38328), UINT64_C(0xdef9d52f49533b67),
        UINT64_C(0xc50d2b50c59f22a7), UINT64_C(0xd3927d989bb11140), UINT64_C(0x369095118d299a8e),
        UINT64_C(0x25a48eb36c063de4), UINT64_C(0x79de85ee92ff097f), UINT64_C(0x70c118c1f94dc352),
        UINT64_C(0x78a384b157b4d9a2), UINT64_C(0x306f760c1229ffa7), UINT64_C(0x605aa111c0f95d34),
        UINT64_C(0xd320d86d2a519956), UINT64_C(0xcc4fdd1a7d908b66), UINT64_C(0x9cf2689063dbd80c),
    };
    unsigned char in[64];
    size_t i;

    for (i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)i;
    for (i = 0; i < sizeof want / sizeof want[0]; i++)
        CHECK(hash_sip13(key, in, i) == want[i]);
}

TEST(hashes_spread_over_the_low_bits)
{
    unsigned slots[256] = { 0 };
    uint64_t i;

    for (i = 0; i < 25600; i++)
        slots[hash_u64(i << 40) & 255]++;
    for (i = 0; i < 256; i++)
        CHECK(slots[i] > 40 && slots[i] < 200);
}
