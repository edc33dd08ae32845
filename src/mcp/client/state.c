/* The state of an MCP client: whether its server lives, what it said, and secrets in that. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "mcp/client/inside.h"

enum {
    ERR_SHOWN = 256 * 1024,
    SECRET_LEAST = 8, /* shorter ones are words of ordinary text, too */
};

void mcp_blank(const struct mcp_client *c, char *p, size_t n)
{
    for (const char *const *s = c->in.secrets; *s; s++) {
        size_t len = strlen(*s);
        char *at = p;

        while (len >= SECRET_LEAST && (at = memmem(at, n - (size_t)(at - p), *s, len))) {
            memset(at, '*', len);
            at += len;
        }
    }
}

void mcp_ended(struct mcp_client *c, const char *why)
{
    pthread_mutex_lock(&c->lock);
    if (!c->ended)
        snprintf(c->why, sizeof c->why, "%s", why);
    c->ended = true;
    for (struct mcp_pending *p = c->pending; p; p = p->next)
        if (!p->done) {
            p->done = true;
            memcpy(p->why, c->why, sizeof p->why);
        }
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

bool mcp_client_alive(struct mcp_client *c)
{
    bool alive;

    pthread_mutex_lock(&c->lock);
    alive = !c->ended && c->era != MCP_UNKNOWN;
    pthread_mutex_unlock(&c->lock);
    return alive;
}

void mcp_client_about(struct mcp_client *c, struct bough_arena *a, struct mcp_client_about *out)
{
    char *tail;
    size_t n;

    pthread_mutex_lock(&c->lock);
    n = c->err_text.n < ERR_SHOWN ? c->err_text.n : ERR_SHOWN;
    tail = arena_strndup(a, c->err_text.p + c->err_text.n - n, n);
    pthread_mutex_unlock(&c->lock);
    mcp_blank(c, tail, n);
    out->protocol = arena_strdup(a, c->era == MCP_UNKNOWN ? "" : c->protocol);
    out->version = arena_strdup(a, c->version);
    out->err_tail = tail;
}
