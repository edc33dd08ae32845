/* Repair references between rows: links, aliases, keys. */
#include "store/care/repair.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/lookup/blob.h"
#include "store/lookup/path.h"

/* ---- links ---- */

/* The attachment that part i names; for i >= nparts, the one that was moved out of a part. */
static bool nth_shown(const struct bough_entry *e, const struct pack_extra *x, size_t i,
                      unsigned char hash[32])
{
    const struct pack_moved *m;
    size_t at;

    if (i < e->nparts)
        return attach_named(&e->parts[i], hash, &at);
    m = &x->moved[i - e->nparts];
    return attach_parse(str_make(e->parts[m->part].json.p + m->at, ATTACH_NAME_LEN), hash);
}

struct relink {
    struct snap *snap;
    struct bough_arena *a;
    struct raw_row bad[64];
    size_t n;
};

static bool shows(struct relink *l, const struct link_row *row)
{
    struct entry_row er;
    struct bough_entry e;
    struct pack_extra x;
    struct blob_row blob;
    unsigned char hash[32];

    if (l->snap->ops->entry_get(l->snap->v, l->a, row->bid, row->depth, &er, NULL))
        return false;
    if (pack_is_stub(er.body) || pack_entry_read(l->a, er.body, &e, &x, NULL))
        return true; /* unknown: keep the link */
    for (size_t i = 0; i < e.nparts + x.nmoved; i++) {
        if (nth_shown(&e, &x, i, hash) &&
            l->snap->ops->blob_find(l->snap->v, hash, &blob, NULL) == BOUGH_OK &&
            blob.bno == row->bno)
            return true;
    }
    return false;
}

static bool each_link(void *user, const struct raw_row *raw)
{
    struct relink *l = user;

    bough_arena_reset(l->a);
    if (l->n < sizeof l->bad / sizeof *l->bad && !shows(l, &raw->u.link))
        l->bad[l->n++] = *raw;
    return true;
}

/* Link everything the entry shows. A missing attachment stays a finding. */
enum bough_rc repair_links(struct repair *r, struct snap *snap, const struct bough_finding *f,
                           int64_t bid, int64_t depth)
{
    struct entry_row row;
    struct bough_entry e;
    struct pack_extra x;

    if (snap->ops->entry_get(snap->v, r->a, bid, depth, &row, NULL) ||
        pack_entry_read(r->a, row.body, &e, &x, NULL))
        return BOUGH_OK;
    if (!repair_reads(snap, r->a, &row))
        return repair_entry(r, snap, f, bid, depth);
    for (size_t i = 0; i < e.nparts + x.nmoved; i++) {
        struct raw_row put = { .table = RAW_LINK };
        struct blob_row blob;
        unsigned char hash[32];

        if (!nth_shown(&e, &x, i, hash) || snap->ops->blob_find(snap->v, hash, &blob, NULL))
            continue;
        put.u.link = (struct link_row){ bid, depth, blob.bno };
        repair_write(r, &put, false);
    }
    repair_report(r, f->code, f->where, "what it shows is linked again");
    return BOUGH_OK;
}

enum bough_rc repair_drop_links(struct repair *r, struct snap *snap)
{
    struct relink *l = mem_zalloc(sizeof *l);
    enum bough_rc rc;

    l->snap = snap;
    l->a = bough_arena_create();
    rc = snap->ops->raw_scan(snap->v, RAW_LINK, each_link, l, r->err);
    for (size_t i = 0; i < l->n && !rc; i++) {
        char where[64];

        snprintf(where, sizeof where, "#%lld.%lld", (long long)l->bad[i].u.link.bid,
                 (long long)l->bad[i].u.link.depth);
        repair_write(r, &l->bad[i], true);
        repair_report(r, "I-47", where, "it does not show attachment %lld: the link is removed",
                      (long long)l->bad[i].u.link.bno);
    }
    bough_arena_destroy(l->a);
    mem_free(l);
    return rc;
}

struct blob_by {
    int64_t bno;
    struct raw_row row;
    bool there;
};

static bool by_bno(void *user, const struct raw_row *raw)
{
    struct blob_by *b = user;

    if (raw->u.blob.bno != b->bno)
        return true;
    b->row = *raw;
    b->there = true;
    return false;
}

/* A blob in state BLOB_LINKED without links: let the sweep check it. */
enum bough_rc repair_loosen(struct repair *r, struct snap *snap, const struct bough_finding *f,
                            int64_t bno)
{
    struct blob_by b = { .bno = bno };
    enum bough_rc rc = snap->ops->raw_scan(snap->v, RAW_BLOB, by_bno, &b, r->err);

    if (rc || !b.there)
        return rc;
    b.row.u.blob.state = BLOB_LOOSE;
    repair_write(r, &b.row, false);
    repair_report(r, f->code, f->where, "the next sweep looks at it");
    return BOUGH_OK;
}

/* ---- names ---- */

struct names {
    struct repair *r;
    struct snap *snap;
    struct raw_row bad[64];
    size_t n;
};

static void note_bad(struct names *n, const struct raw_row *raw)
{
    struct raw_row *to;

    if (n->n == sizeof n->bad / sizeof *n->bad)
        return;
    to = &n->bad[n->n++];
    *to = *raw;
    if (raw->table == RAW_ALIAS)
        to->u.alias.id = arena_strdup(n->r->a, raw->u.alias.id);
    else
        to->u.key.key = arena_strdup(n->r->a, raw->u.key.key);
}

static bool each_alias(void *user, const struct raw_row *raw)
{
    const struct alias_row *row = &raw->u.alias;
    struct names *n = user;
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc = BOUGH_OK;
    union {
        struct session_row s;
        struct entry_row e;
        struct record_row r;
    } u;

    switch ((enum alias_what)(row->what & 0xff)) {
    case ALIAS_SESSION:
        rc = n->snap->ops->session_get(n->snap->v, tmp, row->a, &u.s, NULL);
        break;
    case ALIAS_ENTRY:
        rc = n->snap->ops->entry_get(n->snap->v, tmp, row->a, row->b, &u.e, NULL);
        break;
    case ALIAS_RECORD:
        rc = n->snap->ops->record_get(n->snap->v, tmp, row->a, row->b >> 28, row->b & LIMIT_RECORD,
                                      &u.r, NULL);
        break;
    }
    if (rc == BOUGH_NOT_FOUND)
        note_bad(n, raw);
    bough_arena_destroy(tmp);
    return true;
}

static bool each_key(void *user, const struct raw_row *raw)
{
    struct names *n = user;
    struct changelog_row row;

    if (n->snap->ops->changelog_get(n->snap->v, raw->u.key.no, &row, NULL) == BOUGH_NOT_FOUND)
        note_bad(n, raw);
    return true;
}

/* Removing a dangling key is safe: it only prevents the repetition of an append. */
enum bough_rc repair_drop_names(struct repair *r, struct snap *snap)
{
    struct names *n = mem_zalloc(sizeof *n);
    enum bough_rc rc;

    n->r = r;
    n->snap = snap;
    rc = snap->ops->raw_scan(snap->v, RAW_ALIAS, each_alias, n, r->err);
    if (!rc)
        rc = snap->ops->raw_scan(snap->v, RAW_KEY, each_key, n, r->err);
    for (size_t i = 0; i < n->n && !rc; i++) {
        bool alias = n->bad[i].table == RAW_ALIAS;

        repair_write(r, &n->bad[i], true);
        repair_report(r, alias ? "I-45" : "I-44", alias ? n->bad[i].u.alias.id : "key",
                      "it leads nowhere and is removed");
    }
    mem_free(n);
    return rc;
}

static enum bough_rc add_alias(struct repair *r, const char *id, int64_t scope, int64_t what,
                               int64_t a, int64_t b)
{
    struct raw_row put = { .table = RAW_ALIAS };

    put.u.alias = (struct alias_row){ .id = id, .scope = scope, .what = what, .a = a, .b = b };
    repair_write(r, &put, false);
    repair_report(r, "I-45", id, "the thing that came with this id is found by it again");
    return BOUGH_OK;
}

struct hit {
    bool there;
};

static bool any(void *user, const struct alias_row *row)
{
    (void)row;
    ((struct hit *)user)->there = true;
    return false;
}

/* Add the missing alias for the foreign id that an entry or session stores. */
enum bough_rc repair_add_names(struct repair *r, struct snap *snap, const struct bough_finding *f)
{
    int64_t at[3];
    struct hit hit = { false };
    int n = repair_numbers(f->where, "#", at);
    enum bough_rc rc = BOUGH_OK;

    if (n == 2) {
        struct bough_entry e;
        struct pack_extra x;
        struct entry_row row;
        struct branch_row b;

        if (snap->ops->entry_get(snap->v, r->a, at[0], at[1], &row, NULL) ||
            snap->ops->branch_get(snap->v, at[0], &b, NULL) ||
            pack_entry_read(r->a, row.body, &e, &x, NULL) || !*e.origin)
            return BOUGH_OK;
        rc = snap->ops->alias_find(snap->v, e.origin, b.sid, any, &hit, r->err);
        return rc || hit.there ? rc : add_alias(r, e.origin, b.sid, ALIAS_ENTRY, at[0], at[1]);
    }
    if (n == 1) {
        struct session_body body;
        struct session_row row;
        const char *id;

        if (snap->ops->session_get(snap->v, r->a, at[0], &row, NULL) ||
            body_read(session_fields, row.body, &body, NULL) || !*body.origin)
            return BOUGH_OK;
        id = arena_printf(r->a, "session:%s", body.origin);
        rc = snap->ops->alias_find(snap->v, id, 0, any, &hit, r->err);
        return rc || hit.there ? rc : add_alias(r, id, 0, ALIAS_SESSION, at[0], 0);
    }
    return rc;
}
