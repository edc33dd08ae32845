/* Spend rows: what the calls of a session spent on a day, and what calls and adjustments stand for.
 * The projector and fsck agree by using these. Pure. */
#ifndef CORE_PACK_SPEND_H
#define CORE_PACK_SPEND_H

#include "core/pack/bodies.h"

/* Derived: what the calls of one session spent on one day, for one model and principal.
 * The first seven members are the key. Complete up to the watermark of the lists. */
struct spend_row {
    int64_t day;              /* of the call's time: days since 1970, in UTC */
    int64_t sid;              /* 0: of purged sessions that left no heir */
    int64_t project, account; /* ordinals when the call was stored; SPEND_AS_SESSION: not kept */
    const char *provider, *model;
    const char *principal;  /* whose handle stored the call; "" for the owner and for imports */
    int64_t calls, unknown; /* unknown: calls whose cost is not known */
    int64_t input, output, reasoning, cache_read, cache_write, cost, duration;
};
enum { SPEND_AS_SESSION = -1, SPEND_NUMBERS = 9 };

/* Called once per row; return false to stop. */
typedef bool (*spend_fn)(void *user, const struct spend_row *row);

/* The numbers behind the key, in the order of the struct. */
int64_t *spend_numbers(struct spend_row *row);
bool spend_is_zero(const struct spend_row *row); /* are all numbers 0? */
/* Add the numbers; sums end at INT64_MAX. */
void spend_add(struct spend_row *to, const struct spend_row *more);

#define DAY_MS (INT64_C(24) * 3600 * 1000)

/* Reasons of adjustments that the store makes itself. They are stored: never change one. */
#define SPEND_WHY_DELETED "a deleted call"
#define SPEND_WHY_PURGED "a purged session"

int64_t spend_day(int64_t ms); /* days since 1970 in UTC */
/* The first day of the month of a day; `add`: so many months later. */
int64_t spend_month(int64_t day, int add);

/* The row that a call counts for, also after it was deleted: money stays spent. */
struct spend_row spend_of_call(int64_t sid, const struct call_body *call);

/* Call `fn` for each row that an adjustment of session `sid` (0: of the store) stands for: those of
 * a purged session. False: what it says cannot be read. */
bool spend_of_adjust(struct bough_arena *a, int64_t sid, const struct adjust_body *adj, spend_fn fn,
                     void *user);

/* What is left of a row when its session is purged, as a row of the heir `sid` (0: the store). A
 * purge leaves no text, so the names of provider and model go; the principal stays, because money
 * stays spent. The project and account given are
 * those of the purged session, for rows that name none. */
struct spend_row spend_inherited(const struct spend_row *row, int64_t sid, int64_t project,
                                 int64_t account);

/* Inherited rows as JSON: an array of [day, project, account, the numbers in order, principal],
 * where an empty principal is left out. Empty when they take more than LIMIT_DATA bytes. */
struct bough_str spend_pack(struct bough_arena *a, const struct spend_row *rows, size_t n);
/* The way back, as rows of session `sid`. False: malformed. */
bool spend_unpack(struct bough_arena *a, struct bough_str packed, int64_t sid, spend_fn fn,
                  void *user);

#endif
