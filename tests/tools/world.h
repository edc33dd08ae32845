/* A tool set in a scratch workspace, called by name. */
#ifndef TOOLS_WORLD_H
#define TOOLS_WORLD_H

#include "base/json/json.h"
#include "lib/store_test.h"
#include "tools/tools.h"

struct tools_world {
    struct tool_host *host;
    struct tool_set *set;
    const char *workspace;
    bool cancel;
    struct tool_result last;
    char progress[4096]; /* the last progress text */
    int nprogress;
};

/* Servers are separated by blanks. The workspace is `work` in the scratch directory. */
void world_open(struct test *t, struct tools_world *w, const char *servers);
void world_close(struct tools_world *w);

/* Call a tool; its text. The whole result is w->last. */
const char *world_call(struct test *t, struct tools_world *w, const char *tool, const char *args);
/* The same, and it must succeed, or fail. */
const char *world_good(struct test *t, struct tools_world *w, const char *tool, const char *args);
const char *world_bad(struct test *t, struct tools_world *w, const char *tool, const char *args);

/* A string member of the details, or "(none)". */
const char *world_detail(struct test *t, const struct tools_world *w, const char *name);

/* Files of the scratch directory. */
void put_file(struct test *t, const char *path, const char *text);
const char *get_file(struct test *t, const char *path); /* NULL: there is none */
#define CHECK_HAS(text, part) check_has(text, part, __FILE__, __LINE__)
void check_has(const char *text, const char *part, const char *file, int line);

#endif
