/* Buffer: growth, the NUL behind the end, the hard maximum. */
#include "lib/test.h"

#include "base/memory/arena.h"
#include "base/memory/buf.h"

TEST(a_new_buffer_is_an_empty_string)
{
    struct buf b;

    buf_init(&b, 100);
    CHECK_STR("", b.p);
    CHECK_SPAN("", buf_str(&b));
    buf_reset(&b);
    CHECK_STR("", b.p);
    buf_finish(&b);
}

TEST(all_writes_append_and_keep_the_nul)
{
    struct buf b;
    char *p;

    buf_init(&b, 1000);
    buf_puts(&b, "ab");
    buf_putc(&b, 'c');
    buf_put(&b, "d\0e", 3);
    buf_put(&b, NULL, 0);
    buf_printf(&b, "%d", 42);
    buf_put_str(&b, (struct bough_str){ "xy", 1 });
    p = buf_reserve(&b, 10);
    CHECK(p != NULL);
    memcpy(p, "zzzz", 4);
    b.n += 4;
    buf_end(&b);
    CHECK_INT(13, b.n);
    CHECK_MEM("abcd\0e42xzzzz", b.p, 14);
    buf_finish(&b);
}

TEST(growing_keeps_the_bytes)
{
    struct buf b;
    int i;

    buf_init(&b, 1 << 20);
    for (i = 0; i < 100000; i++) {
        buf_putc(&b, (char)('a' + i % 26));
        if (i % 1000 == 0)
            CHECK_INT(0, b.p[b.n]);
    }
    for (i = 0; i < 100000; i++)
        CHECK_INT('a' + i % 26, b.p[i]);
    CHECK(!b.over);
    buf_finish(&b);
}

TEST(exactly_the_maximum_fits_and_one_more_does_not)
{
    size_t max, i;

    for (max = 0; max < 200; max++) {
        struct buf b;

        buf_init(&b, max);
        for (i = 0; i < max; i++)
            buf_putc(&b, 'x');
        CHECK(!b.over);
        CHECK_INT(max, strlen(b.p));
        CHECK(b.cap <= max + 1);
        buf_putc(&b, 'y');
        CHECK(b.over);
        CHECK_INT(max, b.n);
        buf_finish(&b);
    }
}

TEST(a_write_past_the_maximum_is_dropped_whole_and_the_flag_stays)
{
    struct buf b;

    buf_init(&b, 10);
    buf_puts(&b, "12345");
    buf_puts(&b, "678901");
    CHECK(b.over);
    CHECK_STR("12345", b.p);
    buf_puts(&b, "6");
    buf_putc(&b, '6');
    buf_printf(&b, "6");
    CHECK(buf_reserve(&b, 1) == NULL);
    CHECK_STR("12345", b.p);
    buf_reset(&b);
    CHECK(!b.over);
    buf_puts(&b, "ok");
    CHECK_STR("ok", b.p);
    buf_finish(&b);
}

TEST(a_huge_write_cannot_wrap_around)
{
    struct buf b;

    buf_init(&b, SIZE_MAX);
    buf_puts(&b, "abc");
    CHECK(buf_reserve(&b, SIZE_MAX - 2) == NULL);
    CHECK(b.over);
    buf_finish(&b);
}

TEST(a_finished_or_zeroed_buffer_can_be_finished_again)
{
    struct buf b = { 0 };

    buf_finish(&b);
    buf_puts(&b, "");
    buf_finish(&b);
    buf_finish(&b);
}

TEST(the_contents_given_to_an_arena_live_as_long_as_it_does)
{
    struct arena_mark mark = arena_mark(t->arena);
    struct bough_str s;
    struct buf b;

    buf_init(&b, 100000);
    for (int i = 0; i < 10000; i++)
        buf_putc(&b, 'a');
    s = buf_give(&b, t->arena);
    CHECK_INT(10000, s.n);
    CHECK(s.p[0] == 'a' && s.p[9999] == 'a' && s.p[10000] == '\0');
    CHECK_STR("", b.p); /* empty, and usable again */
    buf_puts(&b, "more");
    CHECK_SPAN("more", buf_give(&b, t->arena));
    CHECK(arena_used(t->arena) >= 10000);
    arena_rewind(t->arena, mark); /* ASan finds what is not freed, or freed twice */
    s = buf_give(&b, t->arena);
    CHECK_SPAN("", s);
    buf_finish(&b);
}
