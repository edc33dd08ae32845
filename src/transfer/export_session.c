/* Exports one session: writes its entries as the bytes of a format. */
#include "transfer/export_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "formats/common/copies.h"
#include "formats/common/names.h"
#include "store/write/import_api.h"

enum { PAGE = 256, OUT_BYTES = 64 * 1024 };

struct export
{
    struct bough_store *s;
    const struct bough_export_options *how;
    const struct format *f;
    struct writing w;
    struct buf out;
    struct bough_arena *kept; /* ids of written entries */
    struct smap taken;        /* ids used in this file */
    struct map ids;           /* branch << 32 | depth -> const char * */
    struct map skipped;       /* the same of entries that are left out -> id of the parent */
    struct bough_branches branches;
    const char *last;       /* id of the previous entry, on a path */
    struct bough_head head; /* the last entry of the path that counts; branch 0: none */
    struct map runs;        /* branch -> struct written_run *; 0: the head's path; UINT64_MAX: all
                               that a fork inherits */
    struct names copies;    /* how the file of a fork differs from what it inherits */
    struct bough_error why; /* a run could not be read */
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

static uint64_t group_key(struct bough_head at)
{
    return (uint64_t)at.branch << 32 | (uint64_t)at.depth;
}

/* The id the entry was imported with, else its own id. Used by our own format. */
static const char *whole_id(const struct bough_entry *e)
{
    return *e->origin ? e->origin : e->id;
}

static const char *written_id(const struct export *x, struct bough_head at)
{
    uint64_t v;

    return map_get(&x->ids, group_key(at), &v) ? (const char *)(uintptr_t)v : NULL;
}

/* An entry whose id was taken in its session was imported with "~n" behind it: the id without that.
 * NULL: the "~" is part of the id. */
static const char *id_before_number(struct export *x, const struct bough_entry *e)
{
    const char *tilde = strrchr(e->origin, '~'), *id;
    struct bough_arena *tmp;
    struct bough_entry *first;
    bool taken;

    if (!tilde || tilde == e->origin || !tilde[1] ||
        strspn(tilde + 1, "0123456789") < strlen(tilde + 1))
        return NULL;
    id = arena_strndup(x->kept, e->origin, (size_t)(tilde - e->origin));
    tmp = bough_arena_create();
    taken = bough_entry_get(x->s, tmp, x->w.session->id, id, &first, NULL) == BOUGH_OK &&
            cstr_eq(first->origin, id);
    bough_arena_destroy(tmp);
    return taken ? id : NULL;
}

static bool is_free(const struct export *x, const char *id)
{
    return !cstr_empty(id) && !smap_get(&x->taken, str_of(id), NULL);
}

/* The id the entry was imported with, without the "~n" of a repeated one if that is free in this
 * file. Otherwise eight hex digits, derived from its own id. All are stable, and unique in the
 * file. */
static const char *id_for(struct export *x, const struct bough_entry *e)
{
    const char *known = written_id(x, e->at), *id;
    char hex[HEX_TEXT];

    if (known) /* a run was read before it */
        return known;
    if (x->f->writes == WRITES_OWN) {
        id = arena_strdup(x->kept, whole_id(e));
        map_put(&x->ids, group_key(e->at), (uint64_t)(uintptr_t)id);
        return id;
    }
    id = id_before_number(x, e);
    if (!is_free(x, id))
        id = arena_strdup(x->kept, e->origin);
    for (int n = 0; !is_free(x, id); n++) {
        made_hex(str_of(arena_printf(x->kept, "%s %d", whole_id(e), n)), hex);
        id = arena_strndup(x->kept, hex, 8);
    }
    smap_put(&x->taken, str_of(id), 1);
    map_put(&x->ids, group_key(e->at), (uint64_t)(uintptr_t)id);
    return id;
}

/* The same; of an entry that was left out, the id of its parent. */
static const char *id_at(const struct export *x, struct bough_head at)
{
    const char *id = written_id(x, at);
    uint64_t v;

    if (id || !map_get(&x->skipped, group_key(at), &v))
        return id;
    return (const char *)(uintptr_t)v;
}

static const struct bough_branch *branch_of(const struct export *x, int64_t number)
{
    for (size_t i = 0; i < x->branches.n; i++)
        if (x->branches.at[i].number == number)
            return &x->branches.at[i];
    return NULL;
}

/* The id of the first entry that a compaction keeps. Deleted ones may be left out. */
static const char *kept_by(const struct export *x, const struct bough_entry *e)
{
    for (int64_t depth = e->keep_from; e->keep_from && depth < e->at.depth; depth++) {
        struct bough_head at = { e->at.branch, depth };
        const struct bough_branch *b;
        const char *id;

        while ((b = branch_of(x, at.branch)) != NULL && depth <= b->base.depth)
            at.branch = b->base.branch;
        id = written_id(x, at);
        if (id)
            return id;
    }
    return NULL;
}

static const char *id_of(const struct writing *w, const char *entry, bool near)
{
    const struct export *x = w->exporter;
    struct bough_arena *tmp = bough_arena_create();
    struct bough_entry *e;
    const char *id = NULL;

    if (bough_entry_get(x->s, tmp, w->session->id, entry, &e, NULL) == BOUGH_OK)
        id = near ? id_at(x, e->at) : written_id(x, e->at);
    bough_arena_destroy(tmp);
    return id;
}

/* ---- runs ---- */

/* Is it on the path of the head? */
static bool on_path(const struct export *x, struct bough_head at)
{
    struct bough_head top = x->head;

    while (top.branch && top.branch != at.branch) {
        const struct bough_branch *b = branch_of(x, top.branch);

        top = b ? b->base : (struct bough_head){ 0, 0 };
    }
    return top.branch && at.depth <= top.depth;
}

/* Read the entries of a run: the path to `at`, or with `from` only from that depth on. */
static enum bough_rc read_run(struct export *x, const char *at, int64_t from,
                              struct written_run *run, struct bough_error *err)
{
    struct bough_entries_read_options how = { .at = at, .from_depth = from };
    struct bough_entries_read_result page;
    enum bough_rc rc = bough_entries_read(x->s, x->kept, x->w.session->id, &how, &page, err);

    if (rc)
        return rc;
    run->entries = page.entries.at;
    run->n = page.entries.n;
    run->ids = arena_array(x->kept, run->n + 1, sizeof *run->ids);
    for (size_t i = 0; i < run->n; i++)
        run->ids[i] = id_for(x, &run->entries[i]);
    return BOUGH_OK;
}

/* Where the run of an entry ends, and the depth it begins at; *key names the run. */
static const char *run_end(const struct export *x, const struct written_entry *we, uint64_t *key,
                           int64_t *from)
{
    const struct bough_branch *b = we && !we->on_path ? branch_of(x, we->e->at.branch) : NULL;
    struct bough_head at = x->head;

    *from = 0;
    *key = 0;
    if (b && strcmp(b->session, x->w.session->id) != 0) { /* inherited, behind the head */
        *key = UINT64_MAX;
        return x->w.session->fork_entry;
    }
    if (b) {
        *key = (uint64_t)b->number;
        *from = b->base.depth + 1;
        at = (struct bough_head){ b->number, b->tip };
    }
    return at.branch
               ? arena_printf(x->kept, "#%lld.%lld", (long long)at.branch, (long long)at.depth)
               : NULL;
}

static struct written_run *run_of(const struct writing *w, const struct written_entry *we)
{
    struct export *x = w->exporter;
    struct written_run *run;
    uint64_t key, v;
    int64_t from;
    const char *end = run_end(x, we, &key, &from);

    if (map_get(&x->runs, key, &v))
        return (struct written_run *)(uintptr_t)v;
    run = arena_zalloc(x->kept, sizeof *run);
    map_put(&x->runs, key, (uint64_t)(uintptr_t)run);
    if (end && !x->why.rc)
        (void)read_run(x, end, from, run, &x->why);
    return run;
}

static enum bough_rc write_one(struct export *x, const struct bough_entry *e, const char *parent,
                               struct bough_error *err)
{
    struct written_entry we = {
        .e = e, .parent = parent, .kept = kept_by(x, e), .on_path = on_path(x, e->at)
    };

    if (e->open)
        return bough_fail(err, BOUGH_CONFLICT, "message %s is still being written", e->id);
    we.id = id_for(x, e);
    x->last = we.id;
    x->f->entry(&x->w, &we);
    if (x->why.rc)
        return bough_fail(err, x->why.rc, "%s", x->why.msg);
    if (x->out.over)
        return bough_fail(err, BOUGH_TOO_LARGE, "entry %s is too large to be written", e->id);
    return put_out(x, false) ? BOUGH_OK
                             : bough_fail(err, BOUGH_IO, "the output could not be written");
}

/* Leave out a deleted entry, unless the format can mark it, and one that the file of a fork did not
 * have: its children hang on its parent. */
static enum bough_rc write_or_skip(struct export *x, const struct bough_entry *e,
                                   const char *parent, struct bough_error *err)
{
    struct bough_entry copy = *e;
    bool there = cstr_eq(e->session, x->w.session->id) || copies_apply(x->kept, &x->copies, &copy);

    if (there && (!e->deleted || x->f->marks_deleted))
        return write_one(x, &copy, parent, err);
    if (parent)
        map_put(&x->skipped, group_key(e->at), (uint64_t)(uintptr_t)parent);
    return BOUGH_OK;
}

/* ---- the path ---- */

static enum bough_rc write_path(struct export *x, const char *session, const char *at,
                                struct bough_error *err)
{
    char cursor[BOUGH_CURSOR_LEN + 1] = "";
    struct bough_entries_read_options how = {
        .at = at, .limit = PAGE, .cursor = cursor, .deleted = true
    };
    struct bough_arena *a = bough_arena_create();
    struct bough_entries_read_result page;
    enum bough_rc rc;

    do {
        bough_arena_reset(a);
        rc = bough_entries_read(x->s, a, session, &how, &page, err);
        for (size_t i = 0; i < page.entries.n && !rc; i++)
            rc = write_or_skip(x, &page.entries.at[i], x->last, err);
        snprintf(cursor, sizeof cursor, "%s", rc ? "" : page.entries.next);
    } while (*cursor);
    bough_arena_destroy(a);
    return rc;
}

/* ---- the tree ---- */

/* The id of the entry in this slot, even if another session owns it and it was not written. */
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

/* The parent's id: the previous entry of the branch, or, for its first entry, the entry the branch
 * hangs on. */
static const char *parent_of(struct export *x, const struct bough_entry *e)
{
    const struct bough_branch *b = branch_of(x, e->at.branch);

    if (b && b->base.depth + 1 == e->at.depth)
        return b->base.branch ? name_at(x, b->base) : NULL;
    return id_at(x, (struct bough_head){ e->at.branch, e->at.depth - 1 });
}

/* A fork's file begins with the entries it inherits (P34). Our own format refers to the parent for
 * them, unless that was purged. */
static enum bough_rc write_inherited(struct export *x, struct bough_error *err)
{
    const struct bough_session *s = x->w.session;

    if (!*s->fork_entry || (*s->parent && x->f->writes == WRITES_OWN))
        return BOUGH_OK;
    return write_path(x, s->id, s->fork_entry, err);
}

static enum bough_rc write_tree(struct export *x, const char *session, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    char cursor[BOUGH_CURSOR_LEN + 1] = "";
    struct bough_tree_entries_options how = { .limit = PAGE, .cursor = cursor };
    struct bough_entries page;
    enum bough_rc rc = write_inherited(x, err);

    while (!rc) {
        bough_arena_reset(a);
        rc = bough_tree_entries(x->s, a, session, &how, &page, err);
        for (size_t i = 0; i < page.n && !rc; i++)
            rc = write_or_skip(x, &page.at[i], parent_of(x, &page.at[i]), err);
        snprintf(cursor, sizeof cursor, "%s", page.next);
        if (!*cursor)
            break;
    }
    bough_arena_destroy(a);
    return rc;
}

/* ---- labels, calls, notes ---- */

static int by_entry(const void *a, const void *b)
{
    return strcmp(((const struct item_label *)a)->entry, ((const struct item_label *)b)->entry);
}

/* Use the ids under which their entries were written. */
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
        id = x->f->writes == WRITES_OWN ? name_at(x, e->at) : written_id(x, e->at);
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
        rc = memory_list_all(x->s, x->kept, BOUGH_MEMORY_OF_SESSION, id, memories, err);
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

/* ---- sessions ---- */

/* Find the ids of the parent session and of the fork entry. */
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

/* Where the path that counts ends: at the head, which a fork may have inherited, or at `at`. */
static enum bough_rc take_head(struct export *x, struct bough_error *err)
{
    struct bough_entry *e = NULL;
    enum bough_rc rc;

    x->head = (struct bough_head){ 0, 0 };
    if (cstr_empty(x->how->at))
        rc = bough_head_get(x->s, x->kept, x->w.session->id, &(struct bough_head){ 0, 0 }, &e, err);
    else
        rc = bough_entry_get(x->s, x->kept, x->w.session->id, x->how->at, &e, err);
    if (!rc && e)
        x->head = e->at;
    return rc;
}

/* The id of the head's entry; of a deleted one, that of the entry before it. */
static const char *head_id(struct export *x)
{
    if (!cstr_empty(x->how->at))
        return x->last;
    return x->head.branch ? name_at(x, x->head) : NULL;
}

static enum bough_rc write_session(struct export *x, const char *session, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = bough_session_get(x->s, x->kept, session, &s, err);

    if (rc)
        return rc;
    x->w = (struct writing){
        .a = x->kept, .out = &x->out, .session = s, .id_of = id_of, .run_of = run_of, .exporter = x
    };
    x->last = NULL;
    x->copies = copies_read(x->kept, s->data);
    rc = take_parent(x, err);
    if (!rc)
        rc = take_rest(x, err);
    if (!rc)
        rc = bough_tree_branches(x->s, x->kept, session, &x->branches, err);
    if (!rc)
        rc = take_head(x, err);
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
    x->f->finish(&x->w, head_id(x));
    if (x->why.rc)
        return bough_fail(err, x->why.rc, "%s", x->why.msg);
    if (x->out.over)
        return bough_fail(err, BOUGH_TOO_LARGE, "session %s is too large to be written", s->id);
    return put_out(x, true) ? BOUGH_OK
                            : bough_fail(err, BOUGH_IO, "the output could not be written");
}

/* Memories of the store, then of every project. */
static enum bough_rc write_notes(struct export *x, struct bough_error *err)
{
    struct bough_memories list;
    struct bough_groups places;
    enum bough_rc rc = memory_list_all(x->s, x->kept, BOUGH_MEMORY_OF_STORE, "", &list, err);

    x->w = (struct writing){ .a = x->kept, .out = &x->out, .memories = &list };
    if (!rc)
        x->f->notes(&x->w);
    if (!rc)
        rc = bough_group_list(x->s, x->kept, "project", &places, err);
    for (size_t i = 0; !rc && i < places.n; i++) {
        rc = memory_list_all(x->s, x->kept, BOUGH_MEMORY_OF_PROJECT, places.at[i].name, &list, err);
        if (!rc)
            x->f->notes(&x->w);
    }
    if (rc)
        return rc;
    return put_out(x, true) ? BOUGH_OK
                            : bough_fail(err, BOUGH_IO, "the output could not be written");
}

/* ---- the calls ---- */

static void begin(struct export *x)
{
    buf_init(&x->out, LIMIT_JSON_BYTES);
    x->kept = bough_arena_create();
    smap_init(&x->taken);
    map_init(&x->ids);
    map_init(&x->skipped);
    map_init(&x->runs);
}

static void end(struct export *x)
{
    map_finish(&x->runs);
    map_finish(&x->skipped);
    map_finish(&x->ids);
    smap_finish(&x->taken);
    bough_arena_destroy(x->kept);
    buf_finish(&x->out);
}

enum bough_rc export_notes(struct bough_store *s, const struct format *f,
                           const struct bough_export_options *how, struct bough_error *err)
{
    struct export x = { .s = s, .how = how, .f = f };
    enum bough_rc rc;

    begin(&x);
    rc = write_notes(&x, err);
    end(&x);
    return rc;
}

enum bough_rc export_session(struct bough_store *s, const char *session, const struct format *f,
                             const struct bough_export_options *how, struct bough_error *err)
{
    struct export x = { .s = s, .how = how, .f = f };
    enum bough_rc rc;

    begin(&x);
    rc = write_session(&x, session, err);
    end(&x);
    return rc;
}
