/* Batches: consecutive entries are appended to the store together. */
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "store/write/import_api.h"
#include "transfer/import/placer.h"

enum {
    BATCH_ENTRIES = LIMIT_APPEND_ENTRIES, /* few large transactions: each one is a sync */
    BATCH_BYTES = 2 * 1024 * 1024,
};

bool batch_full(const struct placer *p)
{
    return p->n >= BATCH_ENTRIES || p->bytes >= BATCH_BYTES;
}

void placer_remember(struct placer *p, const char *id, struct bough_head at)
{
    if (!cstr_empty(id))
        ids_put(&p->ids, id, pack_place(at));
    p->last = at;
}

static enum bough_rc append(struct placer *p, size_t from, size_t n, struct bough_head at,
                            struct bough_error *err)
{
    struct bough_append_options in = { .entries = p->batch + from, .n = n };
    struct bough_append_result done;
    enum bough_rc rc;

    if (at.branch)
        in.at = place_text(p->tmp, at);
    else
        in.at_root = true;
    import_counts(p->s, !p->batch_uncounted);
    rc = import_append(p->s, p->tmp, p->session, &in, p->batch_packed + from, &done, err);
    for (size_t i = 0; i < n && !rc; i++) {
        struct bough_head now = { done.head.branch, done.head.depth - (int64_t)(n - 1 - i) };

        if (!cstr_empty(p->batch[from + i].id))
            ids_put(&p->ids, p->batch[from + i].id, pack_place(now));
        placer_remember(p, p->batch_ids[from + i], now);
    }
    p->out->added += rc ? 0 : (int64_t)n;
    return rc;
}

/* The store refused the batch: append the entries one by one. A refused one is tried again as an
 * entry of another kind, and skipped if that fails, too. */
static enum bough_rc append_each(struct placer *p, struct bough_error *err)
{
    struct bough_head at = p->batch_at;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < p->n; i++) {
        struct bough_error why;

        rc = append(p, i, 1, at, &why);
        if (placer_refused(rc)) {
            placer_problem(p, 0,
                           arena_printf(p->tmp, "entry %.60s: %.180s",
                                        p->batch_ids[i] ? p->batch_ids[i] : "", why.msg));
            p->batch[i].kind_name = bough_entry_kind_name(p->batch[i].kind);
            p->batch[i].kind = BOUGH_ENTRY_OTHER;
            p->batch[i].usage = NULL;
            p->batch[i].keep_from = 0;
            p->batch_packed[i] = NULL;
            rc = append(p, i, 1, at, &why);
        }
        if (placer_refused(rc)) { /* skipped: hang its children on its parent */
            placer_problem(p, 0, "it was left out");
            placer_remember(p, p->batch_ids[i], at);
            rc = BOUGH_OK;
        }
        if (rc)
            return bough_fail(err, rc, "%s", why.msg);
        at = p->last;
    }
    return rc;
}

enum bough_rc placer_flush(struct placer *p, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    if (!p->n)
        return BOUGH_OK;
    if (p->how->dry) {
        p->out->added += (int64_t)p->n;
    } else {
        rc = append(p, 0, p->n, p->batch_at, err);
        if (placer_refused(rc))
            rc = append_each(p, err);
    }
    if (rc)
        return rc;
    p->moved = true;
    p->n = p->bytes = 0;
    bough_arena_reset(p->tmp);
    return BOUGH_OK;
}

/* The packed form of the entry, if it is stored with the id it was packed with. */
static const struct packed_entry *packed_as(struct placer *p, const struct item_entry *in,
                                            const char *origin)
{
    return in->packed && cstr_eq(in->id, origin) ? import_pack_keep(p->tmp, in->packed) : NULL;
}

static void make_room(struct placer *p)
{
    if (p->n < p->cap)
        return;
    p->cap = p->cap ? 2 * p->cap : 64;
    p->batch = mem_realloc(p->batch, mem_array(p->cap, sizeof *p->batch));
    p->batch_ids = mem_realloc(p->batch_ids, mem_array(p->cap, sizeof *p->batch_ids));
    p->batch_packed = mem_realloc(p->batch_packed, mem_array(p->cap, sizeof *p->batch_packed));
}

void placer_push(struct placer *p, const struct item_entry *in, const char *origin)
{
    make_room(p);
    placer_moved(p, in->entry.time);
    p->batch_uncounted = in->uncounted;
    p->batch[p->n] = keep_entry_new(p->tmp, &in->entry, &p->bytes);
    p->batch[p->n].id = arena_strdup(p->tmp, origin);
    p->batch[p->n].time = in->entry.time ? in->entry.time : p->dated;
    p->batch[p->n].call = in->call ? placer_call_id(p, in->call) : NULL;
    p->batch_packed[p->n] = packed_as(p, in, origin);
    p->batch_ids[p->n++] = arena_strdup(p->tmp, in->id);
    if (!cstr_empty(origin)) /* reserve the id; its slot is known after the flush */
        ids_put(&p->ids, origin, 0);
}
