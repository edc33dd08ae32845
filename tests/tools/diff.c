/* Unified diffs: applied to the old text, they give the new one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "lib/test.h"
#include "tools/builtin/builtin.h"

/* The next line with its end; false at the end of the text. */
static bool next(struct bough_str *rest, struct bough_str *line)
{
    const char *end = memchr(rest->p, '\n', rest->n);

    if (!rest->n)
        return false;
    line->p = rest->p;
    line->n = end ? (size_t)(end - rest->p) + 1 : rest->n;
    rest->p += line->n;
    rest->n -= line->n;
    return true;
}

/* Apply a diff as patch(1) does. What it says about the old text must be true. */
static const char *apply(struct test *t, struct bough_str old, struct bough_str diff)
{
    struct bough_str line, from;
    struct buf out;
    size_t at = 1;

    buf_init(&out, 1 << 20);
    while (next(&diff, &line)) {
        unsigned long start, count, to, added;

        if (sscanf(line.p, "@@ -%lu,%lu +%lu,%lu @@", &start, &count, &to, &added) == 4) {
            for (; at < (count ? start : start + 1); at++) {
                CHECK(next(&old, &from));
                buf_put_str(&out, from);
            }
            continue;
        }
        if (*line.p == '\\') { /* the line before has no end */
            if (out.n && out.p[out.n - 1] == '\n' && !old.n)
                out.p[--out.n] = '\0';
            continue;
        }
        if (*line.p == '+') {
            buf_put(&out, line.p + 1, line.n - 1);
            continue;
        }
        CHECK(next(&old, &from));
        at++;
        CHECK(strncmp(from.p, line.p + 1, from.n < line.n - 1 ? from.n : line.n - 1) == 0);
        if (*line.p == ' ')
            buf_put_str(&out, from);
    }
    buf_put_str(&out, old);
    return buf_give(&out, t->arena).p;
}

static const char *random_text(struct test *t, uint64_t *seed, const char *before)
{
    struct bough_str rest = str_of(before), line;
    struct buf out;

    buf_init(&out, 1 << 16);
    while (next(&rest, &line)) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        switch (*seed >> 60) {
        case 0:
            buf_puts(&out, "added\n");
            buf_put_str(&out, line);
            break;
        case 1:
            break;
        case 2:
            buf_puts(&out, "changed\n");
            break;
        default:
            buf_put_str(&out, line);
        }
    }
    return out.n ? buf_give(&out, t->arena).p : "";
}

TEST(a_diff_turns_the_old_text_into_the_new_one)
{
    uint64_t seed = 7;

    for (int i = 0; i < 300; i++) {
        const char *old = "", *new;

        for (int k = 0; k < i % 40; k++)
            old = arena_printf(t->arena, "%sline %d\n", old, k % 7);
        new = random_text(t, &seed, old);
        CHECK_STR(new, apply(t, str_of(old), builtin_diff(t->arena, str_of(old), str_of(new))));
    }
}

TEST(equal_texts_have_no_diff_and_a_missing_line_end_is_told)
{
    CHECK_SPAN("", builtin_diff(t->arena, str_of("a\nb"), str_of("a\nb")));
    CHECK_SPAN("@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n",
               builtin_diff(t->arena, str_of("a\n"), str_of("a")));
    CHECK_SPAN("@@ -0,0 +1,1 @@\n+a\n", builtin_diff(t->arena, str_of(""), str_of("a\n")));
    CHECK_SPAN("@@ -1,1 +0,0 @@\n-a\n", builtin_diff(t->arena, str_of("a\n"), str_of("")));
}

TEST(changes_far_apart_are_hunks_of_their_own)
{
    const char *old = "", *new = "";
    struct bough_str diff;

    for (int i = 1; i <= 40; i++) {
        old = arena_printf(t->arena, "%s%d\n", old, i);
        new = arena_printf(t->arena, i == 5 || i == 30 ? "%sx%d\n" : "%s%d\n", new, i);
    }
    diff = builtin_diff(t->arena, str_of(old), str_of(new));
    CHECK_SPAN("@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x5\n 6\n 7\n 8\n"
               "@@ -27,7 +27,7 @@\n 27\n 28\n 29\n-30\n+x30\n 31\n 32\n 33\n",
               diff);
}

TEST(a_diff_of_large_texts_is_bounded)
{
    struct buf one, other;
    struct bough_str diff;

    buf_init(&one, 8 << 20);
    buf_init(&other, 8 << 20);
    for (int i = 0; i < 200000; i++) {
        buf_printf(&one, "line %d of the first text\n", i);
        buf_printf(&other, "line %d of the second text\n", i);
    }
    diff = builtin_diff(t->arena, buf_str(&one), buf_str(&other));
    CHECK(diff.n <= DIFF_MOST + 100);
    CHECK(str_ends(diff, "too long to be shown in full\n"));
    buf_finish(&one);
    buf_finish(&other);
}
