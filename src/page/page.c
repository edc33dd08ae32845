/* Serves the files of the web page. */
#include "page/page.h"

#include <string.h>
#include <zlib.h>

#include "auth/auth.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"

enum { FILE_MAX = 16 * 1024 * 1024 };

/* Scripts and styles come from this server only, and no text can become HTML or script: the page
 * builds elements, so it needs no Trusted Types policy at all. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

static const char *folder; /* NULL: the embedded files */

void page_from(const char *dir)
{
    folder = dir;
}

static const struct page_file *find(const char *name)
{
    for (uint64_t i = 0; i < page_files_count; i++)
        if (strcmp(page_files[i].name, name) == 0)
            return &page_files[i];
    return NULL;
}

/* ---- answering ---- */

/* Decompress for a client that does not take gzip. The size is at the end of the data. */
static bool inflate_all(struct http_res *res, struct bough_arena *a, const struct page_file *f)
{
    const unsigned char *end = f->gz + f->n;
    uint32_t size;
    z_stream z = { .next_in = (unsigned char *)f->gz, .avail_in = (uInt)f->n };
    bool ok;

    memcpy(&size, end - 4, 4);
    if (size > FILE_MAX || inflateInit2(&z, 15 + 16) != Z_OK)
        return false;
    z.next_out = arena_alloc(a, size + 1);
    z.avail_out = size;
    ok = inflate(&z, Z_FINISH) == Z_STREAM_END;
    if (ok)
        http_write(res, z.next_out - size, size);
    inflateEnd(&z);
    return ok;
}

static void put_head(struct http_res *res, const char *type, bool hashed)
{
    http_text(res, 200, type);
    http_set(res, "Content-Security-Policy", policy);
    http_set(res, "Cache-Control", hashed ? "public, max-age=31536000, immutable" : "no-cache");
    http_set(res, "Vary", "Accept-Encoding");
}

static enum bough_rc give(struct http_req *req, struct http_res *res, const struct page_file *f,
                          struct bough_error *err)
{
    put_head(res, f->type, f->hashed);
    if (http_takes_gzip(req)) {
        http_etag(res, "%s-gz", f->tag);
        http_set(res, "Content-Encoding", "gzip");
        http_write(res, f->gz, f->n);
        return BOUGH_OK;
    }
    http_etag(res, "%s", f->tag);
    return inflate_all(res, req->arena, f)
               ? BOUGH_OK
               : bough_fail(err, BOUGH_CORRUPT, "the page's file %s is damaged", f->name);
}

static const char *type_of(const char *name)
{
    static const struct {
        const char *end, *type;
    } types[] = { { ".html", "text/html; charset=utf-8" },
                  { ".js", "text/javascript; charset=utf-8" },
                  { ".css", "text/css; charset=utf-8" },
                  { ".svg", "image/svg+xml" },
                  { ".md", "text/plain; charset=utf-8" } };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_ends(str_of(name), types[i].end))
            return types[i].type;
    return "application/octet-stream";
}

/* The name has no ".." and no empty segment: the parser has refused those. */
static enum bough_rc give_from(struct http_req *req, struct http_res *res, const char *name,
                               struct bough_error *err)
{
    struct bough_str bytes;
    enum bough_rc rc =
        fs_read(req->arena, fs_join(req->arena, folder, name), FILE_MAX, &bytes, err);

    if (rc)
        return bough_fail(err, BOUGH_NOT_FOUND, "the page has no file %.60s", name);
    put_head(res, type_of(name), false);
    http_write(res, bytes.p, bytes.n);
    return BOUGH_OK;
}

static enum bough_rc give_named(struct http_req *req, struct http_res *res, const char *name,
                                struct bough_error *err)
{
    const struct page_file *f = find(name);

    if (folder)
        return give_from(req, res, name, err);
    return f ? give(req, res, f, err)
             : bough_fail(err, BOUGH_NOT_FOUND, "the page has no file %.60s", name);
}

/* Every address of the page is the same file; the page reads the address. */
static enum bough_rc show(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    if (page_files_count || folder)
        return give_named(req, res, "index.html", err);
    http_text(res, 303, "text/plain; charset=utf-8");
    http_set(res, "Location", "/api");
    http_puts(res, "This program was built without the page. See /api\n");
    return BOUGH_OK;
}

static enum bough_rc asset(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return give_named(req, res, arena_printf(req->arena, "assets/%s", http_param(req, "file")),
                      err);
}

#define PAGE(path)                                                                                 \
    {                                                                                              \
        "GET", path, show, AUTH_OPEN, "The web page.", .gives = "html",                            \
                                                       .flags = HTTP_PRIVATE | HTTP_ANY_QUERY      \
    }

const struct http_route page_routes[] = {
    PAGE("/"),
    PAGE("/compare"),
    PAGE("/cost"),
    PAGE("/providers"),
    PAGE("/runs"),
    PAGE("/runs/{name}"),
    PAGE("/search"),
    PAGE("/sessions"),
    PAGE("/sessions/{name}"),
    PAGE("/settings"),
    PAGE("/settings/{name}"),
    { "GET", "/assets/{file}", asset, AUTH_OPEN, "A file of the web page.", .gives = "bytes",
      .flags = HTTP_PRIVATE | HTTP_TAGS },
    { 0 },
};
