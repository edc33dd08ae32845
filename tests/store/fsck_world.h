/* For fsck's tests: a store with everything in it, and rows that are broken and put back. */
#ifndef FSCK_WORLD_H
#define FSCK_WORLD_H

#include "lib/store_test.h"
#include "store/engine.h"

/* Sessions of the world, by number. */
enum { ROOT = 1, BARE, TWIG, FORK, AGENT, DEEP, GONE, ORPHAN, SOURCE, KEPT, COPY, WRITING };

/* Everything the store can hold: forks, subagents, purged ones, calls, labels, keys, aliases. */
void build_world(struct test *t);
/* And one session more, with a message in the middle of being written: #13.2. */
void build_open(struct test *t);

/* What a run found: its codes, each once, in order, e.g. "I-11 I-43". */
struct seen {
    struct test *t;
    const char *errors, *warnings;
    const char *where; /* of the first error, or the first warning when there is none */
    bool print;
};

struct seen look(struct test *t, enum bough_fsck_level level, bool print);
/* Not a word, at both levels. */
void check_clean(struct test *t);

/* A row by its key, as a copy. It must be there. Keys and aliases: see row_like. */
struct raw_row *row_of(struct test *t, enum raw_table table, int64_t a, int64_t b, int64_t c);
struct raw_row *row_like(struct test *t, const struct raw_row *want); /* NULL: not there */

/* Write or remove a row, asking nobody; put_back() makes it as it was. */
void put(struct test *t, const struct raw_row *r);
void drop(struct test *t, const struct raw_row *r);
void put_back(struct test *t);

/* A random change of a random row. */
void damage_something(struct test *t);

/* The damage gives these errors and warnings, the first about `where`; put back, all is well again.
 */
void expect(struct test *t, const char *errors, const char *warnings, const char *where);

/* An entry, unpacked; entry_put() packs and writes it. */
struct edit {
    struct raw_row *r;
    struct bough_entry e;
    struct pack_extra x;
};

struct edit entry_of(struct test *t, int64_t bid, int64_t depth);
void entry_put(struct test *t, const struct edit *ed);

/* A row's body, unpacked; body_put() packs it into the row and writes that. */
void body_of_row(struct test *t, const struct raw_row *r, void *to);
void body_put(struct test *t, struct raw_row *r, const void *from);

/* One rule each: break it, see exactly that code, put it back. All lists are up to date. */
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
