/* Computes which entries of a session other sessions still need. */
#include "store/sessions/cuts.h"

#include "base/limits.h"
#include "base/memory/mem.h"

void cuts_init(struct cuts *c, struct snap *snap)
{
    c->snap = snap;
    map_init(&c->by_bid);
}

void cuts_finish(struct cuts *c)
{
    map_finish(&c->by_bid);
}

bool branches_keep(void *user, const struct branch_row *b)
{
    struct branches *bs = user;

    bs->at = mem_room(bs->at, bs->n, sizeof *bs->at);
    bs->at[bs->n++] = *b;
    return true;
}

struct needs {
    struct cuts *c;
    int64_t sid;
    int64_t most; /* largest base among the children still needed */
    struct keepers *keepers;
    enum bough_rc rc; /* set when a child could not be checked */
    struct bough_error *err;
};

/* A child whose cut was computed is needed if some of its entries stay. Any other one is needed if
 * its session is not purged or some of its entries stay. */
static bool child_needed(struct needs *n, const struct branch_row *c)
{
    bool purged = false;
    uint64_t cut;

    if (map_get(&n->c->by_bid, (uint64_t)c->bid, &cut))
        return (int64_t)cut > c->base;
    if (c->sid == n->sid)
        return false;
    n->rc = snap_purged(n->c->snap, c->sid, &purged, n->err);
    return n->rc || !purged || c->cut > c->base;
}

static void note_keeper(struct keepers *k, const struct branch_row *c)
{
    size_t i = 0;

    while (i < k->n && k->at[i] != c->sid)
        i++;
    if (i == sizeof k->at / sizeof *k->at)
        return;
    if (i == k->n) {
        k->at[k->n++] = c->sid;
        k->deepest[i] = (struct bough_head){ 0 };
    }
    if (c->base > k->deepest[i].depth)
        k->deepest[i] = (struct bough_head){ c->parent, c->base };
}

static bool see_child(void *user, const struct branch_row *c)
{
    struct needs *n = user;

    if (!child_needed(n, c))
        return true;
    if (n->rc)
        return false;
    if (c->base > n->most)
        n->most = c->base;
    if (c->sid != n->sid && n->keepers)
        note_keeper(n->keepers, c);
    return true;
}

enum bough_rc cuts_of(struct cuts *c, int64_t sid, struct branches *out, struct keepers *keepers,
                      struct bough_error *err)
{
    struct needs n = { .c = c, .sid = sid, .keepers = keepers, .err = err };
    enum bough_rc rc = c->snap->ops->branch_of(c->snap->v, sid, branches_keep, out, err);

    for (size_t i = out->n; i-- > 0 && !rc;) { /* children before parents */
        n.most = out->at[i].base;
        rc = c->snap->ops->branch_children(c->snap->v, out->at[i].bid, 0, LIMIT_DEPTH, see_child,
                                           &n, err);
        rc = rc ? rc : n.rc;
        out->at[i].cut = n.most;
        map_put(&c->by_bid, (uint64_t)out->at[i].bid, (uint64_t)n.most);
    }
    return rc;
}
