/* What a purge would remove and keep, without doing it. */
#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/required.h"
#include "core/model/totals.h"
#include "store/engine/ahead.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/cuts.h"
#include "store/sessions/purge.h"
#include "store/sessions/session.h"

enum { SAMPLE = 64 }; /* entries whose size is looked at */

struct preview {
    struct bough_store *s;
    struct snap *snap;
    struct bough_arena *a;
    int64_t sid;
    struct cuts cuts;
    struct branches own; /* with the cuts they would get */
    struct keepers keepers;
    struct bough_session_purge_preview_result *out;
    struct bough_error *err;
};

/* ---- entries ---- */

/* Entries of a branch that would go, and what is there now. */
static enum bough_rc removed(struct preview *p, const struct branch_row *b, int64_t *first,
                             int64_t *n)
{
    int64_t tip;
    enum bough_rc rc = p->snap->ops->branch_tip(p->snap->v, b, &tip, p->err);

    *first = b->cut + 1;
    *n = rc || tip <= b->cut ? 0 : tip - b->cut;
    return rc;
}

static enum bough_rc count_entries(struct preview *p, const struct branches *bs)
{
    struct ahead ahead = { .snap = p->snap, .a = p->a };
    int64_t first, n;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < bs->n; i++)
        ahead_add(&ahead, WANT_TIP, bs->at[i].bid, 0);
    ahead_read(&ahead);
    for (size_t i = 0; i < bs->n && !rc; i++) {
        rc = removed(p, &bs->at[i], &first, &n);
        p->out->entries += n;
    }
    return rc;
}

/* Purged sessions above this one: what only this one still showed goes too. */
static enum bough_rc count_above(struct preview *p)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < p->own.n && !rc; i++) {
        int64_t bid = p->own.at[i].parent;

        while (bid && !rc) {
            struct branches bs = { 0 };
            struct branch_row b;
            bool purged = false;

            rc = snap_branch(p->snap, bid, &b, p->err);
            if (!rc)
                rc = snap_purged(p->snap, b.sid, &purged, p->err);
            if (rc || !purged)
                break;
            if (!map_get(&p->cuts.by_bid, (uint64_t)bid, NULL)) {
                rc = cuts_of(&p->cuts, b.sid, &bs, NULL, p->err);
                if (!rc)
                    rc = count_entries(p, &bs);
                mem_free(bs.at);
            }
            bid = b.parent;
        }
    }
    return rc;
}

struct weigh {
    int64_t bytes, n;
};

static bool weigh_one(void *user, const struct entry_row *row)
{
    struct weigh *w = user;

    w->bytes += (int64_t)row->body.n;
    w->n++;
    return false;
}

/* The size of every k-th entry that goes, so that all are looked at when they are few. */
static enum bough_rc weigh(struct preview *p)
{
    int64_t step = p->out->entries / SAMPLE + 1, skip = 0, first, n;
    struct weigh w = { 0 };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < p->own.n && !rc; i++) {
        rc = removed(p, &p->own.at[i], &first, &n);
        for (; skip < n && !rc; skip += step) {
            struct entry_range one = {
                .bid = p->own.at[i].bid, .from = first + skip, .to = first + skip, .deleted = true
            };

            rc = p->snap->ops->entry_scan(p->snap->v, &one, weigh_one, &w, p->err);
        }
        skip -= n;
    }
    if (w.n)
        p->out->bytes = w.bytes / w.n * p->out->entries;
    return rc;
}

/* ---- records ---- */

static bool last_ordinal(void *user, const struct record_row *row)
{
    *(int64_t *)user += row->ord;
    return false;
}

/* Ordinals have no gaps, so the last one is the number of records. */
static enum bough_rc count_records(struct preview *p)
{
    enum bough_rc rc = BOUGH_OK;

    for (int64_t kind = RECORD_CALL; kind <= RECORD_LAST && !rc; kind++)
        rc = p->snap->ops->record_scan(p->snap->v, p->sid, kind, 0, true, last_ordinal,
                                       &p->out->records, p->err);
    return rc;
}

/* ---- sessions ---- */

static enum bough_rc give_session(struct preview *p, int64_t sid, const struct bough_session **out)
{
    struct bough_session *one = arena_alloc(p->a, sizeof *one);
    struct session_loaded l;
    struct summary sh;
    enum bough_rc rc = session_load(p->snap, p->a, sid, &l, p->err);

    if (!rc)
        rc = summary_get(p->snap, p->a, sid, &sh, p->err);
    if (!rc)
        rc = session_fill(p->snap, p->a, &l, &sh, one, p->err);
    *out = one;
    return rc;
}

/* Entries of the session on the path to an entry. */
static enum bough_rc shown_by(struct preview *p, struct bough_head at, int64_t *n)
{
    struct segs segs;
    enum bough_rc rc = path_segs(p->snap, p->a, at, 1, &segs, p->err);

    for (size_t i = 0; i < segs.n && !rc; i++)
        if (segs.at[i].sid == p->sid)
            *n += segs.at[i].to - segs.at[i].from + 1;
    return rc;
}

static enum bough_rc give_keepers(struct preview *p)
{
    struct bough_purge_concern *to = arena_array(p->a, p->keepers.n + 1, sizeof *to);
    bool purged;
    enum bough_rc rc = BOUGH_OK;

    p->out->keepers = to;
    for (size_t i = 0; i < p->keepers.n && !rc; i++) {
        rc = snap_purged(p->snap, p->keepers.at[i], &purged, p->err);
        if (rc || purged)
            continue;
        to += 1;
        rc = give_session(p, p->keepers.at[i], &to[-1].session);
        if (!rc)
            rc = shown_by(p, p->keepers.deepest[i], &to[-1].entries);
        p->out->nkeepers++;
    }
    return rc;
}

struct children {
    struct preview *p;
    int64_t *at;
    size_t n;
};

static bool push_child(void *user, const struct session_row *row)
{
    struct children *c = user;

    if (row->purged)
        return true;
    c->at = arena_room(c->p->a, c->at, c->n, sizeof *c->at);
    c->at[c->n++] = row->sid;
    return true;
}

static enum bough_rc give_detached(struct preview *p)
{
    struct children c = { .p = p };
    enum bough_rc rc = p->snap->ops->session_children(p->snap->v, p->sid, push_child, &c, p->err);

    p->out->detached = arena_array(p->a, c.n + 1, sizeof *p->out->detached);
    for (size_t i = 0; i < c.n && !rc; i++) {
        struct bough_purge_concern *to = &p->out->detached[p->out->ndetached++];

        rc = give_session(p, c.at[i], &to->session);
        for (size_t k = 0; k < p->out->nkeepers && !rc; k++)
            if (p->out->keepers[k].session->number == c.at[i])
                to->entries = p->out->keepers[k].entries;
    }
    return rc;
}

static enum bough_rc give_cost(struct preview *p)
{
    struct summary sh;
    int64_t heir;
    enum bough_rc rc = summary_get(p->snap, p->a, p->sid, &sh, p->err);

    if (!rc)
        rc = purge_heir(p->snap, p->sid, &heir, p->err);
    p->out->cost_to = "";
    if (rc)
        return rc;
    p->out->cost = sh.body.own;
    summary_add(&p->out->cost, &sh.body.rolls);
    return heir ? session_id(p->snap, p->a, heir, &p->out->cost_to, p->err) : BOUGH_OK;
}

static enum bough_rc build(struct preview *p)
{
    enum bough_rc rc = cuts_of(&p->cuts, p->sid, &p->own, &p->keepers, p->err);

    for (size_t i = 0; i < p->own.n && !rc; i++)
        p->out->kept += p->own.at[i].cut - p->own.at[i].base;
    if (!rc)
        rc = count_entries(p, &p->own);
    if (!rc)
        rc = weigh(p);
    if (!rc)
        rc = count_above(p);
    if (!rc)
        rc = count_records(p);
    if (!rc)
        rc = give_keepers(p);
    if (!rc)
        rc = give_detached(p);
    return rc ? rc : give_cost(p);
}

enum bough_rc bough_session_purge_preview(struct bough_store *s, struct bough_arena *a,
                                          const char *id,
                                          struct bough_session_purge_preview_result *out,
                                          struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct snap snap;
    struct preview p = { .s = s, .snap = &snap, .a = a, .out = out, .err = err };
    enum bough_rc rc = snap_session(s, id, &snap, &p.sid, err);

    *out = (struct bough_session_purge_preview_result){ .cost_to = "" };
    if (rc)
        return rc;
    cuts_init(&p.cuts, &snap);
    rc = build(&p);
    cuts_finish(&p.cuts);
    mem_free(p.own.at);
    snap_end(&snap);
    return rc;
}
