/* opencode's SQLite storage, reader: assembles its rows as in an export (A17). */
#include <string.h>

#include "base/json/write.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "formats/common/rows.h"
#include "formats/opencode/opencode.h"

struct piece {
    struct piece *next;
    struct bough_str text;
};

struct stored {
    struct opencode_session one;
    bool begun;
    int64_t given;
    /* Of the session; given once the answered requests for a summary are known. */
    struct bough_str info;
    struct piece *todos, **todos_end;

    /* The current message, until its last part has come. */
    struct arena_mark mark;
    struct bough_str message;
    struct piece *parts, **parts_end;
};

static struct stored *state_of(struct reading *r)
{
    struct stored *s = r->state;

    if (!s) {
        s = r->state = arena_zalloc(r->kept, sizeof *s);
        s->todos_end = &s->todos;
    }
    return s;
}

static void add(struct reading *r, struct piece ***end, struct bough_str text)
{
    struct piece *p = arena_zalloc(r->kept, sizeof *p);

    p->text = str_make(arena_strndup(r->kept, text.p, text.n), text.n);
    **end = p;
    *end = &p->next;
}

/* ---- the session's row ---- */

static void text_member(struct reading *r, struct json_writer *w, const char *key, struct json row,
                        const char *column)
{
    const char *text = json_cstr(r->a, row, column);

    if (text)
        jw_kv_cstr(w, key, text);
}

static void json_column(struct reading *r, struct json_writer *w, const char *key, struct json row,
                        const char *column, enum json_type type)
{
    jw_opt_raw(w, key, column_json(r, row, column, type));
}

static bool there(struct json row, const char *column)
{
    return json_type(json_member(row, column)) == JSON_NUMBER;
}

static void number_member(struct json_writer *w, const char *key, struct json row,
                          const char *column)
{
    if (there(row, column))
        jw_kv_raw(w, key, json_raw(json_member(row, column)));
}

static void put_counts(struct reading *r, struct json_writer *w, struct json row)
{
    if (there(row, "summary_additions") || there(row, "summary_deletions") ||
        there(row, "summary_files")) {
        jw_key(w, "summary");
        jw_obj(w);
        jw_kv_i64(w, "additions", number_of(row, "summary_additions"));
        jw_kv_i64(w, "deletions", number_of(row, "summary_deletions"));
        jw_kv_i64(w, "files", number_of(row, "summary_files"));
        json_column(r, w, "diffs", row, "summary_diffs", JSON_ARRAY);
        jw_end_obj(w);
    }
    number_member(w, "cost", row, "cost");
    if (!there(row, "tokens_input"))
        return;
    jw_key(w, "tokens");
    jw_obj(w);
    number_member(w, "input", row, "tokens_input");
    number_member(w, "output", row, "tokens_output");
    number_member(w, "reasoning", row, "tokens_reasoning");
    jw_key(w, "cache");
    jw_obj(w);
    number_member(w, "read", row, "tokens_cache_read");
    number_member(w, "write", row, "tokens_cache_write");
    jw_end_obj(w);
    jw_end_obj(w);
}

/* Columns that newer versions of opencode have added. */
static void put_unknown(struct json_writer *w, struct json row)
{
    static const char *const known[] = { "id",
                                         "project_id",
                                         "workspace_id",
                                         "parent_id",
                                         "slug",
                                         "directory",
                                         "path",
                                         "title",
                                         "version",
                                         "share_url",
                                         "summary_additions",
                                         "summary_deletions",
                                         "summary_diffs",
                                         "summary_files",
                                         "metadata",
                                         "cost",
                                         "tokens_input",
                                         "tokens_output",
                                         "tokens_reasoning",
                                         "tokens_cache_read",
                                         "revert",
                                         "tokens_cache_write",
                                         "permission",
                                         "agent",
                                         "model",
                                         "time_created",
                                         "time_updated",
                                         "time_compacting",
                                         "time_archived",
                                         NULL };

    members_put(w, json_raw(row), known);
}

static struct bough_str session_info(struct reading *r, struct json row)
{
    const char *url = json_cstr(r->a, row, "share_url");
    struct bough_str out;
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    text_member(r, &w, "id", row, "id");
    text_member(r, &w, "slug", row, "slug");
    text_member(r, &w, "projectID", row, "project_id");
    text_member(r, &w, "workspaceID", row, "workspace_id");
    text_member(r, &w, "directory", row, "directory");
    text_member(r, &w, "path", row, "path");
    text_member(r, &w, "parentID", row, "parent_id");
    text_member(r, &w, "title", row, "title");
    text_member(r, &w, "agent", row, "agent");
    json_column(r, &w, "model", row, "model", JSON_OBJECT);
    text_member(r, &w, "version", row, "version");
    put_counts(r, &w, row);
    if (!cstr_empty(url)) {
        jw_key(&w, "share");
        jw_obj(&w);
        jw_kv_cstr(&w, "url", url);
        jw_end_obj(&w);
    }
    json_column(r, &w, "metadata", row, "metadata", JSON_OBJECT);
    json_column(r, &w, "revert", row, "revert", JSON_OBJECT);
    json_column(r, &w, "permission", row, "permission", JSON_ARRAY);
    jw_key(&w, "time");
    jw_obj(&w);
    number_member(&w, "created", row, "time_created");
    number_member(&w, "updated", row, "time_updated");
    number_member(&w, "compacting", row, "time_compacting");
    number_member(&w, "archived", row, "time_archived");
    jw_end_obj(&w);
    put_unknown(&w, row);
    jw_end_obj(&w);
    out = b.over ? str_of("") : text_keep(r->kept, &b);
    buf_finish(&b);
    return out;
}

/* ---- messages ---- */

/* The row's data with the members that are columns in the table, in the order of an export. */
static struct bough_str with_ids(struct reading *r, struct json row, bool part)
{
    const char *const but[] = { "id", "sessionID", part ? "messageID" : NULL, NULL };
    struct bough_str raw = column_json(r, row, "data", JSON_OBJECT), out;
    struct json_writer w;
    struct buf b;

    if (!raw.n)
        return raw;
    buf_init(&b, LIMIT_MESSAGE_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    members_put(&w, raw, but);
    text_member(r, &w, "id", row, "id");
    text_member(r, &w, "sessionID", row, "session_id");
    if (part)
        text_member(r, &w, "messageID", row, "message_id");
    jw_end_obj(&w);
    out = b.over ? str_of("") : text_keep(r->a, &b);
    buf_finish(&b);
    return out;
}

static enum bough_rc begin(struct reading *r, struct stored *s, struct bough_error *err)
{
    struct json info = { 0 };

    if (s->begun)
        return BOUGH_OK;
    s->begun = true;
    if (s->info.n && json_parse(r->a, s->info, &info, NULL))
        info = (struct json){ 0 };
    return opencode_begin(r, &s->one, info, err);
}

/* Give the current message: all its parts have come. */
static enum bough_rc flush(struct reading *r, struct stored *s, struct bough_error *err)
{
    struct bough_str text;
    struct json j;
    struct buf b;
    enum bough_rc rc = BOUGH_OK;

    if (!s->message.n)
        return BOUGH_OK;
    buf_init(&b, LIMIT_MESSAGE_BYTES);
    buf_puts(&b, "{\"info\":");
    buf_put_str(&b, s->message);
    buf_puts(&b, ",\"parts\":[");
    for (const struct piece *p = s->parts; p; p = p->next) {
        buf_put_str(&b, p->text);
        if (p->next)
            buf_putc(&b, ',');
    }
    buf_puts(&b, "]}");
    text = text_keep(r->a, &b);
    if (b.over)
        rc = give_problem(r, err, "a message with more than %lld bytes was left out",
                          (long long)LIMIT_MESSAGE_BYTES);
    else if (json_parse(r->a, text, &j, NULL) == BOUGH_OK)
        rc = opencode_message(r, &s->one, j, err);
    buf_finish(&b);
    s->given++;
    s->message = str_of("");
    arena_rewind(r->kept, s->mark);
    return rc;
}

static enum bough_rc take_message(struct reading *r, struct stored *s, struct json row,
                                  struct bough_error *err)
{
    struct bough_str info;
    enum bough_rc rc = begin(r, s, err);

    if (!rc)
        rc = flush(r, s, err);
    if (rc)
        return rc;
    info = with_ids(r, row, false);
    if (!info.n)
        return give_problem(r, err, "message %.60s is no object, or too large: it was left out",
                            json_cstr(r->a, row, "id"));
    s->mark = arena_mark(r->kept);
    s->message = str_make(arena_strndup(r->kept, info.p, info.n), info.n);
    s->parts = NULL;
    s->parts_end = &s->parts;
    return BOUGH_OK;
}

static enum bough_rc take_part(struct reading *r, struct stored *s, struct json row,
                               struct bough_error *err)
{
    struct bough_str part = with_ids(r, row, true);

    if (!s->message.n)
        return BOUGH_OK; /* its message was left out, and reported */
    if (!part.n)
        return give_problem(r, err, "part %.60s is no object, or too large: it was left out",
                            json_cstr(r->a, row, "id"));
    add(r, &s->parts_end, part);
    return BOUGH_OK;
}

/* ---- dispatch ---- */

static enum bough_rc row(struct reading *r, const char *name, struct json j,
                         struct bough_error *err)
{
    static const char *const placed[] = { "session_id", "position", "time_created", "time_updated",
                                          NULL };
    struct stored *s = state_of(r);
    int64_t n = 0;
    struct json data;

    if (strcmp(name, "message") == 0)
        return take_message(r, s, j, err);
    if (strcmp(name, "part") == 0)
        return take_part(r, s, j, err);
    if (strcmp(name, "session") == 0) {
        s->info = session_info(r, j);
        s->one.id = arena_strdup(r->kept, json_cstr(r->a, j, "id"));
    } else if (strcmp(name, "answer") == 0) {
        if (json_parse(r->a, column_json(r, j, "data", JSON_OBJECT), &data, NULL) == BOUGH_OK)
            opencode_summed(r, &s->one, data);
    } else if (strcmp(name, "todo") == 0) {
        add(r, &s->todos_end, members_but(r->a, j, placed, NULL));
    } else if (strcmp(name, "newer") == 0) {
        enum bough_rc rc = begin(r, s, err);

        return rc ? rc : opencode_newer(r, &s->one, j, err);
    } else if (strcmp(name, "waiting") == 0) {
        enum bough_rc rc = begin(r, s, err);

        return rc ? rc : opencode_waiting(r, j, err);
    } else if (json_i64(json_member(j, "n"), &n) && n > 0) {
        return give_problem(r, err,
                            "session %.60s: %lld prompts in a table of a newer opencode are"
                            " not read",
                            s->one.id ? s->one.id : "", (long long)n);
    }
    return BOUGH_OK;
}

static enum bough_rc end(struct reading *r, struct bough_error *err)
{
    struct stored *s = state_of(r);
    struct json list;
    struct buf b;
    enum bough_rc rc = begin(r, s, err);

    if (!rc)
        rc = flush(r, s, err);
    if (!rc)
        rc = opencode_end(r, &s->one, err);
    if (rc || !s->todos)
        return rc;
    buf_init(&b, LIMIT_DATA);
    for (const struct piece *p = s->todos; p; p = p->next) {
        buf_putc(&b, p == s->todos ? '[' : ',');
        buf_put_str(&b, p->text);
    }
    buf_putc(&b, ']');
    if (b.over || json_parse(r->a, text_keep(r->a, &b), &list, NULL))
        rc = give_problem(r, err, "its todos are too many: they were left out");
    else
        rc = give_todos(r, list, err);
    buf_finish(&b);
    return rc;
}

/* ---- queries ---- */

static const char *const tables[] = { "session", "message", "part", NULL };

#define ITS "session_id = (SELECT id FROM session WHERE rowid = ?1)"

/* Ids wrap around (A25), so rows are sorted by time, never by id. */
static const struct format_query message[] = {
    { .name = "message", .sql = "SELECT * FROM message WHERE rowid = ?1" },
    { .name = "part",
      .sql = "SELECT * FROM part WHERE message_id = (SELECT id FROM message WHERE rowid = ?1)"
             " ORDER BY time_created, rowid" },
    { 0 },
};

static const struct format_query each[] = {
    { .name = "session", .sql = "SELECT * FROM session WHERE rowid = ?1" },
    { .name = "answer",
      .sql = "SELECT data FROM message WHERE " ITS " AND instr(data, '\"summary\"') > 0" },
    { .name = "todo",
      .table = "todo",
      .sql = "SELECT * FROM todo WHERE " ITS " ORDER BY position" },
    { .sql = "SELECT rowid FROM message WHERE " ITS " ORDER BY time_created, rowid",
      .each = message },
    { .name = "newer",
      .table = "session_message",
      .sql = "SELECT id, type, time_created, data FROM session_message WHERE " ITS
             " AND NOT EXISTS (SELECT 1 FROM message WHERE " ITS ") ORDER BY seq, rowid" },
    { .name = "waiting",
      .table = "session_input",
      .sql = "SELECT prompt, time_created FROM session_input WHERE " ITS
             " AND promoted_seq IS NULL ORDER BY admitted_seq, rowid" },
    { .name = "pending",
      .table = "session_pending",
      .sql = "SELECT count(*) AS n FROM session_pending WHERE " ITS },
    { 0 },
};

const struct format_rows opencode_rows = {
    .tables = tables,
    .sessions = ROWS_PARENTS_FIRST("session", "parent_id", "time_created"),
    .each = each,
    .row = row,
    .end = end,
};
