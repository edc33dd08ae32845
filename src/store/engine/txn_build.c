/* Building a txn in the request's arena. */
#include <string.h>

#include "store/engine/engine.h"

struct change *txn_change(struct prep *p, enum change_op op)
{
    struct change *c;

    p->t->changes = arena_room(p->a, p->t->changes, p->t->nchanges, sizeof *c);
    c = &p->t->changes[p->t->nchanges++];
    memset(c, 0, sizeof *c);
    c->op = op;
    return c;
}

void txn_guard(struct prep *p, struct guard guard)
{
    struct guard *g = arena_alloc(p->a, (p->t->nguards + 1) * sizeof *g);

    if (p->t->nguards)
        memcpy(g, p->t->guards, p->t->nguards * sizeof *g);
    g[p->t->nguards] = guard;
    p->t->guards = g;
    p->t->nguards++;
}

void txn_changelog(struct prep *p, enum changelog_kind kind, int64_t sid, int64_t n)
{
    int64_t time = p->moved && p->moved < p->now ? p->moved : p->now;

    p->t->log = (struct changelog_row){ .n = n, .sid = sid, .kind = kind, .time = time };
}
