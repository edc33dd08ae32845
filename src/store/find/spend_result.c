/* What a caller gets of the sums: groups by cost, a series, and what a session usually spends. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "store/engine/ahead.h"
#include "store/find/spend.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"

enum { STEPS_MOST = 4000, CHUNK = 256 };

struct bough_spent spend_spent(const struct spend_row *sum, int64_t sessions)
{
    return (struct bough_spent){ .calls = sum->calls,
                                 .unknown = sum->unknown,
                                 .sessions = sessions,
                                 .used = { .input = sum->input,
                                           .output = sum->output,
                                           .reasoning = sum->reasoning,
                                           .cache_read = sum->cache_read,
                                           .cache_write = sum->cache_write,
                                           .cost = sum->cost },
                                 .duration = sum->duration };
}

/* ---- names ---- */

/* Sessions of some groups, announced together. */
static enum bough_rc name_sessions(struct spend_sums *s, struct bough_spend_group *groups,
                                   const struct spend_pile *piles, size_t n,
                                   struct bough_error *err)
{
    struct ahead ahead = { .snap = s->snap, .a = s->a };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n; i++)
        if (piles[i].number) {
            ahead_add(&ahead, WANT_SESSION, piles[i].number, 0);
            ahead_add(&ahead, WANT_LIST, piles[i].number, 0);
        }
    ahead_read(&ahead);
    for (size_t i = 0; i < n && !rc; i++) {
        struct bough_session *one = arena_alloc(s->a, sizeof *one);
        const struct summary *pending = overlay_get(s->o, piles[i].number);
        struct session_loaded l;
        struct summary sh;

        groups[i].key = groups[i].name = "";
        if (!piles[i].number)
            continue;
        rc = session_load(s->snap, s->a, piles[i].number, &l, err);
        if (!rc && pending)
            sh = *pending;
        else if (!rc)
            rc = summary_load(s->snap, s->a, piles[i].number, &sh, err);
        if (!rc)
            rc = session_fill(s->snap, s->a, &l, &sh, one, err);
        if (rc)
            break;
        groups[i].session = one;
        groups[i].key = one->id;
        groups[i].name = *one->title ? one->title : *one->first_user ? one->first_user : one->slug;
    }
    return rc;
}

static enum bough_rc name_groups(struct spend_sums *s, struct bough_spend_group *groups,
                                 const struct spend_pile *piles, size_t n, struct bough_error *err)
{
    enum record_kind kind = s->by == BOUGH_SPEND_BY_PROJECT ? RECORD_PROJECT : RECORD_ACCOUNT;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n && !rc; i += CHUNK)
        if (s->by == BOUGH_SPEND_BY_SESSION)
            rc = name_sessions(s, groups + i, piles + i, n - i < CHUNK ? n - i : CHUNK, err);
    if (s->by == BOUGH_SPEND_BY_SESSION)
        return rc;
    for (size_t i = 0; i < n && !rc; i++) {
        groups[i].key = piles[i].key;
        if (s->by == BOUGH_SPEND_BY_PROJECT || s->by == BOUGH_SPEND_BY_ACCOUNT)
            rc = snap_group(s->snap, s->a, kind, piles[i].number, &groups[i].key, err);
        groups[i].name = groups[i].key;
    }
    return rc;
}

/* ---- groups ---- */

static int by_cost(const void *x, const void *y)
{
    const struct spend_pile *a = x, *b = y;

    if (a->sum.cost != b->sum.cost)
        return a->sum.cost > b->sum.cost ? -1 : 1;
    if (a->sum.calls != b->sum.calls)
        return a->sum.calls > b->sum.calls ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->key, b->key);
}

/* Sessions of all piles from number `from` on; one may be in several. */
static int64_t count_sessions(const struct spend_sums *s, const size_t *place, size_t from)
{
    struct map seen;
    size_t pos = 0;
    uint64_t key;
    int64_t n;

    map_init(&seen);
    while (map_next(&s->pairs, &pos, &key, NULL))
        if (place[key >> 31] >= from)
            map_put(&seen, key & 0x7fffffff, 1);
    n = (int64_t)map_count(&seen);
    map_finish(&seen);
    return n;
}

/* Sort the piles; place[i]: where pile i went. */
static size_t *sort_piles(struct spend_sums *s)
{
    size_t *place = arena_array(s->a, s->npiles + 1, sizeof *place);

    for (size_t i = 0; i < s->npiles; i++)
        s->piles[i].sum.day = (int64_t)i; /* not used for anything else in a sum */
    if (s->npiles)
        qsort(s->piles, s->npiles, sizeof *s->piles, by_cost);
    for (size_t i = 0; i < s->npiles; i++)
        place[s->piles[i].sum.day] = i;
    return place;
}

static enum bough_rc give_groups(struct spend_sums *s, size_t limit, const size_t *place,
                                 struct bough_spend_result *out, struct bough_error *err)
{
    size_t n = limit && s->npiles > limit ? limit : s->npiles;
    struct spend_row rest = { 0 };
    enum bough_rc rc;

    out->groups = arena_array(s->a, n + 1, sizeof *out->groups);
    rc = name_groups(s, out->groups, s->piles, n, err);
    for (size_t i = 0; i < s->npiles; i++)
        if (i < n)
            out->groups[i].spent = spend_spent(&s->piles[i].sum, s->piles[i].sessions);
        else
            spend_add(&rest, &s->piles[i].sum);
    out->ngroups = n;
    if (n < s->npiles)
        out->groups[out->ngroups++] =
            (struct bough_spend_group){ .name = "other",
                                        .spent = spend_spent(&rest, count_sessions(s, place, n)) };
    return rc;
}

/* ---- the series ---- */

static int by_step(const void *x, const void *y)
{
    const struct spend_cell *a = x, *b = y;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->pile > b->pile) - (a->pile < b->pile);
}

/* The parts of one step: cells of the same group follow each other. Of the rest beyond the limit
 * the sessions are those of its groups, so one may count twice. */
static void fill_bucket(struct spend_sums *s, struct bough_spend_bucket *b, size_t *cell)
{
    struct bough_spend_part *at = NULL;
    size_t n = 0;

    while (*cell < s->ncells && s->cells[*cell].from == b->from) {
        struct spend_cell sum = s->cells[(*cell)++];

        while (*cell < s->ncells && s->cells[*cell].from == sum.from &&
               s->cells[*cell].pile == sum.pile) {
            spend_add(&sum.sum, &s->cells[*cell].sum);
            sum.sessions += s->cells[(*cell)++].sessions;
        }
        at = arena_room(s->a, at, n, sizeof *at);
        at[n++] = (struct bough_spend_part){ sum.pile, spend_spent(&sum.sum, sum.sessions) };
    }
    b->at = at;
    b->n = n;
    b->from *= DAY_MS;
}

static enum bough_rc give_series(struct spend_sums *s, const size_t *place, int64_t from,
                                 int64_t to, struct bough_spend_result *out,
                                 struct bough_error *err)
{
    int64_t step = spend_step_of(s->step, from);
    size_t cell = 0;

    for (size_t i = 0; i < s->ncells; i++) {
        size_t at = place[s->cells[i].pile];

        s->cells[i].pile = at < out->ngroups ? at : out->ngroups - 1;
    }
    if (s->ncells)
        qsort(s->cells, s->ncells, sizeof *s->cells, by_step);
    for (; step <= to; step = spend_step_next(s->step, step)) {
        if (s->sparse && cell == s->ncells)
            break;
        if (s->sparse)
            step = s->cells[cell].from;
        if (!s->sparse && out->nseries == STEPS_MOST)
            return bough_fail(err, BOUGH_TOO_LARGE,
                              "more than %d steps: choose longer steps or a shorter time",
                              STEPS_MOST);
        out->series = arena_room(s->a, out->series, out->nseries, sizeof *out->series);
        out->series[out->nseries] = (struct bough_spend_bucket){ .from = step };
        fill_bucket(s, &out->series[out->nseries++], &cell);
    }
    return BOUGH_OK;
}

/* ---- all of it ---- */

static int by_number(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return a < b ? -1 : a > b;
}

enum bough_rc spend_sums_result(struct spend_sums *s, size_t limit, int64_t from, int64_t to,
                                struct bough_spend_result *out, struct bough_error *err)
{
    size_t *place = sort_piles(s), n = s->nsessions;
    enum bough_rc rc = give_groups(s, limit, place, out, err);

    out->total = spend_spent(&s->total, (int64_t)n);
    if (n) {
        qsort(s->costs, n, sizeof *s->costs, by_number);
        out->session_median = s->costs[(n - 1) / 2];
        out->session_p90 = s->costs[(n * 9 + 9) / 10 - 1]; /* the nearest rank */
    }
    if (!rc && s->step != BOUGH_SPEND_WHOLE && s->npiles)
        rc = give_series(s, place, from, to, out, err);
    return rc;
}
