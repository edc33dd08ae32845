/* Labels: one record per change. The latest record of an entry wins; an empty text clears. */
#include "store/entries/label.h"

#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/text/str.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"
#include "store/write/import_api.h"

/* ---- set ---- */

struct setting {
    int64_t sid;
    const char *entry, *text;
    int64_t time; /* 0: now */
};

static enum bough_rc prepare_label(struct prep *p, void *user, struct bough_error *err)
{
    struct setting *in = user;
    struct label_body body = { .text = in->text, .time = in->time ? in->time : p->now };
    struct session_loaded l;
    struct bough_entry *e;
    struct bough_head at = { 0 };
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = session_load_writable(snap, p->a, in->sid, &l, err);
    if (!rc)
        rc = find_entry(snap, in->sid, in->entry, &at, err);
    if (!rc)
        rc = entry_load(snap, p->a, at, &e, err);
    if (rc)
        return rc;
    body.bid = at.branch;
    body.depth = at.depth;
    body.entry = e->id;
    txn_guard(p, guard_entry(at.branch, at.depth));
    txn_change(p, CHANGE_RECORD_PUT)->u.record = (struct record_row){
        .sid = in->sid, .kind = RECORD_LABEL, .body = body_pack(p->a, label_fields, &body)
    };
    txn_changelog(p, CHANGELOG_RECORD, in->sid, 1);
    p->t->log.record = NEW_RECORD(0);
    p->t->log.record_kind = RECORD_LABEL;
    return BOUGH_OK;
}

enum bough_rc label_set_at(struct bough_store *s, const char *session, const char *entry,
                           const char *text, int64_t time, struct bough_error *err)
{
    struct setting in = { .entry = entry, .text = text ? text : "", .time = time };
    struct request r = { .prepare = prepare_label, .user = &in };
    enum bough_rc rc = check_text("the label", text, LIMIT_TITLE, err);

    if (!rc)
        rc = find_session_fast(s, session, &in.sid, err);
    if (rc)
        return rc;
    return write_once(s, &r, err);
}

enum bough_rc bough_label_set(struct bough_store *s, const char *session, const char *entry,
                              const char *text, struct bough_error *err)
{
    REQUIRE(s, err);

    return label_set_at(s, session, entry, text, 0, err);
}

/* ---- read ---- */

struct collect {
    struct snap *snap;
    struct bough_arena *a;
    struct label *at;
    size_t n;
    struct map by_slot; /* branch << 32 | depth -> index */
    size_t from;        /* labels before this index are of nearer sessions and win */
    int64_t first;      /* first branch of the session; a copied label refers to it as bid 0 */
    enum bough_rc rc;
    struct bough_error *err;
};

static uint64_t slot(struct bough_head at)
{
    return (uint64_t)at.branch << 32 | (uint64_t)at.depth;
}

static struct label *find_label(struct collect *c, struct bough_head at)
{
    uint64_t i;

    return map_get(&c->by_slot, slot(at), &i) ? &c->at[i] : NULL;
}

static bool collect_label(void *user, const struct record_row *row)
{
    struct collect *c = user;
    struct label_body body;
    struct label *l;
    struct bough_head at;
    struct bough_str copy = arena_str(c->a, row->body);

    c->rc = body_read(label_fields, copy, &body, c->err);
    if (c->rc)
        return false;
    at = (struct bough_head){ body.bid ? body.bid : c->first, body.depth };
    l = find_label(c, at);
    if (l && (size_t)(l - c->at) < c->from)
        return true; /* a nearer session has set or cleared it */
    if (!l) {
        c->at = arena_room(c->a, c->at, c->n, sizeof *c->at);
        map_put(&c->by_slot, slot(at), c->n);
        l = &c->at[c->n++];
    }
    *l = (struct label){ at, body.text, body.time };
    return true;
}

static bool note_first(void *user, const struct branch_row *b)
{
    *(int64_t *)user = b->bid;
    return false;
}

static enum bough_rc collect_session(struct collect *c, int64_t sid)
{
    enum bough_rc rc = c->snap->ops->branch_of(c->snap->v, sid, note_first, &c->first, c->err);

    c->from = c->n;
    if (!rc)
        rc = c->snap->ops->record_scan(c->snap->v, sid, RECORD_LABEL, 1, false, collect_label, c,
                                       c->err);
    return rc ? rc : c->rc;
}

/* Collect from the session, then from the sessions its history comes from, nearest first. */
static enum bough_rc collect_all(struct collect *c, int64_t sid)
{
    struct branch_row b;
    int64_t bid = 0, last = sid;
    enum bough_rc rc;

    map_init(&c->by_slot);
    rc = collect_session(c, sid);
    if (!rc)
        rc = c->snap->ops->branch_of(c->snap->v, sid, note_first, &bid, c->err);
    while (!rc && bid) {
        rc = snap_branch(c->snap, bid, &b, c->err);
        if (!rc && b.sid != last)
            rc = collect_session(c, last = b.sid);
        bid = b.parent;
    }
    return rc;
}

enum bough_rc labels_read(struct snap *snap, struct bough_arena *a, int64_t sid, struct labels *out,
                          struct bough_error *err)
{
    struct collect c = { .snap = snap, .a = a, .err = err };
    enum bough_rc rc = collect_all(&c, sid);

    map_finish(&c.by_slot);
    *out = (struct labels){ c.at, c.n };
    return rc;
}

static enum bough_rc give_labels(struct snap *snap, struct bough_arena *a, int64_t sid,
                                 const struct labels *c, struct bough_labels *out,
                                 struct bough_error *err)
{
    bool visible;
    enum bough_rc rc = BOUGH_OK;

    out->at = arena_array(a, c->n ? c->n : 1, sizeof *out->at);
    for (size_t i = 0; i < c->n && !rc; i++) {
        struct bough_entry *e;

        if (cstr_empty(c->at[i].text))
            continue;
        rc = entry_visible(snap, sid, c->at[i].at, &visible, err);
        if (rc || !visible)
            continue;
        rc = entry_load(snap, a, c->at[i].at, &e, err);
        if (rc == BOUGH_NOT_FOUND) {
            rc = BOUGH_OK; /* the entry was purged */
            continue;
        }
        if (rc)
            break;
        out->at[out->n] = (struct bough_label){ .text = c->at[i].text, .time = c->at[i].time };
        memcpy(out->at[out->n++].entry, e->id, BOUGH_ID_LEN + 1);
    }
    return rc;
}

enum bough_rc bough_label_list(struct bough_store *s, struct bough_arena *a, const char *session,
                               struct bough_labels *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct snap snap;
    struct labels all;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *out = (struct bough_labels){ 0 };
    if (rc)
        return rc;
    rc = labels_read(&snap, a, sid, &all, err);
    if (!rc)
        rc = give_labels(&snap, a, sid, &all, out, err);
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_label_get(struct bough_store *s, struct bough_arena *a, const char *session,
                              const char *entry, const char **text, struct bough_error *err)
{
    REQUIRE(s && a && text, err);

    struct snap snap;
    struct labels all = { 0 };
    struct bough_head at;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *text = "";
    if (rc)
        return rc;
    rc = find_entry(&snap, sid, entry, &at, err);
    if (!rc)
        rc = labels_read(&snap, a, sid, &all, err);
    for (size_t i = 0; i < all.n && !rc; i++)
        if (slot(all.at[i].at) == slot(at))
            *text = all.at[i].text;
    snap_end(&snap);
    return rc;
}
