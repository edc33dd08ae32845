/* Placing what a format reads: items in, sessions and entries in a store, no doubles. */
#ifndef TRANSFER_PLACE_H
#define TRANSFER_PLACE_H

#include <bough/bough.h>

#include "base/map.h"
#include "formats/format.h"

struct placer {
    struct bough_store *s;
    const struct bough_import *how;
    const char *path;
    const char *known;       /* id of the session an earlier import made of this file, or "" */
    struct bough_arena *a;   /* lives as long as the import */
    struct bough_arena *tmp; /* emptied between batches */
    struct bough_imported *out;
    struct bough_arena *answers; /* where `out` lives */

    /* the session at hand */
    struct item_session in; /* kept; created when its first own entry comes */
    bool begun, there;      /* there: in the store */
    bool fresh;             /* made by this import: nothing of it can be known */
    char session[BOUGH_ID_LEN + 1];
    char parent[BOUGH_ID_LEN + 1]; /* the session it was forked from, when that is in the store */
    char shared[BOUGH_ID_LEN + 1]; /* the last entry it shares with it */
    struct smap ids;               /* id in the file -> branch << 32 | depth */
    struct bough_head last;        /* where the last entry that was placed is */
    const char *last_waits;        /* id of the file's last entry while its parent is missing */
    bool edited;                   /* something that was known is different now */
    const char *head;              /* where the file says it was left, or NULL */
    bool moved;                    /* something was appended */

    /* entries that follow each other and are not yet appended */
    struct bough_entry_new *batch;
    const char **batch_ids;
    size_t n, cap, bytes;
    struct bough_head batch_at; /* behind this; branch 0: a root */

    /* entries whose parent has not come yet */
    struct waiting *waiting, **waiting_end;
    size_t nwaiting;
};

void placer_init(struct placer *p);
void placer_finish(struct placer *p);
enum bough_rc placer_take(void *placer, const struct item *item, struct bough_error *err);
/* After the last item: what waits is placed, the head is put where it was left. */
enum bough_rc placer_end(struct placer *p, struct bough_error *err);
void placer_problem(struct placer *p, int64_t line, const char *text);

#endif
