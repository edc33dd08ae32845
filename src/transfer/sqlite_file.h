/* Other tools' SQLite files: opened so that nothing is written and nothing of theirs is run, and
 * given row by row to the format whose tables they have. */
#ifndef TRANSFER_SQLITE_FILE_H
#define TRANSFER_SQLITE_FILE_H

#include "formats/format.h"

bool sqlite_file_is(struct bough_str first); /* by its first bytes */

struct sqlite_file;

/*
 * Open `path`, which nobody of this process may have open by then: closing another descriptor of it
 * would end SQLite's locks. `first` is how it begins, `name` the format it must be, NULL for any.
 * BOUGH_INVALID when its tables are nobody's, BOUGH_CORRUPT when they cannot be read.
 */
BOUGH_MUST_CHECK enum bough_rc sqlite_file_open(const char *path, struct bough_str first,
                                                const char *name, struct sqlite_file **out,
                                                struct bough_error *err);
void sqlite_file_close(struct sqlite_file *f); /* NULL is fine */

const struct format *sqlite_file_format(const struct sqlite_file *f);
/* Can others change what it says without changing its bytes? */
bool sqlite_file_live(const struct sqlite_file *f);

/* Sessions read, of how many; false: stop. */
typedef bool sqlite_file_tell(void *user, int64_t done, int64_t total);

/* Everything, to the format of `r`. What cannot be read is a problem of its session. *rows counts.
 */
BOUGH_MUST_CHECK enum bough_rc sqlite_file_read(struct sqlite_file *f, struct reading *r,
                                                sqlite_file_tell *tell, void *user, int64_t *rows,
                                                struct bough_error *err);

#endif
