/* Recording one request and its reply: an exchange, fed from the bytes that pass. */
#include "gateway/kit/record.h"

#include <bough/session.h>
#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/match/units.h"
#include "core/model/text.h"
#include "core/wire/fault.h"
#include "core/wire/reply/reply.h"
#include "gateway/kit/call.h"

enum {
    STORE_MS = 30000,      /* for a call of the store */
    LEASE_MS = 120000,     /* of an open reply */
    ERROR_MOST = 64 << 10, /* bytes of a failed answer that are kept */
    TITLE_MOST = 80,       /* bytes */
};

struct record {
    struct record_options in;
    struct bough_arena *arena;
    struct bough_store *store;
    struct bough_exchange *exchange; /* NULL: not begun */
    const char *session;
    struct bough_writing writing;
    bool steps_lost; /* the open message takes no more steps; the end is recorded all the same */
    struct reply *reply;
    const char *want_model;
    int64_t sent_bytes; /* of the request, for an estimate */
};

struct record *record_create(const struct record_options *in)
{
    struct record *r = mem_zalloc(sizeof *r);

    r->in = *in;
    r->arena = bough_arena_create();
    r->in.principal = in->principal ? arena_strdup(r->arena, in->principal) : NULL;
    r->want_model = arena_strdup(r->arena, in->request->model);
    r->sent_bytes = (int64_t)in->request->body.n;
    r->store =
        bough_store_scoped(in->store, &(struct bough_store_scoped_options){
                                          .deadline_ms = STORE_MS, .principal = r->in.principal });
    r->reply = reply_create(in->request->wire, in->sent_reply);
    return r;
}

/* What was read of the request may take ten times its bytes: it does not stay while the reply
 * streams. */
static void drop_reading(struct record *r)
{
    bough_arena_destroy(r->in.reading);
    r->in.reading = NULL;
    r->in.request = NULL;
    r->in.client = NULL;
    r->in.budget = NULL;
}

void record_destroy(struct record *r)
{
    if (!r)
        return;
    drop_reading(r);
    bough_exchange_destroy(r->exchange);
    reply_destroy(r->reply);
    bough_store_close(&r->store);
    bough_arena_destroy(r->arena);
    mem_free(r);
}

bool record_begun(const struct record *r)
{
    return r->exchange != NULL;
}

const char *record_session(const struct record *r)
{
    return r->session;
}

/* ---- the title of a new session ---- */

static const char *first_line(struct bough_arena *a, struct bough_str text)
{
    const char *end = memchr(text.p, '\n', text.n);
    size_t n = end ? (size_t)(end - text.p) : text.n;

    return arena_strndup(a, text.p, utf8_cut(text.p, n, TITLE_MOST));
}

/* The first line of the first text of the user that is not a wrapper (data/wrappers.txt); NULL: no
 * text in front of it is one, so that lists show the right text without a title. */
static const char *title_of(struct bough_arena *a, const struct wire_request *q)
{
    bool wrapped = false;

    for (size_t i = 0; i < q->nmessages; i++) {
        const struct bough_entry_new *e = &q->messages[i];

        for (size_t k = 0; e->role == BOUGH_ROLE_USER && k < e->nparts; k++) {
            struct bough_part part = { BOUGH_PART_TEXT, e->parts[k] };
            struct bough_str text = text_trim(bough_part_plain(a, &part));

            if (text.n && !soft_text(text))
                return wrapped ? first_line(a, text) : NULL;
            wrapped = wrapped || text.n > 0;
        }
    }
    return NULL;
}

/* Clients put reminders and environments in front of the first prompt: such a session is named by
 * the prompt. */
static void name_session(struct record *r, const struct wire_request *q)
{
    struct bough_session_update_options edit = { .title = title_of(r->arena, q) };
    struct bough_error err = { 0 };

    if (edit.title && bough_session_update(r->store, r->session, &edit, &err))
        log_msg(LOG_WARN, "gateway id=%s msg=a session has no title: %s", r->in.id, err.msg);
}

enum bough_rc record_begin(struct record *r, struct bough_error *err)
{
    const struct wire_request *q = r->in.request;
    const struct client_found *c = r->in.client;
    struct bough_exchange_open_options open = { .owner = "gateway", .lease_ms = LEASE_MS };
    struct bough_exchange_begin_options in = {
        .history = q->messages,
        .nhistory = q->nmessages,
        .system = q->system,
        .nsystem = q->nsystem,
        .parameters = q->parameters,
        .session = r->in.session,
        .previous = q->previous_response_id,
        .key = c->key ? c->key : q->conversation,
        .parent_key = c->parent,
        .purpose = c->purpose,
        .client = cstr_empty(c->client) ? NULL : c->client,
        .project = cstr_empty(r->in.project) ? NULL : r->in.project,
        .model_provider = r->in.targets[0].to.provider,
        .model_name = q->model,
        .id = r->in.id,
        .open = &open,
        .budget = r->in.budget,
    };
    struct bough_exchange_begin_result out;
    enum bough_rc rc = bough_exchange_begin(r->store, &in, &r->exchange, &out, err);

    if (rc)
        return rc;
    r->session = arena_strdup(r->arena, out.session);
    r->writing = out.writing;
    if (out.made && !out.forked && !c->purpose)
        name_session(r, q);
    drop_reading(r);
    return BOUGH_OK;
}

/* A step that is refused, or a store that is away for a moment, must not end the reply: its end
 * stores all parts. */
static void add_steps(struct record *r)
{
    struct bough_error err = { 0 };
    size_t n;
    const struct bough_step *steps = reply_steps(r->reply, &n);

    if (!n || r->steps_lost || !r->exchange)
        return;
    if (bough_message_step(r->store, &r->writing, 0, steps, n, NULL, &err)) {
        r->steps_lost = true;
        log_msg(LOG_WARN, "gateway id=%s msg=a reply is not shown while it grows: %s", r->in.id,
                err.msg);
    }
}

void record_bytes(struct record *r, struct bough_str bytes)
{
    reply_feed(r->reply, bytes.p, bytes.n);
    add_steps(r);
    reply_steps_drop(r->reply);
}

void record_keep(struct record *r)
{
    struct bough_error err = { 0 };

    if (r->exchange && !r->steps_lost &&
        bough_message_flush(r->store, &r->writing, NULL, &err) == BOUGH_LEASE_LOST)
        r->steps_lost = true;
}

/* ---- the end ---- */

static const char *status_of(const struct relay_attempt *t, const struct reply_result *reply)
{
    switch (t->how) {
    case RELAY_LEFT:
        return "cancelled";
    case RELAY_STOPPED:
        return "interrupted";
    case RELAY_ANSWERED:
        break;
    case RELAY_NOT_SENT:
    case RELAY_REDIRECTED:
    case RELAY_SLOW:
    case RELAY_CUT:
    case RELAY_NO_STORE:
        return "error";
    }
    if (t->status / 100 != 2 || reply->error.n)
        return "error";
    if (reply->choices[0].refused)
        return "refused";
    return reply->choices[0].cut ? "interrupted" : "ok";
}

static struct bough_str error_of(struct record *r, const struct relay_attempt *t)
{
    if (t->body.n)
        return wire_fault_keep(r->arena, buf_str(&t->body), ERROR_MOST);
    return t->why ? wire_fault_keep(r->arena, str_of(t->why), ERROR_MOST) : str_of("");
}

static struct bough_call_new call_of(struct record *r, const struct relay_end *end, size_t i,
                                     const struct reply_result *reply)
{
    const struct relay_attempt *t = &end->attempts[i];
    const struct relay_target *to = &r->in.targets[t->target];

    return (struct bough_call_new){
        .request_id = t->id,
        .want_provider = r->in.targets[0].to.provider,
        .want_model = r->want_model,
        .provider = to->to.provider,
        .model = reply && *reply->model ? reply->model
                 : to->to.model         ? to->to.model
                                        : r->want_model,
        .status = reply ? status_of(t, reply) : "error",
        .error = reply && reply->error.n ? reply->error : error_of(r, t),
        .duration = t->whole_ms,
        .first_byte = t->first_ms,
        .time = t->began,
        .attempt = (int)i + 1,
    };
}

static struct bough_exchange_reply reply_of(const struct reply_choice *c)
{
    return (struct bough_exchange_reply){ .parts = c->parts,
                                          .nparts = c->nparts,
                                          .finish = *c->finish ? c->finish : NULL,
                                          .data = c->data,
                                          .cut = c->cut };
}

static void put_replies(struct record *r, const struct reply_result *got,
                        struct bough_exchange_finish_options *in)
{
    struct bough_exchange_reply *all = arena_array(r->arena, got->nchoices, sizeof *all);
    size_t n = 0;

    for (size_t i = 0; i < got->nchoices; i++)
        if (got->choices[i].nparts)
            all[n++] = reply_of(&got->choices[i]);
    if (!n)
        return;
    in->reply = &all[0];
    in->others = &all[1];
    in->nothers = n - 1;
}

enum bough_rc record_finish(struct record *r, const struct relay_end *end, bool *cut,
                            struct bough_error *err)
{
    const struct reply_result *got = reply_end(r->reply);
    const struct relay_attempt *last = &end->attempts[end->n - 1];
    bool answered = last->status / 100 == 2;
    struct bough_call_new call = call_of(r, end, end->n - 1, got), failed[RELAY_ATTEMPTS];
    struct bough_exchange_finish_options in = { .call = &call, .failed = failed };

    *cut = answered && got->choices[0].cut && !got->error.n; /* an error was told */
    for (size_t i = 0; i + 1 < end->n && i < RELAY_ATTEMPTS; i++)
        failed[in.nfailed++] = call_of(r, end, i, NULL);
    if (answered) {
        in.response = *got->id ? got->id : NULL;
        in.error = got->error;
        put_replies(r, got, &in);
        call_money(r->arena, &r->in.prices,
                   &(struct call_asked){ .price_name = r->in.targets[last->target].to.price_name,
                                         .model = r->want_model,
                                         .bytes = r->sent_bytes },
                   got, &call);
    }
    return bough_exchange_finish(r->store, r->exchange, &in, NULL, err);
}
