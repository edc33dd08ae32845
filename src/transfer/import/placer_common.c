/* What every file of the placer uses: its state, the report of problems, copies of items. */
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/model/totals.h"
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
    bough_arena_destroy(p->a);
    bough_arena_destroy(p->own);
    bough_arena_destroy(p->tmp);
    bough_store_close(&p->s);
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

/* ---- copies ---- */

struct bough_str keep_str(struct bough_arena *a, struct bough_str s)
{
    return str_make(arena_strndup(a, s.p ? s.p : "", s.n), s.n);
}

struct bough_entry_new placer_keep(struct bough_arena *a, const struct bough_entry_new *in,
                                   size_t *bytes)
{
    struct bough_entry_new e = *in;
    struct bough_str *parts = arena_array(a, in->nparts + 1, sizeof *parts);

    for (size_t i = 0; i < in->nparts; i++) {
        parts[i] = keep_str(a, in->parts[i]);
        *bytes += parts[i].n;
    }
    e.parts = parts;
    e.usage = totals_keep(a, in->usage);
    e.kind_name = arena_strdup(a, in->kind_name);
    e.text = arena_strdup(a, in->text);
    e.id = arena_strdup(a, in->id);
    e.finish = arena_strdup(a, in->finish);
    e.call_provider = arena_strdup(a, in->call_provider);
    e.call_model = arena_strdup(a, in->call_model);
    e.call_request_id = arena_strdup(a, in->call_request_id);
    e.error = keep_str(a, in->error);
    e.data = keep_str(a, in->data);
    e.metadata = keep_str(a, in->metadata);
    *bytes += e.data.n + e.metadata.n + 64;
    return e;
}
