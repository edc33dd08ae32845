/* Find sessions, entries, records and groups by id, slug, number, prefix or foreign id. */
#include "store/lookup/find.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/check.h"

enum { CANDIDATES = 5 };

static enum bough_rc bad_text(const char *text, const char *what, struct bough_error *err)
{
    if (!text || !*text)
        return bough_fail(err, BOUGH_INVALID, "no %s was given", what);
    if (strlen(text) > LIMIT_ID)
        return bough_fail(err, BOUGH_TOO_LARGE, "a %s of more than %d bytes", what, LIMIT_ID);
    return BOUGH_OK;
}

/* A number of at most 10 digits; -1 if `p` is anything else. */
static int64_t number(const char *p, size_t n)
{
    int64_t v = 0;

    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)p[i]) || n > 10)
            return -1;
        v = v * 10 + (p[i] - '0');
    }
    return n ? v : -1;
}

/* ---- sessions ---- */

static enum bough_rc no_session(const char *text, struct bough_error *err)
{
    return bough_fail(err, BOUGH_NOT_FOUND, "no session %.40s", text);
}

static enum bough_rc alive(struct snap *snap, int64_t sid, const char *text,
                           struct bough_error *err)
{
    bool purged = false;
    struct identity who;
    enum bough_rc rc = snap_identity(snap, sid, &who, err);

    if (rc == BOUGH_NOT_FOUND)
        return no_session(text, err);
    if (!rc)
        rc = snap_purged(snap, sid, &purged, err);
    if (!rc && purged)
        rc = bough_fail(err, BOUGH_GONE, "session %.40s was purged", text);
    return rc;
}

struct hit {
    int64_t a, b;
    size_t n;
    struct snap *snap;
    int64_t sid;
    struct bough_str prefix;
    char (*ids)[BOUGH_ID_LEN + 1]; /* room for CANDIDATES */
    bool own;                      /* the hit is in the session's own scope and wins over others */
};

static bool first_alias(void *user, const struct alias_row *row)
{
    struct hit *h = user;

    h->a = row->a;
    h->b = row->b;
    h->n++;
    return false;
}

static bool prefix_hit(void *user, const struct session_row *row)
{
    struct hit *h = user;
    char id[BOUGH_ID_LEN + 1];

    id_session(row->made, row->sid, row->chk, id);
    if (row->purged || strncasecmp(id, h->prefix.p, h->prefix.n) != 0)
        return true;
    h->a = row->sid;
    if (h->n < CANDIDATES)
        memcpy(h->ids[h->n], id, sizeof id);
    return ++h->n <= CANDIDATES;
}

static enum bough_rc several(const struct hit *h, const char *text, struct bough_error *err)
{
    char list[CANDIDATES * (BOUGH_ID_LEN + 2) + 8] = "";
    size_t n = 0;

    for (size_t i = 0; i < h->n && i < CANDIDATES; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", h->ids[i]);
    if (h->n > CANDIDATES)
        snprintf(list + n, sizeof list - n, ", ...");
    return bough_fail(err, BOUGH_AMBIGUOUS, "several sessions start with %.40s: %s", text, list);
}

static bool is_base32(struct bough_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!isalnum((unsigned char)s.p[i]) || strchr("ILOUilou", s.p[i]))
            return false;
    return true;
}

static enum bough_rc by_prefix(struct snap *snap, const char *text, int64_t *sid,
                               struct bough_error *err)
{
    char ids[CANDIDATES][BOUGH_ID_LEN + 1];
    struct hit h = { .prefix = str_of(text), .ids = ids };
    char lo[BOUGH_ID_LEN + 1], hi[BOUGH_ID_LEN + 1];
    struct id from, to;
    enum bough_rc rc;

    if (h.prefix.n < FIND_PREFIX_LEAST || h.prefix.n >= BOUGH_ID_LEN || !is_base32(h.prefix))
        return no_session(text, err);
    memset(lo, '0', BOUGH_ID_LEN);
    memset(hi, 'Z', BOUGH_ID_LEN);
    memcpy(lo, text, h.prefix.n);
    memcpy(hi, text, h.prefix.n);
    if (!id_parse(str_make(lo, BOUGH_ID_LEN), &from) || !id_parse(str_make(hi, BOUGH_ID_LEN), &to))
        return no_session(text, err);
    rc = snap->ops->session_made(snap->v, from.made, to.made, prefix_hit, &h, err);
    if (rc)
        return rc;
    if (h.n > 1)
        return several(&h, text, err);
    if (!h.n)
        return no_session(text, err);
    *sid = h.a;
    return BOUGH_OK;
}

/* A number without '#', which shells take for a comment. Ids begin with 0, numbers do not. */
static enum bough_rc by_number(struct snap *snap, const char *text, int64_t *sid,
                               struct bough_error *err)
{
    *sid = number(text, strlen(text));
    return text[0] == '0' || *sid < 1 ? BOUGH_NOT_FOUND : alive(snap, *sid, text, err);
}

/* An id of this store locates its row: one lookup, no index. */
enum bough_rc find_session_by_id(struct snap *snap, const char *text, int64_t *sid,
                                 struct bough_error *err)
{
    struct identity who;
    struct id id;
    enum bough_rc rc;

    *sid = 0;
    if (!id_parse(str_of(text), &id) || id.space != 0 || id.position != 0 || id.number < 1)
        return BOUGH_OK;
    rc = snap_identity(snap, id.number, &who, err);
    if (!rc && who.made == id.made && who.chk == id.chk)
        *sid = id.number;
    return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
}

enum bough_rc find_session(struct snap *snap, const char *text, int64_t *sid,
                           struct bough_error *err)
{
    struct hit h = { 0 };
    char alias[LIMIT_ID + 16];
    enum bough_rc rc = bad_text(text, "session", err);

    if (rc || !text)
        return rc;
    if (text[0] == '#') {
        *sid = number(text + 1, strlen(text + 1));
        return alive(snap, *sid, text, err);
    }
    rc = find_session_by_id(snap, text, sid, err);
    if (rc || *sid)
        return rc ? rc : alive(snap, *sid, text, err);
    snprintf(alias, sizeof alias, "session:%s", text);
    rc = snap->ops->alias_find(snap->v, alias, 0, first_alias, &h, err);
    if (rc)
        return rc;
    if (h.n) {
        *sid = h.a;
        return alive(snap, *sid, text, err);
    }
    rc = snap->ops->session_by_slug(snap->v, text, sid, err);
    if (rc != BOUGH_NOT_FOUND)
        return rc;
    rc = by_number(snap, text, sid, err);
    return rc == BOUGH_NOT_FOUND ? by_prefix(snap, text, sid, err) : rc;
}

enum bough_rc find_session_fast(struct bough_store *s, const char *text, int64_t *sid,
                                struct bough_error *err)
{
    struct snap snap;
    struct identity who;
    struct id id;
    enum bough_rc rc;

    if (text && id_parse(str_of(text), &id) && id.space == 0 && id.position == 0 &&
        cache_identity(s->e, id.number, &who) && who.made == id.made && who.chk == id.chk) {
        *sid = id.number;
        return BOUGH_OK;
    }
    rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = find_session(&snap, text, sid, err);
    snap_end(&snap);
    return rc;
}

/* ---- entries ---- */

struct visible {
    struct snap *snap;
    int64_t sid;
    struct bough_head at;
    bool found;
    enum bough_rc rc;
    struct bough_error *err;
};

/* Does the branch, or one of its ancestors, contain the entry on its path? */
static bool runs_through(void *user, const struct branch_row *row)
{
    struct visible *v = user;
    struct branch_row b = *row;

    if (b.bid == v->at.branch) {
        v->found = true;
        return false;
    }
    while (!v->rc && b.parent && b.base >= v->at.depth) {
        if (b.parent == v->at.branch) {
            v->found = true;
            return false;
        }
        v->rc = snap_branch(v->snap, b.parent, &b, v->err);
        if (!v->rc && b.sid == v->sid)
            return true; /* a branch of the same session: the scan visits it anyway */
    }
    return !v->rc;
}

enum bough_rc entry_visible(struct snap *snap, int64_t sid, struct bough_head at, bool *visible,
                            struct bough_error *err)
{
    struct visible v = { .snap = snap, .sid = sid, .at = at, .err = err };
    struct branch_row b;
    enum bough_rc rc = snap_branch(snap, at.branch, &b, err);

    *visible = !rc && b.sid == sid;
    if (rc || *visible)
        return rc;
    rc = snap->ops->branch_of(snap->v, sid, runs_through, &v, err);
    *visible = v.found;
    return rc ? rc : v.rc;
}

static enum bough_rc no_entry(const char *text, struct bough_error *err)
{
    return bough_fail(err, BOUGH_NOT_FOUND, "no entry %.40s", text);
}

/* "#branch.depth" */
static bool by_place(const char *text, struct bough_head *out)
{
    const char *dot = strchr(text, '.');

    if (text[0] != '#' || !dot)
        return false;
    out->branch = number(text + 1, (size_t)(dot - text - 1));
    out->depth = number(dot + 1, strlen(dot + 1));
    return true;
}

/* Entry `at` must exist and, if `id` is given, must have that id. */
static enum bough_rc check_there(struct snap *snap, const char *text, struct bough_head at,
                                 const struct id *id, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct entry_row row;
    struct branch_row b;
    struct pack_head h;
    enum bough_rc rc = snap->ops->entry_get(snap->v, tmp, at.branch, at.depth, &row, err);

    if (rc == BOUGH_NOT_FOUND && id &&
        snap->ops->branch_get(snap->v, at.branch, &b, NULL) == BOUGH_OK && b.cut >= 0 &&
        at.depth > b.cut)
        rc = bough_fail(err, BOUGH_GONE, "entry %.40s was purged", text);
    else if (rc == BOUGH_NOT_FOUND)
        rc = no_entry(text, err);
    else if (!rc && id &&
             (!pack_entry_head(row.body, &h) || h.made != id->made || h.chk != id->chk) &&
             !pack_is_stub(row.body))
        rc = no_entry(text, err);
    bough_arena_destroy(tmp);
    return rc;
}

static bool alias_hit(void *user, const struct alias_row *row)
{
    struct hit *h = user;
    bool visible = true;

    if ((row->what & 0xff) != ALIAS_ENTRY)
        return true;
    if (h->sid && row->scope != h->sid &&
        (entry_visible(h->snap, h->sid, (struct bough_head){ row->a, row->b }, &visible, NULL) ||
         !visible))
        return true;
    if (h->own)
        return true;
    h->own = h->sid && row->scope == h->sid;
    h->n = h->own ? 1 : h->n + 1;
    h->a = row->a;
    h->b = row->b;
    return true;
}

static enum bough_rc by_alias(struct snap *snap, int64_t sid, const char *text,
                              struct bough_head *out, struct bough_error *err)
{
    struct hit h = { .snap = snap, .sid = sid };
    enum bough_rc rc = snap->ops->alias_find(snap->v, text, -1, alias_hit, &h, err);

    if (rc)
        return rc;
    if (h.n > 1)
        return bough_fail(err, BOUGH_AMBIGUOUS, "several entries came with the id %.40s", text);
    if (!h.n)
        return no_entry(text, err);
    *out = (struct bough_head){ h.a, h.b };
    return BOUGH_OK;
}

static enum bough_rc must_see(struct snap *snap, int64_t sid, const char *text,
                              struct bough_head at, struct bough_error *err)
{
    bool visible = true;
    enum bough_rc rc = entry_visible(snap, sid, at, &visible, err);

    if (rc || visible)
        return rc;
    /* Anybody can guess a slot: do not tell that it exists. */
    if (text[0] == '#')
        return no_entry(text, err);
    return bough_fail(err, BOUGH_INVALID, "entry %.40s is not on a path of this session", text);
}

enum bough_rc find_entry(struct snap *snap, int64_t sid, const char *text, struct bough_head *out,
                         struct bough_error *err)
{
    enum bough_rc rc = bad_text(text, "entry", err);
    struct bough_str s = str_of(text);
    bool visible = true;
    struct id id;

    if (rc)
        return rc;
    if (s.n == BOUGH_PART_ID_LEN && s.p[BOUGH_ID_LEN] == '.')
        s.n = BOUGH_ID_LEN;
    if (by_place(text, out)) {
        rc = check_there(snap, text, *out, NULL, err);
    } else if (id_parse(s, &id) && id.space == 0 && id.position > 0) {
        *out = (struct bough_head){ id.number, id.position };
        rc = check_there(snap, text, *out, &id, err);
        if (!rc && sid)
            rc = entry_visible(snap, sid, *out, &visible, err);
        /* The id is of another store or of a session this one was copied from: try it as a foreign
         * id. */
        if (rc == BOUGH_NOT_FOUND || (!rc && !visible)) {
            struct bough_head copy;

            if (by_alias(snap, sid, text, &copy, rc ? err : NULL) == BOUGH_OK) {
                *out = copy;
                rc = BOUGH_OK;
            }
        }
    } else {
        rc = by_alias(snap, sid, text, out, err);
    }
    if (rc || !sid)
        return rc;
    return must_see(snap, sid, text, *out, err);
}

/* ---- records and groups ---- */

enum bough_rc find_record(struct snap *snap, const char *text, enum record_kind kind,
                          enum bough_rc missing, int64_t *sid, int64_t *ord,
                          struct bough_error *err)
{
    struct id id;

    if (cstr_empty(text) || !id_parse(str_of(text), &id) || id.space != 1 ||
        id.position >> 28 != (int64_t)kind)
        return bough_fail(err, missing, "nothing has the id %.40s", text ? text : "");
    (void)snap;
    *sid = id.number;
    *ord = id.position & LIMIT_RECORD;
    return BOUGH_OK;
}

static const struct {
    const char *name;
    enum record_kind kind;
} groups[] = {
    { "project", RECORD_PROJECT },
    { "workspace", RECORD_WORKSPACE },
    { "account", RECORD_ACCOUNT },
};

enum record_kind group_kind(const char *name)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (cstr_eq(groups[i].name, name))
            return groups[i].kind;
    return 0;
}

static const char *group_word(enum record_kind kind)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i].kind == kind)
            return groups[i].name;
    return "";
}

static char *group_alias(struct bough_arena *a, enum record_kind kind, const char *name)
{
    return arena_printf(a, "%s:%s", group_word(kind), name);
}

enum bough_rc find_group(struct snap *snap, enum record_kind kind, const char *name, int64_t *ord,
                         struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct hit h = { 0 };
    enum bough_rc rc =
        snap->ops->alias_find(snap->v, group_alias(tmp, kind, name), 0, first_alias, &h, err);

    bough_arena_destroy(tmp);
    if (rc)
        return rc;
    if (!h.n)
        return bough_fail(err, BOUGH_NOT_FOUND, "no %s %.60s", group_word(kind), name);
    *ord = h.b & LIMIT_RECORD;
    return BOUGH_OK;
}

struct make_place {
    enum record_kind kind;
    const char *name;
    int64_t ord;
};

static enum bough_rc prepare_place(struct prep *p, void *user, struct bough_error *err)
{
    struct make_place *m = user;
    struct group_body body = { .made = p->now, .name = m->name, .created = p->now };
    struct snap *snap;
    struct change *c;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = find_group(snap, m->kind, m->name, &m->ord, err);
    if (rc != BOUGH_NOT_FOUND)
        return rc; /* it exists by now, or the lookup failed */
    m->ord = 0;
    body.chk = (int64_t)(env_u64(&p->e->env) & 0xffff);
    c = txn_change(p, CHANGE_RECORD_PUT);
    c->u.record =
        (struct record_row){ .kind = m->kind, .body = body_pack(p->a, group_fields, &body) };
    c = txn_change(p, CHANGE_ALIAS_ADD);
    c->u.alias = (struct alias_row){ .id = group_alias(p->a, m->kind, m->name),
                                     .what = (int64_t)m->kind << 8 | ALIAS_RECORD,
                                     .b = NEW_RECORD(0) };
    txn_changelog(p, CHANGELOG_RECORD, 0, 1);
    p->t->log.record = NEW_RECORD(0);
    p->t->log.record_kind = m->kind;
    return BOUGH_OK;
}

enum bough_rc group_ensure(struct bough_store *s, enum record_kind kind, const char *name,
                           int64_t *ord, struct bough_error *err)
{
    struct make_place m = { kind, name, 0 };
    struct request r = { .prepare = prepare_place, .user = &m };
    struct bough_arena *tmp;
    struct snap snap;
    enum bough_rc rc;

    *ord = 0;
    if (cstr_empty(name))
        return BOUGH_OK;
    rc = check_text("the name of a place", name, LIMIT_PATH, err);
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = find_group(&snap, kind, name, ord, err);
    snap_end(&snap);
    if (rc != BOUGH_NOT_FOUND)
        return rc;
    tmp = bough_arena_create();
    rc = write_run(s, tmp, &r, err);
    *ord = m.ord ? m.ord : r.txn.ords[0];
    bough_arena_destroy(tmp);
    return rc;
}
