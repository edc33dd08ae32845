/* What `bough import` says: one progress line, a line per file, problems, and sums by tool. */
#ifndef CLI_SOURCES_REPORT_H
#define CLI_SOURCES_REPORT_H

#include "cli/kit/cli.h"
#include "cli/kit/progress.h"

struct report_sums {
    int64_t files, failed, sessions, added, known, problems;
};

struct report {
    struct cli *c;
    struct progress bar; /* bytes of all files; erased before anything else is printed */
    int64_t read, all;   /* bytes of the files that are done, and of all files */
    struct report_sums sums;
    struct report_sums *by; /* one for each of all_formats */
    int64_t skipped;        /* files of unknown format */
    const char **problems;  /* lines to list at the end */
    size_t nproblems;
};

void report_begin(struct report *r, struct cli *c);
void report_progress(struct report *r, int64_t done); /* of the current file */
/* A file was imported, or not: `error` says why. Prints its line where that is wanted. */
void report_file(struct report *r, const struct bough_import_file_result *f, const char *error);
void report_skipped(struct report *r, const char *path);
/* So many changes are not in the full text yet: on stderr, unless --quiet. */
void report_pending(const struct report *r, int64_t changes);
void report_end(struct report *r); /* problems, sums by tool, and the sum; not with --json, -q */

#endif
