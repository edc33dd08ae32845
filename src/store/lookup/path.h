/* Paths: the runs of branches from the root to an entry, and reading entries. */
#ifndef STORE_LOOKUP_PATH_H
#define STORE_LOOKUP_PATH_H

#include "store/engine/engine.h"

/* One run of a path: depths from...to of a branch, and the session that owns it. */
struct seg {
    int64_t bid, sid, from, to;
};

struct segs {
    struct seg *at; /* leaf first */
    size_t n;
};

/* The path that ends at `at`, down to depth `down_to` (1: the root). Branch 0 gives no runs.
 * BOUGH_CORRUPT when the branch rows contradict each other. */
enum bough_rc path_segs(struct snap *snap, struct bough_arena *a, struct bough_head at,
                        int64_t down_to, struct segs *out, struct bough_error *err);

/* The branch on the path of `at` that owns depth `depth`: at.branch or an ancestor. 0: none. */
enum bough_rc path_owner(struct snap *snap, struct bough_head at, int64_t depth, int64_t *bid,
                         struct bough_error *err);

/* The deepest entry that two paths share; branch 0 when there is none. */
enum bough_rc path_common(struct snap *snap, struct bough_head one, struct bough_head other,
                          struct bough_head *out, struct bough_error *err);

/* A growing list of entries in the arena. */
struct entry_list {
    struct bough_arena *a;
    struct bough_entry *at;
    size_t n, cap;
};

/* Append an uninitialized entry. */
struct bough_entry *entry_push(struct entry_list *l);

void entries_in_time(struct entry_list *list); /* sort by changelog number */

/* The mask of an entry's row; see MASK_*. */
int64_t entry_mask(const struct bough_entry *e);

/* Unpack a row into `a`, copying its body and putting moved base64 back. `sid` and `session` are
 * the number and id of the owner; `session` is stored as given. BOUGH_CORRUPT when the body is
 * damaged. */
enum bough_rc entry_fill(struct snap *snap, struct bough_arena *a, const struct entry_row *row,
                         int64_t sid, const char *session, struct bough_entry *out,
                         struct bough_error *err);

/* Read one entry. BOUGH_NOT_FOUND when there is none, BOUGH_CORRUPT when it is damaged or
 * quarantined. */
enum bough_rc entry_load(struct snap *snap, struct bough_arena *a, struct bough_head at,
                         struct bough_entry **out, struct bough_error *err);

/* The session that owns a branch: its number, and its id in the arena. */
enum bough_rc branch_session(struct snap *snap, struct bough_arena *a, int64_t bid, int64_t *sid,
                             const char **id, struct bough_error *err);

/* Read only the front of an entry (numbers, no parts); out->tail is empty. Fails as
 * entry_load(). */
enum bough_rc entry_head_at(struct snap *snap, struct bough_head at, struct pack_head *out,
                            struct bough_error *err);

/* Filters of path_read(); see struct bough_entries_read_options. */
struct path_filter {
    int64_t kinds, mask;
    int64_t also; /* and at least one of these mask bits; 0: any */
    bool deleted;
    int64_t limit; /* 0: all */
    bool newest;   /* read the last `limit` entries; they are still returned oldest first */
};

/* Append the entries of the runs to `out`, oldest first. *more (may be NULL): the limit cut some
 * off. */
enum bough_rc path_read(struct snap *snap, const struct segs *segs, const struct path_filter *f,
                        struct entry_list *out, bool *more, struct bough_error *err);

/* The last entry of `kind` on the path to `at` that is not deleted; branch 0 when there is none.
 * `kind` must be one that mark_find() indexes. `sid` > 0: stop at the first branch of another
 * session. */
enum bough_rc path_last(struct snap *snap, struct bough_head at, enum bough_entry_kind kind,
                        int64_t sid, struct bough_head *out, struct bough_error *err);

/* bough_entries_read() through a snapshot of the caller's; entry_read.c. */
enum bough_rc snap_entries(struct snap *snap, struct bough_arena *a, int64_t sid,
                           const struct bough_entries_read_options *how,
                           struct bough_entries_read_result *out, struct bough_error *err);

#endif
