/* One request that is sent on: its time, the events of its client, its beginning and end. */
#include "gateway/relay/relay.h"

#include "base/env.h"
#include "base/memory/mem.h"
#include "gateway/kit/record.h"
#include "gateway/kit/state.h"
#include "gateway/relay/inside.h"

/* ---- time ---- */

/* libcurl's own limit of silence does not count while a transfer is paused; these do not run then.
 */
static bool too_slow(const struct relay *r, int64_t now)
{
    const struct provider_target *to = &r->plan.targets[r->target].to;
    int64_t limit = r->attempts[r->nattempts - 1].first_ms ? to->between_ms : to->first_ms;

    return r->transfer && !r->paused && limit && now - r->last_us > limit * 1000;
}

/* The store takes too long: tell the client; the recorder goes on. */
static void seal_late(struct relay *r)
{
    r->sealing_told = true;
    if (r->refused || relay_now(r)->how != RELAY_ANSWERED || r->left)
        return;
    (void)relay_say_fault(r, 503, "not_recorded", "the reply could not be stored in time");
    http_flow_drop(r->flow);
}

/* The recorder begins a moment after the request was sent: many requests at once are all sent on
 * before the first of them is stored. */
static bool work_due(const struct relay *r, int64_t now)
{
    if (r->working)
        return false;
    if (!r->begun && !r->begin_rc)
        return now - r->worked_us > BEGIN_US;
    return r->queue.n ? now - r->queued_us > BATCH_US : now - r->worked_us > KEEP_US;
}

static void on_tick(struct ticking *ticking, int64_t now)
{
    struct relay *r = (struct relay *)((char *)ticking - offsetof(struct relay, ticking));

    if (r->over) {
        if (r->plan.required && !r->sealing_told && now - r->over_us > SEAL_US)
            seal_late(r);
        return;
    }
    if (http_flow_stopping(r->flow)) {
        relay_stop(r, RELAY_STOPPED, "the server stopped");
    } else if (r->retry_us) {
        if (now >= r->retry_us)
            relay_attempt_begin(r);
    } else if (too_slow(r, now)) {
        relay_stop(r, RELAY_SLOW, "it was silent for too long");
    } else if (r->left && now - r->left_us > FINISH_US) {
        relay_stop(r, RELAY_LEFT, "the client left");
    } else if (work_due(r, now)) {
        relay_start_work(r);
    }
}

/* ---- events of the flow ---- */

static void on_start(void *user, struct http_flow *f)
{
    struct relay *r = user;

    r->flow = f;
    r->multi = gateway_multi(r->plan.gateway, http_flow_loop(f));
    r->ticking.tick = on_tick;
    r->worked_us = mono_us();
    multi_tick(r->multi, &r->ticking);
    relay_attempt_begin(r);
}

static void on_room(void *user)
{
    struct relay *r = user;

    if (!r->paused || !r->transfer)
        return;
    r->paused = false;
    transfer_resume(r->transfer);
}

static void on_left(void *user)
{
    struct relay *r = user;

    r->left = true;
    r->left_us = mono_us();
    if (!r->plan.finish || r->retry_us || http_flow_stopping(r->flow))
        relay_stop(r, http_flow_stopping(r->flow) ? RELAY_STOPPED : RELAY_LEFT, "the client left");
    else
        on_room(r);
}

static const struct http_flow_events flow_on = {
    .start = on_start, .room = on_room, .left = on_left, .work = relay_work, .worked = relay_worked
};

void relay_answer(struct http_req *req, struct http_res *res, const struct relay_plan *plan)
{
    struct relay *r = mem_zalloc(sizeof *r);

    r->plan = *plan;
    gateway_count(plan->gateway, GATEWAY_RELAYED);
    r->req = req;
    r->retries = plan->retries;
    r->begun = plan->record && record_begun(plan->record);
    buf_init(&r->kept, KEPT_MOST);
    buf_init(&r->lines, KEPT_MOST);
    buf_init(&r->queue, 2 * QUEUE_MOST);
    buf_init(&r->batch, 2 * QUEUE_MOST);
    wire_scan_init(&r->scan, plan->wire, plan->drop_usage);
    req->state = r;
    http_flow(res, &flow_on, r);
}

void relay_drop(struct http_req *req)
{
    struct relay *r = req->state;

    if (!r)
        return;
    req->state = NULL;
    record_destroy(r->plan.record);
    for (size_t i = 0; i < r->nattempts; i++)
        buf_finish(&r->attempts[i].body);
    buf_finish(&r->kept);
    buf_finish(&r->lines);
    buf_finish(&r->queue);
    buf_finish(&r->batch);
    wire_scan_finish(&r->scan);
    mem_free(r);
}
