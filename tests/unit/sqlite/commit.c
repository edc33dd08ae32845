/* Commits through the SQLite backend's ops: guards, batches, snapshots, other processes. */
#include <sqlite3.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "fixture.h"

TEST(appends_are_read_back)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct entry_row row;
    struct head_now head;
    struct snapshot *v;
    int64_t bid, sid = add_session(t, b, "one", &bid);

    CHECK_INT(TXN_DONE, append(t, b, sid, bid, 1, "first"));
    CHECK_INT(TXN_DONE, append(t, b, sid, bid, 2, "second"));
    CHECK_INT(TXN_LOST, append(t, b, sid, bid, 2, "again"));
    CHECK_INT(TXN_LOST, append(t, b, sid, bid, 4, "a gap"));
    CHECK_INT(TXN_LOST, append(t, b, sid, bid + 1, 1, "no branch"));
    CHECK_INT(TXN_LOST, append(t, b, sid + 1, bid, 3, "no session"));
    CHECK_INT(TXN_DONE, append(t, b, sid, bid, 3, "third"));
    CHECK_INT(4, last_no(t, b));
    v = look(t, b);
    CHECK_OK(b->ops->entry_get(v, t->arena, bid, 2, &row, &t->err));
    CHECK_STR("second", row.body.p + 15);
    CHECK_OK(b->ops->head_get(v, t->arena, sid, &head, &t->err));
    CHECK_INT(3, head.tip);
    CHECK_INT(3, head.depth);
    CHECK_INT(bid, head.row.bid);
    b->ops->snapshot_end(v);
    b->ops->close(b);
}

TEST(entries_get_their_numbers_at_commit)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct change c[4] = { { .op = CHANGE_RECORD_PUT } };
    struct txn txn = { .changes = c, .nchanges = 4 };
    struct changelog_row log;
    struct entry_row row;
    struct snapshot *v;
    int64_t bid, sid = add_session(t, b, "one", &bid);

    c[0].u.record = (struct record_row){ .sid = sid, .kind = RECORD_CALL, .body = { "call", 4 } };
    c[1] = entry_at(t, bid, 1, "a");
    c[2] = entry_at(t, bid, 2, "b");
    c[2].call_new = 1;
    c[3] = (struct change){ .op = CHANGE_KEY_PUT };
    c[3].u.key = (struct key_row){ .key = "me\x1f"
                                          "1\x1fk",
                                   .expires = KEY_DAYS_MS + 100 };
    txn.log = (struct changelog_row){ .n = 2,
                                      .sid = sid,
                                      .kind = CHANGELOG_APPEND,
                                      .time = 77,
                                      .bid = bid,
                                      .depth = 2,
                                      .record = NEW_RECORD(0) };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    CHECK_INT(3, txn.no);
    CHECK_INT(1, txn.ords[0]);
    v = look(t, b);
    CHECK_OK(b->ops->changelog_get(v, 3, &log, &t->err));
    CHECK_INT(1, log.record);
    CHECK_INT(2, log.n);
    CHECK_OK(b->ops->entry_get(v, t->arena, bid, 2, &row, &t->err));
    CHECK_INT(3, row.body.p[5]);  /* its new number; see core/pack/pack.h */
    CHECK_INT(1, row.body.p[11]); /* its call */
    CHECK_OK(b->ops->entry_get(v, t->arena, bid, 1, &row, &t->err));
    CHECK_INT(2, row.body.p[5]);
    CHECK_INT(0, row.body.p[11]);
    b->ops->snapshot_end(v);
    b->ops->close(b);
}

TEST(one_loser_of_a_batch_is_undone_alone)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct deadline p = soon();
    struct txn txns[3], *list[3];
    struct change c[3][2];
    int64_t bid, sid = add_session(t, b, "one", &bid);

    for (int i = 0; i < 3; i++) {
        /* Entries at depth 1, 1 and 2: the second txn loses after its record was written. */
        c[i][0] = (struct change){ .op = CHANGE_RECORD_PUT };
        c[i][0].u.record =
            (struct record_row){ .sid = sid, .kind = RECORD_MEMORY, .body = { "m", 1 } };
        c[i][1] = entry_at(t, bid, i == 2 ? 2 : 1, "x");
        txns[i] = (struct txn){ .changes = c[i], .nchanges = 2 };
        txns[i].log = (struct changelog_row){ .kind = CHANGELOG_APPEND, .n = 1, .sid = sid };
        list[i] = &txns[i];
    }
    CHECK_OK(b->ops->commit(b, list, 3, &p, &t->err));
    CHECK_INT(TXN_DONE, txns[0].state);
    CHECK_INT(TXN_LOST, txns[1].state);
    CHECK_STR("tip", txns[1].lost);
    CHECK_INT(TXN_DONE, txns[2].state);
    CHECK_INT(2, txns[2].ords[0]);
    CHECK_INT(3, txns[2].no);
    CHECK_INT(2, tip_of(t, b, bid));
    b->ops->close(b);
}

TEST(unique_things_stay_unique)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct change c = { .op = CHANGE_ALIAS_ADD };
    struct txn txn = { .changes = &c, .nchanges = 1, .log = { .kind = CHANGELOG_RECORD, .n = 1 } };
    int64_t bid;

    add_session(t, b, "one", &bid);
    c.u.alias = (struct alias_row){ "id", 1, ALIAS_ENTRY, 1, 1 };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    CHECK_INT(TXN_LOST, run(t, b, &txn));
    CHECK_STR("alias", txn.lost);
    c = (struct change){ .op = CHANGE_SESSION_NEW };
    c.u.session.row = (struct session_row){ .slug = "one" };
    CHECK_INT(TXN_LOST, run(t, b, &txn));
    CHECK_STR("slug", txn.lost);
    c = (struct change){ .op = CHANGE_KEY_PUT };
    c.u.key = (struct key_row){ .key = "me\x1f"
                                       "1\x1fk",
                                .expires = KEY_DAYS_MS + 100 };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    CHECK_INT(TXN_LOST, run(t, b, &txn));
    CHECK_STR("key", txn.lost);
    c.u.key.expires = 2 * KEY_DAYS_MS + 200; /* the first key has expired by then */
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    c = (struct change){ .op = CHANGE_HEAD_SET };
    c.u.head = (struct head_row){ .sid = 1, .ver = 1, .bid = 0 };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    CHECK_INT(TXN_LOST, run(t, b, &txn));
    CHECK_STR("head", txn.lost);
    add_session(t, b, "two", &bid);
    CHECK_INT(2, bid);
    b->ops->close(b);
}

TEST(a_view_is_of_one_moment)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct branch_row row;
    struct snapshot *v;
    int64_t tip, bid, sid = add_session(t, b, "one", &bid);

    append(t, b, sid, bid, 1, "a");
    v = look(t, b);
    append(t, b, sid, bid, 2, "b");
    CHECK_OK(b->ops->branch_get(v, bid, &row, &t->err));
    CHECK_OK(b->ops->branch_tip(v, &row, &tip, &t->err));
    CHECK_INT(1, tip);
    b->ops->snapshot_end(v);
    CHECK_INT(2, tip_of(t, b, bid));
    b->ops->close(b);
}

TEST(another_process_is_noticed)
{
    const char *path = test_path(t, "s.db");
    struct backend *a = open_at(t, path), *b = open_at(t, path);
    int64_t bid, sid = add_session(t, a, "one", &bid);

    CHECK_INT(TXN_DONE, append(t, a, sid, bid, 1, "a"));
    CHECK_INT(TXN_DONE, append(t, b, sid, bid, 2, "b"));
    CHECK_INT(TXN_LOST, append(t, a, sid, bid, 2, "late"));
    CHECK_INT(TXN_DONE, append(t, a, sid, bid, 3, "c"));
    CHECK_INT(TXN_DONE, append(t, b, sid, bid, 4, "d"));
    CHECK_INT(5, last_no(t, a));
    a->ops->close(a);
    b->ops->close(b);
}

TEST(a_newer_format_stops_writing)
{
    const char *path = test_path(t, "s.db");
    struct backend *b = open_at(t, path);
    struct change c;
    struct txn txn = { .changes = &c, .nchanges = 1, .log = { .kind = CHANGELOG_APPEND, .n = 1 } };
    struct txn *list[] = { &txn };
    struct deadline p = soon();
    sqlite3 *db;
    int64_t bid, sid = add_session(t, b, "one", &bid);

    append(t, b, sid, bid, 1, "a");
    CHECK_INT(SQLITE_OK, sqlite3_open(path, &db));
    CHECK_INT(SQLITE_OK, sqlite3_exec(db, "PRAGMA user_version = 9999", NULL, NULL, NULL));
    sqlite3_close(db);
    c = entry_at(t, bid, 2, "b");
    CHECK_RC(BOUGH_VERSION, b->ops->commit(b, list, 1, &p, &t->err));
    CHECK_RC(BOUGH_VERSION, b->ops->commit(b, list, 1, &p, &t->err));
    CHECK_INT(1, tip_of(t, b, bid));
    b->ops->close(b);
    CHECK_RC(BOUGH_VERSION, try_open(t, path, false, &b));
}

TEST(counters_out_of_range_stop_writing)
{
    static const char *const bad[] = { "'session', -1", "'session', 2147483648", "'branch', -1",
                                       "'branch', 2147483648" };
    const char *path = test_path(t, "s.db");
    struct backend *b = open_at(t, path);
    struct deadline p = soon();
    struct change c = { .op = CHANGE_RECORD_PUT };
    struct txn txn = { .changes = &c, .nchanges = 1, .log = { .kind = CHANGELOG_RECORD, .n = 1 } };
    struct txn *list[] = { &txn };
    int64_t bid, sid = add_session(t, b, "one", &bid);
    sqlite3 *db;

    b->ops->close(b);
    c.u.record = (struct record_row){ .sid = sid, .kind = RECORD_TODO, .body = { "x", 1 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_INT(SQLITE_OK, sqlite3_open(path, &db));
        CHECK_INT(SQLITE_OK,
                  sqlite3_exec(db,
                               arena_printf(t->arena,
                                            "UPDATE counter SET value = 1;"
                                            "INSERT OR REPLACE INTO counter (name, value) VALUES"
                                            " (%s)",
                                            bad[i]),
                               NULL, NULL, NULL));
        sqlite3_close(db);
        b = open_at(t, path);
        CHECK_RC(BOUGH_CORRUPT, b->ops->commit(b, list, 1, &p, &t->err));
        b->ops->close(b);
    }
}

TEST(holding_keeps_others_out_until_the_commit)
{
    const char *path = test_path(t, "s.db");
    struct backend *a = open_at(t, path), *b = open_at(t, path);
    struct deadline p = soon(), brief;
    struct change c;
    struct txn txn = { .changes = &c, .nchanges = 1, .log = { .kind = CHANGELOG_APPEND, .n = 1 } };
    struct txn *list[] = { &txn };
    int64_t bid, sid = add_session(t, a, "one", &bid);

    c = entry_at(t, bid, 1, "x");
    CHECK_OK(a->ops->hold(a, &p, &t->err));
    brief = (struct deadline){ mono_us() + 20000, NULL };
    CHECK_RC(BOUGH_TIMEOUT, b->ops->commit(b, list, 1, &brief, &t->err));
    CHECK_INT(TXN_DONE, append(t, a, sid, bid, 1, "mine"));
    a->ops->release(a);
    CHECK_INT(TXN_DONE, append(t, b, sid, bid, 2, "yours"));
    CHECK_OK(a->ops->hold(a, &p, &t->err));
    a->ops->release(a);
    CHECK_INT(TXN_DONE, append(t, b, sid, bid, 3, "yours"));
    CHECK_INT(TXN_DONE, append(t, a, sid, bid, 4, "mine"));
    a->ops->close(a);
    b->ops->close(b);
}

static int64_t write_megabytes(struct test *t, struct backend *b, int64_t bid, int64_t depth, int n)
{
    static char big[64 << 10];

    for (int i = 0; i < 16 * n; i++) {
        struct change c = { .op = CHANGE_ENTRY_ADD };
        struct txn txn = { .changes = &c, .nchanges = 1, .relaxed = true };

        c.u.entry = (struct entry_row){ .bid = bid, .depth = depth++, .body = { big, sizeof big } };
        txn.log = (struct changelog_row){ .kind = CHANGELOG_APPEND, .n = 1 };
        CHECK_INT(TXN_DONE, run(t, b, &txn));
    }
    return depth;
}

TEST_SECONDS(the_log_stays_small_without_upkeep, 60)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    const char *wal = test_path(t, "s.db-wal");
    struct snapshot *v;
    int64_t bid, depth = 1;

    add_session(t, b, "one", &bid);
    depth = write_megabytes(t, b, bid, depth, 40);
    CHECK(fs_size(wal) < 20 << 20);
    v = look(t, b); /* an open snapshot blocks the checkpoint */
    depth = write_megabytes(t, b, bid, depth, 80);
    CHECK(fs_size(wal) > 70 << 20);
    b->ops->snapshot_end(v);
    depth = write_megabytes(t, b, bid, depth, 2);
    b->ops->upkeep(b, true);
    CHECK_INT(0, fs_size(wal));
    CHECK_INT(depth - 1, tip_of(t, b, bid));
    b->ops->close(b);
}

TEST(a_lock_held_too_long_is_a_timeout)
{
    const char *path = test_path(t, "s.db");
    struct backend *b = open_at(t, path);
    struct change c;
    struct txn txn = { .changes = &c, .nchanges = 1, .log = { .kind = CHANGELOG_APPEND, .n = 1 } };
    struct txn *list[] = { &txn };
    struct deadline p = { mono_us() + 50000, NULL };
    bool cancel = true;
    sqlite3 *db;
    int64_t bid, sid = add_session(t, b, "one", &bid);

    (void)sid;
    CHECK_INT(SQLITE_OK, sqlite3_open(path, &db));
    CHECK_INT(SQLITE_OK, sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL));
    c = entry_at(t, bid, 1, "b");
    CHECK_RC(BOUGH_TIMEOUT, b->ops->commit(b, list, 1, &p, &t->err));
    CHECK(mono_us() >= p.until_us);
    p = soon();
    p.cancel = &cancel;
    CHECK_RC(BOUGH_CANCELLED, b->ops->commit(b, list, 1, &p, &t->err));
    CHECK(mono_us() < p.until_us);
    CHECK_INT(SQLITE_OK, sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL));
    sqlite3_close(db);
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    b->ops->close(b);
}
