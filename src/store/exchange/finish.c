/* Open and finish the reply of an exchange. */
#include <string.h>

#include "base/limits.h"
#include "base/os/log.h"
#include "base/os/process.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "store/contract/id.h"
#include "store/exchange/exchange.h"
#include "store/live/seal.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"

struct finishing {
    struct bough_store *s;
    struct bough_arena *a;
    struct bough_exchange *x;
    const struct bough_exchange_finish_options *in;
    struct bough_exchange_finish_result out;
    struct seen_row *rows; /* of the reply */
    size_t nrows;
    const unsigned char *chain; /* key of the chain behind the reply; NULL: it has no units */
    struct seal_extra *extra;   /* while an open reply is sealed */
    bool empty;                 /* an open reply that nothing came for */
    struct bough_error *err;
};

/* ---- the place of the reply ---- */

/* A reply moves the head only if the head is still where the request ended, or at an open reply
 * that was lost: others may have gone on from there. */
static enum bough_rc head_is_here(struct bough_store *s, struct bough_arena *a,
                                  const struct bough_exchange *x, bool *is, struct bough_error *err)
{
    struct head_now now;
    struct snap snap;
    int64_t owner = 0;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = snap.ops->head_get(snap.v, a, x->sid, &now, err);
    if (!rc && now.row.bid && now.depth)
        rc = path_owner(&snap, (struct bough_head){ now.row.bid, now.depth }, now.depth, &owner,
                        err);
    snap_end(&snap);
    *is = x->root ? !now.row.bid : owner == x->at.branch && now.depth == x->at.depth;
    *is = *is || (owner && owner == x->open_at.branch && now.depth == x->open_at.depth);
    return rc;
}

static enum bough_rc reply_job(struct bough_store *s, struct bough_arena *a,
                               const struct bough_exchange *x, struct append_job *j,
                               struct bough_error *err)
{
    bool here = false;
    enum bough_rc rc = head_is_here(s, a, x, &here, err);

    *j = (struct append_job){ .s = s,
                              .sid = x->sid,
                              .at_set = true,
                              .at = x->root ? (struct bough_head){ 0, 0 } : x->at,
                              .keep_head = x->keep_head || (!here && !x->root) };
    return rc;
}

/* ---- opening ---- */

enum bough_rc open_row_of(struct bough_arena *a, const struct bough_exchange_open_options *how,
                          struct open_row *out, struct bough_error *err)
{
    static const struct bough_exchange_open_options plain;
    char process[PROCESS_TEXT];
    enum bough_rc rc = RESERVED_CHECK(bough_exchange_open_options, how, err);

    how = how ? how : &plain;
    if (!rc)
        rc = check_text("the owner", how->owner, LIMIT_NAME, err);
    if (!rc)
        rc = lease_check(how->lease_ms, err);
    process_self(process);
    *out = (struct open_row){ .lease_ms = how->lease_ms ? how->lease_ms : LEASE_MS,
                              .owner = how->owner ? how->owner : "",
                              .process = arena_strdup(a, process),
                              .client = how->client,
                              .wanted = "" };
    return rc;
}

enum bough_rc bough_exchange_open(struct bough_store *s, struct bough_exchange *x,
                                  const struct bough_exchange_open_options *how,
                                  struct bough_writing *out, struct bough_error *err)
{
    REQUIRE(s && x && out, err);

    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_append_result done;
    struct append_job j;
    struct open_row row;
    enum bough_rc rc = open_row_of(a, how, &row, err);

    if (!rc && (x->open || x->finished))
        rc = bough_fail(err, BOUGH_CONFLICT, "the reply is %s already",
                        x->finished ? "finished" : "open");
    if (!rc)
        rc = reply_job(s, a, x, &j, err);
    if (!rc)
        rc = plan_build(s, a, &e, 1, NULL, &j.plan, err);
    if (!rc) {
        j.open = &row;
        rc = append_run(s, a, &j, &done, err);
    }
    if (!rc) {
        x->open = true;
        x->open_at = j.first;
        x->writing = (struct bough_writing){ .epoch = 1 };
        memcpy(x->writing.id, done.ids[0], sizeof x->writing.id);
        *out = x->writing;
    }
    bough_arena_destroy(a);
    return rc;
}

/* ---- the reply as an entry ---- */

/* The data of a reply: what its wire has, the id of the response, and whether it is cut. */
static struct bough_str reply_data(struct bough_arena *a, const struct bough_exchange_reply *r,
                                   const char *response)
{
    struct bough_str data = r->data;

    if (!cstr_empty(response)) {
        struct json_writer w;
        struct buf b;

        buf_init(&b, LIMIT_METADATA);
        jw_init(&w, &b);
        jw_cstr(&w, response);
        data = view_with_member(a, data, "response", text_keep(a, &b));
        buf_finish(&b);
    }
    return r->cut ? view_with_member(a, data, "bough.cut", str_of("true")) : data;
}

static struct bough_entry_new reply_entry(struct finishing *f, const struct bough_exchange_reply *r)
{
    return (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT,
                                     .parts = r->parts,
                                     .nparts = r->nparts,
                                     .finish = r->finish,
                                     .error = f->in->error,
                                     .data = reply_data(f->a, r, f->in->response),
                                     .duration = f->in->call ? f->in->call->duration : 0,
                                     .by_call = f->in->call != NULL };
}

/* ---- the call ---- */

static struct bough_call_new call_of(struct finishing *f, const struct bough_call_new *in)
{
    struct bough_call_new c = *in;

    c.exchange = f->x->id;
    c.purpose = *f->x->purpose ? f->x->purpose : NULL;
    c.notes = in->notes.n ? in->notes : f->x->notes;
    return c;
}

/* The notes of a call whose chain is not that of the path: also the key of the chain. */
static struct bough_str with_chain(struct bough_arena *a, struct bough_str notes,
                                   const unsigned char key[SEEN_KEY])
{
    char hex[2 * SEEN_KEY + 3] = "\"";

    for (size_t i = 0; i < SEEN_KEY; i++) {
        hex[1 + 2 * i] = "0123456789abcdef"[key[i] >> 4];
        hex[2 + 2 * i] = "0123456789abcdef"[key[i] & 15];
    }
    hex[1 + 2 * SEEN_KEY] = '"';
    return view_with_member(a, notes, "chain", str_make(hex, 2 * SEEN_KEY + 2));
}

/* What only the store knows of the call. */
static void complete_call(const struct finishing *f, struct call_body *b)
{
    const struct bough_exchange *x = f->x;

    b->principal = f->s->principal;
    b->scope = x->scope;
    b->at_bid = x->at.branch;
    b->at_depth = x->at.depth;
    b->system_at = x->noted.system_at;
    b->system_sum = x->noted.system_sum;
    b->request_at = x->noted.request_at;
    b->request_sum = x->noted.request_sum;
}

/* ---- writing ---- */

/* The rows of a reply, about its entry. */
static struct seen_row *rows_of(struct finishing *f, const struct bough_entry *reply, size_t *n)
{
    struct seen_mark *marks = seen_marks(f->a, f->x->scope, &f->x->chain, reply, n);
    struct seen_row *rows = arena_array(f->a, *n + 1, sizeof *rows);

    for (size_t i = 0; i < *n; i++) {
        rows[i] = (struct seen_row){ .bid = SEEN_OF_ENTRY, .strict = marks[i].strict };
        memcpy(rows[i].key, marks[i].key, sizeof rows[i].key);
        f->chain = marks[i].chain ? marks[i].key : f->chain;
    }
    return rows;
}

/* The plan of a reply is built: its call, and its rows. */
static void complete_reply(void *user, struct plan *plan)
{
    struct finishing *f = user;
    struct call_body *b;

    f->empty = !f->in->reply && !plan->entries[0].e.nparts;
    if (f->empty) { /* it will be deleted: the call goes without it */
        plan->ncalls = 0;
        plan->entries[0].call_new = 0;
        plan->entries[0].x.call_made = plan->entries[0].x.call_chk = 0;
    }
    if (!plan->ncalls)
        return;
    b = &plan->calls[0].body;
    f->rows = rows_of(f, &plan->entries[0].e, &f->nrows);
    complete_call(f, b);
    if (!f->x->exact && f->chain)
        b->notes = with_chain(f->a, b->notes, f->chain);
    if (f->extra) {
        f->extra->seen = f->rows;
        f->extra->nseen = f->nrows;
    }
}

/* Append the reply as a whole. */
static enum bough_rc append_reply(struct finishing *f)
{
    struct bough_entry_new e = reply_entry(f, f->in->reply);
    struct bough_append_result done;
    struct bough_call_new call;
    struct append_job j;
    enum bough_rc rc = reply_job(f->s, f->a, f->x, &j, f->err);

    if (rc)
        return rc;
    if (f->in->call)
        call = call_of(f, f->in->call);
    rc = plan_build(f->s, f->a, &e, 1, f->in->call ? &call : NULL, &j.plan, f->err);
    if (rc)
        return rc;
    complete_reply(f, &j.plan);
    j.seen = f->rows;
    j.nseen = f->nrows;
    rc = append_run(f->s, f->a, &j, &done, f->err);
    if (rc)
        return rc;
    memcpy(f->out.entry, done.ids[0], sizeof f->out.entry);
    memcpy(f->out.call, done.call, sizeof f->out.call);
    return BOUGH_OK;
}

/* A call without a reply. A first request that failed leaves a row, so that the next attempt finds
 * its session. */
static enum bough_rc append_failure(struct finishing *f, const struct bough_call_new *in)
{
    struct append_job j = { .s = f->s, .sid = f->x->sid };
    struct bough_call_new call = call_of(f, in);
    struct bough_append_result done;
    struct seen_row row = { .depth = f->x->sid };
    enum bough_rc rc = plan_build(f->s, f->a, NULL, 0, &call, &j.plan, f->err);

    if (rc)
        return rc;
    complete_call(f, &j.plan.calls[0].body);
    j.plan.calls[0].body.scope = 0; /* it has no rows that could be derived again */
    if (f->x->first) {
        seen_key(SEEN_FIRST, f->x->scope, f->x->whole.loose, SHA256_LEN, row.key);
        j.seen = &row;
        j.nseen = 1;
    }
    rc = append_run(f->s, f->a, &j, &done, f->err);
    if (!rc)
        memcpy(f->out.call, done.call, sizeof f->out.call);
    return rc;
}

/* Nothing came for an open reply: it is not shown, and its call is that of a failed attempt. */
static enum bough_rc drop_empty(struct finishing *f)
{
    enum bough_rc rc = bough_entry_delete(f->s, f->x->session, f->x->writing.id, f->err);

    f->x->open = rc != BOUGH_OK;
    return rc || !f->in->call ? rc : append_failure(f, f->in->call);
}

/* Seal the open reply with what came, or as it is. */
static enum bough_rc seal_reply(struct finishing *f)
{
    const struct bough_exchange_reply *r = f->in->reply;
    struct bough_message_seal_options seal = { .error = f->in->error,
                                               .duration =
                                                   f->in->call ? f->in->call->duration : 0 };
    struct seal_extra extra = { .complete = complete_reply, .user = f };
    struct bough_call_new call;
    enum bough_rc rc;

    if (r) {
        struct bough_entry_new e = reply_entry(f, r);

        seal.finish = e.finish;
        seal.data = e.data;
        seal.parts = e.parts;
        seal.nparts = e.nparts;
        if (!seal.parts)
            seal.parts = arena_zalloc(f->a, sizeof *seal.parts);
    }
    if (f->in->call) {
        call = call_of(f, f->in->call);
        seal.call = &call;
    }
    f->extra = &extra;
    rc = message_seal(f->s, f->a, &f->x->writing, &seal, &extra, f->err);
    f->extra = NULL;
    if (!rc && f->empty)
        return drop_empty(f);
    if (rc)
        return rc;
    memcpy(f->out.entry, f->x->writing.id, sizeof f->out.entry);
    memcpy(f->out.call, extra.call, sizeof f->out.call);
    return BOUGH_OK;
}

static bool same_parts(const struct bough_entry *e, const struct bough_exchange_reply *r)
{
    if (!r || !r->nparts || e->nparts != r->nparts)
        return false;
    for (size_t i = 0; i < e->nparts; i++)
        if (!str_eq(e->parts[i].json, r->parts[i]))
            return false;
    return true;
}

/* The open reply is no longer ours to seal. Another process sealed what had come by then, and the
 * reply goes beside it; or an earlier attempt to finish did seal it, though it said otherwise. */
static enum bough_rc look_at_sealed(struct finishing *f, bool *known)
{
    struct bough_entry *e;
    struct snap snap;
    enum bough_rc rc = snap_begin(f->s, &snap, f->err);

    if (rc)
        return rc;
    rc = entry_load(&snap, f->a, f->x->open_at, &e, f->err);
    snap_end(&snap);
    *known = !rc && !e->open && same_parts(e, f->in->reply);
    if (*known) {
        memcpy(f->out.entry, e->id, sizeof f->out.entry);
        memcpy(f->out.call, e->call, sizeof f->out.call);
    }
    return rc;
}

/* Further choices, beside the reply. */
static enum bough_rc append_others(struct finishing *f)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < f->in->nothers && !rc; i++) {
        struct bough_entry_new e = reply_entry(f, &f->in->others[i]);
        struct append_job j = { .s = f->s,
                                .sid = f->x->sid,
                                .at_set = true,
                                .at = f->x->root ? (struct bough_head){ 0, 0 } : f->x->at,
                                .keep_head = true };
        struct bough_append_result done;
        struct snap snap;

        e.by_call = false;
        e.call = *f->out.call ? f->out.call : NULL;
        rc = plan_build(f->s, f->a, &e, 1, NULL, &j.plan, f->err);
        if (!rc)
            rc = snap_begin(f->s, &snap, f->err);
        if (rc)
            break;
        j.seen = e.call ? rows_of(f, &j.plan.entries[0].e, &j.nseen) : NULL;
        rc = plan_resolve(&snap, f->a, f->x->sid, &j.plan, f->err);
        snap_end(&snap);
        if (!rc)
            rc = append_run(f->s, f->a, &j, &done, f->err);
    }
    return rc;
}

/* ---- when the session is gone ---- */

/* Was the session archived, deleted or purged since the request was recorded? */
static enum bough_rc find_out(struct finishing *f, const char **why)
{
    struct session_loaded l;
    struct snap snap;
    enum bough_rc rc = snap_begin(f->s, &snap, f->err);

    *why = NULL;
    if (rc)
        return rc;
    rc = session_load(&snap, f->a, f->x->sid, &l, f->err);
    snap_end(&snap);
    if (rc == BOUGH_GONE || rc == BOUGH_NOT_FOUND)
        *why = "purged";
    else if (!rc && l.head.row.deleted)
        *why = "deleted";
    else if (!rc && l.head.row.status == BOUGH_STATUS_ARCHIVED)
        *why = "archived";
    return rc == BOUGH_GONE || rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
}

/* The open reply stays behind: seal it, and say where it went on. */
static void leave_open(struct finishing *f)
{
    struct bough_message_seal_options seal = {
        .finish = "interrupted",
        .error = str_of("{\"name\":\"moved\",\"message\":\"recorded in another session\"}")
    };

    struct bough_error err;

    if (f->x->open && message_seal(f->s, f->a, &f->x->writing, &seal, NULL, &err))
        log_msg(LOG_INFO, "an open reply is left to its lease: %s", err.msg);
    f->x->open = false;
}

/* A new session that inherits what is left of the old one, with a note about it. */
static enum bough_rc move_away(struct finishing *f, const char *why)
{
    bool purged = strcmp(why, "purged") == 0;
    struct bough_exchange_begin_options none = { 0 };
    struct making m = { .in = &none, .scope = f->x->scope };
    struct bough_entry_new *e = arena_array(f->a, f->x->nfresh + 1, sizeof *e);
    struct append_job j = { .s = f->s };
    struct bough_append_result done;
    struct snap snap;
    size_t n = 1;
    enum bough_rc rc;

    if (!purged) {
        m.fork = f->x->root ? (struct bough_head){ 0, 0 } : f->x->at;
        m.forked = m.fork.branch ? f->x->sid : 0;
        m.of = f->x->sid;
    }
    leave_open(f);
    rc = exchange_make(f->s, f->a, &m, &j.sid, f->err);
    if (rc)
        return rc;
    e[0] = (struct bough_entry_new){
        .kind = BOUGH_ENTRY_CUSTOM,
        .data = str_of(arena_printf(
            f->a, "{\"customType\":\"bough.moved\",\"data\":{\"session\":\"%s\",\"why\":\"%s\"}}",
            f->x->session, why))
    };
    for (size_t i = 0; purged && i < f->x->nfresh; i++)
        e[n++] = f->x->fresh[i];
    rc = plan_build(f->s, f->a, e, n, NULL, &j.plan, f->err);
    if (!rc)
        rc = append_run(f->s, f->a, &j, &done, f->err);
    if (!rc)
        rc = snap_begin(f->s, &snap, f->err);
    if (rc)
        return rc;
    rc = session_id(&snap, f->x->a, j.sid, &f->x->session, f->err);
    snap_end(&snap);
    f->x->sid = j.sid;
    f->x->at = (struct bough_head){ j.first.branch, j.first.depth + (int64_t)n - 1 };
    f->x->root = false;
    f->x->keep_head = false;
    f->x->exact = false;
    f->x->noted = (struct noted){ 0 };
    f->out.moved = true;
    return rc;
}

/* ---- the call ---- */

void exchange_release(struct bough_store *s, struct bough_exchange *x)
{
    struct bough_error err;

    if (bough_budget_release(s, x->hold, &err))
        log_msg(LOG_INFO, "a reservation is left to its lease: %s", err.msg);
    *x->hold = '\0';
}

static enum bough_rc write_end(struct finishing *f)
{
    bool reply = f->in->reply || f->x->open, known;
    const char *why;
    enum bough_rc rc = find_out(f, &why);

    if (!rc && why && (reply || f->in->call))
        rc = move_away(f, why);
    for (; f->x->failed < f->in->nfailed && !rc; f->x->failed += !rc)
        rc = append_failure(f, &f->in->failed[f->x->failed]);
    if (rc)
        return rc;
    if (f->x->open) {
        rc = seal_reply(f);
        if (rc != BOUGH_LEASE_LOST && rc != BOUGH_CONFLICT)
            return rc;
        rc = look_at_sealed(f, &known);
        if (rc || known)
            return rc;
        f->x->open = false;
    }
    if (f->in->reply)
        rc = append_reply(f);
    else if (f->in->call)
        rc = append_failure(f, f->in->call);
    return rc;
}

enum bough_rc bough_exchange_finish(struct bough_store *s, struct bough_exchange *x,
                                    const struct bough_exchange_finish_options *in,
                                    struct bough_exchange_finish_result *out,
                                    struct bough_error *err)
{
    REQUIRE(s && x && in && (in->others || !in->nothers) && (in->failed || !in->nfailed), err);

    struct finishing f = { .s = s, .x = x, .in = in, .err = err };
    enum bough_rc rc = RESERVED_CHECK(bough_exchange_finish_options, in, err);

    if (!rc)
        rc = RESERVED_CHECK(bough_exchange_reply, in->reply, err);
    for (size_t i = 0; i < in->nothers && !rc; i++)
        rc = RESERVED_CHECK(bough_exchange_reply, &in->others[i], err);
    if (!rc && x->finished)
        rc = bough_fail(err, BOUGH_CONFLICT, "the exchange is finished already");
    if (rc)
        return rc;
    f.a = bough_arena_create();
    rc = write_end(&f);
    x->finished = !rc;
    if (!rc)
        exchange_release(s, x); /* the cost is stored: until here both counted */
    if (!rc)
        rc = append_others(&f);
    f.out.session = x->session;
    if (!rc && out)
        *out = f.out;
    bough_arena_destroy(f.a);
    return rc;
}
