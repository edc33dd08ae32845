/* What a format reads from a tool's SQLite file: its queries, and the columns of their rows. */
#ifndef FORMATS_COMMON_ROWS_H
#define FORMATS_COMMON_ROWS_H

#include "formats/common/format.h"

/* One query on another tool's SQLite file. */
struct format_query {
    const char *name;  /* name of its rows for format_rows.row; NULL: rows only feed `each` */
    const char *table; /* skip the query if the file has no such table; NULL: always run */
    const char *sql;   /* ?1 is bound to the first column of the parent row */
    const struct format_query *each; /* run for every row; ends with an empty one; NULL: none */
};

/* What to read from a tool's SQLite file, and how to interpret the rows. Each row is one JSON
 * object of all its columns. In SQL and table names, "$" is the prefix of the file's tables. The
 * state and `kept` of a reading start anew with every session. */
struct format_rows {
    /* A file with all these tables is of this format; "$" as above. */
    const char *const *tables;
    /* SQL that creates temporary tables before reading; NULL: none. */
    const char *prepare;
    const char *sessions;            /* selects the rowids of the sessions, parents first */
    const struct format_query *each; /* run for every session, with its rowid */
    enum bough_rc (*row)(struct reading *r, const char *name, struct json row,
                         struct bough_error *err);
    /* After the last row of a session; or NULL. */
    enum bough_rc (*end)(struct reading *r, struct bough_error *err);
};

/* SQL for the rowids of a table whose rows refer to parents: roots first, then by depth and time.
 * Rows in cycles, which should not exist, come last. */
#define ROWS_PARENTS_FIRST(table, parent, time)                                                    \
    "WITH RECURSIVE tree (at, id, depth) AS (SELECT rowid, id, 0 FROM " table " WHERE " parent     \
    " IS NULL OR " parent " NOT IN (SELECT id FROM " table " WHERE id IS NOT NULL)"                \
    " UNION ALL SELECT s.rowid, s.id, tree.depth + 1 FROM tree JOIN " table " s ON s." parent      \
    " = tree.id) SELECT s.rowid FROM " table " s LEFT JOIN tree ON tree.at = s.rowid"              \
    " ORDER BY tree.depth IS NULL, tree.depth, s." time ", s.rowid"

/* ---- columns ---- */

/* The JSON text in a text column, if it is of this type; else empty. */
struct bough_str column_json(struct reading *r, struct json row, const char *name,
                             enum json_type type);
/* The parts in a text column: the elements of a JSON list, or its whole content as one part. */
void column_parts(struct reading *r, struct json row, const char *name, struct bough_entry_new *e);
/* All columns except `but` under one name: {"hygge.row":{...}}; empty if none is left. */
struct bough_str row_rest(struct reading *r, struct json row, const char *const *but,
                          const char *name);

#endif
