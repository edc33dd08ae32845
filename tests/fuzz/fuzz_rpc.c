/*
 * Fuzz: any bytes become the same lines in one piece and byte by byte, every line is a message or
 * is refused with an answer, and answers are one line of JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "rpc/lines.h"
#include "rpc/message.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { LINE = 512 };

static void answer(struct bough_str line)
{
    struct bough_arena *a = bough_arena_create();
    struct rpc_message m;
    struct rpc_bad bad;
    struct json_writer w;
    struct buf out;

    buf_init(&out, 64 * 1024);
    if (rpc_read(a, line, &m, &bad)) {
        MUST((m.kind == RPC_REQUEST) == (m.id.doc && *m.method));
        MUST(m.kind != RPC_REQUEST || rpc_same_id(a, m.id, m.id));
        rpc_begin_result(&w, &out, m.id);
        jw_raw(&w, m.params.doc ? json_raw(m.params) : str_of("{}"));
        rpc_end(&w);
    } else {
        MUST(bad.code == RPC_PARSE_ERROR || bad.code == RPC_INVALID_REQUEST);
        rpc_error(&out, bad.id, bad.code, bad.why, str_make("", 0));
    }
    MUST(!out.over && !memchr(out.p, '\n', out.n));
    MUST(json_check(buf_str(&out), LIMIT_JSON_DEPTH, NULL) == BOUGH_OK ||
         (m.params.doc && json_type(m.params) >= JSON_ARRAY)); /* one level deeper than params */
    buf_finish(&out);
    bough_arena_destroy(a);
}

static void note(struct buf *all, struct rpc_lines *l, enum rpc_line found)
{
    if (found == RPC_LINE) {
        MUST(l->line.n <= LINE);
        buf_put_str(all, buf_str(&l->line));
    }
    buf_putc(all, (char)('0' + found));
}

static void split(const unsigned char *data, size_t n, size_t step, struct buf *all, bool answers)
{
    struct rpc_lines l;
    enum rpc_line found;

    rpc_lines_init(&l, LINE);
    for (size_t at = 0; at < n; at += step) {
        struct bough_str piece = str_make((const char *)data + at, step < n - at ? step : n - at);

        while ((found = rpc_lines_next(&l, &piece))) {
            note(all, &l, found);
            if (answers && found == RPC_LINE)
                answer(buf_str(&l.line));
        }
    }
    note(all, &l, rpc_lines_last(&l));
    rpc_lines_finish(&l);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct buf whole, bytes;

    buf_init(&whole, 4 * n + 1024);
    buf_init(&bytes, 4 * n + 1024);
    split(data, n, n ? n : 1, &whole, true);
    split(data, n, 1, &bytes, false);
    MUST(str_eq(buf_str(&whole), buf_str(&bytes)));
    buf_finish(&whole);
    buf_finish(&bytes);
    return 0;
}
