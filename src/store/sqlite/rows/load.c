/* Migration of stores: read the last numbers of a store, and load rows unchanged. */
#include <inttypes.h>
#include <stdio.h>

#include "store/sqlite/conn/db.h"

/* The first value of a query as text; "" when there is no row. */
static enum bough_rc text_of(struct conn *c, struct bough_arena *a, const char *sql,
                             const char **out, struct bough_error *err)
{
    sqlite3_stmt *st = NULL;
    int code = sqlite3_prepare_v2(c->db, sql, -1, &st, NULL);

    *out = "";
    if (code == SQLITE_OK)
        code = sqlite3_step(st);
    if (code == SQLITE_ROW)
        *out = arena_strdup(a, (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    return code == SQLITE_ROW || code == SQLITE_DONE ? BOUGH_OK : conn_fail(c, code, err);
}

enum bough_rc sqlite_raw_numbers(struct snapshot *v, struct bough_arena *a, struct raw_numbers *out,
                                 struct bough_error *err)
{
    static const char *const asked[] = {
        "SELECT no FROM log ORDER BY no DESC LIMIT 1",
        "SELECT value FROM counter WHERE name = 'session'",
        "SELECT value FROM counter WHERE name = 'branch'",
        "SELECT value FROM counter WHERE name = 'blob'",
        "SELECT no FROM projection WHERE name = 'list'",
        "SELECT value FROM meta WHERE key = 'epoch'",
    };
    int64_t *const numbers[] = { &out->no,    &out->sessions, &out->branches,
                                 &out->blobs, &out->lists,    &out->epoch };
    struct conn *c = conn_of(v);
    const char *text;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < sizeof asked / sizeof *asked && !rc; i++) {
        rc = text_of(c, a, asked[i], &text, err);
        *numbers[i] = rc ? 0 : strtoll(text, NULL, 10);
    }
    if (!rc)
        rc = text_of(c, a, "SELECT value FROM meta WHERE key = 'store'", &out->store_id, err);
    return rc ? rc
              : text_of(c, a, "SELECT value FROM meta WHERE key = 'moving'", &out->moving, err);
}

static enum bough_rc set_numbers(struct conn *c, const struct raw_numbers *n,
                                 struct bough_error *err)
{
    char *text = sqlite3_mprintf(
        "UPDATE counter SET value = %lld WHERE name = 'session';"
        "UPDATE counter SET value = %lld WHERE name = 'branch';"
        "UPDATE counter SET value = %lld WHERE name = 'blob';"
        "UPDATE projection SET no = %lld WHERE name = 'list';"
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('store', %Q), ('epoch', '%lld');"
        "DELETE FROM meta WHERE key = 'moving';"
        "INSERT INTO meta (key, value) SELECT 'moving', %Q WHERE %Q <> ''",
        (long long)n->sessions, (long long)n->branches, (long long)n->blobs, (long long)n->lists,
        n->store_id, (long long)n->epoch, n->moving, n->moving);
    enum bough_rc rc;

    if (!text)
        return conn_fail(c, SQLITE_NOMEM, err);
    rc = conn_exec(c, text, err);
    sqlite3_free(text);
    return rc;
}

enum bough_rc sqlite_raw_load(struct backend *b, const struct raw_row *rows, size_t n,
                              const struct raw_numbers *numbers, struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    struct deadline p = { mono_us() + 60000000, NULL };
    enum bough_rc rc = writer_enter(s, &p, err);

    if (rc)
        return rc;
    rc = writer_begin(s, false, err);
    if (!rc) {
        rc = raw_put(s->writer, rows, n, err);
        if (!rc)
            rc = set_numbers(s->writer, numbers, err);
        if (rc)
            writer_undo(s);
        else
            rc = writer_end(s, err);
        s->cache.valid = false;
    }
    if (!rc)
        checkpoint_if_large(s);
    writer_leave(s);
    return rc;
}
