/* Tests that damage store files: a good file, its mutations, and what must hold afterwards. */
#ifndef DAMAGE_WORLD_H
#define DAMAGE_WORLD_H

#include <bough/bough.h>

#include "lib/test.h"

enum { PAGE = 8192, ENTRIES_MOST = 400, SESSIONS_MOST = 16 };

/* A file of the good store, and what a reader gets from it. */
struct good {
    struct bough_str file, log; /* the main file, and its WAL (empty: the store was closed) */
    struct bough_str foreign;   /* the WAL of another store */
    size_t nsessions, nentries;
    struct {
        char id[BOUGH_ID_LEN + 1], title[32];
        uint64_t path;                /* hash of the ids and parts on the path to its head */
        size_t n;                     /* entries on it */
        uint64_t paths[ENTRIES_MOST]; /* the hashes of its first 0, 1, 2, ... entries */
    } sessions[SESSIONS_MOST];
    struct {
        char id[BOUGH_ID_LEN + 1];
        uint64_t parts;
    } entries[ENTRIES_MOST];
};

/* Read the files of tests/data/damage. `live`: those of a store that is open, with its WAL. With
 * DAMAGE_REBUILD=1 in the environment they are made anew first, with DAMAGE_FRESH=N new ones with
 * other content are made in the test's folder. */
void good_build(struct test *t, bool live, struct good *g);

/* Random numbers that depend on nothing but the seed. */
uint64_t next_random(uint64_t *seed);

/* Write damaged files for mutation `i` to `path`. *log: the WAL is damaged. Returns its name. */
const char *mutate(const struct good *g, const char *path, uint64_t i, bool *log);

/* A hash of the entry's role and of its parts, byte for byte. */
uint64_t entry_hash(const struct bough_entry *e);

#endif
