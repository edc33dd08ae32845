/* Compression of stored bytes with zstd, level 1. */
#include "base/memory/squeeze.h"

#include <pthread.h>
#include <zstd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

/* Creating a context costs more than compressing a small message, so each thread keeps a pair. */
struct contexts {
    ZSTD_CCtx *in;
    ZSTD_DCtx *out;
};

static pthread_once_t contexts_once = PTHREAD_ONCE_INIT;
static pthread_key_t contexts_key;
static bool contexts_kept;

static void contexts_free(void *p)
{
    struct contexts *c = p;

    ZSTD_freeCCtx(c->in);
    ZSTD_freeDCtx(c->out);
    mem_free(c);
}

static void contexts_init(void)
{
    contexts_kept = pthread_key_create(&contexts_key, contexts_free) == 0;
}

/* This thread's contexts; NULL: none can be kept, use the one-shot functions. */
static struct contexts *contexts(void)
{
    struct contexts *c;

    pthread_once(&contexts_once, contexts_init);
    if (!contexts_kept)
        return NULL;
    c = pthread_getspecific(contexts_key);
    if (c)
        return c;
    c = mem_zalloc(sizeof *c);
    if (pthread_setspecific(contexts_key, c) == 0)
        return c;
    mem_free(c);
    return NULL;
}

static size_t compress(char *to, size_t cap, struct bough_str from)
{
    struct contexts *c = contexts();

    if (c && !c->in)
        c->in = ZSTD_createCCtx();
    return c && c->in ? ZSTD_compressCCtx(c->in, to, cap, from.p, from.n, 1)
                      : ZSTD_compress(to, cap, from.p, from.n, 1);
}

static size_t expand(char *to, size_t cap, struct bough_str from)
{
    struct contexts *c = contexts();

    if (c && !c->out)
        c->out = ZSTD_createDCtx();
    return c && c->out ? ZSTD_decompressDCtx(c->out, to, cap, from.p, from.n)
                       : ZSTD_decompress(to, cap, from.p, from.n);
}

struct squeezed squeeze(struct bough_arena *a, struct bough_str bytes, size_t from)
{
    struct squeezed out = { bytes, bytes.n, false };
    size_t cap, n;
    char *to;

    if (!from || bytes.n < from)
        return out;
    cap = ZSTD_compressBound(bytes.n);
    to = arena_alloc(a, cap);
    n = compress(to, cap, bytes);
    if (ZSTD_isError(n) || n > bytes.n - bytes.n / 8)
        return out;
    return (struct squeezed){ str_make(to, n), bytes.n, true };
}

bool unsqueeze(struct bough_arena *a, const struct squeezed *in, struct bough_str *out)
{
    char *to;

    *out = in->bytes;
    if (!in->zstd)
        return true;
    to = arena_alloc(a, in->raw ? in->raw : 1);
    *out = str_make(to, in->raw);
    return expand(to, in->raw, in->bytes) == in->raw;
}
