/* Salvage internals: the rows found, and the lines they are written as. */
#ifndef STORE_CARE_SALVAGE_H
#define STORE_CARE_SALVAGE_H

#include <stdarg.h>

#include <bough/salvage.h>

#include "base/memory/map.h"
#include "core/pack/pack.h"
#include "store/sqlite/pages.h"

#define SALVAGE_LINE ((size_t)1 << 30) /* maximum length of a line */
/* The first line of the output, so that import does not take it for a session's file. */
#define SALVAGE_FIRST_LINE "{\"type\":\"salvage\",\"version\":1}"

/* In the order of the output. Tables behind SALVAGE_CHUNK are not written as lines. */
enum salvage_table {
    SALVAGE_NONE,
    SALVAGE_SESSION,
    SALVAGE_BRANCH,
    SALVAGE_ENTRY,
    SALVAGE_RECORD,
    SALVAGE_BLOB,
    SALVAGE_CHUNK,
    SALVAGE_HEAD,
    SALVAGE_OPEN,
    SALVAGE_LOG,
    SALVAGE_ALIAS,
    SALVAGE_KEY,
    SALVAGE_DRAFT,
    SALVAGE_META,
    SALVAGE_COUNTER,
};

/* One row found in a page. */
struct salvage_hit {
    int64_t key;    /* SQLite rowid; a hash of the key in a table without one */
    uint64_t place; /* where it was found, for pages_again() */
    uint32_t seq;   /* smaller is newer */
    uint8_t table;
    bool whole; /* its checksum holds */
};

struct salvage {
    struct pages *pages;
    bool (*line)(void *user, struct bough_str json);
    bool (*lost)(void *user, const char *what);
    void *user;
    bool stop; /* a callback asked to stop */
    struct bough_salvage_result *report;
    struct bough_arena *a; /* reset for every row */
    struct salvage_hit *at;
    size_t n;
    struct smap blobs;        /* hash -> bno */
    struct map sizes, chunks; /* bno -> size; chunk key -> index of its hit */
    int64_t last_bid, last_depth;
};

/* ---- salvage_find.c ---- */

/* Find all rows of the file at `path`: one version of each, sorted by table and key. On success
 * call salvage_end(). */
enum bough_rc salvage_begin(struct salvage *s, const char *path, struct bough_error *err);
void salvage_end(struct salvage *s);
/* Compare column types: "n" NULL (the key), "i" integer, "t" text, "b" bytes. */
bool salvage_shaped(const struct pages_row *row, const char *shape);
/* Is this a body that begins with its checksum, and does the checksum hold? */
bool salvage_sum_holds(struct bough_str body);

/* salvage_lines.c: each writes one JSON line through s->line. Sets s->stop when the callback asks
 * to stop. */
void salvage_session_line(struct salvage *s, const struct pages_row *row);
void salvage_branch_line(struct salvage *s, const struct pages_row *row);
void salvage_entry_line(struct salvage *s, const struct bough_entry *e, const struct pack_extra *x);
void salvage_record_line(struct salvage *s, const struct pages_row *row);
void salvage_blob_line(struct salvage *s, const struct pages_row *row);
void salvage_chunk_line(struct salvage *s, const struct pages_row *row);

#endif
