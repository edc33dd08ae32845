/* The placer: writes the items of a format into a store, without creating duplicates. */
#ifndef TRANSFER_IMPORT_PLACER_H
#define TRANSFER_IMPORT_PLACER_H

#include <bough/bough.h>

#include "base/memory/map.h"
#include "formats/common/copies.h"
#include "formats/common/format.h"
#include "transfer/import/placer_ids.h"
#include "transfer/pipeline/item_keep.h"

struct placer {
    struct bough_store *s; /* a handle of its own; see placer_moved() */
    const struct bough_import_file_options *how;
    const char *path;
    const struct format *format;
    bool imported;           /* an earlier import read this file */
    bool ordered;            /* it is a database, which gives parents before their children */
    struct smap placed;      /* id in the file -> const char * id of a session placed before */
    const char *known;       /* id of the session an earlier import created from this file, or "" */
    struct bough_arena *a;   /* lives as long as the import */
    struct bough_arena *own; /* lives as long as the current session */
    struct bough_arena *tmp; /* reset between batches */
    struct bough_import_file_result *out;
    struct bough_arena *answers; /* owns what `out` points to */

    /* The current session. */
    struct item_session in; /* a copy; the session is created when its first own entry comes */
    int64_t line;           /* line of the file where it begins */
    int64_t nsessions;      /* sessions of the file so far */
    bool resumed;           /* only the end of the file is read: a missing entry may be before it */
    bool begun, there;      /* there: it exists in the store */
    bool forked;            /* it shares entries of another session */
    bool hidden;            /* it is deleted in the store: nothing is written */
    bool fresh;             /* created by this import: none of its entries can be known */
    bool elsewhere;         /* it did not come from files of this format: this one is an export */
    char session[BOUGH_ID_LEN + 1];
    /* The session it was forked from, if that is in the store; else "". */
    char parent[BOUGH_ID_LEN + 1];
    char shared[BOUGH_ID_LEN + 1]; /* the last entry it shares with `parent` */
    struct copies copies;          /* how the file differs from the entries it shares */
    struct place_ids ids;          /* id in the file -> packed slot */
    struct bough_head last;        /* slot of the last entry placed */
    bool lost;                     /* a line before the next entry could not be read */
    struct bough_head lost_behind; /* the last entry before that line */
    const char *last_waits;        /* id of the file's last entry, while its parent is missing */
    bool edited;                   /* a known entry has different content now */
    /* The id of the head according to the file; "" at nothing; NULL unknown. */
    const char *head;
    bool moved;     /* something was appended */
    int64_t latest; /* when the session last changed; 0: unknown */
    int64_t dated;  /* time of the last entry with one: that of entries without */

    /* Provider calls: number in the file -> const char * id. known_calls: those that existed before
     * this import. */
    struct map calls;
    struct bough_calls known_calls;
    bool *call_taken;
    bool calls_read;

    /* Items applied after all entries: titles, labels, memories, prompts, todos, deletions. */
    struct later *rest, **rest_end;
    size_t nlater;

    /* A batch of consecutive entries that are not appended yet. */
    struct bough_entry_new *batch;
    const char **batch_ids;
    const struct packed_entry **batch_packed; /* packed ahead; NULL: the append packs it */
    size_t n, cap, bytes;
    struct bough_head batch_at; /* slot of the parent of the first one; branch 0: a root */
    bool batch_uncounted;       /* all of them are, or none */

    /* Entries whose parent has not come yet. */
    struct waiting *waiting, **waiting_end;
    size_t nwaiting;
    struct waiting *asides, **asides_end; /* entries to place after those that a fork shares */
};

/* placer_common.c */
/* p->how must be set. Writes through a handle of its own on `s`. */
void placer_init(struct placer *p, struct bough_store *s);
void placer_finish(struct placer *p);
/* The conversation of the session moved at this time (0: unknown). What is written next is listed
 * with the latest of these times, not with the time of the import. */
void placer_moved(struct placer *p, int64_t time);
/* Add a problem to the report. Only the first 1000 are kept; the rest is counted. */
void placer_problem(struct placer *p, int64_t line, const char *text);
/* Did the store refuse this item itself, so that the import can continue? */
bool placer_refused(enum bough_rc rc);
/* Id of call n of the file; NULL: unknown. */
const char *placer_call_id(const struct placer *p, int64_t n);

/* placer.c */
/* A sink for items; `placer` is the struct placer. BOUGH_CONFLICT when p->resumed and the item
 * needs an earlier part of the file. */
enum bough_rc placer_take(void *placer, const struct item *item, struct bough_error *err);
/* After the last item: place the waiting entries, apply the rest, set the head. */
enum bough_rc placer_end(struct placer *p, struct bough_error *err);

/* placer_batch.c: batches of consecutive entries. */
bool batch_full(const struct placer *p);
/* Add an entry to the batch; `origin` is the id it is stored with. */
void placer_push(struct placer *p, const struct item_entry *in, const char *origin);
/* Append the batch to the store. Resets p->tmp. */
enum bough_rc placer_flush(struct placer *p, struct bough_error *err);
/* Record the slot of an entry (id NULL: it has none) and make it the last one. */
void placer_remember(struct placer *p, const char *id, struct bough_head at);

/* placer_session.c */
/* Begin a session, after the one before has ended: look it up in the store. */
enum bough_rc placer_session(struct placer *p, const struct item_session *in, int64_t line,
                             struct bough_error *err);
/* Did an import of this format give the session its id? */
bool placer_gave(struct placer *p, const char *session);
/* Create the current session in the store. */
enum bough_rc placer_make(struct placer *p, struct bough_error *err);

/* placer_rest.c */
/* Record a provider call, unless the session already has it. */
enum bough_rc placer_call(struct placer *p, const struct item_call *in, int64_t line,
                          struct bough_error *err);
/* Copy the item, to apply it after all entries. */
void placer_later(struct placer *p, const struct item *item);
enum bough_rc placer_rest(struct placer *p, struct bough_error *err); /* apply them */
/* Applied at once: memories of projects and of the store need no session. */
enum bough_rc placer_memory(struct placer *p, struct bough_memory in, struct bough_error *err);
/* Title, totals, archived, deleted. */
enum bough_rc placer_state(struct placer *p, struct bough_error *err);

/* placer_find.c */
uint64_t pack_place(struct bough_head at);
struct bough_head unpack_place(uint64_t v);
const char *place_text(struct bough_arena *a, struct bough_head at);
bool same_place(struct bough_head a, struct bough_head b);
/* The id of the n-th entry with this id: from the second on, "~n" is appended. */
const char *numbered(struct bough_arena *a, const char *id, int n);
/* The newest entry with this id in a session, or NULL. *again: how many there are. */
struct bough_entry *stored(struct placer *p, const char *session, const char *id, int *again);
/* The known_ functions find the stored entry that equals `in` below `parent`; NULL: it is new.
 * known_entry: by id. */
struct bough_entry *known_entry(struct placer *p, const struct item_entry *in,
                                struct bough_head parent);
/* By content, for an entry without an id. */
struct bough_entry *known_child(struct placer *p, const struct item_entry *in,
                                struct bough_head parent);
/* One of our own entries, or of another format, that an export wrote: its data may differ. */
struct bough_entry *known_ours(struct placer *p, const struct item_entry *in,
                               struct bough_head parent);
/* By id, wherever it hangs. */
struct bough_entry *known_aside(struct placer *p, const struct item_entry *in,
                                struct bough_head parent);
/* The entry of the session that an export made `in` of, or NULL. */
struct bough_entry *exported_entry(struct placer *p, const char *session,
                                   const struct item_entry *in);
/* Set p->parent to the session that has this entry, if there is one. */
void placer_find_parent(struct placer *p, const struct item_entry *in);
/* The entry with this id in p->parent, if its content is the same; else NULL. */
struct bough_entry *shared_entry(struct placer *p, const struct item_entry *in);

/* Note how the file differs from the parent up to `e`, the shared entry that `in` is. */
void note_copies(struct placer *p, const struct bough_entry *e, const struct item_entry *in);

#endif
