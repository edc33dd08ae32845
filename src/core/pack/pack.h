/*
 * Packed entries: the layout of an entry's row body. Pure.
 *
 *   0      version (low 4 bits) and the flags PACK_ZSTD, PACK_STUB
 *   1-4    CRC-32C of the stored bytes from 15 on
 *   5-10   no                      } known only at commit, see pack_entry_patch();
 *   11-14  ordinal of its call     } not covered by the checksum
 *   15-    varints: depth, kind, role, made, chk, mno, time - made,
 *          made of its call (0: no call), chk of its call (only if there is one),
 *          length of the tail before compression
 *   then   the tail, compressed with PACK_ZSTD:
 *          varints: bits of the optional fields present, values of the numbers among them,
 *          lengths of the strings among them, number of parts,
 *          type (one byte) and length of each part, the list of moved base64 if any;
 *          then the bytes of the strings and the parts, each followed by a NUL
 *
 * Fixed-size numbers are little endian. The tail does not depend on the entry's slot, so it is
 * built before any lock is taken. All lengths precede the bytes, so a reader makes its slices
 * without copying or searching.
 */
#ifndef CORE_PACK_PACK_H
#define CORE_PACK_PACK_H

#include <bough/model.h>

#include "base/memory/buf.h"
#include "base/memory/squeeze.h"

/* Byte 0 of every stored entry. PACK_STUB: a placeholder for an entry that was quarantined. */
enum { PACK_PREFIX = 15, PACK_ZSTD = 0x10, PACK_STUB = 0x20, PACK_VERSION = 1 };

static inline bool pack_is_stub(struct bough_str body)
{
    return body.n && (body.p[0] & PACK_STUB);
}

/* Base64 of a part that was moved to an attachment: the part's JSON has the attachment's name
 * (core/pack/attach.h) at offset `at` instead. */
struct pack_moved {
    uint32_t part, at;
    uint8_t how; /* PACK_BASE64 */
};

enum { PACK_BASE64 = 1 }; /* stored */

/* Stored fields that are not in struct bough_entry: the parts of its ids, and moved base64. */
struct pack_extra {
    int64_t made, chk;              /* creation time and check bits of the entry's id */
    int64_t call_made, call_chk;    /* of its call's id; 0: no call */
    int64_t call_ord;               /* 0: no call, or patched at commit */
    const struct pack_moved *moved; /* set by pack_entry_read() only; by part, then offset */
    size_t nmoved;
    bool newer; /* set by pack_entry_read() only: a part type is not known to this version */
};

/* Build the tail of `e` in the arena, compressed if it has `zstd_from` bytes or more (0: never). */
void pack_tail(struct bough_arena *a, const struct bough_entry *e, size_t zstd_from,
               struct squeezed *out);

/* The same for parts whose base64 was moved; `moved` must be sorted by part, then offset. */
void pack_tail_moved(struct bough_arena *a, const struct bough_entry *e,
                     const struct pack_moved *moved, size_t nmoved, size_t zstd_from,
                     struct squeezed *out);

/*
 * Build the whole body in the arena, with `no` still 0. Of `e` only at.depth, mno, kind, role and
 * time are used; the rest is in the tail.
 */
struct bough_str pack_entry(struct bough_arena *a, const struct bough_entry *e,
                            const struct pack_extra *x, const struct squeezed *tail);

/* Write the numbers assigned at commit into a body. A `call_ord` of 0 keeps the old one. */
void pack_entry_patch(char *body, int64_t no, int64_t call_ord);

/*
 * Fill `e` with slices of `body`, which must outlive it; a compressed tail is expanded into `a`.
 * The caller sets id, session, call, at.branch and deleted. Parts are as stored; x->moved lists
 * the base64 to put back. A part of an unknown type becomes BOUGH_PART_OTHER and sets x->newer.
 * BOUGH_CORRUPT when the body is damaged or its checksum is wrong. BOUGH_VERSION when the checksum
 * is right but the kind, the role or a field is unknown: a newer bough wrote the entry.
 */
enum bough_rc pack_entry_read(struct bough_arena *a, struct bough_str body, struct bough_entry *e,
                              struct pack_extra *x, struct bough_error *err);

/* Read only the numbers before the tail: no arena, no checksum. False: not a body. The kind may be
 * unknown to this version, but is below 32. */
struct pack_head {
    int64_t no, depth, kind, role, made, chk, mno, time;
    int64_t call_made, call_chk, call_ord;
    size_t raw;            /* length of the tail before compression */
    struct bough_str tail; /* as stored */
};
bool pack_entry_head(struct bough_str body, struct pack_head *out);

/*
 * A body split into readable columns: `front`, all bytes before the parts; `parts`, a JSON array of
 * the parts' bytes (empty if there are none); and data, metadata and part types ("text,tool"),
 * copies of what the front holds. pack_split returns false when the body is compressed, a stub or
 * damaged, or when parts, data or metadata are not text. pack_join restores the same body from
 * front and parts; from pieces that do not match it makes a body whose checksum fails.
 */
struct pack_pieces {
    struct bough_str front, parts, data, metadata, types;
};
bool pack_split(struct bough_arena *a, struct bough_str body, struct pack_pieces *out);
struct bough_str pack_join(struct bough_arena *a, struct bough_str front, struct bough_str parts);

/*
 * Repack an entry: expand its tail and compress it if it has `zstd_from` bytes or more (0: never).
 * A damaged body is returned unchanged.
 */
struct bough_str pack_entry_again(struct bough_arena *a, struct bough_str body, size_t zstd_from);

/* Are version and checksum right? */
bool pack_entry_sound(struct bough_str body);

#endif
