/* Runs over HTTP: list, read, what they did, cancel. */
#include <stdlib.h>
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "api/kit/forms_run.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/api/kit.h"
#include "run/api/routes.h"

enum { ENTRIES_USUAL = 500, APPROVALS_MOST = 10000, LOOKS_MOST = 20 };

/* ---- lists ---- */

static void put_runs(struct http_req *req, struct http_res *res, const struct bough_runs *runs)
{
    struct json_writer *w = api_items(res);

    for (size_t i = 0; i < runs->n; i++) {
        struct bough_session *s;

        if (api_session_named(req, runs->at[i].session, &s, NULL) == BOUGH_OK)
            form_run(w, &runs->at[i]);
    }
    api_items_end(w, runs->next);
}

static enum bough_rc list_of(struct http_req *req, struct http_res *res,
                             struct bough_run_list_options *how, struct bough_error *err)
{
    struct bough_runs runs = { .next = "" };
    struct api_page page;
    enum bough_rc rc = api_page(req, &page, err);

    how->status = http_query(req, "status");
    how->host = http_query(req, "host");
    how->limit = page.limit;
    how->cursor = page.cursor;
    for (int i = 0; !rc && i < LOOKS_MOST; i++) { /* a page may be empty and have a next one */
        rc = bough_run_list(api_of(req)->store, req->arena, how, &runs, err);
        if (runs.n || !*runs.next)
            break;
        how->cursor = runs.next;
    }
    if (!rc)
        put_runs(req, res, &runs);
    return rc;
}

static enum bough_rc list_session(struct http_req *req, struct http_res *res,
                                  struct bough_error *err)
{
    struct bough_run_list_options how = { 0 };
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (rc)
        return rc;
    how.session = s->id;
    return list_of(req, res, &how, err);
}

static enum bough_rc list_all(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_run_list_options how = { .project = http_query(req, "project") };
    enum bough_rc rc = api_own_project(req, res, &how.project);

    if (rc)
        return rc;
    if (cstr_empty(how.project))
        how.project = NULL;
    return list_of(req, res, &how, err);
}

static enum bough_rc one(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_run *run;
    enum bough_rc rc = run_api_run(req, &run, err);

    if (!rc)
        form_run(http_json(res, 200), run);
    return rc;
}

/* ---- what it did ---- */

/* A page of the run's entries. The cursor is a depth. */
static enum bough_rc read_entries(struct http_req *req, const struct bough_run *run,
                                  struct bough_entries_read_result *out, const char **next,
                                  struct bough_error *err)
{
    const char *limit = http_query(req, "limit"), *cursor = http_query(req, "cursor");
    struct bough_entries_read_options how = { .from_depth = run->first.depth, .calls = true };
    int64_t depth;
    enum bough_rc rc;

    *out = (struct bough_entries_read_result){ 0 };
    *next = NULL;
    if (!run->last.branch)
        return BOUGH_OK;
    how.limit = limit ? strtoll(limit, NULL, 10) : ENTRIES_USUAL;
    depth = cursor ? strtoll(cursor, NULL, 10) : 0;
    if (cursor && (depth < run->first.depth || depth > run->last.depth))
        return bough_fail(err, BOUGH_INVALID, "this is no cursor of this run");
    if (depth)
        how.from_depth = depth;
    how.at = arena_printf(req->arena, "#%lld.%lld", (long long)run->last.branch,
                          (long long)run->last.depth);
    rc = bough_entries_read(api_of(req)->store, req->arena, run->session, &how, out, err);
    if (!rc && out->entries.n && out->entries.at[out->entries.n - 1].at.depth < run->last.depth)
        *next = arena_printf(req->arena, "%lld",
                             (long long)out->entries.at[out->entries.n - 1].at.depth + 1);
    return rc;
}

static enum bough_rc activity(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_approval_list_options which = { .limit = APPROVALS_MOST };
    struct bough_entries_read_result path;
    struct bough_approvals asked = { 0 };
    struct activity_rows rows;
    struct activities all;
    struct json_writer *w;
    struct bough_run *run;
    const char *next = NULL;
    enum bough_rc rc = run_api_run(req, &run, err);

    if (!rc)
        rc = read_entries(req, run, &path, &next, err);
    if (!rc && run->approvals) {
        which.run = run->id;
        rc = bough_approval_list(api_of(req)->store, req->arena, &which, &asked, err);
    }
    if (rc)
        return rc;
    activities_build(req->arena,
                     &(struct activity_input){ .run = run,
                                               .entries = path.entries.at,
                                               .n = path.entries.n,
                                               .calls = path.calls ? path.calls->at : NULL,
                                               .ncalls = path.calls ? path.calls->n : 0,
                                               .approvals = asked.at,
                                               .napprovals = asked.n,
                                               .now = api_now(req) },
                     &all);
    activities_render(req->arena, all.at, all.n, &rows);
    w = http_json(res, 200);
    form_activities(w, &all, &rows, next);
    return BOUGH_OK;
}

/* ---- artifacts ---- */

static void put_artifact(struct http_req *req, struct json_writer *w, const struct bough_entry *e,
                         size_t i)
{
    struct json j, data;
    const char *kind, *text;
    int64_t size = 0;

    if (e->parts[i].type != BOUGH_PART_FILE || json_parse(req->arena, e->parts[i].json, &j, NULL))
        return;
    data = json_member(j, "data");
    kind = json_type(data) == JSON_OBJECT ? json_cstr(req->arena, data, "artifact") : NULL;
    if (!kind)
        return;
    json_i64(json_member(data, "size"), &size);
    jw_obj(w);
    jw_kv_cstr(w, "id", arena_printf(req->arena, "%s.%04zx", e->id, i));
    jw_kv_cstr(w, "entry", e->id);
    jw_kv_i64(w, "part", (int64_t)i);
    jw_kv_cstr(w, "kind", kind);
    text = json_cstr(req->arena, j, "mime");
    jw_kv_cstr(w, "mime", text ? text : "");
    text = json_cstr(req->arena, j, "filename");
    jw_kv_cstr(w, "name", text ? text : "");
    text = json_cstr(req->arena, j, "url");
    jw_kv_cstr(w, "url", text ? text : "");
    jw_kv_i64(w, "size", size);
    text = json_cstr(req->arena, data, "preview");
    jw_kv_cstr(w, "preview", text ? text : "");
    jw_end_obj(w);
}

static enum bough_rc artifacts(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_entries_read_result path;
    struct json_writer *w;
    struct bough_run *run;
    const char *next;
    enum bough_rc rc = run_api_run(req, &run, err);

    if (!rc)
        rc = read_entries(req, run, &path, &next, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < path.entries.n; i++)
        for (size_t k = 0; k < path.entries.at[i].nparts; k++)
            put_artifact(req, w, &path.entries.at[i], k);
    api_items_end(w, next);
    return BOUGH_OK;
}

/* ---- stopping ---- */

static enum bough_rc cancel(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "note", API_TEXT, offsetof(struct bough_run_cancel_options, note) },
        { 0 },
    };
    struct bough_run_cancel_options how = { 0 };
    struct bough_run *run;
    enum bough_rc rc = api_body(req, members, &how, err);

    if (!rc)
        rc = run_api_run(req, &run, err);
    if (!rc)
        rc = bough_run_cancel(api_of(req)->store, req->arena, run->id, &how, &run, err);
    if (!rc)
        form_run(http_json(res, 202), run);
    return rc;
}

static const struct http_field list_query[] = {
    API_PAGE_FIELDS,
    { "status", HTTP_STRING, "Only runs with one of these statuses, with blanks between them." },
    { "host", HTTP_STRING, "Only runs that this server accepted." },
    { "project", HTTP_STRING, "Only runs of sessions of this project." },
    { 0 },
};
static const struct http_field session_query[] = {
    API_PAGE_FIELDS,
    { "status", HTTP_STRING, "Only runs with one of these statuses, with blanks between them." },
    { "host", HTTP_STRING, "Only runs that this server accepted." },
    { 0 },
};

const struct http_route run_routes[] = {
    { "GET", "/api/v1/sessions/{id}/runs", list_session, AUTH_READ,
      "List the runs of a session, newest first.", .gives = "Runs", .query = session_query },
    { "GET", "/api/v1/runs", list_all, AUTH_READ, "List runs, newest first.", .gives = "Runs",
      .query = list_query, .flags = HTTP_LONG },
    { "GET", "/api/v1/runs/{run}", one, AUTH_READ, "A run.", .gives = "Run" },
    { "GET", "/api/v1/runs/{run}/activity", activity, AUTH_READ,
      "What a run did, as rows for people. A page covers up to `limit` entries.",
      .gives = "Activities", .query = api_page_query },
    { "GET", "/api/v1/runs/{run}/artifacts", artifacts, AUTH_READ,
      "Files that a run left beside its messages: whole results, outputs, protocols.",
      .gives = "Artifacts", .query = api_page_query },
    { "POST", "/api/v1/runs/{run}/cancel", cancel, AUTH_RUN,
      "Stop a run. One that works is stopped by its server; what came is kept. Again changes "
      "nothing; 409 when it has ended.",
      .takes = "RunCancel", .gives = "Run", .status = 202, .flags = HTTP_BODY_OPTIONAL },
    { 0 },
};
