/* Single statements of a txn: writes that may lose the txn, and lookups of a number. */
#include "store/sqlite/rows/apply.h"

enum bough_rc apply_put(struct apply *ap, sqlite3_stmt *st, const char *lost,
                        struct bough_error *err)
{
    int code = sqlite3_step(st);

    sqlite3_reset(st);
    switch (code) {
    case SQLITE_DONE:
        return BOUGH_OK;
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
    case SQLITE_CONSTRAINT_UNIQUE:
        ap->t->lost = lost;
        return BOUGH_OK;
    default:
        return conn_fail(ap->c, code, err);
    }
}

enum bough_rc apply_set(struct apply *ap, sqlite3_stmt *st, const char *unique, const char *lost,
                        struct bough_error *err)
{
    enum bough_rc rc = apply_put(ap, st, unique, err);

    if (!rc && !ap->t->lost && sqlite3_changes(ap->c->db) == 0)
        ap->t->lost = lost;
    return rc;
}

enum bough_rc apply_seek(struct conn *c, enum sql id, int64_t a, int64_t b, int64_t none,
                         int64_t *out, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, id, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, a);
    if (b >= 0)
        sqlite3_bind_int64(st, 2, b);
    return conn_int(c, id, none, out, err);
}
