/*
 * Packed bodies: how an entry is laid out in one row. Pure.
 *
 *   0      version (low 4 bits), PACK_ZSTD when the tail is compressed
 *   1-4    CRC-32C of everything from byte 15 on, as stored
 *   5-10   no, little endian       } known only at commit: pack_entry_patch()
 *   11-14  ordinal of its call     }
 *   15-    varints: depth, kind, role, made, chk, mno, time - made, call's made and chk (0: no
 * call), length of the tail before compression; then the tail tail   varints: which optional fields
 * follow, their values and lengths, type and length of each part; then the bytes of all of them,
 * each with a NUL behind it
 *
 * The tail does not depend on where the entry will stand, so it is made before any lock is taken.
 * Offsets stand in front of the bytes, so a reader fills its slices without copying or searching.
 */
#ifndef CORE_PACK_H
#define CORE_PACK_H

#include <bough/model.h>

#include "base/buf.h"
#include "core/squeeze.h"

/* PACK_STUB: it stands in the place of an entry that was quarantined. */
enum { PACK_PREFIX = 15, PACK_ZSTD = 0x10, PACK_STUB = 0x20, PACK_VERSION = 1 };

static inline bool pack_is_stub(struct bough_str body)
{
    return body.n && (body.p[0] & PACK_STUB);
}

/* A part's base64 that is kept as an attachment: at `at` of its JSON stands the attachment's name
 * (core/attach.h). */
struct pack_moved {
    uint32_t part, at;
    uint8_t how; /* PACK_BASE64 */
};

enum { PACK_BASE64 = 1 };

/* What is not in struct bough_entry: how to make its ids, and what its parts leave out. */
struct pack_extra {
    int64_t made, chk;              /* of the entry's id */
    int64_t call_made, call_chk;    /* of its call's id */
    int64_t call_ord;               /* 0: none, or patched at commit */
    const struct pack_moved *moved; /* only read: by part, then by place */
    size_t nmoved;
};

/* Make the tail of `e` in the arena; compress it from `zstd_from` bytes on (0: never). */
void pack_tail(struct bough_arena *a, const struct bough_entry *e, size_t zstd_from,
               struct squeezed *out);

/* The same; `moved` says what the parts leave out, by part, then by place. */
void pack_tail_moved(struct bough_arena *a, const struct bough_entry *e,
                     const struct pack_moved *moved, size_t nmoved, size_t zstd_from,
                     struct squeezed *out);

/* The whole body in the arena. at.depth, mno, kind, role and time are taken from `e`. */
struct bough_str pack_entry(struct bough_arena *a, const struct bough_entry *e,
                            const struct pack_extra *x, const struct squeezed *tail);

/* Fill in what only the commit knows. `call_ord` 0 leaves it. */
void pack_entry_patch(char *body, int64_t no, int64_t call_ord);

/* Fill `e` with slices of `body`, which must outlive it (a compressed tail is expanded into `a`).
 * id, session, call, at.branch and deleted are the caller's. Parts are as stored: what they leave
 * out is in `x`. BOUGH_CORRUPT when it is not a body or
 * its sum is wrong. */
enum bough_rc pack_entry_read(struct bough_arena *a, struct bough_str body, struct bough_entry *e,
                              struct pack_extra *x, struct bough_error *err);

/* Only the numbers in front: cheap, needs no arena, checks no sum. */
struct pack_head {
    int64_t no, depth, kind, role, made, chk, mno, time;
    int64_t call_made, call_chk, call_ord;
    size_t raw;            /* length of the tail before compression */
    struct bough_str tail; /* as stored */
};
bool pack_entry_head(struct bough_str body, struct pack_head *out);

/*
 * A body in pieces: what stands before its parts; the parts as a JSON array of their own bytes
 * (empty: it has none); its data and metadata and the types of its parts ("text,tool"), which stay
 * in the front as well. False: that cannot
 * be said of it (compressed, damaged, or something is no text). Front and parts joined give the
 * same body again; pieces that do not fit one whose sum is wrong.
 */
struct pack_pieces {
    struct bough_str front, parts, data, metadata, types;
};
bool pack_split(struct bough_arena *a, struct bough_str body, struct pack_pieces *out);
struct bough_str pack_join(struct bough_arena *a, struct bough_str front, struct bough_str parts);

/* The same entry with its tail compressed from `zstd_from` bytes on (0: never). A body that cannot
 * be read stays as it is. */
struct bough_str pack_entry_again(struct bough_arena *a, struct bough_str body, size_t zstd_from);

/* Does the sum hold? */
bool pack_entry_sound(struct bough_str body);

#endif
