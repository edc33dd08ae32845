/* Filters of a search, and the living session that a hit is shown under. */
#ifndef STORE_FIND_HIT_OWNER_H
#define STORE_FIND_HIT_OWNER_H

#include "store/engine/engine.h"

enum { SHOWS_PROJECTS = 64, SHOWS_BRANCHES = 256, SHOWS_SESSIONS = 32 };

/* A session that was looked up. */
struct hit_owner_session {
    bool good; /* not deleted, and in one of the projects */
    const char *id, *slug, *title;
};

/* Filters and caches of one search. All memory but the maps lives in `a`. */
struct hit_owner {
    struct snap *snap;
    struct bough_arena *a;
    int64_t sid; /* show hits under this session only; 0: any */
    bool within; /* only entries in `segs`, and the title of `sid` if `titles` is set */
    bool titles;
    struct map segs; /* bid -> deepest visible depth */
    bool in_project;
    int64_t projects[SHOWS_PROJECTS];
    size_t nprojects;

    struct map sessions; /* cache: sid -> struct hit_owner_session * */
    struct map heirs;    /* cache: bid -> struct hit_owner_heirs * */
};

void hit_owner_init(struct hit_owner *w, struct snap *snap, struct bough_arena *a);
void hit_owner_finish(struct hit_owner *w);

/* Only entries that the session shows: all of its paths and its title, or the path to `at`. */
enum bough_rc hit_owner_only_session(struct hit_owner *w, int64_t sid, struct bough_error *err);
enum bough_rc hit_owner_only_path(struct hit_owner *w, int64_t sid, struct bough_head at,
                                  struct bough_error *err);
/* Only entries of this branch; narrows the filters above. */
void hit_owner_only_branch(struct hit_owner *w, int64_t bid);
/* Only sessions of the project with this name or, unless `exact`, of those whose path ends with it.
 * A second call intersects. */
enum bough_rc hit_owner_only_project(struct hit_owner *w, const char *name, bool exact,
                                     struct bough_error *err);

/* The branches and title sessions that can match, to limit the index query. Returns false if they
 * are too many or not limited, or (*rc is set) on an error. */
bool hit_owner_narrow(struct hit_owner *w, int64_t **bids, size_t *nbids, int64_t **sids,
                      size_t *nsids, enum bough_rc *rc, struct bough_error *err);

/* The session to show an entry under, or with bid 0 the title of session `depth`. *out is NULL when
 * no session may show it. */
enum bough_rc hit_owner_under(struct hit_owner *w, int64_t bid, int64_t depth,
                              const struct hit_owner_session **out, struct bough_error *err);

#endif
