/*
 * The writer connection: enter, connect, begin, then end or undo, leave.
 *
 * All functions but pg_writer_enter() need the write_lock that it takes. It fails with
 * BOUGH_INVALID after fork() and with BOUGH_READ_ONLY, and does not hold the lock then.
 * pg_writer_leave() also resets s->scratch and drops a broken connection.
 */
#ifndef STORE_POSTGRES_CONN_WRITER_H
#define STORE_POSTGRES_CONN_WRITER_H

#include "store/postgres/wire/db.h"

enum bough_rc pg_writer_enter(struct postgres *s, struct bough_error *err);
void pg_writer_leave(struct postgres *s);
/* Begin a transaction and wait for the lock on the counter row. After a failure no transaction is
 * open. */
enum bough_rc pg_writer_begin(struct postgres *s, bool relaxed, struct bough_error *err);
/* Commit. If the answer is lost, find out whether the transaction was committed. BOUGH_NOT_DONE:
 * nothing was written. BOUGH_UNKNOWN: it could not be found out. */
enum bough_rc pg_writer_end(struct postgres *s, struct bough_error *err);
void pg_writer_undo(struct postgres *s);
void pg_writer_forget(struct postgres *s); /* drop everything cached about the store */
/* pg_writer_begin() in steps that do not wait: queue the begin, queue taking numbers, read the
 * numbers. */
enum bough_rc pg_writer_send_begin(struct postgres *s, bool relaxed, struct bough_error *err);
enum bough_rc pg_writer_send_take(struct postgres *s, int64_t no, int64_t sessions,
                                  int64_t branches, struct bough_error *err);
enum bough_rc pg_writer_read_take(struct postgres *s, struct bough_error *err);
/* Run one statement. The caller clears *out. */
enum bough_rc pg_writer_ask(struct postgres *s, enum sql id, const struct args *a, PGresult **out,
                            struct bough_error *err);
/* Run one statement and discard its result. *rows (may be NULL) is the number of rows changed or
 * returned. */
enum bough_rc pg_writer_run(struct postgres *s, enum sql id, const struct args *a, int64_t *rows,
                            struct bough_error *err);
/* Run one statement: the first column of its first row, or `none`. */
enum bough_rc pg_writer_int(struct postgres *s, enum sql id, const struct args *a, int64_t none,
                            int64_t *out, struct bough_error *err);
/*
 * Call after the connection was lost before an answer arrived. Reconnects and calls `ask` in a new
 * transaction; its lock waits for the lost one to end. `ask` sets *written. BOUGH_UNKNOWN when the
 * server cannot be reached for 15 s.
 */
enum bough_rc pg_writer_settle(struct postgres *s,
                               enum bough_rc (*ask)(struct postgres *s, void *user, bool *written,
                                                    struct bough_error *err),
                               void *user, bool *written, struct bough_error *err);
/* Does the entry with this id exist? */
enum bough_rc pg_writer_sees(struct postgres *s, int64_t bid, int64_t depth, const char *id,
                             bool *there, struct bough_error *err);
/* After a failure before COMMIT was sent: is a retry worthwhile? Sleeps first, longer each time.
 * The caller then reconnects with pg_writer_connected(). */
bool pg_writer_again(struct postgres *s, enum bough_rc rc, int *tries);
enum bough_rc pg_writer_connected(struct postgres *s, const struct deadline *p,
                                  struct bough_error *err);
/* Run `work` in a transaction of its own: enter, begin, end, leave, with retries. */
enum bough_rc pg_writer_txn(struct postgres *s, bool relaxed, const struct deadline *p,
                            enum bough_rc (*work)(struct postgres *s, void *user,
                                                  struct bough_error *err),
                            void *user, struct bough_error *err);

#endif
