/* For the tests of the SQLite backend's own table: short ways to build rows and txns. */
#ifndef UNIT_SQLITE_FIXTURE_H
#define UNIT_SQLITE_FIXTURE_H

#include "lib/test.h"
#include "store/sqlite/sqlite.h"

/* Ten seconds from now. */
struct patience soon(void);

struct backend *open_at(struct test *t, const char *path);
enum bough_rc try_open(struct test *t, const char *path, bool read_only, struct backend **out);

/* Commit one txn and say how it went; the store must take it (BOUGH_OK). */
enum txn_state run(struct test *t, struct backend *b, struct txn *txn);

/* A session with a root branch and its head there: sid is returned, *bid too. */
int64_t add_session(struct test *t, struct backend *b, const char *slug, int64_t *bid);

/* A body of n bytes that says who it is. */
struct bough_str body(struct test *t, const char *text, size_t n);

struct change entry_at(struct test *t, int64_t bid, int64_t depth, const char *text);

/* Append one entry at `depth`. */
enum txn_state append(struct test *t, struct backend *b, int64_t sid, int64_t bid, int64_t depth,
                      const char *text);

struct view *look(struct test *t, struct backend *b);
int64_t tip_of(struct test *t, struct backend *b, int64_t bid);
int64_t last_no(struct test *t, struct backend *b);

#endif
