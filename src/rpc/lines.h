/* Splits a stream of bytes into lines. A line that is too long is dropped, not kept. */
#ifndef RPC_LINES_H
#define RPC_LINES_H

#include "base/memory/buf.h"

struct rpc_lines {
    struct buf line; /* the line so far */
    size_t most;     /* bytes of a line, without its end */
    bool complete;   /* `line` is a whole line: the next bytes begin another one */
    bool dropping;   /* the rest of a line that is too long */
};

enum rpc_line {
    RPC_LINE_NONE, /* all bytes are taken; give more */
    RPC_LINE,      /* lines->line is complete */
    RPC_LINE_LONG, /* a line had more than `most` bytes; it was dropped */
};

void rpc_lines_init(struct rpc_lines *l, size_t most);
void rpc_lines_finish(struct rpc_lines *l);

/* Take bytes up to the end of the next line and move *bytes behind them. After RPC_LINE the line is
 * valid until the next call. Blank lines are skipped, "\r\n" ends a line too. */
enum rpc_line rpc_lines_next(struct rpc_lines *l, struct bough_str *bytes);

/* At the end of the stream: is there a last line without "\n"? */
enum rpc_line rpc_lines_last(struct rpc_lines *l);

#endif
