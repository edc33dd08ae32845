/* Helpers for tests of the SQLite backend's ops: building rows and txns. */
#ifndef UNIT_SQLITE_FIXTURE_H
#define UNIT_SQLITE_FIXTURE_H

#include "lib/test.h"
#include "store/sqlite/sqlite.h"

/* A deadline in ten seconds. */
struct deadline soon(void);

struct backend *open_at(struct test *t, const char *path);
enum bough_rc try_open(struct test *t, const char *path, bool read_only, struct backend **out);

/* Commit one txn and return its state. The commit itself must succeed. */
enum txn_state run(struct test *t, struct backend *b, struct txn *txn);

/* Create a session with a root branch and its head there. Returns the sid; *bid is the branch. */
int64_t add_session(struct test *t, struct backend *b, const char *slug, int64_t *bid);

/* A body of n bytes: a zeroed header, then `text`. */
struct bough_str body(struct test *t, const char *text, size_t n);

struct change entry_at(struct test *t, int64_t bid, int64_t depth, const char *text);

/* Append one entry at `depth`. */
enum txn_state append(struct test *t, struct backend *b, int64_t sid, int64_t bid, int64_t depth,
                      const char *text);

struct snapshot *look(struct test *t, struct backend *b);
int64_t tip_of(struct test *t, struct backend *b, int64_t bid);
int64_t last_no(struct test *t, struct backend *b);

#endif
