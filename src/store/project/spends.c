/* Pending spend rows, added up by key. */
#include "store/project/spends.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

void spends_init(struct spends *s, struct bough_arena *a)
{
    *s = (struct spends){ .a = a };
    smap_init(&s->index);
    map_init(&s->dropped);
}

void spends_finish(struct spends *s)
{
    smap_finish(&s->index);
    map_finish(&s->dropped);
}

void spends_add(struct spends *s, const struct spend_row *row)
{
    struct arena_mark mark = arena_mark(s->a);
    struct bough_str key =
        str_of(arena_printf(s->a, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %zu %zu %s%s%s",
                            row->day, row->sid, row->project, row->account, strlen(row->provider),
                            strlen(row->model), row->provider, row->model, row->principal));
    struct spend_row *to;
    uint64_t i;

    if (smap_get(&s->index, key, &i)) {
        spend_add(&s->at[i], row);
        arena_rewind(s->a, mark);
        return;
    }
    smap_put(&s->index, key, s->n);
    arena_rewind(s->a, mark);
    s->at = arena_room(s->a, s->at, s->n, sizeof *s->at);
    to = &s->at[s->n++];
    *to = *row;
    to->provider = arena_strdup(s->a, row->provider);
    to->model = arena_strdup(s->a, row->model);
    to->principal = arena_strdup(s->a, row->principal);
}

bool spends_take(void *user, const struct spend_row *row)
{
    spends_add(user, row);
    return true;
}

struct moving {
    struct spends *s;
    const struct spends_heir *heir;
};

static bool move_row(void *user, const struct spend_row *row)
{
    struct moving *m = user;
    struct spend_row moved = spend_inherited(row, m->heir->to, m->heir->project, m->heir->account);

    spends_add(m->s, &moved);
    return true;
}

enum bough_rc spends_move(struct spends *s, struct snapshot *v, const struct backend_ops *ops,
                          const struct spends_heir *heir, struct bough_error *err)
{
    struct spend_query q = {
        .from = INT64_MIN / 2, .to = INT64_MAX, .sids = &heir->from, .nsids = 1, .within = true
    };
    struct moving m = { s, heir };
    enum bough_rc rc = BOUGH_OK;

    if (!map_get(&s->dropped, (uint64_t)heir->from, NULL))
        rc = ops->spend_scan(v, &q, move_row, &m, err);
    map_put(&s->dropped, (uint64_t)heir->from, 1);
    for (size_t i = 0, n = s->n; i < n; i++) {
        struct spend_row row = s->at[i];

        if (row.sid != heir->from)
            continue;
        memset(spend_numbers(&s->at[i]), 0, SPEND_NUMBERS * sizeof row.calls);
        move_row(&m, &row);
    }
    return rc;
}
