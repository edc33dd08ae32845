/* Attachments in memory. */
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
    struct mem_chunk **chunks; /* NULL where there is none */
    size_t nchunks, chunks_cap;
    struct link_row *links;
    size_t nlinks, links_cap;
};

struct mem_blob *mem_blob(struct memory *m, int64_t bno); /* NULL: no such blob */

/* Single rows, no questions asked. */
void mem_put_blob(struct memory *m, const struct blob_row *row);
void mem_put_chunk(struct memory *m, const struct chunk_row *row);
void mem_put_link(struct memory *m, const struct link_row *row);
void mem_del_blob(struct memory *m, int64_t bno);
void mem_del_chunk(struct memory *m, int64_t bno, int64_t index);
void mem_del_link(struct memory *m, const struct link_row *row);
void mem_scan_blobs(struct memory *m, enum raw_table table, raw_fn fn, void *user);
void mem_free_blobs(struct memory *m);

/* CHANGE_BLOB_LINK; bid is the branch's number by now. */
bool mem_link_lost(struct memory *m, const struct change *c);
void mem_apply_link(struct memory *m, const struct change *c, int64_t bid);

/* Links of a branch's entries deeper than `cut`; how many went. */
int64_t mem_purge_links(struct memory *m, int64_t bid, int64_t cut, int64_t limit);

enum bough_rc memory_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                              const struct patience *p, struct bough_error *err);
enum bough_rc memory_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                               const struct patience *p, struct bough_error *err);
enum bough_rc memory_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                const struct patience *p, struct bough_error *err);
enum bough_rc memory_blob_find(struct view *v, const unsigned char hash[32], struct blob_row *out,
                               struct bough_error *err);
enum bough_rc memory_chunk_get(struct view *v, struct bough_arena *a, int64_t bno, int64_t index,
                               struct chunk_row *out, struct bough_error *err);
enum bough_rc memory_link_scan(struct view *v, int64_t bno, link_fn fn, void *user,
                               struct bough_error *err);

#endif
