/* A command's output: terminal or pipe, width and colours, JSON, and the pager. */
#ifndef CLI_TERM_OUT_H
#define CLI_TERM_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json/json.h"
#include "cli/term/print.h"

struct out {
    bool tty;      /* stdout is a terminal: relative times, aligned columns, confirmations */
    bool colour;   /* write escape sequences for styles */
    bool json;     /* --json */
    size_t width;  /* columns of the terminal */
    int64_t now;   /* current time, for relative times */
    struct buf jb; /* the JSON line being written */
    struct json_writer jw;
};

/* `color` is auto, always, never or NULL (auto). $COLUMNS overrides the terminal's width. */
void out_init(struct out *o, const char *color, bool json);
void out_finish(struct out *o);

/* Send further output through `pager` (none for "" and "cat"), if stdout is a terminal and --json
 * is not given. At most once. */
void out_pager(struct out *o, const char *pager);
void out_pager_end(void); /* wait until the pager exits */

void out_style(const struct out *o, enum print_style style);
void out_styled(const struct out *o, enum print_style style, const char *text); /* escaped */
void out_time(const struct out *o, int64_t ms, char out[32]); /* relative or ISO 8601 */

/* A number with a comma between thousands, for people. */
enum { OUT_COUNT_SIZE = 32 };
void out_count(int64_t n, char out[OUT_COUNT_SIZE]);

/* "1 message", "2,000 entries": a count with its noun. */
const char *out_things(struct bough_arena *a, int64_t n, const char *noun);

/* Print one JSON value on a line of its own: write it with the writer, then call out_json_end(). */
struct json_writer *out_json(struct out *o);
void out_json_end(struct out *o);

#endif
