/* The session files of other tools: finding them, and watching them for changes. */
#ifndef CLI_SOURCES_TOOLS_H
#define CLI_SOURCES_TOOLS_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stddef.h>

struct tool_place {
    const char *tool; /* the name of its format: "pi" */
    const char *path; /* an existing directory or file */
};

/* The places in the table of formats that exist; `home` is the user's home directory. At most
 * 64. */
struct tool_place *tools_find(struct bough_arena *a, const char *home, size_t *n);

struct tool_files {
    const char **at; /* sorted by tools_sort(): a fork's file comes after its parent's */
    size_t n, cap;
    size_t more; /* files beyond the limit, not added */
};

/* The tools that have such places, for people: "pi, Codex or Hecate" with the word "or". */
const char *tools_names(struct bough_arena *a, const char *word);

void tools_push(struct bough_arena *a, struct tool_files *out, const char *path);
/* Add a file, or all session files below a directory, see format_is_file(). Symbolic links are
 * followed; each directory is read once. False when `path` does not exist. */
bool tools_files(struct bough_arena *a, const char *path, struct tool_files *out);
void tools_sort(struct tool_files *files);

/* A recursive watch on directories, and on single files. */
struct watch;
struct watch *watch_open(void); /* NULL: not supported, or out of inotify instances */
/* False when `path` cannot be watched. Symbolic links are not followed. */
bool watch_add(struct watch *w, const char *path);
/* Wait up to `ms` for changes. `out` is the changed session files, sorted, without duplicates; it
 * is empty after a timeout and points into `a`. */
void watch_next(struct watch *w, struct bough_arena *a, int ms, struct tool_files *out);
void watch_close(struct watch *w);

#endif
