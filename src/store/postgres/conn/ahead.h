/* Rows that a snapshot has read ahead. */
#ifndef STORE_POSTGRES_CONN_AHEAD_H
#define STORE_POSTGRES_CONN_AHEAD_H

#include "store/postgres/wire/db.h"

void postgres_ahead(struct snapshot *v, const struct wanted *want, size_t n);
/* Find a row by its key (a, b); b is 0 for kinds with one key column. True: it is row *at of *r.
 * False: query the server. */
bool ahead_find(struct snapshot *v, enum ahead_kind k, int64_t a, int64_t b, PGresult **r, int *at);

#endif
