/* Apply one txn: its guards, its new numbers, its changes in order, its changelog row. Numbers are
 * assigned first, so that a change may refer to a row that a later change creates. */
#include "store/sqlite/rows/apply.h"

#include "base/limits.h"

/* ---- guards ---- */

/* How many rows have this name: 0 or 1. */
static enum bough_rc count_named(struct conn *c, enum sql id, const char *name, int64_t *found,
                                 struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, id, &st, err);

    if (rc)
        return rc;
    bind_text(st, 1, name);
    return conn_int(c, id, 0, found, err);
}

/* Compare the current value with the expected one. *lost is NULL when the guard holds. */
static enum bough_rc guard_lost(struct conn *c, const struct guard *g, const char **lost,
                                struct bough_error *err)
{
    int64_t found = 0, want = 0;
    const char *what = "watermark";
    enum bough_rc rc = BOUGH_OK;

    switch (g->op) {
    case GUARD_HEAD:
        what = "head";
        want = g->ver;
        rc = apply_seek(c, SQL_HEAD_VER, g->sid, -1, -1, &found, err);
        break;
    case GUARD_ENTRY:
        what = "entry";
        want = 1;
        rc = apply_seek(c, SQL_ENTRY_THERE, entry_key(g->entry.branch, g->entry.depth), -1, 0,
                        &found, err);
        break;
    case GUARD_WATERMARK:
        want = g->applied;
        rc = conn_int(c, SQL_WATERMARK, -1, &found, err);
        break;
    case GUARD_OPEN:
        what = "open";
        want = g->ver;
        rc = apply_seek(c, SQL_OPEN_VER, entry_key(g->entry.branch, g->entry.depth), -1, -1, &found,
                        err);
        break;
    case GUARD_FULLTEXT:
        want = g->applied;
        rc = conn_int(c, SQL_TEXT_MARK, -1, &found, err);
        break;
    case GUARD_NO_SLUG:
        what = "slug";
        rc = count_named(c, SQL_SLUG_COUNT, g->name, &found, err);
        break;
    case GUARD_NO_ALIAS:
        what = "alias";
        rc = count_named(c, SQL_ALIAS_COUNT, g->name, &found, err);
        break;
    case GUARD_SEEN:
        what = "seen";
        want = g->applied;
        rc = seen_last(c, g->key, &found, err);
        break;
    }
    *lost = !rc && found != want ? what : NULL;
    return rc;
}

enum bough_rc apply_guards(struct sqlite *s, struct txn *t, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < t->nguards && !t->lost && !rc; i++)
        rc = guard_lost(s->writer, &t->guards[i], &t->lost, err);
    return rc;
}

/* ---- numbers ---- */

static enum bough_rc set_counter(struct apply *ap, const char *name, int64_t value, int64_t max,
                                 struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc;

    if (value > max)
        return bough_fail(err, BOUGH_FULL, "%s has used all its %s numbers", ap->s->path, name);
    rc = conn_stmt(ap->c, SQL_COUNTER_SET, &st, err);
    if (rc)
        return rc;
    bind_text(st, 1, name);
    sqlite3_bind_int64(st, 2, value);
    return apply_put(ap, st, "counter", err);
}

static enum bough_rc new_ordinal(struct apply *ap, const struct record_row *row,
                                 struct bough_error *err)
{
    struct new_record *r = &ap->made.records[ap->made.nrecords];
    int64_t sid = session_of(&ap->made, row->sid);
    int64_t last = new_numbers_last(&ap->made, sid, row->kind);
    enum bough_rc rc = BOUGH_OK;

    if (!last)
        rc = apply_seek(ap->c, SQL_RECORD_LAST, record_key(sid, row->kind, 0),
                        record_key(sid, row->kind, LIMIT_RECORD), 0, &last, err);
    if (rc)
        return rc;
    last &= LIMIT_RECORD;
    if (last >= LIMIT_RECORD)
        return bough_fail(err, BOUGH_FULL, "session #%lld has used all its record numbers",
                          (long long)sid);
    *r = (struct new_record){ sid, row->kind, last + 1 };
    ap->made.nrecords++;
    return BOUGH_OK;
}

/* Are the stored counters in range? */
static bool countable(const struct cache *c)
{
    return c->no >= 0 && c->no <= INT64_MAX / 2 && c->sessions >= 0 &&
           c->sessions <= LIMIT_SESSION && c->branches >= 0 && c->branches <= LIMIT_BRANCH;
}

static enum bough_rc give_numbers(struct apply *ap, struct bough_error *err)
{
    struct txn *t = ap->t;
    struct cache *cache = &ap->s->cache;
    struct new_counts makes = txn_new_counts(t);
    struct new_numbers *made = &ap->made;
    enum bough_rc rc = BOUGH_OK;

    if (!countable(cache))
        return bough_fail(err, BOUGH_CORRUPT, "%s is damaged: its counters are out of range",
                          ap->s->path);
    if (makes.sessions)
        made->sid = ++cache->sessions;
    if (makes.branches)
        made->bids = arena_array(ap->s->scratch, makes.branches, sizeof *made->bids);
    for (made->nbids = 0; made->nbids < makes.branches; made->nbids++)
        made->bids[made->nbids] = ++cache->branches;
    if (made->sid)
        rc = set_counter(ap, "session", made->sid, LIMIT_SESSION, err);
    if (!rc && made->nbids)
        rc = set_counter(ap, "branch", cache->branches, LIMIT_BRANCH, err);
    if (makes.records)
        made->records = arena_array(ap->s->scratch, makes.records, sizeof *made->records);
    for (size_t i = 0; i < t->nchanges && makes.records && !rc; i++)
        if (t->changes[i].op == CHANGE_RECORD_PUT && t->changes[i].u.record.ord == 0)
            rc = new_ordinal(ap, &t->changes[i].u.record, err);
    ap->entry_no = cache->no + 1;
    ap->no = cache->no + makes.numbers;
    return rc;
}

static enum bough_rc log_add(struct apply *ap, struct bough_error *err)
{
    struct changelog_row r = new_numbers_changelog(&ap->made, &ap->t->log, ap->no);
    const int64_t numbers[] = { r.no, r.n, r.sid, r.kind, r.time, r.bid, r.depth, r.record, r.aux };
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(ap->c, SQL_LOG_ADD, &st, err);

    if (rc)
        return rc;
    for (int i = 0; i < 9; i++)
        sqlite3_bind_int64(st, 1 + i, numbers[i]);
    return apply_put(ap, st, "log", err);
}

enum bough_rc apply_txn(struct sqlite *s, struct txn *t, struct bough_error *err)
{
    struct apply ap = { .s = s, .c = s->writer, .t = t };
    enum bough_rc rc = give_numbers(&ap, err);

    for (size_t i = 0; i < t->nchanges && !rc && !t->lost; i++)
        rc = apply_change(&ap, &t->changes[i], err);
    if (!rc && !t->lost && t->log.kind)
        rc = log_add(&ap, err);
    if (rc || t->lost)
        return rc;
    s->cache.no = ap.no;
    new_numbers_tell(&ap.made, t, ap.no);
    return BOUGH_OK;
}
