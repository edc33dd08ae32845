/* What a run changed in its workspace, over HTTP. */
#include <string.h>

#include "api/kit/body.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/api/kit.h"
#include "run/api/routes.h"
#include "run/external/diff.h"

enum { PATHS_MOST = 1000 };

/* The run, if its workspace is here. */
static enum bough_rc run_here(struct http_req *req, struct bough_run **run, struct bough_error *err)
{
    struct runner *r;
    enum bough_rc rc = run_api_run(req, run, err);

    if (!rc)
        rc = run_api_runner(req, &r, err);
    if (!rc && *(*run)->workspace && strcmp((*run)->host, runner_host(r)) != 0)
        rc = bough_fail(err, BOUGH_NOT_READY, "the workspace of this run is on the server %.60s",
                        (*run)->host);
    return rc;
}

static void put_file(struct json_writer *w, const struct diff_file *f)
{
    jw_kv_cstr(w, "path", f->path);
    jw_kv_cstr(w, "status", f->status);
    jw_kv_i64(w, "additions", f->additions);
    jw_kv_i64(w, "deletions", f->deletions);
}

static void put_files(struct json_writer *w, const struct diff_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        jw_obj(w);
        put_file(w, &files->at[i]);
        jw_end_obj(w);
    }
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct diff_files files;
    struct json_writer *w;
    struct bough_run *run;
    enum bough_rc rc = run_here(req, &run, err);

    if (!rc)
        rc = diff_list(req->arena, run, &files, err);
    if (rc)
        return rc;
    w = api_items(res);
    put_files(w, &files);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc diff(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *path = http_query(req, "path");
    struct bough_str text;
    struct json_writer *w;
    struct bough_run *run;
    enum bough_rc rc = run_here(req, &run, err);

    if (!rc)
        rc = diff_text(req->arena, run, cstr_empty(path) ? NULL : path, &text, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "path", cstr_empty(path) ? NULL : path);
    jw_kv_str(w, "diff", text);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- taking back ---- */

static enum bough_rc read_paths(struct http_req *req, const char ***paths, size_t *n,
                                struct bough_error *err)
{
    struct body {
        struct json paths;
    } in = { 0 };
    static const struct api_member members[] = {
        { "paths", API_LIST, offsetof(struct body, paths) },
        { 0 },
    };
    struct json_iter it;
    enum bough_rc rc = api_body(req, members, &in, err);

    if (rc)
        return rc;
    if (json_count(in.paths) > PATHS_MOST)
        return bough_fail(err, BOUGH_TOO_LARGE, "at most %d paths", PATHS_MOST);
    *paths = arena_array(req->arena, json_count(in.paths) + 1, sizeof **paths);
    *n = 0;
    it = json_iter(in.paths);
    while (json_next(&it)) {
        struct bough_str path;

        if (!json_str(req->arena, it.value, &path) || !path.n || strlen(path.p) != path.n)
            return bough_fail(err, BOUGH_INVALID, "paths must hold texts");
        (*paths)[(*n)++] = path.p;
    }
    return BOUGH_OK;
}

static enum bough_rc revert(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct diff_files files;
    struct json_writer *w;
    struct bough_session *s;
    struct bough_run *run;
    const char **paths = NULL;
    size_t n = 0;
    enum bough_rc rc = read_paths(req, &paths, &n, err);

    if (!rc)
        rc = run_here(req, &run, err);
    if (!rc)
        rc = api_session_named(req, run->session, &s, err);
    if (!rc && s->status == BOUGH_STATUS_BUSY) {
        run_api_busy(req, res, run->session);
        rc = bough_fail(err, BOUGH_BUSY, "a run works in this session");
    }
    if (!rc)
        rc = diff_list(req->arena, run, &files, err);
    if (!rc)
        rc = diff_revert(req->arena, run, paths, n, err);
    if (!rc)
        rc = run_tell_reverted(api_of(req)->store, req->arena, run, n, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_bool(w, "reverted", true);
    jw_key(w, "files");
    jw_arr(w);
    put_files(w, &files);
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static const struct http_field diff_query[] = {
    { "path", HTTP_STRING, "This file only, from the root of the repository." },
    { 0 },
};

const struct http_route run_file_routes[] = {
    { "GET", "/api/v1/runs/{run}/files", list, AUTH_READ,
      "The files that a run changed in its workspace, by path.", .gives = "ChangedFiles" },
    { "GET", "/api/v1/runs/{run}/diff", diff, AUTH_READ,
      "What a run changed, or what it changed in one file, as a diff.", .gives = "RunDiff",
      .query = diff_query },
    { "POST", "/api/v1/runs/{run}/revert", revert, AUTH_RUN,
      "Take the changes of a run back, all or those of some files. Nothing is changed when a file "
      "has moved on: 409.",
      .takes = "RunRevert", .gives = "Reverted" },
    { 0 },
};
