/* Helpers for fsck's tests: a store with everything in it, and rows to break and restore. */
#ifndef FSCK_WORLD_H
#define FSCK_WORLD_H

#include "lib/store_test.h"
#include "store/engine/engine.h"

/* Numbers of the world's sessions. */
enum { ROOT = 1, BARE, TWIG, FORK, AGENT, DEEP, GONE, ORPHAN, SOURCE, KEPT, COPY, WRITING };

/* Fill t->store with everything it can hold: forks, subagents, purged sessions, calls, labels,
 * keys, aliases. */
void build_world(struct test *t);
/* Add one more session with an open message: #13.2. */
void build_open(struct test *t);

/* The findings of a run: its codes, each once, in order, e.g. "I-11 I-43". */
struct seen {
    struct test *t;
    const char *errors, *warnings;
    const char *where; /* location of the first error; of the first warning if there is no error */
    bool print;
};

struct seen look(struct test *t, enum bough_fsck_level level, bool print);
/* fsck finds nothing, at both levels. */
void check_clean(struct test *t);

/* A copy of the row with this key; it must exist. For keys and aliases use row_like(). */
struct raw_row *row_of(struct test *t, enum raw_table table, int64_t a, int64_t b, int64_t c);
struct raw_row *row_like(struct test *t, const struct raw_row *want); /* NULL: no such row */

/* Write or remove a row without any checks. put_back() undoes all such changes, at most 16. */
void put(struct test *t, const struct raw_row *r);
void drop(struct test *t, const struct raw_row *r);
void put_back(struct test *t);

/* Change or remove a random row. */
void damage_something(struct test *t);

/* fsck finds exactly these errors and warnings, the first at `where`. Then the rows are put back
 * and fsck must find nothing. */
void expect(struct test *t, const char *errors, const char *warnings, const char *where);

/* An unpacked entry; entry_put() packs and writes it. */
struct edit {
    struct raw_row *r;
    struct bough_entry e;
    struct pack_extra x;
};

struct edit entry_of(struct test *t, int64_t bid, int64_t depth);
void entry_put(struct test *t, const struct edit *ed);

/* Unpack a row's body; body_put() packs it into the row and writes the row. */
void body_of_row(struct test *t, const struct raw_row *r, void *to);
void body_put(struct test *t, struct raw_row *r, const void *from);

/* A test that breaks one rule, expects just that code and restores the row. Lists are folded. */
#define BREAKS(name)                                                                               \
    static void breaks_##name(struct test *t);                                                     \
    STORE_TEST(fsck_##name)                                                                        \
    {                                                                                              \
        build_world(t);                                                                            \
        CHECK_OK(bough_store_upkeep(t->store, &t->err));                                           \
        breaks_##name(t);                                                                          \
    }                                                                                              \
    static void breaks_##name(struct test *t)

#endif
