/* Inside the virtual tables: one cursor, its row, and the columns it gives out. */
#ifndef STORE_SQLITE_TABLES_CURSOR_H
#define STORE_SQLITE_TABLES_CURSOR_H

#include "core/bodies.h"
#include "core/pack.h"
#include "store/sqlite/db.h"

enum table { SESSIONS, MESSAGES, PARTS, TABLES };

/* Columns, as kinds[] of tables.c declares them. */
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
    int plan; /* that `rows` was made for */
    bool over;
    char id[BOUGH_ID_LEN + 1], session[BOUGH_ID_LEN + 1];

    struct session_body body;
    bool sound; /* the body could be read */

    struct bough_arena *a; /* of one entry */
    struct arena_mark empty;
    struct pack_head head;
    struct bough_entry entry;
    bool unpacked;
    size_t part;
    int type; /* only parts of this type; -1: any */
};

/* tables_columns.c */
/* The code, and on the table what SQLite says of it. */
int cursor_said(struct cursor *c, int code);
struct bough_str cursor_blob(sqlite3_stmt *st, int at);
/* The id of the session whose sid, made and chk begin at this column. */
void cursor_session_id(sqlite3_stmt *st, int sid, char out[BOUGH_ID_LEN + 1]);
/* The whole entry, of messages and parts; false when it cannot be read. */
bool cursor_unpack(struct cursor *c);
int cursor_column(struct cursor *c, sqlite3_context *x, int column);

#endif
