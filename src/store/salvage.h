/* Salvage inside: what was found, and how it is written down. */
#ifndef STORE_SALVAGE_H
#define STORE_SALVAGE_H

#include <stdarg.h>

#include <bough/salvage.h>

#include "base/map.h"
#include "core/pack.h"
#include "store/sqlite/pages.h"

#define SALVAGE_LINE ((size_t)1 << 30) /* no line is longer */

/* In the order they are given out. */
enum salvage_table {
    SALVAGE_NONE,
    SALVAGE_SESSION,
    SALVAGE_BRANCH,
    SALVAGE_ENTRY,
    SALVAGE_RECORD,
    SALVAGE_BLOB,
    SALVAGE_CHUNK,
};

struct salvage_hit {
    int64_t key;
    uint64_t place;
    uint32_t seq; /* the smaller, the newer */
    uint8_t table;
    bool whole;
};

struct salvage {
    struct pages *pages;
    bool (*line)(void *user, struct bough_str json);
    bool (*lost)(void *user, const char *what);
    void *user;
    bool stop;
    struct bough_salvage_report *report;
    struct bough_arena *a; /* emptied at every row */
    struct salvage_hit *at;
    size_t n, cap;
    struct smap blobs;        /* hash -> bno */
    struct map sizes, chunks; /* bno -> size; key -> index of its hit */
    int64_t last_bid, last_depth;
};

/* salvage_lines.c: one line each. */
void salvage_session_line(struct salvage *s, const struct pages_row *row);
void salvage_branch_line(struct salvage *s, const struct pages_row *row);
void salvage_entry_line(struct salvage *s, const struct bough_entry *e, const struct pack_extra *x);
void salvage_record_line(struct salvage *s, const struct pages_row *row);
void salvage_blob_line(struct salvage *s, const struct pages_row *row);
void salvage_chunk_line(struct salvage *s, const struct pages_row *row);

#endif
