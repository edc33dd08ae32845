/* Sums of spend rows by group and step. */
#include "store/find/spend.h"

#include "base/text/str.h"

void spend_sums_init(struct spend_sums *s)
{
    struct map *const maps[] = { &s->numbers, &s->pairs,  &s->sessions, &s->roles,
                                 &s->homes,   &s->places, &s->twice };

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_init(maps[i]);
    smap_init(&s->names);
    s->first = INT64_MAX;
    s->last = INT64_MIN;
}

void spend_sums_finish(struct spend_sums *s)
{
    struct map *const maps[] = { &s->numbers, &s->pairs,  &s->sessions, &s->roles,
                                 &s->homes,   &s->places, &s->twice };

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_finish(maps[i]);
    smap_finish(&s->names);
}

/* ---- steps of time ---- */

int64_t spend_step_of(enum bough_spend_step step, int64_t day)
{
    switch (step) {
    case BOUGH_SPEND_WHOLE:
        return 0;
    case BOUGH_SPEND_DAILY:
        return day;
    case BOUGH_SPEND_WEEKLY: /* 1970 began on a Thursday */
        return day - ((day + 3) % 7 + 7) % 7;
    case BOUGH_SPEND_MONTHLY:
        return spend_month(day, 0);
    }
    return 0;
}

int64_t spend_step_next(enum bough_spend_step step, int64_t from)
{
    return step == BOUGH_SPEND_MONTHLY ? spend_month(from, 1)
                                       : from + (step == BOUGH_SPEND_WEEKLY ? 7 : 1);
}

/* ---- groups ---- */

static enum bough_rc role_of(struct spend_sums *s, int64_t sid, const char **out,
                             struct bough_error *err)
{
    struct list_row row;
    uint64_t kept;
    enum bough_rc rc;

    *out = "";
    if (!sid)
        return BOUGH_OK;
    if (map_get(&s->roles, (uint64_t)sid, &kept)) {
        *out = (const char *)(uintptr_t)kept;
        return BOUGH_OK;
    }
    rc = spend_session(s->snap, s->a, s->o, sid, &row, err);
    if (!rc) {
        *out = arena_strdup(s->a, row.role_name);
        map_put(&s->roles, (uint64_t)sid, (uint64_t)(uintptr_t)*out);
    }
    return rc;
}

/* The session that a row is shown for. The project may see what was spent for it, but no session
 * that has left it. */
static enum bough_rc shown_for(struct spend_sums *s, int64_t sid, int64_t *out,
                               struct bough_error *err)
{
    struct list_row row;
    uint64_t home;
    enum bough_rc rc = BOUGH_OK;

    *out = sid;
    if (!s->project || !sid)
        return BOUGH_OK;
    if (!map_get(&s->homes, (uint64_t)sid, &home)) {
        rc = spend_session(s->snap, s->a, s->o, sid, &row, err);
        home = rc ? 0 : (uint64_t)row.project;
        map_put(&s->homes, (uint64_t)sid, home);
    }
    if ((int64_t)home != s->project)
        *out = 0;
    return rc;
}

static size_t new_pile(struct spend_sums *s, const char *key, int64_t number)
{
    s->piles = arena_room(s->a, s->piles, s->npiles, sizeof *s->piles);
    s->piles[s->npiles] = (struct spend_pile){ .key = key, .number = number };
    return s->npiles++;
}

static size_t by_name(struct spend_sums *s, const char *key)
{
    uint64_t i;

    if (smap_get(&s->names, str_of(key), &i))
        return i;
    smap_put(&s->names, str_of(key), s->npiles);
    return new_pile(s, arena_strdup(s->a, key), 0);
}

static size_t by_number(struct spend_sums *s, int64_t number)
{
    uint64_t i;

    if (map_get(&s->numbers, (uint64_t)number, &i))
        return i;
    map_put(&s->numbers, (uint64_t)number, s->npiles);
    return new_pile(s, "", number);
}

static size_t by_model(struct spend_sums *s, const struct spend_row *row)
{
    struct arena_mark mark = arena_mark(s->a);
    const char *key =
        arena_printf(s->a, "%s%s%s", row->provider, *row->provider ? "/" : "", row->model);
    uint64_t i;

    if (!smap_get(&s->names, str_of(key), &i))
        return by_name(s, key);
    arena_rewind(s->a, mark);
    return i;
}

static enum bough_rc pile_of(struct spend_sums *s, const struct spend_row *row, size_t *out,
                             struct bough_error *err)
{
    const char *role;
    int64_t sid = 0;
    enum bough_rc rc = BOUGH_OK;

    switch (s->by) {
    case BOUGH_SPEND_TOGETHER:
        *out = by_name(s, "");
        break;
    case BOUGH_SPEND_BY_MODEL:
        *out = by_model(s, row);
        break;
    case BOUGH_SPEND_BY_PROVIDER:
        *out = by_name(s, row->provider);
        break;
    case BOUGH_SPEND_BY_PROJECT:
        *out = by_number(s, row->project);
        break;
    case BOUGH_SPEND_BY_SESSION:
        rc = shown_for(s, row->sid, &sid, err);
        *out = by_number(s, sid);
        break;
    case BOUGH_SPEND_BY_ACCOUNT:
        *out = by_number(s, row->account);
        break;
    case BOUGH_SPEND_BY_ROLE:
        rc = role_of(s, row->sid, &role, err);
        if (!rc)
            *out = by_name(s, role);
        break;
    }
    return rc;
}

/* ---- adding ---- */

/* True the first time that a session is seen with this number. */
static bool first_time(struct map *m, size_t number, int64_t sid)
{
    uint64_t key = (uint64_t)number << 31 | (uint64_t)sid;

    if (!sid || map_get(m, key, NULL))
        return false;
    map_put(m, key, 1);
    return true;
}

static void add_session(struct spend_sums *s, const struct spend_row *row)
{
    uint64_t i = s->nsessions;

    if (!row->sid)
        return;
    if (!map_get(&s->sessions, (uint64_t)row->sid, &i)) {
        s->costs = arena_room(s->a, s->costs, s->nsessions, sizeof *s->costs);
        s->costs[s->nsessions++] = 0;
        map_put(&s->sessions, (uint64_t)row->sid, i);
    }
    if (__builtin_add_overflow(s->costs[i], row->cost, &s->costs[i]))
        s->costs[i] = INT64_MAX;
}

static void add_cell(struct spend_sums *s, const struct spend_row *row, size_t pile)
{
    int64_t from = spend_step_of(s->step, row->day);
    uint64_t key = (uint64_t)from << 32 ^ (uint64_t)pile, i = s->ncells;

    if (!map_get(&s->places, key, &i)) {
        s->cells = arena_room(s->a, s->cells, s->ncells, sizeof *s->cells);
        s->cells[s->ncells++] = (struct spend_cell){ .from = from, .pile = pile };
        map_put(&s->places, key, i);
    }
    spend_add(&s->cells[i].sum, row);
    s->cells[i].sessions += first_time(&s->twice, i, row->sid);
}

enum bough_rc spend_sums_add(struct spend_sums *s, const struct spend_row *row,
                             struct bough_error *err)
{
    size_t pile = 0;
    enum bough_rc rc = pile_of(s, row, &pile, err);

    if (rc)
        return rc;
    spend_add(&s->total, row);
    spend_add(&s->piles[pile].sum, row);
    s->piles[pile].sessions += first_time(&s->pairs, pile, row->sid);
    add_session(s, row);
    if (s->step != BOUGH_SPEND_WHOLE)
        add_cell(s, row, pile);
    s->first = row->day < s->first ? row->day : s->first;
    s->last = row->day > s->last ? row->day : s->last;
    return BOUGH_OK;
}
