/* Units of a history, and how far two histories agree. Pure. */
#include "core/context/units.h"

#include <ctype.h>
#include <string.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/part.h"
#include "core/part/view.h"

enum { STRONG_LENGTH = 12, STRONG_DIGITS = 3 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- making units ---- */

static struct unit *push(struct units *u, enum unit_kind kind, struct bough_str text)
{
    u->at = arena_room(u->a, u->at, u->n, sizeof *u->at);
    u->at[u->n] = (struct unit){ kind, text, "", "", u->messages };
    return &u->at[u->n++];
}

static struct bough_str canonical(struct bough_arena *a, struct bough_str raw)
{
    struct json j = { 0 };
    struct bough_str out;
    struct buf b;

    if (!raw.n || json_parse(a, raw, &j, NULL) != BOUGH_OK)
        return str_of("{}"); /* missing or invalid arguments */
    buf_init(&b, LIMIT_APPEND_BYTES);
    json_canon(&b, j);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* Runs of white space become one blank, none at both ends. */
static struct bough_str squeezed(struct bough_arena *a, struct bough_str s)
{
    char *out = arena_alloc(a, s.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++) {
        if (!is_blank(s.p[i]))
            out[n++] = s.p[i];
        else if (n && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    n -= n && out[n - 1] == ' ';
    out[n] = '\0';
    return str_make(out, n);
}

/* CRLF becomes LF. */
static struct bough_str lines(struct bough_arena *a, struct bough_str s)
{
    char *out;
    size_t n = 0;

    if (!s.n || !memchr(s.p, '\r', s.n))
        return s;
    out = arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '\r' || i + 1 == s.n || s.p[i + 1] != '\n')
            out[n++] = s.p[i];
    out[n] = '\0';
    return str_make(out, n);
}

/* Without the reasoning that some models write into their text. */
static struct bough_str without_think(struct bough_str s)
{
    static const char open[] = "<think>", close[] = "</think>";
    const char *end;

    if (!str_starts(s, open))
        return s;
    end = memmem(s.p, s.n, close, sizeof close - 1);
    if (!end)
        return s;
    end += sizeof close - 1;
    return str_make(end, s.n - (size_t)(end - s.p));
}

static void add_text(struct units *u, bool model, struct bough_str text)
{
    size_t blank = 0;

    text = lines(u->a, model ? without_think(text) : text);
    while (blank < text.n && is_blank(text.p[blank]))
        blank++;
    if (blank < text.n)
        push(u, model ? UNIT_MODEL : UNIT_USER, text);
}

static void add_file(struct units *u, const struct part_view *v)
{
    unsigned char sum[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];

    if (!v->base64.n) {
        push(u, UNIT_FILE, v->url);
        return;
    }
    sha256(v->base64.p, v->base64.n, sum);
    sha256_hex(sum, hex);
    push(u, UNIT_FILE, str_of(arena_strdup(u->a, hex)));
}

static void add_other(struct units *u, bool model, const struct part_view *v)
{
    struct bough_str text;

    if (strcmp(v->word, "refusal") == 0 &&
        json_str(u->a, json_member(view_json(u->a, v), "refusal"), &text))
        add_text(u, model, text);
    else if (!part_is_bookkeeping(v->type))
        push(u, UNIT_OTHER, canonical(u->a, v->raw));
}

static void add_view(struct units *u, bool model, const struct part_view *v)
{
    struct unit *one;

    switch (v->kind) {
    case VIEW_TEXT:
        add_text(u, model, v->text);
        break;
    case VIEW_REASONING:
        break;
    case VIEW_CALL:
    case VIEW_TOOL:
        one = push(u, UNIT_CALL, canonical(u->a, v->input));
        one->name = v->tool;
        one->id = v->call;
        break;
    case VIEW_RESULT:
        one = push(u, UNIT_RESULT, squeezed(u->a, view_output_text(u->a, v->output)));
        one->id = v->call;
        break;
    case VIEW_FILE:
        add_file(u, v);
        break;
    case VIEW_OTHER:
        add_other(u, model, v);
        break;
    }
}

void units_add(struct units *u, const struct bough_entry *e)
{
    bool model = e->role == BOUGH_ROLE_ASSISTANT;
    struct view_run *runs;
    size_t n;

    if (e->role == BOUGH_ROLE_BASH && !e->nparts) {
        add_text(u, false, view_bash_text(u->a, view_data(u->a, e)));
    } else if (e->role != BOUGH_ROLE_SYSTEM) {
        runs = view_runs(u->a, e, &n);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < runs[i].n; k++)
                add_view(u, model, &runs[i].at[k]);
    }
    u->messages++;
}

bool units_none(const struct units *u, size_t i)
{
    size_t low = 0, high = u->n;

    while (low < high) { /* units are sorted by message */
        size_t mid = low + (high - low) / 2;

        if (u->at[mid].message < i)
            low = mid + 1;
        else
            high = mid;
    }
    return low == u->n || u->at[low].message != i;
}

/* ---- comparing ---- */

static bool is_strong(const struct units *u, const struct unit *one)
{
    size_t digits = 0, times = 0, n = strlen(one->id);

    for (size_t i = 0; i < n; i++)
        digits += isdigit((unsigned char)one->id[i]) != 0;
    if (n < STRONG_LENGTH || digits < STRONG_DIGITS)
        return false;
    for (size_t i = 0; i < u->n && times < 2; i++)
        times += u->at[i].kind == one->kind && strcmp(u->at[i].id, one->id) == 0;
    return times == 1;
}

/* `sent` and `stored` are not text. */
static bool same(const struct unit *sent, const struct units *stored, const struct unit *it)
{
    if (sent->kind != it->kind || strcmp(sent->name, it->name) != 0)
        return false;
    if (str_eq(sent->text, it->text))
        return true;
    return (sent->kind == UNIT_CALL || sent->kind == UNIT_RESULT) &&
           strcmp(sent->id, it->id) == 0 && is_strong(stored, it);
}

struct cursor {
    const struct units *u;
    size_t first; /* message that the comparison begins with */
    size_t i;     /* unit */
    size_t p;     /* byte in its text */
};

static struct cursor cursor_at(const struct units *u, size_t message)
{
    struct cursor c = { .u = u, .first = message };

    while (c.i < u->n && u->at[c.i].message < message)
        c.i++;
    return c;
}

static bool is_text(const struct cursor *c, enum unit_kind kind)
{
    return c->i < c->u->n && c->u->at[c->i].kind == kind;
}

static bool ends_message(const struct cursor *c)
{
    return c->i == c->u->n || c->u->at[c->i].message != c->u->at[c->i - 1].message;
}

/* Note how much agrees, if a message ends here on both sides. */
static void note(struct units_match *m, const struct cursor *x, const struct cursor *y,
                 size_t units)
{
    if (!ends_message(x) || !ends_message(y))
        return;
    m->units = units;
    m->sent = x->u->at[x->i - 1].message + 1 - x->first;
    m->stored = y->u->at[y->i - 1].message + 1 - y->first;
}

static bool at_border(const struct cursor *c)
{
    return c->p == 0 || c->p == c->u->at[c->i].text.n;
}

static void skip_blanks(struct cursor *c)
{
    struct bough_str text = c->u->at[c->i].text;

    while (c->p < text.n && is_blank(text.p[c->p]))
        c->p++;
}

static bool ended(const struct cursor *c)
{
    return c->p == c->u->at[c->i].text.n;
}

static void next_unit(struct cursor *c)
{
    c->i++;
    c->p = 0;
}

/*
 * Compare two runs of text of one speaker as streams: white space counts only inside a block. True
 * when one of the runs ended where a block of the other did.
 */
static bool same_texts(struct cursor *x, struct cursor *y, struct units_match *m, size_t *units)
{
    enum unit_kind kind = x->u->at[x->i].kind;
    size_t seen = *units;

    while (is_text(x, kind) && is_text(y, kind)) {
        bool x_ends, y_ends;

        if (at_border(x) || at_border(y)) {
            skip_blanks(x);
            skip_blanks(y);
        }
        x_ends = ended(x);
        y_ends = ended(y);
        if (!x_ends && !y_ends) {
            if (x->u->at[x->i].text.p[x->p++] != y->u->at[y->i].text.p[y->p++])
                return false;
            continue;
        }
        if (x_ends)
            next_unit(x);
        if (y_ends)
            next_unit(y);
        seen++;
        if (x_ends && y_ends) {
            *units = seen;
            note(m, x, y, seen);
        }
    }
    return !x->p && !y->p;
}

struct units_match units_align(const struct units *sent, size_t from, const struct units *stored,
                               size_t at)
{
    struct cursor x = cursor_at(sent, from), y = cursor_at(stored, at);
    struct units_match m = { 0 };
    size_t units = 0;

    while (x.i < sent->n && y.i < stored->n) {
        const struct unit *a = &sent->at[x.i], *b = &stored->at[y.i];

        if (a->kind != b->kind)
            break;
        if (a->kind == UNIT_USER || a->kind == UNIT_MODEL) {
            if (!same_texts(&x, &y, &m, &units))
                break;
            continue;
        }
        if (!same(a, stored, b))
            break;
        next_unit(&x);
        next_unit(&y);
        note(&m, &x, &y, ++units);
    }
    return m;
}
