/*
 * The tables that plain SQL expects, over the rows of a store: sessions, messages and parts, with
 * alkhub's columns. They are virtual, and only read: what is packed is unpacked a row at a time.
 * What cannot be read is left out (a message, with its parts) or NULL (what a session's body says).
 */
#ifndef STORE_SQLITE_TABLES_H
#define STORE_SQLITE_TABLES_H

#include <sqlite3.h>

/* Offer them on this connection, which is that of a store; a code of SQLite. */
int tables_register(sqlite3 *db);

#endif
