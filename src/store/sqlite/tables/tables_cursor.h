/* Internals of the virtual tables: a cursor, its current row, and its columns. */
#ifndef STORE_SQLITE_TABLES_TABLES_CURSOR_H
#define STORE_SQLITE_TABLES_TABLES_CURSOR_H

#include "core/pack/bodies.h"
#include "core/pack/pack.h"
#include "store/sqlite/conn/db.h"

enum table { SESSIONS, MESSAGES, PARTS, TABLES };

/* Column numbers, in the order of the declarations in kinds[] of tables.c. */
enum { ID, METADATA, CREATED, UPDATED, SPECIFIC };
enum { ACCOUNT = SPECIFIC, PROJECT, WORKSPACE, PARENT, SLUG, TITLE };
enum { STATUS = TITLE + 1, VERSION, PROVIDER, ROLE_NAME, SESSION_DATA };
enum { M_SESSION = SPECIFIC, M_ROLE, M_DATA, M_SEQUENCE };
enum { P_MESSAGE = SPECIFIC, P_SESSION, P_TYPE, P_DATA };

struct cursor {
    sqlite3_vtab_cursor base;
    sqlite3 *db;
    enum table table;
    sqlite3_stmt *rows, *place, *pending;
    int plan; /* the plan that `rows` was prepared for */
    bool ended;
    char id[BOUGH_ID_LEN + 1], session[BOUGH_ID_LEN + 1];

    struct session_body body;
    bool sound; /* the body was readable */

    struct bough_arena *a; /* data of the current entry */
    struct arena_mark empty;
    struct pack_head head;
    struct bough_entry entry;
    bool unpacked;
    size_t part;
    int type; /* only parts of this type; -1: all */
};

/* Store SQLite's message in the virtual table and return `code`. */
int cursor_said(struct cursor *c, int code);
struct bough_str cursor_blob(sqlite3_stmt *st, int at);
/* The session id, from the columns sid, made and chk that begin at column `sid`. */
void cursor_session_id(sqlite3_stmt *st, int sid, char out[BOUGH_ID_LEN + 1]);
/* Unpack the whole entry of a message or part, once per row. False: it is unreadable. */
bool cursor_unpack(struct cursor *c);
/* Set the result to one column of the current row. Returns a SQLite code. */
int cursor_column(struct cursor *c, sqlite3_context *x, int column);

#endif
