/* Collects the rows that a reader will need and prefetches them through the backend. */
#include "store/engine/ahead.h"

enum { FEW = 16 };

void ahead_add(struct ahead *h, enum wanted_kind kind, int64_t a, int64_t b)
{
    if (!h->snap->ops->ahead)
        return;
    h->want = arena_room(h->a, h->want, h->n, sizeof *h->want);
    h->want[h->n++] = (struct wanted){ kind, a, b };
}

void ahead_entries(struct ahead *h, enum wanted_kind kind, const struct changelog_row *row,
                   int64_t n)
{
    for (int64_t i = 0; row->bid && n <= FEW && i < n; i++)
        ahead_add(h, kind, row->bid, row->depth - i);
}

void ahead_calls(struct ahead *h, const struct changelog_row *row)
{
    int64_t n = row->ncalls > 0 ? row->ncalls : 1;

    for (int64_t i = 0; changelog_calls(row) && n <= FEW && i < n; i++)
        ahead_add(h, WANT_CALL, row->sid, row->record + i);
}

void ahead_read(struct ahead *h)
{
    if (h->n > 1) /* nothing to batch: a single row is read on demand */
        h->snap->ops->ahead(h->snap->v, h->want, h->n);
    h->n = 0;
}
