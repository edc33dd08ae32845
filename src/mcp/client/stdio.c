/* MCP over the standard input and output of a child process: one message a line. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"
#include "mcp/client/inside.h"

enum { ERR_KEPT = 256 * 1024, FILES_MOST = 4096, LOOK_MS = 50 };

/* ---- events of the child, on the thread of children ---- */

/* A line that is too long was dropped. Which request it answered is not known: all get an error,
 * rather than waiting for nothing. */
static void took_long_line(struct mcp_client *c)
{
    pthread_mutex_lock(&c->lock);
    for (struct mcp_pending *p = c->pending; p; p = p->next)
        if (!p->done) {
            p->done = true;
            memcpy(p->why, "sent a message that is too large", 33);
        }
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void on_out(void *user, struct bough_str bytes)
{
    struct mcp_client *c = user;
    enum rpc_line found;

    while ((found = rpc_lines_next(&c->lines, &bytes)))
        if (found == RPC_LINE_LONG)
            took_long_line(c);
        else
            mcp_take(c, buf_str(&c->lines.line));
}

/* Keep the end. The buffer has twice the room, so that bytes are moved seldom. */
static void on_err(void *user, struct bough_str bytes)
{
    struct mcp_client *c = user;

    if (bytes.n > ERR_KEPT) {
        bytes.p += bytes.n - ERR_KEPT;
        bytes.n = ERR_KEPT;
    }
    pthread_mutex_lock(&c->lock);
    if (c->err_text.n + bytes.n > (size_t)2 * ERR_KEPT) {
        memmove(c->err_text.p, c->err_text.p + c->err_text.n - ERR_KEPT, ERR_KEPT);
        c->err_text.n = ERR_KEPT;
        buf_end(&c->err_text);
    }
    buf_put_str(&c->err_text, bytes);
    pthread_mutex_unlock(&c->lock);
}

static void on_ended(void *user, int status, const char *why)
{
    (void)status;
    mcp_ended(user, why);
}

/* ---- the transport ---- */

static enum bough_rc stdio_open(struct mcp_client *c, struct bough_error *err)
{
    const struct child_options options = { .argv = c->in.argv,
                                           .env = c->in.env,
                                           .dir = c->in.dir,
                                           .most_files = FILES_MOST,
                                           .on = { on_out, on_err, on_ended },
                                           .user = c };
    struct bough_error why;
    struct child *child;
    enum bough_rc rc;

    buf_init(&c->err_text, (size_t)2 * ERR_KEPT);
    rc = child_start(c->in.children, &options, &child, &why);
    if (rc)
        return bough_fail(err, rc, "tool server \"%s\": %.200s", c->in.name, why.msg);
    pthread_mutex_lock(&c->lock);
    c->child = child;
    pthread_mutex_unlock(&c->lock);
    return BOUGH_OK;
}

static struct child *child_of(struct mcp_client *c)
{
    struct child *child;

    pthread_mutex_lock(&c->lock);
    child = c->child;
    pthread_mutex_unlock(&c->lock);
    return child;
}

static enum bough_rc write_line(struct mcp_client *c, struct bough_str message,
                                struct bough_error *err)
{
    struct child *child = child_of(c);
    enum bough_rc rc;
    struct buf line;

    if (!child) /* it sends requests before it was started completely */
        return bough_fail(err, BOUGH_IO, "it is not started");
    buf_init(&line, message.n + 1);
    buf_put_str(&line, message);
    buf_putc(&line, '\n');
    rc = child_write(child, buf_str(&line), err);
    buf_finish(&line);
    return rc;
}

static void wait_a_little(struct mcp_client *c, struct mcp_pending *p)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&c->lock);
    if (!p->done && !p->has_progress)
        (void)pthread_cond_timedwait(&c->changed, &c->lock, &until);
    pthread_mutex_unlock(&c->lock);
}

static enum bough_rc stdio_ask(struct mcp_client *c, const struct mcp_ask *ask,
                               struct bough_str request, struct mcp_pending *p,
                               struct bough_error *err)
{
    int64_t began = mono_us();
    enum bough_rc rc = write_line(c, request, err);

    if (rc == BOUGH_IO) { /* `ended` follows, and says why */
        rc = BOUGH_OK;
    }
    while (!rc && !mcp_is_done(c, p)) {
        wait_a_little(c, p);
        mcp_pass_progress(c, ask, p);
        if (!mcp_is_done(c, p))
            rc = mcp_over(c, ask, p, began, err);
    }
    return rc;
}

static void stdio_tell(struct mcp_client *c, const char *method, struct bough_str message)
{
    struct bough_error err;

    (void)method;
    (void)write_line(c, message, &err);
}

/* The messages come by themselves; in 2026-07-28 they must be asked for. */
static void stdio_listen(struct mcp_client *c)
{
    if (c->era == MCP_STATELESS && c->tells_changes)
        mcp_send(c, "subscriptions/listen",
                 str_of("\"notifications\":{\"toolsListChanged\":true}"));
}

static void stdio_end(struct mcp_client *c)
{
    struct child *child = child_of(c);

    if (child)
        child_end(child);
}

static void stdio_close(struct mcp_client *c)
{
    if (c->child)
        child_release(c->child);
}

const struct mcp_transport mcp_over_stdio = { stdio_open,   stdio_ask, stdio_tell,
                                              stdio_listen, stdio_end, stdio_close };
