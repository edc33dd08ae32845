/* Regular expressions, matching: follows all alternatives in parallel, character by character. */
#include "core/search/regex.h"

#include <string.h>
#include <utf8proc.h>

#include "base/memory/arena.h"
#include "base/text/utf8.h"

enum { ASK_EACH = 2048 }; /* characters between two questions whether the search is over */

int32_t regex_lower(int32_t c)
{
    if (c < 128)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return utf8proc_tolower(c);
}

/* One alternative being followed: its present step, and where in the text its match began. */
struct way {
    int32_t step;
    size_t from;
};

/* In order of preference, best first. */
struct ways {
    struct way *at;
    int32_t n;
};

struct run {
    const struct regex *re;
    struct bough_str text;
    struct ways now, next;
    size_t *seen;          /* step -> place + 1 when it was last added */
    int32_t *stack;        /* steps still to follow, the preferred one on top */
    size_t place;          /* byte offset in the text */
    int32_t before, after; /* the characters around it; -1: none */
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

/*
 * Add to `to` all steps that consume a character and are reachable from `step`, preferred ones
 * first. A step is added once per place: the first way to reach it has the highest preference.
 */
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

/* The character at `at` and its length; -1 at the end, U+FFFD for a byte that is not UTF-8. */
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

/* Advance all ways by the character `c` of n bytes; ways that do not accept it are dropped. */
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

/* A completed way is the match so far; it cuts off all ways of lower preference. */
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

/* The one character that every match begins with, in lower case; -1: unknown. */
static int32_t first_char(const struct regex *re)
{
    return re->at[0].op == REGEX_CHAR ? re->at[0].x : -1;
}

/* Skip to where a match may begin: at `first`, which is ASCII, or at a byte beyond ASCII. */
static size_t leap(const struct run *r, int32_t first, size_t at)
{
    while (at < r->text.n && (unsigned char)r->text.p[at] < 128 &&
           regex_lower((unsigned char)r->text.p[at]) != first)
        at++;
    return at;
}

/* Ask from time to time: an expression of many steps takes seconds for a megabyte. */
static bool is_over(struct regex_stop *stop, size_t *taken)
{
    if (!stop || ++*taken % ASK_EACH)
        return false;
    stop->gave_up = stop->gave_up || stop->over(stop->user);
    return stop->gave_up;
}

bool regex_find(const struct regex *re, struct bough_arena *tmp, struct bough_str text, size_t at,
                struct regex_stop *stop, size_t *from, size_t *to)
{
    struct arena_mark mark = arena_mark(tmp);
    size_t steps = (size_t)re->n + 1, n;
    struct run r = { .re = re, .text = text, .place = at, .before = -1 };
    int32_t first = first_char(re), c;
    size_t taken = 0;

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
        if (!r.found) /* added last: a match that begins earlier is preferred */
            follow(&r, &r.now, 0, r.place);
        take_done(&r);
        if (c < 0 || (r.found && !r.now.n))
            break;
        if (is_over(stop, &taken)) {
            r.found = false;
            break;
        }
        step_on(&r, c, n);
    }
    *from = r.from;
    *to = r.to;
    arena_rewind(tmp, mark);
    return r.found;
}
