/* Helpers for tests of the SQLite backend's ops: building rows and txns. */
#include "fixture.h"

#include "base/memory/arena.h"

struct deadline soon(void)
{
    return (struct deadline){ mono_us() + 10000000, NULL };
}

enum bough_rc try_open(struct test *t, const char *path, bool read_only, struct backend **out)
{
    struct backend_config config = { .path = path, .read_only = read_only, .env = &t->env.env };

    config.deadline = soon();
    return sqlite_backend.open(out, &config, &t->err);
}

struct backend *open_at(struct test *t, const char *path)
{
    struct backend *b = NULL;

    CHECK_OK(try_open(t, path, false, &b));
    return b;
}

enum txn_state run(struct test *t, struct backend *b, struct txn *txn)
{
    struct deadline p = soon();

    CHECK_OK(b->ops->commit(b, &txn, 1, &p, &t->err));
    return txn->state;
}

int64_t add_session(struct test *t, struct backend *b, const char *slug, int64_t *bid)
{
    struct change changes[2] = { { .op = CHANGE_SESSION_NEW }, { .op = CHANGE_BRANCH_NEW } };
    struct txn txn = { .changes = changes, .nchanges = 2 };

    changes[0].u.session.row = (struct session_row){ .slug = slug, .made = 5, .body = { "b", 1 } };
    changes[0].u.session.head = (struct head_row){ .bid = NEW_BRANCH(0), .lease_owner = "" };
    changes[1].u.branch = (struct branch_row){ .sid = NEW_SESSION };
    txn.log = (struct changelog_row){ .kind = CHANGELOG_SESSION_NEW, .n = 1, .sid = NEW_SESSION };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    *bid = txn.bids[0];
    return txn.sid;
}

struct bough_str body(struct test *t, const char *text, size_t n)
{
    char *p = arena_zalloc(t->arena, n + 16);

    memcpy(p + 15, text, strlen(text) < n - 15 ? strlen(text) : n - 15);
    return (struct bough_str){ p, n };
}

struct change entry_at(struct test *t, int64_t bid, int64_t depth, const char *text)
{
    struct change c = { .op = CHANGE_ENTRY_ADD };

    c.u.entry = (struct entry_row){ .bid = bid, .depth = depth, .body = body(t, text, 200) };
    return c;
}

enum txn_state append(struct test *t, struct backend *b, int64_t sid, int64_t bid, int64_t depth,
                      const char *text)
{
    struct change c = entry_at(t, bid, depth, text);
    struct guard g = guard_head(sid, 1);
    struct txn txn = { .guards = &g, .nguards = 1, .changes = &c, .nchanges = 1 };

    txn.log = (struct changelog_row){
        .kind = CHANGELOG_APPEND, .n = 1, .sid = sid, .bid = bid, .depth = depth
    };
    return run(t, b, &txn);
}

struct snapshot *look(struct test *t, struct backend *b)
{
    struct deadline p = soon();
    struct snapshot *v = NULL;

    CHECK_OK(b->ops->snapshot_begin(b, &v, &p, &t->err));
    return v;
}

int64_t tip_of(struct test *t, struct backend *b, int64_t bid)
{
    struct snapshot *v = look(t, b);
    struct branch_row row;
    int64_t tip;

    CHECK_OK(b->ops->branch_get(v, bid, &row, &t->err));
    CHECK_OK(b->ops->branch_tip(v, &row, &tip, &t->err));
    b->ops->snapshot_end(v);
    return tip;
}

int64_t last_no(struct test *t, struct backend *b)
{
    struct snapshot *v = look(t, b);
    int64_t no;

    CHECK_OK(b->ops->changelog_last(v, &no, &t->err));
    b->ops->snapshot_end(v);
    return no;
}
