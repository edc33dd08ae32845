/* Todos: one list per session, replaced as a whole. */
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"

/* H37: in_progress counts as incomplete too. Returns false for an unknown status, which is rejected
 * on input. */
static bool count_one(struct bough_todos *t, const char *status)
{
    t->total++;
    if (strcmp(status, "completed") == 0) {
        t->completed++;
    } else if (strcmp(status, "cancelled") == 0) {
        t->cancelled++;
    } else if (strcmp(status, "in_progress") == 0) {
        t->in_progress++;
        t->incomplete++;
    } else if (strcmp(status, "pending") == 0) {
        t->incomplete++;
    } else {
        return false;
    }
    return true;
}

static enum bough_rc check_items(const struct bough_todo *items, size_t n, struct bough_todos *sum,
                                 struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    *sum = (struct bough_todos){ 0 };
    if (n > LIMIT_PAGE)
        return bough_fail(err, BOUGH_TOO_LARGE, "a list has at most %d todos", LIMIT_PAGE);
    for (size_t i = 0; i < n && !rc; i++) {
        if (!count_one(sum, items[i].status ? items[i].status : ""))
            return bough_fail(err, BOUGH_INVALID,
                              "todo %zu: a status is pending, in_progress, completed or cancelled",
                              i + 1);
        rc = check_text("a todo", items[i].content, LIMIT_TEXT, err);
        if (!rc)
            rc = check_text("a priority", items[i].priority, LIMIT_NAME, err);
    }
    return rc;
}

static enum bough_rc items_json(struct bough_arena *a, const struct bough_todo *items, size_t n,
                                struct bough_str *out, struct bough_error *err)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_TEXT);
    jw_init(&w, &b);
    jw_arr(&w);
    for (size_t i = 0; i < n; i++) {
        jw_obj(&w);
        jw_kv_cstr(&w, "content", items[i].content ? items[i].content : "");
        jw_kv_cstr(&w, "status", items[i].status);
        jw_opt_cstr(&w, "priority", items[i].priority);
        jw_end_obj(&w);
    }
    jw_end_arr(&w);
    *out = text_keep(a, &b);
    buf_finish(&b);
    return b.over ? bough_fail(err, BOUGH_TOO_LARGE, "the list of todos is too long") : BOUGH_OK;
}

struct replacing {
    int64_t sid;
    struct todo_body body;
};

static enum bough_rc prepare_todos(struct prep *p, void *user, struct bough_error *err)
{
    struct replacing *in = user;
    struct record_row row = { .sid = in->sid, .kind = RECORD_TODO };
    struct record_row old;
    struct session_loaded l;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = session_load_writable(snap, p->a, in->sid, &l, err);
    if (rc)
        return rc;
    if (snap->ops->record_get(snap->v, p->a, in->sid, RECORD_TODO, 1, &old, NULL) == BOUGH_OK) {
        row.ord = 1;
        row.ver = old.ver;
    } else {
        /* The head row's version guards against two concurrent first lists. */
        txn_change(p, CHANGE_HEAD_SET)->u.head = l.head.row;
    }
    in->body.updated = p->now;
    row.body = body_pack(p->a, todo_fields, &in->body);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
    txn_changelog(p, CHANGELOG_RECORD, in->sid, 1);
    p->t->log.record = 1;
    p->t->log.record_kind = RECORD_TODO;
    return BOUGH_OK;
}

enum bough_rc bough_todo_replace(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const struct bough_todo *items, size_t n, struct bough_todos *out,
                                 struct bough_error *err)
{
    REQUIRE(s && a && (items || !n), err);

    struct replacing in = { 0 };
    struct request r = { .prepare = prepare_todos, .user = &in };
    struct bough_todos sum;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n && !rc; i++)
        rc = RESERVED_CHECK(bough_todo, &items[i], err);
    if (!rc)
        rc = check_items(items, n, &sum, err);
    if (!rc)
        rc = items_json(a, items, n, &in.body.items, err);
    if (!rc)
        rc = find_session_fast(s, session, &in.sid, err);
    r.sid = in.sid;
    if (!rc)
        rc = write_run(s, a, &r, err);
    if (rc || !out)
        return rc;
    return bough_todo_get(s, a, session, out, err);
}

static void read_items(struct bough_arena *a, struct json items, struct bough_todos *out)
{
    struct json_iter it = json_iter(items);

    out->at = arena_array(a, json_count(items) + 1, sizeof *out->at);
    while (json_next(&it)) {
        struct bough_todo *t = &out->at[out->n++];
        const char *priority = json_cstr(a, it.value, "priority");

        t->content = json_cstr(a, it.value, "content");
        t->status = json_cstr(a, it.value, "status");
        t->priority = priority ? priority : "";
        (void)count_one(out, t->status ? t->status : "");
    }
}

enum bough_rc bough_todo_get(struct bough_store *s, struct bough_arena *a, const char *session,
                             struct bough_todos *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct record_row row;
    struct todo_body body;
    struct json items;
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *out = (struct bough_todos){ 0 };
    if (rc)
        return rc;
    if (!rc && snap.ops->record_get(snap.v, a, sid, RECORD_TODO, 1, &row, NULL) == BOUGH_OK) {
        rc = body_read(todo_fields, row.body, &body, err);
        if (!rc)
            rc = json_parse(a, body.items, &items, err);
        if (!rc) {
            read_items(a, items, out);
            out->updated = body.updated;
        }
    }
    snap_end(&snap);
    return rc;
}
