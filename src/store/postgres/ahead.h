/* What a view has read ahead. */
#ifndef STORE_POSTGRES_AHEAD_H
#define STORE_POSTGRES_AHEAD_H

#include "store/postgres/db.h"

void postgres_ahead(struct view *v, const struct wanted *want, size_t n);
/* The answer it is in and where there; false: ask the server. `b` is 0 where there is no second. */
bool ahead_find(struct view *v, enum ahead_kind k, int64_t a, int64_t b, PGresult **r, int *at);

#endif
