/*
 * Attachments inside the store. Bytes lie in pieces of LIMIT_CHUNK under a number; they are found
 * by SHA-256 once all of them are there. Entries show them through link rows, written with the
 * entry in one txn; nobody counts. What no entry links is swept a day after somebody last stored
 * it.
 *
 * Base64 that is moved out of a part on its way in (core/attach.h) takes the same road. Nobody but
 * the append knows of it, so it has no day of grace: a purge takes it along at once.
 */
#ifndef STORE_BLOB_H
#define STORE_BLOB_H

#include "core/attach.h"
#include "store/engine.h"

/* What an entry shows. */
struct blob_want {
    unsigned char hash[32];
    int64_t size;
    struct bough_str text; /* its base64; empty: the part only names it */
};

/* The parts of an entry as they are stored. */
struct blob_parts {
    const struct bough_part
        *parts; /* with names where base64 was; the given ones when nmoved is 0 */
    struct pack_moved *moved;
    size_t nmoved;
    struct blob_want *wants; /* each hash once */
    size_t nwants;
};

/* Look through the parts: pure, reads nothing and writes nothing. */
void blob_split(struct bough_arena *a, const struct bough_part *parts, size_t n,
                struct blob_parts *out);

/* Write what was moved and is not there yet. */
enum bough_rc blob_store(struct bough_store *s, const struct blob_parts *parts,
                         struct bough_error *err);

/* In prepare(): may the session show these? What is named must have been stored within the day, or
 * be on one of its paths already; else BOUGH_NOT_FOUND. *again: what was moved must be stored once
 * more, then the txn prepared again. */
enum bough_rc blob_permit(struct prep *p, int64_t sid, const struct blob_parts *parts, bool *again,
                          struct bough_error *err);

/* The changes that link them to an entry. */
void blob_link(struct prep *p, const struct blob_parts *parts, int64_t bid, int64_t depth);

/* Put back what was moved out of the parts of `e`, which was just unpacked into `a`. */
enum bough_rc blob_expand(struct snap *snap, struct bough_arena *a, const struct pack_extra *x,
                          struct bough_entry *e, struct bough_error *err);

/* Bytes [from, from + n) of a whole blob, checked against the sums of their pieces. */
enum bough_rc blob_read(struct snap *snap, const struct blob_row *row, int64_t from, size_t n,
                        char *to, struct bough_error *err);

/* ---- writer_work.c: in the writer's role ---- */

enum bough_rc writer_blob_put(struct engine *e, int64_t *bno, const struct chunk_row *chunk,
                              const struct patience *p, struct bough_error *err);
enum bough_rc writer_blob_seal(struct engine *e, struct blob_row *row, bool relaxed,
                               const struct patience *p, struct bough_error *err);
/* `only` > 0: one that was not finished. */
enum bough_rc writer_sweep(struct engine *e, int64_t only, const struct patience *p,
                           struct bough_error *err);

#endif
