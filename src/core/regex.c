/* Regular expressions: all ways through the steps at once, one character at a time. */
#include "core/regex.h"

#include <string.h>
#include <utf8proc.h>

#include "base/arena.h"
#include "base/utf8.h"

int32_t regex_lower(int32_t c)
{
    if (c < 128)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return utf8proc_tolower(c);
}

/* A way: at which step, and where in the text it began. */
struct way {
    int32_t step;
    size_t from;
};

struct ways {
    struct way *at;
    int32_t n;
};

struct run {
    const struct regex *re;
    struct bough_str text;
    struct ways now, next;
    size_t *seen;   /* step -> place + 1 at which it was last added */
    int32_t *stack; /* steps still to follow, the first choice on top */
    size_t place;   /* in bytes */
    int32_t before, after;
    bool found;
    size_t from, to;
};

/* ---- characters ---- */

static bool is_word(int32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_ranges(const struct regex *re, const struct regex_step *s, int32_t c)
{
    for (int32_t i = s->x; i < s->x + s->y; i++)
        if (c >= re->ranges[i].from && c <= re->ranges[i].to)
            return true;
    return false;
}

static bool in_set(const struct regex *re, const struct regex_step *s, int32_t c)
{
    if (in_ranges(re, s, c))
        return true;
    if (c < 128)
        return ((c | 32) >= 'a' && (c | 32) <= 'z') && in_ranges(re, s, c ^ 32);
    return in_ranges(re, s, utf8proc_tolower(c)) || in_ranges(re, s, utf8proc_toupper(c));
}

static bool takes(const struct regex *re, const struct regex_step *s, int32_t c)
{
    switch (s->op) {
    case REGEX_CHAR:
        return c == s->x || regex_lower(c) == s->x;
    case REGEX_ANY:
        return c != '\n' && c != '\r' && c != 0x2028 && c != 0x2029;
    case REGEX_SET:
        return in_set(re, s, c);
    case REGEX_NOT:
        return !in_set(re, s, c);
    case REGEX_SPLIT:
    case REGEX_JUMP:
    case REGEX_BEGIN:
    case REGEX_END:
    case REGEX_WORD:
    case REGEX_NO_WORD:
    case REGEX_DONE:
        break;
    }
    return false;
}

/* ---- ways ---- */

static bool holds(const struct run *r, enum regex_op op)
{
    bool edge = is_word(r->before) != is_word(r->after);

    if (op == REGEX_BEGIN)
        return r->place == 0;
    if (op == REGEX_END)
        return r->place == r->text.n;
    return op == REGEX_WORD ? edge : !edge;
}

/* All steps that wait for a character and can be reached from this one, first choices first. Every
 * step once a place: the first that comes there is the best. */
static void follow(struct run *r, struct ways *to, int32_t step, size_t from)
{
    int32_t n = 0;

    r->stack[n++] = step;
    while (n) {
        int32_t at = r->stack[--n];
        const struct regex_step *s = &r->re->at[at];

        if (r->seen[at] == r->place + 1)
            continue;
        r->seen[at] = r->place + 1;
        switch (s->op) {
        case REGEX_SPLIT:
            r->stack[n++] = at + s->y;
            r->stack[n++] = at + s->x;
            break;
        case REGEX_JUMP:
            r->stack[n++] = at + s->x;
            break;
        case REGEX_BEGIN:
        case REGEX_END:
        case REGEX_WORD:
        case REGEX_NO_WORD:
            if (holds(r, s->op))
                r->stack[n++] = at + 1;
            break;
        case REGEX_CHAR:
        case REGEX_ANY:
        case REGEX_SET:
        case REGEX_NOT:
        case REGEX_DONE:
            to->at[to->n++] = (struct way){ at, from };
            break;
        }
    }
}

static int32_t char_at(struct bough_str text, size_t at, size_t *n)
{
    uint32_t c = 0;

    *n = 0;
    if (at >= text.n)
        return -1;
    if ((unsigned char)text.p[at] < 128) {
        *n = 1;
        return (unsigned char)text.p[at];
    }
    *n = utf8_get(text.p + at, text.n - at, &c);
    if (*n)
        return (int32_t)c;
    *n = 1;
    return 0xfffd;
}

/* One character further. A way that is done ends all that come after it. */
static void step_on(struct run *r, int32_t c, size_t n)
{
    struct ways swap;
    size_t n_after;

    r->before = c;
    r->place += n;
    r->after = char_at(r->text, r->place, &n_after);
    r->next.n = 0;
    for (int32_t i = 0; i < r->now.n; i++)
        if (c >= 0 && takes(r->re, &r->re->at[r->now.at[i].step], c))
            follow(r, &r->next, r->now.at[i].step + 1, r->now.at[i].from);
    swap = r->now;
    r->now = r->next;
    r->next = swap;
}

static void take_done(struct run *r)
{
    for (int32_t i = 0; i < r->now.n; i++)
        if (r->re->at[r->now.at[i].step].op == REGEX_DONE) {
            r->found = true;
            r->from = r->now.at[i].from;
            r->to = r->place;
            r->now.n = i;
        }
}

/* The character every match begins with, in lower case; -1: there are several. */
static int32_t first_char(const struct regex *re)
{
    return re->at[0].op == REGEX_CHAR ? re->at[0].x : -1;
}

/* Where a match could begin, from `at` on, when it begins with one plain letter. */
static size_t leap(const struct run *r, int32_t first, size_t at)
{
    while (at < r->text.n && (unsigned char)r->text.p[at] < 128 &&
           regex_lower((unsigned char)r->text.p[at]) != first)
        at++;
    return at;
}

bool regex_find(const struct regex *re, struct bough_arena *tmp, struct bough_str text, size_t at,
                size_t *from, size_t *to)
{
    struct arena_mark mark = arena_mark(tmp);
    size_t steps = (size_t)re->n + 1, n;
    struct run r = { .re = re, .text = text, .place = at, .before = -1 };
    int32_t first = first_char(re), c;

    r.now.at = arena_array(tmp, steps, sizeof *r.now.at);
    r.next.at = arena_array(tmp, steps, sizeof *r.next.at);
    r.seen = arena_array(tmp, steps, sizeof *r.seen);
    r.stack = arena_array(tmp, 2 * steps + 2, sizeof *r.stack);
    if (at && at <= text.n)
        r.before = (unsigned char)text.p[at - 1];
    for (;;) {
        if (!r.now.n && !r.found && first >= 0 && first < 128) {
            size_t place = leap(&r, first, r.place);

            if (place > r.place)
                r.before = (unsigned char)text.p[place - 1];
            r.place = place;
        }
        c = r.after = char_at(text, r.place, &n);
        if (!r.found) /* behind the others: one that begins earlier wins */
            follow(&r, &r.now, 0, r.place);
        take_done(&r);
        if (c < 0 || (r.found && !r.now.n))
            break;
        step_on(&r, c, n);
    }
    *from = r.from;
    *to = r.to;
    arena_rewind(tmp, mark);
    return r.found;
}
