/* Random operations on two stores in lock-step: shared declarations. */
#ifndef RANDOM_H
#define RANDOM_H

#include <bough/bough.h>

#include <stdatomic.h>

#include "base/memory/buf.h"
#include "base/memory/map.h"
#include "lib/test.h"

enum { WORLDS = 2, MOST_SESSIONS = 4000, MOST_ENTRIES = 40000, MOST_RECORDS = 8000 };

/* One store with its own clock and random source, and the ranks of its ids. */
struct world {
    const char *url;
    struct bough_store *store;
    struct bough_arena *arena; /* reset for each operation */
    _Atomic int64_t now;
    _Atomic uint64_t seed;
    struct bough_error err;
    enum bough_rc rc;
    struct buf out;      /* the operation's result in canonical form */
    struct smap names;   /* id -> rank by first appearance */
    struct map branches; /* branch id -> rank */
    char session[MOST_SESSIONS][BOUGH_ID_LEN + 1];
    char entry[MOST_ENTRIES][BOUGH_ID_LEN + 1];
    struct bough_head at[MOST_ENTRIES];
    char call[MOST_RECORDS][BOUGH_ID_LEN + 1];
    char memory[MOST_RECORDS][BOUGH_ID_LEN + 1];
    struct bough_append_options keyed; /* the last append with a key, for repeating it */
    const char *keyed_session;
};

struct random {
    struct test *t;
    struct world *w[WORLDS];
    struct bough_arena *keep; /* lives as long as both stores */
    uint64_t state;
    size_t sessions, entries, calls, memories; /* how many are known, the same in both worlds */
    size_t entry_session[MOST_ENTRIES];
    size_t forked_from[MOST_SESSIONS];
    bool purged[MOST_SESSIONS];
    const char *op; /* name of the current operation */
};

#define EACH(r, w) for (struct world **at_ = (r)->w, *w; at_ < (r)->w + WORLDS && (w = *at_); at_++)

uint64_t draw(struct random *r, uint64_t below); /* 0 <= x < below */
bool chance(struct random *r, unsigned percent);

/* Run one random operation in both worlds. */
void random_operation(struct random *r);

void world_open(struct test *t, struct world *w);

/* An id or position as rank by first appearance; "-" if empty. */
const char *name_of(struct world *w, const char *id);
const char *place_of(struct world *w, struct bough_head at);
void put_entry(struct world *w, const struct bough_entry *e);
void put_entries(struct world *w, const struct bough_entries *e);
void put_session(struct world *w, const struct bough_session *s);
void put_totals(struct world *w, const struct bough_totals *t);
void put_call(struct world *w, const struct bough_call *c);
void put_memory(struct world *w, const struct bough_memory *m);
void put_todos(struct world *w, const struct bough_todos *t);

/* Write one session, or everything in the store, to w->out. */
void dump_session(struct world *w, const char *session);
void dump_store(struct world *w);

#endif
