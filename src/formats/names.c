/* Names in files: which lines were seen, and ids that are made of nothing but the file. Pure. */
#include "formats/names.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/sha256.h"
#include "base/str.h"

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
