/* The `seen` table: what a request goes on from, and the rows that a reply adds. */
#include <string.h>

#include "base/memory/map.h"
#include "base/text/str.h"
#include "core/part/view.h"
#include "store/exchange/exchange.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"

enum {
    IDS_MOST = 64,             /* ids of a request that are looked up, from its end */
    IN_TURN = 64,              /* links that are looked up one by one, from the end */
    FIRST_MS = 10 * 60 * 1000, /* a failed first request is the same within this time */
};

/* ---- rows of a key ---- */

static bool take_row(void *user, const struct seen_row *row)
{
    struct seen_hits *h = user;

    h->at[h->n++] = *row;
    return h->n < SEEN_NEWEST;
}

enum bough_rc seen_look(struct snap *snap, const unsigned char key[SEEN_KEY], struct seen_hits *out,
                        struct bough_error *err)
{
    out->n = 0;
    return snap->ops->seen_find(snap->v, key, take_row, out, err);
}

static enum bough_rc look_text(struct snap *snap, enum seen_letter letter, int64_t scope,
                               const char *text, struct seen_hits *out, struct bough_error *err)
{
    unsigned char key[SEEN_KEY];

    seen_key(letter, scope, text, strlen(text), key);
    return seen_look(snap, key, out, err);
}

/* Is the session neither purged nor deleted? */
static enum bough_rc is_alive(struct snap *snap, struct bough_arena *a, int64_t sid, bool *alive,
                              struct bough_error *err)
{
    struct session_loaded l;
    enum bough_rc rc = session_load(snap, a, sid, &l, NULL);

    *alive = !rc && !l.head.row.deleted;
    (void)err;
    return rc == BOUGH_NOT_FOUND || rc == BOUGH_GONE || rc == BOUGH_CORRUPT ? BOUGH_OK : rc;
}

/* Keep the rows whose entries are there, in sessions that are alive. */
static enum bough_rc keep_living(struct snap *snap, struct bough_arena *a, struct seen_hits *h,
                                 struct bough_error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++) {
        struct branch_row b;
        struct pack_head head;
        bool alive = false;
        enum bough_rc rc = BOUGH_OK;

        if (!h->at[i].bid || snap_branch(snap, h->at[i].bid, &b, NULL) ||
            entry_head_at(snap, (struct bough_head){ h->at[i].bid, h->at[i].depth }, &head, NULL))
            continue;
        rc = is_alive(snap, a, b.sid, &alive, err);
        if (rc)
            return rc;
        if (alive)
            h->at[n++] = h->at[i];
    }
    h->n = n;
    return BOUGH_OK;
}

/* ---- the anchor ---- */

struct looking {
    struct snap *snap;
    struct bough_arena *a;
    const struct sent *sent;
    int64_t scope, sid;
    struct bough_head id_at; /* the entry of the last id that is known; branch 0: none */
    struct seen_row row;     /* of the longest chain */
    struct bough_error *err;
    enum bough_rc rc;
};

static bool is_tip(struct looking *l, const struct seen_row *row)
{
    struct branch_row b;
    int64_t tip = 0;

    return !snap_branch(l->snap, row->bid, &b, NULL) &&
           !l->snap->ops->branch_tip(l->snap->v, &b, &tip, NULL) && tip == row->depth;
}

/* The best of several rows: in the session that is asked for, then a tip, then the newest. */
static const struct seen_row *best(struct looking *l, const struct seen_hits *h)
{
    const struct seen_row *out = NULL;
    int rank = -1;

    for (size_t i = 0; i < h->n; i++) {
        struct bough_head at = { h->at[i].bid, h->at[i].depth };
        bool visible = false;
        int this = 0;

        if (l->sid)
            (void)entry_visible(l->snap, l->sid, at, &visible, NULL);
        this = 2 * visible + is_tip(l, &h->at[i]);
        if (this > rank)
            out = &h->at[i];
        rank = this > rank ? this : rank;
    }
    return out;
}

/* Does the path of the row hold the entry of the id? Equal prompts of parallel agents share chains,
 * but not ids. */
static bool holds_id(struct looking *l, const struct seen_row *row)
{
    int64_t owner = 0;

    if (!l->id_at.branch)
        return true;
    if (l->id_at.depth > row->depth)
        return false;
    return !path_owner(l->snap, (struct bough_head){ row->bid, row->depth }, l->id_at.depth, &owner,
                       NULL) &&
           owner == l->id_at.branch;
}

/* Look up the chain behind link `i`. */
static bool knows_link(struct looking *l, size_t i)
{
    unsigned char key[SEEN_KEY];
    const struct seen_row *row;
    struct seen_hits h;
    size_t n = 0;

    if (l->rc)
        return false;
    seen_key(SEEN_CHAIN, l->scope, l->sent->links[i].loose, SHA256_LEN, key);
    l->rc = seen_look(l->snap, key, &h, l->err);
    if (!l->rc)
        l->rc = keep_living(l->snap, l->a, &h, l->err);
    for (size_t k = 0; k < h.n && !l->rc; k++)
        if (holds_id(l, &h.at[k]))
            h.at[n++] = h.at[k];
    h.n = n;
    row = l->rc ? NULL : best(l, &h);
    if (row)
        l->row = *row;
    return row != NULL;
}

/* The longest known chain: its link, SIZE_MAX when there is none. Usually it is one of the last
 * two: a request ends behind the last reply, or with a prefill. */
static size_t longest_chain(struct looking *l)
{
    size_t n = l->sent->nlinks, low = 0, high = n, found = SIZE_MAX;

    for (size_t i = n; i-- > 0 && n - i <= 2;)
        if (knows_link(l, i))
            return i;
    while (low < high) { /* those before a known one are known */
        size_t mid = low + (high - low) / 2;

        if (knows_link(l, mid)) {
            found = mid;
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    for (size_t i = n; i-- > 0 && n - i <= IN_TURN && (found == SIZE_MAX || i > found);)
        if (knows_link(l, i))
            return i;
    if (found != SIZE_MAX)
        (void)knows_link(l, found); /* its row again */
    return found;
}

/* The entry of the last id of the request that is known. */
static void find_id(struct looking *l)
{
    const struct units *u = &l->sent->h.units;
    struct smap asked;
    size_t left = IDS_MOST;

    smap_init(&asked);
    for (size_t i = u->n; i-- > 0 && left && !l->rc && !l->id_at.branch;) {
        const char *ids[] = { u->at[i].id, u->at[i].item };

        for (size_t k = 0; k < 2 && !l->rc && !l->id_at.branch; k++) {
            const struct seen_row *row;
            struct seen_hits h;

            if (!unit_id_is_strong(ids[k]) || smap_get(&asked, str_of(ids[k]), NULL))
                continue;
            smap_put(&asked, str_of(ids[k]), 1);
            left -= left > 0;
            l->rc = look_text(l->snap, SEEN_ID, l->scope, ids[k], &h, l->err);
            if (!l->rc)
                l->rc = keep_living(l->snap, l->a, &h, l->err);
            row = l->rc ? NULL : best(l, &h);
            if (row)
                l->id_at = (struct bough_head){ row->bid, row->depth };
        }
    }
    smap_finish(&asked);
}

enum bough_rc seen_anchor(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                          int64_t scope, int64_t sid, struct anchor *out, struct bough_error *err)
{
    struct looking l = { snap, a, sent, scope, sid, { 0, 0 }, { { 0 } }, err, BOUGH_OK };
    size_t link;

    *out = (struct anchor){ 0 };
    find_id(&l);
    link = longest_chain(&l);
    if (l.rc)
        return l.rc;
    if (link != SIZE_MAX)
        *out = (struct anchor){ .found = true,
                                .at = { l.row.bid, l.row.depth },
                                .units = sent->links[link].units,
                                .strict = l.row.strict == sent->links[link].strict };
    else if (l.id_at.branch)
        *out = (struct anchor){ .found = true, .at = l.id_at };
    return BOUGH_OK;
}

enum bough_rc seen_response(struct snap *snap, int64_t scope, const char *id,
                            struct bough_head *out, bool *found, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct seen_hits h;
    enum bough_rc rc = look_text(snap, SEEN_ID, scope, id, &h, err);

    if (!rc)
        rc = keep_living(snap, tmp, &h, err);
    *found = !rc && h.n;
    if (*found)
        *out = (struct bough_head){ h.at[0].bid, h.at[0].depth };
    bough_arena_destroy(tmp);
    return rc;
}

/* ---- sessions ---- */

/* Can the session be written? */
static enum bough_rc is_writable(struct snap *snap, struct bough_arena *a, int64_t sid, bool *is,
                                 struct bough_error *err)
{
    struct session_loaded l;
    enum bough_rc rc = session_load(snap, a, sid, &l, NULL);

    (void)err;
    *is = !rc && !l.head.row.deleted && l.head.row.status != BOUGH_STATUS_ARCHIVED;
    return rc == BOUGH_NOT_FOUND || rc == BOUGH_GONE || rc == BOUGH_CORRUPT ? BOUGH_OK : rc;
}

enum bough_rc seen_session(struct snap *snap, struct bough_arena *a, int64_t scope, const char *key,
                           int64_t *sid, int64_t *no, struct bough_error *err)
{
    struct seen_hits h;
    enum bough_rc rc = look_text(snap, SEEN_CLIENT, scope, key, &h, err);

    *sid = 0;
    if (no)
        *no = !rc && h.n ? h.at[0].no : 0;
    for (size_t i = 0; i < h.n && !rc && !*sid; i++) {
        bool is = false;

        if (h.at[i].bid)
            continue;
        rc = is_writable(snap, a, h.at[i].depth, &is, err);
        if (is)
            *sid = h.at[i].depth;
    }
    return rc;
}

/* A reply that was interrupted, because its process died, is none. */
static bool is_reply(void *user, const struct entry_row *row)
{
    *(bool *)user = !(row->mask & MASK_STOPPED);
    return !*(bool *)user;
}

/* Has the session a message of the model, or is one being written? */
static enum bough_rc has_reply(struct snap *snap, struct bough_arena *a, struct bough_head head,
                               bool *has, struct bough_error *err)
{
    struct segs segs;
    enum bough_rc rc = path_segs(snap, a, head, 1, &segs, err);

    *has = false;
    for (size_t i = 0; i < segs.n && !rc && !*has; i++) {
        struct entry_range range = { .bid = segs.at[i].bid,
                                     .from = segs.at[i].from,
                                     .to = segs.at[i].to,
                                     .mask = (int64_t)MASK_ROLE << BOUGH_ROLE_ASSISTANT,
                                     .fronts = true };

        rc = snap->ops->entry_scan(snap->v, &range, is_reply, has, err);
    }
    return rc;
}

/* Can the session be written, and does it wait for a reply? */
static enum bough_rc is_waiting(struct snap *snap, struct bough_arena *a, int64_t sid, bool *is,
                                struct bough_error *err)
{
    struct session_loaded l;
    bool replied = true;
    enum bough_rc rc = is_writable(snap, a, sid, is, err);

    if (rc || !*is)
        return rc;
    rc = session_load(snap, a, sid, &l, err);
    if (!rc)
        rc = has_reply(snap, a, (struct bough_head){ l.head.row.bid, l.head.depth }, &replied, err);
    *is = !rc && !replied;
    return rc;
}

enum bough_rc seen_first(struct snap *snap, struct bough_arena *a, int64_t scope,
                         const struct sent *sent, int64_t now, int64_t *sid,
                         struct bough_error *err)
{
    unsigned char key[SEEN_KEY];
    struct changelog_row log;
    struct seen_hits h;
    enum bough_rc rc;

    *sid = 0;
    seen_key(SEEN_FIRST, scope, sent->whole.loose, SHA256_LEN, key);
    rc = seen_look(snap, key, &h, err);
    for (size_t i = 0; i < h.n && !rc && !*sid; i++) {
        bool is = false;

        if (h.at[i].bid)
            continue;
        if (snap->ops->changelog_get(snap->v, h.at[i].no, &log, NULL) || log.time < now - FIRST_MS)
            break;
        rc = is_waiting(snap, a, h.at[i].depth, &is, err);
        if (is)
            *sid = h.at[i].depth;
    }
    return rc;
}
