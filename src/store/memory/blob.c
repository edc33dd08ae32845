/* Attachments of the memory backend: an array of blobs, each with its pieces and its links. */
#include "store/memory/blob.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

static struct bough_str hash_str(const unsigned char hash[32])
{
    return str_make((const char *)hash, 32);
}

struct mem_blob *mem_blob(struct memory *m, int64_t bno)
{
    return bno > 0 && (size_t)bno < m->nblobs && m->blobs[bno].there ? &m->blobs[bno] : NULL;
}

static struct mem_blob *by_hash(struct memory *m, const unsigned char hash[32])
{
    uint64_t bno;

    return smap_get(&m->blob_ids, hash_str(hash), &bno) ? mem_blob(m, (int64_t)bno) : NULL;
}

/* ---- single rows ---- */

/* Remove the blob from the hash index, unless another blob owns that hash. */
static void hide(struct memory *m, struct mem_blob *b)
{
    uint64_t bno;

    if (b->row.state && smap_get(&m->blob_ids, hash_str(b->row.hash), &bno) &&
        (int64_t)bno == b->row.bno)
        smap_del(&m->blob_ids, hash_str(b->row.hash));
}

void mem_put_blob(struct memory *m, const struct blob_row *row)
{
    struct mem_blob *b;

    m->blobs = mem_grow(m->blobs, &m->blobs_cap, (size_t)row->bno, sizeof *m->blobs);
    if ((size_t)row->bno >= m->nblobs)
        m->nblobs = (size_t)row->bno + 1;
    b = &m->blobs[row->bno];
    if (b->there)
        hide(m, b);
    b->there = true;
    b->row = *row;
    if (row->state)
        smap_put(&m->blob_ids, hash_str(row->hash), (uint64_t)row->bno);
}

/* Pieces and links may exist without their blob: fsck's tests create them. */
static struct mem_blob *slot(struct memory *m, int64_t bno)
{
    m->blobs = mem_grow(m->blobs, &m->blobs_cap, (size_t)bno, sizeof *m->blobs);
    if ((size_t)bno >= m->nblobs)
        m->nblobs = (size_t)bno + 1;
    return &m->blobs[bno];
}

void mem_put_chunk(struct memory *m, const struct chunk_row *row)
{
    struct mem_blob *b = slot(m, row->bno);
    struct mem_chunk *c = mem_alloc(sizeof *c + row->body.n);

    c->sum = row->sum;
    c->len = row->body.n;
    if (row->body.n)
        memcpy(c->body, row->body.p, row->body.n);
    b->chunks = mem_grow(b->chunks, &b->chunks_cap, (size_t)row->index, sizeof *b->chunks);
    if ((size_t)row->index >= b->nchunks)
        b->nchunks = (size_t)row->index + 1;
    mem_free(b->chunks[row->index]);
    b->chunks[row->index] = c;
}

void mem_put_link(struct memory *m, const struct link_row *row)
{
    struct mem_blob *b = slot(m, row->bno);
    struct link_row *last = b->nlinks ? &b->links[b->nlinks - 1] : NULL;

    if (last && last->bid == row->bid && last->depth == row->depth)
        return; /* links of one entry are added together, so its duplicate can only be the last */
    b->links = mem_grow(b->links, &b->links_cap, b->nlinks, sizeof *b->links);
    b->links[b->nlinks++] = *row;
}

void mem_del_blob(struct memory *m, int64_t bno)
{
    struct mem_blob *b = mem_blob(m, bno);

    if (!b)
        return;
    hide(m, b);
    b->there = false;
}

void mem_del_chunk(struct memory *m, int64_t bno, int64_t index)
{
    struct mem_blob *b = (size_t)bno < m->nblobs ? &m->blobs[bno] : NULL;

    if (!b || (size_t)index >= b->nchunks)
        return;
    mem_free(b->chunks[index]);
    b->chunks[index] = NULL;
}

/* Remove links of one branch in a range of depths; returns how many were removed. */
static int64_t del_links(struct mem_blob *b, int64_t bid, int64_t from, int64_t to, int64_t limit)
{
    size_t n = 0;
    int64_t gone = 0;

    for (size_t i = 0; i < b->nlinks; i++) {
        const struct link_row *l = &b->links[i];

        if (l->bid == bid && l->depth >= from && l->depth <= to && gone < limit)
            gone++;
        else
            b->links[n++] = *l;
    }
    b->nlinks = n;
    if (gone && b->row.state == BLOB_LINKED)
        b->row.state = BLOB_LOOSE;
    return gone;
}

void mem_del_link(struct memory *m, const struct link_row *row)
{
    if ((size_t)row->bno < m->nblobs) {
        struct mem_blob *b = &m->blobs[row->bno];
        int64_t state = b->row.state;

        del_links(b, row->bid, row->depth, row->depth, 1);
        b->row.state = state;
    }
}

int64_t mem_purge_links(struct memory *m, int64_t bid, int64_t cut, int64_t limit)
{
    int64_t gone = 0;

    for (size_t i = 1; i < m->nblobs && gone < limit; i++)
        gone += del_links(&m->blobs[i], bid, cut + 1, LIMIT_DEPTH, limit - gone);
    return gone;
}

void mem_free_blobs(struct memory *m)
{
    for (size_t i = 0; i < m->nblobs; i++) {
        for (size_t k = 0; k < m->blobs[i].nchunks; k++)
            mem_free(m->blobs[i].chunks[k]);
        mem_free(m->blobs[i].chunks);
        mem_free(m->blobs[i].links);
    }
    mem_free(m->blobs);
    smap_finish(&m->blob_ids);
}

/* ---- commit ---- */

bool mem_link_lost(struct memory *m, const struct change *c)
{
    return !by_hash(m, c->u.link.hash);
}

void mem_apply_link(struct memory *m, const struct change *c, int64_t bid)
{
    struct mem_blob *b = by_hash(m, c->u.link.hash);

    b->row.state = BLOB_LINKED;
    mem_put_link(m, &(struct link_row){ bid, c->u.link.depth, b->row.bno });
}

/* ---- the operations ---- */

enum bough_rc memory_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                              const struct deadline *p, struct bough_error *err)
{
    struct memory *m = memory_of(b);
    int64_t now = env_now(m->env);
    struct chunk_row row = *chunk;
    struct mem_blob *blob;
    enum bough_rc rc = BOUGH_OK;

    (void)p;
    pthread_rwlock_wrlock(&m->lock);
    if (!*bno) {
        *bno = m->nblobs ? (int64_t)m->nblobs : 1;
        mem_put_blob(m, &(struct blob_row){ .bno = *bno });
    }
    blob = mem_blob(m, *bno);
    if (!blob || blob->row.state != BLOB_WRITING) {
        rc = bough_fail(err, BOUGH_GONE, "the attachment was not finished within a day");
    } else {
        blob->row.since = now;
        row.bno = *bno;
        mem_put_chunk(m, &row);
    }
    pthread_rwlock_unlock(&m->lock);
    return rc;
}

static int64_t bytes_of(const struct mem_blob *b)
{
    int64_t n = 0;

    for (size_t i = 0; i < b->nchunks; i++)
        n += b->chunks[i] ? (int64_t)b->chunks[i]->len : 0;
    return n;
}

enum bough_rc memory_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                               const struct deadline *p, struct bough_error *err)
{
    struct memory *m = memory_of(b);
    struct mem_blob *twin, *own;
    enum bough_rc rc = BOUGH_OK;

    (void)relaxed;
    (void)p;
    pthread_rwlock_wrlock(&m->lock);
    twin = by_hash(m, row->hash);
    own = mem_blob(m, row->bno);
    if (twin) {
        twin->row.since = twin->row.since < row->since ? row->since : twin->row.since;
        if (own)
            own->row.since = 0;
        *row = twin->row;
    } else if (!own || own->row.state != BLOB_WRITING) {
        rc = bough_fail(err, BOUGH_GONE, "the attachment was not finished within a day");
    } else if (bytes_of(own) != row->size) {
        rc = bough_fail(err, BOUGH_CORRUPT, "%lld bytes of the attachment are there, not %lld",
                        (long long)bytes_of(own), (long long)row->size);
    } else {
        row->state = BLOB_LOOSE;
        mem_put_blob(m, row);
    }
    pthread_rwlock_unlock(&m->lock);
    return rc;
}

static void remove_blob(struct memory *m, struct mem_blob *b)
{
    hide(m, b);
    for (size_t i = 0; i < b->nchunks; i++)
        mem_free(b->chunks[i]);
    mem_free(b->chunks);
    mem_free(b->links);
    *b = (struct mem_blob){ 0 };
}

static bool loose(const struct mem_blob *b)
{
    return b->there && b->row.state != BLOB_LINKED;
}

enum bough_rc memory_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                const struct deadline *p, struct bough_error *err)
{
    struct memory *m = memory_of(b);
    int64_t before = 0;
    bool any = false;

    (void)limit;
    (void)p;
    (void)err;
    *left = false;
    pthread_rwlock_wrlock(&m->lock);
    for (size_t i = 1; i < m->nblobs && !any; i++)
        any = loose(&m->blobs[i]);
    if (any && !only)
        before = env_now(m->env) - LIMIT_LOOSE_MS;
    for (size_t i = 1; i < m->nblobs && any; i++) {
        struct mem_blob *blob = &m->blobs[i];

        if (!loose(blob) ||
            (only ? (int64_t)i != only || blob->row.state : blob->row.since > before))
            continue;
        if (blob->nlinks)
            blob->row.state = BLOB_LINKED;
        else
            remove_blob(m, blob);
    }
    pthread_rwlock_unlock(&m->lock);
    return BOUGH_OK;
}

enum bough_rc memory_blob_find(struct snapshot *v, const unsigned char hash[32],
                               struct blob_row *out, struct bough_error *err)
{
    const struct mem_blob *b = by_hash(memory_in(v), hash);

    if (!b)
        return bough_fail(err, BOUGH_NOT_FOUND, "there is no such attachment");
    *out = b->row;
    return BOUGH_OK;
}

enum bough_rc memory_chunk_get(struct snapshot *v, struct bough_arena *a, int64_t bno,
                               int64_t index, struct chunk_row *out, struct bough_error *err)
{
    struct memory *m = memory_in(v);
    const struct mem_blob *b = (size_t)bno < m->nblobs ? &m->blobs[bno] : NULL;
    const struct mem_chunk *c = b && (size_t)index < b->nchunks ? b->chunks[index] : NULL;

    if (!c)
        return bough_fail(err, BOUGH_NOT_FOUND, "piece %lld of attachment %lld is not there",
                          (long long)index, (long long)bno);
    *out = (struct chunk_row){ bno, index, c->sum,
                               str_make(arena_strndup(a, c->body, c->len), c->len) };
    return BOUGH_OK;
}

enum bough_rc memory_link_scan(struct snapshot *v, int64_t bno, link_fn fn, void *user,
                               struct bough_error *err)
{
    struct memory *m = memory_in(v);
    const struct mem_blob *b = (size_t)bno < m->nblobs ? &m->blobs[bno] : NULL;

    (void)err;
    for (size_t i = 0; b && i < b->nlinks; i++)
        if (!fn(user, &b->links[i]))
            break;
    return BOUGH_OK;
}

void mem_scan_blobs(struct memory *m, enum raw_table table, raw_fn fn, void *user)
{
    struct raw_row row = { .table = table };

    for (size_t i = 1; i < m->nblobs; i++) {
        const struct mem_blob *b = &m->blobs[i];

        row.u.blob = b->row;
        if (table == RAW_BLOB && b->there && !fn(user, &row))
            return;
        for (size_t k = 0; table == RAW_CHUNK && k < b->nchunks; k++) {
            const struct mem_chunk *c = b->chunks[k];

            if (!c)
                continue;
            row.u.chunk = (struct chunk_row){ (int64_t)i, (int64_t)k, c->sum, { c->body, c->len } };
            if (!fn(user, &row))
                return;
        }
        for (size_t k = 0; table == RAW_LINK && k < b->nlinks; k++) {
            row.u.link = b->links[k];
            if (!fn(user, &row))
                return;
        }
    }
}
