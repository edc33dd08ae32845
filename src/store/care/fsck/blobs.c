/* fsck, attachments: all bytes exist, and links agree with the parts of entries. */
#include <inttypes.h>

#include "base/hash/crc32c.h"
#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/text/str.h"
#include "core/pack/attach.h"
#include "core/part/part.h"
#include "store/care/fsck/fsck.h"
#include "store/lookup/blob.h"

static struct fsck_blob *blob_of(const struct fsck *f, int64_t bno)
{
    uint64_t i;

    return map_get(&f->by_bno, (uint64_t)bno, &i) ? &f->blobs[i] : NULL;
}

static uint64_t entry_key(int64_t bid, int64_t depth)
{
    return (uint64_t)bid << 32 | (uint64_t)depth;
}

static uint64_t link_key(int64_t bid, int64_t depth, int64_t bno)
{
    return fsck_mix(entry_key(bid, depth), (uint64_t)bno);
}

/* ---- rows ---- */

static bool each_blob(void *user, const struct raw_row *raw)
{
    const struct blob_row *row = &raw->u.blob;
    struct fsck_where at = at_number("attachment ", row->bno);
    struct fsck *f = user;

    f->report->attachments++;
    fsck_range(f, at, "its state", row->state, BLOB_WRITING, BLOB_LAST);
    fsck_range(f, at, "its size", row->size, 0, LIMIT_ATTACHMENT_BYTES);
    fsck_range(f, at, "the time it was stored", row->since, 0, INT64_MAX);
    f->blobs = fsck_push(f->blobs, &f->nblobs, &f->blobs_cap, sizeof *f->blobs);
    f->blobs[f->nblobs - 1] = (struct fsck_blob){ .row = *row };
    map_put(&f->by_bno, (uint64_t)row->bno, f->nblobs - 1);
    if (!row->state)
        return true;
    if (smap_get(&f->by_hash, str_make((const char *)row->hash, 32), NULL))
        fsck_report(f, RULE_BLOB, at, "another one has the same name");
    smap_put(&f->by_hash, str_make((const char *)row->hash, 32), (uint64_t)row->bno);
    return true;
}

struct pieces {
    struct fsck *f;
    struct fsck_blob *b; /* the blob whose pieces are being read */
    struct sha256 sha;
    bool hashing;
    int64_t unknown;
};

static void end_blob(struct pieces *p)
{
    unsigned char hash[32];

    if (!p->hashing)
        return;
    sha256_final(&p->sha, hash);
    p->hashing = false;
    if (p->b->row.state && p->b->bytes == p->b->row.size && !p->b->damaged &&
        memcmp(hash, p->b->row.hash, sizeof hash) != 0)
        fsck_report(p->f, RULE_BLOB, at_number("attachment ", p->b->row.bno),
                    "its bytes are not those of its name");
}

static void begin_blob(struct pieces *p, int64_t bno)
{
    end_blob(p);
    p->b = blob_of(p->f, bno);
    p->hashing = p->b && p->f->level == BOUGH_FSCK_DEEP;
    if (p->hashing)
        sha256_init(&p->sha);
}

static bool each_chunk(void *user, const struct raw_row *raw)
{
    const struct chunk_row *row = &raw->u.chunk;
    struct pieces *p = user;

    if (!p->b || p->b->row.bno != row->bno)
        begin_blob(p, row->bno);
    if (!p->b) {
        if (p->unknown != row->bno)
            fsck_report(p->f, RULE_ORPHAN, at_number("attachment ", row->bno),
                        "a piece of it is there, but not its row");
        p->unknown = row->bno;
        return true;
    }
    if (row->index != p->b->next) {
        fsck_report(p->f, RULE_BLOB, at_number("attachment ", row->bno),
                    "pieces before piece %" PRId64 " are missing", row->index);
        p->b->damaged = true;
    }
    if ((int64_t)crc32c(0, row->body.p, row->body.n) != row->sum) {
        fsck_report(p->f, RULE_BLOB, at_number("attachment ", row->bno),
                    "the bytes of piece %" PRId64 " do not match their checksum", row->index);
        p->b->damaged = true;
    }
    p->b->next = row->index + 1;
    p->b->bytes += (int64_t)row->body.n;
    if (p->hashing)
        sha256_update(&p->sha, row->body.p, row->body.n);
    return true;
}

enum bough_rc fsck_blobs(struct fsck *f)
{
    struct pieces p = { .f = f, .unknown = -1 };
    enum bough_rc rc = f->ops->raw_scan(f->v, RAW_BLOB, each_blob, f, f->err);

    if (!rc)
        rc = f->ops->raw_scan(f->v, RAW_CHUNK, each_chunk, &p, f->err);
    end_blob(&p);
    for (size_t i = 0; i < f->nblobs && !rc; i++) {
        const struct fsck_blob *b = &f->blobs[i];

        if (b->row.state && b->bytes != b->row.size && !b->damaged)
            fsck_report(f, RULE_BLOB, at_number("attachment ", b->row.bno),
                        "%" PRId64 " bytes are there, not %" PRId64, b->bytes, b->row.size);
    }
    return rc;
}

/* ---- attachments shown by entries ---- */

static void show(struct fsck *f, const struct entry_row *row, struct bough_str json, size_t at)
{
    struct bough_str name = str_make(json.p + at, ATTACH_NAME_LEN);
    unsigned char hash[32];
    uint64_t bno;

    if (!attach_parse(name, hash))
        return;
    if (!smap_get(&f->by_hash, str_make((const char *)hash, 32), &bno))
        fsck_report(f, RULE_LINK, at_entry(row->bid, row->depth),
                    "it shows %.*s..., which does not exist", 24, name.p);
    else
        map_put(&f->shown, link_key(row->bid, row->depth, (int64_t)bno),
                entry_key(row->bid, row->depth));
}

/* Deep level: read the entry as a caller would, with moved bytes put back. */
static void read_whole(struct fsck *f, const struct entry_row *row, const struct bough_entry *e,
                       const struct pack_extra *x)
{
    struct snap snap = { NULL, f->ops, f->v };
    struct bough_entry whole = *e;
    struct bough_error why;

    whole.parts = arena_dup(f->tmp, e->parts, (e->nparts ? e->nparts : 1) * sizeof *e->parts);
    if (blob_expand(&snap, f->tmp, x, &whole, &why)) {
        fsck_report(f, RULE_LINK, at_entry(row->bid, row->depth), "%.150s", why.msg);
        return;
    }
    for (size_t i = 0; i < whole.nparts; i++)
        if (part_stored_check(&whole.parts[i], &why))
            fsck_report(f, RULE_VALUE, at_entry(row->bid, row->depth), "part %zu: %.140s", i,
                        why.msg);
}

void fsck_shows(struct fsck *f, const struct entry_row *row, const struct bough_entry *e,
                const struct pack_extra *x)
{
    unsigned char hash[32];
    size_t at;

    if (pack_is_stub(row->body)) {
        fsck_unread(f, row);
        return;
    }
    if (!(row->mask &
          ((int64_t)MASK_PART << BOUGH_PART_FILE | (int64_t)MASK_PART << BOUGH_PART_TOOL)))
        return;
    for (size_t i = 0; i < e->nparts; i++)
        if (attach_named(&e->parts[i], hash, &at))
            show(f, row, e->parts[i].json, at);
    for (size_t i = 0; i < x->nmoved; i++)
        show(f, row, e->parts[x->moved[i].part].json, x->moved[i].at);
    if (x->nmoved && f->level == BOUGH_FSCK_DEEP)
        read_whole(f, row, e, x);
}

void fsck_unread(struct fsck *f, const struct entry_row *row)
{
    map_put(&f->unread, entry_key(row->bid, row->depth), 1);
}

static bool each_link(void *user, const struct raw_row *raw)
{
    const struct link_row *row = &raw->u.link;
    const struct fsck_branch *b = fsck_branch_of(user, row->bid);
    struct fsck_blob *blob = blob_of(user, row->bno);
    struct fsck *f = user;
    struct fsck_session *s = b ? fsck_session_of(f, b->row.sid) : NULL;

    if (blob)
        blob->linked = true;
    if (b && s && b->row.cut >= 0 && row->depth > b->row.cut)
        fsck_leftover(f, s);
    else if (map_get(&f->unread, entry_key(row->bid, row->depth), NULL))
        return true;
    else if (!blob)
        fsck_report(f, RULE_LINK, at_entry(row->bid, row->depth),
                    "it links attachment %" PRId64 ", which does not exist", row->bno);
    else if (blob->row.state == BLOB_WRITING)
        fsck_report(f, RULE_LINK, at_entry(row->bid, row->depth),
                    "it links attachment %" PRId64 ", which is not whole", row->bno);
    else if (!map_del(&f->shown, link_key(row->bid, row->depth, row->bno)))
        fsck_report(f, RULE_LINK, at_entry(row->bid, row->depth),
                    "it links attachment %" PRId64 ", but does not show it", row->bno);
    return true;
}

enum bough_rc fsck_links(struct fsck *f)
{
    enum bough_rc rc = f->ops->raw_scan(f->v, RAW_LINK, each_link, f, f->err);
    size_t pos = 0;
    uint64_t k;

    while (!rc && map_next(&f->shown, &pos, NULL, &k))
        fsck_report(f, RULE_LINK, at_entry((int64_t)(k >> 32), (int64_t)(k & LIMIT_DEPTH)),
                    "it shows an attachment, but does not link it");
    for (size_t i = 0; i < f->nblobs && !rc; i++)
        if (f->blobs[i].row.state == BLOB_LINKED && !f->blobs[i].linked)
            fsck_report(f, RULE_LINK, at_number("attachment ", f->blobs[i].row.bno),
                        "it has no link, and no sweep would find it");
    return rc;
}
