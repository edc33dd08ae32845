/* Where a command's output goes: a terminal or a pipe, its width and colours, and the pager. */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/print.h"

struct out {
    bool tty;      /* a person reads it: relative times, columns, confirmations */
    bool colour;   /* escape sequences of ours may be written */
    bool json;     /* --json */
    size_t width;  /* columns of the terminal */
    int64_t now;   /* for relative times */
    struct buf jb; /* the JSON line being written */
    struct json_writer jw;
};

/* `color`: auto, always, never (or NULL). $COLUMNS beats what the terminal says. */
void out_init(struct out *o, const char *color, bool json);
void out_finish(struct out *o);

/* From here on everything goes through `pager` ("" or "cat": none), when a person reads it. */
void out_pager(struct out *o, const char *pager);
void out_pager_end(void); /* wait until the pager was left */

void out_style(const struct out *o, enum print_style style);
void out_styled(const struct out *o, enum print_style style, const char *text); /* print_line'd */
void out_time(const struct out *o, int64_t ms, char out[32]); /* relative or ISO 8601 */

/* One JSON value on a line of its own: write with the writer, then end it. */
struct json_writer *out_json(struct out *o);
void out_json_end(struct out *o);

#endif
