/* Finds the entries of a file in the store, and compares their content. */
#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "transfer/import/placer.h"

uint64_t pack_place(struct bough_head at)
{
    return (uint64_t)at.branch << 32 | (uint64_t)at.depth;
}

struct bough_head unpack_place(uint64_t v)
{
    return (struct bough_head){ (int64_t)(v >> 32), (int64_t)(v & UINT32_MAX) };
}

const char *place_text(struct bough_arena *a, struct bough_head at)
{
    return arena_printf(a, "#%lld.%lld", (long long)at.branch, (long long)at.depth);
}

const char *numbered(struct bough_arena *a, const char *id, int n)
{
    return n > 1 ? arena_printf(a, "%s~%d", id, n) : id;
}

/* The n-th entry with this id, or NULL. Matches the id it was imported with, or its own id. */
static struct bough_entry *nth(struct placer *p, const char *session, const char *id, int n)
{
    const char *name = numbered(p->tmp, id, n);
    struct bough_entry *e = NULL;

    if (bough_entry_get(p->s, p->tmp, session, name, &e, NULL) != BOUGH_OK)
        return NULL;
    return cstr_eq(e->origin, name) || cstr_eq(e->id, name) ? e : NULL;
}

struct bough_entry *stored(struct placer *p, const char *session, const char *id, int *again)
{
    struct bough_entry *e, *found = NULL;
    int n = 1;

    while ((e = nth(p, session, id, n)) != NULL) {
        found = e;
        n++;
    }
    *again = n - 1;
    return found;
}

/* Compare as JSON values: a tool's storage and its export may differ in whitespace. */
static bool same_value(struct bough_str a, struct bough_str b)
{
    struct bough_arena *arena = bough_arena_create();
    struct json ja, jb;
    struct buf ba, bb;
    bool same = false;

    buf_init(&ba, LIMIT_JSON_BYTES);
    buf_init(&bb, LIMIT_JSON_BYTES);
    if (json_parse(arena, a, &ja, NULL) == BOUGH_OK &&
        json_parse(arena, b, &jb, NULL) == BOUGH_OK) {
        json_canon(&ba, ja);
        json_canon(&bb, jb);
        same = str_eq(buf_str(&ba), buf_str(&bb));
    }
    buf_finish(&ba);
    buf_finish(&bb);
    bough_arena_destroy(arena);
    return same;
}

static bool same_raw(struct bough_str a, struct bough_str b)
{
    if (!a.n || !b.n)
        return (!a.n || str_is(a, "{}")) && (!b.n || str_is(b, "{}"));
    return str_eq(a, b) || same_value(a, b);
}

/* Same kind, role and parts; time and metadata may differ. */
static bool same_said(const struct bough_entry *e, const struct bough_entry_new *in)
{
    if (e->kind != in->kind || e->role != in->role || e->nparts != in->nparts)
        return false;
    for (size_t i = 0; i < e->nparts; i++)
        if (!same_raw(e->parts[i].json, in->parts[i]))
            return false;
    return true;
}

/* Does the stored entry equal the one in the file? */
static bool same_entry(const struct bough_entry *e, const struct bough_entry_new *in)
{
    return same_said(e, in) && (!in->time || e->time == in->time) && same_raw(e->data, in->data) &&
           same_raw(e->metadata, in->metadata);
}

bool same_place(struct bough_head a, struct bough_head b)
{
    return a.branch == b.branch && a.depth == b.depth;
}

/* Is `parent` the slot of the parent of this stored entry? */
static bool parent_is(struct placer *p, const struct bough_entry *e, struct bough_head parent)
{
    struct bough_entries kids;
    const char *at = parent.branch ? place_text(p->tmp, parent) : NULL;

    if (e->at.depth != parent.depth + 1)
        return false;
    if (e->at.branch == parent.branch)
        return true;
    if (bough_tree_children(p->s, p->tmp, p->session, at, &kids, NULL))
        return false;
    for (size_t i = 0; i < kids.n; i++)
        if (same_place(kids.at[i].at, e->at))
            return true;
    return false;
}

struct bough_entry *known_entry(struct placer *p, const struct item_entry *in,
                                struct bough_head parent)
{
    struct bough_entry *e;

    for (int n = 1; (e = nth(p, p->session, in->id, n)) != NULL; n++) {
        if (same_entry(e, &in->entry) && parent_is(p, e, parent))
            return e;
        /* An entry of the parent session: a fork's file may leave out entries between. */
        if (p->in.finds_parent && !cstr_eq(e->session, p->session) && e->at.depth > parent.depth &&
            same_said(e, &in->entry))
            return e;
    }
    return NULL;
}

struct bough_entry *known_child(struct placer *p, const struct item_entry *in,
                                struct bough_head parent)
{
    const char *at = parent.branch ? place_text(p->tmp, parent) : NULL;
    struct bough_entry *found = NULL;
    struct bough_entries kids;

    if (bough_tree_children(p->s, p->tmp, p->session, at, &kids, NULL))
        return NULL;
    for (size_t i = 0; i < kids.n; i++)
        if (same_entry(kids.at + i, &in->entry))
            found = kids.at + i;
    return found;
}

/* Below `parent`, and below deleted entries there, which an export leaves out. */
static struct bough_entry *same_below(struct placer *p, const struct item_entry *in,
                                      struct bough_head parent)
{
    enum { DELETED_MOST = 1000 };
    const char *at = parent.branch ? place_text(p->tmp, parent) : NULL;
    struct bough_head gone = { 0, 0 };
    struct bough_entries kids;

    for (int i = 0; i < DELETED_MOST; i++) {
        gone.branch = 0;
        if (bough_tree_children(p->s, p->tmp, p->session, at, &kids, NULL))
            return NULL;
        for (size_t k = 0; k < kids.n; k++) {
            struct bough_entry *e = kids.at + k;

            if (!e->deleted && !*e->origin && e->time == in->entry.time && same_said(e, &in->entry))
                return e;
            if (e->deleted)
                gone = e->at;
        }
        if (!gone.branch)
            return NULL;
        at = place_text(p->tmp, gone);
    }
    return NULL;
}

struct bough_entry *known_ours(struct placer *p, const struct item_entry *in,
                               struct bough_head parent)
{
    struct bough_entry *named = NULL;

    if (p->elsewhere && !cstr_empty(in->id))
        named = nth(p, p->session, in->id, 1); /* the file is an export: no tool has edited it */
    return named ? named : same_below(p, in, parent);
}

struct bough_entry *exported_entry(struct placer *p, const char *session,
                                   const struct item_entry *in)
{
    return cstr_empty(in->stands_for) ? NULL : nth(p, session, in->stands_for, 1);
}

struct bough_entry *known_aside(struct placer *p, const struct item_entry *in,
                                struct bough_head parent)
{
    struct bough_entry *e = known_entry(p, in, parent);

    return e ? e : nth(p, p->session, in->id, 1);
}

void placer_find_parent(struct placer *p, const struct item_entry *in)
{
    struct bough_entry *e;

    if (bough_entry_get(p->s, p->tmp, NULL, in->id, &e, NULL) == BOUGH_OK &&
        cstr_eq(e->origin, in->id) && same_said(e, &in->entry) && placer_gave(p, e->session))
        memcpy(p->parent, e->session, sizeof p->parent);
}

/* A copy in a fork's file may differ in data and metadata. */
struct bough_entry *shared_entry(struct placer *p, const struct item_entry *in)
{
    int again;
    struct bough_entry *e = stored(p, p->parent, in->id, &again);

    if (!e)
        return NULL;
    return same_entry(e, &in->entry) || (p->in.finds_parent && same_said(e, &in->entry)) ? e : NULL;
}

void note_copies(struct placer *p, const struct bough_entry *e, const struct item_entry *in)
{
    struct bough_entries_read_options how = { .at = e->id, .from_depth = p->last.depth + 1 };
    struct bough_entries_read_result between;

    copies_line(p->own, &p->copies, e, &in->entry);
    if (e->at.depth == p->last.depth + 1 ||
        bough_entries_read(p->s, p->tmp, p->parent, &how, &between, NULL))
        return;
    for (size_t i = 0; i < between.entries.n; i++) {
        const struct bough_entry *left = &between.entries.at[i];

        if (left->at.depth < e->at.depth)
            copies_without(p->own, &p->copies, left);
    }
}
