/* The store as a whole: info, statistics, fsck and repair, the changelog, the audit log, groups. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

enum { FINDINGS_MAX = 1000 };

/* ---- figures ---- */

static void last_backup(struct json_writer *w, const struct bough_last_backup *x)
{
    jw_key(w, "last_backup");
    if (!x->time) {
        jw_null(w);
        return;
    }
    jw_obj(w);
    form_time(w, "time", x->time);
    jw_kv_cstr(w, "file", x->file);
    jw_kv_i64(w, "bytes", x->bytes);
    jw_kv_i64(w, "sessions", x->sessions);
    jw_kv_i64(w, "entries", x->entries);
    jw_kv_bool(w, "verified", x->verified);
    jw_kv_cstr(w, "by", x->by);
    jw_end_obj(w);
}

static void last_fsck(struct json_writer *w, const struct bough_last_fsck *x)
{
    jw_key(w, "last_fsck");
    if (!x->time) {
        jw_null(w);
        return;
    }
    jw_obj(w);
    form_time(w, "time", x->time);
    jw_kv_cstr(w, "level", x->level);
    jw_kv_i64(w, "errors", x->errors);
    jw_kv_i64(w, "warnings", x->warnings);
    jw_kv_cstr(w, "by", x->by);
    jw_end_obj(w);
}

static enum bough_rc count_sessions(struct http_req *req, bool deleted, struct bough_sessions *out,
                                    struct bough_error *err)
{
    const struct bough_session_list_options o = { .only_deleted = deleted,
                                                  .limit = 1,
                                                  .count = true };

    return bough_session_list(api_of(req)->store, req->arena, &o, out, err);
}

static enum bough_rc info(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_store_info_result x;
    struct bough_sessions living, deleted;
    struct json_writer *w;
    enum bough_rc rc = api_for_all(req, res);

    if (!rc)
        rc = bough_store_info(api_of(req)->store, req->arena, &x, err);
    if (!rc)
        rc = count_sessions(req, false, &living, err);
    if (!rc)
        rc = count_sessions(req, true, &deleted, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "id", x.store_id);
    jw_kv_cstr(w, "backend", x.backend);
    jw_kv_cstr(w, "path", x.path);
    jw_kv_i64(w, "epoch", x.epoch);
    jw_kv_i64(w, "schema", x.schema);
    jw_kv_i64(w, "last_no", x.last_no);
    jw_kv_i64(w, "pending", x.pending);
    jw_kv_i64(w, "text_pending", x.text_pending);
    jw_kv_i64(w, "sessions", living.total);
    jw_kv_i64(w, "deleted_sessions", deleted.total);
    jw_kv_bool(w, "at_least", living.total_at_least || deleted.total_at_least);
    jw_kv_i64(w, "file_bytes", x.file_bytes);
    jw_kv_i64(w, "wal_bytes", x.log_bytes);
    last_backup(w, x.last_backup);
    last_fsck(w, x.last_fsck);
    jw_kv_cstr(w, "version", bough_version());
    jw_kv_cstr(w, "sqlite", bough_sqlite_version());
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc stats(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_store_stats_result x;
    struct json_writer *w;
    enum bough_rc rc = api_for_all(req, res);

    if (!rc)
        rc = bough_store_stats(api_of(req)->store, &x, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_i64(w, "sessions", x.sessions);
    jw_kv_i64(w, "deleted_sessions", x.deleted_sessions);
    jw_kv_i64(w, "branches", x.branches);
    jw_kv_i64(w, "entries", x.entries);
    jw_kv_i64(w, "messages", x.messages);
    jw_kv_i64(w, "calls", x.calls);
    jw_kv_i64(w, "records", x.records);
    jw_kv_i64(w, "log_rows", x.log_rows);
    jw_kv_i64(w, "content_bytes", x.content_bytes);
    jw_kv_i64(w, "file_bytes", x.file_bytes);
    jw_kv_i64(w, "attachments", x.attachments);
    jw_kv_i64(w, "attachment_bytes", x.attachment_bytes);
    form_totals(w, "spent", &x.spent);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- checking ---- */

struct findings {
    struct json_writer *w;
    int64_t n;
};

static void put_finding(void *user, const struct bough_finding *f)
{
    struct findings *x = user;

    if (x->n++ >= FINDINGS_MAX)
        return;
    jw_obj(x->w);
    jw_kv_cstr(x->w, "code", f->code);
    jw_kv_cstr(x->w, "severity", f->error ? "error" : "warning");
    jw_kv_cstr(x->w, "where", f->where);
    jw_kv_cstr(x->w, "text", f->text);
    jw_end_obj(x->w);
}

static enum bough_rc read_level(const struct http_req *req, enum bough_fsck_level *out,
                                struct bough_error *err)
{
    const char *level = http_query(req, "level");

    *out = BOUGH_FSCK_FULL;
    if (level && strcmp(level, "quick") == 0)
        *out = BOUGH_FSCK_QUICK;
    else if (level && strcmp(level, "deep") == 0)
        *out = BOUGH_FSCK_DEEP;
    else if (level && strcmp(level, "full") != 0)
        return bough_fail(err, BOUGH_INVALID, "level must be quick, full or deep");
    return BOUGH_OK;
}

/* Begin the answer of a check: findings are written as they are found. */
static enum bough_rc begin_findings(struct http_req *req, struct http_res *res, struct findings *x,
                                    enum bough_fsck_level *level, struct bough_error *err)
{
    enum bough_rc rc = api_for_all(req, res);

    if (!rc)
        rc = read_level(req, level, err);
    if (rc)
        return rc;
    x->w = http_json(res, 200);
    jw_obj(x->w);
    jw_key(x->w, "findings");
    jw_arr(x->w);
    return BOUGH_OK;
}

/* Let the store remember the check. The answer does not depend on it; and nothing is written into a
 * file whose pages are damaged. */
static void note(struct http_req *req, enum bough_fsck_level level,
                 const struct bough_store_fsck_result *report)
{
    if (!report->bad_pages)
        (void)!bough_store_fsck_note(api_of(req)->store, level, report, NULL);
}

static enum bough_rc fsck(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_store_fsck_result report;
    enum bough_fsck_level level;
    struct findings x = { 0 };
    enum bough_rc rc = begin_findings(req, res, &x, &level, err);

    if (!rc)
        rc = bough_store_fsck(api_of(req)->store, level, put_finding, &x, &report, err);
    if (rc)
        return rc;
    note(req, level, &report);
    jw_end_arr(x.w);
    form_in_fsck(x.w, &report);
    jw_end_obj(x.w);
    return BOUGH_OK;
}

static enum bough_rc repair(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_store_repair_result report;
    enum bough_fsck_level level;
    struct findings x = { 0 };
    enum bough_rc rc = begin_findings(req, res, &x, &level, err);

    if (!rc)
        rc = bough_store_repair(api_of(req)->store, level, NULL, put_finding, &x, &report, err);
    if (rc)
        return rc;
    note(req, level, &report.left);
    jw_end_arr(x.w);
    jw_kv_i64(x.w, "fixed", report.fixed);
    jw_kv_i64(x.w, "quarantined", report.quarantined);
    form_in_fsck(x.w, &report.left);
    jw_end_obj(x.w);
    return BOUGH_OK;
}

static enum bough_rc upkeep(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return api_done(res, bough_store_upkeep(api_of(req)->store, err));
}

/* ---- changelog ---- */

static const struct http_field feed_query[] = {
    { "epoch", HTTP_INTEGER, "Epoch of the mark to continue from; see `next`." },
    { "no", HTTP_INTEGER, "Number of the mark to continue from; 0: the beginning." },
    { "limit", HTTP_INTEGER, "Page size (default 50).", .least = 1, .most = API_PAGE_MAX },
    { 0 },
};

/* A token bound to one project only sees changes of that project and of its sessions. */
static bool seen(struct http_req *req, const struct bough_change *c)
{
    struct bough_session *s;

    if (!*api_of(req)->who->project || (*c->project && auth_sees(api_of(req)->who, c->project)))
        return true;
    return !cstr_empty(c->session) && !api_session_named(req, c->session, &s, NULL);
}

static enum bough_rc feed(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    struct bough_mark from;
    struct bough_feed_next_result f;
    struct json_writer *w;
    int64_t limit;
    enum bough_rc rc = http_query_i64(req, "epoch", 0, 0, INT64_MAX, &from.epoch, err);

    if (!rc)
        rc = http_query_i64(req, "no", 0, 0, INT64_MAX, &from.no, err);
    if (!rc)
        rc = http_query_i64(req, "limit", API_PAGE, 1, API_PAGE_MAX, &limit, err);
    if (!rc)
        rc = bough_feed_next(store, req->arena, from, limit, 0, &f, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_key(w, "items");
    jw_arr(w);
    for (size_t i = 0; i < f.changes.n; i++)
        if (seen(req, &f.changes.at[i]))
            form_change(w, &f.changes.at[i]);
    jw_end_arr(w);
    jw_key(w, "next");
    jw_obj(w);
    jw_kv_i64(w, "epoch", f.next.epoch);
    jw_kv_i64(w, "no", f.next.no);
    jw_end_obj(w);
    jw_kv_bool(w, "more", *f.changes.next != '\0');
    jw_kv_bool(w, "reset", f.reset);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc audit(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_audits found;
    struct json_writer *w;
    enum bough_rc rc = api_for_all(req, res);

    if (!rc)
        rc = bough_audit_list(api_of(req)->store, req->arena, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++) {
        jw_obj(w);
        jw_kv_i64(w, "no", found.at[i].no);
        form_time(w, "time", found.at[i].time);
        jw_kv_cstr(w, "action", found.at[i].action);
        jw_kv_cstr(w, "target", found.at[i].target);
        jw_kv_cstr(w, "detail", found.at[i].detail);
        jw_kv_cstr(w, "principal", found.at[i].principal);
        jw_end_obj(w);
        http_spill(res);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

/* ---- groups ---- */

static enum bough_rc places(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct auth_who *who = api_of(req)->who;
    const char *kind = http_param(req, "kind");
    struct bough_groups found;
    struct json_writer *w;
    enum bough_rc rc = strcmp(kind, "project") == 0 ? BOUGH_OK : api_for_all(req, res);

    if (!rc)
        rc = bough_group_list(api_of(req)->store, req->arena, kind, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++) {
        if (!auth_sees(who, found.at[i].name))
            continue;
        jw_obj(w);
        jw_kv_cstr(w, "id", found.at[i].id);
        jw_kv_cstr(w, "name", found.at[i].name);
        form_time(w, "created", found.at[i].created);
        jw_kv_i64(w, "sessions", found.at[i].sessions);
        jw_end_obj(w);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc del_place(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *name = http_query(req, "name");
    struct json_writer *w;
    int64_t sessions = 0;
    enum bough_rc rc = api_for_all(req, res);

    if (!rc && !name)
        rc = bough_fail(err, BOUGH_INVALID, "name is required");
    if (!rc)
        rc = bough_group_delete(api_of(req)->store, http_param(req, "kind"), name, &sessions, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_i64(w, "sessions", sessions);
    jw_end_obj(w);
    return BOUGH_OK;
}

static const struct http_field place_query[] = {
    { "name", HTTP_STRING, "The name: a directory, or the id that was given." },
    { 0 },
};

static const char *level_words(size_t i)
{
    static const char *const words[] = { "quick", "full", "deep", NULL };

    return http_word(words, i);
}

static const struct http_field level_query[] = {
    { "level", HTTP_STRING, "quick, full (default) or deep.", level_words },
    { 0 },
};

const struct http_route api_store_routes[] = {
    { "GET", "/api/v1/audit", audit, AUTH_ADMIN,
      "List the audited actions (delete, purge, export), oldest first.", .gives = "Audits" },
    { "GET", "/api/v1/changes", feed, AUTH_READ,
      "List the changes after a mark, in order. /api/v1/events streams them.", feed_query,
      .gives = "Changes" },
    { "GET", "/api/v1/places/{kind}", places, AUTH_READ, "List projects, workspaces or accounts.",
      .gives = "Places" },
    { "DELETE", "/api/v1/places/{kind}", del_place, AUTH_DELETE | AUTH_ADMIN,
      "Purge a project with its sessions, or unlink a workspace or account.", place_query,
      .gives = "PlaceDeleted", .flags = HTTP_LONG },
    { "GET", "/api/v1/store", info, AUTH_ADMIN, "Information about the store.", .gives = "Store" },
    { "POST", "/api/v1/store/fsck", fsck, AUTH_ADMIN, "Check the store.", level_query,
      .gives = "Fsck", .flags = HTTP_LONG },
    { "POST", "/api/v1/store/repair", repair, AUTH_ADMIN,
      "Check the store and repair what is found.", level_query, .gives = "Repaired",
      .flags = HTTP_LONG },
    { "GET", "/api/v1/store/stats", stats, AUTH_ADMIN, "Statistics of the store. Reads all of it.",
      .gives = "Stats", .flags = HTTP_LONG },
    { "POST", "/api/v1/store/upkeep", upkeep, AUTH_ADMIN, "Run maintenance now. Never required.",
      .status = 204, .flags = HTTP_LONG },
    { 0 },
};
