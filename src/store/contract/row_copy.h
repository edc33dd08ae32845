/* Copies of rows that outlive the statement or buffer they were read from. */
#ifndef STORE_CONTRACT_ROW_COPY_H
#define STORE_CONTRACT_ROW_COPY_H

#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "store/contract/rows.h"

/* A copy with a NUL behind it. */
static inline struct bough_str keep_bytes(struct bough_arena *a, struct bough_str s)
{
    return (struct bough_str){ arena_strndup(a, s.p, s.n), s.n };
}

/* Replace every text of a list row, and its body, by a copy. */
static inline void keep_list(struct bough_arena *a, struct list_row *row)
{
    row->role_name = arena_strdup(a, row->role_name);
    row->provider_path = arena_strdup(a, row->provider_path);
    row->model_provider = arena_strdup(a, row->model_provider);
    row->model_name = arena_strdup(a, row->model_name);
    row->hay = arena_strdup(a, row->hay);
    row->last_model = arena_strdup(a, row->last_model);
    row->body = keep_bytes(a, row->body);
}

/* The session number inside an idempotency key. */
static inline int64_t key_session(const char *key)
{
    const char *at = strchr(key, 0x1f);

    return at ? strtoll(at + 1, NULL, 10) : 0;
}

#endif
