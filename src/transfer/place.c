/* Placing what a format reads. */
#include "transfer/place.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"

enum {
    BATCH_ENTRIES = 512,
    BATCH_BYTES = 4 * 1024 * 1024,
    WAITING_MOST = 100000,
    PROBLEMS_MOST = 1000,
};

/* An entry whose parent has not come yet. */
struct waiting {
    struct waiting *next;
    struct item item;
};

void placer_init(struct placer *p)
{
    p->a = bough_arena_create();
    p->tmp = bough_arena_create();
    smap_init(&p->ids);
    p->waiting_end = &p->waiting;
}

void placer_finish(struct placer *p)
{
    smap_finish(&p->ids);
    mem_free(p->batch);
    mem_free(p->batch_ids);
    bough_arena_destroy(p->a);
    bough_arena_destroy(p->tmp);
}

void placer_problem(struct placer *p, int64_t line, const char *text)
{
    struct bough_imported *out = p->out;
    size_t n = out->nproblems;

    if (n >= PROBLEMS_MOST) {
        out->more++;
        return;
    }
    out->problems = arena_resize(p->answers, out->problems, n * sizeof *out->problems,
                                 (n + 1) * sizeof *out->problems);
    out->problems[n] = (struct bough_import_problem){ line, arena_strdup(p->answers, text) };
    out->nproblems++;
}

static enum bough_rc problem(struct placer *p, int64_t line, const char *text)
{
    placer_problem(p, line, text);
    return BOUGH_OK;
}

/* ---- where things are ---- */

static uint64_t pack_place(struct bough_head at)
{
    return (uint64_t)at.branch << 32 | (uint64_t)at.depth;
}

static struct bough_head unpack_place(uint64_t v)
{
    return (struct bough_head){ (int64_t)(v >> 32), (int64_t)(v & UINT32_MAX) };
}

static const char *place_text(struct bough_arena *a, struct bough_head at)
{
    return arena_printf(a, "#%lld.%lld", (long long)at.branch, (long long)at.depth);
}

/* An id that came twice has a number behind it from the second time on. */
static const char *numbered(struct bough_arena *a, const char *id, int n)
{
    return n > 1 ? arena_printf(a, "%s~%d", id, n) : id;
}

/* The newest entry of that id in a session: *again says how many there are. NULL: none. */
static struct bough_entry *stored(struct placer *p, const char *session, const char *id, int *again)
{
    struct bough_entry *e = NULL, *found = NULL;
    int n = 1;

    while (bough_entry_get(p->s, p->tmp, session, numbered(p->tmp, id, n), &e, NULL) == BOUGH_OK &&
           cstr_eq(e->origin, numbered(p->tmp, id, n))) {
        found = e;
        n++;
    }
    *again = n - 1;
    return found;
}

static bool same_raw(struct bough_str a, struct bough_str b)
{
    return str_eq(a, b) || (!a.n && str_is(b, "{}")) || (!b.n && str_is(a, "{}"));
}

/* Is this what the file says? */
static bool same_entry(const struct bough_entry *e, const struct bough_entry_new *in)
{
    if (e->kind != in->kind || e->role != in->role || e->nparts != in->nparts ||
        (in->time && e->time != in->time) || !same_raw(e->data, in->data) ||
        !same_raw(e->metadata, in->metadata))
        return false;
    for (size_t i = 0; i < e->nparts; i++)
        if (!str_eq(e->parts[i].json, in->parts[i]))
            return false;
    return true;
}

static bool same_place(struct bough_head a, struct bough_head b)
{
    return a.branch == b.branch && a.depth == b.depth;
}

/* The entry a stored one follows. */
static bool parent_is(struct placer *p, const struct bough_entry *e, struct bough_head parent)
{
    struct bough_entries kids;
    const char *at = parent.branch ? place_text(p->tmp, parent) : NULL;

    if (e->at.depth != parent.depth + 1)
        return false;
    if (e->at.branch == parent.branch)
        return true;
    if (bough_tree_children(p->s, p->tmp, e->session, at, &kids, NULL))
        return false;
    for (size_t i = 0; i < kids.n; i++)
        if (same_place(kids.at[i].at, e->at))
            return true;
    return false;
}

/* ---- sessions ---- */

/* The part of a file's name that is an id: between the last "_" or "/" and the suffix. */
static const char *id_in_path(struct bough_arena *a, const char *path)
{
    const char *from = strrchr(path, '_'), *slash = strrchr(path, '/'), *dot;

    if (!from || (slash && slash > from))
        from = slash;
    from = from ? from + 1 : path;
    dot = strrchr(from, '.');
    return dot ? arena_strndup(a, from, (size_t)(dot - from)) : from;
}

/* The session it was forked from or spawned by, when that is in the store: by its file, by its id,
 * by the id in its file's name. */
static void find_parent(struct placer *p)
{
    struct bough_source *source;
    struct bough_session *s;
    const char *name = p->in.parent;

    p->parent[0] = '\0';
    if (cstr_empty(name))
        return;
    if (bough_source_get(p->s, p->tmp, name, &source, NULL) == BOUGH_OK && *source->session)
        name = source->session;
    else if (strchr(name, '/') || strchr(name, '\\'))
        name = id_in_path(p->tmp, name);
    if (bough_session_get(p->s, p->tmp, name, &s, NULL) == BOUGH_OK)
        memcpy(p->parent, s->id, sizeof p->parent);
}

static enum bough_rc make_session(struct placer *p, struct bough_error *err)
{
    bool forked = p->parent[0] && !p->in.subagent && p->shared[0];
    struct bough_session_new in = {
        .id = p->in.id,
        .kind = p->in.subagent && p->parent[0] ? BOUGH_SUBAGENT : BOUGH_PRIMARY,
        .parent = forked || (p->in.subagent && p->parent[0]) ? p->parent : NULL,
        .fork_entry = forked ? p->shared : NULL,
        .parent_tool_use_id = p->in.spawned_by,
        .title = p->in.title,
        .project = cstr_empty(p->how->project) ? p->in.project : p->how->project,
        .model_provider = p->in.model_provider,
        .model_name = p->in.model_name,
        .data = p->in.data,
        .metadata = p->in.metadata,
        .created = p->in.created,
    };
    struct bough_session *s;
    enum bough_rc rc;

    p->there = p->fresh = true;
    p->out->sessions++;
    if (p->how->dry)
        return BOUGH_OK;
    rc = bough_session_create(p->s, p->tmp, &in, &s, err);
    if (rc)
        return rc;
    memcpy(p->session, s->id, sizeof p->session);
    p->out->session = arena_strdup(p->answers, s->id);
    return BOUGH_OK;
}

static struct bough_str keep_str(struct bough_arena *a, struct bough_str s)
{
    return str_make(arena_strndup(a, s.p ? s.p : "", s.n), s.n);
}

static void keep_session(struct placer *p, const struct item_session *in)
{
    p->in = *in;
    p->in.id = arena_strdup(p->a, in->id);
    p->in.title = arena_strdup(p->a, in->title);
    p->in.project = arena_strdup(p->a, in->project);
    p->in.parent = arena_strdup(p->a, in->parent);
    p->in.spawned_by = arena_strdup(p->a, in->spawned_by);
    p->in.model_provider = arena_strdup(p->a, in->model_provider);
    p->in.model_name = arena_strdup(p->a, in->model_name);
    p->in.data = keep_str(p->a, in->data);
    p->in.metadata = keep_str(p->a, in->metadata);
}

static enum bough_rc take_session(struct placer *p, const struct item_session *in,
                                  struct bough_error *err)
{
    struct bough_session *s = NULL;
    enum bough_rc rc = p->begun ? placer_end(p, err) : BOUGH_OK;

    if (rc)
        return rc;
    smap_finish(&p->ids);
    smap_init(&p->ids);
    keep_session(p, in);
    p->begun = true;
    p->there = p->fresh = p->moved = false;
    p->last = (struct bough_head){ 0, 0 };
    p->last_waits = NULL;
    p->head = NULL;
    p->shared[0] = '\0';
    find_parent(p);
    if (!cstr_empty(in->id) && bough_session_get(p->s, p->tmp, in->id, &s, NULL) != BOUGH_OK &&
        !cstr_empty(p->known) && bough_session_get(p->s, p->tmp, p->known, &s, NULL) != BOUGH_OK)
        s = NULL;
    if (s && !s->deleted) {
        p->there = true;
        memcpy(p->session, s->id, sizeof p->session);
        p->out->session = arena_strdup(p->answers, s->id);
    }
    return BOUGH_OK;
}

/* ---- batches ---- */

static void remember(struct placer *p, const char *id, struct bough_head at)
{
    if (!cstr_empty(id))
        smap_put(&p->ids, str_of(id), pack_place(at));
    p->last = at;
}

static enum bough_rc flush(struct placer *p, struct bough_error *err)
{
    struct bough_append in = { .entries = p->batch, .n = p->n };
    struct bough_appended done;
    enum bough_rc rc;

    if (!p->n)
        return BOUGH_OK;
    if (p->batch_at.branch)
        in.at = place_text(p->tmp, p->batch_at);
    else
        in.at_root = true;
    rc = p->how->dry ? BOUGH_OK : bough_append(p->s, p->tmp, p->session, &in, &done, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < p->n && !p->how->dry; i++) {
        struct bough_head at = { done.head.branch, done.head.depth - (int64_t)(p->n - 1 - i) };

        if (!cstr_empty(p->batch[i].id))
            smap_put(&p->ids, str_of(p->batch[i].id), pack_place(at));
        remember(p, p->batch_ids[i], at);
    }
    p->out->added += (int64_t)p->n;
    p->moved = true;
    p->n = p->bytes = 0;
    bough_arena_reset(p->tmp);
    return BOUGH_OK;
}

/* A copy that lives until the batch is written. */
static struct bough_entry_new keep_entry(struct bough_arena *a, const struct bough_entry_new *in,
                                         size_t *bytes)
{
    struct bough_entry_new e = *in;
    struct bough_str *parts = arena_array(a, in->nparts + 1, sizeof *parts);

    for (size_t i = 0; i < in->nparts; i++) {
        parts[i] = keep_str(a, in->parts[i]);
        *bytes += parts[i].n;
    }
    e.parts = parts;
    e.kind_name = arena_strdup(a, in->kind_name);
    e.text = arena_strdup(a, in->text);
    e.id = arena_strdup(a, in->id);
    e.finish = arena_strdup(a, in->finish);
    e.call_provider = arena_strdup(a, in->call_provider);
    e.call_model = arena_strdup(a, in->call_model);
    e.call_request_id = arena_strdup(a, in->call_request_id);
    e.error = keep_str(a, in->error);
    e.data = keep_str(a, in->data);
    e.metadata = keep_str(a, in->metadata);
    *bytes += e.data.n + e.metadata.n + 64;
    return e;
}

static void push(struct placer *p, const struct item_entry *in, const char *origin)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 64;
        p->batch = mem_realloc(p->batch, mem_array(p->cap, sizeof *p->batch));
        p->batch_ids = mem_realloc(p->batch_ids, mem_array(p->cap, sizeof *p->batch_ids));
    }
    p->batch[p->n] = keep_entry(p->tmp, &in->entry, &p->bytes);
    p->batch[p->n].id = arena_strdup(p->tmp, origin);
    p->batch_ids[p->n++] = arena_strdup(p->tmp, in->id);
    if (!cstr_empty(origin)) /* taken; its place is known when the batch is written */
        smap_put(&p->ids, str_of(origin), 0);
}

/* ---- entries ---- */

/* In the middle of a batch the last one has no place yet, only its name. */
static bool follows_batch(const struct placer *p, const struct item_entry *in)
{
    return p->n && (in->next || (in->parent && cstr_eq(in->parent, p->batch_ids[p->n - 1])));
}

/* Where its parent is. False: it has not come yet. */
static bool find_place(struct placer *p, const struct item_entry *in, struct bough_head *out)
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
    if (smap_get(&p->ids, str_of(in->parent), &v)) {
        *out = unpack_place(v);
        return true;
    }
    if (!p->there || p->fresh)
        return false;
    e = stored(p, p->session, in->parent, &again);
    if (e)
        *out = e->at;
    return e != NULL;
}

/* Entries that name others are appended when those are in the store. */
static bool names_others(const struct bough_entry_new *e)
{
    return e->kind == BOUGH_ENTRY_LABEL || e->kind == BOUGH_ENTRY_COMPACTION;
}

/* A label whose target is nowhere is kept as an entry that means nothing to us. */
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

/* The id a new entry is stored with: its own, or the next number of it. */
static const char *free_name(struct placer *p, const char *id)
{
    uint64_t v;
    int again = 0;

    if (cstr_empty(id))
        return id;
    if (!p->fresh && stored(p, p->session, id, &again))
        p->edited = true;
    while (smap_get(&p->ids, str_of(numbered(p->tmp, id, again + 1)), &v))
        again++;
    return numbered(p->tmp, id, again + 1);
}

/* Is it there already, at the same place and with the same content? */
static bool is_known(struct placer *p, const struct item_entry *in, struct bough_head parent)
{
    struct bough_entry *e;
    int again = 0;

    if (cstr_empty(in->id) || p->fresh)
        return false;
    e = stored(p, p->session, in->id, &again);
    if (!e || !same_entry(e, &in->entry) || !parent_is(p, e, parent))
        return false;
    remember(p, in->id, e->at);
    return true;
}

/* Is it what the session it was forked from shows at this place? */
static bool inherited(struct placer *p, const struct item_entry *in, struct bough_head parent)
{
    struct bough_entry *e;
    int again;

    if (p->there || !p->in.inherits || !p->parent[0] || cstr_empty(in->id))
        return false;
    e = stored(p, p->parent, in->id, &again);
    if (!e || !same_entry(e, &in->entry) || !same_place(parent, p->last) ||
        e->at.depth != p->last.depth + 1)
        return false;
    memcpy(p->shared, e->id, sizeof p->shared);
    remember(p, in->id, e->at);
    return true;
}

static enum bough_rc place_entry(struct placer *p, const struct item_entry *given,
                                 struct bough_head parent, struct bough_error *err)
{
    struct item_entry in = *given;
    enum bough_rc rc;

    if (inherited(p, &in, parent)) {
        p->out->known++;
        return BOUGH_OK;
    }
    if (!p->there) {
        rc = make_session(p, err);
        if (rc)
            return rc;
    }
    check_label(p, &in);
    if (is_known(p, &in, parent)) {
        p->out->known++;
        return BOUGH_OK;
    }
    p->batch_at = parent;
    push(p, &in, free_name(p, in.id));
    return BOUGH_OK;
}

static enum bough_rc wait_for_parent(struct placer *p, const struct item *item)
{
    struct waiting *w;
    size_t bytes = 0;

    if (p->nwaiting >= WAITING_MOST)
        return problem(p, item->line, "too many entries wait for a parent: it was left out");
    w = arena_zalloc(p->a, sizeof *w);
    w->item = *item;
    w->item.u.entry.entry = keep_entry(p->a, &item->u.entry.entry, &bytes);
    w->item.u.entry.id = arena_strdup(p->a, item->u.entry.id);
    w->item.u.entry.parent = arena_strdup(p->a, item->u.entry.parent);
    p->last_waits = w->item.u.entry.id;
    *p->waiting_end = w;
    p->waiting_end = &w->next;
    p->nwaiting++;
    return BOUGH_OK;
}

static enum bough_rc take_entry(struct placer *p, const struct item *item, struct bough_error *err)
{
    const struct item_entry *in = &item->u.entry;
    struct bough_head parent;
    enum bough_rc rc = BOUGH_OK;

    if (!p->n)
        bough_arena_reset(p->tmp);
    if (!p->begun)
        return bough_fail(err, BOUGH_INVALID, "line %lld: an entry before any session",
                          (long long)item->line);
    if (follows_batch(p, in) && !names_others(&in->entry) && p->n < BATCH_ENTRIES &&
        p->bytes < BATCH_BYTES) { /* behind something new: it is new, too */
        push(p, in, free_name(p, in->id));
        return BOUGH_OK;
    }
    rc = flush(p, err);
    if (rc)
        return rc;
    p->last_waits = NULL;
    if (!find_place(p, in, &parent))
        return wait_for_parent(p, item);
    return place_entry(p, in, parent, err);
}

enum bough_rc placer_take(void *user, const struct item *item, struct bough_error *err)
{
    struct placer *p = user;

    switch (item->kind) {
    case ITEM_SESSION:
        return take_session(p, &item->u.session, err);
    case ITEM_ENTRY:
        return take_entry(p, item, err);
    case ITEM_HEAD:
        p->head = arena_strdup(p->a, item->u.id ? item->u.id : "");
        return BOUGH_OK;
    case ITEM_TODOS:
        return BOUGH_OK;
    case ITEM_PROBLEM:
        return problem(p, item->line, item->u.problem);
    }
    return BOUGH_OK;
}

/* ---- the end ---- */

/* Those whose parent came later; then, one by one, those whose parent never comes. */
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

            if (!find_place(p, &w->item.u.entry, &parent)) {
                at = &w->next;
                continue;
            }
            *at = w->next;
            again = true;
            rc = place_entry(p, &w->item.u.entry, parent, err);
            if (!rc)
                rc = flush(p, err);
        }
        if (rc || again || !p->waiting)
            continue;
        problem(p, p->waiting->item.line,
                "its parent is nowhere in the file, or it hangs on itself: it became a root");
        p->waiting->item.u.entry.parent = NULL;
    }
    p->waiting_end = &p->waiting;
    p->nwaiting = 0;
    p->last = last;
    if (p->last_waits && smap_get(&p->ids, str_of(p->last_waits), &v))
        p->last = unpack_place(v);
    return rc;
}

static enum bough_rc set_head(struct placer *p, struct bough_error *err)
{
    struct bough_head at = p->last;
    struct bough_session *s;
    uint64_t v;
    enum bough_rc rc;

    if (p->how->dry || !p->there || (!p->moved && !p->head))
        return BOUGH_OK;
    if (p->head)
        at = *p->head && smap_get(&p->ids, str_of(p->head), &v) ? unpack_place(v)
                                                                : (struct bough_head){ 0, 0 };
    rc = bough_session_get(p->s, p->tmp, p->session, &s, err);
    if (rc || same_place(s->head, at))
        return rc;
    if (!at.branch)
        return bough_head_reset(p->s, p->session, err);
    return bough_head_move(p->s, p->session, place_text(p->tmp, at), err);
}

enum bough_rc placer_end(struct placer *p, struct bough_error *err)
{
    enum bough_rc rc = flush(p, err);

    if (!rc)
        rc = place_waiting(p, err);
    if (!rc && p->begun && !p->there)
        rc = make_session(p, err); /* a session without entries of its own */
    if (!rc)
        rc = set_head(p, err);
    p->begun = false;
    return rc;
}
