/* Picks: tool calls and their results stay together; see bough_pick(). */
#ifndef STORE_TREE_PICK_H
#define STORE_TREE_PICK_H

#include "store/engine/engine.h"

/* Entries of one path, by depth, in the arena. */
struct picked {
    struct bough_arena *a;
    struct bough_entry **at;
    size_t n;
};

/* Add the results of calls of the entries: messages on the path to `end`, which runs through all of
 * them, up to the next message of the user. */
enum bough_rc pick_results(struct snap *snap, struct bough_head end, struct picked *list,
                           struct bough_error *err);

/* BOUGH_INVALID: entry number `from` or a later one has the result of a call that neither an entry
 * before it nor the path to `target` has. Of that path the last 4,096 messages are looked at. */
enum bough_rc pick_check_calls(struct snap *snap, struct bough_head target,
                               const struct picked *list, size_t from, struct bough_error *err);

#endif
