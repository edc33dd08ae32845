/* Drawing branches: lanes, forks, shortened runs. */
#include "cli/term/graph.h"

#include "base/memory/buf.h"
#include "lib/test.h"

static bool write_row(void *user, const struct graph_row *row)
{
    struct buf *b = user;

    buf_puts(b, row->prefix);
    if (row->what == GRAPH_ENTRY)
        buf_printf(b, "%lld.%lld", (long long)row->at.branch, (long long)row->at.depth);
    if (row->what == GRAPH_SKIP || row->what == GRAPH_EXTRA)
        buf_printf(b, "%lld", (long long)row->n);
    buf_putc(b, '\n');
    return true;
}

static const char *drawn(struct test *t, const struct graph *g)
{
    struct buf b;
    const char *out;

    buf_init(&b, 1 << 20);
    graph_draw(t->arena, g, write_row, &b);
    out = bough_arena_strdup(t->arena, b.p);
    buf_finish(&b);
    return out;
}

#define GRAPH(...)                                                                                 \
    (&(struct graph){ .branches = (const struct graph_branch[]){ __VA_ARGS__ },                    \
                      .n = sizeof((const struct graph_branch[]){ __VA_ARGS__ }) /                  \
                           sizeof(struct graph_branch) })

TEST(nothing_is_drawn_of_nothing)
{
    CHECK_STR("", drawn(t, &(struct graph){ .n = 0 }));
    CHECK_STR("", drawn(t, GRAPH({ 1, { 0, 0 }, 0 })));
}

TEST(a_straight_run_is_shortened_to_its_ends)
{
    CHECK_STR("* 1.1\n", drawn(t, GRAPH({ 1, { 0, 0 }, 1 })));
    CHECK_STR("* 1.1\n* 1.2\n* 1.3\n", drawn(t, GRAPH({ 1, { 0, 0 }, 3 })));
    CHECK_STR("* 1.1\n: 8\n* 1.10\n", drawn(t, GRAPH({ 1, { 0, 0 }, 10 })));
}

TEST(all_entries_are_drawn_when_asked)
{
    struct graph g = *GRAPH({ 1, { 0, 0 }, 5 });

    g.all = true;
    CHECK_STR("* 1.1\n* 1.2\n* 1.3\n* 1.4\n* 1.5\n", drawn(t, &g));
}

TEST(a_branch_is_drawn_beside_what_it_hangs_on)
{
    CHECK_STR("* 1.1\n"
              "* 1.2\n"
              "|\\\n"
              "| * 2.3\n"
              "| * 2.4\n"
              "* 1.3\n",
              drawn(t, GRAPH({ 1, { 0, 0 }, 3 }, { 2, { 1, 2 }, 4 })));
}

TEST(branches_nest_and_stand_in_order_of_creation)
{
    CHECK_STR("* 1.1\n"
              "|\\\n"
              "| * 2.2\n"
              "| |\\\n"
              "| | * 4.3\n"
              "| * 2.3\n"
              "|\\\n"
              "| * 3.2\n"
              "* 1.2\n",
              drawn(t, GRAPH({ 1, { 0, 0 }, 2 }, { 2, { 1, 1 }, 3 }, { 3, { 1, 1 }, 2 },
                             { 4, { 2, 2 }, 3 })));
}

TEST(a_child_of_the_last_entry_takes_over_its_lane)
{
    CHECK_STR("* 1.1\n* 1.2\n* 5.3\n", drawn(t, GRAPH({ 5, { 1, 2 }, 3 }, { 1, { 0, 0 }, 2 })));
    CHECK_STR("* 1.1\n|\\\n| * 2.2\n* 3.2\n",
              drawn(t, GRAPH({ 1, { 0, 0 }, 1 }, { 2, { 1, 1 }, 2 }, { 3, { 1, 1 }, 2 })));
}

TEST(several_roots_follow_each_other)
{
    CHECK_STR("* 1.1\n* 2.1\n", drawn(t, GRAPH({ 1, { 0, 0 }, 1 }, { 2, { 0, 0 }, 1 })));
}

TEST(points_are_drawn_and_points_elsewhere_ignored)
{
    struct graph g = *GRAPH({ 1, { 0, 0 }, 20 });
    const struct bough_head points[] = { { 1, 10 }, { 1, 99 }, { 7, 1 }, { 0, 0 } };

    g.points = points;
    g.npoints = 4;
    CHECK_STR("* 1.1\n: 8\n* 1.10\n: 9\n* 1.20\n", drawn(t, &g));
}

TEST(extras_hang_beside_and_below)
{
    struct graph g = *GRAPH({ 1, { 0, 0 }, 2 });
    const struct bough_head extras[] = { { 1, 2 }, { 1, 1 }, { 1, 1 } };

    g.extras = extras;
    g.nextras = 3;
    CHECK_STR("* 1.1\n|\\\n| o 1\n|\\\n| o 2\n* 1.2\n \\\n  o 0\n", drawn(t, &g));
}

TEST(deep_nesting_stays_within_bounds)
{
    enum { N = 3000 };
    struct graph_branch *b = bough_arena_alloc(t->arena, N * sizeof *b);
    struct graph g = { .branches = b, .n = N };

    for (int64_t i = 0; i < N; i++)
        b[i] = (struct graph_branch){ i + 1, { i, i }, i + 2 };
    CHECK(strlen(drawn(t, &g)) < (size_t)N * 3 * 80);
}
