/* A unified diff of two texts. Lines that both have in front and behind are left out; what is
 * between is compared line by line if it is not too much. Pure. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "tools/builtin/builtin.h"

enum {
    AROUND = 3,                   /* lines of context */
    TABLE_MOST = 4 * 1024 * 1024, /* cells of the table of common lines */
};

struct lines {
    struct bough_str *at; /* with their ends */
    size_t n;
};

static struct lines split(struct bough_arena *a, struct bough_str text)
{
    struct lines l = { 0 };

    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) + 1 : text.n;

        l.at = arena_room(a, l.at, l.n, sizeof *l.at);
        l.at[l.n++] = str_make(text.p, n);
        text.p += n;
        text.n -= n;
    }
    return l;
}

/* A step from one text to the other: ' ' keeps a line, '-' drops one, '+' adds one. */
struct script {
    char *at;
    size_t n;
};

static void step(struct bough_arena *a, struct script *s, char what)
{
    s->at = arena_room(a, s->at, s->n, 1);
    s->at[s->n++] = what;
}

static void steps(struct bough_arena *a, struct script *s, char what, size_t n)
{
    while (n--)
        step(a, s, what);
}

/* The longest common subsequence of the middle parts, by the usual table of lengths. */
static void compare(struct bough_arena *a, struct script *s, const struct bough_str *old, size_t n,
                    const struct bough_str *new, size_t m)
{
    uint32_t *table = mem_zalloc(mem_array((n + 1) * (m + 1), sizeof *table));
    size_t i = 0, j = 0, row = m + 1;

    for (size_t x = n; x-- > 0;)
        for (size_t y = m; y-- > 0;)
            table[x * row + y] = str_eq(old[x], new[y]) ? table[(x + 1) * row + y + 1] + 1
                                 : table[(x + 1) * row + y] >= table[x * row + y + 1]
                                     ? table[(x + 1) * row + y]
                                     : table[x * row + y + 1];
    while (i < n && j < m) {
        if (str_eq(old[i], new[j])) {
            step(a, s, ' ');
            i++;
            j++;
        } else if (table[(i + 1) * row + j] >= table[i * row + j + 1]) {
            step(a, s, '-');
            i++;
        } else {
            step(a, s, '+');
            j++;
        }
    }
    steps(a, s, '-', n - i);
    steps(a, s, '+', m - j);
    mem_free(table);
}

static struct script script_of(struct bough_arena *a, struct lines old, struct lines new)
{
    size_t front = 0, back = 0, n, m;
    struct script s = { 0 };

    while (front < old.n && front < new.n &&str_eq(old.at[front], new.at[front]))
        front++;
    while (back < old.n - front &&
           back < new.n - front &&str_eq(old.at[old.n - 1 - back], new.at[new.n - 1 - back]))
        back++;
    n = old.n - front - back;
    m = new.n - front - back;
    steps(a, &s, ' ', front);
    if (n && m && (n + 1) <= TABLE_MOST / (m + 1)) {
        compare(a, &s, old.at + front, n, new.at + front, m);
    } else {
        steps(a, &s, '-', n);
        steps(a, &s, '+', m);
    }
    steps(a, &s, ' ', back);
    return s;
}

/* The end of the hunk that begins at `from`: behind the context of the last change that is less
 * than two contexts away from the one before. */
static size_t hunk_end(const struct script *s, size_t from)
{
    size_t last = from, quiet = 0;

    for (size_t i = from; i < s->n && quiet <= 2 * AROUND; i++) {
        quiet = s->at[i] == ' ' ? quiet + 1 : 0;
        if (s->at[i] != ' ')
            last = i;
    }
    return last + 1 + AROUND < s->n ? last + 1 + AROUND : s->n;
}

static void put_line(struct buf *out, char sign, struct bough_str line)
{
    buf_putc(out, sign);
    buf_put_str(out, line);
    if (!line.n || line.p[line.n - 1] != '\n')
        buf_puts(out, "\n\\ No newline at end of file\n");
}

struct place {
    size_t old, new; /* lines before this step */
};

static void advance(struct place *p, char what)
{
    p->old += what != '+';
    p->new += what != '-';
}

static struct bough_str line_of(const struct lines *l, size_t i)
{
    return i < l->n ? l->at[i] : str_of("");
}

static void put_hunk(struct buf *out, const struct script *s, size_t from, size_t to,
                     struct place p, const struct lines *old, const struct lines *new)
{
    struct place end = p;

    for (size_t i = from; i < to; i++)
        advance(&end, s->at[i]);
    buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", end.old > p.old ? p.old + 1 : p.old,
               end.old - p.old, end.new > p.new ? p.new + 1 : p.new, end.new - p.new);
    for (size_t i = from; i < to; i++) {
        put_line(out, s->at[i], s->at[i] == '+' ? line_of(new, p.new) : line_of(old, p.old));
        advance(&p, s->at[i]);
    }
}

struct bough_str builtin_diff(struct bough_arena *a, struct bough_str before,
                              struct bough_str after)
{
    struct lines old = split(a, before), new = split(a, after);
    struct script s = script_of(a, old, new);
    struct place p = { 0 };
    size_t done = 0, good = 0;
    struct buf out;

    buf_init(&out, DIFF_MOST);
    for (size_t i = 0; i < s.n && !out.over; i++) {
        size_t from, to;
        struct place at = { 0 };

        if (s.at[i] == ' ')
            continue;
        from = i > done + AROUND ? i - AROUND : done;
        to = hunk_end(&s, i);
        at = p;
        for (size_t k = done; k < from; k++)
            advance(&at, s.at[k]);
        good = out.n;
        put_hunk(&out, &s, from, to, at, &old, &new);
        for (size_t k = done; k < to; k++)
            advance(&p, s.at[k]);
        done = to;
        i = to - 1;
    }
    if (out.over) { /* keep whole hunks */
        const char *cut =
            arena_printf(a, "%.*s... the diff is too long to be shown in full\n", (int)good, out.p);

        buf_finish(&out);
        return str_of(cut);
    }
    return buf_give(&out, a);
}
