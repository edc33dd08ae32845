/* Handles: any number of them share an engine; the last one to be closed shuts it down. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/reserved.h"
#include "store/engine/engine.h"

struct bough_store *handle_create(struct engine *e, const struct bough_store_scoped_options *scope)
{
    struct bough_store *s = mem_zalloc(sizeof *s);
    const char *who = scope && scope->principal ? scope->principal : "";

    s->e = e;
    s->deadline_ms = scope && scope->deadline_ms ? scope->deadline_ms : LIMIT_DEADLINE_MS;
    s->cancel = scope ? scope->cancel : NULL;
    s->principal = mem_alloc(strlen(who) + 1);
    memcpy(s->principal, who, strlen(who) + 1);
    return s;
}

void bough_store_close(struct bough_store **s)
{
    if (!s || !*s)
        return;
    if (atomic_fetch_sub(&(*s)->e->refs, 1) == 1)
        (*s)->e->hooks->shut_down((*s)->e);
    mem_free((*s)->principal);
    mem_free((*s)->uploads_of);
    mem_free(*s);
    *s = NULL;
}

struct bough_store *bough_store_scoped(struct bough_store *s,
                                       const struct bough_store_scoped_options *scope)
{
    if (RESERVED_CHECK(bough_store_scoped_options, scope, NULL))
        return NULL;
    atomic_fetch_add(&s->e->refs, 1);
    return handle_create(s->e, scope);
}
