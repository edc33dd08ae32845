/* Placing what a format reads: items in, sessions and entries in a store, no doubles. */
#ifndef TRANSFER_PLACE_H
#define TRANSFER_PLACE_H

#include <bough/bough.h>

#include "base/map.h"
#include "formats/format.h"
#include "transfer/place_ids.h"

struct placer {
    struct bough_store *s;
    const struct bough_import *how;
    const char *path;
    const char *known;       /* id of the session an earlier import made of this file, or "" */
    struct bough_arena *a;   /* lives as long as the import */
    struct bough_arena *own; /* as long as the session at hand */
    struct bough_arena *tmp; /* emptied between batches */
    struct bough_imported *out;
    struct bough_arena *answers; /* where `out` lives */

    /* the session at hand */
    struct item_session in; /* kept; created when its first own entry comes */
    int64_t line;           /* where it began */
    int64_t nsessions;      /* of the file, so far */
    bool resumed;           /* only the end of the file is read: what is missing may be before it */
    bool begun, there;      /* there: in the store */
    bool forked;            /* it shows another session's entries, by reference */
    bool hidden;            /* it was deleted: nothing is written */
    bool fresh;             /* made by this import: nothing of it can be known */
    char session[BOUGH_ID_LEN + 1];
    char parent[BOUGH_ID_LEN + 1]; /* the session it was forked from, when that is in the store */
    char shared[BOUGH_ID_LEN + 1]; /* the last entry it shares with it */
    struct place_ids ids;          /* id in the file -> branch << 32 | depth */
    struct bough_head last;        /* where the last entry that was placed is */
    const char *last_waits;        /* id of the file's last entry while its parent is missing */
    bool edited;                   /* something that was known is different now */
    const char *head;              /* where the file says it was left, or NULL */
    bool moved;                    /* something was appended */

    /* calls: number in the file -> const char * id; those that were there before this import */
    struct map calls;
    struct bough_calls known_calls;
    bool *call_taken;
    bool calls_read;

    /* what is done when all entries are there: labels, memories, todos, deletions */
    struct later *rest, **rest_end;
    size_t nlater;

    /* entries that follow each other and are not yet appended */
    struct bough_entry_new *batch;
    const char **batch_ids;
    size_t n, cap, bytes;
    struct bough_head batch_at; /* behind this; branch 0: a root */

    /* entries whose parent has not come yet */
    struct waiting *waiting, **waiting_end;
    size_t nwaiting;
    struct waiting *asides, **asides_end; /* entries that come after what a fork shares */
};

void placer_init(struct placer *p);
void placer_finish(struct placer *p);
enum bough_rc placer_take(void *placer, const struct item *item, struct bough_error *err);
/* After the last item: what waits is placed, the head is put where it was left. */
enum bough_rc placer_end(struct placer *p, struct bough_error *err);
void placer_problem(struct placer *p, int64_t line, const char *text);

/* ---- inside view ---- */

/* place_batch.c: entries that follow each other. */
bool batch_full(const struct placer *p);
/* Behind the last one; `origin` is the id it is stored with. */
void placer_push(struct placer *p, const struct item_entry *in, const char *origin);
/* Write what is in the batch. */
enum bough_rc placer_flush(struct placer *p, struct bough_error *err);
/* Where the entry of that id (NULL: it has none) is, which is the last one now. */
void placer_remember(struct placer *p, const char *id, struct bough_head at);
/* A copy in an arena, and how many bytes more that is. */
struct bough_entry_new placer_keep(struct bough_arena *a, const struct bough_entry_new *in,
                                   size_t *bytes);

/* place_session.c */
enum bough_rc placer_session(struct placer *p, const struct item_session *in, int64_t line,
                             struct bough_error *err);
enum bough_rc placer_make(struct placer *p, struct bough_error *err);
struct bough_str keep_str(struct bough_arena *a, struct bough_str s);

/* place_rest.c */
enum bough_rc placer_call(struct placer *p, const struct item_call *in, int64_t line,
                          struct bough_error *err);
/* Was it refused for what it is, so that the rest may go on? */
bool placer_refused(enum bough_rc rc);
const char *call_id(const struct placer *p, int64_t n); /* NULL: no such */
void placer_later(struct placer *p, const struct item *item);
enum bough_rc placer_rest(struct placer *p, struct bough_error *err); /* all that waits */
/* Now; those of projects and of the store need no session. */
enum bough_rc placer_memory(struct placer *p, struct bough_memory in, struct bough_error *err);
enum bough_rc placer_state(struct placer *p, struct bough_error *err); /* title, status */

/* place_find.c */
uint64_t pack_place(struct bough_head at);
struct bough_head unpack_place(uint64_t v);
const char *place_text(struct bough_arena *a, struct bough_head at);
bool same_place(struct bough_head a, struct bough_head b);
/* An id that came twice has a number behind it from the second time on. */
const char *numbered(struct bough_arena *a, const char *id, int n);
/* The newest entry of that id in a session: *again says how many there are. NULL: none. */
struct bough_entry *stored(struct placer *p, const char *session, const char *id, int *again);
/* The entry this is, behind `parent`: by its id, or (it has none) by its content. NULL: new. */
struct bough_entry *known_entry(struct placer *p, const struct item_entry *in,
                                struct bough_head parent);
struct bough_entry *known_child(struct placer *p, const struct item_entry *in,
                                struct bough_head parent);
struct bough_entry *known_ours(struct placer *p, const struct item_entry *in,
                               struct bough_head parent);
struct bough_entry *known_aside(struct placer *p, const struct item_entry *in,
                                struct bough_head parent);
/* The session that has this entry, if there is one: it is the one it was forked from. */
void placer_find_parent(struct placer *p, const struct item_entry *in);
/* What the session it was forked from has under that id, if that is the same. */
struct bough_entry *shared_entry(struct placer *p, const struct item_entry *in);

#endif
