/* A store with a known content, and what must hold of it after any fault. */
#ifndef FAULTS_WORLD_H
#define FAULTS_WORLD_H

#include <bough/bough.h>

#include "lib/faulty_vfs.h"
#include "lib/test.h"

enum { WORLD_ENTRIES = 12, BATCH = 6 };

/* Ids that the scenarios choose themselves, so that a repeated request is the same request. */
#define ID_MAIN "01K0000000000000000000MAIN"
#define ID_FORK "01K0000000000000000000F0RK"
#define ID_DOOMED "01K00000000000000000D00MED"
#define ID_NEW "01K00000000000000000000NEW"
#define KEY "the key"

struct world {
    struct test *t;
    const char *path;     /* where the store lies while it suffers */
    const char *pristine; /* a closed store to start from */
    const char *old;      /* the same, as the first schema left it */
};

/* Make both files. The main session has WORLD_ENTRIES entries, "fork" shows the first half of it,
 * "doomed" has as many, and one session forked from it. */
void world_make(struct world *w, struct test *t);

/* Put a copy in place; `from` NULL: nothing is there yet. */
void world_reset(struct world *w, const char *from);

/* The expected text of entry i (from 0) of a session. */
const char *world_text(struct world *w, const char *session, int i);

struct bough_store *world_open(struct world *w);

/* A part with an image that is kept as an attachment, and the append that shows it. */
struct bough_str world_image(struct world *w, char letter);
enum bough_rc world_show(struct world *w, struct bough_store *s, const char *session,
                         struct bough_str part, const char *key);

/* How many entries on the session's path have exactly this text? */
int world_count(struct world *w, struct bough_store *s, const char *session, const char *text);

/* The oracle: the engine is sound, fsck is clean, every old entry is there byte for byte and in
 * order, the path of the main session is old + at most `more` longer, the next append works, nobody
 * holds a lock. */
void world_check(struct world *w, int more);

/* An independent connection that waits at most so long can write: no lock was left behind. */
void world_check_lock(struct world *w, int wait_ms);

#endif
