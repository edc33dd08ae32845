/* Random operations: choosing sessions and entries, and the operations on entries. */
#ifndef RANDOM_OPS_H
#define RANDOM_OPS_H

#include "store/random.h"

#define NONE ((size_t)-1)

const char *pick(struct random *r, const char *const *words, size_t n);

/* The index of a random session, or of an entry (mostly of that session); sometimes NONE. */
size_t any_session(struct random *r);
size_t any_entry(struct random *r, size_t session);

/* The id of a session or entry in a world. `form`, drawn once for both worlds, chooses among the
 * ways to name it. For NONE: a wrong id. */
const char *session_text(struct random *r, struct world *w, size_t session, uint64_t form);
const char *entry_text(struct random *r, struct world *w, size_t entry, uint64_t form);
struct bough_totals any_totals(struct random *r, bool negative);

void op_append(struct random *r);
void op_record(struct random *r);
void op_read(struct random *r);
void op_get(struct random *r);
void op_head_move(struct random *r);
void op_entry_delete(struct random *r);
void op_entry_restore(struct random *r);
void op_compact(struct random *r);
void op_summary(struct random *r);
void op_context(struct random *r);

#endif
