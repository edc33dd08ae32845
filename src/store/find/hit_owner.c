/* Find the session to show a search hit under: the entry's own session or a living fork of it. */
#include "store/find/hit_owner.h"

#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/project/projector.h"

void hit_owner_init(struct hit_owner *w, struct snap *snap, struct bough_arena *a)
{
    *w = (struct hit_owner){ .snap = snap, .a = a };
    map_init(&w->segs);
    map_init(&w->sessions);
    map_init(&w->heirs);
}

void hit_owner_finish(struct hit_owner *w)
{
    map_finish(&w->segs);
    map_finish(&w->sessions);
    map_finish(&w->heirs);
}

/* ---- filters ---- */

static void add_seg(struct map *segs, int64_t bid, int64_t to)
{
    uint64_t had;

    if (!map_get(segs, (uint64_t)bid, &had) || (int64_t)had < to)
        map_put(segs, (uint64_t)bid, (uint64_t)to);
}

struct gathering {
    struct snap *snap;
    struct map *segs;
    int64_t sid;
    enum bough_rc rc;
    struct bough_error *err;
};

/* Add a branch of the session and its ancestors, up to the next branch of the same session. */
static bool gather_branch(void *user, const struct branch_row *row)
{
    struct gathering *g = user;
    struct branch_row b = *row;

    add_seg(g->segs, b.bid, LIMIT_DEPTH);
    while (!g->rc && b.parent) {
        int64_t base = b.base;

        g->rc = snap_branch(g->snap, b.parent, &b, g->err);
        if (g->rc || b.sid == g->sid)
            break;
        add_seg(g->segs, b.bid, base);
    }
    return !g->rc;
}

static enum bough_rc gather_session(struct snap *snap, int64_t sid, struct map *segs,
                                    struct bough_error *err)
{
    struct gathering g = { .snap = snap, .segs = segs, .sid = sid, .err = err };
    enum bough_rc rc = snap->ops->branch_of(snap->v, sid, gather_branch, &g, err);

    return rc ? rc : g.rc;
}

enum bough_rc hit_owner_only_session(struct hit_owner *w, int64_t sid, struct bough_error *err)
{
    w->sid = sid;
    w->within = w->titles = true;
    return gather_session(w->snap, sid, &w->segs, err);
}

enum bough_rc hit_owner_only_path(struct hit_owner *w, int64_t sid, struct bough_head at,
                                  struct bough_error *err)
{
    struct segs segs;
    enum bough_rc rc = path_segs(w->snap, w->a, at, 1, &segs, err);

    w->sid = sid;
    w->within = true;
    for (size_t i = 0; !rc && i < segs.n; i++)
        add_seg(&w->segs, segs.at[i].bid, segs.at[i].to);
    return rc;
}

void hit_owner_only_branch(struct hit_owner *w, int64_t bid)
{
    uint64_t to = (uint64_t)LIMIT_DEPTH;
    bool there = !w->within || map_get(&w->segs, (uint64_t)bid, &to);

    map_finish(&w->segs);
    map_init(&w->segs);
    if (there)
        add_seg(&w->segs, bid, (int64_t)to);
    w->within = true;
    w->titles = false;
}

/* ---- projects ---- */

struct naming {
    struct hit_owner *w;
    struct bough_str name;
};

/* Match projects whose path ends with "/name". */
static bool by_last_part(void *user, const struct record_row *row)
{
    struct naming *n = user;
    struct group_body body;
    struct bough_str s;

    if (row->deleted || body_read(group_fields, row->body, &body, NULL) != BOUGH_OK)
        return true;
    s = str_of(body.name);
    if (s.n > n->name.n && s.p[s.n - n->name.n - 1] == '/' &&
        memcmp(s.p + s.n - n->name.n, n->name.p, n->name.n) == 0)
        n->w->projects[n->w->nprojects++] = row->ord;
    return n->w->nprojects < SHOWS_PROJECTS;
}

static bool of_project(const struct hit_owner *w, int64_t project)
{
    bool found = !w->in_project;

    for (size_t i = 0; i < w->nprojects && !found; i++)
        found = w->projects[i] == project;
    return found;
}

static enum bough_rc find_projects(struct hit_owner *w, const char *name, bool exact,
                                   struct bough_error *err)
{
    struct naming n = { w, str_of(name) };
    enum bough_rc rc;

    w->in_project = true;
    w->nprojects = 0;
    if (n.name.n > LIMIT_PATH)
        return BOUGH_OK;
    rc = find_group(w->snap, RECORD_PROJECT, name, &w->projects[0], err);
    if (rc == BOUGH_OK)
        w->nprojects = 1;
    if (rc == BOUGH_NOT_FOUND && exact)
        return BOUGH_OK;
    if (rc != BOUGH_NOT_FOUND)
        return rc;
    return w->snap->ops->record_scan(w->snap->v, 0, RECORD_PROJECT, 0, false, by_last_part, &n,
                                     err);
}

enum bough_rc hit_owner_only_project(struct hit_owner *w, const char *name, bool exact,
                                     struct bough_error *err)
{
    const struct hit_owner before = *w;
    size_t kept = 0;
    enum bough_rc rc = find_projects(w, name, exact, err);

    if (rc || !before.in_project)
        return rc;
    for (size_t i = 0; i < w->nprojects; i++) /* filtered twice: keep projects in both */
        if (of_project(&before, w->projects[i]))
            w->projects[kept++] = w->projects[i];
    w->nprojects = kept;
    return BOUGH_OK;
}

struct members {
    int64_t sids[SHOWS_SESSIONS];
    size_t n;
    bool many;
};

static void add_member(struct members *m, int64_t sid)
{
    m->many = m->many || m->n == SHOWS_SESSIONS;
    if (!m->many)
        m->sids[m->n++] = sid;
}

static bool each_member(void *user, const struct list_row *row)
{
    struct members *m = user;

    add_member(m, row->sid);
    return !m->many;
}

/* Sessions of the projects. May include sessions that have just left them; look_at() filters
 * those. */
static enum bough_rc find_members(struct hit_owner *w, struct members *m, struct bough_error *err)
{
    struct overlay o;
    size_t pos = 0;
    uint64_t val;
    enum bough_rc rc = overlay_build(w->snap, w->a, 0, &o, err);

    while (!rc && map_next(&o.summaries, &pos, NULL, &val)) {
        const struct summary *sh = (const struct summary *)(uintptr_t)val;

        if (!sh->gone && of_project(w, sh->row.project))
            add_member(m, sh->sid);
    }
    overlay_finish(&o);
    for (size_t i = 0; i < w->nprojects && !m->many && !rc; i++) {
        struct list_query q = { .project = w->projects[i],
                                .alive = true,
                                .role_name = "",
                                .provider_path = "",
                                .model_provider = "",
                                .model_name = "",
                                .hay = "" };

        rc = w->snap->ops->list_scan(w->snap->v, &q, each_member, m, err);
    }
    return rc;
}

/* ---- limiting the index query ---- */

static bool keys_of(struct hit_owner *w, const struct map *segs, int64_t **out, size_t *n)
{
    size_t pos = 0;
    uint64_t key, val;

    *n = 0;
    *out = arena_array(w->a, SHOWS_BRANCHES, sizeof **out);
    while (map_next(segs, &pos, &key, &val)) {
        if (*n == SHOWS_BRANCHES)
            return false;
        (*out)[(*n)++] = (int64_t)key;
    }
    return true;
}

bool hit_owner_narrow(struct hit_owner *w, int64_t **bids, size_t *nbids, int64_t **sids,
                      size_t *nsids, enum bough_rc *rc, struct bough_error *err)
{
    struct members m = { .n = 0 };
    struct map segs;
    bool few;

    *rc = BOUGH_OK;
    *nbids = *nsids = 0;
    *sids = arena_array(w->a, SHOWS_SESSIONS, sizeof **sids);
    if (w->within) {
        if (w->titles)
            (*sids)[(*nsids)++] = w->sid;
        return keys_of(w, &w->segs, bids, nbids);
    }
    if (!w->in_project)
        return false;
    *rc = find_members(w, &m, err);
    if (*rc || m.many)
        return false;
    map_init(&segs);
    for (size_t i = 0; i < m.n && !*rc; i++) {
        (*sids)[(*nsids)++] = m.sids[i];
        *rc = gather_session(w->snap, m.sids[i], &segs, err);
    }
    few = !*rc && keys_of(w, &segs, bids, nbids);
    map_finish(&segs);
    return few;
}

/* ---- choosing the session ---- */

static enum bough_rc look_at(struct hit_owner *w, int64_t sid, const struct hit_owner_session **out,
                             struct bough_error *err)
{
    struct hit_owner_session *s;
    struct session_row row;
    struct session_body body;
    struct head_now head;
    uint64_t val;
    char *id;
    enum bough_rc rc;

    if (map_get(&w->sessions, (uint64_t)sid, &val)) {
        *out = (const struct hit_owner_session *)(uintptr_t)val;
        return BOUGH_OK;
    }
    s = arena_zalloc(w->a, sizeof *s);
    rc = w->snap->ops->session_get(w->snap->v, w->a, sid, &row, err);
    if (rc == BOUGH_OK && !row.purged) {
        rc = body_read(session_fields, row.body, &body, err);
        if (!rc)
            rc = w->snap->ops->head_get(w->snap->v, w->a, sid, &head, err);
        if (rc)
            return rc;
        id = arena_alloc(w->a, BOUGH_ID_LEN + 1);
        id_session(row.made, row.sid, row.chk, id);
        *s = (struct hit_owner_session){ !head.row.deleted && of_project(w, body.project), id,
                                         row.slug, body.title };
    } else if (rc && rc != BOUGH_NOT_FOUND) {
        return rc;
    }
    map_put(&w->sessions, (uint64_t)sid, (uint64_t)(uintptr_t)s);
    *out = s;
    return BOUGH_OK;
}

/* A branch below another one, directly or through others, and the deepest depth of that branch its
 * session shows. */
struct heir {
    int64_t bid, sid, base;
    const struct hit_owner_session *session;
};

struct hit_owner_heirs {
    struct hit_owner *w;
    struct heir *at; /* all branches below the branch, nearest first */
    size_t n;
    int64_t base; /* base for the branches being added; -1: each its own base */
    int64_t owner;
    enum bough_rc rc;
    struct bough_error *err;
};

enum { HEIRS_MOST = 4096 };

static bool add_heir(void *user, const struct branch_row *row)
{
    struct hit_owner_heirs *h = user;

    if (h->n == HEIRS_MOST)
        return false;
    h->at = arena_room(h->w->a, h->at, h->n, sizeof *h->at);
    h->at[h->n++] = (struct heir){ row->bid, row->sid, h->base >= 0 ? h->base : row->base, NULL };
    return true;
}

static enum bough_rc find_heirs(struct hit_owner *w, int64_t bid, struct hit_owner_heirs **out,
                                struct bough_error *err)
{
    struct hit_owner_heirs *h;
    uint64_t val;
    enum bough_rc rc;

    if (map_get(&w->heirs, (uint64_t)bid, &val)) {
        *out = (struct hit_owner_heirs *)(uintptr_t)val;
        return BOUGH_OK;
    }
    h = arena_zalloc(w->a, sizeof *h);
    h->w = w;
    h->base = -1;
    rc = w->snap->ops->branch_children(w->snap->v, bid, 0, LIMIT_DEPTH, add_heir, h, err);
    for (size_t i = 0; i < h->n && !rc; i++) {
        h->base = h->at[i].base;
        rc = w->snap->ops->branch_children(w->snap->v, h->at[i].bid, 0, LIMIT_DEPTH, add_heir, h,
                                           err);
        if (!rc)
            rc = look_at(w, h->at[i].sid, &h->at[i].session, err);
    }
    if (rc)
        return rc;
    map_put(&w->heirs, (uint64_t)bid, (uint64_t)(uintptr_t)h);
    *out = h;
    return BOUGH_OK;
}

static bool within(const struct hit_owner *w, int64_t bid, int64_t depth)
{
    uint64_t to;

    if (!w->within)
        return true;
    if (!bid)
        return w->titles && depth == w->sid;
    return map_get(&w->segs, (uint64_t)bid, &to) && depth <= (int64_t)to;
}

enum bough_rc hit_owner_under(struct hit_owner *w, int64_t bid, int64_t depth,
                              const struct hit_owner_session **out, struct bough_error *err)
{
    const struct hit_owner_session *s;
    struct hit_owner_heirs *heirs;
    struct branch_row b;
    int64_t sid = w->sid ? w->sid : depth; /* a title: `depth` is its session */
    enum bough_rc rc = BOUGH_OK;

    *out = NULL;
    if (!within(w, bid, depth))
        return BOUGH_OK;
    if (bid && !w->sid) {
        rc = snap_branch(w->snap, bid, &b, err);
        if (rc)
            return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc; /* damaged: reported by fsck */
        sid = b.sid;
    }
    rc = look_at(w, sid, &s, err);
    if (rc || s->good || !bid || w->sid) {
        *out = !rc && s->good ? s : NULL;
        return rc;
    }
    rc = find_heirs(w, bid, &heirs, err);
    for (size_t i = 0; !rc && i < heirs->n && !*out; i++)
        if (heirs->at[i].base >= depth && heirs->at[i].session->good)
            *out = heirs->at[i].session;
    return rc;
}
