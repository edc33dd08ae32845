/* The writer's connection: enter, begin, then end or undo, leave. */
#ifndef STORE_POSTGRES_WRITER_H
#define STORE_POSTGRES_WRITER_H

#include "store/postgres/db.h"

enum bough_rc pg_writer_enter(struct postgres *s, struct bough_error *err);
void pg_writer_leave(struct postgres *s);
/* Begin, and wait for our turn. */
enum bough_rc pg_writer_begin(struct postgres *s, bool relaxed, struct bough_error *err);
enum bough_rc pg_writer_end(struct postgres *s, struct bough_error *err);
void pg_writer_undo(struct postgres *s);
void pg_writer_forget(struct postgres *s); /* what it knows may not be true any more */
/* The same in pieces, without waiting: begin; take so many numbers; read what that gave. */
enum bough_rc pg_writer_send_begin(struct postgres *s, bool relaxed, struct bough_error *err);
enum bough_rc pg_writer_send_take(struct postgres *s, int64_t no, int64_t sessions,
                                  int64_t branches, struct bough_error *err);
enum bough_rc pg_writer_read_take(struct postgres *s, struct bough_error *err);
/* One statement, and its answer, which the caller clears. */
enum bough_rc pg_writer_ask(struct postgres *s, enum sql id, const struct args *a, PGresult **out,
                            struct bough_error *err);
/* The same without it. *rows (may be NULL): how many rows it changed or gave. */
enum bough_rc pg_writer_run(struct postgres *s, enum sql id, const struct args *a, int64_t *rows,
                            struct bough_error *err);
/* The first column of its first row, or `none`. */
enum bough_rc pg_writer_int(struct postgres *s, enum sql id, const struct args *a, int64_t none,
                            int64_t *out, struct bough_error *err);
/* The connection was lost before an answer came. Connect again and `ask`, in a transaction that
 * waits for what may be under way: was it written? BOUGH_UNKNOWN when nobody can be asked for 15 s.
 */
enum bough_rc pg_writer_settle(struct postgres *s,
                               enum bough_rc (*ask)(struct postgres *s, void *user, bool *written,
                                                    struct bough_error *err),
                               void *user, bool *written, struct bough_error *err);
/* Is the entry with this id there? */
enum bough_rc pg_writer_sees(struct postgres *s, int64_t bid, int64_t depth, const char *id,
                             bool *there, struct bough_error *err);
/* After a failure before the end: is it worth another try? Waits a little longer each time. Then,
 * connect again if need be. */
bool pg_writer_again(struct postgres *s, enum bough_rc rc, int *tries);
enum bough_rc pg_writer_connected(struct postgres *s, const struct patience *p,
                                  struct bough_error *err);
/* A transaction of its own around `work`. */
enum bough_rc pg_writer_txn(struct postgres *s, bool relaxed, const struct patience *p,
                            enum bough_rc (*work)(struct postgres *s, void *user,
                                                  struct bough_error *err),
                            void *user, struct bough_error *err);

#endif
