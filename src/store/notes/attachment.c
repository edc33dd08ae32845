/* The public attachment API: upload as a stream, read through the entry that shows it. */
#include <string.h>

#include "base/hash/crc32c.h"
#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/lookup/blob.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/upload.h"

enum { READ_MOST = 16 * LIMIT_CHUNK }; /* bytes read before visibility is checked again */

/* ---- storing ---- */

struct bough_attachment_writer {
    struct bough_store *s; /* its own handle, so the caller may close theirs */
    struct sha256 sha;
    int64_t bno, index, size;
    bool failed;
    size_t n; /* bytes in `piece` */
    char piece[LIMIT_CHUNK];
};

enum bough_rc bough_attachment_begin(struct bough_store *s, struct bough_attachment_writer **out,
                                     struct bough_error *err)
{
    REQUIRE(s && out, err);

    struct bough_store_scoped_options scope = { .deadline_ms = s->deadline_ms,
                                                .cancel = s->cancel,
                                                .principal = s->principal };
    struct bough_attachment_writer *w;

    if (s->e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    w = mem_zalloc(sizeof *w);
    w->s = bough_store_scoped(s, &scope);
    if (s->uploads_of)
        upload_only_of(w->s, s->uploads_of);
    sha256_init(&w->sha);
    *out = w;
    return BOUGH_OK;
}

static enum bough_rc flush(struct bough_attachment_writer *w, struct bough_error *err)
{
    struct chunk_row row = { .index = w->index,
                             .sum = (int64_t)crc32c(0, w->piece, w->n),
                             .body = str_make(w->piece, w->n) };
    struct deadline p = store_deadline(w->s);
    enum bough_rc rc = role_blob_put(w->s->e, &w->bno, &row, &p, err);

    w->index++;
    w->n = 0;
    w->failed = rc != BOUGH_OK;
    return rc;
}

enum bough_rc bough_attachment_write(struct bough_attachment_writer *w, const void *p, size_t n,
                                     struct bough_error *err)
{
    REQUIRE(w && (p || !n), err);

    const char *from = p;
    enum bough_rc rc = BOUGH_OK;

    if (w->failed)
        return bough_fail(err, BOUGH_INVALID, "an earlier piece of this attachment was not stored");
    if (n > (uint64_t)(LIMIT_ATTACHMENT_BYTES - w->size)) {
        w->failed = true;
        return bough_fail(err, BOUGH_TOO_LARGE, "an attachment has at most %lld bytes",
                          (long long)LIMIT_ATTACHMENT_BYTES);
    }
    if (n)
        sha256_update(&w->sha, p, n);
    w->size += (int64_t)n;
    while (n && !rc) {
        size_t take = sizeof w->piece - w->n < n ? sizeof w->piece - w->n : n;

        memcpy(w->piece + w->n, from, take);
        w->n += take;
        from += take;
        n -= take;
        if (w->n == sizeof w->piece)
            rc = flush(w, err);
    }
    return rc;
}

static void writer_free(struct bough_attachment_writer **w)
{
    sha256_finish(&(*w)->sha);
    bough_store_close(&(*w)->s);
    mem_free(*w);
    *w = NULL;
}

void bough_attachment_cancel(struct bough_attachment_writer **w)
{
    struct deadline p;

    if (!w || !*w)
        return;
    p = store_deadline((*w)->s);
    if ((*w)->bno) /* if this fails, the sweep removes it after a day */
        (void)role_sweep((*w)->s->e, (*w)->bno, &p, NULL);
    writer_free(w);
}

enum bough_rc bough_attachment_finish(struct bough_attachment_writer **writer,
                                      struct bough_attachment *out, struct bough_error *err)
{
    REQUIRE(writer && out, err);

    struct bough_attachment_writer *w = *writer;
    struct blob_row row = { .size = w->size };
    struct deadline p;
    int64_t bno;
    enum bough_rc rc = BOUGH_OK;

    if (w->failed)
        rc = bough_fail(err, BOUGH_INVALID, "an earlier piece of this attachment was not stored");
    if (!rc && (w->n || !w->bno)) /* an empty file has one empty chunk */
        rc = flush(w, err);
    if (rc) {
        bough_attachment_cancel(writer);
        return rc;
    }
    sha256_final(&w->sha, row.hash);
    bno = row.bno = w->bno;
    row.since = env_now(&w->s->e->env);
    p = store_deadline(w->s);
    rc = role_blob_seal(w->s->e, &row, false, &p, err);
    if (!rc) {
        *out = (struct bough_attachment){ .size = row.size, .mime = "", .name = "" };
        attach_name(row.hash, out->url);
        upload_note(w->s, row.hash);
    }
    if (!rc && row.bno != bno) /* deduplicated: drop our copy */
        bough_attachment_cancel(writer);
    else
        writer_free(writer);
    return rc;
}

enum bough_rc bough_attachment_store(struct bough_store *s,
                                     long (*read)(void *user, void *to, size_t n), void *user,
                                     struct bough_attachment *out, struct bough_error *err)
{
    REQUIRE(s && read && out, err);

    struct bough_attachment_writer *w = NULL;
    enum bough_rc rc = bough_attachment_begin(s, &w, err);
    char *piece;
    long n = 1;

    if (rc || !w)
        return rc;
    piece = mem_alloc(LIMIT_CHUNK);
    while (!rc && n > 0) {
        n = read(user, piece, LIMIT_CHUNK);
        if (n < 0 || n > LIMIT_CHUNK)
            rc = bough_fail(err, BOUGH_IO, "the attachment could not be read");
        else
            rc = bough_attachment_write(w, piece, (size_t)n, err);
    }
    mem_free(piece);
    if (!rc)
        return bough_attachment_finish(&w, out, err);
    bough_attachment_cancel(&w);
    return rc;
}

/* ---- finding ---- */

static enum bough_rc add_shown(struct snap *snap, struct bough_arena *a,
                               struct bough_attachments *list, const struct bough_entry *e,
                               size_t part, size_t at, struct bough_error *err)
{
    struct bough_str json = e->parts[part].json;
    struct bough_attachment *out;
    unsigned char hash[32];
    struct blob_row row;
    enum bough_rc rc;

    if (!attach_parse(str_make(json.p + at, ATTACH_NAME_LEN), hash))
        return BOUGH_OK;
    rc = snap->ops->blob_find(snap->v, hash, &row, err);
    if (rc)
        return rc == BOUGH_NOT_FOUND
                   ? bough_fail(err, BOUGH_CORRUPT, "an attachment of entry #%lld.%lld is missing",
                                (long long)e->at.branch, (long long)e->at.depth)
                   : rc;
    list->at = arena_room(a, list->at, list->n, sizeof *list->at);
    out = &list->at[list->n++];
    *out = (struct bough_attachment){ .size = row.size, .part = part };
    attach_name(hash, out->url);
    attach_about(a, json, at, &out->mime, &out->name);
    return BOUGH_OK;
}

/* Attachments named by a part and those moved out of it, in their order in the JSON. */
static enum bough_rc list_shown(struct snap *snap, struct bough_arena *a,
                                const struct bough_entry *e, const struct pack_extra *x,
                                struct bough_attachments *out, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    size_t k = 0;

    *out = (struct bough_attachments){ 0 };
    for (size_t i = 0; i < e->nparts && !rc; i++) {
        unsigned char hash[32];
        size_t at = SIZE_MAX;
        bool named = attach_named(&e->parts[i], hash, &at);

        for (; k < x->nmoved && x->moved[k].part == i && !rc; k++) {
            named = named && at != x->moved[k].at; /* a moved data: URL starts where the part's url
                                                      does: do not list it twice */
            if (named && at < x->moved[k].at) {
                rc = add_shown(snap, a, out, e, i, at, err);
                named = false;
            }
            if (!rc)
                rc = add_shown(snap, a, out, e, i, x->moved[k].at, err);
        }
        if (named && !rc)
            rc = add_shown(snap, a, out, e, i, at, err);
    }
    return rc;
}

/* List the attachments of an entry. BOUGH_NOT_FOUND if the session cannot see the entry. */
static enum bough_rc find_shown(struct snap *snap, struct bough_arena *a, const char *session,
                                const char *entry, struct bough_attachments *out,
                                struct bough_error *err)
{
    struct bough_entry e;
    struct bough_head at;
    struct pack_extra x;
    struct entry_row row = { 0 };
    int64_t sid;
    enum bough_rc rc;

    if (cstr_empty(session))
        return bough_fail(err, BOUGH_INVALID, "an attachment is read through a session");
    rc = find_session(snap, session, &sid, err);
    if (!rc)
        rc = find_entry(snap, sid, entry, &at, err);
    if (!rc)
        rc = snap->ops->entry_get(snap->v, a, at.branch, at.depth, &row, err);
    if (!rc)
        rc = pack_entry_read(a, row.body, &e, &x, err);
    if (rc)
        return rc;
    e.at = at;
    return list_shown(snap, a, &e, &x, out, err);
}

enum bough_rc bough_attachment_list(struct bough_store *s, struct bough_arena *a,
                                    const char *session, const char *entry,
                                    struct bough_attachments *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = find_shown(&snap, a, session, entry, out, err);
    snap_end(&snap);
    return rc;
}

/* ---- reading ---- */

struct range {
    const char *session, *entry;
    size_t n;
    int64_t from, length; /* length -1: to the end */
};

/* Read at most READ_MOST bytes in a snapshot of their own, so that a slow reader holds none
 * open. */
static enum bough_rc read_some(struct bough_store *s, struct bough_arena *a, struct range *r,
                               char *to, size_t *got, struct bough_error *err)
{
    struct bough_attachments list = { 0 };
    unsigned char hash[32];
    struct blob_row row = { 0 };
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = find_shown(&snap, a, r->session, r->entry, &list, err);
    if (!rc && r->n >= list.n)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "the entry shows %zu attachments", list.n);
    if (!rc && attach_parse(str_of(list.at[r->n].url), hash))
        rc = snap.ops->blob_find(snap.v, hash, &row, err);
    if (!rc && (r->from < 0 || r->from > row.size))
        rc = bough_fail(err, BOUGH_INVALID, "the attachment has %lld bytes", (long long)row.size);
    if (!rc) {
        int64_t left = row.size - r->from;

        if (r->length >= 0 && r->length < left)
            left = r->length;
        *got = left < READ_MOST ? (size_t)left : READ_MOST;
        r->length = left - (int64_t)*got;
        rc = blob_check_empty(&row, err);
        if (!rc && *got)
            rc = blob_read(&snap, &row, r->from, *got, to, err);
        r->from += (int64_t)*got;
    }
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_attachment_read(struct bough_store *s, const char *session, const char *entry,
                                    const struct bough_attachment_read_options *how,
                                    struct bough_error *err)
{
    REQUIRE(s && how, err);

    struct range r = { session, entry, how->index, how->from, how->length ? how->length : -1 };
    struct bough_arena *a;
    char *piece;
    size_t got = 0;
    enum bough_rc rc = RESERVED_CHECK(bough_attachment_read_options, how, err);

    if (rc)
        return rc;
    REQUIRE(how->write, err);
    if (how->length < 0)
        return bough_fail(err, BOUGH_INVALID, "a length is never negative");
    a = bough_arena_create();
    piece = mem_alloc(READ_MOST);
    do {
        bough_arena_reset(a);
        rc = read_some(s, a, &r, piece, &got, err);
    } while (!rc && got && how->write(how->user, piece, got) && r.length);
    mem_free(piece);
    bough_arena_destroy(a);
    return rc;
}
