/* The sessions of an overlay, loaded on first use. */
#include "store/project/overlay_work.h"

struct summary *overlay_get(const struct overlay *o, int64_t sid)
{
    uint64_t val;

    return map_get(&o->summaries, (uint64_t)sid, &val) ? (struct summary *)(uintptr_t)val : NULL;
}

struct summary *overlay_touch(struct overlay_work *w, int64_t sid)
{
    struct summary *sh = overlay_get(w->o, sid);

    if (sh || w->rc)
        return w->rc ? NULL : sh;
    if (!sid || (w->only && w->only != sid))
        return NULL;
    sh = arena_alloc(w->o->a, sizeof *sh);
    w->rc = summary_load(w->snap, w->o->a, sid, sh, w->err);
    if (w->rc)
        return NULL;
    map_put(&w->o->summaries, (uint64_t)sid, (uint64_t)(uintptr_t)sh);
    return sh;
}
