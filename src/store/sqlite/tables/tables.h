/*
 * SQL typed by a user (query.c), and virtual tables for it: sessions, messages and parts, with
 * alkhub's columns. They are read only and unpack one row at a time. An unreadable message is left
 * out, with its parts. Columns from an unreadable session body are NULL.
 */
#ifndef STORE_SQLITE_TABLES_TABLES_H
#define STORE_SQLITE_TABLES_TABLES_H

#include <sqlite3.h>

#include "store/contract/query.h"

/* Register the tables on a connection to a store. Returns a SQLite code. */
int tables_register(sqlite3 *db);

/* See backend_ops.query. */
enum bough_rc sqlite_query(struct bough_arena *a, const char *path, const char *sql, query_fn *row,
                           void *user, struct bough_error *err);

#endif
