/* HTTP jobs: create one, give its steps to workers, finish it. Loop thread only. */
#include <string.h>

#include "base/env.h"
#include "base/hash/hash.h"
#include "base/memory/arena.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "http/server/wire.h"

enum {
    GONE = 499,     /* "Client closed request", as in nginx */
    OWN_CALLER = 0, /* the owner, on the Unix socket */
    OWN_ROOM = 32,  /* requests of the owner that are taken when the queue is full */
};

/* Requests with the same credential, or without one from the same address, are of one caller. The
 * gate has not run yet, so the credential may be wrong. */
static unsigned caller_of(const struct http_req *req)
{
    static const char *const names[] = { "x-bough-token", "authorization", "x-api-key", "cookie" };
    const char *key = NULL;

    if (req->via == HTTP_VIA_UNIX)
        return OWN_CALLER;
    for (size_t i = 0; !key && i < sizeof names / sizeof *names; i++)
        key = http_header(req, names[i]);
    key = key ? key : req->peer;
    return 1 + (unsigned)(hash_bytes(key, strlen(key)) % (WORK_CALLERS - 1));
}

static void on_worker(struct work *w)
{
    struct http_job *job = (struct http_job *)w;

    exchange_run(job->x, job->step);
}

struct http_job *job_create(struct wire *c, struct exchange *x)
{
    struct http_job *job = arena_zalloc(x->req.arena, sizeof *job);

    job->work.run = on_worker;
    job->work.caller = caller_of(&x->req);
    job->x = x;
    job->wire = c;
    job->server = c->server;
    job->left = x->length;
    job->body_over = !x->chunked_in && x->length <= 0;
    job->began_us = x->req.trace;
    buf_init(&job->pending, PIECES_MAX + 4 * READ_SIZE);
    buf_init(&job->head, 32 * 1024);
    c->server->jobs++;
    c->job = job;
    return job;
}

/* ---- steps ---- */

bool job_is_bound(const struct http_job *job)
{
    return job->step != EXCHANGE_WORK;
}

/* GET and HEAD rarely block; everything else waits for the disk. */
static bool submit(struct http_job *job, bool bounded)
{
    struct http_server *s = job->server;
    bool quick = job->x->req.method == HTTP_GET || job->x->req.method == HTTP_HEAD;
    bool own = job->work.caller == OWN_CALLER;
    int all = s->limits.queue + s->limits.workers;

    /* `bound` includes running work, so the limit is the queue plus all workers. One caller fills
     * at most three quarters of it, and the Unix socket has room of its own. */
    if (bounded && (s->bound >= all + (own ? OWN_ROOM : 0) ||
                    (!own && s->out_of[job->work.caller] >= all - all / 4)))
        return false;
    work_add(&s->gathered, &job->work, !quick);
    s->out++;
    if (job_is_bound(job)) {
        s->bound++;
        s->out_of[job->work.caller]++;
    }
    return true;
}

void job_submit(struct http_job *job, enum exchange_step step)
{
    job->step = step;
    job->busy++;
    (void)submit(job, false);
}

bool job_try_submit(struct http_job *job, enum exchange_step step)
{
    job->step = step;
    if (!submit(job, true))
        return false;
    job->busy++;
    return true;
}

/* ---- ending ---- */

static void destroy(struct http_job *job)
{
    struct exchange *x = job->x;

    job->server->jobs--;
    job->server->held -= job->held;
    buf_finish(&job->pending);
    buf_finish(&job->head);
    exchange_destroy(x);
}

/* D14: never log the query or the body. */
static void log_job(const struct http_job *job)
{
    const struct exchange *x = job->x;
    const char *who, *trace;

    if (!log_wanted(LOG_INFO))
        return;
    who = x->req.app->label ? x->req.app->label(&x->req) : NULL;
    trace = http_header(&x->req, "traceparent");
    if (!answer_sane_trace(trace)) /* anything else could forge fields of the line */
        trace = NULL;
    log_msg(LOG_INFO,
            "http method=%s route=%s status=%d bytes=%lld us=%lld id=%s who=%s peer=%s%s%s",
            x->req.route ? x->req.route->method : "-", x->req.route ? x->req.route->path : "-",
            x->res.status, (long long)x->sent, (long long)(mono_us() - job->began_us), x->req.id,
            cstr_empty(who) ? "-" : who, x->req.peer, trace ? " trace=" : "", trace ? trace : "");
}

static void count_job(struct http_job *job)
{
    struct http_figures *f = &job->server->figures;
    int hundred;

    if (job->counted)
        return;
    job->counted = true;
    if (!job->x->answered || (!job->wire && !job->head.n))
        job->x->res.status = GONE; /* for the log: the client left before the answer */
    log_job(job);
    hundred = job->x->res.status / 100;
    if (hundred >= 1 && hundred <= 5)
        figure_add(&f->status[hundred], 1);
    figure_add(&f->worker_us, job->x->worker_us);
}

/* The caller must make sure that no step or write of the job is in progress. */
void job_finish(struct http_job *job)
{
    count_job(job);
    if (job->wire)
        job->wire->job = NULL;
    job->wire = NULL;
    if (exchange_unfinished(job->x))
        job_submit(job, EXCHANGE_END);
    else
        destroy(job);
}

/* A step on a worker, or a write in progress, finishes the job when it returns. */
void job_abandon(struct http_job *job)
{
    figure_add(&job->server->figures.cancelled, 1);
    __atomic_store_n(&job->x->cancelled, true, __ATOMIC_RELAXED);
    job->wire->job = NULL;
    job->wire = NULL;
    if (job->flow)
        flow_left(job);
    else if (!job->busy)
        job_finish(job);
}
