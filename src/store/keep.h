/* Small things that every backend with connections needs. */
#ifndef STORE_KEEP_H
#define STORE_KEEP_H

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "store/backend.h"

static inline bool patience_over(const struct patience *p)
{
    if (p->cancel && __atomic_load_n(p->cancel, __ATOMIC_RELAXED))
        return true;
    return mono_us() >= p->until_us;
}

/* Who serves a view, the newest first; its owner has a lock around the list. */
struct lent {
    struct lent *next, *before;
    int64_t since_us;
};

static inline void lent_add(struct lent **list, struct lent *l)
{
    l->since_us = mono_us();
    l->before = NULL;
    l->next = *list;
    if (l->next)
        l->next->before = l;
    *list = l;
}

static inline void lent_remove(struct lent **list, struct lent *l)
{
    if (l->before)
        l->before->next = l->next;
    else
        *list = l->next;
    if (l->next)
        l->next->before = l->before;
}

/* Since when the oldest does; 0: nobody does. */
static inline int64_t lent_oldest(const struct lent *list)
{
    int64_t oldest = 0;

    for (; list; list = list->next)
        oldest = list->since_us;
    return oldest;
}

/* A copy with a NUL behind it. */
static inline struct bough_str keep_bytes(struct bough_arena *a, struct bough_str s)
{
    return (struct bough_str){ arena_strndup(a, s.p, s.n), s.n };
}

/* Every text of a list row, and its body. */
static inline void keep_list(struct bough_arena *a, struct list_row *row)
{
    row->role_name = arena_strdup(a, row->role_name);
    row->provider_path = arena_strdup(a, row->provider_path);
    row->model_provider = arena_strdup(a, row->model_provider);
    row->model_name = arena_strdup(a, row->model_name);
    row->hay = arena_strdup(a, row->hay);
    row->body = keep_bytes(a, row->body);
}

/* The session number inside an idempotency key. */
static inline int64_t key_session(const char *key)
{
    const char *at = strchr(key, 0x1f);

    return at ? strtoll(at + 1, NULL, 10) : 0;
}

#endif
