/* Adding up spend rows: groups, steps of time, and sessions. */
#ifndef STORE_FIND_SPEND_H
#define STORE_FIND_SPEND_H

#include <bough/spend.h>

#include "store/project/projector.h"

/* A group while it is added up. */
struct spend_pile {
    const char *key;
    int64_t number; /* of a session, project or account */
    struct spend_row sum;
    int64_t sessions;
};

/* What a group spent in a step. */
struct spend_cell {
    int64_t from; /* first day of the step */
    size_t pile;
    struct spend_row sum;
    int64_t sessions;
};

struct spend_sums {
    struct snap *snap;
    struct bough_arena *a;
    const struct overlay *o;
    enum bough_spend_step step;
    enum bough_spend_by by;
    bool sparse;
    int64_t project; /* BY_SESSION: sessions of other projects count as none; 0: all do */
    struct spend_pile *piles;
    size_t npiles;
    struct smap names;   /* key -> pile */
    struct map numbers;  /* number -> pile */
    struct map pairs;    /* pile << 31 | sid: the session counts in this pile */
    struct map sessions; /* sid -> index in costs */
    struct map roles;    /* sid -> its role_name */
    struct map homes;    /* sid -> its project */
    int64_t *costs;      /* of each session */
    size_t nsessions;
    struct spend_cell *cells;
    size_t ncells;
    struct map places; /* step << 32 | pile -> cell */
    struct map twice;  /* cell << 31 | sid */
    struct spend_row total;
    int64_t first, last; /* days of the first and the last row */
};

void spend_sums_init(struct spend_sums *s);
void spend_sums_finish(struct spend_sums *s);
/* Add a row. Its project and account are resolved. */
enum bough_rc spend_sums_add(struct spend_sums *s, const struct spend_row *row,
                             struct bough_error *err);

/* The first day of the step that holds a day, and of the step after it. */
int64_t spend_step_of(enum bough_spend_step step, int64_t day);
int64_t spend_step_next(enum bough_spend_step step, int64_t from);

struct bough_spent spend_spent(const struct spend_row *sum, int64_t sessions);
/* Groups, series, median and p90. */
enum bough_rc spend_sums_result(struct spend_sums *s, size_t limit, int64_t from, int64_t to,
                                struct bough_spend_result *out, struct bough_error *err);

#endif
