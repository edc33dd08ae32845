/* Who shows an entry: the living session that a search hit is shown under. */
#ifndef STORE_SHOWS_H
#define STORE_SHOWS_H

#include "store/engine.h"

enum { SHOWS_PROJECTS = 64, SHOWS_BRANCHES = 256, SHOWS_SESSIONS = 32 };

/* A session that was looked at. */
struct shows_session {
    bool good; /* alive, and of one of the projects */
    const char *id, *slug, *title;
};

struct shows {
    struct snap *snap;
    struct bough_arena *a;
    int64_t sid; /* only under this one; 0: any */
    bool within; /* only what lies in `segs`, and titles of `sid` when `titles` */
    bool titles;
    struct map segs; /* bid -> deepest depth */
    bool in_project;
    int64_t projects[SHOWS_PROJECTS];
    size_t nprojects;

    struct map sessions; /* sid -> struct shows_session * */
    struct map heirs;    /* bid -> struct shows_heirs * */
};

void shows_init(struct shows *w, struct snap *snap, struct bough_arena *a);
void shows_finish(struct shows *w);

/* Only what the session shows: all of it, or the path to `at`. */
enum bough_rc shows_only_session(struct shows *w, int64_t sid, struct bough_error *err);
enum bough_rc shows_only_path(struct shows *w, int64_t sid, struct bough_head at,
                              struct bough_error *err);
void shows_only_branch(struct shows *w, int64_t bid);
/* Only sessions of projects called so, or whose path ends so. */
enum bough_rc shows_only_project(struct shows *w, const char *name, struct bough_error *err);

/* For the index: the branches and titles that can be shown, when they are few. False: any. */
bool shows_narrow(struct shows *w, int64_t **bids, size_t *nbids, int64_t **sids, size_t *nsids,
                  enum bough_rc *rc, struct bough_error *err);

/* Under which session (NULL: none) an entry, or with bid 0 the title of session `depth`, is shown.
 */
enum bough_rc shows_under(struct shows *w, int64_t bid, int64_t depth,
                          const struct shows_session **out, struct bough_error *err);

#endif
