/* The prompt queue of a session, stored as records. Prompts are taken by ordinal unless promoted. A
 * prompt that was taken or removed stays as a deleted record, so that ordinals never decrease. */
#include <stdlib.h>
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
#include "store/notes/queue.h"
#include "store/sessions/session.h"

/* ---- reading the queue ---- */

struct item {
    int64_t ord, order;
};

struct queue {
    struct bough_arena *a;
    struct item *at; /* in the order they will be taken */
    size_t n;
    int64_t from; /* no waiting prompt has a smaller ordinal; 0: no prompt was ever added */
    enum bough_rc rc;
    struct bough_error *err;
};

static bool note_from(void *user, const struct record_row *row)
{
    struct queue *q = user;
    struct queue_body b;

    q->rc = body_read(queue_fields, row->body, &b, q->err);
    q->from = q->rc ? 0 : b.from ? b.from : row->ord;
    return false;
}

static bool note_item(void *user, const struct record_row *row)
{
    struct queue *q = user;
    struct queue_body b;

    if (row->deleted)
        return true;
    q->rc = body_read(queue_fields, row->body, &b, q->err);
    if (q->rc)
        return false;
    q->at = arena_room(q->a, q->at, q->n, sizeof *q->at);
    q->at[q->n++] = (struct item){ row->ord, b.order };
    return true;
}

static int by_order(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->ord > y->ord) - (x->ord < y->ord);
}

/* The newest record stores the first ordinal to scan, so that prompts taken long ago are not
 * read. */
static enum bough_rc queue_read(struct snap *snap, struct bough_arena *a, int64_t sid,
                                struct queue *q, struct bough_error *err)
{
    enum bough_rc rc;

    *q = (struct queue){ .a = a, .err = err };
    rc = snap->ops->record_scan(snap->v, sid, RECORD_QUEUE, 0, true, note_from, q, err);
    if (!rc && q->from)
        rc = snap->ops->record_scan(snap->v, sid, RECORD_QUEUE, q->from, false, note_item, q, err);
    if (q->n)
        qsort(q->at, q->n, sizeof *q->at, by_order);
    return rc ? rc : q->rc;
}

/* The smallest waiting ordinal; 0: none. */
static int64_t queue_from(const struct queue *q)
{
    int64_t from = 0;

    for (size_t i = 0; i < q->n; i++)
        if (!from || q->at[i].ord < from)
            from = q->at[i].ord;
    return from;
}

static enum bough_rc none(const char *id, struct bough_error *err)
{
    return bough_fail(err, BOUGH_NOT_FOUND, "no prompt %.40s waits in this queue", id ? id : "");
}

enum bough_rc queue_give(struct bough_arena *a, const char *session, const struct record_row *row,
                         struct bough_prompt *out, struct bough_error *err)
{
    struct bough_str copy = arena_str(a, row->body);
    struct queue_body b;
    enum bough_rc rc = body_read(queue_fields, copy, &b, err);

    if (rc)
        return rc;
    *out = (struct bough_prompt){ .session = arena_strdup(a, session),
                                  .content = b.content,
                                  .runtime_kind = b.runtime_kind,
                                  .provider = b.provider,
                                  .model = b.model,
                                  .workspace = b.workspace,
                                  .system_prompt = b.system_prompt,
                                  .adapter_id = b.adapter_id,
                                  .data = b.data.n ? b.data : str_of("{}"),
                                  .created = b.created,
                                  .updated = b.updated };
    id_record(b.made, row->sid, RECORD_QUEUE, row->ord, b.chk, out->id);
    return BOUGH_OK;
}

enum bough_rc bough_queue_list(struct bough_store *s, struct bough_arena *a, const char *session,
                               struct bough_prompts *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct record_row row;
    struct snap snap;
    struct queue q;
    struct identity who;
    char id[BOUGH_ID_LEN + 1];
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *out = (struct bough_prompts){ 0 };
    if (rc)
        return rc;
    rc = snap_identity(&snap, sid, &who, err);
    if (!rc)
        rc = queue_read(&snap, a, sid, &q, err);
    if (!rc) {
        id_session(who.made, sid, who.chk, id);
        out->at = arena_array(a, q.n ? q.n : 1, sizeof *out->at);
    }
    for (size_t i = 0; !rc && i < q.n; i++) {
        rc = snap.ops->record_get(snap.v, a, sid, RECORD_QUEUE, q.at[i].ord, &row, err);
        if (!rc)
            rc = queue_give(a, id, &row, &out->at[out->n++], err);
    }
    snap_end(&snap);
    return rc;
}

/* ---- changing the queue ---- */

struct job {
    int64_t sid;
    char session[BOUGH_ID_LEN + 1];
    const char *id; /* the prompt to change; NULL: the next one, or a new one */
    int64_t ord;
    struct queue_body body;                      /* add: what to store */
    const struct bough_queue_edit_options *edit; /* edit: the fields to set */
    bool remove;
    struct record_row row; /* the record as written */
};

static enum bough_rc job_begin(struct prep *p, struct job *j, struct snap **snap,
                               struct head_row *head, struct bough_error *err)
{
    struct session_loaded l;
    enum bough_rc rc = prep_snap(p, snap, err);

    if (!rc)
        rc = session_load_writable(*snap, p->a, j->sid, &l, err);
    if (rc)
        return rc;
    *head = l.head.row;
    id_session(l.row.made, j->sid, l.row.chk, j->session);
    return BOUGH_OK;
}

/* Load the prompt of the job. BOUGH_NOT_FOUND when it is not waiting. */
static enum bough_rc job_load(struct prep *p, struct snap *snap, struct job *j,
                              struct bough_error *err)
{
    char id[BOUGH_ID_LEN + 1];
    enum bough_rc rc =
        snap->ops->record_get(snap->v, p->a, j->sid, RECORD_QUEUE, j->ord, &j->row, err);

    if (rc == BOUGH_NOT_FOUND)
        return none(j->id, err);
    if (!rc)
        rc = body_read(queue_fields, j->row.body, &j->body, err);
    if (rc || !j->id)
        return rc;
    id_record(j->body.made, j->sid, RECORD_QUEUE, j->ord, j->body.chk, id);
    return strcasecmp(id, j->id) != 0 || j->row.deleted ? none(j->id, err) : BOUGH_OK;
}

/* `shapes`: the change depends on the rest of the queue. It then changes the head row's version, so
 * that concurrent changes of the queue lose their guard and are prepared again. */
static void job_put(struct prep *p, struct job *j, const struct head_row *head, bool shapes)
{
    j->row.body = body_pack(p->a, queue_fields, &j->body);
    if (shapes)
        txn_change(p, CHANGE_HEAD_SET)->u.head = *head;
    else
        txn_guard(p, guard_head(j->sid, head->ver));
    txn_change(p, CHANGE_RECORD_PUT)->u.record = j->row;
    txn_changelog(p, CHANGELOG_RECORD, j->sid, 1);
    p->t->log.record = j->row.ord ? j->row.ord : NEW_RECORD(0);
    p->t->log.record_kind = RECORD_QUEUE;
}

/* Find the session and the prompt `j->id`, run the request, and return the written record. */
static enum bough_rc job_run(struct bough_store *s, struct bough_arena *a, const char *session,
                             struct job *j,
                             enum bough_rc (*prepare)(struct prep *, void *, struct bough_error *),
                             struct bough_prompt **out, struct bough_error *err)
{
    struct request r = { .prepare = prepare, .user = j };
    struct bough_arena *tmp = bough_arena_create();
    int64_t sid;
    enum bough_rc rc = find_session_fast(s, session, &j->sid, err);

    if (!rc && j->id) {
        rc = find_record(NULL, j->id, RECORD_QUEUE, BOUGH_NOT_FOUND, &sid, &j->ord, err);
        if (!rc && sid != j->sid)
            rc = none(j->id, err);
    }
    r.sid = j->sid;
    if (!rc)
        rc = write_run(s, tmp, &r, err);
    if (!rc && out) {
        j->row.ord = j->row.ord ? j->row.ord : r.txn.ords[0];
        *out = arena_alloc(a, sizeof **out);
        rc = queue_give(a, j->session, &j->row, *out, err);
    }
    bough_arena_destroy(tmp);
    return rc;
}

/* ---- add ---- */

static enum bough_rc add(struct prep *p, struct snap *snap, struct job *j,
                         const struct head_row *head, struct bough_error *err)
{
    struct queue q;
    enum bough_rc rc = queue_read(snap, p->a, j->sid, &q, err);

    if (rc)
        return rc;
    if (q.n >= LIMIT_PENDING)
        return bough_fail(err, BOUGH_OVERLOADED, "the queue is full: %d prompts wait",
                          LIMIT_PENDING);
    j->body.made = p->now;
    j->body.created = j->body.created ? j->body.created : p->now;
    j->body.updated = j->body.updated ? j->body.updated : j->body.created;
    j->body.chk = (int64_t)(env_u64(&p->e->env) & 0xffff);
    j->body.from = queue_from(&q);
    j->row = (struct record_row){ .sid = j->sid, .kind = RECORD_QUEUE };
    job_put(p, j, head, true);
    return BOUGH_OK;
}

static enum bough_rc prepare_add(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    struct head_row head;
    struct snap *snap;
    enum bough_rc rc = job_begin(p, j, &snap, &head, err);

    return rc ? rc : add(p, snap, j, &head, err);
}

enum bough_rc queue_add_in(struct prep *p, struct snap *snap, const struct head_row *head,
                           const struct queue_body *body, struct record_row *out,
                           struct bough_error *err)
{
    struct job j = { .sid = head->sid, .body = *body };
    enum bough_rc rc = add(p, snap, &j, head, err);

    *out = j.row;
    return rc;
}

enum bough_rc queue_next_in(struct prep *p, struct snap *snap, int64_t sid, struct record_row *out,
                            struct queue_body *body, struct bough_error *err)
{
    struct queue q;
    enum bough_rc rc = queue_read(snap, p->a, sid, &q, err);

    *out = (struct record_row){ 0 };
    if (rc || !q.n)
        return rc;
    rc = snap->ops->record_get(snap->v, p->a, sid, RECORD_QUEUE, q.at[0].ord, out, err);
    return rc ? rc : body_read(queue_fields, out->body, body, err);
}

static enum bough_rc check_content(const char *content, struct bough_error *err)
{
    enum bough_rc rc = check_text("the prompt", content, LIMIT_TEXT, err);

    if (!rc && !text_trim(str_of(content)).n)
        rc = bough_fail(err, BOUGH_INVALID, "a prompt needs content");
    return rc;
}

enum bough_rc queue_check(const struct bough_prompt *in, struct bough_error *err)
{
    const struct {
        const char *what, *text;
        int64_t most;
    } texts[] = {
        { "the kind of runtime", in->runtime_kind, LIMIT_NAME },
        { "the provider", in->provider, LIMIT_NAME },
        { "the model", in->model, LIMIT_NAME },
        { "the workspace", in->workspace, LIMIT_PATH },
        { "the system prompt", in->system_prompt, LIMIT_TEXT },
        { "the adapter's id", in->adapter_id, LIMIT_NAME },
    };
    enum bough_rc rc = check_content(in->content, err);

    for (size_t i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        rc = check_text(texts[i].what, texts[i].text, texts[i].most, err);
    return rc ? rc : check_object("the data", in->data, LIMIT_DATA, err);
}

enum bough_rc bough_queue_add(struct bough_store *s, struct bough_arena *a, const char *session,
                              const struct bough_prompt *in, struct bough_prompt **out,
                              struct bough_error *err)
{
    REQUIRE(s && a && in, err);

    struct job j = { .body = { .content = in->content,
                               .runtime_kind = in->runtime_kind,
                               .provider = in->provider,
                               .model = in->model,
                               .workspace = in->workspace,
                               .system_prompt = in->system_prompt,
                               .adapter_id = in->adapter_id,
                               .data = in->data,
                               .created = in->created > 0 ? in->created : 0,
                               .updated = in->updated > 0 ? in->updated : 0 } };
    enum bough_rc rc = RESERVED_CHECK(bough_prompt, in, err);

    if (!rc)
        rc = queue_check(in, err);
    return rc ? rc : job_run(s, a, session, &j, prepare_add, out, err);
}

/* ---- edit, remove, promote, take ---- */

static enum bough_rc prepare_edit(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    struct head_row head;
    struct snap *snap;
    enum bough_rc rc = job_begin(p, j, &snap, &head, err);

    if (!rc)
        rc = job_load(p, snap, j, err);
    if (rc)
        return rc;
    if (j->remove) {
        j->row.deleted = p->now;
    } else {
        if (!j->edit->content && !j->edit->data.n)
            return BOUGH_OK;
        if (j->edit->content)
            j->body.content = j->edit->content;
        if (j->edit->data.n)
            j->body.data = j->edit->data;
        j->body.updated = p->now;
    }
    job_put(p, j, &head, false);
    return BOUGH_OK;
}

enum bough_rc bough_queue_edit(struct bough_store *s, struct bough_arena *a, const char *session,
                               const char *id, const struct bough_queue_edit_options *edit,
                               struct bough_prompt **out, struct bough_error *err)
{
    REQUIRE(s && a && edit, err);

    struct job j = { .id = id ? id : "", .edit = edit };
    enum bough_rc rc = RESERVED_CHECK(bough_queue_edit_options, edit, err);

    if (!rc && edit->content)
        rc = check_content(edit->content, err);
    if (!rc)
        rc = check_object("the data", edit->data, LIMIT_DATA, err);
    return rc ? rc : job_run(s, a, session, &j, prepare_edit, out, err);
}

enum bough_rc bough_queue_remove(struct bough_store *s, const char *session, const char *id,
                                 struct bough_error *err)
{
    REQUIRE(s, err);

    struct job j = { .id = id ? id : "", .remove = true };

    return job_run(s, NULL, session, &j, prepare_edit, NULL, err);
}

static enum bough_rc prepare_promote(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    struct head_row head;
    struct snap *snap;
    struct queue q = { 0 };
    enum bough_rc rc = job_begin(p, j, &snap, &head, err);

    if (!rc)
        rc = job_load(p, snap, j, err);
    if (!rc)
        rc = queue_read(snap, p->a, j->sid, &q, err);
    if (rc || !q.n || q.at[0].ord == j->ord)
        return rc;
    j->body.order = q.at[0].order - 1;
    job_put(p, j, &head, true);
    return BOUGH_OK;
}

enum bough_rc bough_queue_promote(struct bough_store *s, const char *session, const char *id,
                                  struct bough_error *err)
{
    REQUIRE(s, err);

    struct job j = { .id = id ? id : "" };

    return job_run(s, NULL, session, &j, prepare_promote, NULL, err);
}

static enum bough_rc prepare_take(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    struct head_row head;
    struct snap *snap;
    struct queue q;
    enum bough_rc rc = job_begin(p, j, &snap, &head, err);

    if (!rc)
        rc = queue_read(snap, p->a, j->sid, &q, err);
    if (!rc && !q.n)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "the queue of this session is empty");
    if (rc)
        return rc;
    j->ord = q.at[0].ord;
    rc = job_load(p, snap, j, err);
    if (rc)
        return rc;
    j->row.deleted = p->now;
    job_put(p, j, &head, false);
    return BOUGH_OK;
}

enum bough_rc bough_queue_take(struct bough_store *s, struct bough_arena *a, const char *session,
                               struct bough_prompt **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct job j = { 0 };

    return job_run(s, a, session, &j, prepare_take, out, err);
}
