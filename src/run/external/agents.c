/* Agents of a server, and their warm processes. */
#include "run/external/agents.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "auth/auth.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "child/child.h"
#include "gateway/providers.h"

extern char **environ;

struct agents {
    struct agents_config config;
    struct bough_arena *a;
    struct adapters adapters;
    const char **environment; /* of this process, as it was */
    pthread_mutex_t lock;     /* guards the rest */
    struct warm *first;
    size_t n;
    const char *gateway; /* or NULL */
    int64_t tokens;      /* that were made, for their names */
};

static int64_t now_ms(void)
{
    return mono_us() / 1000;
}

/* ---- the whole ---- */

static const char **copy_environment(struct bough_arena *a)
{
    const char **out;
    size_t n = 0;

    while (environ && environ[n])
        n++;
    out = arena_array(a, n + 1, sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = arena_strdup(a, environ[i]);
    return out;
}

enum bough_rc agents_create(struct agents **out, const struct agents_config *config,
                            struct bough_error *err)
{
    struct agents *g = mem_zalloc(sizeof *g);
    struct adapter_line *lines;
    enum bough_rc rc;

    g->config = *config;
    if (!g->config.warm_ms || g->config.warm_ms > AGENTS_WARM_MS)
        g->config.warm_ms = AGENTS_WARM_MS;
    g->a = bough_arena_create();
    pthread_mutex_init(&g->lock, NULL);
    g->environment = copy_environment(g->a);
    lines = arena_array(g->a, config->n + 1, sizeof *lines);
    for (size_t i = 0; i < config->n; i++)
        lines[i] = (struct adapter_line){ config->settings[i].section, config->settings[i].name,
                                          config->settings[i].value };
    rc = adapters_read(g->a, &g->adapters, lines, config->n, err);
    if (rc) {
        agents_destroy(g);
        return rc;
    }
    *out = g;
    return BOUGH_OK;
}

void agents_destroy(struct agents *g)
{
    if (!g)
        return;
    while (g->first)
        agents_end(g, g->first);
    pthread_mutex_destroy(&g->lock);
    bough_arena_destroy(g->a);
    mem_free(g);
}

const struct adapters *agents_list(const struct agents *g)
{
    return &g->adapters;
}

void agents_set_gateway(struct agents *g, const char *url)
{
    pthread_mutex_lock(&g->lock);
    g->gateway = arena_strdup(g->a, url);
    pthread_mutex_unlock(&g->lock);
}

const char *agents_lookup(struct agents *g, struct bough_arena *a, const struct adapter *ad)
{
    struct adapter_variables v = { .from = g->environment, .gateway = "", .run_token = "" };
    struct adapter_environment env;

    if (adapter_environment(a, ad, &v, &env, NULL))
        return child_lookup(a, ad->command.at[0], g->environment);
    return child_lookup(a, ad->command.at[0], env.env);
}

/* ---- what a process gets ---- */

/* A token that may use the gateway and nothing else, for as long as the process lives. */
static enum bough_rc make_token(struct agents *g, struct bough_arena *a, const char *adapter,
                                const char **secret, char id[BOUGH_ID_LEN + 1],
                                struct bough_error *err)
{
    struct auth_token in = { .scopes = AUTH_GATEWAY }, made;
    uint64_t random = env_u64(&env_system);
    enum bough_rc rc;

    in.label = arena_printf(a, "agent-%s-%016llx", adapter, (unsigned long long)random);
    in.expires = env_now(&env_system) + INT64_C(24) * 60 * 60 * 1000;
    rc = auth_token_create(g->config.store, a, &in, NULL, secret, &made, err);
    if (!rc)
        snprintf(id, BOUGH_ID_LEN + 1, "%s", made.id);
    return rc;
}

static void revoke_token(struct agents *g, const char *id)
{
    struct bough_error err;

    if (*id && auth_token_revoke(g->config.store, id, &err))
        log_msg(LOG_WARN, "agents msg=a token was not revoked: %s", err.msg);
}

static enum bough_rc variables(struct agents *g, struct bough_arena *a, const struct adapter *ad,
                               struct adapter_variables *v, char token[BOUGH_ID_LEN + 1],
                               struct bough_error *err)
{
    *v = (struct adapter_variables){ .from = g->environment };
    pthread_mutex_lock(&g->lock);
    v->gateway = g->gateway ? arena_strdup(a, g->gateway) : NULL;
    pthread_mutex_unlock(&g->lock);
    *token = '\0';
    if (!adapter_wants_token(ad))
        return BOUGH_OK;
    if (!g->config.store)
        return bough_fail(err, BOUGH_NOT_READY, "${run_token} of %s is made by a server", ad->name);
    return make_token(g, a, ad->name, &v->run_token, token, err);
}

enum bough_rc agents_probe(struct agents *g, struct bough_arena *a, const char *name,
                           const char *dir, const bool *cancel, struct acp_probe *out,
                           struct bough_error *err)
{
    struct acp_probe_options in = { .children = g->config.children,
                                    .adapter = adapter_find(&g->adapters, name),
                                    .dir = dir,
                                    .cancel = cancel };
    char token[BOUGH_ID_LEN + 1];
    enum bough_rc rc;

    if (!in.adapter)
        return bough_fail(err, BOUGH_NOT_FOUND, "there is no agent %.60s", name);
    if (!in.children)
        return bough_fail(err, BOUGH_NOT_READY, "no agent can be started here");
    rc = variables(g, a, in.adapter, &in.variables, token, err);
    if (rc)
        return rc;
    acp_probe(a, &in, out);
    revoke_token(g, token);
    return BOUGH_OK;
}

/* ---- warm processes ---- */

static void free_warm(struct agents *g, struct warm *w)
{
    acp_close(w->acp);
    revoke_token(g, w->token);
    mem_free(w->dir);
    mem_free(w);
}

/* With the lock held. */
static void unlink_warm(struct agents *g, struct warm *w)
{
    struct warm **at = &g->first;

    while (*at && *at != w)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = w->next;
    g->n--;
}

void agents_end(struct agents *g, struct warm *w)
{
    pthread_mutex_lock(&g->lock);
    unlink_warm(g, w);
    pthread_mutex_unlock(&g->lock);
    free_warm(g, w);
}

struct warm *agents_take(struct agents *g, const char *session, const struct adapter *ad,
                         const char *dir)
{
    struct warm *w;
    bool fits;

    pthread_mutex_lock(&g->lock);
    for (w = g->first; w && (w->busy || strcmp(w->session, session) != 0);)
        w = w->next;
    fits = w && strcmp(w->adapter, ad->name) == 0 && strcmp(w->dir, dir) == 0 && !acp_gone(w->acp);
    if (w)
        w->busy = true;
    pthread_mutex_unlock(&g->lock);
    if (w && fits)
        acp_rest(w->acp, false);
    else if (w)
        agents_end(g, w);
    return fits ? w : NULL;
}

/* Make room: the process that has rested longest. NULL with room; *full: all of them work. */
static struct warm *find_room(struct agents *g, bool *full)
{
    struct warm *oldest = NULL;

    *full = false;
    pthread_mutex_lock(&g->lock);
    if (g->n >= AGENTS_WARM_MOST) {
        for (struct warm *w = g->first; w; w = w->next)
            if (!w->busy && (!oldest || w->rested < oldest->rested))
                oldest = w;
        *full = !oldest;
        if (oldest)
            oldest->busy = true;
    }
    pthread_mutex_unlock(&g->lock);
    return oldest;
}

static void add_warm(struct agents *g, struct warm *w)
{
    pthread_mutex_lock(&g->lock);
    w->next = g->first;
    g->first = w;
    g->n++;
    pthread_mutex_unlock(&g->lock);
}

static enum bough_rc open_warm(struct agents *g, struct bough_arena *a, const struct adapter *ad,
                               struct warm *w, struct bough_error *err)
{
    struct adapter_environment env;
    struct adapter_variables v;
    enum bough_rc rc = variables(g, a, ad, &v, w->token, err);

    if (!rc)
        rc = adapter_environment(a, ad, &v, &env, err);
    if (!rc)
        rc = acp_open(&w->acp,
                      &(struct acp_config){ g->config.children, ad->command.at, env.env, w->dir,
                                            ad->memory, env.secrets },
                      err);
    return rc;
}

enum bough_rc agents_start(struct agents *g, struct bough_arena *a, const char *session,
                           const struct adapter *ad, const char *dir, struct warm **out,
                           struct bough_error *err)
{
    struct warm *w, *oldest;
    enum bough_rc rc;
    bool full;

    if (!g->config.children)
        return bough_fail(err, BOUGH_NOT_READY, "no agent can be started here");
    oldest = find_room(g, &full);
    if (full)
        return bough_fail(err, BOUGH_OVERLOADED, "%d agents work already", AGENTS_WARM_MOST);
    if (oldest)
        agents_end(g, oldest);
    w = mem_zalloc(sizeof *w);
    w->adapter = ad->name;
    w->busy = true;
    w->dir = mem_alloc(strlen(dir) + 1);
    memcpy(w->dir, dir, strlen(dir) + 1);
    snprintf(w->session, sizeof w->session, "%s", session);
    rc = open_warm(g, a, ad, w, err);
    if (rc) {
        free_warm(g, w);
        return rc;
    }
    add_warm(g, w);
    *out = w;
    return BOUGH_OK;
}

void agents_rest(struct agents *g, struct warm *w)
{
    acp_rest(w->acp, true);
    pthread_mutex_lock(&g->lock);
    w->busy = false;
    w->rested = now_ms();
    pthread_mutex_unlock(&g->lock);
}

/* One that is gone or has rested long enough, taken. */
static struct warm *find_stale(struct agents *g)
{
    struct warm *w;

    pthread_mutex_lock(&g->lock);
    for (w = g->first; w; w = w->next)
        if (!w->busy && (acp_gone(w->acp) || now_ms() - w->rested >= g->config.warm_ms))
            break;
    if (w)
        w->busy = true;
    pthread_mutex_unlock(&g->lock);
    return w;
}

void agents_sweep(struct agents *g)
{
    struct warm *w;

    while (g && (w = find_stale(g)))
        agents_end(g, w);
}
