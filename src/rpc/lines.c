/* Lines of a stream, bounded in size. */
#include "rpc/lines.h"

#include <string.h>

void rpc_lines_init(struct rpc_lines *l, size_t most)
{
    *l = (struct rpc_lines){ .most = most, .complete = true };
    buf_init(&l->line, most + 1);
}

void rpc_lines_finish(struct rpc_lines *l)
{
    buf_finish(&l->line);
}

/* The line has ended: report it, unless it is blank. */
static enum rpc_line ended(struct rpc_lines *l)
{
    if (l->dropping) {
        l->dropping = false;
        return RPC_LINE_LONG;
    }
    if (l->line.n && l->line.p[l->line.n - 1] == '\r')
        l->line.p[--l->line.n] = '\0';
    if (l->line.n > l->most)
        return RPC_LINE_LONG;
    return strspn(l->line.p, " \t") == l->line.n ? RPC_LINE_NONE : RPC_LINE;
}

/* Add bytes to the line. Memory of a line that is too long is given back at once. */
static void add(struct rpc_lines *l, const char *p, size_t n)
{
    if (l->dropping)
        return;
    buf_put(&l->line, p, n);
    if (!l->line.over)
        return;
    buf_finish(&l->line);
    buf_init(&l->line, l->most + 1);
    l->dropping = true;
}

enum rpc_line rpc_lines_next(struct rpc_lines *l, struct bough_str *bytes)
{
    enum rpc_line found = RPC_LINE_NONE;

    while (!found && bytes->n) {
        const char *end = memchr(bytes->p, '\n', bytes->n);
        size_t n = end ? (size_t)(end - bytes->p) : bytes->n;

        if (l->complete)
            buf_reset(&l->line);
        l->complete = end != NULL;
        add(l, bytes->p, n);
        bytes->p += n + (end != NULL);
        bytes->n -= n + (end != NULL);
        if (!end)
            break;
        found = ended(l);
    }
    return found;
}

enum rpc_line rpc_lines_last(struct rpc_lines *l)
{
    enum rpc_line found = l->complete ? RPC_LINE_NONE : ended(l);

    l->complete = true;
    return found;
}
