/* Attempts of a relay: sending the request, taking the answer, trying again. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/kit/secret.h"
#include "gateway/kit/state.h"
#include "gateway/relay/headers.h"
#include "gateway/relay/inside.h"

static const struct transfer_events transfer_on;

void relay_attempt_begin(struct relay *r)
{
    const struct relay_target *to = &r->plan.targets[r->target];
    struct relay_attempt *t = &r->attempts[r->nattempts++];

    *t = (struct relay_attempt){ .target = r->target, .began = env_now(&env_system) };
    buf_init(&t->body, ERROR_MOST);
    buf_reset(&r->kept);
    buf_reset(&r->lines);
    r->holding = r->refused = false;
    r->retry_us = 0;
    r->began_us = r->last_us = mono_us();
    r->transfer = transfer_start(r->multi,
                                 &(struct easy_options){
                                     .url = to->to.url,
                                     .method = r->plan.method,
                                     .headers = to->headers,
                                     .body = r->plain && to->plain.n ? to->plain : to->body,
                                     .allow_private = to->to.allow_private,
                                     .connect_ms = to->to.connect_ms,
                                     .whole_ms = to->to.whole_ms,
                                 },
                                 &transfer_on, r);
    if (!r->transfer)
        relay_stop(r, RELAY_NOT_SENT, "there is no memory left");
}

static bool may_retry(const struct relay *r)
{
    return r->retries > 0 && r->nattempts < RELAY_ATTEMPTS && !r->left;
}

/* Statuses that say: not now. */
static bool is_busy(int status)
{
    return status == 429 || status == 500 || status == 502 || status == 503 || status == 529;
}

/* The next attempt goes to the next provider; behind the last one the list begins again. */
static void try_next(struct relay *r, int64_t wait_us)
{
    r->retries--;
    r->target = (r->target + 1) % r->plan.ntargets;
    r->retry_us = mono_us() + wait_us;
}

static int64_t wait_asked(struct relay *r)
{
    const char *text = headers_find(r->req->arena, buf_str(&r->lines), "retry-after");
    int64_t us = text ? strtoll(text, NULL, 10) * 1000000 : 0;

    if (r->plan.ntargets > 1)
        return 0; /* another provider need not wait */
    return us < 0 ? 0 : us > RETRY_MOST_US ? RETRY_MOST_US : us;
}

static bool names_usage(const struct buf *b)
{
    return memmem(b->p, b->n, "stream_options", 14) || memmem(b->p, b->n, "include_usage", 13);
}

static bool asked_usage(const struct relay *r)
{
    return !r->plain && r->plan.targets[r->target].plain.n;
}

/* Give out an answer that was held: it might have been tried again, and it might have the key. */
static void give_held(struct relay *r)
{
    r->holding = false;
    secret_blank(&r->plan.targets[r->target].to, r->kept.p, r->kept.n);
    relay_pass_head(r, relay_now(r)->status, buf_str(&r->lines));
    http_flow_give(r->flow, r->kept.p, r->kept.n);
}

/* A held answer is complete. True: another attempt is made. */
static bool try_again(struct relay *r)
{
    const char *provider = r->plan.targets[r->target].to.provider;

    if (relay_now(r)->status == 400 && asked_usage(r) && names_usage(&r->kept)) {
        providers_no_usage(gateway_providers(r->plan.gateway), provider);
        r->plain = true;
        r->retry_us = mono_us();
        return true;
    }
    if (is_busy(relay_now(r)->status) && may_retry(r)) {
        try_next(r, wait_asked(r));
        return true;
    }
    return false;
}

/* ---- from the provider ---- */

static void on_head(void *user, int status, struct bough_str lines)
{
    struct relay *r = user;
    struct relay_attempt *t = relay_now(r);
    const char *type = headers_find(r->req->arena, lines, "content-type");

    t->status = status;
    t->id = headers_find(r->req->arena, lines, "*request-id");
    r->last_us = mono_us();
    r->refused = status / 100 != 2;
    r->events = type && strncasecmp(type, "text/event-stream", 17) == 0;
    if (status / 100 == 3) {
        relay_stop(r, RELAY_REDIRECTED, "it answered with a redirect, which is not followed");
        return;
    }
    r->holding = r->refused;
    if (r->holding)
        buf_put_str(&r->lines, lines);
    else
        relay_pass_head(r, status, lines);
}

static bool hold(struct relay *r, const char *p, size_t n)
{
    buf_put(&r->kept, p, n);
    if (r->kept.over) { /* no error is as long */
        buf_reset(&r->kept);
        relay_stop(r, RELAY_CUT, "its error is too long");
    }
    return true;
}

static bool on_bytes(void *user, const char *p, size_t n)
{
    struct relay *r = user;
    struct relay_attempt *t = relay_now(r);

    r->last_us = mono_us();
    if (r->holding) {
        size_t room = ERROR_MOST - t->body.n;

        buf_put(&t->body, p, n < room ? n : room);
        if (!t->first_ms)
            t->first_ms = relay_ms_since(r, r->last_us);
        return hold(r, p, n);
    }
    if (!r->left && http_flow_full(r->flow))
        return !(r->paused = true);
    if (r->plan.required && r->plan.record && r->queue.n + n > QUEUE_MOST)
        return !(r->paused = true);
    if (!t->first_ms)
        t->first_ms = relay_ms_since(r, r->last_us);
    if (r->events)
        wire_scan_feed(&r->scan, p, n, relay_give, r);
    else
        relay_give(r, p, n);
    relay_put_queue(r, p, n);
    return true;
}

static enum relay_how how_of(enum transfer_how how)
{
    switch (how) {
    case TRANSFER_DONE:
        return RELAY_ANSWERED;
    case TRANSFER_NOT_SENT:
    case TRANSFER_NOT_ALLOWED:
        return RELAY_NOT_SENT;
    case TRANSFER_SLOW:
        return RELAY_SLOW;
    case TRANSFER_CUT:
        break;
    }
    return RELAY_CUT;
}

static void on_done(void *user, enum transfer_how how, const char *why)
{
    struct relay *r = user;
    struct relay_attempt *t = relay_now(r);

    r->transfer = NULL;
    secret_blank(&r->plan.targets[t->target].to, t->body.p, t->body.n);
    relay_end_attempt(r, how_of(how),
                      how == TRANSFER_DONE ? NULL : arena_strdup(r->req->arena, why));
    if (how != TRANSFER_DONE || t->status == 404)
        providers_failed(gateway_providers(r->plan.gateway), r->plan.targets[t->target].to.provider,
                         how == TRANSFER_DONE ? "it does not know the model" : t->why);
    if (how == TRANSFER_DONE && r->holding) {
        if (try_again(r))
            return;
        give_held(r);
    } else if (how == TRANSFER_NOT_SENT && may_retry(r)) {
        try_next(r, 0);
        return;
    }
    relay_finish(r);
}

static const struct transfer_events transfer_on = { .head = on_head,
                                                    .bytes = on_bytes,
                                                    .done = on_done };
