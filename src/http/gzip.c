/* gzip compression of answers. */
#include <string.h>
#include <zlib.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "http/exchange.h"

enum { WORTH = 1024, WINDOW_GZIP = 15 + 16 };

struct gzip {
    z_stream z;
};

/* Does Accept-Encoding list "gzip", without q=0? */
static bool accepts(const char *list)
{
    struct bough_str rest = str_of(list), item;

    while (parse_list(&rest, &item)) {
        const char *q = memchr(item.p, ';', item.n);
        struct bough_str name = str_make(item.p, q ? (size_t)(q - item.p) : item.n);

        while (name.n && name.p[name.n - 1] == ' ')
            name.n--;
        if (!parse_token_is(name, "gzip"))
            continue;
        if (!q)
            return true;
        for (const char *p = q; p < item.p + item.n; p++)
            if (*p >= '1' && *p <= '9')
                return true; /* a weight above zero */
    }
    return false;
}

bool http_takes_gzip(const struct http_req *req)
{
    const char *list = http_header(req, "accept-encoding");

    return list && accepts(list);
}

bool gzip_wanted(const struct http_req *req, const struct http_res *res)
{
    struct bough_str type = str_of(res->type);

    /* A strong ETag identifies the uncompressed bytes. Events must not be delayed by a
     * compressor. */
    if (res->etag[0] || res->events || res->status == 206)
        return false;
    if (!str_starts(type, "application/json") && !str_starts(type, "text/"))
        return false;
    if (!res->pull && res->spill < 0 && res->out.n < WORTH)
        return false;
    return http_takes_gzip(req);
}

struct gzip *gzip_create(void)
{
    struct gzip *g = mem_zalloc(sizeof *g);

    if (deflateInit2(&g->z, 1, Z_DEFLATED, WINDOW_GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        mem_free(g);
        return NULL;
    }
    return g;
}

void gzip_destroy(struct gzip *g)
{
    if (!g)
        return;
    deflateEnd(&g->z);
    mem_free(g);
}

void gzip_pass(struct gzip *g, struct buf *b, bool last)
{
    struct buf out;

    buf_init(&out, b->max);
    g->z.next_in = (Bytef *)b->p;
    g->z.avail_in = (uInt)b->n;
    do {
        char *room = buf_reserve(&out, 16 * 1024);

        if (!room)
            break;
        g->z.next_out = (Bytef *)room;
        g->z.avail_out = 16 * 1024;
        (void)deflate(&g->z, last ? Z_FINISH : Z_SYNC_FLUSH);
        out.n += 16 * 1024 - g->z.avail_out;
        buf_end(&out);
    } while (g->z.avail_out == 0);
    buf_finish(b);
    *b = out;
}
