/* Column layout: which columns shrink, which are dropped, and how freed space is used. */
#include "cli/term/table.h"

#include <stdio.h>

#include "lib/test.h"

static const struct table_column columns[] = {
    { "ID", .piped = true }, { "#", .right = true },    { "WHEN", .drop = 1 },
    { "MODEL", .drop = 2 },  { "TITLE", .flex = true },
};

/* The column widths for a terminal of `width` columns, as text: "0 2 8 6 40". */
static const char *widths(struct test *t, const char *title, size_t width)
{
    struct table table;
    size_t at[TABLE_COLUMNS];
    char out[64];

    table_init(&table, t->arena, columns, 5);
    table_put(&table, "01M7H2NGP20000008000001D5R");
    table_put(&table, "#1");
    table_put(&table, "just now");
    table_put(&table, "claude");
    table_put(&table, title);
    table_widths(&table, width, at);
    snprintf(out, sizeof out, "%zu %zu %zu %zu %zu", at[0], at[1], at[2], at[3], at[4]);
    return bough_arena_strdup(t->arena, out);
}

#define LONG "a title of fifty characters that is there to be cut"

TEST(columns_are_as_wide_as_what_they_hold)
{
    CHECK_STR("0 2 8 6 5", widths(t, "x", 80));
    CHECK_STR("0 2 8 6 6", widths(t, "\u65e5\u672c\u8a9e", 80));
}

TEST(a_flexible_column_shrinks_first)
{
    CHECK_STR("0 2 8 6 51", widths(t, LONG, 80));
    CHECK_STR("0 2 8 6 38", widths(t, LONG, 60));
    CHECK_STR("0 2 8 6 24", widths(t, LONG, 46));
}

TEST(then_columns_are_left_out_and_their_room_is_given_back)
{
    CHECK_STR("0 2 8 0 31", widths(t, LONG, 45));
    CHECK_STR("0 2 0 0 33", widths(t, LONG, 37));
}

TEST(a_very_narrow_terminal_cuts_the_last_column)
{
    CHECK_STR("0 2 0 0 16", widths(t, LONG, 20));
    CHECK_STR("0 2 0 0 4", widths(t, LONG, 3));
}

TEST(a_table_without_rows_is_as_wide_as_its_titles)
{
    struct table table;
    size_t at[TABLE_COLUMNS];

    table_init(&table, t->arena, columns, 5);
    table_widths(&table, 80, at);
    CHECK_INT(5, (int64_t)at[4]);
}
