/* hygge's SQLite file, reader: sessions, messages, markers, memories and todos (H5). */
#include <string.h>

#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/model/totals.h"
#include "formats/common/format.h"
#include "formats/common/rows.h"

struct marker {
    struct marker *next;
    const char *id;
    int64_t time;
    struct bough_str data;
};

struct hygge {
    struct marker *markers, **end; /* markers to give, oldest first */
    const char *provider, *model;
};

static struct hygge *state_of(struct reading *r)
{
    struct hygge *h = r->state;

    if (!h) {
        h = r->state = arena_zalloc(r->kept, sizeof *h);
        h->end = &h->markers;
    }
    return h;
}

static int64_t signed_column(struct json row, const char *name)
{
    int64_t v = 0;

    return json_i64(json_member(row, name), &v) ? v : 0;
}

/* ---- sessions ---- */

/* Totals may be negative: hygge can subtract (H33). */
static int64_t signed_cost(struct json usd)
{
    int64_t nano = 0;
    double d;

    return json_f64(usd, &d) && bough_money_from_usd(d, &nano, NULL) == BOUGH_OK ? nano : 0;
}

static enum bough_rc take_session(struct reading *r, struct json row, struct bough_error *err)
{
    static const char *const placed[] = { "id",
                                          "parent_id",
                                          "parent_tool_use_id",
                                          "slug",
                                          "project_dir",
                                          "created_at",
                                          "model_provider",
                                          "model_name",
                                          "metadata",
                                          "deleted_at",
                                          "total_input_tokens",
                                          "total_cost_usd",
                                          "total_output_tokens",
                                          "total_cache_read_tokens",
                                          "total_cache_write_tokens",
                                          NULL };
    struct hygge *h = state_of(r);
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;

    *s = (struct item_session){
        .id = json_cstr(r->a, row, "id"),
        .parent = json_cstr(r->a, row, "parent_id"),
        .fork_entry = json_cstr(r->a, row, "fork_message_id"),
        .spawned_by = json_cstr(r->a, row, "parent_tool_use_id"),
        .title = json_cstr(r->a, row, "slug"), /* free text in hygge (H13) */
        .project = json_cstr(r->a, row, "project_dir"),
        .model_provider = json_cstr(r->a, row, "model_provider"),
        .model_name = json_cstr(r->a, row, "model_name"),
        .created = number_of(row, "created_at"),
        .deleted = number_of(row, "deleted_at"),
        .data = row_rest(r, row, placed, "hygge.row"),
        .metadata = column_json(r, row, "metadata", JSON_OBJECT),
        .totals_mode = BOUGH_TOTALS_MANUAL,
        .adjusted = { .input = signed_column(row, "total_input_tokens"),
                      .output = signed_column(row, "total_output_tokens"),
                      .cache_read = signed_column(row, "total_cache_read_tokens"),
                      .cache_write = signed_column(row, "total_cache_write_tokens"),
                      .cost = signed_cost(json_member(row, "total_cost_usd")) },
    };
    if (cstr_empty(s->id))
        return give_problem(r, err, "a session without an id was left out");
    h->provider = arena_strdup(r->kept, s->model_provider);
    h->model = arena_strdup(r->kept, s->model_name);
    if (cstr_empty(s->parent)) /* without a parent there is nothing to inherit (H7) */
        s->fork_entry = NULL;
    s->subagent = !cstr_empty(s->parent) && cstr_empty(s->fork_entry);
    return give(r, &item, err);
}

/* ---- markers: entries between the messages, by their time ---- */

static enum bough_rc keep_marker(struct reading *r, struct json row, struct bough_error *err)
{
    struct hygge *h = state_of(r);
    struct marker *m = arena_zalloc(r->kept, sizeof *m);
    struct json_writer w;
    struct buf b;
    bool over;

    m->id = arena_strdup(r->kept, json_cstr(r->a, row, "id"));
    m->time = number_of(row, "created_at");
    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "summary", json_cstr(r->a, row, "summary"));
    jw_opt_cstr(&w, "beforeMessageId", json_cstr(r->a, row, "before_message_id"));
    jw_opt_i64(&w, "tokensSaved", number_of(row, "input_tokens_saved"));
    jw_end_obj(&w);
    m->data = text_keep(r->kept, &b);
    over = b.over;
    buf_finish(&b);
    if (over || cstr_empty(m->id))
        return give_problem(r, err, "a compaction marker %s was left out",
                            over ? "with too large a summary" : "without an id");
    *h->end = m;
    h->end = &m->next;
    return BOUGH_OK;
}

/* Give the markers that are older than this message; all that are left if `id` is NULL. */
static enum bough_rc give_markers(struct reading *r, const char *id, int64_t time,
                                  struct bough_error *err)
{
    struct hygge *h = state_of(r);
    enum bough_rc rc = BOUGH_OK;

    while (!rc && h->markers) {
        const struct marker *m = h->markers;
        struct item item = { .kind = ITEM_ENTRY };

        if (id && (m->time > time || (m->time == time && strcmp(m->id, id) > 0)))
            break;
        item.u.entry.id = m->id;
        item.u.entry.next = true;
        item.u.entry.entry.kind = BOUGH_ENTRY_COMPACTION;
        item.u.entry.entry.time = m->time;
        item.u.entry.entry.data = m->data;
        rc = give_entry(r, &item, err);
        h->markers = m->next;
    }
    if (!h->markers)
        h->end = &h->markers;
    return rc;
}

/* ---- messages ---- */

static void take_usage(struct reading *r, struct json row, struct bough_entry_new *e)
{
    struct bough_totals used = { .input = number_of(row, "input_tokens"),
                                 .output = number_of(row, "output_tokens"),
                                 .cache_read = number_of(row, "cache_read_tokens"),
                                 .cache_write = number_of(row, "cache_write_tokens"),
                                 .cost = cost_of(json_member(row, "cost_usd")) };

    e->usage = totals_is_zero(&used) ? NULL : totals_keep(r->a, &used);
    e->duration = number_of(row, "duration_ms");
}

static enum bough_rc take_message(struct reading *r, struct json row, struct bough_error *err)
{
    static const char *const placed[] = {
        "id",          "session_id",         "role",       "parts",         "input_tokens",
        "cost_usd",    "created_at",         "deleted_at", "output_tokens", "cache_read_tokens",
        "duration_ms", "cache_write_tokens", NULL
    };
    const struct hygge *h = state_of(r);
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    enum bough_rc rc;

    item.u.entry.id = json_cstr(r->a, row, "id");
    if (cstr_empty(item.u.entry.id))
        return give_problem(r, err, "a message without an id was left out");
    item.u.entry.next = true;
    item.u.entry.deleted = number_of(row, "deleted_at");
    e->role = bough_role_parse(json_cstr(r->a, row, "role"));
    e->time = number_of(row, "created_at");
    e->data = row_rest(r, row, placed, "hygge.row");
    column_parts(r, row, "parts", e);
    take_usage(r, row, e);
    if (e->usage) {
        e->call_provider = h->provider;
        e->call_model = h->model;
    }
    rc = give_markers(r, item.u.entry.id, e->time, err);
    return rc ? rc : give_entry(r, &item, err);
}

/* ---- memories and todos ---- */

static enum bough_rc take_memory(struct reading *r, struct json row, struct bough_error *err)
{
    struct item item = { .kind = ITEM_MEMORY };

    item.u.memory = (struct bough_memory){ .content = json_cstr(r->a, row, "content"),
                                           .created = number_of(row, "created_at"),
                                           .updated = number_of(row, "updated_at"),
                                           .deleted = number_of(row, "deleted_at") };
    return give(r, &item, err);
}

static enum bough_rc take_todos(struct reading *r, struct json row, struct bough_error *err)
{
    struct bough_str raw = column_json(r, row, "items", JSON_ARRAY);
    struct json list;

    if (!raw.n && column_json(r, row, "items", JSON_NULL).n)
        return BOUGH_OK; /* null means an empty list (H37) */
    if (!raw.n || json_parse(r->a, raw, &list, NULL))
        return give_problem(r, err, "the todos are no list");
    return give_todos(r, list, err);
}

static enum bough_rc hygge_row(struct reading *r, const char *name, struct json row,
                               struct bough_error *err)
{
    if (strcmp(name, "session") == 0)
        return take_session(r, row, err);
    if (strcmp(name, "marker") == 0)
        return keep_marker(r, row, err);
    if (strcmp(name, "message") == 0)
        return take_message(r, row, err);
    if (strcmp(name, "memory") == 0)
        return take_memory(r, row, err);
    return take_todos(r, row, err);
}

static enum bough_rc hygge_end(struct reading *r, struct bough_error *err)
{
    return give_markers(r, NULL, 0, err);
}

/* ---- queries ---- */

static const char *const tables[] = { "sessions", "messages", "compaction_markers", NULL };

#define ITS "session_id = (SELECT id FROM sessions WHERE rowid = ?1)"

static const struct format_query message[] = {
    { .name = "message", .sql = "SELECT * FROM messages WHERE rowid = ?1" },
    { 0 },
};

static const struct format_query each[] = {
    { .name = "session", .sql = "SELECT * FROM sessions WHERE rowid = ?1" },
    { .name = "marker",
      .sql = "SELECT * FROM compaction_markers WHERE " ITS " ORDER BY created_at, id" },
    /* Select only rowids, so that the sort does not hold the messages. hygge's index covers only
     * messages that are not deleted. */
    { .sql = "SELECT at FROM (SELECT rowid AS at, created_at, id FROM messages WHERE " ITS
             " AND deleted_at IS NULL UNION ALL SELECT at, created_at, id FROM temp.gone WHERE " ITS
             ") ORDER BY created_at, id",
      .each = message },
    { .name = "memory",
      .table = "session_memories",
      .sql = "SELECT * FROM session_memories WHERE " ITS " ORDER BY created_at, id" },
    { .name = "todos", .table = "session_todos", .sql = "SELECT * FROM session_todos WHERE " ITS },
    { 0 },
};

static const struct format_rows rows = {
    .tables = tables,
    .prepare = "CREATE TEMP TABLE gone AS SELECT session_id, rowid AS at, created_at, id"
               " FROM main.messages WHERE deleted_at IS NOT NULL;"
               "CREATE INDEX temp.gone_of ON gone (session_id)",
    .sessions = ROWS_PARENTS_FIRST("sessions", "parent_id", "created_at"),
    .each = each,
    .row = hygge_row,
    .end = hygge_end,
};

static const struct format_place places[] = {
    { IN_STATE, "hygge/sessions.db" },
    { 0 },
};

const struct format format_hygge = {
    .name = "hygge",
    .number = FORMAT_HYGGE,
    .about = "hygge: its SQLite file",
    .suffix = "db",
    .tool = "hygge",
    .places = places,
    .rows = &rows,
};
