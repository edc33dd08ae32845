/* Where other tools look for their session files, and how they go on with one. */
#ifndef CLI_SOURCES_LAYOUT_H
#define CLI_SOURCES_LAYOUT_H

#include <bough/model.h>

/* A tool that goes on with files that bough writes. */
struct layout {
    const char *word;   /* as people name it: "claude" */
    const char *format; /* of its files: "claude-code" */
};

extern const struct layout layouts[];               /* ends with { 0 } */
const struct layout *layout_of(const char *format); /* NULL: no tool, or one that cannot go on */

/* The id that the tool knows an exported file by; NULL: it has none. */
const char *layout_id(struct bough_arena *a, const struct layout *l, const char *file);
/* An imported file may have chosen its id: can it be an argument of a command? */
bool layout_id_is_word(const char *id);

/* The file below `root` where the tool finds a session of the directory `project`. */
const char *layout_path(struct bough_arena *a, const struct layout *l, const char *root,
                        const struct bough_session *s, const char *project, const char *id);

/* The tool's own folder for `root`; opencode, which imports files, gets one of ours. NULL: HOME is
 * not set. */
const char *layout_root(struct bough_arena *a, const struct layout *l);

/* The command for a shell that goes on with the session, run in the directory `project`. */
const char *layout_command(struct bough_arena *a, const struct layout *l, const char *project,
                           const char *path, const char *id);

/* Text of a session as a part of a file's name: no separators, no control characters, at most 150
 * bytes. */
const char *layout_name(struct bough_arena *a, const char *text);

/* pi's layout, also for formats without a tool: a directory per project, a file per session (P1).
 */
const char *layout_usual(struct bough_arena *a, const char *root, const struct bough_session *s,
                         const char *suffix);

#endif
