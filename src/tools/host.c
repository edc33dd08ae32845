/* The tool host: the servers of a process, and how they are. */
#include <string.h>
#include <time.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "tools/inside.h"

enum { SWEEP_S = 5 };

/* ---- the sweeper ---- */

static void *sweep(void *user)
{
    struct tool_host *h = user;
    struct timespec until;

    pthread_mutex_lock(&h->lock);
    while (!h->stop) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += SWEEP_S;
        (void)pthread_cond_timedwait(&h->changed, &h->lock, &until);
        if (h->stop)
            break;
        pthread_mutex_unlock(&h->lock);
        remotes_sweep(h, true);
        pthread_mutex_lock(&h->lock);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static enum bough_rc start_sweeper(struct tool_host *h, struct bough_error *err)
{
    if (!h->n)
        return BOUGH_OK;
    h->has_sweeper = pthread_create(&h->sweeper, NULL, sweep, h) == 0;
    return h->has_sweeper ? BOUGH_OK : bough_fail(err, BOUGH_IO, "cannot start a thread");
}

/* ---- the host ---- */

enum bough_rc tool_host_create(struct tool_host **out, const struct tool_host_config *config,
                               struct bough_error *err)
{
    struct tool_host *h = mem_zalloc(sizeof *h);
    pthread_condattr_t attr;
    enum bough_rc rc;

    h->a = bough_arena_create();
    h->store = config->store;
    h->children = config->children;
    h->idle_ms = TOOL_IDLE_MS;
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&h->changed, &attr);
    pthread_condattr_destroy(&attr);
    rc = settings_read(h, config->settings, config->n, err);
    if (!rc)
        rc = start_sweeper(h, err);
    if (rc)
        tool_host_destroy(h);
    else
        *out = h;
    return rc;
}

void tool_host_destroy(struct tool_host *h)
{
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    h->stop = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    if (h->has_sweeper)
        pthread_join(h->sweeper, NULL);
    remotes_sweep(h, false);
    for (size_t i = 0; i < h->n; i++)
        mem_free(h->remotes[i].err_tail);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    bough_arena_destroy(h->a);
    mem_free(h);
}

/* ---- how they are ---- */

static size_t count_tools(const struct builtin_server *b)
{
    size_t n = 0;

    while (b->tools[n].name)
        n++;
    return n;
}

static struct tool_server about_builtin(const struct tool_host *h, const struct builtin_server *b)
{
    bool off = b == &builtin_shell && !h->shell.on;

    return (struct tool_server){ .name = b->name,
                                 .kind = "built-in",
                                 .status = off ? "off" : "ready",
                                 .protocol = "",
                                 .version = "",
                                 .error = "",
                                 .hint = off ? "set on = yes in [tools \"shell\"]" : "",
                                 .err_tail = "",
                                 .trusted = true,
                                 .tools = count_tools(b) };
}

static const char *hint_for(const struct remote *r)
{
    if (!*r->error)
        return "";
    return r->url ? "check its url, headers and allow_private in the configuration"
                  : "run its command by hand; what it wrote on standard error is kept";
}

static struct tool_server about_remote(struct tool_host *h, const struct remote *r,
                                       struct bough_arena *a)
{
    struct tool_server s = { .name = arena_strdup(a, r->name),
                             .kind = r->url ? "http" : "stdio",
                             .trusted = r->trust };

    pthread_mutex_lock(&h->lock);
    s.status = r->off ? "off" : *r->error ? "failed" : r->ready ? "ready" : "configured";
    s.protocol = arena_strdup(a, r->protocol);
    s.version = arena_strdup(a, r->version);
    s.error = arena_strdup(a, r->error);
    s.hint = hint_for(r);
    s.err_tail = r->err_tail ? arena_strdup(a, r->err_tail) : "";
    s.tools = r->tools;
    pthread_mutex_unlock(&h->lock);
    return s;
}

struct tool_servers tool_host_servers(struct tool_host *h, struct bough_arena *a)
{
    struct tool_servers out = { 0 };

    for (const struct builtin_server *const *b = builtin_servers; *b; b++) {
        out.at = arena_room(a, out.at, out.n, sizeof *out.at);
        out.at[out.n++] = about_builtin(h, *b);
    }
    for (size_t i = 0; i < h->n; i++) {
        out.at = arena_room(a, out.at, out.n, sizeof *out.at);
        out.at[out.n++] = about_remote(h, &h->remotes[i], a);
    }
    return out;
}

/* Start it and list its tools; what went wrong is noted. A server that needs a workspace is tried
 * in the root folder of the file system. */
static void try_remote(struct tool_host *h, struct remote *r, struct bough_arena *a)
{
    struct mcp_client_tools tools;
    struct bough_error err;
    struct instance *i;

    if (r->off || instance_take(h, r, "/", &i, &err))
        return;
    if (instance_tools(h, i, a, &tools, &err)) {
        pthread_mutex_lock(&h->lock);
        memcpy(r->error, err.msg, sizeof err.msg);
        pthread_mutex_unlock(&h->lock);
    }
    instance_release(h, i);
}

enum bough_rc tool_host_probe(struct tool_host *h, struct bough_arena *a, const char *name,
                              struct tool_server *out, struct bough_error *err)
{
    struct remote *r = remote_named(h, name);
    struct tool_servers all;

    if (r)
        try_remote(h, r, a);
    all = tool_host_servers(h, a);
    for (size_t i = 0; i < all.n; i++)
        if (strcmp(all.at[i].name, name) == 0) {
            *out = all.at[i];
            return BOUGH_OK;
        }
    return bough_fail(err, BOUGH_NOT_FOUND, "there is no tool server \"%.60s\"", name);
}
