/* The plans of lists: every list is read in its order, by ranges of one index and without a sort.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "fixture.h"
#include "store/sqlite/rows/read.h"

/* The plan of a statement, one step a line. */
static const char *plan_of(struct test *t, sqlite3 *db, const char *sql)
{
    const char *out = "";
    sqlite3_stmt *st;

    CHECK_INT(SQLITE_OK,
              sqlite3_prepare_v2(db, arena_printf(t->arena, "EXPLAIN QUERY PLAN %s", sql), -1, &st,
                                 NULL));
    while (sqlite3_step(st) == SQLITE_ROW)
        out = arena_printf(t->arena, "%s%s\n", out, (const char *)sqlite3_column_text(st, 3));
    sqlite3_finalize(st);
    return out;
}

static int count(const char *text, const char *word)
{
    int n = 0;

    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        n++;
    return n;
}

/* Every search of the plan is by this index, equal in `equal` columns, and nothing is sorted. */
static void check_plan(struct test *t, sqlite3 *db, const struct list_query *q, const char *index,
                       const char *equal)
{
    static const char *const orders[] = { "created", "updated", "modified", "cost" };
    const char *plan, *step;
    struct buf sql;

    buf_init(&sql, 65536);
    sqlite_list_sql(q, &sql);
    plan = plan_of(t, db, sql.p);
    step = arena_printf(t->arena, "USING INDEX list_%s%s (%s", index, orders[q->order], equal);
    if (!count(plan, step) || count(plan, step) != count(plan, "SEARCH") || strstr(plan, "SCAN") ||
        strstr(plan, "TEMP B-TREE"))
        FAIL("this list is not read by list_%s%s:\n%s\n%s", index, orders[q->order], sql.p, plan);
    buf_finish(&sql);
}

TEST(lists_by_project_parent_workspace_account_role_and_status_are_ranges_of_an_index)
{
    static const int64_t active =
        1 << BOUGH_STATUS_IDLE | 1 << BOUGH_STATUS_BUSY | 1 << BOUGH_STATUS_RETRY;
    const struct {
        struct list_query q;
        const char *index, *equal;
    } rows[] = {
        { { .alive = true }, "", "kind=? AND gone=?" },
        { { .project = 1 }, "project_", "project=? AND kind=? AND gone=?" },
        { { .parent = 1, .project = 1 }, "parent_", "parent=? AND kind=? AND gone=?" },
        { { .workspace = 1 }, "workspace_", "workspace=? AND kind=? AND gone=?" },
        { { .account = 1, .statuses = 1 }, "account_", "account=? AND kind=? AND gone=?" },
        { { .role_name = "x" }, "role_", "role_name=? AND kind=? AND gone=?" },
        { { .statuses = 1 << BOUGH_STATUS_ARCHIVED }, "status_", "status=? AND kind=? AND gone=?" },
        { { .statuses = active, .alive = true }, "status_", "status=? AND kind=? AND gone=?" },
        { { .workspace = 1, .account = 1, .role_name = "x", .statuses = 1 },
          "workspace_",
          "workspace=? AND kind=? AND gone=?" },
        { { .errors = true, .statuses = 1 }, "errors_", "kind=? AND gone=?" },
        { { .last_state = BOUGH_OUTCOME_ERROR, .errors = true },
          "last_",
          "last_state=? AND kind=? AND gone=?" },
        { { .last_state = BOUGH_OUTCOME_OK, .cost_from = 5 }, "", "kind=? AND gone=?" },
    };
    struct backend *b = open_at(t, test_path(t, "s.db"));
    sqlite3 *db;

    b->ops->close(b);
    CHECK_INT(SQLITE_OK, sqlite3_open(test_path(t, "s.db"), &db));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int order = ORDER_CREATED; order <= ORDER_MODIFIED; order++)
            for (int after = 0; after < 2; after++) {
                struct list_query q = rows[i].q;

                q.order = (enum list_order)order;
                q.after_set = after;
                check_plan(t, db, &q, rows[i].index, rows[i].equal);
            }
    sqlite3_close(db);
}

TEST(lists_by_cost_are_ranges_of_an_index_whatever_else_is_asked)
{
    const struct {
        struct list_query q;
        const char *index, *equal;
    } rows[] = {
        { { .alive = true }, "", "kind=? AND gone=?" },
        { { .cost_from = 7 }, "", "kind=? AND gone=?" },
        { { .project = 1, .errors = true }, "project_", "project=? AND kind=? AND gone=?" },
        { { .workspace = 1, .statuses = 1, .last_state = 2 }, "", "kind=? AND gone=?" },
    };
    struct backend *b = open_at(t, test_path(t, "s.db"));
    sqlite3 *db;

    b->ops->close(b);
    CHECK_INT(SQLITE_OK, sqlite3_open(test_path(t, "s.db"), &db));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int after = 0; after < 2; after++) {
            struct list_query q = rows[i].q;

            q.order = ORDER_COST;
            q.after_set = after;
            check_plan(t, db, &q, rows[i].index, rows[i].equal);
        }
    sqlite3_close(db);
}
