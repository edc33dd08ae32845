/* The placer: puts the entries of a file into a session of the store. */
#include "transfer/import/placer.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

enum { WAITING_MOST = 100000 };

/* An entry that is held back: its parent has not come yet, or it is `aside`. */
struct waiting {
    struct waiting *next;
    struct item item;
};

static enum bough_rc problem(struct placer *p, int64_t line, const char *text)
{
    placer_problem(p, line, text);
    return BOUGH_OK;
}

static struct waiting *keep_waiting(struct placer *p, const struct item *item)
{
    struct waiting *w = arena_zalloc(p->own, sizeof *w);

    (void)item_keep(p->own, item, &w->item);
    return w;
}

/* ---- entries ---- */

/* The last entry of a batch has no slot yet, only its id. */
static bool follows_batch(const struct placer *p, const struct item_entry *in)
{
    return p->n && (in->next || (in->parent && cstr_eq(in->parent, p->batch_ids[p->n - 1])));
}

/* Find the slot of its parent. False: the parent has not come yet. */
static bool find_group(struct placer *p, const struct item_entry *in, struct bough_head *out)
{
    uint64_t v;
    int again;
    struct bough_entry *e;

    *out = (struct bough_head){ 0, 0 };
    if (in->next) {
        *out = p->last;
        return true;
    }
    if (!in->parent)
        return true;
    if (ids_get(&p->ids, in->parent, &v)) {
        *out = unpack_place(v);
        return true;
    }
    if (!p->there || p->how->dry || (p->fresh && !p->forked && !ids_dropped(&p->ids, in->parent)))
        return false;
    e = stored(p, p->session, in->parent, &again);
    if (e)
        *out = e->at;
    return e != NULL;
}

/* Labels and compactions refer to other entries, so those must be in the store first. */
static bool names_others(const struct bough_entry_new *e)
{
    return e->kind == BOUGH_ENTRY_LABEL || e->kind == BOUGH_ENTRY_COMPACTION;
}

/* A label with an unknown target is kept as an entry of another kind. */
static void check_label(struct placer *p, struct item_entry *in)
{
    struct bough_entry *e;
    struct json data;
    const char *target = NULL;

    if (in->entry.kind != BOUGH_ENTRY_LABEL)
        return;
    if (json_parse(p->tmp, in->entry.data, &data, NULL) == BOUGH_OK)
        target = json_cstr(p->tmp, data, "targetId");
    if (!cstr_empty(target) && !p->how->dry && p->there &&
        bough_entry_get(p->s, p->tmp, p->session, target, &e, NULL) == BOUGH_OK)
        return;
    in->entry.kind = BOUGH_ENTRY_OTHER;
    in->entry.kind_name = "label";
}

/* A compaction that names the first entry it keeps by its id in the file. */
static enum bough_rc settle_kept(struct placer *p, struct item_entry *in, struct bough_head parent,
                                 struct bough_error *err)
{
    const struct item_entry below = { .parent = in->kept };
    struct bough_head kept;

    if (cstr_empty(in->kept) || in->entry.keep_from)
        return BOUGH_OK;
    if (find_group(p, &below, &kept) && kept.depth <= parent.depth)
        in->entry.keep_from = kept.depth;
    else if (p->resumed)
        return bough_fail(err, BOUGH_CONFLICT, "all of the file must be read");
    return BOUGH_OK;
}

/* The id to store a new entry with: its own, or with "~n" if that is taken. */
static const char *free_name(struct placer *p, const char *id)
{
    uint64_t v;
    int again = 0;

    if (cstr_empty(id))
        return id;
    if ((!p->fresh || ids_dropped(&p->ids, id)) && stored(p, p->session, id, &again))
        p->edited = p->edited || !p->fresh;
    while (ids_get(&p->ids, numbered(p->tmp, id, again + 1), &v))
        again++;
    return numbered(p->tmp, id, again + 1);
}

/* Does the store have this entry, below the same parent and with the same content? For an
 * `aside` entry the parent does not matter. */
static bool is_known(struct placer *p, const struct item_entry *in, struct bough_head parent)
{
    struct bough_entry *e;

    if (p->fresh)
        return false;
    e = exported_entry(p, p->session, in);
    if (e) {
        placer_remember(p, in->id, e->at);
        return true;
    }
    if (in->aside && (e = known_aside(p, in, parent)) != NULL) {
        placer_remember(p, in->id, e->at.depth == parent.depth + 1 ? e->at : parent);
        return true;
    }
    e = cstr_empty(in->id) ? known_child(p, in, parent) : known_entry(p, in, parent);
    if (!e && !p->in.exact)
        e = known_ours(p, in, parent);
    if (e)
        placer_remember(p, in->id, e->at);
    return e != NULL;
}

/* Is this the entry that the parent session has in this slot? */
static bool inherited(struct placer *p, const struct item_entry *in, struct bough_head parent)
{
    struct bough_entry *e;

    if (p->there || !p->in.inherits || cstr_empty(in->id))
        return false;
    if (p->in.finds_parent && !p->parent[0] && !p->last.branch)
        placer_find_parent(p, in);
    if (!p->parent[0] || !same_place(parent, p->last))
        return false;
    e = exported_entry(p, p->parent, in);
    if (e && e->at.depth < p->last.depth)
        return false;
    if (!e)
        e = shared_entry(p, in);
    else if (same_place(e->at, p->last)) { /* an entry may be several lines */
        placer_remember(p, in->id, e->at);
        return true;
    }
    if (!e || e->at.depth <= p->last.depth ||
        (!p->in.finds_parent && e->at.depth != p->last.depth + 1))
        return false;
    note_copies(p, e, in);
    memcpy(p->shared, e->id, sizeof p->shared);
    placer_remember(p, in->id, e->at);
    return true;
}

/* While the session may still become a fork, `aside` entries wait: they are placed after the shared
 * entries. */
static bool waits_aside(struct placer *p, const struct item *item, struct bough_head parent)
{
    struct waiting *w;

    if (p->there || !item->u.entry.aside || !p->in.finds_parent || !same_place(parent, p->last))
        return false;
    w = keep_waiting(p, item);
    *p->asides_end = w;
    p->asides_end = &w->next;
    ids_put(&p->ids, w->item.u.entry.id, pack_place(parent));
    return true;
}

/* The session exists now: hang the waiting asides on the last shared entry. */
static enum bough_rc place_asides(struct placer *p, struct bough_error *err)
{
    struct bough_head at = p->last;
    struct waiting *w = p->asides;
    enum bough_rc rc = BOUGH_OK;

    p->asides = NULL;
    p->asides_end = &p->asides;
    for (; w && !rc; w = w->next) {
        p->batch_at = at;
        ids_del(&p->ids, w->item.u.entry.id);
        placer_push(p, &w->item.u.entry, free_name(p, w->item.u.entry.id));
        rc = placer_flush(p, err);
        at = p->last;
    }
    return rc;
}

static enum bough_rc place_entry(struct placer *p, const struct item *item,
                                 struct bough_head parent, struct bough_error *err)
{
    struct item_entry in = item->u.entry;
    bool at_last = same_place(parent, p->last);
    enum bough_rc rc;

    if (waits_aside(p, item, parent))
        return BOUGH_OK;
    if (inherited(p, &in, parent)) {
        p->out->known++;
        return BOUGH_OK;
    }
    if (!p->there) {
        rc = placer_make(p, err);
        if (!rc)
            rc = place_asides(p, err);
        if (rc)
            return rc;
        if (at_last && !p->forked)
            parent = p->last;
    }
    check_label(p, &in);
    if (is_known(p, &in, parent)) {
        p->out->known++;
        return BOUGH_OK;
    }
    rc = settle_kept(p, &in, parent, err);
    if (rc)
        return rc;
    p->batch_at = parent;
    placer_push(p, &in, free_name(p, in.id));
    return BOUGH_OK;
}

static enum bough_rc wait_for_parent(struct placer *p, const struct item *item,
                                     struct bough_error *err)
{
    struct waiting *w;

    if (p->resumed)
        return bough_fail(err, BOUGH_CONFLICT, "all of the file must be read");
    if (p->nwaiting >= WAITING_MOST)
        return problem(p, item->line, "too many entries wait for a parent: it was left out");
    w = keep_waiting(p, item);
    p->last_waits = w->item.u.entry.id;
    *p->waiting_end = w;
    p->waiting_end = &w->next;
    p->nwaiting++;
    return BOUGH_OK;
}

/* A line before it could not be read, and its parent is unknown: take that line for its parent. The
 * conversation goes on behind the entry before the line, instead of beginning anew. */
static bool follows_lost(struct placer *p, const struct item *item, struct bough_head *parent)
{
    if (!p->lost)
        return false;
    p->lost = false;
    *parent = p->lost_behind;
    ids_put(&p->ids, item->u.entry.parent, pack_place(*parent));
    placer_problem(p, item->line, "its parent could not be read: it follows the entry before that");
    return true;
}

static enum bough_rc take_lost(struct placer *p, struct bough_error *err)
{
    enum bough_rc rc = placer_flush(p, err);

    if (!p->lost)
        p->lost_behind = p->last;
    p->lost = true;
    return rc;
}

/* When only the end of a file is read, these entries cannot be placed correctly: one that was
 * produced by an earlier call, and one without its own id (`aside`) whose content occurred before,
 * because its number depends on all earlier ones. */
static bool needs_all(struct placer *p, const struct item_entry *in)
{
    struct bough_head parent;
    int again;

    if (!p->resumed)
        return false;
    if (in->call && !placer_call_id(p, in->call))
        return true;
    return in->aside && !cstr_empty(in->id) && stored(p, p->session, in->id, &again) &&
           (p->n || !find_group(p, in, &parent) || !known_entry(p, in, parent));
}

static enum bough_rc take_entry(struct placer *p, const struct item *item, struct bough_error *err)
{
    const struct item_entry *in = &item->u.entry;
    struct bough_head parent;
    enum bough_rc rc = BOUGH_OK;

    if (!p->n)
        bough_arena_reset(p->tmp);
    if (needs_all(p, in))
        return bough_fail(err, BOUGH_CONFLICT, "all of the file must be read");
    p->head = NULL; /* an entry after the head's line overrides it */
    if (in->entry.time)
        p->dated = in->entry.time;
    if (in->deleted)
        placer_later(p, item);
    if (follows_batch(p, in) && !names_others(&in->entry) && in->uncounted == p->batch_uncounted &&
        !batch_full(p)) { /* its parent is new, so it is new, too */
        placer_push(p, in, free_name(p, in->id));
        return BOUGH_OK;
    }
    rc = placer_flush(p, err);
    if (rc)
        return rc;
    p->last_waits = NULL;
    if (!find_group(p, in, &parent) && !follows_lost(p, item, &parent))
        return wait_for_parent(p, item, err);
    return place_entry(p, item, parent, err);
}

/* Memories of a project or of the store. */
static enum bough_rc take_memory(struct placer *p, const struct item *item, struct bough_error *err)
{
    struct bough_error why;
    enum bough_rc rc = p->how->dry ? BOUGH_OK : placer_flush(p, err);

    if (rc || p->how->dry)
        return rc;
    rc = placer_memory(p, item->u.memory, &why);
    if (placer_refused(rc))
        return problem(p, item->line, why.msg);
    return rc ? bough_fail(err, rc, "%s", why.msg) : BOUGH_OK;
}

/* Children of the alias hang on the entry. */
static enum bough_rc take_alias(struct placer *p, const struct item_alias *in,
                                struct bough_error *err)
{
    const struct item_entry at = { .parent = in->entry };
    struct bough_head place;
    enum bough_rc rc = placer_flush(p, err);

    if (!rc && find_group(p, &at, &place))
        ids_put(&p->ids, in->id, pack_place(place));
    return rc;
}

/* ---- the end ---- */

/* First place entries whose parent came later. Then turn one entry without a parent into a root,
 * and repeat. */
static enum bough_rc place_waiting(struct placer *p, struct bough_error *err)
{
    struct bough_head last = p->last, parent;
    bool again = true;
    uint64_t v;
    enum bough_rc rc = BOUGH_OK;

    while (!rc && p->waiting) {
        struct waiting **at = &p->waiting;

        again = false;
        while (*at && !rc) {
            struct waiting *w = *at;

            if (!find_group(p, &w->item.u.entry, &parent)) {
                at = &w->next;
                continue;
            }
            *at = w->next;
            again = true;
            rc = place_entry(p, &w->item, parent, err);
            if (!rc)
                rc = placer_flush(p, err);
        }
        if (rc || again || !p->waiting)
            continue;
        problem(p, p->waiting->item.line,
                "its parent is nowhere in the file, or it is its own parent: it became a root");
        p->waiting->item.u.entry.parent = NULL;
    }
    p->waiting_end = &p->waiting;
    p->nwaiting = 0;
    p->last = last;
    if (p->last_waits && ids_get(&p->ids, p->last_waits, &v))
        p->last = unpack_place(v);
    return rc;
}

/* Find the slot of the recorded head: an entry of the file, or an inherited one. */
static bool find_head(struct placer *p, struct bough_head *at)
{
    const struct item_entry in = { .parent = *p->head ? p->head : NULL };

    return find_group(p, &in, at);
}

static enum bough_rc set_head(struct placer *p, struct bough_error *err)
{
    struct bough_head at = p->last;
    struct bough_session *s;
    enum bough_rc rc;

    if (p->how->dry || !p->there || p->hidden || (!p->moved && !p->head))
        return BOUGH_OK;
    if (p->head && !find_head(p, &at))
        return problem(p, 0, "where it was left is not in the file: it is left at its end");
    rc = bough_session_get(p->s, p->tmp, p->session, &s, err);
    if (rc || same_place(s->head, at))
        return rc;
    if (!at.branch)
        return bough_head_reset(p->s, p->session, err);
    return bough_head_move(p->s, p->session, place_text(p->tmp, at), err);
}

enum bough_rc placer_end(struct placer *p, struct bough_error *err)
{
    enum bough_rc rc = placer_flush(p, err);

    if (!rc)
        rc = place_waiting(p, err);
    if (!rc && p->begun && !p->there)
        rc = placer_make(p, err); /* a session without its own entries */
    if (!rc && p->asides)
        rc = place_asides(p, err);
    if (!rc && p->begun && !p->how->dry && !p->hidden)
        rc = placer_rest(p, err);
    if (!rc)
        rc = set_head(p, err);
    if (!rc && p->begun && !p->how->dry && !p->hidden)
        rc = placer_state(p, err);
    p->begun = false;
    return rc;
}

/* ---- any item ---- */

/* End the session before, and begin this one. */
static enum bough_rc take_session(struct placer *p, const struct item *item,
                                  struct bough_error *err)
{
    enum bough_rc rc = p->begun ? placer_end(p, err) : BOUGH_OK;

    return rc ? rc : placer_session(p, &item->u.session, item->line, err);
}

enum bough_rc placer_take(void *user, const struct item *item, struct bough_error *err)
{
    struct placer *p = user;

    if (item->kind == ITEM_PROBLEM)
        return problem(p, item->line, item->u.problem);
    if (item->kind == ITEM_SESSION)
        return take_session(p, item, err);
    if (item->kind == ITEM_MEMORY && item->u.memory.scope != BOUGH_MEMORY_OF_SESSION)
        return take_memory(p, item, err);
    if (!p->begun && item->kind == ITEM_LOST)
        return BOUGH_OK;
    if (!p->begun)
        return bough_fail(err, BOUGH_INVALID, "line %lld: something before any session",
                          (long long)item->line);
    if (p->hidden) {
        p->out->known += item->kind == ITEM_ENTRY;
        return BOUGH_OK;
    }
    switch (item->kind) {
    case ITEM_ENTRY:
        return take_entry(p, item, err);
    case ITEM_HEAD:
        p->head = arena_strdup(p->own, item->u.id ? item->u.id : "");
        return BOUGH_OK;
    case ITEM_CALL:
        return placer_call(p, &item->u.call, item->line, err);
    case ITEM_ALIAS:
        return take_alias(p, &item->u.alias, err);
    case ITEM_LOST:
        return take_lost(p, err);
    case ITEM_TITLE:
    case ITEM_LABEL:
    case ITEM_MEMORY:
    case ITEM_PROMPT:
    case ITEM_TODOS:
        placer_later(p, item);
        return BOUGH_OK;
    case ITEM_SESSION:
    case ITEM_PROBLEM:
        break;
    }
    return BOUGH_OK;
}
