/* Where other tools keep their sessions, the files in there, and hearing of those that change. */
#ifndef CLI_TOOLS_H
#define CLI_TOOLS_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stddef.h>

struct tool_place {
    const char *tool; /* "pi" */
    const char *path; /* its directory or file, which is there */
};

/* The usual places of the tools we read, as far as they are there; `home` is the user's. */
struct tool_place *tools_find(struct bough_arena *a, const char *home, size_t *n);

struct tool_files {
    const char **at; /* sorted: a fork's file comes after its parent's */
    size_t n, cap;
    size_t more; /* beyond what is looked at in one go */
};

/* Add a file, or the session files (.jsonl, .json, .db) anywhere in a directory. False: not there.
 */
bool tools_files(struct bough_arena *a, const char *path, struct tool_files *out);
void tools_sort(struct tool_files *files);

/* A watch on directories and all that is in them. */
struct watch;
struct watch *watch_open(void); /* NULL: the system cannot */
bool watch_add(struct watch *w, const char *path);
/* The next files that changed, each once, in `a`; waits up to `ms`. */
void watch_next(struct watch *w, struct bough_arena *a, int ms, struct tool_files *out);
void watch_close(struct watch *w);

#endif
