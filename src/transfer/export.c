/* Exporting a session: what a store shows, to a format's bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "formats/format.h"
#include "formats/names.h"
#include "store/given.h"

#include <bough/bough.h>

enum { PAGE = 256, OUT_BYTES = 64 * 1024, MOST_ABOVE = 64 };

struct export
{
    struct bough_store *s;
    const struct bough_export *how;
    const struct format *f;
    struct writing w;
    struct buf out;
    struct bough_arena *kept; /* ids of what was written */
    struct smap taken;        /* ids that are used in this file */
    struct map ids;           /* branch << 32 | depth -> const char * */
    const char *last;         /* id of the entry before, on a path */
};

static bool put_out(struct export *x, bool all)
{
    bool fine = true;

    if (x->out.n && (all || x->out.n >= OUT_BYTES)) {
        fine = x->how->write(x->how->user, buf_str(&x->out));
        buf_reset(&x->out);
    }
    return fine;
}

static uint64_t place_key(struct bough_head at)
{
    return (uint64_t)at.branch << 32 | (uint64_t)at.depth;
}

/* The id it came with, else ours: what our own format calls it. */
static const char *whole_id(const struct bough_entry *e)
{
    return *e->origin ? e->origin : e->id;
}

/* The id it came with, without the number of a second one; else eight hex digits made of ours. Both
 * are the same every time, and unique in the file. */
static const char *id_for(struct export *x, const struct bough_entry *e)
{
    const char *tilde = strrchr(e->origin, '~');
    const char *id = tilde ? arena_strndup(x->kept, e->origin, (size_t)(tilde - e->origin))
                           : arena_strdup(x->kept, e->origin);
    char hex[HEX_TEXT];

    if (x->f->writes == WRITES_OWN) {
        id = arena_strdup(x->kept, whole_id(e));
        map_put(&x->ids, place_key(e->at), (uint64_t)(uintptr_t)id);
        return id;
    }
    for (int n = 0; !*id || smap_get(&x->taken, str_of(id), NULL); n++) {
        made_hex(str_of(arena_printf(x->kept, "%s %d", whole_id(e), n)), hex);
        id = arena_strndup(x->kept, hex, 8);
    }
    smap_put(&x->taken, str_of(id), 1);
    map_put(&x->ids, place_key(e->at), (uint64_t)(uintptr_t)id);
    return id;
}

static const char *id_at(const struct export *x, struct bough_head at)
{
    uint64_t v;

    return map_get(&x->ids, place_key(at), &v) ? (const char *)(uintptr_t)v : NULL;
}

static enum bough_rc write_one(struct export *x, const struct bough_entry *e, const char *parent,
                               struct bough_error *err)
{
    struct written_entry we = { .e = e, .parent = parent };

    if (e->open)
        return bough_fail(err, BOUGH_CONFLICT, "message %s is still being written", e->id);
    we.id = id_for(x, e);
    x->last = we.id;
    x->f->entry(&x->w, &we);
    if (x->out.over)
        return bough_fail(err, BOUGH_TOO_LARGE, "entry %s is too large to be written", e->id);
    return put_out(x, false) ? BOUGH_OK
                             : bough_fail(err, BOUGH_IO, "the output could not be written");
}

/* ---- the path ---- */

static enum bough_rc write_path(struct export *x, const char *session, const char *at,
                                struct bough_error *err)
{
    struct bough_read how = { .at = at, .limit = PAGE };
    struct bough_arena *a = bough_arena_create();
    struct bough_path page;
    enum bough_rc rc;

    do {
        bough_arena_reset(a);
        rc = bough_entries_read(x->s, a, session, &how, &page, err);
        for (size_t i = 0; i < page.entries.n && !rc; i++)
            rc = write_one(x, &page.entries.at[i], x->last, err);
        how.from = page.entries.next;
    } while (!rc && page.entries.more);
    bough_arena_destroy(a);
    return rc;
}

/* ---- everything ---- */

/* What is at a place, also when it was not written because another session owns it. */
static const char *name_at(struct export *x, struct bough_head at)
{
    const char *id = id_at(x, at), *place;
    struct bough_entry *e;

    if (id || !at.branch || x->f->writes != WRITES_OWN)
        return id;
    place = arena_printf(x->kept, "#%lld.%lld", (long long)at.branch, (long long)at.depth);
    return bough_entry_get(x->s, x->kept, x->w.session->id, place, &e, NULL) == BOUGH_OK
               ? whole_id(e)
               : NULL;
}

/* What an entry follows: on its own branch, or, for the first of it, what the branch hangs on. */
static const char *parent_of(struct export *x, const struct bough_branches *b,
                             const struct bough_entry *e)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i].number == e->at.branch && b->at[i].base.depth + 1 == e->at.depth)
            return b->at[i].base.branch ? name_at(x, b->at[i].base) : NULL;
    return id_at(x, (struct bough_head){ e->at.branch, e->at.depth - 1 });
}

/* A fork's file begins with what it inherits (P34). */
static enum bough_rc write_inherited(struct export *x, struct bough_error *err)
{
    const struct bough_session *s = x->w.session;

    if (!*s->fork_entry || !*s->parent || x->f->writes == WRITES_OWN)
        return BOUGH_OK;
    return write_path(x, s->parent, s->fork_entry, err);
}

static enum bough_rc write_tree(struct export *x, const char *session, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_branches branches;
    struct bough_entries page;
    int64_t after = 0;
    enum bough_rc rc = bough_tree_branches(x->s, x->kept, session, &branches, err);

    if (!rc)
        rc = write_inherited(x, err);
    while (!rc) {
        bough_arena_reset(a);
        rc = bough_tree_entries(x->s, a, session, after, PAGE, &page, err);
        for (size_t i = 0; i < page.n && !rc; i++) {
            rc = write_one(x, &page.at[i], parent_of(x, &branches, &page.at[i]), err);
            after = page.at[i].no;
        }
        if (!page.more)
            break;
    }
    bough_arena_destroy(a);
    return rc;
}

/* ---- beside them ---- */

static int by_entry(const void *a, const void *b)
{
    return strcmp(((const struct item_label *)a)->entry, ((const struct item_label *)b)->entry);
}

/* Labels under the ids their entries were written with. */
static enum bough_rc take_labels(struct export *x, struct bough_error *err)
{
    struct bough_labels list;
    struct item_label *out;
    enum bough_rc rc = bough_label_list(x->s, x->kept, x->w.session->id, &list, err);

    if (rc)
        return rc;
    out = arena_array(x->kept, list.n + 1, sizeof *out);
    for (size_t i = 0; i < list.n; i++) {
        struct bough_entry *e;
        const char *id;

        if (bough_entry_get(x->s, x->kept, x->w.session->id, list.at[i].entry, &e, NULL))
            continue;
        id = name_at(x, e->at);
        if (id)
            out[x->w.nlabels++] = (struct item_label){ id, list.at[i].text, list.at[i].time };
    }
    qsort(out, x->w.nlabels, sizeof *out, by_entry);
    x->w.labels = out;
    return BOUGH_OK;
}

static enum bough_rc take_rest(struct export *x, struct bough_error *err)
{
    const char *id = x->w.session->id;
    struct bough_calls *calls = arena_zalloc(x->kept, sizeof *calls);
    struct bough_memories *memories = arena_zalloc(x->kept, sizeof *memories);
    struct bough_todos *todos = arena_zalloc(x->kept, sizeof *todos);
    struct bough_prompts *prompts = arena_zalloc(x->kept, sizeof *prompts);
    enum bough_rc rc = bough_todo_get(x->s, x->kept, id, todos, err);

    if (!rc)
        rc = memory_list_all(x->s, x->kept, BOUGH_OF_SESSION, id, memories, err);
    if (!rc)
        rc = bough_queue_list(x->s, x->kept, id, prompts, err);
    if (!rc && x->f->writes == WRITES_OWN)
        rc = bough_call_list(x->s, x->kept, id, calls, err);
    x->w.calls = calls;
    x->w.memories = memories;
    x->w.todos = todos;
    x->w.prompts = prompts;
    return rc;
}

/* ---- all of it ---- */

/* The names of what it hangs on. */
static enum bough_rc take_parent(struct export *x, struct bough_error *err)
{
    const struct bough_session *s = x->w.session;
    struct bough_session *parent;
    struct bough_entry *e;
    enum bough_rc rc;

    x->w.parent = x->w.fork_entry = "";
    if (!*s->parent)
        return BOUGH_OK;
    rc = bough_session_get(x->s, x->kept, s->parent, &parent, err);
    if (rc)
        return rc;
    x->w.parent = *parent->origin ? parent->origin : parent->id;
    if (*s->fork_entry &&
        bough_entry_get(x->s, x->kept, s->parent, s->fork_entry, &e, NULL) == BOUGH_OK)
        x->w.fork_entry = whole_id(e);
    return BOUGH_OK;
}

static enum bough_rc write_session(struct export *x, const char *session, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = bough_session_get(x->s, x->kept, session, &s, err);

    if (rc)
        return rc;
    x->w = (struct writing){ .a = x->kept, .out = &x->out, .session = s };
    x->last = NULL;
    rc = take_parent(x, err);
    if (!rc)
        rc = take_rest(x, err);
    if (rc)
        return rc;
    x->f->begin(&x->w);
    rc = x->f->writes != WRITES_PATH && cstr_empty(x->how->at)
             ? write_tree(x, session, err)
             : write_path(x, session, x->how->at, err);
    if (!rc)
        rc = take_labels(x, err);
    if (rc)
        return rc;
    x->f->finish(&x->w, cstr_empty(x->how->at) ? name_at(x, s->head) : x->last);
    if (x->out.over)
        return bough_fail(err, BOUGH_TOO_LARGE, "session %s is too large to be written", s->id);
    return put_out(x, true) ? BOUGH_OK
                            : bough_fail(err, BOUGH_IO, "the output could not be written");
}

/* Our own format refers to other sessions, so they come first. */
static enum bough_rc write_above(struct export *x, const char *session, int depth,
                                 struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = bough_session_get(x->s, x->kept, session, &s, err);

    if (!rc && *s->parent && depth < MOST_ABOVE) {
        rc = write_above(x, s->parent, depth + 1, err);
        if (!rc)
            rc = write_session(x, s->parent, err);
    }
    return rc;
}

/* Of the store, then of every project that was ever named. */
static enum bough_rc write_notes(struct export *x, struct bough_error *err)
{
    struct bough_memories list;
    struct bough_places places;
    enum bough_rc rc = memory_list_all(x->s, x->kept, BOUGH_OF_ALL, "", &list, err);

    x->w = (struct writing){ .a = x->kept, .out = &x->out, .memories = &list };
    if (!rc)
        x->f->notes(&x->w);
    if (!rc)
        rc = bough_place_list(x->s, x->kept, "project", &places, err);
    for (size_t i = 0; !rc && i < places.n; i++) {
        rc = memory_list_all(x->s, x->kept, BOUGH_OF_PROJECT, places.at[i].name, &list, err);
        if (!rc)
            x->f->notes(&x->w);
    }
    if (rc)
        return rc;
    return put_out(x, true) ? BOUGH_OK
                            : bough_fail(err, BOUGH_IO, "the output could not be written");
}

enum bough_rc bough_export_notes(struct bough_store *s, const struct bough_export *how,
                                 struct bough_error *err)
{
    struct export x = { .s = s, .how = how, .f = format_find(how->format ? how->format : "") };
    enum bough_rc rc;

    if (!x.f || !x.f->notes)
        return BOUGH_OK;
    buf_init(&x.out, LIMIT_JSON_BYTES);
    x.kept = bough_arena_create();
    rc = write_notes(&x, err);
    bough_arena_destroy(x.kept);
    buf_finish(&x.out);
    return rc;
}

enum bough_rc bough_export_session(struct bough_store *s, const char *session,
                                   const struct bough_export *how, struct bough_error *err)
{
    struct export x = { .s = s, .how = how, .f = format_find(how->format ? how->format : "") };
    enum bough_rc rc;

    if (!x.f || !x.f->writes)
        return bough_fail(err, BOUGH_INVALID, "no format that is written is called %.60s",
                          how->format ? how->format : "");
    buf_init(&x.out, LIMIT_JSON_BYTES);
    x.kept = bough_arena_create();
    smap_init(&x.taken);
    map_init(&x.ids);
    rc = x.f->writes == WRITES_OWN && !how->alone ? write_above(&x, session, 0, err) : BOUGH_OK;
    if (!rc)
        rc = write_session(&x, session, err);
    map_finish(&x.ids);
    smap_finish(&x.taken);
    bough_arena_destroy(x.kept);
    buf_finish(&x.out);
    return rc;
}
