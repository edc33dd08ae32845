/* The files that a turn has changed: list, diff, take back. */
#include <string.h>

#include "api/kit/body.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/external/diff.h"
#include "run/hecate/hecate.h"

enum { PATHS_MOST = 1000 };

/* ---- which run ---- */

/* A message is the answer of a run, by the run's id, or any entry of one. */
static enum bough_rc find_run(struct http_req *req, const struct bough_session *s,
                              struct bough_run **out, struct bough_error *err)
{
    const char *id = hecate_id_read(HECATE_MESSAGE, http_param(req, "message"));
    struct hecate_chat chat;
    enum bough_rc rc = bough_run_get(api_of(req)->store, req->arena, id, out, NULL);

    if (!rc && strcmp((*out)->session, s->id) == 0)
        return BOUGH_OK;
    rc = hecate_chat_read(req, req->arena, s, true, &chat, err);
    for (size_t i = 0; !rc && i < chat.n; i++)
        if (strcmp(chat.entries[i].id, id) == 0 && chat.segments.run[i] != SEGMENT_NONE) {
            *out = chat.runs.at + chat.segments.run[i];
            return BOUGH_OK;
        }
    return rc ? rc : bough_fail(err, BOUGH_NOT_FOUND, "no message %.60s in this chat", id);
}

/* Only the server that the run worked on has its files. */
static enum bough_rc find(struct http_req *req, struct bough_session **s, struct bough_run **run,
                          struct bough_error *err)
{
    struct runner *r;
    enum bough_rc rc = hecate_chat_session(req, s, err);

    if (!rc)
        rc = find_run(req, *s, run, err);
    if (!rc)
        rc = hecate_runner(req, &r, err);
    if (!rc && *(*run)->workspace && strcmp((*run)->host, runner_host(r)) != 0)
        rc = bough_fail(err, BOUGH_NOT_READY, "the files are on the server %.80s", (*run)->host);
    return rc;
}

/* ---- reading ---- */

static void put_in_file(struct json_writer *w, const struct diff_file *f)
{
    jw_kv_cstr(w, "path", f->path);
    jw_kv_i64(w, "additions", f->additions);
    jw_kv_i64(w, "deletions", f->deletions);
    jw_kv_cstr(w, "status", f->status);
}

static void put_files(struct json_writer *w, const struct diff_files *files)
{
    jw_arr(w);
    for (size_t i = 0; i < files->n; i++) {
        jw_obj(w);
        put_in_file(w, &files->at[i]);
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    struct diff_files files;
    struct bough_run *run;
    struct json_writer *w;
    enum bough_rc rc = find(req, &s, &run, err);

    if (!rc)
        rc = diff_list(req->arena, run, &files, err);
    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "agent_chat_changed_files");
    put_files(w, &files);
    jw_end_obj(w);
    return BOUGH_OK;
}

static const struct diff_file *file_of(const struct diff_files *files, const char *path)
{
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->at[i].path, path) == 0)
            return &files->at[i];
    return NULL;
}

static enum bough_rc diff(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *path = http_param(req, "path");
    const struct diff_file *f;
    struct bough_session *s;
    struct diff_files files;
    struct bough_run *run;
    struct json_writer *w;
    struct bough_str text;
    enum bough_rc rc = find(req, &s, &run, err);

    if (!rc)
        rc = diff_list(req->arena, run, &files, err);
    if (!rc)
        rc = diff_text(req->arena, run, path, &text, err);
    if (rc)
        return hecate_done(res, rc, err);
    f = file_of(&files, path);
    if (!f)
        return hecate_done(
            res, bough_fail(err, BOUGH_NOT_FOUND, "the turn has not changed %.200s", path), err);
    w = hecate_begin(res, "agent_chat_changed_file_diff");
    jw_obj(w);
    put_in_file(w, f);
    jw_kv_str(w, "diff", text);
    jw_end_obj(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- taking back ---- */

struct wish {
    struct json paths;
};

static enum bough_rc read_paths(struct http_req *req, const char ***out, size_t *n,
                                struct bough_error *err)
{
    static const struct api_member members[] = {
        { "paths", API_LIST, offsetof(struct wish, paths) },
        { 0 },
    };
    struct wish in = { 0 };
    struct bough_str path;
    struct json_iter it;
    enum bough_rc rc = api_body(req, members, &in, err);

    *n = 0;
    *out = arena_array(req->arena, PATHS_MOST, sizeof **out);
    if (rc || !in.paths.doc)
        return rc;
    it = json_iter(in.paths);
    while (json_next(&it)) {
        if (*n == PATHS_MOST || !json_str(req->arena, it.value, &path))
            return bough_fail(err, BOUGH_INVALID, "paths must be at most %d strings", PATHS_MOST);
        (*out)[(*n)++] = arena_strndup(req->arena, path.p, path.n);
    }
    return BOUGH_OK;
}

static bool is_back(const char *const *paths, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(paths[i], path) == 0)
            return true;
    return n == 0;
}

/* The files that stay changed; returns how much they have. */
static const char *put_rest(struct http_req *req, struct json_writer *w, const char *const *paths,
                            size_t n, const struct diff_files *files)
{
    struct diff_file sum = { 0 };
    size_t left = 0;

    jw_arr(w);
    for (size_t i = 0; i < files->n; i++) {
        if (is_back(paths, n, files->at[i].path))
            continue;
        jw_obj(w);
        put_in_file(w, &files->at[i]);
        jw_end_obj(w);
        sum.additions += files->at[i].additions;
        sum.deletions += files->at[i].deletions;
        left++;
    }
    jw_end_arr(w);
    return hecate_diff_stat(req->arena, left, sum.additions, sum.deletions);
}

static void put_reverted(struct http_req *req, struct http_res *res, const char *const *paths,
                         size_t n, const struct diff_files *files)
{
    struct json_writer *w = hecate_begin(res, "agent_chat_revert");
    const char *stat;

    jw_obj(w);
    jw_kv_bool(w, "reverted", true);
    jw_key(w, "paths");
    jw_arr(w);
    for (size_t i = 0; i < (n ? n : files->n); i++)
        jw_cstr(w, n ? paths[i] : files->at[i].path);
    jw_end_arr(w);
    jw_key(w, "files");
    stat = put_rest(req, w, paths, n, files);
    jw_kv_cstr(w, "diff_stat", stat);
    jw_end_obj(w);
    jw_end_obj(w);
}

/* A path that the turn has not changed, and a folder without git, are wrong requests here. */
static enum bough_rc take_back(struct http_req *req, const struct bough_run *run,
                               const char *const *paths, size_t n, struct diff_files *files,
                               struct bough_error *err)
{
    enum bough_rc rc = diff_list(req->arena, run, files, err);

    if (!rc && !files->n)
        return bough_fail(err, BOUGH_INVALID, "the turn has changed no files in a git repository");
    if (!rc)
        rc = diff_revert(req->arena, run, paths, n, err);
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_NOT_READY)
        rc = bough_fail(err, BOUGH_INVALID, "%s", arena_strdup(req->arena, err->msg));
    return rc;
}

static enum bough_rc revert(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char **paths = NULL;
    struct bough_session *s;
    struct diff_files files;
    struct bough_run *run, *latest;
    size_t n = 0;
    enum bough_rc rc = find(req, &s, &run, err);

    if (!rc)
        rc = read_paths(req, &paths, &n, err);
    if (!rc)
        rc = hecate_latest(req, req->arena, s->id, &latest, err);
    if (!rc && latest && !bough_run_ended(latest->status))
        return hecate_busy(req, res, s->id, err);
    if (!rc)
        rc = take_back(req, run, paths, n, &files, err);
    if (!rc)
        rc = run_tell_reverted(api_of(req)->store, req->arena, run, n, err);
    if (!rc)
        put_reverted(req, res, paths, n, &files);
    return hecate_done(res, rc, err);
}

const struct http_route hecate_file_routes[] = {
    { "GET", "/hecate/v1/agent-chat/sessions/{id}/messages/{message}/files", list, AUTH_READ,
      "Hecate: list the files that a turn has changed.", .gives = "HecateFiles",
      .errors = &hecate_errors },
    { "GET", "/hecate/v1/agent-chat/sessions/{id}/messages/{message}/files/{path...}", diff,
      AUTH_READ, "Hecate: get the diff of a file that a turn has changed.",
      .gives = "HecateFileDiff", .errors = &hecate_errors },
    { "POST", "/hecate/v1/agent-chat/sessions/{id}/messages/{message}/revert", revert, AUTH_RUN,
      "Hecate: take back what a turn has changed, in these files or in all; 409 if one has "
      "changed since.",
      .takes = "HecateRevert", .gives = "HecateReverted", .flags = HTTP_BODY_OPTIONAL,
      .errors = &hecate_errors },
    { 0 },
};
