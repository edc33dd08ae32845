/* Helpers for tests: SQLite files as other tools create them. */
#ifndef TRANSFER_DATABASES_H
#define TRANSFER_DATABASES_H

#include "corpus.h"

struct db;

extern const char hygge_schema[], hecate_schema[], llm_schema[], llm_old_schema[],
    opencode_schema[];

/* Create a file in the test's directory with this SQL, in WAL mode as its tools do. Returns its
 * path. It is closed, so there is no WAL file. */
const char *db_make(struct test *t, const char *name, const char *schema, const char *sql);
/* Use the file as its tool does: open it, run statements, keep it open. */
struct db *db_open(struct test *t, const char *path);
void db_run(struct test *t, struct db *db, const char *sql);
void db_close(struct db *db);
/* Open, run, close. */
void db_change(struct test *t, const char *path, const char *sql);

/* Escape a text for use between single quotes in SQL. */
const char *db_quoted(struct test *t, struct bough_str text);

/* Import the file. The import must not create files beside it, nor change its bytes or times. */
struct bough_import_file_result import_db(struct test *t, const char *path);

#endif
