/* SQLite files as other tools make them, for tests. */
#ifndef TRANSFER_DATABASES_H
#define TRANSFER_DATABASES_H

#include "corpus.h"

struct sqlite3;

extern const char hygge_schema[], hecate_schema[], opencode_schema[];

/* A new file in the test's folder, in WAL mode as its tools have it, made by this SQL; its path.
 * Closed, so that it is one file. */
const char *db_make(struct test *t, const char *name, const char *schema, const char *sql);
/* Its tool at work: open it, run something, leave it open. */
struct sqlite3 *db_open(struct test *t, const char *path);
void db_run(struct test *t, struct sqlite3 *db, const char *sql);
void db_close(struct sqlite3 *db);
/* Open, run, close. */
void db_change(struct test *t, const char *path, const char *sql);

/* For between single quotes. */
const char *db_quoted(struct test *t, struct bough_str text);

/* Import it: nothing beside it may be new, and not a byte or time of it different. */
struct bough_imported import_db(struct test *t, const char *path);

#endif
