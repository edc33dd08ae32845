/* Spend rows that are not stored yet: what pending changes add, and which sessions they empty. */
#ifndef STORE_PROJECT_SPENDS_H
#define STORE_PROJECT_SPENDS_H

#include "base/memory/map.h"
#include "store/contract/backend.h"

struct spends {
    struct bough_arena *a;
    struct spend_row *at; /* each key once */
    size_t n;
    struct smap index;  /* key -> index in `at` */
    struct map dropped; /* sids whose stored rows no longer count: a purge moved them */
};

void spends_init(struct spends *s, struct bough_arena *a); /* rows live in `a` */
void spends_finish(struct spends *s);
/* Add to the row with this key. Copies what it keeps. */
void spends_add(struct spends *s, const struct spend_row *row);
/* The same as the callback of a scan; `user` is the struct spends. */
bool spends_take(void *user, const struct spend_row *row);
/* A purge: rows of session `from`, pending ones and the stored ones that `scan` visits, become rows
 * of `to` (0: the store). Rows that name no project or account get those given. */
struct spends_heir {
    int64_t from, to, project, account;
};
enum bough_rc spends_move(struct spends *s, struct snapshot *v, const struct backend_ops *ops,
                          const struct spends_heir *heir, struct bough_error *err);

#endif
