/* The recorder of a relay, on workers, and the end: what is stored, and the last bytes. */
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "gateway/kit/record.h"
#include "gateway/kit/state.h"
#include "gateway/relay/inside.h"

/* ---- the recorder ---- */

void relay_work(void *user)
{
    struct relay *r = user;
    struct record *record = r->plan.record;

    if (!record_begun(record) && !r->begin_rc)
        r->begin_rc = record_begin(record, &r->err);
    if (r->begin_rc)
        return;
    if (r->batch.n)
        record_bytes(record, buf_str(&r->batch));
    else if (!r->final)
        record_keep(record);
    if (r->final) {
        struct relay_end end = { r->attempts, r->nattempts };

        r->finish_rc = record_finish(record, &end, &r->cut, &r->err);
    }
}

void relay_start_work(struct relay *r)
{
    struct buf empty = r->batch;

    if (r->working || !r->plan.record || r->finished)
        return;
    r->batch = r->queue;
    r->queue = empty;
    r->final = r->over;
    r->working = true;
    r->worked_us = mono_us();
    (void)http_flow_work(r->flow);
}

void relay_put_queue(struct relay *r, const char *p, size_t n)
{
    if (!r->plan.record || r->overflowed || r->hopeless)
        return;
    if (r->queue.n + n > QUEUE_MOST) { /* best effort: the rest is not recorded */
        r->overflowed = true;
        gateway_count(r->plan.gateway, GATEWAY_LOST);
        return;
    }
    if (!r->queue.n)
        r->queued_us = mono_us();
    buf_put(&r->queue, p, n);
    if (r->queue.n >= BATCH)
        relay_start_work(r);
}

/* ---- the end ---- */

static void conclude(struct relay *r);

/* With best effort the end mark does not wait for the store. */
static void give_mark(struct relay *r)
{
    r->mark_given =
        relay_now(r)->how == RELAY_ANSWERED && !r->refused && wire_scan_complete(&r->scan);
    if (r->mark_given)
        wire_scan_flush(&r->scan, relay_give, r);
}

void relay_finish(struct relay *r)
{
    r->over = true;
    r->over_us = mono_us();
    if (r->plan.record && !r->plan.required)
        give_mark(r);
    if (r->plan.record)
        relay_start_work(r);
    else
        conclude(r);
}

void relay_end_attempt(struct relay *r, enum relay_how how, const char *why)
{
    struct relay_attempt *t = relay_now(r);

    t->how = how;
    t->why = why;
    t->whole_ms = relay_ms_since(r, mono_us());
}

void relay_stop(struct relay *r, enum relay_how how, const char *why)
{
    if (r->over)
        return;
    if (r->transfer)
        transfer_cancel(r->transfer);
    r->transfer = NULL;
    relay_end_attempt(r, how, why);
    relay_finish(r);
}

static void say_failure(struct relay *r, bool *cut)
{
    const struct relay_attempt *t = relay_now(r);
    const char *name = r->plan.targets[t->target].to.provider;
    const char *text = arena_printf(r->req->arena, "%s: %s", name, t->why ? t->why : "");

    switch (t->how) {
    case RELAY_NOT_SENT:
    case RELAY_REDIRECTED:
    case RELAY_CUT:
        *cut = relay_say_fault(r, 502, "provider_unreachable", text);
        break;
    case RELAY_SLOW:
        *cut = relay_say_fault(r, 504, "provider_timeout", text);
        break;
    case RELAY_NO_STORE:
        *cut = relay_say_fault(r, 503, "not_recorded", t->why);
        break;
    case RELAY_STOPPED:
        *cut = relay_say_fault(r, 503, "stopping", "the server is stopping: try again");
        break;
    case RELAY_ANSWERED:
    case RELAY_LEFT:
        break;
    }
}

/* Has all of the reply come? */
static bool complete(const struct relay *r)
{
    if (r->mark_given || wire_scan_complete(&r->scan))
        return true;
    if (r->plan.record && !r->begin_rc && !r->finish_rc)
        return !r->cut;
    return r->plan.wire == WIRE_CHAT; /* some providers send no end mark */
}

/* The last bytes of an answer that came to its end. */
static void say_end(struct relay *r, bool *cut)
{
    if (r->refused || !r->events)
        return;
    if (complete(r))
        wire_scan_flush(&r->scan, relay_give, r);
    else /* what is held is half an event */
        *cut =
            relay_say_fault(r, 502, "provider_unreachable", "the provider ended the reply early");
}

/* Everything is done, on this side and by the recorder. */
static void conclude(struct relay *r)
{
    enum bough_rc rc = r->begin_rc ? r->begin_rc : r->finish_rc;
    bool cut = false;

    r->finished = true;
    multi_untick(r->multi, &r->ticking);
    if (r->plan.record)
        gateway_note_store(r->plan.gateway, !rc);
    if (rc) {
        gateway_count(r->plan.gateway, GATEWAY_LOST);
        log_msg(LOG_WARN, "gateway id=%s msg=not recorded: %s", r->plan.id, r->err.msg);
    }
    if (r->left)
        cut = true;
    else if (relay_now(r)->how != RELAY_ANSWERED)
        say_failure(r, &cut);
    else if (rc && r->plan.required && !r->refused)
        cut = relay_say_fault(r, 503, "not_recorded", "the reply could not be stored");
    else
        say_end(r, &cut);
    http_flow_end(r->flow, cut);
}

void relay_worked(void *user)
{
    struct relay *r = user;

    r->working = false;
    r->hopeless = r->begin_rc != BOUGH_OK;
    r->begun = r->begun || (!r->begin_rc && record_begun(r->plan.record));
    if (r->batch.cap > 2 * BATCH) {
        buf_finish(&r->batch);
        buf_init(&r->batch, 2 * QUEUE_MOST);
    }
    buf_reset(&r->batch);
    if (r->final) {
        conclude(r);
        return;
    }
    if (r->begin_rc && r->plan.required && !r->over) {
        relay_stop(r, RELAY_NO_STORE, r->err.msg);
        return;
    }
    if (r->over || r->queue.n >= BATCH)
        relay_start_work(r);
    if (r->paused && r->transfer && r->queue.n < QUEUE_MOST / 2) {
        r->paused = false;
        transfer_resume(r->transfer);
    }
}
