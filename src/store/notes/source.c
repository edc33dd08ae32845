/* Import sources: records of the store, found by path through an alias. */
#include <string.h>

#include "base/limits.h"
#include "base/os/process.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/lookup/check.h"
#include "store/sessions/session.h"

#define CLAIM_MOST                                                                                 \
    (INT64_C(24) * 3600 * 1000) /* maximum duration of a claim; a longer import                    \
                                   renews it */

static enum bough_rc check_path(const char *path, struct bough_error *err)
{
    if (cstr_empty(path))
        return bough_fail(err, BOUGH_INVALID, "a source needs a path");
    return check_text("the path of a source", path, LIMIT_PATH, err);
}

static char *alias_of(struct bough_arena *a, const char *path)
{
    return arena_printf(a, "source:%s", path);
}

static bool note_ord(void *user, const struct alias_row *row)
{
    *(int64_t *)user = row->b & LIMIT_RECORD;
    return false;
}

/* Load the record and body of a source. BOUGH_NOT_FOUND when the path is unknown. */
static enum bough_rc load(struct snap *snap, struct bough_arena *a, const char *path,
                          struct record_row *row, struct source_body *body, struct bough_error *err)
{
    int64_t ord = 0;
    enum bough_rc rc = snap->ops->alias_find(snap->v, alias_of(a, path), 0, note_ord, &ord, err);

    if (rc)
        return rc;
    if (!ord)
        return bough_fail(err, BOUGH_NOT_FOUND, "nothing was imported from %.160s", path);
    rc = snap->ops->record_get(snap->v, a, 0, RECORD_SOURCE, ord, row, err);
    if (rc == BOUGH_NOT_FOUND)
        rc = bough_fail(err, BOUGH_CORRUPT, "the record of source %.160s is missing", path);
    return rc ? rc : body_read(source_fields, row->body, body, err);
}

/* Convert a record for the caller; everything is copied into `a`. */
static enum bough_rc give(struct bough_arena *a, struct bough_str body, int64_t ver,
                          struct bough_source *out, struct bough_error *err)
{
    struct bough_str copy = arena_str(a, body);
    struct source_body b;
    enum bough_rc rc = body_read(source_fields, copy, &b, err);

    if (rc)
        return rc;
    *out = (struct bough_source){ .path = b.path,
                                  .format = b.format,
                                  .hash = b.hash,
                                  .session = b.session,
                                  .size = b.size,
                                  .offset = b.offset,
                                  .owner = b.owner,
                                  .expires = b.expires,
                                  .updated = b.updated,
                                  .ver = ver };
    return BOUGH_OK;
}

enum bough_rc bough_source_get(struct bough_store *s, struct bough_arena *a, const char *path,
                               struct bough_source **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct source_body body;
    struct record_row row = { 0 };
    struct snap snap;
    enum bough_rc rc = check_path(path, err);

    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = load(&snap, a, path, &row, &body, err);
    snap_end(&snap);
    if (rc)
        return rc;
    *out = arena_alloc(a, sizeof **out);
    return give(a, row.body, row.ver, *out, err);
}

/* ---- writing ---- */

struct job {
    const struct bough_source *in; /* put: the new values; NULL: a claim */
    const char *path, *owner;
    int64_t ms;
    struct bough_str body; /* the body written, and its version */
    int64_t ver;
};

/* BOUGH_BUSY when another owner's claim has not expired. An owner may end with a space and
 * process_self(): the claim ends with that process. */
static enum bough_rc check_claim(const struct source_body *body, const char *owner, int64_t now,
                                 struct bough_error *err)
{
    const char *space = strrchr(body->owner, ' ');

    if (body->expires <= now || strcmp(body->owner, owner) == 0)
        return BOUGH_OK;
    if (space && process_dead(space + 1))
        return BOUGH_OK;
    return bough_hint(err,
                      bough_fail(err, BOUGH_BUSY, "%.60s reads %.120s for at most %lld s more",
                                 body->owner, body->path,
                                 (long long)((body->expires - now + 999) / 1000)),
                      "wait until it is done, and import again");
}

static void set_place(struct source_body *body, const struct bough_source *in)
{
    body->format = in->format;
    body->hash = in->hash;
    body->session = in->session;
    body->size = in->size;
    body->offset = in->offset;
}

static enum bough_rc prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    struct record_row row = { .kind = RECORD_SOURCE };
    struct source_body body = { .path = j->path, .owner = "" };
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = load(snap, p->a, j->path, &row, &body, err);
    if (rc && rc != BOUGH_NOT_FOUND)
        return rc;
    rc = check_claim(&body, j->owner, p->now, err);
    if (!rc && j->in && j->in->ver != row.ver)
        rc = bough_fail(err, BOUGH_CONFLICT, "the source %.120s has version %lld by now", j->path,
                        (long long)row.ver);
    if (rc)
        return rc;
    if (j->in) {
        set_place(&body, j->in);
    } else {
        body.owner = j->owner;
        body.expires = j->ms ? p->now + j->ms : 0;
    }
    body.updated = p->now;
    j->body = row.body = body_pack(p->a, source_fields, &body);
    j->ver = row.ver + 1;
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
    if (!row.ord) /* the alias is unique, so that concurrent first puts cannot create two */
        txn_change(p, CHANGE_ALIAS_ADD)->u.alias =
            (struct alias_row){ .id = alias_of(p->a, j->path),
                                .what = (int64_t)RECORD_SOURCE << 8 | ALIAS_RECORD,
                                .b = NEW_RECORD(0) };
    txn_changelog(p, CHANGELOG_RECORD, 0, 1);
    p->t->log.record = row.ord ? row.ord : NEW_RECORD(0);
    p->t->log.record_kind = RECORD_SOURCE;
    return BOUGH_OK;
}

static enum bough_rc run(struct bough_store *s, struct bough_arena *a, struct job *j,
                         struct bough_source **out, struct bough_error *err)
{
    struct request r = { .prepare = prepare, .user = j };
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc = write_run(s, tmp, &r, err);

    if (!rc && out) {
        *out = arena_alloc(a, sizeof **out);
        rc = give(a, j->body, j->ver, *out, err);
    }
    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc bough_source_put(struct bough_store *s, struct bough_arena *a,
                               const struct bough_source *in, struct bough_source **out,
                               struct bough_error *err)
{
    REQUIRE(s && a && in, err);

    struct job j = { .in = in, .path = in->path, .owner = in->owner ? in->owner : "" };
    enum bough_rc rc = RESERVED_CHECK(bough_source, in, err);

    if (!rc)
        rc = check_path(in->path, err);
    if (!rc)
        rc = check_text("the format", in->format, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the hash", in->hash, LIMIT_ID, err);
    if (!rc)
        rc = check_text("the session", in->session, LIMIT_ID, err);
    if (!rc && (in->size < 0 || in->offset < 0))
        rc = bough_fail(err, BOUGH_INVALID, "a size or an offset is not below 0");
    return rc ? rc : run(s, a, &j, out, err);
}

enum bough_rc bough_source_claim(struct bough_store *s, struct bough_arena *a, const char *path,
                                 const char *owner, int64_t ms, struct bough_source **out,
                                 struct bough_error *err)
{
    REQUIRE(s && a, err);

    struct job j = { .path = path, .owner = owner, .ms = ms };
    enum bough_rc rc = check_path(path, err);

    if (!rc && cstr_empty(owner))
        rc = bough_fail(err, BOUGH_INVALID, "a claim needs an owner");
    if (!rc)
        rc = check_text("the owner", owner, LIMIT_NAME, err);
    if (!rc && (ms < 0 || ms > CLAIM_MOST))
        rc = bough_fail(err, BOUGH_INVALID, "a claim lasts from 0 to %lld ms",
                        (long long)CLAIM_MOST);
    return rc ? rc : run(s, a, &j, out, err);
}

/* ---- list ---- */

struct listing {
    struct bough_arena *a;
    struct bough_sources *out;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool list_one(void *user, const struct record_row *row)
{
    struct listing *l = user;
    struct bough_sources *out = l->out;
    struct bough_source one;

    l->rc = give(l->a, row->body, row->ver, &one, l->err);
    if (l->rc)
        return false;
    out->at = arena_room(l->a, out->at, out->n, sizeof *out->at);
    out->at[out->n++] = one;
    return true;
}

enum bough_rc bough_source_list(struct bough_store *s, struct bough_arena *a,
                                struct bough_sources *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct listing l = { .a = a, .out = out, .err = err };
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *out = (struct bough_sources){ 0 };
    if (rc)
        return rc;
    rc = snap.ops->record_scan(snap.v, 0, RECORD_SOURCE, 1, false, list_one, &l, err);
    snap_end(&snap);
    return rc ? rc : l.rc;
}
