/* The public changelog: every change, in order, once. */
#include "store/find/changelog.h"

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/engine/ahead.h"
#include "store/engine/engine.h"
#include "store/lookup/cursor.h"
#include "store/lookup/path.h"

static const char *kind_name(int64_t kind)
{
    static const char *const names[] = {
        [CHANGELOG_SESSION_NEW] = "create",
        [CHANGELOG_APPEND] = "append",
        [CHANGELOG_SESSION] = "update",
        [CHANGELOG_HEAD] = "head",
        [CHANGELOG_STATUS] = "status",
        [CHANGELOG_DELETE] = "delete",
        [CHANGELOG_RESTORE] = "restore",
        [CHANGELOG_PURGE] = "purge",
        [CHANGELOG_ENTRY_DELETE] = "entry_delete",
        [CHANGELOG_ENTRY_RESTORE] = "entry_restore",
        [CHANGELOG_RECORD] = "record",
        [CHANGELOG_ADJUST] = "adjust",
        [CHANGELOG_CALL_DELETE] = "call_delete",
        [CHANGELOG_REPRICE] = "reprice",
        [CHANGELOG_OPEN] = "open",
        [CHANGELOG_SEAL] = "seal",
        [CHANGELOG_RUN] = "run",
        [CHANGELOG_APPROVAL] = "approval",
    };

    return kind > 0 && kind < (int64_t)(sizeof names / sizeof *names) ? names[kind] : "unknown";
}

/* Names of records, except those that are written with something else. */
static const char *record_name(const struct changelog_row *row)
{
    static const char *const names[] = {
        [RECORD_MEMORY] = "memory",   [RECORD_LABEL] = "label",
        [RECORD_TODO] = "todo",       [RECORD_QUEUE] = "queue",
        [RECORD_TOKEN] = "token",     [RECORD_SOURCE] = "source",
        [RECORD_PROJECT] = "project", [RECORD_WORKSPACE] = "workspace",
        [RECORD_ACCOUNT] = "account", [RECORD_STATE] = "state",
    };
    bool known = row->kind == CHANGELOG_RECORD && row->record_kind > 0 &&
                 row->record_kind < (int64_t)(sizeof names / sizeof *names) &&
                 names[row->record_kind];

    return known ? names[row->record_kind] : "";
}

static bool names_entry(const struct changelog_row *row)
{
    return changelog_adds(row) || row->kind == CHANGELOG_SEAL ||
           row->kind == CHANGELOG_ENTRY_DELETE || row->kind == CHANGELOG_ENTRY_RESTORE;
}

/* The state record that a row is about: a run, an approval, or a grant of a session. */
static bool names_state(const struct changelog_row *row)
{
    return row->kind == CHANGELOG_RUN || row->kind == CHANGELOG_APPROVAL ||
           (row->kind == CHANGELOG_RECORD && row->record_kind == RECORD_STATE);
}

struct reading {
    struct snap *snap;
    struct bough_arena *a;
    struct bough_changes *out;
    size_t limit;
    bool more;
    struct changelog_row *rows;
};

static bool read_row(void *user, const struct changelog_row *row)
{
    struct reading *r = user;

    if (r->out->n == r->limit) {
        r->more = true;
        return false;
    }
    if (!r->rows) /* allocated late: a waiting follower mostly finds nothing */
        r->rows = arena_array(r->a, r->limit, sizeof *r->rows);
    r->rows[r->out->n++] = *row;
    return true;
}

/* Ids of the calls of an append. Deleted calls are left out. */
static void fill_calls(struct reading *r, const struct changelog_row *row, struct bough_change *out)
{
    int64_t n = row->ncalls > 0 ? row->ncalls : 1;

    out->calls = arena_array(r->a, (size_t)n, sizeof *out->calls);
    for (int64_t ord = row->record; ord < row->record + n; ord++) {
        char *id = arena_zalloc(r->a, BOUGH_ID_LEN + 1);
        struct record_row rec = { 0 };
        struct call_body call;

        if (r->snap->ops->record_get(r->snap->v, r->a, row->sid, RECORD_CALL, ord, &rec, NULL) ||
            rec.deleted || body_read(call_fields, rec.body, &call, NULL))
            continue;
        id_record(call.made, row->sid, RECORD_CALL, ord, call.chk, id);
        out->calls[out->ncalls++] = id;
    }
}

/* The project that a record of the store is about: a memory of it, or itself. */
static const char *project_of(struct reading *r, const struct changelog_row *row)
{
    int64_t ord = row->record_kind == RECORD_PROJECT ? row->record : 0;
    struct record_row rec = { 0 };
    struct memory_body memory;
    const char *name = "";

    if (row->record_kind == RECORD_MEMORY &&
        !r->snap->ops->record_get(r->snap->v, r->a, 0, RECORD_MEMORY, row->record, &rec, NULL) &&
        !body_read(memory_fields, rec.body, &memory, NULL) &&
        memory.scope == BOUGH_MEMORY_OF_PROJECT)
        ord = memory.project;
    if (!ord || snap_group(r->snap, r->a, RECORD_PROJECT, ord, &name, NULL))
        return "";
    return name;
}

/* The id of a run, an approval or a grant, or "". */
static const char *state_id(struct reading *r, int64_t sid, int64_t ord, struct bough_change *out)
{
    char *id = arena_zalloc(r->a, BOUGH_ID_LEN + 1);
    struct record_row rec = { 0 };
    struct grant_body b; /* the fields that all three have, under the same tags */

    if (r->snap->ops->record_get(r->snap->v, r->a, sid, RECORD_STATE, ord, &rec, NULL) ||
        body_read(grant_fields, rec.body, &b, NULL) || !b.made)
        return "";
    if (*out->record)
        out->record = "grant";
    id_record(b.made, sid, RECORD_STATE, ord, b.chk, id);
    return id;
}

static void fill(struct reading *r, const struct changelog_row *row, struct bough_change *out)
{
    char *id = arena_zalloc(r->a, BOUGH_ID_LEN + 1);
    struct pack_head h;
    struct identity who;

    *out = (struct bough_change){ .no = row->no,
                                  .count = row->n,
                                  .time = row->time,
                                  .kind = kind_name(row->kind),
                                  .session = id,
                                  .record = record_name(row),
                                  .about = "",
                                  .ended = "",
                                  .project = "" };
    if (row->sid && snap_identity(r->snap, row->sid, &who, NULL) == BOUGH_OK)
        id_session(who.made, who.sid, who.chk, id);
    if (names_state(row))
        out->about = state_id(r, row->sid, row->record, out);
    if (row->kind == CHANGELOG_RUN && row->ended)
        out->ended = state_id(r, row->sid, row->ended, out);
    if (row->kind == CHANGELOG_RECORD && !row->sid)
        out->project = project_of(r, row);
    if (changelog_calls(row))
        fill_calls(r, row, out);
    if (names_entry(row) && row->bid &&
        entry_head_at(r->snap, (struct bough_head){ row->bid, row->depth }, &h, NULL) == BOUGH_OK)
        id_entry(h.made, row->bid, row->depth, h.chk, out->entry);
}

static void look_ahead(struct reading *r)
{
    struct ahead h = { .snap = r->snap, .a = r->a };
    struct identity who;

    for (size_t i = 0; i < r->out->n; i++) {
        const struct changelog_row *row = &r->rows[i];

        if (names_entry(row))
            ahead_entries(&h, WANT_FRONT, row, 1);
        ahead_calls(&h, row);
        if (row->sid && !cache_identity(r->snap->e, row->sid, &who))
            ahead_add(&h, WANT_SESSION, row->sid, 0);
    }
    ahead_read(&h);
}

enum bough_rc snap_changelog(struct snap *snap, struct bough_arena *a, int64_t after, int64_t limit,
                             struct bough_changes *out, struct bough_error *err)
{
    struct reading r = { .snap = snap, .a = a, .out = out };
    enum bough_rc rc;

    *out = (struct bough_changes){ .next = "" };
    r.limit = limit > 0 && limit <= LIMIT_PAGE ? (size_t)limit : limit > 0 ? LIMIT_PAGE : 100;
    rc = snap->ops->changelog_scan(snap->v, after, read_row, &r, err);
    if (rc || !out->n)
        return rc;
    out->at = arena_array(a, out->n, sizeof *out->at);
    look_ahead(&r);
    for (size_t i = 0; i < out->n; i++)
        fill(&r, &r.rows[i], &out->at[i]);
    if (r.more)
        out->next = cursor_write(a, &out->at[out->n - 1].no, 1);
    return BOUGH_OK;
}

enum bough_rc bough_store_log(struct bough_store *s, struct bough_arena *a,
                              const struct bough_store_log_options *how, struct bough_changes *out,
                              struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    static const struct bough_store_log_options all;
    struct snap snap;
    int64_t after = 0;
    enum bough_rc rc;

    how = how ? how : &all;
    *out = (struct bough_changes){ .next = "" };
    rc = RESERVED_CHECK(bough_store_log_options, how, err);
    if (!rc)
        rc = cursor_read(how->cursor, &after, 1, err);
    if (!rc && (how->after < 0 || how->limit < 0 || after < 0))
        rc = bough_fail(err, BOUGH_INVALID, "a number, a limit or a cursor is never negative");
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = snap_changelog(&snap, a, after > how->after ? after : how->after, how->limit, out, err);
    snap_end(&snap);
    return rc;
}
