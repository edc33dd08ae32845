/* MCP servers that run: started on first use, shared, ended when they were idle for a while,
 * started again when they have ended, but not too often. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "tools/inside.h"

enum { MINUTE_US = 60 * 1000 * 1000 };

/* A client, and how many sets use it. */
struct running {
    struct mcp_client *client;
    size_t refs; /* guarded by the host's lock; one is the instance's */
};

struct instance {
    struct instance *next;
    struct remote *remote;
    char *workspace;          /* "": it does not depend on one */
    pthread_mutex_t starting; /* held while the server is started; taken before the host's lock */
    struct running *running;  /* guarded by the host's lock, as are the next ones; or NULL */
    size_t users;             /* sets that are open */
    int64_t used_us;
    int64_t starts[TOOL_STARTS_MOST]; /* when it was started last, newest first; 0: never */
};

/* ---- running clients ---- */

static void drop(struct tool_host *h, struct running *r)
{
    bool last;

    if (!r)
        return;
    pthread_mutex_lock(&h->lock);
    last = --r->refs == 0;
    pthread_mutex_unlock(&h->lock);
    if (!last)
        return;
    mcp_client_close(r->client);
    mem_free(r);
}

/* The client that runs, with one more user; NULL: none does. A dead one is taken away. */
static struct running *hold(struct tool_host *h, struct instance *i)
{
    struct running *r, *dead = NULL;

    pthread_mutex_lock(&h->lock);
    r = i->running;
    if (r && !mcp_client_alive(r->client)) {
        dead = r;
        r = i->running = NULL;
    }
    if (r)
        r->refs++;
    i->used_us = mono_us();
    pthread_mutex_unlock(&h->lock);
    drop(h, dead);
    return r;
}

/* ---- starting ---- */

/* Remember how a start went, for tool_host_servers(). */
static void note(struct tool_host *h, struct remote *r, struct mcp_client *client,
                 const struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct mcp_client_about about = { "", "", "" };
    char *tail = NULL;

    if (client)
        mcp_client_about(client, a, &about);
    if (err && *about.err_tail) {
        size_t n = strlen(about.err_tail) + 1;

        tail = memcpy(mem_alloc(n), about.err_tail, n);
    }
    pthread_mutex_lock(&h->lock);
    snprintf(r->error, sizeof r->error, "%s", err ? err->msg : "");
    mem_free(r->err_tail);
    r->err_tail = tail;
    r->ready = !err;
    snprintf(r->protocol, sizeof r->protocol, "%s", about.protocol);
    snprintf(r->version, sizeof r->version, "%s", about.version);
    pthread_mutex_unlock(&h->lock);
    bough_arena_destroy(a);
}

/* Count a start. BOUGH_OVERLOADED: there were too many in the last minute. */
static enum bough_rc count_start(struct tool_host *h, struct instance *i, struct bough_error *err)
{
    int64_t now = mono_us();
    bool often;

    pthread_mutex_lock(&h->lock);
    often = i->starts[TOOL_STARTS_MOST - 1] && now - i->starts[TOOL_STARTS_MOST - 1] < MINUTE_US;
    if (!often) {
        memmove(i->starts + 1, i->starts, sizeof i->starts - sizeof *i->starts);
        i->starts[0] = now;
    }
    pthread_mutex_unlock(&h->lock);
    return often ? bough_fail(err, BOUGH_OVERLOADED,
                              "tool server \"%s\" was started %d times in a minute: %.150s",
                              i->remote->name, TOOL_STARTS_MOST,
                              *i->remote->error ? i->remote->error : "it ended each time")
                 : BOUGH_OK;
}

static enum bough_rc open_client(struct tool_host *h, struct instance *i, struct mcp_client **out,
                                 struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    const struct remote *r = i->remote;
    struct surroundings s;
    enum bough_rc rc = remote_surroundings(a, r, i->workspace, &s, err);

    if (!rc && !r->url && !h->children)
        rc = bough_fail(err, BOUGH_INVALID, "tool server \"%s\": programs cannot be started here",
                        r->name);
    if (!rc)
        rc = mcp_client_open(out,
                             &(struct mcp_client_options){ .name = r->name,
                                                           .children = h->children,
                                                           .argv = s.argv,
                                                           .env = s.env,
                                                           .dir = r->dir,
                                                           .url = r->url,
                                                           .headers = s.headers,
                                                           .allow_private = r->allow_private,
                                                           .secrets = s.secrets,
                                                           .start_ms = r->start_ms,
                                                           .silent_ms = r->silent_ms,
                                                           .whole_ms = r->whole_ms },
                             err);
    bough_arena_destroy(a);
    return rc;
}

static enum bough_rc start(struct tool_host *h, struct instance *i, struct running **out,
                           struct bough_error *err)
{
    struct mcp_client *client = NULL;
    struct bough_error why;
    enum bough_rc rc = count_start(h, i, err);

    if (rc)
        return rc;
    rc = open_client(h, i, &client, &why);
    note(h, i->remote, client, rc ? &why : NULL);
    if (rc) {
        mcp_client_close(client);
        if (err)
            *err = why;
        return rc;
    }
    *out = mem_zalloc(sizeof **out);
    **out = (struct running){ client, 2 };
    pthread_mutex_lock(&h->lock);
    i->running = *out;
    pthread_mutex_unlock(&h->lock);
    return BOUGH_OK;
}

/* The client, started if none runs. The caller drops it. */
static enum bough_rc hold_or_start(struct tool_host *h, struct instance *i, struct running **out,
                                   struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    *out = hold(h, i);
    if (*out)
        return BOUGH_OK;
    pthread_mutex_lock(&i->starting);
    *out = hold(h, i); /* another thread may have started it */
    if (!*out)
        rc = start(h, i, out, err);
    pthread_mutex_unlock(&i->starting);
    return rc;
}

/* ---- instances ---- */

static struct instance *find_or_add(struct tool_host *h, struct remote *r, const char *workspace)
{
    struct instance *i;
    size_t n = strlen(workspace) + 1;

    pthread_mutex_lock(&h->lock);
    for (i = r->instances; i && strcmp(i->workspace, workspace) != 0;)
        i = i->next;
    if (!i && r->ninstances < TOOL_INSTANCES_MOST) {
        i = mem_zalloc(sizeof *i);
        i->remote = r;
        i->workspace = memcpy(mem_alloc(n), workspace, n);
        pthread_mutex_init(&i->starting, NULL);
        i->next = r->instances;
        r->instances = i;
        r->ninstances++;
    }
    if (i)
        i->users++;
    pthread_mutex_unlock(&h->lock);
    return i;
}

enum bough_rc instance_take(struct tool_host *h, struct remote *r, const char *workspace,
                            struct instance **out, struct bough_error *err)
{
    struct running *running = NULL;
    enum bough_rc rc;

    *out = find_or_add(h, r, remote_wants_workspace(r) ? workspace : "");
    if (!*out)
        return bough_fail(err, BOUGH_OVERLOADED, "tool server \"%s\" runs in %d workspaces already",
                          r->name, TOOL_INSTANCES_MOST);
    rc = hold_or_start(h, *out, &running, err);
    drop(h, running);
    if (rc)
        instance_release(h, *out);
    return rc;
}

void instance_release(struct tool_host *h, struct instance *i)
{
    pthread_mutex_lock(&h->lock);
    i->users--;
    i->used_us = mono_us();
    pthread_mutex_unlock(&h->lock);
}

enum bough_rc instance_tools(struct tool_host *h, struct instance *i, struct bough_arena *a,
                             struct mcp_client_tools *out, struct bough_error *err)
{
    struct running *running = NULL;
    enum bough_rc rc = hold_or_start(h, i, &running, err);

    if (!rc)
        rc = mcp_client_tools(running->client, a, out, err);
    if (!rc) {
        pthread_mutex_lock(&h->lock);
        i->remote->tools = out->n;
        pthread_mutex_unlock(&h->lock);
    }
    drop(h, running);
    return rc;
}

void instance_call(struct tool_host *h, struct instance *i, struct bough_arena *a,
                   const struct mcp_client_call *in, struct mcp_client_result *out)
{
    struct running *running = NULL;
    struct bough_error err;

    if (hold_or_start(h, i, &running, &err)) {
        *out = (struct mcp_client_result){ .is_error = true,
                                           .text = str_of(arena_strdup(a, err.msg)),
                                           .content = str_of("[]"),
                                           .structured = str_of("") };
        return;
    }
    mcp_client_call(running->client, a, in, out);
    pthread_mutex_lock(&h->lock);
    i->used_us = mono_us();
    pthread_mutex_unlock(&h->lock);
    drop(h, running);
}

/* ---- ending ---- */

/* Take one server that may be ended out of a remote's list; NULL: there is none. */
static struct instance *take_one(struct tool_host *h, struct remote *r, bool idle)
{
    struct instance **at = &r->instances, *i;

    pthread_mutex_lock(&h->lock);
    while ((i = *at) && idle && (i->users || mono_us() - i->used_us < h->idle_ms * 1000))
        at = &i->next;
    if (i) {
        *at = i->next;
        r->ninstances--;
    }
    pthread_mutex_unlock(&h->lock);
    return i;
}

/* Let all programs begin to end, so that waiting for one waits for all. */
static void end_all(struct tool_host *h)
{
    pthread_mutex_lock(&h->lock);
    for (size_t k = 0; k < h->n; k++)
        for (struct instance *i = h->remotes[k].instances; i; i = i->next)
            if (i->running && !h->remotes[k].url)
                mcp_client_end(i->running->client);
    pthread_mutex_unlock(&h->lock);
}

void remotes_sweep(struct tool_host *h, bool idle)
{
    if (!idle)
        end_all(h);
    for (size_t k = 0; k < h->n; k++) {
        struct instance *i;

        while ((i = take_one(h, &h->remotes[k], idle))) {
            drop(h, i->running);
            pthread_mutex_destroy(&i->starting);
            mem_free(i->workspace);
            mem_free(i);
        }
    }
}
