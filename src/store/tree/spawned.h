/* Which entry spawned a subagent. */
#ifndef STORE_TREE_SPAWNED_H
#define STORE_TREE_SPAWNED_H

#include "store/tree/outline.h"

/* For each child that is a subagent: the entry on the branches of the page with the tool call that
 * spawned it. There is no index of tool calls, so entries written near the time of the child's
 * creation are looked at; at[i].branch stays 0 when none of them has the call. */
enum bough_rc spawned_find(struct outline *o, const struct bough_sessions *children,
                           struct bough_head *at);

#endif
