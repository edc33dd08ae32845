/* A short life of a SQLite store, with every I/O call failing in turn. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "fixture.h"
#include "lib/faulty_vfs.h"

enum { DEPTH_MAX = 24 };

struct life {
    const char *path;
    int64_t sid, bid;
    int64_t acked;   /* depths that were acknowledged */
    int64_t perhaps; /* the deepest one with an unknown outcome */
    char why[256];
};

static bool typed(enum bough_rc rc)
{
    switch (rc) {
    case BOUGH_OK:
    case BOUGH_NOT_DONE:
    case BOUGH_UNKNOWN:
    case BOUGH_FULL:
    case BOUGH_IO:
    case BOUGH_CORRUPT:
    case BOUGH_READ_ONLY:
    case BOUGH_TIMEOUT:
        return true;
    default:
        return false;
    }
}

/* Commit. The code must be one that tells the caller what to do. */
static enum bough_rc give(struct test *t, struct backend *b, struct txn *txn, struct life *l)
{
    struct deadline p = { mono_us() + 300000, NULL };
    enum bough_rc rc = b->ops->commit(b, &txn, 1, &p, &t->err);

    if (!typed(rc))
        FAIL("%s: %s", bough_rc_name(rc), t->err.msg);
    if (rc)
        snprintf(l->why, sizeof l->why, "%s", t->err.msg);
    return rc;
}

static void append_some(struct test *t, struct backend *b, struct life *l, int64_t depth, int n)
{
    struct change c[8];
    struct guard g = guard_head(l->sid, 1);
    struct txn txn = { .guards = &g, .nguards = 1, .changes = c, .nchanges = (size_t)n };
    enum bough_rc rc;

    for (int i = 0; i < n; i++)
        c[i] = entry_at(t, l->bid, depth + i, arena_printf(t->arena, "depth %d", (int)depth + i));
    txn.log =
        (struct changelog_row){ .kind = CHANGELOG_APPEND, .n = n, .sid = l->sid, .bid = l->bid };
    rc = give(t, b, &txn, l);
    if (rc == BOUGH_OK && txn.state == TXN_DONE)
        l->acked = depth + n - 1;
    else if (rc == BOUGH_UNKNOWN)
        l->perhaps = depth + n - 1;
}

/* Lists are folded in a relaxed txn: it may be lost, but must not break anything. */
static void fold(struct test *t, struct backend *b, struct life *l)
{
    struct change c[2] = { { .op = CHANGE_LIST_PUT },
                           { .op = CHANGE_WATERMARK, .u.watermark = 1 } };
    struct txn txn = { .changes = c, .nchanges = 2, .relaxed = true };

    c[0].u.list = (struct list_row){ .sid = l->sid, .hay = "x" };
    (void)give(t, b, &txn, l);
}

static bool start(struct test *t, struct life *l, struct backend **b)
{
    struct change c[2] = { { .op = CHANGE_SESSION_NEW }, { .op = CHANGE_BRANCH_NEW } };
    struct txn txn = { .changes = c, .nchanges = 2 };
    enum bough_rc rc = try_open(t, l->path, false, b);

    if (!typed(rc))
        FAIL("open: %s: %s", bough_rc_name(rc), t->err.msg);
    if (rc)
        return false;
    c[0].u.session.row = (struct session_row){ .slug = "one" };
    c[0].u.session.head = (struct head_row){ .bid = NEW_BRANCH(0) };
    c[1].u.branch = (struct branch_row){ .sid = NEW_SESSION };
    txn.log = (struct changelog_row){ .kind = CHANGELOG_SESSION_NEW, .n = 1, .sid = NEW_SESSION };
    rc = give(t, *b, &txn, l);
    l->sid = txn.sid;
    l->bid = txn.bids[0];
    if (rc == BOUGH_OK)
        return true;
    (*b)->ops->close(*b);
    return false;
}

/* Use the store as a caller does: continue after every failure. */
static void live(struct test *t, struct life *l)
{
    struct backend *b = NULL;
    struct snapshot *v;
    struct deadline p;

    if (!start(t, l, &b))
        return;
    for (int i = 0; i < 8; i++) {
        struct branch_row branch = { .bid = l->bid };
        int64_t tip = -1;

        p = (struct deadline){ mono_us() + 300000, NULL };
        if (b->ops->snapshot_begin(b, &v, &p, &t->err) == BOUGH_OK) {
            if (b->ops->branch_tip(v, &branch, &tip, &t->err))
                tip = -1;
            b->ops->snapshot_end(v);
        }
        if (tip >= 0 && (tip < l->acked || (tip > l->acked && tip != l->perhaps)))
            FAIL("tip %d, acknowledged %d", (int)tip, (int)l->acked);
        if (tip >= 0)
            l->acked = tip;
        append_some(t, b, l, l->acked + 1, i == 5 ? 8 : 1);
        if (i == 2 || i == 6)
            fold(t, b, l);
        if (i == 3)
            b->ops->upkeep(b, false);
    }
    b->ops->upkeep(b, true);
    b->ops->close(b);
}

/* Check with an independent connection that no lock is left and that the file is intact. */
static void check_sound(struct test *t, const char *path)
{
    sqlite3_stmt *st;
    sqlite3 *db;

    CHECK_INT(SQLITE_OK, sqlite3_open(path, &db));
    CHECK_INT(SQLITE_OK, sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &st, NULL));
    CHECK_INT(SQLITE_ROW, sqlite3_step(st));
    CHECK_STR("ok", (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    CHECK_INT(SQLITE_OK,
              sqlite3_exec(db, "BEGIN IMMEDIATE; UPDATE counter SET value = value; COMMIT", NULL,
                           NULL, NULL));
    sqlite3_close(db);
    (void)t;
}

static void check_after(struct test *t, struct life *l)
{
    struct backend *b = open_at(t, l->path);
    struct entry_row row;
    struct snapshot *v;
    int64_t tip;

    if (l->bid && l->sid && last_no(t, b) > 0) {
        tip = tip_of(t, b, l->bid);
        if (tip != l->acked && tip != l->perhaps)
            FAIL("tip %d, acknowledged %d, in flight %d", (int)tip, (int)l->acked, (int)l->perhaps);
        v = look(t, b);
        for (int64_t d = 1; d <= tip; d++) {
            CHECK_OK(b->ops->entry_get(v, t->arena, l->bid, d, &row, &t->err));
            CHECK_STR(arena_printf(t->arena, "depth %d", (int)d), row.body.p + 15);
        }
        b->ops->snapshot_end(v);
        CHECK_INT(TXN_DONE, append(t, b, l->sid, l->bid, tip + 1, "next"));
    } else {
        CHECK_INT(0, l->acked);
        add_session(t, b, "later", &tip);
    }
    b->ops->close(b);
    check_sound(t, l->path);
}

static void every_call(struct test *t, enum faulty_kind kind, bool sticky)
{
    bool fired = true;

    for (int n = 1; fired; n++) {
        struct life l = { .path = test_path(t, "s.db") };

        faulty_arm(kind, n, sticky);
        live(t, &l);
        fired = faulty_disarm();
        if (getenv("FAULTS"))
            fprintf(stderr, "%s %d%s: %d %d %s\n", faulty_name(kind), n, sticky ? " sticky" : "",
                    (int)l.acked, (int)l.perhaps, l.why);
        check_after(t, &l);
        if (!fired && l.acked < 15)
            FAIL("%s: %d without a fault", faulty_name(kind), (int)l.acked);
        unlink(test_path(t, "s.db"));
        unlink(test_path(t, "s.db-wal"));
        unlink(test_path(t, "s.db-shm"));
        unlink(test_path(t, "s.db-journal"));
    }
}

static void setup(struct test *t)
{
    (void)t;
    faulty_vfs_install();
}

static void teardown(struct test *t)
{
    (void)t;
    faulty_disarm();
    faulty_vfs_remove();
}

static void once(struct test *t)
{
    every_call(t, (enum faulty_kind)(uintptr_t)t->param, false);
}

static void sticky(struct test *t)
{
    every_call(t, (enum faulty_kind)(uintptr_t)t->param, true);
}

__attribute__((constructor)) static void register_all(void)
{
    static char names[2 * FAULTY_KINDS][48];

    for (int kind = 0; kind < FAULTY_KINDS; kind++) {
        snprintf(names[2 * kind], sizeof *names, "a_life_with_%s", faulty_name(kind));
        snprintf(names[2 * kind + 1], sizeof *names, "a_life_with_lasting_%s", faulty_name(kind));
        test_wrap(names[2 * kind], setup, once, teardown, (void *)(uintptr_t)kind, 120);
        test_wrap(names[2 * kind + 1], setup, sticky, teardown, (void *)(uintptr_t)kind, 120);
    }
}
