/* Labels: one record per change. The latest record of an entry wins; an empty text clears. */
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

struct label {
    struct bough_head at;
    const char *text;
    int64_t time;
};

struct collect {
    struct snap *snap;
    struct bough_arena *a;
    struct label *at;
    size_t n;
    size_t from;   /* labels before this index are of nearer sessions and win */
    int64_t first; /* first branch of the session; a copied label refers to it as bid 0 */
    enum bough_rc rc;
    struct bough_error *err;
};

static struct label *find_label(struct collect *c, struct bough_head at)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].at.branch == at.branch && c->at[i].at.depth == at.depth)
            return &c->at[i];
    return NULL;
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
    enum bough_rc rc = collect_session(c, sid);

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

static enum bough_rc give_labels(struct collect *c, int64_t sid, struct bough_labels *out)
{
    bool visible;
    enum bough_rc rc = BOUGH_OK;

    out->at = arena_array(c->a, c->n ? c->n : 1, sizeof *out->at);
    for (size_t i = 0; i < c->n && !rc; i++) {
        struct bough_entry *e;

        if (cstr_empty(c->at[i].text))
            continue;
        rc = entry_visible(c->snap, sid, c->at[i].at, &visible, c->err);
        if (rc || !visible)
            continue;
        rc = entry_load(c->snap, c->a, c->at[i].at, &e, c->err);
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
    struct collect c = { .snap = &snap, .a = a, .err = err };
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *out = (struct bough_labels){ 0 };
    if (rc)
        return rc;
    rc = collect_all(&c, sid);
    if (!rc)
        rc = give_labels(&c, sid, out);
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_label_get(struct bough_store *s, struct bough_arena *a, const char *session,
                              const char *entry, const char **text, struct bough_error *err)
{
    REQUIRE(s && a && text, err);

    struct snap snap;
    struct collect c = { .snap = &snap, .a = a, .err = err };
    struct bough_head at;
    struct label *l;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *text = "";
    if (rc)
        return rc;
    rc = find_entry(&snap, sid, entry, &at, err);
    if (!rc)
        rc = collect_all(&c, sid);
    l = rc ? NULL : find_label(&c, at);
    if (l)
        *text = l->text;
    snap_end(&snap);
    return rc;
}
