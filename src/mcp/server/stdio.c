/*
 * MCP over standard input and output: one message a line.
 *
 * The calling thread reads; a worker answers one request after the other. So a notification can
 * cancel the request that is being answered, and one that waits.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "mcp/server/mcp.h"
#include "rpc/lines.h"

enum {
    WAITING_MAX = 64, /* requests; a client that sends more without waiting is refused */
    PIECE = 64 * 1024,
    ANSWER_MAX = 4 * 1024 * 1024, /* far above what results are bounded to */
};

/* A request that waits, or is being answered. */
struct job {
    struct job *next;
    struct bough_arena *a;
    struct rpc_message m;
    bool cancel; /* atomic */
};

struct stdio {
    const struct mcp_stdio_config *config;
    struct rpc_lines lines;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    struct job *first, *running; /* waiting, oldest first */
    size_t waiting;
    bool closing;            /* no more requests come */
    bool ended;              /* the worker has ended */
    pthread_mutex_t writing; /* one answer at a time */
    bool stop;               /* atomic: a signal came, or the output failed */
    bool broken;             /* atomic: the output failed */
};

/* ---- signals ---- */

static bool signalled; /* atomic: SIGTERM or SIGINT came */

static void on_signal(int number)
{
    (void)number;
    __atomic_store_n(&signalled, true, __ATOMIC_RELEASE);
}

/* Does nothing: a write that waits ends with EINTR. */
static void on_wake(int number)
{
    (void)number;
}

/* Signals are blocked but while the reader waits. SIGUSR1 interrupts a write of the worker. */
static void take_signals(sigset_t *before)
{
    struct sigaction act = { .sa_handler = on_signal };
    struct sigaction wake = { .sa_handler = on_wake };
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigset_t set;

    __atomic_store_n(&signalled, false, __ATOMIC_RELEASE);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, before);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGUSR1, &wake, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

static bool stopped(struct stdio *s)
{
    return __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
}

static void stop(struct stdio *s)
{
    __atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
}

/* ---- writing ---- */

static void write_line(struct stdio *s, struct buf *line)
{
    size_t at = 0;

    buf_putc(line, '\n');
    pthread_mutex_lock(&s->writing);
    while (at < line->n && !stopped(s)) {
        ssize_t n = write(s->config->out, line->p + at, line->n - at);

        if (n > 0) {
            at += (size_t)n;
        } else if (errno != EINTR) {
            __atomic_store_n(&s->broken, true, __ATOMIC_RELEASE);
            stop(s);
        }
    }
    pthread_mutex_unlock(&s->writing);
}

static void write_error(struct stdio *s, struct json id, int code, const char *why)
{
    struct buf line;

    buf_init(&line, ANSWER_MAX);
    rpc_error(&line, id, code, why, str_make("", 0));
    write_line(s, &line);
    buf_finish(&line);
}

/* ---- the worker ---- */

static void answer(struct stdio *s, struct job *job)
{
    struct mcp_peer peer = { s->config->api, s->config->who, &job->cancel };
    struct buf line;

    buf_init(&line, ANSWER_MAX);
    mcp_answer(&peer, job->a, &job->m, &line);
    if (line.over) {
        buf_reset(&line);
        rpc_error(&line, job->m.id, RPC_INTERNAL, "the answer is too large: ask for less",
                  str_make("", 0));
    }
    /* The client does not expect an answer to a request that it cancelled. */
    if (line.n && !__atomic_load_n(&job->cancel, __ATOMIC_ACQUIRE))
        write_line(s, &line);
    buf_finish(&line);
}

static void free_job(struct job *job)
{
    bough_arena_destroy(job->a);
    mem_free(job);
}

static struct job *next_job(struct stdio *s)
{
    struct job *job;

    pthread_mutex_lock(&s->lock);
    while (!s->first && !s->closing)
        pthread_cond_wait(&s->changed, &s->lock);
    job = s->first;
    if (job) {
        s->first = job->next;
        s->waiting--;
    }
    s->running = job;
    pthread_mutex_unlock(&s->lock);
    return job;
}

static void *work(void *user)
{
    struct stdio *s = user;
    struct job *job;

    while ((job = next_job(s))) {
        if (!stopped(s) && !__atomic_load_n(&job->cancel, __ATOMIC_ACQUIRE))
            answer(s, job);
        pthread_mutex_lock(&s->lock);
        s->running = NULL;
        pthread_mutex_unlock(&s->lock);
        free_job(job);
    }
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- the reader ---- */

/* Cancel the request of this id, or all (nothing). */
static void cancel(struct stdio *s, struct bough_arena *a, struct json id)
{
    struct job *job;

    pthread_mutex_lock(&s->lock);
    if (s->running && (!id.doc || rpc_same_id(a, s->running->m.id, id)))
        __atomic_store_n(&s->running->cancel, true, __ATOMIC_RELEASE);
    for (job = s->first; job; job = job->next)
        if (!id.doc || rpc_same_id(a, job->m.id, id))
            __atomic_store_n(&job->cancel, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&s->lock);
}

static bool add_job(struct stdio *s, struct job *job)
{
    struct job **end = &s->first;
    bool room;

    pthread_mutex_lock(&s->lock);
    room = s->waiting < WAITING_MAX;
    while (*end)
        end = &(*end)->next;
    if (room) {
        *end = job;
        s->waiting++;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

static void take_notification(struct stdio *s, struct job *job)
{
    struct json id = json_member(job->m.params, "requestId");

    if (strcmp(job->m.method, "notifications/cancelled") == 0 && id.doc)
        cancel(s, job->a, id);
}

/* False: it was answered at once. True: the worker has the job now, and frees it. */
static bool take_request(struct stdio *s, struct job *job)
{
    if (add_job(s, job))
        return true;
    write_error(s, job->m.id, RPC_INTERNAL,
                "too many requests wait: send the next one after an answer");
    return false;
}

static void take_line(struct stdio *s, struct bough_str line)
{
    struct job *job = mem_zalloc(sizeof *job);
    struct rpc_bad bad;

    job->a = bough_arena_create();
    if (!rpc_read(job->a, arena_str(job->a, line), &job->m, &bad))
        write_error(s, bad.id, bad.code, bad.why);
    else if (job->m.kind == RPC_NOTIFICATION)
        take_notification(s, job);
    else if (job->m.kind == RPC_REQUEST && take_request(s, job))
        return;
    free_job(job);
}

static void take_found(struct stdio *s, enum rpc_line found)
{
    if (found == RPC_LINE)
        take_line(s, buf_str(&s->lines.line));
    else if (found == RPC_LINE_LONG)
        write_error(s, (struct json){ 0 }, RPC_INVALID_REQUEST,
                    "a message of more than 8 MB was dropped");
}

/* Wait for input or a signal, then read. False: the end. */
static bool read_some(struct stdio *s, char *piece, const sigset_t *before)
{
    struct pollfd fd = { .fd = s->config->in, .events = POLLIN };
    struct bough_str bytes;
    enum rpc_line found;
    ssize_t n;

    if (ppoll(&fd, 1, &(struct timespec){ .tv_sec = 1 }, before) < 0 && errno != EINTR)
        return false;
    if (__atomic_load_n(&signalled, __ATOMIC_ACQUIRE))
        stop(s);
    if (stopped(s))
        return false;
    if (!fd.revents)
        return true;
    n = read(s->config->in, piece, PIECE);
    if (n <= 0)
        return n < 0 && (errno == EINTR || errno == EAGAIN);
    bytes = str_make(piece, (size_t)n);
    while ((found = rpc_lines_next(&s->lines, &bytes)))
        take_found(s, found);
    return true;
}

/* Let the worker finish. After a signal it gives up: requests are cancelled, writes interrupted. */
static void finish(struct stdio *s, pthread_t worker, const sigset_t *before)
{
    struct timespec until;
    bool ended = false;

    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_sigmask(SIG_SETMASK, before, NULL); /* a signal ends the rest as well */
    while (!ended) {
        if (__atomic_load_n(&signalled, __ATOMIC_ACQUIRE))
            stop(s);
        if (stopped(s)) {
            cancel(s, NULL, (struct json){ 0 });
            pthread_kill(worker, SIGUSR1);
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50 * 1000 * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&s->lock);
        if (!s->ended)
            pthread_cond_timedwait(&s->changed, &s->lock, &until);
        ended = s->ended;
        pthread_mutex_unlock(&s->lock);
    }
    pthread_join(worker, NULL);
}

bool mcp_stdio(const struct mcp_stdio_config *config)
{
    struct stdio s = { .config = config };
    char *piece = mem_alloc(PIECE);
    pthread_t worker;
    sigset_t before;
    bool started;

    rpc_lines_init(&s.lines, MCP_LINE_MAX);
    pthread_mutex_init(&s.lock, NULL);
    pthread_mutex_init(&s.writing, NULL);
    pthread_cond_init(&s.changed, NULL);
    take_signals(&before);
    started = pthread_create(&worker, NULL, work, &s) == 0;
    if (started) {
        while (read_some(&s, piece, &before))
            ;
        if (!stopped(&s))
            take_found(&s, rpc_lines_last(&s.lines));
        finish(&s, worker, &before);
    } else {
        log_msg(LOG_ERROR, "cannot start a thread");
    }
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.writing);
    pthread_mutex_destroy(&s.lock);
    rpc_lines_finish(&s.lines);
    mem_free(piece);
    return started && !s.broken;
}
