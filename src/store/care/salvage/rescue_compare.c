/* Rescue: does the new store hold everything that SQLite still reads from the damaged one? */
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/pack/pack.h"
#include "store/care/salvage/rescue.h"

struct compare {
    struct snapshot *to;
    struct bough_arena *a; /* reset for every row */
    bool repaired;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool lost(struct compare *c, const char *what, int64_t one, int64_t two)
{
    c->rc = bough_fail(c->err, BOUGH_CORRUPT,
                       "the new store lacks %s %lld.%lld, which can still be read: nothing was "
                       "replaced",
                       what, (long long)one, (long long)two);
    return false;
}

static bool same_session(struct compare *c, const struct session_row *row)
{
    struct session_row other;

    if (row->sid < 1 || row->sid > LIMIT_SESSION || (!row->purged && !salvage_sum_holds(row->body)))
        return true;
    return (sqlite_backend.session_get(c->to, c->a, row->sid, &other, NULL) == BOUGH_OK &&
            str_eq(row->body, other.body) && row->made == other.made && row->chk == other.chk) ||
           lost(c, "session", row->sid, 0);
}

static bool same_branch(struct compare *c, const struct branch_row *row)
{
    struct branch_row other;

    if (row->bid < 1 || row->bid > LIMIT_BRANCH || row->sid < 1 || row->base < 0 ||
        row->base > LIMIT_DEPTH)
        return true;
    return (sqlite_backend.branch_get(c->to, row->bid, &other, NULL) == BOUGH_OK &&
            row->sid == other.sid && row->parent == other.parent && row->base == other.base) ||
           lost(c, "branch", row->bid, 0);
}

static bool same_entry(struct compare *c, const struct entry_row *row)
{
    struct entry_row other;
    struct pack_head h;

    if ((c->repaired && row->mask & MASK_OPEN) || row->bid < 1 || row->depth < 1 ||
        !pack_entry_sound(row->body) || !pack_entry_head(row->body, &h) || h.depth != row->depth)
        return true;
    return (sqlite_backend.entry_get(c->to, c->a, row->bid, row->depth, &other, NULL) == BOUGH_OK &&
            str_eq(row->body, other.body) && row->deleted == other.deleted) ||
           lost(c, "entry", row->bid, row->depth);
}

static bool same_record(struct compare *c, const struct record_row *row)
{
    struct record_row other;

    if (!row->kind || !salvage_sum_holds(row->body))
        return true;
    return (sqlite_backend.record_get(c->to, c->a, row->sid, row->kind, row->ord, &other, NULL) ==
                BOUGH_OK &&
            str_eq(row->body, other.body)) ||
           lost(c, "record", row->sid, row->kind << 28 | row->ord);
}

static bool each_row(void *user, const struct raw_row *row)
{
    struct compare *c = user;

    bough_arena_reset(c->a);
    if (row->table == RAW_SESSION)
        return same_session(c, &row->u.session);
    if (row->table == RAW_BRANCH)
        return same_branch(c, &row->u.branch);
    if (row->table == RAW_ENTRY)
        return same_entry(c, &row->u.entry);
    return same_record(c, &row->u.record);
}

static enum bough_rc open_file(const char *path, struct backend **b, struct snapshot **v,
                               struct bough_error *err)
{
    struct deadline p = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };
    struct backend_config config = {
        .path = path, .read_only = true, .must_exist = true, .env = &env_system, .deadline = p
    };
    enum bough_rc rc = sqlite_backend.open(b, &config, err);

    if (rc)
        return rc;
    rc = sqlite_backend.snapshot_begin(*b, v, &(struct deadline){ INT64_MAX, NULL }, err);
    if (rc)
        sqlite_backend.close(*b);
    return rc;
}

enum bough_rc rescue_compare(const char *old, const char *made, bool repaired,
                             struct bough_error *err)
{
    static const enum raw_table tables[] = { RAW_ENTRY, RAW_SESSION, RAW_BRANCH, RAW_RECORD };
    size_t ntables = repaired ? 1 : sizeof tables / sizeof *tables;
    struct compare c = { .repaired = repaired, .err = err };
    struct backend *from, *to;
    struct snapshot *v;
    enum bough_rc rc;

    if (open_file(old, &from, &v, NULL))
        return BOUGH_OK; /* SQLite reads nothing of it */
    rc = open_file(made, &to, &c.to, err);
    if (!rc) {
        c.a = bough_arena_create();
        /* A table that cannot be read to its end was compared as far as SQLite reads it. */
        for (size_t i = 0; i < ntables && !c.rc; i++)
            if (sqlite_backend.raw_scan(v, tables[i], each_row, &c, NULL))
                continue;
        bough_arena_destroy(c.a);
        sqlite_backend.snapshot_end(c.to);
        sqlite_backend.close(to);
    }
    sqlite_backend.snapshot_end(v);
    sqlite_backend.close(from);
    return rc ? rc : c.rc;
}
