/*
 * Attachments inside the store. A blob's bytes are stored under a number in chunks of LIMIT_CHUNK.
 * A complete blob is found by its SHA-256. An entry shows blobs through link rows, which are
 * written in the entry's txn; there is no reference count. A blob without links is swept a day
 * after it was last stored.
 *
 * Base64 moved out of a part by an append (core/pack/attach.h) is stored the same way. Only that
 * append refers to it, so it has no day of grace: a purge removes it at once.
 */
#ifndef STORE_LOOKUP_BLOB_H
#define STORE_LOOKUP_BLOB_H

#include "core/pack/attach.h"
#include "store/engine/engine.h"

/* One blob that an entry shows. */
struct blob_want {
    unsigned char hash[32];
    int64_t size;
    struct bough_str text; /* base64 to store; empty: the part names an uploaded blob */
    bool shown;   /* the entry is a copy of one that shows it and that the caller may read */
    bool foreign; /* an uploaded blob that this caller may show only if its session does already */
};

/* The parts of an entry in stored form. */
struct blob_parts {
    const struct bough_part
        *parts; /* base64 replaced by names; the caller's array when nmoved is 0 */
    struct pack_moved *moved;
    size_t nmoved;
    struct blob_want *wants; /* every hash once */
    size_t nwants;
};

/* Split the parts of an entry into stored parts and blobs. Pure: no I/O. A result without moved
 * base64 borrows `parts`. */
void blob_split(struct bough_arena *a, const struct bough_part *parts, size_t n,
                struct blob_parts *out);

/* Store the moved base64 whose blob does not exist yet, and mark foreign uploads. Must be called
 * before the txn that links it. */
enum bough_rc blob_store(struct bough_store *s, struct blob_parts *parts, struct bough_error *err);

/* In prepare(): check that the session may show these blobs. A blob named by a part must have been
 * stored within the last day, and not be foreign, or be visible to the session already; else
 * BOUGH_NOT_FOUND. *again: a
 * moved blob was swept, so the caller must call blob_store() and prepare again. */
enum bough_rc blob_permit(struct prep *p, int64_t sid, const struct blob_parts *parts, bool *again,
                          struct bough_error *err);

/* Add the changes that link the blobs to an entry. The txn is lost if a blob is missing. */
void blob_link(struct prep *p, const struct blob_parts *parts, int64_t bid, int64_t depth);

/* Put the moved base64 back into the parts of `e`. `e` must have been unpacked into `a`.
 * BOUGH_CORRUPT when a blob is missing. */
enum bough_rc blob_expand(struct snap *snap, struct bough_arena *a, const struct pack_extra *x,
                          struct bough_entry *e, struct bough_error *err);

/* BOUGH_CORRUPT when the row says that a blob is empty whose hash is not that of nothing. */
enum bough_rc blob_check_empty(const struct blob_row *row, struct bough_error *err);

/* Read bytes [from, from + n) of a complete blob into `to`. BOUGH_CORRUPT when a chunk is missing
 * or fails its checksum, or the last one does not end at the blob's size. */
enum bough_rc blob_read(struct snap *snap, const struct blob_row *row, int64_t from, size_t n,
                        char *to, struct bough_error *err);

#endif
