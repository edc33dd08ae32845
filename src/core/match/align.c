/* How far two histories agree. */
#include "core/match/align.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

const char *variant_name(enum variant_what what)
{
    switch (what) {
    case VARIANT_ARGUMENTS:
        return "arguments";
    case VARIANT_RESULT:
        return "result";
    case VARIANT_CUT:
        return "cut";
    case VARIANT_REASONING:
        return "reasoning";
    case VARIANT_EDITED:
        return "edited";
    }
    return "";
}

/* ---- cursors ---- */

struct cursor {
    const struct units *u;
    size_t i; /* unit */
    size_t p; /* byte in its text */
};

/* What can be gone back to. */
struct place {
    struct cursor x, y;    /* sent, stored */
    size_t done;           /* the stored unit that agreed last; SIZE_MAX: none yet */
    struct aligned now;    /* what agrees up to the cursors */
    struct aligned border; /* the same at the last border */
};

struct aligning {
    struct place p;
    struct place mark; /* where the stored message `marked` begins */
    size_t marked;     /* SIZE_MAX: none */
    size_t reason;     /* stored message whose reasoning is compared as text; SIZE_MAX: none */
    size_t tried;      /* stored message for which that was of no use; SIZE_MAX: none */
    struct place fail; /* where it differed without its reasoning */
    size_t edits;
    struct aligned at_edit; /* the last border before the first edit */
    size_t replies_at_edit;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool at_end(const struct cursor *c)
{
    return c->i >= c->u->n;
}

static const struct unit *unit_at(const struct cursor *c)
{
    return at_end(c) ? NULL : &c->u->at[c->i];
}

static size_t message_of(const struct cursor *c)
{
    return at_end(c) ? c->u->nmessages : c->u->at[c->i].message;
}

/* Pass over reasoning that is not compared. */
static void skip_soft(const struct aligning *g, struct cursor *c)
{
    while (!at_end(c) && c->u->at[c->i].reasoning && c->u->at[c->i].message != g->reason) {
        c->i++;
        c->p = 0;
    }
}

static void next_unit(const struct aligning *g, struct cursor *c)
{
    c->i++;
    c->p = 0;
    skip_soft(g, c);
}

static bool ended(const struct cursor *c)
{
    return c->p == c->u->at[c->i].text.n;
}

static void skip_blanks(struct cursor *c)
{
    struct bough_str text = c->u->at[c->i].text;

    while (c->p < text.n && is_blank(text.p[c->p]))
        c->p++;
}

/* ---- notes ---- */

/* The list is copied when it grows: places that can be gone back to share it. */
static void add_variant(struct aligning *g, enum variant_what what, size_t sent, size_t stored)
{
    const struct unit *it = &g->p.y.u->at[stored];
    struct aligned *n = &g->p.now;
    struct variant *list;

    if (n->nvariants >= ALIGN_VARIANTS)
        return;
    list = arena_alloc(g->p.x.u->a, (n->nvariants + 1) * sizeof *list);
    if (n->nvariants)
        memcpy(list, n->variants, n->nvariants * sizeof *list);
    list[n->nvariants++] = (struct variant){ what, sent, it->message, it->part };
    n->variants = list;
}

/* The stored unit at the cursor agrees. */
static void count(struct aligning *g)
{
    const struct unit *stored = unit_at(&g->p.y);

    g->p.now.replies += unit_is_reply(stored);
    g->p.now.results += stored->kind == UNIT_RESULT;
    g->p.done = g->p.y.i;
}

static size_t message_done(const struct aligning *g)
{
    return g->p.y.u->at[g->p.done].message;
}

/* Both cursors are where a unit begins: if a message of the stored history ends here, this is a
 * border. */
static void note_border(struct aligning *g)
{
    struct place *p = &g->p;

    if (p->x.p || p->y.p || p->done == SIZE_MAX ||
        (!at_end(&p->y) && message_of(&p->y) == message_done(g)))
        return;
    p->now.sent = p->x.i;
    p->now.messages = message_done(g) + 1;
    p->border = p->now;
}

/* Is the cursor at the first unit of its message that is no reasoning? */
static bool begins_message(const struct cursor *c)
{
    size_t first = c->u->messages[message_of(c)].first;

    while (first < c->i && c->u->at[first].reasoning)
        first++;
    return first == c->i && !c->p;
}

/* A stored message with reasoning begins where the model's text was sent: remember the place. */
static void mark_message(struct aligning *g)
{
    size_t m = message_of(&g->p.y);
    const struct unit *sent = unit_at(&g->p.x);

    if (m == g->marked || !g->p.y.u->messages[m].reasoning || sent->kind != UNIT_MODEL ||
        !begins_message(&g->p.y))
        return;
    g->marked = m;
    g->mark = g->p;
    g->mark.y = (struct cursor){ g->p.y.u, g->p.y.u->messages[m].first, 0 };
}

/* ---- when units differ ---- */

/* Compare the stored message again, its reasoning as text. If that does not help, go back to where
 * it differed. */
static bool retry_with_reasoning(struct aligning *g)
{
    size_t m = message_of(&g->p.y);

    if (g->reason == m && m != SIZE_MAX && g->tried != m) {
        g->tried = m;
        g->reason = SIZE_MAX;
        g->p = g->fail;
        return false;
    }
    if (m != g->marked || g->reason == m || g->tried == m)
        return false;
    g->fail = g->p;
    g->reason = m;
    g->p = g->mark;
    add_variant(g, VARIANT_REASONING, g->p.x.i, g->p.y.i);
    return true;
}

/* The sent text ended inside a text of a cut reply, or a call of it was left out. */
static bool cut_short(struct aligning *g)
{
    struct place *p = &g->p;
    size_t m = message_of(&p->y);

    if (m >= p->y.u->nmessages || !p->y.u->messages[m].cut || p->x.p)
        return false;
    if (!p->y.p && (p->done == SIZE_MAX || message_done(g) != m))
        return false; /* nothing of it agreed: it was left out as a whole */
    add_variant(g, VARIANT_CUT, p->x.i ? p->x.i - 1 : 0, p->y.i);
    p->now.replies++;
    p->done = units_last(p->y.u, m) - 1;
    p->y = (struct cursor){ p->y.u, p->done + 1, 0 };
    skip_soft(g, &p->y);
    return true;
}

/* The sent text goes on where the recorded text of a cut reply ends. */
static bool cut_long(struct aligning *g)
{
    struct place *p = &g->p;

    if (p->y.p || !p->x.p || p->done == SIZE_MAX || !p->y.u->messages[message_done(g)].cut)
        return false;
    add_variant(g, VARIANT_CUT, p->x.i, p->done);
    next_unit(g, &p->x);
    return true;
}

static bool pass_cut(struct aligning *g)
{
    if (!cut_short(g) && !cut_long(g))
        return false;
    note_border(g);
    return true;
}

/* The units that differ: where the cursors are, or where one text went on behind the other. */
static bool differing(const struct aligning *g, size_t *sent, size_t *stored)
{
    const struct place *p = &g->p;

    *sent = p->x.i;
    *stored = p->y.i;
    if (p->x.p && !p->y.p)
        *stored = p->done;
    else if (p->y.p && !p->x.p)
        *sent = p->x.i - 1;
    return *sent < p->x.u->n && *stored < p->y.u->n &&
           p->x.u->at[*sent].kind == p->y.u->at[*stored].kind;
}

/* Take a unit of each side for an edit in place; whether it was one shows at the end. */
static bool pass_edit(struct aligning *g)
{
    size_t sent, stored;

    if (g->edits >= ALIGN_EDITS || !differing(g, &sent, &stored))
        return false;
    if (!g->edits++) {
        g->at_edit = g->p.border;
        g->replies_at_edit = g->p.now.replies;
    }
    add_variant(g, VARIANT_EDITED, sent, stored);
    g->p.done = stored;
    if (sent == g->p.x.i)
        next_unit(g, &g->p.x);
    if (stored == g->p.y.i)
        next_unit(g, &g->p.y);
    note_border(g);
    return true;
}

/* ---- comparing ---- */

/* `sent` and `stored` are not text. */
static bool same(struct aligning *g, const struct unit *sent, const struct unit *stored)
{
    bool by_id = sent->strong && stored->strong && strcmp(sent->id, stored->id) == 0;

    if (sent->kind != stored->kind || strcmp(sent->name, stored->name) != 0)
        return false;
    if (str_eq(sent->text, stored->text))
        return true;
    if (!by_id)
        return false;
    add_variant(g, sent->kind == UNIT_CALL ? VARIANT_ARGUMENTS : VARIANT_RESULT, g->p.x.i,
                g->p.y.i);
    return true;
}

/* A reference stands for all units of its item. */
static bool same_item(struct aligning *g)
{
    const char *id = unit_at(&g->p.x)->id;
    bool any = false;

    while (!at_end(&g->p.y) && *id && strcmp(unit_at(&g->p.y)->item, id) == 0) {
        count(g);
        next_unit(g, &g->p.y);
        any = true;
    }
    if (any)
        next_unit(g, &g->p.x);
    return any;
}

static bool is_text(const struct unit *one)
{
    return one->kind == UNIT_USER || one->kind == UNIT_MODEL;
}

/*
 * Compare texts of one speaker until a unit ends on either side. White space next to the beginning
 * or the end of a unit of either side does not count. False: they differ.
 */
static bool same_text(struct cursor *x, struct cursor *y)
{
    for (;;) {
        if (!x->p || !y->p || ended(x) || ended(y)) {
            skip_blanks(x);
            skip_blanks(y);
        }
        if (ended(x) || ended(y))
            return true;
        if (x->u->at[x->i].text.p[x->p] != y->u->at[y->i].text.p[y->p])
            return false;
        x->p++;
        y->p++;
    }
}

/* Go on with the next unit on the sides where one has ended. */
static void pass_ended(struct aligning *g)
{
    bool x = ended(&g->p.x), y = ended(&g->p.y);

    if (y)
        count(g);
    if (x)
        next_unit(g, &g->p.x);
    if (y)
        next_unit(g, &g->p.y);
    if (x && y)
        note_border(g);
}

/* One step; false: the units differ. */
static bool step(struct aligning *g)
{
    struct cursor *x = &g->p.x, *y = &g->p.y;
    const struct unit *sent = unit_at(x), *stored = unit_at(y);

    if (sent->kind == stored->kind && is_text(sent)) {
        if (!same_text(x, y))
            return false;
        pass_ended(g);
        return true;
    }
    if (x->p || y->p)
        return false;
    if (sent->kind == UNIT_REF) {
        if (!same_item(g))
            return false;
    } else {
        if (!same(g, sent, stored))
            return false;
        count(g);
        next_unit(g, x);
        next_unit(g, y);
    }
    note_border(g);
    return true;
}

static bool none_left(const struct units *u, size_t message)
{
    for (size_t i = message < u->nmessages ? u->messages[message].first : u->n; i < u->n; i++)
        if (!u->at[i].reasoning)
            return false;
    return true;
}

/* The last border. Edits count only if the stored history was followed to its end, with a reply
 * behind the first one. */
static struct aligned settled(const struct aligning *g)
{
    struct aligned out = g->p.border;

    out.to_end = none_left(g->p.y.u, out.messages);
    if (!g->edits || (out.to_end && out.replies > g->replies_at_edit))
        return out;
    out = g->at_edit;
    out.to_end = none_left(g->p.y.u, out.messages);
    return out;
}

struct aligned units_align(const struct units *sent, size_t from, const struct units *stored,
                           size_t at)
{
    size_t first = at < stored->nmessages ? stored->messages[at].first : stored->n;
    struct aligning g = { .p = { .x = { sent, from, 0 },
                                 .y = { stored, first, 0 },
                                 .done = SIZE_MAX,
                                 .now = { .sent = from, .messages = at } },
                          .marked = SIZE_MAX,
                          .reason = SIZE_MAX,
                          .tried = SIZE_MAX };

    g.p.border = g.p.now;
    skip_soft(&g, &g.p.y);
    while (!at_end(&g.p.x) && !at_end(&g.p.y)) {
        mark_message(&g);
        if (!step(&g) && !retry_with_reasoning(&g) && !pass_cut(&g) && !pass_edit(&g))
            break;
    }
    if (at_end(&g.p.x) != at_end(&g.p.y)) /* one history may end inside a cut reply */
        (void)pass_cut(&g);
    return settled(&g);
}

/* ---- a quick look ---- */

enum { GLANCE = 24 }; /* bytes that are not blank */

static bool same_start(struct bough_str a, struct bough_str b)
{
    size_t i = 0, k = 0, n = 0;

    while (n < GLANCE) {
        while (i < a.n && is_blank(a.p[i]))
            i++;
        while (k < b.n && is_blank(b.p[k]))
            k++;
        if (i == a.n || k == b.n)
            return true; /* the next block may go on */
        if (a.p[i++] != b.p[k++])
            return false;
        n++;
    }
    return true;
}

bool units_begin_alike(const struct units *sent, size_t from, const struct units *stored, size_t at)
{
    struct aligning g = { .reason = SIZE_MAX };
    struct cursor y = { stored, at < stored->nmessages ? stored->messages[at].first : stored->n,
                        0 };
    const struct unit *a = from < sent->n ? &sent->at[from] : NULL, *b;

    skip_soft(&g, &y);
    b = unit_at(&y);
    if (!a || !b)
        return false;
    if (a->kind == UNIT_REF)
        return *a->id && strcmp(a->id, b->item) == 0;
    if (a->kind != b->kind)
        return false;
    if (is_text(a))
        return same_start(a->text, b->text);
    return strcmp(a->name, b->name) == 0;
}
