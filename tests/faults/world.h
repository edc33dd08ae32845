/* A store with known content, and the checks that must hold after any fault. */
#ifndef FAULTS_WORLD_H
#define FAULTS_WORLD_H

#include <bough/bough.h>

#include "lib/faulty_vfs.h"
#include "lib/test.h"

enum { WORLD_ENTRIES = 12, BATCH = 6 };

/* Ids chosen by the scenarios, so that a repeated request is the same request. */
#define ID_MAIN "01K0000000000000000000MAIN"
#define ID_FORK "01K0000000000000000000F0RK"
#define ID_DOOMED "01K00000000000000000D00MED"
#define ID_NEW "01K00000000000000000000NEW"
#define KEY "the key"

struct world {
    struct test *t;
    const char *path;     /* the store under test */
    const char *pristine; /* a closed store to start from */
    const char *old;      /* the same in the first schema */
};

/* Create both files. The main session has WORLD_ENTRIES entries and a fork of its first half.
 * "doomed" has as many, a fork of its first half, and (in the pristine file) an image. */
void world_make(struct world *w, struct test *t);

/* Replace the store under test by a copy of `from`. NULL: remove it. */
void world_reset(struct world *w, const char *from);

/* The expected text of entry i (from 0) of a session. */
const char *world_text(struct world *w, const char *session, int i);

struct bough_store *world_open(struct world *w);

/* A part with an image that is stored as an attachment, and the append that shows it. */
struct bough_str world_image(struct world *w, char letter);
enum bough_rc world_show(struct world *w, struct bough_store *s, const char *session,
                         struct bough_str part, const char *key);

/* The number of entries on the session's path with exactly this text. */
int world_count(struct world *w, struct bough_store *s, const char *session, const char *text);

/*
 * Check the store after a fault: SQLite's integrity check and fsck find no error, every old entry
 * is unchanged and in order, the main path has at most `more` new entries, the next append works,
 * and no lock is left.
 */
void world_check(struct world *w, int more);

/*
 * Check that an independent connection can write after waiting at most `wait_ms`: no lock was left.
 */
void world_check_lock(struct world *w, int wait_ms);

#endif
