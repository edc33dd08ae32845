/* Arena: alignment, growth, marks, resizing, reset. */
#include "lib/test.h"

#include "base/memory/arena.h"

TEST(allocations_are_aligned_and_do_not_overlap)
{
    unsigned char *p[500];
    size_t i, k;

    for (i = 0; i < 500; i++) {
        arena_strndup(t->arena, "x", 1); /* makes the next address unaligned */
        p[i] = arena_alloc(t->arena, i);
        CHECK_INT(0, (uintptr_t)p[i] % 16);
        memset(p[i], (int)(i & 255), i);
    }
    for (i = 0; i < 500; i++)
        for (k = 0; k < i; k++)
            CHECK_INT(i & 255, p[i][k]);
}

TEST(large_allocations_leave_the_small_chunk_in_use)
{
    char *a = arena_strdup(t->arena, "a");
    char *big = arena_alloc(t->arena, 10 << 20);
    char *b = arena_strdup(t->arena, "b");

    memset(big, 1, 10 << 20);
    CHECK(b == a + 2);
}

TEST(zeroed_and_copied_memory_is_what_it_says)
{
    static const char zero[100];
    char *p;

    memset(arena_alloc(t->arena, 100), 0xff, 100);
    bough_arena_reset(t->arena);
    CHECK_MEM(zero, arena_zalloc(t->arena, 100), 100);
    CHECK_MEM(zero, arena_array(t->arena, 10, 10), 100);
    CHECK_MEM("abc", arena_dup(t->arena, "abcdef", 3), 3);
    CHECK_STR("abc", arena_strndup(t->arena, "abcdef", 3));
    CHECK_STR("", arena_strndup(t->arena, NULL, 0));
    CHECK_STR("x", bough_arena_strdup(t->arena, "x"));
    CHECK(arena_strdup(t->arena, NULL) == NULL);
    p = arena_dup(t->arena, NULL, 0);
    CHECK(p != NULL);
}

TEST(printf_handles_short_and_long_results)
{
    char *s = arena_printf(t->arena, "%d-%s", 7, "x");
    int n;

    CHECK_STR("7-x", s);
    for (n = 250; n < 260; n++) {
        s = arena_printf(t->arena, "%*d", n, 5);
        CHECK_INT(n, strlen(s));
        CHECK_INT('5', s[n - 1]);
    }
}

TEST(rewinding_forgets_what_came_after_the_mark)
{
    struct arena_mark mark;
    size_t used;
    char *first;
    int i;

    arena_strdup(t->arena, "kept");
    mark = arena_mark(t->arena);
    used = arena_used(t->arena);
    first = arena_alloc(t->arena, 8);
    for (i = 0; i < 1000; i++)
        arena_alloc(t->arena, 1000);
    arena_alloc(t->arena, 5 << 20);
    arena_rewind(t->arena, mark);
    CHECK_INT(used, arena_used(t->arena));
    CHECK(arena_alloc(t->arena, 8) == (void *)first);
}

TEST(marks_nest)
{
    struct arena_mark outer, inner;
    size_t at_outer, at_inner;

    outer = arena_mark(t->arena);
    at_outer = arena_used(t->arena);
    arena_alloc(t->arena, 100000);
    inner = arena_mark(t->arena);
    at_inner = arena_used(t->arena);
    arena_alloc(t->arena, 100);
    arena_alloc(t->arena, 100000);
    arena_rewind(t->arena, inner);
    CHECK_INT(at_inner, arena_used(t->arena));
    arena_rewind(t->arena, outer);
    CHECK_INT(at_outer, arena_used(t->arena));
}

TEST(the_newest_allocation_grows_in_place)
{
    char *p = arena_alloc(t->arena, 10), *q;

    memcpy(p, "0123456789", 10);
    q = arena_resize(t->arena, p, 10, 100);
    CHECK(q == p);
    q = arena_resize(t->arena, p, 100, 5);
    CHECK(q == p);
    CHECK(arena_strdup(t->arena, "") == p + 5);
}

TEST(an_older_allocation_moves_when_it_grows)
{
    char *p = arena_alloc(t->arena, 10), *q;

    memcpy(p, "0123456789", 10);
    arena_alloc(t->arena, 1);
    q = arena_resize(t->arena, p, 10, 20);
    CHECK(q != p);
    CHECK_MEM("0123456789", q, 10);
    CHECK(arena_resize(t->arena, p, 10, 3) == (void *)p);
}

TEST(a_large_allocation_grows_and_shrinks_and_can_be_rewound)
{
    struct arena_mark mark = arena_mark(t->arena), after;
    size_t n, used = arena_used(t->arena);
    char *p = arena_alloc(t->arena, 100000);

    memset(p, 'a', 100000);
    after = arena_mark(t->arena);
    for (n = 100000; n < 10000000; n *= 2)
        p = arena_resize(t->arena, p, n, n * 2);
    p = arena_resize(t->arena, p, n, 50000);
    CHECK(p[0] == 'a' && p[49999] == 'a');
    arena_alloc(t->arena, 200000);
    arena_rewind(t->arena, after);
    CHECK(p[49999] == 'a');
    arena_rewind(t->arena, mark);
    CHECK_INT(used, arena_used(t->arena));
}

TEST(resize_of_nothing_allocates)
{
    memset(arena_resize(t->arena, NULL, 0, 64), 1, 64);
}

TEST(reset_forgets_everything_and_can_be_repeated)
{
    int i;

    for (i = 0; i < 50; i++) {
        arena_alloc(t->arena, 100);
        arena_alloc(t->arena, (size_t)i * 10000);
        bough_arena_reset(t->arena);
        CHECK_INT(0, arena_used(t->arena));
    }
}

TEST(destroying_no_arena_is_fine)
{
    bough_arena_destroy(NULL);
}
