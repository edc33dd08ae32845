/* Lists of entries for writers; see kept.h. */
#include "formats/common/kept.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/totals.h"

static struct bough_str copy(struct bough_arena *a, struct bough_str s)
{
    return str_make(arena_strndup(a, s.p ? s.p : "", s.n), s.n);
}

struct kept *kept_add(struct bough_arena *a, struct kept_list *l, const struct written_entry *we)
{
    struct kept *k = arena_zalloc(a, sizeof *k);
    struct bough_part *parts = arena_array(a, we->e->nparts + 1, sizeof *parts);

    k->e = *we->e;
    for (size_t i = 0; i < we->e->nparts; i++)
        parts[i] = (struct bough_part){ we->e->parts[i].type, copy(a, we->e->parts[i].json) };
    k->e.parts = parts;
    k->e.usage = totals_keep(a, we->e->usage);
    k->e.data = copy(a, we->e->data);
    k->e.metadata = copy(a, we->e->metadata);
    k->e.error = copy(a, we->e->error);
    k->e.session = arena_strdup(a, we->e->session);
    k->e.kind_name = arena_strdup(a, we->e->kind_name);
    k->e.origin = arena_strdup(a, we->e->origin);
    k->e.finish = arena_strdup(a, we->e->finish);
    k->id = arena_strdup(a, we->id);
    k->parent = arena_strdup(a, we->parent);
    k->up = kept_find(l, we->parent);
    l->all = arena_room(a, l->all, l->n, sizeof *l->all);
    l->all[l->n] = k;
    names_put(a, &l->ids, k->id, arena_printf(a, "%zu", l->n));
    l->n++;
    if (!l->end)
        l->end = &l->first;
    *l->end = k;
    l->end = &k->next;
    l->last = k;
    return k;
}

struct kept *kept_find(const struct kept_list *l, const char *id)
{
    const char *place = id ? names_get(&l->ids, id) : NULL;

    return place ? l->all[strtoul(place, NULL, 10)] : NULL;
}

struct kept **kept_path(struct bough_arena *a, struct kept *tip, size_t *n)
{
    struct kept **out;
    size_t i;

    *n = 0;
    for (struct kept *k = tip; k; k = k->up)
        ++*n;
    out = arena_array(a, *n + 1, sizeof(struct kept *));
    i = *n;
    for (struct kept *k = tip; k; k = k->up)
        out[--i] = k;
    return out;
}

const struct part_view *kept_result(struct bough_arena *a, struct kept *const *path, size_t n,
                                    size_t from, const char *call)
{
    enum { NEAR = 256 }; /* results come soon; limits the search for a missing one */
    size_t runs;

    for (size_t i = from; i < n && i < from + NEAR; i++) {
        struct view_run *run;

        if (path[i]->e.kind != BOUGH_ENTRY_MESSAGE)
            continue;
        run = view_runs(a, &path[i]->e, &runs);
        for (size_t k = 0; k < runs; k++)
            for (size_t v = 0; run[k].results && v < run[k].n; v++)
                if (cstr_eq(run[k].at[v].call, call))
                    return &run[k].at[v];
        if (i > from && path[i]->e.role == BOUGH_ROLE_ASSISTANT)
            break;
    }
    return NULL;
}

bool kept_is_results(struct bough_arena *a, const struct bough_entry *e)
{
    size_t n;
    struct view_run *runs = view_runs(a, e, &n);

    return n == 1 && runs[0].results && runs[0].n && e->role != BOUGH_ROLE_ASSISTANT;
}
