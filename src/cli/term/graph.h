/* Draws a session's branches as lines, oldest first, like `git log --graph`. Pure. */
#ifndef CLI_TERM_GRAPH_H
#define CLI_TERM_GRAPH_H

#include <bough/model.h>

struct graph_branch {
    int64_t number;
    struct bough_head base; /* the entry it hangs on; a root when that branch is not in the graph */
    int64_t to;             /* last depth to draw; nothing is drawn when <= base.depth */
};

struct graph {
    const struct graph_branch *branches;
    size_t n;
    const struct bough_head *points; /* entries to draw besides tips, first entries and forks */
    size_t npoints;
    const struct bough_head *extras; /* entries with something attached that is not in the graph */
    size_t nextras;
    bool all; /* draw every entry */
};

enum graph_what {
    GRAPH_ENTRY, /* prefix "| * " */
    GRAPH_SKIP,  /* prefix "| : ", n entries were left out */
    GRAPH_OPEN,  /* prefix "|\", nothing else on the line */
    GRAPH_EXTRA, /* prefix "| o ", n is an index in extras */
};

struct graph_row {
    enum graph_what what;
    const char *prefix;
    struct bough_head at;
    int64_t n;
};

/* Calls `row` for each line; stops when it returns false. The prefix is only valid during
 * the call. */
void graph_draw(struct bough_arena *a, const struct graph *g,
                bool (*row)(void *user, const struct graph_row *row), void *user);

#endif
