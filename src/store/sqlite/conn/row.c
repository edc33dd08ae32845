/* Bind rows to statements and read them. The column order is that of the *_COLS macros in sql.h. */
#include "store/sqlite/conn/db.h"

#include <string.h>

#include "base/limits.h"

void bind_text(sqlite3_stmt *st, int at, const char *s)
{
    sqlite3_bind_text(st, at, s ? s : "", -1, SQLITE_STATIC);
}

void bind_bytes(sqlite3_stmt *st, int at, struct bough_str s)
{
    /* A NULL pointer would bind NULL, not an empty blob. */
    sqlite3_bind_blob64(st, at, s.p ? s.p : "", s.n, SQLITE_STATIC);
}

void bind_list(sqlite3_stmt *st, const struct list_row *row)
{
    const int64_t numbers[] = { row->sid,       row->kind,     row->status, row->project,
                                row->workspace, row->account,  row->parent, row->created,
                                row->updated,   row->modified, row->deleted };
    const char *const texts[] = { row->role_name, row->provider_path, row->model_provider,
                                  row->model_name, row->hay };

    for (int i = 0; i < 11; i++)
        sqlite3_bind_int64(st, 1 + i, numbers[i]);
    for (int i = 0; i < 5; i++)
        bind_text(st, 12 + i, texts[i]);
    bind_bytes(st, 17, row->body);
    sqlite3_bind_int64(st, 18, row->errors);
    sqlite3_bind_int64(st, 19, row->last_state);
    sqlite3_bind_int64(st, 20, row->cost);
    bind_text(st, 21, row->last_model);
    sqlite3_bind_int64(st, 22, row->deleted != 0);
}

static const char *text_at(sqlite3_stmt *st, int at)
{
    const char *s = (const char *)sqlite3_column_text(st, at);

    return s ? s : "";
}

static struct bough_str bytes_at(sqlite3_stmt *st, int at)
{
    /* Must come before column_bytes(), by SQLite's rules. */
    const char *p = sqlite3_column_blob(st, at);
    int n = sqlite3_column_bytes(st, at);

    return p ? (struct bough_str){ p, (size_t)n } : (struct bough_str){ "", 0 };
}

void row_session(sqlite3_stmt *st, struct session_row *out)
{
    out->sid = sqlite3_column_int64(st, 0);
    out->ver = sqlite3_column_int64(st, 1);
    out->made = sqlite3_column_int64(st, 2);
    out->chk = sqlite3_column_int64(st, 3);
    out->parent = sqlite3_column_int64(st, 4);
    out->kind = sqlite3_column_int64(st, 5);
    out->purged = sqlite3_column_int64(st, 6) != 0;
    out->slug = text_at(st, 7);
    out->body = bytes_at(st, 8);
}

void row_head(sqlite3_stmt *st, struct head_row *out)
{
    out->sid = sqlite3_column_int64(st, 0);
    out->ver = sqlite3_column_int64(st, 1);
    out->bid = sqlite3_column_int64(st, 2);
    out->depth = sqlite3_column_int64(st, 3);
    out->status = sqlite3_column_int64(st, 4);
    out->deleted = sqlite3_column_int64(st, 5);
    out->lease_epoch = sqlite3_column_int64(st, 6);
    out->lease_since = sqlite3_column_int64(st, 7);
    out->lease_expires = sqlite3_column_int64(st, 8);
    out->lease_owner = text_at(st, 9);
}

/* Clamp a damaged depth: it stays invalid, so fsck finds it, but arithmetic with it cannot
 * overflow. */
static int64_t column_depth(sqlite3_stmt *st, int at)
{
    int64_t depth = sqlite3_column_int64(st, at);

    return depth < -1 ? -1 : depth > LIMIT_DEPTH + 1 ? LIMIT_DEPTH + 1 : depth;
}

void row_branch(sqlite3_stmt *st, struct branch_row *out)
{
    out->bid = sqlite3_column_int64(st, 0);
    out->sid = sqlite3_column_int64(st, 1);
    out->parent = sqlite3_column_int64(st, 2);
    out->base = column_depth(st, 3);
    out->cut = column_depth(st, 4);
}

void row_entry(sqlite3_stmt *st, struct entry_row *out)
{
    int64_t k = sqlite3_column_int64(st, 0);

    out->bid = k >> 32;
    out->depth = k & 0xffffffff;
    out->kind = sqlite3_column_int64(st, 1);
    out->mask = sqlite3_column_int64(st, 2);
    out->deleted = sqlite3_column_int64(st, 3);
    out->body = bytes_at(st, 4);
}

void row_open(sqlite3_stmt *st, struct open_row *out)
{
    int64_t k = sqlite3_column_int64(st, 0);

    out->bid = k >> 32;
    out->depth = k & 0xffffffff;
    out->sid = sqlite3_column_int64(st, 1);
    out->ver = sqlite3_column_int64(st, 2);
    out->epoch = sqlite3_column_int64(st, 3);
    out->since = sqlite3_column_int64(st, 4);
    out->expires = sqlite3_column_int64(st, 5);
    out->lease_ms = sqlite3_column_int64(st, 6);
    out->owner = text_at(st, 7);
    out->process = text_at(st, 8);
    out->client = sqlite3_column_int64(st, 9);
    out->wanted = text_at(st, 10);
}

void bind_open(sqlite3_stmt *st, const struct open_row *row, int64_t bid)
{
    const int64_t numbers[] = { entry_key(bid, row->depth),
                                row->sid,
                                row->ver,
                                row->epoch,
                                row->since,
                                row->expires,
                                row->lease_ms };

    for (int i = 0; i < 7; i++)
        sqlite3_bind_int64(st, 1 + i, numbers[i]);
    bind_text(st, 8, row->owner);
    bind_text(st, 9, row->process);
    sqlite3_bind_int64(st, 10, row->client);
    bind_text(st, 11, row->wanted);
}

void row_draft(sqlite3_stmt *st, struct draft_row *out)
{
    int64_t k = sqlite3_column_int64(st, 0);

    out->bid = k >> 32;
    out->depth = k & 0xffffffff;
    out->end = sqlite3_column_int64(st, 1);
    out->step = sqlite3_column_int64(st, 2);
    out->body = bytes_at(st, 3);
}

void bind_draft(sqlite3_stmt *st, const struct draft_row *row)
{
    sqlite3_bind_int64(st, 1, entry_key(row->bid, row->depth));
    sqlite3_bind_int64(st, 2, row->end);
    sqlite3_bind_int64(st, 3, row->step);
    bind_bytes(st, 4, row->body);
}

void row_record(sqlite3_stmt *st, struct record_row *out)
{
    int64_t k = sqlite3_column_int64(st, 0);

    out->sid = k >> 32;
    out->kind = k >> 28 & 0xf;
    out->ord = k & 0xfffffff;
    out->ver = sqlite3_column_int64(st, 1);
    out->deleted = sqlite3_column_int64(st, 2);
    out->body = bytes_at(st, 3);
}

void row_alias(sqlite3_stmt *st, struct alias_row *out)
{
    out->id = text_at(st, 0);
    out->scope = sqlite3_column_int64(st, 1);
    out->what = sqlite3_column_int64(st, 2);
    out->a = sqlite3_column_int64(st, 3);
    out->b = sqlite3_column_int64(st, 4);
}

void row_key(sqlite3_stmt *st, struct key_row *out)
{
    struct bough_str hash = bytes_at(st, 1);
    size_t n = hash.n < sizeof out->hash ? hash.n : sizeof out->hash;

    out->key = text_at(st, 0);
    memset(out->hash, 0, sizeof out->hash);
    memcpy(out->hash, hash.p, n);
    out->no = sqlite3_column_int64(st, 2);
    out->expires = sqlite3_column_int64(st, 3);
    out->bid = sqlite3_column_int64(st, 4);
    out->depth = sqlite3_column_int64(st, 5);
}

void row_changelog(sqlite3_stmt *st, struct changelog_row *out)
{
    out->no = sqlite3_column_int64(st, 0);
    out->n = sqlite3_column_int64(st, 1);
    out->sid = sqlite3_column_int64(st, 2);
    out->kind = sqlite3_column_int64(st, 3);
    out->time = sqlite3_column_int64(st, 4);
    out->bid = sqlite3_column_int64(st, 5);
    out->depth = sqlite3_column_int64(st, 6);
    out->record = sqlite3_column_int64(st, 7);
    out->aux = sqlite3_column_int64(st, 8);
}

void row_list(sqlite3_stmt *st, struct list_row *out)
{
    out->sid = sqlite3_column_int64(st, 0);
    out->kind = sqlite3_column_int64(st, 1);
    out->status = sqlite3_column_int64(st, 2);
    out->project = sqlite3_column_int64(st, 3);
    out->workspace = sqlite3_column_int64(st, 4);
    out->account = sqlite3_column_int64(st, 5);
    out->parent = sqlite3_column_int64(st, 6);
    out->created = sqlite3_column_int64(st, 7);
    out->updated = sqlite3_column_int64(st, 8);
    out->modified = sqlite3_column_int64(st, 9);
    out->deleted = sqlite3_column_int64(st, 10);
    out->role_name = text_at(st, 11);
    out->provider_path = text_at(st, 12);
    out->model_provider = text_at(st, 13);
    out->model_name = text_at(st, 14);
    out->hay = text_at(st, 15);
    out->body = bytes_at(st, 16);
    out->errors = sqlite3_column_int64(st, 17);
    out->last_state = sqlite3_column_int64(st, 18);
    out->cost = sqlite3_column_int64(st, 19);
    out->last_model = text_at(st, 20);
}

void row_spend(sqlite3_stmt *st, struct spend_row *out)
{
    int64_t *numbers = spend_numbers(out);

    out->day = sqlite3_column_int64(st, 0);
    out->sid = sqlite3_column_int64(st, 1);
    out->project = sqlite3_column_int64(st, 2);
    out->account = sqlite3_column_int64(st, 3);
    out->provider = text_at(st, 4);
    out->model = text_at(st, 5);
    out->principal = text_at(st, 6);
    for (int i = 0; i < SPEND_NUMBERS; i++)
        numbers[i] = sqlite3_column_int64(st, 7 + i);
}

void bind_spend(sqlite3_stmt *st, const struct spend_row *row)
{
    const int64_t *numbers = &row->calls;

    sqlite3_bind_int64(st, 1, row->day);
    sqlite3_bind_int64(st, 2, row->sid);
    sqlite3_bind_int64(st, 3, row->project);
    sqlite3_bind_int64(st, 4, row->account);
    bind_text(st, 5, row->provider);
    bind_text(st, 6, row->model);
    bind_text(st, 7, row->principal);
    for (int i = 0; i < SPEND_NUMBERS; i++)
        sqlite3_bind_int64(st, 8 + i, numbers[i]);
}
