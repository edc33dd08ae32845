/* Rebuild list rows (counts, totals, previews) and spend rows from all other rows, ignoring the old
 * ones.
 * Uses memory proportional to the number of sessions and branches. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "core/part/part.h"
#include "store/lookup/path.h"
#include "store/project/projector.h"
#include "store/project/rebuild.h"
#include "store/seen/trace.h"

/* A fixed buffer, because a preview may be replaced often. */
struct preview {
    int64_t no;
    char text[PREVIEW_FIRST_BYTES + 1];
};

struct built {
    int64_t sid, parent, kind;
    bool purged, gone; /* gone: the changelog scan has passed its purge */
    int64_t updated;
    struct list_body b;
    struct preview first_user, last_user, last_agent;
};

struct rebuild {
    struct prep *p;
    struct snap *snap;
    struct built *at;
    size_t n;
    struct map by_sid, by_bid; /* -> index */
    struct spends spends;
    struct bough_arena *tmp;
    int64_t last_no;
};

static struct built *built_of(const struct rebuild *r, int64_t sid)
{
    uint64_t i;

    return map_get(&r->by_sid, (uint64_t)sid, &i) ? &r->at[i] : NULL;
}

static bool each_session(void *user, const struct raw_row *raw)
{
    const struct session_row *row = &raw->u.session;
    struct rebuild *r = user;

    r->at = mem_room(r->at, r->n, sizeof *r->at);
    memset(&r->at[r->n], 0, sizeof *r->at);
    body_clear(list_fields, &r->at[r->n].b);
    r->at[r->n].sid = row->sid;
    r->at[r->n].parent = row->parent;
    r->at[r->n].kind = row->kind;
    r->at[r->n].purged = row->purged;
    map_put(&r->by_sid, (uint64_t)row->sid, r->n++);
    return true;
}

static bool each_branch(void *user, const struct raw_row *raw)
{
    struct rebuild *r = user;
    uint64_t i;

    if (map_get(&r->by_sid, (uint64_t)raw->u.branch.sid, &i))
        map_put(&r->by_bid, (uint64_t)raw->u.branch.bid, i);
    return true;
}

static void take_call(struct rebuild *r, struct built *s, const struct record_row *row)
{
    struct call_body c;

    if (row->deleted || body_read(call_fields, row->body, &c, NULL))
        return;
    summary_add(&s->b.own, &c.used);
    s->b.calls++;
    if (s->b.last_call_ord && c.time < s->b.last_call_time)
        return;
    s->b.last_call_ord = row->ord;
    s->b.last_call_time = c.time;
    s->b.last_cost = c.used.cost;
    s->b.last_model = arena_strdup(r->p->a, c.model);
    s->b.last_provider = arena_strdup(r->p->a, c.provider);
    s->b.last_request_id = arena_strdup(r->p->a, c.request_id);
}

/* The same rows that the projector adds one by one. */
static void take_spend(struct rebuild *r, const struct record_row *row)
{
    struct adjust_body adj;
    struct call_body call;

    bough_arena_reset(r->tmp);
    if (row->kind == RECORD_CALL && !body_read(call_fields, row->body, &call, NULL)) {
        struct spend_row spent = spend_of_call(row->sid, &call);

        spends_add(&r->spends, &spent);
    }
    if (row->kind == RECORD_ADJUST && !body_read(adjust_fields, row->body, &adj, NULL))
        (void)spend_of_adjust(r->tmp, row->sid, &adj, spends_take, &r->spends);
}

static bool each_record(void *user, const struct raw_row *raw)
{
    const struct record_row *row = &raw->u.record;
    struct rebuild *r = user;
    struct built *s = built_of(r, row->sid);
    struct adjust_body adj;

    if (!row->sid || (s && !s->purged))
        take_spend(r, row);
    if (!s || s->purged)
        return true;
    if (row->kind == RECORD_CALL)
        take_call(r, s, row);
    if (row->kind == RECORD_ADJUST && !body_read(adjust_fields, row->body, &adj, NULL)) {
        summary_add(&s->b.adjust, &adj.delta);
        if (adj.rolls)
            summary_add(&s->b.rolls, &adj.delta);
    }
    return true;
}

static void take_preview(struct rebuild *r, const struct bough_entry *e, struct preview *p,
                         bool first)
{
    const char *text;

    if (p->no && (first ? p->no <= e->no : p->no >= e->no))
        return;
    text =
        preview_text(r->tmp, e->parts, e->nparts, first ? PREVIEW_FIRST_BYTES : PREVIEW_LAST_BYTES);
    if (!*text || strlen(text) >= sizeof p->text)
        return;
    p->no = e->no;
    memcpy(p->text, text, strlen(text) + 1);
}

/* Errors and the last state. The mask of an entry that an older bough wrote does not say them yet.
 */
static void take_outcome(struct rebuild *r, struct built *s, const struct entry_row *row,
                         const struct bough_entry *e)
{
    bool open = row->mask & MASK_OPEN;
    struct entry_row says = *row;
    int64_t errors = 0;
    enum bough_outcome outcome = open ? BOUGH_OUTCOME_OPEN : message_outcome(e, &errors);

    says.mask = (row->mask & ~MASK_OUTCOME) | (open ? 0 : entry_mask(e) & MASK_OUTCOME);
    says.body = str_of("");
    if (says.mask != row->mask)
        txn_change(r->p, CHANGE_ENTRY_SET)->u.entry = says;
    if (row->deleted)
        return;
    s->b.errors += errors;
    if (e->no < s->b.last_no)
        return;
    s->b.last_no = e->no;
    s->b.last_state = outcome;
}

static bool each_entry(void *user, const struct raw_row *raw)
{
    const struct entry_row *row = &raw->u.entry;
    struct rebuild *r = user;
    struct bough_entry e;
    struct pack_extra x;
    struct built *s;
    uint64_t i;

    if (!map_get(&r->by_bid, (uint64_t)row->bid, &i) || r->at[i].purged)
        return true;
    s = &r->at[i];
    bough_arena_reset(r->tmp);
    if (pack_entry_read(r->tmp, row->body, &e, &x, NULL) || e.kind != BOUGH_ENTRY_MESSAGE)
        return true;
    take_outcome(r, s, row, &e);
    if (row->mask & MASK_OPEN)
        return true;
    s->b.messages += !row->deleted;
    if (e.role != BOUGH_ROLE_USER && e.role != BOUGH_ROLE_ASSISTANT)
        return true;
    if (e.time > s->b.last_said)
        s->b.last_said = e.time;
    if (row->deleted)
        return true;
    if (e.role == BOUGH_ROLE_USER)
        take_preview(r, &e, &s->first_user, true);
    take_preview(r, &e, e.role == BOUGH_ROLE_USER ? &s->last_user : &s->last_agent, false);
    return true;
}

static void touch(struct built *s, const struct changelog_row *row)
{
    s->updated = row->time;
    s->b.rev = row->no;
}

static bool each_log(void *user, const struct raw_row *raw)
{
    const struct changelog_row *row = &raw->u.log;
    struct rebuild *r = user;
    struct built *s = built_of(r, row->sid);
    int64_t left = row->kind == CHANGELOG_ADJUST ? row->nsessions - 1 : 0;

    r->last_no = row->no;
    if (!s)
        return true;
    if (row->kind == CHANGELOG_PURGE) {
        s->gone = true;
        return true;
    }
    touch(s, row);
    while (left > 0 && s && s->parent && s->parent < s->sid) { /* a propagated adjustment also
                                                                  updates the ancestors */
        s = built_of(r, s->parent);
        if (s && !s->gone) {
            touch(s, row);
            left--;
        }
    }
    return true;
}

/* Children have larger numbers than their parents, so one backward pass is enough. */
static void roll_up(struct rebuild *r)
{
    for (size_t i = r->n; i-- > 0;) {
        const struct built *s = &r->at[i];
        struct built *up = s->kind == BOUGH_SUBAGENT ? built_of(r, s->parent) : NULL;

        if (!up || up >= s)
            continue;
        summary_add(&up->b.below, &s->b.below);
        summary_add(&up->b.below, &s->b.own);
        summary_add(&up->b.below, &s->b.rolls);
    }
}

static enum bough_rc put_list(struct rebuild *r, struct built *s, struct bough_error *err)
{
    struct summary sh = { .sid = s->sid, .body = s->b };
    struct change *c;
    enum bough_rc rc;

    sh.body.first_user = s->first_user.text;
    sh.body.first_user_no = s->first_user.no;
    sh.body.last_user = s->last_user.text;
    sh.body.last_user_no = s->last_user.no;
    sh.body.last_agent = s->last_agent.text;
    sh.body.last_agent_no = s->last_agent.no;
    rc = summary_identity(r->snap, r->p->a, &sh, err);
    if (rc)
        return rc == BOUGH_CORRUPT || rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc; /* not repairable here
                                                                              */
    sh.row.updated = s->updated;
    c = txn_change(r->p, CHANGE_LIST_PUT);
    c->u.list = sh.row;
    c->u.list.body = body_pack(r->p->a, list_fields, &sh.body);
    return BOUGH_OK;
}

static bool each_list(void *user, const struct raw_row *raw)
{
    struct rebuild *r = user;
    const struct built *s = built_of(r, raw->u.list.sid);

    if (!s || s->purged)
        txn_change(r->p, CHANGE_LIST_DEL)->u.list.sid = raw->u.list.sid;
    return true;
}

static enum bough_rc read_all(struct rebuild *r, struct bough_error *err)
{
    const struct {
        enum raw_table table;
        raw_fn fn;
    } passes[] = { { RAW_SESSION, each_session }, { RAW_BRANCH, each_branch },
                   { RAW_RECORD, each_record },   { RAW_ENTRY, each_entry },
                   { RAW_CHANGELOG, each_log },   { RAW_LIST, each_list } };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < sizeof passes / sizeof *passes && !rc; i++)
        rc = r->snap->ops->raw_scan(r->snap->v, passes[i].table, passes[i].fn, r, err);
    return rc;
}

enum bough_rc rebuild_lists(struct prep *p, void *unused, struct bough_error *err)
{
    struct rebuild r = { .p = p, .tmp = bough_arena_create() };
    int64_t from = 0;
    enum bough_rc rc = prep_snap(p, &r.snap, err);

    (void)unused;
    map_init(&r.by_sid);
    map_init(&r.by_bid);
    spends_init(&r.spends, p->a);
    if (!rc)
        rc = r.snap->ops->watermark(r.snap->v, &from, err);
    if (!rc)
        rc = read_all(&r, err);
    if (!rc)
        roll_up(&r);
    for (size_t i = 0; i < r.n && !rc; i++)
        if (!r.at[i].purged)
            rc = put_list(&r, &r.at[i], err);
    if (!rc) {
        txn_change(p, CHANGE_SPEND_CLEAR);
        fold_spends(p, &r.spends);
        txn_change(p, CHANGE_WATERMARK)->u.watermark = r.last_no;
        txn_guard(p, guard_watermark(from));
    }
    map_finish(&r.by_sid);
    map_finish(&r.by_bid);
    spends_finish(&r.spends);
    mem_free(r.at);
    bough_arena_destroy(r.tmp);
    return rc;
}

/* Remove all documents and reset the watermark; the index is then rebuilt from the changelog. */
static enum bough_rc rebuild_text(struct prep *p, void *unused, struct bough_error *err)
{
    (void)unused;
    (void)err;
    txn_change(p, CHANGE_FULLTEXT_CLEAR);
    p->t->relaxed = true;
    return BOUGH_OK;
}

const struct projection all_projections[] = {
    { "list", rebuild_lists },
    { "text", rebuild_text },
    { "seen", seen_rebuild },
    { NULL, NULL },
};
