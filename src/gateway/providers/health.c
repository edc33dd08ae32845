/* Asks a provider how it is: whether it can be reached, how fast, and which models it has. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/client/fetch.h"
#include "gateway/providers/provider.h"

enum { ANSWER_MOST = 8 << 20, CONNECT_MS = 5000, WHOLE_MS = 10000, LOCAL_MS = 3000 };

/* ---- asking ---- */

/* What an ask found out. */
struct finding {
    bool reachable, key_refused, listed;
    int64_t latency_ms;
    struct model_list list;
    char error[200]; /* "": none */
};

struct asking {
    struct providers *all;
    struct provider *p;
    struct bough_arena *a;
    const char *const *headers;
    const bool *stop;
    struct finding *found;
};

static void fails(struct asking *k, const char *what, const char *why)
{
    size_t most = sizeof k->found->error;
    int n = snprintf(k->found->error, most, "%.199s", what);

    (void)snprintf(k->found->error + n, most - (size_t)n, "%s", why);
}

/* GET at the provider's origin: the key goes nowhere else. */
static bool get(struct asking *k, const char *url, struct fetch_answer *out)
{
    struct fetch_options how = { .url = url,
                                 .headers = k->headers,
                                 .allow_private = k->p->allow_private,
                                 .connect_ms = k->p->local ? LOCAL_MS : CONNECT_MS,
                                 .whole_ms = WHOLE_MS,
                                 .most = ANSWER_MOST,
                                 .stop = k->stop };

    if (!fetch(k->a, &how, out)) {
        fails(k, "not reached: ", out->why);
        return false;
    }
    k->found->reachable = true;
    if (!k->found->latency_ms)
        k->found->latency_ms = out->ms;
    return true;
}

static const char *at_origin(struct asking *k, const char *path)
{
    return arena_printf(k->a, "%s%s", k->p->origin, path);
}

/* Take the answer as a list of models. */
static void take_list(struct asking *k, const struct fetch_answer *answer)
{
    struct finding *f = k->found;
    char text[16];

    (void)snprintf(text, sizeof text, "%d", answer->status);
    if (answer->status == 401 || answer->status == 403) {
        f->key_refused = k->p->auth == PROVIDER_KEY;
        if (k->p->auth != PROVIDER_CLIENT)
            fails(k, "the key was refused: HTTP ", text);
    } else if (answer->status != 200) {
        fails(k, "its list of models was answered with HTTP ", text);
    } else if (list_read(k->p, answer->body, &f->list)) {
        f->listed = true;
    } else {
        fails(k, "its list of models could not be read", "");
    }
}

static void ask_models(struct asking *k)
{
    const char *query = k->p->kind == PROVIDER_ANTHROPIC ? "?limit=1000" : "";
    struct fetch_answer answer;

    if (get(k, arena_printf(k->a, "%s/models%s", k->p->base, query), &answer))
        take_list(k, &answer);
}

static void ask_ollama(struct asking *k)
{
    struct fetch_answer answer;

    if (!get(k, at_origin(k, "/api/tags"), &answer))
        return;
    take_list(k, &answer);
    if (k->found->listed && get(k, at_origin(k, "/api/ps"), &answer) && answer.status == 200)
        list_mark_loaded(&k->found->list, answer.body);
}

/* Its own list says more than the one of its OpenAI part; an older one has only that. */
static void ask_lmstudio(struct asking *k)
{
    struct fetch_answer answer;

    if (!get(k, at_origin(k, "/api/v0/models"), &answer))
        return;
    if (answer.status == 200 && list_read(k->p, answer.body, &k->found->list))
        k->found->listed = true;
    else if (!k->p->discovered)
        ask_models(k);
}

/* While it loads a model, llama.cpp answers /health with 503. */
static void ask_healthy(struct asking *k)
{
    struct fetch_answer answer;

    if (!get(k, at_origin(k, "/health"), &answer))
        return;
    if (answer.status == 503)
        fails(k, "it is still loading its model", "");
    else
        ask_models(k);
}

/* llama.cpp: the context it was started with. */
static void ask_props(struct asking *k)
{
    struct fetch_answer answer;
    struct json root, generation;
    int64_t n;

    if (!k->found->listed || !get(k, at_origin(k, "/props"), &answer) || answer.status != 200 ||
        json_parse(k->a, answer.body, &root, NULL))
        return;
    generation = json_member(root, "default_generation_settings");
    if (json_i64(json_member(generation, "n_ctx"), &n) || json_i64(json_member(root, "n_ctx"), &n))
        for (size_t i = 0; i < k->found->list.n; i++)
            k->found->list.at[i].context = n;
}

static void ask_by_kind(struct asking *k)
{
    switch (k->p->runtime) {
    case RUNTIME_NONE:
        ask_models(k);
        break;
    case RUNTIME_OLLAMA:
        ask_ollama(k);
        break;
    case RUNTIME_LMSTUDIO:
        ask_lmstudio(k);
        break;
    case RUNTIME_LLAMACPP:
        ask_healthy(k);
        ask_props(k);
        break;
    case RUNTIME_VLLM:
        ask_healthy(k);
        break;
    }
}

/* ---- the result ---- */

/* Store what was found; the list that was there stays if there is no new one. A runtime that was
 * only looked for is there if it has a list, and its absence is no error. */
static void keep(struct providers *all, struct provider *p, struct finding *f)
{
    struct provider_state *s = &p->state;
    struct model_list old = { 0 };
    int64_t now;

    pthread_mutex_lock(&all->lock);
    now = env_now(&all->env);
    s->asked = true;
    s->reachable = f->reachable && (!p->discovered || f->listed);
    s->key_refused = f->key_refused;
    s->checked = now;
    s->latency_ms = f->latency_ms;
    s->due = now + FRESH_MS;
    if (*f->error && (!p->discovered || s->list.time)) {
        memcpy(s->error, f->error, sizeof s->error);
        s->error_time = now;
    }
    if (f->listed) {
        old = s->list;
        s->list = f->list;
        s->list.time = now;
    }
    s->asking = false;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    list_finish(&old);
    if (f->key_refused)
        provider_forget_key(p);
}

/* One thread asks; others that want to know wait for its answer. False: another one asked. */
static bool begin(struct providers *all, struct provider *p)
{
    bool mine;

    pthread_mutex_lock(&all->lock);
    mine = !p->state.asking;
    while (!mine && p->state.asking)
        pthread_cond_wait(&all->changed, &all->lock);
    if (mine)
        p->state.asking = true;
    pthread_mutex_unlock(&all->lock);
    return mine;
}

void provider_ask_now(struct providers *all, struct provider *p, const bool *stop)
{
    static const char *const version = "anthropic-version: 2023-06-01";
    struct bough_error err = { 0 };
    struct finding f = { 0 };
    struct asking k = { .all = all, .p = p, .stop = stop, .found = &f };
    const char *const *key;

    if (!begin(all, p))
        return;
    k.a = bough_arena_create();
    if (provider_headers(all, p, WIRE_CHAT, k.a, &key, &err)) {
        fails(&k, err.msg, "");
    } else {
        const char **lines = arena_array(k.a, 3, sizeof *lines);

        lines[0] = p->kind == PROVIDER_ANTHROPIC ? version : "Accept: application/json";
        lines[1] = key[0];
        k.headers = lines;
        ask_by_kind(&k);
    }
    keep(all, p, &f);
    bough_arena_destroy(k.a);
}
