/* Paths: the straight runs from the root to an entry, and entries as callers see them. */
#ifndef STORE_PATH_H
#define STORE_PATH_H

#include "store/engine.h"

/* One run of a path: depths from..to of a branch. */
struct seg {
    int64_t bid, sid, from, to;
};

struct segs {
    struct seg *at; /* leaf first */
    size_t n;
};

/* The path that ends at `at`, back to depth `down_to` (1: the root). branch 0 gives none. */
enum bough_rc path_segs(struct snap *snap, struct bough_arena *a, struct bough_head at,
                        int64_t down_to, struct segs *out, struct bough_error *err);

/* The branch on the path of `at` that owns depth `depth`; at.branch itself when it does. */
enum bough_rc path_owner(struct snap *snap, struct bough_head at, int64_t depth, int64_t *bid,
                         struct bough_error *err);

/* Where two paths part: the deepest common entry, branch 0 when there is none. */
enum bough_rc path_common(struct snap *snap, struct bough_head one, struct bough_head other,
                          struct bough_head *out, struct bough_error *err);

/* A growing list of entries in the arena. */
struct entry_list {
    struct bough_arena *a;
    struct bough_entry *at;
    size_t n, cap;
};

struct bough_entry *entry_push(struct entry_list *l);

void entries_in_time(struct entry_list *list); /* put them in the order of their numbers */

/* What its row is filtered by. */
int64_t entry_mask(const struct bough_entry *e);

/* Unpack a row (its body is copied into `a`). `session` is the owner's id, given out as it is. */
enum bough_rc entry_fill(struct snap *snap, struct bough_arena *a, const struct entry_row *row,
                         int64_t sid, const char *session, struct bough_entry *out,
                         struct bough_error *err);

/* One entry, with its owner looked up. */
enum bough_rc entry_load(struct snap *snap, struct bough_arena *a, struct bough_head at,
                         struct bough_entry **out, struct bough_error *err);

/* The owner's id of a branch, in the arena. */
enum bough_rc branch_session(struct snap *snap, struct bough_arena *a, int64_t bid, int64_t *sid,
                             const char **id, struct bough_error *err);

/* Only the numbers of an entry. */
enum bough_rc entry_head_at(struct snap *snap, struct bough_head at, struct pack_head *out,
                            struct bough_error *err);

/* Read a path's entries, oldest first (see struct bough_read for the filters). */
struct path_filter {
    int64_t kinds, mask;
    int64_t also; /* and one of these bits; 0: any */
    bool deleted;
    int64_t limit; /* 0: all */
    bool newest;   /* stop after `limit` from the end, but give them oldest first */
};

enum bough_rc path_read(struct snap *snap, const struct segs *segs, const struct path_filter *f,
                        struct entry_list *out, bool *more, struct bough_error *err);

/* The last living entry of a kind that mark_find() knows on the path to `at`, branch 0 when none;
 * `sid` > 0: only those this session wrote. */
enum bough_rc path_last(struct snap *snap, struct bough_head at, enum bough_entry_kind kind,
                        int64_t sid, struct bough_head *out, struct bough_error *err);

#endif
