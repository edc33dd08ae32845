/* Uploads by the name of the handle that stored them. */
#include "store/lookup/upload.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum { UPLOADS_MOST = 65536 }; /* more than a day of uploads; then the list begins anew */

void upload_only_of(struct bough_store *s, const char *name)
{
    size_t n = strlen(name) + 1;

    mem_free(s->uploads_of);
    s->uploads_of = memcpy(mem_alloc(n), name, n);
}

static struct bough_str key_of(const struct bough_store *s, struct bough_arena *a,
                               const unsigned char hash[32])
{
    size_t n = strlen(s->uploads_of);
    char *key = arena_alloc(a, n + 32);

    memcpy(key, hash, 32);
    memcpy(key + 32, s->uploads_of, n);
    return str_make(key, n + 32);
}

void upload_note(struct bough_store *s, const unsigned char hash[32])
{
    struct bough_arena *tmp;

    if (!s->uploads_of)
        return;
    tmp = bough_arena_create();
    pthread_mutex_lock(&s->e->lock);
    if (smap_count(&s->e->uploads) >= UPLOADS_MOST)
        smap_clear(&s->e->uploads);
    smap_put(&s->e->uploads, key_of(s, tmp, hash), 1);
    pthread_mutex_unlock(&s->e->lock);
    bough_arena_destroy(tmp);
}

bool upload_is_ours(struct bough_store *s, const unsigned char hash[32])
{
    struct bough_arena *tmp;
    bool found;

    if (!s->uploads_of)
        return true;
    tmp = bough_arena_create();
    pthread_mutex_lock(&s->e->lock);
    found = smap_get(&s->e->uploads, key_of(s, tmp, hash), NULL);
    pthread_mutex_unlock(&s->e->lock);
    bough_arena_destroy(tmp);
    return found;
}
