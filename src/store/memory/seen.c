/* Seen rows of the memory backend: an array, with an index by key. Rows are only added, apart from
 * purges and repair, which build the index again. */
#include "store/memory/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/mem.h"
#include "base/text/str.h"

struct mem_seen {
    struct seen_row row;
    size_t before; /* index + 1 of the row with this key that was added before it; 0: none */
};

static struct bough_str key_of(const struct seen_row *row)
{
    return str_make((const char *)row->key, sizeof row->key);
}

static size_t newest_of(const struct memory *m, const unsigned char *key)
{
    uint64_t newest = 0;

    (void)smap_get(&m->seen_ids, str_make((const char *)key, SEEN_KEY_BYTES), &newest);
    return (size_t)newest;
}

/* Put the row into the chain of its key, which goes from new to old. */
static void index_row(struct memory *m, size_t i)
{
    struct mem_seen *row = &m->seen[i], *after = NULL;
    size_t at = newest_of(m, row->row.key);

    while (at && m->seen[at - 1].row.no > row->row.no) {
        after = &m->seen[at - 1];
        at = after->before;
    }
    row->before = at;
    if (after)
        after->before = i + 1;
    else
        smap_put(&m->seen_ids, key_of(&row->row), i + 1);
}

static bool same(const struct seen_row *a, const struct seen_row *b)
{
    return a->no == b->no && memcmp(a->key, b->key, sizeof a->key) == 0;
}

void mem_put_seen(struct memory *m, const struct seen_row *row)
{
    size_t at = newest_of(m, row->key);

    while (at && m->seen[at - 1].row.no > row->no)
        at = m->seen[at - 1].before;
    if (at && same(&m->seen[at - 1].row, row)) {
        m->seen[at - 1].row = *row;
        return;
    }
    m->seen = mem_grow(m->seen, &m->seen_cap, m->nseen, sizeof *m->seen);
    m->seen[m->nseen].row = *row;
    index_row(m, m->nseen++);
}

/* Keep the rows for which `gone` is false. */
static void sift(struct memory *m,
                 bool (*gone)(struct memory *m, const struct seen_row *row, const void *user),
                 const void *user)
{
    size_t n = 0;

    smap_clear(&m->seen_ids);
    for (size_t i = 0; i < m->nseen; i++) {
        if (gone(m, &m->seen[i].row, user))
            continue;
        m->seen[n] = m->seen[i];
        index_row(m, n++);
    }
    m->nseen = n;
}

static bool is_it(struct memory *m, const struct seen_row *row, const void *user)
{
    (void)m;
    return same(row, user);
}

void mem_del_seen(struct memory *m, const struct seen_row *key)
{
    sift(m, is_it, key);
}

static bool is_purged(struct memory *m, const struct seen_row *row, const void *user)
{
    int64_t sid = *(const int64_t *)user;
    const struct mem_branch *b = row->bid ? mem_branch(m, row->bid) : NULL;

    if (!row->bid)
        return row->depth == sid;
    return b && b->row.sid == sid;
}

void mem_purge_seen(struct memory *m, int64_t sid)
{
    sift(m, is_purged, &sid);
}

void mem_clear_seen(struct memory *m)
{
    m->nseen = 0;
    smap_clear(&m->seen_ids);
}

int64_t mem_seen_last(struct memory *m, const unsigned char *key)
{
    size_t newest = newest_of(m, key);

    return newest ? m->seen[newest - 1].row.no : 0;
}

static int by_key(const void *x, const void *y)
{
    const struct seen_row *a = x, *b = y;
    int c = memcmp(a->key, b->key, sizeof a->key);

    return c ? c : (a->no > b->no) - (a->no < b->no);
}

void mem_scan_seen(struct memory *m, raw_fn fn, void *user)
{
    struct seen_row *sorted = mem_alloc((m->nseen + 1) * sizeof *sorted);
    struct raw_row row = { .table = RAW_SEEN };

    for (size_t i = 0; i < m->nseen; i++)
        sorted[i] = m->seen[i].row;
    if (m->nseen)
        qsort(sorted, m->nseen, sizeof *sorted, by_key);
    for (size_t i = 0; i < m->nseen; i++) {
        row.u.seen = sorted[i];
        if (!fn(user, &row))
            break;
    }
    mem_free(sorted);
}

enum bough_rc memory_seen_find(struct snapshot *v, const unsigned char key[SEEN_KEY_BYTES],
                               seen_fn fn, void *user, struct bough_error *err)
{
    struct memory *m = memory_in(v);

    (void)err;
    for (size_t at = newest_of(m, key); at; at = m->seen[at - 1].before)
        if (!fn(user, &m->seen[at - 1].row))
            break;
    return BOUGH_OK;
}
