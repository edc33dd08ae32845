/* Import of an uploaded file, export of sessions and of the store. Backups are for the command
 * line: they are written beside the store and read back before they count. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "api/forms.h"
#include "base/arena.h"
#include "base/fs.h"
#include "base/sha256.h"
#include "base/str.h"

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
    { "name", HTTP_STRING, "What the file is called: the same name again adds what is new." },
    { "format", HTTP_STRING, "Instead of finding out from its first bytes." },
    { "project", HTTP_STRING, "Of new sessions, instead of the one the file names." },
    { "dry", HTTP_BOOLEAN, "Only say what would be done." },
    { 0 },
};

/* Some formats know a session by the name of its file, so it keeps its last part. */
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
    /* A file may go on with a session that is there already, of whatever project. */
    if (*api_of(req)->who->project)
        return bough_fail(err, BOUGH_DENIED, "this token is for one project");
    u = arena_zalloc(req->arena, sizeof *u);
    u->fd = -1;
    u->dir = fs_temp_dir(req->arena, "bough-import");
    if (!u->dir)
        return bough_fail(err, BOUGH_IO, "there is no place to keep the file");
    req->state = u;
    sha256_init(&u->hash);
    u->path = fs_join(req->arena, u->dir, base_name(req));
    u->fd = open(u->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return u->fd >= 0 ? BOUGH_OK : bough_fail(err, fs_rc(errno), "the file cannot be kept");
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
            return bough_fail(err, fs_rc(errno), "the file cannot be kept");
        piece = str_make(piece.p + n, piece.n - (size_t)n);
    }
    return BOUGH_OK;
}

/* Without a name a file is known by what is in it. */
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
    struct bough_import how = { .format = http_query(req, "format"),
                                .project = http_query(req, "project") };
    struct bough_imported out;
    struct upload *u;
    enum bough_rc rc = upload_begin(req, err);

    u = req->state;
    if (!rc)
        rc = http_query_bool(req, "dry", &how.dry, err);
    if (rc)
        return rc;
    how.name = known_as(req, u);
    rc = bough_import_file(api_of(req)->store, req->arena, u->path, &how, &out, err);
    if (!rc)
        form_imported(http_json(res, 200), &out, NULL);
    else if (err && strstr(err->msg, u->dir)) /* where we keep it is nobody's business */
        rc = bough_fail(err, rc, "%s", "the file cannot be imported; what is its format?");
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
    { "format", HTTP_STRING, "bough (the usual: complete), pi, ...; see /api/v1/formats." },
    { "at", HTTP_STRING, "The path to this entry instead of the head." },
    { "alone", HTTP_BOOLEAN, "bough: without the sessions it was forked from or spawned by." },
    { 0 },
};

/* Into the answer, which spills into a file as it grows. */
static bool put_piece(void *user, struct bough_str bytes)
{
    http_write(user, bytes.p, bytes.n);
    return true;
}

static enum bough_rc begin_export(struct http_req *req, struct http_res *res,
                                  struct bough_export *how, struct bough_error *err)
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
        return bough_fail(err, BOUGH_INVALID, "no format %.40s is written", how->format);
    /* Never a page of this origin: what it shows was said by anybody. */
    http_text(res, 200, "application/octet-stream");
    http_setf(res, "Content-Disposition", "attachment; filename=\"export%s%s\"",
              *f[i].suffix == '.' ? "" : ".", f[i].suffix);
    return BOUGH_OK;
}

static enum bough_rc export_one(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_export how = { .at = http_query(req, "at") };
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = http_query_bool(req, "alone", &how.alone, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &how.at, err);
    if (!rc && !how.alone)
        rc = api_sees_parents(req, s, err);
    if (!rc)
        rc = begin_export(req, res, &how, err);
    return rc ? rc : bough_export_session(api_of(req)->store, s->id, &how, err);
}

/* What is complete in one file: notes first, then every session. */
static enum bough_rc export_all(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_list filter = { .limit = 200, .include_deleted = true };
    struct bough_store *store = api_of(req)->store;
    struct bough_arena *a = bough_arena_create();
    struct bough_sessions page = { .next = "" };
    struct bough_export how = { 0 };
    char cursor[128];
    enum bough_rc rc = api_for_all(req, res);

    if (!rc)
        rc = begin_export(req, res, &how, err);
    if (!rc)
        rc = bough_export_notes(store, &how, err);
    do {
        if (!rc)
            rc = bough_session_list(store, a, &filter, &page, err);
        for (size_t i = 0; !rc && i < page.n; i++)
            rc = bough_export_session(store, page.at[i].id, &how, err);
        snprintf(cursor, sizeof cursor, "%s", page.next);
        filter.cursor = cursor;
        bough_arena_reset(a);
    } while (!rc && *cursor);
    bough_arena_destroy(a);
    return rc;
}

const struct http_route api_transfer_routes[] = {
    { "GET", "/api/v1/export", export_all, AUTH_EXPORT | AUTH_ADMIN,
      "The whole store in bough's own format, as `bough export --all` writes it.", .gives = "bytes",
      .flags = HTTP_LONG },
    { "GET", "/api/v1/formats", formats, AUTH_READ, "What can be imported and exported.",
      .gives = "Formats" },
    { "POST", "/api/v1/import", import, AUTH_APPEND,
      "Import a file of another tool; again adds only what is new.", import_query, .takes = "bytes",
      .gives = "Imported", .flags = HTTP_RAW_BODY | HTTP_LONG, .body_max = UPLOAD_MAX,
      .piece = upload_piece, .drop = upload_drop },
    { "GET", "/api/v1/sessions/{id}/export", export_one, AUTH_EXPORT, "One session in any format.",
      export_query, .gives = "bytes", .flags = HTTP_LONG },
    { 0 },
};
