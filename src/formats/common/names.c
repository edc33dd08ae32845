/* Maps of names in a file, and ids that are derived from the file alone. Pure. */
#include "formats/common/names.h"

#include <string.h>

#include "base/hash/hash.h"
#include "base/hash/sha256.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

struct name_slot {
    const char *key, *value; /* key NULL: free */
};

static size_t slot_of(const struct names *m, const char *key)
{
    size_t i = (size_t)hash_bytes(key, strlen(key)) & (m->cap - 1);

    while (m->slots[i].key && strcmp(m->slots[i].key, key) != 0)
        i = (i + 1) & (m->cap - 1);
    return i;
}

const char *names_get(const struct names *m, const char *key)
{
    size_t i;

    if (!m->cap || !key)
        return NULL;
    i = slot_of(m, key);
    return m->slots[i].key ? m->slots[i].value : NULL;
}

static void grow(struct bough_arena *a, struct names *m)
{
    struct names next = { arena_array(a, m->cap ? 2 * m->cap : 64, sizeof *m->slots),
                          m->cap ? 2 * m->cap : 64, m->n };

    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].key)
            next.slots[slot_of(&next, m->slots[i].key)] = m->slots[i];
    *m = next;
}

void names_put(struct bough_arena *a, struct names *m, const char *key, const char *value)
{
    size_t i;

    if (2 * (m->n + 1) > m->cap)
        grow(a, m);
    i = slot_of(m, key);
    if (!m->slots[i].key) {
        m->slots[i].key = arena_strdup(a, key);
        m->n++;
    }
    m->slots[i].value = arena_strdup(a, value);
}

void names_clear(struct names *m)
{
    if (m->n)
        memset(m->slots, 0, m->cap * sizeof *m->slots);
    m->n = 0;
}

/* ---- the newest keys ---- */

struct recent_slot {
    uint64_t key; /* 0: free */
    unsigned char value[RECENT_VALUE];
};

static uint64_t recent_key(const char *key)
{
    uint64_t h = hash_bytes(key, strlen(key));

    return h ? h : 1;
}

/* The slot of the key, or the free one where it belongs. */
static struct recent_slot *recent_find(struct recent_slot *slots, size_t cap, uint64_t key)
{
    size_t i = (size_t)key & (cap - 1);

    while (slots[i].key && slots[i].key != key)
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

void *recent_get(const struct recent *m, const char *key)
{
    struct recent_slot *s;
    uint64_t h;

    if (!m->cap || !key)
        return NULL;
    h = recent_key(key);
    s = recent_find(m->young, m->cap, h);
    if (!s->key && m->old)
        s = recent_find(m->old, m->cap, h);
    return s->key ? s->value : NULL;
}

/* Make room for one more key: grow while small, then replace the old generation by the young
 * one. */
static void recent_room(struct bough_arena *a, struct recent *m)
{
    struct recent_slot *old = m->young, *young;
    size_t cap = m->cap ? 2 * m->cap : 32;

    if (m->n >= RECENT_MOST) {
        young = m->old ? m->old : arena_alloc(a, m->cap * sizeof *young);
        memset(young, 0, m->cap * sizeof *young);
        m->old = old;
        m->young = young;
        m->n = 0;
        return;
    }
    if (2 * (m->n + 1) <= m->cap)
        return;
    young = arena_array(a, cap, sizeof *young);
    for (size_t i = 0; i < m->cap; i++)
        if (old[i].key)
            *recent_find(young, cap, old[i].key) = old[i];
    m->young = young;
    m->cap = cap;
}

void *recent_put(struct bough_arena *a, struct recent *m, const char *key)
{
    unsigned char was[RECENT_VALUE] = { 0 };
    const void *known = recent_get(m, key);
    struct recent_slot *s;

    if (known) /* recent_room() may reuse its memory */
        memcpy(was, known, sizeof was);
    recent_room(a, m);
    s = recent_find(m->young, m->cap, recent_key(key));
    if (!s->key) {
        s->key = recent_key(key);
        memcpy(s->value, was, sizeof was);
        m->n++;
    }
    return s->value;
}

void recent_clear(struct recent *m)
{
    if (m->n)
        memset(m->young, 0, m->cap * sizeof *m->young);
    if (m->old)
        memset(m->old, 0, m->cap * sizeof *m->old);
    m->n = 0;
}

/* ---- ids ---- */

void made_hex(struct bough_str of, char out[HEX_TEXT])
{
    unsigned char sum[32];
    char hex[65];
    struct sha256 h;

    sha256_init(&h);
    sha256_update(&h, of.p, of.n);
    sha256_final(&h, sum);
    sha256_hex(sum, hex);
    memcpy(out, hex, HEX_TEXT - 1);
    out[HEX_TEXT - 1] = '\0';
}

bool is_uuid(const char *s)
{
    size_t n = s ? strlen(s) : 0;

    if (n != 36)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash != (s[i] == '-') || (!dash && !strchr("0123456789abcdefABCDEF", s[i])))
            return false;
    }
    return true;
}

const char *as_uuid(struct bough_arena *a, const char *id)
{
    char h[HEX_TEXT];

    if (is_uuid(id))
        return id;
    made_hex(str_of(id), h);
    return arena_printf(a, "%.8s-%.4s-4%.3s-8%.3s-%.12s", h, h + 8, h + 13, h + 17, h + 20);
}
