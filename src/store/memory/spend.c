/* Spend rows of the memory backend: an array, with an index by key. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/memory/memory.h"

static char *copy_of(const char *text)
{
    size_t n = strlen(text) + 1;

    return memcpy(mem_alloc(n), text, n);
}

static struct bough_str key_of(struct bough_arena *a, const struct spend_row *row)
{
    return str_of(arena_printf(a, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %zu %zu %s%s%s",
                               row->day, row->sid, row->project, row->account,
                               strlen(row->provider), strlen(row->model), row->provider, row->model,
                               row->principal));
}

static struct spend_row *find(struct memory *m, struct bough_str key)
{
    uint64_t i;

    return smap_get(&m->spend_ids, key, &i) ? &m->spends[i] : NULL;
}

static void put(struct memory *m, const struct spend_row *row, bool add)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_str key = key_of(tmp, row);
    struct spend_row *at = find(m, key);

    if (!at) {
        m->spends = mem_grow(m->spends, &m->spends_cap, m->nspends, sizeof *m->spends);
        at = &m->spends[m->nspends];
        *at = *row;
        at->provider = copy_of(row->provider);
        at->model = copy_of(row->model);
        at->principal = copy_of(row->principal);
        smap_put(&m->spend_ids, key, m->nspends++);
    } else if (add) {
        spend_add(at, row);
    } else {
        memcpy(spend_numbers(at), &row->calls, SPEND_NUMBERS * sizeof row->calls);
    }
    bough_arena_destroy(tmp);
}

void mem_add_spend(struct memory *m, const struct spend_row *row)
{
    put(m, row, true);
}

void mem_put_spend(struct memory *m, const struct spend_row *row)
{
    put(m, row, false);
}

/* The last row takes the place of the removed one. */
static void remove_at(struct memory *m, size_t i)
{
    struct bough_arena *tmp = bough_arena_create();
    struct spend_row *row = &m->spends[i], *last = &m->spends[m->nspends - 1];

    smap_del(&m->spend_ids, key_of(tmp, row));
    mem_free((void *)(uintptr_t)row->provider);
    mem_free((void *)(uintptr_t)row->model);
    mem_free((void *)(uintptr_t)row->principal);
    if (row != last) {
        *row = *last;
        smap_put(&m->spend_ids, key_of(tmp, row), i);
    }
    m->nspends--;
    bough_arena_destroy(tmp);
}

void mem_del_spend(struct memory *m, const struct spend_row *key)
{
    struct bough_arena *tmp = bough_arena_create();
    struct spend_row *at = find(m, key_of(tmp, key));

    if (at)
        remove_at(m, (size_t)(at - m->spends));
    bough_arena_destroy(tmp);
}

void mem_drop_spends(struct memory *m, int64_t sid)
{
    for (size_t i = m->nspends; i-- > 0;)
        if (m->spends[i].sid == sid)
            remove_at(m, i);
}

void mem_clear_spends(struct memory *m)
{
    while (m->nspends)
        remove_at(m, m->nspends - 1);
}

static int by_key(const void *x, const void *y)
{
    const struct spend_row *a = x, *b = y;
    const int64_t one[] = { a->day, a->sid, a->project, a->account };
    const int64_t other[] = { b->day, b->sid, b->project, b->account };
    int c;

    for (int i = 0; i < 4; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    c = strcmp(a->provider, b->provider);
    c = c ? c : strcmp(a->model, b->model);
    return c ? c : strcmp(a->principal, b->principal);
}

void mem_scan_spends(struct memory *m, raw_fn fn, void *user)
{
    struct spend_row *sorted = mem_alloc((m->nspends + 1) * sizeof *sorted);
    struct raw_row row = { .table = RAW_SPEND };

    if (m->nspends) {
        memcpy(sorted, m->spends, m->nspends * sizeof *sorted);
        qsort(sorted, m->nspends, sizeof *sorted, by_key);
    }
    for (size_t i = 0; i < m->nspends; i++) {
        row.u.spend = sorted[i];
        if (!fn(user, &row))
            break;
    }
    mem_free(sorted);
}

enum bough_rc memory_spend_scan(struct snapshot *v, const struct spend_query *q, spend_fn fn,
                                void *user, struct bough_error *err)
{
    struct memory *m = memory_in(v);

    (void)err;
    for (size_t i = 0; i < m->nspends; i++)
        if (spend_matches(q, &m->spends[i]) && !fn(user, &m->spends[i]))
            break;
    return BOUGH_OK;
}
