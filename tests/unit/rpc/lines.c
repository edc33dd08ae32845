/* Lines of a stream: any pieces, bounded size. */
#include "rpc/lines.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/test.h"

enum { MOST = 8 };

static void note(struct buf *out, struct rpc_lines *l, enum rpc_line found)
{
    if (found == RPC_LINE)
        buf_printf(out, "[%s]", l->line.p);
    else if (found == RPC_LINE_LONG)
        buf_puts(out, "[long]");
}

/* The lines of a text that comes `step` bytes at a time, in brackets. */
static const char *split(struct test *t, const char *text, size_t step)
{
    size_t n = strlen(text);
    struct rpc_lines l;
    struct buf out;

    rpc_lines_init(&l, MOST);
    buf_init(&out, 4096);
    for (size_t at = 0; at < n; at += step) {
        struct bough_str piece = { text + at, step < n - at ? step : n - at };
        enum rpc_line found;

        while ((found = rpc_lines_next(&l, &piece)))
            note(&out, &l, found);
        CHECK_INT(0, (int64_t)piece.n);
    }
    note(&out, &l, rpc_lines_last(&l));
    rpc_lines_finish(&l);
    return buf_give(&out, t->arena).p;
}

static void check_split(struct test *t, const char *text, const char *lines)
{
    for (size_t step = 1; step <= strlen(text) + 1; step++)
        CHECK_STR(lines, split(t, text, step));
}

TEST(lines_are_the_same_in_pieces_of_any_size)
{
    check_split(t, "", "");
    check_split(t, "a", "[a]");
    check_split(t, "a\n", "[a]");
    check_split(t, "a\nbc\n\nd", "[a][bc][d]");
    check_split(t, "a\r\n \t\r\n b\n", "[a][ b]");
    check_split(t, "\n\n\n", "");
}

TEST(a_line_over_the_limit_is_dropped_and_reported_once)
{
    check_split(t, "12345678\nx\n", "[12345678][x]");
    check_split(t, "12345678\r\nx\n", "[12345678][x]");
    check_split(t, "123456789\nx\n", "[long][x]");
    check_split(t, "1234567890123456789012345\nx\n", "[long][x]");
    check_split(t, "x\n1234567890123456789012345", "[x][long]");
}
