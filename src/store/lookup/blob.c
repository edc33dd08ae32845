/* Attachments of an entry's parts: split out, store, link and put back. */
#include "store/lookup/blob.h"

#include <string.h>

#include "base/hash/crc32c.h"
#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "store/lookup/find.h"
#include "store/lookup/upload.h"

enum {
    TEXT_PIECE =
        LIMIT_CHUNK / 3 * 4, /* base64 characters per chunk; decoded, slightly less than LIMIT_CHUNK
                              */
    BYTES_PIECE = LIMIT_CHUNK / 3 * 3,
    LINKS_MOST = 4096, /* links examined per blob to see whether the session already shows it */
};

/* ---- splitting ---- */

/* Decode base64 piece by piece. Returns false if the text is not canonical base64 or `fn`
 * stopped. */
static bool each_piece(struct bough_str text, bool (*fn)(void *user, const void *p, size_t n),
                       void *user)
{
    unsigned char *bytes = mem_alloc(BYTES_PIECE);
    bool good = true;
    size_t n;

    while (text.n && good) {
        size_t take = text.n < TEXT_PIECE ? text.n : TEXT_PIECE;

        good = base64_decode(text.p, take, bytes, &n) && (take == text.n || n == BYTES_PIECE) &&
               fn(user, bytes, n);
        text = str_make(text.p + take, text.n - take);
    }
    mem_free(bytes);
    return good;
}

struct hashing {
    struct sha256 sha;
    int64_t size;
};

static bool hash_piece(void *user, const void *p, size_t n)
{
    struct hashing *h = user;

    sha256_update(&h->sha, p, n);
    h->size += (int64_t)n;
    return true;
}

static bool hash_text(struct bough_str text, struct blob_want *out)
{
    struct hashing h = { .size = 0 };

    sha256_init(&h.sha);
    if (!each_piece(text, hash_piece, &h)) {
        sha256_finish(&h.sha);
        return false;
    }
    sha256_final(&h.sha, out->hash);
    out->size = h.size;
    out->text = text;
    return true;
}

struct splitting {
    struct bough_arena *a;
    struct blob_parts *out;
    struct bough_part *stubs; /* copy of the parts; NULL until one is needed */
};

static void want(struct splitting *s, const struct blob_want *w)
{
    struct blob_parts *out = s->out;

    for (size_t i = 0; i < out->nwants; i++)
        if (memcmp(out->wants[i].hash, w->hash, sizeof w->hash) == 0) {
            if (!out->wants[i].text.n)
                out->wants[i] = *w;
            return;
        }
    out->wants = arena_room(s->a, out->wants, out->nwants, sizeof *out->wants);
    out->wants[out->nwants++] = *w;
}

static void note_moved(struct splitting *s, size_t part, size_t at)
{
    struct blob_parts *out = s->out;

    out->moved = arena_room(s->a, out->moved, out->nmoved, sizeof *out->moved);
    out->moved[out->nmoved++] = (struct pack_moved){ (uint32_t)part, (uint32_t)at, PACK_BASE64 };
}

/* Replace every base64 run of the part by the name of its blob. A run that does not decode
 * stays. */
static void split_part(struct splitting *s, const struct bough_part *part, size_t index,
                       const struct attach_run *runs, size_t nruns)
{
    char *to = arena_alloc(s->a, part->json.n + 1), name[ATTACH_NAME_LEN + 1];
    size_t from = 0, n = 0;
    struct blob_want w;

    for (size_t i = 0; i < nruns; i++) {
        size_t before = runs[i].at - from;

        if (!hash_text(str_make(part->json.p + runs[i].at, runs[i].n), &w))
            continue;
        memcpy(to + n, part->json.p + from, before);
        n += before;
        note_moved(s, index, n);
        attach_name(w.hash, name);
        memcpy(to + n, name, ATTACH_NAME_LEN);
        n += ATTACH_NAME_LEN;
        from = runs[i].at + runs[i].n;
        want(s, &w);
    }
    if (!from)
        return;
    memcpy(to + n, part->json.p + from, part->json.n - from);
    n += part->json.n - from;
    s->stubs[index].json = str_make(to, n);
}

void blob_split(struct bough_arena *a, const struct bough_part *parts, size_t n,
                struct blob_parts *out)
{
    struct splitting s = { .a = a, .out = out };
    struct attach_run runs[ATTACH_RUNS];

    *out = (struct blob_parts){ .parts = parts };
    for (size_t i = 0; i < n; i++) {
        size_t nruns = attach_runs(&parts[i], LIMIT_INLINE, runs), at;
        struct blob_want w = { .text = str_make("", 0) };

        if (attach_named(&parts[i], w.hash, &at))
            want(&s, &w);
        if (!nruns)
            continue;
        if (!s.stubs) {
            s.stubs = arena_dup(a, parts, n * sizeof *parts);
            out->parts = s.stubs;
        }
        split_part(&s, &parts[i], i, runs, nruns);
    }
    if (!out->nmoved)
        out->parts = parts;
}

/* ---- storing ---- */

struct storing {
    struct engine *e;
    struct deadline p;
    int64_t bno, index;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool store_piece(void *user, const void *p, size_t n)
{
    struct storing *s = user;
    struct chunk_row row = { .index = s->index++,
                             .sum = (int64_t)crc32c(0, p, n),
                             .body = str_make(p, n) };

    s->rc = role_blob_put(s->e, &s->bno, &row, &s->p, s->err);
    return !s->rc;
}

static enum bough_rc store_one(struct bough_store *s, const struct blob_want *w,
                               struct bough_error *err)
{
    struct storing st = { .e = s->e, .p = store_deadline(s), .err = err };
    struct blob_row row = { .size = w->size };

    if (!each_piece(w->text, store_piece, &st) && !st.rc)
        return bough_fail(err, BOUGH_INVALID, "a part changed while it was appended");
    if (st.rc)
        return st.rc;
    row.bno = st.bno;
    memcpy(row.hash, w->hash, sizeof row.hash);
    /* Relaxed: the durable append that links the blob also syncs it. */
    return role_blob_seal(s->e, &row, true, &st.p, err);
}

enum bough_rc blob_store(struct bough_store *s, struct blob_parts *parts, struct bough_error *err)
{
    struct blob_row row;
    struct snap snap;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < parts->nwants && !rc; i++) {
        struct blob_want *w = &parts->wants[i];

        if (!w->text.n) {
            w->foreign = !upload_is_ours(s, w->hash);
            continue;
        }
        rc = snap_begin(s, &snap, err);
        if (rc)
            return rc;
        rc = snap.ops->blob_find(snap.v, w->hash, &row, err);
        snap_end(&snap);
        if (rc == BOUGH_NOT_FOUND)
            rc = store_one(s, w, err);
    }
    return rc;
}

/* ---- linking ---- */

struct seeing {
    struct snap *snap;
    int64_t sid;
    size_t looked;
    bool visible;
    enum bough_rc rc;
};

static bool see_link(void *user, const struct link_row *row)
{
    struct seeing *s = user;

    s->rc = entry_visible(s->snap, s->sid, (struct bough_head){ row->bid, row->depth }, &s->visible,
                          NULL);
    if (s->rc == BOUGH_NOT_FOUND)
        s->rc = BOUGH_OK;
    return !s->rc && !s->visible && ++s->looked < LINKS_MOST;
}

static enum bough_rc no_attachment(const struct blob_want *w, struct bough_error *err)
{
    char name[ATTACH_NAME_LEN + 1];

    attach_name(w->hash, name);
    return bough_fail(err, BOUGH_NOT_FOUND, "no attachment %.30s... was stored for this append",
                      name);
}

enum bough_rc blob_permit(struct prep *p, int64_t sid, const struct blob_parts *parts, bool *again,
                          struct bough_error *err)
{
    struct snap *snap;
    enum bough_rc rc = parts->nwants ? prep_snap(p, &snap, err) : BOUGH_OK;

    for (size_t i = 0; i < parts->nwants && !rc; i++) {
        const struct blob_want *w = &parts->wants[i];
        struct seeing s = { .snap = snap, .sid = sid };
        struct blob_row row;

        rc = snap->ops->blob_find(snap->v, w->hash, &row, err);
        if (rc == BOUGH_NOT_FOUND && w->text.n)
            *again = true;
        if (rc == BOUGH_NOT_FOUND)
            return no_attachment(w, err);
        if (rc || w->text.n || w->shown || (row.since > p->now - LIMIT_LOOSE_MS && !w->foreign))
            continue;
        rc = snap->ops->link_scan(snap->v, row.bno, see_link, &s, err);
        if (!rc && !s.visible)
            return no_attachment(w, err);
    }
    return rc;
}

void blob_link(struct prep *p, const struct blob_parts *parts, int64_t bid, int64_t depth)
{
    for (size_t i = 0; i < parts->nwants; i++) {
        struct change *c = txn_change(p, CHANGE_BLOB_LINK);

        c->u.link.bid = bid;
        c->u.link.depth = depth;
        c->u.link.hash = parts->wants[i].hash;
    }
}

/* ---- reading ---- */

enum bough_rc blob_check_empty(const struct blob_row *row, struct bough_error *err)
{
    unsigned char nothing[32];

    sha256("", 0, nothing);
    if (row->size || memcmp(row->hash, nothing, sizeof nothing) == 0)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_CORRUPT, "an attachment has lost its size");
}

enum bough_rc blob_read(struct snap *snap, const struct blob_row *row, int64_t from, size_t n,
                        char *to, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    int64_t index = 0, at = 0;
    struct chunk_row c;
    enum bough_rc rc = BOUGH_OK;

    /* All chunks have the size of the first one; the last may be shorter. */
    rc = snap->ops->chunk_get(snap->v, tmp, row->bno, 0, &c, err);
    if (!rc && from && c.body.n) {
        index = from / (int64_t)c.body.n;
        at = index * (int64_t)c.body.n;
    }
    while (!rc && n) {
        if (index) {
            bough_arena_reset(tmp);
            rc = snap->ops->chunk_get(snap->v, tmp, row->bno, index, &c, err);
        }
        if (!rc && (!c.body.n || (int64_t)crc32c(0, c.body.p, c.body.n) != c.sum ||
                    from - at >= (int64_t)c.body.n))
            rc = bough_fail(err, BOUGH_CORRUPT, "piece %lld of an attachment is damaged",
                            (long long)index);
        if (!rc) {
            size_t skip = (size_t)(from - at);
            size_t take = c.body.n - skip < n ? c.body.n - skip : n;

            memcpy(to, c.body.p + skip, take);
            to += take;
            n -= take;
            from += (int64_t)take;
            at += (int64_t)c.body.n;
            index++;
        }
    }
    if (rc == BOUGH_NOT_FOUND)
        rc = bough_fail(err, BOUGH_CORRUPT, "a piece of an attachment is missing");
    if (!rc && from == row->size && at != row->size) /* the size has no checksum */
        rc = bough_fail(err, BOUGH_CORRUPT, "an attachment of %lld bytes does not end there",
                        (long long)row->size);
    bough_arena_destroy(tmp);
    return rc;
}

/* Write the base64 of the blob's bytes to `to`, without a NUL. */
static enum bough_rc put_base64(struct snap *snap, const struct blob_row *row, char *to,
                                struct bough_error *err)
{
    char *bytes = mem_alloc(BYTES_PIECE);
    enum bough_rc rc = blob_check_empty(row, err);

    for (int64_t from = 0; from < row->size && !rc;) {
        size_t n = row->size - from < BYTES_PIECE ? (size_t)(row->size - from) : BYTES_PIECE;

        rc = blob_read(snap, row, from, n, bytes, err);
        if (!rc)
            base64_encode(bytes, n, to);
        to += base64_length(n);
        from += (int64_t)n;
    }
    mem_free(bytes);
    return rc;
}

/* Restore the part that m[0..n) refer to. */
static enum bough_rc expand_part(struct snap *snap, struct bough_arena *a,
                                 const struct pack_moved *m, size_t n, struct bough_part *part,
                                 struct bough_error *err)
{
    struct blob_row *rows = arena_array(a, n, sizeof *rows);
    struct bough_str json = part->json;
    size_t size = json.n, from = 0, k = 0;
    enum bough_rc rc = BOUGH_OK;
    char *to;

    for (size_t i = 0; i < n && !rc; i++) {
        unsigned char hash[32];

        if (!attach_parse(str_make(json.p + m[i].at, ATTACH_NAME_LEN), hash))
            return bough_fail(err, BOUGH_CORRUPT, "a part names no attachment where it should");
        rc = snap->ops->blob_find(snap->v, hash, &rows[i], err);
        if (!rc && (rows[i].size < 0 || rows[i].size > LIMIT_MESSAGE_BYTES))
            rc = bough_fail(err, BOUGH_CORRUPT, "an attachment says it has %lld bytes",
                            (long long)rows[i].size);
        if (!rc)
            size += base64_length((size_t)rows[i].size) - ATTACH_NAME_LEN;
        if (!rc && size > 2 * LIMIT_MESSAGE_BYTES)
            rc = bough_fail(err, BOUGH_CORRUPT, "a part is too large to be one");
    }
    if (rc)
        return rc == BOUGH_NOT_FOUND
                   ? bough_fail(err, BOUGH_CORRUPT, "an attachment of a part is missing")
                   : rc;
    to = arena_alloc(a, size + 1);
    for (size_t i = 0; i < n && !rc; i++) {
        memcpy(to + k, json.p + from, m[i].at - from);
        k += m[i].at - from;
        rc = put_base64(snap, &rows[i], to + k, err);
        k += base64_length((size_t)rows[i].size);
        from = m[i].at + ATTACH_NAME_LEN;
    }
    memcpy(to + k, json.p + from, json.n - from);
    to[size] = '\0';
    part->json = str_make(to, size);
    return rc;
}

enum bough_rc blob_expand(struct snap *snap, struct bough_arena *a, const struct pack_extra *x,
                          struct bough_entry *e, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0, n; i < x->nmoved && !rc; i += n) {
        const struct pack_moved *m = &x->moved[i];

        for (n = 1; i + n < x->nmoved && m[n].part == m->part;)
            n++;
        /* The cast is safe: pack_entry_read() allocated the array in our arena. */
        rc = expand_part(snap, a, m, n, (struct bough_part *)(uintptr_t)&e->parts[m->part], err);
    }
    return rc;
}
