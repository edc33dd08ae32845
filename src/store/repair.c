/*
 * Repair: runs fsck, does what can be done about each finding, and runs it again until nothing more
 * changes. What is derived is built again, what is broken is moved aside, no message is rewritten.
 */
#include "store/repair.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/blob.h"
#include "store/path.h"
#include "store/purge.h"

enum {
    ROUNDS = 4,        /* one repair may bring another to light */
    FILL_MOST = 10000, /* entries put in for missing ones: more is no gap, it is another file */
};

void repair_say(struct repair *r, const char *code, const char *where, const char *fmt, ...)
{
    struct bough_finding what = { .code = code };
    va_list ap;

    snprintf(what.where, sizeof what.where, "%s", where);
    va_start(ap, fmt);
    vsnprintf(what.text, sizeof what.text, fmt, ap);
    va_end(ap);
    r->report->fixed++;
    r->done++;
    if (r->did)
        r->did(r->user, &what);
}

void repair_write(struct repair *r, const struct raw_row *row, bool remove)
{
    if (r->nrows == r->rows_cap) {
        r->rows_cap = r->rows_cap ? 2 * r->rows_cap : 16;
        r->rows = mem_realloc(r->rows, mem_array(r->rows_cap, sizeof *r->rows));
    }
    r->rows[r->nrows++] = (struct repair_row){ *row, remove };
}

/* In the writer's role; what it remembers of sessions may be wrong now. */
static enum bough_rc write_rows(struct repair *r)
{
    struct engine *e = r->s->e;
    struct patience p = store_patience(r->s);
    enum bough_rc rc = r->nrows ? writer_take(e, &p, r->err) : BOUGH_OK;

    if (rc || !r->nrows)
        return rc;
    for (size_t i = 0; i < r->nrows && !rc; i++)
        rc = e->ops->raw_fix(e->backend, &r->rows[i].row, r->rows[i].remove, r->err);
    r->nrows = 0;
    state_drop_all(e);
    writer_give(e);
    return rc;
}

/* ---- what was found ---- */

struct found {
    struct bough_finding *at;
    size_t n, cap;
};

static void keep(void *user, const struct bough_finding *f)
{
    struct found *list = user;

    for (size_t i = list->n; i-- > 0 && list->n - i < 8;) /* the same row, again */
        if (strcmp(list->at[i].where, f->where) == 0 && strcmp(list->at[i].code, f->code) == 0)
            return;
    if (list->n == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 64;
        list->at = mem_realloc(list->at, mem_array(list->cap, sizeof *list->at));
    }
    list->at[list->n++] = *f;
}

/* "#1.2", "#1", "record 1.2.3", "log 7": how many numbers follow the word. */
static int numbers(const char *where, const char *word, int64_t out[3])
{
    size_t n = strlen(word);
    char *end;
    int k = 0;

    if (strncmp(where, word, n) != 0)
        return 0;
    for (const char *p = where + n; k < 3 && *p >= '0' && *p <= '9'; p = end + (*end == '.')) {
        out[k++] = strtoll(p, &end, 10);
        if (*end != '.' && *end)
            return 0;
    }
    return k;
}

/* ---- entries ---- */

static bool reads(struct snap *snap, struct bough_arena *a, const struct entry_row *row)
{
    enum bough_part_type type;
    struct bough_entry e;
    struct pack_extra x;

    if (pack_entry_read(a, row->body, &e, &x, NULL) || e.at.depth != row->depth)
        return false;
    for (size_t i = 0; i < e.nparts; i++)
        if (bough_part_check(e.parts[i].json, &type, NULL) || type != e.parts[i].type)
            return false;
    return blob_expand(snap, a, &x, &e, NULL) == BOUGH_OK;
}

/* Columns that repeat what the body says. */
static enum bough_rc fix_columns(struct repair *r, const struct bough_finding *f,
                                 const struct entry_row *row)
{
    struct raw_row put = { .table = RAW_ENTRY, .u.entry = *row };
    struct bough_entry e;
    struct pack_extra x;
    int64_t mask;

    if (pack_entry_read(r->a, row->body, &e, &x, NULL))
        return BOUGH_OK;
    mask = entry_mask(&e) | (row->mask & MASK_UNLINKED);
    if (row->kind == (int64_t)e.kind && row->mask == mask)
        return BOUGH_OK; /* something else is wrong with it, which is its own */
    put.u.entry.kind = e.kind;
    put.u.entry.mask = mask;
    repair_write(r, &put, false);
    repair_say(r, f->code, f->where, "its columns say again what its body says");
    return BOUGH_OK;
}

static enum bough_rc fix_entry(struct repair *r, struct snap *snap, const struct bough_finding *f,
                               int64_t bid, int64_t depth)
{
    struct raw_row row = { .table = RAW_ENTRY };
    struct branch_row b;
    int64_t ord;
    enum bough_rc rc = snap->ops->entry_get(snap->v, r->a, bid, depth, &row.u.entry, r->err);
    bool ghost;

    if (rc)
        return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
    ghost = snap->ops->branch_get(snap->v, bid, &b, NULL) != BOUGH_OK;
    if (!ghost && reads(snap, r->a, &row.u.entry))
        return fix_columns(r, f, &row.u.entry);
    rc = quarantine_row(r, snap, ghost ? 0 : b.sid, &row, f->where, f->text, &ord);
    if (!rc && ghost)
        repair_write(r, &row, true);
    else if (!rc)
        rc = quarantine_stub(r, snap, &b, depth, &row.u.entry, ord);
    if (!rc)
        repair_say(r, f->code, f->where, "quarantined as record %lld.%d.%lld",
                   (long long)(ghost ? 0 : b.sid), RECORD_QUARANTINE, (long long)ord);
    return rc;
}

/* Entries that are missing before `to`: something must hold their places. */
static enum bough_rc fill_gap(struct repair *r, struct snap *snap, const struct bough_finding *f,
                              int64_t bid, int64_t to)
{
    struct entry_row row;
    struct branch_row b;
    int64_t from = to;

    if (snap->ops->branch_get(snap->v, bid, &b, NULL))
        return BOUGH_OK;
    if (b.cut >= 0 && to > b.cut)
        to = from = b.cut;
    while (from > b.base && to - from < FILL_MOST &&
           snap->ops->entry_get(snap->v, r->a, bid, from, &row, NULL) == BOUGH_NOT_FOUND)
        from--;
    if (to == from)
        return BOUGH_OK;
    repair_say(r, f->code, f->where, "missing entry #%lld.%lld has something in its place",
               (long long)bid, (long long)from + 1);
    r->again = to > from + 1; /* the next one builds on this one */
    return quarantine_stub(r, snap, &b, from + 1, NULL, 0);
}

/* ---- records ---- */

struct record_by {
    const int64_t *at;
    struct bough_arena *a;
    struct raw_row *out;
    bool there;
};

/* As it lies there: one without a session is found by nobody else. */
static bool by_number(void *user, const struct raw_row *raw)
{
    const struct record_row *row = &raw->u.record;
    struct record_by *b = user;

    if (row->sid != b->at[0] || row->kind != b->at[1] || row->ord != b->at[2])
        return true;
    *b->out = *raw;
    b->out->u.record.body = str_make(arena_dup(b->a, row->body.p, row->body.n), row->body.n);
    b->there = true;
    return false;
}

static enum bough_rc fix_record(struct repair *r, struct snap *snap, const struct bough_finding *f,
                                const int64_t at[3])
{
    struct raw_row row = { .table = RAW_RECORD };
    struct session_row s;
    bool ghost = at[0] && snap->ops->session_get(snap->v, r->a, at[0], &s, NULL) != BOUGH_OK;
    struct record_by by = { at, r->a, &row, false };
    int64_t ord;
    enum bough_rc rc = snap->ops->raw_scan(snap->v, RAW_RECORD, by_number, &by, r->err);

    if (rc || !by.there || at[1] == RECORD_QUARANTINE)
        return rc;
    rc = quarantine_row(r, snap, ghost ? 0 : at[0], &row, f->where, f->text, &ord);
    if (!rc && ghost)
        repair_write(r, &row, true);
    else if (!rc)
        rc = quarantine_record(r, snap, &row.u.record);
    if (!rc)
        repair_say(r, f->code, f->where, "quarantined as record %lld.%d.%lld",
                   (long long)(ghost ? 0 : at[0]), RECORD_QUARANTINE, (long long)ord);
    return rc;
}

static enum bough_rc fill_records(struct repair *r, struct snap *snap,
                                  const struct bough_finding *f, const int64_t at[3])
{
    struct record_row row;
    int64_t ord = at[2];
    enum bough_rc rc = BOUGH_OK;

    while (--ord > 0 && at[2] - ord < FILL_MOST && !rc &&
           snap->ops->record_get(snap->v, r->a, at[0], at[1], ord, &row, NULL) == BOUGH_NOT_FOUND)
        rc = quarantine_record(
            r, snap,
            &(struct record_row){ .sid = at[0], .kind = at[1], .ord = ord, .body = str_of("") });
    if (!rc)
        repair_say(r, f->code, f->where, "%lld missing records have something in their places",
                   (long long)(at[2] - 1 - ord));
    return rc;
}

/* ---- sessions ---- */

static bool last_branch(void *user, const struct branch_row *b)
{
    *(int64_t *)user = b->bid;
    return true;
}

/* At the tip of its newest branch; nowhere when it has none. */
static enum bough_rc fix_head(struct repair *r, struct snap *snap, const struct bough_finding *f,
                              const struct session_row *s)
{
    struct raw_row put = { .table = RAW_HEAD };
    struct head_now now;
    enum bough_rc rc;

    put.u.head = (struct head_row){ .sid = s->sid, .ver = 1, .lease_owner = "" };
    if (snap->ops->head_get(snap->v, r->a, s->sid, &now, NULL) == BOUGH_OK) {
        put.u.head = now.row;
        put.u.head.ver++;
    }
    put.u.head.bid = put.u.head.depth = 0;
    rc = snap->ops->branch_of(snap->v, s->sid, last_branch, &put.u.head.bid, r->err);
    if (rc)
        return rc;
    repair_write(r, &put, false);
    repair_say(r, f->code, f->where, "its head is at the tip of branch %lld now",
               (long long)put.u.head.bid);
    return BOUGH_OK;
}

static enum bough_rc fix_session(struct repair *r, struct snap *snap, const struct bough_finding *f,
                                 int64_t sid)
{
    struct raw_row row = { .table = RAW_SESSION };
    struct session_body body;
    struct head_now now;
    int64_t ord;
    enum bough_rc rc = snap->ops->session_get(snap->v, r->a, sid, &row.u.session, r->err);

    if (rc || row.u.session.purged)
        return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
    if (body_read(session_fields, row.u.session.body, &body, NULL)) {
        rc = quarantine_row(r, snap, sid, &row, f->where, f->text, &ord);
        if (!rc)
            rc = quarantine_session(r, snap, &row.u.session);
        if (!rc)
            repair_say(r, f->code, f->where, "quarantined as record %lld.%d.%lld", (long long)sid,
                       RECORD_QUARANTINE, (long long)ord);
        return rc;
    }
    if (strcmp(f->code, "I-12") == 0 ||
        (strcmp(f->code, "I-05") == 0 &&
         snap->ops->head_get(snap->v, r->a, sid, &now, NULL) == BOUGH_NOT_FOUND))
        return fix_head(r, snap, f, &row.u.session);
    return BOUGH_OK; /* lists are built again anyway */
}

/* ---- links ---- */

/* The attachment that part i names, or that was moved out of one (i from nparts on). */
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
        return true; /* it cannot be told */
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

/* What the entry shows is linked; a file that is not there any more stays a finding. */
static enum bough_rc fix_links(struct repair *r, struct snap *snap, const struct bough_finding *f,
                               int64_t bid, int64_t depth)
{
    struct entry_row row;
    struct bough_entry e;
    struct pack_extra x;

    if (snap->ops->entry_get(snap->v, r->a, bid, depth, &row, NULL) ||
        pack_entry_read(r->a, row.body, &e, &x, NULL))
        return BOUGH_OK;
    if (!reads(snap, r->a, &row))
        return fix_entry(r, snap, f, bid, depth);
    for (size_t i = 0; i < e.nparts + x.nmoved; i++) {
        struct raw_row put = { .table = RAW_LINK };
        struct blob_row blob;
        unsigned char hash[32];

        if (!nth_shown(&e, &x, i, hash) || snap->ops->blob_find(snap->v, hash, &blob, NULL))
            continue;
        put.u.link = (struct link_row){ bid, depth, blob.bno };
        repair_write(r, &put, false);
    }
    repair_say(r, f->code, f->where, "what it shows is linked again");
    return BOUGH_OK;
}

static enum bough_rc drop_links(struct repair *r, struct snap *snap)
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
        repair_say(r, "I-47", where, "it does not show attachment %lld: the link is removed",
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

/* A blob that says it is linked and is not: the sweep shall look. */
static enum bough_rc loosen(struct repair *r, struct snap *snap, const struct bough_finding *f,
                            int64_t bno)
{
    struct blob_by b = { .bno = bno };
    enum bough_rc rc = snap->ops->raw_scan(snap->v, RAW_BLOB, by_bno, &b, r->err);

    if (rc || !b.there)
        return rc;
    b.row.u.blob.state = BLOB_LOOSE;
    repair_write(r, &b.row, false);
    repair_say(r, f->code, f->where, "the next sweep looks at it");
    return BOUGH_OK;
}

/* ---- one finding ---- */

static bool is(const struct bough_finding *f, const char *code)
{
    return strcmp(f->code, code) == 0;
}

static enum bough_rc fix_one(struct repair *r, struct snap *snap, const struct bough_finding *f)
{
    int64_t at[3] = { 0 };

    if (is(f, "I-47") && numbers(f->where, "#", at) == 2)
        return fix_links(r, snap, f, at[0], at[1]);
    if (is(f, "I-47") && numbers(f->where, "attachment ", at) == 1)
        return loosen(r, snap, f, at[0]);
    if (is(f, "I-11") && numbers(f->where, "#", at) == 2)
        return fill_gap(r, snap, f, at[0], at[1] - 1);
    if (is(f, "I-11") && numbers(f->where, "record ", at) == 3)
        return fill_records(r, snap, f, at);
    if (is(f, "I-43") && numbers(f->where, "log ", at) == 1) {
        struct log_row row;

        if (snap->ops->log_get(snap->v, at[0], &row, NULL) || row.kind != LOG_APPEND || !row.bid ||
            !strstr(f->text, "missing"))
            return BOUGH_OK;
        return fill_gap(r, snap, f, row.bid, row.depth);
    }
    if (!is(f, "I-04") && !is(f, "I-05") && !is(f, "I-10") && !is(f, "I-12") && !is(f, "I-29"))
        return BOUGH_OK;
    if (numbers(f->where, "#", at) == 2)
        return fix_entry(r, snap, f, at[0], at[1]);
    if (numbers(f->where, "record ", at) == 3)
        return fix_record(r, snap, f, at);
    if (numbers(f->where, "#", at) == 1)
        return fix_session(r, snap, f, at[0]);
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
    struct log_row row;

    if (n->snap->ops->log_get(n->snap->v, raw->u.key.no, &row, NULL) == BOUGH_NOT_FOUND)
        note_bad(n, raw);
    return true;
}

/* Names of what is not there. A key only keeps an append from being repeated. */
static enum bough_rc drop_names(struct repair *r, struct snap *snap)
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
        repair_say(r, alias ? "I-45" : "I-44", alias ? n->bad[i].u.alias.id : "key",
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
    repair_say(r, "I-45", id, "the thing that came with this id is found by it again");
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

/* An id that a thing says it came with, and that does not find it. */
static enum bough_rc add_names(struct repair *r, struct snap *snap, const struct bough_finding *f)
{
    int64_t at[3];
    struct hit hit = { false };
    int n = numbers(f->where, "#", at);
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

/* ---- the run ---- */

static enum bough_rc fix_snapped(struct repair *r, const struct bough_finding *f)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(r->s, &snap, r->err);

    if (rc)
        return rc;
    bough_arena_reset(r->a);
    r->again = false;
    if (!f)
        rc = drop_names(r, &snap);
    if (!f && !rc)
        rc = drop_links(r, &snap);
    if (f)
        rc = is(f, "I-45") ? add_names(r, &snap, f) : fix_one(r, &snap, f);
    snap_end(&snap);
    return rc ? rc : write_rows(r);
}

static enum bough_rc fix_found(struct repair *r, const struct found *list)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < list->n && !rc; i++) {
        int times = 0;

        do
            rc = fix_snapped(r, &list->at[i]);
        while (!rc && r->again && ++times < FILL_MOST);
    }
    return rc ? rc : fix_snapped(r, NULL);
}

static enum bough_rc rebuild_all(struct repair *r)
{
    enum bough_rc rc = BOUGH_OK;

    for (const struct projection *p = all_projections; p->name && !rc; p++) {
        struct bough_arena *a = bough_arena_create();
        struct request q = { .prepare = p->rebuild };

        rc = write_run(r->s, a, &q, r->err);
        bough_arena_destroy(a);
    }
    return rc;
}

static enum bough_rc check(struct repair *r, enum bough_fsck_level level, struct found *list)
{
    list->n = 0;
    return bough_store_fsck(r->s, level, keep, list, &r->report->left, r->err);
}

/* Something besides what is quarantined already. */
static bool to_do(const struct found *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!is(&list->at[i], "I-50"))
            return true;
    return false;
}

static enum bough_rc run(struct repair *r, enum bough_fsck_level level, struct found *list)
{
    enum bough_rc rc = check(r, level, list);

    for (int round = 0; round < ROUNDS && !rc && to_do(list); round++) {
        r->done = 0;
        rc = purge_resume(r->s, r->err);
        if (!rc)
            rc = fix_found(r, list);
        if (!rc)
            rc = rebuild_all(r);
        if (!rc && !round)
            r->report->fixed++;
        if (!rc)
            rc = check(r, level, list);
        if (!r->done && round)
            break;
    }
    return rc;
}

enum bough_rc bough_store_repair(struct bough_store *s, enum bough_fsck_level level,
                                 void (*did)(void *user, const struct bough_finding *f),
                                 void (*left)(void *user, const struct bough_finding *f),
                                 void *user, struct bough_repair_report *report,
                                 struct bough_error *err)
{
    struct bough_repair_report nobody;
    struct found list = { 0 };
    struct repair r = { .s = s, .did = did, .user = user, .err = err };
    enum bough_rc rc;

    r.report = report ? report : &nobody;
    *r.report = (struct bough_repair_report){ 0 };
    if (s->e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    r.a = bough_arena_create();
    r.now = env_now(&s->e->env);
    rc = run(&r, level, &list);
    for (size_t i = 0; i < list.n && !rc && left; i++)
        left(user, &list.at[i]);
    mem_free(list.at);
    mem_free(r.rows);
    bough_arena_destroy(r.a);
    return rc;
}
