/* Rescue: build a new store from the rows that salvage finds in a damaged file. */
#ifndef STORE_CARE_RESCUE_H
#define STORE_CARE_RESCUE_H

#include <bough/salvage.h>

#include "base/env.h"
#include "store/care/salvage/salvage.h"
#include "store/contract/backend.h"
#include "store/sqlite/sqlite.h"

/*
 * Write every row that can be found in the damaged file `from` into the empty file `to`, which
 * becomes a store. Rows whose bytes are damaged are written as they are, for repair to quarantine.
 * Rows that others need but that are lost (sessions, branches, changelog rows) get a stand-in;
 * lists and full text are left to be rebuilt. The epoch is higher than that of the damaged file.
 */
enum bough_rc rescue_build(const char *from, const char *to, const struct env *env,
                           struct bough_salvage_result *report, struct bough_error *err);

/* Compare: every intact session, branch, entry and record that SQLite still reads from `old` must
 * be in `made`. BOUGH_CORRUPT names the first one that is not. `repaired`: `made` was repaired,
 * which may change sessions and records and seals open messages; only the other entries are
 * compared. */
enum bough_rc rescue_compare(const char *old, const char *made, bool repaired,
                             struct bough_error *err);

enum {
    RESCUE_ROWS = 2000, /* rows and bytes per transaction */
    RESCUE_BYTES = 4 * 1024 * 1024,
};

struct rescue {
    struct salvage s;
    struct backend *to;
    const struct env *env;
    struct bough_arena *keep; /* lives until the end */
    struct bough_arena *a;    /* of the current batch */
    struct raw_row rows[RESCUE_ROWS];
    size_t n, bytes;
    struct raw_numbers numbers;
    struct map sids, bids; /* sessions; branches -> session */
    struct map log_sids;   /* sessions in the changelog -> time of their first row */
    struct map log_bids;   /* branches in the changelog -> session */
    struct map purged;     /* sessions that the changelog says were purged */
    struct smap slugs;
    struct changelog_row *log; /* ascending, no overlaps */
    size_t nlog, nfound;       /* rows behind the first nfound are stand-ins */
    struct link_row *links;
    size_t nlinks;
    int64_t lost; /* session of branches whose session is not known; 0: none */
    enum bough_rc rc;
    struct bough_error *err;
};

/* Queue a row. Its bytes must be in r->a or live until the end. */
void rescue_load(struct rescue *r, const struct raw_row *row, size_t bytes);
void rescue_flush(struct rescue *r);
/* Call `fn` for each row of a table that can still be read. */
void rescue_each(struct rescue *r, enum salvage_table table,
                 void (*fn)(struct rescue *r, const struct salvage_hit *h,
                            const struct pages_row *row));

/* rescue_tree.c: sessions and branches, and stand-ins for those that are lost. */
void rescue_tree(struct rescue *r);

/* Convert a row found in a page. Its bytes point into the page, so they are valid until the next
 * row is read. */
void rescue_row(enum salvage_table table, const struct pages_row *row, struct raw_row *out);

#endif
