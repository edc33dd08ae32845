/* Quarantine: the bytes of an unreadable row are saved unchanged in a record of its session, and a
 * readable stub replaces the row. No bytes are lost. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "store/care/repair.h"
#include "store/lookup/path.h"

static struct bough_str bytes_of(const struct raw_row *row)
{
    return row->table == RAW_ENTRY     ? row->u.entry.body
           : row->table == RAW_RECORD  ? row->u.record.body
           : row->table == RAW_SESSION ? row->u.session.body
           : row->table == RAW_DRAFT   ? row->u.draft.body
                                       : str_of("");
}

/* The row's numbers, so that it can be restored by hand. */
static const char *numbers_of(struct repair *r, const struct raw_row *row)
{
    const struct entry_row *e = &row->u.entry;
    const struct record_row *c = &row->u.record;
    const struct session_row *s = &row->u.session;

    if (row->table == RAW_ENTRY)
        return arena_printf(r->a, "entry %lld %lld %lld %lld %lld", (long long)e->bid,
                            (long long)e->depth, (long long)e->kind, (long long)e->mask,
                            (long long)e->deleted);
    if (row->table == RAW_RECORD)
        return arena_printf(r->a, "record %lld %lld %lld %lld %lld", (long long)c->sid,
                            (long long)c->kind, (long long)c->ord, (long long)c->ver,
                            (long long)c->deleted);
    if (row->table == RAW_DRAFT)
        return arena_printf(r->a, "draft %lld %lld %lld %lld", (long long)row->u.draft.bid,
                            (long long)row->u.draft.depth, (long long)row->u.draft.end,
                            (long long)row->u.draft.step);
    return arena_printf(r->a, "session %lld %lld %lld %lld %lld %lld", (long long)s->sid,
                        (long long)s->ver, (long long)s->made, (long long)s->chk,
                        (long long)s->parent, (long long)s->kind);
}

static bool last_ord(void *user, const struct record_row *row)
{
    *(int64_t *)user = row->ord;
    return false;
}

enum bough_rc quarantine_row(struct repair *r, struct snap *snap, int64_t sid,
                             const struct raw_row *row, const char *where, const char *why,
                             int64_t *ord)
{
    struct quarantine_body body = { .time = r->now,
                                    .where = where,
                                    .why = why,
                                    .row = numbers_of(r, row),
                                    .bytes = bytes_of(row) };
    struct raw_row put = { .table = RAW_RECORD };
    int64_t last = 0;
    enum bough_rc rc =
        snap->ops->record_scan(snap->v, sid, RECORD_QUARANTINE, 0, true, last_ord, &last, r->err);

    if (rc)
        return rc;
    *ord = last + 1;
    put.u.record = (struct record_row){ .sid = sid,
                                        .kind = RECORD_QUARANTINE,
                                        .ord = *ord,
                                        .ver = 1,
                                        .body = body_pack(r->a, quarantine_fields, &body) };
    r->report->quarantined++;
    repair_write(r, &put, false);
    return BOUGH_OK;
}

/* ---- entries ---- */

struct number {
    int64_t bid, depth, no, time;
};

static bool find_number(void *user, const struct changelog_row *row)
{
    struct number *n = user;

    if (!changelog_adds(row) || row->bid != n->bid || row->depth < n->depth ||
        row->depth - row->n >= n->depth)
        return true;
    n->no = row->no - (row->depth - n->depth);
    n->time = row->time;
    return false;
}

struct origin {
    int64_t bid, depth;
    struct bough_arena *a;
    const char *id;
};

static bool find_origin(void *user, const struct raw_row *raw)
{
    const struct alias_row *row = &raw->u.alias;
    struct origin *o = user;

    if (row->what != ALIAS_ENTRY || row->a != o->bid || row->b != o->depth)
        return true;
    o->id = arena_strdup(o->a, row->id);
    return false;
}

/* mno of the entry before it on the path. */
static enum bough_rc messages_before(struct snap *snap, const struct branch_row *b, int64_t depth,
                                     int64_t *mno)
{
    struct pack_head h = { .mno = 0 };
    int64_t owner = b->bid;
    enum bough_rc rc = BOUGH_OK;

    *mno = 0;
    if (depth <= 1)
        return BOUGH_OK;
    if (depth - 1 <= b->base)
        rc = path_owner(snap, (struct bough_head){ b->parent, b->base }, depth - 1, &owner, NULL);
    if (!rc && owner)
        rc = entry_head_at(snap, (struct bough_head){ owner, depth - 1 }, &h, NULL);
    *mno = h.mno;
    return rc;
}

static enum bough_role role_in(int64_t mask)
{
    for (int role = BOUGH_ROLE_NONE + 1; role <= BOUGH_ROLE_LAST; role++)
        if (mask & (int64_t)MASK_ROLE << role)
            return (enum bough_role)role;
    return BOUGH_ROLE_OTHER;
}

enum bough_rc quarantine_stub(struct repair *r, struct snap *snap, const struct branch_row *b,
                              int64_t depth, const struct entry_row *was, int64_t ord)
{
    struct number n = { b->bid, depth, 0, r->now };
    struct origin o = { b->bid, depth, r->a, "" };
    struct bough_entry e = { .kind = BOUGH_ENTRY_MESSAGE, .at = { b->bid, depth } };
    struct pack_extra x = { 0 };
    struct raw_row put = { .table = RAW_ENTRY };
    struct squeezed tail;
    struct pack_head h;
    enum bough_rc rc = snap->ops->changelog_scan(snap->v, 0, find_number, &n, r->err);

    if (!rc)
        rc = snap->ops->raw_scan(snap->v, RAW_ALIAS, find_origin, &o, r->err);
    if (!rc)
        rc = messages_before(snap, b, depth, &e.mno);
    if (rc)
        return rc;
    if (was && was->kind != BOUGH_ENTRY_MESSAGE)
        e.kind = BOUGH_ENTRY_OTHER;
    e.kind_name = "bough.quarantined";
    e.role = e.kind == BOUGH_ENTRY_MESSAGE ? role_in(was ? was->mask : 0) : BOUGH_ROLE_NONE;
    e.mno += e.kind == BOUGH_ENTRY_MESSAGE;
    e.time = x.made = n.time;
    e.finish = "";
    e.origin = o.id;
    e.error =
        str_of("{\"name\":\"bough.quarantined\",\"data\":{\"message\":\"its stored bytes were "
               "damaged\"}}");
    e.data = str_of(arena_printf(r->a, "{\"quarantine\":%lld}", (long long)ord));
    if (was && pack_entry_head(was->body, &h) && h.depth == depth && h.made > 0 &&
        h.made <= r->now && h.chk >= 0 && h.chk <= 0xffff) { /* keep the id, so it is still found */
        x.made = h.made;
        x.chk = h.chk;
    }
    pack_tail(r->a, &e, 0, &tail);
    put.u.entry = (struct entry_row){ .bid = b->bid,
                                      .depth = depth,
                                      .kind = e.kind,
                                      .mask = entry_mask(&e),
                                      .deleted = was && was->deleted > 0 ? was->deleted : 0,
                                      .body = pack_entry(r->a, &e, &x, &tail) };
    pack_entry_patch((char *)(uintptr_t)put.u.entry.body.p, n.no, 0);
    *(char *)(uintptr_t)put.u.entry.body.p |= PACK_STUB;
    repair_write(r, &put, false);
    return BOUGH_OK;
}

/* ---- records ---- */

struct call_id {
    int64_t sid, ord, made, chk;
    struct snap *snap;
};

/* The entry that a call produced stores the call's time and check bits. */
static bool find_call(void *user, const struct raw_row *raw)
{
    struct call_id *c = user;
    struct branch_row b;
    struct pack_head h;

    if (!pack_entry_head(raw->u.entry.body, &h) || h.call_ord != c->ord || !h.call_made ||
        c->snap->ops->branch_get(c->snap->v, raw->u.entry.bid, &b, NULL) || b.sid != c->sid)
        return true;
    c->made = h.call_made;
    c->chk = h.call_chk;
    return false;
}

struct named {
    int64_t kind, ord;
    struct bough_arena *a;
    const char *name;
};

static bool find_name(void *user, const struct raw_row *raw)
{
    const struct alias_row *row = &raw->u.alias;
    const char *colon = strchr(row->id, ':');
    struct named *n = user;

    if (row->what != (n->kind << 8 | ALIAS_RECORD) || row->a || (row->b & LIMIT_RECORD) != n->ord ||
        !colon)
        return true;
    n->name = arena_strdup(n->a, colon + 1);
    return false;
}

enum bough_rc quarantine_record(struct repair *r, struct snap *snap, const struct record_row *was)
{
    struct call_body call = { 0 };
    struct group_body place = { 0 };
    struct source_body source = { 0 };
    struct call_id id = { .sid = was->sid, .ord = was->ord, .snap = snap };
    struct named n = { was->kind, was->ord, r->a, "" };
    struct raw_row put = { .table = RAW_RECORD, .u.record = *was };
    enum bough_rc rc = BOUGH_OK;

    body_clear(call_fields, &call);
    body_clear(group_fields, &place);
    body_clear(source_fields, &source);
    put.u.record.ver = was->ver < 1 ? 1 : was->ver;
    put.u.record.deleted = was->deleted > 0 ? was->deleted : r->now;
    put.u.record.body = body_pack(r->a, call_fields, &call); /* an empty body */
    if (was->kind == RECORD_CALL) {
        rc = snap->ops->raw_scan(snap->v, RAW_ENTRY, find_call, &id, r->err);
        call.made = id.made;
        call.chk = id.chk;
        put.u.record.deleted = was->deleted > 0 ? was->deleted : 0; /* entries still refer to it */
        put.u.record.body = body_pack(r->a, call_fields, &call);
    } else if (was->kind == RECORD_SOURCE ||
               (was->kind >= RECORD_PROJECT && was->kind <= RECORD_ACCOUNT)) {
        rc = snap->ops->raw_scan(snap->v, RAW_ALIAS, find_name, &n, r->err);
        place.name = source.path = n.name;
        put.u.record.deleted = was->deleted > 0 ? was->deleted : 0;
        put.u.record.body = was->kind == RECORD_SOURCE ? body_pack(r->a, source_fields, &source)
                                                       : body_pack(r->a, group_fields, &place);
    }
    if (!rc)
        repair_write(r, &put, false);
    return rc;
}

/* ---- sessions ---- */

static bool first_branch(void *user, const struct branch_row *row)
{
    *(struct branch_row *)user = *row;
    return false;
}

static bool find_session_name(void *user, const struct raw_row *raw)
{
    const struct alias_row *row = &raw->u.alias;
    struct named *n = user;

    if (row->what != ALIAS_SESSION || row->scope || row->a != n->ord ||
        strncmp(row->id, "session:", 8) != 0)
        return true;
    n->name = arena_strdup(n->a, row->id + 8);
    return false;
}

enum bough_rc quarantine_session(struct repair *r, struct snap *snap, const struct session_row *was)
{
    struct raw_row put = { .table = RAW_SESSION, .u.session = *was };
    struct named n = { 0, was->sid, r->a, "" };
    struct branch_row b = { 0 }, up;
    struct list_row list;
    struct session_body body;
    struct bough_entry *e;
    enum bough_rc rc;

    body_clear(session_fields, &body);
    body.created = was->made;
    body.version = "1";
    body.title = RECOVERED_TITLE;
    rc = snap->ops->raw_scan(snap->v, RAW_ALIAS, find_session_name, &n, r->err);
    if (!rc)
        rc = snap->ops->branch_of(snap->v, was->sid, first_branch, &b, r->err);
    if (rc)
        return rc;
    body.origin = n.name;
    if (b.parent && snap->ops->branch_get(snap->v, b.parent, &up, NULL) == BOUGH_OK &&
        up.sid != was->sid &&
        entry_load(snap, r->a, (struct bough_head){ b.parent, b.base }, &e, NULL) == BOUGH_OK) {
        body.fork_bid = b.parent;
        body.fork_depth = b.base;
        body.fork_entry = e->id;
    }
    /* Recover what the list row, which is derived from the session, still shows. */
    if (snap->ops->list_get(snap->v, r->a, was->sid, &list, NULL) == BOUGH_OK) {
        body.project = list.project;
        body.workspace = list.workspace;
        body.account = list.account;
        body.created = list.created;
        body.role_name = list.role_name;
        body.provider_path = list.provider_path;
        body.model_provider = list.model_provider;
        body.model_name = list.model_name;
    }
    put.u.session.body = body_pack(r->a, session_fields, &body);
    repair_write(r, &put, false);
    return BOUGH_OK;
}
