/* Collecting what will be asked for, and saying it to the backend. */
#include "store/ahead.h"

enum { FEW = 16 };

void ahead_add(struct ahead *h, enum wanted_kind kind, int64_t a, int64_t b)
{
    if (!h->snap->ops->ahead)
        return;
    if (h->n == h->cap) {
        size_t cap = h->cap ? 2 * h->cap : 64;

        h->want = arena_resize(h->a, h->want, h->cap * sizeof *h->want, cap * sizeof *h->want);
        h->cap = cap;
    }
    h->want[h->n++] = (struct wanted){ kind, a, b };
}

void ahead_entries(struct ahead *h, enum wanted_kind kind, const struct log_row *row, int64_t n)
{
    for (int64_t i = 0; row->bid && n <= FEW && i < n; i++)
        ahead_add(h, kind, row->bid, row->depth - i);
}

void ahead_calls(struct ahead *h, const struct log_row *row)
{
    int64_t n = row->aux > 0 ? row->aux : 1;

    for (int64_t i = 0; row->record && n <= FEW && i < n; i++)
        ahead_add(h, WANT_CALL, row->sid, row->record + i);
}

void ahead_read(struct ahead *h)
{
    if (h->n > 1) /* a single one is asked for as it is */
        h->snap->ops->ahead(h->snap->v, h->want, h->n);
    h->n = 0;
}
