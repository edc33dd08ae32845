/* Files of exported sessions. A file appears under its name when it is complete. */
#ifndef CLI_SOURCES_EXPORT_FILE_H
#define CLI_SOURCES_EXPORT_FILE_H

#include "cli/kit/cli.h"
#include "cli/sources/layout.h"

struct export_file {
    FILE *to;
    const char *path, *tmp; /* tmp NULL: standard output */
    bool failed;
};

/* Functions that return int: CLI_DONE, or an exit code after printing a message. */

/* NULL and "-" are standard output. A file that exists is refused without --force. */
int export_open(struct cli *c, const char *path, struct export_file *f);
int export_close(struct cli *c, struct export_file *f, bool keep); /* keep: give it its name */
bool export_put(void *file, struct bough_str bytes); /* as bough_export_options.write */
bool export_bytes(FILE *to, struct bough_str bytes); /* a terminal gets escaped text */

/* Write a session, or with --at the path to an entry of it. */
int export_write(struct cli *c, const struct bough_session *s, const char *format,
                 struct export_file *f);

struct export_place {
    const char *project; /* given: the directory that the tool is to work in */
    bool keeps;          /* given: with --force, keep the file that is there under another name */
    const char *id;      /* as the tool names the session */
    const char *path;
    bool existed;     /* there is such a file, and it was left as it is */
    const char *kept; /* the name of the file that was there; NULL: none */
};

/* Write a session where a tool looks for it, below `root`. `p` has what is given. */
int export_lay_out(struct cli *c, const struct bough_session *s, const struct layout *l,
                   const char *root, struct export_place *p);

#endif
