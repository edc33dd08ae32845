/* One child on the loop thread: the keeper's process, three pipes and the control stream. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "child/inside.h"

/* A process outside the keeper's reach may hold the output open: it is not waited for longer. */
enum { LAST_OUTPUT_MS = 1000 };

/* ---- events ---- */

static void tell_output(struct child *c, void (*event)(void *, struct bough_str),
                        struct bough_str bytes)
{
    pthread_mutex_lock(&c->calling);
    if (event && !c->silent)
        event(c->user, bytes);
    pthread_mutex_unlock(&c->calling);
}

static void tell_ended(struct child *c)
{
    char why[64] = "its keeper was killed";

    if (c->status >= 0 && WIFEXITED(c->status))
        snprintf(why, sizeof why, "exited with %d", WEXITSTATUS(c->status));
    else if (c->status >= 0)
        snprintf(why, sizeof why, "killed by signal %d", WTERMSIG(c->status));
    pthread_mutex_lock(&c->calling);
    if (!c->silent)
        c->on.ended(c->user, c->status, why);
    c->silent = true;
    pthread_mutex_unlock(&c->calling);
}

/* ---- closing ---- */

static void on_closed(uv_handle_t *h)
{
    struct child *c = h->data;

    if (--c->handles == 0)
        child_set_state(c, c->state == CHILD_FAILED ? CHILD_FAILED : CHILD_ENDED, c->error);
}

static void close_handle(void *h)
{
    if (!uv_is_closing(h))
        uv_close(h, on_closed);
}

static void close_input(struct child *c)
{
    c->input_open = false;
    close_handle(&c->in);
}

/* All output is read, or the rest is given up. */
static void finish(struct child *c)
{
    if (c->state == CHILD_RUNS)
        tell_ended(c);
    close_input(c);
    close_handle(&c->out);
    close_handle(&c->err);
    close_handle(&c->control);
    close_handle(&c->last);
    if (c->spawned)
        close_handle(&c->process);
}

static void on_last_output(uv_timer_t *t)
{
    finish(t->data);
}

/* Act when the keeper is gone and all that it said was read. */
static void settle(struct child *c)
{
    if (!c->keeper_gone || !c->control_ended)
        return;
    if (c->state == CHILD_STARTING)
        child_set_state(c, CHILD_FAILED, EIO);
    if (c->state == CHILD_FAILED || (c->out_ended && c->err_ended))
        finish(c);
    else if (c->reading)
        uv_timer_start(&c->last, on_last_output, LAST_OUTPUT_MS, 0);
}

static void on_keeper_exit(uv_process_t *p, int64_t status, int signal)
{
    struct child *c = p->data;

    (void)status;
    (void)signal;
    c->keeper_gone = true;
    settle(c);
}

/* ---- reading ---- */

static void give_piece(uv_handle_t *h, size_t wanted, uv_buf_t *out)
{
    struct child *c = h->data;

    (void)wanted;
    *out = uv_buf_init(c->all->piece, sizeof c->all->piece);
}

static void on_output(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct child *c = s->data;
    bool out = s == (uv_stream_t *)&c->out;

    if (n > 0) {
        tell_output(c, out ? c->on.out : c->on.err, str_make(b->base, (size_t)n));
        settle(c); /* as long as something comes it is read */
    } else if (n < 0) {
        *(out ? &c->out_ended : &c->err_ended) = true;
        uv_read_stop(s);
        settle(c);
    }
}

static void read_stream(uv_stream_t *s, bool on)
{
    if (on)
        uv_read_start(s, give_piece, on_output);
    else
        uv_read_stop(s);
}

static void read_output(struct child *c, bool on)
{
    if (c->reading == on || c->state != CHILD_RUNS)
        return;
    c->reading = on;
    if (!on)
        uv_timer_stop(&c->last);
    if (!c->out_ended)
        read_stream((uv_stream_t *)&c->out, on);
    if (!c->err_ended)
        read_stream((uv_stream_t *)&c->err, on);
    settle(c);
}

static void take_line(struct child *c, const char *line)
{
    if (*line == 'R')
        child_set_state(c, CHILD_RUNS, 0);
    else if (*line == 'E')
        child_set_state(c, CHILD_FAILED, (int)strtol(line + 1, NULL, 10));
    else if (*line == 'S')
        c->status = (int)strtol(line + 1, NULL, 10);
    if (*line == 'S')
        close_input(c);
}

static void on_control(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct child *c = s->data;

    for (ssize_t i = 0; i < n; i++) {
        if (b->base[i] != '\n') {
            if (c->nsaid < sizeof c->said - 1)
                c->said[c->nsaid++] = b->base[i];
            continue;
        }
        c->said[c->nsaid] = '\0';
        c->nsaid = 0;
        take_line(c, c->said);
    }
    if (n < 0) {
        uv_read_stop(s);
        c->control_ended = true;
        settle(c);
    }
}

/* ---- writing ---- */

struct writing {
    uv_write_t request;
    struct child *c;
    char *bytes;
    size_t n;
};

static void on_written(uv_write_t *r, int status)
{
    struct writing *w = r->data;

    pthread_mutex_lock(&w->c->all->lock);
    w->c->in_flight -= w->n;
    pthread_mutex_unlock(&w->c->all->lock);
    if (status < 0 && status != UV_ECANCELED)
        close_input(w->c); /* it has closed its end; it may still have something to say */
    mem_free(w->bytes);
    mem_free(w);
}

static void write_input(struct child *c, struct buf *bytes)
{
    struct writing *w = mem_zalloc(sizeof *w);
    uv_buf_t b = uv_buf_init(bytes->p, (unsigned)bytes->n);

    *w = (struct writing){ .c = c, .bytes = bytes->p, .n = bytes->n };
    w->request.data = w;
    if (!c->input_open || uv_write(&w->request, (uv_stream_t *)&c->in, &b, 1, on_written) != 0)
        on_written(&w->request, UV_ECANCELED);
}

static void on_asked(uv_write_t *r, int status)
{
    (void)status;
    mem_free(r);
}

static void ask_to_end(struct child *c)
{
    static char byte[] = "q";
    uv_write_t *r = mem_zalloc(sizeof *r);
    uv_buf_t b = uv_buf_init(byte, 1);

    c->ending = true;
    close_input(c);
    if (uv_is_closing((uv_handle_t *)&c->control) ||
        uv_write(r, (uv_stream_t *)&c->control, &b, 1, on_asked) != 0)
        mem_free(r);
}

void process_attend(struct child *c)
{
    struct buf bytes = { 0 };
    bool end, pause;

    if (c->state != CHILD_RUNS && c->state != CHILD_STARTING)
        return;
    pthread_mutex_lock(&c->all->lock);
    end = c->end;
    pause = c->pause && !c->released;
    if (c->unwritten.n) {
        bytes = c->unwritten;
        c->in_flight += bytes.n;
        buf_init(&c->unwritten, CHILD_UNREAD);
    }
    pthread_mutex_unlock(&c->all->lock);
    if (bytes.n)
        write_input(c, &bytes);
    read_output(c, !pause);
    if (end && !c->ending)
        ask_to_end(c);
}

/* ---- starting ---- */

static void add_handle(struct child *c, void *h)
{
    ((uv_handle_t *)h)->data = c;
    c->handles++;
}

static void init_handles(struct child *c)
{
    uv_loop_t *loop = &c->all->loop;

    uv_pipe_init(loop, &c->in, 0);
    uv_pipe_init(loop, &c->out, 0);
    uv_pipe_init(loop, &c->err, 0);
    uv_pipe_init(loop, &c->control, 0);
    uv_timer_init(loop, &c->last);
    add_handle(c, &c->in);
    add_handle(c, &c->out);
    add_handle(c, &c->err);
    add_handle(c, &c->control);
    add_handle(c, &c->last);
    c->status = -1;
}

static int spawn(struct child *c, const int fds[3])
{
    uv_stdio_container_t stdio[4] = {
        { .flags = UV_INHERIT_FD, .data.fd = fds[0] },
        { .flags = UV_INHERIT_FD, .data.fd = fds[1] },
        { .flags = UV_INHERIT_FD, .data.fd = fds[2] },
        { .flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE,
          .data.stream = (uv_stream_t *)&c->control },
    };
    uv_process_options_t o = {
        .exit_cb = on_keeper_exit,
        .file = c->all->self,
        .args = c->argv,
        .env = c->env,
        .stdio = stdio,
        .stdio_count = 4,
    };

    add_handle(c, &c->process);
    c->spawned = true;
    return uv_spawn(&c->all->loop, &c->process, &o);
}

/* Pipes, not sockets: a child may open /dev/stdin. ours[] and theirs[] are their two ends. */
static int make_pipes(int ours[3], int theirs[3])
{
    for (int i = 0; i < 3; i++) {
        int fds[2];

        if (pipe2(fds, O_CLOEXEC) != 0)
            return -errno;
        ours[i] = fds[i == 0];
        theirs[i] = fds[i != 0];
        fcntl(ours[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

static void close_all(int fds[3])
{
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

void process_start(struct child *c)
{
    int ours[3] = { -1, -1, -1 }, theirs[3] = { -1, -1, -1 };
    int rc;

    init_handles(c);
    rc = make_pipes(ours, theirs);
    if (rc == 0)
        rc = spawn(c, theirs);
    close_all(theirs);
    if (rc != 0) {
        close_all(ours);
        child_set_state(c, CHILD_FAILED, -rc);
        finish(c);
        return;
    }
    child_set_state(c, CHILD_STARTING, 0);
    (void)uv_pipe_open(&c->in, ours[0]);
    (void)uv_pipe_open(&c->out, ours[1]);
    (void)uv_pipe_open(&c->err, ours[2]);
    c->input_open = true;
    uv_read_start((uv_stream_t *)&c->control, give_piece, on_control);
}
