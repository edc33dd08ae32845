/* Pictures for the demo: small PNG files, drawn by rule. */
#include <string.h>
#include <zlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/demo/build.h"

static unsigned char *put32(unsigned char *p, uint32_t v)
{
    p[0] = (unsigned char)(v >> 24);
    p[1] = (unsigned char)(v >> 16);
    p[2] = (unsigned char)(v >> 8);
    p[3] = (unsigned char)v;
    return p + 4;
}

static unsigned char *put_chunk(unsigned char *p, const char *type, const unsigned char *data,
                                size_t n)
{
    unsigned char *from;

    p = put32(p, (uint32_t)n);
    from = p;
    memcpy(p, type, 4);
    if (n)
        memcpy(p + 4, data, n);
    p += 4 + n;
    return put32(p, (uint32_t)crc32(0, from, (uInt)(4 + n)));
}

/* A page with lines of text and one red number: what a screenshot looks like from afar. */
static void pixel(int x, int y, int width, int height, unsigned char *rgb)
{
    bool bar = y < height / 8, line = y % 12 < 4 && x > 12 && x < width - 20 - (y * 7) % 60;
    bool wrong = x > width / 2 && x < width / 2 + 44 && y > height / 2 && y < height / 2 + 14;

    rgb[0] = wrong ? 200 : bar ? 17 : line ? 205 : 250;
    rgb[1] = wrong ? 60 : bar ? 109 : line ? 210 : 251;
    rgb[2] = wrong ? 55 : bar ? 92 : line ? 206 : 250;
}

struct bough_str picture_png(struct bough_arena *a, int width, int height)
{
    static const unsigned char magic[] = "\x89PNG\r\n\x1a\n";
    size_t row = 1 + 3 * (size_t)width, raw = row * (size_t)height;
    unsigned char *pixels = arena_zalloc(a, raw), head[13] = { 0 }, *out, *p, *packed;
    uLongf n = compressBound((uLong)raw);

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            pixel(x, y, width, height, pixels + (size_t)y * row + 1 + 3 * (size_t)x);
    packed = arena_alloc(a, n);
    if (compress2(packed, &n, pixels, (uLong)raw, 9) != Z_OK)
        n = 0;
    put32(head, (uint32_t)width);
    put32(head + 4, (uint32_t)height);
    head[8] = 8; /* bits */
    head[9] = 2; /* RGB */
    out = p = arena_alloc(a, 8 + 12 + 13 + 12 + n + 12);
    memcpy(p, magic, 8);
    p = put_chunk(p + 8, "IHDR", head, sizeof head);
    p = put_chunk(p, "IDAT", packed, n);
    p = put_chunk(p, "IEND", NULL, 0);
    return str_make((const char *)out, (size_t)(p - out));
}
