/* Memories: stored facts of a session, of a project, or of the whole store. */
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "store/contract/id.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"
#include "store/write/import_api.h"

/* A scope, and where its memories are stored: with a session, or with the store. */
struct of {
    enum bough_memory_scope scope;
    int64_t sid;     /* 0: the store */
    int64_t project; /* ordinal of the project; 0: none */
    const char *name;
};

static enum bough_rc resolve_scope(struct bough_store *s, struct bough_arena *a,
                                   enum bough_memory_scope scope, const char *of, bool make,
                                   struct of *out, struct bough_error *err)
{
    struct bough_session *session;
    struct snap snap;
    enum bough_rc rc;

    *out = (struct of){ .scope = scope, .name = "" };
    if (scope == BOUGH_MEMORY_OF_STORE)
        return BOUGH_OK;
    if (scope == BOUGH_MEMORY_OF_SESSION) {
        rc = bough_session_get(s, a, of, &session, err);
        if (!rc) {
            out->sid = session->number;
            out->name = session->id;
        }
        return rc;
    }
    if (scope != BOUGH_MEMORY_OF_PROJECT || cstr_empty(of))
        return bough_fail(err, BOUGH_INVALID,
                          "a memory belongs to a session, a project, or everything");
    out->name = of;
    if (make)
        return group_ensure(s, RECORD_PROJECT, of, &out->project, err);
    rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = find_group(&snap, RECORD_PROJECT, of, &out->project, err);
    snap_end(&snap);
    return rc;
}

static void memory_fill(struct bough_arena *a, const struct of *of, const struct record_row *row,
                        const struct memory_body *b, struct bough_memory *out)
{
    *out = (struct bough_memory){ .scope = of->scope,
                                  .of = arena_strdup(a, of->name),
                                  .title = b->title,
                                  .body = b->body,
                                  .content = b->content,
                                  .source = b->source,
                                  .path = b->path,
                                  .created = b->created,
                                  .updated = b->updated,
                                  .deleted = row->deleted };
    id_record(b->made, row->sid, RECORD_MEMORY, row->ord, b->chk, out->id);
}

/* ---- add ---- */

/* The memories of a session can be changed only while the session is writable. */
static enum bough_rc check_scope(struct prep *p, int64_t sid, struct bough_error *err)
{
    struct session_loaded l;
    struct snap *snap;
    enum bough_rc rc = sid ? prep_snap(p, &snap, err) : BOUGH_OK;

    return rc || !sid ? rc : session_load_writable(snap, p->a, sid, &l, err);
}

struct adding {
    struct of of;
    int64_t given, updated, deleted; /* times set by an import; 0: not given */
    struct memory_body body;
};

static enum bough_rc prepare_add(struct prep *p, void *user, struct bough_error *err)
{
    struct adding *in = user;
    enum bough_rc rc = check_scope(p, in->of.sid, err);

    if (rc)
        return rc;
    in->body.made = in->body.updated = p->now;
    in->body.created = in->given ? in->given : p->now;
    in->body.updated = in->updated ? in->updated : p->now;
    in->body.chk = (int64_t)(env_u64(&p->e->env) & 0xffff);
    txn_change(p, CHANGE_RECORD_PUT)->u.record =
        (struct record_row){ .sid = in->of.sid,
                             .kind = RECORD_MEMORY,
                             .deleted = in->deleted,
                             .body = body_pack(p->a, memory_fields, &in->body) };
    txn_changelog(p, CHANGELOG_RECORD, in->of.sid, 1);
    p->t->log.record = NEW_RECORD(0);
    p->t->log.record_kind = RECORD_MEMORY;
    return BOUGH_OK;
}

static enum bough_rc check_memory(const struct bough_memory *in, struct bough_error *err)
{
    const char *const texts[] = { in->title, in->body, in->content, in->source, in->path };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        rc = check_text("a memory", texts[i], LIMIT_TEXT, err);
    return rc;
}

static enum bough_rc memory_add(struct bough_store *s, struct bough_arena *a,
                                const struct bough_memory *in, int64_t updated, int64_t deleted,
                                struct bough_memory **out, struct bough_error *err)
{
    struct adding add = { .given = in->created > 0 ? in->created : 0,
                          .updated = updated,
                          .deleted = deleted,
                          .body = { .title = in->title,
                                    .body = in->body,
                                    .source = in->source,
                                    .path = in->path,
                                    .scope = in->scope } };
    struct request r = { .prepare = prepare_add, .user = &add };
    struct bough_str content = text_trim(str_of(in->content));
    struct record_row row;
    enum bough_rc rc = check_memory(in, err);

    if (!rc && !content.n)
        rc = bough_fail(err, BOUGH_INVALID, "a memory needs content");
    if (!rc)
        rc = resolve_scope(s, a, in->scope, in->of, true, &add.of, err);
    if (rc)
        return rc;
    add.body.content = arena_strndup(a, content.p, content.n);
    add.body.project = add.of.project;
    rc = write_run(s, a, &r, err);
    if (rc)
        return rc;
    row = (struct record_row){ .sid = add.of.sid, .kind = RECORD_MEMORY, .ord = r.txn.ords[0] };
    if (!out)
        return BOUGH_OK;
    *out = arena_alloc(a, sizeof **out);
    if (!add.body.title)
        add.body.title = "";
    add.body.body = add.body.body ? add.body.body : "";
    add.body.source = add.body.source ? add.body.source : "";
    add.body.path = add.body.path ? add.body.path : "";
    memory_fill(a, &add.of, &row, &add.body, *out);
    return BOUGH_OK;
}

enum bough_rc bough_memory_add(struct bough_store *s, struct bough_arena *a,
                               const struct bough_memory *in, struct bough_memory **out,
                               struct bough_error *err)
{
    REQUIRE(s && a && in, err);

    enum bough_rc rc = RESERVED_CHECK(bough_memory, in, err);

    return rc ? rc : memory_add(s, a, in, 0, 0, out, err);
}

enum bough_rc memory_add_at(struct bough_store *s, struct bough_arena *a,
                            const struct bough_memory *in, struct bough_error *err)
{
    struct bough_memory *out;

    return memory_add(s, a, in, in->updated, in->deleted, &out, err);
}

/* ---- list ---- */

struct listing {
    struct bough_arena *a;
    const struct of *of;
    struct bough_memories *out;
    bool all; /* deleted memories too */
    enum bough_rc rc;
    struct bough_error *err;
};

static bool list_one(void *user, const struct record_row *row)
{
    struct listing *l = user;
    struct bough_memories *out = l->out;
    struct memory_body b;
    struct bough_str copy;

    if (row->deleted && !l->all)
        return true;
    copy = arena_str(l->a, row->body);
    l->rc = body_read(memory_fields, copy, &b, l->err);
    if (l->rc || b.scope != (int64_t)l->of->scope || b.project != l->of->project)
        return !l->rc;
    out->at = arena_room(l->a, out->at, out->n, sizeof *out->at);
    memory_fill(l->a, l->of, row, &b, &out->at[out->n++]);
    return true;
}

static enum bough_rc memory_list(struct bough_store *s, struct bough_arena *a,
                                 enum bough_memory_scope scope, const char *of, bool all,
                                 struct bough_memories *out, struct bough_error *err)
{
    struct of where;
    struct listing l = { .a = a, .of = &where, .out = out, .all = all, .err = err };
    struct snap snap;
    enum bough_rc rc;

    *out = (struct bough_memories){ 0 };
    rc = resolve_scope(s, a, scope, of, false, &where, err);
    if (rc == BOUGH_NOT_FOUND && scope == BOUGH_MEMORY_OF_PROJECT)
        return BOUGH_OK; /* the project does not exist, so it has no memories */
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = snap.ops->record_scan(snap.v, where.sid, RECORD_MEMORY, 1, false, list_one, &l, err);
    snap_end(&snap);
    return rc ? rc : l.rc;
}

enum bough_rc bough_memory_list(struct bough_store *s, struct bough_arena *a,
                                enum bough_memory_scope scope, const char *of,
                                struct bough_memories *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    return memory_list(s, a, scope, of, false, out, err);
}

enum bough_rc memory_list_all(struct bough_store *s, struct bough_arena *a,
                              enum bough_memory_scope scope, const char *of,
                              struct bough_memories *out, struct bough_error *err)
{
    return memory_list(s, a, scope, of, true, out, err);
}

/* ---- delete ---- */

struct forgetting {
    struct of of;
    const char *id;
    int64_t ord;
    struct record_row row;
    struct memory_body body;
};

static enum bough_rc none(const char *id, struct bough_error *err)
{
    return bough_fail(err, BOUGH_MEMORY_NOT_FOUND, "no memory %.40s", id ? id : "");
}

static enum bough_rc prepare_forget(struct prep *p, void *user, struct bough_error *err)
{
    struct forgetting *f = user;
    struct snap *snap;
    char id[BOUGH_ID_LEN + 1];
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = check_scope(p, f->of.sid, err);
    if (rc)
        return rc;
    if (snap->ops->record_get(snap->v, p->a, f->of.sid, RECORD_MEMORY, f->ord, &f->row, NULL))
        return none(f->id, err);
    rc = body_read(memory_fields, f->row.body, &f->body, err);
    if (rc)
        return rc;
    id_record(f->body.made, f->of.sid, RECORD_MEMORY, f->ord, f->body.chk, id);
    if (strcasecmp(id, f->id) != 0 || f->row.deleted || f->body.scope != (int64_t)f->of.scope ||
        f->body.project != f->of.project)
        return none(f->id, err);
    f->body.updated = f->row.deleted = p->now;
    f->row.body = body_pack(p->a, memory_fields, &f->body);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = f->row;
    txn_changelog(p, CHANGELOG_RECORD, f->of.sid, 1);
    p->t->log.record = f->ord;
    p->t->log.record_kind = RECORD_MEMORY;
    return BOUGH_OK;
}

enum bough_rc bough_memory_forget(struct bough_store *s, struct bough_arena *a,
                                  enum bough_memory_scope scope, const char *of, const char *id,
                                  struct bough_memory **out, struct bough_error *err)
{
    REQUIRE(s && a, err);

    struct forgetting f = { .id = id };
    struct request r = { .prepare = prepare_forget, .user = &f };
    int64_t sid;
    enum bough_rc rc = resolve_scope(s, a, scope, of, false, &f.of, err);

    if (rc == BOUGH_NOT_FOUND && scope == BOUGH_MEMORY_OF_PROJECT)
        return none(id, err); /* the project does not exist, so it has no memories */
    if (!rc)
        rc = find_record(NULL, id, RECORD_MEMORY, BOUGH_MEMORY_NOT_FOUND, &sid, &f.ord, err);
    if (!rc && sid != f.of.sid)
        rc = none(id, err);
    if (!rc)
        rc = write_run(s, a, &r, err);
    if (rc)
        return rc;
    if (out) {
        *out = arena_alloc(a, sizeof **out);
        memory_fill(a, &f.of, &f.row, &f.body, *out);
    }
    return BOUGH_OK;
}
