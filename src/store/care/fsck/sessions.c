/* fsck, sessions: session rows, head rows and parents. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "core/model/slug.h"
#include "core/model/text.h"
#include "store/care/fsck/fsck.h"
#include "store/contract/id.h"
#include "store/lookup/session_load.h"

#define MADE_MAX ((INT64_C(1) << 48) - 1)
#define DAY_MS (INT64_C(24) * 3600 * 1000)
enum { CHAIN_MAX = 100000 };

static uint64_t hash_names(const struct session_body *b)
{
    return fsck_mix(hash_bytes(b->role_name, strlen(b->role_name)),
                    hash_bytes(b->provider_path, strlen(b->provider_path))) +
           fsck_mix(hash_bytes(b->model_name, strlen(b->model_name)),
                    hash_bytes(b->model_provider, strlen(b->model_provider)));
}

static void check_slug(struct fsck *f, const struct session_row *row)
{
    if (!slug_valid(row->slug))
        fsck_report(f, RULE_VALUE, at_session(row->sid), "its slug is not one: %.80s", row->slug);
    else if (smap_get(&f->slugs, str_of(row->slug), NULL))
        fsck_report(f, RULE_VALUE, at_session(row->sid), "another session has the slug %.80s",
                    row->slug);
    else
        smap_put(&f->slugs, str_of(row->slug), (uint64_t)row->sid);
}

/* Keep the values that later passes compare with. */
static void keep_body(struct fsck *f, struct fsck_session *s, const struct session_row *row,
                      const struct session_body *b)
{
    struct bough_str slug = text_fold(f->tmp, str_of(row->slug));
    struct bough_str title = text_fold(f->tmp, str_of(b->title));
    char *both = arena_printf(f->tmp, "%s\n%s\n", slug.p, title.p);
    struct id id;

    s->fork_bid = b->fork_bid;
    s->fork_depth = b->fork_depth;
    s->forked = b->fork_bid || *b->fork_entry;
    s->fork_id = id_parse(str_of(b->fork_entry), &id) && id.number == b->fork_bid &&
                 id.position == b->fork_depth;
    s->project = b->project;
    s->workspace = b->workspace;
    s->account = b->account;
    s->created = b->created;
    s->totals_mode = b->totals_mode;
    s->origin = *b->origin ? hash_bytes(b->origin, strlen(b->origin)) : 0;
    s->names = hash_names(b);
    s->title_n = strlen(both);
    s->title = hash_bytes(both, s->title_n);
    s->title_words = fsck_title_words(f, b->title);
}

static void check_living(struct fsck *f, struct fsck_session *s, const struct session_row *row)
{
    struct fsck_where at = at_session(s->sid);
    struct session_body b;
    struct bough_error why;

    if (body_read(session_fields, row->body, &b, &why)) {
        fsck_report(f, RULE_VALUE, at, "%.150s", why.msg);
        s->damaged = true;
        return;
    }
    check_slug(f, row);
    s->damaged |= !fsck_texts(f, at, session_fields, &b);
    s->damaged |= !fsck_range(f, at, "its totals mode", b.totals_mode, 0, BOUGH_TOTALS_MANUAL);
    s->damaged |= !fsck_range(f, at, "its creation time", b.created, 0, INT64_MAX);
    fsck_range(f, at, "its project", b.project, 0, LIMIT_RECORD);
    fsck_range(f, at, "its workspace", b.workspace, 0, LIMIT_RECORD);
    fsck_range(f, at, "its account", b.account, 0, LIMIT_RECORD);
    keep_body(f, s, row, &b);
    s->came = *b.origin;
    s->exchanged = *b.client_key;
    if (s->forked && !row->parent)
        fsck_report(f, RULE_FORK_PARENT, at,
                    "it has a fork point, #%" PRId64 ".%" PRId64 ", but no parent", b.fork_bid,
                    b.fork_depth);
}

static bool each_session(void *user, const struct raw_row *raw)
{
    const struct session_row *row = &raw->u.session;
    struct fsck_where at = at_session(row->sid);
    struct fsck *f = user;
    struct fsck_session *s;

    bough_arena_reset(f->tmp);
    f->report->sessions++;
    if (!fsck_range(f, at, "its number", row->sid, 1, LIMIT_SESSION))
        return true;
    f->sessions = fsck_push(f->sessions, &f->nsessions, &f->sessions_cap, sizeof *f->sessions);
    s = &f->sessions[f->nsessions - 1];
    map_put(&f->by_sid, (uint64_t)row->sid, f->nsessions - 1);
    s->sid = row->sid;
    s->parent = row->parent;
    s->kind = row->kind;
    s->made = row->made;
    s->chk = row->chk;
    s->purged = s->came = row->purged;
    s->damaged |= !fsck_range(f, at, "its kind", row->kind, 0, BOUGH_SESSION_KIND_LAST);
    fsck_range(f, at, "its version", row->ver, 1, INT64_MAX);
    fsck_range(f, at, "the check in its id", row->chk, 0, 0xffff);
    if (fsck_range(f, at, "the time in its id", row->made, 0, MADE_MAX) &&
        row->made > f->now + DAY_MS)
        fsck_report(f, RULE_TIME, at, "it was made in the future");
    if (!row->purged)
        check_living(f, s, row);
    else if (row->body.n || *row->slug)
        fsck_report(f, RULE_ORPHAN, at, "it was purged, but its body or slug is still there");
    return true;
}

static bool each_head(void *user, const struct raw_row *raw)
{
    const struct head_row *row = &raw->u.head;
    struct fsck_where at = at_session(row->sid);
    struct fsck *f = user;
    struct fsck_session *s = fsck_session_of(f, row->sid);
    struct id id;

    if (!s) {
        fsck_report(f, RULE_ORPHAN, at, "there is a head row, but no session");
        return true;
    }
    s->has_head = true;
    s->bid = row->bid;
    s->depth = row->depth;
    s->status = row->status;
    s->run = held_by_run(row) ? 0 : -1;
    if (s->run == 0 &&
        id_parse(str_make(row->lease_owner + strlen(RUN_OWNER),
                          strcspn(row->lease_owner + strlen(RUN_OWNER), "@")),
                 &id) &&
        id.space == 1 && id.number == row->sid && id.position >> 28 == RECORD_STATE)
        s->run = id.position & LIMIT_RECORD;
    s->deleted = row->deleted;
    fsck_range(f, at, "the version of its head", row->ver, 1, INT64_MAX);
    fsck_range(f, at, "its status", row->status, 0, BOUGH_STATUS_LAST);
    fsck_range(f, at, "the time of its deletion", row->deleted, 0, INT64_MAX);
    fsck_range(f, at, "the epoch of its lease", row->lease_epoch, 0, INT64_MAX);
    fsck_range(f, at, "the start of its lease", row->lease_since, 0, INT64_MAX);
    fsck_range(f, at, "the end of its lease", row->lease_expires, 0, INT64_MAX);
    fsck_text(f, at, "the owner of its lease", str_of(row->lease_owner));
    return true;
}

/* Does the chain of parents lead back to the session? */
static bool in_cycle(const struct fsck *f, const struct fsck_session *s)
{
    const struct fsck_session *up = s;

    for (int i = 0; i < CHAIN_MAX && up && up->parent; i++) {
        up = fsck_session_of(f, up->parent);
        if (up == s)
            return true;
    }
    return false;
}

static void check_parents(struct fsck *f)
{
    for (size_t i = 0; i < f->nsessions; i++) {
        struct fsck_session *s = &f->sessions[i];
        struct fsck_where at = at_session(s->sid);

        if (!s->purged && !s->has_head)
            fsck_report(f, RULE_ORPHAN, at, "it has no head row");
        if (!s->parent)
            continue;
        if (!fsck_session_of(f, s->parent))
            fsck_report(f, RULE_PARENT, at, "its parent #%" PRId64 " does not exist", s->parent);
        else if (s->parent > s->sid && in_cycle(f, s))
            fsck_report(f, RULE_CYCLE, at, "it is an ancestor of its own parent #%" PRId64,
                        s->parent);
        else if (s->parent >= s->sid)
            fsck_report(f, RULE_PARENT, at, "its parent #%" PRId64 " is not older", s->parent);
    }
}

enum bough_rc fsck_sessions(struct fsck *f)
{
    enum bough_rc rc = f->ops->raw_scan(f->v, RAW_SESSION, each_session, f, f->err);

    if (!rc)
        rc = f->ops->raw_scan(f->v, RAW_HEAD, each_head, f, f->err);
    if (!rc)
        check_parents(f);
    return rc;
}
