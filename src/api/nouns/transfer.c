/* Import of an uploaded file, export of sessions and of the store. Backups have no route: they are
 * written beside the store, by the command line. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/kit/api.h"
#include "api/kit/forms.h"
#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "formats/common/format.h"
#include "transfer/sources/rehearse.h"

#define UPLOAD_MAX (256u * 1024 * 1024)

/* ---- formats ---- */

static enum bough_rc formats(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct json_writer *w = api_items(res);
    struct bough_format *f;
    size_t n;

    (void)err;
    f = bough_format_list(req->arena, &n);
    for (size_t i = 0; i < n; i++) {
        jw_obj(w);
        jw_kv_cstr(w, "name", f[i].name);
        jw_kv_cstr(w, "about", f[i].about);
        jw_kv_cstr(w, "suffix", f[i].suffix);
        jw_kv_bool(w, "reads", f[i].reads);
        jw_kv_bool(w, "writes", f[i].writes);
        jw_end_obj(w);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

/* ---- import ---- */

struct upload {
    char *dir, *path;
    int fd;
    struct sha256 hash;
};

static const struct http_field import_query[] = {
    { "name", HTTP_STRING,
      "Name of the file. Importing the same name again adds only what is new." },
    { "format", HTTP_STRING, "Format of the file (default: detect it).", format_read_name },
    { "project", HTTP_STRING, "Project of new sessions, instead of the one in the file." },
    { "dry", HTTP_BOOLEAN, "Only report what would be done." },
    { 0 },
};

/* The last component of ?name=. Some formats identify a session by its file's name. */
static const char *base_name(struct http_req *req)
{
    const char *name = http_query(req, "name"), *slash = name ? strrchr(name, '/') : NULL;

    name = slash ? slash + 1 : name;
    if (cstr_empty(name) || strlen(name) > 200 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return "upload";
    return name;
}

static enum bough_rc upload_begin(struct http_req *req, struct bough_error *err)
{
    struct upload *u = req->state;

    if (u)
        return BOUGH_OK;
    /* A file may continue any existing session, also one of another project. */
    if (*api_of(req)->who->project)
        return bough_fail(err, BOUGH_DENIED, "this token is bound to one project");
    u = arena_zalloc(req->arena, sizeof *u);
    u->fd = -1;
    u->dir = fs_temp_dir(req->arena, "bough-import");
    if (!u->dir)
        return bough_fail(err, BOUGH_IO, "cannot create a temporary directory");
    req->state = u;
    sha256_init(&u->hash);
    u->path = fs_join(req->arena, u->dir, base_name(req));
    u->fd = open(u->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return u->fd >= 0 ? BOUGH_OK : bough_fail(err, fs_rc(errno), "cannot save the uploaded file");
}

static enum bough_rc upload_piece(struct http_req *req, struct bough_str piece,
                                  struct bough_error *err)
{
    enum bough_rc rc = upload_begin(req, err);
    struct upload *u = req->state;

    if (rc)
        return rc;
    sha256_update(&u->hash, piece.p, piece.n);
    while (piece.n) {
        ssize_t n = write(u->fd, piece.p, piece.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return bough_fail(err, fs_rc(errno), "cannot save the uploaded file");
        piece = str_make(piece.p + n, piece.n - (size_t)n);
    }
    return BOUGH_OK;
}

/* The source's name: ?name=, or the content's hash. */
static const char *known_as(struct http_req *req, struct upload *u)
{
    unsigned char sum[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];

    sha256_final(&u->hash, sum);
    sha256_hex(sum, hex);
    return http_query(req, "name") ? arena_printf(req->arena, "upload:%s", http_query(req, "name"))
                                   : arena_printf(req->arena, "upload:sha256-%s", hex);
}

static enum bough_rc import(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_import_file_options how = { .format = http_query(req, "format"),
                                             .project = http_query(req, "project") };
    struct bough_import_file_result out;
    struct upload *u;
    enum bough_rc rc = upload_begin(req, err);

    u = req->state;
    if (!rc)
        rc = http_query_bool(req, "dry", &how.dry, err);
    if (rc)
        return rc;
    how.name = known_as(req, u);
    rc = rehearse(u->path, how.format, &rehearse_limits, req->cancel, err);
    if (rc)
        return rc;
    rc = bough_import_file(api_of(req)->store, req->arena, u->path, &how, &out, err);
    if (!rc)
        form_imported(http_json(res, 200), &out, NULL);
    else if (err && strstr(err->msg, u->dir)) /* do not reveal the temporary path */
        rc = bough_fail(err, rc, "%s", "cannot import the file: unknown or invalid format");
    return rc;
}

static void upload_drop(struct http_req *req)
{
    struct upload *u = req->state;

    if (!u)
        return;
    if (u->fd >= 0)
        close(u->fd);
    sha256_finish(&u->hash);
    (void)fs_remove_tree(u->dir);
    req->state = NULL;
}

/* ---- export ---- */

static const struct http_field export_query[] = {
    { "format", HTTP_STRING, "Format to write (default: bough, which is complete).",
      format_written_name },
    { "at", HTTP_STRING, "The path to this entry instead of the head." },
    { "alone", HTTP_BOOLEAN, "bough: leave out the sessions it was forked from or spawned by." },
    { 0 },
};

/* Append to the answer, which spills into a temporary file as it grows. */
static bool put_piece(void *user, struct bough_str bytes)
{
    http_write(user, bytes.p, bytes.n);
    return true;
}

static enum bough_rc begin_export(struct http_req *req, struct http_res *res,
                                  struct bough_export_options *how, struct bough_error *err)
{
    const char *format = http_query(req, "format");
    struct bough_format *f;
    size_t n, i = 0;

    how->format = format ? format : "bough";
    how->write = put_piece;
    how->user = res;
    f = bough_format_list(req->arena, &n);
    while (i < n && (!f[i].writes || strcmp(f[i].name, how->format) != 0))
        i++;
    if (i == n)
        return bough_fail(err, BOUGH_INVALID, "cannot export to the format %.40s", how->format);
    /* Never text/html: exported content must not run as a page of this origin. */
    http_text(res, 200, "application/octet-stream");
    http_setf(res, "Content-Disposition", "attachment; filename=\"export%s%s\"",
              *f[i].suffix == '.' ? "" : ".", f[i].suffix);
    return BOUGH_OK;
}

/* An export keeps the ids of all entries, and the calls, in memory. The command has the machine to
 * itself; a server has other callers. */
static enum bough_rc check_size(const struct bough_session *s, struct bough_error *err)
{
    if (s->messages <= LIMIT_EXPORT && s->calls <= LIMIT_EXPORT && s->head.depth <= LIMIT_EXPORT)
        return BOUGH_OK;
    return bough_fail(
        err, BOUGH_TOO_LARGE,
        "session %s has more than %d entries: read it in pages from its entries, or use "
        "bough export where the store is",
        s->id, LIMIT_EXPORT);
}

static enum bough_rc export_one(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_export_options how = { .at = http_query(req, "at") };
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = http_query_bool(req, "alone", &how.alone, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &how.at, err);
    if (!rc && !how.alone)
        rc = api_sees_parents(req, s, err);
    if (!rc)
        rc = check_size(s, err);
    if (!rc)
        rc = begin_export(req, res, &how, err);
    return rc ? rc : bough_export_session(api_of(req)->store, s->id, &how, err);
}

/* Check the size of every session before the first byte is sent. */
static enum bough_rc check_all(struct http_req *req, struct bough_error *err)
{
    struct bough_session_list_options filter = { .include_deleted = true, .limit = 500 };
    char cursor[BOUGH_CURSOR_LEN + 1] = "";
    struct bough_arena *a = bough_arena_create();
    struct bough_sessions page = { .next = "" };
    enum bough_rc rc;

    do {
        rc = bough_session_list(api_of(req)->store, a, &filter, &page, err);
        for (size_t i = 0; !rc && i < page.n; i++)
            rc = check_size(&page.at[i], err);
        if (!rc)
            snprintf(cursor, sizeof cursor, "%s", page.next);
        filter.cursor = cursor;
        bough_arena_reset(a);
    } while (!rc && *cursor);
    bough_arena_destroy(a);
    return rc;
}

/* The whole store in one file. */
static enum bough_rc export_all(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_export_options how = { 0 };
    enum bough_rc rc = api_for_all(req, res);

    if (!rc)
        rc = check_all(req, err);
    if (!rc)
        rc = begin_export(req, res, &how, err);
    return rc ? rc : bough_export_sessions(api_of(req)->store, NULL, 0, &how, err);
}

const struct http_route api_transfer_routes[] = {
    { "GET", "/api/v1/export", export_all, AUTH_EXPORT | AUTH_ADMIN,
      "Export the whole store in bough's own format, like `bough export --all`.", .gives = "bytes",
      .flags = HTTP_LONG | HTTP_DOWNLOADS },
    { "GET", "/api/v1/formats", formats, AUTH_READ, "List the formats for import and export.",
      .gives = "Formats" },
    { "POST", "/api/v1/import", import, AUTH_APPEND,
      "Import a file of another tool. Importing it again adds only what is new.", import_query,
      .takes = "bytes", .gives = "Imported", .flags = HTTP_RAW_BODY | HTTP_LONG,
      .body_max = UPLOAD_MAX, .piece = upload_piece, .drop = upload_drop },
    { "GET", "/api/v1/sessions/{id}/export", export_one, AUTH_EXPORT,
      "Export a session in any format.", export_query, .gives = "bytes",
      .flags = HTTP_LONG | HTTP_DOWNLOADS },
    { 0 },
};
