/* Purge: remove the rows of a purged session in slices. Each slice is one durable transaction. */
#include "store/sqlite/conn/db.h"

#include "base/limits.h"

/* Delete at most *room rows that match the numbers in `range`. Adds the count to *gone and
 * subtracts it from *room. */
static enum bough_rc delete_some(struct conn *c, enum sql id, const int64_t *range, int n,
                                 int64_t *room, int64_t *gone, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc;
    int code, rows;

    if (*room <= 0)
        return BOUGH_OK;
    rc = conn_stmt(c, id, &st, err);
    if (rc)
        return rc;
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(st, 1 + i, range[i]);
    sqlite3_bind_int64(st, 1 + n, *room);
    code = sqlite3_step(st);
    rows = sqlite3_changes(c->db);
    conn_done(c, id, st);
    if (code != SQLITE_DONE)
        return conn_fail(c, code, err);
    *room -= rows;
    *gone += rows;
    return BOUGH_OK;
}

/* Delete the drafts, leases and entries of one branch deeper than its cut. */
static enum bough_rc delete_branch(struct conn *c, const struct branch_row *b, int64_t *room,
                                   int64_t *gone, struct bough_error *err)
{
    static const enum sql drafts[] = { SQL_PURGE_DRAFTS, SQL_PURGE_OPEN };
    int64_t range[] = { entry_key(b->bid, b->cut) + 1, entry_key(b->bid, LIMIT_DEPTH) };
    int64_t others = 0;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < sizeof drafts / sizeof *drafts && !rc; i++)
        rc = delete_some(c, drafts[i], range, 2, room, &others, err);
    return rc ? rc : delete_some(c, SQL_PURGE_ENTRIES, range, 2, room, gone, err);
}

static enum bough_rc delete_entries(struct conn *c, int64_t sid, int64_t *room, int64_t *gone,
                                    struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_BRANCH_OF, &st, err);
    int code = SQLITE_ROW;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, sid);
    while (!rc && *room > 0 && (code = sqlite3_step(st)) == SQLITE_ROW) {
        struct branch_row b;

        row_branch(st, &b);
        if (b.cut >= 0)
            rc = delete_branch(c, &b, room, gone, err);
        if (b.cut >= 0 && !rc)
            rc = purge_links(c, entry_key(b.bid, b.cut) + 1, entry_key(b.bid, LIMIT_DEPTH), room,
                             err);
    }
    if (!rc && code != SQLITE_ROW && code != SQLITE_DONE)
        rc = conn_fail(c, code, err);
    conn_done(c, SQL_BRANCH_OF, st);
    return rc;
}

static enum bough_rc delete_slice(struct conn *c, int64_t sid, int64_t *room, int64_t *entries,
                                  int64_t *records, struct bough_error *err)
{
    int64_t others = 0;
    enum bough_rc rc;

    /* First: removing documents needs the entries' text. */
    rc = text_purge(c, c->store->scratch, sid, room, err);
    if (!rc)
        rc = delete_entries(c, sid, room, entries, err);
    if (!rc)
        rc = delete_some(c, SQL_PURGE_RECORDS,
                         (int64_t[]){ record_key(sid, 0, 0), record_key(sid, 15, LIMIT_RECORD) }, 2,
                         room, records, err);
    if (!rc && *room > 0) /* once all entries are gone */
        rc = purge_seen(c, sid, err);
    if (!rc)
        rc = delete_some(c, SQL_PURGE_NAMES, &sid, 1, room, &others, err);
    if (!rc)
        rc = delete_some(c, SQL_PURGE_KEYS, &sid, 1, room, &others, err);
    /* Last: the aliases include the marker of an unfinished purge. */
    if (!rc)
        rc = delete_some(c, SQL_PURGE_ALIASES, &sid, 1, room, &others, err);
    return rc;
}

enum bough_rc sqlite_purge_slice(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                 int64_t *entries, int64_t *records, const struct deadline *p,
                                 struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    int64_t room = limit > 0 ? limit : 1, gone = 0, gone_records = 0;
    enum bough_rc rc = writer_enter(s, p, err);

    *left = true;
    if (rc)
        return rc;
    rc = sid > 0 ? writer_begin(s, false, err)
                 : bough_fail(err, BOUGH_INVALID, "there is no session #%lld", (long long)sid);
    if (!rc) {
        rc = delete_slice(s->writer, sid, &room, &gone, &gone_records, err);
        if (rc)
            writer_undo(s);
        else
            rc = writer_end(s, err);
    }
    if (!rc) {
        s->cache.valid = false; /* tips have changed */
        s->scrub = true;
        *left = room == 0;
        *entries += gone;
        *records += gone_records;
        checkpoint_if_large(s);
    }
    writer_leave(s);
    return rc;
}

enum bough_rc sqlite_branch_cut(struct backend *b, const struct branch_row *rows, size_t n,
                                const struct deadline *p, struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    enum bough_rc rc = writer_enter(s, p, err);

    if (rc)
        return rc;
    rc = writer_begin(s, false, err);
    if (rc)
        goto out;
    for (size_t i = 0; i < n && !rc; i++) {
        sqlite3_stmt *st;
        int code;

        rc = conn_stmt(s->writer, SQL_BRANCH_CUT, &st, err);
        if (rc)
            break;
        sqlite3_bind_int64(st, 1, rows[i].bid);
        sqlite3_bind_int64(st, 2, rows[i].cut);
        code = sqlite3_step(st);
        sqlite3_reset(st);
        if (code != SQLITE_DONE)
            rc = conn_fail(s->writer, code, err);
    }
    if (rc)
        writer_undo(s);
    else
        rc = writer_end(s, err);
out:
    writer_leave(s);
    return rc;
}
