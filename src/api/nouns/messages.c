/* Open messages: open, add steps, seal, and follow. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/env.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

enum { LOOK_MS = 50, WAIT_MAX_MS = 60000, STEPS_MAX = 4096 };

#define LATEST INT64_MIN /* a step without `index` */

/* The message in the path. It must have been written by this session, not inherited by a fork. */
static enum bough_rc find(struct http_req *req, struct bough_session **s, struct bough_entry **e,
                          struct bough_error *err)
{
    const char *name = http_param(req, "entry");
    enum bough_rc rc = api_session(req, s, err);

    if (!rc)
        rc = api_entry(req, (*s)->id, name, e, err);
    if (!rc && strcmp((*e)->session, (*s)->id) != 0)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "no entry %.60s in this session", name);
    return rc;
}

/* ---- open and take ---- */

static void put_opened(struct http_res *res, int status, const struct bough_message_open_result *o)
{
    struct json_writer *w = http_json(res, status);

    jw_obj(w);
    jw_kv_cstr(w, "id", o->writing.id);
    jw_kv_i64(w, "epoch", o->writing.epoch);
    form_head(w, "head", o->head);
    jw_kv_i64(w, "no", o->no);
    jw_kv_i64(w, "message_number", o->mno);
    jw_kv_i64(w, "last", o->last);
    jw_kv_i64(w, "offset", o->offset);
    jw_end_obj(w);
}

struct opening {
    struct bough_message_open_options in;
    struct json entry;
    const char *expect;
};

#define IN(field) offsetof(struct opening, in.field)

static const struct api_member open_members[] = {
    { "entry", API_OBJECT, offsetof(struct opening, entry) },
    { "at", API_TEXT, IN(at) },
    { "at_root", API_FLAG, IN(at_root) },
    { "expect_head", API_TEXT, offsetof(struct opening, expect) },
    { "owner", API_TEXT, IN(owner) },
    { "lease_ms", API_LEASE, IN(lease_ms) },
    { 0 },
};

static enum bough_rc open_message(struct http_req *req, struct http_res *res,
                                  struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct opening x = { .in.key = call->key, .in.client = true };
    struct bough_message_open_result out;
    struct bough_entry_new entry;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, open_members, &x, err);
    if (!rc)
        rc = api_entry_new(req, x.entry, &entry, err);
    if (!rc)
        rc = api_expect(req, res, x.expect, &x.in.expect_head, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &x.in.at, err);
    x.in.entry = &entry;
    if (!rc)
        rc = api_head_lost(
            req, res, bough_message_open(call->store, req->arena, s->id, &x.in, &out, err), err);
    if (rc == BOUGH_BUSY)
        api_busy(req, res, s->id);
    if (rc)
        return rc;
    api_head_etag(res, out.head);
    put_opened(res, 201, &out);
    return BOUGH_OK;
}

static enum bough_rc take(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "owner", API_TEXT, offsetof(struct bough_message_take_options, owner) },
        { "lease_ms", API_LEASE, offsetof(struct bough_message_take_options, lease_ms) },
        { 0 },
    };
    struct bough_message_open_result out;
    struct bough_message_take_options in = { .client = true };
    struct bough_session *s;
    struct bough_entry *e;
    enum bough_rc rc = find(req, &s, &e, err);

    if (!rc)
        rc = api_body(req, members, &in, err);
    if (!rc)
        rc = bough_message_take(api_of(req)->store, e->id, &in, &out, err);
    if (!rc)
        put_opened(res, 200, &out);
    return rc;
}

/* ---- steps ---- */

struct step_in {
    struct json part, state;
    const char *text;
    int64_t index;
};

static const struct api_member step_members[] = {
    { "part", API_OBJECT, offsetof(struct step_in, part) },
    { "text", API_TEXT, offsetof(struct step_in, text) },
    { "state", API_OBJECT, offsetof(struct step_in, state) },
    { "index", API_INT, offsetof(struct step_in, index) },
    { 0 },
};

static enum bough_rc read_step(struct http_req *req, struct json object, struct bough_step *out,
                               struct bough_error *err)
{
    struct step_in in = { .index = LATEST };
    enum bough_rc rc = api_read(req, object, "a step", step_members, &in, err);
    bool part = json_type(in.part) == JSON_OBJECT, state = json_type(in.state) == JSON_OBJECT;

    if (rc)
        return rc;
    if (part + state + (in.text != NULL) != 1)
        return bough_fail(err, BOUGH_INVALID,
                          "a step must have exactly one of part, text and state");
    if (in.index != LATEST && (in.index < 0 || in.index >= LIMIT_PARTS))
        return bough_fail(err, BOUGH_INVALID, "index must be the number of a part, from 0");
    out->kind = part ? BOUGH_STEP_PART : state ? BOUGH_STEP_STATE : BOUGH_STEP_TEXT;
    out->part = in.index == LATEST ? BOUGH_STEP_LATEST : (size_t)in.index;
    out->bytes = part ? json_raw(in.part) : state ? json_raw(in.state) : str_of(in.text);
    return BOUGH_OK;
}

static void in_stepped(struct json_writer *w, const struct bough_message_step_result *s)
{
    jw_obj(w);
    jw_kv_i64(w, "last", s->last);
    jw_kv_i64(w, "saved", s->saved);
    jw_kv_i64(w, "durable", s->durable);
    jw_kv_i64(w, "offset", s->offset);
    jw_end_obj(w);
}

/* The steps before a refused one were applied: the detail has the last applied step. */
static void tell_taken(struct http_res *res, const struct bough_message_step_result *s)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 1024);
    jw_init(&w, &b);
    in_stepped(&w, s);
    http_detail(res, buf_str(&b));
    buf_finish(&b);
}

struct stepping {
    int64_t epoch, first;
    struct json steps;
};

static enum bough_rc step(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "epoch", API_INT, offsetof(struct stepping, epoch) },
        { "first", API_INT, offsetof(struct stepping, first) },
        { "steps", API_LIST, offsetof(struct stepping, steps) },
        { 0 },
    };
    struct bough_message_step_result out = { 0 };
    struct bough_writing writing = { 0 };
    struct stepping in = { 0 };
    struct bough_session *s;
    struct bough_entry *e;
    struct bough_step *steps;
    struct json_iter it;
    size_t n = 0;
    enum bough_rc rc = find(req, &s, &e, err);

    if (!rc)
        rc = api_body(req, members, &in, err);
    if (!rc && json_count(in.steps) > STEPS_MAX)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "more than %d steps in one request", STEPS_MAX);
    if (rc)
        return rc;
    steps = arena_array(req->arena, json_count(in.steps) + 1, sizeof *steps);
    for (it = json_iter(in.steps); !rc && json_next(&it);)
        rc = read_step(req, it.value, &steps[n++], err);
    if (rc)
        return rc;
    memcpy(writing.id, e->id, sizeof writing.id);
    writing.epoch = in.epoch;
    rc = bough_message_step(api_of(req)->store, &writing, in.first, steps, n, &out, err);
    if (rc)
        tell_taken(res, &out);
    else
        in_stepped(http_json(res, 200), &out);
    return rc;
}

static enum bough_rc flush(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = { { "epoch", API_INT, 0 }, { 0 } };
    struct bough_writing writing = { 0 };
    struct bough_message_step_result out;
    struct bough_session *s;
    struct bough_entry *e;
    enum bough_rc rc = find(req, &s, &e, err);

    if (!rc)
        rc = api_body(req, members, &writing.epoch, err);
    if (rc)
        return rc;
    memcpy(writing.id, e->id, sizeof writing.id);
    rc = bough_message_flush(api_of(req)->store, &writing, &out, err);
    if (!rc)
        in_stepped(http_json(res, 200), &out);
    return rc;
}

/* ---- seal ---- */

/* The message has fewer steps than its client was told: the detail has the last one. */
static void tell_last(struct http_req *req, struct http_res *res, const struct bough_writing *w)
{
    struct bough_message_step_result out;

    if (!bough_message_flush(api_of(req)->store, w, &out, NULL))
        tell_taken(res, &out);
}

struct sealing {
    struct bough_message_seal_options seal;
    int64_t epoch;
    struct json usage, call;
    struct bough_str parts;
};

#define SEAL(field) offsetof(struct sealing, seal.field)

static const struct api_member seal_members[] = {
    { "epoch", API_INT, offsetof(struct sealing, epoch) },
    { "finish", API_TEXT, SEAL(finish) },
    { "error", API_RAW, SEAL(error) },
    { "data", API_RAW, SEAL(data) },
    { "metadata", API_RAW, SEAL(metadata) },
    { "usage", API_OBJECT, offsetof(struct sealing, usage) },
    { "duration_ms", API_INT, SEAL(duration) },
    { "call", API_OBJECT, offsetof(struct sealing, call) },
    { "parts", API_RAW, offsetof(struct sealing, parts) },
    { "last", API_INT, SEAL(last) },
    { 0 },
};

static enum bough_rc seal(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_call_new *call = NULL;
    struct bough_str *parts = NULL;
    struct bough_writing writing = { 0 };
    struct sealing x = { 0 };
    struct bough_session *s;
    struct bough_entry *e;
    enum bough_rc rc = find(req, &s, &e, err);

    if (!rc)
        rc = api_body(req, seal_members, &x, err);
    if (!rc)
        rc = api_maybe_totals(req, x.usage, &x.seal.usage, err);
    if (!rc)
        rc = api_call_new(req, x.call, &call, err);
    if (!rc && x.parts.n)
        rc = bough_parts_split(req->arena, x.parts, &parts, &x.seal.nparts, err);
    if (rc)
        return rc;
    x.seal.parts = parts;
    x.seal.call = call;
    memcpy(writing.id, e->id, sizeof writing.id);
    writing.epoch = x.epoch;
    rc = bough_message_seal(api_of(req)->store, req->arena, &writing, &x.seal, &e, err);
    if (!rc)
        form_entry(http_json(res, 200), e);
    else if (rc == BOUGH_CONFLICT && x.seal.last)
        tell_last(req, res, &writing);
    return rc;
}

/* ---- follow ---- */

struct following {
    struct bough_arena *a;
    const char *entry;
    int64_t offset, until; /* `until`: monotonic clock, in microseconds */
    bool view;
};

static const char *delta_name(enum bough_step_kind kind)
{
    switch (kind) {
    case BOUGH_STEP_PART:
        return "part";
    case BOUGH_STEP_TEXT:
        return "text";
    case BOUGH_STEP_STATE:
        return "state";
    }
    return "";
}

static void put_views(struct json_writer *w, const struct bough_message_follow_result *f)
{
    jw_key(w, "view");
    jw_arr(w);
    for (size_t i = 0; i < f->nparts; i++)
        form_part_view(w, f->entry->id, i, &f->parts[i], 0);
    jw_end_arr(w);
}

static void put_following(struct json_writer *w, const struct following *x,
                          const struct bough_message_follow_result *f)
{
    jw_obj(w);
    jw_kv_bool(w, "sealed", f->sealed);
    jw_key(w, "entry");
    form_entry(w, f->entry);
    jw_key(w, "parts");
    jw_arr(w);
    for (size_t i = 0; i < f->nparts; i++)
        jw_raw(w, f->parts[i].json);
    jw_end_arr(w);
    if (x->view)
        put_views(w, f);
    jw_key(w, "deltas");
    jw_arr(w);
    for (size_t i = 0; i < f->ndeltas; i++) {
        const struct bough_delta *d = &f->deltas[i];

        jw_obj(w);
        jw_kv_i64(w, "index", (int64_t)d->part);
        if (d->kind == BOUGH_STEP_TEXT) {
            jw_kv_i64(w, "at", d->at);
            jw_kv_str(w, "text", d->bytes);
        } else {
            jw_kv_raw(w, delta_name(d->kind), d->bytes);
        }
        jw_end_obj(w);
    }
    jw_end_arr(w);
    jw_kv_i64(w, "offset", f->offset);
    jw_end_obj(w);
}

/* *ready when there is something to send: deltas, the seal, or the end of the wait. */
static enum bough_rc look(struct http_req *req, struct following *x,
                          struct bough_message_follow_result *f, bool *ready,
                          struct bough_error *err)
{
    enum bough_rc rc;

    bough_arena_reset(x->a);
    rc = bough_message_follow(api_of(req)->store, x->a, x->entry, x->offset, 0, f, err);
    *ready = !rc && (f->sealed || f->ndeltas || x->offset < 0 || mono_us() >= x->until);
    return rc;
}

/* No worker is blocked while a follower waits: the loop calls this again every LOOK_MS. */
static enum bough_rc look_again(struct http_req *req, struct http_res *res, enum http_more *more,
                                struct bough_error *err)
{
    struct bough_message_follow_result f;
    bool ready;
    enum bough_rc rc = look(req, req->state, &f, &ready, err);

    if (ready)
        put_following(http_json_more(res), req->state, &f);
    *more = ready ? HTTP_END : HTTP_LATER;
    return rc;
}

static enum bough_rc follow(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct following *x = arena_zalloc(req->arena, sizeof *x);
    struct bough_message_follow_result f;
    struct bough_session *s;
    struct bough_entry *e;
    int64_t wait;
    bool ready;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_entry(req, s->id, http_param(req, "entry"), &e, err);
    if (!rc)
        rc = http_query_i64(req, "offset", -1, -1, INT64_MAX, &x->offset, err);
    if (!rc)
        rc = http_query_i64(req, "wait_ms", 0, 0, WAIT_MAX_MS, &wait, err);
    if (!rc)
        rc = http_query_bool(req, "view", &x->view, err);
    if (rc)
        return rc;
    x->entry = e->id;
    x->until = mono_us() + wait * 1000;
    x->a = bough_arena_create();
    req->state = x;
    rc = look(req, x, &f, &ready, err);
    if (rc)
        return rc;
    http_json(res, 200);
    if (ready)
        put_following(http_json_more(res), req->state, &f);
    else
        http_pull(res, look_again, LOOK_MS);
    return BOUGH_OK;
}

static void drop(struct http_req *req)
{
    struct following *x = req->state;

    if (x)
        bough_arena_destroy(x->a);
    req->state = NULL;
}

/* ---- list and recover ---- */

static enum bough_rc put_open(struct http_req *req, struct http_res *res, const char *session,
                              struct bough_error *err)
{
    struct bough_open_messages found;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = bough_message_list(api_of(req)->store, req->arena, session, &found, err);

    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++) {
        const struct bough_open_message *m = &found.at[i];

        if (!session && api_session_named(req, m->session, &s, NULL))
            continue; /* session of another project */
        jw_obj(w);
        jw_kv_cstr(w, "id", m->id);
        jw_kv_cstr(w, "session", m->session);
        form_head(w, "at", m->at);
        form_lease(w, "lease", &m->lease);
        jw_kv_bool(w, "expired", m->expired);
        jw_end_obj(w);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    return rc ? rc : put_open(req, res, s->id, err);
}

static enum bough_rc list_all(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return put_open(req, res, NULL, err);
}

static enum bough_rc recover(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct json_writer *w;
    int64_t n = 0;
    enum bough_rc rc = bough_message_recover(api_of(req)->store, &n, err);

    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_i64(w, "sealed", n);
    jw_end_obj(w);
    return BOUGH_OK;
}

static const struct http_field follow_query[] = {
    { "offset", HTTP_INTEGER,
      "Get what was added after this offset; -1 (default): the parts so far." },
    { "wait_ms", HTTP_INTEGER, "With offset: how long to wait for an addition.",
      .most = WAIT_MAX_MS },
    { "view", HTTP_BOOLEAN, "Send the parts as views, too." },
    { 0 },
};

const struct http_route api_message_routes[] = {
    { "GET", "/api/v1/messages", list_all, AUTH_READ, "List all open messages.",
      .gives = "OpenMessages" },
    { "POST", "/api/v1/messages/recover", recover, AUTH_ADMIN,
      "Seal the open messages whose writer is gone, as interrupted.", .gives = "Recovered" },
    { "GET", "/api/v1/sessions/{id}/messages", list, AUTH_READ,
      "List the open messages of a session.", .gives = "OpenMessages" },
    { "POST", "/api/v1/sessions/{id}/messages", open_message, AUTH_APPEND,
      "Open a message: its position is fixed now, its parts follow as steps.",
      .takes = "MessageNew", .gives = "MessageOpened", .status = 201,
      .flags = HTTP_KEYED | HTTP_MATCHES | HTTP_TAGS },
    { "GET", "/api/v1/sessions/{id}/messages/{entry}", follow, AUTH_READ,
      "Follow a message while it is being written.", follow_query, .gives = "Following",
      .flags = HTTP_STREAMS, .drop = drop },
    { "POST", "/api/v1/sessions/{id}/messages/{entry}/flush", flush, AUTH_APPEND,
      "Flush unsaved steps, and keep the lease alive.", .takes = "Epoch", .gives = "Stepped" },
    { "POST", "/api/v1/sessions/{id}/messages/{entry}/seal", seal, AUTH_APPEND,
      "Seal a message: it does not change any more.", .takes = "Seal", .gives = "Entry",
      .body_max = HTTP_BODY_FILE },
    { "POST", "/api/v1/sessions/{id}/messages/{entry}/steps", step, AUTH_APPEND,
      "Add steps: parts, text and tool states.", .takes = "Steps", .gives = "Stepped",
      .body_max = HTTP_BODY_FILE },
    { "POST", "/api/v1/sessions/{id}/messages/{entry}/take", take, AUTH_APPEND,
      "Take over a message whose lease has expired.", .takes = "Take", .gives = "MessageOpened",
      .flags = HTTP_BODY_OPTIONAL },
    { 0 },
};
