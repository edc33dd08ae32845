/* Reads other tools' SQLite files, without writing to them and without running code of their
 * schema. Gives the rows to the format that owns the tables. */
#ifndef TRANSFER_SOURCES_SQLITE_FILE_H
#define TRANSFER_SOURCES_SQLITE_FILE_H

#include "formats/common/rows.h"

bool sqlite_file_is(struct bough_str first); /* by its first bytes */

/* From now on a child of fork() can use SQLite: no lock of it is held by a thread that the child
 * does not have. */
void sqlite_file_guard_forks(void);

struct sqlite_file;

/* Open `path`. This process must have no other descriptor of it open: closing one would release
 * SQLite's locks. `first`: the first bytes of the file, at least 100. `name`: the required format,
 * or NULL for any. Starts the process that reads it. Fails as sqlite_child_open() does;
 * BOUGH_TIMEOUT, BOUGH_TOO_LARGE or BOUGH_CORRUPT when the process had to be ended, or crashed. */
BOUGH_MUST_CHECK enum bough_rc sqlite_file_open(const char *path, struct bough_str first,
                                                const char *name, struct sqlite_file **out,
                                                struct bough_error *err);
void sqlite_file_close(struct sqlite_file *f); /* NULL is allowed */

const struct format *sqlite_file_format(const struct sqlite_file *f);
/* Does it have a write-ahead log, so that its content can change while the main file does not? */
bool sqlite_file_live(const struct sqlite_file *f);

/* Progress: `done` of `total` sessions are read. Return false to stop. */
typedef bool sqlite_file_tell(void *user, int64_t done, int64_t total);

/* Give everything to the format of `r`. Unreadable rows become problems of their session. *rows is
 * the number of rows read. BOUGH_CANCELLED when `tell` stops it; BOUGH_BUSY when the tool began to
 * write. */
BOUGH_MUST_CHECK enum bough_rc sqlite_file_read(struct sqlite_file *f, struct reading *r,
                                                sqlite_file_tell *tell, void *user, int64_t *rows,
                                                struct bough_error *err);

#endif
