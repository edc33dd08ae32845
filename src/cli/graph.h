/* A session's branches drawn as lines, oldest first, the way `git log --graph` does. Pure. */
#ifndef CLI_GRAPH_H
#define CLI_GRAPH_H

#include <bough/model.h>

struct graph_branch {
    int64_t number;
    struct bough_head base; /* what it hangs on; a branch that is not in the graph: a root */
    int64_t to;             /* the last depth that is drawn; nothing when <= base.depth */
};

struct graph {
    const struct graph_branch *branches;
    size_t n;
    const struct bough_head *points; /* entries to draw besides ends, beginnings and forks */
    size_t npoints;
    const struct bough_head *extras; /* something hangs here that is not part of the graph */
    size_t nextras;
    bool all; /* draw every entry */
};

enum graph_what {
    GRAPH_ENTRY, /* prefix "| * " */
    GRAPH_SKIP,  /* prefix "| : ", n entries that are not drawn */
    GRAPH_OPEN,  /* prefix "|\": nothing else on this line */
    GRAPH_EXTRA, /* prefix "| o ", n is the index in extras */
};

struct graph_row {
    enum graph_what what;
    const char *prefix;
    struct bough_head at;
    int64_t n;
};

/* Calls `row` for each line. Returning false ends it. */
void graph_draw(struct bough_arena *a, const struct graph *g,
                bool (*row)(void *user, const struct graph_row *row), void *user);

#endif
