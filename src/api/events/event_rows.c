/* The events of one changelog row. They show sessions and entries as they are when the
 * row is read. */
#include <stdio.h>
#include <string.h>

#include "api/events/event.h"
#include "api/kit/forms.h"
#include "api/kit/forms_run.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

const char *const event_names[EVENT_NAMES] = {
    [EVENT_SESSION_CREATED] = "session.created",
    [EVENT_SESSION_UPDATED] = "session.updated",
    [EVENT_SESSION_DELETED] = "session.deleted",
    [EVENT_ENTRY_CREATED] = "entry.created",
    [EVENT_MESSAGE_CREATED] = "message.created",
    [EVENT_MESSAGE_UPDATED] = "message.updated",
    [EVENT_PART_UPDATED] = "message.part.updated",
    [EVENT_PART_DELTA] = "message.part.delta",
    [EVENT_CALL_RECORDED] = "call.recorded",
    [EVENT_QUEUE_UPDATED] = "queue.updated",
    [EVENT_STORE_UPDATED] = "store.updated",
    [EVENT_RUN_CREATED] = "run.created",
    [EVENT_RUN_UPDATED] = "run.updated",
    [EVENT_APPROVAL_REQUESTED] = "approval.requested",
    [EVENT_APPROVAL_RESOLVED] = "approval.resolved",
};

/* Larger messages are sent without their parts, because a stream's queue is bounded. */
enum { WHOLE_MAX = 256 * 1024 };

/* ---- projects of sessions ---- */

static struct event_about *slot_of(struct event_reader *r, const char *session)
{
    unsigned h = 5381;

    for (const char *p = session; *p; p++)
        h = h * 33 + (unsigned char)*p;
    return &r->cached[h % EVENT_CACHED];
}

static void forget(struct event_reader *r, const char *session)
{
    slot_of(r, session)->session[0] = '\0';
}

void event_about(struct event_reader *r, const char *session, struct event_about *out)
{
    struct event_about *slot = slot_of(r, session);
    struct bough_arena *tmp;
    struct bough_session *s;

    if (strcmp(slot->session, session) != 0) {
        tmp = bough_arena_create();
        *slot = (struct event_about){ 0 };
        snprintf(slot->session, sizeof slot->session, "%s", session);
        slot->placed = bough_session_get(r->store, tmp, session, &s, NULL) == BOUGH_OK;
        if (slot->placed)
            sha256(s->project, strlen(s->project), slot->project);
        bough_arena_destroy(tmp);
    }
    *out = *slot;
}

/* ---- one row ---- */

struct telling {
    struct event_reader *r;
    const struct bough_change *c;
    struct bough_arena *a;
    struct event_about about;
    int64_t after, sub, last; /* `last`: sub-position of the row's last event */
    struct buf out;
    struct json_writer w;
};

/* Begin the next event of the row. False when the reader already has it. */
static bool begin(struct telling *t, enum event_name name)
{
    t->sub++;
    if (event_at(t->c->no, t->sub == t->last ? EVENT_ROW : t->sub) <= t->after)
        return false;
    t->about.name = name;
    buf_reset(&t->out);
    jw_init(&t->w, &t->out);
    jw_obj(&t->w);
    jw_kv_cstr(&t->w, "type", event_names[name]);
    jw_kv_i64(&t->w, "no", t->c->no);
    return true;
}

static void finish(struct telling *t)
{
    struct http_event e = { .name = event_names[t->about.name] };
    char id[64];
    int n;

    jw_end_obj(&t->w);
    jw_drop_breaks(&t->w);
    n = snprintf(id, sizeof id, "%lld-%lld", (long long)t->r->epoch, (long long)t->c->no);
    if (t->sub != t->last)
        snprintf(id + n, sizeof id - (size_t)n, ".%lld", (long long)t->sub);
    e.at = event_at(t->c->no, t->sub == t->last ? EVENT_ROW : t->sub);
    e.id = id;
    e.data = buf_str(&t->out);
    t->r->sink.take(t->r->sink.user, &e, &t->about);
}

/* The event is formatted once for all streams, so a parent in another project is
 * always left out. */
static void hide_parent(struct telling *t, struct bough_session *s)
{
    struct bough_session *up;

    if (*s->parent && (bough_session_get(t->r->store, t->a, s->parent, &up, NULL) ||
                       strcmp(up->project, s->project) != 0))
        s->parent = s->fork_entry = "";
}

static bool is(const struct bough_change *c, const char *kind)
{
    return strcmp(c->kind, kind) == 0;
}

/* What a row changed of a session. The event shows the session; labels, todo lists and memories
 * have to be read again. */
static const char *what_of(const struct bough_change *c)
{
    if (is(c, "record"))
        return c->record;
    if (is(c, "status") || is(c, "head") || is(c, "run") || is(c, "approval"))
        return c->kind;
    if (is(c, "restore"))
        return "restored";
    return is(c, "update") ? "fields" : "totals";
}

static void tell_session(struct telling *t, enum event_name name)
{
    struct bough_session *s;

    if (!begin(t, name))
        return;
    if (name == EVENT_SESSION_UPDATED)
        jw_kv_cstr(&t->w, "what", what_of(t->c));
    if (bough_session_get(t->r->store, t->a, t->c->session, &s, NULL) == BOUGH_OK) {
        hide_parent(t, s);
        jw_key(&t->w, "session");
        form_session(&t->w, s);
    } else { /* purged: only the id is left */
        jw_key(&t->w, "session");
        jw_obj(&t->w);
        jw_kv_cstr(&t->w, "id", t->c->session);
        jw_end_obj(&t->w);
    }
    finish(t);
}

static void put_entry(struct telling *t, struct bough_entry *e)
{
    size_t size = 0;

    for (size_t i = 0; i < e->nparts; i++)
        size += e->parts[i].json.n;
    jw_kv_cstr(&t->w, "session", t->c->session);
    if (size > WHOLE_MAX) {
        e->nparts = 0;
        jw_kv_bool(&t->w, "without_parts", true);
    }
    jw_key(&t->w, "message");
    form_entry(&t->w, e);
}

static void tell_entry(struct telling *t, const char *entry, enum event_name name)
{
    struct bough_entry *e;

    if (!begin(t, name) || bough_entry_get(t->r->store, t->a, NULL, entry, &e, NULL))
        return;
    if (name == EVENT_MESSAGE_CREATED && e->kind != BOUGH_ENTRY_MESSAGE) {
        t->sub--;
        (void)begin(t, EVENT_ENTRY_CREATED);
    }
    put_entry(t, e);
    finish(t);
}

/* The row names the last entry; the n - 1 before it lie directly below on the same branch. */
static void tell_entries(struct telling *t, int64_t n)
{
    struct bough_entry *last;
    struct bough_head at;

    if (bough_entry_get(t->r->store, t->a, NULL, t->c->entry, &last, NULL)) {
        t->sub += n;
        return;
    }
    at = last->at;
    for (int64_t i = n - 1; i >= 0; i--)
        tell_entry(
            t, arena_printf(t->a, "#%lld.%lld", (long long)at.branch, (long long)(at.depth - i)),
            EVENT_MESSAGE_CREATED);
}

static void tell_calls(struct telling *t)
{
    struct bough_call *call;

    for (size_t i = 0; i < t->c->ncalls; i++) {
        if (!begin(t, EVENT_CALL_RECORDED) ||
            bough_call_get(t->r->store, t->a, t->c->calls[i], &call, NULL))
            continue;
        jw_kv_cstr(&t->w, "session", t->c->session);
        jw_key(&t->w, "call");
        form_call(&t->w, call);
        finish(t);
    }
}

static void tell_queue(struct telling *t)
{
    struct bough_prompts waiting;

    if (!begin(t, EVENT_QUEUE_UPDATED) ||
        bough_queue_list(t->r->store, t->a, t->c->session, &waiting, NULL))
        return;
    jw_kv_cstr(&t->w, "session", t->c->session);
    jw_kv_i64(&t->w, "waiting", (int64_t)waiting.n);
    jw_kv_cstr(&t->w, "next", waiting.n ? waiting.at[0].id : NULL);
    finish(t);
}

/* Something changed that belongs to no session. The event only names the noun; its route has the
 * details and checks the scopes. */
static void tell_store(struct telling *t)
{
    const struct bough_change *c = t->c;

    t->last = 1;
    t->about = (struct event_about){ .placed = *c->project != '\0' };
    sha256(c->project, strlen(c->project), t->about.project);
    t->about.admin = strcmp(c->record, "token") == 0 || strcmp(c->record, "source") == 0 ||
                     strcmp(c->record, "state") == 0;
    if (!begin(t, EVENT_STORE_UPDATED))
        return;
    jw_kv_cstr(&t->w, "what", c->record);
    jw_opt_cstr(&t->w, "project", c->project);
    finish(t);
}

static void tell_one_run(struct telling *t, const char *id, bool created)
{
    struct bough_run *run;

    if (!begin(t, created ? EVENT_RUN_CREATED : EVENT_RUN_UPDATED) ||
        bough_run_get(t->r->store, t->a, id, &run, NULL))
        return;
    jw_kv_cstr(&t->w, "session", t->c->session);
    jw_key(&t->w, "run");
    form_run(&t->w, run);
    finish(t);
}

/* A run that started or changed: the run that ended in the same commit, its prompt, the queue if
 * that was taken from it, the run, and the session. */
static void tell_run(struct telling *t)
{
    const struct bough_change *c = t->c;
    int64_t n = c->entry[0] ? c->count : 0;
    bool ended = *c->ended && strcmp(c->ended, c->about) != 0, taken = n && *c->ended;

    t->last = ended + n + taken + 2;
    if (ended)
        tell_one_run(t, c->ended, false);
    if (n)
        tell_entries(t, n);
    if (taken)
        tell_queue(t);
    tell_one_run(t, c->about, n > 0);
    tell_session(t, EVENT_SESSION_UPDATED);
}

static void tell_approval(struct telling *t)
{
    struct bough_approval *p;

    t->last = 2;
    if (bough_approval_get(t->r->store, t->a, t->c->about, &p, NULL)) {
        t->sub++;
    } else if (begin(t, p->status == BOUGH_APPROVAL_PENDING ? EVENT_APPROVAL_REQUESTED
                                                            : EVENT_APPROVAL_RESOLVED)) {
        jw_kv_cstr(&t->w, "session", t->c->session);
        jw_key(&t->w, "approval");
        form_approval(&t->w, p);
        finish(t);
    }
    tell_session(t, EVENT_SESSION_UPDATED);
}

static void tell_row(struct telling *t)
{
    const struct bough_change *c = t->c;
    bool appends = is(c, "append") || is(c, "open");
    int64_t n = c->entry[0] && appends ? c->count : 0;

    t->last = n + (int64_t)c->ncalls;
    if (is(c, "run")) {
        tell_run(t);
    } else if (is(c, "approval")) {
        tell_approval(t);
    } else if (appends) {
        if (n)
            tell_entries(t, n);
        tell_calls(t);
    } else if (is(c, "seal") || is(c, "entry_delete") || is(c, "entry_restore")) {
        t->last = 1 + (int64_t)c->ncalls;
        tell_entry(t, c->entry, EVENT_MESSAGE_UPDATED);
        tell_calls(t);
    } else {
        t->last = 1;
        if (is(c, "record") && strcmp(c->record, "queue") == 0)
            tell_queue(t);
        else if (is(c, "create"))
            tell_session(t, EVENT_SESSION_CREATED);
        else if (is(c, "delete") || is(c, "purge"))
            tell_session(t, EVENT_SESSION_DELETED);
        else if (!is(c, "record") || *c->record)
            tell_session(t, EVENT_SESSION_UPDATED);
    }
}

void event_row(struct event_reader *r, const struct bough_change *c, int64_t after)
{
    struct telling t = { .r = r, .c = c, .after = after };

    if ((!*c->session && !*c->record) || event_at(c->no, EVENT_ROW) <= after)
        return;
    if (is(c, "update") || is(c, "purge"))
        forget(r, c->session);
    t.a = bough_arena_create();
    buf_init(&t.out, LIMIT_JSON_BYTES);
    if (*c->session) {
        event_about(r, c->session, &t.about);
        tell_row(&t);
    } else {
        tell_store(&t);
    }
    buf_finish(&t.out);
    bough_arena_destroy(t.a);
}
