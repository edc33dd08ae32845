/* Salvage: read what is intact in a damaged SQLite store. Rescue: make a new store of it. */
#ifndef BOUGH_SALVAGE_H
#define BOUGH_SALVAGE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_salvage_result {
    int64_t pages;                                             /* of the file */
    int64_t sessions, branches, entries, records, attachments; /* saved */
    int64_t broken;       /* rows and pages that were found, but are damaged */
    int64_t missing;      /* entries that are missing between others of their branch */
    uint64_t reserved[4]; /* room to grow */
};

/*
 * Read a store file page by page, and the write-ahead log beside it, without relying on any index
 * or header: torn pages, a cut file and an overwritten header do not hide intact rows. The file is
 * not written, and must not be open in this process.
 *
 * `line` gets one JSON object at a time, without a newline: first {"type":"salvage"}, then
 * sessions, branches, entries in the order of their branches with their parts byte for byte,
 * records, and attachments in pieces of base64. An entry whose moved base64 is lost has the
 * attachment's name in its place. `lost` gets a sentence for everything that could not be saved; it
 * may be NULL, and so may `report`. Either returns false to stop, which is BOUGH_CANCELLED.
 *
 * BOUGH_NOT_FOUND: there is no such file. BOUGH_INVALID: it is not a file. A file without an intact
 * row is no failure.
 */
BOUGH_MUST_CHECK enum bough_rc bough_salvage(const char *path,
                                             bool (*line)(void *user, struct bough_str json),
                                             bool (*lost)(void *user, const char *what), void *user,
                                             struct bough_salvage_result *report,
                                             struct bough_error *err);

struct bough_rescue_result {
    struct bough_salvage_result saved;         /* found in the damaged file */
    struct bough_store_repair_result repaired; /* in the new store */
    const char *kept;                          /* path of the damaged file, or "" */
    uint64_t reserved[4];                      /* room to grow */
};

/*
 * Make a new store of everything intact in the damaged file at `path`, repair it, and check that it
 * holds all that SQLite still reads from the damaged file. Nothing is written into that file.
 *
 * With `to`, the new store is the new file `to`, which bough_restore() reads. Without, it takes the
 * place of the damaged file, which is kept beside it under another name (out->kept) with its
 * write-ahead log. The store must not be open anywhere then. Ids and numbers stay the same, and the
 * epoch rises. A session whose row is lost is called "Recovered".
 *
 * `did` and `left` are called as by bough_store_repair(). They and `out` may be NULL.
 *
 * BOUGH_NOT_FOUND: there is no such file. BOUGH_BUSY: the store is open. BOUGH_EXISTS: `to` exists.
 * BOUGH_CORRUPT: no intact session or entry was found, or the new store would lack something that
 * can still be read. The damaged file is in its place and unchanged after every failure.
 */
BOUGH_MUST_CHECK enum bough_rc bough_rescue(const char *path, const char *to,
                                            void (*did)(void *user, const struct bough_finding *f),
                                            void (*left)(void *user, const struct bough_finding *f),
                                            void *user, struct bough_arena *a,
                                            struct bough_rescue_result *out,
                                            struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
