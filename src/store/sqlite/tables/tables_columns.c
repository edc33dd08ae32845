/* The columns of the virtual tables sessions, messages and parts. */
#include <stdio.h>

#include "base/text/iso.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/sqlite/tables/tables_cursor.h"

int cursor_said(struct cursor *c, int code)
{
    sqlite3_free(c->base.pVtab->zErrMsg);
    c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(c->db));
    return code;
}

struct bough_str cursor_blob(sqlite3_stmt *st, int at)
{
    const char *p = sqlite3_column_blob(st, at);

    return str_make(p, (size_t)sqlite3_column_bytes(st, at));
}

void cursor_session_id(sqlite3_stmt *st, int sid, char out[BOUGH_ID_LEN + 1])
{
    id_session(sqlite3_column_int64(st, sid + 1), sqlite3_column_int64(st, sid),
               sqlite3_column_int64(st, sid + 2), out);
}

bool cursor_unpack(struct cursor *c)
{
    struct pack_extra extra;

    if (!c->unpacked) {
        c->unpacked = true;
        c->sound =
            pack_entry_read(c->a, cursor_blob(c->rows, 4), &c->entry, &extra, NULL) == BOUGH_OK;
    }
    return c->sound;
}

/* ---- values ---- */

static void give_str(sqlite3_context *x, struct bough_str s)
{
    sqlite3_result_text64(x, s.p, s.n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void give(sqlite3_context *x, const char *s)
{
    if (!cstr_empty(s))
        give_str(x, str_of(s));
}

static void give_json(sqlite3_context *x, struct bough_str s)
{
    give_str(x, s.n ? s : str_of("{}"));
}

static void give_time(sqlite3_context *x, int64_t ms)
{
    char text[ISO_TEXT];

    iso_print(ms, text);
    give(x, text);
}

/* Run a lookup by one key. The statement is prepared at first use; the caller resets it. */
static int look_up(struct cursor *c, sqlite3_stmt **st, const char *text, int64_t key, bool *found)
{
    int code = *st ? SQLITE_OK : sqlite3_prepare_v2(c->db, text, -1, st, NULL);

    *found = false;
    if (code != SQLITE_OK)
        return cursor_said(c, code);
    sqlite3_bind_int64(*st, 1, key);
    code = sqlite3_step(*st);
    *found = code == SQLITE_ROW;
    return *found || code == SQLITE_DONE ? SQLITE_OK : cursor_said(c, code);
}

static int give_place(struct cursor *c, sqlite3_context *x, int64_t kind, int64_t ord)
{
    struct group_body place;
    bool found;
    int code;

    if (!ord)
        return SQLITE_OK;
    code = look_up(c, &c->place, "SELECT body FROM record WHERE k = ?1", record_key(0, kind, ord),
                   &found);
    if (found && body_read(group_fields, cursor_blob(c->place, 0), &place, NULL) == BOUGH_OK)
        give(x, place.name);
    sqlite3_reset(c->place);
    return code;
}

/* The list row may lag behind the changelog: add the changes after the watermark. */
static int give_updated(struct cursor *c, sqlite3_context *x)
{
    int64_t updated = sqlite3_column_int64(c->rows, 6);
    bool found;
    int code = look_up(c, &c->pending,
                       "SELECT max(time) FROM log WHERE sid = ?1 AND no >"
                       " (SELECT no FROM projection WHERE name = 'list')",
                       sqlite3_column_int64(c->rows, 0), &found);

    if (found && sqlite3_column_int64(c->pending, 0) > updated)
        updated = sqlite3_column_int64(c->pending, 0);
    sqlite3_reset(c->pending);
    if (!updated && c->sound)
        updated = c->body.created;
    give_time(x, updated);
    return code;
}

static int body_column(struct cursor *c, sqlite3_context *x, int column)
{
    const struct session_body *b = &c->body;

    switch (column) {
    case METADATA:
        give_json(x, b->metadata);
        break;
    case CREATED:
        give_time(x, b->created);
        break;
    case ACCOUNT:
        return give_place(c, x, RECORD_ACCOUNT, b->account);
    case PROJECT:
        return give_place(c, x, RECORD_PROJECT, b->project);
    case WORKSPACE:
        return give_place(c, x, RECORD_WORKSPACE, b->workspace);
    case TITLE:
        give_str(x, str_of(b->title));
        break;
    case VERSION:
        give(x, *b->version ? b->version : "1");
        break;
    case PROVIDER:
        give(x, b->provider_path);
        break;
    case ROLE_NAME:
        give(x, b->role_name);
        break;
    case SESSION_DATA:
        give_json(x, b->data);
        break;
    }
    return SQLITE_OK;
}

static int session_column(struct cursor *c, sqlite3_context *x, int column)
{
    char parent[BOUGH_ID_LEN + 1];

    switch (column) {
    case ID:
        give(x, c->id);
        return SQLITE_OK;
    case UPDATED:
        return give_updated(c, x);
    case PARENT:
        if (sqlite3_column_type(c->rows, 7) != SQLITE_NULL) {
            cursor_session_id(c->rows, 7, parent);
            give(x, parent);
        }
        return SQLITE_OK;
    case SLUG:
        sqlite3_result_value(x, sqlite3_column_value(c->rows, 3));
        return SQLITE_OK;
    case STATUS:
        give(x, bough_status_name((enum bough_status)sqlite3_column_int64(c->rows, 5)));
        return SQLITE_OK;
    }
    return c->sound ? body_column(c, x, column) : SQLITE_OK;
}

static void message_column(struct cursor *c, sqlite3_context *x, int column)
{
    switch (column) {
    case ID:
        give(x, c->id);
        break;
    case CREATED:
    case UPDATED:
        give_time(x, c->head.time);
        break;
    case M_SESSION:
        give(x, c->session);
        break;
    case M_ROLE:
        give_str(x, str_of(bough_role_name((enum bough_role)c->head.role)));
        break;
    case M_SEQUENCE:
        sqlite3_result_int64(x, c->head.mno - 1);
        break;
    case METADATA:
    case M_DATA:
        if (cursor_unpack(c))
            give_json(x, column == M_DATA ? c->entry.data : c->entry.metadata);
        break;
    }
}

static void part_column(struct cursor *c, sqlite3_context *x, int column)
{
    const struct bough_part *part = &c->entry.parts[c->part];
    char id[BOUGH_PART_ID_LEN + 1];

    switch (column) {
    case ID:
        snprintf(id, sizeof id, "%s.%04x", c->id, (unsigned)c->part & 0xffff);
        give(x, id);
        break;
    case METADATA:
        give(x, "{}");
        break;
    case CREATED:
    case UPDATED:
        give_time(x, c->head.time);
        break;
    case P_MESSAGE:
        give(x, c->id);
        break;
    case P_SESSION:
        give(x, c->session);
        break;
    case P_TYPE:
        give(x, bough_part_type_name(part->type));
        break;
    case P_DATA:
        give_str(x, part->json);
        break;
    }
}

int cursor_column(struct cursor *c, sqlite3_context *x, int column)
{
    switch (c->table) {
    case SESSIONS:
        return session_column(c, x, column);
    case MESSAGES:
        message_column(c, x, column);
        break;
    case PARTS:
        part_column(c, x, column);
        break;
    case TABLES:
        break;
    }
    return SQLITE_OK;
}
