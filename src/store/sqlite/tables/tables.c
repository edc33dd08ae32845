/* The virtual tables sessions, messages and parts. They read the real tables on the same
 * connection, so in the snapshot of the querying statement. */
#include "store/sqlite/tables/tables.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/sqlite/tables/tables_cursor.h"

/* A plan: how a scan is narrowed down. At most one of the first four, combined with
 * BY_TYPE or not. */
enum {
    BY_ID = 1,
    BY_SLUG = 2,
    BY_SESSION = 4,
    BY_PARENT = 8,
    BY_TYPE = 16,
};

struct way {
    int column, by;
    double cost;
    const char *name;
};

enum { WAYS = 4 };

struct kind {
    enum table table;
    const char *name, *declared, *rows;
    struct way ways[WAYS]; /* best first */
    double cost;           /* of a full scan */
};

#define COMMON                                                                                     \
    "CREATE TABLE x (id TEXT PRIMARY KEY, metadata TEXT, created_at TEXT, updated_at TEXT"

#define SESSION_ROWS                                                                               \
    "SELECT s.sid, s.made, s.chk, s.slug, s.body, h.status, l.updated, p.sid, p.made, p.chk"       \
    " FROM session AS s CROSS JOIN head AS h ON h.sid = s.sid"                                     \
    " LEFT JOIN list AS l ON l.sid = s.sid"                                                        \
    " LEFT JOIN session AS p ON p.sid = s.parent AND p.purged = 0"                                 \
    " WHERE s.purged = 0 AND h.deleted = 0"

/* The "+" stops SQLite from building an automatic index of all entries first. */
#define ENTRY_ROWS                                                                                 \
    "SELECT e.k, s.sid, s.made, s.chk, e.body"                                                     \
    " FROM branch AS b CROSS JOIN session AS s ON s.sid = b.sid"                                   \
    " CROSS JOIN head AS h ON h.sid = b.sid"                                                       \
    " CROSS JOIN entry AS e ON e.k BETWEEN (b.bid << 32) AND ((b.bid << 32) | 4294967295)"         \
    " WHERE s.purged = 0 AND h.deleted = 0 AND +e.kind = 0 AND +e.over = 0"

/* Costs only need to rank the plans: a session has hundreds of messages, a store thousands of
 * sessions. The tables have no rowid, because a part has no number that could serve as one. */
static const struct kind kinds[TABLES] = {
    { SESSIONS,
      "sessions",
      COMMON ", account_id TEXT, project_id TEXT, workspace_id TEXT, parent_id TEXT, slug TEXT,"
             " title TEXT, status TEXT, version TEXT, provider TEXT, role_name TEXT, data TEXT"
             ") WITHOUT ROWID",
      SESSION_ROWS,
      { { ID, BY_ID, 1, "id" },
        { SLUG, BY_SLUG, 2, "slug" },
        { PARENT, BY_PARENT, 20, "parent_id" } },
      1e4 },
    { MESSAGES,
      "messages",
      COMMON ", session_id TEXT, role TEXT, data TEXT, sequence INTEGER) WITHOUT ROWID",
      ENTRY_ROWS,
      { { ID, BY_ID, 1, "id" }, { M_SESSION, BY_SESSION, 1e3, "session_id" } },
      1e7 },
    { PARTS,
      "parts",
      COMMON ", message_id TEXT, session_id TEXT, type TEXT, data TEXT) WITHOUT ROWID",
      ENTRY_ROWS,
      { { ID, BY_ID, 1, "id" },
        { P_MESSAGE, BY_ID, 3, "message_id" },
        { P_SESSION, BY_SESSION, 5e3, "session_id" },
        { P_TYPE, BY_TYPE, 0.5, "type" } }, /* halves the cost of the rest */
      5e7 },
};

struct tab {
    sqlite3_vtab base;
    sqlite3 *db;
    const struct kind *kind;
};

/* ---- plans ---- */

static const struct way *way_of(const struct kind *kind, int column)
{
    for (size_t i = 0; i < WAYS && kind->ways[i].name; i++)
        if (kind->ways[i].column == column)
            return &kind->ways[i];
    return NULL;
}

/* Find the constraint that each way can use. Only BINARY collation: with another one, a row that
 * the way skips could be equal. */
static void find_ways(const struct kind *kind, sqlite3_index_info *info, int at[WAYS])
{
    for (int i = 0; i < WAYS; i++)
        at[i] = -1;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct way *w = way_of(kind, info->aConstraint[i].iColumn);

        if (w && info->aConstraint[i].usable &&
            info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
            sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0)
            at[w - kind->ways] = i;
    }
}

/* SQLite checks the constraints again (omit stays 0), so a way may return too many rows but never
 * too few. */
static int best_index(sqlite3_vtab *vt, sqlite3_index_info *info)
{
    const struct kind *kind = ((const struct tab *)vt)->kind;
    const char *names[2] = { "", "" };
    double cost = kind->cost;
    int at[WAYS], args = 0, n = 0;

    find_ways(kind, info, at);
    for (int i = 0; i < WAYS; i++) {
        const struct way *w = &kind->ways[i];

        if (at[i] < 0 || (info->idxNum && w->by != BY_TYPE))
            continue;
        cost = w->by == BY_TYPE ? cost * w->cost : w->cost;
        info->idxNum |= w->by;
        info->aConstraintUsage[at[i]].argvIndex = ++args;
        names[n++] = w->name;
    }
    if (info->idxNum & (BY_ID | BY_SLUG) && kind->table != PARTS)
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    info->estimatedCost = cost;
    info->estimatedRows = cost < 10 ? 1 : (sqlite3_int64)(cost / 10);
    info->idxStr = sqlite3_mprintf("%s%s%s", n ? names[0] : "all", n > 1 ? ", " : "", names[1]);
    info->needToFreeIdxStr = 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- values of a plan ---- */

static struct bough_str value_text(sqlite3_value *v)
{
    const char *p = (const char *)sqlite3_value_text(v);

    return str_make(p, (size_t)sqlite3_value_bytes(v));
}

/* The session number or entry key that an id encodes. False: not an id of this store. */
static bool number_of(sqlite3_value *v, bool session, int64_t *out)
{
    struct bough_str s = value_text(v);
    struct id id;

    if (!session && s.n == BOUGH_PART_ID_LEN && s.p[BOUGH_ID_LEN] == '.')
        s.n = BOUGH_ID_LEN;
    if (!id_parse(s, &id) || id.space != 0 || (id.position == 0) != session)
        return false;
    *out = session ? id.number : entry_key(id.number, id.position);
    return true;
}

static int type_of(sqlite3_value *v)
{
    struct bough_str s = value_text(v);

    for (int i = BOUGH_PART_TEXT; i <= BOUGH_PART_LAST; i++)
        if (str_is(s, bough_part_type_name((enum bough_part_type)i)))
            return i;
    return -1;
}

/* False: no row can match. */
static bool bind_plan(struct cursor *c, sqlite3_value **argv)
{
    bool session = c->table == SESSIONS || c->plan & BY_SESSION;
    int64_t number;

    c->type = -1;
    if (c->plan & BY_SLUG) {
        sqlite3_bind_value(c->rows, 1, *argv++);
    } else if (c->plan & (BY_ID | BY_SESSION | BY_PARENT)) {
        if (!number_of(*argv++, session, &number))
            return false;
        sqlite3_bind_int64(c->rows, 1, number);
    }
    if (c->plan & BY_TYPE) {
        c->type = type_of(*argv);
        sqlite3_bind_int64(c->rows, 2, c->type < 0 ? 0 : (int64_t)MASK_PART << c->type);
        return c->type >= 0;
    }
    return true;
}

static int prepare_plan(struct cursor *c, int plan)
{
    bool sessions = c->table == SESSIONS;
    const char *by = "", *type = plan & BY_TYPE ? " AND (e.mask & ?2) <> 0" : "";
    char text[1024];

    if (c->rows && c->plan == plan) {
        sqlite3_reset(c->rows);
        return SQLITE_OK;
    }
    if (plan & BY_ID)
        by = sessions ? " AND s.sid = ?1" : " AND b.bid = ?1 >> 32 AND e.k = ?1";
    else if (plan & BY_SLUG)
        by = " AND s.slug = ?1";
    else if (plan & BY_PARENT)
        by = " AND s.parent = ?1 AND s.parent <> 0";
    else if (plan & BY_SESSION)
        by = " AND b.sid = ?1";
    else if (sessions)
        by = " ORDER BY s.sid"; /* in storage order, not by another index */
    snprintf(text, sizeof text, "%s%s%s", kinds[c->table].rows, by, type);
    sqlite3_finalize(c->rows);
    c->rows = NULL;
    c->plan = plan;
    return sqlite3_prepare_v2(c->db, text, -1, &c->rows, NULL);
}

/* ---- rows ---- */

/* Load the current row into the cursor. False: skip it, because it is unreadable. */
static bool take_row(struct cursor *c)
{
    struct bough_str body = cursor_blob(c->rows, 4);
    int64_t k = sqlite3_column_int64(c->rows, 0);

    if (c->table == SESSIONS) {
        cursor_session_id(c->rows, 0, c->id);
        c->sound = body_read(session_fields, body, &c->body, NULL) == BOUGH_OK;
        return true;
    }
    arena_rewind(c->a, c->empty);
    c->unpacked = false;
    c->part = 0;
    if (pack_is_stub(body) || !pack_entry_sound(body) || !pack_entry_head(body, &c->head))
        return false;
    id_entry(c->head.made, k >> 32, k & 0xffffffff, c->head.chk, c->id);
    cursor_session_id(c->rows, 1, c->session);
    return c->table == MESSAGES || cursor_unpack(c);
}

/* Advance c->part to a part of the wanted type. False: there is none left. */
static bool find_part(struct cursor *c)
{
    if (c->table != PARTS)
        return true;
    while (c->part < c->entry.nparts && c->type >= 0 &&
           (int)c->entry.parts[c->part].type != c->type)
        c->part++;
    return c->part < c->entry.nparts;
}

static int next_row(struct cursor *c)
{
    int code;

    while ((code = sqlite3_step(c->rows)) == SQLITE_ROW)
        if (take_row(c) && find_part(c))
            return SQLITE_OK;
    c->ended = true;
    sqlite3_reset(c->rows);
    return code == SQLITE_DONE ? SQLITE_OK : cursor_said(c, code);
}

static int filter(sqlite3_vtab_cursor *cursor, int plan, const char *name, int argc,
                  sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)cursor;
    int code = prepare_plan(c, plan);

    (void)name;
    (void)argc;
    if (code != SQLITE_OK)
        return cursor_said(c, code);
    c->ended = !bind_plan(c, argv);
    return c->ended ? SQLITE_OK : next_row(c);
}

static int next(sqlite3_vtab_cursor *cursor)
{
    struct cursor *c = (struct cursor *)cursor;

    if (c->table == PARTS) {
        c->part++;
        if (find_part(c))
            return SQLITE_OK;
    }
    return next_row(c);
}

static int eof(sqlite3_vtab_cursor *cursor)
{
    return ((const struct cursor *)cursor)->ended;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *x, int i)
{
    return cursor_column((struct cursor *)cursor, x, i);
}

/* ---- life cycle of tables and cursors ---- */

static int connect(sqlite3 *db, void *kind, int argc, const char *const *argv, sqlite3_vtab **out,
                   char **why)
{
    struct tab *t;
    int code = sqlite3_declare_vtab(db, ((const struct kind *)kind)->declared);

    (void)argc;
    (void)argv;
    (void)why;
    if (code == SQLITE_OK) /* not usable by views and triggers that a file may contain */
        code = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    if (code != SQLITE_OK)
        return code;
    t = mem_zalloc(sizeof *t);
    t->db = db;
    t->kind = kind;
    *out = &t->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *vt)
{
    mem_free(vt);
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vt, sqlite3_vtab_cursor **out)
{
    const struct tab *t = (const struct tab *)vt;
    struct cursor *c = mem_zalloc(sizeof *c);

    c->db = t->db;
    c->table = t->kind->table;
    c->a = bough_arena_create();
    c->empty = arena_mark(c->a);
    *out = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    struct cursor *c = (struct cursor *)cursor;

    sqlite3_finalize(c->rows);
    sqlite3_finalize(c->place);
    sqlite3_finalize(c->pending);
    bough_arena_destroy(c->a);
    mem_free(c);
    return SQLITE_OK;
}

/* Without xCreate the tables are eponymous: they exist without CREATE. Without xUpdate they are
 * read only. */
static const sqlite3_module module = {
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = eof,
    .xColumn = column,
};

int tables_register(sqlite3 *db)
{
    int code = SQLITE_OK;

    for (size_t i = 0; i < TABLES && code == SQLITE_OK; i++)
        code = sqlite3_create_module(db, kinds[i].name, &module, (void *)&kinds[i]);
    return code;
}
