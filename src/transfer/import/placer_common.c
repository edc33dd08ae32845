/* What every file of the placer uses: its state and the report of problems. */
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/write/import_api.h"
#include "transfer/import/placer.h"

enum { PROBLEMS_MOST = 1000 };

void placer_init(struct placer *p, struct bough_store *s)
{
    p->s = import_handle(s);
    p->a = bough_arena_create();
    p->own = bough_arena_create();
    p->tmp = bough_arena_create();
    ids_init(&p->ids);
    p->ids.all = p->how->dry; /* a dry run puts nothing into the store */
    map_init(&p->calls);
    smap_init(&p->placed);
    p->waiting_end = &p->waiting;
    p->rest_end = &p->rest;
    p->asides_end = &p->asides;
}

void placer_finish(struct placer *p)
{
    ids_finish(&p->ids);
    map_finish(&p->calls);
    smap_finish(&p->placed);
    mem_free(p->batch);
    mem_free(p->batch_ids);
    mem_free(p->batch_packed);
    bough_arena_destroy(p->a);
    bough_arena_destroy(p->own);
    bough_arena_destroy(p->tmp);
    import_handle_close(&p->s);
}

void placer_moved(struct placer *p, int64_t time)
{
    p->latest = time > p->latest ? time : p->latest;
    import_moved(p->s, p->latest);
}

void placer_problem(struct placer *p, int64_t line, const char *text)
{
    struct bough_import_file_result *out = p->out;
    size_t n = out->nproblems;

    if (n >= PROBLEMS_MOST) {
        out->more++;
        return;
    }
    out->problems = arena_room(p->answers, out->problems, n, sizeof *out->problems);
    out->problems[n] =
        (struct bough_import_problem){ .line = line, .text = arena_strdup(p->answers, text) };
    out->nproblems++;
}

bool placer_refused(enum bough_rc rc)
{
    return rc == BOUGH_INVALID || rc == BOUGH_INVALID_PART || rc == BOUGH_TOO_LARGE ||
           rc == BOUGH_TOO_DEEP || rc == BOUGH_EXISTS || rc == BOUGH_NOT_FOUND ||
           rc == BOUGH_AMBIGUOUS;
}

const char *placer_call_id(const struct placer *p, int64_t n)
{
    uint64_t v;

    return map_get(&p->calls, (uint64_t)n, &v) ? (const char *)(uintptr_t)v : NULL;
}
