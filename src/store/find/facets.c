/* Facets: which values the sessions have that lists can be filtered by. */
#include <stdlib.h>
#include <string.h>

#include "base/required.h"
#include "base/text/str.h"
#include "store/lookup/find.h"
#include "store/project/projector.h"

enum { SESSIONS_MOST = 20000, VALUES_MOST = 200 };

/* One list while it is gathered. */
struct gather {
    struct bough_facets *out;
    struct smap index; /* key -> index */
};

enum list { PROJECTS, ACCOUNTS, MODELS, STATUSES, KINDS, LAST_STATES, ROLES, TOOLS, LISTS };

struct look {
    struct snap *snap;
    struct bough_arena *a;
    const struct overlay *o;
    int64_t project; /* 0: any */
    struct gather lists[LISTS];
    int64_t sessions;
    bool more;
    enum bough_rc rc;
    struct bough_error *err;
};

static void note(struct look *l, enum list which, const char *provider, const char *name,
                 const struct list_row *row, int64_t cost)
{
    struct gather *g = &l->lists[which];
    struct arena_mark mark = arena_mark(l->a);
    struct bough_str key = str_of(arena_printf(l->a, "%s\x1f%s", provider, name));
    struct bough_facet *f;
    uint64_t i;

    if (cstr_empty(name))
        return;
    if (smap_get(&g->index, key, &i)) {
        f = &g->out->at[i];
        arena_rewind(l->a, mark);
    } else {
        smap_put(&g->index, key, g->out->n);
        g->out->at = arena_room(l->a, g->out->at, g->out->n, sizeof *g->out->at);
        f = &g->out->at[g->out->n++];
        *f = (struct bough_facet){ .name = arena_strdup(l->a, name),
                                   .provider = arena_strdup(l->a, provider) };
    }
    f->sessions++;
    if (__builtin_add_overflow(f->cost, cost, &f->cost))
        f->cost = INT64_MAX;
    f->last = row->updated > f->last ? row->updated : f->last;
}

static enum bough_rc note_group(struct look *l, enum list which, enum record_kind kind, int64_t ord,
                                const struct list_row *row, int64_t cost)
{
    const char *name;
    enum bough_rc rc = snap_group(l->snap, l->a, kind, ord, &name, l->err);

    if (!rc)
        note(l, which, "", name, row, cost);
    return rc;
}

/* The session's model, and the one that answered if it is another. */
static void note_models(struct look *l, const struct list_row *row, const struct list_body *b)
{
    note(l, MODELS, row->model_provider, row->model_name, row, b->own.cost);
    if (strcmp(b->last_model, row->model_name) != 0)
        note(l, MODELS, b->last_provider, b->last_model, row, b->own.cost);
}

static void take(struct look *l, const struct list_row *row, const struct list_body *b)
{
    int64_t cost = b->own.cost;

    l->sessions++;
    l->rc = note_group(l, PROJECTS, RECORD_PROJECT, row->project, row, cost);
    if (!l->rc)
        l->rc = note_group(l, ACCOUNTS, RECORD_ACCOUNT, row->account, row, cost);
    note_models(l, row, b);
    note(l, STATUSES, "", bough_status_name((enum bough_status)row->status), row, cost);
    note(l, KINDS, "", row->kind == BOUGH_SUBAGENT ? "subagent" : "primary", row, cost);
    note(l, LAST_STATES, "", bough_outcome_name((enum bough_outcome)row->last_state), row, cost);
    note(l, ROLES, "", row->role_name, row, cost);
}

static bool take_stored(void *user, const struct list_row *row)
{
    struct look *l = user;
    struct list_body b;

    if (overlay_get(l->o, row->sid))
        return true;
    if (l->sessions >= SESSIONS_MOST) {
        l->more = true;
        return false;
    }
    l->rc = body_read(list_fields, row->body, &b, l->err);
    if (!l->rc)
        take(l, row, &b);
    return !l->rc;
}

/* Pending rows are the last updated ones. */
static enum bough_rc take_all(struct look *l)
{
    struct list_query q = { .project = l->project, .alive = true, .order = ORDER_UPDATED };
    size_t pos = 0;
    uint64_t val;
    enum bough_rc rc;

    while (!l->rc && map_next(&l->o->summaries, &pos, NULL, &val)) {
        const struct summary *sh = (const struct summary *)(uintptr_t)val;

        if (!sh->gone && list_matches(&q, &sh->row))
            take(l, &sh->row, &sh->body);
    }
    rc = l->rc;
    if (!rc)
        rc = l->snap->ops->list_scan(l->snap->v, &q, take_stored, l, l->err);
    return rc ? rc : l->rc;
}

struct sources {
    struct look *l;
    int64_t n;
};

static bool take_source(void *user, const struct record_row *row)
{
    struct sources *s = user;
    struct source_body b;
    struct list_row seen = { 0 };

    if (!body_read(source_fields, row->body, &b, NULL)) {
        seen.updated = b.updated;
        note(s->l, TOOLS, "", b.format, &seen, 0);
    }
    return ++s->n < SESSIONS_MOST;
}

static enum bough_rc take_sources(struct look *l)
{
    struct sources s = { .l = l };

    if (l->project)
        return BOUGH_OK;
    return l->snap->ops->record_scan(l->snap->v, 0, RECORD_SOURCE, 0, true, take_source, &s,
                                     l->err);
}

static int by_last(const void *x, const void *y)
{
    const struct bough_facet *a = x, *b = y;

    if (a->last != b->last)
        return a->last > b->last ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void finish(struct bough_facets *f)
{
    if (f->n)
        qsort(f->at, f->n, sizeof *f->at, by_last);
    f->cut = f->n > VALUES_MOST;
    f->n = f->cut ? VALUES_MOST : f->n;
}

static enum bough_rc look_in(struct snap *snap, struct bough_arena *a, int64_t project,
                             struct bough_session_facets_result *out, struct bough_error *err)
{
    struct bough_facets *const to[LISTS] = {
        [PROJECTS] = &out->projects, [ACCOUNTS] = &out->accounts, [MODELS] = &out->models,
        [STATUSES] = &out->statuses, [KINDS] = &out->kinds,       [LAST_STATES] = &out->last_states,
        [ROLES] = &out->roles,       [TOOLS] = &out->tools,
    };
    struct overlay o;
    struct look l = { .snap = snap, .a = a, .o = &o, .project = project, .err = err };
    enum bough_rc rc = overlay_build(snap, a, 0, &o, err);

    for (int i = 0; i < LISTS; i++) {
        l.lists[i].out = to[i];
        smap_init(&l.lists[i].index);
    }
    if (!rc)
        rc = take_all(&l);
    if (!rc)
        rc = take_sources(&l);
    for (int i = 0; i < LISTS; i++) {
        finish(to[i]);
        smap_finish(&l.lists[i].index);
    }
    out->sessions = l.sessions;
    out->complete = !l.more;
    overlay_finish(&o);
    return rc;
}

enum bough_rc bough_session_facets(struct bough_store *s, struct bough_arena *a,
                                   const char *project, struct bough_session_facets_result *out,
                                   struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    int64_t ord = 0;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *out = (struct bough_session_facets_result){ .complete = true };
    if (rc)
        return rc;
    if (!cstr_empty(project))
        rc = find_group(&snap, RECORD_PROJECT, project, &ord, err);
    if (!rc)
        rc = look_in(&snap, a, ord, out, err);
    if (rc == BOUGH_NOT_FOUND)
        rc = BOUGH_OK;
    snap_end(&snap);
    return rc;
}
