/* The thread that turns the changelog and the open messages into events for the hub. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/events/event.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"

enum {
    ROWS = 200,      /* changelog rows per read */
    QUIET_MS = 1000, /* longest wait for the next change; a commit wakes the feed earlier */
    OPEN_MS = 20,    /* poll interval while messages are open: their text has no changelog rows */
    LOOK_MS = 250,   /* how often revoked tokens are looked for, at most */
    FAILED_NS = 50 * 1000 * 1000,
    RECOVER_US = 500 * 1000, /* how often messages of dead writers are sealed */
    PIECE = 256 * 1024,      /* most bytes one replay call writes */
};

struct event_pump {
    struct bough_store *store; /* cancelled when `stop` is set */
    struct auth *auth;
    bool stop; /* atomic */
    struct http_hub *hub;
    pthread_t thread;
    pthread_mutex_t lock; /* guards everything below; must be held to send to the hub */
    bool started, dead;
    struct bough_mark mark; /* everything up to here was sent */
    int64_t at;             /* position of the last event */
    uint64_t skipped;       /* rows skipped because no stream was open */
    struct event_reader reader;
    struct event_open *open;
};

struct event_pump *event_pump_create(struct bough_store *s, struct auth *auth)
{
    struct event_pump *p = mem_zalloc(sizeof *p);
    struct bough_store_scoped_options scope = { .cancel = &p->stop };

    p->store = bough_store_scoped(s, &scope);
    p->auth = auth;
    p->open = event_open_create();
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void event_pump_destroy(struct event_pump *p)
{
    if (!p)
        return;
    __atomic_store_n(&p->stop, true, __ATOMIC_RELEASE);
    if (p->started)
        pthread_join(p->thread, NULL);
    event_open_destroy(p->open);
    http_hub_destroy(p->hub);
    bough_store_close(&p->store);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}

/* ---- pumping; the caller must hold the lock ---- */

static void to_hub(void *user, const struct http_event *e, const struct event_about *about)
{
    struct event_pump *p = user;
    struct http_event with = *e;

    with.about = about;
    with.about_size = sizeof *about;
    http_hub_send(p->hub, &with);
}

static void pump_row(struct event_pump *p, const struct bough_change *c)
{
    if (strcmp(c->kind, "seal") == 0)
        event_open_sealed(p->open, &p->reader, c->entry, &p->at);
    event_row(&p->reader, c, p->at);
    p->at = event_at(c->no, EVENT_ROW);
    if (strcmp(c->kind, "open") == 0)
        event_open_add(p->open, &p->reader, c->entry, true, &p->at);
}

/* No stream is open, and no row concerns an open message: skip the rows. A stream that opens later
 * reads them from the changelog. */
static bool skip_rows(struct event_pump *p, const struct bough_changes *rows)
{
    int64_t at;

    if (!rows->n)
        return true;
    for (size_t i = 0; i < rows->n; i++)
        if (strcmp(rows->at[i].kind, "open") == 0 || strcmp(rows->at[i].kind, "seal") == 0)
            return false;
    at = event_at(rows->at[rows->n - 1].no, EVENT_ROW);
    if (!http_hub_skip(p->hub, at))
        return false;
    p->at = at;
    p->skipped += rows->n;
    return true;
}

/* Send everything up to the end of the changelog, then what was added to open messages. */
static enum bough_rc pump(struct event_pump *p, struct bough_error *err)
{
    struct bough_feed_next_result feed = { 0 };
    enum bough_rc rc = BOUGH_OK;

    do {
        struct bough_arena *a = bough_arena_create();

        rc = bough_feed_next(p->store, a, p->mark, ROWS, 0, &feed, err);
        if (!rc && !feed.reset && !skip_rows(p, &feed.changes))
            for (size_t i = 0; i < feed.changes.n; i++)
                pump_row(p, &feed.changes.at[i]);
        if (!rc && !feed.reset)
            p->mark = feed.next;
        bough_arena_destroy(a);
    } while (!rc && !feed.reset && feed.changes.n);
    if (!rc && feed.reset) { /* the store was replaced: all positions are invalid */
        p->dead = true;
        http_hub_close_all(p->hub);
    }
    if (!rc && !p->dead && http_hub_heard(p->hub))
        event_open_look(p->open, &p->reader, &p->at);
    return rc;
}

static bool stopping(const struct event_pump *p)
{
    return __atomic_load_n(&p->stop, __ATOMIC_ACQUIRE);
}

/* Seal messages whose writer died, so that their followers learn of the end. */
static void recover(struct event_pump *p, int64_t *next_us)
{
    struct bough_error err = { 0 };

    if (mono_us() < *next_us)
        return;
    *next_us = mono_us() + RECOVER_US;
    if (bough_message_recover(p->store, NULL, &err) && err.rc != BOUGH_READ_ONLY && !stopping(p))
        log_msg(LOG_WARN, "events recover=%s msg=%s", bough_rc_name(err.rc), err.msg);
}

static void *run(void *user)
{
    struct event_pump *p = user;
    int64_t recover_us = 0;

    while (!stopping(p)) {
        struct bough_error err = { 0 };
        struct bough_arena *a = bough_arena_create();
        struct bough_feed_next_result feed;
        struct bough_mark from;
        int64_t wait;
        bool dead;
        enum bough_rc rc;

        if (p->auth && http_hub_heard(p->hub))
            auth_look(p->auth, LOOK_MS);
        pthread_mutex_lock(&p->lock);
        rc = p->dead ? BOUGH_OK : pump(p, &err);
        from = p->mark;
        dead = p->dead;
        wait = event_open_count(p->open) ? OPEN_MS : QUIET_MS;
        pthread_mutex_unlock(&p->lock);
        if (!rc && wait == OPEN_MS)
            recover(p, &recover_us);
        if (rc && !stopping(p))
            log_msg(LOG_WARN, "events rc=%s msg=%s", bough_rc_name(rc), err.msg);
        if (!dead && (rc || bough_feed_next(p->store, a, from, 1, wait, &feed, NULL)))
            (void)nanosleep(&(struct timespec){ 0, FAILED_NS }, NULL);
        bough_arena_destroy(a);
        if (dead)
            break;
    }
    return NULL;
}

uint64_t event_pump_skipped(struct event_pump *p)
{
    uint64_t n;

    pthread_mutex_lock(&p->lock);
    n = p->skipped;
    pthread_mutex_unlock(&p->lock);
    return n;
}

/* ---- starting ---- */

static enum bough_rc start(struct event_pump *p, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_open_messages open;
    enum bough_rc rc = bough_feed_end(p->store, &p->mark, err);

    if (!rc)
        rc = bough_message_list(p->store, a, NULL, &open, err);
    if (!rc) {
        p->at = event_at(p->mark.no, EVENT_ROW);
        p->reader = (struct event_reader){ .store = p->store,
                                           .epoch = p->mark.epoch,
                                           .sink = { to_hub, p } };
        for (size_t i = 0; i < open.n; i++)
            event_open_add(p->open, &p->reader, open.at[i].id, false, NULL);
        p->at += open.n ? 1 : 0;
        p->hub = http_hub_create(p->at);
        p->started = pthread_create(&p->thread, NULL, run, p) == 0;
        if (!p->started)
            rc = bough_fail(err, BOUGH_OVERLOADED, "cannot start the event thread");
    }
    bough_arena_destroy(a);
    return rc;
}

enum bough_rc event_pump_ready(struct event_pump *p, struct http_hub **hub, struct bough_mark *end,
                               struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    pthread_mutex_lock(&p->lock);
    if (!p->started)
        rc = start(p, err);
    if (!rc && !p->dead)
        rc = pump(p, err);
    if (!rc && p->dead)
        rc = bough_fail(err, BOUGH_NOT_DONE, "the store was replaced; restart the server");
    *hub = p->hub;
    *end = p->mark;
    pthread_mutex_unlock(&p->lock);
    return rc;
}

/* ---- replay for one stream ---- */

bool event_wants(const struct event_stream *st, const struct event_about *about)
{
    if (!(st->names >> about->name & 1))
        return false;
    if ((st->bound || st->filtered) && !about->placed)
        return false;
    if (about->admin && !st->admin)
        return false;
    if (st->bound && memcmp(st->own, about->project, SHA256_LEN) != 0)
        return false;
    if (st->filtered && memcmp(st->wished, about->project, SHA256_LEN) != 0)
        return false;
    for (size_t i = 0; i < st->nsessions; i++)
        if (memcmp(st->sessions[i], about->session, BOUGH_ID_LEN) == 0)
            return true;
    return st->nsessions == 0;
}

struct replay {
    const struct event_stream *st;
    struct http_res *res;
    size_t written;
};

static void to_answer(void *user, const struct http_event *e, const struct event_about *about)
{
    struct replay *r = user;

    if (!event_wants(r->st, about))
        return;
    http_sse_write(r->res, e);
    r->written += e->data.n;
}

/* The first event. Its id lets a client resume from here even if it receives nothing else. */
static void write_hello(struct event_stream *st, struct http_res *res, struct bough_mark mark)
{
    char id[64], data[128];

    snprintf(id, sizeof id, "%lld-%lld", (long long)mark.epoch, (long long)mark.no);
    snprintf(data, sizeof data, "{\"type\":\"%s\",\"epoch\":%lld,\"no\":%lld}",
             st->reset ? "reset" : "ready", (long long)mark.epoch, (long long)mark.no);
    http_sse_write(
        res, &(struct http_event){
                 .at = 1, .id = id, .name = st->reset ? "reset" : "ready", .data = str_of(data) });
    st->hello = false;
}

/* Called when the changelog is replayed: send the open messages as far as the hub has sent them,
 * and move *at to the hub's position. Under the lock, so that the pump sends nothing in between. */
static void catch_up(struct event_stream *st, struct event_reader *r, struct http_res *res,
                     int64_t *at)
{
    struct event_pump *p = st->pump;

    pthread_mutex_lock(&p->lock);
    if (event_no(http_hub_at(p->hub)) <= event_no(*at)) {
        if (st->hello)
            write_hello(st, res, p->mark);
        event_open_show(p->open, r, &st->seen);
        if (*at < http_hub_at(p->hub))
            *at = http_hub_at(p->hub);
    }
    pthread_mutex_unlock(&p->lock);
}

/* Replays rows only up to the hub's position: later rows come from the hub, interleaved with deltas
 * of open messages. */
enum bough_rc event_replay(void *user, struct http_req *req, struct http_res *res, int64_t *at,
                           struct bough_error *err)
{
    struct event_stream *st = user;
    struct replay to = { st, res, 0 };
    struct event_reader *r = arena_zalloc(req->arena, sizeof *r);
    int64_t end = event_no(http_hub_at(st->pump->hub));
    int64_t after;
    struct bough_arena *a = bough_arena_create();
    struct bough_changes rows = { .next = "" };
    enum bough_rc rc = BOUGH_OK;

    *r = (struct event_reader){ .store = api_of(req)->store, .sink = { to_answer, &to } };
    r->epoch = st->pump->reader.epoch;
    *at = *at < st->from ? st->from : *at;
    after = event_no(*at) - (event_sub(*at) < EVENT_ROW ? 1 : 0);
    if (after < end)
        rc = bough_store_log(r->store, a,
                             &(struct bough_store_log_options){ .after = after, .limit = ROWS },
                             &rows, err);
    for (size_t i = 0; !rc && i < rows.n && rows.at[i].no <= end && to.written < PIECE; i++) {
        event_row(r, &rows.at[i], *at);
        *at = event_at(rows.at[i].no, EVENT_ROW);
    }
    /* Done when the last row read is at or after `end`, or when no rows are left before it. */
    if (!rc && to.written < PIECE && (!rows.n || !*rows.next || rows.at[rows.n - 1].no >= end)) {
        *at = *at > event_at(end, EVENT_ROW) ? *at : event_at(end, EVENT_ROW);
        catch_up(st, r, res, at);
    }
    bough_arena_destroy(a);
    return rc;
}
