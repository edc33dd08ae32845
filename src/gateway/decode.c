/* Compressed bodies: gzip and zstd. */
#include "gateway/decode.h"

#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

enum { STEP = 64 << 10, GZIP_OR_ZLIB = 15 + 32, ZSTD_WINDOW = 27 /* 128 MB */ };

static enum bough_rc too_large(struct bough_error *err)
{
    return bough_fail(err, BOUGH_TOO_LARGE, "the body has more than %d MB when it is unpacked",
                      DECODED_MOST >> 20);
}

static enum bough_rc ungzip(struct bough_str in, struct buf *out, struct bough_error *err)
{
    z_stream z = { .next_in = (Bytef *)in.p, .avail_in = (uInt)in.n };
    int rc = inflateInit2(&z, GZIP_OR_ZLIB) == Z_OK ? Z_OK : Z_MEM_ERROR;

    while (rc == Z_OK) {
        char *to = buf_reserve(out, STEP);

        if (!to)
            break;
        z.next_out = (Bytef *)to;
        z.avail_out = STEP;
        rc = inflate(&z, Z_NO_FLUSH);
        out->n += STEP - z.avail_out;
        if (rc == Z_OK && !z.avail_in && z.avail_out)
            rc = Z_DATA_ERROR; /* it ends early */
    }
    inflateEnd(&z);
    if (out->over)
        return too_large(err);
    return rc == Z_STREAM_END ? BOUGH_OK
                              : bough_fail(err, BOUGH_INVALID, "the body is no gzip data");
}

static enum bough_rc unzstd(struct bough_str in, struct buf *out, struct bough_error *err)
{
    ZSTD_DCtx *d = ZSTD_createDCtx();
    ZSTD_inBuffer from = { in.p, in.n, 0 };
    size_t left = 1;

    (void)ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, ZSTD_WINDOW);
    while (left && !ZSTD_isError(left)) {
        ZSTD_outBuffer to = { buf_reserve(out, STEP), STEP, 0 };

        if (!to.dst)
            break;
        left = ZSTD_decompressStream(d, &to, &from);
        out->n += to.pos;
        if (left && !ZSTD_isError(left) && from.pos == from.size && to.pos < to.size)
            break; /* it ends early */
    }
    ZSTD_freeDCtx(d);
    if (out->over)
        return too_large(err);
    return left ? bough_fail(err, BOUGH_INVALID, "the body is no zstd data") : BOUGH_OK;
}

enum bough_rc decode_body(struct http_req *req, struct bough_str *out, bool *unknown,
                          struct bough_error *err)
{
    const char *how = http_header(req, "content-encoding");
    enum bough_rc rc;
    struct buf b;

    *unknown = false;
    *out = req->body;
    if (!how || strcasecmp(how, "identity") == 0)
        return BOUGH_OK;
    buf_init(&b, DECODED_MOST);
    if (strcasecmp(how, "gzip") == 0) {
        rc = ungzip(req->body, &b, err);
    } else if (strcasecmp(how, "zstd") == 0) {
        rc = unzstd(req->body, &b, err);
    } else {
        *unknown = true;
        rc = bough_fail(err, BOUGH_INVALID, "send the body as it is, or with gzip or zstd");
    }
    buf_end(&b);
    *out = buf_give(&b, req->arena);
    return rc;
}
