/* Session states: what appends know of a session between two commits. All need the writer role. */
#include "base/memory/mem.h"
#include "store/engine/engine.h"

enum { STATES_MOST = 1 << 16 }; /* then all are dropped */

struct session_state *state_get(struct engine *e, int64_t sid)
{
    struct session_state *st;
    uint64_t val;

    if (map_get(&e->states, (uint64_t)sid, &val))
        return (struct session_state *)(uintptr_t)val;
    if (map_count(&e->states) >= STATES_MOST)
        state_drop_all(e);
    st = mem_zalloc(sizeof *st);
    map_put(&e->states, (uint64_t)sid, (uint64_t)(uintptr_t)st);
    return st;
}

void state_drop(struct engine *e, int64_t sid)
{
    uint64_t val;

    if (map_get(&e->states, (uint64_t)sid, &val))
        ((struct session_state *)(uintptr_t)val)->valid = false;
}

void state_drop_all(struct engine *e)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&e->states, &pos, NULL, &val))
        mem_free((void *)(uintptr_t)val);
    map_clear(&e->states);
}
