/* Rescue: sessions and branches, and stand-ins for lost ones that other rows need. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/slug.h"
#include "core/pack/bodies.h"
#include "store/care/salvage/rescue.h"

static void top(int64_t *max, int64_t v)
{
    *max = v > *max ? v : *max;
}

static const char *own_slug(struct rescue *r, const char *slug, int64_t sid)
{
    if (!slug_valid(slug) || smap_get(&r->slugs, str_of(slug), NULL))
        slug = arena_printf(r->keep, "recovered-%" PRId64, sid);
    smap_put(&r->slugs, str_of(arena_strdup(r->keep, slug)), (uint64_t)sid);
    return slug;
}

static void put_session(struct rescue *r, const struct salvage_hit *h, const struct pages_row *row)
{
    struct raw_row raw;
    struct session_row *s = &raw.u.session;

    rescue_row(SALVAGE_SESSION, row, &raw);
    s->body = arena_str(r->a, s->body);
    s->slug = s->purged ? ""
                        : own_slug(r, arena_strndup(r->a, row->at[7].bytes.p, row->at[7].bytes.n),
                                   s->sid);
    map_put(&r->sids, (uint64_t)h->key, 1);
    r->s.report->sessions += !s->purged;
    rescue_load(r, &raw, s->body.n);
}

/* A session whose row is lost: a tombstone if it was purged. */
static void invent_session(struct rescue *r, int64_t sid)
{
    struct raw_row raw = { .table = RAW_SESSION };
    struct session_row *s = &raw.u.session;
    struct session_body body;
    uint64_t made = (uint64_t)env_now(r->env);

    if (sid <= 0 || sid > LIMIT_SESSION || map_get(&r->sids, (uint64_t)sid, NULL))
        return;
    map_get(&r->log_sids, (uint64_t)sid, &made);
    *s = (struct session_row){ .sid = sid, .ver = 1, .made = (int64_t)made, .slug = "" };
    s->purged = map_get(&r->purged, (uint64_t)sid, NULL);
    if (!s->purged) {
        body_clear(session_fields, &body);
        body.created = s->made;
        body.version = "1";
        body.title = RECOVERED_TITLE;
        s->body = body_pack(r->keep, session_fields, &body);
        s->slug = own_slug(r, "", sid);
        r->s.report->broken++;
    }
    map_put(&r->sids, (uint64_t)sid, 1);
    top(&r->numbers.sessions, sid);
    rescue_load(r, &raw, s->body.n);
}

static void put_branch(struct rescue *r, const struct salvage_hit *h, const struct pages_row *row)
{
    struct raw_row raw;

    rescue_row(SALVAGE_BRANCH, row, &raw);
    map_put(&r->bids, (uint64_t)h->key, (uint64_t)raw.u.branch.sid);
    r->s.report->branches++;
    rescue_load(r, &raw, 0);
}

/* A branch whose row is lost. The changelog tells its session; where it began is not known, so it
 * becomes a root and repair fills what is missing. */
static void invent_branch(struct rescue *r, int64_t bid)
{
    struct raw_row raw = { .table = RAW_BRANCH };
    uint64_t sid;

    if (map_get(&r->bids, (uint64_t)bid, NULL))
        return;
    if (!map_get(&r->log_bids, (uint64_t)bid, &sid)) {
        if (!r->lost)
            r->lost = r->numbers.sessions + 1;
        sid = (uint64_t)r->lost;
    }
    raw.u.branch = (struct branch_row){ .bid = bid, .sid = (int64_t)sid, .cut = -1 };
    map_put(&r->bids, (uint64_t)bid, sid);
    r->s.report->broken++;
    rescue_load(r, &raw, 0);
}

void rescue_tree(struct rescue *r)
{
    struct pages_row row;
    uint64_t sid;

    rescue_each(r, SALVAGE_SESSION, put_session);
    rescue_flush(r);
    rescue_each(r, SALVAGE_BRANCH, put_branch);
    for (size_t i = 0; i < r->s.n && !r->rc; i++)
        if (r->s.at[i].table == SALVAGE_ENTRY)
            invent_branch(r, r->s.at[i].key >> 32);
    rescue_flush(r);
    for (size_t i = 0; i < r->nlog && !r->rc; i++)
        invent_session(r, r->log[i].sid);
    for (size_t i = 0; i < r->s.n && !r->rc; i++)
        if (r->s.at[i].table == SALVAGE_RECORD)
            invent_session(r, r->s.at[i].key >> 32);
        else if (r->s.at[i].table == SALVAGE_BRANCH &&
                 pages_again(r->s.pages, r->s.at[i].place, &row))
            invent_session(r, row.at[1].number);
        else if (r->s.at[i].table == SALVAGE_ENTRY &&
                 map_get(&r->bids, (uint64_t)(r->s.at[i].key >> 32), &sid))
            invent_session(r, (int64_t)sid);
    rescue_flush(r);
}
