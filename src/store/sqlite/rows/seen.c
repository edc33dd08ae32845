/* Seen rows: adding, finding and purging them. */
#include <string.h>

#include "store/sqlite/rows/apply.h"
#include "store/sqlite/rows/read.h"

void row_seen(sqlite3_stmt *st, struct seen_row *out)
{
    const void *key = sqlite3_column_blob(st, 0);
    size_t n = (size_t)sqlite3_column_bytes(st, 0);

    memset(out->key, 0, sizeof out->key);
    if (key)
        memcpy(out->key, key, n < sizeof out->key ? n : sizeof out->key);
    out->no = sqlite3_column_int64(st, 1);
    out->bid = sqlite3_column_int64(st, 2);
    out->depth = sqlite3_column_int64(st, 3);
    out->strict = sqlite3_column_int64(st, 4);
}

static void bind_seen_key(sqlite3_stmt *st, const unsigned char *key)
{
    bind_bytes(st, 1, (struct bough_str){ (const char *)key, SEEN_KEY_BYTES });
}

void bind_seen(sqlite3_stmt *st, const struct seen_row *row)
{
    bind_seen_key(st, row->key);
    sqlite3_bind_int64(st, 2, row->no);
    sqlite3_bind_int64(st, 3, row->bid);
    sqlite3_bind_int64(st, 4, row->depth);
    sqlite3_bind_int64(st, 5, row->strict);
}

enum bough_rc apply_seen(struct apply *ap, const struct seen_row *row, struct bough_error *err)
{
    struct seen_row seen = new_numbers_seen(&ap->made, row, ap->no);
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_SEEN_ADD, &st, err);

    if (rc)
        return rc;
    bind_seen(st, &seen);
    return apply_put(ap, st, "seen", err);
}

enum bough_rc seen_last(struct conn *c, const unsigned char *key, int64_t *no,
                        struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_SEEN_LAST, &st, err);

    if (rc)
        return rc;
    bind_seen_key(st, key);
    return conn_int(c, SQL_SEEN_LAST, 0, no, err);
}

enum bough_rc purge_seen(struct conn *c, int64_t sid, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_PURGE_SEEN, &st, err);
    int code;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, sid);
    code = sqlite3_step(st);
    conn_done(c, SQL_PURGE_SEEN, st);
    return code == SQLITE_DONE ? BOUGH_OK : conn_fail(c, code, err);
}

enum bough_rc sqlite_seen_find(struct snapshot *v, const unsigned char key[SEEN_KEY_BYTES],
                               seen_fn fn, void *user, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    struct seen_row row;
    sqlite3_stmt *st;
    int code = SQLITE_DONE;
    enum bough_rc rc = conn_stmt(c, SQL_SEEN_FIND, &st, err);

    if (rc)
        return rc;
    bind_seen_key(st, key);
    while (!snapshot_over(c) && (code = sqlite3_step(st)) == SQLITE_ROW) {
        row_seen(st, &row);
        if (!fn(user, &row))
            break;
    }
    conn_done(c, SQL_SEEN_FIND, st);
    if (snapshot_over(c))
        return conn_fail(c, c->code, err);
    return code == SQLITE_DONE || code == SQLITE_ROW ? BOUGH_OK : conn_fail(c, code, err);
}
