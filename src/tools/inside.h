/* Inside the tool host: its servers, and the tools of a set. */
#ifndef TOOLS_INSIDE_H
#define TOOLS_INSIDE_H

#include <pthread.h>

#include "tools/builtin/builtin.h"
#include "tools/tools.h"

enum { TOOL_NAME_MOST = 64, TOOL_SERVERS_MOST = 16 };

struct tool_host {
    struct bough_arena *a; /* configuration; written before other threads know the host */
    struct bough_store *store;
    struct children *children;
    struct shell_rules shell;
};

/* A tool of a set, and who runs it. */
struct set_tool {
    struct tool tool; /* first: callers have pointers to it */
    const struct builtin_tool *builtin;
};

struct tool_set {
    struct bough_arena *a;
    struct tool_host *host;
    struct builtin_scene scene;
    struct set_tool **at;
    size_t n;
    struct tool *list; /* the same, for callers */
    const char **skipped;
    size_t nskipped;
};

/* A name that a model may use: `text` with other characters than [A-Za-z0-9_-] replaced by "_". One
 * that was changed or has more than TOOL_NAME_MOST bytes ends with 8 digits of its hash, so that
 * two tools do not get one name. */
const char *tool_name(struct bough_arena *a, const char *text);

#endif
