/* The log as callers see it: every change, in order, once. */
#include "base/limits.h"
#include "base/str.h"
#include "store/ahead.h"
#include "store/engine.h"
#include "store/id.h"
#include "store/path.h"

static const char *kind_name(int64_t kind)
{
    static const char *const names[] = {
        [LOG_SESSION_NEW] = "create",
        [LOG_APPEND] = "append",
        [LOG_SESSION] = "update",
        [LOG_HEAD] = "head",
        [LOG_STATUS] = "status",
        [LOG_DELETE] = "delete",
        [LOG_RESTORE] = "restore",
        [LOG_PURGE] = "purge",
        [LOG_ENTRY_DELETE] = "entry_delete",
        [LOG_ENTRY_RESTORE] = "entry_restore",
        [LOG_RECORD] = "record",
        [LOG_ADJUST] = "adjust",
        [LOG_CALL_DELETE] = "call_delete",
        [LOG_OPEN] = "open",
        [LOG_SEAL] = "seal",
    };

    return kind > 0 && kind < (int64_t)(sizeof names / sizeof *names) ? names[kind] : "unknown";
}

/* Records that belong to a session; what the store keeps for itself has no name here. */
static const char *record_name(const struct log_row *row)
{
    static const char *const names[] = {
        [RECORD_MEMORY] = "memory",
        [RECORD_LABEL] = "label",
        [RECORD_TODO] = "todo",
        [RECORD_QUEUE] = "queue",
    };
    bool known = row->kind == LOG_RECORD && row->aux > 0 &&
                 row->aux < (int64_t)(sizeof names / sizeof *names) && names[row->aux];

    return known ? names[row->aux] : "";
}

static bool names_entry(int64_t kind)
{
    return kind == LOG_APPEND || kind == LOG_OPEN || kind == LOG_SEAL || kind == LOG_ENTRY_DELETE ||
           kind == LOG_ENTRY_RESTORE;
}

struct reading {
    struct snap *snap;
    struct bough_arena *a;
    struct bough_changes *out;
    size_t limit;
    struct log_row *rows;
};

static bool read_row(void *user, const struct log_row *row)
{
    struct reading *r = user;

    if (r->out->n == r->limit) {
        r->out->more = true;
        return false;
    }
    if (!r->rows) /* whoever waits looks often, and mostly in vain */
        r->rows = arena_array(r->a, r->limit, sizeof *r->rows);
    r->rows[r->out->n++] = *row;
    return true;
}

/* One that was deleted since is left out. */
static void fill_calls(struct reading *r, const struct log_row *row, struct bough_change *out)
{
    int64_t n = row->aux > 0 ? row->aux : 1;

    out->calls = arena_array(r->a, (size_t)n, sizeof *out->calls);
    for (int64_t ord = row->record; ord < row->record + n; ord++) {
        char *id = arena_zalloc(r->a, BOUGH_ID_LEN + 1);
        struct record_row rec = { 0 };
        struct call_body call;

        if (r->snap->ops->record_get(r->snap->v, r->a, row->sid, RECORD_CALL, ord, &rec, NULL) ||
            rec.over || body_read(call_fields, rec.body, &call, NULL))
            continue;
        id_record(call.made, row->sid, RECORD_CALL, ord, call.chk, id);
        out->calls[out->ncalls++] = id;
    }
}

static void fill(struct reading *r, const struct log_row *row, struct bough_change *out)
{
    char *id = arena_zalloc(r->a, BOUGH_ID_LEN + 1);
    struct pack_head h;
    struct who who;

    *out = (struct bough_change){ .no = row->no,
                                  .count = row->n,
                                  .time = row->time,
                                  .kind = kind_name(row->kind),
                                  .session = id,
                                  .record = record_name(row) };
    if (row->sid && snap_who(r->snap, row->sid, &who, NULL) == BOUGH_OK)
        id_session(who.made, who.sid, who.chk, id);
    if ((row->kind == LOG_APPEND || row->kind == LOG_SEAL) && row->record)
        fill_calls(r, row, out);
    if (names_entry(row->kind) && row->bid &&
        entry_head_at(r->snap, (struct bough_head){ row->bid, row->depth }, &h, NULL) == BOUGH_OK)
        id_entry(h.made, row->bid, row->depth, h.chk, out->entry);
}

static void look_ahead(struct reading *r)
{
    struct ahead h = { .snap = r->snap, .a = r->a };
    struct who who;

    for (size_t i = 0; i < r->out->n; i++) {
        const struct log_row *row = &r->rows[i];

        if (names_entry(row->kind))
            ahead_entries(&h, WANT_FRONT, row, 1);
        if (row->kind == LOG_APPEND || row->kind == LOG_SEAL)
            ahead_calls(&h, row);
        if (row->sid && !cache_who(r->snap->e, row->sid, &who))
            ahead_add(&h, WANT_SESSION, row->sid, 0);
    }
    ahead_read(&h);
}

enum bough_rc snap_log(struct snap *snap, struct bough_arena *a, int64_t after, int64_t limit,
                       struct bough_changes *out, struct bough_error *err)
{
    struct reading r = { .snap = snap, .a = a, .out = out };
    enum bough_rc rc;

    *out = (struct bough_changes){ 0 };
    r.limit = limit > 0 && limit <= LIMIT_PAGE ? (size_t)limit : limit > 0 ? LIMIT_PAGE : 100;
    rc = snap->ops->log_scan(snap->v, after, read_row, &r, err);
    if (rc || !out->n)
        return rc;
    out->at = arena_array(a, out->n, sizeof *out->at);
    look_ahead(&r);
    for (size_t i = 0; i < out->n; i++)
        fill(&r, &r.rows[i], &out->at[i]);
    return BOUGH_OK;
}

enum bough_rc bough_store_log(struct bough_store *s, struct bough_arena *a, int64_t after,
                              int64_t limit, struct bough_changes *out, struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *out = (struct bough_changes){ 0 };
    if (rc)
        return rc;
    rc = snap_log(&snap, a, after, limit, out, err);
    snap_end(&snap);
    return rc;
}
