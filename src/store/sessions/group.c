/* Groups (projects, workspaces, accounts): list them with their sessions, and delete one. */
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/find.h"
#include "store/sessions/session.h"
#include "store/write/audit.h"

struct listing {
    struct bough_arena *a;
    struct bough_groups *out;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool list_place(void *user, const struct record_row *row)
{
    struct listing *l = user;
    struct bough_groups *out = l->out;
    struct group_body b;
    struct bough_group *to;

    if (row->deleted)
        return true;
    l->rc = body_read(group_fields, arena_str(l->a, row->body), &b, l->err);
    if (l->rc)
        return false;
    out->at = arena_room(l->a, out->at, out->n, sizeof *out->at);
    to = &out->at[out->n++];
    *to = (struct bough_group){ .name = b.name, .created = b.created };
    id_record(b.made, 0, row->kind, row->ord, b.chk, to->id);
    return true;
}

static enum bough_rc kind_of(const char *word, enum record_kind *kind, struct bough_error *err)
{
    *kind = group_kind(word);
    return *kind
               ? BOUGH_OK
               : bough_fail(err, BOUGH_INVALID,
                            "%.40s is not one of project, workspace and account", word ? word : "");
}

static struct bough_session_list_options of_place(enum record_kind kind, const char *name)
{
    struct bough_session_list_options f = { .include_deleted = true, .limit = LIMIT_PAGE };

    if (kind == RECORD_PROJECT)
        f.project = name;
    else if (kind == RECORD_WORKSPACE)
        f.workspace = name;
    else
        f.account = name;
    return f;
}

static enum bough_rc count_sessions(struct bough_store *s, struct bough_arena *a,
                                    enum record_kind kind, struct bough_group *place,
                                    struct bough_error *err)
{
    struct bough_session_list_options f = of_place(kind, place->name);
    struct bough_sessions found;
    enum bough_rc rc;

    do {
        rc = bough_session_list(s, a, &f, &found, err);
        place->sessions += (int64_t)found.n;
        f.cursor = found.next;
    } while (!rc && *found.next);
    return rc;
}

enum bough_rc bough_group_list(struct bough_store *s, struct bough_arena *a, const char *kind,
                               struct bough_groups *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct listing l = { .a = a, .out = out, .err = err };
    enum record_kind k;
    struct snap snap;
    enum bough_rc rc = kind_of(kind, &k, err);

    *out = (struct bough_groups){ 0 };
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = snap.ops->record_scan(snap.v, 0, k, 1, false, list_place, &l, err);
    snap_end(&snap);
    if (!rc)
        rc = l.rc;
    for (size_t i = 0; i < out->n && !rc; i++)
        rc = count_sessions(s, a, k, &out->at[i], err);
    return rc;
}

/* ---- removing ---- */

struct removing {
    struct bough_store *s;
    enum record_kind kind;
    const char *word, *name;
};

static enum bough_rc prepare_remove(struct prep *p, void *user, struct bough_error *err)
{
    struct removing *in = user;
    struct record_row row;
    struct snap *snap;
    int64_t ord;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = find_group(snap, in->kind, in->name, &ord, err);
    if (!rc)
        rc = snap->ops->record_get(snap->v, p->a, 0, in->kind, ord, &row, err);
    if (rc)
        return rc;
    row.deleted = p->now;
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
    txn_change(p, CHANGE_ALIAS_DEL)->u.alias =
        (struct alias_row){ .id = arena_printf(p->a, "%s:%s", in->word, in->name) };
    audit_put(p, in->s->principal, arena_printf(p->a, "delete %s", in->word), in->name, "");
    txn_changelog(p, CHANGELOG_RECORD, 0, 1);
    p->t->log.record = ord;
    p->t->log.record_kind = in->kind;
    return BOUGH_OK;
}

/* Detach a session from a deleted group. Deleting a project purges its sessions; other groups only
 * release theirs. */
static enum bough_rc leave(struct bough_store *s, struct bough_arena *a, enum record_kind kind,
                           const struct bough_session *one, struct bough_error *err)
{
    struct bough_session_update_options edit = { 0 };

    if (kind == RECORD_PROJECT)
        return bough_session_purge(s, a, one->id, NULL, err);
    if (kind == RECORD_WORKSPACE)
        edit.workspace = "";
    else
        edit.account = "";
    return session_unlink(s, one->id, &edit, err);
}

enum bough_rc bough_group_delete(struct bough_store *s, const char *kind, const char *name,
                                 int64_t *sessions, struct bough_error *err)
{
    REQUIRE(s, err);

    struct bough_arena *tmp = bough_arena_create();
    struct removing in = { .s = s, .word = kind, .name = name };
    struct request r = { .prepare = prepare_remove, .user = &in };
    struct bough_sessions found;
    int64_t count = 0;
    enum bough_rc rc = kind_of(kind, &in.kind, err);

    if (!rc && cstr_empty(name))
        rc = bough_fail(err, BOUGH_INVALID, "no %s was named", kind);
    while (!rc) {
        struct bough_session_list_options f = of_place(in.kind, name);

        rc = bough_session_list(s, tmp, &f, &found, err);
        for (size_t i = 0; i < found.n && !rc; i++, count++)
            rc = leave(s, tmp, in.kind, &found.at[i], err);
        if (!found.n)
            break;
    }
    if (!rc)
        rc = write_run(s, tmp, &r, err);
    if (sessions)
        *sessions = count;
    bough_arena_destroy(tmp);
    return rc;
}
