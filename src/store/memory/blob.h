/* Attachments of the memory backend. The caller of a mem_ function must hold the lock, for writing
 * if the function changes a row. */
#ifndef STORE_MEMORY_BLOB_H
#define STORE_MEMORY_BLOB_H

#include "store/memory/memory.h"

struct mem_chunk {
    int64_t sum;
    size_t len;
    char body[];
};

struct mem_blob {
    bool there;
    struct blob_row row;
    struct mem_chunk **chunks; /* by index; NULL where a piece is missing */
    size_t nchunks, chunks_cap;
    struct link_row *links;
    size_t nlinks, links_cap;
};

struct mem_blob *mem_blob(struct memory *m, int64_t bno); /* NULL: no such blob */

/* Write or remove one row without checking any rule. */
void mem_put_blob(struct memory *m, const struct blob_row *row);
void mem_put_chunk(struct memory *m, const struct chunk_row *row);
void mem_put_link(struct memory *m, const struct link_row *row);
void mem_del_blob(struct memory *m, int64_t bno);
void mem_del_chunk(struct memory *m, int64_t bno, int64_t index);
void mem_del_link(struct memory *m, const struct link_row *row);
void mem_scan_blobs(struct memory *m, enum raw_table table, raw_fn fn, void *user);
void mem_free_blobs(struct memory *m);

/* CHANGE_BLOB_LINK: mem_link_lost() is true when no complete blob has the hash. `bid` is the final
 * branch number. */
bool mem_link_lost(struct memory *m, const struct change *c);
void mem_apply_link(struct memory *m, const struct change *c, int64_t bid);

/* Remove at most `limit` links of the branch's entries deeper than `cut`; returns how many were
 * removed. A blob that loses a link becomes BLOB_LOOSE. */
int64_t mem_purge_links(struct memory *m, int64_t bid, int64_t cut, int64_t limit);

enum bough_rc memory_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                              const struct deadline *p, struct bough_error *err);
enum bough_rc memory_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                               const struct deadline *p, struct bough_error *err);
enum bough_rc memory_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                const struct deadline *p, struct bough_error *err);
enum bough_rc memory_blob_find(struct snapshot *v, const unsigned char hash[32],
                               struct blob_row *out, struct bough_error *err);
enum bough_rc memory_chunk_get(struct snapshot *v, struct bough_arena *a, int64_t bno,
                               int64_t index, struct chunk_row *out, struct bough_error *err);
enum bough_rc memory_link_scan(struct snapshot *v, int64_t bno, link_fn fn, void *user,
                               struct bough_error *err);

#endif
